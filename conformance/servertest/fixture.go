package servertest

import (
	"context"
	"net/http"
	"strings"

	"github.com/google/uuid"
)

// Cases share records: {{coupon}} is the id of a coupon, {{coupon.name}} its
// name. A shared record is made when a case first names it, and no case changes
// it. A case that changes a record makes its own.

// A fixture is a shared record and how the API makes it.
type fixture struct {
	operation, body string
	keep            []string // what is kept beside the id: its path, or name:path
	after           func(x *exam, id string)
}

func fixtures() map[string]fixture {
	person := func(letter string) fixture {
		return fixture{"POST /affiliates", `{"firstName":"Mara","lastName":"Lindqvist","email":"{{run}}` + letter + `@conform.example",
			"affiliateLink":"{{run}}-` + letter + `"}`, []string{"email", "link:affiliateLinks.0.id", "slug:affiliateLinks.0.link"}, nil}
	}
	return map[string]fixture{
		"affiliate": person("a"),
		"other":     person("b"),
		"coupon":    {"POST /coupons", `{"name":"{{run}} coupon","percentOff":20,"externalId":"{{run}} coupon"}`, []string{"name", "externalId"}, nil},
		"flat":      {"POST /coupons", `{"name":"{{run}} flat","couponType":"FLAT","amountOff":5,"currency":"USD"}`, nil, nil},
		"code": {"POST /promotional-codes", `{"couponId":"{{coupon}}","code":"{{run}}-CODE","affiliateId":"{{affiliate}}","externalId":"{{run}} code"}`,
			[]string{"code", "externalId"}, nil},
		"referral": {"POST /referrals", `{"affiliateId":"{{affiliate}}","name":"Tomas Berg","email":"{{run}}-t@conform.example",
			"referredUserExternalId":"{{run}} customer"}`, []string{"email", "referredUserExternalId"}, nil},
		"customer": {"POST /referrals", `{"affiliateId":"{{affiliate}}","name":"Kim Oda","email":"{{run}}-k@conform.example",
			"referredUserExternalId":"{{run}} kim"}`, []string{"email"}, nil},
		"sale": {"POST /sales", `{"referralId":"{{referral}}","totalEarned":100,"commissionRate":20,"externalId":"{{run}} sale",
			"externalInvoiceId":"{{run}} invoice"}`, []string{"externalId", "externalInvoiceId"}, nil},
		"webhook": {"POST /webhooks", `{"url":"https://hooks.conform.example/{{run}}","events":["coupon.updated"],"active":false}`, nil,
			func(x *exam, id string) { x.suite.cleanups = append(x.suite.cleanups, deleteWebhook(x, id)) }},
		"unknown": {after: func(x *exam, _ string) { x.made["unknown"] = uuid.NewString() }},
		"run":     {after: func(x *exam, _ string) { x.made["run"] = x.run }},
	}
}

// deleteWebhook returns a function that deletes an endpoint. A program may have
// no more than 50.
func deleteWebhook(x *exam, id string) func(context.Context) {
	return func(ctx context.Context) {
		y := x.newExam(ctx, -1)
		_, _ = y.try(call("DELETE /webhooks", `{"webhookId":"`+id+`"}`)) // it may be gone already
	}
}

// shared returns the value of a name that all cases may use.
func (x *exam) shared(name string) string {
	x.suite.mu.Lock()
	value, there := x.made[name]
	x.suite.mu.Unlock()
	if there {
		return value
	}
	base, _, _ := strings.Cut(name, ".")
	f, known := fixtures()[base]
	if !known {
		panic("servertest: nothing is called " + name) // a mistake in a case
	}
	values := map[string]string{}
	id := ""
	if f.operation != "" {
		a := x.send(call(f.operation, f.body))
		if a.status != http.StatusOK {
			a.wants("200, for what other cases stand on")
		}
		id = a.id()
		values[base] = id
		for _, k := range f.keep {
			name, path := kept(k)
			values[base+"."+name] = a.text(path)
		}
	}
	x.suite.mu.Lock()
	defer x.suite.mu.Unlock()
	if f.after != nil {
		f.after(x, id)
	}
	for name, value := range values {
		x.made[name] = value
	}
	if value, there = x.made[name]; !there {
		panic("servertest: nothing is called " + name)
	}
	return value
}

// kept splits an entry of keep into its name and its path.
func kept(s string) (name, path string) {
	if name, path, ok := strings.Cut(s, ":"); ok {
		return name, path
	}
	return s, s
}

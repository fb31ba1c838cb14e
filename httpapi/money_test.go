package httpapi_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
)

// What money checks over the wire need, and those that stand alone.

// A till is a program with two affiliates and a code, with the names that checks
// give to what they make.
type till struct {
	*world
	ada, bo string            // ids
	ids     map[string]string // "S1", "P1" …
	seen    int               // events so far
}

func newTill(t *testing.T, change ...func(*setup)) *till {
	t.Helper()
	k := &till{world: newWorld(t, change...), ids: map[string]string{}}
	join := func(first, slug string) string {
		return k.id("POST", "/affiliates", `{"firstName":"`+first+`","lastName":"X","email":"`+slug+`@example.org","affiliateLink":"`+slug+`"}`)
	}
	k.ada, k.bo = join("Ada", "ada"), join("Bo", "bo")
	must(k.SetPayoutDetails(t.Context(), uuid.MustParse(k.ada), affiliate.PayoutDetails{Method: "PAYPAL", Email: "ada@pay.example"}))
	coupon := k.id("POST", "/coupons", `{"name":"20 off","percentOff":20}`)
	k.id("POST", "/promotional-codes", `{"couponId":"`+coupon+`","code":"ADA20","affiliateId":"`+k.ada+`","minimumAmount":50}`)
	k.fired()
	t.Cleanup(func() { // check 58: nothing about money has an event of its own
		k.on(t)
		for _, e := range must(k.Events(context.Background(), affiliate.EventQuery{}, affiliate.Page{})).Items {
			if !slices.Contains(seedEvents, string(e.Type)) {
				t.Errorf("there is no event %s", e.Type)
			}
		}
	})
	return k
}

// seedEvents are the types of events that there are, and that money adds nothing
// to.
var seedEvents = strings.Fields(`
	affiliate.created affiliate.updated affiliate.deleted referral.created referral.updated referral.deleted
	sale.created sale.updated sale.deleted coupon.created coupon.updated coupon.deleted
	promocode.created promocode.updated promocode.deleted`)

// on makes failures those of a sub-test.
func (k *till) on(t *testing.T) *till {
	k.t = t
	return k
}

// ask makes a request that must succeed. {S1} in a body is what S1 is.
func (k *till) ask(method, target, body string) map[string]any {
	k.t.Helper()
	return k.ok(method, "/api/v1"+k.named(target), k.named(body))
}

// no makes a request that must be refused with this line, and that changes
// nothing.
func (k *till) no(want, method, target, body string) {
	k.t.Helper()
	k.refuses(want, method, "/api/v1"+k.named(target), k.named(body))
}

func (k *till) named(s string) string {
	for name, id := range k.ids {
		s = strings.ReplaceAll(s, "{"+name+"}", id)
	}
	return s
}

// id is the id of what a request makes.
func (k *till) id(method, target, body string) string {
	k.t.Helper()
	return text(k.ask(method, target, body)["id"])
}

// text is a value as it stands in an id: whole numbers without a fraction.
func text(v any) string {
	if n, ok := v.(float64); ok {
		return fmt.Sprint(int64(n))
	}
	return fmt.Sprint(v)
}

// list is the array that a GET answers.
func (k *till) list(target string) (items []map[string]any) {
	k.t.Helper()
	got := k.do("GET", "/api/v1"+k.named(target), "")
	if err := json.Unmarshal([]byte(got.body), &items); got.status != 200 || err != nil {
		k.t.Fatalf("%s: %s, %v", target, got.refusal(), err)
	}
	return items
}

// sell records a sale of Ada and calls it by a name.
func (k *till) sell(name, total string) map[string]any {
	k.t.Helper()
	sale := k.ask("POST", "/sales", `{"referralId":"ada","email":"t@x.example","name":"T","totalEarned":`+total+`}`)
	k.ids[name] = text(sale["id"])
	return sale
}

// pay makes a payout of Ada and calls it by a name.
func (k *till) pay(name, more string) map[string]any {
	k.t.Helper()
	payout := k.ask("POST", "/payouts", `{"affiliateEmail":"ada@example.org"`+more+`}`)
	k.ids[name] = text(payout["id"])
	return payout
}

// fired is the events since it was last asked, as the type and the id of the
// object: "sale.updated S1".
func (k *till) fired() (types []string) {
	k.t.Helper()
	events := must(k.Events(k.t.Context(), affiliate.EventQuery{}, affiliate.Page{})).Items
	for _, e := range events[:len(events)-k.seen] {
		what := string(e.Type)
		for name, id := range k.ids {
			if e.ObjectID == id {
				what += " " + name
			}
		}
		types = append(types, what)
	}
	k.seen = len(events)
	slices.Sort(types)
	return types
}

// fires fails the test unless exactly these events came since fired was asked.
func (k *till) fires(want ...string) {
	k.t.Helper()
	equal(k.t, want, k.fired())
}

func (k *till) commissions(sale string) (list []map[string]any) {
	k.t.Helper()
	for _, c := range k.ask("GET", "/sales?id={"+sale+"}", "")["commissions"].([]any) {
		list = append(list, c.(map[string]any))
	}
	return list
}

// balance fails the test unless Ada's balance has these members.
func (k *till) balance(want map[string]any) {
	k.t.Helper()
	k.has(k.ask("GET", "/balances?affiliateEmail=ada@example.org", ""), want)
}

// has fails the test unless an object has these members.
func (k *till) has(object map[string]any, want map[string]any) {
	k.t.Helper()
	got := map[string]any{}
	for name := range want {
		value, there := object[name]
		if !there {
			value = "no such key"
		}
		got[name] = value
	}
	equal(k.t, want, got)
}

type object = map[string]any

// TestMoneyPages is the part of check 49 about lists that exist: without a limit
// a page has 100 records and a Link.
func TestMoneyPages(t *testing.T) {
	k := newTill(t)
	for range 101 {
		k.id("POST", "/adjustments", `{"affiliateId":"`+k.bo+`","kind":"BONUS","amount":1,"reason":"r"}`)
		k.id("POST", "/payouts", `{"affiliateId":"`+k.bo+`"}`)
	}
	k.paged(`"id"`, "payouts", "adjustments", "payouts?affiliateId="+k.bo+"&status=PENDING")
}

// paged fails the test unless each of the lists has 101 records, of which a page without a limit
// has 100 and a Link. Each record has the key once.
func (k *till) paged(key string, targets ...string) {
	k.t.Helper()
	for _, target := range targets {
		first := k.do("GET", "/api/v1/"+target, "")
		if n := strings.Count(first.body, key); n != 100 || !strings.Contains(first.header.Get("Link"), "limit=100&cursor=") {
			k.t.Errorf("%s: %d records, Link %q", target, n, first.header.Get("Link"))
		}
		all := k.pages(target, "100")
		if n := strings.Count(all, key); n != 101 || all != k.pages(target, "7") {
			k.t.Errorf("%s: %d records in pages", target, n)
		}
	}
}

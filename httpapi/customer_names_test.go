package httpapi_test

import (
	"testing"
	"time"
)

// TestHostIDNamesTheCustomer: a sale, a preview, a hold and a conversion name their customer by
// the host's own id, which finds them after a change of email too.
func TestHostIDNamesTheCustomer(t *testing.T) {
	w := newWorld(t)
	w.fill()
	w.ok("POST", "/api/v1/referrals", `{"affiliateId":"ada","name":"Kim","email":"kin@example.net","referredUserExternalId":"user-8"}`)
	const who = `"referredUserExternalId":"user-8","email":"kin@elsewhere.example"`
	report := func(path, members string) {
		t.Helper()
		if got := w.do("POST", path, `{`+who+`,`+members+`}`); got.header.Get("Sale-Outcome") != "recorded" {
			t.Errorf("POST %s of user-8: %d %s %s", path, got.status, got.header.Get("Sale-Outcome"), got.body)
		}
	}
	report("/api/v1/sales", `"totalEarned":10`)
	report("/api/v1/sales", `"totalEarned":10,"referralId":"no-such-click"`)
	report("/api/v1/conversions", `"conversion":"signup"`)
}

// TestEmailThatIsNone: in a report of what has happened an email that was sent and is none, an empty text too, is left out and
// named, and refuses no paid order; where nothing has happened yet it is refused, and an empty one is not sent. Contract 3.7.
func TestEmailThatIsNone(t *testing.T) {
	w := newWorld(t)
	w.fill()
	for _, none := range []string{`"x"`, `""`, `" "`, `"\u200b"`, `"a@b@c.example"`} {
		for body, want := range map[string]string{
			`"referralId":"ada","name":"N","totalEarned":10`: "200 recorded",
			`"referralId":"ada","totalEarned":10`:            "200 recorded",
			`"promoCode":"ADA20","totalEarned":10`:           "200 recorded",
			`"totalEarned":10`:                               "200 unattributed",
			`"referralId":"nobody","totalEarned":10`:         "200 unattributed",
		} {
			got := w.do("POST", "/api/v1/sales", `{"email":`+none+`,`+body+`}`)
			if said := got.refusal() + " " + got.header.Get("Sale-Outcome"); said != want || got.header.Get("Sale-Ignored") != "email" {
				t.Errorf("a sale with the email %s and %s: %s, ignored %q", none, body, said, got.header.Get("Sale-Ignored"))
			}
		}
		got := w.do("POST", "/api/v1/conversions", `{"conversion":"signup","referralId":"ada","email":`+none+`}`)
		if got.refusal() != "400 missing_field: Email is required [email]" { // it has a customer, and is no payment
			t.Errorf("a conversion with the email %s: %s", none, got.refusal())
		}
		want, empty := "400 invalid_field: Email is invalid [email]", none == `""` || none == `" "` || none == `"\u200b"`
		for path, body := range map[string]string{
			"promotional-codes/validate": `"promoCode":"ADA20"`,
			"promotional-codes/compare":  `"promoCodes":["ADA20"]`,
			"holds":                      `"id":"h","promoCode":"ADA20","until":"` + w.now.Add(time.Minute).Format(time.RFC3339) + `"`,
		} {
			got := w.do("POST", "/api/v1/"+path, `{"email":`+none+`,`+body+`}`).refusal()
			if empty && got != "200" || !empty && got != want {
				t.Errorf("%s with the email %s: %s", path, none, got)
			}
		}
		for path, body := range map[string]string{
			"referrals":         `"affiliateId":"ada","name":"N","referredUserExternalId":"n"`,
			"affiliates":        `"firstName":"A","lastName":"B"`,
			"affiliates/invite": `"firstName":"A","lastName":"B"`,
			"affiliates/ensure": `"externalId":"e","firstName":"A","lastName":"B"`,
		} {
			want := want
			if empty {
				want = "400 missing_field: Email is required [email]"
			}
			w.refuses(want, "POST", "/api/v1/"+path, `{"email":`+none+`,`+body+`}`)
		}
	}
	for _, absent := range []string{``, `"email":null,`} {
		w.refuses("400 missing_field: Email is required [email]", "POST", "/api/v1/sales", `{`+absent+`"referralId":"ada","totalEarned":10}`)
		w.refuses("400 attribution_required: Either Referral ID, email, or Promo Code is required", "POST", "/api/v1/sales", `{`+absent+`"totalEarned":10}`)
	}
}

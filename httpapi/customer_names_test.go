package httpapi_test

import "testing"

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

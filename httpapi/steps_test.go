package httpapi_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/client"
)

// TestStepsOverTheWire (console checks 5, 8, 14, 23): steps to the end do what
// the whole call does, and what is refused changes nothing.
func TestStepsOverTheWire(t *testing.T) {
	w := newWorld(t)
	w.ok("POST", "/api/v1/affiliates", `{"firstName":"Ada","lastName":"L","email":"ada@example.com","affiliateLink":"ada"}`)
	for i := range 30 {
		w.ok("POST", "/api/v1/sales", fmt.Sprintf(`{"referralId":"ada","email":"c%d@example.net","name":"C","totalEarned":100}`, i))
	}
	must(w.UpdateAffiliate(t.Context(), affiliate.AffiliateRef{Email: "ada@example.com"}, affiliate.AffiliateUpdate{CommissionRate: affiliate.Set(affiliate.MustPercent("5"))}))
	must(w.CreateTier(t.Context(), affiliate.TierParams{Tier: 1, Name: "all"}))
	const selection = "400 missing_field: Affiliate ID, affiliate email, referral ID, or all is required [affiliateId]"
	for _, row := range []struct{ path, body, want string }{
		{"/sales/recalculate", `{"all":false,"limit":3}`, selection},
		{"/sales/recalculate", `{"affiliateID":"x","all":true}`, "400 unknown_field: Unknown field: affiliateID [affiliateID]"},
		{"/sales/recalculate", `{"all":true,"limit":0}`, "400 invalid_field: limit must be an integer from 1 to 10000 [limit]"},
		{"/commission-tiers/assign", `{"all":true}`, "400 unknown_field: Unknown field: all [all]"},
	} {
		w.refuses(row.want, "POST", "/api/v1"+row.path, row.body)
	}
	looked, steps := 0, 0
	for cursor := ""; ; {
		body := map[string]any{"affiliateEmail": "ada@example.com", "limit": 7}
		if cursor != "" {
			body["cursor"] = cursor
		}
		raw, _ := json.Marshal(body)
		got := w.ok("POST", "/api/v1/sales/recalculate", string(raw))
		looked, steps = looked+int(got["looked"].(float64)), steps+1
		if got["done"] == true {
			equal(t, nil, got["cursor"])
			break
		}
		cursor = got["cursor"].(string)
	}
	if looked != 30 || steps != 5 {
		t.Errorf("%d sales in %d steps", looked, steps)
	}
	if n := must(w.Run(t.Context(), affiliate.RecalculateJob{})).Changed; n != 0 {
		t.Errorf("the whole call changes %d more", n)
	}
	c := must(client.New("http://inside.example", testKey, client.Config{Handler: w.api}))
	if n := must(c.Run(t.Context(), affiliate.AssignTiersJob{})).Changed; n != 1 {
		t.Errorf("%d affiliates changed", n)
	}
	must(w.UpdateAffiliate(t.Context(), affiliate.AffiliateRef{Email: "ada@example.com"}, affiliate.AffiliateUpdate{CommissionRate: affiliate.Set(affiliate.MustPercent("6"))}))
	must(w.SetTierExempt(t.Context(), true, must(w.Affiliate(t.Context(), "ada@example.com")).ID))
	if n := must(c.Run(t.Context(), affiliate.RecalculateJob{})).Changed; n != 30 {
		t.Errorf("%d sales changed", n)
	}
	for _, f := range []affiliate.RecalculateJob{{AffiliateEmail: affiliate.Set("")}, {ReferralID: affiliate.Null[string]()}} {
		if n := must(c.Run(t.Context(), f)).Changed; n != 0 {
			t.Errorf("a filter of nothing selects %d", n)
		}
	}
	w.verify()
}

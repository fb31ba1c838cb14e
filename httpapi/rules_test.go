package httpapi_test

import (
	"fmt"
	"testing"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/client"
)

// Rules of the engine, seen through the wire and the typed client.

// client is a typed client of the world's handler.
func (w *world) client() *client.Client {
	return must(client.New("http://tributary.test", testKey, client.Config{Handler: w.api}))
}

// TestSaleOfEndedSubscription: a payment of a customer who is past due or
// cancelled is recorded, over the wire and for the client (B397).
func TestSaleOfEndedSubscription(t *testing.T) {
	for _, status := range []affiliate.SubscriptionStatus{affiliate.SubscriptionPastDue, affiliate.SubscriptionCancelled} {
		w := newWorld(t)
		w.fill()
		must(w.PushReferralStatus(t.Context(), "kim@example.net", status))
		a := w.do("POST", "/api/v1/sales", `{"email":"kim@example.net","totalEarned":5}`)
		equal(t, "recorded", a.header.Get("Sale-Outcome"))
		got := must(w.client().RecordSale(t.Context(), affiliate.SaleParams{Email: "kim@example.net", TotalEarned: affiliate.MustAmount("5")}))
		sale, _ := got.Sale.Get()
		customer, _ := sale.Referral.Get()
		equal(t, fmt.Sprint(affiliate.SaleRecorded, status), fmt.Sprint(got.Outcome, customer.SubscriptionStatus))
		w.verify()
	}
}

// TestRateOfAnotherType: a rate that was set under another commission type is
// ignored, by a sale over the wire and in what the affiliate shows (rule 5.3).
func TestRateOfAnotherType(t *testing.T) {
	type terms = affiliate.Terms
	flat := func(rate string) terms {
		return terms{Type: affiliate.CommissionFlat, Rate: affiliate.MustPercent(rate)}
	}
	percentage := func(rate string) terms { return terms{Rate: affiliate.MustPercent(rate)} }
	rate := func(s string) affiliate.Opt[affiliate.Percent] { return affiliate.Set(affiliate.MustPercent(s)) }
	for _, tt := range []struct {
		name    string
		program terms
		set     func(w *world, s stock, plan func(terms) uuid.UUID)
		total   string
		want    string // rate and commission of the sale, rate of the affiliate, and whether it is its own
	}{
		{"own amount, customer on a percentage plan", percentage("20"), func(w *world, s stock, plan func(terms) uuid.UUID) {
			must(w.SetAffiliatePlan(t.Context(), plan(flat("5")), s.affiliate))
			w.ok("PUT", "/api/v1/affiliates", `{"affiliateId":"`+s.affiliate.String()+`","commissionRate":250}`)
			must(w.SetReferralPlan(t.Context(), plan(percentage("10")), s.referral))
		}, "100", "10 10 250 true"},
		{"tier's amount, affiliate on a percentage plan", flat("5"), func(w *world, s stock, plan func(terms) uuid.UUID) {
			tier := must(w.CreateTier(t.Context(), affiliate.TierParams{Tier: 1, Name: "t", Rate: rate("500")}))
			must(w.SetAffiliateTier(t.Context(), tier.ID, s.affiliate))
			must(w.SetAffiliatePlan(t.Context(), plan(percentage("10")), s.affiliate))
		}, "100", "10 10 10 false"},
		{"tier's percentage, affiliate on a flat plan", percentage("20"), func(w *world, s stock, plan func(terms) uuid.UUID) {
			tier := must(w.CreateTier(t.Context(), affiliate.TierParams{Tier: 1, Name: "t", Rate: rate("25")}))
			must(w.SetAffiliateTier(t.Context(), tier.ID, s.affiliate))
			must(w.SetAffiliatePlan(t.Context(), plan(flat("5")), s.affiliate))
		}, "10", "5 5 5 false"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t, func(s *setup) { s.engine.Terms = tt.program })
			s := w.fill()
			tt.set(w, s, func(x terms) uuid.UUID {
				return must(w.CreatePlan(t.Context(), affiliate.PlanParams{Name: "p", Terms: x})).ID
			})
			sale := w.ok("POST", "/api/v1/sales", `{"email":"kim@example.net","totalEarned":`+tt.total+`}`)
			shown := w.ok("GET", "/api/v1/affiliates?id="+s.affiliate.String(), "")
			own := shown["useCommissionPlanCommissionRate"] == false
			equal(t, tt.want, fmt.Sprint(sale["commissionRate"], " ", sale["commissionEarned"], " ", shown["commissionRate"], " ", own))

			got := must(w.client().RecordSale(t.Context(), affiliate.SaleParams{Email: "kim@example.net", TotalEarned: affiliate.MustAmount(tt.total)}))
			again, _ := got.Sale.Get()
			who := must(w.client().Affiliate(t.Context(), s.affiliate.String()))
			equal(t, tt.want, fmt.Sprint(again.CommissionRate, " ", again.CommissionEarned, " ", who.CommissionRate, " ", !who.UseCommissionPlanCommissionRate))
			w.verify()
		})
	}
}

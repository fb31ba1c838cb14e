package client_test

import (
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tributary-go/tributary/affiliate"
)

// TestFloatNoise: money of a service that computes in floating point is read to
// four decimals.
func TestFloatNoise(t *testing.T) {
	c := always(200, `{"id":5107,"totalEarned":431.70000000000005,"commissionEarned":86.33999999999999,"commissionRate":20.000000000000004,
		"commissions":[{"commissionEarned":86.33999999999999}],"referral":{"totalRevenue":5.551115123125783e-17}}`).client(t)
	got := must(c.Sale(t.Context(), 5107))
	sum := affiliate.MustAmount
	want := affiliate.Sale{
		ID: 5107, TotalEarned: sum("431.7"), CommissionEarned: sum("86.34"), CommissionRate: affiliate.Set(affiliate.MustPercent("20")),
		Commissions: []affiliate.Commission{{CommissionEarned: sum("86.34")}}, Referral: affiliate.Set(affiliate.Referral{}),
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestHostedShapes: some fields are always null here, but the hosted service
// fills them in more than one shape. Such an answer is readable.
func TestHostedShapes(t *testing.T) {
	for _, body := range []string{
		`{"id":"` + anID.String() + `","emailVerified":null,"image":null,"affiliateLink":null,"affiliateGroupId":null}`,
		`{"id":"` + anID.String() + `","emailVerified":true}`,
		`{"id":"` + anID.String() + `","emailVerified":"2026-02-03T08:15:00.120Z","password":null,"affiliateGroupId":"group-7","affiliateLink":"ada"}`,
	} {
		got, err := always(200, body).client(t).Affiliate(t.Context(), "ada")
		if err != nil || got.ID != anID {
			t.Errorf("%s: %v", body, err)
		}
	}
	for _, rule := range []string{`null`, `"monthly"`, `{"every":{"months":1}}`} {
		got, err := always(200, `{"id":"`+anID.String()+`","autoCouponRule":`+rule+`}`).client(t).Coupon(t.Context(), affiliate.CouponRef{ID: anID})
		if err != nil || got.ID != anID || jsonOf(got.AutoCouponRule) != rule {
			t.Errorf("rule %s: %v", rule, err)
		}
	}
}

// TestBareSale: the hosted service's sale has neither affiliate, nor referral,
// nor commissions, and null where ours has a list or a number.
func TestBareSale(t *testing.T) {
	got := must(always(200, `{"id":5107,"affiliateId":null,"productsBought":null,"clicks":null,"taxAmount":null,"createdAt":null,"status":null}`).
		client(t).Sale(t.Context(), 5107))
	if diff := cmp.Diff(affiliate.Sale{ID: 5107}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestNoContent: a 204 is a success only for methods that return no answer.
func TestNoContent(t *testing.T) {
	silent := map[string]bool{"DeleteAffiliate": true, "DeleteReferral": true, "DeleteSale": true, "DeletePlan": true, "DeleteTier": true, "RestoreRedemption": true, "AcceptRedemption": true}
	for _, inv := range invocations() {
		w := always(http.StatusNoContent, "")
		err := inv.call(t.Context(), w.client(t))
		if (err == nil) != silent[inv.name] || len(w.seen) != 1 {
			t.Errorf("%s: %v after %d attempts", inv.name, err, len(w.seen))
		}
	}
}

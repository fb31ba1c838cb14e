package engine_test

import (
	"testing"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/scene"
)

// A first order is the first of the customer under each name: the email of the
// referral, and the referral itself. Each alone is enough. The email of an order whose
// referralId names a customer says nothing.
func TestFirstOrderByEachName(t *testing.T) {
	for name, tt := range map[string]struct {
		prepare func(w *till, referral record.Referral) // the sale of newTill is oda@example.com's
		email   string                                  // of the order, beside Oda's referral
	}{
		"the email of the referral": {func(w *till, r record.Referral) {
			w.rewriteSales(func(s *record.Sale) { s.ReferralID = uuid.Nil })
		}, "new@example.com"},
		"the referral": {func(w *till, r record.Referral) {
			w.rewriteSales(func(s *record.Sale) { s.Email = "before@example.com" })
		}, "new@example.com"},
		"none": {func(w *till, r record.Referral) {
			w.rewriteSales(func(s *record.Sale) { s.Email, s.ReferralID = "somebody@example.com", uuid.Nil })
		}, "new@example.com"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newTill(t)
			referral := w.onlyReferral()
			w.put(func(c *record.Code, _ *record.Coupon) { c.FirstTimeOrder = true })
			tt.prepare(w, referral)
			order := affiliate.Order{PromoCode: "ADA20", TotalEarned: scene.Amount("100"), ReferralID: referral.Email, Email: tt.email}
			got := scene.Must(w.Evaluate(t.Context(), order))
			if first := name == "none"; got.Valid != first {
				t.Errorf("valid %v: %+v", got.Valid, got.Reasons)
			}
		})
	}
}

// A code for one customer knows it by the id of the referral, by the host's id, and by
// the email.
func TestLimitToCustomerByEachName(t *testing.T) {
	w := newTill(t)
	referral := w.onlyReferral()
	for limit, want := range map[string]bool{
		"oda@example.com": true, referral.ID.String(): true, "cust-9": true,
		"@example.com": false, "": false, "other@example.com": false, "cust-1": false, uuid.Max.String(): false,
	} {
		w.Raw(func(tx *record.Tx) error {
			r := scene.Must(tx.Referrals.Get(referral.ID))
			r.CustomerID = "cust-9"
			return tx.Referrals.Replace(r)
		})
		w.put(func(c *record.Code, _ *record.Coupon) {
			c.LimitToCustomers, c.CustomerID = true, limit
		})
		order := affiliate.Order{PromoCode: "ADA20", TotalEarned: scene.Amount("100"), ReferralID: referral.Email}
		if got := scene.Must(w.Evaluate(t.Context(), order)); got.Valid != want {
			t.Errorf("limited to %s: valid %v, want %v: %+v", limit, got.Valid, want, got.Reasons)
		}
	}
}

// rewriteSales changes every sale.
func (w *till) rewriteSales(edit func(*record.Sale)) {
	w.Raw(func(tx *record.Tx) error {
		return scene.EachRow(tx.Sales, func(s record.Sale) error {
			changed := s.Clone()
			edit(&changed)
			return tx.Sales.Replace(changed)
		})
	})
}

// onlyReferral is the only referral there is.
func (w *till) onlyReferral() (only record.Referral) {
	w.T.Helper()
	n := 0
	w.Raw(func(tx *record.Tx) error {
		return scene.EachRow(tx.Referrals, func(r record.Referral) error {
			only, n = r, n+1
			return nil
		})
	})
	if n != 1 {
		w.T.Fatalf("%d referrals", n)
	}
	return only
}

package engine_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/internal/scene"
)

// TestHoldsOfNobody: who names nobody cannot keep all places of a coupon; who names a customer
// still gets one, a hold that lapsed, was released or took a name makes room, and the same
// order may hold anew.
func TestHoldsOfNobody(t *testing.T) {
	w := scene.New(t, func(c *tributary.Config) { c.Limits.Nobody = 3 })
	ada := w.Join("ada")
	coupon := scene.Must(w.CreateCoupon(t.Context(), affiliate.CouponParams{Name: "c", PercentOff: scene.Percent("20"), MaxRedemptions: affiliate.Set[int64](50)}))
	other := scene.Must(w.CreateCoupon(t.Context(), affiliate.CouponParams{Name: "d", PercentOff: scene.Percent("20")}))
	for code, of := range map[string]affiliate.Coupon{"ADA20": coupon, "ADA21": coupon, "EVE20": other} {
		scene.Must(w.CreateCode(t.Context(), affiliate.CodeParams{CouponID: of.ID, Code: code, AffiliateID: ada.ID}))
	}
	hold := func(id, code, email string, d time.Duration) error {
		_, err := w.HoldRedemption(t.Context(), affiliate.HoldParams{ID: id, Until: w.Now.Add(d), Order: affiliate.Order{PromoCode: code, Email: email, Subtotal: scene.Amount("10")}})
		return err
	}
	must := func(what string, err error) {
		t.Helper()
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
	}
	full := func(what string) {
		t.Helper()
		w.Refused(affiliate.Error{Kind: affiliate.KindConflict, Reason: affiliate.HoldLimitReached, Message: "Too many open holds name no customer"}, func() error {
			return hold("more "+what, "ADA21", "", time.Hour)
		})
	}
	for i := range 3 {
		must("nobody", hold(fmt.Sprint(i), []string{"ADA20", "ADA21"}[i%2], "", time.Hour))
	}
	full("three are open")
	must("a customer", hold("kim", "ADA20", "kim@buyer.example", time.Hour))
	must("another coupon", hold("other", "EVE20", "", time.Hour))
	must("the same order", hold("0", "ADA20", "", 2*time.Hour))
	full("the same order")
	must("a name", hold("1", "ADA21", "lee@buyer.example", time.Hour))
	must("room", hold("4", "ADA20", "", time.Minute))
	full("again")
	scene.Must(w.ReleaseHold(t.Context(), "2"))
	must("after a release", hold("5", "ADA20", "", time.Hour))
	full("once more")
	w.Pass(2 * time.Minute)
	must("after one has lapsed", hold("6", "ADA20", "", time.Hour))
	full("at last")
	w.Verifies()
}

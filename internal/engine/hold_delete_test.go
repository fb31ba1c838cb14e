package engine_test

import (
	"testing"
	"time"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/scene"
)

// TestDeleteWithHolds: a code or a coupon with open holds can be deleted. Its holds stay and say so, a sale with one
// of them is refused, and the places that they keep of the coupon are free when they lapse or are released.
func TestDeleteWithHolds(t *testing.T) {
	for _, what := range []string{"code", "coupon"} {
		t.Run(what, func(t *testing.T) {
			s := scene.NewCodeShop(t)
			ctx := t.Context()
			coupon := scene.Must(s.CreateCoupon(ctx, affiliate.CouponParams{Name: "Few", PercentOff: scene.Percent("10"), MaxRedemptions: affiliate.Set[int64](2)}))
			code := scene.Must(s.CreateCode(ctx, affiliate.CodeParams{CouponID: coupon.ID, Code: "GOES", AffiliateID: s.Eve.ID}))
			other := scene.Must(s.CreateCode(ctx, affiliate.CodeParams{CouponID: coupon.ID, Code: "STAYS", AffiliateID: s.Eve.ID}))
			for _, id := range []string{"lapses", "released"} {
				scene.Must(s.HoldRedemption(ctx, affiliate.HoldParams{ID: id, Order: affiliate.Order{PromoCode: "GOES", Subtotal: scene.Amount("50")}, Until: s.Now.Add(time.Hour)}))
			}
			if what == "code" {
				scene.Must(s.DeleteCode(ctx, code.ID))
			} else {
				scene.Must(s.DeleteCoupon(ctx, coupon.ID))
			}
			s.Verifies()
			h := scene.Must(s.Hold(ctx, "lapses"))
			if h.State != affiliate.HoldHeld || !h.PromotionalCode.IsNull() || h.CouponID != coupon.ID || h.Discount != scene.Amount("5") {
				t.Errorf("%+v", h)
			}
			_, err := s.RecordSale(ctx, affiliate.SaleParams{HoldID: "lapses", TotalEarned: affiliate.MustAmount("45"), Email: "a@b.co", Name: "A"})
			scene.RefusedAs(t, "RecordSale", affiliate.CodeNotFound, err)
			if what == "code" { // another code of the coupon waits for the places
				order := affiliate.Order{PromoCode: other.Code, Subtotal: scene.Amount("50")}
				if got := scene.Must(s.Evaluate(ctx, order)); got.Valid || got.Reasons[0].Reason != affiliate.CouponExhausted {
					t.Errorf("the places are kept: %+v", got)
				}
				scene.Must(s.ReleaseHold(ctx, "released"))
				if got := scene.Must(s.Evaluate(ctx, order)); !got.Valid {
					t.Errorf("one place was released: %+v", got)
				}
				s.Pass(2 * time.Hour)
				for range 2 {
					scene.Must(s.RecordSale(ctx, affiliate.SaleParams{PromoCode: other.Code, TotalEarned: affiliate.MustAmount("45")}))
				}
				if got := scene.Must(s.Hold(ctx, "lapses")); got.State != affiliate.HoldLapsed {
					t.Errorf("%+v", got)
				}
				s.Raw(func(tx *record.Tx) error {
					c, err := tx.Coupons.Get(coupon.ID)
					if c.Held != 0 || !c.HeldDiscount.IsZero() || c.TimesRedeemed != 2 {
						t.Errorf("%+v", c)
					}
					return err
				})
			}
			scene.Must(s.ReleaseHold(ctx, "released"))
			s.Pass(2 * time.Hour)
			scene.Must(s.ReleaseHold(ctx, "lapses"))
			s.Verifies()
			again := scene.Must(s.CreateCoupon(ctx, affiliate.CouponParams{Name: "Again", PercentOff: scene.Percent("20")}))
			scene.Must(s.CreateCode(ctx, affiliate.CodeParams{CouponID: again.ID, Code: "GOES", AffiliateID: s.Eve.ID}))
			_, err = s.RecordSale(ctx, affiliate.SaleParams{HoldID: "lapses", TotalEarned: affiliate.MustAmount("45"), Email: "a@b.co", Name: "A"})
			scene.RefusedAs(t, "RecordSale with a new code of that text", affiliate.CodeNotFound, err)
			scene.Must(s.HoldRedemption(ctx, affiliate.HoldParams{ID: "lapses", Order: affiliate.Order{PromoCode: "GOES"}, Until: s.Now.Add(time.Hour)}))
			s.Verifies()
		})
	}
}

package proofs_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/internal/scene"
)

// BenchmarkSaleByCode is one sale by code of a new customer: by a code without limits, by one with a limit
// for each customer, with a budget and a start too, and by one whose place was held, with the hold.
func BenchmarkSaleByCode(b *testing.B) {
	for _, bb := range []struct {
		name   string
		coupon affiliate.CouponUpdate
		hold   bool
	}{
		{name: "plain"},
		{name: "customer", coupon: affiliate.CouponUpdate{MaxRedemptionsPerCustomer: affiliate.Set[int64](1)}},
		{name: "all", coupon: affiliate.CouponUpdate{
			MaxRedemptionsPerCustomer: affiliate.Set[int64](1), MaxDiscountTotal: scene.Amount("99999999999"), MaxDiscount: scene.Amount("50"),
			StartsAt: affiliate.Set(affiliate.Day(2026, 1, 1)),
		}},
		{name: "hold", hold: true},
	} {
		b.Run(bb.name, func(b *testing.B) {
			s := scene.NewShop(b)
			ctx := b.Context()
			code := scene.Must(s.Code(ctx, affiliate.CodeRef{Code: "ADA20"}))
			scene.Must(s.UpdateCoupon(ctx, code.CouponID, bb.coupon))
			in := affiliate.NewSale{PromoCode: "ADA20", TotalEarned: scene.Sum("80"), Subtotal: scene.Amount("100")}
			hold := affiliate.NewHold{Order: affiliate.Order{PromoCode: "ADA20", Subtotal: scene.Amount("100")}, Until: s.Now.Add(time.Hour)}
			b.ReportAllocs()
			i := 0
			for b.Loop() {
				i++
				in.ExternalID = fmt.Sprint("order-", i)
				in.Email = fmt.Sprint("customer-", i, "@example.net")
				if bb.hold {
					hold.ID, hold.Email, in.HoldID = in.ExternalID, in.Email, in.ExternalID
					scene.Must(s.HoldRedemption(ctx, hold))
				}
				if _, err := s.RecordSale(ctx, in); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

package proofs_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/internal/scene"
	"github.com/tributary-go/tributary/memstore"
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
			now := scene.Start
			s := scene.Must(tributary.New(memstore.New(), tributary.Config{Now: func() time.Time { return now }})) // without the probe of a World
			ctx := b.Context()
			ada := scene.Must(s.CreateAffiliate(ctx, affiliate.AffiliateParams{FirstName: "Ada", LastName: "Lovelace", Email: "ada@example.com"}))
			coupon := scene.Must(s.CreateCoupon(ctx, affiliate.CouponParams{Name: "Autumn 20", PercentOff: scene.Percent("20")}))
			code := scene.Must(s.CreateCode(ctx, affiliate.CodeParams{CouponID: coupon.ID, Code: "ADA20", AffiliateID: ada.ID}))
			scene.Must(s.UpdateCoupon(ctx, code.CouponID, bb.coupon))
			in := affiliate.SaleParams{PromoCode: "ADA20", TotalEarned: scene.Sum("80"), Subtotal: scene.Amount("100")}
			hold := affiliate.HoldParams{Order: affiliate.Order{PromoCode: "ADA20", Subtotal: scene.Amount("100")}, Until: now.Add(time.Hour)}
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
				scene.Must(s.RecordSale(ctx, in))
			}
		})
	}
}

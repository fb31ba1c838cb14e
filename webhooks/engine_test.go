package webhooks_test

import (
	"context"
	"testing"
	"time"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/memstore"
)

// must returns the value of a call that must succeed.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// engineEvents are events of a program, one for each type. When a type occurs
// more than once, it is the last one.
func engineEvents(t testing.TB) map[affiliate.EventType]affiliate.Event {
	t.Helper()
	ctx := context.Background()
	p := must(tributary.New(memstore.New(), tributary.Config{
		Name:         "Northwind Beans",
		Destinations: []affiliate.Destination{{URL: "https://beans.example/shop"}},
		Terms:        affiliate.Terms{Rate: affiliate.MustPercent("12.5")},
		Now:          func() time.Time { return vectorClock() },
	}))
	mara := must(p.CreateAffiliate(ctx, affiliate.AffiliateParams{FirstName: "Mara", LastName: "<Lindqvist>", Email: "mara@example.com", AffiliateLink: "mara"}))
	must(p.UpdateAffiliate(ctx, affiliate.AffiliateRef{ID: mara.ID}, affiliate.AffiliateUpdate{FirstName: affiliate.Set("Mära\u2028")}))
	coupon := must(p.CreateCoupon(ctx, affiliate.CouponParams{Name: "Spring", PercentOff: affiliate.Set(affiliate.MustPercent("20"))}))
	code := must(p.CreateCode(ctx, affiliate.CodeParams{CouponID: coupon.ID, Code: "MARA20", AffiliateID: mara.ID}))
	must(p.UpdateCode(ctx, code.ID, affiliate.CodeUpdate{MaxRedemptions: affiliate.Set(int64(1 << 53))}))
	must(p.UpdateCoupon(ctx, coupon.ID, affiliate.CouponUpdate{Name: affiliate.Set("Summer")}))
	must(p.CreateReferral(ctx, affiliate.ReferralParams{AffiliateID: "mara", Name: "Kim", Email: "kim@example.net", ReferredUserExternalID: "u-1"}))
	must(p.UpdateReferral(ctx, "kim@example.net", affiliate.ReferralUpdate{Notes: affiliate.Set("regular")}))
	sale, _ := must(p.RecordSale(ctx, affiliate.SaleParams{PromoCode: "mara20", Email: "kim@example.net", TotalEarned: affiliate.MustAmount("199.99")})).Sale.Get()
	must(p.UpdateSale(ctx, sale.ID, affiliate.SaleUpdate{Name: affiliate.Set("Kim B.")}))
	for _, err := range []error{p.DeleteSale(ctx, sale.ID), p.Forfeiting().DeleteReferral(ctx, "kim@example.net")} {
		if err != nil {
			t.Fatal(err)
		}
	}
	must(p.DeleteCode(ctx, code.ID))
	must(p.DeleteCoupon(ctx, coupon.ID))
	must(0, p.Forfeiting().DeleteAffiliate(ctx, affiliate.AffiliateRef{ID: mara.ID}))
	events := map[affiliate.EventType]affiliate.Event{}
	for _, e := range must(p.Events(ctx, affiliate.EventQuery{}, affiliate.Page{})).Items {
		if _, later := events[e.Type]; !later {
			events[e.Type] = e
		}
	}
	if len(events) != len(affiliate.EventTypes()) {
		t.Fatalf("%d types of events happened", len(events))
	}
	return events
}

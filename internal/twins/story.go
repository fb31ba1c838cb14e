package twins

import (
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
)

// A Story is the program of docs/queries.md, after what the page tells, with its clock.
type Story struct {
	*tributary.Program
	Now time.Time
}

// Orders is SQL that makes the host's table of docs/queries.md.
func Orders(table string) string {
	return "CREATE TABLE " + table + ` (id text, cents bigint, code text);
		INSERT INTO ` + table + ` VALUES ('order-1', 4990, NULL), ('order-2', 8000, 'ADA20'), ('order-3', 4990, NULL), ('order-4', 3000, 'BOB10'),
			('order-5', 1000, 'BOB10'), ('order-7', 700, 'ADA20'), ('order-8', 900, NULL)`
}

// Tell makes a program on a store, and does what docs/queries.md tells.
func Tell(tb testing.TB, store record.Store) *Story {
	tb.Helper()
	s := &Story{}
	p, err := tributary.New(store, tributary.Config{
		ID: uuid.Must(uuid.NewV7()), Name: "Northwind Beans", Destinations: []affiliate.Destination{{URL: "https://beans.example/shop"}},
		Terms: affiliate.Terms{Rate: affiliate.MustPercent("20"), HoldDays: 30}, Review: []affiliate.ReviewRule{affiliate.SelfReferral()},
		Now: func() time.Time { return s.Now },
	})
	if err != nil {
		tb.Fatal(err)
	}
	s.Program = p
	ctx := tb.Context()
	day := func(month time.Month, day int) { s.Now = time.Date(2026, month, day, 12, 0, 0, 0, time.UTC) }
	sell := func(order, total string, in affiliate.SaleParams) affiliate.SaleID {
		tb.Helper()
		in.ExternalID, in.TotalEarned, in.Name = order, affiliate.MustAmount(total), "A customer"
		sale, ok := must(s.RecordSale(ctx, in)).Sale.Get()
		if !ok {
			tb.Fatalf("%s is not recorded", order)
		}
		return sale.ID
	}
	day(1, 10)
	coupon := must(s.CreateCoupon(ctx, affiliate.CouponParams{Name: "Winter", PercentOff: affiliate.Set(affiliate.MustPercent("10")), MaxDiscountTotal: affiliate.Set(affiliate.MustAmount("50"))}))
	for _, code := range []string{"ADA20", "BOB10"} {
		name := strings.ToLower(code[:3])
		a := must(s.CreateAffiliate(ctx, affiliate.AffiliateParams{FirstName: name, LastName: "Doe", Email: name + "@example.com", AffiliateLink: name}))
		must(s.SetPayoutDetails(ctx, a.ID, affiliate.PayoutDetails{Email: name + "@bank.example", Method: affiliate.MethodWise}))
		must(s.CreateCode(ctx, affiliate.CodeParams{CouponID: coupon.ID, Code: code, AffiliateID: a.ID}))
	}
	must(s.TrackClick(ctx, affiliate.ClickParams{Slug: "ada"}))
	first := sell("order-1", "49.90", affiliate.SaleParams{Email: "tomas@example.net", ReferralID: "ada"})
	day(1, 20)
	second := sell("order-2", "80", affiliate.SaleParams{Email: "kim@example.net", PromoCode: "ADA20"})
	day(2, 5)
	sell("order-3", "49.90", affiliate.SaleParams{Email: "tomas@example.net"})
	day(2, 10)
	sell("order-4", "33.33", affiliate.SaleParams{Email: "lea@example.net", PromoCode: "BOB10"})
	day(2, 12)
	must(s.RefundSale(ctx, affiliate.Refund{SaleID: second, Amount: affiliate.Set(affiliate.MustAmount("20"))}))
	day(2, 15)
	must(s.CreatePayout(ctx, affiliate.PayoutParams{AffiliateEmail: "ada@example.com", ManuallyPaid: true}))
	day(3, 2)
	sell("order-5", "10", affiliate.SaleParams{Email: "bob@example.com", PromoCode: "BOB10"})
	day(3, 3)
	must(s.RefundSale(ctx, affiliate.Refund{SaleID: first, ClawBack: true}))
	day(3, 4)
	must(s.RecordAdjustment(ctx, affiliate.AdjustmentParams{AffiliateEmail: "bob@example.com", Kind: affiliate.AdjustBonus, Amount: affiliate.MustAmount("5"), Reason: "a good post"}))
	day(3, 5)
	sell("order-6", "12.50", affiliate.SaleParams{Email: "kim@example.net"})
	day(3, 10)
	s.Now = s.Now.Add(-2 * time.Hour)
	for code, minutes := range map[string]time.Duration{"ADA20": 90, "BOB10": 150} { // until 11:30 and 12:30
		order := affiliate.Order{PromoCode: code, Subtotal: affiliate.Set(affiliate.MustAmount("60"))}
		must(s.HoldRedemption(ctx, affiliate.HoldParams{ID: "of " + code, Order: order, Until: s.Now.Add(minutes * time.Minute)}))
	}
	day(3, 10)
	return s
}

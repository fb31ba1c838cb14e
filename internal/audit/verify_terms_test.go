package audit_test

import (
	"strings"
	"testing"
	"time"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/scene"
)

// TestVerifyTermsOfSales: Verify takes the rate and the cap of a sale from the version of the
// terms in which it was paid, when the terms are older than the sale.
func TestVerifyTermsOfSales(t *testing.T) {
	for _, tt := range []struct {
		name   string
		passed time.Duration // between the change of the terms and the sale
		change func(*record.Sale)
		want   string
	}{
		{"nothing", 25 * time.Hour, func(*record.Sale) {}, ""},
		{"rate of the next version", 25 * time.Hour, func(r *record.Sale) { r.Rate = scene.Percent("50") }, "its rate is PERCENTAGE 50, that of its terms PERCENTAGE 20"},
		{"paid in the next version", 25 * time.Hour, func(r *record.Sale) { r.PaidAt = affiliate.InstantOf(scene.Start.AddDate(0, 1, 0)) }, "its rate is PERCENTAGE 20, that of its terms PERCENTAGE 50"},
		{"type", 25 * time.Hour, func(r *record.Sale) { r.RateType = affiliate.EnumOf(affiliate.CommissionFlat) }, "its rate is FLAT 20"},
		{"cap", 25 * time.Hour, func(r *record.Sale) { r.Cap = scene.Amount("29") }, "it may earn at most 29, by its terms 30 a sale and 40 a customer, who had earned 0"},
		{"no cap", 25 * time.Hour, func(r *record.Sale) { r.Cap = affiliate.Opt[affiliate.Amount]{} }, "it may earn at most"},
		{"what the customer had earned", 25 * time.Hour, func(r *record.Sale) { r.Why.Earlier = scene.Amount("15") }, "it may earn at most 30"},
		{"cap of terms of today", 23 * time.Hour, func(r *record.Sale) { r.Cap = scene.Amount("29") }, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s, ctx := scene.NewShop(t), t.Context()
			first := affiliate.Terms{Rate: affiliate.MustPercent("20"), MaxPerSale: scene.Sum("30"), MaxPerCustomer: scene.Sum("40")}.Update()
			scene.Must(s.SetTerms(ctx, first))
			scene.Must(s.SetTerms(ctx, affiliate.TermsUpdate{Rate: scene.Percent("50"), From: affiliate.Set(affiliate.At(scene.Start.AddDate(0, 1, 0)))}))
			s.Pass(tt.passed)
			sale := s.ToTomas("100")
			scene.Must(s.RefundSale(ctx, affiliate.Refund{SaleID: sale.ID})) // it earns nothing at any rate
			scene.Behind(t, s.World, func(tx *record.Tx) {
				scene.Must(0, scene.Edit(tx.Sales, func(r record.Sale) bool { return r.Number == int64(sale.ID) }, tt.change))
			})
			if err := s.Verify(ctx); tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
				t.Errorf("Verify: %v, want %q", err, tt.want)
			}
		})
	}
}

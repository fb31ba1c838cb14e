package engine_test

import (
	"context"
	"testing"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/internal/scene"
)

// TestPaymentDeliveredAgain: a payment is recorded once while its sale exists,
// also when that was refunded. After the sale was deleted or reversed, the
// payment is recorded again.
func TestPaymentDeliveredAgain(t *testing.T) {
	ctx := context.Background()
	for name, c := range map[string]struct {
		undo func(w *scene.World, id affiliate.SaleID) error
		want affiliate.SaleOutcome
	}{
		"nothing": {func(*scene.World, affiliate.SaleID) error { return nil }, affiliate.SaleDuplicate},
		"refunded": {func(w *scene.World, id affiliate.SaleID) error {
			return scene.ErrOf(w.RefundSale(ctx, affiliate.Refund{SaleID: id}))
		}, affiliate.SaleDuplicate},
		"deleted": {func(w *scene.World, id affiliate.SaleID) error { return w.DeleteSale(ctx, id) }, affiliate.SaleRecorded},
		"reversed": {func(w *scene.World, _ affiliate.SaleID) error {
			return scene.ErrOf(w.ReverseSale(ctx, affiliate.SaleRef{ExternalID: "order-1"}, affiliate.Reversal{}))
		}, affiliate.SaleRecorded},
	} {
		t.Run(name, func(t *testing.T) {
			w := scene.New(t)
			w.Ada()
			payment := affiliate.SaleParams{ReferralID: "ada", Email: "kim@example.net", Name: "Kim", TotalEarned: affiliate.MustAmount("50"), ExternalID: "order-1"}
			first := scene.Must(w.RecordSale(ctx, payment)).Sale.Or(affiliate.Sale{})
			scene.Must(0, c.undo(w, first.ID))
			again := scene.Must(w.RecordSale(ctx, payment))
			if again.Outcome != c.want {
				t.Errorf("delivered again: %s, want %s", again.Outcome, c.want)
			}
			if earlier, ok := again.Earlier.Get(); ok != (c.want == affiliate.SaleDuplicate) || ok && earlier.ID != first.ID {
				t.Errorf("the sale that was there is %v", earlier.ID)
			}
			listed := scene.Must(w.Sales(ctx, affiliate.SaleQuery{ExternalID: affiliate.Set("order-1")}, affiliate.Page{})).Items
			if len(listed) != 1 {
				t.Errorf("%d sales with the external id", len(listed))
			}
			w.Verifies()
		})
	}
}

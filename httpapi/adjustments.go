package httpapi

import (
	"context"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/internal/refusal"
)

// Source: docs/money.md 3, 17.

func adjustmentByID(p *tributary.Program, ctx context.Context, value string) (affiliate.Adjustment, error) {
	return p.Adjustment(ctx, idOf(value))
}

// adjustmentFilters are the parameters that select adjustments, in their order.
var adjustmentFilters = []string{"affiliateId", "affiliateEmail", "saleId", "kind", "payoutId"}

func adjustmentFilterOf(q query) (affiliate.AdjustmentFilter, error) {
	kind, _ := q.get("kind")
	return affiliate.AdjustmentFilter{
		AffiliateID: q.id("affiliateId"), AffiliateEmail: q.text("affiliateEmail"), SaleID: q.saleID("saleId"),
		Kind: affiliate.AdjustmentKind(kind), PayoutID: q.id("payoutId"),
	}, nil
}

// newAdjustment reads an adjustment. One that reverses another has no amount of
// its own; for any other, no amount and an amount of 0 are two errors.
func newAdjustment(in *input) affiliate.NewAdjustment {
	n := adjustment(in)
	if n.SaleID == 0 && in.has("saleId") {
		in.faultOf("saleId", refusal.FieldEmpty)
	}
	if !in.has("amount") && !in.has("reversesId") {
		in.faultOf("amount", refusal.RefuseNoAmount)
	}
	return n
}

var adjustment = bodyOf[affiliate.NewAdjustment]()

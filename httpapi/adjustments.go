package httpapi

import (
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/internal/refusal"
)

// Source: docs/money.md 3, 17.

// newAdjustment reads an adjustment. One that reverses another has no amount of
// its own; for any other, no amount and an amount of 0 are two errors.
func newAdjustment(in *input) affiliate.AdjustmentParams {
	n := adjustment(in)
	if n.SaleID == 0 && in.has("saleId") {
		in.faultOf("saleId", refusal.FieldEmpty)
	}
	if !in.has("amount") && !in.has("reversesId") {
		in.faultOf("amount", refusal.RefuseNoAmount)
	}
	return n
}

var adjustment = bodyOf[affiliate.AdjustmentParams]()

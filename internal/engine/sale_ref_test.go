package engine_test

import (
	"strings"
	"testing"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/internal/scene"
)

// TestSaleRef: whatever takes a sale by its ids refuses one that no sale has.
func TestSaleRef(t *testing.T) {
	s, ctx := scene.NewCodeShop(t), t.Context()
	for name, call := range map[string]func(affiliate.SaleRef) error{
		"reverse": func(ref affiliate.SaleRef) error { return scene.ErrOf(s.ReverseSale(ctx, ref, affiliate.Reversal{})) },
		"restore": func(ref affiliate.SaleRef) error { return s.RestoreRedemption(ctx, ref) },
		"accept":  func(ref affiliate.SaleRef) error { return s.AcceptRedemption(ctx, ref) },
	} {
		scene.WantReason(t, name+" none", affiliate.MissingField, call(affiliate.SaleRef{}))
		for _, id := range []string{strings.Repeat("x", 256), strings.Repeat("x", 1<<20), "a\x00b", "\xff"} {
			scene.WantReason(t, name+" by id", affiliate.InvalidField, call(affiliate.SaleRef{ExternalID: id}))
			scene.WantReason(t, name+" by invoice", affiliate.InvalidField, call(affiliate.SaleRef{InvoiceID: id}))
		}
	}
}

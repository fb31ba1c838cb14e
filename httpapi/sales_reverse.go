package httpapi

import (
	"context"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
)

// Source: docs/contract.md 4.6.

type reversal struct {
	ref affiliate.SaleRef
	how affiliate.Reversal
}

func reversalOf(in *input) reversal {
	r := reversal{ref: saleRefOf(in)}
	r.how = affiliate.Reversal{ClawBack: in.flag("clawback"), RefundID: in.optional("refundId")}
	return r
}

// saleRefOf reads which sale a request is about.
func saleRefOf(in *input) affiliate.SaleRef {
	ref := affiliate.SaleRef{ID: in.saleID("saleId"), ExternalID: in.name("externalId"), InvoiceID: in.name("externalInvoiceId")}
	in.targeted()
	return ref
}

// reversed is the answer for a reversed sale.
type reversed struct {
	Message string                 `json:"message"`
	Sale    affiliate.ReversedSale `json:"reversedSale"`
}

func reverseSale(p *tributary.Program, ctx context.Context, in reversal) (reversed, error) {
	sale, err := p.ReverseSale(ctx, in.ref, in.how)
	return reversed{"Sale reversed successfully", sale}, err
}

func acceptRedemption(p *tributary.Program, ctx context.Context, ref affiliate.SaleRef) (done, error) {
	return done{"Redemption accepted successfully"}, p.AcceptRedemption(ctx, ref)
}

func restoreRedemption(p *tributary.Program, ctx context.Context, ref affiliate.SaleRef) (done, error) {
	return done{"Redemption restored successfully"}, p.RestoreRedemption(ctx, ref)
}

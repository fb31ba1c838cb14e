package client

import (
	"context"

	"github.com/tributary-go/tributary/affiliate"
)

// saleRef names a sale on the wire.
type saleRef struct {
	SaleID     affiliate.SaleID `json:"saleId,omitzero"`
	ExternalID string           `json:"externalId,omitzero"`
	InvoiceID  string           `json:"externalInvoiceId,omitzero"`
}

// ReverseSale is [tributary.Program.ReverseSale].
func (c *Client) ReverseSale(ctx context.Context, ref affiliate.SaleRef, how affiliate.Reversal) (affiliate.ReversedSale, error) {
	out, err := send[struct{ ReversedSale affiliate.ReversedSale }](ctx, c, c.post(sales+"/reverse", struct {
		saleRef
		ClawBack bool   `json:"clawback,omitzero"`
		RefundID string `json:"refundId,omitzero"`
	}{saleRef{ref.ID, ref.ExternalID, ref.InvoiceID}, how.ClawBack, how.RefundID}, affiliate.Once{}))
	return out.ReversedSale, err
}

// AcceptRedemption is [tributary.Program.AcceptRedemption].
func (c *Client) AcceptRedemption(ctx context.Context, ref affiliate.SaleRef) error {
	return done(ctx, c, c.post(sales+"/accept-redemption", saleRef{ref.ID, ref.ExternalID, ref.InvoiceID}, affiliate.Once{}))
}

// RestoreRedemption is [tributary.Program.RestoreRedemption].
func (c *Client) RestoreRedemption(ctx context.Context, ref affiliate.SaleRef) error {
	return done(ctx, c, c.post(sales+"/restore-redemption", saleRef{ref.ID, ref.ExternalID, ref.InvoiceID}, affiliate.Once{}))
}

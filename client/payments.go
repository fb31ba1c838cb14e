package client

import (
	"context"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
)

// DecidePayment is [tributary.Program.DecidePayment]. The payment in the answer has
// only its id.
func (c *Client) DecidePayment(ctx context.Context, id uuid.UUID,
	in affiliate.PaymentDecisionParams) (affiliate.PaymentResult, error) {
	out, err := send[struct {
		PaymentID uuid.UUID
		Outcome   affiliate.SaleOutcome
		Moved     affiliate.Amount
		Refused   []affiliate.Failure
		Sale      affiliate.Opt[affiliate.Sale]
	}](ctx, c, c.post("/payments/decide", struct {
		PaymentID uuid.UUID `json:"paymentId,omitzero"`
		affiliate.PaymentDecisionParams
	}{id, in}, affiliate.Once{}))
	if err != nil {
		return affiliate.PaymentResult{}, err
	}
	return affiliate.PaymentResult{
		Payment: affiliate.ProviderPayment{ID: out.PaymentID}, Sale: out.Sale, Outcome: out.Outcome,
		Refused: out.Refused, Moved: out.Moved,
	}, nil
}

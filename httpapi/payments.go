package httpapi

import (
	"context"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
)

// Source: docs/contract.md 4.6; docs/payments.md.

type paymentDecision struct {
	id uuid.UUID
	affiliate.PaymentDecisionParams
}

func paymentDecisionOf(in *input) paymentDecision {
	id := in.id("paymentId")
	in.targeted()
	return paymentDecision{id, bodyOf[affiliate.PaymentDecisionParams]()(in)}
}

// decisionAnswer is a payment after a decision.
type decisionAnswer struct {
	// The payment, as getAttention lists it.
	PaymentID uuid.UUID `json:"paymentId"`
	// recorded: it is a sale of its own. duplicate: it is the payment of the sale that it names.
	// payment_conflict: its own id names another sale, and it waits on. unattributed, with own:
	// it credits nobody, and waits on.
	Outcome affiliate.SaleOutcome `json:"outcome"`
	// What it changed in commission and adjustments together.
	Moved affiliate.Amount `json:"moved"`
	// Why the codes that were tried do not count.
	Refused []affiliate.Failure `json:"refused"`
	// The sale of the payment; null: it has none.
	Sale affiliate.Opt[affiliate.Sale] `json:"sale"`
}

func decidePayment(p *tributary.Program, ctx context.Context, in paymentDecision) (decisionAnswer, error) {
	result, err := p.DecidePayment(ctx, in.id, in.PaymentDecisionParams)
	d := decisionAnswer{PaymentID: result.Payment.ID, Outcome: result.Outcome, Moved: result.Moved,
		Refused: result.Refused, Sale: result.Sale}
	if d.Refused == nil {
		d.Refused = []affiliate.Failure{}
	}
	return d, err
}

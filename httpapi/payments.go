package httpapi

import (
	"context"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
)

// Source: docs/contract.md 4.6; docs/payments.md.

type paymentDecision struct {
	id       uuid.UUID
	decision affiliate.PaymentDecision
}

func paymentDecisionOf(in *input) paymentDecision {
	d := paymentDecision{id: in.id("paymentId")}
	in.targeted()
	d.decision = enum[affiliate.PaymentDecision](in, "decision").Or("")
	return d
}

// decided is the answer about a payment after a decision.
type decided struct {
	PaymentID uuid.UUID                     `json:"paymentId"`
	Outcome   affiliate.SaleOutcome         `json:"outcome"`
	Moved     affiliate.Amount              `json:"moved"`
	Refused   []affiliate.Failure           `json:"refused"`
	Sale      affiliate.Opt[affiliate.Sale] `json:"sale"`
}

func decidePayment(p *tributary.Program, ctx context.Context, in paymentDecision) (decided, error) {
	result, err := p.DecidePayment(ctx, in.id, in.decision)
	d := decided{PaymentID: result.Payment.ID, Outcome: result.Outcome, Moved: result.Moved, Refused: result.Refused, Sale: result.Sale}
	if d.Refused == nil {
		d.Refused = []affiliate.Failure{}
	}
	return d, err
}

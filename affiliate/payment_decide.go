package affiliate

import (
	"context"

	"github.com/google/uuid"
)

// A PaymentDecision is what a person says about a payment that brought money and has no
// sale: it names one of which it is not ([SaleConflict]), or credits nobody.
type PaymentDecision string

// The decisions.
const (
	PaymentIsSameSale PaymentDecision = "same"    // it is the payment of that sale
	PaymentIsOwnSale  PaymentDecision = "own"     // it is another payment, and becomes a sale of its own; one that credits nobody is tried again
	PaymentDismissed  PaymentDecision = "dismiss" // it is kept, and earns nothing
)

var paymentDecisions = []PaymentDecision{PaymentIsSameSale, PaymentIsOwnSale, PaymentDismissed}

// DecidePayment decides about a payment that waits, which [Program.Attention] lists.
//
// The same sale: the payment is the sale's from now on, and its refunds and disputes
// take their part, but never more than the payment brought. A sale of its own: it is
// booked by the rules of [Program.ReportPayment] under the provider's id of the
// payment, or waits as unattributed. Dismissed: its facts are kept and count nowhere.
//
// A payment of its own whose provider's id names another sale waits on, and so does one
// that still credits nobody. One that was only told to be paid, without whom it may
// credit, and one in another currency can be dismissed alone: record its sale yourself,
// converted, when somebody is owed.
//
// Errors: [MissingField] (paymentId, decision), [InvalidField] (decision; currency, when
// the payment of that sale is counted in another one);
// [PaymentNotFound] when no such payment waits; [SaleNotFound] when it is said to be
// the payment of a sale that was deleted.
//
// Effects: the payment; those of [Program.ReportPayment].
//
// Source: docs/payments.md; docs/contract.md 4.6.
func (p *Program) DecidePayment(ctx context.Context, id uuid.UUID, d PaymentDecision) (_ PaymentResult, err error) {
	defer p.begin(&ctx, "DecidePayment", writes).end(&err)
	r := &payment{op: p.From(SourceIntegration).op(ctx)}
	rq := request{name: "payment.decide", input: []any{id, d}, refused: first(
		paymentIDRequired.when(id == uuid.Nil),
		decisionRequired.when(d == ""),
		oneOf("decision", d, paymentDecisions),
	)}
	return write(r.op, rq, func() (PaymentResult, error) { return r.decide(id, d) })
}

// decide is the transaction of DecidePayment.
func (r *payment) decide(id uuid.UUID, d PaymentDecision) (PaymentResult, error) {
	rec, err := r.waitingPayment(id)
	if err != nil {
		return PaymentResult{}, paymentNotFound.ifMissing(err)
	}
	r.known = known{}
	r.fact = PaymentFact{Provider: rec.Provider, Payer: PayerFact{ID: rec.PayerID}}
	steps := []func() error{
		r.readPayer,
		func() error { return r.own(rec) },
		func() error { return r.carryOut(d) },
		r.follow,
		r.leave,
		func() error { return r.savePayment(r.old, &r.rec) },
		func() error { return r.savePayer(&r.payer) },
	}
	for _, step := range steps {
		if err := step(); err != nil {
			return PaymentResult{}, err
		}
	}
	return r.answer()
}

// waitingPayment is a payment that waits for a person, or ErrNotFound.
func (o *op) waitingPayment(id uuid.UUID) (PaymentRecord, error) {
	rec, err := o.tx.Payments.Get(id)
	if err == nil && !rec.waits() {
		err = ErrNotFound
	}
	return rec, err
}

// carryOut does what a person said.
func (r *payment) carryOut(d PaymentDecision) error {
	named := r.rec.Conflict
	if len(r.rec.Waiting) == 0 && d == PaymentIsOwnSale {
		return first(oneOf("decision", d, []PaymentDecision{PaymentDismissed}))
	}
	r.rec.Conflict, r.rec.Decided = uuid.Nil, string(d)
	switch d {
	case PaymentIsOwnSale:
		return r.tryWaiting()
	case PaymentDismissed:
		r.result.Outcome = SaleUnattributed
		return nil
	}
	sale, err := r.tx.Sales.Get(named)
	if err != nil {
		return saleNotFound.ifMissing(err) // it was deleted since: the payment may be a sale of its own
	}
	r.result.Outcome = SaleDuplicate
	return r.adopt(sale)
}

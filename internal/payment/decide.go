package payment

import (
	"context"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/engine"
	"github.com/tributary-go/tributary/internal/refusal"
)

var paymentDecisions = []affiliate.PaymentDecision{affiliate.PaymentIsSameSale,
	affiliate.PaymentIsOwnSale, affiliate.PaymentDismissed}

// DecidePayment implements tributary.Program.DecidePayment.
func DecidePayment(ctx context.Context, p *engine.Program, id uuid.UUID,
	d affiliate.PaymentDecision) (_ affiliate.PaymentResult, err error) {
	defer p.Begin(&ctx, "DecidePayment", engine.Writes).End(&err)
	r := &Payment{Op: p.From(affiliate.SourceIntegration).Op(ctx)}
	rate, err := rateNow(ctx, p, id, d)
	if err != nil {
		return affiliate.PaymentResult{}, err
	}
	rq := engine.Request{Name: "payment.decide", Input: []any{id, d}, Refused: refusal.First(
		refusal.PaymentIDRequired.When(id == uuid.Nil),
		refusal.DecisionRequired.When(d == ""),
		refusal.OneOf("decision", d, paymentDecisions),
	)}
	return engine.Write(r.Op, rq, func() (affiliate.PaymentResult, error) { return r.decide(id, d, rate) })
}

// decide is the transaction of DecidePayment.
func (r *Payment) decide(id uuid.UUID, d affiliate.PaymentDecision,
	rate affiliate.ExchangeRate) (affiliate.PaymentResult, error) {
	rec, err := WaitingPayment(r.Op, id)
	if err != nil {
		return affiliate.PaymentResult{}, refusal.PaymentNotFound.IfMissing(err)
	}
	r.paymentState = paymentState{}
	r.Fact = affiliate.PaymentFact{Provider: rec.Provider, Payer: affiliate.PayerFact{ID: rec.PayerID}}
	steps := []func() error{
		r.readPayer,
		func() error { return r.own(rec) },
		func() error { return r.carryOut(d, rate) },
		r.follow,
		r.leave,
		func() error { return r.SavePayment(r.Old, &r.Rec) },
		r.resume,
	}
	for _, step := range steps {
		if err := step(); err != nil {
			return affiliate.PaymentResult{}, err
		}
	}
	return r.answer()
}

// rateNow asks for the rate of a payment that is to become a sale in another currency.
func rateNow(ctx context.Context, p *engine.Program, id uuid.UUID,
	d affiliate.PaymentDecision) (rate affiliate.ExchangeRate, err error) {
	if d != affiliate.PaymentIsOwnSale {
		return rate, nil
	}
	rec, err := engine.View(ctx, p, func(o *engine.Op) (record.Payment, error) { return WaitingPayment(o, id) })
	if err != nil || !rec.InAnother() || !rec.Rate.IsZero() {
		return rate, engine.IgnoreMissing(err)
	}
	return p.RateOf(ctx, rec.Waiting[0].Currency, rate, rec.Waiting[0].PaidAt.Time())
}

// WaitingPayment returns a payment that waits for a person, or ErrNotFound.
func WaitingPayment(o *engine.Op, id uuid.UUID) (record.Payment, error) {
	rec, err := o.Tx.Payments.Get(id)
	if err == nil && !rec.Waits() {
		err = affiliate.ErrNotFound
	}
	return rec, err
}

// carryOut applies the decision of a person.
func (r *Payment) carryOut(d affiliate.PaymentDecision, rate affiliate.ExchangeRate) error {
	named := r.Rec.Conflict
	sold := r.Rec.Sale != uuid.Nil
	if (len(r.Rec.Waiting) == 0 || r.Rec.Untold()) && d == affiliate.PaymentIsOwnSale || sold &&
		d != affiliate.PaymentDismissed {
		return refusal.First(refusal.OneOf("decision", d, []affiliate.PaymentDecision{affiliate.PaymentDismissed}))
	}
	r.Rec.Conflict, r.Rec.Decided = uuid.Nil, string(d)
	switch d {
	case affiliate.PaymentIsOwnSale:
		if r.Rec.Rate.IsZero() {
			r.Rec.Rate = rate
		}
		if err := r.comesFirst(); err != nil {
			return err
		}
		return r.tryWaiting()
	case affiliate.PaymentDismissed:
		if r.result.Outcome = affiliate.SaleUnattributed; sold {
			r.Rec.Decided, r.result.Outcome = engine.Seen, affiliate.SaleDuplicate
		}
		return nil
	}
	sale, err := r.Tx.Sales.Get(named)
	if err != nil {
		return refusal.SaleNotFound.IfMissing(err) // it was deleted since; the payment may become a sale of its own
	}
	r.result.Outcome = affiliate.SaleDuplicate
	return r.adopt(sale)
}

package payment

import (
	"context"
	"slices"

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
	in affiliate.PaymentDecisionParams) (_ affiliate.PaymentResult, err error) {
	defer p.Begin(&ctx, "DecidePayment", engine.Writes).End(&err)
	r := &Payment{Op: p.From(affiliate.SourceIntegration).Op(ctx)}
	other := in.Decision != affiliate.PaymentIsOwnSale
	rq := engine.Request{Name: "payment.decide", Input: []any{id, in}, Refused: refusal.First(
		refusal.PaymentIDRequired.When(id == uuid.Nil),
		refusal.DecisionRequired.When(in.Decision == ""),
		refusal.OneOf("decision", in.Decision, paymentDecisions),
		refusal.FieldNotAllowed.About("referralId").When(other && in.ReferralID != ""),
		refusal.Optional("referralId", in.ReferralID, refusal.MaxName),
		refusal.FieldNotAllowed.About("exchangeRate").When(other && !in.ExchangeRate.IsZero()),
		refusal.FieldNotPositive.About("exchangeRate").When(in.ExchangeRate.Scaled() < 0),
	)}
	if rq.Refused == nil {
		in.ExchangeRate, rq.Refused = rateNow(ctx, p, id, &in)
	}
	return engine.Write(r.Op, rq, func() (affiliate.PaymentResult, error) { return r.decide(id, &in) })
}

// decide is the transaction of DecidePayment.
func (r *Payment) decide(id uuid.UUID, in *affiliate.PaymentDecisionParams) (affiliate.PaymentResult, error) {
	rec, err := WaitingPayment(r.Op, id)
	if err != nil {
		return affiliate.PaymentResult{}, refusal.PaymentNotFound.IfMissing(err)
	}
	r.paymentState = paymentState{}
	r.Fact = affiliate.PaymentFact{Provider: rec.Provider, Payer: affiliate.PayerFact{ID: rec.PayerID}}
	steps := []func() error{
		r.readPayer,
		func() error { return r.own(rec) },
		func() error { return r.carryOut(in) },
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

// rateNow returns the rate of a payment that is to become a sale in another currency, and has none.
func rateNow(ctx context.Context, p *engine.Program, id uuid.UUID,
	in *affiliate.PaymentDecisionParams) (rate affiliate.ExchangeRate, err error) {
	if in.Decision != affiliate.PaymentIsOwnSale {
		return rate, nil
	}
	rec, err := engine.View(ctx, p, func(o *engine.Op) (record.Payment, error) { return WaitingPayment(o, id) })
	if err != nil {
		return rate, engine.IgnoreMissing(err)
	}
	if !rec.InAnother() || !rec.Rate.IsZero() {
		return rate, refusal.First(refusal.FieldNotAllowed.About("exchangeRate").When(!in.ExchangeRate.IsZero()))
	}
	return p.RateOf(ctx, rec.Waiting[0].Currency, in.ExchangeRate, rec.Waiting[0].PaidAt.Time())
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
func (r *Payment) carryOut(in *affiliate.PaymentDecisionParams) error {
	named, d := r.Rec.Conflict, in.Decision
	sold := r.Rec.Sale != uuid.Nil
	if (len(r.Rec.Waiting) == 0 || r.Rec.Untold()) && d == affiliate.PaymentIsOwnSale || sold &&
		d != affiliate.PaymentDismissed {
		return refusal.First(refusal.OneOf("decision", d, []affiliate.PaymentDecision{affiliate.PaymentDismissed}))
	}
	r.Rec.Conflict, r.Rec.Decided = uuid.Nil, string(d)
	switch d {
	case affiliate.PaymentIsOwnSale:
		if r.Rec.Rate.IsZero() {
			r.Rec.Rate = in.ExchangeRate
		}
		if err := r.creditFirst(in.ReferralID); err != nil {
			return err
		}
		if err := r.comesFirst(); err != nil {
			return err
		}
		err := r.tryWaiting()
		if r.Rec.Sale == uuid.Nil { // the next decision may say another rate
			r.Rec.Rate = r.Old.Rate
		}
		return err
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

// creditFirst puts whom a person names before whom the payment names.
func (r *Payment) creditFirst(ident string) error {
	if ident == "" {
		return nil
	}
	if _, err := r.ResolveFresh(ident); err != nil {
		return refusal.FieldNamesNobody.About("referralId").IfMissing(err)
	}
	r.chosen = true
	w := &r.Rec.Waiting[0]
	w.Tries = slices.Insert(w.Tries, 0, affiliate.Credit{ReferralID: ident})
	return r.HideTries(w.Tries)
}

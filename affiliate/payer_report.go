package affiliate

import (
	"cmp"
	"context"

	"github.com/google/uuid"
)

// maxRetried is how many parked payments of a payer one ReportPayer tries again.
const maxRetried = 100

// ReportPayer takes in that a customer of a payment provider was created or
// changed. Fields that are empty change nothing. The customer is the referral
// that the payer paid for before, else the one with the host's CustomerID, else
// the one with the email. Payments of the payer that are parked are tried again,
// the oldest 100 of them.
//
// Errors: [InvalidField].
//
// Effects: the payer; those of [Program.ReportPayment] for each payment that is
// credited. A payer without a referral is kept for Config.PaymentMemory.
//
// Source: docs/payments.md.
func (p *Program) ReportPayer(ctx context.Context, provider string, f PayerFact) (err error) {
	defer p.begin(&ctx, "ReportPayer", writes).end(&err)
	rq := request{name: "payer.report", input: []any{provider, f}, refused: first(checkProvider(provider), neededText("payer.id", f.ID), f.check())}
	f.clean()
	r := &payment{op: p.From(SourceIntegration).op(ctx), fact: PaymentFact{Provider: provider, Payer: f}}
	_, err = write(r.op, rq, func() (struct{}, error) { return struct{}{}, r.reportPayer(f) })
	return err
}

// PayerReferral returns the referral that a payer would be credited with, by the
// look-ups of [Program.ReportPayer].
//
// Errors: [ErrNotFound]; [InvalidField].
//
// Source: docs/payments.md.
func (p *Program) PayerReferral(ctx context.Context, provider string, f PayerFact) (_ Referral, err error) {
	defer p.begin(&ctx, "PayerReferral", reads).end(&err)
	if err := first(checkProvider(provider), f.check()); err != nil {
		return Referral{}, err
	}
	f.clean()
	return view(ctx, p, func(o *op) (Referral, error) {
		payer, err := o.payerOf(provider, f.ID)
		if err != nil {
			return Referral{}, err
		}
		ref, err := o.customerOf(&payer.rec, f)
		if err != nil {
			return Referral{}, err
		}
		if ref.ID == uuid.Nil {
			return Referral{}, ErrNotFound
		}
		return o.referralOf(ref)
	})
}

// PayerKnown reports whether a payer pays for a referral, by the look-ups of
// [Program.ReportPayer], or has payments that are parked. Then nothing of an earlier
// payment is on its way that would say more about whom to credit.
//
// Errors: [InvalidField].
//
// Source: docs/payments.md.
func (p *Program) PayerKnown(ctx context.Context, provider string, f PayerFact) (_ bool, err error) {
	defer p.begin(&ctx, "PayerKnown", reads).end(&err)
	if err := first(checkProvider(provider), f.check()); err != nil {
		return false, err
	}
	f.clean()
	return view(ctx, p, func(o *op) (bool, error) {
		payer, err := o.payerOf(provider, f.ID)
		if err != nil {
			return false, err
		}
		ref, err := o.customerOf(&payer.rec, f)
		if err != nil || ref.ID != uuid.Nil {
			return err == nil, err
		}
		return o.hasParked(provider, f.ID)
	})
}

// hasParked reports whether a payment of a payer is parked.
func (o *op) hasParked(provider, payer string) (bool, error) {
	if payer == "" {
		return false, nil
	}
	_, err := head(o.tx.Payments, Query{Key: ofProvider(OfPayer, provider, payer)})
	return err == nil, ignoreMissing(err)
}

// reportPayer is the transaction of ReportPayer.
func (r *payment) reportPayer(f PayerFact) error {
	payer, err := r.payerOf(r.fact.Provider, f.ID)
	if err != nil {
		return err
	}
	payer.rec.Email, payer.rec.Name = cmp.Or(f.Email, payer.rec.Email), cmp.Or(f.Name, payer.rec.Name)
	ref, err := r.customerOf(&payer.rec, f)
	if err != nil {
		return err
	}
	if !f.proves(&ref) {
		payer.seems(ref.ID)
	} else if err := payer.pays(r.op, ref.ID); err != nil {
		return err
	}
	parked, err := gather(r.tx.Payments, Query{Key: ofProvider(OfPayer, r.fact.Provider, f.ID), Limit: maxRetried})
	if err != nil {
		return internal("read parked payments", err)
	}
	for _, rec := range parked {
		if len(rec.Waiting) == 0 || rec.Gross.IsZero() {
			continue // what was agreed is not paid yet
		}
		if err := r.retry(rec, &payer); err != nil {
			return err
		}
	}
	return r.savePayer(&payer)
}

// retry tries to make the sale of a parked payment.
func (r *payment) retry(rec PaymentRecord, payer *payerChange) error {
	r.known = known{payer: *payer}
	if err := r.own(rec); err != nil {
		return err
	}
	if err := r.tryWaiting(); err != nil {
		return err
	}
	if err := r.follow(); err != nil {
		return err
	}
	if err := r.leave(); err != nil {
		return err
	}
	*payer = r.payer
	return r.savePayment(r.old, &r.rec)
}

package affiliate

import (
	"context"

	"github.com/google/uuid"
)

// Payout returns a payout.
//
// Errors: [ErrNotFound].
//
// Source: docs/contract.md 2.8.
func (p *Program) Payout(ctx context.Context, id uuid.UUID) (_ Payout, err error) {
	defer p.begin(&ctx, "Payout", reads).end(&err)
	return view(ctx, p, func(o *op) (Payout, error) {
		rec, err := o.tx.Payouts.Get(id)
		return o.payoutOf(rec), err
	})
}

// Payouts lists payouts, newest first.
//
// Errors: [InvalidQuery] (status, method, a bad page).
//
// Source: docs/contract.md 2.8.
func (p *Program) Payouts(ctx context.Context, f PayoutFilter, pg Page) (_ List[Payout], err error) {
	defer p.begin(&ctx, "Payouts", reads).end(&err)
	if err := f.check(); err != nil {
		return List[Payout]{}, err
	}
	l, err := p.listing(pg, "payouts", f)
	if err != nil {
		return List[Payout]{}, err
	}
	return view(ctx, p, func(o *op) (List[Payout], error) {
		return chosen(o.tx.Payouts, o.choosePayouts(f), l, func(rec PayoutRecord) (Payout, error) { return o.payoutOf(rec), nil })
	})
}

// choosePayouts turns the filter into a choice.
func (o *op) choosePayouts(f PayoutFilter) (c choice[PayoutRecord]) {
	if f.Status != "" {
		c.byText(OfState, Set(string(f.Status)), func(r *PayoutRecord) string { return string(r.Status) })
	}
	c.byOwner(o, f.AffiliateID, f.AffiliateEmail, func(r *PayoutRecord) uuid.UUID { return r.AffiliateID })
	if f.Method != "" {
		c.fits = append(c.fits, func(r *PayoutRecord) bool { return r.PaymentMethod == f.Method })
	}
	c.byID(OfRun, f.RunID, func(r *PayoutRecord) uuid.UUID { return r.RunID })
	return c
}

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
func (p *Program) Payout(ctx context.Context, id uuid.UUID) (Payout, error) {
	return view(ctx, p, func(o *op) (Payout, error) {
		rec, err := o.tx.Payouts.Get(id)
		return payoutOf(rec), err
	})
}

// Payouts lists payouts, newest first.
//
// Errors: [InvalidQuery] for a bad page.
//
// Source: docs/contract.md 2.8.
func (p *Program) Payouts(ctx context.Context, f PayoutFilter, pg Page) (List[Payout], error) {
	l, err := p.listing(pg, "payouts", f)
	if err != nil {
		return List[Payout]{}, err
	}
	c := f.choice()
	return view(ctx, p, func(o *op) (List[Payout], error) {
		return chosen(o.tx.Payouts, c, l, func(rec PayoutRecord) (Payout, error) { return payoutOf(rec), nil })
	})
}

// choice selects the payouts of the filter.
func (f PayoutFilter) choice() (c choice[PayoutRecord]) {
	if f.Status != "" {
		c.byText(OfState, Set(string(f.Status)), func(r *PayoutRecord) string { return string(r.Status) })
	}
	c.byID(OfAffiliate, f.AffiliateID, func(r *PayoutRecord) uuid.UUID { return r.AffiliateID })
	return c
}

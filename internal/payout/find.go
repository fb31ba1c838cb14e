package payout

import (
	"context"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/engine"
)

// Payout implements tributary.Program.Payout.
func Payout(ctx context.Context, p *engine.Program, id uuid.UUID) (_ affiliate.Payout, err error) {
	defer p.Begin(&ctx, "Payout", engine.Reads).End(&err)
	return engine.View(ctx, p, func(o *engine.Op) (affiliate.Payout, error) {
		rec, err := o.Tx.Payouts.Get(id)
		return payoutOf(o, rec), err
	})
}

// Payouts implements tributary.Program.Payouts.
func Payouts(ctx context.Context, p *engine.Program, f affiliate.PayoutFilter, pg affiliate.Page) (_ affiliate.List[affiliate.Payout], err error) {
	defer p.Begin(&ctx, "Payouts", engine.Reads).End(&err)
	if err := check(f); err != nil {
		return affiliate.List[affiliate.Payout]{}, err
	}
	l, err := p.Listing(pg, "payouts", f)
	if err != nil {
		return affiliate.List[affiliate.Payout]{}, err
	}
	return engine.View(ctx, p, func(o *engine.Op) (affiliate.List[affiliate.Payout], error) {
		return engine.Chosen(o.Tx.Payouts, choosePayouts(o, f), l, func(rec record.Payout) (affiliate.Payout, error) { return payoutOf(o, rec), nil })
	})
}

// choosePayouts turns the filter into a choice.
func choosePayouts(o *engine.Op, f affiliate.PayoutFilter) (c engine.Choice[record.Payout]) {
	if f.Status != "" {
		c.ByText(record.OfState, affiliate.Set(string(f.Status)), func(r *record.Payout) string { return string(r.Status) })
	}
	c.ByOwner(o, f.AffiliateID, f.AffiliateEmail, func(r *record.Payout) uuid.UUID { return r.AffiliateID })
	if f.Method != "" {
		c.Fits = append(c.Fits, func(r *record.Payout) bool { return r.PaymentMethod == f.Method })
	}
	c.ByID(record.OfRun, f.RunID, func(r *record.Payout) uuid.UUID { return r.RunID })
	return c
}

package affiliate

import (
	"context"

	"github.com/google/uuid"
)

// Adjustment returns an adjustment.
//
// Errors: [ErrNotFound].
//
// Source: docs/money.md 3.
func (p *Program) Adjustment(ctx context.Context, id uuid.UUID) (_ Adjustment, err error) {
	defer p.begin(&ctx, "Adjustment", reads).end(&err)
	return view(ctx, p, func(o *op) (Adjustment, error) {
		rec, err := o.tx.Adjustments.Get(id)
		return adjustmentOf(rec), err
	})
}

// Adjustments lists adjustments, newest first.
//
// Errors: [InvalidQuery] (kind, a bad page).
//
// Source: docs/money.md 3.
func (p *Program) Adjustments(ctx context.Context, f AdjustmentFilter, pg Page) (_ List[Adjustment], err error) {
	defer p.begin(&ctx, "Adjustments", reads).end(&err)
	if err := f.check(); err != nil {
		return List[Adjustment]{}, err
	}
	l, err := p.listing(pg, "adjustments", f)
	if err != nil {
		return List[Adjustment]{}, err
	}
	return view(ctx, p, func(o *op) (List[Adjustment], error) {
		return chosen(o.tx.Adjustments, o.chooseAdjustments(f), l, func(rec AdjustmentRecord) (Adjustment, error) { return adjustmentOf(rec), nil })
	})
}

// chooseAdjustments turns the filter into a choice.
func (o *op) chooseAdjustments(f AdjustmentFilter) (c choice[AdjustmentRecord]) {
	c.byOwner(o, f.AffiliateID, f.AffiliateEmail, func(r *AdjustmentRecord) uuid.UUID { return r.AffiliateID })
	c.byID(OfPayout, f.PayoutID, func(r *AdjustmentRecord) uuid.UUID { return r.PayoutID })
	if sale, set := wanted(&c, f.SaleID); set {
		c.fits = append(c.fits, func(r *AdjustmentRecord) bool { return r.Sale == int64(sale) })
	}
	if f.Kind != "" {
		c.fits = append(c.fits, func(r *AdjustmentRecord) bool { return r.Kind == f.Kind })
	}
	return c
}

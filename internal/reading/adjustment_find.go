package reading

import (
	"context"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/engine"
)

// Adjustment implements tributary.Program.Adjustment.
func Adjustment(ctx context.Context, p *engine.Program, id uuid.UUID) (_ affiliate.Adjustment, err error) {
	defer p.Begin(&ctx, "Adjustment", engine.Reads).End(&err)
	return engine.View(ctx, p, func(o *engine.Op) (affiliate.Adjustment, error) {
		rec, err := o.Tx.Adjustments.Get(id)
		return engine.AdjustmentOf(rec), err
	})
}

// Adjustments implements tributary.Program.Adjustments.
func Adjustments(ctx context.Context, p *engine.Program, f affiliate.AdjustmentQuery,
	pg affiliate.Page) (_ affiliate.List[affiliate.Adjustment], err error) {
	defer p.Begin(&ctx, "Adjustments", engine.Reads).End(&err)
	if err := engine.CheckAdjustments(f); err != nil {
		return affiliate.List[affiliate.Adjustment]{}, err
	}
	l, err := p.Listing(pg, "adjustments", f)
	if err != nil {
		return affiliate.List[affiliate.Adjustment]{}, err
	}
	return engine.View(ctx, p, func(o *engine.Op) (affiliate.List[affiliate.Adjustment], error) {
		return engine.Chosen(o.Tx.Adjustments, chooseAdjustments(o, f), l,
			func(rec record.Adjustment) (affiliate.Adjustment, error) { return engine.AdjustmentOf(rec), nil })
	})
}

// chooseAdjustments turns the filter into a choice.
func chooseAdjustments(o *engine.Op, f affiliate.AdjustmentQuery) (c engine.Choice[record.Adjustment]) {
	c.ByOwner(o, f.AffiliateID, f.AffiliateEmail, func(r *record.Adjustment) uuid.UUID { return r.AffiliateID })
	c.ByID(record.OfPayout, f.PayoutID, func(r *record.Adjustment) uuid.UUID { return r.PayoutID })
	if sale, set := engine.Wanted(&c, f.SaleID); set {
		c.Fits = append(c.Fits, func(r *record.Adjustment) bool { return r.Sale == int64(sale) })
	}
	if f.Kind != "" {
		c.Fits = append(c.Fits, func(r *record.Adjustment) bool { return r.Kind == f.Kind })
	}
	return c
}

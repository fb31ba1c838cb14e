package affiliate

import (
	"context"
	"time"

	"github.com/google/uuid"
)

// Movements lists movements, newest first.
//
// Errors: [InvalidQuery] for a bad page, a cause that does not exist, and a time
// outside the years 1 to 9999.
//
// Source: docs/money.md 8.
func (p *Program) Movements(ctx context.Context, f MovementFilter, pg Page) (_ List[Movement], err error) {
	defer p.begin(&ctx, "Movements", reads).end(&err)
	f.From, f.To = f.From.UTC(), f.To.UTC()
	if err := first(
		inQuery(oneOfOrNone("cause", f.Cause, causes)),
		inQuery(FieldNotADate.about("from").when(!At(f.From).Valid())),
		inQuery(FieldNotADate.about("to").when(!At(f.To).Valid())),
	); err != nil {
		return List[Movement]{}, err
	}
	l, err := p.listing(pg, "movements", f)
	if err != nil {
		return List[Movement]{}, err
	}
	from, to := InstantOf(f.From), InstantOf(f.To)
	if !to.IsZero() {
		l.query.After = firstMovement(to) // a cursor is further on
	}
	return view(ctx, p, func(o *op) (List[Movement], error) {
		c, since := o.chooseMovements(f)
		since = later(from, since).Truncate(time.Millisecond)
		table := filtered[MovementRecord]{
			Table: o.tx.Movements,
			keep:  func(r MovementRecord) bool { return !r.At.Before(from) && (to.IsZero() || r.At.Before(to)) },
			over:  func(r MovementRecord) bool { return r.At.Before(since) },
		}
		return chosen(table, c, l, func(rec MovementRecord) (Movement, error) { return movementOf(rec), nil })
	})
}

// chooseMovements turns the filter into a choice. No chosen movement is before
// since.
func (o *op) chooseMovements(f MovementFilter) (c choice[MovementRecord], since Instant) {
	owner := func(r *MovementRecord) uuid.UUID { return r.AffiliateID }
	c.byOwner(o, f.AffiliateID, f.AffiliateEmail, owner)
	if id, set := wanted(&c, f.PayoutID); set {
		payout, err := o.tx.Payouts.Get(id)
		c.fail(err)
		c.byID(OfAffiliate, Set(payout.AffiliateID), owner)
		c.fits = append(c.fits, func(r *MovementRecord) bool { return r.PayoutID == id })
		since = payout.CreatedAt
	}
	if id, set := wanted(&c, f.AdjustmentID); set {
		adjustment, err := o.tx.Adjustments.Get(id)
		c.fail(err)
		c.byID(OfAffiliate, Set(adjustment.AffiliateID), owner)
		c.fits = append(c.fits, func(r *MovementRecord) bool { return r.AdjustmentID == id })
		since = later(since, adjustment.CreatedAt)
	}
	if sale, set := wanted(&c, f.SaleID); set {
		c.under(Key{Index: OfSale, ID: numberID(int64(sale))}, func(r *MovementRecord) bool { return r.Sale == int64(sale) })
	}
	if f.Cause != "" {
		c.fits = append(c.fits, func(r *MovementRecord) bool { return r.Cause.Is(f.Cause) })
	}
	return c, since
}

package reading

import (
	"context"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/engine"
	"github.com/tributary-go/tributary/internal/refusal"
)

func movementOf(rec record.Movement) affiliate.Movement {
	return affiliate.Movement{
		Number: rec.Number, AffiliateID: rec.AffiliateID, At: affiliate.TimeOf(rec.At.Time()),
		From: rec.From.Value(), To: rec.To.Value(), Amount: rec.Amount, Cause: rec.Cause.Value(),
		SaleID:       engine.OrNull(affiliate.SaleID(rec.Sale)),
		CommissionID: engine.OrNull(affiliate.CommissionID(rec.Commission)),
		PayoutID:     engine.OrNull(rec.PayoutID), AdjustmentID: engine.OrNull(rec.AdjustmentID),
		LinkID: engine.OrNull(rec.LinkID), CodeID: engine.OrNull(rec.CodeID), Sales: rec.Sales,
		Conversions: rec.Conversions, Revenue: rec.Revenue, Refunds: rec.Refunds, Actor: rec.Actor,
	}
}

// Movements implements tributary.Program.Movements.
func Movements(ctx context.Context, p *engine.Program, f affiliate.MovementQuery,
	pg affiliate.Page) (_ affiliate.List[affiliate.Movement], err error) {
	defer p.Begin(&ctx, "Movements", engine.Reads).End(&err)
	f.From, f.To = f.From.UTC(), f.To.UTC()
	if err := refusal.First(
		engine.InQuery(refusal.OneOfOrNone("cause", f.Cause, affiliate.Causes())),
		engine.InQuery(refusal.FieldNotADate.About("from").When(!affiliate.At(f.From).Valid())),
		engine.InQuery(refusal.FieldNotADate.About("to").When(!affiliate.At(f.To).Valid())),
	); err != nil {
		return affiliate.List[affiliate.Movement]{}, err
	}
	l, err := p.Listing(pg, "movements", f)
	if err != nil {
		return affiliate.List[affiliate.Movement]{}, err
	}
	from, to := affiliate.InstantOf(f.From), affiliate.InstantOf(f.To)
	if !to.IsZero() {
		l.Query.After = engine.FirstMovement(to) // a cursor is further on
	}
	return engine.View(ctx, p, func(o *engine.Op) (affiliate.List[affiliate.Movement], error) {
		c, since := chooseMovements(o, f)
		since = engine.Later(from, since).Truncate(time.Millisecond)
		table := engine.FilteredTable[record.Movement]{
			Table: o.Tx.Movements,
			Keep:  func(r record.Movement) bool { return !r.At.Before(from) && (to.IsZero() || r.At.Before(to)) },
			Over:  func(r record.Movement) bool { return r.At.Before(since) },
		}
		return engine.Chosen(table, c, l,
			func(rec record.Movement) (affiliate.Movement, error) { return movementOf(rec), nil })
	})
}

// ofOwner selects the movements of what an affiliate has. What came with somebody who was merged into them was booked
// in another ledger before.
func ofOwner(c *engine.Choice[record.Movement], o *engine.Op, owner uuid.UUID) {
	merged, err := engine.Holds(o.Tx.Erasures, record.Key{Index: record.OfAffiliate, ID: owner})
	if c.Fail(err); !merged {
		c.ByID(record.OfAffiliate, affiliate.Set(owner), func(r *record.Movement) uuid.UUID { return r.AffiliateID })
	}
}

// chooseMovements turns the filter into a choice. No chosen movement is before
// since.
func chooseMovements(o *engine.Op,
	f affiliate.MovementQuery) (c engine.Choice[record.Movement], since affiliate.Instant) {
	owner := func(r *record.Movement) uuid.UUID { return r.AffiliateID }
	if f.AffiliateEmail.IsZero() {
		c.ByID(record.OfAffiliate, f.AffiliateID, owner) // also the ledger of one who was merged or deleted
	} else {
		c.ByOwner(o, f.AffiliateID, f.AffiliateEmail, owner)
	}
	if id, set := engine.Wanted(&c, f.PayoutID); set {
		payout, err := o.Tx.Payouts.Get(id)
		c.Fail(err)
		ofOwner(&c, o, payout.AffiliateID)
		c.Fits = append(c.Fits, func(r *record.Movement) bool { return r.PayoutID == id })
		since = payout.CreatedAt
	}
	if id, set := engine.Wanted(&c, f.AdjustmentID); set {
		adjustment, err := o.Tx.Adjustments.Get(id)
		c.Fail(err)
		ofOwner(&c, o, adjustment.AffiliateID)
		c.Fits = append(c.Fits, func(r *record.Movement) bool { return r.AdjustmentID == id })
		since = engine.Later(since, adjustment.CreatedAt)
	}
	if sale, set := engine.Wanted(&c, f.SaleID); set {
		c.Under(record.Key{Index: record.OfSale, ID: record.NumberID(int64(sale))},
			func(r *record.Movement) bool { return r.Sale == int64(sale) })
	}
	if f.Cause != "" {
		c.Fits = append(c.Fits, func(r *record.Movement) bool { return r.Cause.Is(f.Cause) })
	}
	return c, since
}

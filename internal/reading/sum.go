package reading

import (
	"context"
	"slices"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/engine"
	"github.com/tributary-go/tributary/internal/refusal"
	"github.com/tributary-go/tributary/internal/uuid7"
)

// Records that are added up: by the store, where it can, else as they are read.

// mostSums is the number of sums that a store gives; of more, the records are read.
const mostSums = 10_000

// movementsBy is the sum of movements that agree in some columns, and in all on which it
// depends how they count. Edges are still to be set.
func movementsBy(columns ...string) record.Sum {
	return record.Sum{
		By:    append(columns, "cause", "from_account", "to_account", "adjustment_id"),
		Signs: []string{"sales", "conversions", "revenue", "refunds"},
		Add:   []string{"amount", "sales", "conversions", "revenue", "refunds"},
	}
}

// sumMovements runs added on the sums of the movements between the edges of a sum, or, when
// there are none or they will not do, read on pieces of the movements.
func sumMovements(ctx context.Context, p *engine.Program, q record.Sum,
	added func([]record.Summed) (done bool, err error), read func([]record.Movement) error) error {
	from, to := q.Edges[0], q.Edges[len(q.Edges)-1]
	q.Table, q.At = "movements", "at"
	q.After = engine.FirstMovement(from)
	timed := idsTell(to)
	if timed {
		q.Before = engine.FirstMovement(to)
	}
	sums, done, err := summed(ctx, p, q)
	if err == nil && done {
		done, err = added(sums)
	}
	if err != nil || done {
		return err
	}
	return readOn(ctx, p, func(tx *record.Tx) record.Table[record.Movement] { return tx.Movements },
		record.Query{Key: q.Key, After: q.After},
		func(rec *record.Movement) bool { return timed && !rec.At.Before(to) },
		func(all []record.Movement) error {
			return read(slices.DeleteFunc(all, func(rec record.Movement) bool { return rec.At.Before(from) || !rec.At.Before(to) }))
		})
}

// idsTell reports whether the ids of records tell which are before a time: those of all records before
// 1970 have one time.
func idsTell(at affiliate.Instant) bool { return at.Time().UnixMilli() > 0 }

// countClicks runs fn on the clicks between the edges of a sum, and how many they are: added up
// or one by one.
func countClicks(ctx context.Context, p *engine.Program, q record.Sum, fn func(*record.Click, int64) error) error {
	q.Table = "clicks"
	return countVisits(ctx, p, func(tx *record.Tx) record.Table[record.Click] { return tx.Clicks },
		q, func(rec *record.Click) affiliate.Instant { return rec.CreatedAt }, fn)
}

// countReferrals is countClicks for referrals.
func countReferrals(ctx context.Context, p *engine.Program, q record.Sum, fn func(*record.Referral, int64) error) error {
	q.Table = "referrals"
	return countVisits(ctx, p, func(tx *record.Tx) record.Table[record.Referral] { return tx.Referrals },
		q, func(rec *record.Referral) affiliate.Instant { return rec.CreatedAt }, fn)
}

// countVisits runs fn on clicks or referrals. Their ids carry the millisecond of
// their creation, or a later one when the clock has gone back. Ids of the host
// carry no time: then all records are read.
func countVisits[R record.Record[R]](ctx context.Context, p *engine.Program, table func(*record.Tx) record.Table[R], q record.Sum, created func(*R) affiliate.Instant, fn func(*R, int64) error) error {
	from, to := q.Edges[0], q.Edges[len(q.Edges)-1]
	q.At = "created_at"
	if p.Cfg.NewID == nil {
		q.After = uuid7.Stamp(uuid.UUID{}, from.Time())
		if idsTell(to) {
			q.Before = uuid7.Stamp(uuid.UUID{}, to.Add(2*engine.ClockSlack).Time())
		}
	}
	sums, done, err := summed(ctx, p, q)
	for i := range sums {
		if rec := sums[i].AnyRecord.(R); err == nil {
			err = fn(&rec, sums[i].N)
		}
	}
	if done || err != nil {
		return err
	}
	over := func(rec *R) bool { return idsTell(to) && p.After(created(rec), to) }
	return readOn(ctx, p, table, record.Query{Key: q.Key, After: q.After}, over, eachOf(func(rec *R) error {
		if at := created(rec); at.Before(from) || !at.Before(to) {
			return nil
		}
		return fn(rec, 1)
	}))
}

// summed returns the sums that a store gives. Not done: it gives none, or there are too many.
func summed(ctx context.Context, p *engine.Program, q record.Sum) (sums []record.Summed, done bool, err error) {
	q.Limit = mostSums
	sums, err = engine.View(ctx, p, func(o *engine.Op) (all []record.Summed, err error) {
		if done = o.Tx.Sum != nil; !done {
			return nil, nil
		}
		if all, err = o.Tx.Sum(q); err != nil {
			err = refusal.Internal("add up "+q.Table, err)
		}
		return all, err
	})
	if err != nil || !done || len(sums) == mostSums {
		return nil, false, err
	}
	return sums, true, nil
}

// readOn runs fn on pieces of the records that a query lists, up to the first one that is
// over; fn may change the piece. It reads a piece in each View, so that no writer waits for the
// rest.
func readOn[R record.Record[R]](ctx context.Context, p *engine.Program, table func(*record.Tx) record.Table[R], q record.Query, over func(*R) bool, fn func([]R) error) error {
	q.Limit = reportPiece
	for {
		recs, err := engine.View(ctx, p, func(o *engine.Op) (recs []R, err error) {
			for rec, err := range table(o.Tx).List(q) {
				if err != nil {
					return nil, refusal.Internal("read what a report counts", err)
				}
				if over(&rec) {
					break
				}
				recs = append(recs, rec)
			}
			return recs, nil
		})
		if err != nil {
			return err
		}
		last := len(recs) < q.Limit
		if !last {
			q.After = recs[len(recs)-1].RecordID()
		}
		if err := fn(recs); err != nil || last {
			return err
		}
	}
}

// more adds to a number.
func more(to affiliate.Opt[int64], n int64) affiliate.Opt[int64] { return affiliate.Set(to.Or(0) + n) }

package engine

import (
	"context"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/refusal"
	"github.com/tributary-go/tributary/internal/uuid7"
)

// Lists that are added up: by the store, where it can, else as they are read.

// An Adding is a list, and how it is added up.
type Adding[R record.Record[R]] struct {
	// Without a Key, which the choice gives. By has the columns by which records are chosen.
	Sum    record.Sum
	Choose func(*Op) Choice[R]
	// Read reads a page of the list.
	Read func(affiliate.Page) (affiliate.List[R], error)
	Each bool // whether a record is chosen is in no column
}

// AddUp runs fn on the records of a list: where the store adds up, on those that agree as one,
// and how many they are; else on each.
func AddUp[R record.Record[R]](ctx context.Context, p *Program, a Adding[R],
	fn func(rec *R, n int64) error) error {
	done := false
	sums, err := View(ctx, p, func(o *Op) (sums []record.Summed, err error) {
		c := a.Choose(o)
		if done = !a.Each && o.Tx.Sum != nil && c.Err == nil && !c.Single(); !done {
			return nil, nil
		}
		a.Sum.Key = c.Key
		all, err := o.Tx.Sum(a.Sum)
		for _, one := range all {
			if c.Fit(one.AnyRecord.(R)) {
				sums = append(sums, one)
			}
		}
		return sums, err
	})
	if err != nil {
		return refusal.Internal("add up "+a.Sum.Table, err)
	}
	if done {
		for _, one := range sums {
			rec := one.AnyRecord.(R)
			if err := fn(&rec, one.N); err != nil {
				return err
			}
		}
		return nil
	}
	for rec, err := range affiliate.Each(MaxPage, a.Read) {
		if err == nil {
			err = fn(&rec, 1)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// madeIn lets a sum count what was made in a period.
func (p *Program) madeIn(made period, q *record.Sum) {
	if made.since.IsZero() && made.until.IsZero() {
		return
	}
	to := affiliate.InstantOf(time.Date(10_000, 1, 1, 0, 0, 0, 0, time.UTC))
	if !made.until.IsZero() {
		to = made.until.Truncate(time.Millisecond).Add(time.Millisecond)
	}
	q.At, q.Edges = "created_at", []affiliate.Instant{made.since, to}
	if p.Cfg.NewID != nil {
		return // the ids tell no time
	}
	if !made.since.IsZero() {
		q.After = uuid7.Stamp(uuid.UUID{}, made.since.Time())
	}
	if !made.until.IsZero() && to.Time().UnixMilli() > 0 {
		q.Before = uuid7.Stamp(uuid.UUID{}, to.Add(2*ClockSlack).Time())
	}
}

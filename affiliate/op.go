package affiliate

import (
	"context"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/internal/uuid7"
)

// An op is one operation of a program: the values that were read before the
// transaction, and the transaction. Helpers inside a closure are its methods.
type op struct {
	*Program
	ctx     context.Context
	tx      *Tx
	now     Instant  // read once
	paidAt  Instant  // of the sale, when it was paid before now; zero: now
	nth     int64    // which payment of its customer the sale is; zero: it is counted
	ignored []string // fields of the sale that are left out, because they are no emails or names
	ids     uuid7.Draws
	events  int // written by this run

	lastEvent uuid.UUID // the last event of the program in this run, once an event was numbered
	unread    error     // why the last event could not be read
	numbered  bool

	endpoints gathering[EndpointRecord] // that may get an event
	links     gathering[LinkRecord]     // of the affiliate of a sale
	watches   *watches                  // for the hooks; nil: there are none
	ahead     reader                    // nil: nothing is known before the transaction
	seen      *sighting                 // for the Observer; nil: nobody watches
}

// A reader knows from its input what its transaction will read.
type reader interface {
	Announce(soon func(table string, key Key))
}

func (p *Program) op(ctx context.Context) *op {
	o := new(op)
	o.start(ctx, p)
	return o
}

// start is op for an op that is a part of something else.
func (o *op) start(ctx context.Context, p *Program) {
	o.Program, o.ctx, o.now, o.seen = p, ctx, p.now(), p.sighted(ctx)
}

// judgedAt is when expiry and the window of clicks are judged.
func (o *op) judgedAt() Instant {
	if o.paidAt.IsZero() {
		return o.now
	}
	return o.paidAt
}

// later is the updatedAt of a record that changes: now, or the old one when the
// clock has gone back.
func later(now, was Instant) Instant {
	if now.Before(was) {
		return was
	}
	return now
}

// update runs fn in one transaction of the store. A store may run fn again, so
// the op starts every run with the same state, and fn passes values out only by
// its result.
func update[T any](o *op, fn func() (T, error)) (T, error) {
	var out T
	o.seen.opened()
	err := o.store.Update(o.ctx, o.cfg.ID, func(tx *Tx) (err error) {
		o.seen.ran()
		if err := o.tables.run(tx); err != nil {
			return err
		}
		o.tx, o.events, o.numbered = tx, 0, false
		if o.ahead != nil && tx.Soon != nil {
			o.ahead.Announce(tx.Soon)
		}
		if o.cfg.Hooks.wanted() {
			o.tx, o.watches = o.cfg.Hooks.watch(tx)
		}
		o.ids.Rewind()
		out, err = fn()
		return err
	})
	o.seen.closed(err)
	if err != nil {
		var zero T
		return zero, err
	}
	if o.events > 0 {
		o.committed()
	}
	return out, nil
}

// soon tells the store of a read that will follow, if the store wants to know.
func (o *op) soon(table string, key Key) {
	if o.tx.Soon != nil {
		o.tx.Soon(table, key)
	}
}

func announceText(soon func(table string, key Key), table string, ix Index, text string) {
	if text != "" {
		soon(table, textKey(ix, text))
	}
}

// committed wakes followers and calls OnEvents and hooks after a commit.
func (o *op) committed() {
	o.news.tell()
	if o.watches != nil {
		o.watches.run(o)
	}
	o.tellEvents()
}

// view runs fn on a snapshot of the records.
func view[T any](ctx context.Context, p *Program, fn func(*op) (T, error)) (T, error) {
	var out T
	o := &op{Program: p, ctx: ctx, seen: p.sighted(ctx)}
	o.seen.opened()
	err := p.store.View(ctx, p.cfg.ID, func(tx *Tx) (err error) {
		o.seen.ran()
		if err := p.tables.run(tx); err != nil {
			return err
		}
		o.tx = tx
		out, err = fn(o)
		return err
	})
	o.seen.closed(err)
	if err != nil {
		var zero T
		return zero, err
	}
	return out, nil
}

// snapshot is view for an op that exists already.
func (o *op) snapshot(fn func() error) error {
	o.seen.opened()
	err := o.store.View(o.ctx, o.cfg.ID, func(tx *Tx) error {
		o.seen.ran()
		if err := o.tables.run(tx); err != nil {
			return err
		}
		o.tx = tx
		return fn()
	})
	o.seen.closed(err)
	return err
}

// newID draws the next id of the operation.
func (o *op) newID() uuid.UUID {
	return o.ids.Draw(func() uuid.UUID { return o.Program.ids.Next(o.now.Time()) })
}

// newIDAt draws an id of a moment in the past.
func (o *op) newIDAt(moment time.Time) uuid.UUID {
	return o.ids.Draw(func() uuid.UUID { return o.Program.ids.At(moment) })
}

// now reads the clock: UTC, whole microseconds.
func (p *Program) now() Instant { return InstantOf(p.cfg.Now()) }

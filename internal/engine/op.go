package engine

import (
	"context"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/uuid7"
)

// An Op is one operation of a program: the values that were read before the
// transaction, and the transaction. Helpers inside a closure are its methods.
type Op struct {
	*Program
	Ctx     context.Context
	Tx      *record.Tx
	Now     affiliate.Instant // read once
	PaidAt  affiliate.Instant // when the sale was paid, if before now; zero: now
	Nth     int64             // the number of the sale among its customer's payments; zero: it is counted
	Payer   string            // of the payment, with its provider, that the sale is of; empty: not known
	alone   *soleRedemption   // the redemption of the order that is decided about anew; nil: none
	again   *record.Sale      // that is decided about anew; nil: none
	reborn  *record.Referral  // whose sales are decided about anew, until one of them has it again; nil: none
	ignored []string          // fields of the sale that are left out because they are not valid emails or names
	ids     uuid7.Draws
	events  int // written by this run

	lastEvent uuid.UUID // the last event of the program in this run, after an event was numbered
	unread    error     // why the last event could not be read
	numbered  bool
	settled   bool // this run wrote the settings

	endpoints recordReading[record.Endpoint] // that may get an event
	links     recordReading[record.Link]     // of the affiliate of a sale
	owners    map[uuid.UUID]*SaleBody        // sales of a list, by who is credited; nil: it is no list
	ownTerms  *record.Plan                   // the program's, after this run has read them
	watches   *watches                       // for the hooks; nil: there are none
	Ahead     reader                         // nil: nothing is known before the transaction
	Seen      *sighting                      // for the Observer; nil: nobody watches
}

// A reader knows from its input what its transaction will read.
type reader interface {
	Announce(soon func(table string, key record.Key))
}

func (p *Program) Op(ctx context.Context) *Op {
	o := new(Op)
	o.start(ctx, p)
	return o
}

// start is op for an operation that is part of something larger.
func (o *Op) start(ctx context.Context, p *Program) {
	o.Program, o.Ctx, o.Now, o.Seen = p, ctx, p.Now(), p.Sighted(ctx)
}

// judgedAt returns the time at which expiry and the window of clicks are checked.
func (o *Op) judgedAt() affiliate.Instant {
	if o.PaidAt.IsZero() {
		return o.Now
	}
	return o.PaidAt
}

// Later returns the UpdatedAt of a record that changes: now, or the old one when the
// clock has gone back.
func Later(now, was affiliate.Instant) affiliate.Instant {
	if now.Before(was) {
		return was
	}
	return now
}

// Update runs fn in one transaction of the store. A store may run fn again, so
// the op starts every run with the same state, and fn passes values out only by
// its result.
func Update[T any](o *Op, fn func() (T, error)) (T, error) {
	var out T
	var final bool
	o.Seen.opened()
	err := o.Store.Update(o.Ctx, o.Cfg.ID, func(tx *record.Tx) (err error) {
		o.Seen.ran()
		if err := o.checked.run(tx); err != nil {
			return err
		}
		agreed := o.checked.agreed.Load()
		if !agreed {
			o.announceSettings(tx)
		}
		o.Tx, o.events, o.numbered, o.ownTerms, o.settled = tx, 0, false, nil, false
		o.alone, o.again, o.reborn = nil, nil, nil
		if o.Ahead != nil && tx.Soon != nil {
			o.Ahead.Announce(tx.Soon)
		}
		var change *record.Settings
		if !agreed {
			if change, final, err = o.agree(tx); err != nil {
				o.checked.seen.Store(false)
				return err
			}
		}
		if wanted(&o.Cfg.Hooks) {
			o.Tx, o.watches = watch(&o.Cfg.Hooks, tx)
		}
		o.ids.Rewind()
		if out, err = fn(); err == nil && change != nil && !o.settled {
			_, err = o.keep(*change)
		}
		return err
	})
	o.Seen.closed(err)
	if err != nil {
		var zero T
		return zero, err
	}
	if o.checked.seen.Store(true); final {
		o.checked.agreed.Store(true)
	}
	if o.events > 0 && !o.tried {
		o.committed()
	}
	return out, nil
}

// Soon tells the store of a read that will follow, if the store wants to know.
func (o *Op) Soon(table string, key record.Key) {
	if o.Tx.Soon != nil {
		o.Tx.Soon(table, key)
	}
}

func AnnounceText(soon func(table string, key record.Key), table string, ix record.Index, text string) {
	if text != "" {
		soon(table, record.TextKey(ix, text))
	}
}

// committed wakes followers and calls OnEvents and hooks after a commit.
func (o *Op) committed() {
	o.news.tell()
	if o.watches != nil {
		o.watches.run(o)
	}
	o.tellEvents()
}

// View runs fn on a snapshot of the records.
func View[T any](ctx context.Context, p *Program, fn func(*Op) (T, error)) (T, error) {
	var out T
	o := &Op{Program: p, Ctx: ctx, Now: p.Now(), Seen: p.Sighted(ctx)}
	o.Seen.opened()
	err := p.Store.View(ctx, p.Cfg.ID, func(tx *record.Tx) (err error) {
		o.Seen.ran()
		if err := p.see(tx); err != nil {
			return err
		}
		o.Tx, o.ownTerms = tx, nil
		out, err = fn(o)
		return err
	})
	o.Seen.closed(err)
	if err != nil {
		var zero T
		return zero, err
	}
	return out, nil
}

// Snapshot is view for an op that exists already.
func (o *Op) Snapshot(fn func() error) error {
	o.Seen.opened()
	err := o.Store.View(o.Ctx, o.Cfg.ID, func(tx *record.Tx) error {
		o.Seen.ran()
		if err := o.see(tx); err != nil {
			return err
		}
		o.Tx, o.ownTerms = tx, nil
		return fn()
	})
	o.Seen.closed(err)
	return err
}

// NewID draws the next id of the operation.
func (o *Op) NewID() uuid.UUID {
	return o.ids.Draw(func() uuid.UUID { return o.Program.IDs.Next(o.Now.Time()) })
}

// NewIDAt draws an id of a moment in the past.
func (o *Op) NewIDAt(moment time.Time) uuid.UUID {
	return o.ids.Draw(func() uuid.UUID { return o.Program.IDs.At(moment) })
}

// Now reads the clock: UTC, whole microseconds.
func (p *Program) Now() affiliate.Instant { return affiliate.InstantOf(p.Cfg.Now()) }

package robustness

import (
	"context"
	"errors"
	"maps"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
)

type affiliateID = uuid.UUID

func newEventID() uuid.UUID { return uuid.Must(uuid.NewV7()) }

// changed is a store whose Updates see other tables.
type changed struct {
	record.Store
	change func(tx *record.Tx)
}

// Update runs fn on the changed tables.
func (c changed) Update(ctx context.Context, program uuid.UUID, fn func(tx *record.Tx) error) error {
	return c.Store.Update(ctx, program, func(tx *record.Tx) error {
		other := *tx
		c.change(&other)
		return fn(&other)
	})
}

// A table reads records from a copy, as far as it has them.
type table[T record.Record[T]] struct {
	record.Table[T]
	old map[uuid.UUID]T
}

func (t table[T]) older(rec T, err error) (T, error) {
	if was, ok := t.old[rec.RecordID()]; ok && err == nil {
		return was.Clone(), nil
	}
	return rec, err
}

func (t table[T]) Get(id uuid.UUID) (T, error)    { return t.older(t.Table.Get(id)) }
func (t table[T]) Find(key record.Key) (T, error) { return t.older(t.Table.Find(key)) }
func (t table[T]) Delete(id uuid.UUID) error      { delete(t.old, id); return t.Table.Delete(id) }
func (t table[T]) Replace(rec T) error            { delete(t.old, rec.RecordID()); return t.Table.Replace(rec) }

// copyOf reads a whole table before the transaction that uses it.
func copyOf[T record.Record[T]](ctx context.Context, s record.Store, program uuid.UUID, of func(tx *record.Tx) record.Table[T]) (map[uuid.UUID]T, error) {
	var old map[uuid.UUID]T
	err := s.View(ctx, program, func(tx *record.Tx) error {
		old = map[uuid.UUID]T{}
		for rec, err := range of(tx).List(record.Query{}) {
			if err != nil {
				return err
			}
			old[rec.RecordID()] = rec
		}
		return nil
	})
	return old, err
}

// early checks the codes of before the transaction, and acts in it.
type early struct{ record.Store }

// Update runs fn on the codes of before.
func (s early) Update(ctx context.Context, program uuid.UUID, fn func(tx *record.Tx) error) error {
	old, err := copyOf(ctx, s.Store, program, func(tx *record.Tx) record.Table[record.Code] { return tx.Codes })
	if err != nil {
		return err
	}
	return changed{s.Store, func(tx *record.Tx) { tx.Codes = table[record.Code]{tx.Codes, maps.Clone(old)} }}.Update(ctx, program, fn)
}

// paidTwice looks at the status of a payout before the transaction that books it
// as paid.
type paidTwice struct{ record.Store }

// Update runs fn on the payouts of before.
func (s paidTwice) Update(ctx context.Context, program uuid.UUID, fn func(tx *record.Tx) error) error {
	old, err := copyOf(ctx, s.Store, program, func(tx *record.Tx) record.Table[record.Payout] { return tx.Payouts })
	if err != nil {
		return err
	}
	return changed{s.Store, func(tx *record.Tx) { tx.Payouts = table[record.Payout]{tx.Payouts, maps.Clone(old)} }}.Update(ctx, program, fn)
}

// hasty says that a write is done, and does it then.
type hasty struct {
	record.Store
	late *lateThings
}

var errTried = errors.New("tried and rolled back")

// Update tries fn, and commits it after it has returned.
func (s hasty) Update(ctx context.Context, program uuid.UUID, fn func(tx *record.Tx) error) error {
	err := s.Store.Update(ctx, program, func(tx *record.Tx) error {
		if err := fn(tx); err != nil {
			return err
		}
		return errTried
	})
	if !errors.Is(err, errTried) {
		return err
	}
	s.late.do(func() { _ = s.Store.Update(context.WithoutCancel(ctx), program, fn) })
	return nil
}

// staleActive remembers for a while whether a code is active.
func staleActive(s record.Store, _ *lateThings) record.Store {
	memory := &activeMemory{known: map[uuid.UUID]knownActive{}}
	return changed{s, func(tx *record.Tx) { tx.Codes = rememberedCodes{tx.Codes, memory} }}
}

const remembered = 20 * time.Millisecond

type activeMemory struct {
	mu    sync.Mutex
	known map[uuid.UUID]knownActive
}

type knownActive struct {
	active bool
	until  time.Time
}

type rememberedCodes struct {
	record.Table[record.Code]
	memory *activeMemory
}

// Find returns a code that is as active as it was.
func (t rememberedCodes) Find(key record.Key) (record.Code, error) {
	rec, err := t.Table.Find(key)
	t.memory.mu.Lock()
	defer t.memory.mu.Unlock()
	if was := t.memory.known[rec.ID]; err != nil || time.Now().Before(was.until) {
		rec.Active = was.active
		return rec, err
	}
	t.memory.known[rec.ID] = knownActive{rec.Active, time.Now().Add(remembered)}
	return rec, nil
}

// doubled counts a redemption of a code twice.
func doubled(s record.Store, _ *lateThings) record.Store {
	return changed{s, func(tx *record.Tx) { tx.Codes = doubleCodes{tx.Codes} }}
}

type doubleCodes struct {
	record.Table[record.Code]
}

// Replace adds one more to a counter that has risen.
func (t doubleCodes) Replace(rec record.Code) error {
	if was, err := t.Get(rec.ID); err == nil && was.TimesRedeemed < rec.TimesRedeemed {
		rec.TimesRedeemed++
	}
	return t.Table.Replace(rec)
}

// forgetful forgets one movement of five.
func forgetful(s record.Store, _ *lateThings) record.Store {
	var n atomic.Int64
	return changed{s, func(tx *record.Tx) { tx.Movements = forgottenMovements{tx.Movements, &n} }}
}

type forgottenMovements struct {
	record.Table[record.Movement]
	n *atomic.Int64
}

// Insert does nothing now and then.
func (t forgottenMovements) Insert(rec record.Movement) error {
	if t.n.Add(1)%5 == 0 {
		return nil
	}
	return t.Table.Insert(rec)
}

// silent creates one affiliate of five without its event.
func silent(s record.Store, _ *lateThings) record.Store {
	var n atomic.Int64
	return changed{s, func(tx *record.Tx) { tx.Events = silentEvents{tx.Events, &n} }}
}

type silentEvents struct {
	record.Table[record.Event]
	n *atomic.Int64
}

// Insert does nothing now and then.
func (t silentEvents) Insert(rec record.Event) error {
	if rec.Type == affiliate.AffiliateCreated && t.n.Add(1)%5 == 0 {
		return nil
	}
	return t.Table.Insert(rec)
}

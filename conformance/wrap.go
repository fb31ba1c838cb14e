package conformance

import (
	"context"
	"errors"
	"iter"
	"sync/atomic"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate/record"
)

// ErrInjected is the error of the faults that [FailAt], [FailFrom] and
// [LoseAnswer] inject. [PanicAt] panics with it.
var ErrInjected = errors.New("conformance: injected fault")

// errRerun rolls back the first run of a closure.
var errRerun = errors.New("conformance: first run, to be rolled back")

// Rerun returns a store that runs every closure twice: once to be rolled back,
// whatever it returns, and once for real. A closure that counts, appends or
// sends must not do so twice; on this store it does, and a test sees it.
func Rerun(s record.Store) record.Store { return rerun{s} }

type rerun struct{ store record.Store }

func (r rerun) View(ctx context.Context, program uuid.UUID, fn func(tx *record.Tx) error) error {
	return twice(ctx, r.store.View, program, fn)
}

func (r rerun) Update(ctx context.Context, program uuid.UUID, fn func(tx *record.Tx) error) error {
	return twice(ctx, r.store.Update, program, fn)
}

// method is View or Update of a store.
type method func(ctx context.Context, program uuid.UUID, fn func(tx *record.Tx) error) error

func twice(ctx context.Context, run method, program uuid.UUID, fn func(tx *record.Tx) error) error {
	err := run(ctx, program, func(tx *record.Tx) error {
		_ = fn(tx) // the second run returns the same
		return errRerun
	})
	if !errors.Is(err, errRerun) {
		return err // the store's own error
	}
	return run(ctx, program, fn)
}

// FailAt returns a store in which the n-th table call of each Update fails with
// [ErrInjected] and has no effect. n begins at 1. Get, Find, List, Insert,
// Replace, Delete and Raise count, and each run of a closure counts from the
// beginning. An Update with fewer calls is not affected. A List fails when it is
// read.
//
// To make a scenario fail at every step, run it with n = 1, 2, 3 … up to
// [Counter.Most] of the same scenario.
func FailAt(s record.Store, n int) record.Store {
	return faultyTable{s, func(call int, _ context.CancelFunc) error {
		if call == n {
			return ErrInjected
		}
		return nil
	}}
}

// FailFrom is [FailAt] for the n-th call and all later calls of the Update, as
// when a connection is lost.
func FailFrom(s record.Store, n int) record.Store {
	return faultyTable{s, func(call int, _ context.CancelFunc) error {
		if call >= n {
			return ErrInjected
		}
		return nil
	}}
}

// PanicAt returns a store in which the n-th table call of each Update, counted
// as by [FailAt], panics with [ErrInjected] before it has an effect.
func PanicAt(s record.Store, n int) record.Store {
	return faultyTable{s, func(call int, _ context.CancelFunc) error {
		if call == n {
			panic(ErrInjected)
		}
		return nil
	}}
}

// CancelAt returns a store in which the context of each Update is cancelled at
// its n-th table call, counted as by [FailAt]. The call itself still reaches the
// store.
func CancelAt(s record.Store, n int) record.Store {
	return faultyTable{s, func(call int, cancel context.CancelFunc) error {
		if call == n {
			cancel()
		}
		return nil
	}}
}

// faultyTable calls fault before every table call of an Update.
type faultyTable struct {
	record.Store
	fault func(call int, cancel context.CancelFunc) error
}

// Update runs fn on watched tables.
func (f faultyTable) Update(ctx context.Context, program uuid.UUID, fn func(tx *record.Tx) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	return f.Store.Update(ctx, program, func(tx *record.Tx) error {
		call := 0
		return fn(watch(tx, func() error {
			call++
			return f.fault(call, cancel)
		}))
	})
}

// LoseAnswer returns a store that commits an Update for the n-th time and still
// returns [ErrInjected] for it, as when a connection breaks during the commit. n
// begins at 1 and counts the Updates of the returned store that committed. An
// Update that fails by itself has no answer to lose: it is not counted and
// returns its own error. It is safe for concurrent use.
func LoseAnswer(s record.Store, n int) record.Store { return &loser{Store: s, n: int64(n)} }

type loser struct {
	record.Store
	n       int64
	commits atomic.Int64
}

// Update runs fn, and returns ErrInjected after the n-th commit.
func (l *loser) Update(ctx context.Context, program uuid.UUID, fn func(tx *record.Tx) error) error {
	if err := l.Store.Update(ctx, program, fn); err != nil {
		return err
	}
	if l.commits.Add(1) == l.n {
		return ErrInjected
	}
	return nil
}

// A Counter is a store that counts Updates and table calls. Tests use it to find
// the largest n for [FailAt] and [LoseAnswer]. It is safe for concurrent use.
type Counter struct {
	record.Store
	updates atomic.Int64
	commits atomic.Int64
	most    atomic.Int64
}

// Count returns a Counter over s.
func Count(s record.Store) *Counter { return &Counter{Store: s} }

// Updates returns how many Updates have begun.
func (c *Counter) Updates() int { return int(c.updates.Load()) }

// Commits returns how many Updates have committed: the largest n for
// [LoseAnswer].
func (c *Counter) Commits() int { return int(c.commits.Load()) }

// Most returns the largest number of table calls that one run of an Update's
// closure has made, counted as by [FailAt].
func (c *Counter) Most() int { return int(c.most.Load()) }

// Update counts the Update, its commit and the table calls of fn.
func (c *Counter) Update(ctx context.Context, program uuid.UUID, fn func(tx *record.Tx) error) error {
	c.updates.Add(1)
	err := c.Store.Update(ctx, program, func(tx *record.Tx) error {
		var calls int64
		return fn(watch(tx, func() error {
			calls++
			for most := c.most.Load(); calls > most && !c.most.CompareAndSwap(most, calls); most = c.most.Load() {
			}
			return nil
		}))
	})
	if err == nil {
		c.commits.Add(1)
	}
	return err
}

// watch returns a Tx that calls before ahead of every table call and of Raise.
// When before returns an error, the call returns that error and does nothing. What is
// missing stays missing.
func watch(tx *record.Tx, before func() error) *record.Tx {
	return around(tx, before, func(err error) error { return err })
}

// around is watch with a function that each error of a call passes through.
func around(tx *record.Tx, before func() error, after func(error) error) *record.Tx {
	out := &record.Tx{Soon: tx.Soon}
	if tx.Sum != nil {
		out.Sum = func(q record.Sum) (all []record.Summed, err error) {
			if err = before(); err == nil {
				all, err = tx.Sum(q)
			}
			return all, after(err)
		}
	}
	if tx.Raise != nil {
		out.Raise = func(seq record.Sequence, by, to int64) (n int64, err error) {
			if err = before(); err == nil {
				n, err = tx.Raise(seq, by, to)
			}
			return n, after(err)
		}
	}
	for _, t := range tables() {
		if inner := t.In(tx); inner != nil {
			t.Set(out, watchedTable{inner, before, after})
		}
	}
	return out
}

type watchedTable struct {
	table  record.Table[record.AnyRecord]
	before func() error
	after  func(error) error
}

func (w watchedTable) Get(id uuid.UUID) (rec record.AnyRecord, err error) {
	if err = w.before(); err == nil {
		rec, err = w.table.Get(id)
	}
	return rec, w.after(err)
}

func (w watchedTable) Find(key record.Key) (rec record.AnyRecord, err error) {
	if err = w.before(); err == nil {
		rec, err = w.table.Find(key)
	}
	return rec, w.after(err)
}

func (w watchedTable) List(q record.Query) iter.Seq2[record.AnyRecord, error] {
	return func(yield func(record.AnyRecord, error) bool) {
		if err := w.before(); err != nil {
			yield(nil, w.after(err))
			return
		}
		w.table.List(q)(func(rec record.AnyRecord, err error) bool { return yield(rec, w.after(err)) })
	}
}

func (w watchedTable) Insert(rec record.AnyRecord) error {
	return w.write(func() error { return w.table.Insert(rec) })
}

func (w watchedTable) Replace(rec record.AnyRecord) error {
	return w.write(func() error { return w.table.Replace(rec) })
}

func (w watchedTable) Delete(id uuid.UUID) error {
	return w.write(func() error { return w.table.Delete(id) })
}

func (w watchedTable) write(call func() error) error {
	err := w.before()
	if err == nil {
		err = call()
	}
	return w.after(err)
}

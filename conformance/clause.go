package conformance

import (
	"context"
	"errors"
	"runtime/debug"
	"testing"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
)

// A clause is one numbered sentence of the Store contract.
type clause struct {
	name  string
	cases []storeCase
}

// A storeCase is one way to break a clause.
type storeCase struct {
	name string
	rule string // printed when the case fails
	run  func(tb testing.TB, s record.Store)
}

// check runs the case against a new store. A panic fails the case, and the other
// cases still run: a store that lacks a table gets a failure that names it.
func (c storeCase) check(tb testing.TB, newStore func(testing.TB) record.Store) {
	tb.Helper()
	defer func() {
		tb.Helper()
		if r := recover(); r != nil {
			tb.Errorf("panic: %v\n%s", r, debug.Stack())
		}
		if tb.Failed() {
			tb.Logf("rule: %s", c.rule)
		}
	}()
	c.run(tb, strictStore{newStore(tb)})
}

// A strictStore ends a run of a closure at the first error with which the store gives that
// run up: see [record.Store]. So no case can go on with such a run, or report what it saw in it.
type strictStore struct{ store record.Store }

func (g strictStore) View(ctx context.Context, program uuid.UUID, fn func(tx *record.Tx) error) error {
	return g.store.View(ctx, program, givesUp(fn))
}

func (g strictStore) Update(ctx context.Context, program uuid.UUID, fn func(tx *record.Tx) error) error {
	return g.store.Update(ctx, program, givesUp(fn))
}

// A brokenRun is the value that the closure panics with, until givesUp returns its error.
type brokenRun struct{ error }

func givesUp(fn func(tx *record.Tx) error) func(tx *record.Tx) error {
	return func(tx *record.Tx) (err error) {
		over := false
		defer func() {
			over = true
			switch r := recover().(type) {
			case nil:
			case brokenRun:
				err = r.error
			default:
				panic(r)
			}
		}()
		return fn(around(tx, func() error { return nil }, func(err error) error {
			if !over && !answered(err) {
				panic(brokenRun{err})
			}
			return err
		}))
	}
}

// answered reports whether a call of a Tx with this error has an answer.
func answered(err error) bool {
	return err == nil || errors.Is(err, affiliate.ErrNotFound) || errors.Is(err, record.ErrExists) ||
		errors.Is(err, record.ErrReadOnly) || errors.Is(err, record.ErrTxDone)
}

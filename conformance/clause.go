package conformance

import (
	"runtime/debug"
	"testing"

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
	c.run(tb, newStore(tb))
}

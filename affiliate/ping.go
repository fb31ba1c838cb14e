package affiliate

import (
	"context"
	"errors"
	"reflect"
	"strings"
	"sync/atomic"
)

// Ping reports whether the store can be used: it runs one empty View. A host
// calls it when it starts, after the migration, and wherever it is asked
// whether it is ready. On a database that is one statement.
//
// Errors: those of the store, that of ctx; a store without one of the tables of
// [Tx].
//
// Effects: none.
//
// Source: ours, because New opens nothing.
func (p *Program) Ping(ctx context.Context) error {
	err := p.store.View(ctx, p.cfg.ID, checkTables)
	if err != nil {
		return internal("affiliate: ping", err)
	}
	return nil
}

// usable reports whether a store can be asked at all.
func usable(store Store) bool {
	v := reflect.ValueOf(store)
	return v.IsValid() && (v.Kind() != reflect.Pointer || !v.IsNil())
}

// A tableCheck is whether the store of a Program was seen to have every table.
// The first transaction looks, so that a store that lacks one is named and does
// not panic somewhere.
type tableCheck struct{ passed atomic.Bool }

func (c *tableCheck) run(tx *Tx) error {
	if c.passed.Load() {
		return nil
	}
	if err := checkTables(tx); err != nil {
		return internal("affiliate: open store", err)
	}
	c.passed.Store(true)
	return nil
}

// checkTables names the first table that a store has left out.
func checkTables(tx *Tx) error {
	v := reflect.ValueOf(tx).Elem()
	for i := range v.NumField() {
		if v.Field(i).IsNil() {
			return errors.New("the store has no " + strings.ToLower(v.Type().Field(i).Name))
		}
	}
	return nil
}

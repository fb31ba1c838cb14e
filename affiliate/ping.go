package affiliate

import (
	"context"
	"errors"
	"reflect"
	"strings"
	"sync/atomic"
)

// Ping checks whether the store can be used: it runs one empty View. A host
// calls it at its start, after the migration, and in its readiness check. On a
// database it costs one statement.
//
// Errors: those of the store; the error of ctx; an error when the store lacks a
// table of [Tx].
//
// Effects: none.
//
// Source: ours, because New opens nothing.
func (p *Program) Ping(ctx context.Context) (err error) {
	defer p.begin(&ctx, "Ping", reads).end(&err)
	seen := p.sighted(ctx)
	seen.opened()
	err = p.store.View(ctx, p.cfg.ID, func(tx *Tx) error {
		seen.ran()
		return checkTables(tx)
	})
	seen.closed(err)
	if err != nil {
		return internal("affiliate: ping", err)
	}
	return nil
}

// usable reports whether a store is not nil.
func usable(store Store) bool {
	v := reflect.ValueOf(store)
	return v.IsValid() && (v.Kind() != reflect.Pointer || !v.IsNil())
}

// A tableCheck notes whether the store of a Program has every table. The first
// transaction checks, so that a missing table is an error that names it and not
// a panic later.
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

// checkTables returns an error that names the first table that a store lacks.
// Soon is only advice, so a store may lack it.
func checkTables(tx *Tx) error {
	v := reflect.ValueOf(tx).Elem()
	for i := range v.NumField() {
		if name := v.Type().Field(i).Name; name != "Soon" && v.Field(i).IsNil() {
			return errors.New("the store has no " + strings.ToLower(v.Type().Field(i).Name))
		}
	}
	return nil
}

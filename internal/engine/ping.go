package engine

import (
	"context"
	"errors"
	"reflect"
	"sync/atomic"

	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/refusal"
)

// Ping implements tributary.Program.Ping.
func (p *Program) Ping(ctx context.Context) (err error) {
	defer p.Begin(&ctx, "Ping", Reads).End(&err)
	seen := p.Sighted(ctx)
	seen.opened()
	err = p.Store.View(ctx, p.Cfg.ID, func(tx *record.Tx) error {
		seen.ran()
		return checkTables(tx)
	})
	seen.closed(err)
	if err != nil {
		return refusal.Internal("affiliate: ping", err)
	}
	return nil
}

// usable reports whether a store is not nil.
func usable(store record.Store) bool {
	v := reflect.ValueOf(store)
	return v.IsValid() && (v.Kind() != reflect.Pointer || !v.IsNil())
}

// A tableCheck remembers whether the store of a Program has every table. The
// first transaction checks, so that a missing table is an error that names it
// and not a panic later.
type tableCheck struct{ passed atomic.Bool }

func (c *tableCheck) run(tx *record.Tx) error {
	if c.passed.Load() {
		return nil
	}
	if err := checkTables(tx); err != nil {
		return refusal.Internal("affiliate: open store", err)
	}
	c.passed.Store(true)
	return nil
}

// checkTables returns an error that names the first table that a store lacks.
// Soon is only advice, so a store may lack it.
func checkTables(tx *record.Tx) error {
	for _, s := range record.Schema() {
		if s.Table(tx) == nil {
			return errors.New("the store has no " + s.Name)
		}
	}
	if tx.Raise == nil {
		return errors.New("the store has no sequences")
	}
	return nil
}

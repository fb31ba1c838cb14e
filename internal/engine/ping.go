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
		if err := checkTables(tx); err != nil {
			return err
		}
		_, _, err := p.agree(tx)
		return err
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

// A storeCheck remembers what the transactions of a Program need not check of its store
// again: that it has every table, so that a missing one is an error that names it and not a
// panic later, and that it keeps the program as the Config says. See settings_kept.go.
type storeCheck struct {
	complete atomic.Bool // it has every table
	seen     atomic.Bool // it kept what the Config says when it was looked at last: reads go on
	agreed   atomic.Bool // it keeps that for good: writes do not look again
}

func (c *storeCheck) run(tx *record.Tx) error {
	if c.complete.Load() {
		return nil
	}
	if err := checkTables(tx); err != nil {
		return refusal.Internal("affiliate: open store", err)
	}
	c.complete.Store(true)
	return nil
}

// see is run for a transaction that reads.
func (p *Program) see(tx *record.Tx) error {
	if err := p.checked.run(tx); err != nil || p.checked.seen.Load() {
		return err
	}
	p.announceSettings(tx)
	change, final, err := p.agree(tx)
	if err == nil && change == (record.Settings{}) {
		p.checked.seen.Store(true)
		p.checked.agreed.Store(final)
	}
	return err
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

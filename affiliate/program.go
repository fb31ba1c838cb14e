package affiliate

import (
	"errors"
	"sync/atomic"

	"github.com/tributary-go/tributary/internal/uuid7"
)

// A Program is one affiliate program: every rule of the domain as a method.
// It is immutable, safe for concurrent use, and starts no goroutine.
//
// Its methods return an [*Error] that the caller can fix, [ErrNotFound] when a
// look-up of one record finds nothing, and any other error when the store or a
// function of the host failed. A refusal has changed nothing. After another error
// the documentation of the method and of the store say what is known.
type Program struct {
	store  Store
	tables *tableCheck // of the store
	cfg    *Config     // never changed, so all copies of a program share it
	source Source
	once   Once // for every write without one of its own
	ids    *uuid7.Source
	recent *recent
	lists  *sharedLists

	news *news

	verifying *atomic.Bool // VerifyReport runs

	targets []target // the prepared destinations
}

// New makes a program with the configuration cfg on store. It does not use the
// store yet: the first method call does. Call [Program.Ping] to check the store
// before.
//
// Errors: a nil store, a bad Config.
func New(store Store, cfg Config) (*Program, error) {
	if !usable(store) {
		return nil, errors.New("affiliate: New needs a Store")
	}
	if err := cfg.complete(); err != nil {
		return nil, err
	}
	return &Program{
		store: store, tables: new(tableCheck), cfg: &cfg, source: SourceAPI, ids: &uuid7.Source{Rand: cfg.Rand, New: cfg.NewID},
		recent: new(recent), lists: new(sharedLists), news: new(news), verifying: new(atomic.Bool),
		targets: targets(cfg.Destinations, cfg.Param),
	}, nil
}

// With is the same program on another Store, such as one inside the host's own
// transaction.
func (p *Program) With(store Store) *Program {
	q := *p
	q.store, q.tables = store, new(tableCheck)
	return &q
}

// From returns the same program, but records that it creates have the source
// src. The default is [SourceAPI].
func (p *Program) From(src Source) *Program {
	q := *p
	q.source = src
	return &q
}

// Config returns the program's configuration with its defaults filled in.
func (p *Program) Config() Config { return *p.cfg }

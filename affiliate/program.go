package affiliate

import (
	"errors"

	"github.com/tributary-go/tributary/affiliate/internal/uuid7"
)

// A Program is one affiliate program: every rule of the domain as a method.
// It is immutable, safe for concurrent use, and starts no goroutine.
//
// Its methods return an [*Error] for what the caller can fix, [ErrNotFound] for
// a single look-up that misses, and any other error when the store or a
// function of the host failed. A method that returns an error has changed nothing.
type Program struct {
	store  Store
	tables *tableCheck // of the store
	cfg    Config
	source Source
	once   Once // of every write that has none of its own
	ids    *uuid7.Source
	recent *recent

	news *news

	targets []target // the destinations, made ready
}

// New makes the program that cfg describes, on store. It opens nothing: the
// store is asked by the first method that is called. [Program.Ping] is the check
// that a host makes before.
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
		store: store, tables: new(tableCheck), cfg: cfg, source: SourceAPI, ids: &uuid7.Source{Rand: cfg.Rand, New: cfg.NewID},
		recent: new(recent), news: new(news),
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

// From is the same program, with what it creates marked as coming from src. The
// default is [SourceAPI].
func (p *Program) From(src Source) *Program {
	q := *p
	q.source = src
	return &q
}

// Config returns the program's configuration with its defaults filled in.
func (p *Program) Config() Config { return p.cfg }

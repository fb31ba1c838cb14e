package engine

import (
	"context"
	"errors"
	"reflect"
	"strings"
	"sync/atomic"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/refusal"
	"github.com/tributary-go/tributary/internal/uuid7"
)

// A Program is one affiliate program: every rule of the domain as a method.
// It is immutable, safe for concurrent use, and starts no goroutine.
//
// Its methods return an [*affiliate.Error] that the caller can fix, [affiliate.ErrNotFound] when a
// look-up of one record finds nothing, and any other error when the store or a
// function of the host failed. A refusal has changed nothing. After another error
// the documentation of the method and of the store say what is known.
type Program struct {
	Store   record.Store
	checked *storeCheck // of the store
	Cfg     *Config     // never changed, so all copies of a program share it
	source  affiliate.Source
	actor   string         // who changes things; empty: nobody says
	reason  string         // why; empty: nobody says
	gives   bool           // up what is owed
	tried   bool           // what it changes is dropped, so the host hears nothing
	Once    affiliate.Once // for every write without one of its own
	IDs     *uuid7.Source
	Recent  *PayloadCache
	lists   *listCache

	news *commitSignal

	Verifying *atomic.Bool // a VerifyJob runs

	targets []target     // the prepared destinations
	unset   *record.Plan // the program's own terms, until they are set

	live     *live    // the settings that the store keeps; nil: all are the host's
	own      []string // the names of those that are the host's
	revision int64    // of what the store keeps
}

// New makes a program with the configuration cfg on store. It does not use the
// store yet: the first method call does. Call [Program.Ping] to check the store
// before.
//
// Errors: a nil store, a bad Config.
func New(store record.Store, cfg Config) (*Program, error) {
	if !usable(store) {
		return nil, errors.New("affiliate: New needs a Store")
	}
	given := cfg
	if err := cfg.complete(); err != nil {
		return nil, err
	}
	p := &Program{
		Store: store, checked: new(storeCheck), source: affiliate.SourceAPI,
		IDs:    &uuid7.Source{Rand: cfg.Rand, New: cfg.NewID},
		Recent: new(PayloadCache), lists: new(listCache), news: new(commitSignal), Verifying: new(atomic.Bool),
	}
	if p.configure(&cfg); cfg.StoredSettings {
		p.live = &live{given: given}
	}
	return p, nil
}

// With implements tributary.Program.With.
func (p *Program) With(store record.Store) *Program {
	q := *p
	q.Store, q.checked = store, new(storeCheck)
	if p.live != nil {
		q.live = &live{given: p.live.given}
	}
	return &q
}

// Tried returns the program, with the settings that it has, on a store that keeps nothing: no function
// of the host hears of a change.
func (p *Program) Tried(store record.Store) *Program {
	q := p.With(store)
	if q.tried = true; q.live != nil {
		q.live.last.Store(p.live.last.Load())
	}
	return q
}

// From implements tributary.Program.From.
func (p *Program) From(src affiliate.Source) *Program {
	q := *p
	q.source = src
	return &q
}

// By implements tributary.Program.By.
func (p *Program) By(actor string) *Program {
	q := *p
	q.actor = lineOf(actor, maxActor)
	return &q
}

// Because implements tributary.Program.Because.
func (p *Program) Because(reason string) *Program {
	q := *p
	q.reason = lineOf(reason, maxReason)
	return &q
}

// The longest name of an actor and the longest reason, in code points.
const (
	maxActor  = 100
	maxReason = 500
)

// lineOf returns what is kept of what the host says of a change: it has the text from its
// login or its pages, so one that no store takes is made one that it does.
func lineOf(s string, most int) string {
	runes := 0
	return strings.Map(func(r rune) rune {
		switch runes++; {
		case runes > most:
			return -1
		case unicode.IsControl(r):
			return utf8.RuneError
		}
		return r
	}, strings.ToValidUTF8(s, "\uFFFD"))
}

// Config implements tributary.Program.Config.
func (p *Program) Config() Config {
	if p.live != nil {
		if last := p.live.last.Load(); last != nil {
			return *last.Cfg
		}
	}
	return *p.Cfg
}

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

// A storeCheck remembers two checks of a Program's store, which transactions need not repeat:
// it has every table (a missing one is an error that names it, and no later panic), and it
// keeps the program as the Config says. See settings_kept.go.
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
	if err == nil && change == nil {
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

const (
	WaitingShown = 5   // of each list, when the caller does not say
	WaitingMost  = 20  // of each list
	WaitingCount = 100 // counted at most

	FailedLately = 14 * 24 * time.Hour // older deliveries that failed are not shown
)

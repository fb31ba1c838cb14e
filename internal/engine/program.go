package engine

import (
	"errors"
	"strings"
	"sync/atomic"
	"unicode"
	"unicode/utf8"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
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
	Once    affiliate.Once // for every write without one of its own
	IDs     *uuid7.Source
	Recent  *Recent
	lists   *sharedLists

	news *news

	Verifying *atomic.Bool // a VerifyJob runs

	targets []target     // the prepared destinations
	unset   *record.Plan // the program's own terms, until they are set
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
	if err := cfg.complete(); err != nil {
		return nil, err
	}
	return &Program{
		Store: store, checked: new(storeCheck), Cfg: &cfg, source: affiliate.SourceAPI, IDs: &uuid7.Source{Rand: cfg.Rand, New: cfg.NewID},
		Recent: new(Recent), lists: new(sharedLists), news: new(news), Verifying: new(atomic.Bool),
		targets: targets(cfg.Destinations, cfg.Param), unset: &record.Plan{ID: programPlan(), Terms: cfg.Terms},
	}, nil
}

// With implements tributary.Program.With.
func (p *Program) With(store record.Store) *Program {
	q := *p
	q.Store, q.checked = store, new(storeCheck)
	return &q
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
func (p *Program) Config() Config { return *p.Cfg }

package affiliate

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/url"
	"slices"
	"time"

	"github.com/google/uuid"
)

// Config is what a host decides when it starts a program. The zero Config is
// usable: US dollars, UTC, everybody approved, real clock. Its Terms pay 0 %:
// set Terms.Rate, or no sale earns a commission. What changes at run time
// (plans, tiers, endpoints) are records instead.
type Config struct {
	ID           uuid.UUID      // scope of the Store and programId on the wire; zero is a valid id
	Name         string         // shown on links
	Currency     Currency       // of every sale; zero: USD
	Location     *time.Location // where a plain date ends; nil: UTC
	Destinations []Destination  // where links lead to
	Param        string         // query parameter of the slug; zero: ref
	KeepParams   []string       // query parameters that a click keeps of its pages, besides Param and utm_*
	CookieDays   int            // days of 24 hours in which a click attributes, 1–36,500; zero: 60
	Terms        Terms          // commission of affiliates without a rate, tier or plan of their own; zero: 0 %

	NoAutoApprove        bool          // affiliates created without a status are INACTIVE; zero: ACTIVE
	CommissionOnTax      bool          // zero: tax is deducted from the base
	CommissionOnShipping bool          // zero: shipping is deducted from the base
	RefundWindow         time.Duration // after the sale; zero: no limit
	CascadeEvents        bool          // deletes fire the children's events too, children first; zero: only those of docs/contract.md 7.1

	Now   func() time.Time // nil: time.Now
	NewID func() uuid.UUID // nil: version 7 from Now and Rand; another one must increase strictly too
	Rand  io.Reader        // ids, codes, secrets; nil: crypto/rand.Reader

	Addresses AddressPolicy // which endpoint URLs are accepted

	// Seal encrypts the secrets of endpoints at rest, and Open is its inverse:
	// both or neither, safe for concurrent use. boundTo is the id of the record
	// that the secret stands in, of the endpoint or of a receipt. It must be
	// authenticated with the data, as additional data of an AEAD, so that what
	// is copied to another record does not open there. Neither is called inside
	// a transaction. Nil: secrets are stored as they are. Where they come later
	// than the first endpoint, Open is given what was stored before, and returns
	// what begins with whsec_ as it is; rotating seals it.
	Seal func(data, boundTo []byte) ([]byte, error)
	Open func(data, boundTo []byte) ([]byte, error)

	// Schedule is the delay before each attempt of a delivery: its length is
	// the number of attempts. From the second one on, up to a tenth or two
	// seconds are added. Nil: at once, then after 5 s, 5 min, 30 min, 2 h, 5 h,
	// 10 h, 14 h, 20 h and 24 h.
	Schedule []time.Duration

	// Send makes the request of a test: webhooks.Sender.Send. Nil: tests answer
	// that nothing was delivered.
	Send func(context.Context, Claim) Attempt

	// OnNotice is called after the commit of what it tells, in the goroutine
	// that settled the attempt; it must not block. Nil: nothing is called.
	OnNotice func(Notice)

	// Hooks are told of each change, after its commit.
	Hooks Hooks

	// OnEvents is called after each commit that wrote events, in the goroutine
	// that made it; it must not block. Nil: nothing is called.
	OnEvents func()

	// Logger is told, at level Error, of a panic in Send, Open, OnNotice,
	// OnEvents or a hook, with its value and stack: all but Open are called when
	// the change is committed, so the caller is answered what happened, and
	// the panic ends here. Nil: slog.Default().
	Logger *slog.Logger
}

// A Destination is a page of the host that links lead to.
type Destination struct {
	URL    string     // absolute; its own query comes first
	Params url.Values // appended after the slug, in the order of their names
}

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
	ids    *idSource
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
		store: store, tables: new(tableCheck), cfg: cfg, source: SourceAPI, ids: &idSource{rand: cfg.Rand, custom: cfg.NewID},
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

// complete fills in the defaults and refuses what cannot work.
func (c *Config) complete() error {
	if c.Currency == "" {
		c.Currency = "USD"
	}
	currency, err := ParseCurrency(string(c.Currency))
	if err != nil {
		return fmt.Errorf("affiliate: Config.Currency: %w", err)
	}
	c.Currency = currency
	if c.Location == nil {
		c.Location = time.UTC
	}
	if c.Param == "" {
		c.Param = "ref"
	}
	if slices.Contains(c.KeepParams, "") {
		return errors.New("affiliate: Config.KeepParams has an empty name")
	}
	c.KeepParams = slices.Clone(c.KeepParams)
	if c.CookieDays == 0 {
		c.CookieDays = 60
	}
	if c.CookieDays < 0 || c.CookieDays > maxCookieDays {
		return errors.New("affiliate: Config.CookieDays must be from 1 to 36500")
	}
	if c.RefundWindow < 0 {
		return errors.New("affiliate: Config.RefundWindow must not be negative")
	}
	if (c.Seal == nil) != (c.Open == nil) {
		return errors.New("affiliate: Config.Seal and Open go together")
	}
	if len(c.Schedule) == 0 {
		c.Schedule = defaultSchedule()
	}
	if err := checkSchedule(c.Schedule); err != nil {
		return err
	}
	if err := checkTerms(&c.Terms); err != nil {
		return fmt.Errorf("affiliate: Config.Terms: %w", err)
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Rand == nil {
		c.Rand = rand.Reader
	}
	return checkDestinations(c.Destinations)
}

func checkDestinations(all []Destination) error {
	for _, d := range all {
		u, err := url.Parse(d.URL)
		if err != nil || !u.IsAbs() || u.Host == "" {
			return fmt.Errorf("affiliate: Config.Destinations: %q is not an absolute URL", d.URL)
		}
	}
	return nil
}

// An op is one operation of a program: what was taken before the transaction,
// and the transaction it runs in. Helpers inside a closure are its methods and
// find everything through it.
type op struct {
	*Program
	ctx    context.Context
	tx     *Tx
	now    time.Time // read once
	ids    draws
	events int // written by this run

	lastEvent uuid.UUID // of the program, as this run sees it, once numbered
	numbered  bool
	watches   *watches // for the hooks; nil: there are none
}

func (p *Program) op(ctx context.Context) *op {
	return &op{Program: p, ctx: ctx, now: p.now()}
}

// now reads the clock: UTC, whole microseconds.
func (p *Program) now() time.Time { return micros(p.cfg.Now()) }

// micros is t in UTC, without what is below a microsecond and without a
// monotonic reading.
func micros(t time.Time) time.Time {
	t = t.UTC().Round(0)
	return t.Add(-time.Duration(t.Nanosecond() % int(time.Microsecond)))
}

// later is the updatedAt of a record that changes: now, or what it was when the
// clock has gone back.
func later(now, was time.Time) time.Time {
	if now.Before(was) {
		return was
	}
	return now
}

// update runs fn in one transaction of the store. A store may run fn again, so
// the op starts every run from the same state and what fn returns is the only
// way out.
func update[T any](o *op, fn func() (T, error)) (T, error) {
	var out T
	err := o.store.Update(o.ctx, o.cfg.ID, func(tx *Tx) (err error) {
		if err := o.tables.run(tx); err != nil {
			return err
		}
		o.tx, o.events, o.numbered = tx, 0, false
		if o.cfg.Hooks.wanted() {
			o.tx, o.watches = o.cfg.Hooks.watch(tx)
		}
		o.ids.rewind()
		out, err = fn()
		return err
	})
	if err != nil {
		var zero T
		return zero, err
	}
	if o.events > 0 {
		o.committed()
	}
	return out, nil
}

// committed tells of events that are committed.
func (o *op) committed() {
	o.news.tell()
	if o.watches != nil {
		o.watches.run(o)
	}
	o.tellEvents()
}

// view runs fn on one moment of the records.
func view[T any](ctx context.Context, p *Program, fn func(*op) (T, error)) (T, error) {
	var out T
	o := &op{Program: p, ctx: ctx}
	err := p.store.View(ctx, p.cfg.ID, func(tx *Tx) (err error) {
		if err := p.tables.run(tx); err != nil {
			return err
		}
		o.tx = tx
		out, err = fn(o)
		return err
	})
	if err != nil {
		var zero T
		return zero, err
	}
	return out, nil
}

// emit writes the event of a change: the one place that does. The caller has
// raised the object's revision and stored the object; body shares no memory
// with anything that can change. The event's deliveries are written with it.
func (o *op) emit(typ EventType, object uuid.UUID, revision int64, body any) error {
	return o.emitNumbered(typ, object, 0, revision, body)
}

// emitNumbered is emit for an object with an integer id on the wire.
func (o *op) emitNumbered(typ EventType, object uuid.UUID, number, revision int64, body any) error {
	return o.emitFrozen(&frozen{body: body}, typ, object, number, revision)
}

// emitFrozen is emitNumbered for a body that brings the event's frame along.
func (o *op) emitFrozen(f *frozen, typ EventType, object uuid.UUID, number, revision int64) error {
	id, err := o.newEventID()
	if err != nil {
		return internal("number event", err)
	}
	f.typ, f.id, f.program, f.occurredAt, f.revision = typ, id, o.cfg.ID, o.now, revision
	rec := EventRecord{
		ID: f.id, Type: typ, ObjectID: object, Number: number, Revision: revision, OccurredAt: o.now,
		Payload: Payload{frozen: f},
	}
	if err := o.tx.Events.Insert(rec); err != nil {
		return internal("write event", err)
	}
	o.events++
	if o.watches != nil {
		if err := o.watches.note(&rec); err != nil {
			return internal("read change", err)
		}
	}
	return o.fanOut(&rec)
}

// newID draws the next id of the operation.
func (o *op) newID() uuid.UUID {
	return o.ids.draw(func() uuid.UUID { return o.Program.ids.next(o.now) })
}

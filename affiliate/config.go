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

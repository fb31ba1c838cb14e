package affiliate

import (
	"cmp"
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

// Config has the settings of a program. The zero Config is usable: US dollars,
// UTC, every affiliate approved, real clock. Its Terms pay 0 %: set Terms.Rate,
// or no sale earns a commission. Plans, tiers and endpoints can change at run
// time, so they are records instead.
type Config struct {
	ID           uuid.UUID      // the program in the Store, and programId on the wire; zero is a valid id
	Name         string         // shown on links
	Currency     Currency       // of every sale; zero: USD
	Location     *time.Location // where a plain date ends; nil: UTC
	Destinations []Destination  // where links lead to
	Param        string         // query parameter of the slug; zero: ref
	KeepParams   []string       // query parameters of a page URL that a click keeps, besides Param and utm_*
	CookieDays   int            // for how many days of 24 hours a click attributes, 1–36,500; zero: 60
	Terms        Terms          // commission of affiliates without a rate, tier or plan of their own; zero: 0 %

	Limits Limits // how much one object may hold

	NoAutoApprove        bool          // affiliates created without a status are INACTIVE; zero: ACTIVE
	CommissionOnTax      bool          // false: tax is deducted from the base
	CommissionOnShipping bool          // false: shipping is deducted from the base
	RefundWindow         time.Duration // after the sale; zero: no limit
	ErasureKey           []byte        // keys what is kept of the email of somebody who was erased, ≥ 16 bytes; never change it. Nil: the program's id, which whoever reads the store knows
	PaymentMemory        time.Duration // how long a payment without a sale, and a payer without a referral, are kept after the last change; zero: 90 days
	FreeOrders           bool          // sales of nothing are recorded when the report says that they are free; see NewSale.Free
	RefuseSuspended      bool          // codes of affiliates who are BANNED or DEACTIVATED are refused; false: their sales earn commissions on hold
	CascadeEvents        bool          // deletes also fire the events of the children, children first; false: only those of docs/contract.md 7.1

	Now   func() time.Time // nil: time.Now
	NewID func() uuid.UUID // nil: version 7 from Now and Rand; another one must increase strictly too
	Rand  io.Reader        // ids, codes, secrets; nil: crypto/rand.Reader

	// Review are rules that hold the commission of a sale for a person to look
	// at; at most 16, each with a reason of its own. Nil: none. [SelfReferral]
	// is one.
	Review []ReviewRule

	Addresses AddressPolicy // which endpoint URLs are accepted

	// Seal encrypts the stored secrets of endpoints, and Open is its inverse.
	// Set both or neither; both must be safe for concurrent use. boundTo is the
	// id of the endpoint or receipt that holds the secret. Authenticate it with
	// the data, as additional data of an AEAD, so that a sealed secret cannot
	// be opened in another record. Neither is called inside a transaction. Nil:
	// secrets are stored in plain text. When Seal is set after the first
	// endpoint was created, Open also gets unsealed secrets: it must return a
	// text that begins with whsec_ unchanged. Rotating a secret seals it.
	Seal func(data, boundTo []byte) ([]byte, error)
	Open func(data, boundTo []byte) ([]byte, error)

	// Schedule has the delay before each attempt of a delivery; its length is
	// the number of attempts. Each delay after the first is up to a tenth or
	// two seconds longer. Nil: at once, then after 5 s, 5 min, 30 min, 2 h, 5
	// h, 10 h, 14 h, 20 h and 24 h.
	Schedule []time.Duration

	// Send makes the request of an endpoint test; use webhooks.Sender.Send.
	// Nil: a test reports that nothing was delivered.
	Send func(context.Context, Claim) Attempt

	// OnNotice is called after the commit of the change that it reports, in the
	// goroutine that settled the attempt. It must not block. Nil: not called.
	OnNotice func(Notice)

	// Hooks are called with each change, after its commit.
	Hooks Hooks

	// OnEvents is called after each commit that wrote events, in the goroutine
	// that made it. It must not block. Nil: not called.
	OnEvents func()

	// Observer watches operations and deliveries, for metrics and traces. The
	// zero Observer costs nothing.
	Observer Observer

	// Logger gets a line at level Error, with value and stack, for each panic
	// in Send, Open, OnNotice, OnEvents, Observer, a rule of Review or a hook. Except for
	// Open and Review, the change is committed by then, so the panic is not
	// passed on and the caller gets the result. Nil: slog.Default().
	Logger *slog.Logger
}

// A Destination is a page of the host that links lead to.
type Destination struct {
	URL    string     // absolute; a query in it comes first
	Params url.Values // appended after the slug, in the order of their names
}

// complete fills in the defaults and refuses values that cannot work.
func (c *Config) complete() error {
	c.fillIn()
	currency, err := ParseCurrency(string(c.Currency))
	if err != nil {
		return fmt.Errorf("affiliate: Config.Currency: %w", err)
	}
	c.Currency = currency
	if slices.Contains(c.KeepParams, "") {
		return errors.New("affiliate: Config.KeepParams has an empty name")
	}
	if c.CookieDays < 0 || c.CookieDays > maxCookieDays {
		return errors.New("affiliate: Config.CookieDays must be from 1 to 36500")
	}
	if c.RefundWindow < 0 {
		return errors.New("affiliate: Config.RefundWindow must not be negative")
	}
	if n := len(c.ErasureKey); n > 0 && n < 16 {
		return errors.New("affiliate: Config.ErasureKey must have at least 16 bytes")
	}
	if c.PaymentMemory < 0 {
		return errors.New("affiliate: Config.PaymentMemory must not be negative")
	}
	if err := c.Limits.complete(); err != nil {
		return err
	}
	if err := checkReview(c.Review); err != nil {
		return err
	}
	if (c.Seal == nil) != (c.Open == nil) {
		return errors.New("affiliate: Config.Seal and Open go together")
	}
	if err := checkSchedule(c.Schedule); err != nil {
		return err
	}
	if err := normalizeTerms(&c.Terms); err != nil {
		return fmt.Errorf("affiliate: Config.Terms: %w", err)
	}
	return checkDestinations(c.Destinations)
}

// fillIn gives what was left out its default.
func (c *Config) fillIn() {
	c.Currency = cmp.Or(c.Currency, "USD")
	c.Param = cmp.Or(c.Param, "ref")
	c.CookieDays = cmp.Or(c.CookieDays, 60)
	c.PaymentMemory = cmp.Or(c.PaymentMemory, 90*24*time.Hour)
	c.Location = cmp.Or(c.Location, time.UTC)
	c.KeepParams = slices.Clone(c.KeepParams)
	c.ErasureKey = slices.Clone(c.ErasureKey)
	c.Review = slices.Clone(c.Review)
	c.Observer.complete()
	if len(c.Schedule) == 0 {
		c.Schedule = defaultSchedule()
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Rand == nil {
		c.Rand = rand.Reader
	}
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

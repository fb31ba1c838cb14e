// Package sync copies coupons to Stripe: a program's coupon and its codes become a
// coupon and its promotion codes there. It acts only when it is called: creating a
// coupon in the engine creates nothing at Stripe.
//
//	stripe := &sync.Client{Key: os.Getenv("STRIPE_KEY")}
//	done, err := stripe.Coupon(ctx, program, coupon.ID)
//	for _, d := range done.Differences {
//		log.Printf("%s: %s is %s here and %s at Stripe", d.Code, d.Field, d.Ours, d.Theirs)
//	}
//
// Most fields of a coupon cannot be changed at Stripe. A difference is reported,
// and never repaired by creating the object again, because orders refer to the
// existing one.
//
// Source: docs/payments-stripe.md.
package sync

import (
	"context"
	"fmt"
	"iter"
	"log/slog"
	"net/http"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
)

// A Client calls Stripe's API. Its fields do not change while it is in use. It
// prints without its key.
//
// Concurrency: safe for concurrent use. A call sends one request at a time.
//
// Source: docs/payments-stripe.md.
type Client struct {
	Key     string       // secret or restricted key that may read and write coupons and promotion codes
	Base    string       // zero: https://api.stripe.com. Only https, except on this machine
	HTTP    *http.Client // zero: a client of its own, 30 s a request. Redirects are never followed
	Account string       // connected account for which the calls are made; zero: the key's own
	Version string       // of Stripe's API; zero: 2026-02-25.clover
}

// Format writes the client without its key, for every verb.
func (c Client) Format(f fmt.State, _ rune) {
	fmt.Fprintf(f, "sync.Client{Key: ***, Base: %q, Account: %q, Version: %q}", c.Base, c.Account, c.Version)
}

// LogValue returns the client without its key.
func (c Client) LogValue() slog.Value { return slog.StringValue(fmt.Sprint(c)) }

// MarshalText returns a mask, so that no JSON has the key.
func (c Client) MarshalText() ([]byte, error) { return []byte("***"), nil }

// CouponResult tells what [Client.Coupon] did at Stripe.
type CouponResult struct {
	Created     []string // ids of what it made, the coupon first
	Adopted     []string // ids of promotion codes that were there already and are the program's now
	Updated     []string // ids of what it changed, as Fix says
	Differences []Difference
}

// A Difference is a field that has another value at Stripe than in the program.
type Difference struct {
	CouponID     uuid.UUID
	Code         string // empty: of the coupon
	ExternalID   string // of the object at Stripe; empty: there is none
	Field        string // as the program calls it
	Ours, Theirs string // empty: none
	Fix          Fix
}

// Fix says what can be done about a difference.
type Fix int

// The ways.
const (
	FixNone   Fix = iota // Stripe does not allow it: a person decides
	FixUpdate            // the object can be changed; Coupon does so
	FixNew               // a new promotion code can be made beside the old one
)

// String names the way.
func (f Fix) String() string { return [...]string{"none", "update", "new"}[f] }

// Coupon copies a coupon and its live codes to Stripe: missing objects are created,
// a promotion code with the same text and coupon is adopted, and the program stores
// the ids (ExternalID). A second call changes nothing; after an interruption it
// continues. It makes a request for each code, and two for a new one.
//
// Not created: a code with other characters than letters, digits and dashes; a code
// whose text is active at another coupon; a code for one customer, unless its
// customerId is a customer of Stripe's (cus_…); an amount or a percentage that
// Stripe cannot count. Each is a Difference. A code that only its affiliate's
// customers may use has no such limit at Stripe.
//
// Errors: [affiliate.ErrNotFound]; [Error] for what Stripe refuses; [ErrConfig]; an
// error of the network or of the store. What was done until then is in Done.
//
// Source: docs/payments-stripe.md.
func (c *Client) Coupon(ctx context.Context, p *tributary.Program, id uuid.UUID) (CouponResult, error) {
	s, err := c.session(p)
	if err != nil {
		return CouponResult{}, err
	}
	coupon, err := p.Coupon(ctx, affiliate.CouponRef{ID: id})
	if err != nil {
		return CouponResult{}, err
	}
	err = s.coupon(ctx, coupon)
	return s.done, err
}

// Check compares every coupon that has an id of Stripe's with what is there, and
// yields the differences. It only reads. A coupon that was never taken to Stripe is
// not compared.
//
// Errors: those of [Client.Coupon], each of which ends the walk.
//
// Source: docs/payments-stripe.md.
func (c *Client) Check(ctx context.Context, p *tributary.Program) iter.Seq2[Difference, error] {
	return func(yield func(Difference, error) bool) {
		s, err := c.session(p)
		if err != nil {
			yield(Difference{}, err)
			return
		}
		s.reads = true
		for coupon, err := range affiliate.All(ctx, p.Coupons, affiliate.CouponQuery{}) {
			if err == nil {
				err = s.check(ctx, coupon)
			}
			for _, d := range s.done.Differences {
				if !yield(d, nil) {
					return
				}
			}
			s.done = CouponResult{}
			if err != nil {
				yield(Difference{}, err)
				return
			}
		}
	}
}

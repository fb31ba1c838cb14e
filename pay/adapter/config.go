package adapter

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/httpapi"
	"github.com/tributary-go/tributary/pay"
)

// Config holds the choices of a host for any provider. A package of a provider takes it as it
// is, or has one of its own with what the provider needs besides.
type Config struct {
	Secrets   Secrets          // of the endpoint, 1–10, all are tried: the old and the new one during a rotation
	Tolerance time.Duration    // between a signature's time and Now, in both directions, inclusive; zero: 5 min. Schemes without a time have none
	Wait      time.Duration    // how long a renewal waits for the first payment of its customer; zero: 1 h
	MaxBody   int64            // bytes; zero: 1 MiB, or what the provider's package says
	Now       func() time.Time // nil: time.Now

	// Names renames the keys of what a checkout carries: tributary_click, tributary_slug,
	// tributary_code, tributary_hold, tributary_offer, tributary_order, tributary_customer,
	// tributary_program, tributary_signature. A key that it lacks keeps its name.
	Names map[string]string

	// CarryKeys sign what a checkout carries, and verify it. Without them a code, an
	// order and a customer are not read.
	CarryKeys pay.Keys

	// OnResult is called after the commit, with ignored and refused events too;
	// for logs, metrics and alerts. Nil: not called.
	OnResult func(context.Context, pay.Result)

	// Logger gets refused requests, failures and panics; never a body, an email
	// or a secret. Nil: slog.Default().
	Logger *slog.Logger
}

// Time returns the time by Now.
func (cfg Config) Time() time.Time {
	if cfg.Now == nil {
		return time.Now()
	}
	return cfg.Now()
}

// Carry returns what a checkout carries, so that the events of its payment tell what
// brought the visitor: the click that [httpapi.Attribution] has noted in a cookie of the
// request, and what the host adds, signed with CarryKeys. Give it to the checkout as the
// provider's metadata or custom data. A host that calls RecordSale itself carries the
// Order, so that both are one sale. Do not change what is returned: the payer's browser
// can, and then the signature is wrong. r may be nil: then there is no click. The map is
// empty when nothing is carried.
//
// Errors: [pay.ErrKeys], for a code, an order or a customer without a key; one for a
// text that cannot be carried, and for a Code without an Order.
//
// Concurrency: safe for concurrent use.
//
// Source: docs/payments.md.
func (cfg Config) Carry(p *tributary.Program, r *http.Request, c pay.Carried) (map[string]string, error) {
	c.Program = p.Config().ID
	if c.Click = ""; r != nil {
		c.Click = httpapi.ClickFrom(p, r)
	}
	return carry(cfg.Names, cfg.CarryKeys, c)
}

// Carried reads what a checkout carried from the objects that may have it, the nearest
// first. It is the host's data, or the payer's: no type of it is wrong.
func (cfg Config) Carried(from ...Value) pay.Carried {
	lost := slices.ContainsFunc(from, func(v Value) bool { return !v.IsObject() && wrapped.Match(v.raw) })
	from = slices.DeleteFunc(from, func(v Value) bool { return !v.IsObject() })
	c := Data{Names: cfg.Names, Read: Value.Loose, From: from}.All(cfg.CarryKeys)
	c.Lost = c.Lost || lost && !c.Marks()
	return c
}

// Secrets are shared by an endpoint and its provider. They print as ***.
type Secrets []string

const secretMask = "***"

// Format writes a mask for each secret, for every verb.
func (s Secrets) Format(f fmt.State, _ rune) {
	io.WriteString(f, strings.TrimSuffix(strings.Repeat(secretMask+" ", len(s)), " "))
}

// MarshalText returns a mask, so that neither JSON nor a log has the secrets.
func (s Secrets) MarshalText() ([]byte, error) { return []byte(secretMask), nil }

// LogValue returns a mask.
func (s Secrets) LogValue() slog.Value { return slog.StringValue(secretMask) }

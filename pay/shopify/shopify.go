// Package shopify brings what Shopify reports into a program: orders that were paid, refunds,
// and customers. [Handler] is the endpoint for Shopify's webhooks; [adapter.Config.Carry] puts
// into a cart what brought the visitor:
//
//	cfg := shopify.Config{Config: adapter.Config{Secrets: adapter.Secrets{os.Getenv("SHOPIFY_SECRET")}, CarryKeys: pay.Keys{key}}}
//	hook, err := shopify.Handler(program, cfg)
//	…
//	mux.Handle("POST /webhooks/shopify", hook)
//	…
//	cart.Attributes, err = cfg.Carry(program, r, pay.Carried{})
//
// Events may come in any order and repeatedly.
//
// Source: docs/payments-shopify.md.
package shopify

import (
	"cmp"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/pay"
	"github.com/tributary-go/tributary/pay/adapter"
)

const provider = "shopify"

// The headers of an event that are read. No other one is: what an event is about is in its
// body, which the signature covers.
const (
	HeaderName = "X-Shopify-Hmac-Sha256" // the signature
	shopHeader = "X-Shopify-Shop-Domain"
)

// limit is the longest time for an event: Shopify waits 5 seconds for the answer, and its
// repeat finds what was committed.
const limit = 4 * time.Second

// maxBody is that of an order of 500 lines, the most that Shopify takes, with their taxes,
// discounts and fulfillments.
const maxBody = 4 << 20

// Config says how events are received. Secrets are the client secret of an app, or the key that
// the shop shows under its notifications. Tolerance and Wait must be zero: the signature has no
// time, and no event waits for another one. MaxBody zero: 4 MiB.
//
// Source: docs/payments-shopify.md.
type Config struct {
	adapter.Config
	Test bool // take test orders, and no others; false: the reverse

	// Shop is the domain of the shop whose events are taken, such as
	// northwind-beans.myshopify.com; others are not verified. Empty: those of every shop that
	// has the app.
	Shop string
}

// Handler returns the endpoint for Shopify's webhooks in JSON. Its answers are those of
// [adapter.Endpoint.Handler]; the good one is 200.
//
// Errors: [adapter.ErrConfig].
//
// Concurrency: safe for concurrent use; the handler starts no goroutine.
//
// Source: docs/payments-shopify.md.
func Handler(p *tributary.Program, cfg Config) (http.Handler, error) {
	if cfg.Tolerance != 0 || cfg.Wait != 0 {
		return nil, fmt.Errorf("%w: signatures have no time and nothing waits, so there is no tolerance and no wait",
			adapter.ErrConfig)
	}
	cfg.MaxBody = cmp.Or(cfg.MaxBody, maxBody)
	return adapter.Endpoint{
		Config: cfg.Config, Scheme: scheme(cfg), OK: http.StatusOK, Limit: limit,
		Map: func(body []byte) (pay.Action, error) { return Map(body, cfg) },
	}.Handler(p)
}

// Verify checks the signature of an event against the exact bytes of its body, and whose event
// it is. Call it before anything else reads the body.
//
// Errors: [adapter.ErrConfig], [adapter.ErrHeader], [adapter.ErrSignature].
func Verify(h http.Header, payload []byte, cfg Config) error {
	return scheme(cfg).Verify(h, payload, cfg.Time())
}

func scheme(cfg Config) adapter.Scheme {
	signed := adapter.HMACBase64(HeaderName, cfg.Secrets)
	return func(h http.Header, now time.Time) (func([]byte) error, error) {
		verify, err := signed(h, now)
		if err == nil && cfg.Shop != "" && !strings.EqualFold(h.Get(shopHeader), cfg.Shop) {
			return nil, adapter.ErrSignature
		}
		return verify, err
	}
}

// Topics returns the topics of events that an endpoint should get.
func Topics() []string {
	return []string{"orders/paid", "refunds/create", "order_transactions/create",
		"customers/create", "customers/update"}
}

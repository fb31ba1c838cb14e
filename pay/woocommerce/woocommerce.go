// Package woocommerce brings what WooCommerce reports into a program: orders that were paid,
// their refunds, and customers. [Handler] is the endpoint for its webhooks;
// [adapter.Config.Carry] makes what an order carries of what brought the visitor:
//
//	cfg := woocommerce.Config{Config: adapter.Config{Secrets: adapter.Secrets{os.Getenv("WOOCOMMERCE_SECRET")}, CarryKeys: pay.Keys{key}}}
//	hook, err := woocommerce.Handler(program, cfg)
//	…
//	mux.Handle("POST /webhooks/woocommerce", hook)
//	…
//	meta, err := cfg.Carry(program, r, pay.Carried{})
//
// Events may come in any order and repeatedly.
//
// Source: docs/payments-woocommerce.md.
package woocommerce

import (
	"bytes"
	"cmp"
	"fmt"
	"mime"
	"net/http"
	"strings"
	"time"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/internal/inbound"
	"github.com/tributary-go/tributary/pay"
	"github.com/tributary-go/tributary/pay/adapter"
)

const provider = "woocommerce"

// HeaderName is the header with the signature of an event. No other one is read: what an event
// is about is in its body, which the signature covers.
const HeaderName = "X-WC-Webhook-Signature"

// Config says how events are received. Secrets are those of the webhooks. Tolerance and Wait
// must be zero: the signature has no time, and WooCommerce repeats nothing, so no event waits
// for another one. MaxBody zero: 4 MiB, because plugins write what they like into an order.
//
// Source: docs/payments-woocommerce.md.
type Config struct {
	adapter.Config

	// Shop names the shop when several have one program, by 1–20 characters of a–z and 0–9:
	// ids of orders and customers are numbers that overlap. It is a part of the provider's name
	// and of the externalId of sales, and never changes. Empty: the only one.
	Shop string
}

// Handler returns the endpoint for WooCommerce's webhooks of the REST API v3. Its answers are
// those of [adapter.Endpoint.Handler]; the good one is 200, also to the ping that is sent when
// a webhook is made, which is not signed and changes nothing.
//
// Errors: [adapter.ErrConfig].
//
// Concurrency: safe for concurrent use; the handler starts no goroutine.
//
// Source: docs/payments-woocommerce.md.
func Handler(p *tributary.Program, cfg Config) (http.Handler, error) {
	if cfg.Tolerance != 0 || cfg.Wait != 0 {
		return nil, fmt.Errorf("%w: signatures have no time and nothing is repeated, so there is no tolerance and no wait", adapter.ErrConfig)
	}
	if len(cfg.Shop) > maxShop || strings.Trim(cfg.Shop, "abcdefghijklmnopqrstuvwxyz0123456789") != "" {
		return nil, fmt.Errorf("%w: Shop is not %d characters of a–z and 0–9 at most", adapter.ErrConfig, maxShop)
	}
	cfg.MaxBody = cmp.Or(cfg.MaxBody, maxBody)
	hook, err := adapter.Endpoint{
		Config: cfg.Config, Scheme: scheme(cfg), OK: http.StatusOK,
		Map: func(body []byte) (pay.Action, error) { return Map(body, cfg) },
	}.Handler(p)
	if err != nil {
		return nil, err
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !isPing(w, r) {
			hook.ServeHTTP(w, r)
		}
	}), nil
}

const (
	maxShop = 20
	maxPing = 64               // bytes
	pingFor = 10 * time.Second // in which it arrives, as an event does
	maxBody = 4 << 20          // bytes
)

// isPing reports whether a request is a ping, which answers itself: a form with the number of
// the webhook, and no signature. WooCommerce calls a webhook broken when it is refused.
func isPing(w http.ResponseWriter, r *http.Request) bool {
	kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || kind != "application/x-www-form-urlencoded" || r.Method != http.MethodPost ||
		len(r.Header.Values(HeaderName)) > 0 || r.ContentLength > maxPing {
		return false
	}
	body, err := inbound.Body(w, r, maxPing, pingFor)
	id, found := bytes.CutPrefix(body, []byte("webhook_id="))
	return err == nil && found && len(id) > 0 && len(bytes.Trim(id, "0123456789")) == 0
}

// Verify checks the signature of an event against the exact bytes of its body. Call it
// before anything else reads the body.
//
// Errors: [adapter.ErrConfig], [adapter.ErrHeader], [adapter.ErrSignature].
func Verify(h http.Header, payload []byte, cfg Config) error {
	return scheme(cfg).Verify(h, payload, cfg.Time())
}

func scheme(cfg Config) adapter.Scheme { return adapter.HMACBase64(HeaderName, cfg.Secrets) }

// Topics returns the topics of which a shop should have a webhook each.
func Topics() []string {
	return []string{"order.created", "order.updated", "customer.created", "customer.updated"}
}

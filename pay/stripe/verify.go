package stripe

import (
	"net/http"
	"time"

	"github.com/tributary-go/tributary/pay/adapter"
)

// HeaderName is the header with the signatures of an event.
const HeaderName = "Stripe-Signature"

// form is Stripe's form of signatures. The scheme v0 is for tests of Stripe's
// own and never counts.
var form = adapter.TimedHMAC{Header: HeaderName, Prefix: "whsec_", Time: "t", Signature: "v1", Separator: ",", Joint: "."}

// Verify checks the signature of an event against the exact bytes of its body. Call it
// before anything else reads the body. One right signature of at most ten is enough. The
// time that it takes reveals nothing about the right one.
//
// Errors: [adapter.ErrConfig], [adapter.ErrHeader], [adapter.ErrSignature].
func Verify(h http.Header, payload []byte, cfg Config) error {
	return scheme(cfg).Verify(h, payload, cfg.Time())
}

func scheme(cfg Config) adapter.Scheme { return form.Scheme(cfg.Secrets, cfg.Tolerance) }

// Sign returns the signature header of an event, for the tests of a host.
//
// Source: docs/payments-stripe.md.
func Sign(secret string, at time.Time, payload []byte) string {
	return form.Sign(secret, at, payload)
}

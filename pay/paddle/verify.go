package paddle

import (
	"net/http"
	"time"

	"github.com/tributary-go/tributary/pay/adapter"
)

var (
	// ErrPayload means that a payload is not an event of Paddle. Its text names
	// fields, and never values that were sent.
	ErrPayload = adapter.ErrPayload

	// ErrHeader means that the signature header is missing or malformed.
	ErrHeader = adapter.ErrHeader

	// ErrSignature means that the event is too old or too far in the future, or
	// that no signature is right. The text does not say which.
	ErrSignature = adapter.ErrSignature

	// ErrConfig means that a Config cannot be used.
	ErrConfig = adapter.ErrConfig
)

// HeaderName is the header with the signatures of an event.
const HeaderName = "Paddle-Signature"

var form = adapter.TimedHMAC{Header: HeaderName, Prefix: "pdl_ntfset_", Time: "ts", Signature: "h1", Separator: ";", Joint: ":"}

// Verify checks the signature header of an event against the exact bytes of its
// body. Call it before anything else reads the body. One right signature of at
// most ten is enough. The time that it takes reveals nothing about the right one.
//
// Errors: [ErrConfig], [ErrHeader], [ErrSignature].
//
// Source: docs/payments-paddle.md.
func Verify(header string, payload []byte, cfg Config) error {
	c := cfg.common()
	return form.Scheme(c.Secrets, c.Tolerance).Verify(http.Header{HeaderName: {header}}, payload, c.Time())
}

// Sign returns the signature header of an event, for the tests of a host.
//
// Source: docs/payments-paddle.md.
func Sign(secret string, at time.Time, payload []byte) string {
	return form.Sign(secret, at, payload)
}

// common is what the configurations of all providers have.
func (cfg Config) common() adapter.Config {
	return adapter.Config{
		Secrets: cfg.Secrets, Tolerance: cfg.Tolerance, Wait: cfg.Wait, MaxBody: cfg.MaxBody, Now: cfg.Now,
		Names: cfg.CustomData, CarryKeys: cfg.CarryKeys, OnResult: cfg.OnResult, Logger: cfg.Logger,
	}
}

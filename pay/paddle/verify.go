package paddle

import (
	"time"

	"github.com/tributary-go/tributary/pay/internal/fields"
	"github.com/tributary-go/tributary/pay/internal/hook"
)

var (
	// ErrPayload means that a payload is not an event of Paddle. Its text names
	// fields, and never values that were sent.
	ErrPayload = fields.ErrPayload

	// ErrHeader means that the signature header is missing or malformed.
	ErrHeader = hook.ErrHeader

	// ErrSignature means that the event is too old or too far in the future, or
	// that no signature is right. The text does not say which.
	ErrSignature = hook.ErrSignature

	// ErrConfig means that a Config cannot be used.
	ErrConfig = hook.ErrConfig
)

// HeaderName is the header with the signatures of an event.
const HeaderName = "Paddle-Signature"

var scheme = hook.Scheme{Time: "ts", Signature: "h1", Separator: ";", Joint: ":"}

const secretPrefix = "pdl_ntfset_"

// Verify checks the signature header of an event against the exact bytes of its
// body. Call it before anything else reads the body. One right signature of at
// most ten is enough. The time that it takes reveals nothing about the right one.
//
// Errors: [ErrConfig], [ErrHeader], [ErrSignature].
//
// Source: docs/payments-paddle.md.
func Verify(header string, payload []byte, cfg Config) error {
	return scheme.Verify(header, payload, cfg.check())
}

// Sign returns the signature header of an event, for the tests of a host.
//
// Source: docs/payments-paddle.md.
func Sign(secret string, at time.Time, payload []byte) string {
	return scheme.Sign(secret, at, payload)
}

func (cfg Config) check() hook.Check {
	return hook.Check{Secrets: cfg.Secrets, Prefix: secretPrefix, Tolerance: cfg.Tolerance, Now: cfg.Now}
}

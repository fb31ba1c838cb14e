package webhooks

import (
	"errors"
	"fmt"
	"runtime/debug"
)

// The classes of the refusals of [Verifier.Verify]. Every refusal is one of the
// errors below and matches its class by errors.Is.
var (
	// ErrHeader: a header is missing, repeated or malformed.
	ErrHeader = errors.New("webhooks: header refused")

	// ErrTimestamp: the request is outside the window of time.
	ErrTimestamp = errors.New("webhooks: timestamp refused")

	// ErrSignature: no signature in the request is right. The error does not
	// say what was changed.
	ErrSignature = errors.New("webhooks: signature refused")
)

// The errors of class ErrHeader. An empty header counts as missing.
var (
	ErrIDMissing         = fmt.Errorf("%w: no id", ErrHeader)
	ErrIDRepeated        = fmt.Errorf("%w: more than one id", ErrHeader)
	ErrIDSyntax          = fmt.Errorf("%w: the id is not 1 to 64 of A-Z, a-z, 0-9, _ and -", ErrHeader)
	ErrTimestampMissing  = fmt.Errorf("%w: no timestamp", ErrHeader)
	ErrTimestampRepeated = fmt.Errorf("%w: more than one timestamp", ErrHeader)
	ErrTimestampSyntax   = fmt.Errorf("%w: the timestamp is not 1 to 11 digits of Unix seconds", ErrHeader)
	ErrSignatureMissing  = fmt.Errorf("%w: no signature", ErrHeader)
	ErrSignatureLong     = fmt.Errorf("%w: more than 1 KiB of signatures", ErrHeader)
)

// The errors of class ErrTimestamp.
var (
	ErrTooOld = fmt.Errorf("%w: too old", ErrTimestamp)
	ErrTooNew = fmt.Errorf("%w: in the future", ErrTimestamp)
)

// ErrTolerance means that [Verifier.Tolerance] is negative. Like [ErrSecret]
// and [ErrSecretCount] it is a mistake of the receiver's own configuration and
// not a refusal.
var ErrTolerance = errors.New("webhooks: negative tolerance")

// Further errors that [Receiver.OnError] gets. It also gets the errors of
// [Verifier.Verify], of [Parse], of the functions and of the Dedup.
var (
	// ErrMethod: not a POST; answered 405.
	ErrMethod = errors.New("webhooks: not a POST")

	// ErrMediaType: not application/json, or with a content encoding; 415.
	ErrMediaType = errors.New("webhooks: not plain JSON")

	// ErrTooLarge: the body is larger than MaxBody; 413.
	ErrTooLarge = errors.New("webhooks: body too large")

	// ErrBody: the body ended too early; 400.
	ErrBody = errors.New("webhooks: body not readable")
)

// A PanicError is a panic of the host's code: of a function of a [Receiver],
// and then the answer is 500 and the sender sends again; or of the [Outbox] of
// a [Sender].
type PanicError struct {
	Value any
	Stack []byte
}

// guarded turns a panic into an error.
func guarded(call func() error) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = &PanicError{Value: v, Stack: debug.Stack()}
		}
	}()
	return call()
}

// Error returns the value that the function panicked with.
func (e *PanicError) Error() string { return fmt.Sprintf("webhooks: panic: %v", e.Value) }

// Unwrap returns the value where it is an error.
func (e *PanicError) Unwrap() error {
	err, _ := e.Value.(error)
	return err
}

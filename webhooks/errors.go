package webhooks

import (
	"errors"
	"fmt"
)

// The classes of what [Verifier.Verify] refuses. Every refusal is one of the
// errors below and matches its class by errors.Is.
var (
	// ErrHeader: a header is missing, repeated or malformed.
	ErrHeader = errors.New("webhooks: header refused")

	// ErrTimestamp: the request is outside the window of time.
	ErrTimestamp = errors.New("webhooks: timestamp refused")

	// ErrSignature: no signature in the request is right. Whatever was changed,
	// this is the very error.
	ErrSignature = errors.New("webhooks: signature refused")
)

// What ErrHeader can be. An empty header is a missing one.
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

// What ErrTimestamp can be.
var (
	ErrTooOld = fmt.Errorf("%w: too old", ErrTimestamp)
	ErrTooNew = fmt.Errorf("%w: in the future", ErrTimestamp)
)

// ErrTolerance says that [Verifier.Tolerance] is negative. Like [ErrSecret] and
// [ErrSecretCount] it is the receiver's own fault and no refusal.
var ErrTolerance = errors.New("webhooks: negative tolerance")

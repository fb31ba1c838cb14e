package webhooks

import (
	"fmt"
	"net/http"
	"time"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/internal/inbound"
)

const (
	defaultTolerance = 5 * time.Minute
	maxSignatures    = 1024 // bytes of all signature headers together
)

// A Verifier checks that the sender of a request knows a secret, and that the
// request is recent. Only Secrets is required; without a secret every request
// is refused.
//
// It is safe for concurrent use. Make it once and do not copy it, because it
// keeps values that it computed from its secrets. The fields may be changed
// between calls, but not during a call.
type Verifier struct {
	Secrets   []affiliate.Secret // 1 to 10; any of them may match
	Tolerance time.Duration      // the largest difference to Now, past or future, inclusive; zero: 5 minutes
	Now       func() time.Time   // only whole seconds are used; nil: time.Now

	keys keyrings
}

// A Proof holds what a valid signature proves besides the body.
type Proof struct {
	ID     string    // the same on every attempt
	At     time.Time // the time of this attempt, in UTC
	Secret int       // the index in Secrets; it shows when an old secret is still in use
}

// Verify checks the headers of a request against the exact bytes of its body.
// Call it before the body is parsed. When h has one of the three webhook-*
// headers, only these are read; otherwise the svix-* headers are. The keys of h
// must be in the canonical form of net/http and Header.Set.
//
// Several signatures may be given, separated by a space, on several lines, or
// in lines that a proxy merged with a comma and a space. Signatures of other
// versions are ignored; one valid signature is enough. A request that was
// verified can be verified again until it is too old, which is at most twice
// the tolerance later. Use a [Dedup] to ignore repeats.
//
// Errors, in this order: [ErrSecretCount], [ErrSecret], [ErrTolerance]; then
// those of class [ErrHeader] in the order of their list, those of class
// [ErrTimestamp], and [ErrSignature].
//
// Source: docs/webhooks.md 3.1.
func (v *Verifier) Verify(h http.Header, body []byte) (Proof, error) {
	var c check
	if err := c.begin(v, h); err != nil {
		return Proof{}, err
	}
	c.write(body)
	return c.end()
}

// Format writes only how many secrets there are, for every verb. Without it fmt
// could print the secrets of a Verifier that is a part of another value.
func (v *Verifier) Format(f fmt.State, _ rune) { formatCount(f, v.Secrets) }

// inWindow refuses a time that differs from now by more than the tolerance.
func (v *Verifier) inWindow(at time.Time) error {
	now, tolerance := time.Now, v.Tolerance
	if v.Now != nil {
		now = v.Now
	}
	if tolerance == 0 {
		tolerance = defaultTolerance
	}
	age := inbound.Age(now(), at)
	if age > tolerance {
		return ErrTooOld
	}
	if age < -tolerance {
		return ErrTooNew
	}
	return nil
}

// An envelope holds the values of the signature headers of a request.
type envelope struct {
	id         string
	at         time.Time // a time has only one accepted spelling, so the signed text can be made from it
	signatures []string
}

// read reads the headers of one family. It indexes the map because Header.Get
// computes the canonical form in each call.
func (e *envelope) read(h http.Header) (err error) {
	ids, timestamps, signatures := h[webhookID], h[webhookTimestamp], h[webhookSignature]
	if len(ids)+len(timestamps)+len(signatures) == 0 {
		ids, timestamps, signatures = h[svixID], h[svixTimestamp], h[svixSignature]
	}
	if e.id, err = single(ids, ErrIDMissing, ErrIDRepeated); err != nil {
		return err
	}
	if !validID(e.id) {
		return ErrIDSyntax
	}
	timestamp, err := single(timestamps, ErrTimestampMissing, ErrTimestampRepeated)
	if err != nil {
		return err
	}
	var ok bool
	if e.at, ok = inbound.ParseSeconds(timestamp); !ok {
		return ErrTimestampSyntax
	}
	e.signatures = signatures
	return checkSize(signatures)
}

// single returns the only value of a header.
func single(values []string, missing, repeated error) (string, error) {
	switch {
	case len(values) > 1:
		return "", repeated
	case len(values) == 0 || values[0] == "":
		return "", missing
	}
	return values[0], nil
}

// checkSize limits the length of all signatures together, because each one
// costs work. Each line counts with one separator.
func checkSize(lines []string) error {
	size := 0
	for _, line := range lines {
		if size += len(line) + 1; size > maxSignatures+1 {
			return ErrSignatureLong
		}
	}
	if size == len(lines) { // all lines are empty
		return ErrSignatureMissing
	}
	return nil
}

package webhooks

import (
	"fmt"
	"net/http"
	"time"

	"github.com/tributary-go/tributary/affiliate"
)

const (
	defaultTolerance = 5 * time.Minute
	maxSignatures    = 1024 // bytes of all signature headers together
)

// A Verifier reports whether a request comes from somebody who has a secret, and
// comes now. Secrets is all it needs; a Verifier without any verifies nothing.
//
// It is safe for concurrent use, and is made once: it keeps what it computed
// from its secrets. The fields may be changed between calls, not during one.
// It is used by its address and not copied.
type Verifier struct {
	Secrets   []affiliate.Secret // 1 to 10; any of them may match
	Tolerance time.Duration      // into the past and the future, the bounds included; zero: 5 minutes
	Now       func() time.Time   // whole seconds count; nil: time.Now

	keys keyrings
}

// A Proof is what a right signature vouches for, besides the body.
type Proof struct {
	ID     string    // the same on every attempt
	At     time.Time // of this attempt, in UTC
	Secret int       // index in Secrets: an old one that is still in use shows
}

// Verify checks the headers of a request against the exact bytes of its body,
// before anybody parses them. When one of the three webhook-* headers is there,
// these are read and nothing else; otherwise svix-*. The keys of h are in the
// canonical form that net/http and Header.Set give them.
//
// Several signatures may be given, separated by a space, on several lines, or
// in lines that a proxy merged with a comma and a space. Those of other
// versions are passed over; one right one is enough. A request that verifies
// once verifies again until it is too old, which is at most twice the tolerance
// later: a [Dedup] keeps a repeat from counting.
//
// Errors, in this order: [ErrSecretCount], [ErrSecret], [ErrTolerance]; then of
// [ErrHeader], in the order of its list; of [ErrTimestamp]; [ErrSignature].
//
// Source: docs/webhooks.md 3.1.
func (v *Verifier) Verify(h http.Header, body []byte) (Proof, error) {
	c, err := v.begin(h)
	if err != nil {
		return Proof{}, err
	}
	c.write(body)
	return c.end()
}

// Format writes how many secrets there are, whatever the verb. Without it fmt
// prints a Verifier inside another value as it is, secrets and all, when the
// verb does not suit a pointer.
func (v *Verifier) Format(f fmt.State, _ rune) { formatCount(f, v.Secrets) }

// inWindow refuses what is further from now than the tolerance.
func (v *Verifier) inWindow(at time.Time) error {
	now, tolerance := time.Now, v.Tolerance
	if v.Now != nil {
		now = v.Now
	}
	if tolerance == 0 {
		tolerance = defaultTolerance
	}
	age := time.Unix(now().Unix(), 0).Sub(at)
	if age > tolerance {
		return ErrTooOld
	}
	if age < -tolerance {
		return ErrTooNew
	}
	return nil
}

// An envelope is what the headers of a request say.
type envelope struct {
	id         string
	at         time.Time // has one spelling, so that what is signed is what was received
	signatures []string
}

// readEnvelope reads the headers of one family. The keys are written out
// because Header.Get builds the canonical form anew in each call.
func readEnvelope(h http.Header) (envelope, error) {
	ids, timestamps, signatures := h[webhookID], h[webhookTimestamp], h[webhookSignature]
	if len(ids)+len(timestamps)+len(signatures) == 0 {
		ids, timestamps, signatures = h[svixID], h[svixTimestamp], h[svixSignature]
	}
	id, err := single(ids, ErrIDMissing, ErrIDRepeated)
	if err != nil {
		return envelope{}, err
	}
	if !validID(id) {
		return envelope{}, ErrIDSyntax
	}
	timestamp, err := single(timestamps, ErrTimestampMissing, ErrTimestampRepeated)
	if err != nil {
		return envelope{}, err
	}
	at, ok := parseTimestamp(timestamp)
	if !ok {
		return envelope{}, ErrTimestampSyntax
	}
	if err := checkSize(signatures); err != nil {
		return envelope{}, err
	}
	return envelope{id, at, signatures}, nil
}

// single is the one value of a header.
func single(values []string, missing, repeated error) (string, error) {
	switch {
	case len(values) > 1:
		return "", repeated
	case len(values) == 0 || values[0] == "":
		return "", missing
	}
	return values[0], nil
}

// parseTimestamp reads 1 to 11 digits without a leading zero, the one spelling
// that every language reads alike.
func parseTimestamp(s string) (time.Time, bool) {
	if len(s) == 0 || len(s) > 11 || s[0] == '0' && len(s) > 1 {
		return time.Time{}, false
	}
	var seconds int64
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return time.Time{}, false
		}
		seconds = seconds*10 + int64(s[i]-'0')
	}
	return time.Unix(seconds, 0).UTC(), true
}

// checkSize bounds the work that signatures may ask for, each line counted with
// a separator.
func checkSize(lines []string) error {
	size := 0
	for _, line := range lines {
		if size += len(line) + 1; size > maxSignatures+1 {
			return ErrSignatureLong
		}
	}
	if size == len(lines) { // nothing but separators
		return ErrSignatureMissing
	}
	return nil
}

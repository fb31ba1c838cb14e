// Package hook receives signed requests of payment providers: it verifies them,
// and answers after what they say was committed.
package hook

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tributary-go/tributary/internal/inbound"
)

var (
	// ErrHeader means that a signature header is missing or malformed.
	ErrHeader = errors.New("pay: signature header refused")

	// ErrSignature means that a request is too old or too far in the future, or
	// that no signature is right. The text does not say which.
	ErrSignature = errors.New("pay: signature refused")

	// ErrConfig means that secrets or the tolerance of a configuration cannot be
	// used.
	ErrConfig = errors.New("pay: configuration refused")
)

const (
	defaultTolerance = 5 * time.Minute
	maxSecrets       = 10
	maxSignatures    = 10
	maxHeader        = 4 << 10
)

// A Scheme is a form of signature headers: the time and one or more signatures
// of the time, Joint and the body, by HMAC-SHA256 in hexadecimal.
type Scheme struct {
	Time, Signature string // names of the items
	Separator       string // between items
	Joint           string // between the time and the body
}

// A Check is what a verification needs besides the request.
type Check struct {
	Secrets   []string
	Prefix    string           // of every secret of the provider
	Tolerance time.Duration    // zero: 5 minutes, in both directions
	Now       func() time.Time // nil: time.Now
}

// Validate refuses what cannot verify anything.
//
// Errors: [ErrConfig].
func (c Check) Validate() error {
	if len(c.Secrets) == 0 || len(c.Secrets) > maxSecrets {
		return fmt.Errorf("%w: 1 to %d secrets are needed", ErrConfig, maxSecrets)
	}
	for _, secret := range c.Secrets {
		if secret == "" || strings.TrimSpace(secret) != secret {
			return fmt.Errorf("%w: a secret is empty or has white space around it", ErrConfig)
		}
		if !strings.HasPrefix(secret, c.Prefix) { // another secret of the provider, such as an API key
			return fmt.Errorf("%w: a secret does not begin with %s", ErrConfig, c.Prefix)
		}
	}
	if c.Tolerance < 0 {
		return fmt.Errorf("%w: the tolerance is negative", ErrConfig)
	}
	return nil
}

// Time returns the time of the check.
func (c Check) Time() time.Time {
	if c.Now == nil {
		return time.Now()
	}
	return c.Now()
}

// Sign returns the header of a body.
func (s Scheme) Sign(secret string, at time.Time, body []byte) string {
	seconds := strconv.FormatInt(at.Unix(), 10)
	return s.Time + "=" + seconds + s.Separator + s.Signature + "=" + string(s.mac(secret, seconds, body))
}

// Verify checks the header of a body. The time that it takes reveals nothing
// about the right signature.
//
// Errors: [ErrConfig]; [ErrHeader]; [ErrSignature].
func (s Scheme) Verify(header string, body []byte, c Check) error {
	signed, err := s.open(header, c)
	if err != nil {
		return err
	}
	return signed.verify(body)
}

// A signed header has the right form and is of the right time. Its signatures
// are not verified yet.
type signed struct {
	scheme     Scheme
	secrets    []string
	seconds    string
	signatures []string
}

// open checks what can be checked without the body: the header, the time, and the
// form of the signatures.
func (s Scheme) open(header string, c Check) (signed, error) {
	if err := c.Validate(); err != nil {
		return signed{}, err
	}
	at, signatures, err := s.read(header)
	if err != nil {
		return signed{}, err
	}
	tolerance := c.Tolerance
	if tolerance == 0 {
		tolerance = defaultTolerance
	}
	if inbound.Age(c.Time(), at).Abs() > tolerance || !slices.ContainsFunc(signatures, isSignature) {
		return signed{}, ErrSignature
	}
	return signed{s, c.Secrets, strconv.FormatInt(at.Unix(), 10), signatures}, nil
}

// isSignature reports whether a text has the length and the alphabet of a signature.
func isSignature(text string) bool {
	return len(text) == hex.EncodedLen(sha256.Size) && strings.Trim(text, "0123456789abcdef") == ""
}

// verify checks the signatures of a body.
func (s signed) verify(body []byte) error {
	right := false
	for _, secret := range s.secrets {
		want := s.scheme.mac(secret, s.seconds, body)
		for _, got := range s.signatures {
			same := hmac.Equal(want, []byte(got))
			right = right || same
		}
	}
	if !right {
		return ErrSignature
	}
	return nil
}

// mac returns the signature in hexadecimal.
func (s Scheme) mac(secret, seconds string, body []byte) []byte {
	h := hmac.New(sha256.New, []byte(secret))
	h.Write([]byte(seconds + s.Joint))
	h.Write(body)
	return hex.AppendEncode(nil, h.Sum(nil))
}

// read reads the time and the signatures. Items with other names are ignored.
func (s Scheme) read(header string) (at time.Time, signatures []string, err error) {
	if len(header) > maxHeader {
		return at, nil, fmt.Errorf("%w: too long", ErrHeader)
	}
	timed := false
	for item := range strings.SplitSeq(header, s.Separator) {
		name, value, found := strings.Cut(item, "=")
		if !found {
			return at, nil, fmt.Errorf("%w: an item has no value", ErrHeader)
		}
		switch name {
		case s.Time:
			var ok bool
			if at, ok = inbound.ParseSeconds(value); !ok || timed {
				return at, nil, fmt.Errorf("%w: the time is malformed or repeated", ErrHeader)
			}
			timed = true
		case s.Signature:
			if len(signatures) == maxSignatures {
				return at, nil, fmt.Errorf("%w: too many signatures", ErrHeader)
			}
			signatures = append(signatures, value)
		}
	}
	if !timed || len(signatures) == 0 {
		return at, nil, fmt.Errorf("%w: the time or the signature is missing", ErrHeader)
	}
	return at, signatures, nil
}

// Mask writes a mask in the place of each of n secrets.
func Mask(w io.Writer, mask string, n int) {
	io.WriteString(w, strings.TrimSuffix(strings.Repeat(mask+" ", n), " "))
}

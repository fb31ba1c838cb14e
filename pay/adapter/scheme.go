package adapter

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/webhooks"
)

var (
	// ErrHeader means that a signature header is missing or malformed.
	ErrHeader = errors.New("pay: signature header refused")

	// ErrSignature means that a request is too old or too far in the future, or
	// that no signature is right. The text does not say which.
	ErrSignature = errors.New("pay: signature refused")

	// ErrConfig means that a configuration cannot be used.
	ErrConfig = errors.New("pay: configuration refused")
)

const (
	defaultTolerance = 5 * time.Minute
	maxSecrets       = 10
	maxHeader        = 4 << 10
)

// A Scheme is the proof of a provider that a request is its own. It gets the headers
// before anything of the body is read, refuses what they alone show to be wrong, and
// returns what verifies the exact bytes of the body. The time that this takes must
// reveal nothing about the right proof.
//
// [HMACHex], [HMACBase64], [StandardWebhooks], [BasicAuth], [StaticHeader] and
// [TimedHMAC.Scheme] are schemes; a function of your own is another one.
//
// Errors, of both: [ErrHeader], [ErrSignature]; [ErrConfig], which it returns for any
// headers, when it cannot verify anything.
type Scheme func(h http.Header, now time.Time) (verify func(body []byte) error, err error)

// Verify checks a request whose body was read.
//
// Errors: [ErrConfig], [ErrHeader], [ErrSignature].
func (s Scheme) Verify(h http.Header, body []byte, now time.Time) error {
	verify, err := s(h, now)
	if err != nil {
		return err
	}
	return verify(body)
}

// HMACHex is a header with the HMAC-SHA256 of the body in hexadecimal. It has no time: a
// request that was recorded can be sent again at any time, and changes nothing.
func HMACHex(header string, secrets Secrets) Scheme {
	return mac(header, secrets, hex.DecodeString)
}

// HMACBase64 is a header with the HMAC-SHA256 of the body in base64, without a time, as
// [HMACHex].
func HMACBase64(header string, secrets Secrets) Scheme {
	return mac(header, secrets, base64.StdEncoding.Strict().DecodeString)
}

// mac is a header with the HMAC-SHA256 of the body.
func mac(header string, secrets Secrets, decode func(string) ([]byte, error)) Scheme {
	return func(h http.Header, _ time.Time) (func([]byte) error, error) {
		if err := secrets.check(""); err != nil {
			return nil, err
		}
		text, err := only(h, header)
		if err != nil {
			return nil, err
		}
		got, err := decode(text)
		if err != nil || len(got) != sha256.Size {
			return nil, ErrSignature
		}
		return func(body []byte) error {
			return secrets.any(func(secret string) bool { return hmac.Equal(sum(secret, body), got) })
		}, nil
	}
}

// StandardWebhooks is the scheme of standardwebhooks.com: the headers webhook-id,
// webhook-timestamp and webhook-signature, or svix-*. Secrets are base64 of 24 to 64
// bytes, with whsec_ before it or not. Zero tolerance: 5 minutes, in both directions.
func StandardWebhooks(secrets Secrets, tolerance time.Duration) Scheme {
	v := &webhooks.Verifier{Tolerance: tolerance}
	for _, secret := range secrets {
		v.Secrets = append(v.Secrets, affiliate.Secret(secret))
	}
	check := func(h http.Header, body []byte, now time.Time) error {
		at := webhooks.Verifier{Secrets: v.Secrets, Tolerance: v.Tolerance, Now: func() time.Time { return now }}
		_, err := at.Verify(h, body)
		switch {
		case err == nil:
			return nil
		case errors.Is(err, webhooks.ErrHeader):
			return fmt.Errorf("%w: %w", ErrHeader, err)
		case errors.Is(err, webhooks.ErrSignature):
			return ErrSignature
		case errors.Is(err, webhooks.ErrTimestamp):
			return fmt.Errorf("%w: %w", ErrSignature, err)
		}
		return fmt.Errorf("%w: %w", ErrConfig, err)
	}
	return func(h http.Header, now time.Time) (func([]byte) error, error) {
		if err := check(h, nil, now); err != nil && !errors.Is(err, webhooks.ErrSignature) && err != ErrSignature {
			return nil, err
		}
		return func(body []byte) error { return check(h, body, now) }, nil
	}
}

// BasicAuth is the header Authorization with a name and one of the passwords. It proves
// the sender and not the body: use it with TLS only, and where the provider has nothing
// better.
func BasicAuth(name string, passwords Secrets) Scheme {
	return secret(passwords, func(h http.Header) (string, error) {
		got, password, ok := (&http.Request{Header: h}).BasicAuth()
		if !ok {
			return "", fmt.Errorf("%w: no basic authentication", ErrHeader)
		}
		if !equal(got, name) {
			return "", ErrSignature
		}
		return password, nil
	})
}

// StaticHeader is a header with one of the values. It proves the sender and not the body,
// as [BasicAuth].
func StaticHeader(header string, values Secrets) Scheme {
	return secret(values, func(h http.Header) (string, error) { return only(h, header) })
}

// secret is a header with a secret itself.
func secret(secrets Secrets, read func(http.Header) (string, error)) Scheme {
	return func(h http.Header, _ time.Time) (func([]byte) error, error) {
		if err := secrets.check(""); err != nil {
			return nil, err
		}
		got, err := read(h)
		if err != nil {
			return nil, err
		}
		if err := secrets.any(func(secret string) bool { return equal(secret, got) }); err != nil {
			return nil, err
		}
		return func([]byte) error { return nil }, nil
	}
}

// equal compares two texts in a time that depends on their lengths alone.
func equal(a, b string) bool {
	x, y := sha256.Sum256([]byte(a)), sha256.Sum256([]byte(b))
	return hmac.Equal(x[:], y[:])
}

// sum returns the HMAC-SHA256 of parts.
func sum(secret string, parts ...[]byte) []byte {
	h := hmac.New(sha256.New, []byte(secret))
	for _, part := range parts {
		h.Write(part)
	}
	return h.Sum(nil)
}

// only returns the one value of a header.
func only(h http.Header, name string) (string, error) {
	values := h.Values(name)
	if len(values) != 1 || values[0] == "" {
		return "", fmt.Errorf("%w: not given once", ErrHeader)
	}
	if len(values[0]) > maxHeader {
		return "", fmt.Errorf("%w: too long", ErrHeader)
	}
	return values[0], nil
}

// check refuses secrets that cannot verify anything.
func (s Secrets) check(prefix string) error {
	if len(s) == 0 || len(s) > maxSecrets {
		return fmt.Errorf("%w: 1 to %d secrets are needed", ErrConfig, maxSecrets)
	}
	if slices.ContainsFunc(s, func(secret string) bool { return secret == "" || strings.TrimSpace(secret) != secret }) {
		return fmt.Errorf("%w: a secret is empty or has white space around it", ErrConfig)
	}
	if slices.ContainsFunc(s, func(secret string) bool { return !strings.HasPrefix(secret, prefix) }) { // such as an API key
		return fmt.Errorf("%w: a secret does not begin with %s", ErrConfig, prefix)
	}
	return nil
}

// any returns nil when one of the secrets is right. It tries all of them.
func (s Secrets) any(right func(secret string) bool) error {
	found := false
	for _, secret := range s {
		is := right(secret)
		found = found || is
	}
	if !found {
		return ErrSignature
	}
	return nil
}

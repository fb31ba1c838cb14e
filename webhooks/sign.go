package webhooks

import (
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/tributary-go/tributary/affiliate"
)

// The header names of both families in the canonical form of http.Header.
const (
	webhookID        = "Webhook-Id"
	webhookTimestamp = "Webhook-Timestamp"
	webhookSignature = "Webhook-Signature"
	svixID           = "Svix-Id"
	svixTimestamp    = "Svix-Timestamp"
	svixSignature    = "Svix-Signature"
)

const (
	maxID        = 64             // characters of an id
	maxTimestamp = 99_999_999_999 // eleven digits of seconds
	scheme       = "v1,"
)

// Sign returns the three headers of a request with this body: webhook-id,
// webhook-timestamp and webhook-signature. The last has a signature for each
// secret in the given order, which should be newest first. id is the id of the
// event, the same on every attempt. at is the time of this attempt in whole
// seconds. The body must be sent with exactly these bytes.
//
// A test uses it to sign a request for a receiver. The headers do not include
// the content type, because the signature does not cover it.
//
// Errors: [ErrIDSyntax], [ErrTimestampSyntax], [ErrSecretCount], [ErrSecret].
//
// Source: docs/contract.md 7.4; Standard Webhooks 1.0, scheme v1.
func Sign(secrets []affiliate.Secret, id string, at time.Time, body []byte) (http.Header, error) {
	if err := checkMessage(id, at); err != nil {
		return nil, err
	}
	keys, err := keysOf(secrets)
	if err != nil {
		return nil, err
	}
	signatures := make([]byte, 0, len(keys)*entrySize)
	for _, key := range keys {
		signatures = newMAC(key).appendEntry(signatures, id, at, body)
	}
	values := []string{id, strconv.FormatInt(at.Unix(), 10), string(signatures[:len(signatures)-1])}
	return http.Header{
		webhookID:        values[0:1:1],
		webhookTimestamp: values[1:2:2],
		webhookSignature: values[2:3:3],
	}, nil
}

// A Signer signs many messages with the same secrets, and decodes them only
// once. Its zero value has no secrets, and each call returns an error.
//
// It is safe for concurrent use. Make it once and do not copy it. Secrets may
// be changed between calls, but not during a call.
type Signer struct {
	Secrets []affiliate.Secret // 1 to 10, newest first

	keys keyrings
}

// AppendSignatures appends the value of the header webhook-signature to dst, as
// [Sign] makes it, and returns the extended slice.
//
// Errors: those of [Sign].
func (s *Signer) AppendSignatures(dst []byte, id string, at time.Time, body []byte) ([]byte, error) {
	if err := checkMessage(id, at); err != nil {
		return dst, err
	}
	ring, err := s.keys.of(s.Secrets)
	if err != nil {
		return dst, err
	}
	for i := range ring.macs {
		m := ring.get(i)
		dst = m.appendEntry(dst, id, at, body)
		ring.put(i, m)
	}
	return dst[:len(dst)-1], nil
}

// Format writes only how many secrets there are, for every verb, as
// [Verifier.Format] does.
func (s *Signer) Format(f fmt.State, _ rune) { formatCount(f, s.Secrets) }

// checkMessage checks the id and the time, which are signed with the body.
func checkMessage(id string, at time.Time) error {
	if !validID(id) {
		return ErrIDSyntax
	}
	if seconds := at.Unix(); seconds < 0 || seconds > maxTimestamp {
		return ErrTimestampSyntax
	}
	return nil
}

// validID reports whether s has the form of an id. A dot in an id would allow
// to move the boundary between id and timestamp without changing the signature.
func validID(s string) bool {
	if len(s) == 0 || len(s) > maxID {
		return false
	}
	for i := range len(s) {
		c := s[i]
		if (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') && c != '_' && c != '-' {
			return false
		}
	}
	return true
}

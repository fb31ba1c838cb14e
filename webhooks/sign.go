package webhooks

import (
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/tributary-go/tributary/affiliate"
)

// The header names of both families, as http.Header keeps them.
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

// Sign returns the three headers of a request that carries body: webhook-id,
// webhook-timestamp and webhook-signature, with a signature for each secret in
// the order given, which is newest first. The id is that of the event, the same
// on every attempt; at is the time of this one, of which the seconds count. The
// bytes of body are signed as they are and must be sent as they are.
//
// A test signs with it what a receiver verifies. The content type is not among
// the headers, since nothing outside the signature may matter.
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

// A Signer signs many messages with the same secrets, without reading them anew
// each time. Its zero value has none and signs nothing.
//
// It is safe for concurrent use, is made once and used by its address. Secrets
// may be changed between calls, not during one.
type Signer struct {
	Secrets []affiliate.Secret // 1 to 10, newest first

	keys keyrings
}

// AppendSignatures appends the value of the header webhook-signature, as [Sign]
// makes it, and returns the extended slice.
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

// Format writes how many secrets there are, whatever the verb, as
// [Verifier.Format] does.
func (s *Signer) Format(f fmt.State, _ rune) { formatCount(f, s.Secrets) }

// checkMessage checks what is signed besides the body.
func checkMessage(id string, at time.Time) error {
	if !validID(id) {
		return ErrIDSyntax
	}
	if seconds := at.Unix(); seconds < 0 || seconds > maxTimestamp {
		return ErrTimestampSyntax
	}
	return nil
}

// validID reports whether s has the form of an id. A dot in it would let the
// boundary to the timestamp shift under one signature.
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

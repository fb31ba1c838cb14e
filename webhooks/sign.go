package webhooks

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"hash"
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
	encodedMAC   = 44 // sha256.Size bytes in base64
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
// Source: contract 7.4; Standard Webhooks 1.0, scheme v1.
func Sign(secrets []affiliate.Secret, id string, at time.Time, body []byte) (http.Header, error) {
	if !validID(id) {
		return nil, ErrIDSyntax
	}
	seconds := at.Unix()
	if seconds < 0 || seconds > maxTimestamp {
		return nil, ErrTimestampSyntax
	}
	keys, err := keysOf(secrets)
	if err != nil {
		return nil, err
	}
	timestamp := strconv.FormatInt(seconds, 10)
	signatures := make([]byte, 0, len(keys)*(len(scheme)+encodedMAC+1))
	for i, key := range keys {
		if i > 0 {
			signatures = append(signatures, ' ')
		}
		signatures = append(signatures, scheme...)
		signatures = append(signatures, newMAC(key).sum(id, timestamp, body)...)
	}
	return http.Header{
		webhookID:        {id},
		webhookTimestamp: {timestamp},
		webhookSignature: {string(signatures)},
	}, nil
}

// validID tells whether s has the form of an id. A dot in it would let the
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

// A mac computes signatures under one key. It is not safe for concurrent use.
type mac struct {
	hash hash.Hash
	head []byte // id and timestamp, then the raw sum
	text []byte // the sum in base64
}

func newMAC(key []byte) *mac {
	return &mac{
		hash: hmac.New(sha256.New, key),
		head: make([]byte, 0, maxID+len(".99999999999.")),
		text: make([]byte, 0, encodedMAC),
	}
}

// sum is the signature in base64, good until the next call, before which the
// hash must be reset. The body is streamed: nothing grows with it.
func (m *mac) sum(id, timestamp string, body []byte) []byte {
	m.head = append(m.head[:0], id...)
	m.head = append(m.head, '.')
	m.head = append(m.head, timestamp...)
	m.head = append(m.head, '.')
	m.hash.Write(m.head)
	m.hash.Write(body)
	m.head = m.hash.Sum(m.head[:0])
	m.text = base64.StdEncoding.AppendEncode(m.text[:0], m.head)
	return m.text
}

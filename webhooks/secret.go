package webhooks

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"hash"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tributary-go/tributary/affiliate"
)

// Errors of secrets. They do not show any part of a secret.
var (
	// ErrSecret means that a text is not a secret: it is not strict standard
	// base64, or it is not 24 to 64 bytes long.
	ErrSecret = errors.New("webhooks: not a secret")

	// ErrSecretCount means that there is no secret, or more than ten.
	ErrSecretCount = errors.New("webhooks: want 1 to 10 secrets")
)

const (
	secretPrefix = "whsec_"
	minKey       = 24 // bytes of a key
	maxKey       = 64
	newKey       = 32
	maxSecrets   = 10
	asciiSpace   = " \t\r\n\v\f"
)

// NewSecret makes a secret of 32 bytes from rand. Use crypto/rand.Reader; a
// test may use a source of its own.
//
// Errors: the error of rand.
//
// Source: Standard Webhooks, secrets.
func NewSecret(rand io.Reader) (affiliate.Secret, error) {
	var key [newKey]byte
	if _, err := io.ReadFull(rand, key[:]); err != nil {
		return "", fmt.Errorf("draw secret: %w", err)
	}
	return encodeSecret(key[:]), nil
}

// ParseSecret reads a secret from a text such as the content of a file: white
// space around it is removed, and the prefix whsec_ may be missing. It returns
// the form of [NewSecret]. Asymmetric keys (whsk_, whpk_) and URL-safe base64
// are refused.
//
// Errors: [ErrSecret].
//
// Source: Standard Webhooks, secrets. The strictness is ours, because a lenient
// decoder here and a strict one elsewhere would read different keys from one
// text.
func ParseSecret(s string) (affiliate.Secret, error) {
	key, err := keyOf(affiliate.Secret(s))
	if err != nil {
		return "", err
	}
	return encodeSecret(key), nil
}

func encodeSecret(key []byte) affiliate.Secret {
	return affiliate.Secret(secretPrefix + base64.StdEncoding.EncodeToString(key))
}

// keyOf returns the key that a secret stands for.
func keyOf(s affiliate.Secret) ([]byte, error) {
	text := strings.Trim(s.Reveal(), asciiSpace)
	if strings.HasPrefix(text, "whsk_") || strings.HasPrefix(text, "whpk_") {
		return nil, fmt.Errorf("%w: an asymmetric key", ErrSecret)
	}
	text = strings.TrimPrefix(text, secretPrefix)
	if strings.ContainsAny(text, "\r\n") { // the decoder would skip them
		return nil, fmt.Errorf("%w: a newline inside", ErrSecret)
	}
	key, err := base64.StdEncoding.Strict().DecodeString(text)
	if err != nil {
		return nil, fmt.Errorf("%w: not standard base64", ErrSecret)
	}
	if len(key) < minKey || len(key) > maxKey {
		return nil, fmt.Errorf("%w: %d bytes, want %d to %d", ErrSecret, len(key), minKey, maxKey)
	}
	return key, nil
}

// keysOf returns the keys of one to ten secrets.
func keysOf(secrets []affiliate.Secret) ([][]byte, error) {
	if len(secrets) == 0 || len(secrets) > maxSecrets {
		return nil, fmt.Errorf("%w, not %d", ErrSecretCount, len(secrets))
	}
	keys := make([][]byte, len(secrets))
	for i, s := range secrets {
		key, err := keyOf(s)
		if err != nil {
			return nil, fmt.Errorf("secret %d: %w", i, err)
		}
		keys[i] = key
	}
	return keys, nil
}

const (
	encodedMAC = 44                           // sha256.Size bytes in base64
	entrySize  = len(scheme) + encodedMAC + 1 // with the space after it
)

// keyrings caches the keyring of the secrets that were used last.
type keyrings struct{ last atomic.Pointer[keyring] }

// of returns the keyring of the secrets. It compares them in each call, which
// costs almost nothing, so that a removed secret stops working at once.
func (k *keyrings) of(secrets []affiliate.Secret) (*keyring, error) {
	if ring := k.last.Load(); ring != nil && slices.Equal(ring.secrets, secrets) {
		return ring, nil
	}
	keys, err := keysOf(secrets)
	if err != nil {
		return nil, err
	}
	ring := &keyring{secrets: slices.Clone(secrets), macs: make([]sync.Pool, len(keys))}
	for i, key := range keys {
		ring.macs[i].New = func() any { return newMAC(key) }
	}
	k.last.Store(ring)
	return ring, nil
}

// A keyring holds a pool of keyed hashes for each secret.
type keyring struct {
	secrets []affiliate.Secret
	macs    []sync.Pool
}

func (r *keyring) get(secret int) *mac { return r.macs[secret].Get().(*mac) }

func (r *keyring) put(secret int, m *mac) {
	m.hash.Reset()
	r.macs[secret].Put(m)
}

// A mac computes a signature with its key. After a reset of the hash it
// computes another one. It is not safe for concurrent use.
type mac struct {
	hash hash.Hash
	head [maxID + len(".99999999999.")]byte // the signed bytes before the body
	raw  [sha256.Size]byte
	text [encodedMAC]byte
}

func newMAC(key []byte) *mac { return &mac{hash: hmac.New(sha256.New, key)} }

// begin starts a message. Its body is then written to the hash, so no memory
// grows with the body.
func (m *mac) begin(id string, at time.Time) {
	head := append(m.head[:0], id...)
	head = append(head, '.')
	head = strconv.AppendInt(head, at.Unix(), 10)
	head = append(head, '.')
	m.hash.Write(head)
}

// signature returns the signature of the message in base64. It is valid until the
// next message.
func (m *mac) signature() []byte {
	base64.StdEncoding.Encode(m.text[:], m.hash.Sum(m.raw[:0]))
	return m.text[:]
}

// appendEntry appends the signature in the form of the header, with the space
// that separates it from the next.
func (m *mac) appendEntry(dst []byte, id string, at time.Time, body []byte) []byte {
	m.begin(id, at)
	m.hash.Write(body)
	dst = append(dst, scheme...)
	dst = append(dst, m.signature()...)
	return append(dst, ' ')
}

// formatCount writes only how many secrets there are.
func formatCount(f fmt.State, secrets []affiliate.Secret) { fmt.Fprintf(f, "%d secrets", len(secrets)) }

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

package webhooks

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"hash"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tributary-go/tributary/affiliate"
)

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

// Package ticket makes and reads the texts that open an affiliate's pages for a
// while: the token of a link, and the session that it begins.
package ticket

import (
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"time"

	"github.com/google/uuid"
)

// A Kind is what a ticket is for: its texts begin with the prefix, and those of
// one kind are worth nothing as another.
type Kind struct{ prefix, purpose string }

// The kinds of tickets.
var (
	Token   = Kind{"tp1.", "portal token v1"}
	Session = Kind{"ts1.", "portal session v1"}
)

// A Ticket opens the pages of an affiliate of a program until it expires, to the
// second.
type Ticket struct {
	Program, Affiliate uuid.UUID
	Expires            time.Time
}

// MinKey is how many bytes a key has at least.
const MinKey = 32

// A Sealer makes and reads the tickets of a kind. It is safe for concurrent use.
type Sealer struct {
	kind Kind
	key  []byte
}

// New returns the Sealer of a kind under a key of at least [MinKey] bytes.
func New(kind Kind, key []byte) (Sealer, error) {
	if len(key) < MinKey {
		return Sealer{}, errors.New("the key is shorter than 32 bytes")
	}
	derived, err := hkdf.Key(sha256.New, key, nil, kind.purpose, sha256.Size)
	return Sealer{kind, derived}, err
}

// A ticket is program, affiliate and expiry in Unix seconds.
const (
	size  = 16 + 16 + 8
	front = len("tp1.") + (size*4+2)/3
	whole = front + 1 + (sha256.Size*4+2)/3
)

// Seal returns the text of a ticket.
func (s Sealer) Seal(t Ticket) string {
	raw := append(append(make([]byte, 0, size), t.Program[:]...), t.Affiliate[:]...)
	raw = binary.BigEndian.AppendUint64(raw, uint64(t.Expires.Unix()))
	text := s.kind.prefix + base64.RawURLEncoding.EncodeToString(raw)
	return text + "." + s.mac(text)
}

// mac is over the text, so nothing is decoded before it is compared.
func (s Sealer) mac(text string) string {
	h := hmac.New(sha256.New, s.key)
	h.Write([]byte(text))
	return base64.RawURLEncoding.EncodeToString(h.Sum(nil))
}

// Open reads the text of a ticket for a program that has not expired. It compares
// in constant time before it parses anything.
func (s Sealer) Open(text string, program uuid.UUID, now time.Time) (t Ticket, ok bool) {
	if len(text) != whole {
		return t, false
	}
	if !hmac.Equal([]byte(s.mac(text[:front])), []byte(text[front+1:])) || text[front] != '.' || text[:len(s.kind.prefix)] != s.kind.prefix {
		return t, false
	}
	raw, err := base64.RawURLEncoding.DecodeString(text[len(s.kind.prefix):front])
	if err != nil {
		return t, false // no text of ours
	}
	copy(t.Program[:], raw)
	copy(t.Affiliate[:], raw[16:])
	t.Expires = time.Unix(int64(binary.BigEndian.Uint64(raw[32:])), 0)
	return t, t.Program == program && now.Before(t.Expires)
}

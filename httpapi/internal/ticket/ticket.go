// Package ticket makes and reads the texts that open an affiliate's pages for a
// while: the token of a link, that of a mailed one, and the session that it begins; and the one by
// which a browser is known in which somebody signed in.
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

// A Kind is the purpose of a ticket. Its texts begin with the prefix, and a ticket of
// one kind is never valid as another. It may have ids besides those of the program and
// the affiliate.
type Kind struct {
	prefix, purpose string
	ids             int
}

// The kinds of tickets.
var (
	Token   = Kind{"tp1.", "portal token v1", 1}
	Session = Kind{"ts1.", "portal session v1", 2}
	Stop    = Kind{"tu1.", "link that stops mails v1", 1}
	Mailed  = Kind{"tm1.", "portal mailed link v1", 2}
	Email   = Kind{"te1.", "portal change of email v1", 2}
	Known   = Kind{"tk1.", "portal browser v1", 1}
)

// A Ticket opens the pages of an affiliate of a program until it expires, to the
// second.
type Ticket struct {
	Program, Affiliate uuid.UUID
	Expires            time.Time

	ID uuid.UUID // no other ticket has it
	// Beside is the affiliate whom the host had logged in when a session was chosen, nil: none; and in
	// a mailed link what identifies the browser that asked for it.
	Beside uuid.UUID
}

// MinKey is the shortest key, in bytes.
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

// size returns the number of bytes of a ticket of the kind: program, affiliate, expiry
// in Unix seconds, and the other ids.
func (k Kind) size() int { return 16 + 16 + 8 + 16*k.ids }

// front returns how long the text is up to its dot.
func (k Kind) front() int { return len(k.prefix) + base64.RawURLEncoding.EncodedLen(k.size()) }

// Seal returns the text of a ticket.
func (s Sealer) Seal(t Ticket) string {
	raw := append(append(make([]byte, 0, s.kind.size()), t.Program[:]...), t.Affiliate[:]...)
	raw = binary.BigEndian.AppendUint64(raw, uint64(t.Expires.Unix()))
	raw = append(append(raw, t.ID[:]...), t.Beside[:]...)[:s.kind.size()]
	text := s.kind.prefix + base64.RawURLEncoding.EncodeToString(raw)
	return text + "." + s.mac(text)
}

// mac returns the authentication code of the text, so that nothing is decoded before the
// code was compared.
func (s Sealer) mac(text string) string {
	h := hmac.New(sha256.New, s.key)
	h.Write([]byte(text))
	return base64.RawURLEncoding.EncodeToString(h.Sum(nil))
}

// Open reads the text of a ticket for a program that has not expired. It compares
// in constant time before it parses anything.
func (s Sealer) Open(text string, program uuid.UUID, now time.Time) (t Ticket, ok bool) {
	front := s.kind.front()
	if len(text) != front+1+base64.RawURLEncoding.EncodedLen(sha256.Size) {
		return t, false
	}
	if !hmac.Equal([]byte(s.mac(text[:front])), []byte(text[front+1:])) || text[front] != '.' ||
		text[:len(s.kind.prefix)] != s.kind.prefix {
		return t, false
	}
	raw, err := base64.RawURLEncoding.DecodeString(text[len(s.kind.prefix):front])
	if err != nil {
		return t, false // no text of ours
	}
	copy(t.Program[:], raw)
	copy(t.Affiliate[:], raw[16:])
	t.Expires = time.Unix(int64(binary.BigEndian.Uint64(raw[32:])), 0)
	copy(t.ID[:], raw[40:])
	copy(t.Beside[:], raw[56:])
	return t, t.Program == program && now.Before(t.Expires)
}

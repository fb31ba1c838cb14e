package httpapi

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/internal/refusal"
)

// A Key opens a program to those who send it. It prints without its secret and
// its hash: in fmt, in logs and as JSON.
type Key struct {
	// Secret is what a request sends: 20–256 visible ASCII characters, such as
	// [NewKey] makes.
	Secret string
	// Hash takes the place of Secret, so that a configuration holds no secret:
	// "sha256:" and the 64 lower-case hex digits of the secret's SHA-256.
	Hash string
	// Name stands in logs for the key: 1–64 characters of A–Z a–z 0–9 . _ -,
	// unique. Empty: key-1, key-2 and so on, by the place in the list.
	// Idempotency keys belong to the name, and without one to the secret.
	Name string
	// Scope says what the key may do. Empty: [ScopeFull].
	Scope Scope
	// ExpiresAt is the last instant at which the key works, by the program's
	// clock. Zero: it never expires. For a rotation, let the old key work beside
	// the new one until then, under the same name: then a request that is repeated
	// with the new secret finds the answer that the old one got.
	ExpiresAt time.Time
}

// The length of a key that a host may configure. A shorter key in a request is
// well-formed and unknown.
const (
	minKey = 20
	maxKey = 256
)

const hashPrefix = "sha256:"

// Format prints the key without its secret, with any verb.
func (k Key) Format(f fmt.State, _ rune) {
	fmt.Fprintf(f, "httpapi.Key{Name: %q, Scope: %q}", k.Name, k.Scope)
}

// LogValue returns what a log shows of the key: not its secret.
func (k Key) LogValue() slog.Value {
	return slog.GroupValue(slog.String("name", k.Name), slog.String("scope", string(k.Scope)))
}

// MarshalJSON writes the key without its secret.
func (k Key) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Name      string
		Scope     Scope
		ExpiresAt time.Time `json:",omitzero"`
	}{k.Name, k.Scope, k.ExpiresAt})
}

// digest returns the SHA-256 of the secret. name is what an error calls the key.
func (k Key) digest(name string) (sum [sha256.Size]byte, err error) {
	switch {
	case (k.Secret == "") == (k.Hash == ""):
		return sum, fmt.Errorf("httpapi: %s needs a Secret or a Hash, one of the two", name)
	case k.Secret != "":
		return sha256.Sum256([]byte(k.Secret)), checkKey(name, k.Secret)
	}
	digits, ok := strings.CutPrefix(k.Hash, hashPrefix)
	if raw, err := hex.DecodeString(digits); ok && err == nil && len(raw) == len(sum) && strings.ToLower(digits) == digits {
		return [sha256.Size]byte(raw), nil
	}
	return sum, fmt.Errorf("httpapi: the Hash of %s must be %q and 64 lower-case hex digits", name, hashPrefix)
}

// checkKey refuses a key that somebody could guess or that no request can
// carry. The error shows the name that the caller passes, never the key.
func checkKey(name, key string) error {
	switch {
	case len(key) < minKey:
		return fmt.Errorf("httpapi: %s is shorter than %d characters", name, minKey)
	case !validKey(key):
		return fmt.Errorf("httpapi: %s must be %d–%d visible ASCII characters", name, minKey, maxKey)
	}
	return nil
}

const nameLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-"

// ValidName reports whether a text can be the name of a [Key].
func ValidName(name string) bool {
	return name != "" && len(name) <= 64 && strings.Trim(name, nameLetters) == ""
}

const placePrefix = "key-"

// placeName returns the name of a key that has none, at the i-th place of a list.
func placeName(i int) string { return placePrefix + strconv.Itoa(i+1) }

// isPlace reports whether a name is only that of a place.
func isPlace(name string) bool {
	number, ok := strings.CutPrefix(name, placePrefix)
	return ok && strings.Trim(number, "0123456789") == ""
}

const keyDigits = 43 // of a number of 32 bytes in base 62

// NewKey makes the secret of a key: "tributary_" and 43 letters and digits, from
// 32 bytes of random. A nil random is that of crypto/rand. The prefix helps to
// find a key that leaked into a file or a log.
//
// Errors: those of random.
func NewKey(random io.Reader) (string, error) {
	if random == nil {
		random = rand.Reader
	}
	var raw [32]byte
	if _, err := io.ReadFull(random, raw[:]); err != nil {
		return "", fmt.Errorf("httpapi: make a key: %w", err)
	}
	digits := new(big.Int).SetBytes(raw[:]).Text(62)
	return "tributary_" + strings.Repeat("0", keyDigits-len(digits)) + digits, nil
}

// expired reports whether a key no longer works at a time.
func (k Key) expired(p *tributary.Program) bool {
	return !k.ExpiresAt.IsZero() && p.Config().Now().After(k.ExpiresAt)
}

// A ring is a fixed set of keys. It keeps their digests only.
type ring map[[sha256.Size]byte]ringKey

// A ringKey is a key of a ring, without its secret, and what it opens.
type ringKey struct {
	digest [sha256.Size]byte
	key    Key
	access Access
}

// KeyRing returns the [Authority] of a fixed set of keys of one program. It keeps
// only their SHA-256 digests and compares them in constant time.
//
// Errors: p is nil, there is no key, a secret is not 20–256 visible ASCII
// characters, a key has both a secret and a hash or neither, a hash is
// malformed, two keys have the same secret, or the same name and are not the old
// and the new secret of one caller, a name or scope is unknown.
// An error names the key and never shows it.
func KeyRing(p *tributary.Program, keys ...Key) (Authority, error) {
	if p == nil {
		return nil, errors.New("httpapi: an API key has no program")
	}
	if len(keys) == 0 {
		return nil, errors.New("httpapi: no API key")
	}
	known, names := ring{}, map[string]Key{}
	for i, key := range keys {
		if key.Name == "" {
			key.Name = placeName(i)
		}
		if !ValidName(key.Name) {
			return nil, fmt.Errorf("httpapi: the name of key %d must be 1–64 characters of A–Z a–z 0–9 . _ -", i+1)
		}
		if other, twice := names[key.Name]; twice && (isPlace(key.Name) || !rotates(other, key)) {
			return nil, fmt.Errorf("httpapi: two keys are called %s", key.Name)
		}
		names[key.Name] = key
		if err := known.add(p, "key "+key.Name, key); err != nil {
			return nil, err
		}
	}
	return known.authority, nil
}

// rotates reports whether two keys of one name are the old and the new secret of
// one caller: they may do the same, and one of them has an end.
func rotates(a, b Key) bool {
	return a.Scope == b.Scope && a.ExpiresAt.IsZero() != b.ExpiresAt.IsZero()
}

// Keys returns the [Authority] of plain keys, each of which opens its program in
// full. It keeps only their SHA-256 digests and compares them in constant time.
//
// Errors: programs is empty, a key is not 20–256 visible ASCII characters, a
// key has no program.
func Keys(programs map[string]*tributary.Program) (Authority, error) {
	if len(programs) == 0 {
		return nil, errors.New("httpapi: no API key")
	}
	known := ring{}
	for i, secret := range slices.Sorted(maps.Keys(programs)) {
		if programs[secret] == nil {
			return nil, errors.New("httpapi: an API key has no program")
		}
		key := Key{Secret: secret, Name: placeName(i)}
		if err := known.add(programs[secret], "an API key", key); err != nil {
			return nil, err
		}
	}
	return known.authority, nil
}

// add puts a key into the ring. An error calls it by name.
func (r ring) add(p *tributary.Program, name string, key Key) error {
	if key.Scope.grant() == 0 {
		return fmt.Errorf("httpapi: the scope of %s is not full, integration, read or propose", name)
	}
	sum, err := key.digest(name)
	if err != nil {
		return err
	}
	if before, twice := r[sum]; twice {
		return fmt.Errorf("httpapi: %s and key %s have the same secret", name, before.key.Name)
	}
	key.Secret, key.Hash = "", ""
	r[sum] = ringKey{sum, key, Access{p, key.Name, key.Scope}}
	return nil
}

// authority returns an [Authority].
func (r ring) authority(_ context.Context, secret string) (Access, error) {
	sum := sha256.Sum256([]byte(secret))
	found := r[sum]
	if subtle.ConstantTimeCompare(found.digest[:], sum[:]) != 1 || found.key.expired(found.access.Program) {
		return Access{}, refusal.RefuseToken.Err()
	}
	return found.access, nil
}

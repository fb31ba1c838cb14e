package httpapi

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"math/big"
	"strconv"
	"strings"
	"time"

	"github.com/tributary-go/tributary"
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

func validName(name string) bool {
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

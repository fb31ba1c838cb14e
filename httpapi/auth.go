package httpapi

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/tributary-go/tributary/affiliate"
)

// An Authenticator returns the program of a key. The key is well-formed: 1–256
// visible ASCII characters. An [*affiliate.Error] is the answer: that of
// [affiliate.RefuseToken] for an unknown key, of [affiliate.RefuseAccess], or of
// [affiliate.RefuseProgram]. Any other error is answered 500. The function is called for every request, so a revoked key
// is refused from the next request on.
//
// Source: docs/contract.md 1.2.
type Authenticator func(ctx context.Context, key string) (*affiliate.Program, error)

// The length of a key that a host may configure. A shorter key in a request is
// well-formed and unknown.
const (
	minKey = 20
	maxKey = 256
)

// Keys is the authenticator of a fixed set of keys. It keeps only their SHA-256
// digests and compares in constant time.
//
// Errors: programs is empty, a key is not 20–256 visible ASCII characters, a
// key has no program.
func Keys(programs map[string]*affiliate.Program) (Authenticator, error) {
	if len(programs) == 0 {
		return nil, errors.New("httpapi: no API key")
	}
	type entry struct {
		digest  [sha256.Size]byte
		program *affiliate.Program
	}
	known := make(map[[sha256.Size]byte]entry, len(programs))
	for key, p := range programs {
		if err := checkKey("an API key", key); err != nil {
			return nil, err
		}
		if p == nil {
			return nil, errors.New("httpapi: an API key has no program")
		}
		sum := sha256.Sum256([]byte(key))
		known[sum] = entry{sum, p}
	}
	return func(_ context.Context, key string) (*affiliate.Program, error) {
		sum := sha256.Sum256([]byte(key))
		entry := known[sum]
		if subtle.ConstantTimeCompare(entry.digest[:], sum[:]) != 1 {
			return nil, affiliate.RefuseToken.Err()
		}
		return entry.program, nil
	}, nil
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

// bearer is the key in the Authorization header: one line, the scheme in any
// letter case, one space, the key.
func bearer(h http.Header) (string, bool) {
	lines := h["Authorization"]
	if len(lines) != 1 {
		return "", false
	}
	scheme, key, _ := strings.Cut(lines[0], " ")
	if len(scheme) != len("Bearer") || !strings.EqualFold(scheme, "Bearer") || !validKey(key) {
		return "", false
	}
	return key, true
}

func validKey(key string) bool { return visible(key, maxKey) }

// visible reports whether s has 1–limit characters, all visible ASCII.
func visible(s string, limit int) bool {
	for i := range len(s) {
		if s[i] <= ' ' || s[i] > '~' {
			return false
		}
	}
	return s != "" && len(s) <= limit
}

package httpapi

import (
	"context"
	"net/http"
	"strings"

	"github.com/tributary-go/tributary/affiliate"
)

// An Access is what a key opens.
type Access struct {
	Program *affiliate.Program
	KeyName string // what logs say instead of the key; may be empty
	Scope   Scope  // empty: [ScopeFull]
}

// An Authority returns what a key opens. The key is well-formed: 1–256 visible
// ASCII characters. An [*affiliate.Error] is the answer: that of
// [affiliate.RefuseToken] for an unknown or expired key, of
// [affiliate.RefuseAccess], or of [affiliate.RefuseProgram]. Any other error is
// answered 500. The function is called for every request, so a revoked key is
// refused from the next request on.
//
// Source: docs/contract.md 1.2.
type Authority func(ctx context.Context, key string) (Access, error)

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

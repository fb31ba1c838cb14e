package httpapi

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"strings"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/internal/refusal"
)

// An Access says what a key opens.
type Access struct {
	Program *tributary.Program
	KeyName string // stands for the key in logs, and owns the idempotency keys of its requests; may be empty
	Scope   Scope  // empty: [ScopeFull]
}

// owner returns the owner of the idempotency keys that a request with this secret uses: the
// key's name, so that they outlive a new secret, and without a name a digest of the secret.
func (a Access) owner(secret string) string {
	switch {
	case a.KeyName == "" || isPlace(a.KeyName):
		return "key:" + fingerprint("idempotency of a key\n"+secret)
	case !ValidName(a.KeyName): // an Authority of the host may call it anything
		return "name:" + fingerprint(a.KeyName)
	}
	return a.KeyName
}

// fingerprint identifies a text without revealing it.
func fingerprint(text string) string {
	sum := sha256.Sum256([]byte(text))
	return base64.RawURLEncoding.EncodeToString(sum[:16])
}

// An Authority returns what a key opens. The key is well-formed: 1–256 visible
// ASCII characters. An [*affiliate.Error] is the answer:
// [RefuseToken] for an unknown or expired key, [RefuseAccess] or [RefuseProgram].
// Any other error is answered 500. The function is called for every request, so a revoked key is
// refused from the next request on.
//
// Source: docs/contract.md 1.2.
type Authority func(ctx context.Context, key string) (Access, error)

// RefuseToken returns the error of an [Authority] for a key that is not known or has
// expired.
func RefuseToken() error { return refusal.RefuseToken.Err() }

// RefuseAccess returns the error of an [Authority] for a key whose program has no API.
func RefuseAccess() error { return refusal.RefuseAccess.Err() }

// RefuseProgram returns the error of an [Authority] for a key whose program was deleted.
func RefuseProgram() error { return refusal.RefuseProgram.Err() }

// bearer returns the key in the Authorization header: one line, the scheme in any
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

// A Scope says which operations a key may call. The OpenAPI document lists the
// scopes of each operation as x-scopes.
//
// Source: docs/contract.md 1.2.
type Scope string

const (
	// ScopeFull allows every operation.
	ScopeFull Scope = "full"
	// ScopeIntegration allows what a shop needs: to read and write affiliates,
	// links, coupons, promotional codes, referrals and sales. It does not allow
	// webhooks, payouts, adjustments and cases: a leaked key of a shop must not add an
	// endpoint, pay, or answer affiliates.
	ScopeIntegration Scope = "integration"
	// ScopeRead allows reading, and nothing that writes. Validating a code is a
	// POST and is not allowed.
	ScopeRead Scope = "read"
	// ScopePropose allows what ScopeRead does, to validate and compare codes, to preview payouts, and
	// to propose: an assistant with such a key asks for a change, which a person accepts.
	ScopePropose Scope = "propose"
)

// grants are the scopes that may call a route.
type grants uint8

const (
	full grants = 1 << iota
	integration
	read
	proposing

	ownerOnly = full
	proposers = full | proposing
	pricers   = full | integration | proposing
	owners    = full | read | proposing // reading what a shop does not need
	shops     = full | integration      // writing what a shop needs
	everybody = full | integration | read | proposing
)

// grant returns the bit of a scope; zero for a scope that does not exist.
func (s Scope) grant() grants {
	switch s {
	case ScopeFull, "":
		return full
	case ScopeIntegration:
		return integration
	case ScopeRead:
		return read
	case ScopePropose:
		return proposing
	}
	return 0
}

// scopes lists the scopes in words.
func (g grants) scopes() (list []Scope) {
	for _, s := range []Scope{ScopeFull, ScopeIntegration, ScopeRead, ScopePropose} {
		if g&s.grant() != 0 {
			list = append(list, s)
		}
	}
	return list
}

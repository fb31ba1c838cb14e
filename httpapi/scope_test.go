package httpapi_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/httpapi"
	"github.com/tributary-go/tributary/internal/atlength"
)

const tooNarrow = "403 insufficient_scope: API key is not allowed to do this"

// The secrets of keys of each scope.
var scoped = map[httpapi.Scope]string{
	httpapi.ScopeFull: "full-key-of-this-suite", httpapi.ScopeIntegration: "integration-key-of-this-suite", httpapi.ScopeRead: "read-key-of-this-suite",
}

func withScopes(s *setup) {
	s.api.APIKeys = nil
	for scope, secret := range scoped {
		s.api.Keys = append(s.api.Keys, httpapi.Key{Secret: secret, Name: string(scope), Scope: scope})
	}
}

// allowed is the matrix of docs/contract.md 1.2, written down a second time.
func allowed(method, path string, scope httpapi.Scope) bool {
	reads := method == "GET"
	switch path {
	case "/api/v1/affiliates/ensure", "/api/v1/clicks", "/api/v1/referrals/status", "/api/v1/sales/reverse":
		return scope != httpapi.ScopeRead
	case "/api/v1/referrals/plan", "/api/v1/referrals/merge", "/api/v1/affiliates/merge", "/api/v1/promotional-codes/generate", "/api/v1/sales/restore-redemption", "/api/v1/sales/accept-redemption", "/api/v1/sales/recalculate", "/api/v1/payments/decide", "/api/v1/links/release":
		return scope == httpapi.ScopeFull
	}
	switch {
	case scope == httpapi.ScopeFull, path == "/api/v1/openapi.json":
		return true
	case path == "/api/v1/sales/review", strings.HasSuffix(path, "/search"), path == "/api/v1/coupons/summaries", strings.HasPrefix(path, "/api/v1/webhooks"), strings.HasPrefix(path, "/api/v1/payouts"), strings.HasPrefix(path, "/api/v1/adjustments"),
		strings.HasPrefix(path, "/api/v1/balances"), path == "/api/v1/movements", path == "/api/v1/statements", path == "/api/v1/sales/explain", strings.HasPrefix(path, "/api/v1/reports"), path == "/api/v1/program", path == "/api/v1/terms", path == "/api/v1/verify", path == "/api/v1/attention",
		strings.HasPrefix(path, "/api/v1/commission-"), path == "/api/v1/partner/token", path == "/api/v1/prune", path == "/api/v1/referrals/erase", strings.HasPrefix(path, "/api/v1/affiliates/"):
		return scope == httpapi.ScopeRead && reads
	}
	return reads || scope == httpapi.ScopeIntegration
}

// TestScopes: each operation with each scope. Without the scope nothing is read,
// neither a broken body nor the store, and nothing changes.
// It proves console checks 10 and 25, and money check 30.
func TestScopes(t *testing.T) {
	w := newWorld(t, withScopes)
	ops := w.fill().operations()
	seen := map[bool]int{}
	for _, op := range ops {
		path, _, _ := strings.Cut(op.target, "?")
		for scope, secret := range scoped {
			may := allowed(op.method, path, scope)
			seen[may]++
			before, calls := w.dump(), w.store.calls
			r := request(op.method, op.target, "{broken", "Authorization: Bearer "+secret)
			if !may {
				r.Body, r.ContentLength = unreadableBody{t}, 10
			}
			got := w.send(r)
			if may == (got.refusal() == tooNarrow) {
				t.Errorf("%s with scope %s: %s", op, scope, got.refusal())
			}
			if !may && w.store.calls != calls {
				t.Errorf("%s with scope %s: the store was called", op, scope)
			}
			equal(t, before, w.dump())
		}
	}
	if seen[true] == 0 || seen[false] == 0 {
		t.Errorf("%v operations were allowed and refused", seen)
	}
	w.refuses("404 not_found: Not found", "POST", "/api/v1/nope", "{}", "Authorization: Bearer "+scoped[httpapi.ScopeRead])
	w.refuses("405 method_not_allowed: Method not allowed", "PATCH", couponsPath, "{}", "Authorization: Bearer "+scoped[httpapi.ScopeRead])
}

// TestScopeOfAuthority: an empty scope is full, a scope that does not exist
// allows nothing.
func TestScopeOfAuthority(t *testing.T) {
	var open httpapi.Access
	w := newWorld(t, func(s *setup) {
		s.auth = func(context.Context, string) (httpapi.Access, error) { return open, nil }
	})
	for scope, want := range map[httpapi.Scope]string{"": "200", "full": "200", "integration": "200", "read": "200", "FULL": tooNarrow, "admin": tooNarrow} {
		open = httpapi.Access{Program: w.Program, Scope: scope}
		if got := w.do("GET", couponsPath, "").refusal(); got != want {
			t.Errorf("scope %q: %s, want %s", scope, got, want)
		}
	}
}

// TestExpiredKey: a key works at its last instant and not a microsecond later.
// Two keys overlap without a refused request.
// It is console check 28.
func TestExpiredKey(t *testing.T) {
	const before, after = "old-key-of-this-suite", "new-key-of-this-suite"
	w := newWorld(t, func(s *setup) {
		s.api.APIKeys = nil
		s.api.Keys = []httpapi.Key{{Secret: before, ExpiresAt: start.Add(time.Hour)}, {Secret: after}}
	})
	ask := func(secret string) string {
		return w.do("GET", couponsPath, "", "Authorization: Bearer "+secret).refusal()
	}
	w.pass(time.Hour)
	got := []string{ask(before), ask(after)}
	w.pass(time.Microsecond)
	equal(t, []string{"200", "200", invalidToken, "200"}, append(got, ask(before), ask(after)))
}

// TestKeyRing: what it refuses, and that no error shows a secret.
// It is console check 27.
func TestKeyRing(t *testing.T) {
	p := newWorld(t).Program
	const good, other = "20-characters-are-ok", "another-of-20-chars-"
	hash := hashOf(good)
	for want, keys := range map[string][]httpapi.Key{
		"httpapi: no API key":                                                           nil,
		"httpapi: key shop is shorter than 20 characters":                               {{Name: "shop", Secret: good[1:]}},
		"httpapi: key key-2 is shorter than 20 characters":                              {{Secret: good}, {Secret: "short"}},
		"httpapi: key key-1 must be 20–256 visible ASCII characters":                    {{Secret: good + " x"}},
		"httpapi: key key-1 needs a Secret or a Hash, one of the two":                   {{}},
		"httpapi: key both needs a Secret or a Hash, one of the two":                    {{Name: "both", Secret: good, Hash: hash}},
		`httpapi: the Hash of key key-1 must be "sha256:" and 64 lower-case hex digits`: {{Hash: hash[1:]}},
		`httpapi: the Hash of key cut must be "sha256:" and 64 lower-case hex digits`:   {{Name: "cut", Hash: hash[:len(hash)-1]}},
		`httpapi: the Hash of key upper must be "sha256:" and 64 lower-case hex digits`: {{Name: "upper", Hash: "sha256:" + strings.ToUpper(hash[7:])}},
		"httpapi: two keys are called shop":                                             {{Name: "shop", Secret: good}, {Name: "shop", Secret: other}},
		"httpapi: two keys are called key-2":                                            {{Name: "key-2", Secret: good}, {Secret: other}},
		"httpapi: key b and key a have the same secret":                                 {{Name: "a", Secret: good}, {Name: "b", Hash: hash}},
		"httpapi: the scope of key key-1 is not full, integration or read":              {{Secret: good, Scope: "admin"}},
		"httpapi: the name of key 1 must be 1–64 characters of A–Z a–z 0–9 . _ -":       {{Secret: good, Name: "a b"}},
		"httpapi: the name of key 2 must be 1–64 characters of A–Z a–z 0–9 . _ -":       {{Secret: good}, {Secret: other, Name: strings.Repeat("n", 65)}},
	} {
		_, err := httpapi.KeyRing(p, keys...)
		if err == nil || err.Error() != want || strings.Contains(err.Error(), good) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	if _, err := httpapi.KeyRing(nil, httpapi.Key{Secret: good}); err == nil {
		t.Error("no program: no error")
	}
	auth := must(httpapi.KeyRing(p, httpapi.Key{Hash: hash, Scope: httpapi.ScopeRead}, httpapi.Key{Name: "shop", Secret: other}))
	for secret, want := range map[string]httpapi.Access{good: {p, "key-1", httpapi.ScopeRead}, other: {p, "shop", ""}} {
		if got, err := auth(t.Context(), secret); got != want || err != nil {
			t.Errorf("%+v, %v, want %+v", got, err, want)
		}
	}
	for _, wrong := range []string{"wrong", hash, good + "x"} {
		if _, err := auth(t.Context(), wrong); !errors.Is(err, affiliate.InvalidToken) {
			t.Errorf("%q: %v", wrong, err)
		}
	}
}

func hashOf(secret string) string {
	sum := sha256.Sum256([]byte(secret))
	return "sha256:" + hex.EncodeToString(sum[:])
}

// TestKeyPrints: a key shows its name and neither its secret nor its hash, in
// fmt, in slog and as JSON. The log of requests has its name.
func TestKeyPrints(t *testing.T) {
	const secret = "a-secret-of-this-suite"
	var log strings.Builder
	logger := slog.New(slog.NewJSONHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	key := httpapi.Key{Secret: secret, Name: "shop", Scope: httpapi.ScopeRead}
	hashed := httpapi.Key{Hash: hashOf(secret), Name: "shop", Scope: httpapi.ScopeRead}
	for _, k := range []httpapi.Key{key, hashed} {
		for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%d", "%x"} {
			fmt.Fprintf(&log, verb+" "+verb+" "+verb+"\n", k, &k, httpapi.Config{Keys: []httpapi.Key{k}})
		}
		logger.Info("a key", "key", k, "pointer", &k, "list", []httpapi.Key{k})
		json.NewEncoder(&log).Encode(k)
	}
	w := newWorld(t, func(s *setup) { s.api.APIKeys, s.api.Keys, s.api.Logger = nil, []httpapi.Key{key}, logger })
	w.do("GET", couponsPath, "", "Authorization: Bearer "+secret)
	w.do("POST", couponsPath, "{}", "Authorization: Bearer "+secret)
	text := log.String()
	for _, hidden := range []string{secret, hex.EncodeToString([]byte(secret)), hashOf(secret)[7:]} {
		if strings.Contains(strings.ToLower(text), hidden) {
			t.Errorf("%s is shown:\n%s", hidden, text)
		}
	}
	if n := strings.Count(text, `"key":"shop"`); n != 2 {
		t.Errorf("%d requests name their key:\n%s", n, text)
	}
}

// TestHashedKeyIsNotKept: a handler that was configured with a hash has the
// secret nowhere on the heap before a request brings it.
// It is console check 27.
func TestHashedKeyIsNotKept(t *testing.T) {
	const backwards = "Terces-a-dnif-ot-eman-reverof"
	const digits = "16565c84295043720cd8d23371e9bf36ef05f3f136ec72f3060b4c74b9dfbb25" // of the secret
	h := must(httpapi.New(newWorld(t).Program, httpapi.Config{Keys: []httpapi.Key{{Hash: "sha256:" + digits}}}))
	file := must(os.CreateTemp(t.TempDir(), "heap"))
	debug.WriteHeapDump(file.Fd())
	dump := must(os.ReadFile(file.Name()))
	secret := []byte(backwards)
	slices.Reverse(secret)
	if !bytes.Contains(dump, must(hex.DecodeString(digits))) {
		t.Error("the dump has not even the digest")
	}
	if bytes.Contains(dump, secret) {
		t.Error("the secret is on the heap")
	}
	if got := send(t, h, request("GET", couponsPath, "", "Authorization: Bearer "+string(secret))); got.status != 200 {
		t.Errorf("the key: %s", got.refusal())
	}
	runtime.KeepAlive(h)
}

// TestNewKey: keys of one form, different each time; the least number.
func TestNewKey(t *testing.T) {
	n := 1_000_000
	if testing.Short() || !atlength.On() {
		n = 10_000
	}
	seen := make(map[string]struct{}, n)
	chance := rand.NewChaCha8([32]byte{8})
	for range n {
		key := must(httpapi.NewKey(chance))
		digits, ok := strings.CutPrefix(key, "tributary_")
		if !ok || len(digits) != 43 || strings.Trim(digits, "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ") != "" {
			t.Fatalf("key %q", key)
		}
		seen[digits] = struct{}{}
	}
	if len(seen) != n {
		t.Errorf("%d distinct keys of %d", len(seen), n)
	}
	least, err := httpapi.NewKey(bytes.NewReader(make([]byte, 32)))
	if want := "tributary_" + strings.Repeat("0", 43); err != nil || least != want {
		t.Errorf("the least key is %q, %v", least, err)
	}
	if _, err := httpapi.NewKey(strings.NewReader("too short")); err == nil {
		t.Error("a key of too little chance")
	}
}

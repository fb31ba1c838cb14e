package httpapi_test

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/httpapi"
	"github.com/tributary-go/tributary/internal/atlength"
	"github.com/tributary-go/tributary/internal/refusal"
)

const (
	unauthorized = "401 unauthorized: Unauthorized"
	invalidToken = "401 invalid_token: Invalid auth token"
	internal     = "500 internal_error: Internal server error"
)

// limitBy is a limiter whose wait stands in a header of the request.
func limitBy(header string) func(*http.Request) time.Duration {
	return func(r *http.Request) time.Duration {
		wait, _ := time.ParseDuration(r.Header.Get(header))
		return wait
	}
}

// authCases are Authorization lines as they stand on the wire (bad-input corpus
// 3.B), each with its answer.
func authCases() []struct{ name, lines, want string } {
	flip := func(c byte) string { return string(c ^ 1) }
	last := len(testKey) - 1
	digest := sha256.Sum256([]byte(testKey))
	const ok, head = "200", "Authorization: Bearer "
	return []struct{ name, lines, want string }{
		{"plain", head + testKey, ok},
		{"B027 none", "X-A: b", unauthorized},
		{"B028 empty", "Authorization: ", unauthorized},
		{"B029 scheme only", "Authorization: Bearer", unauthorized},
		{"B030 spaces only", "Authorization: Bearer   ", unauthorized},
		{"B031 lower case", "authorization: bearer " + testKey, ok},
		{"B031 upper case", "AUTHORIZATION: BEARER " + testKey, ok},
		{"B032 Basic", "Authorization: Basic " + base64.StdEncoding.EncodeToString([]byte("a:"+testKey)), unauthorized},
		{"B032 Token", "Authorization: Token " + testKey, unauthorized},
		{"B033 no space", "Authorization: Bearer" + testKey, unauthorized},
		{"B034 two spaces", "Authorization: Bearer  " + testKey, unauthorized},
		{"B034 tab", "Authorization: Bearer\t" + testKey, unauthorized},
		{"B035 extra", head + testKey + " extra", unauthorized},
		{"B035 list", head + testKey + ", Bearer " + testKey, unauthorized},
		{"B036 first valid", head + testKey + "\r\nAuthorization: Bearer x", unauthorized},
		{"B036 both valid", head + testKey + "\r\nAuthorization: Bearer " + testKey, unauthorized},
		{"B036 empty second", head + testKey + "\r\nAuthorization: ", unauthorized},
		{"B037 folded after the key", head + testKey + "\r\n x", unauthorized},
		{"B038 bytes", head + "\xff\xfe", unauthorized},
		{"B038 key and bytes", head + testKey + "\xff", unauthorized},
		{"B039 257 bytes", head + strings.Repeat("k", 257), unauthorized},
		{"256 bytes", head + strings.Repeat("k", 256), invalidToken},
		{"B039 7 KiB", head + strings.Repeat("k", 7<<10), unauthorized},
		{"B040 first character", head + flip(testKey[0]) + testKey[1:], invalidToken},
		{"B040 last character", head + testKey[:last] + flip(testKey[last]), invalidToken},
		{"B041 letter case", head + strings.ToUpper(testKey), invalidToken},
		{"B041 short", head + testKey[:last], invalidToken},
		{"B041 twice", head + testKey + testKey, invalidToken},
		{"B042 digest", head + hex.EncodeToString(digest[:]), invalidToken},
		{"B045 other header", "X-API-Key: " + testKey, unauthorized},
		{"proxy header", "Proxy-Authorization: Bearer " + testKey, unauthorized},
		{"cookie", "Cookie: Authorization=Bearer " + testKey, unauthorized},
		{"space before the scheme", "Authorization:    Bearer " + testKey, ok}, // not part of the value
	}
}

// TestAuthorization over real connections. All failures of one class get the
// same answer, byte for byte.
func TestAuthorization(t *testing.T) {
	w := newWorld(t)
	srv := w.serve()
	before := w.dump()
	bodies := map[string]string{}
	for _, c := range authCases() {
		got := raw(t, srv, "GET /api/v1/coupons HTTP/1.1\r\nHost: x\r\n"+c.lines+"\r\n\r\n")
		if got == nil || got.refusal() != c.want {
			t.Errorf("%s: %+v, want %s", c.name, got, c.want)
			continue
		}
		got.header.Del("Date")
		whole := got.body + strings.Join(sortedKeys(got.header), ",")
		if bodies[c.want] == "" {
			bodies[c.want] = whole
		}
		if bodies[c.want] != whole {
			t.Errorf("%s: another answer of its class:\n%s\n%s", c.name, bodies[c.want], whole)
		}
	}
	equal(t, before, w.dump())
}

// TestFoldedKey: net/http joins a folded line with one space before the handler
// sees it. So a key on such a line looks like a key on the same line, and it
// works (B037). A fold inside the key makes two words of it and is refused.
func TestFoldedKey(t *testing.T) {
	srv := newWorld(t).serve()
	const get = "GET /api/v1/coupons HTTP/1.1\r\nHost: x\r\n"
	for lines, want := range map[string]string{
		"Authorization: Bearer\r\n " + testKey:                         "200",
		"Authorization: Bearer\r\n\t" + testKey:                        "200",
		"Authorization: Bearer " + testKey[:9] + "\r\n " + testKey[9:]: unauthorized,
	} {
		if got := raw(t, srv, get+lines+"\r\n\r\n"); got == nil || got.refusal() != want {
			t.Errorf("%q: %+v, want %s", lines, got, want)
		}
	}
}

// TestAuthMatrix is goal G19: every route refuses every kind of missing or
// wrong key, and reads neither body nor store.
func TestAuthMatrix(t *testing.T) {
	boom := errors.New("marker: the key server is on fire")
	verdicts := map[string]error{
		"revoked": refusal.RefuseToken.Err(), "expired": refusal.RefuseToken.Err(),
		"noaccess": refusal.RefuseAccess.Err(), "gone": refusal.RefuseProgram.Err(), "boom": boom, "nil": nil,
	}
	w := newWorld(t, func(s *setup) {
		s.auth = func(_ context.Context, key string) (httpapi.Access, error) {
			if err, known := verdicts[key]; known {
				return httpapi.Access{}, err
			}
			return httpapi.Access{}, refusal.RefuseToken.Err()
		}
	})
	headers := map[string]string{
		"Authorization: Bearer revoked": invalidToken, "Authorization: Bearer expired": invalidToken, "Authorization: Bearer unknown": invalidToken,
		"Authorization: Bearer noaccess": "403 no_api_access: User does not have API access",
		"Authorization: Bearer gone":     "404 program_not_found: Affiliate program not found",
		"Authorization: Bearer boom":     internal, "Authorization: Bearer nil": internal,
	}
	for _, c := range authCases() {
		if c.want == unauthorized && !strings.Contains(c.lines, "\r\n") {
			headers[c.lines] = unauthorized
		}
	}
	ops := w.fill().operations()
	before := w.dump()
	w.store.broken(nil)
	for _, op := range ops {
		for header, want := range headers {
			r := request(op.method, op.target, "", "Authorization:")
			if name, value, _ := strings.Cut(header, ": "); value != "" {
				r.Header.Set(name, value)
			}
			r.Body, r.ContentLength = unreadableBody{t}, 10
			got := w.send(r)
			if got.refusal() != want || strings.Contains(got.body, "marker") {
				t.Errorf("%s, %s: %s, want %s", op, header, got.refusal(), want)
			}
		}
	}
	if w.store.calls > 0 {
		t.Errorf("%d calls of the store", w.store.calls)
	}
	equal(t, before, w.dump())
}

// TestRevokedKey: a revoked key stops working with the next request, also on an
// open connection; other keys still work (B043, SEC03).
func TestRevokedKey(t *testing.T) {
	var mu sync.Mutex
	open := map[string]bool{"first": true, "second": true}
	var program httpapi.Access
	w := newWorld(t, func(s *setup) {
		s.auth = func(_ context.Context, key string) (httpapi.Access, error) {
			mu.Lock()
			defer mu.Unlock()
			if !open[key] {
				return httpapi.Access{}, refusal.RefuseToken.Err()
			}
			return program, nil
		}
	})
	program.Program = w.Program
	conn := must(net.Dial("tcp", w.serve().Listener.Addr().String()))
	defer conn.Close()
	r := bufio.NewReader(conn)
	ask := func(key string) string {
		io.WriteString(conn, "GET /api/v1/coupons HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer "+key+"\r\n\r\n")
		return readAnswer(t, r, "GET").refusal()
	}
	got := []string{ask("first"), ask("second")}
	mu.Lock()
	open["first"] = false
	mu.Unlock()
	got = append(got, ask("first"), ask("second"))
	equal(t, []string{"200", "200", invalidToken, "200"}, got)
}

// TestLimit: the limiter is called after the checks of path and method and
// before the check of the key. Its wait is sent in whole seconds, rounded up.
func TestLimit(t *testing.T) {
	asked := 0
	w := newWorld(t, func(s *setup) {
		s.api.Limit = func(r *http.Request) time.Duration {
			asked++
			return limitBy("X-Limit")(r)
		}
	})
	const refused = "429 rate_limited: Too many requests. Please slow down."
	for wait, want := range map[string]string{"1ns": "1", "1s": "1", "1001ms": "2", "90s": "90", "3600s": "3600", "2562047h47m16.854775807s": "9223372037"} {
		for _, key := range []string{"Authorization:", "Authorization: Bearer wrong", "Authorization: Bearer " + testKey} {
			got := w.do("GET", couponsPath, "", key, "X-Limit: "+wait)
			if got.refusal() != refused || got.header.Get("Retry-After") != want {
				t.Errorf("%s: %s, Retry-After %q, want %q", wait, got.refusal(), got.header.Get("Retry-After"), want)
			}
		}
	}
	for _, wait := range []string{"0s", "-5s"} {
		if got := w.do("GET", couponsPath, "", "X-Limit: "+wait); got.status != 200 || got.header.Get("Retry-After") != "" {
			t.Errorf("%s: %s", wait, got.refusal())
		}
	}
	before := asked
	w.do("GET", "/api/v1/nope", "", "X-Limit: 1s")
	w.do("PATCH", couponsPath, "", "X-Limit: 1s")
	if asked != before {
		t.Error("the limiter was asked about a path or method that is not there")
	}
}

// TestNewErrors: New and NewMulti refuse every wrong configuration.
func TestNewErrors(t *testing.T) {
	p := newWorld(t).Program
	auth := func(context.Context, string) (httpapi.Access, error) { return httpapi.Access{Program: p}, nil }
	const good, short = "20-characters-are-ok", "19-characters-do-no"
	keys := func(keys ...string) httpapi.Config { return httpapi.Config{APIKeys: keys} }
	for _, tt := range []struct {
		want string
		call func() error
	}{
		{"httpapi: Config.APIKeys is empty", func() error { _, err := httpapi.New(p, httpapi.Config{}); return err }},
		{"httpapi: Config.APIKeys[0] is shorter than 20 characters", func() error { _, err := httpapi.New(p, keys("k")); return err }},
		{"httpapi: Config.APIKeys[0] is shorter than 20 characters", func() error { _, err := httpapi.New(p, keys("")); return err }},
		{"httpapi: Config.APIKeys[1] is shorter than 20 characters", func() error { _, err := httpapi.New(p, keys(good, short)); return err }},
		{"httpapi: Config.APIKeys[0] must be 20–256 visible ASCII characters", func() error { _, err := httpapi.New(p, keys(good+" b")); return err }},
		{"httpapi: Config.APIKeys[0] must be 20–256 visible ASCII characters", func() error { _, err := httpapi.New(p, keys(strings.Repeat("k", 257))); return err }},
		{"httpapi: Config.APIKeys[0] must be 20–256 visible ASCII characters", func() error { _, err := httpapi.New(p, keys(strings.Repeat("é", 20))); return err }},
		{"httpapi: an API key has no program", func() error { _, err := httpapi.New(nil, keys(good)); return err }},
		{"httpapi: Config.MaxBody is -1", func() error {
			_, err := httpapi.New(p, httpapi.Config{APIKeys: []string{good}, MaxBody: -1})
			return err
		}},
		{"httpapi: no authority", func() error { _, err := httpapi.NewMulti(nil, httpapi.Config{}); return err }},
		{"httpapi: Config.Keys belongs to New", func() error {
			_, err := httpapi.NewMulti(auth, httpapi.Config{Keys: []httpapi.Key{{Secret: good}}})
			return err
		}},
		{"httpapi: Config.APIKeys belongs to New", func() error { _, err := httpapi.NewMulti(auth, keys(good)); return err }},
		{"httpapi: Config.MaxBody is -2", func() error { _, err := httpapi.NewMulti(auth, httpapi.Config{MaxBody: -2}); return err }},
		{"httpapi: no API key", func() error { _, err := httpapi.Keys(nil); return err }},
		{"httpapi: an API key is shorter than 20 characters", func() error {
			_, err := httpapi.Keys(map[string]*tributary.Program{good: p, short: p})
			return err
		}},
		{"httpapi: an API key has no program", func() error { _, err := httpapi.Keys(map[string]*tributary.Program{good: nil}); return err }},
	} {
		if err := tt.call(); err == nil || err.Error() != tt.want {
			t.Errorf("%v, want %q", err, tt.want)
		}
	}
	if _, err := httpapi.New(p, keys(strings.Repeat("k", 256), good, strings.Repeat("~", 20), strings.Repeat("!", 20), good)); err != nil {
		t.Errorf("good keys: %v", err)
	}
}

// TestKeysAreDigests: no error shows a key, and the authenticator knows it all the same.
func TestKeysAreDigests(t *testing.T) {
	p := newWorld(t).Program
	_, err := httpapi.New(p, httpapi.Config{APIKeys: []string{testKey + " x"}})
	if strings.Contains(err.Error(), testKey) {
		t.Errorf("the error shows a key: %v", err)
	}
	auth := must(httpapi.Keys(map[string]*tributary.Program{testKey: p}))
	if _, err := auth(t.Context(), "wrong"); !errors.Is(err, affiliate.InvalidToken) {
		t.Errorf("a wrong key: %v", err)
	}
	if got, err := auth(t.Context(), testKey); got.Program != p || err != nil {
		t.Errorf("the key: %v, %v", got, err)
	}
}

// FuzzAuthHeader: only what the grammar allows reaches the look-up of keys.
func FuzzAuthHeader(f *testing.F) {
	for _, c := range authCases() {
		if name, value, _ := strings.Cut(c.lines, ": "); strings.EqualFold(name, "Authorization") && !strings.Contains(value, "\r\n") {
			f.Add(value, "", false)
			f.Add(value, value, true)
		}
	}
	var seen []string
	w := newWorld(f, func(s *setup) {
		s.auth = func(_ context.Context, key string) (httpapi.Access, error) {
			seen = append(seen, key)
			return httpapi.Access{}, refusal.RefuseToken.Err()
		}
	})
	f.Fuzz(func(t *testing.T, first, second string, two bool) {
		r := request("GET", couponsPath, "", "Authorization:")
		r.Header["Authorization"] = []string{first}
		if two {
			r.Header["Authorization"] = append(r.Header["Authorization"], second)
		}
		seen = nil
		got := send(t, w.api, r).refusal()
		key, want := grammar(first)
		if two {
			want = false
		}
		if !want {
			if got != unauthorized || len(seen) > 0 {
				t.Fatalf("%q, %q: %s, looked up %q", first, second, got, seen)
			}
			return
		}
		if got != invalidToken || !cmp.Equal(seen, []string{key}) {
			t.Fatalf("%q: %s, looked up %q", first, got, seen)
		}
	})
}

// grammar reads a value by the letter of the contract, byte for byte.
func grammar(value string) (key string, ok bool) {
	if len(value) < 8 || len(value) > 7+256 || value[6] != ' ' {
		return "", false
	}
	for i, c := range []byte(value) {
		if i < 6 && c != "bearer"[i] && c != "BEARER"[i] || i > 6 && (c < 0x21 || c > 0x7e) {
			return "", false
		}
	}
	return value[7:], true
}

const tooNarrow = "403 insufficient_scope: API key is not allowed to do this"

// The secrets of keys of each scope.
var scoped = map[httpapi.Scope]string{
	httpapi.ScopeFull: "full-key-of-this-suite", httpapi.ScopeIntegration: "integration-key-of-this-suite", httpapi.ScopeRead: "read-key-of-this-suite", httpapi.ScopePropose: "propose-key-of-this-suite",
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
		return scope == httpapi.ScopeFull || scope == httpapi.ScopeIntegration
	case "/api/v1/referrals/plan", "/api/v1/referrals/merge", "/api/v1/affiliates/merge", "/api/v1/promotional-codes/generate", "/api/v1/sales/restore-redemption", "/api/v1/sales/accept-redemption", "/api/v1/sales/recalculate", "/api/v1/payments/decide", "/api/v1/terms/simulate", "/api/v1/links/release":
		return scope == httpapi.ScopeFull
	case "/api/v1/payouts/preview":
		return scope == httpapi.ScopeFull || scope == httpapi.ScopePropose
	case "/api/v1/promotional-codes/validate", "/api/v1/promotional-codes/compare":
		return scope != httpapi.ScopeRead
	case "/api/v1/proposals":
		return scope == httpapi.ScopeFull || scope == httpapi.ScopePropose || scope == httpapi.ScopeRead && reads
	}
	switch {
	case scope == httpapi.ScopeFull, path == "/api/v1/openapi.json":
		return true
	case path == "/api/v1/sales/review", strings.HasSuffix(path, "/search"), path == "/api/v1/coupons/summaries", strings.HasSuffix(path, "/sums"), strings.HasPrefix(path, "/api/v1/webhooks"), strings.HasPrefix(path, "/api/v1/payouts"), strings.HasPrefix(path, "/api/v1/adjustments"), strings.HasPrefix(path, "/api/v1/cases"), path == "/api/v1/budgets", strings.HasPrefix(path, "/api/v1/bonuses"),
		strings.HasPrefix(path, "/api/v1/balances"), path == "/api/v1/movements", path == "/api/v1/statements", path == "/api/v1/sales/explain", strings.HasPrefix(path, "/api/v1/reports"), path == "/api/v1/program", path == "/api/v1/terms", path == "/api/v1/verify", path == "/api/v1/attention",
		strings.HasPrefix(path, "/api/v1/commission-"), path == "/api/v1/partner/token", path == "/api/v1/prune", path == "/api/v1/referrals/erase", strings.HasPrefix(path, "/api/v1/affiliates/"):
		return (scope == httpapi.ScopeRead || scope == httpapi.ScopePropose) && reads
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
		"httpapi: the scope of key key-1 is not full, integration, read or propose":     {{Secret: good, Scope: "admin"}},
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

package main

import (
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html"
	"io"
	"maps"
	"math/big"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"
)

// An issuer is an identity provider in the process of the test.
type issuer struct {
	*httptest.Server
	key *rsa.PrivateKey

	mu     sync.Mutex
	down   bool
	grants map[string]grant // by code
}

// A grant is what a code is given for.
type grant struct {
	asked  url.Values
	claims map[string]any
	alg    string
	key    *rsa.PrivateKey
}

func newIssuer(t *testing.T) *issuer {
	t.Helper()
	i := &issuer{key: newRSA(t), grants: map[string]grant{}}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /.well-known/openid-configuration", func(w http.ResponseWriter, _ *http.Request) {
		i.mu.Lock()
		defer i.mu.Unlock()
		if i.down {
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		answer(w, map[string]any{"issuer": i.URL, "authorization_endpoint": i.URL + "/authorize", "token_endpoint": i.URL + "/token",
			"jwks_uri": i.URL + "/keys", "id_token_signing_alg_values_supported": []string{"RS256", "none"}})
	})
	mux.HandleFunc("GET /keys", func(w http.ResponseWriter, _ *http.Request) {
		answer(w, map[string]any{"keys": []any{map[string]any{"kty": "RSA", "alg": "RS256", "use": "sig", "kid": "one",
			"n": b64(i.key.N.Bytes()), "e": b64(big.NewInt(int64(i.key.E)).Bytes())}}})
	})
	mux.HandleFunc("POST /token", i.token)
	i.Server = httptest.NewServer(mux)
	t.Cleanup(i.Close)
	return i
}

func newRSA(t *testing.T) *rsa.PrivateKey {
	t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

func answer(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(v)
}

func b64(b []byte) string { return base64.RawURLEncoding.EncodeToString(b) }

// token gives a token for a code to who has the secret, and the verifier of who asked for it.
func (i *issuer) token(w http.ResponseWriter, r *http.Request) {
	i.mu.Lock()
	defer i.mu.Unlock()
	g, known := i.grants[r.PostFormValue("code")]
	id, secret, _ := r.BasicAuth()
	secret, _ = url.QueryUnescape(secret) // as RFC 6749 has it
	sum := sha256.Sum256([]byte(r.PostFormValue("code_verifier")))
	if !known || id != "beans" || secret != "pass word of oidc" || r.PostFormValue("grant_type") != "authorization_code" ||
		r.PostFormValue("redirect_uri") != g.asked.Get("redirect_uri") || r.PostFormValue("code_verifier") == "" || b64(sum[:]) != g.asked.Get("code_challenge") {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusBadRequest)
		_, _ = io.WriteString(w, `{"error":"invalid_grant","error_description":"private text"}`)
		return
	}
	delete(i.grants, r.PostFormValue("code"))
	head, _ := json.Marshal(map[string]string{"alg": g.alg, "kid": "one"})
	claims, _ := json.Marshal(g.claims)
	text := b64(head) + "." + b64(claims)
	hashed := sha256.Sum256([]byte(text))
	signed, _ := rsa.SignPKCS1v15(nil, g.key, crypto.SHA256, hashed[:])
	if g.alg == "none" {
		signed = nil
	}
	answer(w, map[string]any{"access_token": "a", "token_type": "Bearer", "id_token": text + "." + b64(signed)})
}

// grant answers a browser that was led to the page of the issuer: a code for an email, which change
// makes wrong.
func (i *issuer) grant(t *testing.T, to, email string, change func(*grant)) (code string) {
	t.Helper()
	at, err := url.Parse(to)
	if err != nil {
		t.Fatal(err)
	}
	q, now := at.Query(), time.Now()
	for name, want := range map[string]string{"response_type": "code", "client_id": "beans", "redirect_uri": "https://partners.beans.example/console/sign-in",
		"scope": "openid email", "code_challenge_method": "S256"} {
		if q.Get(name) != want {
			t.Errorf("%s is %q", name, q.Get(name))
		}
	}
	if !strings.HasPrefix(to, i.URL+"/authorize?") || q.Get("state") == "" || q.Get("nonce") == "" || len(q.Get("code_challenge")) != 43 {
		t.Fatalf("the browser is led to %s", to)
	}
	g := grant{asked: q, alg: "RS256", key: i.key, claims: map[string]any{"iss": i.URL, "aud": "beans", "sub": "7", "nonce": q.Get("nonce"),
		"iat": now.Unix(), "exp": now.Add(time.Minute).Unix(), "email": email, "email_verified": true}}
	if change != nil {
		change(&g)
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	code = fmt.Sprint("code-", len(i.grants), "-", now.UnixNano())
	i.grants[code] = g
	return code
}

// A visitor sends requests as a proxy does for a browser at an address of its own.
type visitor struct {
	t       *testing.T
	s       *runningServer
	address string
	cookies map[string]string
}

func (v *visitor) send(method, path string, form url.Values) (status int, body, to string) {
	v.t.Helper()
	r, err := http.NewRequestWithContext(v.t.Context(), method, v.s.url+path, strings.NewReader(form.Encode()))
	if err != nil {
		v.t.Fatal(err)
	}
	r.Host = "evil.example"
	r.Header.Set("X-Forwarded-For", v.address)
	if form != nil {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	for name, value := range v.cookies {
		r.AddCookie(&http.Cookie{Name: name, Value: value})
	}
	res, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		v.t.Fatal(err)
	}
	for _, c := range res.Cookies() {
		v.cookies[c.Name] = c.Value
	}
	return res.StatusCode, answered(v.t)(res, nil), res.Header.Get("Location")
}

// TestOIDC: a person of the program signs in at an identity provider, whose token is for this server and
// for this sign-in, and says that the email is verified; who does not gets one answer, whatever is wrong.
// While the provider is down the server runs, and says so in one line.
func TestOIDC(t *testing.T) {
	at := newIssuer(t)
	at.down = true
	env := environment{issuerVariable: at.URL, clientIDVariable: "beans", clientSecretVariable: "pass word of oidc",
		"TRIBUTARY_PUBLIC_URL": "https://partners.beans.example", "TRIBUTARY_PROXY": "127.0.0.1/32"}
	file := inFolder(t, "shop.db")
	s := launchIn(t, env, "-file", file)
	n := 0
	browser := func() *visitor {
		n++
		return &visitor{t, s, fmt.Sprintf("192.0.2.%d", n), map[string]string{}}
	}
	owner := browser()
	owner.send("POST", "/console/sign-in", url.Values{"key": {testKey}})
	for name, role := range map[string]string{"ada": "OWNER", "bo": "OPERATOR"} {
		_, page, _ := owner.send("GET", "/console/access/people/new", nil)
		form := url.Values{"email": {name + "@beans.example"}, "name": {name}, "role": {role}}
		for _, found := range hidden.FindAllStringSubmatch(page, -1) {
			form.Set(found[1], html.UnescapeString(found[2]))
		}
		if status, page, _ := owner.send("POST", "/console/access/people/new", form); status != http.StatusSeeOther {
			t.Fatalf("%d\n%s", status, page)
		}
	}
	if status, page, _ := browser().send("GET", "/console/sign-in?by=provider", nil); status != http.StatusBadGateway || !strings.Contains(page, "does not answer") {
		t.Errorf("while it is down: %d\n%s", status, page)
	}
	at.mu.Lock()
	at.down = false
	at.mu.Unlock()

	// begin leads a browser to the issuer.
	begin := func(v *visitor) (to, state string) {
		t.Helper()
		status, page, to := v.send("GET", "/console/sign-in?by=provider", nil)
		u, err := url.Parse(to)
		if status != http.StatusSeeOther || err != nil {
			t.Fatalf("%d\n%s", status, page)
		}
		return to, u.Query().Get("state")
	}
	back := func(v *visitor, state, code string) (int, string) {
		status, page, _ := v.send("GET", "/console/sign-in?"+url.Values{"state": {state}, "code": {code}}.Encode(), nil)
		return status, page
	}
	v := browser()
	to, state := begin(v)
	if status, page := back(v, state, at.grant(t, to, "Bo@Beans.example", nil)); status != http.StatusOK || !strings.Contains(page, "You are signed in.") {
		t.Fatalf("%d\n%s", status, page)
	}
	in := func(v *visitor, name string) {
		t.Helper()
		if status, page, _ := v.send("GET", "/console/", nil); status != http.StatusOK || !strings.Contains(page, "<bdi>"+name+"</bdi>") {
			t.Errorf("%s is not in: %d\n%s", name, status, page)
		}
	}
	in(v, "bo")
	claim := func(name string, value any) func(*grant) {
		return func(g *grant) {
			g.claims[name] = value
			maps.DeleteFunc(g.claims, func(_ string, v any) bool { return v == nil })
		}
	}
	want := ""
	refused := func(name string, v *visitor, state, code string) {
		t.Helper()
		delete(v.cookies, "tributary_console")
		status, page := back(v, state, code)
		if want == "" {
			want = page
		}
		if status != http.StatusForbidden || page != want || v.cookies["tributary_console"] != "" {
			t.Errorf("%s: %d\n%s", name, status, page)
		}
	}
	refused("a state that was used", v, state, at.grant(t, to, "bo@beans.example", nil))
	for name, change := range map[string]func(*grant){
		"no nonce": claim("nonce", nil), "another nonce": claim("nonce", "x"), "another audience": claim("aud", "tea"), "no audience": claim("aud", nil),
		"another issuer": claim("iss", "https://accounts.example"), "too old": claim("exp", time.Now().Add(-time.Second).Unix()), "no end": claim("exp", nil),
		"an unverified email": claim("email_verified", false), "an email of which nothing is said": claim("email_verified", nil),
		"an email of which a text is said": claim("email_verified", "true"), "no email": claim("email", nil), "an empty email": claim("email", ""),
		"nobody of the program": claim("email", "eve@evil.example"), "two emails": claim("email", "eve@evil.example,bo@beans.example"),
		"another key": func(g *grant) { g.key = newRSA(t) }, "no signature": func(g *grant) { g.alg = "none" },
		"another verifier": func(g *grant) { g.asked.Set("code_challenge", strings.Repeat("x", 43)) },
	} {
		v := browser()
		to, state := begin(v)
		refused(name, v, state, at.grant(t, to, "bo@beans.example", change))
	}
	v = browser()
	to, state = begin(v)
	code := at.grant(t, to, "bo@beans.example", nil)
	refused("another browser", browser(), state, code)
	other := browser()
	_, theirs := begin(other)
	refused("the code of another sign-in", other, theirs, code)
	refused("another state", v, theirs, code)
	refused("no code", v, state, "")
	if status, page := back(v, state, code); status != http.StatusOK {
		t.Errorf("what was refused has used it up: %d\n%s", status, page)
	}
	in(v, "bo")
	s.stop()
	text := s.said.String()
	if strings.Count(text, "the identity provider does not answer") != 2 { // at the start, and for who tried
		t.Errorf("it said\n%s", text)
	}
	for _, secret := range []string{"@", code, "pass word of oidc", "private text", state} {
		if strings.Contains(text, secret) {
			t.Errorf("it said %s:\n%s", secret, text)
		}
	}
	s = launchIn(t, env, "-file", file)
	defer s.stop()
	v.s = s
	in(v, "bo")
}

// TestOIDCVariables: what names no provider, or half of one, ends the start and makes no file.
func TestOIDCVariables(t *testing.T) {
	t.Chdir(t.TempDir())
	whole := environment{issuerVariable: "https://accounts.example", clientIDVariable: "beans", clientSecretVariable: "hunter2", "TRIBUTARY_PUBLIC_URL": "https://partners.beans.example"}
	for name, tt := range map[string]struct{ variable, value, want string }{
		"no secret": {clientSecretVariable, "", "are set together"}, "no client": {clientIDVariable, "", "are set together"}, "no issuer": {issuerVariable, "", "are set together"},
		"no encryption": {issuerVariable, "http://accounts.example", issuerVariable + " must be like"}, "no URL": {issuerVariable, "accounts.example", issuerVariable + " must be like"},
		"a query":    {issuerVariable, "https://accounts.example?x", issuerVariable + " must be like"},
		"a password": {issuerVariable, "https://a:hunter2@accounts.example", issuerVariable + " must be like"},
	} {
		env := maps.Clone(whole)
		env[tt.variable] = tt.value
		var errs strings.Builder
		if code := run(t.Context(), []string{"-addr", "127.0.0.1:0", "-key", testKey}, env, io.Discard, &errs); code != 1 || !strings.Contains(errs.String(), tt.want) || strings.Contains(errs.String(), "hunter2") {
			t.Errorf("%s: exit code %d: %s", name, code, errs.String())
		}
	}
	if len(files(t)) != 0 {
		t.Errorf("there are files: %v", files(t))
	}
	delete(whole, "TRIBUTARY_PUBLIC_URL")
	var errs strings.Builder
	if code := run(t.Context(), []string{"-addr", "127.0.0.1:0", "-key", testKey}, whole, io.Discard, &errs); code != 1 || !strings.Contains(errs.String(), "needs -url") {
		t.Errorf("no URL: exit code %d: %s", code, errs.String())
	}
}

// TestUsage: -h lists every command, each of which has a -h of its own, and every flag.
func TestUsage(t *testing.T) {
	var help strings.Builder
	if code := run(t.Context(), []string{"-h"}, nothing, io.Discard, &help); code != 0 || !strings.Contains(help.String(), "\n  -file path") && !strings.Contains(help.String(), "\n  -addr address") {
		t.Fatalf("exit code %d:\n%s", code, help.String())
	}
	for _, name := range []string{"backup", "restore", "verify", "doctor", "key", "move", "import", "mail", "unsent"} {
		var own strings.Builder
		if code := run(t.Context(), []string{name, "-h"}, nothing, io.Discard, &own); code != 0 || !strings.Contains(own.String(), "server "+name) || !regexp.MustCompile(`(?m)^  `+name+` +\S`).MatchString(help.String()) {
			t.Errorf("%s: exit code %d:\n%s", name, code, own.String())
		}
	}
}

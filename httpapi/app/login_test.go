package app

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"html"
	"io"
	"log/slog"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/httpapi"
	"github.com/tributary-go/tributary/httpapi/portal"
	"github.com/tributary-go/tributary/httpapi/serve"
	"github.com/tributary-go/tributary/memstore"
)

// The keys of the tests of the login, by what they may do.
const (
	fullKey    = "full-key-of-the-first-program"
	readKey    = "read-key-of-the-first-program"
	shopKey    = "shop-key-of-the-first-program"
	askKey     = "assistant-key-of-the-first-program"
	shortlyKey = "a-key-that-expires-at-noon"
	secondKey  = "full-key-of-the-second-program"
	wrongKey   = "wrong-key-of-no-program-at-all"
)

// A door is a login with two programs and a clock that the test sets.
type door struct {
	t   *testing.T
	now time.Time
	log bytes.Buffer
	*login
}

func newDoor(t *testing.T) *door {
	t.Helper()
	d := &door{t: t, now: clock}
	now := func() time.Time { return d.now }
	program := func(name string) *tributary.Program {
		p, err := tributary.New(memstore.New(), tributary.Config{ID: uuid.NewSHA1(uuid.Nil, []byte(name)), Name: name, Now: now, Rand: rand8()})
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	all := []tenant{
		{Program: program("Shop One"), key: fullKey, shared: []httpapi.Key{
			{Name: "desk", Scope: httpapi.ScopeRead, Secret: readKey}, {Name: "shop", Scope: httpapi.ScopeIntegration, Secret: shopKey},
			{Name: "assistant", Scope: httpapi.ScopePropose, Secret: askKey},
			{Name: "shortly", Secret: shortlyKey, ExpiresAt: clock.Add(time.Hour)},
		}},
		{Program: program("Shop Two"), key: secondKey},
	}
	auth, err := authorityOf(all)
	if err != nil {
		t.Fatal(err)
	}
	pages, err := portal.New(all[0].Program, portal.Config{Key: []byte(strings.Repeat("k", 32)), NoPayoutForm: true})
	if err != nil {
		t.Fatal(err)
	}
	d.login, err = newLogin(auth, programsOf(all), staffOf(all[0]), pages, settings{now: now, rand: rand8()}, slog.New(slog.NewTextHandler(&d.log, nil)))
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// send sends a request with a session, or none, and what else change does to it.
func (d *door) send(method, path, session string, form url.Values, change ...func(*http.Request)) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, path, strings.NewReader(form.Encode()))
	if form != nil {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	if session != "" {
		r.AddCookie(&http.Cookie{Name: sessionCookie, Value: session})
	}
	for _, do := range change {
		do(r)
	}
	w := httptest.NewRecorder()
	d.ServeHTTP(w, r)
	return w
}

// try sends the form with a key.
func (d *door) try(key string, change ...func(*http.Request)) *httptest.ResponseRecorder {
	return d.send("POST", signInPath, "", url.Values{"key": {key}}, change...)
}

// enterWith signs in and returns the session.
func (d *door) enterWith(key string) (session string) {
	d.t.Helper()
	w := d.try(key)
	if w.Code != http.StatusSeeOther || w.Header().Get("Location") != "./" {
		d.t.Fatalf("sign in: %d to %q\n%s", w.Code, w.Header().Get("Location"), w.Body)
	}
	return w.Result().Cookies()[0].Value
}

// in reports whether a session opens the console, and returns its first page and that of the settings.
func (d *door) in(session string) (page string, ok bool) {
	d.t.Helper()
	w := d.send("GET", consolePath, session, nil)
	form := strings.Contains(w.Body.String(), `action="./sign-in"`)
	if form != (w.Code == http.StatusForbidden) || !form && w.Code != http.StatusOK {
		d.t.Fatalf("the console answers %d\n%s", w.Code, w.Body)
	}
	if form {
		return w.Body.String(), false
	}
	return w.Body.String() + d.send("GET", consolePath+"settings", session, nil).Body.String(), true
}

func from(address string) func(*http.Request) {
	return func(r *http.Request) { r.RemoteAddr = address }
}

// TestSignIn is console check 34: a key signs in, and what it may do
// decides which console it gets. No other key is told from a wrong one.
func TestSignIn(t *testing.T) {
	d := newDoor(t)
	if page, in := d.in(""); in || strings.Contains(page, "Shop One") {
		t.Errorf("without a key:\n%s", page)
	}
	if page, in := d.in(d.enterWith(fullKey)); !in || !strings.Contains(page, "Shop One") || strings.Contains(page, "read only") {
		t.Errorf("a full key:\n%s", page)
	}
	if _, in := d.in(d.enterWith(" " + fullKey + "\n")); !in {
		t.Error("a key with blanks around it, as pasted, is refused")
	}
	read := d.enterWith(readKey)
	if page, in := d.in(read); !in || !strings.Contains(page, "<bdi>desk</bdi> · read only") {
		t.Errorf("a read key:\n%s", page)
	}
	for _, method := range []string{"GET", "POST"} {
		if w := d.send(method, consolePath+"affiliates/new", read, nil); w.Code != http.StatusForbidden || !strings.Contains(w.Body.String(), "This console is read only.") {
			t.Errorf("a read key, %s: %d\n%s", method, w.Code, w.Body)
		}
	}
	keys := d.auth
	d.auth = func(ctx context.Context, key string) (httpapi.Access, error) {
		if !regexp.MustCompile(`^[!-~]{1,256}$`).MatchString(key) {
			t.Errorf("the authority is asked about %q", key)
		}
		return keys(ctx, key)
	}
	if w := d.send("POST", signInPath, "", url.Values{"key": {fullKey}, "next": {strings.Repeat("x", maxForm)}}, from("192.0.2.9:1")); w.Code != http.StatusForbidden {
		t.Errorf("a form that is too long: %d", w.Code)
	}
	want := d.try(wrongKey)
	if want.Code != http.StatusForbidden || !strings.Contains(want.Body.String(), "This key does not open the console.") {
		t.Fatalf("a wrong key: %d\n%s", want.Code, want.Body)
	}
	for i, key := range []string{"", "short", shopKey, askKey, fullKey + "x", "two words", "ключ", strings.Repeat("x", 257), strings.Repeat("x", 40_000)} {
		w := d.try(key, from("192.0.2."+strconv.Itoa(i+10)+":1"))
		if diff := cmp.Diff(want.Body.String(), w.Body.String()); diff != "" || w.Code != want.Code || !cmp.Equal(want.Header(), w.Header()) {
			t.Errorf("the key %.30q is told from a wrong one: %d %v\n%s", key, w.Code, w.Header(), diff)
		}
	}
	if len(d.sessions.open) != 3 {
		t.Errorf("%d sessions", len(d.sessions.open))
	}
}

// TestSignInTries is console check 34: after ten wrong keys in a minute those
// of the address are told to wait until the minute is over. The right key signs in
// all the same, for whoever shares the address, and other addresses are served.
func TestSignInTries(t *testing.T) {
	d := newDoor(t)
	for range maxTries {
		if w := d.try(wrongKey); w.Code != http.StatusForbidden {
			t.Fatalf("status %d", w.Code)
		}
		d.now = d.now.Add(time.Second)
	}
	if w := d.try(wrongKey); w.Code != http.StatusTooManyRequests || w.Header().Get("Retry-After") != "50" || len(w.Result().Cookies()) != 0 ||
		!strings.Contains(w.Body.String(), "wait for 50 seconds") {
		t.Errorf("%d after %s\n%s", w.Code, w.Header().Get("Retry-After"), w.Body)
	}
	for range 3 {
		d.enterWith(fullKey) // behind one proxy, or beside an attacker
	}
	if w := d.try(wrongKey); w.Code != http.StatusTooManyRequests {
		t.Errorf("after the right key, a wrong one: %d", w.Code)
	}
	if w := d.try(wrongKey, from("192.0.2.2:1")); w.Code != http.StatusForbidden {
		t.Errorf("another address: %d", w.Code)
	}
	d.now = clock.Add(time.Minute - time.Microsecond)
	if w := d.try(wrongKey); w.Code != http.StatusTooManyRequests || w.Header().Get("Retry-After") != "1" {
		t.Errorf("before the minute is over: %d after %s", w.Code, w.Header().Get("Retry-After"))
	}
	d.now = clock.Add(time.Minute)
	if w := d.try(wrongKey); w.Code != http.StatusForbidden {
		t.Errorf("after the minute: %d", w.Code)
	}
}

// TestSignInTriesBehindProxy: behind a proxy that is named, wrong keys of a client stop nobody else.
func TestSignInTriesBehindProxy(t *testing.T) {
	d := newDoor(t)
	proxies, err := serve.ParseProxies("10.0.0.1")
	if err != nil {
		t.Fatal(err)
	}
	for named, want := range map[bool]int{true: http.StatusForbidden, false: http.StatusTooManyRequests} {
		d.restart(new(postbox), func(s *settings) {
			if named {
				s.proxies = proxies
			}
		})
		via := func(client string) func(*http.Request) {
			return func(r *http.Request) { r.RemoteAddr = "10.0.0.1:1"; r.Header.Set("X-Forwarded-For", client) }
		}
		for range maxTries {
			d.try(wrongKey, via("198.51.100.1"))
		}
		if w := d.try(wrongKey, via("198.51.100.1")); w.Code != http.StatusTooManyRequests {
			t.Errorf("too many: %d", w.Code)
		}
		if w := d.try(wrongKey, via("198.51.100.2")); w.Code != want {
			t.Errorf("somebody else behind the proxy, which is named %t: %d", named, w.Code)
		}
	}
}

// TestSignInTriesAtOnce: tries at the same time are counted too.
func TestSignInTriesAtOnce(t *testing.T) {
	d := newDoor(t)
	var wg sync.WaitGroup
	var mu sync.Mutex
	got := map[int]int{}
	for range 5 * maxTries {
		wg.Go(func() {
			w := d.try(wrongKey)
			mu.Lock()
			defer mu.Unlock()
			got[w.Code]++
		})
	}
	wg.Wait()
	if diff := cmp.Diff(map[int]int{http.StatusForbidden: maxTries, http.StatusTooManyRequests: 4 * maxTries}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestSignOut is console check 34: signing out ends the session for every
// copy of its cookie, and no other session.
func TestSignOut(t *testing.T) {
	d := newDoor(t)
	session, other := d.enterWith(fullKey), d.enterWith(fullKey)
	page, _ := d.in(session)
	if !strings.Contains(page, `<form method="post" action="./sign-out">`) {
		t.Errorf("no button:\n%s", page)
	}
	if w := d.send("GET", signOutPath, session, nil); w.Code != http.StatusMethodNotAllowed || w.Header().Get("Allow") != "POST" {
		t.Errorf("GET: %d", w.Code)
	}
	if _, in := d.in(session); !in {
		t.Error("GET signs out")
	}
	w := d.send("POST", signOutPath, session, url.Values{})
	cookie := w.Result().Cookies()[0]
	if w.Code != http.StatusSeeOther || w.Header().Get("Location") != "./" || cookie.MaxAge >= 0 || cookie.Value != "" || cookie.Path != "" {
		t.Errorf("%d %v", w.Code, w.Header())
	}
	if _, in := d.in(session); in {
		t.Error("the session goes on")
	}
	if _, in := d.in(other); !in {
		t.Error("another session has ended")
	}
}

// TestKeptForm: who fills in a form while their session ends gets it back.
func TestKeptForm(t *testing.T) {
	d := newDoor(t)
	w := d.send("POST", consolePath+"affiliates/new", "", url.Values{"token": {"of before"}, "firstName": {"Zoë"}})
	if w.Code != http.StatusForbidden || !strings.Contains(w.Body.String(), `name="firstName" value="Zoë"`) {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}

// TestSessionEnds: a session is over after 8 hours, and earlier when its key is.
// A key whose scope changes has the new rights at the next request.
func TestSessionEnds(t *testing.T) {
	d := newDoor(t)
	session, shortly := d.enterWith(fullKey), d.enterWith(shortlyKey)
	for _, tt := range []struct {
		after           time.Duration
		session, second bool
	}{
		{time.Hour, true, true}, {time.Hour + 1, true, false}, {0, true, false}, // what has ended stays so
		{sessionTime - 1, true, false}, {sessionTime, false, false}, {0, false, false},
	} {
		d.now = clock.Add(tt.after)
		_, first := d.in(session)
		_, second := d.in(shortly)
		if first != tt.session || second != tt.second {
			t.Errorf("after %v: %t %t, want %t %t", tt.after, first, second, tt.session, tt.second)
		}
	}
	session = d.enterWith(fullKey)
	keys := d.auth
	answer := func(scope httpapi.Scope, err error) {
		d.auth = func(ctx context.Context, key string) (httpapi.Access, error) {
			access, _ := keys(ctx, key)
			access.Scope = scope
			return access, err
		}
	}
	answer(httpapi.ScopeRead, nil)
	if page, in := d.in(session); !in || !strings.Contains(page, "read only") {
		t.Errorf("a key of less rights:\n%s", page)
	}
	answer("", errors.New("no route to the host of the keys"))
	if w := d.send("GET", consolePath, session, nil); w.Code != http.StatusInternalServerError || strings.Contains(w.Body.String(), "route") || !strings.Contains(d.log.String(), "no route") {
		t.Errorf("no answer: %d\n%s\n%s", w.Code, w.Body, &d.log)
	}
	answer("", httpapi.RefuseToken())
	if _, in := d.in(session); in {
		t.Error("the session of a removed key goes on")
	}
	d.auth = keys
	if _, in := d.in(session); in {
		t.Error("the session of a removed key came back")
	}
}

// TestSecondProgram: a key opens the console of its own program, and what is
// done there happens there and is logged.
func TestSecondProgram(t *testing.T) {
	d := newDoor(t)
	first, second := d.enterWith(fullKey), d.enterWith(secondKey)
	const path = consolePath + "affiliates/new"
	sent := url.Values{"firstName": {"Ada"}, "lastName": {"Lovelace"}, "email": {"ada@example.com"}}
	page := d.send("GET", path, second, nil).Body.String()
	for _, field := range regexp.MustCompile(`type="hidden" name="([^"]+)" value="([^"]*)"`).FindAllStringSubmatch(page, -1) {
		sent.Set(field[1], html.UnescapeString(field[2]))
	}
	if w := d.send("POST", path, first, sent); w.Code != http.StatusForbidden {
		t.Errorf("the form of another program: %d", w.Code)
	}
	w := d.send("POST", path, second, sent)
	if w.Code != http.StatusSeeOther {
		t.Fatalf("%d\n%s", w.Code, w.Body)
	}
	if log := d.log.String(); strings.Count(log, "\n") != 1 || !strings.Contains(log, `msg="console action" actor=owner action=affiliates.create`) || strings.Contains(log, "key-of") {
		t.Errorf("log:\n%s", log)
	}
	for session, want := range map[string]bool{first: false, second: true} {
		text := d.send("GET", consolePath+"affiliates", session, nil).Body.String()
		if strings.Contains(text, "Lovelace") != want || strings.Contains(text, "Shop Two") != want || strings.Contains(text, "Shop One") == want {
			t.Errorf("the second program is shown: %t, want %t\n%s", !want, want, text)
		}
	}
}

// TestSessionCookie: scripts and other sites do not get the cookie, and it goes
// over https unless the browser is on this machine.
func TestSessionCookie(t *testing.T) {
	d := newDoor(t)
	const base = "; HttpOnly"
	for name, tt := range map[string]struct {
		change func(*http.Request)
		secure bool
		warns  bool
	}{
		"Loopback":     {from("127.0.0.1:4000"), false, false},
		"LoopbackIPv6": {from("[::1]:4000"), false, false},
		"LoopbackTLS":  {func(r *http.Request) { r.RemoteAddr, r.TLS = "127.0.0.1:4000", &tls.ConnectionState{} }, true, false},
		"Proxy":        {func(r *http.Request) { r.RemoteAddr = "127.0.0.1:4000"; r.Header.Set("X-Forwarded-For", "192.0.2.7") }, true, false},
		"Network":      {from("192.0.2.7:4000"), true, true},
		"NetworkTLS":   {func(r *http.Request) { r.TLS = &tls.ConnectionState{} }, true, false},
	} {
		want := base
		if tt.secure {
			want += "; Secure"
		}
		line := d.try(fullKey, tt.change).Header().Get("Set-Cookie")
		if !regexp.MustCompile(`^` + sessionCookie + `=[\w-]{43}` + want + `; SameSite=Strict$`).MatchString(line) {
			t.Errorf("%s: %s", name, line)
		}
		if warns := strings.Contains(d.send("GET", consolePath, "", nil, tt.change).Body.String(), "not encrypted"); warns != tt.warns {
			t.Errorf("%s: the form warns: %t", name, warns)
		}
	}
	old := d.enterWith(fullKey)
	w := d.send("POST", signInPath, old, url.Values{"key": {fullKey}})
	if _, in := d.in(old); in || w.Result().Cookies()[0].Value == old {
		t.Error("a second sign-in leaves the first session")
	}
}

// TestLoginForm: the form leads back to the page that was asked for and nowhere
// else, has the headers of a page of the console, and obeys nothing it is sent.
func TestLoginForm(t *testing.T) {
	d := newDoor(t)
	next := regexp.MustCompile(`name="next" value="([^"]*)"`)
	for asked, want := range map[string]string{
		consolePath: "", consolePath + "sales?status=ACTIVE&q=%22%3E": "sales?status=ACTIVE&q=%22%3E",
		signInPath: "", signOutPath: "", consolePath + "../api": "", consolePath + "%2e%2e/api": "",
		consolePath + "/evil.example": "", consolePath + `%5Cevil.example`: `%5Cevil.example`,
	} {
		w := d.send("GET", asked, "", nil)
		if got := html.UnescapeString(next.FindStringSubmatch(w.Body.String())[1]); got != want {
			t.Errorf("%s leads to %s, want %s", asked, got, want)
		}
		for name, want := range map[string]string{
			"Referrer-Policy": "no-referrer", "X-Content-Type-Options": "nosniff", "Cross-Origin-Opener-Policy": "same-origin", "X-Frame-Options": "DENY",
			"Cache-Control": "private, no-store", "Content-Type": "text/html; charset=utf-8",
			"Content-Security-Policy": "default-src 'none'; style-src 'self'; img-src data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
		} {
			if got := w.Header().Get(name); got != want {
				t.Errorf("%s: %s: %q", asked, name, got)
			}
		}
	}
	for sent, want := range map[string]string{
		"sales?q=ada": "./sales?q=ada", "https://evil.example/console/": "./", "//evil.example/console/": "./", "/": "./", "/console/": "./", "../api/v1": "./",
		`../..//evil.example`: "./", `\evil.example`: `./%5Cevil.example`, "javascript:alert(1)": "./javascript:alert%281%29", "": "./", "\r\n": "./", "sign-out": "./",
	} {
		w := d.send("POST", signInPath, "", url.Values{"key": {readKey}, "next": {sent}})
		if got := w.Header().Get("Location"); w.Code != http.StatusSeeOther || got != want {
			t.Errorf("next=%q: %d to %q, want %q", sent, w.Code, got, want)
		}
	}
	if w := d.send("GET", "/console?q=1", "", nil); w.Code != http.StatusPermanentRedirect || w.Header().Get("Location") != "./console/?q=1" {
		t.Errorf("without the slash: %d to %q", w.Code, w.Header().Get("Location"))
	}
	if w := d.send("GET", stylePath, "", nil); w.Code != http.StatusOK || w.Header().Get("Content-Type") != "text/css; charset=utf-8" || !strings.Contains(w.Body.String(), "prefers-color-scheme") {
		t.Errorf("the style: %d %v", w.Code, w.Header())
	}
	w := d.send("GET", consolePath+"sales", "", nil, func(r *http.Request) { r.Header.Set("Sec-Fetch-Site", "cross-site") })
	if !strings.Contains(w.Body.String(), `<a href="./sales">go on to the page</a>`) {
		t.Errorf("a link of another site, which comes without the cookie:\n%s", w.Body)
	}
	if w := d.send("POST", consolePath+"affiliates/new", "", url.Values{"email": {"x"}}); w.Code != http.StatusForbidden || !strings.Contains(w.Body.String(), "Nothing was done.") {
		t.Errorf("a form without a session: %d\n%s", w.Code, w.Body)
	}
	if w := d.send("GET", signInPath, d.enterWith(fullKey), nil); w.Code != http.StatusSeeOther || w.Header().Get("Location") != "./" {
		t.Errorf("the form for somebody who is signed in: %d", w.Code)
	}
}

// TestLoginOtherSites: forms of other sites neither sign in nor out, and do not
// count as tries.
func TestLoginOtherSites(t *testing.T) {
	d := newDoor(t)
	session := d.enterWith(fullKey)
	for name, value := range map[string]string{"Sec-Fetch-Site": "cross-site", "Origin": "https://evil.example"} {
		change := func(r *http.Request) { r.Header.Set(name, value) }
		for range maxTries {
			if w := d.try(fullKey, change); w.Code != http.StatusForbidden || len(w.Result().Cookies()) != 0 {
				t.Errorf("%s: sign in: %d", name, w.Code)
			}
		}
		if w := d.send("POST", signOutPath, session, url.Values{}, change); w.Code != http.StatusForbidden {
			t.Errorf("%s: sign out: %d", name, w.Code)
		}
	}
	if _, in := d.in(session); !in {
		t.Error("another site signed out")
	}
	d.enterWith(fullKey)
}

// TestLoginMemory: sessions and tries take bounded memory. The oldest go first.
func TestLoginMemory(t *testing.T) {
	now := clock
	s := newSessions(func() time.Time { return now }, nil)
	var ids []string
	for range maxSessions + 1 {
		now = now.Add(time.Microsecond)
		id, err := s.begin("x")
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, id)
	}
	_, first := s.find(ids[0])
	_, second := s.find(ids[1])
	if first || !second || len(s.open) != maxSessions {
		t.Errorf("%d sessions, the first %t, the second %t", len(s.open), first, second)
	}
	now = now.Add(sessionTime)
	if _, err := s.begin("x"); err != nil || len(s.open) != 1 {
		t.Errorf("%d sessions when all are over, %v", len(s.open), err)
	}
}

// TestConsole: the server has the console where it says, signed in with the key
// that it made, and logs nothing about it.
func TestConsole(t *testing.T) {
	s := start(t)
	found := regexp.MustCompile(`(?m)^key (\S+)$(?s:.*)^console (\S+)$`).FindStringSubmatch(s.output.String())
	if found == nil || found[2] != s.url+consolePath {
		t.Fatalf("output:\n%s", s.output)
	}
	r, err := http.NewRequestWithContext(t.Context(), "POST", found[2]+"sign-in", strings.NewReader(url.Values{"key": {found[1]}}.Encode()))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	res, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	res.Body.Close()
	if res.StatusCode != http.StatusSeeOther || len(res.Cookies()) != 1 || res.Cookies()[0].Secure {
		t.Fatalf("%d %v", res.StatusCode, res.Header)
	}
	r, err = http.NewRequestWithContext(t.Context(), "GET", found[2], nil)
	if err != nil {
		t.Fatal(err)
	}
	r.AddCookie(res.Cookies()[0])
	if status, body := s.do(r); status != http.StatusOK || !strings.Contains(body, "Program 1") || strings.Contains(body, found[1]) {
		t.Errorf("%d\n%s", status, body)
	}
}

// TestLoginBehindProxy: the console and its login work for a browser that sees them at
// another path than the server, because something before it cuts the path.
func TestLoginBehindProxy(t *testing.T) {
	d := newDoor(t)
	back := httptest.NewServer(d.login)
	defer back.Close()
	to, err := url.Parse(back.URL)
	if err != nil {
		t.Fatal(err)
	}
	for name, handler := range map[string]http.Handler{
		"stripped": http.StripPrefix("/app", d.login), "a proxy": http.StripPrefix("/app", httputil.NewSingleHostReverseProxy(to)), "the same path": d.login,
	} {
		t.Run(name, func(t *testing.T) {
			prefix := "/app"
			if name == "the same path" {
				prefix = ""
			}
			front := httptest.NewTLSServer(handler)
			defer front.Close()
			b := front.Client()
			b.Jar, _ = cookiejar.New(nil)
			page := func(res *http.Response, err error) (string, *url.URL) {
				t.Helper()
				if err != nil {
					t.Fatal(err)
				}
				defer res.Body.Close()
				text, _ := io.ReadAll(res.Body)
				return string(text), res.Request.URL
			}
			find := func(text string, at *url.URL, expression string) string {
				t.Helper()
				m := regexp.MustCompile(expression).FindStringSubmatch(text)
				if m == nil {
					t.Fatalf("nothing is like %s:\n%s", expression, text)
				}
				link, err := at.Parse(html.UnescapeString(m[1]))
				if err != nil {
					t.Fatal(err)
				}
				return link.String()
			}
			text, at := page(b.Get(front.URL + prefix + "/console/sales?status=ACTIVE"))
			if style, _ := page(b.Get(find(text, at, `rel="stylesheet" href="([^"]+)"`))); !strings.Contains(style, "prefers-color-scheme") {
				t.Errorf("the style sheet is %.80q", style)
			}
			next := html.UnescapeString(regexp.MustCompile(`name="next" value="([^"]*)"`).FindStringSubmatch(text)[1])
			text, at = page(b.PostForm(find(text, at, `method="post" action="([^"]+)"`), url.Values{"key": {wrongKey}, "next": {next}}))
			text, at = page(b.PostForm(find(text, at, `method="post" action="([^"]+)"`), url.Values{"key": {fullKey}, "next": {next}}))
			if at.Path != prefix+"/console/sales" || at.RawQuery != "status=ACTIVE" || !strings.Contains(text, "Shop One") {
				t.Fatalf("signed in at %s:\n%s", at, text)
			}
			text, at = page(b.PostForm(find(text, at, `action="([^"]*sign-out)"`), nil))
			if at.Path != prefix+"/console/" || !strings.Contains(text, "Sign in") {
				t.Errorf("signed out at %s", at)
			}
			if text, _ = page(b.Get(front.URL + prefix + "/console/sales")); strings.Contains(text, "Shop One") {
				t.Error("the session goes on")
			}
			if _, at = page(b.Get(front.URL + prefix + "/console")); at.Path != prefix+"/console/" {
				t.Errorf("without the slash: %s", at)
			}
		})
	}
}

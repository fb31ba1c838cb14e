package app

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/tributary-go/tributary/httpapi/console"
)

// An issuer is a provider at which a code is the email of who it is for.
type issuer struct {
	begun []SignIn
	ended []SignIn
	fails error
}

func (*issuer) Host() string { return "accounts.example" }

func (i *issuer) Begin(_ context.Context, s SignIn) (string, error) {
	i.begun = append(i.begun, s)
	return "https://accounts.example/sign-in?state=" + url.QueryEscape(s.State), i.fails
}

func (i *issuer) Email(_ context.Context, s SignIn, code string) (string, error) {
	i.ended = append(i.ended, s)
	return code, i.fails
}

// oidcDoor is a door of people with a provider.
func oidcDoor(t *testing.T) (*door, *issuer) {
	d, _ := staffDoor(t)
	at := new(issuer)
	d.restart(new(postbox), func(s *settings) { s.provider = at })
	return d, at
}

// leave goes to the provider, and returns the cookie of the browser and the state.
func (d *door) leave(at *issuer, change ...func(*http.Request)) (browser, state string) {
	d.t.Helper()
	w := d.send("GET", signInPath+"?by=provider", "", nil, change...)
	if w.Code != http.StatusSeeOther || !strings.HasPrefix(w.Header().Get("Location"), "https://accounts.example/sign-in?state=") {
		d.t.Fatalf("%d to %q\n%s", w.Code, w.Header().Get("Location"), w.Body)
	}
	for _, c := range w.Result().Cookies() {
		if browser = c.Value; c.Name != askedCookie || !c.HttpOnly || !c.Secure || c.SameSite != http.SameSiteLaxMode {
			d.t.Errorf("the cookie %v", c)
		}
	}
	return browser, at.begun[len(at.begun)-1].State
}

// back comes back from the provider, and returns the session that begins; empty: none.
func (d *door) back(browser, state, code string, change ...func(*http.Request)) (session string, w *httptest.ResponseRecorder) {
	d.t.Helper()
	query := url.Values{"state": {state}, "code": {code}}
	w = d.send("GET", signInPath+"?"+query.Encode(), "", nil, append(change, withCookie(askedCookie, browser))...)
	for _, c := range w.Result().Cookies() {
		if c.Name == sessionCookie && c.MaxAge == 7*24*60*60 && c.HttpOnly && c.SameSite == http.SameSiteStrictMode {
			session = c.Value
		}
	}
	if (session != "") != (w.Code == http.StatusOK) {
		d.t.Errorf("%d %v", w.Code, w.Header())
	}
	return session, w
}

// TestProviderSignIn: who comes back from the provider as a person of the program is in as that person,
// for seven days, also when the server starts again, until the person is removed.
func TestProviderSignIn(t *testing.T) {
	d, at := oidcDoor(t)
	if page := d.send("GET", consolePath, "", nil).Body.String(); !strings.Contains(page, `href="./sign-in?by=provider">Sign in with accounts.example</a>`) {
		t.Errorf("the form leads nowhere:\n%s", page)
	}
	browser, state := d.leave(at)
	session, w := d.back(browser, state, "Bo@beans.example")
	if session == "" || !strings.Contains(w.Body.String(), `content="0; url=./"`) || w.Header().Get("Referrer-Policy") != "no-referrer" {
		t.Fatalf("%d\n%s", w.Code, w.Body)
	}
	if s := at.begun[0]; s != at.ended[0] || s.Back != "https://partners.beans.example/console/sign-in" || len(s.Verifier) < 43 || s.Nonce == "" ||
		s.Nonce == s.Verifier || strings.Contains(s.State, s.Nonce) || strings.Contains(s.State, s.Verifier) || strings.Contains(s.State, browser) {
		t.Errorf("it began with %+v, and ended with %+v", s, at.ended[0])
	}
	d.restart(new(postbox))
	if page, in := d.in(session); !in || !strings.Contains(page, "<bdi>bo</bdi>") || !strings.Contains(page, `href="./settings"`) || strings.Contains(page, `href="./access"`) {
		t.Errorf("bo sees\n%s", page)
	}
	people, err := d.staff.People(t.Context())
	if err != nil || len(people) != 3 || people[1].Sessions == nil && people[0].Sessions == nil && people[2].Sessions == nil {
		t.Errorf("%+v, %v", people, err)
	}
	if err := d.staff.RemovePerson(t.Context(), "bo@beans.example"); err != nil {
		t.Fatal(err)
	}
	if _, in := d.in(session); in {
		t.Error("removed, and in")
	}
}

// TestProviderRefused: a state of another browser, one that was used, forged or is too old, an email of
// nobody, and a refusal of the provider get the same answer, and begin no session. A provider that does
// not answer is said.
func TestProviderRefused(t *testing.T) {
	d, at := oidcDoor(t)
	browser, state := d.leave(at)
	if session, _ := d.back(browser, state, "ada@beans.example"); session == "" {
		t.Fatal("ada is not in")
	}
	other, theirs := d.leave(at)
	same, again := d.leave(at, withCookie(askedCookie, other))
	if same != other || again == theirs {
		t.Errorf("a browser that begins twice is %q and %q", other, same)
	}
	want := ""
	refused := func(name, browser, state, code string) {
		t.Helper()
		d.now = d.now.Add(time.Second)
		asked := len(at.ended)
		session, w := d.back(browser, state, code, from("192.0.2.77:1"))
		if want == "" {
			want = w.Body.String()
		}
		if session != "" || w.Code != http.StatusForbidden || w.Body.String() != want || w.Header().Get("Location") != "" {
			t.Errorf("%s: %d\n%s", name, w.Code, w.Body)
		}
		if bad := name == "another browser" || name == "forged"; bad && len(at.ended) != asked {
			t.Errorf("%s: the provider is asked", name)
		}
		d.now = d.now.Add(time.Minute)
	}
	refused("used", browser, state, "ada@beans.example")
	refused("another browser", browser, theirs, "ada@beans.example")
	refused("no browser", "", theirs, "ada@beans.example")
	refused("forged", other, "x", "ada@beans.example")
	refused("forged", other, "", "ada@beans.example")
	refused("forged", other, "9"+theirs, "ada@beans.example")                           // would live longer
	refused("forged", "x", d.signInOf("x", "99999999999-x").State, "ada@beans.example") // with a cookie of one's own
	refused("nobody", other, theirs, "eve@evil.example")
	refused("no email", other, theirs, "")
	at.fails = errors.New("the token is for somebody else")
	refused("the provider", other, theirs, "ada@beans.example")
	if w := d.send("GET", signInPath+"?by=provider", "", nil, from("192.0.2.78:1")); w.Code != http.StatusBadGateway || !strings.Contains(w.Body.String(), "accounts.example does not answer") {
		t.Errorf("it does not answer: %d\n%s", w.Code, w.Body)
	}
	at.fails = nil
	if session, _ := d.back(other, theirs, "ada@beans.example", from("192.0.2.79:1")); session == "" {
		t.Error("what was refused has used the state up")
	}
	_, late := d.leave(at, withCookie(askedCookie, other), from("192.0.2.80:1"))
	d.now = d.now.Add(linkTime)
	refused("too old", other, late, "ada@beans.example")
	for range mailsPerMinute {
		d.send("GET", signInPath+"?by=provider", "", nil, from("192.0.2.90:1"))
	}
	if w := d.send("GET", signInPath+"?by=provider", "", nil, from("192.0.2.90:1")); w.Code != http.StatusTooManyRequests {
		t.Errorf("too many: %d", w.Code)
	}
	if text := d.log.String(); strings.Contains(text, "@") || !strings.Contains(text, "the token is for somebody else") {
		t.Errorf("the log: %s", text)
	}
}

// TestProviderKelvin: an email in letters of another script is not that of the person whose letters they
// become when they are made small.
func TestProviderKelvin(t *testing.T) {
	d, at := oidcDoor(t)
	if err := d.staff.AddPerson(t.Context(), kim); err != nil {
		t.Fatal(err)
	}
	browser, state := d.leave(at)
	if session, _ := d.back(browser, state, "\u212Aim@beans.example"); session != "" {
		t.Error("somebody else is in as kim")
	}
	if session, _ := d.back(browser, state, "KIM@beans.example"); session == "" {
		t.Error("kim is not in")
	}
}

var kim = console.Person{Email: "kim@beans.example", Name: "kim", Role: console.Owner}

// TestProviderIsNotLockedOut: what another site makes a browser ask for takes nothing from who comes back from the
// provider.
func TestProviderIsNotLockedOut(t *testing.T) {
	d, at := oidcDoor(t)
	browser, state := d.leave(at)
	picture := func(r *http.Request) {
		r.Header.Set("Sec-Fetch-Site", "cross-site")
		r.Header.Set("Sec-Fetch-Dest", "image")
	}
	for range 30 {
		for _, path := range []string{"?state=x", "?by=provider"} {
			if w := d.send("GET", signInPath+path, "", nil, picture); w.Code != http.StatusForbidden {
				t.Fatalf("%s: %d", path, w.Code)
			}
		}
	}
	if session, w := d.back(browser, state, "ada@beans.example"); session == "" {
		t.Errorf("who comes back: %d", w.Code)
	}
}

package portal_test

import (
	"errors"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/httpapi/portal"
)

// An inbox has what was asked for on the page of links.
type inbox struct {
	*world
	asked []portal.SignInRequest
	full  error
}

func newInbox(t *testing.T) *inbox {
	t.Helper()
	in := &inbox{}
	in.world = newWorld(t, "", func(c *portal.Config) {
		c.SignIn = &portal.SignIn{URL: "https://partners.beans.example/partner/", Ask: func(_ *http.Request, asked portal.SignInRequest) error {
			if in.full == nil {
				in.asked = append(in.asked, asked)
			}
			return in.full
		}}
	})
	return in
}

// ask asks for a link, and returns the answer, and the cookie of the browser.
func (in *inbox) ask(cookie, email string) (pageAnswer, string) {
	in.t.Helper()
	answer := in.post(cookie, "sign-in", in.get(cookie, "sign-in").form("email", email), "Host", "evil.example")
	return answer, cookieOf(answer)
}

// link returns the path of the link that the newest request gets.
func (in *inbox) link() string {
	in.t.Helper()
	asked := in.asked[len(in.asked)-1]
	of := must(in.Affiliate(in.t.Context(), asked.Email))
	link, err := in.pages.SignInLink(of.ID, asked)
	rest, ours := strings.CutPrefix(link, "https://partners.beans.example/partner/")
	if err != nil || !ours {
		in.t.Fatalf("%q, error %v", link, err)
	}
	return rest
}

// TestSignIn: a link opens the pages once, in the browser that asked, by its button.
func TestSignIn(t *testing.T) {
	in := newInbox(t)
	if start := in.get("", ""); start.status != 303 || start.head.Get("Location") != "./sign-in" {
		t.Errorf("without a visit: %d %v", start.status, start.head)
	}
	in.cfg.Frames = []string{friend}
	if page := ask(must(portal.New(in.Program, in.cfg)), "GET", "/partner/", "", "Sec-Fetch-Dest", "iframe"); page.status != 403 || !strings.Contains(page.body, "data-over") {
		t.Errorf("in a frame: %d %s", page.status, page.text())
	}
	answer, browser := in.ask("", " ADA@example.org ")
	if behind := in.get(browser, strings.TrimPrefix(answer.head.Get("Location"), "./")); answer.status != 303 || !strings.Contains(behind.text(), "a link is on its way") {
		t.Errorf("%d %s", answer.status, behind.text())
	}
	if in.asked[0].Email != "ADA@example.org" {
		t.Errorf("asked for %q", in.asked[0].Email)
	}
	link := in.link()
	for range 3 { // a scanner follows links
		in.get("", link)
		ask(in.pages, "HEAD", "/partner/"+link, "", "Cookie", browser)
		if page := in.get(browser, link); page.status != 200 || !strings.Contains(page.text(), "opens the pages of ADA L") || page.head.Get("Set-Cookie") != "" {
			t.Errorf("%d %s", page.status, page.text())
		}
	}
	opened := in.get(browser, link).submit(in.pages, browser)
	if opened.status != 303 || opened.head.Get("Location") != "./" {
		t.Fatalf("%d %s", opened.status, opened.text())
	}
	if page := in.get(cookieOf(opened), ""); page.status != 200 || !strings.Contains(page.body, "ADA L") {
		t.Errorf("%d %s", page.status, page.text())
	}
	want := in.get("", "open?token=x")
	again := in.get(browser, link).submit(in.pages, browser)
	if again.status != 403 || again.body != want.body || again.head.Get("Set-Cookie") != "" {
		t.Errorf("again: %d %s", again.status, again.text())
	}
}

// TestSignInAccepts: who is invited accepts by opening a mailed link, and not before.
func TestSignInAccepts(t *testing.T) {
	in := newInbox(t)
	ivy := must(in.InviteAffiliate(t.Context(), affiliate.AffiliateParams{FirstName: "Ivy", LastName: "L", Email: "ivy@example.org"}))
	status := func() affiliate.AffiliateStatus { return must(in.Affiliate(t.Context(), ivy.ID.String())).Status }
	_, browser := in.ask("", "ivy@example.org")
	link := in.link()
	if page := in.get(browser, link); page.status != 200 || status() != affiliate.AffiliateInvited {
		t.Errorf("%d, she is %s", page.status, status())
	}
	opened := in.get(browser, link).submit(in.pages, browser)
	if opened.status != 303 || status() != affiliate.AffiliateActive || !strings.Contains(in.get(cookieOf(opened), "").body, "Overview") {
		t.Errorf("%d, she is %s", opened.status, status())
	}
	event := must(in.Events(t.Context(), affiliate.EventQuery{}, affiliate.Page{Limit: 1})).Items[0]
	if event.Actor != "affiliate:"+ivy.ID.String() {
		t.Errorf("by %q", event.Actor)
	}
}

// TestSignInLanguage: the language that a browser prefers is noted when somebody signs in whose language
// is not known, if the host writes in it; and nothing else is.
func TestSignInLanguage(t *testing.T) {
	in := newInbox(t)
	in.cfg.Writes = func(tag string) bool { return strings.HasPrefix(tag, "de") || tag == "fr" }
	in.pages = must(portal.New(in.Program, in.cfg))
	must(in.InviteAffiliate(t.Context(), affiliate.AffiliateParams{FirstName: "Ivy", LastName: "L", Email: "ivy@example.org"}))
	must(in.UpdateAffiliate(t.Context(), affiliate.AffiliateRef{ID: in.bob.ID}, affiliate.AffiliateUpdate{Language: affiliate.Set("pt-BR")}))
	for _, row := range [][3]string{{"ada@example.org", "en-US,de;q=0.9", ""}, {"ada@example.org", "de-<b>", ""}, {"ada@example.org", "de-CH;q=1 , en", "de-CH"},
		{"ada@example.org", "fr", "de-CH"}, {"bob@example.org", "de", "pt-BR"}, {"ivy@example.org", "fr", "fr"}} {
		_, browser := in.ask("", row[0])
		link := in.link()
		opened := in.post(browser, link, in.get(browser, link).form(), "Accept-Language", row[1])
		if got := must(in.Affiliate(t.Context(), row[0])); opened.status != 303 || got.Language != row[2] || got.Status != affiliate.AffiliateActive {
			t.Errorf("%q: %d, got %q, %s", row, opened.status, got.Language, got.Status)
		}
	}
}

// TestSignInOpensNothing: a link is worth nothing in another browser, when it is late, changed, or
// no link of this kind, and every reason has the same page.
func TestSignInOpensNothing(t *testing.T) {
	in := newInbox(t)
	_, browser := in.ask("", "ada@example.org")
	link := in.link()
	_, other := in.ask("", "bob@example.org")
	form := in.get(browser, link).form()
	want := in.get("", "open?token=x")
	if want.status != 403 || want.head.Get("Set-Cookie") != "" || !strings.Contains(want.text(), "only in the browser in which you asked") {
		t.Fatalf("%d %s", want.status, want.text())
	}
	token, _ := strings.CutPrefix(link, "open?token=")
	enter := must(in.pages.Token(in.ada.ID, 0))
	name, _, _ := strings.Cut(browser, "=")
	for why, row := range map[string]struct{ cookie, link string }{
		"another browser": {"", link}, "one that asked for another": {other, link}, "a cookie of no browser": {name + "=x", link},
		"the nil one": {name + "=00000000-0000-0000-0000-000000000000", link}, "a changed token": {browser, strings.Replace(link, "token=tm1.", "token=tm1.A", 1)},
		"no token": {browser, "open"}, "the token of enter": {browser, "open?token=" + enter},
	} {
		for _, got := range []pageAnswer{in.get(row.cookie, row.link), in.post(row.cookie, row.link, form)} {
			if got.status != 403 || got.body != want.body || got.head.Get("Set-Cookie") != "" {
				t.Errorf("%s: %d %s", why, got.status, got.text())
			}
		}
	}
	if got := ask(in.pages, "GET", "/partner/enter?token="+url.QueryEscape(token), "", "Cookie", browser); got.head.Get("Set-Cookie") != "" {
		t.Errorf("as a token of enter: %v", got.head)
	}
	for why, form := range map[string]url.Values{"no form": {}, "the form of another page": in.get("", "sign-in").form()} {
		if got := in.post(browser, link, form); got.status != 403 || got.head.Get("Set-Cookie") != "" {
			t.Errorf("%s: %d %v", why, got.status, got.head)
		}
	}
	if got := in.post(browser, link, form, "Sec-Fetch-Site", "cross-site"); got.status != 403 || got.head.Get("Set-Cookie") != "" {
		t.Errorf("from another site: %d", got.status)
	}
	in.now = in.now.Add(15*time.Minute - time.Second)
	if got := in.get(browser, link); got.status != 200 {
		t.Errorf("a second before its end: %d", got.status)
	}
	in.now = in.now.Add(time.Second)
	if got := in.post(browser, link, form); got.status != 403 || got.body != want.body {
		t.Errorf("at its end: %d %s", got.status, got.text())
	}
	cleo := must(in.CreateAffiliate(t.Context(), affiliate.AffiliateParams{FirstName: "Cleo", LastName: "L", Email: "cleo@example.org"}))
	_, browser = in.ask(browser, "cleo@example.org")
	link = in.link()
	must(0, in.DeleteAffiliate(t.Context(), affiliate.AffiliateRef{ID: cleo.ID}))
	if got := in.get(browser, link); got.status != 403 || got.body != want.body {
		t.Errorf("of nobody: %d %s", got.status, got.text())
	}
}

// TestSignInTellsNothing: whether an email is known is in no answer, and a browser that asks again
// can use both links.
func TestSignInTellsNothing(t *testing.T) {
	in := newInbox(t)
	form := in.get("", "sign-in")
	var first pageAnswer
	for i, email := range []string{"ada@example.org", "nobody@example.org", "x@y", "<script>@\"--.example"} {
		got := form.submit(in.pages, "", "email", email)
		if i == 0 {
			first = got
		}
		if got.status != 303 || got.body != first.body || got.head.Get("Location") != first.head.Get("Location") || !strings.Contains(got.head.Get("Set-Cookie"), "HttpOnly; Secure; SameSite=Lax") {
			t.Errorf("%s: %d %v %s", email, got.status, got.head, got.text())
		}
	}
	if log := in.log.String(); strings.Contains(log, "@") {
		t.Error(log)
	}
	for _, email := range []string{"", "ada", "a b@example.org", "a@example.org\nBcc: b@example.org", strings.Repeat("a", 250) + "@b.example"} {
		if got := form.submit(in.pages, "", "email", email); got.status != 400 || !strings.Contains(got.text(), "This is no email.") || got.head.Get("Set-Cookie") != "" {
			t.Errorf("%q: %d %s", email, got.status, got.text())
		}
	}
	for why, answer := range map[string]pageAnswer{"no form": in.post("", "sign-in", url.Values{"email": {"ada@example.org"}}),
		"another site": in.post("", "sign-in", form.form("email", "ada@example.org"), "Origin", "https://evil.example")} {
		if answer.status != 403 {
			t.Errorf("%s: %d", why, answer.status)
		}
	}
	if len(in.asked) != 4 {
		t.Errorf("%d requests", len(in.asked))
	}
	in.full = errors.New("too many")
	if got := form.submit(in.pages, "", "email", "ada@example.org"); got.status != 429 || got.head.Get("Set-Cookie") != "" || strings.Contains(got.body, "too many") {
		t.Errorf("%d %s", got.status, got.text())
	}
	in.full = nil
	_, browser := in.ask("", "ada@example.org")
	one := in.link()
	_, again := in.ask(browser, "ada@example.org")
	if again != browser || one == in.link() || in.get(browser, one).status != 200 || in.get(browser, in.link()).status != 200 {
		t.Errorf("a browser that asks twice has %q and %q", browser, again)
	}
}

// TestSignInConfig: what New refuses, and who signs in nowhere.
func TestSignInConfig(t *testing.T) {
	in := newInbox(t)
	for name, change := range map[string]func(*portal.Config){
		"no key": func(c *portal.Config) {
			c.Key, c.Authorize = nil, func(*http.Request) (uuid.UUID, bool) { return uuid.Nil, false }
		},
		"no Ask": func(c *portal.Config) { c.SignIn.Ask = nil }, "no URL": func(c *portal.Config) { c.SignIn.URL = "" }, "a path": func(c *portal.Config) { c.SignIn.URL = "/partner/" },
		"no slash": func(c *portal.Config) { c.SignIn.URL = "https://beans.example/partner" }, "a query": func(c *portal.Config) { c.SignIn.URL += "?a=b" },
		"no logger": func(c *portal.Config) { c.Logger, c.NoPayoutForm, c.Cases = nil, true, false },
	} {
		cfg := in.cfg
		sign := *cfg.SignIn
		cfg.SignIn = &sign
		change(&cfg)
		if _, err := portal.New(in.Program, cfg); err == nil {
			t.Errorf("%s is taken", name)
		}
	}
	without := newWorld(t, "")
	for _, path := range []string{"sign-in", "open?token=x"} {
		if got := without.get("", path); got.status != 403 || !strings.Contains(got.text(), "Your visit is over") {
			t.Errorf("%s: %d %s", path, got.status, got.text())
		}
	}
	if _, err := without.pages.SignInLink(without.ada.ID, portal.SignInRequest{}); err == nil {
		t.Error("a link of pages without SignIn")
	}
	if link := must(in.pages.SignInLink(in.ada.ID, portal.SignInRequest{})); ask(in.pages, "GET", link, "", "Cookie", "tributary_portal_asked=00000000-0000-0000-0000-000000000000").status != 403 {
		t.Error("a link that nobody asked for opens")
	}
	as := in.pages.As(in.Program, in.ada.ID, "console")
	if got := ask(as, "GET", "/sign-in", ""); got.status != 404 {
		t.Errorf("as somebody: %d", got.status)
	}
}

// TestSignUpTrap: an application with the field that no person sees has the answer of any other, and
// makes nobody.
func TestSignUpTrap(t *testing.T) {
	w := newWorld(t, "", func(c *portal.Config) { c.SignUp = asks() })
	form := filled(w.get("", "apply"), "bot@blog.example")
	form.Set("homepage", "https://spam.example")
	trapped := w.post("", "apply", form)
	if _, err := w.Affiliate(t.Context(), "bot@blog.example"); !errors.Is(err, affiliate.ErrNotFound) {
		t.Errorf("error %v", err)
	}
	form.Del("homepage")
	real := w.post("", "apply", form)
	if trapped.status != 303 || trapped.head.Get("Location") != real.head.Get("Location") || trapped.body != real.body {
		t.Errorf("%d %v %s", trapped.status, trapped.head, trapped.text())
	}
	if log := w.log.String(); !strings.Contains(log, "portal application refused") {
		t.Error(log)
	}
}

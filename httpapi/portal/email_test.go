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

// A changing has the changes of emails that were asked for.
type changing struct {
	*world
	asked []portal.EmailChange
	full  error
}

func newChanging(t *testing.T) *changing {
	t.Helper()
	c := &changing{}
	c.world = newWorld(t, "", func(cfg *portal.Config) {
		cfg.SignIn = &portal.SignIn{URL: "https://partners.beans.example/partner/", Ask: func(*http.Request, portal.SignInRequest) error { return nil },
			Change: func(_ *http.Request, asked portal.EmailChange) error {
				if c.full == nil {
					c.asked = append(c.asked, asked)
				}
				return c.full
			}}
	})
	return c
}

// ask asks for another email, and returns the paths of the links to the old and to the new one.
func (c *changing) ask(cookie, email string) (old, to string) {
	c.t.Helper()
	answer := c.post(cookie, "email", c.get(cookie, "email").form("email", email), "Host", "evil.example")
	if behind := c.get(cookie, strings.TrimPrefix(answer.head.Get("Location"), "./")); answer.status != 303 || !strings.Contains(behind.text(), "Send the links") || !strings.Contains(behind.body, "Two mails are on their way.") {
		c.t.Fatalf("%d %s", answer.status, behind.body)
	}
	asked := c.asked[len(c.asked)-1]
	cut := func(link string) string {
		rest, ours := strings.CutPrefix(link, "https://partners.beans.example/partner/")
		if !ours {
			c.t.Fatal(link)
		}
		return rest
	}
	return cut(asked.OldLink), cut(asked.NewLink)
}

func (c *changing) confirm(cookie, link string) pageAnswer {
	c.t.Helper()
	return c.get(cookie, link).submit(c.pages, cookie)
}

func (c *changing) email() string {
	return must(c.Affiliate(c.t.Context(), c.ada.ID.String())).Email
}

// TestEmail: an email changes when the links at the old address and at the new one were opened, in
// whichever order, by their buttons, and by none of them alone.
func TestEmail(t *testing.T) {
	for name, newFirst := range map[string]bool{"the old one first": false, "the new one first": true} {
		t.Run(name, func(t *testing.T) {
			c := newChanging(t)
			cookie := c.enter(c.ada.ID)
			first, second := c.ask(cookie, " Ada@New.example ")
			if newFirst {
				first, second = second, first
			}
			if asked := c.asked[0]; asked.Affiliate != c.ada.ID || asked.Old != "ada@example.org" || asked.New != "ada@new.example" {
				t.Errorf("asked %+v", asked)
			}
			for _, link := range []string{first, second} { // a scanner follows both
				if page := c.get(cookie, link); page.status != 200 || !strings.Contains(page.text(), "The email becomes ada@new.example") {
					t.Errorf("%d %s", page.status, page.text())
				}
			}
			for range 2 {
				if page := c.confirm(cookie, first); page.status != 200 || !strings.Contains(page.text(), "Open the link in the other mail too") || c.email() != "ada@example.org" {
					t.Errorf("%d %s, the email is %s", page.status, page.text(), c.email())
				}
			}
			if page := c.confirm(cookie, second); page.status != 200 || !strings.Contains(page.text(), "Your email is ada@new.example .") || c.email() != "ada@new.example" {
				t.Errorf("%d %s, the email is %s", page.status, page.text(), c.email())
			}
			event := must(c.Events(t.Context(), affiliate.EventQuery{}, affiliate.Page{Limit: 1})).Items[0]
			if event.Actor != "affiliate:"+c.ada.ID.String() || event.Type != affiliate.AffiliateUpdated {
				t.Errorf("%s by %q", event.Type, event.Actor)
			}
			for _, link := range []string{first, second} {
				if page := c.get(cookie, link); page.status != 403 {
					t.Errorf("again: %d %s", page.status, page.text())
				}
			}
			if strings.Contains(c.log.String(), "new.example") {
				t.Error(c.log.String())
			}
		})
	}
}

// TestEmailLinks: a link confirms nothing in another visit, for somebody else, late, changed, of another
// kind, or once the email has changed, and each reason has the same page.
func TestEmailLinks(t *testing.T) {
	c := newChanging(t)
	cookie := c.enter(c.ada.ID)
	old, to := c.ask(cookie, "ada@new.example")
	form := c.get(cookie, old).form()
	other, otherTo := c.ask(cookie, "ada@other.example")
	if page := c.get("", old); page.status != 303 || page.head.Get("Location") != "./../sign-in" {
		t.Errorf("nobody is signed in: %d %v", page.status, page.head)
	}
	want := c.get(cookie, "email/confirm")
	if want.status != 403 || !strings.Contains(want.text(), "This link does not work here.") {
		t.Fatalf("%d %s", want.status, want.text())
	}
	eve := url.QueryEscape("eve@new.example")
	nobodys := must(url.ParseQuery(strings.TrimPrefix(other, "email/confirm?"))).Get("token")
	for why, row := range map[string]struct{ cookie, link string }{
		"another visit of hers": {c.enter(c.ada.ID), old}, "somebody else": {c.enter(c.bob.ID), old}, "another email": {cookie, strings.Replace(to, url.QueryEscape("ada@new.example"), eve, 1)},
		"the token of another": {cookie, "email/confirm?token=" + nobodys + "&email=" + url.QueryEscape("ada@new.example")}, "a token of enter": {cookie, "email/confirm?email=a&token=" + must(c.pages.Token(c.ada.ID, 0))},
		"a changed one": {cookie, strings.Replace(old, "te1.", "te1.A", 1)},
	} {
		got, sent := c.get(row.cookie, row.link), c.post(row.cookie, row.link, form)
		if got.status != 403 || got.text() != want.text() || sent.status != 403 {
			t.Errorf("%s: %d %s, %d", why, got.status, got.text(), sent.status)
		}
	}
	if page := c.post(cookie, old, url.Values{}); page.status != 403 {
		t.Errorf("without the form: %d", page.status)
	}
	c.confirm(cookie, old)
	c.confirm(cookie, otherTo) // which is another change
	c.now = c.now.Add(59 * time.Minute)
	visit := c.get(cookie, to)
	if visit.status != 200 || c.email() != "ada@example.org" {
		t.Errorf("within the hour: %d, the email is %s", visit.status, c.email())
	}
	must(c.UpdateAffiliate(t.Context(), affiliate.AffiliateRef{ID: c.ada.ID}, affiliate.AffiliateUpdate{Email: affiliate.Set("ada@third.example")}))
	if page := c.get(cookie, to); page.status != 403 {
		t.Errorf("the email has changed: %d", page.status)
	}
	must(c.UpdateAffiliate(t.Context(), affiliate.AffiliateRef{ID: c.ada.ID}, affiliate.AffiliateUpdate{Email: affiliate.Set("ada@example.org")}))
	c.cfg.Session = 2 * time.Hour
	c.pages = must(portal.New(c.Program, c.cfg))
	cookie = c.enter(c.ada.ID)
	old, to = c.ask(cookie, "ada@new.example")
	c.confirm(cookie, old)
	c.now = c.now.Add(time.Hour)
	if page := c.get(cookie, to); page.status != 403 || c.email() != "ada@example.org" {
		t.Errorf("late: %d, the email is %s", page.status, c.email())
	}
}

// TestEmailRefused: what is no email, the one that is there, one that another has, and what is asked for too
// often changes nothing; there is no page where no link could be opened.
func TestEmailRefused(t *testing.T) {
	c := newChanging(t)
	cookie := c.enter(c.ada.ID)
	for _, bad := range []string{"", "ada", "ADA@example.org", "a b@example.org", strings.Repeat("a", 260) + "@example.org"} {
		if page := c.post(cookie, "email", c.get(cookie, "email").form("email", bad)); page.status != 400 || !strings.Contains(page.text(), "This was not sent.") {
			t.Errorf("%q: %d %s", bad, page.status, page.text())
		}
	}
	old, to := c.ask(cookie, "bob@example.org")
	c.confirm(cookie, to)
	if page := c.confirm(cookie, old); page.status != 400 || c.email() != "ada@example.org" {
		t.Errorf("an email of another: %d %s", page.status, page.text())
	}
	c.full = errors.New("too often")
	if page := c.post(cookie, "email", c.get(cookie, "email").form("email", "ada@new.example")); page.status != 429 || strings.Contains(page.text(), "too often") {
		t.Errorf("%d %s", page.status, page.text())
	}
	if len(c.asked) != 1 {
		t.Errorf("asked %+v", c.asked)
	}
	must(c.SetAffiliateStatus(t.Context(), affiliate.AffiliateDeactivated, c.ada.ID))
	if page := c.get(cookie, "email"); page.status != 404 {
		t.Errorf("deactivated: %d", page.status)
	}
	c.cfg.Frames = []string{friend}
	framed := must(portal.New(c.Program, c.cfg))
	if page := ask(framed, "GET", "/partner/email", "", "Cookie", c.enter(c.bob.ID), "Sec-Fetch-Dest", "iframe"); page.status != 404 {
		t.Errorf("in a frame: %d", page.status)
	}
	c.cfg.Authorize = func(*http.Request) (uuid.UUID, bool) { return c.bob.ID, true }
	if page := ask(must(portal.New(c.Program, c.cfg)), "GET", "/partner/email", ""); page.status != 404 {
		t.Errorf("by the host's own login: %d", page.status)
	}
	c.cfg.Authorize, c.cfg.SignIn.Change = nil, nil
	c.pages = must(portal.New(c.Program, c.cfg))
	if page := c.get(c.enter(c.bob.ID), ""); strings.Contains(page.body, `href="./email"`) || c.get(c.enter(c.bob.ID), "email").status != 404 {
		t.Error("there is a page though nobody mails")
	}
}

// TestEmailLinksOnce: links that changed an email change it no more, also when somebody took it back.
func TestEmailLinksOnce(t *testing.T) {
	c := newChanging(t)
	cookie := c.enter(c.ada.ID)
	old, to := c.ask(cookie, "eve@x.example")
	c.confirm(cookie, old)
	c.confirm(cookie, to)
	must(c.UpdateAffiliate(t.Context(), affiliate.AffiliateRef{ID: c.ada.ID}, affiliate.AffiliateUpdate{Email: affiliate.Set("ada@example.org")}))
	for _, link := range []string{to, old} {
		if c.confirm(cookie, link); c.email() != "ada@example.org" {
			t.Errorf("a used link made it %s", c.email())
		}
	}
}

// TestEmailIsMailedAsStored: the address that is mailed is the one that is stored, and what is none is refused at once.
func TestEmailIsMailedAsStored(t *testing.T) {
	c := newChanging(t)
	cookie := c.enter(c.ada.ID)
	old, to := c.ask(cookie, "a\u200bda@B\u00fccher.example")
	c.confirm(cookie, old)
	c.confirm(cookie, to)
	if mailed := c.asked[len(c.asked)-1].New; mailed != "ada@xn--bcher-kva.example" || c.email() != mailed {
		t.Errorf("mailed to %q, stored %q", mailed, c.email())
	}
	n := len(c.asked)
	for _, typed := range []string{"\u00e4da@new.example", "ada,eve@new.example"} {
		if p := c.post(cookie, "email", c.get(cookie, "email").form("email", typed)); p.status != 400 || len(c.asked) != n {
			t.Errorf("%q: %d", typed, p.status)
		}
	}
}

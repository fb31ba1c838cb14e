package portal_test

import (
	"crypto/tls"
	"fmt"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/httpapi/portal"
	"github.com/tributary-go/tributary/memstore"
)

// cookieOf is the cookie that an answer sets.
func cookieOf(g pageAnswer) string {
	for _, c := range (&http.Response{Header: g.head}).Cookies() {
		return c.Name + "=" + c.Value
	}
	return ""
}

// withLogin has a login of the host: the cookie host names the affiliate.
func withLogin(w **world) func(*portal.Config) {
	return func(c *portal.Config) {
		c.Authorize = func(r *http.Request) (uuid.UUID, bool) {
			host, err := r.Cookie("host")
			if err != nil || *w == nil {
				return uuid.Nil, false
			}
			return map[string]uuid.UUID{"ada": (*w).ada.ID, "bob": (*w).bob.ID}[host.Value], true
		}
	}
}

// TestTokenOnce: a token opens the pages once, on whichever server of the store, and
// the second time there is the page of a token that is none.
func TestTokenOnce(t *testing.T) {
	w := newWorld(t, "")
	other := must(portal.New(w.Program, w.cfg)) // another server
	target := "/partner/enter?token=" + must(w.pages.Token(w.ada.ID, 0))
	first := ask(w.pages, "GET", target, "")
	want := ask(w.pages, "GET", "/partner/enter", "")
	for name, pages := range map[string]*portal.Portal{"the same": w.pages, "another": other} {
		if again := ask(pages, "GET", target, ""); again.status != 403 || again.body != want.body || again.head.Get("Set-Cookie") != "" {
			t.Errorf("%s server: %d %s", name, again.status, again.head)
		}
	}
	if first.status != 303 || w.get(cookieOf(first), "").status != 200 {
		t.Errorf("at first: %d", first.status)
	}
	if again := ask(w.pages, "GET", target, "", "Cookie", cookieOf(first)); again.status != 303 || again.head.Get("Set-Cookie") != "" {
		t.Errorf("by the one who has the visit: %d %v", again.status, again.head)
	}
}

// TestLeaveForGood: a visit that was left has ended for every copy of its cookie, on
// every server, and another visit of the affiliate goes on.
func TestLeaveForGood(t *testing.T) {
	w := newWorld(t, "")
	phone := w.enter(w.ada.ID)
	w.now = w.now.Add(time.Second) // a token is of a second
	laptop := w.enter(w.ada.ID)
	form := w.get(laptop, "payout-details").form("payoutEmail", "eve@pay.example", "paymentMethod", "WISE")
	if left := w.post(laptop, "leave", w.get(laptop, "").leaving()); left.status != 200 {
		t.Fatalf("%d %s", left.status, left.text())
	}
	for name, pages := range map[string]*portal.Portal{"the same": w.pages, "another": must(portal.New(w.Program, w.cfg))} {
		if copied := ask(pages, "GET", "/partner/sales", "", "Cookie", laptop); copied.status != 403 || strings.Contains(copied.body, "ADA") {
			t.Errorf("%s server: a copied cookie opens %d", name, copied.status)
		}
		if copied := ask(pages, "POST", "/partner/payout-details", form.Encode(), "Cookie", laptop); copied.status != 403 {
			t.Errorf("%s server: a copied cookie sends %d", name, copied.status)
		}
	}
	if other := w.get(phone, ""); other.status != 200 {
		t.Errorf("the other visit: %d", other.status)
	}
}

// TestLoginWins: neither a visit that was begun while nobody was logged in, nor a
// token, shows another affiliate's pages to whom the host has logged in.
func TestLoginWins(t *testing.T) {
	var w *world
	w = newWorld(t, "", withLogin(&w))
	planted := w.enter(w.bob.ID) // before Ada logs in
	if page := w.get("host=ada; "+planted, ""); !strings.Contains(page.text(), "Hello ADA") {
		t.Errorf("a visit of Bob's beside Ada's login: %s", page.text())
	}
	confirm := w.post("host=ada; "+planted, "payout-details", w.get("host=ada; "+planted, "payout-details").form("payoutEmail", "ada@new.example", "paymentMethod", "WISE"))
	if saved := w.post("host=ada; "+planted, "payout-details/save", confirm.form()); saved.status != 303 {
		t.Errorf("saved: %d %s", saved.status, saved.text())
	}
	if bob := must(w.Affiliate(t.Context(), w.bob.ID.String())); bob.PayoutEmail.Or("") != "bob@pay.example" {
		t.Errorf("Bob is paid at %v", bob.PayoutEmail)
	}
	w.now = w.now.Add(time.Second)
	token := must(w.pages.Token(w.bob.ID, 0))
	asked := ask(w.pages, "GET", "/partner/enter?token="+token, "", "Cookie", "host=ada")
	if asked.status != 200 || asked.head.Get("Set-Cookie") != "" || !strings.Contains(asked.text(), "ADA") || !strings.Contains(asked.text(), "the pages of BOB") {
		t.Fatalf("%d %v %s", asked.status, asked.head, asked.text())
	}
	send := func(form url.Values, cookie string, head ...string) pageAnswer {
		return w.post(cookie, "enter?token="+token, form, head...)
	}
	for name, refused := range map[string]pageAnswer{
		"no form": send(url.Values{}, "host=ada"), "of another page": send(w.get("host=ada", "payout-details").form(), "host=ada"),
		"of another site": send(asked.form(), "host=ada", "Sec-Fetch-Site", "cross-site"), "nobody is here": send(asked.form(), ""),
	} {
		if refused.status != 403 || refused.head.Get("Set-Cookie") != "" {
			t.Errorf("%s: %d", name, refused.status)
		}
	}
	if page := w.get("host=ada", ""); !strings.Contains(page.text(), "Hello ADA") {
		t.Errorf("after staying: %s", page.text())
	}
	went := asked.submit(w.pages, "host=ada")
	chosen := cookieOf(went)
	if page := w.get("host=ada; "+chosen, ""); went.status != 303 || !strings.Contains(page.text(), "Hello BOB") {
		t.Errorf("%d: %s", went.status, page.text())
	}
	if page := w.get("host=ada; "+chosen, ""); w.post("host=ada; "+chosen, "leave", page.leaving()).status != 200 || !strings.Contains(w.get("host=ada; "+chosen, "").text(), "Hello ADA") {
		t.Error("after leaving, Ada is not in her own pages")
	}
	if again := send(asked.form(), "host=ada"); again.status != 403 {
		t.Errorf("the form again: %d", again.status)
	}
	if own := ask(w.pages, "GET", "/partner/enter?token="+must(w.pages.Token(w.ada.ID, 0)), "", "Cookie", "host=ada"); own.status != 303 || own.head.Get("Set-Cookie") != "" {
		t.Errorf("a token of one's own: %d %v", own.status, own.head)
	}
}

// TestVisitWins: who is in the pages by a token is asked before a token of another
// affiliate, also of another program at the same place.
func TestVisitWins(t *testing.T) {
	w := newWorld(t, "")
	cookie := w.enter(w.ada.ID)
	other := must(tributary.New(memstore.New(), tributary.Config{ID: uuid.Max, Now: func() time.Time { return w.now }}))
	eve := must(other.CreateAffiliate(t.Context(), affiliate.AffiliateParams{FirstName: "Eve", LastName: "L", Email: "eve@example.org"}))
	foreign := must(portal.New(other, w.cfg))
	many := portal.Many(w.pages, foreign)
	for who, token := range map[string]string{"BOB": must(w.pages.Token(w.bob.ID, 0)), "Eve": must(foreign.Token(eve.ID, 0))} {
		target := "/partner/enter?token=" + token
		asked := ask(many, "GET", target, "", "Cookie", cookie)
		if asked.status != 200 || asked.head.Get("Set-Cookie") != "" || !strings.Contains(asked.text(), "You are here as ADA L . The link that you followed opens the pages of "+who) {
			t.Fatalf("%d %s", asked.status, asked.text())
		}
		went := asked.submit(many, cookie)
		if page := ask(many, "GET", "/partner/", "", "Cookie", cookieOf(went)); !strings.Contains(page.text(), "Hello "+who) {
			t.Errorf("%d, then %s", went.status, page.text())
		}
	}
}

// TestSecureCookie: the cookie of a visit goes over TLS only, but for a browser on
// this machine.
func TestSecureCookie(t *testing.T) {
	w := newWorld(t, "")
	for name, c := range map[string]struct {
		peer, host string
		head       string
		tls        bool
		plain      bool
	}{
		"this machine": {peer: "127.0.0.1:5", host: "localhost:8080", plain: true}, "by IPv6": {peer: "[::1]:5", host: "[::1]:8080", plain: true},
		"mapped": {peer: "[::ffff:127.0.0.1]:5", host: "127.0.0.1", plain: true}, "over TLS": {peer: "127.0.0.1:5", host: "localhost", tls: true},
		"a proxy here": {peer: "127.0.0.1:5", host: "localhost", head: "X-Forwarded-For"}, "its scheme": {peer: "127.0.0.1:5", host: "localhost", head: "X-Forwarded-Proto"},
		"the standard": {peer: "127.0.0.1:5", host: "localhost", head: "Forwarded"}, "via": {peer: "127.0.0.1:5", host: "localhost", head: "Via"},
		"a name that lies": {peer: "192.0.2.1:5", host: "localhost:8080"},
		"the network":      {peer: "192.0.2.1:5", host: "shop.example"}, "no peer": {peer: "@", host: "localhost"},
	} {
		w.now = w.now.Add(time.Second)
		r := httptest.NewRequest("GET", "/partner/enter?token="+must(w.pages.Token(w.ada.ID, 0)), nil)
		r.RemoteAddr, r.Host = c.peer, c.host
		if c.head != "" {
			r.Header.Set(c.head, "x")
		}
		if c.tls {
			r.TLS = new(tls.ConnectionState)
		}
		rec := httptest.NewRecorder()
		w.pages.ServeHTTP(rec, r)
		if cookies := rec.Result().Cookies(); len(cookies) != 1 || cookies[0].Secure == c.plain {
			t.Errorf("%s: %v", name, cookies)
		}
	}
}

// TestVisitBehindAProxy: a visit that begins with a token goes on where a proxy cuts the
// path that the browser asks for, and ends there.
func TestVisitBehindAProxy(t *testing.T) {
	w := newWorld(t, "")
	site := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		cut := r.Clone(r.Context()) // as a proxy sends it on
		cut.URL.Path = strings.TrimPrefix(r.URL.Path, "/shop")
		cut.RequestURI = strings.TrimPrefix(r.RequestURI, "/shop")
		w.pages.ServeHTTP(rw, cut)
	}))
	defer site.Close()
	browser := &http.Client{Jar: must(cookiejar.New(nil))}
	get := func(path string) string {
		t.Helper()
		answer := must(browser.Get(site.URL + path))
		defer answer.Body.Close()
		return fmt.Sprint(answer.StatusCode, " ", must(readAll(answer.Body)))
	}
	if page := get("/shop/partner/enter?token=" + must(w.pages.Token(w.ada.ID, 0))); !strings.HasPrefix(page, "200") || !strings.Contains(page, "ADA") {
		t.Errorf("the token leads to %.300s", page)
	}
	page := get("/shop/partner/statements/2026-03")
	if !strings.HasPrefix(page, "200") {
		t.Errorf("a page of the visit: %.300s", page)
	}
	left := must(browser.PostForm(site.URL+"/shop/partner/leave", pageAnswer{body: get("/shop/partner/")}.leaving()))
	left.Body.Close()
	if cookies := browser.Jar.Cookies(must(url.Parse(site.URL + "/shop/partner/"))); left.StatusCode != 200 || len(cookies) > 0 {
		t.Errorf("left: %d, %v", left.StatusCode, cookies)
	}
}

package portal_test

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
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

var questions = [4]uuid.UUID{
	uuid.MustParse("0197c2f0-1a2b-7c3d-8e4f-5a6b7c8d9e11"), uuid.MustParse("0197c2f0-1a2b-7c3d-8e4f-5a6b7c8d9e12"), uuid.MustParse("0197c2f0-1a2b-7c3d-8e4f-5a6b7c8d9e13"),
	uuid.MustParse("0197c2f0-1a2b-7c3d-8e4f-5a6b7c8d9e14"),
}

// asks is a sign-up with a question of each kind.
func asks() *portal.SignUp {
	return &portal.SignUp{
		Questions: []portal.Question{
			{ID: questions[0], Label: "Where do you write?", Kind: portal.AskURL, Required: true},
			{ID: questions[1], Label: "For whom?", Kind: portal.AskLong},
			{ID: questions[2], Label: "How many readers?", Kind: portal.AskChoice, Choices: []string{"few", "many"}, Required: true},
			{ID: questions[3], Label: "Your company", Kind: portal.AskText},
		},
	}
}

// filled is a right application on a page.
func filled(page pageAnswer, email string) url.Values {
	return page.form("firstName", " Cleo ", "lastName", "Cane", "email", email, "q-1", "https://blog.example/", "q-2", "All\r\nwho drink", "q-3", "many", "terms", "2026-01")
}

// TestSignUp: an application becomes an affiliate that waits, with its answers, the version of
// the terms and the time; nothing tells whether an email is known.
func TestSignUp(t *testing.T) {
	w := newWorld(t, "", func(c *portal.Config) { c.SignUp = asks() })
	events := func() []affiliate.Event {
		return must(w.Events(t.Context(), affiliate.EventQuery{Type: affiliate.AffiliateCreated}, affiliate.Page{})).Items
	}
	before := len(events())
	page := w.get("", "apply")
	for _, says := range []string{"Become an affiliate", "Where do you write?", "For whom? can be left empty", "How many readers? Choose… few many", "Be honest.", "I accept the terms, version 2026-01"} {
		if page.status != 200 || !strings.Contains(page.text(), says) {
			t.Errorf("%d, it does not say %q: %s", page.status, says, page.text())
		}
	}
	answers := map[string]pageAnswer{}
	for _, email := range []string{"Cleo@Blog.example", "cleo@blog.example", "ADA@example.org"} {
		answers[email] = w.post("", "apply", filled(w.get("", "apply"), email))
		if a := answers[email]; a.status != 303 || a.head.Get("Location") != answers["Cleo@Blog.example"].head.Get("Location") || a.body != "" || len(a.head.Values("Set-Cookie")) > 0 {
			t.Errorf("%s: %d %v %s", email, a.status, a.head, a.text())
		}
	}
	if thanks := w.get("", strings.TrimPrefix(answers["ADA@example.org"].head.Get("Location"), "./")); thanks.status != 200 || !strings.Contains(thanks.text(), "You will hear from it.") {
		t.Errorf("%d %s", thanks.status, thanks.text())
	}
	fired := events()
	if len(fired) != before+1 || fired[0].Actor != "applicant" {
		t.Fatalf("%d events, the last by %q", len(fired)-before, fired[0].Actor)
	}
	var payload struct {
		Body struct {
			QuestionAnswers []affiliate.Answer `json:"questionAnswers"`
			Status          affiliate.AffiliateStatus
			Source          affiliate.AffiliateSource
			FirstName       string
		} `json:"body"`
	}
	must(0, json.Unmarshal(fired[0].Payload, &payload))
	said := ""
	for _, a := range payload.Body.QuestionAnswers {
		id := a.QuestionID.String()[34:]
		if a.QuestionID == portal.TermsID(w.Config().ID) {
			id = "terms"
		}
		said += fmt.Sprintf("%s %q\n", id, a.Answer)
	}
	want := "11 \"https://blog.example/\"\n12 \"All\\nwho drink\"\n13 \"many\"\nterms \"Accepted version 2026-01 at 2026-03-11T11:00:00.000Z\"\n"
	if b := payload.Body; said != want || b.Status != affiliate.AffiliateInactive || b.Source != "AFFILIATE_PORTAL" || b.FirstName != "Cleo" {
		t.Errorf("got %+v, answers %s", b, said)
	}
	if log := w.log.String(); !strings.Contains(log, "actor=applicant action=apply") || strings.Contains(log, "cleo") || !strings.Contains(log, "outcome=affiliate_email_taken") {
		t.Error(log)
	}
	waits := must(w.Affiliate(t.Context(), "cleo@blog.example"))
	if page := w.get(w.enter(waits.ID), ""); !strings.Contains(page.text(), "Your pages open when the program has approved you.") {
		t.Error(page.text())
	}
}

// TestSignUpRefuses: what is missing or wrong is said at its field, what was typed stays, and
// nothing is made; nor by forms of others, old ones, and those that the host's guard stops.
func TestSignUpRefuses(t *testing.T) {
	var stop error
	w := newWorld(t, "", func(c *portal.Config) {
		c.SignUp = asks()
		c.SignUp.Guard = func(r *http.Request) error {
			if r.PostForm.Get("email") == "" {
				t.Error("the guard sees no form")
			}
			return stop
		}
	})
	count := func() int {
		return len(must(w.Affiliates(t.Context(), affiliate.AffiliateQuery{}, affiliate.Page{Limit: 50})).Items)
	}
	before := count()
	right := filled(w.get("", "apply"), "new@blog.example")
	for _, bad := range []struct{ field, value, says string }{
		{"firstName", "", "required"}, {"lastName", strings.Repeat("x", 101), "more than 100"}, {"email", "no mail", "mail"},
		{"q-1", "", "required"}, {"q-1", "javascript:alert(1)", "no address of a page"}, {"q-1", "https://" + strings.Repeat("x", 500), "more than 500"},
		{"q-2", strings.Repeat("é", 5001), "more than 5000"}, {"q-2", "a\x00b", "cannot be seen"}, {"q-3", "", "required"}, {"q-3", "some", "Choose one"}, {"q-4", "a\tb\nc", "cannot be seen"},
		{"terms", "", "only if you accept"}, {"terms", "2025-12", "The terms have changed"},
	} {
		form := url.Values{}
		for name, values := range right {
			form[name] = values
		}
		form.Set(bad.field, bad.value)
		answer := w.post("", "apply", form)
		if answer.status != 400 || !strings.Contains(answer.text(), "This was not sent.") || !strings.Contains(answer.body, `id="w-`+bad.field+`"`) || !strings.Contains(answer.text(), bad.says) || bad.field != "firstName" && !strings.Contains(answer.body, `value="Cleo"`) {
			t.Errorf("%s %.20q: %d %s", bad.field, bad.value, answer.status, answer.text())
		}
	}
	for name, answer := range map[string]pageAnswer{
		"another site": w.post("", "apply", right, "Sec-Fetch-Site", "cross-site"), "another origin": w.post("", "apply", right, "Origin", "https://evil.example"),
		"no token": w.post("", "apply", url.Values{"email": {"new@blog.example"}}), "too large": w.post("", "apply", url.Values{"q-2": {strings.Repeat("x", 65<<10)}, "token": right["token"]}),
	} {
		if answer.status != 403 {
			t.Errorf("%s: %d", name, answer.status)
		}
	}
	extra := filled(w.get("", "apply"), "new@blog.example")
	extra.Set("affiliateStatus", "active")
	for name, answer := range map[string]pageAnswer{
		"another field": w.post("", "apply", extra), "a query": w.get("", "apply?email=x"), "a path": w.get(w.enter(w.ada.ID), "apply/x"),
	} {
		if answer.status != 404 {
			t.Errorf("%s: %d", name, answer.status)
		}
	}
	if answer := ask(w.pages, "PUT", "/partner/apply", ""); answer.status != 405 || answer.head.Get("Allow") != "GET, HEAD, POST" {
		t.Errorf("PUT: %d", answer.status)
	}
	if page := w.get("", "apply?done=x"); strings.Contains(page.text(), "Thank you") {
		t.Error(page.text())
	}
	stop = errors.New("secret detail")
	if answer := w.post("", "apply", right); answer.status != 429 || strings.Contains(answer.body, "secret") || !strings.Contains(w.log.String(), "secret detail") {
		t.Errorf("the guard: %d %s", answer.status, answer.text())
	}
	stop = nil
	w.now = w.now.Add(14 * time.Hour)
	old := w.post("", "apply", right) // what was typed is kept
	if old.status != 409 || !strings.Contains(old.text(), "too old") || !strings.Contains(old.body, `value="Cleo"`) || !strings.Contains(old.body, "All\nwho drink") {
		t.Errorf("an old form: %d %s", old.status, old.text())
	}
	if n := count(); n != before {
		t.Errorf("%d were made", n-before)
	}
	off := newWorld(t, "")
	if page := off.get("", "apply"); page.status != 403 || off.get(off.enter(off.ada.ID), "apply").status != 404 {
		t.Errorf("without a sign-up: %d", page.status)
	}
}

// TestSignUpTerms: the terms are those of the program: who has the page open while they change is
// asked again; an address is a link, unless it is a script.
func TestSignUpTerms(t *testing.T) {
	w := newWorld(t, "", func(c *portal.Config) { c.SignUp = asks() })
	form := filled(w.get("", "apply"), "cleo@blog.example")
	w.asksToAccept("https://beans.example/terms", "2026-02")
	again := w.post("", "apply", form)
	if again.status != 400 || !strings.Contains(again.text(), "The terms have changed: read them, and accept these.") || !strings.Contains(again.body, `href="https://beans.example/terms"`) || strings.Contains(again.body, " checked") {
		t.Errorf("%d %s", again.status, again.body)
	}
	form.Set("terms", "2026-02")
	if sent := w.post("", "apply", form); sent.status != 303 {
		t.Fatalf("%d %s", sent.status, sent.text())
	}
	fired := must(w.Events(t.Context(), affiliate.EventQuery{Type: affiliate.AffiliateCreated}, affiliate.Page{})).Items
	if got := string(fired[0].Payload); !strings.Contains(got, "Accepted version 2026-02 at ") {
		t.Error(got)
	}
	for _, text := range []string{"javascript:alert(1)", "https://beans.example/ and more", "<script>"} {
		w.asksToAccept(text, text)
		if page := w.get("", "apply"); page.status != 200 || strings.Contains(page.body, `href="`+text) || !strings.Contains(page.body, html.EscapeString(text)+"</pre>") {
			t.Errorf("%s: %d %s", text, page.status, page.body)
		}
	}
	must(w.UpdateSettings(t.Context(), affiliate.SettingsUpdate{TermsText: affiliate.Null[string](), TermsVersion: affiliate.Null[string]()}))
	if page := w.get("", "apply"); page.status != 200 || strings.Contains(page.text(), "accept") {
		t.Errorf("%d %s", page.status, page.text())
	}
}

// TestPayer: a statement says who pays, and the payouts from which sum on.
func TestPayer(t *testing.T) {
	w := newWorld(t, "")
	cookie := w.enter(w.ada.ID)
	if page := w.get(cookie, "statements/2026-03"); strings.Contains(page.text(), "Paid by") {
		t.Error(page.text())
	}
	if page := w.get(cookie, "payouts"); strings.Contains(page.text(), "You are paid when") {
		t.Error(page.text())
	}
	must(w.UpdateSettings(t.Context(), affiliate.SettingsUpdate{Company: affiliate.Set("Beans <Ltd>\n1 Mill Lane\n\nBath"), PayoutMinimum: affiliate.Set(affiliate.MustAmount("50"))}))
	if page := w.get(cookie, "statements/2026-03"); !strings.Contains(page.text(), "Paid by Beans <Ltd> , 1 Mill Lane , Bath") {
		t.Error(page.text())
	}
	if page := w.get(cookie, "payouts"); !strings.Contains(page.text(), "You are paid when 50.00 USD or more are due.") {
		t.Error(page.text())
	}
}

// TestSignUpConfig: what New refuses.
func TestSignUpConfig(t *testing.T) {
	w := newWorld(t, "")
	for name, change := range map[string]func(*portal.SignUp){
		"two with an id": func(s *portal.SignUp) { s.Questions[1].ID = s.Questions[0].ID }, "no id": func(s *portal.SignUp) { s.Questions[1].ID = uuid.Nil },
		"no label": func(s *portal.SignUp) { s.Questions[0].Label = " " }, "long label": func(s *portal.SignUp) { s.Questions[0].Label = strings.Repeat("x", 501) }, "kind": func(s *portal.SignUp) { s.Questions[0].Kind = "X" },
		"no choices": func(s *portal.SignUp) { s.Questions[2].Choices = nil }, "choices of a text": func(s *portal.SignUp) { s.Questions[0].Choices = []string{"a"} }, "empty choice": func(s *portal.SignUp) { s.Questions[2].Choices[0] = "" },
		"many": func(s *portal.SignUp) { s.Questions = make([]portal.Question, 21) },
	} {
		cfg := w.cfg
		cfg.SignUp = asks()
		change(cfg.SignUp)
		if _, err := portal.New(w.Program, cfg); err == nil || !strings.HasPrefix(err.Error(), "portal: SignUp: ") {
			t.Errorf("%s: %v", name, err)
		}
	}
	cfg := w.cfg
	cfg.SignUp = &portal.SignUp{}
	if page := ask(must(portal.New(w.Program, cfg)), "GET", "/partner/apply", ""); page.status != 200 || strings.Contains(page.text(), "terms") {
		t.Errorf("no questions: %d %s", page.status, page.text())
	}
}

// A slowStore takes its time to write.
type slowStore struct{ record.Store }

func (s slowStore) Update(ctx context.Context, id uuid.UUID, fn func(*record.Tx) error) error {
	err := s.Store.Update(ctx, id, fn)
	if err == nil {
		time.Sleep(37 * time.Millisecond)
	}
	return err
}

// TestSignUpTime: the time of an answer does not tell whether the email is known.
func TestSignUpTime(t *testing.T) {
	w := newWorld(t, "", func(c *portal.Config) { c.SignUp = asks() })
	store := slowStore{memstore.New()}
	cfg := w.Config()
	w.Program = must(tributary.New(store, cfg))
	w.pages = must(portal.New(w.Program, w.cfg))
	must(w.CreateAffiliate(t.Context(), affiliate.AffiliateParams{FirstName: "A", LastName: "L", Email: "known@example.org"}))
	synctest.Test(t, func(t *testing.T) {
		took := map[string]time.Duration{}
		for _, who := range []string{"known", "unknown"} {
			form := filled(w.get("", "apply"), who+"@example.org")
			began := time.Now()
			if a := w.post("", "apply", form); a.status != 303 {
				t.Errorf("%s: %d", who, a.status)
			}
			took[who] = time.Since(began)
		}
		if took["known"] != took["unknown"] || took["known"] < 100*time.Millisecond {
			t.Errorf("answers take %v", took)
		}
	})
}

// TestStaleDetails: an old page writes no detail that the affiliate did
// not change, and what was changed by two is asked about.
func TestStaleDetails(t *testing.T) {
	details := func(w *world) string {
		a := must(w.Affiliate(t.Context(), w.ada.ID.String()))
		return a.PayoutEmail.Or("") + " " + string(a.PaymentMethod.Or(""))
	}
	set := func(w *world, email string, method affiliate.PaymentMethod) {
		must(w.SetPayoutDetails(t.Context(), w.ada.ID, affiliate.PayoutDetails{Email: email, Method: method}))
	}
	t.Run("another field", func(t *testing.T) {
		w := newWorld(t, "")
		cookie := w.enter(w.ada.ID)
		form := w.get(cookie, "payout-details").form("payoutEmail", "ada@pay.example", "paymentMethod", "WISE")
		set(w, "theirs@pay.example", "PAYPAL")
		saved := w.post(cookie, "payout-details/save", w.post(cookie, "payout-details", form).form())
		if saved.status != 303 || details(w) != "theirs@pay.example WISE" {
			t.Errorf("%d, %s: %s", saved.status, details(w), saved.text())
		}
	})
	t.Run("the same field", func(t *testing.T) {
		w := newWorld(t, "")
		cookie := w.enter(w.ada.ID)
		form := w.get(cookie, "payout-details").form("payoutEmail", "mine@pay.example", "paymentMethod", "PAYPAL")
		set(w, "theirs@pay.example", "PAYPAL")
		asked := w.post(cookie, "payout-details", form)
		if asked.status != 409 || !strings.Contains(asked.text(), "This was changed meanwhile, to t***@p***.example") || !strings.Contains(asked.body, `value="mine@pay.example"`) {
			t.Fatalf("%d %s", asked.status, asked.body)
		}
		again := w.post(cookie, "payout-details", asked.form("payoutEmail", "mine@pay.example", "paymentMethod", "PAYPAL"))
		if saved := w.post(cookie, "payout-details/save", again.form()); saved.status != 303 || details(w) != "mine@pay.example PAYPAL" {
			t.Errorf("%d, %s", saved.status, details(w))
		}
	})
	t.Run("while it is asked", func(t *testing.T) {
		w := newWorld(t, "")
		cookie := w.enter(w.ada.ID)
		asked := w.post(cookie, "payout-details", w.get(cookie, "payout-details").form("payoutEmail", "mine@pay.example", "paymentMethod", "WISE"))
		set(w, "theirs@pay.example", "WISE_BANK")
		late := w.post(cookie, "payout-details/save", asked.form())
		if late.status != 409 || details(w) != "theirs@pay.example WISE_BANK" || !strings.Contains(late.text(), "Until now t***@p***.example , Wise bank") {
			t.Fatalf("%d, %s: %s", late.status, details(w), late.text())
		}
		for range 2 {
			if saved := w.post(cookie, "payout-details/save", late.form()); saved.status != 303 || details(w) != "mine@pay.example WISE" {
				t.Errorf("%d, %s", saved.status, details(w))
			}
		}
	})
}

package browser

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/page"
	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/httpapi"
	"github.com/tributary-go/tributary/memstore"
)

// A shop has pages with the click script at every host of beans.localhost, and the tracking
// endpoints at another origin. Its pages have a policy that lets in the script and nothing else.
type shop struct {
	*world
	tracker, port string
	pages         http.Handler
	tag           string // attributes of the script
	body          string // more of the page
	policy        string

	mu      sync.Mutex
	sent    []sentClick
	trouble http.Handler  // answers clicks in place of the endpoint
	asked   chan struct{} // preflights wait until it is closed; nil: they do not
}

// A sentClick is what the script posts.
type sentClick struct {
	ReferralCode, FullLandingURL, DocumentReferrer string
	UniqueClick                                    bool
	EarlierClickID                                 int64
}

func newShop(t *testing.T, cfg tributary.Config) *shop {
	t.Helper()
	s := &shop{world: newWorldIn(t, memstore.New())}
	cfg.ID, cfg.Rand = s.Config().ID, s.Config().Rand
	cfg.CountBots = true // which Chromium without a window says that it is
	s.open(cfg)
	for _, slug := range []string{"ada", "bob"} {
		_ = must(s.CreateAffiliate(t.Context(), affiliate.AffiliateParams{FirstName: slug, LastName: "X", Email: slug + "@example.org", AffiliateLink: slug}))(t)
	}
	tracking := httpapi.Tracking(func(context.Context, string) (*tributary.Program, error) { return s.Program, nil }, httpapi.Config{})
	s.tracker = by(originOf(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodOptions && s.asked != nil {
			<-s.asked
		}
		if r.Method == http.MethodPost && s.keeps(r) != nil {
			w.Header().Set("Access-Control-Allow-Origin", "*")
			s.trouble.ServeHTTP(w, r)
			return
		}
		tracking.ServeHTTP(w, r)
	})), "go.beans.localhost")
	s.policy = "default-src 'none'; script-src 'nonce-own' " + s.tracker + "; connect-src " + s.tracker + "; img-src data:; frame-src *"
	s.pages = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Security-Policy", s.policy)
		write(w, `<main>Beans</main><script nonce=own>window.began = 1</script><script src="`+s.tracker+`/t.js" `+s.tag+`></script>`+s.body+`<script nonce=own>window.wentOn = 1</script>`)
	})
	at := originOf(t, s.pages)
	s.port = at[strings.LastIndexByte(at, ':'):]
	return s
}

// by is an origin of this machine by another name.
func by(origin, host string) string { return strings.Replace(origin, "127.0.0.1", host, 1) }

// keeps keeps what a request reports, and returns what answers in place of the endpoint.
func (s *shop) keeps(r *http.Request) http.Handler {
	s.mu.Lock()
	defer s.mu.Unlock()
	raw, _ := io.ReadAll(r.Body)
	r.Body = io.NopCloser(bytes.NewReader(raw))
	var c sentClick
	if err := json.Unmarshal(raw, &c); err != nil {
		s.t.Errorf("the script posts %q: %v", raw, err)
	}
	s.sent = append(s.sent, c)
	return s.trouble
}

// visits opens a tab for a host, such as www.beans.localhost.
func (s *shop) visits(t testing.TB, host string) *tab {
	t.Helper()
	return unwatched(t, "http://"+host+s.port)
}

// clicked are the slugs that were posted, once the page has done what it was about to.
func (s *shop) clicked(tb *tab) string {
	tb.Helper()
	_ = tb.known()
	return s.posted()
}

// posted are the slugs that were posted so far.
func (s *shop) posted() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var all []string
	for _, c := range s.sent {
		all = append(all, c.ReferralCode)
	}
	return strings.Join(all, " ")
}

// known is what the page knows once all its clicks are recorded; "null": none.
func (tb *tab) known() string {
	tb.Helper()
	return eval[string](tb, `tributary.ready().then(JSON.stringify)`)
}

// warned are the lines of the script in the console.
func (tb *tab) warned() (lines []string) {
	tb.Helper()
	eval[int](tb, "1")
	for _, c := range tb.watch.complaints() {
		if strings.Contains(c, "tributary: ") || strings.Contains(c, "exception") {
			lines = append(lines, c[strings.Index(c, "console: ")+1:])
		}
	}
	return lines
}

// TestClickScript: who came by a link on www is known in the checkout of app, by one cookie of
// the domain that the setting or the tag names, and the sale is the affiliate's.
func TestClickScript(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		cfg tributary.Config
		tag string
	}{
		"setting": {tributary.Config{CookieDomain: "beans.localhost", CookieDays: 30}, ""},
		"tag":     {tributary.Config{CookieDays: 30}, `data-domain=".beans.localhost" defer`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newShop(t, c.cfg)
			s.tag = c.tag
			tb := s.visits(t, "www.beans.localhost")
			tb.open("/?ref=ada&utm_source=blog")
			if got := tb.known(); got != `"1"` {
				t.Fatalf("the click is %s: %q", got, tb.watch.complaints())
			}
			want := sentClick{ReferralCode: "ada", FullLandingURL: tb.origin + "/?ref=ada&utm_source=blog", UniqueClick: true}
			if diff := cmp.Diff([]sentClick{want}, s.sent); diff != "" {
				t.Errorf("posted (-want +got):\n%s", diff)
			}
			cookie := eval[string](tb, `cookieStore.getAll().then(([c, ...more]) => [c.name, c.value, c.domain, c.path, c.sameSite, c.secure, Math.round((c.expires - Date.now()) / 86400000), more.length].join())`)
			if want := "tributary_click_0197c2f01a2b7c3d8e4f5a6b7c8d9e01,1,beans.localhost,/,lax,false,30,0"; cookie != want {
				t.Errorf("the cookie is %s, not %s", cookie, want)
			}
			tb.origin = "http://app.beans.localhost" + s.port
			tb.open("/checkout")
			click := eval[string](tb, `tributary.click()`)
			sale := must(s.RecordSale(t.Context(), affiliate.SaleParams{ReferralID: click, Email: "tomas@example.net", Name: "T", TotalEarned: affiliate.MustAmount("49.90"), ExternalID: "1"}))(t)
			if got := sale.Sale.Or(affiliate.Sale{}).Affiliate.Email; got != "ada@example.org" {
				t.Errorf("the sale of click %q is credited to %q", click, got)
			}
			if id := eval[string](tb, `tributary.program`); uuid.MustParse(id) != s.Config().ID {
				t.Errorf("the program is %s", id)
			}
			tb.open("/?ref=bob")
			if got := tb.known(); got != `"2"` || s.sent[1].UniqueClick || s.sent[1].EarlierClickID != 1 {
				t.Errorf("the next click is %s, posted as %+v", got, s.sent[1])
			}
			tb.origin = "http://www.cocoa.localhost" + s.port
			tb.open("/")
			if got := tb.known(); got != "null" {
				t.Errorf("another site knows the click %s", got)
			}
			tb.open("/?ref=ada")
			_ = tb.known()
			if got := eval[string](tb, `cookieStore.getAll().then((all) => all.map((c) => c.domain + c.value).join())`); got != "null3" {
				t.Errorf("another site has the cookie %q", got)
			}
			if warned := tb.warned(); len(warned) > 0 || s.clicked(tb) != "ada bob ada" {
				t.Errorf("posted %q, said %q", s.clicked(tb), warned)
			}
		})
	}
}

// TestClickConsent: nothing is asked, stored or read before the visitor agrees; then the click
// counts with the page that it came by, once; who takes it back has no cookie.
func TestClickConsent(t *testing.T) {
	t.Parallel()
	s := newShop(t, tributary.Config{})
	s.tag = "data-consent"
	tb := s.visits(t, "www.beans.localhost")
	const stored = `document.cookie + JSON.stringify(sessionStorage)`
	nothing := func(when string) {
		t.Helper()
		if got := s.clicked(tb) + eval[string](tb, stored) + tb.known() + eval[string](tb, `JSON.stringify(tributary.click())`); got != "{}nullnull" {
			t.Errorf("%s: %s", when, got)
		}
	}
	tb.open("/?ref=ada")
	nothing("without consent")
	eval[int](tb, `history.pushState(null, "", "/pricing"), 1`)
	nothing("on the next page of the application")
	for _, no := range []string{"false", "undefined", "null", `"denied"`, "1", "{}"} {
		eval[int](tb, `tributary.consent(`+no+`), 1`)
		nothing(no)
	}
	eval[int](tb, `tributary.consent(true), tributary.consent(true), 1`)
	if got := tb.known(); got != `"1"` || s.clicked(tb) != "ada" || s.sent[0].FullLandingURL != tb.origin+"/?ref=ada" {
		t.Errorf("with consent: %s, posted %+v", got, s.sent)
	}
	eval[int](tb, `tributary.consent(false), 1`)
	if got := eval[string](tb, stored) + tb.known(); got != "{}null" {
		t.Errorf("after it was taken back: %s", got)
	}
	eval[int](tb, `tributary.consent(true), 1`)
	if got := tb.known(); got != `"2"` {
		t.Errorf("given again: %s", got)
	}
	tb.open("/app")
	if got := tb.known(); got != "null" {
		t.Errorf("the next page reads the cookie %s before it is told", got)
	}
	s.tag = `data-consent defer`
	s.body = `<script nonce=own>window.tributary ? tributary.consent(true) : (window.tributary = true)</script>`
	tb.open("/app")
	if got := tb.known(); got != `"2"` {
		t.Errorf("agreed before the script was there: %s", got)
	}
}

// TestClickSinglePage: a mark that appears later counts; the same mark once in a visit, whatever
// the application and the reader do.
func TestClickSinglePage(t *testing.T) {
	t.Parallel()
	s := newShop(t, tributary.Config{})
	tb := s.visits(t, "www.beans.localhost")
	tb.open("/")
	eval[int](tb, `window.came = 0, addEventListener("popstate", () => window.came++), 1`)
	for _, step := range []struct{ do, clicked, click string }{
		{`1`, "", "null"},
		{`history.pushState({}, "", "/a?ref=ada#x")`, "ada", `"1"`},
		{`history.replaceState({}, "", "/b?REF=ADA")`, "ada", `"1"`},
		{`history.pushState({}, "", "/c")`, "ada", `"1"`},
		{`history.pushState({}, "", "/d?ref=bob")`, "ada bob", `"2"`},
		{`(history.back(), new Promise((done) => addEventListener("popstate", done, { once: true })))`, "ada bob", `"2"`},
		{`(history.back(), new Promise((done) => addEventListener("popstate", done, { once: true })))`, "ada bob", `"2"`},
	} {
		eval[int](tb, `Promise.resolve(`+step.do+`).then(() => 1)`)
		if got := tb.known(); got != step.click || s.clicked(tb) != step.clicked {
			t.Errorf("%s: click %s, posted %q", step.do, got, s.clicked(tb))
		}
	}
	if path := tb.path(); path != "/b?REF=ADA" {
		t.Errorf("the history of the application is at %s", path)
	}
	tb.open("/e?ref=Bob")
	tb.open("/?ref=ada")
	if got := tb.known(); got != `"2"` || s.clicked(tb) != "ada bob" {
		t.Errorf("pages of the same visit: click %s, posted %q", got, s.clicked(tb))
	}
	next := s.visits(t, "www.beans.localhost")
	next.open("/?ref=ada")
	if got := next.known(); got != `"3"` {
		t.Errorf("another visitor: %s", got)
	}
	if warned := tb.warned(); len(warned) > 0 {
		t.Errorf("said %q", warned)
	}
}

// TestClickMarks: which texts of an address are a mark, as for pages that the server makes.
func TestClickMarks(t *testing.T) {
	t.Parallel()
	s := newShop(t, tributary.Config{OldParams: []string{"Via"}})
	s.trouble = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, `{"click":{"id":7}}`) })
	for query, want := range map[string]string{
		"?ref=a": "a", "?utm_source=x&ref=a": "a", "?REF=a": "a", "?via=a": "a", "?via=b&ref=a": "a", "?ref=&via=a": "a", "?utm_source=x?ref=a": "a", "?x=1&amp;ref=a": "a",
		"?ref=a%20b": "a b", "?ref=a?utm_source=x": "a", "?next=/p?ref=a": "", "?next=https%3A%2F%2Fx%3Fref=a": "", "?reference=a": "", "#ref=a": "", "?ref=": "", "?ref": "", "?%ref=a": "",
		"?ref=%F0%9F%98%80": "😀", "?ref=%ED%A0%80": "\ufffd\ufffd\ufffd", "?ref=" + strings.Repeat("a", 3000): strings.Repeat("a", 3000), "?x=" + url.QueryEscape(strings.Repeat("é", 3000)) + "&ref=a": "a",
	} {
		tb := s.visits(t, "www.beans.localhost")
		s.mu.Lock()
		s.sent = nil
		s.mu.Unlock()
		tb.open("/" + query)
		if got := s.clicked(tb); got != want || want != "" && len(s.sent[0].FullLandingURL) > 2000 {
			t.Errorf("%.60s is the mark %q, not %q", query, got, want)
		}
		tb.close()
	}
}

// TestClickTrouble: whatever becomes of the click, the page goes on, its developer reads one
// line, and the checkout waits five seconds at most.
func TestClickTrouble(t *testing.T) {
	t.Parallel()
	answer := func(status int, body string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status); fmt.Fprint(w, body) }
	}
	for name, c := range map[string]struct {
		change func(*shop)
		said   string
	}{
		"error":  {func(s *shop) { s.trouble = answer(500, `{"error":"Internal server error"}`) }, "Internal server error"},
		"limit":  {func(s *shop) { s.trouble = answer(429, `{"error":"Too many requests"}`) }, "Too many requests"},
		"a page": {func(s *shop) { s.trouble = answer(200, `<h1>Log in</h1>`) }, "JSON"},
		"null":   {func(s *shop) { s.trouble = answer(200, `null`) }, "tributary: no click"},
		"no answer": {func(s *shop) {
			s.trouble = http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
		}, "timed out"},
		"cut off": {func(s *shop) {
			s.trouble = http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) })
		}, "Failed to fetch"},
		"policy":  {func(s *shop) { s.policy = strings.Replace(s.policy, "connect-src", "media-src", 1) }, "Failed to fetch"},
		"unknown": {func(*shop) {}, "unknown link zed"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newShop(t, tributary.Config{})
			c.change(s)
			tb := s.visits(t, "www.beans.localhost")
			tb.open("/?ref=zed")
			if got := tb.known() + eval[string](tb, `document.cookie + window.wentOn`); got != "null1" {
				t.Errorf("the page has %s", got)
			}
			eval[int](tb, `history.pushState({}, "", "/x?ref=zed"), 1`)
			_ = tb.known()
			if warned := tb.warned(); len(warned) != 1 || !strings.Contains(warned[0], "tributary: no click: ") && name != "null" || !strings.Contains(warned[0], c.said) {
				t.Errorf("the console has %q, want one line with %q", warned, c.said)
			}
		})
	}
}

// TestClickPages: what is no visit of a reader, and pages in which the script cannot be as it wants.
func TestClickPages(t *testing.T) {
	t.Parallel()
	s := newShop(t, tributary.Config{})
	t.Run("a frame", func(t *testing.T) {
		s.body = `<iframe src="/?ref=ada" title=x></iframe>`
		tb := s.visits(t, "www.beans.localhost")
		tb.open("/")
		if got := s.clicked(tb) + eval[string](tb, `frames[0].tributary.ready().then(String)`); got != "null" {
			t.Errorf("a frame posted %s", got)
		}
	})
	t.Run("in advance", func(t *testing.T) {
		s.body = ""
		tb := s.visits(t, "www.beans.localhost")
		tb.before(`let early = true; Object.defineProperty(document, "prerendering", { get: () => early }); addEventListener("shown", () => { early = false; document.dispatchEvent(new Event("prerenderingchange")); })`)
		tb.open("/?ref=ada")
		if got := s.clicked(tb); got != "" {
			t.Errorf("a page that nobody sees posted %s", got)
		}
		eval[bool](tb, `dispatchEvent(new Event("shown"))`)
		if got := tb.known(); got != `"1"` {
			t.Errorf("when it is seen: %s", got)
		}
	})
	t.Run("left at once", func(t *testing.T) {
		s := newShop(t, tributary.Config{})
		s.asked = make(chan struct{})
		tb := s.visits(t, "www.beans.localhost")
		tb.before(`addEventListener("unload", () => {})`) // so the page does not live on in a cache
		tb.open("/?ref=ada")
		tb.open("/next")
		close(s.asked)
		for deadline := time.Now().Add(patience); s.posted() == "" && time.Now().Before(deadline); {
			eval[int](tb, "1")
		}
		if got := s.posted(); got != "ada" {
			t.Errorf("who leaves the page posted %q", got)
		}
	})
	t.Run("https", func(t *testing.T) {
		secure := httptest.NewTLSServer(s.pages)
		t.Cleanup(secure.Close)
		tb := unwatched(t, by(secure.URL, "www.beans.localhost"))
		tb.open("/?ref=ada")
		if got := tb.known() + eval[string](tb, `cookieStore.getAll().then(([c]) => c.value + c.secure)`); got != `"2"2true` {
			t.Errorf("over https: %s", got)
		}
	})
	t.Run("twice", func(t *testing.T) {
		s.body = `<script src="` + s.tracker + `/t.js"></script>`
		tb := s.visits(t, "www.beans.localhost")
		tb.open("/?ref=ada")
		before := s.clicked(tb)
		eval[int](tb, `history.pushState({}, "", "/?ref=bob"), 1`)
		if got := s.clicked(tb); got != before+" bob" {
			t.Errorf("posted %s after %s", got, before)
		}
	})
	t.Run("a module", func(t *testing.T) {
		s.tag, s.body = "type=module", `<b id=tributary></b>`
		tb := s.visits(t, "www.beans.localhost")
		tb.open("/?ref=ada")
		if warned := tb.warned(); len(warned) != 1 || !strings.Contains(warned[0], "no script tag") {
			t.Errorf("the console has %q", warned)
		}
	})
	t.Run("an element of this name", func(t *testing.T) {
		s.tag, s.body = "defer", `<b id=tributary></b>`
		tb := s.visits(t, "www.beans.localhost")
		tb.open("/?ref=ada")
		if got := tb.known(); got == "null" {
			t.Errorf("the click is %s: %q", got, tb.warned())
		}
	})
	t.Run("nothing can be stored", func(t *testing.T) {
		tb := s.visits(t, "www.beans.localhost")
		tb.before(`for (const [o, p] of [[Document.prototype, "cookie"], [window, "sessionStorage"]]) Object.defineProperty(o, p, { get() { throw new Error("blocked"); }, set() { throw new Error("blocked"); } })`)
		tb.open("/?ref=ada")
		if got := eval[string](tb, `String(tributary.click()) + window.wentOn`); got != "null1" {
			t.Errorf("the page has %s", got)
		}
		for _, w := range tb.warned() {
			if !strings.Contains(w, "blocked") || strings.Contains(w, "exception") {
				t.Errorf("the console has %q", w)
			}
		}
	})
	t.Run("a forged cookie", func(t *testing.T) {
		s.tag, s.body = "", ""
		tb := s.visits(t, "www.beans.localhost")
		tb.open("/")
		for _, value := range []string{"0", "-1", "ada@example.org", "1x", "x1", "99999999999999999", "", "1.5", " 1"} {
			eval[string](tb, fmt.Sprintf(`document.cookie = "tributary_click_0197c2f01a2b7c3d8e4f5a6b7c8d9e01=" + encodeURI(%q)`, value))
			if got := eval[string](tb, `String(tributary.click())`); got != "null" {
				t.Errorf("%q is the click %s", value, got)
			}
		}
	})
}

// TestClickDocument: what docs/click-script.md says to paste works in a page with the policy that it
// names.
func TestClickDocument(t *testing.T) {
	t.Parallel()
	s := newShop(t, tributary.Config{})
	text := string(must(os.ReadFile(filepath.Join("..", "..", "..", "docs", "click-script.md")))(t))
	text = strings.NewReplacer("https://partners.shop.example", s.tracker, "shop.example", "beans.localhost").Replace(text)
	blocks := func(kind string) (all []string) {
		for _, m := range regexp.MustCompile("(?s)```"+kind+"\n(.*?)```").FindAllStringSubmatch(text, -1) {
			all = append(all, strings.TrimSpace(m[1]))
		}
		return all
	}
	s.policy = "default-src 'none'; img-src data:; " + strings.Replace(blocks("text")[0], "script-src", "script-src 'nonce-own'", 1)
	tags, scripts := blocks("html"), blocks("js")
	if len(tags) != 3 || len(scripts) != 3 {
		t.Fatalf("%d tags and %d scripts", len(tags), len(scripts))
	}
	for i, tag := range tags {
		consent := strings.Contains(tag, "data-consent")
		s.tag, s.body = strings.TrimSuffix(strings.TrimPrefix(tag, `<script src="`+s.tracker+`/t.js" `), "></script>"), ""
		if consent {
			s.body = `<script nonce=own>` + scripts[0] + `; agreed(); agreed()</script>`
		}
		tb := s.visits(t, "www.beans.localhost")
		tb.open("/?ref=ada")
		if got := eval[string](tb, "(async () => {\n"+scripts[1]+"\nreturn JSON.stringify(click); })()"); got != fmt.Sprintf("%q", fmt.Sprint(i+1)) {
			t.Errorf("%s: the click is %s: %q", tag, got, tb.watch.complaints())
		}
		if domain := eval[string](tb, `cookieStore.getAll().then(([c]) => String(c.domain))`); (domain == "beans.localhost") != strings.Contains(tag, "data-domain") {
			t.Errorf("%s: the cookie is of %s", tag, domain)
		}
		tb.close()
	}
	tb := unwatched(t, originOf(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { write(w, "no script") })))
	tb.open("/")
	got := eval[string](tb, "(async () => {\n"+scripts[1]+"\n"+scripts[2]+`
return JSON.stringify([click, sessionOf({ mode: "payment" }, "1042", "p"), sessionOf({}, click, "p"), carried("ada@example.org", "p"), carried("1x", "p")]); })()`)
	if want := `[null,{"mode":"payment","metadata":{"tributary_click":"1042","tributary_program":"p"},"payment_intent_data":{"metadata":{"tributary_click":"1042","tributary_program":"p"}}},{"metadata":{},"payment_intent_data":{"metadata":{}}},{},{}]`; got != want {
		t.Errorf("without the script, and what the checkout carries: %s", got)
	}
}

// before runs a script before those of every page of the tab.
func (tb *tab) before(script string) {
	tb.Helper()
	call(tb, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: script})
}

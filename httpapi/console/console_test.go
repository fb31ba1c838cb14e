package console_test

import (
	"bytes"
	"context"
	"fmt"
	"html"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/httpapi/console"
	"github.com/tributary-go/tributary/memstore"
)

// Check 31: a console without a login, without a log, at a bad prefix or with a
// short key is an error; nobody who is not let in sees anything.
func TestNew(t *testing.T) {
	yes := func(*http.Request) (string, bool) { return "ops", true }
	log := slog.New(slog.DiscardHandler)
	p := must(affiliate.New(memstore.New(), affiliate.Config{}))
	for what, cfg := range map[string]console.Config{
		"no login": {Logger: log}, "no log": {Authorize: yes}, "bad prefix": {Authorize: yes, Logger: log, Prefix: "/console"},
		"dots": {Authorize: yes, Logger: log, Prefix: "/a/../b/"}, "short key": {Authorize: yes, Logger: log, Key: make([]byte, 31)},
	} {
		if _, err := console.New(p, cfg); err == nil {
			t.Errorf("%s: no error", what)
		}
	}
	if _, err := console.New(p, console.Config{Authorize: yes, ReadOnly: true}); err != nil {
		t.Error(err)
	}
	if _, err := console.New(nil, console.Config{Authorize: yes, Logger: log}); err == nil {
		t.Error("no program: no error")
	}
}

// Check 31: who is not let in gets 403 on every path, assets too, or what the
// host answers.
func TestDenied(t *testing.T) {
	d := newDesk(t)
	own := newDesk(t, func(c *console.Config) { c.Denied = http.NotFoundHandler() })
	style := regexp.MustCompile(`assets/style[^"]*`).FindString(d.get("").body)
	for _, path := range []string{"", "affiliates", "nothing", style} {
		got := d.get(path, "Actor: ")
		if got.status != 403 || strings.Contains(got.body, "Northwind") {
			t.Errorf("%s: %d %s", path, got.status, got.body)
		}
		if got := own.get(path, "Actor: "); got.status != 404 || got.body != "404 page not found\n" {
			t.Errorf("%s: %d %s", path, got.status, got.body)
		}
	}
	if got := d.get(style); got.status != 200 || !strings.Contains(got.header.Get("Cache-Control"), "immutable") {
		t.Errorf("the style sheet: %d %v", got.status, got.header)
	}
}

var address = regexp.MustCompile(`(?:href|action|src)="([^"]*)"`)

// walk follows every link and every form, and returns the pages by their path.
func walk(t *testing.T, h http.Handler, start string, below string) map[string]answer {
	t.Helper()
	d := &desk{t: t, page: h}
	seen, queue := map[string]answer{}, []string{start}
	for len(queue) > 0 {
		at := queue[0]
		queue = queue[1:]
		if _, known := seen[at]; known {
			continue
		}
		got := d.send("GET", at, "")
		if got.status == 303 || got.status == 308 {
			queue = append(queue, resolve(at, got.header.Get("Location")))
		}
		seen[at] = got
		untick := strings.HasSuffix(at, "affiliates/status") || strings.HasSuffix(at, "sales/review")
		if got.status != 200 && got.status != 308 && !(untick && got.status == 400) {
			t.Errorf("%s: %d", at, got.status)
		}
		if !strings.Contains(got.header.Get("Content-Type"), "html") {
			continue
		}
		for _, m := range address.FindAllStringSubmatch(got.body, -1) {
			link := html.UnescapeString(m[1])
			if strings.HasPrefix(link, "#") || strings.HasPrefix(link, "data:") || link == "/console/out" {
				continue
			}
			to := resolve(at, link)
			if !strings.HasPrefix(to, below) {
				t.Errorf("%s leads outside, to %s", at, to)
			} else if !tooFar(to) {
				queue = append(queue, to)
			}
		}
	}
	return seen
}

// tooFar leaves out the endless months of statements.
func tooFar(to string) bool {
	_, month, _ := strings.Cut(to, "/statements/")
	return month != "" && !strings.HasPrefix(month, "2026-0")
}

func resolve(at, link string) string {
	base, err := url.Parse(at)
	if err != nil {
		panic(err)
	}
	to, err := base.Parse(link)
	if err != nil {
		panic(err)
	}
	to.Fragment = ""
	return to.RequestURI()
}

// Checks 32, 33 and 36: wherever the console is mounted, every link leads to a
// page of it; every page has its headers and its size; and nothing is changed.
func TestEveryLink(t *testing.T) {
	strip := func(prefix string, h http.Handler) http.Handler { return http.StripPrefix(prefix, h) }
	for name, m := range map[string]struct {
		prefix, start, below string
		wrap                 func(http.Handler) http.Handler
	}{
		"root":          {"/", "/", "/", nil},
		"prefix":        {"/console/", "/console/", "/console/", nil},
		"bare":          {"/console/", "/console", "/console", nil},
		"deep":          {"/a/b/c/", "/a/b/c/", "/a/b/c/", nil},
		"stripped":      {"", "/console/", "/console/", func(h http.Handler) http.Handler { return strip("/console", h) }},
		"stripped bare": {"", "/x/console", "/x/console", func(h http.Handler) http.Handler { return strip("/x/console", h) }},
		"twice":         {"/b/", "/a/b/", "/a/b/", func(h http.Handler) http.Handler { return strip("/a", h) }},
		"proxy":         {"/", "/partners/", "/partners/", cutting("/partners")},
	} {
		t.Run(name, func(t *testing.T) {
			d := newDesk(t, func(c *console.Config) { c.Prefix = m.prefix })
			before, h := d.dump(), d.page
			if m.wrap != nil {
				h = m.wrap(h)
			}
			pages := walk(t, h, m.start, m.below)
			if len(pages) < 40 {
				t.Errorf("only %d pages", len(pages))
			}
			for path, got := range pages {
				for _, header := range []string{"Content-Security-Policy", "Referrer-Policy", "X-Content-Type-Options", "X-Frame-Options", "Cross-Origin-Opener-Policy", "Cache-Control", "X-Request-Id"} {
					if got.header.Get(header) == "" {
						t.Errorf("%s has no %s", path, header)
					}
				}
				if len(got.body) > 102_400 {
					t.Errorf("%s has %d bytes", path, len(got.body))
				}
				if strings.Contains(got.body, "style=") || strings.Contains(got.body, "onclick") {
					t.Errorf("%s has inline style or script", path)
				}
				if strings.Contains(got.header.Get("Content-Type"), "html") && got.status == 200 && strings.Count(got.body, "<h1>") != 1 {
					t.Errorf("%s has %d titles", path, strings.Count(got.body, "<h1>"))
				}
			}
			if d.dump() != before {
				t.Error("GET has changed something")
			}
		})
	}
}

// cutting is a proxy that cuts a prefix off, so that the console never sees it.
func cutting(prefix string) func(http.Handler) http.Handler {
	return func(h http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			rest := strings.TrimPrefix(r.RequestURI, prefix)
			sent := httptest.NewRequest(r.Method, rest, r.Body)
			sent.Header = r.Header
			h.ServeHTTP(w, sent)
		})
	}
}

// The statuses of wrong requests; all of them are pages.
func TestWrongRequests(t *testing.T) {
	d := newDesk(t)
	for _, row := range []struct {
		method, path string
		status       int
	}{
		{"GET", "nothing", 404}, {"GET", "affiliates/", 404}, {"GET", "affiliates//x", 404}, {"GET", "../console/", 404}, {"GET", "affiliates/" + uuid.Max.String(), 404},
		{"GET", "affiliates/x", 404}, {"GET", "sales/0", 404}, {"GET", "sales/x", 404}, {"GET", "sales/01", 404}, {"GET", "affiliates/" + d.ada.ID.String() + "/statements/2026-13", 404},
		{"GET", "assets/style.css", 404}, {"GET", "affiliates?statuz=ACTIVE", 400}, {"GET", "affiliates?status=WRONG", 400}, {"GET", "affiliates?cursor=x", 400},
		{"GET", "affiliates?q=a&q=b", 400}, {"GET", "sales?since=yesterday", 400}, {"GET", "affiliates/status?to=ACTIVE", 400}, {"GET", "affiliates/status?to=KING&id=" + d.ada.ID.String(), 400},
		{"POST", "affiliates", 405}, {"PUT", "", 405}, {"DELETE", "affiliates/" + d.ada.ID.String(), 405}, {"HEAD", "affiliates", 200}, {"PUT", "sales/1/refund", 405},
	} {
		got := d.send(row.method, "/console/"+row.path, "")
		if got.status != row.status || !strings.Contains(got.body, "<!doctype html>") {
			t.Errorf("%s %s: %d, want %d", row.method, row.path, got.status, row.status)
		}
		if allow := got.header.Get("Allow"); (got.status == 405) != (allow != "") {
			t.Errorf("%s %s: Allow %q", row.method, row.path, allow)
		}
	}
	if got := d.send("GET", "/elsewhere", ""); got.status != 404 {
		t.Errorf("outside of the prefix: %d", got.status)
	}
}

// actions are all actions of the console, what is typed into their forms, and the
// text that they are known by in the log.
func (d *desk) actions() []struct {
	path  string
	typed []string
	name  string
} {
	ctx := d.t.Context()
	pending := must(d.SearchAffiliates(ctx, affiliate.AffiliateQuery{Status: affiliate.AffiliateInactive}, affiliate.Page{})).Items[0].ID.String()
	payout := must(d.Payouts(ctx, affiliate.PayoutFilter{}, affiliate.Page{})).Items[0].ID.String()
	delivery := must(d.Deliveries(ctx, affiliate.DeliveryFilter{}, affiliate.Page{Limit: 1})).Items[0].ID.String()
	ada, sale, held := "affiliates/"+d.ada.ID.String(), "sales/"+fmt.Sprint(d.sale.ID), fmt.Sprint(d.held.ID)
	return []struct {
		path  string
		typed []string
		name  string
	}{
		{"affiliates/status?to=ACTIVE&id=" + pending, nil, "affiliates.status"},
		{"affiliates/new", []string{"firstName", "Ines", "lastName", "Ruiz", "email", "ines@example.com"}, "affiliates.create"},
		{ada + "/payout-details", []string{"payoutEmail", "new@example.com", "paymentMethod", "WISE"}, "affiliates.payout-details"},
		{ada + "/rate", []string{"commissionRate", "12.5"}, "affiliates.rate"},
		{ada + "/adjust", []string{"kind", "BONUS", "amount", "25", "reason", "spring"}, "affiliates.adjust"},
		{sale + "/refund", []string{"amount", "29.50", "clawback", "1"}, "sales.refund"},
		{"sales/review?to=ACCEPTED&id=" + held, nil, "sales.review"},
		{"sales/" + held + "/reverse", nil, "sales.reverse"},
		{"payouts/run", []string{"externalId", "2026-03", "minimum", "1"}, "payouts.run"},
		{"payouts/" + payout + "/status", []string{"status", "PAID"}, "payouts.status"},
		{"webhooks/deliveries/" + delivery + "/replay", nil, "webhooks.replay"},
	}
}

// Check 37: each action is done once, however often its form is sent; it leads to
// a page that says so, and leaves its line in the log.
func TestActions(t *testing.T) {
	d := newDesk(t)
	for _, a := range d.actions() {
		values := d.form(a.path, a.typed...)
		before := d.dump()
		d.logs.Reset()
		first := d.post(a.path, values)
		after := d.dump()
		if first.status != 303 || after == before {
			t.Errorf("%s: %d %s", a.name, first.status, plain(first.body))
			continue
		}
		line := d.logs.String()
		for _, attribute := range []string{`msg="console action"`, "actor=ops", "action=" + a.name, "object=", "program=", "request_id=", "outcome=ok"} {
			if !strings.Contains(line, attribute) {
				t.Errorf("%s: the log has no %s: %s", a.name, attribute, line)
			}
		}
		to := first.header.Get("Location")
		if strings.HasPrefix(to, "/") || strings.Contains(to, "://") {
			t.Errorf("%s leads to %s", a.name, to)
		}
		shown := d.send("GET", resolve("/console/"+a.path, to), "")
		if shown.status != 200 || !strings.Contains(shown.body, `class="notice"`) {
			t.Errorf("%s leads to %s: %d", a.name, to, shown.status)
		}
		d.now = d.now.Add(time.Second)
		if again := d.post(a.path, values); again.status != 303 || d.dump() != after {
			t.Errorf("%s again: %d %s, changed %v", a.name, again.status, plain(again.body), d.dump() != after)
		}
	}
	if err := d.Verify(t.Context()); err != nil {
		t.Error(err)
	}
}

// plain is the main part of a page without its markup.
func plain(body string) string {
	_, body, _ = strings.Cut(body, "<main")
	return strings.Join(strings.Fields(html.UnescapeString(regexp.MustCompile(`<[^>]*>`).ReplaceAllString(body, " "))), " ")
}

// Check 35: a form from elsewhere, for somebody else, for another page or of
// yesterday does nothing; and a console that is read only takes none.
func TestForgedForms(t *testing.T) {
	d := newDesk(t)
	readOnly := newDesk(t, func(c *console.Config) { c.ReadOnly = true })
	actions := append(d.actions(), struct {
		path  string
		typed []string
		name  string
	}{"books", nil, "books.check"})
	for i, a := range actions {
		values := d.form(a.path, a.typed...)
		other := d.form(actions[(i+1)%len(actions)].path)
		no := func(what string, status int, v url.Values, headers ...string) {
			t.Helper()
			before := d.dump()
			if got := d.post(a.path, v, headers...); got.status != status || d.dump() != before {
				t.Errorf("%s with %s: %d, changed %v", a.name, what, got.status, d.dump() != before)
			}
		}
		without := func(name, value string) url.Values {
			v := url.Values{}
			for n, all := range values {
				v[n] = all
			}
			v.Set(name, value)
			return v
		}
		no("no token", 403, without("token", ""))
		no("no nonce", 403, without("nonce", ""))
		no("another page's token", 403, without("token", other.Get("token")))
		no("a changed token", 403, without("token", values.Get("token")+"A"))
		no("another actor", 403, values, "Actor: eve")
		no("another site", 403, values, "Sec-Fetch-Site: cross-site")
		no("another origin", 403, values, "Origin: https://evil.example")
		d.now = d.now.Add(13 * time.Hour)
		no("an old token", 403, values)
		d.now = d.now.Add(-13 * time.Hour)
		if got := readOnly.post(a.path, values); got.status != 403 {
			t.Errorf("%s, read only: %d", a.name, got.status)
		}
	}
	for path, got := range walk(t, readOnly.page, "/console/", "/console/") {
		if strings.Contains(got.body, `<form method="post"`) && !strings.Contains(got.body, `action="/console/out"`) || strings.Contains(got.body, "<button class=\"main\"") {
			t.Errorf("%s has a form", path)
		}
	}
}

// Check 52: two consoles with one key take each other's forms, and without a key
// the other one's are too old. For shows another program, which has its own ids.
func TestTwoProcesses(t *testing.T) {
	d := newDesk(t)
	one := d.page
	values := d.form("affiliates/new", "firstName", "Ines", "lastName", "Ruiz", "email", "ines@example.com")
	d.page = must(console.New(d.Program, d.cfg))
	if got := d.post("affiliates/new", values); got.status != 303 {
		t.Errorf("the other process: %d", got.status)
	}
	keyless := d.cfg
	keyless.Key = nil
	d.page = must(console.New(d.Program, keyless))
	if got := d.post("affiliates/new", values); got.status != 403 || !strings.Contains(got.body, "too old") {
		t.Errorf("without a key: %d", got.status)
	}
	other := must(affiliate.New(memstore.New(), affiliate.Config{ID: uuid.Max, Name: "Other"}))
	d.page = one.(*console.Console).For(other)
	if got := d.get("affiliates/" + d.ada.ID.String()); got.status != 404 || strings.Contains(got.body, "Lovelace") {
		t.Errorf("another program's affiliate: %d", got.status)
	}
	if got := d.post("affiliates/new", values); got.status != 403 {
		t.Errorf("a form of another program: %d", got.status)
	}
}

// Check 41: a refusal shows the engine's text at its field and keeps what was typed.
func TestRefusals(t *testing.T) {
	d := newDesk(t)
	for _, row := range []struct {
		path   string
		typed  []string
		status int
		text   string
		kept   string
	}{
		{"affiliates/new", []string{"firstName", "A", "lastName", "B", "email", "ada@example.com"}, 409, "already exists", `value="ada@example.com"`},
		{"affiliates/new", []string{"firstName", "A", "lastName", "B", "email", "nothing"}, 400, "email", `value="nothing"`},
		{"sales/" + fmt.Sprint(d.sale.ID) + "/refund", []string{"amount", "1000", "clawback", "1"}, 400, "", `value="1000"`},
		{"sales/" + fmt.Sprint(d.sale.ID) + "/refund", []string{"amount", "ten"}, 400, "Enter an amount", `value="ten"`},
		{"affiliates/" + d.ada.ID.String() + "/rate", []string{"commissionRate", "101"}, 400, "", `value="101"`},
		{"affiliates/" + d.ada.ID.String() + "/adjust", []string{"kind", "BONUS", "amount", "-1", "reason", "r"}, 400, "", `value="-1"`},
	} {
		before := d.dump()
		got := d.post(row.path, d.form(row.path, row.typed...))
		if got.status/100 != 4 || !strings.Contains(got.body, row.text) || !strings.Contains(got.body, row.kept) || !strings.Contains(got.body, `role="alert"`) {
			t.Errorf("%s %v: %d %s", row.path, row.typed, got.status, plain(got.body))
		}
		if d.dump() != before {
			t.Errorf("%s %v: it has changed something", row.path, row.typed)
		}
		if !strings.Contains(d.logs.String(), "outcome=") {
			t.Errorf("%s: no line in the log", row.path)
		}
	}
}

// Check 46: what data holds is shown and never obeyed.
func TestHostileTexts(t *testing.T) {
	d := newDesk(t)
	bad := `<script>alert(1)</script><img src=x onerror=alert(1)>"'><b>` + "\u202eevil\u200b"
	a := must(d.CreateAffiliate(t.Context(), affiliate.NewAffiliate{FirstName: "<i>x</i>", LastName: "\u202egpj.exe", Email: "evil@example.com"}))
	must(d.RecordSale(t.Context(), affiliate.NewSale{
		ReferralID: a.ID.String(), Email: "victim@example.net", Name: "<i>n</i>", TotalEarned: affiliate.MustAmount("10"),
		ExternalID: "javascript:alert(1)", ExternalInvoiceID: bad,
	}))
	for path, got := range walk(t, d.page, "/console/", "/console/") {
		for _, raw := range []string{"<script>alert", "<img", "<i>", "\u202e", "\u200b", `href="javascript:`} {
			if strings.Contains(got.body, raw) {
				t.Errorf("%s has %q", path, raw)
			}
		}
	}
	if got := d.get("affiliates/" + a.ID.String()); !strings.Contains(plain(got.body), "U+202E") || !strings.Contains(got.body, "&lt;i&gt;") {
		t.Errorf("the texts are not shown: %s", plain(got.body))
	}
}

// A failing store fails every call.
type failing struct {
	affiliate.Store
	on *bool
}

func (s failing) View(ctx context.Context, id uuid.UUID, fn func(*affiliate.Tx) error) error {
	if *s.on {
		return io.ErrUnexpectedEOF
	}
	return s.Store.View(ctx, id, fn)
}

func (s failing) Update(ctx context.Context, id uuid.UUID, fn func(*affiliate.Tx) error) error {
	if *s.on {
		return io.ErrUnexpectedEOF
	}
	return s.Store.Update(ctx, id, fn)
}

// Check 51: when the store fails, a page says so with the id of the request, and
// with no detail.
func TestBrokenStore(t *testing.T) {
	d := newDesk(t)
	on := false
	broken := d.With(failing{d.store, &on})
	d.page = must(console.New(broken, d.cfg))
	values := map[string]url.Values{}
	for _, a := range d.actions() {
		values[a.path] = d.form(a.path, a.typed...)
	}
	on = true
	for _, path := range []string{"", "affiliates", "affiliates/" + d.ada.ID.String(), "codes", "customers", "sales", "payouts", "webhooks", "events", "settings", "payouts/generic.csv"} {
		got := d.get(path, "X-Request-Id: req-7")
		if got.status != 500 || !strings.Contains(got.body, "req-7") || strings.Contains(got.body, "EOF") {
			t.Errorf("%s: %d %s", path, got.status, plain(got.body))
		}
	}
	for path, v := range values {
		if got := d.post(path, v, "X-Request-Id: req-8"); got.status != 500 || !strings.Contains(got.body, "req-8") || strings.Contains(got.body, "EOF") {
			t.Errorf("POST %s: %d %s", path, got.status, plain(got.body))
		}
	}
	on = false
	for _, a := range d.actions() {
		if got := d.post(a.path, values[a.path]); got.status != 303 {
			t.Errorf("%s afterwards: %d %s", a.name, got.status, plain(got.body))
		}
	}
}

// Check 40: the page of a sale has the figures of its explanation.
func TestWhy(t *testing.T) {
	d := newDesk(t)
	got := plain(d.get("sales/" + fmt.Sprint(d.sale.ID)).body)
	for _, text := range []string{"Why 25.90 USD?", "The promotional code of the order, ADA10", "Ada Lovelace", "129.50 USD", "20 %", "Commission 25.90 USD"} {
		if !strings.Contains(got, text) {
			t.Errorf("the page has no %q: %s", text, got)
		}
	}
}

// Check 44: the books are checked in the request, and a breach is shown.
func TestBooks(t *testing.T) {
	d := newDesk(t)
	d.logs.Reset()
	got := d.post("books", d.form("books"))
	if got.status != 200 || !strings.Contains(got.body, "The books hold") || !strings.Contains(d.logs.String(), "action=books.check") {
		t.Errorf("%d %s", got.status, plain(got.body))
	}
	err := d.store.Update(t.Context(), d.Config().ID, func(tx *affiliate.Tx) error {
		rec, err := tx.Totals.Get(d.ada.ID)
		if err != nil {
			return err
		}
		rec.Clicks += 7
		return tx.Totals.Replace(rec)
	})
	if err != nil {
		t.Fatal(err)
	}
	if got := d.post("books", d.form("books")); got.status != 200 || !strings.Contains(got.body, "The books do not hold") || !strings.Contains(got.body, d.ada.ID.String()) {
		t.Errorf("%d %s", got.status, plain(got.body))
	}
}

// The overview names what waits, and keeps the days that are over.
func TestOverview(t *testing.T) {
	d := newDesk(t)
	first := plain(d.get("").body)
	for _, text := range []string{"Waits for approval Tom Ode", "On hold Sale " + fmt.Sprint(d.held.ID), "Revenue", "Latest sales"} {
		if !strings.Contains(first, text) {
			t.Errorf("the overview has no %q: %s", text, first)
		}
	}
	d.now = d.now.Add(48 * time.Hour)
	d.sell("max@example.net", "1000", "order-9")
	d.get("")
	d.now = d.now.Add(time.Hour)
	fresh := must(console.New(d.Program, d.cfg))
	kept := d.get("").body
	d.page = fresh
	if anew := d.get("").body; anew != kept || !strings.Contains(kept, "1,239.50 USD") {
		t.Errorf("with kept days: %s, without: %s", plain(kept), plain(anew))
	}
}

// Check 50: no page can walk a whole table, and no template trusts a text.
func TestSource(t *testing.T) {
	forbidden := []string{".Coupons(", ".Prune(", ".Retain(", ".Verify(", "template.HTML", "template.JS", "template.URL", "template.CSS", "affiliate.Page{})"}
	files, err := filepath.Glob("*.go")
	if err != nil || len(files) < 10 {
		t.Fatal(files, err)
	}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		text := must(os.ReadFile(name))
		for _, word := range forbidden {
			if bytes.Contains(text, []byte(word)) {
				t.Errorf("%s has %s", name, word)
			}
		}
	}
	if !slices.Contains(files, "routes.go") {
		t.Error("the files have moved")
	}
}

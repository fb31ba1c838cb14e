package console_test

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/tributary-go/tributary/httpapi/console"
	"github.com/tributary-go/tributary/internal/atlength"
)

// maxPage is how many bytes a page has at most (3.3).
const maxPage = 102_400

// shape is a path without ids, to look at a few of each kind.
func shape(u *url.URL) string {
	parts := strings.Split(u.Path, "/")
	for i, p := range parts {
		if len(p) == 36 || p != "" && strings.Trim(p, "0123456789-") == "" {
			parts[i] = "{}"
		}
	}
	query := []string{}
	for name := range u.Query() {
		query = append(query, name)
	}
	slices.Sort(query)
	return strings.Join(parts, "/") + "?" + strings.Join(query, "&")
}

// crawl follows every link, asset and form of GET from a page, a few of each
// kind, as a browser resolves them. It returns the pages by their address.
func crawl(t testing.TB, h http.Handler, from string) map[string]pageAnswer {
	t.Helper()
	pages, seen, most := map[string]pageAnswer{}, map[string]int{}, 6
	if !atlength.On() {
		most = 2
	}
	base, _, _ := strings.Cut(from, "?")
	todo := []string{from}
	for len(todo) > 0 {
		here := must(url.Parse(todo[0]))
		todo = todo[1:]
		if _, known := pages[here.String()]; known {
			continue
		}
		if seen[shape(here)]++; seen[shape(here)] > most {
			continue
		}
		page := ask(h, "GET", here.String(), "")
		pages[here.String()] = page
		if page.status != 200 && page.status != 400 {
			t.Errorf("%s: %d %s", here, page.status, page.text())
		}
		if !strings.HasPrefix(page.head.Get("Content-Type"), "text/html") {
			continue
		}
		if page.status == 400 && !strings.HasSuffix(here.Path, "/status") && !strings.HasSuffix(here.Path, "/review") {
			t.Errorf("%s: 400 %s", here, page.text()) // only a form for several, with none ticked
		}
		if strings.Count(page.body, "<h1>") != 1 || page.head.Get("X-Request-Id") == "" {
			t.Errorf("%s has %d titles, X-Request-Id %q", here, strings.Count(page.body, "<h1>"), page.head.Get("X-Request-Id"))
		}
		if len(page.body) > maxPage {
			t.Errorf("%s has %d bytes", here, len(page.body))
		}
		for _, e := range parse(t, page.body) {
			if e.attrs["style"]+e.attrs["onclick"] != "" || e.name == "style" {
				t.Errorf("%s has a style or a script of its own", here)
			}
			link := e.attrs["href"] + e.attrs["src"]
			if e.name == "form" && e.attrs["method"] != "post" {
				link = e.attrs["action"]
			}
			if link == "" || link == "data:," || strings.HasPrefix(link, "#") {
				continue
			}
			to := must(here.Parse(link))
			to.Fragment = ""
			if strings.HasPrefix(link, "/") || to.Host != here.Host || !strings.HasPrefix(to.Path, base) {
				t.Errorf("%s: %q leads outside", here, link)
				continue
			}
			todo = append(todo, to.String())
		}
	}
	return pages
}

// TestCrawl (checks 32, 33, 36 and the sizes of 3.3): wherever the console is
// mounted, every link and form leads to a page of it, with its headers, and
// looking changes nothing.
func TestCrawl(t *testing.T) {
	w := newWorld(t)
	w.fill("")
	at := func(prefix string) *console.Console {
		cfg := w.cfg
		cfg.Prefix = prefix
		return must(console.New(w.Program, cfg))
	}
	inner := http.NewServeMux()
	inner.Handle("/b/", http.StripPrefix("/b", at("/")))
	cut := http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) { // a proxy: nothing of the prefix arrives
		r2 := httptest.NewRequest(r.Method, "/"+strings.TrimPrefix(r.URL.RequestURI(), "/cut/"), r.Body)
		r2.Header = r.Header
		at("").ServeHTTP(rw, r2)
	})
	mounts := map[string]struct {
		at string
		h  http.Handler
	}{
		"root": {"/", at("/")}, "prefix": {"/console/", at("/console/")}, "deep": {"/a/b/c/", at("/a/b/c/")},
		"StripPrefix": {"/console/", http.StripPrefix("/console", at(""))}, "StripPrefix with slash": {"/console/", http.StripPrefix("/console/", at(""))},
		"nested": {"/a/b/", http.StripPrefix("/a", inner)}, "proxy": {"/cut/", cut},
	}
	before := w.dump()
	for name, m := range mounts {
		t.Run(name, func(t *testing.T) {
			pages := crawl(t, m.h, m.at)
			if len(pages) < 60 {
				t.Errorf("only %d pages", len(pages))
			}
			for at, page := range pages {
				protected(t, at, page)
			}
		})
	}
	if after := w.dump(); after != before {
		t.Error("looking has changed the store")
	}
}

// protected checks the headers of 3.3.
func protected(t testing.TB, at string, page pageAnswer) {
	t.Helper()
	for name, want := range map[string]string{
		"Content-Security-Policy": "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
		"Referrer-Policy":         "no-referrer", "X-Content-Type-Options": "nosniff", "Cross-Origin-Opener-Policy": "same-origin", "X-Frame-Options": "DENY",
	} {
		if page.head.Get(name) != want {
			t.Errorf("%s: %s is %q", at, name, page.head.Get(name))
		}
	}
	cache := "private, no-store"
	if strings.Contains(at, "/assets/") && page.status == 200 {
		cache = "public, max-age=31536000, immutable"
	}
	if page.head.Get("Cache-Control") != cache {
		t.Errorf("%s: Cache-Control is %q", at, page.head.Get("Cache-Control"))
	}
}

// TestBarePrefix (check 32): the prefix without its slash redirects once, and what
// is not clean is no page.
func TestBarePrefix(t *testing.T) {
	w := newWorld(t)
	cfg := w.cfg
	cfg.Prefix = "/a/console/"
	plain := must(console.New(w.Program, cfg))
	stripped := http.StripPrefix("/a/console", w.desk)
	for name, h := range map[string]http.Handler{"prefix": plain, "stripped": stripped} {
		page := ask(h, "GET", "/a/console?done=x", "")
		to := must(must(url.Parse("/a/console")).Parse(page.head.Get("Location")))
		if page.status != 308 || to.String() != "/a/console/?done=x" || strings.HasPrefix(page.head.Get("Location"), "/") {
			t.Errorf("%s: %d %q", name, page.status, page.head.Get("Location"))
		}
		protected(t, name, page)
		for _, path := range []string{"//", "/./", "/../", "/affiliates/", "//affiliates", "/affiliates//new", "/affiliates/./new", "/affiliates%2Fnew", "/%2e%2e/x", "/nothing", "/sales/0", "/sales/007", "/sales/-1", "/affiliates/x", "/assets/style.css", "/affiliates/" + strings.ToUpper(w.Config().ID.String())} {
			page := ask(h, "GET", "/a/console"+path, "")
			if page.status != 404 {
				t.Errorf("%s %s: %d", name, path, page.status)
			}
			protected(t, path, page)
		}
	}
	for _, path := range []string{"/", "/a/consolex", "/other"} {
		if page := ask(plain, "GET", path, ""); page.status != 404 {
			t.Errorf("%s: %d", path, page.status)
		}
	}
}

// TestRows (checks 39 and 50): no page looks at more than 5,600 records.
func TestRows(t *testing.T) {
	w := newWorld(t)
	w.fill("")
	w.get("")
	for at := range crawl(t, w.desk, "/") {
		w.store.begin(0)
		ask(w.desk, "GET", at, "")
		if w.store.rows > 5600 {
			t.Errorf("%s looks at %d records", at, w.store.rows)
		}
	}
}

// TestStatuses: 405 with Allow, 400 for what is unknown, and HEAD.
func TestStatuses(t *testing.T) {
	w := newWorld(t)
	w.fill("")
	for _, path := range []string{"", "affiliates", "sales/1", "payouts/generic.csv", "settings"} {
		for _, method := range []string{"POST", "PUT", "DELETE"} {
			if page := ask(w.desk, method, "/"+path, ""); page.status != 405 || page.head.Get("Allow") != "GET, HEAD" {
				t.Errorf("%s /%s: %d, Allow %q", method, path, page.status, page.head.Get("Allow"))
			}
		}
		if page := ask(w.desk, "HEAD", "/"+path, ""); page.status != 200 {
			t.Errorf("HEAD /%s: %d", path, page.status)
		}
	}
	if page := ask(w.desk, "PUT", "/affiliates/new", ""); page.status != 405 || page.head.Get("Allow") != "GET, HEAD, POST" {
		t.Errorf("PUT of a form: %d, Allow %q", page.status, page.head.Get("Allow"))
	}
	for _, path := range []string{"?x=1", "affiliates?statuss=x", "affiliates?status=NONE", "affiliates?cursor=bad", "affiliates?q=a&q=b", "affiliates?%zz", "affiliates?a;b",
		"sales?since=yesterday", "sales?status=NONE", "sales?approval=NONE", "sales?cursor=x", "codes?state=x", "codes?cursor=x", "customers?status=x", "customers?cursor=x",
		"payouts?status=x", "payouts?cursor=x", "webhooks?state=x", "webhooks?cursor=x", "events?type=x", "events?cursor=x", "settings?q=1",
		"affiliates/status?to=ACTIVE", "affiliates/status?id=x&to=ACTIVE", "affiliates/status?to=NONE&id=" + w.ada.ID.String(), "sales/review?to=ACCEPTED", "sales/review?id=x&to=ACCEPTED", "sales/review?id=1&to=x"} {
		page := w.get(path)
		if page.status != 400 || !strings.Contains(page.body, "<h1>") {
			t.Errorf("%s: %d %s", path, page.status, page.text())
		}
		protected(t, path, page)
	}
}

package browser

import (
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tributary-go/tributary/internal/atlength"
	"github.com/tributary-go/tributary/internal/scene"
)

// TestPages (checks 32, 33, 36, 47, 48, 49 and, for the partners, 59): a reader who follows every link and
// every form that only looks, from the first page on, meets pages that anybody can
// read, in light and dark colours, that fit a telephone and a desk at 200 %, and
// changes nothing by looking. Then the reader fills every form in wrongly. It is mounted below two prefixes, of which a proxy
// cuts one.
func TestPages(t *testing.T) {
	t.Parallel()
	for set, mount := range sets {
		for name, make := range worlds {
			t.Run(set+" "+name, func(t *testing.T) {
				t.Parallel()
				w := make(t)
				mux := http.NewServeMux()
				mux.Handle("/proxy/b/", http.StripPrefix("/proxy/b", mount(w)))
				origin := originOf(t, mux)
				dumper := new(scene.Dumper)
				before := dumper.Dump(t, w.store, w.Config().ID)
				tb := newTab(t, origin)
				var forms []string
				ofKind := 1
				if atlength.On() {
					ofKind = 2
				}
				pages := crawl(tb, "/proxy/b/", ofKind, func(tb *tab, nth int) {
					form := tb.count("main form[method=post] .field") > 0
					if form && nth == 1 {
						forms = append(forms, tb.path())
					}
					if form && name == "empty" {
						nth = 2 // it is the same in the other world
					}
					look(tb, nth)
				})
				if diff := cmp.Diff(before, dumper.Dump(t, w.store, w.Config().ID)); diff != "" {
					t.Errorf("looking has changed the store (-before +after):\n%s", diff)
				}
				refused := tb.refuse(forms)
				if got, least := (found{len(pages), len(forms), refused}), expected[set+" "+name]; got.pages < least.pages || got.forms < least.forms || got.refused < least.refused || least.pages == 0 {
					t.Errorf("only %+v, not %+v: %q", got, least, pages)
				}
			})
		}
	}
}

// found is how much a reader finds: pages, forms to fill in, and forms that were refused.
type found struct{ pages, forms, refused int }

// expected is the least that a reader has to find.
var expected = map[string]found{
	"console empty": {20, 8, 5}, "console full": {100, 25, 18}, "partner empty": {7, 1, 0}, "partner full": {8, 1, 0},
}

// look looks at a page in each way that readers have. Of those that follow the first
// of a kind it sees whether they fit a telephone.
func look(tb *tab, nth int) {
	tb.Helper()
	tb.fits(phone)
	if nth == 1 {
		tb.accessible(light)
		tb.fits(zoomed)
		tb.fits(desk)
		tb.accessible(dark)
	}
}

// crawl opens the page at a path and all those that it leads to below it, a few of
// each kind, and calls see on each, the nth of its kind. It returns their paths.
func crawl(tb *tab, from string, ofKind int, see func(tb *tab, nth int)) (pages []string) {
	tb.Helper()
	todo, kinds := []string{from}, map[string]int{}
	for len(todo) > 0 {
		path := todo[0]
		todo = todo[1:]
		if slices.Contains(pages, path) || kinds[kind(path)] == ofKind {
			continue
		}
		status, html := tb.peek(path)
		kinds[kind(path)]++
		if !html {
			continue // a file
		}
		tb.openAs(status, path)
		pages = append(pages, path)
		see(tb, kinds[kind(path)])
		for _, link := range eval[[]string](tb, ways) {
			to, inside := strings.CutPrefix(link, tb.origin)
			if to, _, _ = strings.Cut(to, "#"); !inside || !strings.HasPrefix(to, from) {
				tb.Errorf("%s leads outside, to %s", path, link)
				continue
			}
			todo = append(todo, to)
		}
	}
	return pages
}

// ways are the addresses to which a page leads by its links and by the forms that
// only look.
const ways = `(() => {
	const links = [...document.querySelectorAll("a[href]")].filter((a) => a.rel !== "noopener noreferrer nofollow").map((a) => a.href);
	const forms = [...document.querySelectorAll("form")].filter((f) => f.method === "get");
	return links.concat(forms.map((f) => f.action), forms.flatMap((f) => [...f.querySelectorAll("[formaction]")].map((b) => b.formAction)));
})()`

// peek asks for a page beside the browser: its status, and whether it is one. Where
// nothing was ticked in a form for several, 400 is right, and nowhere else.
func (tb *tab) peek(path string) (status int64, html bool) {
	tb.Helper()
	answer := must(http.Get(tb.origin + path))(tb)
	_, _ = io.Copy(io.Discard, answer.Body)
	tb.must(answer.Body.Close())
	severalOf := strings.HasSuffix(path, "/affiliates/status") || strings.HasSuffix(path, "/affiliates/plan") ||
		strings.HasSuffix(path, "/affiliates/tier") || strings.HasSuffix(path, "/sales/review")
	if answer.StatusCode != 200 && !(answer.StatusCode == 400 && severalOf) {
		tb.Errorf("%s: %s", path, answer.Status)
	}
	return int64(answer.StatusCode), strings.HasPrefix(answer.Header.Get("Content-Type"), "text/html")
}

// kind is a path without its ids and without the values of its query. A sum is the same
// whatever was added up, a list or a form whomever it is about, a list from either end or of some
// days, and a report whatever it draws.
func kind(path string) string {
	u, err := url.Parse(path)
	if err != nil {
		return path
	}
	parts := strings.Split(u.Path, "/")
	for i, p := range parts {
		if len(p) == 36 || p != "" && strings.Trim(p, "0123456789-") == "" {
			parts[i] = "{}"
		}
	}
	names := []string{}
	for name := range u.Query() {
		switch last := parts[len(parts)-1]; {
		case last == "sum", name == "sort" && last != "reports", name == "affiliate", name == "coupon", name == "customer",
			name == "since", name == "until", name == "chart":
		default:
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return strings.Join(parts, "/") + "?" + strings.Join(names, "&")
}

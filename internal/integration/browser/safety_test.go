package browser

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/httpapi/console"
	"github.com/tributary-go/tributary/httpapi/portal"
	"github.com/tributary-go/tributary/internal/sample"
)

// TestDenied (check 31): whom the host does not let in sees nothing of the program,
// not even its style sheet.
func TestDenied(t *testing.T) {
	t.Parallel()
	w := newWorld(t).fill()
	var sheet string
	tb := newTab(t, originOf(t, sets["console"](w)))
	tb.open("/")
	sheet = strings.TrimPrefix(eval[string](tb, `document.querySelector("link[rel=stylesheet]").href`), tb.origin)

	tb = newTab(t, originOf(t, w.console(console.Config{Authorize: func(*http.Request) (string, bool) { return "", false }})))
	for _, path := range []string{"/", "/sales", "/affiliates/" + w.made.Ada.ID.String(), "/nothing", sheet} {
		tb.openAs(403, path)
		if got := tb.text("body"); got != "Forbidden You may not see this page." {
			t.Errorf("%s says %q", path, got)
		}
	}
}

// TestMounts (check 32): wherever the console is mounted its pages find each other,
// their style sheet and their forms, and the prefix without its slash leads to it.
func TestMounts(t *testing.T) {
	t.Parallel()
	w := newWorld(t).fill()
	at := func(prefix string) http.Handler { return w.console(console.Config{Prefix: prefix}) }
	inner := http.NewServeMux()
	inner.Handle("/b/", http.StripPrefix("/b", at("/")))
	for name, mount := range map[string]struct {
		path string
		h    http.Handler
	}{
		"prefix": {"/a/console/", at("/a/console/")}, "StripPrefix": {"/console/", http.StripPrefix("/console", at("/"))}, "nested": {"/a/b/", http.StripPrefix("/a", inner)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tb := newTab(t, originOf(t, mount.h))
			if name == "nested" { // there the host's mux answers the prefix without its slash
				tb.open(mount.path)
			} else {
				tb.open(mount.path[:max(1, len(mount.path)-1)])
			}
			if tb.path() != mount.path {
				t.Errorf("the prefix without its slash leads to %s", tb.path())
			}
			if ground := eval[string](tb, `getComputedStyle(document.documentElement).backgroundColor`); ground == "rgba(0, 0, 0, 0)" {
				t.Error("the style sheet is not there")
			}
			tb.press("Money")
			tb.press(fmt.Sprint(w.made.Free.ID))
			tb.press("Refund…")
			tb.press("Cancel")
			tb.press("Partners")
			tb.press("Add an affiliate…")
			tb.fill("First name", "New")
			tb.fill("Last name", name)
			tb.fill("Email", name+"@example.org")
			tb.press("Add")
			tb.says("New " + name)
			if !strings.HasPrefix(tb.path(), mount.path+"affiliates/") {
				t.Errorf("the form leads to %s", tb.path())
			}
		})
	}
}

// TestFrames (checks 33 and 58): no page is shown inside one of another origin. The
// partner pages are, in those that the host names and in no other.
func TestFrames(t *testing.T) {
	t.Parallel()
	w := newWorld(t).fill()
	var inside string
	host := http.HandlerFunc(func(rw http.ResponseWriter, _ *http.Request) {
		write(rw, `<h1>The host's own page</h1><iframe title=inside src="`+inside+`"></iframe>`)
	})
	friend, stranger := originOf(t, host), originOf(t, host)
	consolePages, partnerPages := originOf(t, sets["console"](w)), originOf(t, w.partner(portal.Config{Frames: []string{friend}}))
	for _, c := range []struct {
		in, shows string
		refused   bool
	}{
		{friend, consolePages, true}, {stranger, consolePages, true}, {friend, partnerPages, false}, {stranger, partnerPages, true},
	} {
		inside = c.shows + "/"
		tb := unwatched(t, c.in)
		tb.open("/")
		eval[int](tb, "1") // what came before has been seen
		said := strings.Join(tb.watch.complaints(), "\n")
		if refused := strings.Contains(said, "frame-ancestors"); refused != c.refused || !strings.Contains(said, "another origin: "+c.shows) {
			t.Errorf("%s in %s: refused %v, want %v: %s", c.shows, c.in, refused, c.refused, said)
		}
	}
}

// TestForeignForm (check 35): a form of another site does nothing, though it has all
// the fields and a token.
func TestForeignForm(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ours := originOf(t, sets["console"](w))
	tb := newTab(t, ours)
	tb.open("/affiliates/new")
	token := eval[string](tb, `document.querySelector("[name=token]").value`)
	theirs := originOf(t, http.HandlerFunc(func(rw http.ResponseWriter, _ *http.Request) {
		write(rw, `<main><form method=post action="`+ours+`/affiliates/new"><input name=token value="`+token+`"><input name=nonce value=n><input name=firstName value=E>`+
			`<input name=lastName value=V><input name=email value=e@example.org><button>Win</button></form></main>`)
	}))
	evil := unwatched(t, theirs)
	evil.open("/")
	evil.pressAs(403, "Win")
	evil.says("Nothing was done")
	if all := must(w.Affiliates(t.Context(), affiliate.AffiliateQuery{}, affiliate.Page{Limit: 1}))(t); len(all.Items) > 0 {
		t.Error("a form of another site has made an affiliate")
	}
}

// TestReadOnly (check 35): a console that only shows has no form that does anything on
// the pages of its navigation, and leads to none.
func TestReadOnly(t *testing.T) {
	t.Parallel()
	w := newWorld(t).fill()
	tb := newTab(t, originOf(t, w.console(console.Config{ReadOnly: true})))
	tb.open("/")
	entries := func() []string {
		return eval[[]string](tb, `[...document.querySelectorAll("nav.main a")].map((a) => a.pathname)`)
	}
	var sections []string
	for _, group := range entries() {
		tb.open(group)
		sections = append(sections, entries()...)
	}
	slices.Sort(sections)
	sections = slices.Compact(sections)
	for _, path := range append(sections, "/affiliates/"+w.made.Ada.ID.String(), fmt.Sprint("/sales/", w.made.Free.ID)) {
		tb.open(path)
		if n := tb.count("form[method=post], main a.button[href$=new], main a.button[href$=edit]"); n > 0 {
			t.Errorf("%s has %d forms", path, n)
		}
	}
	if len(sections) < 12 {
		t.Errorf("only %q", sections)
	}
	tb.openAs(403, "/affiliates/new")
}

// TestHostile (check 46): whatever people call themselves, no page makes an element of
// it, opens a dialog or breaks its policy; what is written from right to left stays in
// its place, what cannot be seen is shown, and the layout holds.
func TestHostile(t *testing.T) {
	t.Parallel()
	for set, mount := range sets {
		t.Run(set, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t).fill(attacks()...)
			must(w.UpdateReferral(t.Context(), w.made.Customer.ID.String(), affiliate.ReferralUpdate{Notes: affiliate.Set(strings.Repeat("<\u200b\"", 3_333))}))(t)
			tb := newTab(t, originOf(t, mount(w)))
			crawl(tb, "/", 1, func(tb *tab, _ int) {
				tb.fits(phone)
				for _, wrong := range eval[[]string](tb, made) {
					tb.Errorf("%s: %s", tb.path(), wrong)
				}
			})
		})
	}
}

// attacks are the hostile texts, and two that cannot be broken: one is written from
// right to left.
func attacks() []string {
	all := []string{strings.Repeat("W", 90), "שלום عالم " + strings.Repeat("ארוך", 20)}
	for _, text := range sample.Hostile {
		all = append(all, text)
	}
	slices.Sort(all)
	return all
}

// made are the elements that only data can have made, what leaves its cell, and
// characters that cannot be seen.
const made = `(() => {
	const wrong = [], known = new Set(("html head meta title link script body a header div span bdi form button nav main footer p input h1 h2 section ul ol li b " +
		"svg title rect path polyline details summary datalist table caption thead tbody tr th td label select option textarea fieldset legend small dl dt dd code pre meter").split(" "));
	for (const e of document.querySelectorAll("*")) {
		if (!known.has(e.localName)) wrong.push("an element " + e.outerHTML.slice(0, 100));
		for (const a of e.attributes) {
			if (a.name.startsWith("on") || a.name === "style" || a.name === "srcdoc") wrong.push("an attribute " + a.name);
			if (["href", "src", "action", "formaction"].includes(a.name) && /^\s*(javascript|data):/i.test(a.value) && a.value !== "data:,") wrong.push("a link " + a.value);
		}
	}
	if (document.scripts.length !== 1) wrong.push(document.scripts.length + " scripts");
	for (const text of document.querySelectorAll("td bdi, dd bdi")) {
		const cell = text.closest("td, dd"), t = text.getBoundingClientRect(), c = cell.getBoundingClientRect();
		if (t.left < c.left - 1 || t.right > c.right + 1) wrong.push("a text leaves its cell: " + text.textContent.slice(0, 50));
	}
	if (/[\u202a-\u202e\u2066-\u2069\u200b\ufeff]/.test(document.querySelector("main").innerText)) wrong.push("a character that cannot be seen");
	return wrong.slice(0, 5);
})()`

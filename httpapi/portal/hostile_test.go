package portal_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/conformance"
	"github.com/tributary-go/tributary/httpapi/portal"
	"github.com/tributary-go/tributary/internal/sample"
	"github.com/tributary-go/tributary/memstore"
)

// sampled is a world that [sample.Fill] has filled, seen by one of its affiliates.
func sampled(t testing.TB, text string) (*world, record.Store) {
	t.Helper()
	w := &world{t: t, now: time.Date(2026, 3, 11, 9, 0, 0, 0, time.UTC)}
	store := memstore.New()
	w.Program = must(tributary.New(store, tributary.Config{
		Name: "Beans" + text, Terms: affiliate.Terms{Rate: affiliate.MustPercent("20")}, Destinations: []affiliate.Destination{{URL: "https://beans.example/shop"}},
		Now: func() time.Time { return w.now }, Rand: rand.NewChaCha8([32]byte{1}),
	}))
	w.ada = sample.Fill(t, w.Program, func(d time.Duration) { w.now = w.now.Add(d) }, text).Ada
	w.cfg = portal.Config{Prefix: "/partner/", Key: key, Logger: slog.New(slog.DiscardHandler)}
	if text == "" {
		w.cfg.Texts = map[string]map[string]string{wrapped: wrappedTexts()}
	}
	w.pages = must(portal.New(w.Program, w.cfg))
	return w, store
}

var (
	elements = regexp.MustCompile(`<([a-z0-9]+)((?:\s+[a-zA-Z-]+(?:="[^"]*")?)*)\s*>`)
	anyTag   = regexp.MustCompile(`<[^!/]`)
	quoted   = regexp.MustCompile(`="[^"]*"`)
)

// signatures are the elements of pages with the names of their attributes.
func signatures(t testing.TB, pages map[string]pageAnswer) map[string]string {
	t.Helper()
	all := map[string]string{}
	for at, page := range pages {
		if !strings.HasPrefix(page.head.Get("Content-Type"), "text/html") {
			continue
		}
		found := elements.FindAllStringSubmatch(page.body, -1)
		if len(found) != len(anyTag.FindAllString(page.body, -1)) {
			t.Errorf("%s has an element that cannot be read", at)
		}
		for _, m := range found {
			names := strings.Fields(quoted.ReplaceAllString(m[2], ""))
			slices.Sort(names)
			all[m[1]+" "+strings.Join(names, " ")] = at
		}
	}
	return all
}

// TestHostile (console check 46, of these pages): no element, attribute or
// link is made from data, and what cannot be seen is shown.
func TestHostile(t *testing.T) {
	plain, _ := sampled(t, "")
	known := signatures(t, plain.crawl(plain.pages, plain.enter(plain.ada.ID)))
	if len(known) < 20 {
		t.Fatalf("only %v", known)
	}
	for name, text := range sample.Hostile {
		t.Run(name, func(t *testing.T) {
			w, _ := sampled(t, text)
			cookie := w.enter(w.ada.ID)
			pages := w.crawl(w.pages, cookie)
			for signature, at := range signatures(t, pages) {
				if known[signature] == "" {
					t.Errorf("%s: <%s>", at, signature)
				}
			}
			for at, page := range pages {
				if strings.Contains(page.body, "watch their refunds") {
					t.Errorf("%s shows the note of the program", at)
				}
				if strings.ContainsAny(strings.TrimPrefix(page.body, "\ufeff"), "\u202e\u200b\ufeff") {
					t.Errorf("%s has a character that cannot be seen", at)
				}
				if strings.HasPrefix(page.head.Get("Content-Type"), "text/csv") && regexp.MustCompile(`(?m)(^|,)"?=`).MatchString(page.body) {
					t.Errorf("%s has a formula: %s", at, page.body)
				}
			}
			if shown := w.get(cookie, "").text(); name == "right to left" && !strings.Contains(shown, "XU+202Egnp.exe") || name == "emoji" && !strings.Contains(shown, text) {
				t.Error(shown)
			}
		})
	}
}

// failingStore is a store of which one View fails.
type failingStore struct {
	record.Store
	until int
}

func (f *failingStore) View(ctx context.Context, program uuid.UUID, fn func(*record.Tx) error) error {
	if f.until--; f.until == 0 {
		return errors.New("secret-detail")
	}
	return f.Store.View(ctx, program, fn)
}

// TestStoreFails (console check 51, of these pages): a store that fails is a
// 500 with the id of the request and nothing else, and what is saved is saved
// whole or not at all.
func TestStoreFails(t *testing.T) {
	w, store := sampled(t, "")
	cookie := w.enter(w.ada.ID)
	for at := range w.crawl(w.pages, cookie) {
		if strings.Contains(at, "/assets/") {
			continue
		}
		failed := 0
		for n := 1; ; n++ {
			pages := must(portal.New(w.With(&failingStore{store, n}), w.cfg))
			page := ask(pages, "GET", at, "", "Cookie", cookie)
			if page.status == http.StatusOK {
				break
			}
			failed++
			if id := page.head.Get("X-Request-Id"); page.status != http.StatusInternalServerError || !strings.Contains(page.body, id) || strings.Contains(page.body, "secret-detail") {
				t.Fatalf("%s, call %d: %d %s", at, n, page.status, page.text())
			}
		}
		if failed == 0 {
			t.Errorf("%s asks the store nothing", at)
		}
	}
	for n := 1; ; n++ {
		w.pages = must(portal.New(w.With(conformance.FailAt(store, n)), w.cfg))
		confirm := w.post(cookie, "payout-details", w.get(cookie, "payout-details").form("payoutEmail", "new@pay.example", "paymentMethod", "WISE"))
		saved := w.post(cookie, "payout-details/save", confirm.form())
		if saved.status == http.StatusSeeOther {
			if n < 3 {
				t.Errorf("it is saved with %d calls", n-1)
			}
			break
		}
		if now := must(w.Affiliate(t.Context(), w.ada.ID.String())); saved.status != http.StatusInternalServerError || now.PayoutEmail.Or("") != "ada@pay.example" {
			t.Fatalf("call %d: %d, paid to %v", n, saved.status, now.PayoutEmail)
		}
	}
}

// TestSeeNothing (console check 57): who is not approved, or no longer, sees
// one sentence on every page, and a form does nothing.
func TestSeeNothing(t *testing.T) {
	w := newWorld(t, "")
	ctx := t.Context()
	invited := must(w.InviteAffiliate(ctx, affiliate.AffiliateParams{FirstName: "I", LastName: "I", Email: "i@example.org"}))
	waiting := must(w.CreateAffiliate(ctx, affiliate.AffiliateParams{FirstName: "W", LastName: "W", Email: "w@example.org", AffiliateStatus: "inactive"}))
	declined := must(w.CreateAffiliate(ctx, affiliate.AffiliateParams{FirstName: "D", LastName: "D", Email: "d@example.org", AffiliateStatus: "inactive"}))
	must(w.SetAffiliateStatus(ctx, affiliate.AffiliateDeclined, declined.ID))
	for _, a := range []affiliate.Affiliate{invited, waiting, declined} {
		cookie, told := w.enter(a.ID), "Your pages open when the program has approved you."
		if a.ID == declined.ID {
			told = "The program has declined your application. Ask it if you think that this is a mistake."
		}
		for _, path := range []string{"", "codes", "sales", "customers", "statements", "statements/2026-03", "statements/2026-03/csv", "payout-details"} {
			if page := w.get(cookie, path); page.status != 200 || page.text() != "Your account "+told+" Times are in UTC." {
				t.Errorf("%s, %s: %d %s", a.Email, path, page.status, page.text())
			}
		}
		if page := w.post(cookie, "payout-details", w.get(cookie, "").leaving()); page.status != 403 {
			t.Errorf("%s: POST %d", a.Email, page.status)
		}
	}
	must(w.SetAffiliateStatus(ctx, affiliate.AffiliateDeactivated, w.bob.ID))
	if page := w.get(w.enter(w.bob.ID), ""); page.status != 200 || !strings.Contains(page.text(), "Due now") || strings.Contains(page.body, "payout-details") {
		t.Errorf("deactivated: %d %s", page.status, page.text())
	}
}

// TestCutPaths (console check 32, of these pages): the pages are whole where
// a proxy cuts a path, and twice nested.
func TestCutPaths(t *testing.T) {
	w := newWorld(t, "")
	in := w.cfg
	in.Prefix = ""
	bare := must(portal.New(w.Program, in))
	for name, h := range map[string]http.Handler{
		"stripped": http.StripPrefix("/partner", bare), "stripped with the slash": http.StripPrefix("/partner/", bare),
		"proxied": http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
			cut := httptest.NewRequest(r.Method, "/"+strings.TrimPrefix(r.URL.RequestURI(), "/partner/"), r.Body)
			cut.Header = r.Header
			bare.ServeHTTP(rw, cut)
		}),
	} {
		if pages := w.crawl(h, w.enter(w.ada.ID)); len(pages) < 12 {
			t.Errorf("%s: only %v", name, slices.Sorted(maps.Keys(pages)))
		}
	}
	if page := ask(w.pages, "GET", "/partner?x=1", ""); page.status != http.StatusPermanentRedirect || page.head.Get("Location") != "./partner/?x=1" {
		t.Errorf("without its slash: %d %v", page.status, page.head)
	}
}

// TestSource (console check 46): no page trusts data, and none asks the
// program anything but what it is for a partner; an application reads the terms and writes one affiliate,
// a mailed link accepts an invitation, and two of them change an email.
func TestSource(t *testing.T) {
	looked := 0
	for _, entry := range must(os.ReadDir(".")) {
		if !strings.HasSuffix(entry.Name(), ".go") || strings.HasSuffix(entry.Name(), "_test.go") {
			continue
		}
		looked++
		text := string(must(os.ReadFile(entry.Name())))
		for _, m := range regexp.MustCompile(`template\.(HTML|JS|URL|CSS|Srcset)\w*|affiliate\.Page\{\}|program\.(\w+)`).FindAllStringSubmatch(text, -1) {
			if !slices.Contains([]string{"Config", "Keyed", "Partner"}, m[2]) && (m[2] != "From" || !slices.Contains([]string{"signup.go", "signin.go", "email.go"}, entry.Name())) && (m[2] != "Settings" || entry.Name() != "signup.go") {
				t.Errorf("%s: %s", entry.Name(), fmt.Sprint(m[0]))
			}
		}
	}
	if looked < 5 {
		t.Errorf("only %d files", looked)
	}
}

var isolated = regexp.MustCompile(`(?s)<bdi>.*?</bdi>|<title>.*?</title>|<textarea.*?</textarea>`)

// TestValuesAreIsolated: on every page each text of people stands in an element that
// isolates it.
func TestValuesAreIsolated(t *testing.T) {
	const hebrew = "שלום"
	w := newWorld(t, " "+hebrew)
	shown := 0
	check := func(at, body string) {
		shown += strings.Count(body, hebrew)
		if rest := tags.ReplaceAllString(isolated.ReplaceAllString(body, ""), ""); strings.Contains(rest, hebrew) {
			t.Errorf("%s: %s", at, strings.Join(strings.Fields(rest), " "))
		}
	}
	cookie := w.enter(w.ada.ID)
	for at, page := range w.crawl(w.pages, cookie) {
		check(at, page.body)
	}
	check("choose", ask(w.pages, "GET", "/partner/enter?token="+must(w.pages.Token(w.bob.ID, 0)), "", "Cookie", cookie).body)
	if shown < 10 {
		t.Errorf("only %d texts", shown)
	}
}

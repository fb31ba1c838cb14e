package browser

import (
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/chromedp"
	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/httpapi/console"
	"github.com/tributary-go/tributary/httpapi/portal"
)

// visited is a world whose partner pages are entered by /go, as from the host's own
// site.
func visited(t *testing.T, w *world) *tab {
	t.Helper()
	pages := w.partner(portal.Config{Prefix: "/partner/", Key: []byte(strings.Repeat("k", 32)), Back: "/go"}).(*portal.Portal)
	var referred atomic.Int64
	mux := http.NewServeMux()
	mux.HandleFunc("/go", func(rw http.ResponseWriter, r *http.Request) {
		http.Redirect(rw, r, "/partner/enter?token="+must(pages.Token(w.made.Ada.ID, 0))(t), http.StatusSeeOther)
	})
	mux.HandleFunc("/partner/", func(rw http.ResponseWriter, r *http.Request) {
		if strings.Contains(r.Referer(), "token") {
			referred.Add(1)
		}
		pages.ServeHTTP(rw, r)
	})
	tb := newTab(t, originOf(t, mux))
	t.Cleanup(func() {
		if referred.Load() > 0 {
			t.Error("a page was told where the token was")
		}
	})
	return tb
}

// TestPartnerVisit (checks 53, 55 and 57): a token opens the pages and leaves the
// address bar and the history. How they are paid changes on the second page. Who leaves
// sees nothing by the back button, and a visit ends by the clock.
func TestPartnerVisit(t *testing.T) {
	t.Parallel()
	for name, prepare := range scripts {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t).fill()
			tb := visited(t, w)
			prepare(tb)
			tb.openAs(403, "/partner/")
			tb.says("Open these pages again")
			look(tb, 1)
			tb.press("Back")
			if tb.path() != "/partner/" {
				t.Errorf("the address is %s", tb.path())
			}
			for _, entry := range must(chromedp.Run(tb.ctx, chromedp.NavigationEntries()))(t).Entries {
				if strings.Contains(entry.URL, "token") {
					t.Errorf("the history has %s", entry.URL)
				}
			}
			tb.says("Hello Ada X")
			tb.press("Payout details")
			tb.fill("Email to which you are paid", "new@pay.example")
			tb.choose("How", "Wise")
			tb.press("Go on")
			tb.says("Is this right?")
			tb.lacks("ada@pay.example")
			look(tb, 1)
			tb.press("Save")
			if got := must(w.Affiliate(t.Context(), "ada@example.org"))(t).PayoutEmail.Or(""); got != "new@pay.example" {
				t.Errorf("payouts go to %q", got)
			}
			tb.fill("Email to which you are paid", "nobody")
			eval[bool](tb, `document.querySelector("main form").noValidate = true`) // past the browser's own check
			tb.press("Go on")
			tb.pressAs(400, "Save")
			tb.refusalLeads()
			look(tb, 1)
			tb.openAs(200, "/partner/sales")
			tb.press("Leave")
			tb.load(403, func() { _ = chromedp.Do(tb.ctx, chromedp.NavigateBack()) })
			tb.lacks("Ada X")
			tb.press("Back")
			w.clock.pass(time.Hour + time.Second)
			tb.openAs(403, "/partner/sales")
		})
	}
}

// copies clicks on the first button that copies, waits until it says so, and returns what is copied.
func (tb *tab) copies(button, done string) string {
	tb.Helper()
	must(chromedp.CallBrowser(tb.ctx, browser.SetPermission, browser.SetPermissionParams{
		Permission: &browser.PermissionDescriptor{Name: "clipboard-read"}, Setting: browser.PermissionSettingGranted,
		Origin: tb.origin, BrowserContextID: chromedp.FromContext(tb.ctx).BrowserContextID,
	}))(tb)
	tb.click(button, named(button))
	return eval[string](tb, `(async () => {
	for (let i = 0; i < 100 && !document.querySelector("[data-copy]").textContent.includes("`+done+`"); i++) await new Promise((done) => setTimeout(done, 20));
	return navigator.clipboard.readText();
})()`)
}

// TestMorning: an affiliate in the morning copies a link, and finds the newest sale and why
// it earned what it did, what is due when, and the last payout, on a telephone.
func TestMorning(t *testing.T) {
	t.Parallel()
	w := newYear(t)
	w.made.Ada = must(w.Affiliate(t.Context(), "mara@roastnotes.example"))(t)
	tb := newTab(t, originOf(t, sets["partner"](w)))
	tb.window(phone)
	mine := w.Partner(w.made.Ada.ID)
	sale, due := must(mine.Sales(t.Context(), affiliate.Page{Limit: 1}))(t).Items[0], must(mine.Due(t.Context()))(t)
	last := must(mine.Payouts(t.Context(), affiliate.Page{Limit: 1}))(t).Items[0]
	tb.job(func() {
		if copied := tb.copies("Copy", "Copied"); !strings.HasPrefix(copied, "https://northwind.example/shop?") {
			t.Errorf("copied is %q", copied)
		}
		tb.says("Due now " + due.Balance.Payable.String())
		tb.press("Sales")
		tb.press(fmt.Sprint(int64(sale.ID)))
		tb.says("Why " + sale.CommissionEarned.String())
		tb.press("Payouts")
		if !eval[bool](tb, `(() => { const r = document.querySelector("nav.main [aria-current]").getBoundingClientRect(); return r.left >= 0 && r.right <= innerWidth; })()`) {
			t.Error("the navigation does not show where one is")
		}
		tb.says("What is due when Now " + due.Balance.Payable.String())
		tb.press(last.CreatedAt.Time().Format("2 Jan 2006, 15:04"))
		tb.says("It was sent to you.")
	})
}

// applying is a sign-up with questions.
var applying = &portal.SignUp{
	Questions: []portal.Question{
		{ID: uuid.New(), Label: "Where do you write?", Kind: portal.AskURL, Required: true}, {ID: uuid.New(), Label: "For whom?", Kind: portal.AskLong},
		{ID: uuid.New(), Label: "How many readers?", Kind: portal.AskChoice, Choices: []string{"few", "many"}, Required: true},
	},
}

// TestApply: an applicant is told at the field what is missing, and is thanked.
func TestApply(t *testing.T) {
	t.Parallel()
	for name, prepare := range scripts {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			tb := newTab(t, originOf(t, sets["partner"](w)))
			prepare(tb)
			tb.open("/apply")
			look(tb, 1)
			eval[bool](tb, `document.querySelector("main form").noValidate = true`)
			tb.pressAs(400, "Send")
			tb.refusalLeads()
			look(tb, 1)
			for label, value := range map[string]string{"First name": "Cleo", "Last name": "Cane", "Email": "cleo@blog.example", "Where": "https://blog.example/", "For whom?": "all"} {
				tb.fill(label, value)
			}
			tb.choose("How many", "many")
			tb.tick("I accept")
			tb.press("Send")
			tb.says("Thank you The program has what you have written.")
			look(tb, 1)
			if got := must(w.Affiliate(t.Context(), "cleo@blog.example"))(t); got.Status != affiliate.AffiliateInactive {
				t.Errorf("the applicant is %s", got.Status)
			}
		})
	}
}

// TestOwnLink: an affiliate makes a link and renames it, and is told at the field what is
// wrong with a name.
func TestOwnLink(t *testing.T) {
	t.Parallel()
	for name, prepare := range scripts {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t).fill()
			tb := newTab(t, originOf(t, sets["partner"](w)))
			prepare(tb)
			tb.job(func() {
				tb.press("Links")
				tb.fill("Name of the link", "idle")
				tb.pressAs(400, "Make the link")
				tb.refusalLeads()
				tb.fill("Name of the link", "ada-blog")
				tb.press("Make the link")
				tb.says("Your new link is there. Links")
				tb.press("Rename")
			})
			tb.fill("New name", "ada-video")
			tb.press("Rename the link")
			tb.says("The link has its new name. Link ada-video")
			look(tb, 1)
		})
	}
}

// TestCopy (check 58): the button copies exactly the URL of the link. Without scripts
// there is no button, and the field can be selected.
func TestCopy(t *testing.T) {
	t.Parallel()
	w := newWorld(t).fill()
	origin := originOf(t, sets["partner"](w))
	tb := newTab(t, origin)
	tb.open("/")
	url := eval[string](tb, `document.querySelector("input.secret").value`)
	if copied := tb.copies("Copy", "Copied"); copied != url || !strings.HasPrefix(url, "https://beans.example/shop?") {
		t.Errorf("copied is %q, not %q", copied, url)
	}
	off := newTab(t, origin)
	off.withoutScripts()
	off.open("/")
	if n := eval[int](off, `[...document.querySelectorAll("[data-copy]")].filter((b) => b.checkVisibility()).length`); n > 0 {
		t.Errorf("without scripts there are %d buttons", n)
	}
	at := off.pointOf("field", `document.querySelector("input.secret")`)
	off.do(chromedp.MouseClickXY(at.X, at.Y, chromedp.ClickCount(3)))
	if got := eval[string](off, `(() => { const f = document.querySelector("input.secret"); return f.value.slice(f.selectionStart, f.selectionEnd); })()`); got != url {
		t.Errorf("selected is %q, not %q", got, url)
	}
}

// TestGerman: the pages of an affiliate who reads German fit a telephone and a desk, anybody can read
// them, and what the script says is German too.
func TestGerman(t *testing.T) {
	t.Parallel()
	w := newWorld(t).fill()
	must(w.UpdateAffiliate(t.Context(), affiliate.AffiliateRef{ID: w.made.Ada.ID}, affiliate.AffiliateUpdate{Language: affiliate.Set("de")}))(t)
	tb := newTab(t, originOf(t, sets["partner"](w)))
	pages := crawl(tb, "/", 1, func(tb *tab, nth int) {
		if lang := eval[string](tb, `document.documentElement.lang`); lang != "de" && tb.path() != "/apply" {
			t.Errorf("%s is in %q", tb.path(), lang)
		}
		look(tb, nth)
	})
	if len(pages) < 8 {
		t.Errorf("only %q", pages)
	}
	tb.open("/")
	tb.says("Guten Tag, Ada X")
	if copied := tb.copies("Kopieren", "Kopiert"); !strings.HasPrefix(copied, "https://beans.example/shop?") {
		t.Errorf("copied is %q", copied)
	}
	if said := eval[string](tb, `document.querySelector("[data-copy]").textContent`); said != "Kopiert" {
		t.Errorf("the button says %q", said)
	}
}

// TestSeenPages: who runs the program looks at the pages of an affiliate from the console,
// can read that they are somebody else's, and is back with a click.
func TestSeenPages(t *testing.T) {
	t.Parallel()
	w := newWorld(t).fill()
	pages := w.partner(portal.Config{MaxLinks: 5}).(*portal.Portal)
	tb := newTab(t, originOf(t, w.console(console.Config{PartnerPages: pages.As})))
	page := "/affiliates/" + w.made.Ada.ID.String()
	tb.open(page)
	tb.press("Their pages")
	look(tb, 1)
	tb.press("Links")
	if tb.count("header .notice a") != 1 {
		t.Error("the page does not say whose it is")
	}
	look(tb, 2)
	tb.press("Back to the console")
	if tb.path() != page {
		t.Errorf("the address is %s", tb.path())
	}
}

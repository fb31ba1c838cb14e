package portal_test

import (
	"bytes"
	"fmt"
	"html"
	"io"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/httpapi/portal"
	"github.com/tributary-go/tributary/internal/atlength"
	"github.com/tributary-go/tributary/memstore"
)

var key = bytes.Repeat([]byte("k"), 32)

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// A world is a program with its partner pages.
type world struct {
	*tributary.Program
	t     testing.TB
	now   time.Time
	cfg   portal.Config
	pages *portal.Portal
	log   bytes.Buffer

	ada, bob affiliate.Affiliate
}

// newWorld has two affiliates with something of everything; name is put into every
// text that people give.
func newWorld(t testing.TB, name string, change ...func(*portal.Config)) *world {
	t.Helper()
	w := &world{t: t, now: time.Date(2026, 3, 11, 9, 0, 0, 0, time.UTC)}
	w.Program = must(tributary.New(memstore.New(), tributary.Config{
		Name: "Northwind Beans", Terms: affiliate.Terms{Rate: affiliate.MustPercent("20")}, Destinations: []affiliate.Destination{{URL: "https://beans.example/shop"}},
		Now: func() time.Time { return w.now }, Rand: rand.NewChaCha8([32]byte{1}), StoredSettings: true,
	}))
	ctx := t.Context()
	if name != "" {
		rule := affiliate.Rule{Name: "R" + name, When: affiliate.RuleWhen{Products: []string{"P" + name}, NotCategories: []string{"C" + name}}, Pay: affiliate.RulePay{Type: affiliate.RuleNone}}
		must(w.SetTerms(ctx, affiliate.TermsUpdate{Rules: affiliate.Set([]affiliate.Rule{rule})}))
	}
	coupon := must(w.CreateCoupon(ctx, affiliate.CouponParams{Name: "Ten" + name, PercentOff: affiliate.Set(affiliate.MustPercent("10"))}))
	for _, who := range []string{"ada", "bob"} {
		a := must(w.CreateAffiliate(ctx, affiliate.AffiliateParams{FirstName: strings.ToUpper(who) + name, LastName: "L", Email: who + "@example.org", AffiliateLink: who}))
		must(w.SetPayoutDetails(ctx, a.ID, affiliate.PayoutDetails{Email: who + "@pay.example", Method: "PAYPAL"}))
		must(w.CreateCode(ctx, affiliate.CodeParams{CouponID: coupon.ID, Code: strings.ToUpper(who) + "10", AffiliateID: a.ID, MaxRedemptions: affiliate.Set[int64](9)}))
		must(w.CreateReferral(ctx, affiliate.ReferralParams{AffiliateID: who, Email: "kim-" + who + "@buyer.example", Name: "Kim" + name, ReferredUserExternalID: who + name, Plan: "p"}))
		for i := range 60 {
			must(w.RecordSale(ctx, affiliate.SaleParams{PromoCode: map[bool]string{true: strings.ToUpper(who) + "10"}[i == 0], ReferralID: who, Email: fmt.Sprintf("buyer%d-%s@buyer.example", i, who), Name: "B" + name, TotalEarned: affiliate.MustAmount("50"), ExternalID: fmt.Sprint(who, i, name)}))
		}
		must(w.CreatePayout(ctx, affiliate.PayoutParams{AffiliateID: a.ID, ManuallyPaid: true}))
		must(w.RecordSale(ctx, affiliate.SaleParams{ReferralID: who, Email: "late-" + who + "@buyer.example", Name: "B", TotalEarned: affiliate.MustAmount("30")}))
		asked := must(w.OpenCase(ctx, affiliate.CaseParams{AffiliateID: a.ID, Kind: affiliate.SaleClaim, ExternalID: who + "-lost" + name, Text: "T" + name}))
		must(w.AnswerCase(ctx, asked.ID, affiliate.CaseAnswer{Answer: "A" + name}))
		if who == "ada" {
			w.ada = a
		} else {
			w.bob = a
		}
		w.now = w.now.Add(time.Hour)
	}
	w.cfg = portal.Config{Prefix: "/partner/", Key: key, Cases: true, Logger: slog.New(slog.NewTextHandler(&w.log, nil)), Back: "https://shop.example/account"}
	if name == "" {
		w.cfg.Texts = map[string]map[string]string{wrapped: wrappedTexts()}
	}
	for _, c := range change {
		c(&w.cfg)
	}
	if w.cfg.SignUp != nil {
		w.asksToAccept("Be honest.", "2026-01")
	}
	w.pages = must(portal.New(w.Program, w.cfg))
	return w
}

// asksToAccept gives the program terms for applicants.
func (w *world) asksToAccept(text, version string) {
	w.t.Helper()
	must(w.UpdateSettings(w.t.Context(), affiliate.SettingsUpdate{TermsText: affiliate.Set(text), TermsVersion: affiliate.Set(version)}))
}

// A pageAnswer is an answer.
type pageAnswer struct {
	at     string // what was asked for
	status int
	head   http.Header
	body   string
}

// ask sends a request with headers: name, value … The answer is checked by [unwrap].
func ask(h http.Handler, method, target, body string, head ...string) pageAnswer {
	r := httptest.NewRequest(method, target, strings.NewReader(body))
	if method == "POST" {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	r.Header.Set("Accept-Language", wrapped)
	for i := 0; i+1 < len(head); i += 2 {
		r.Header.Set(head[i], head[i+1])
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return pageAnswer{target, w.Code, w.Result().Header, unwrap(target, w.Body.String())}
}

func readAll(r io.Reader) (string, error) {
	raw, err := io.ReadAll(r)
	return string(raw), err
}

// action is where the form of a page is sent, as a browser finds it: the attribute of the
// page, resolved against where the page is.
func (g pageAnswer) action() string {
	if m := actions.FindStringSubmatch(formTag.FindString(g.body)); m != nil {
		return must(must(url.Parse(g.at)).Parse(html.UnescapeString(m[1]))).String()
	}
	return g.at
}

// submit sends the form of a page, with what is typed into it: name, value …
func (g pageAnswer) submit(h http.Handler, cookie string, typed ...string) pageAnswer {
	return ask(h, "POST", g.action(), g.form(typed...).Encode(), "Cookie", cookie)
}

// enter begins a visit by a token, and returns its cookie.
func (w *world) enter(of uuid.UUID) string {
	w.t.Helper()
	answer := ask(w.pages, "GET", "/partner/enter?token="+must(w.pages.Token(of, 0)), "")
	cookie := (&http.Response{Header: answer.head}).Cookies()
	if answer.status != 303 || len(cookie) != 1 {
		w.t.Fatalf("%d %v %s", answer.status, answer.head, answer.body)
	}
	return cookie[0].Name + "=" + cookie[0].Value
}

func (w *world) get(cookie, path string) pageAnswer {
	return ask(w.pages, "GET", "/partner/"+path, "", "Cookie", cookie)
}

var (
	hidden  = regexp.MustCompile(`<input type="hidden" name="([^"]*)" value="([^"]*)">`)
	actions = regexp.MustCompile(`<form method="post" action="([^"]*)"`)
	formTag = regexp.MustCompile(`(?s)<main.*`)
	tags    = regexp.MustCompile(`<[^>]*>`)
	hrefs   = regexp.MustCompile(`(?:href|src)="([^"]*)"`)
)

// leaving is the form with which a visit is left, with more fields: name, value …
func (g pageAnswer) leaving(more ...string) url.Values {
	values := url.Values{}
	for _, m := range hidden.FindAllStringSubmatch(formTag.ReplaceAllString(g.body, ""), -1) {
		values.Set(m[1], html.UnescapeString(m[2]))
	}
	for i := 0; i+1 < len(more); i += 2 {
		values.Set(more[i], more[i+1])
	}
	return values
}

// form is the form of a page, with what is typed into it: name, value …
func (g pageAnswer) form(typed ...string) url.Values {
	values := url.Values{}
	for _, m := range hidden.FindAllStringSubmatch(formTag.FindString(g.body), -1) {
		values.Set(m[1], html.UnescapeString(m[2]))
	}
	for i := 0; i+1 < len(typed); i += 2 {
		values.Set(typed[i], typed[i+1])
	}
	return values
}

// text is what a page says.
func (g pageAnswer) text() string {
	return strings.Join(strings.Fields(html.UnescapeString(tags.ReplaceAllString(formTag.FindString(g.body), " "))), " ")
}

var (
	sections = regexp.MustCompile(`(?s)<section.*?</section>`)
	headings = regexp.MustCompile(`(?s)<h2[^>]*>(.*?)</h2>`)
	entries  = regexp.MustCompile(`(?s)<li>.*?</li>|<tr><td.*?</tr>`)
)

// parts are the sections of a page by their headings: the items of lists, and the rows of tables
// with their cells.
func (g pageAnswer) parts() map[string][]string {
	plain := func(s string) string {
		return strings.Join(strings.Fields(html.UnescapeString(tags.ReplaceAllString(s, ""))), " ")
	}
	all := map[string][]string{}
	for _, section := range sections.FindAllString(g.body, -1) {
		heading := plain(headings.FindString(section))
		for _, entry := range entries.FindAllString(section, -1) {
			cells := strings.ReplaceAll(strings.ReplaceAll(entry, "</td><td", "</td> | <td"), "</div><div>", "; ")
			all[heading] = append(all[heading], plain(cells))
		}
	}
	return all
}

func (w *world) post(cookie, path string, form url.Values, head ...string) pageAnswer {
	return ask(w.pages, "POST", "/partner/"+path, form.Encode(), append([]string{"Cookie", cookie}, head...)...)
}

// crawl follows every link from the overview.
func (w *world) crawl(h http.Handler, cookie string) map[string]pageAnswer {
	w.t.Helper()
	pages, todo := map[string]pageAnswer{}, []string{"/partner/"}
	for len(todo) > 0 {
		here := must(url.Parse(todo[0]))
		todo = todo[1:]
		if _, known := pages[here.String()]; known {
			continue
		}
		page := ask(h, "GET", here.String(), "", "Cookie", cookie)
		pages[here.String()] = page
		if page.status != 200 {
			w.t.Errorf("%s: %d %s", here, page.status, page.text())
		}
		if len(page.body) > 102_400 {
			w.t.Errorf("%s has %d bytes", here, len(page.body))
		}
		for _, m := range hrefs.FindAllStringSubmatch(page.body, -1) {
			link := html.UnescapeString(m[1])
			if strings.HasPrefix(link, "#") || strings.HasPrefix(link, "data:") {
				continue
			}
			to := must(here.Parse(link))
			to.Fragment = ""
			if strings.HasPrefix(link, "/") || to.Host != "" || !strings.HasPrefix(to.Path, "/partner/") {
				w.t.Errorf("%s: %q leads outside", here, link)
				continue
			}
			todo = append(todo, to.String())
		}
	}
	return pages
}

func TestMain(m *testing.M) { atlength.Main(m) }

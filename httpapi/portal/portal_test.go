package portal_test

import (
	"encoding/base64"
	"encoding/csv"
	"fmt"
	"html"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/httpapi/portal"
	"github.com/tributary-go/tributary/memstore"
)

// TestNew: what New refuses.
func TestNew(t *testing.T) {
	w := newWorld(t, "", func(c *portal.Config) { c.Cases = false })
	for name, change := range map[string]func(*portal.Config){
		"nobody gets in": func(c *portal.Config) { c.Key = nil }, "no log": func(c *portal.Config) { c.Logger = nil }, "short key": func(c *portal.Config) { c.Key = key[:31] },
		"prefix": func(c *portal.Config) { c.Prefix = "/partner" }, "session": func(c *portal.Config) { c.Session = 25 * time.Hour }, "negative": func(c *portal.Config) { c.Session = -1 },
		"no log of applications": func(c *portal.Config) { c.Logger, c.NoPayoutForm, c.SignUp = nil, true, &portal.SignUp{} },
		"negative links":         func(c *portal.Config) { c.MaxLinks = -1 }, "no log of links": func(c *portal.Config) { c.Logger, c.NoPayoutForm, c.MaxLinks = nil, true, 1 },
		"no log of cases": func(c *portal.Config) { c.Logger, c.NoPayoutForm, c.Cases = nil, true, true },
		"back":            func(c *portal.Config) { c.Back = "javascript:alert(1)" }, "back to a host": func(c *portal.Config) { c.Back = "//evil.example" }, "back with a user": func(c *portal.Config) { c.Back = "https://u@x.example" },
		"frame with path": func(c *portal.Config) { c.Frames = []string{"https://a.example/"} }, "frame of all": func(c *portal.Config) { c.Frames = []string{"https://*.example"} }, "frame of none": func(c *portal.Config) { c.Frames = []string{"'none'"} },
	} {
		cfg := w.cfg
		change(&cfg)
		if _, err := portal.New(w.Program, cfg); err == nil || !strings.HasPrefix(err.Error(), "portal: ") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := portal.New(nil, w.cfg); err == nil {
		t.Error("a nil program is taken")
	}
	if _, err := portal.New(w.Program, portal.Config{Key: key, NoPayoutForm: true}); err != nil {
		t.Error(err)
	}
}

// anothers finds Bob, and not a sealed token that happens to have these letters.
var anothers = regexp.MustCompile(`(?:^|[^\w-])(?:bob|BOB)`)

// TestVisit (check 53): a token leads to the overview and leaves the address, Enter
// has none; every page is one of the affiliate's own.
func TestVisit(t *testing.T) {
	w := newWorld(t, "")
	answer := ask(w.pages, "GET", "/partner/enter?token="+must(w.pages.Token(w.ada.ID, 0)), "", "Host", "shop.example")
	cookies := (&http.Response{Header: answer.head}).Cookies()
	if answer.status != 303 || answer.head.Get("Location") != "./" || answer.head.Get("Referrer-Policy") != "no-referrer" || len(cookies) != 1 {
		t.Fatalf("%d %v", answer.status, answer.head)
	}
	c := cookies[0]
	if c.Name != "tributary_portal" || c.Path != "" || !c.HttpOnly || !c.Secure || c.SameSite != http.SameSiteLaxMode || c.MaxAge != 3600 {
		t.Errorf("the cookie is %v", c)
	}
	cookie := c.Name + "=" + c.Value
	pages := w.crawl(w.pages, cookie)
	if len(pages) < 12 {
		t.Errorf("only %v", slices.Sorted(maps.Keys(pages)))
	}
	for at, page := range pages {
		if other := anothers.FindString(page.body); other != "" || strings.Contains(page.body, w.bob.ID.String()) {
			t.Errorf("%s shows %s", at, other)
		}
		for _, hidden := range []string{"tp1.", "ts1.", "kim-ada", "buyer0", "@buyer.example", "Kim"} {
			if strings.Contains(page.body, hidden) {
				t.Errorf("%s shows the customer %s", at, hidden)
			}
		}
		if !strings.Contains(at, "/assets/") && page.head.Get("Cache-Control") != "private, no-store" || page.head.Get("X-Frame-Options") != "DENY" || !strings.Contains(page.head.Get("Content-Security-Policy"), "frame-ancestors 'none'") {
			t.Errorf("%s: %v", at, page.head)
		}
	}
	if text := w.get(cookie, "").text(); !strings.Contains(text, "Hello ADA L") || !strings.Contains(text, "Due now 6.00 USD") || !strings.Contains(w.get(cookie, "").body, `value="https://beans.example/shop?ref=ada" readonly`) || !strings.Contains(w.get(cookie, "").body, `data-copy="https://beans.example/shop?ref=ada"`) {
		t.Errorf("the overview: %s", w.get(cookie, "").body)
	}
	if text := w.get(cookie, "sales").text(); !strings.Contains(text, "l***@b***.example") {
		t.Errorf("the sales: %s", text)
	}
	entered := httptest.NewRecorder()
	must(0, w.pages.Enter(entered, httptest.NewRequest("GET", "/account/partner", nil), w.ada.ID))
	if entered.Code != 303 || entered.Header().Get("Location") != "/partner/" || strings.Contains(entered.Header().Get("Location"), "token") || !strings.Contains(entered.Header().Get("Set-Cookie"), "Path=/partner/;") {
		t.Errorf("%d %v", entered.Code, entered.Header())
	}
}

// TestForgedTokens (check 54): whatever is no token gets one page, byte for byte, and
// no cookie.
func TestForgedTokens(t *testing.T) {
	w := newWorld(t, "")
	token := must(w.pages.Token(w.ada.ID, 0))
	forged := []string{"", "x", token + "A", token[1:], strings.ToUpper(token), url.QueryEscape(token + "\n"), base64.StdEncoding.EncodeToString([]byte(token))}
	for i := range 1000 {
		at := i % len(token)
		b := "A"
		if token[at] == 'A' {
			b = "B"
		}
		forged = append(forged, token[:at]+b+token[at+1:], token[:at])
	}
	other := must(tributary.New(memstore.New(), tributary.Config{ID: uuid.Max, Now: func() time.Time { return w.now }}))
	foreign := must(portal.New(other, w.cfg))
	rotated := w.cfg
	rotated.Key = []byte(strings.Repeat("n", 32))
	raised := must(portal.Token(key, w.Config().ID, w.ada.ID, w.now.Add(time.Hour)))
	forged = append(forged, must(foreign.Token(w.ada.ID, 0)), must(must(portal.New(w.Program, rotated)).Token(w.ada.ID, 0)), must(portal.Token(key, w.Config().ID, w.ada.ID, w.now)),
		raised[:60]+token[60:], strings.TrimPrefix(strings.Split(w.enter(w.ada.ID), "=")[1], ""))
	want := ask(w.pages, "GET", "/partner/enter", "")
	if want.status != 403 || !strings.Contains(want.body, `href="https://shop.example/account"`) {
		t.Fatalf("%d %s", want.status, want.body)
	}
	for _, f := range forged {
		answer := ask(w.pages, "GET", "/partner/enter?token="+f, "")
		if answer.status != 403 || answer.body != want.body || answer.head.Get("Set-Cookie") != "" {
			t.Fatalf("%q: %d %v", f, answer.status, answer.head)
		}
	}
	for _, cookie := range []string{"", "tributary_portal=" + token, "tributary_portal=x"} {
		if answer := w.get(cookie, ""); answer.status != 403 || answer.head.Get("Set-Cookie") != "" || strings.Contains(answer.body, "ADA") {
			t.Errorf("%q: %d", cookie, answer.status)
		}
	}
}

// TestTimes (check 55): a token and a visit end at their second, and by leaving.
func TestTimes(t *testing.T) {
	w := newWorld(t, "", func(c *portal.Config) { c.Session = 10 * time.Minute })
	for ttl, ok := range map[time.Duration]bool{29 * time.Second: false, 30 * time.Second: true, time.Hour: true, time.Hour + 1: false, -1: false} {
		if _, err := w.pages.Token(w.ada.ID, ttl); (err == nil) != ok {
			t.Errorf("%s: %v", ttl, err)
		}
	}
	start := w.now
	for after, status := range map[time.Duration]int{0: 303, 30*time.Second - 1: 303, 30 * time.Second: 403} {
		w.now = start.Add(time.Duration(status) * time.Hour) // a token of its own
		token := must(w.pages.Token(w.ada.ID, 30*time.Second))
		w.now = w.now.Add(after)
		if answer := ask(w.pages, "GET", "/partner/enter?token="+token, ""); answer.status != status {
			t.Errorf("after %s: %d", after, answer.status)
		}
	}
	w.now = start
	cookie := w.enter(w.ada.ID)
	for after, status := range map[time.Duration]int{10*time.Minute - 1: 200, 10 * time.Minute: 403} {
		w.now = start.Add(after)
		if answer := w.get(cookie, "sales"); answer.status != status {
			t.Errorf("after %s: %d", after, answer.status)
		}
	}
	w.now = start
	answer := w.post(cookie, "leave", w.get(cookie, "").leaving())
	if answer.status != 200 || !strings.Contains(answer.head.Get("Set-Cookie"), "tributary_portal=; Path=/partner/; Max-Age=0") || strings.Contains(answer.body, "ADA") {
		t.Errorf("%d %v", answer.status, answer.head)
	}
	if again := w.get("", ""); again.status != 403 {
		t.Errorf("after leaving: %d", again.status)
	}
	if forged := w.post(cookie, "leave", url.Values{}); forged.status != 403 || forged.head.Get("Set-Cookie") != "" {
		t.Errorf("leaving by another site's form: %d", forged.status)
	}
}

// TestForeignIDs (check 56): another affiliate's ids in paths, queries and forms show
// and change nothing.
func TestForeignIDs(t *testing.T) {
	w := newWorld(t, "", func(c *portal.Config) { c.HideCustomers = true })
	cookie := w.enter(w.ada.ID)
	bob := w.bob.ID.String()
	for path, status := range map[string]int{bob: 404, "statements/" + bob: 404, "statements/2026-03/" + bob: 404, "codes/" + bob: 404, "sales?affiliate=" + bob: 404, "?affiliateId=" + bob: 404, "sales?cursor=x&affiliateId=" + bob: 404, "customers": 404, "sales?cursor=x": 400, "statements/2026-13": 404, "statements/2026-03/csv": 200} {
		if page := w.get(cookie, path); page.status != status || strings.Contains(page.body, "BOB") {
			t.Errorf("%s: %d %s", path, page.status, page.text())
		}
	}
	if text := w.get(cookie, "sales").body; strings.Contains(text, "***") || strings.Contains(text, "Customer") {
		t.Error("customers are shown")
	}
	before := must(w.Affiliate(t.Context(), bob))
	if page := w.get(cookie, "sales?cursor=x"); !strings.Contains(page.body, `href="./sales">To the first page`) {
		t.Error(page.body)
	}
	typed := []string{"payoutEmail", "evil@x.example", "paymentMethod", "PAYPAL"}
	confirm := w.post(cookie, "payout-details", w.get(cookie, "payout-details").form(typed...))
	for path, form := range map[string]url.Values{
		"payout-details":      w.get(cookie, "payout-details").form(append(typed, "affiliateId", bob)...),
		"payout-details/save": confirm.form("id", bob), "leave": w.get(cookie, "codes").leaving("affiliateId", bob),
	} {
		if page := w.post(cookie, path, form); page.status != 404 || page.head.Get("Set-Cookie") != "" {
			t.Errorf("%s: %d %s", path, page.status, page.text())
		}
	}
	if mine := must(w.Affiliate(t.Context(), w.ada.ID.String())); mine.PayoutEmail.Or("") != "ada@pay.example" {
		t.Errorf("a form with an id of somebody else has saved %v", mine.PayoutEmail)
	}
	if saved := w.post(cookie, "payout-details/save", confirm.form()); saved.status != 303 {
		t.Errorf("%d %s", saved.status, saved.text())
	}
	if after := must(w.Affiliate(t.Context(), bob)); after.PayoutEmail != before.PayoutEmail {
		t.Error("another affiliate's details have changed")
	}
	stranger := w.enter(w.bob.ID)
	if answer := w.post(stranger, "payout-details/save", confirm.form()); answer.status != 403 {
		t.Errorf("the form of another affiliate: %d", answer.status)
	}
	theirs := w.post(stranger, "payout-details", w.get(stranger, "payout-details").form("payoutEmail", "bob2@pay.example", "paymentMethod", "WISE"))
	if saved := w.post(stranger, "payout-details/save", theirs.form("nonce", confirm.form().Get("nonce"))); saved.status != 303 {
		t.Errorf("the nonce of somebody else: %d %s", saved.status, saved.text())
	}
	for name, nonce := range map[string]string{"none": "", "long": strings.Repeat("n", 65), "a break": "a\nb"} {
		if saved := w.post(stranger, "payout-details/save", theirs.form("nonce", nonce)); saved.status != 403 {
			t.Errorf("the nonce %s: %d", name, saved.status)
		}
	}
}

// TestPayoutForm (check 57): a second page shows the old and the new, then they are
// saved once, with their line; who is not active has no form.
func TestPayoutForm(t *testing.T) {
	w := newWorld(t, "")
	cookie := w.enter(w.ada.ID)
	events := func() int { return len(must(w.Events(t.Context(), affiliate.EventQuery{}, affiliate.Page{})).Items) }
	before := events()
	confirm := w.post(cookie, "payout-details", w.get(cookie, "payout-details").form("payoutEmail", "new@pay.example", "paymentMethod", "WISE"))
	if confirm.status != 200 || events() != before || !strings.Contains(confirm.text(), "Until now a***@p***.example , PayPal From now on new@pay.example , Wise") {
		t.Errorf("%d %s", confirm.status, confirm.text())
	}
	done := ""
	for range 2 {
		saved := w.post(cookie, "payout-details/save", confirm.form())
		if saved.status != 303 || !strings.HasPrefix(saved.head.Get("Location"), "./../payout-details?done=") || events() != before+1 {
			t.Errorf("%d %v, %d events", saved.status, saved.head, events()-before)
		}
		done = strings.TrimPrefix(saved.head.Get("Location"), "./../")
	}
	for _, made := range []string{"payout-details?done=payout-details", "payout-details?done=", done + "x"} {
		if page := w.get(cookie, made); strings.Contains(page.body, `class="notice"`) {
			t.Errorf("%s: %s", made, page.text())
		}
	}
	if page := w.get(cookie, done); !strings.Contains(page.body, `class="notice"`) || !strings.Contains(page.body, `value="new@pay.example"`) {
		t.Error(page.text())
	}
	who := "affiliate:" + w.ada.ID.String()
	if log := w.log.String(); strings.Count(log, "portal action") != 2 || !strings.Contains(log, "actor="+who+" action=payout-details object="+who) || strings.Contains(log, "pay.example") || !strings.Contains(log, "outcome=ok") {
		t.Error(log)
	}
	bad := w.post(cookie, "payout-details", w.get(cookie, "payout-details").form("payoutEmail", "no mail", "paymentMethod", "WISE"))
	if refused := w.post(cookie, "payout-details/save", bad.form()); refused.status != 400 || !strings.Contains(refused.body, `aria-invalid="true"`) || !strings.Contains(refused.body, `value="no mail"`) {
		t.Errorf("%d %s", refused.status, refused.body)
	}
	form := w.get(cookie, "payout-details").form("payoutEmail", "x@pay.example")
	for name, head := range map[string][]string{"cross-site": {"Sec-Fetch-Site", "cross-site"}, "foreign": {"Origin", "https://evil.example"}} {
		if answer := w.post(cookie, "payout-details", form, head...); answer.status != 403 {
			t.Errorf("%s: %d", name, answer.status)
		}
	}
	w.now = w.now.Add(30 * time.Minute)
	form.Set("token", "x")
	if answer := w.post(cookie, "payout-details", form); answer.status != 403 {
		t.Errorf("a forged token: %d", answer.status)
	}
	must(w.SetAffiliateStatus(t.Context(), affiliate.AffiliateBanned, w.ada.ID))
	if page := w.get(cookie, "payout-details"); page.status != 404 || strings.Contains(w.get(cookie, "").body, "Payout details") {
		t.Errorf("banned: %d", page.status)
	}
	if answer := w.post(cookie, "payout-details/save", confirm.form()); answer.status != 403 {
		t.Errorf("banned: POST %d", answer.status)
	}
	if page := w.get(cookie, ""); page.status != 200 || !strings.Contains(page.text(), "Due now") {
		t.Errorf("banned: %d %s", page.status, page.text())
	}
	none := newWorld(t, "", func(c *portal.Config) { c.NoPayoutForm, c.Cases, c.Logger = true, false, nil })
	if page := none.get(none.enter(none.ada.ID), "payout-details"); page.status != 404 {
		t.Errorf("no form: %d", page.status)
	}
	waiting := must(w.CreateAffiliate(t.Context(), affiliate.AffiliateParams{FirstName: "W", LastName: "W", Email: "w@example.org", AffiliateStatus: "inactive"}))
	for _, path := range []string{"", "codes", "payout-details", "statements/2026-03/csv"} {
		if page := w.get(w.enter(waiting.ID), path); page.text() != "Your account Your pages open when the program has approved you. Times are in UTC." && page.status != 404 {
			t.Errorf("%s: %d %s", path, page.status, page.text())
		}
	}
	if page := w.get(w.enter(uuid.New()), ""); page.status != 403 {
		t.Errorf("nobody: %d", page.status)
	}
}

// TestFrames (check 58): the pages are framed by the named origins alone, and the
// statement's CSV sums to the balance.
func TestFrames(t *testing.T) {
	w := newWorld(t, "", func(c *portal.Config) { c.Frames = []string{"https://shop.example", "https://admin.shop.example:8443"} })
	cookie := w.enter(w.ada.ID)
	page := w.get(cookie, "")
	if policy := page.head.Get("Content-Security-Policy"); !strings.HasSuffix(policy, "; frame-ancestors https://shop.example https://admin.shop.example:8443") || page.head.Get("X-Frame-Options") != "" {
		t.Errorf("%v", page.head)
	}
	file := w.get(cookie, "statements/2026-03/csv")
	rows := must(csv.NewReader(strings.NewReader(strings.TrimPrefix(file.body, "\ufeff"))).ReadAll())
	sum := affiliate.Amount{}
	for _, row := range rows[1:] {
		if row[7] != "" {
			sum = must(sum.Add(affiliate.MustAmount(row[7])))
		}
	}
	balance := must(w.Balance(t.Context(), affiliate.AffiliateRef{ID: w.ada.ID}))
	if owed := must(must(balance.Held.Add(balance.Maturing)).Add(balance.Payable)); sum != owed || rows[len(rows)-1][8] != owed.String() {
		t.Errorf("the lines sum to %s, the end is %s, the balance %s", sum, rows[len(rows)-1][8], owed)
	}
	if file.head.Get("Content-Type") != "text/csv; charset=utf-8" || !strings.Contains(file.head.Get("Content-Disposition"), "attachment") {
		t.Errorf("%v", file.head)
	}
}

// TestLongStatement: a statement that is too long for a page goes on on the next.
func TestLongStatement(t *testing.T) {
	w := newWorld(t, "")
	for range 301 {
		must(w.RecordAdjustment(t.Context(), affiliate.AdjustmentParams{AffiliateID: w.ada.ID, Kind: affiliate.AdjustBonus, Amount: affiliate.MustAmount("1"), Reason: "b"}))
	}
	cookie, lines, query := w.enter(w.ada.ID), 0, ""
	for i := range 2 {
		page := w.get(cookie, "statements/2026-03"+query)
		lines += strings.Count(page.body, `<td>Adjustment: <bdi>b</bdi></td><td class="num">`)
		_, next, more := strings.Cut(page.body, `href="?`)
		next, _, _ = strings.Cut(next, `"`)
		if begins, ends := strings.Contains(page.body, "Owed at the beginning"), strings.Contains(page.body, "Owed at the end"); begins != (i == 0) || ends != (i == 1) || more != (i == 0) {
			t.Fatalf("page %d: begins %v, ends %v, more %v: %s", i, begins, ends, more, page.text())
		}
		query = "?" + html.UnescapeString(next)
	}
	if lines != 301 {
		t.Errorf("%d lines", lines)
	}
	if page := w.get(cookie, "statements/2026-03?cursor=x"); page.status != 400 {
		t.Errorf("a bad cursor: %d", page.status)
	}
}

// TestHostLogin: the host's own login opens the pages, at any mount.
func TestHostLogin(t *testing.T) {
	w := newWorld(t, "")
	in := func(r *http.Request) (uuid.UUID, bool) { return w.ada.ID, r.Header.Get("Cookie") == "host=ada" }
	for name, h := range map[string]http.Handler{
		"prefix":   must(portal.New(w.Program, portal.Config{Prefix: "/partner/", Authorize: in, NoPayoutForm: true})),
		"stripped": http.StripPrefix("/partner", must(portal.New(w.Program, portal.Config{Authorize: in, NoPayoutForm: true}))),
	} {
		if pages := w.crawl(h, "host=ada"); len(pages) < 10 {
			t.Errorf("%s: only %d pages", name, len(pages))
		}
		for path, status := range map[string]int{"/partner/": 403, "/partner/sales": 403, "/partner/enter": 403} {
			if page := ask(h, "GET", path, ""); page.status != status {
				t.Errorf("%s %s: %d", name, path, page.status)
			}
		}
		if page := ask(h, "POST", "/partner/leave", "", "Cookie", "host=ada"); page.status != 403 && page.status != 404 {
			t.Errorf("%s: %d", name, page.status)
		}
	}
	own := must(portal.New(w.Program, portal.Config{Authorize: in, NoPayoutForm: true}))
	if _, err := own.Token(w.ada.ID, 0); err == nil {
		t.Error("a token without a key")
	}
	if err := own.Enter(httptest.NewRecorder(), httptest.NewRequest("GET", "/", nil), w.ada.ID); err == nil {
		t.Error("a visit without a key")
	}
}

// TestCodesThatDoNotWork: an affiliate sees why an own code does not work, without what
// its coupon's limit would tell of others, and that new commissions are on hold.
func TestCodesThatDoNotWork(t *testing.T) {
	w := newWorld(t, "")
	ctx := t.Context()
	coupon := must(w.CreateCoupon(ctx, affiliate.CouponParams{Name: "Once", PercentOff: affiliate.Set(affiliate.MustPercent("5")), MaxRedemptions: affiliate.Set[int64](1)}))
	for _, who := range []affiliate.Affiliate{w.ada, w.bob} {
		must(w.CreateCode(ctx, affiliate.CodeParams{CouponID: coupon.ID, Code: "ONCE" + who.FirstName, AffiliateID: who.ID}))
	}
	must(w.RecordSale(ctx, affiliate.SaleParams{PromoCode: "ONCEBOB", TotalEarned: affiliate.MustAmount("10")}))
	cookie := w.enter(w.ada.ID)
	if page := w.get(cookie, "codes"); !strings.Contains(page.text(), "ONCEADA Copy 5 % off Does not work this discount was used as often as the program gives it 0 no limit no end") || strings.Contains(page.text(), "hold") {
		t.Errorf("codes: %s", page.text())
	}
	must(w.SetAffiliateStatus(ctx, affiliate.AffiliateBanned, w.ada.ID))
	for _, path := range []string{"codes", ""} {
		if page := w.get(cookie, path); !strings.Contains(page.text(), "Your account is banned: commissions of new sales by your links and codes are on hold.") {
			t.Errorf("%q: %s", path, page.text())
		}
	}
}

// TestOfferOnOverview: an affiliate sees what the own links give customers, while it works.
func TestOfferOnOverview(t *testing.T) {
	w := newWorld(t, "")
	ctx := t.Context()
	cookie := w.enter(w.ada.ID)
	const says = "Your links give customers 20 % off, at most 15.00 USD. They need no code."
	coupon := must(w.CreateCoupon(ctx, affiliate.CouponParams{Name: "Friends", PercentOff: affiliate.Set(affiliate.MustPercent("20")), MaxDiscount: affiliate.Set(affiliate.MustAmount("15"))}))
	shows := func(want bool) {
		t.Helper()
		if page := w.get(cookie, ""); strings.Contains(page.text(), says) != want {
			t.Errorf("want %v: %s", want, page.text())
		}
	}
	shows(false)
	must(w.UpdateAffiliate(ctx, affiliate.AffiliateRef{ID: w.ada.ID}, affiliate.AffiliateUpdate{OfferCouponID: affiliate.Set(coupon.ID)}))
	shows(true)
	must(w.UpdateCoupon(ctx, coupon.ID, affiliate.CouponUpdate{Valid: affiliate.Set(false)}))
	shows(false)
}

// TestReasonsOfLaterChanges: a payout that came back and a commission that went to
// somebody else say why, on every page that shows them.
func TestReasonsOfLaterChanges(t *testing.T) {
	w := newWorld(t, "")
	ctx := t.Context()
	cleo := must(w.CreateAffiliate(ctx, affiliate.AffiliateParams{FirstName: "Cleo", LastName: "C", Email: "cleo@example.org", AffiliateLink: "cleo"}))
	sale := must(w.RecordSale(ctx, affiliate.SaleParams{ReferralID: "cleo", Email: "c@x.example", Name: "C", TotalEarned: affiliate.MustAmount("10")})).Sale.Or(affiliate.Sale{})
	must(w.SetPayoutStatus(ctx, must(w.CreatePayout(ctx, affiliate.PayoutParams{AffiliateID: cleo.ID})).ID, affiliate.PayoutPaid))
	must(w.RecordAdjustment(ctx, affiliate.AdjustmentParams{AffiliateID: cleo.ID, Kind: affiliate.AdjustBonus, Amount: affiliate.MustAmount("500"), Reason: "a\u202egood\u202c year"}))
	returned := must(w.CreatePayout(ctx, affiliate.PayoutParams{AffiliateID: cleo.ID}))
	must(w.SetPayoutStatus(ctx, returned.ID, affiliate.PayoutPaid))
	must(w.ReturnPayout(ctx, returned.ID, "account closed"))
	must(w.UpdateSale(ctx, sale.ID, affiliate.SaleUpdate{AffiliateID: affiliate.Set(w.bob.ID), ClawBack: true}))
	cookie := w.enter(cleo.ID)
	for path, says := range map[string]string{
		"payouts":                         "Returned account closed",
		"payouts/" + returned.ID.String(): "account closed",
		"statements/2026-03":              "Adjustment: aU+202EgoodU+202C year 500.00 USD",
		"statements/2026-03?":             fmt.Sprintf("Move Sale %v −2.00 USD", sale.ID),
	} {
		if page := w.get(cookie, strings.TrimSuffix(path, "?")); !strings.Contains(strings.ReplaceAll(page.text(), " How", ""), says) {
			t.Errorf("%s does not say %q: %s", path, says, page.text())
		}
	}
}

// TestReasonsForAffiliates: an affiliate sees the reason of an adjustment, of a hold and
// of a payout that did not arrive, what is in a payout, and nothing of others. That a rule
// suspects a sale is not said.
func TestReasonsForAffiliates(t *testing.T) {
	w := newWorld(t, "")
	ctx := t.Context()
	must(w.RecordAdjustment(ctx, affiliate.AdjustmentParams{AffiliateID: w.ada.ID, Kind: affiliate.AdjustBonus, Amount: affiliate.MustAmount("7.77"), Reason: "spring bonus"}))
	failed := must(w.CreatePayout(ctx, affiliate.PayoutParams{AffiliateID: w.ada.ID}))
	must(w.FailPayout(ctx, failed.ID, "no such account"))
	of := func(who affiliate.Affiliate) affiliate.Payout {
		return must(w.Payouts(ctx, affiliate.PayoutQuery{AffiliateID: affiliate.Set(who.ID)}, affiliate.Page{Limit: 1})).Items[0]
	}
	bobs := of(w.bob)
	held := must(w.RecordSale(ctx, affiliate.SaleParams{ReferralID: "ada", Email: "h@x.example", Name: "H", TotalEarned: affiliate.MustAmount("10")})).Sale.Or(affiliate.Sale{})
	must(w.ReviewCommissions(ctx, affiliate.ApprovalOnHold, held.ID))
	cookie := w.enter(w.ada.ID)
	for path, says := range map[string]string{
		"statements/2026-03":                  "Adjustment: spring bonus 7.77 USD",
		"payouts":                             "13.77 USD Failed no such account It did not reach you. It stays yours, and the program pays it again. PayPal",
		"payouts/" + failed.ID.String():       "It did not reach you. It stays yours, and the program pays it again. no such account PayPal",
		"payouts/" + failed.ID.String() + "?": "Bonus spring bonus 7.77 USD",
		"sales":                               "On hold the program looks at it first",
	} {
		if page := w.get(cookie, strings.TrimSuffix(path, "?")); !strings.Contains(strings.ReplaceAll(page.text(), " How", ""), says) {
			t.Errorf("%s does not say %q: %s", path, says, page.text())
		}
	}
	first := w.get(cookie, "payouts/"+must(w.Payouts(ctx, affiliate.PayoutQuery{AffiliateID: affiliate.Set(w.ada.ID), Status: affiliate.PayoutPaid}, affiliate.Page{Limit: 1})).Items[0].ID.String())
	if rows := strings.Count(first.text(), "10.00 USD"); rows < 50 || !strings.Contains(first.body, `rel="next"`) {
		t.Errorf("%d of 60 entries: %s", rows, first.text())
	}
	if page := w.get(cookie, "payouts/"+bobs.ID.String()); page.status != 404 {
		t.Errorf("somebody else's payout: %d %s", page.status, page.text())
	}
}

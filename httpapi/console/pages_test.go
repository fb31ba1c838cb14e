package console_test

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/httpapi/console"
	"github.com/tributary-go/tributary/httpapi/portal"
)

// TestOverview: it names what waits, and keeps the days that are over.
func TestOverview(t *testing.T) {
	w := newWorld(t)
	w.fill("")
	first := w.get("").text()
	for _, want := range []string{"Waits for approval 1 Idle Y", fmt.Sprint("On hold 1 Sale ", w.held.ID), "Payout failed 1", "Revenue", "Latest sales"} {
		if !strings.Contains(first, want) {
			t.Errorf("the overview has no %q: %s", want, first)
		}
	}
	w.now = w.now.Add(48 * time.Hour)
	must(w.RecordSale(t.Context(), affiliate.SaleParams{ReferralID: "ada", Email: "new@x.example", Name: "N", TotalEarned: affiliate.MustAmount("4321")}))
	w.get("")
	w.now = w.now.Add(time.Hour)
	kept := w.get("").text()
	w.desk = must(console.New(w.Program, w.cfg))
	if anew := w.get("").text(); anew != kept || !strings.Contains(kept, "4,321.00 USD") {
		t.Errorf("with kept days: %s, without: %s", kept, anew)
	}
}

// TestOverviewConcerns (check 20): what waits is named until somebody has dealt with
// it, five of a kind, with a way to the rest.
func TestOverviewConcerns(t *testing.T) {
	w := newWorld(t)
	w.fill("")
	var ids []affiliate.SaleID
	for i := range 6 {
		in := affiliate.SaleParams{ReferralID: "ada", Email: fmt.Sprintf("n%d@x.example", i), Name: "N", TotalEarned: affiliate.MustAmount("10")}
		ids = append(ids, must(w.RecordSale(t.Context(), in)).Sale.Or(affiliate.Sale{}).ID)
	}
	must(w.ReviewCommissions(t.Context(), affiliate.ApprovalOnHold, ids...))
	page := w.get("")
	for _, id := range ids {
		if link := fmt.Sprintf(`href="./sales/%v"><bdi>Sale %v, 2.00`+"\u00a0USD", id, id); strings.Contains(page.body, link) == (id == ids[0]) {
			t.Errorf("sale %v: the newest five are named: %s", id, page.text())
		}
	}
	if !strings.Contains(page.body, `<a href="./sales?approval=ON_HOLD">All of them…</a>`) || !strings.Contains(page.text(), "On hold 7 Sale") {
		t.Errorf("there is no way to the rest: %s", page.body)
	}
	must(w.ReviewCommissions(t.Context(), affiliate.ApprovalAccepted, append(ids, w.held.ID)...))
	must(w.SetAffiliateStatus(t.Context(), affiliate.AffiliateActive, must(w.Affiliates(t.Context(), affiliate.AffiliateQuery{Status: affiliate.AffiliateInactive}, affiliate.Page{})).Items[0].ID))
	if page := w.get("").text(); strings.Contains(page, "On hold") || strings.Contains(page, "Waits for approval") {
		t.Errorf("it was dealt with: %s", page)
	}
}

// TestSearchOfSales: a number, an external id and an invoice name a sale; the filters
// select among the sales of a customer.
func TestSearchOfSales(t *testing.T) {
	w := newWorld(t)
	w.fill("")
	in := affiliate.SaleParams{ReferralID: "ada", Email: "kim@x.example", Name: "Kim", TotalEarned: affiliate.MustAmount("10"), ExternalID: "order-kim", ExternalInvoiceID: "in-kim"}
	first := must(w.RecordSale(t.Context(), in)).Sale.Or(affiliate.Sale{})
	in.ExternalID, in.ExternalInvoiceID = "", ""
	second := must(w.RecordSale(t.Context(), in)).Sale.Or(affiliate.Sale{})
	must(w.RefundSale(t.Context(), affiliate.Refund{SaleID: second.ID}))
	for query, want := range map[string][2]bool{
		"q=order-kim": {true, false}, "q=in-kim": {true, false}, fmt.Sprint("q=", second.ID): {false, true}, "q=order-kim&status=REFUNDED": {true, false},
		"q=kim%40x.example": {true, true}, "q=kim%40x.example&status=REFUNDED": {false, true}, "q=kim%40x.example&approval=ON_HOLD": {}, "q=nobody%40x.example": {},
	} {
		page := w.get("sales?" + query).body
		for i, sale := range []affiliate.Sale{first, second} {
			if shown := strings.Contains(page, fmt.Sprintf(`href="./sales/%v"`, sale.ID)); shown != want[i] {
				t.Errorf("%s: sale %v is there: %v", query, sale.ID, shown)
			}
		}
	}
}

// TestWhy (check 40): the page of a sale says who is credited, by what and why.
func TestWhy(t *testing.T) {
	w := newWorld(t)
	w.fill("")
	sale := must(w.RecordSale(t.Context(), affiliate.SaleParams{PromoCode: "ADA10", Email: "kim@x.example", Name: "Kim", TotalEarned: affiliate.MustAmount("129.5")})).Sale.Or(affiliate.Sale{})
	page := w.get(fmt.Sprint("sales/", sale.ID)).text()
	for _, want := range []string{"Why 25.90 USD?", "The promotional code of the order, ADA10", "Ada X", "129.50 USD", "20 %", "Commission 25.90 USD"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page has no %q: %s", want, page)
		}
	}
}

// TestRefusedByTheEngine (check 41): what the engine refuses is said at its field,
// with its status, and what was typed is kept.
func TestRefusedByTheEngine(t *testing.T) {
	w := newWorld(t)
	w.fill("")
	ada, free := "affiliates/"+w.ada.ID.String(), fmt.Sprint("sales/", w.free.ID)
	for _, row := range []struct {
		path   string
		typed  []string
		status int
		text   string
		kept   string
	}{
		{"affiliates/new", []string{"firstName", "A", "lastName", "B", "email", "ada@example.org"}, 400, "already exists", `value="ada@example.org"`},
		{free + "/refund", []string{"amount", "ten"}, 400, "Enter an amount", `value="ten"`},
		{ada + "/adjust", []string{"kind", "BONUS", "amount", "-1", "reason", "r"}, 400, "", `value="-1"`},
		{ada + "/edit", []string{"commissionRate", "much"}, 400, "Enter a number", `value="much"`},
	} {
		before := w.effects()
		page := w.send(row.path, w.form(row.path, row.typed...))
		if movesMoney(row.path) && page.status == 200 {
			page = w.send(row.path, fieldsOf(t, page.body))
		}
		if page.status != row.status || !strings.Contains(page.body, row.text) || !strings.Contains(page.body, row.kept) || !strings.Contains(page.body, `role="alert"`) {
			t.Errorf("%s %v: %d %s", row.path, row.typed, page.status, page.text())
		}
		if w.effects() != before {
			t.Errorf("%s %v: it has changed something", row.path, row.typed)
		}
	}
}

// TestWrongRequests: what names nothing is 404, and what a page does not take 405;
// all of them are pages.
func TestWrongRequests(t *testing.T) {
	w := newWorld(t)
	w.fill("")
	ada := "affiliates/" + w.ada.ID.String()
	for _, row := range []struct {
		method, path string
		status       int
	}{
		{"GET", "affiliates/" + uuid.Max.String(), 404}, {"GET", "sales/x", 404}, {"GET", ada + "/statements/2026-13", 404}, {"GET", "payouts/" + uuid.Max.String(), 404},
		{"GET", "customers/" + uuid.Max.String(), 404}, {"GET", "webhooks/deliveries/" + uuid.Max.String(), 404}, {"PUT", "sales/1/refund", 405}, {"DELETE", ada, 405},
	} {
		page := ask(w.desk, row.method, "/"+row.path, "")
		if page.status != row.status || !strings.Contains(page.body, "<!doctype html>") || (page.status == 405) != (page.head.Get("Allow") != "") {
			t.Errorf("%s %s: %d, Allow %q", row.method, row.path, page.status, page.head.Get("Allow"))
		}
	}
}

// downStore is a store whose transactions fail.
type downStore struct {
	record.Store
	down *bool
}

func (s downStore) View(ctx context.Context, id uuid.UUID, fn func(*record.Tx) error) error {
	if *s.down {
		return errDown
	}
	return s.Store.View(ctx, id, fn)
}

func (s downStore) Update(ctx context.Context, id uuid.UUID, fn func(*record.Tx) error) error {
	if *s.down {
		return errDown
	}
	return s.Store.Update(ctx, id, fn)
}

// TestStoreDown (check 51): with no store at all each page and form says so with
// the id that the request came with; its forms are done when it is back.
func TestStoreDown(t *testing.T) {
	w := newWorld(t)
	w.fill("")
	down := false
	w.desk = must(console.New(w.With(downStore{w.store, &down}), w.cfg))
	forms, all := map[string]string{}, deeds(w)
	for _, d := range all {
		forms[d.path] = w.ready(d.path, d.fields...).Encode()
	}
	check := func(at string, page pageAnswer, id string) {
		if page.status != 500 || page.head.Get("X-Request-Id") != id || !strings.Contains(page.body, id) || strings.Contains(page.body, "secret-detail") {
			t.Errorf("%s: %d %s", at, page.status, page.text())
		}
	}
	pages := crawl(t, w.desk, "/")
	down = true
	for at, before := range pages {
		if page := ask(w.desk, "GET", at, "", "X-Request-Id", "req-7"); page.status != before.status {
			check(at, page, "req-7")
		}
	}
	for path, form := range forms {
		check(path, ask(w.desk, "POST", "/"+path, form, "X-Request-Id", "req-8"), "req-8")
	}
	down = false
	for _, d := range all {
		if page := w.send(d.path, w.ready(d.path, d.fields...)); page.status != d.done() { // the deeds before have changed what its page shows
			t.Errorf("%s afterwards: %d %s", d.path, page.status, page.text())
		}
	}
}

// TestConflictPages: Attention leads to the form of a payment in conflict. The form shows
// both amounts, repeats them before anything is done, and a page of what was decided
// since is out of date.
func TestConflictPages(t *testing.T) {
	w := newWorld(t)
	w.fill("")
	path := "payments/" + w.conflict.String() + "/decide"
	if page := w.get(""); !strings.Contains(page.body, `href="./`+path+`"`) || !strings.Contains(page.text(), "Payment without a sale 1 1.00 USD of") {
		t.Errorf("the overview: %s", page.text())
	}
	if page := w.get("payments"); !strings.Contains(page.text(), "Stripe pi_ 1.00 USD it is not as in sale 1, which it names Sale 1 Decide…") {
		t.Errorf("the list: %s", page.text())
	}
	form := w.form(path, "decision", "same")
	for _, says := range []string{"1.00 USD was paid: Stripe pi_, of its customer cus_", "Sale 1 is of 100.00 USD, paid by t@x.example, and 10.00 USD was refunded. Its commission is 16.29 USD for Ada X."} {
		if page := w.get(path); !strings.Contains(page.text(), says) {
			t.Errorf("the form does not say %q: %s", says, page.text())
		}
	}
	before := w.dump()
	asked := w.send(path, form)
	if w.dump() != before || !strings.Contains(asked.text(), "1.00 USD (Stripe pi_, of its customer cus_) becomes the payment of sale 1. What is refunded of the payment, also what was reported already, is taken off the sale, at most 1.00 USD.") {
		t.Errorf("it asks: %s", asked.text())
	}
	sure := fieldsOf(t, asked.body)
	other := w.form(path, "decision", "own")
	if done := w.send(path, sure); done.status != 303 || !strings.Contains(done.head.Get("Location"), "sales/1?") {
		t.Errorf("%d %s %s", done.status, done.head.Get("Location"), done.text())
	}
	if late := w.send(path, other); late.status != 404 {
		t.Errorf("decided again: %d %s", late.status, late.text())
	}
	if page := w.get("payments"); !strings.Contains(page.text(), "No payment waits for you.") {
		t.Errorf("the list: %s", page.text())
	}
	if log := w.log.actions(); len(log) != 2 || !strings.Contains(log[1], "outcome=payment_not_found") || !strings.Contains(log[0], "action=payments.decide object=payment:"+w.conflict.String()) {
		t.Errorf("audit %v", log)
	}
}

// TestDecideWhom: whoever decides about a payment says whom it credits and what its currency is worth, and hears when
// it waits on.
func TestDecideWhom(t *testing.T) {
	w := newWorld(t)
	w.fill("")
	waits := func(key, slug string, c affiliate.Currency) string {
		sum := affiliate.MustAmount("50")
		told := must(w.Payments().ReportPayment(t.Context(), affiliate.PaymentFact{
			Provider: "stripe", Keys: []string{key}, At: w.now, Currency: c, Payer: affiliate.PayerFact{ID: "cus_" + key, Email: key + "@x.example"},
			Sale: affiliate.Set(affiliate.Paid{SaleParams: affiliate.SaleParams{TotalEarned: sum}, Gross: sum, Tries: []affiliate.Credit{{ReferralID: slug}}}),
		}))
		return "payments/" + told.Payment.ID.String() + "/decide"
	}
	decide := func(path string, fields ...string) pageAnswer {
		asked := w.send(path, w.form(path, append(fields, "decision", "own")...))
		return w.send(path, fieldsOf(t, asked.body))
	}
	typo := waits("pi_9", "nobody", "USD")
	for fields, says := range map[[2]string]string{
		{"affiliate", ""}:               "It waits on: it names nobody who exists.",
		{"affiliate", "n@none.example"}: "No affiliate is called this.",
	} {
		if page := decide(typo, fields[:]...); page.status == 303 || !strings.Contains(page.text(), says) {
			t.Errorf("%v: %d %s", fields, page.status, page.text())
		}
	}
	if page := decide(typo, "affiliate", w.ada.Email); page.status != 303 || !strings.Contains(page.head.Get("Location"), "sales/") {
		t.Errorf("%d %s", page.status, page.text())
	}
	euro := waits("pi_10", w.ada.ID.String(), "EUR")
	for rate, says := range map[string]string{"": "Rate is required", "much": "Enter a number, such as 1.0842."} {
		if page := decide(euro, "exchangeRate", rate); page.status == 303 || !strings.Contains(page.text(), says) {
			t.Errorf("%q: %d %s", rate, page.status, page.text())
		}
	}
	if page := decide(euro, "exchangeRate", "1.1"); page.status != 303 {
		t.Errorf("%d %s", page.status, page.text())
	}
	if sale := must(w.Sales(t.Context(), affiliate.SaleQuery{}, affiliate.Page{Limit: 1})).Items[0]; sale.TotalEarned != affiliate.MustAmount("55") {
		t.Errorf("%v", sale.TotalEarned)
	}
}

// TestUsabilityPages: no page of the console shows a code or a coupon as working that
// every order is refused with.
func TestUsabilityPages(t *testing.T) {
	w := newWorld(t)
	w.fill("")
	ctx, s := t.Context(), w.stock()
	day := affiliate.Set(affiliate.At(w.now))
	over := must(w.CreateCoupon(ctx, affiliate.CouponParams{Name: "Over", PercentOff: affiliate.Set(affiliate.MustPercent("5")), RedeemBy: day}))
	ofOver := must(w.CreateCode(ctx, affiliate.CodeParams{CouponID: over.ID, Code: "OVER", AffiliateID: w.ada.ID}))
	once := must(w.CreateCoupon(ctx, affiliate.CouponParams{Name: "Once", PercentOff: affiliate.Set(affiliate.MustPercent("5")), MaxRedemptions: affiliate.Set[int64](1)}))
	ofOnce := must(w.CreateCode(ctx, affiliate.CodeParams{CouponID: once.ID, Code: "ONCE", AffiliateID: s.extra.ID}))
	euro := must(w.CreateCode(ctx, affiliate.CodeParams{CouponID: s.coupon.ID, Code: "EURO", AffiliateID: w.ada.ID, MinimumAmount: affiliate.Set(affiliate.MustAmount("100")), MinimumAmountCurrency: affiliate.Set(affiliate.Currency("EUR"))}))
	must(w.RecordSale(ctx, affiliate.SaleParams{PromoCode: "ONCE", TotalEarned: affiliate.MustAmount("10")}))
	must(w.SetAffiliateStatus(ctx, affiliate.AffiliateBanned, s.extra.ID))
	w.now = w.now.Add(48 * time.Hour)
	for path, says := range map[string]string{
		"coupons":                           "5 % off Coupon expired 13 Mar 2026",
		"coupons/" + over.ID.String():       "Coupon expired 13 Mar 2026 ",
		"coupons/" + once.ID.String():       "Coupon used up, 1 of 1 ",
		"codes?q=OVER":                      "OVER Ada X Coupon expired 13 Mar 2026",
		"codes?q=ONCE":                      "ONCE Ex Tra Coupon used up, 1 of 1 On hold: the affiliate is banned",
		"codes?q=EURO":                      "EURO Ada X Smallest order in another currency EUR",
		"codes/" + ofOver.ID.String():       "5 % off · since 13 Mar 2026 Coupon expired 13 Mar 2026",
		"codes/" + ofOnce.ID.String():       "Coupon used up, 1 of 1 On hold: the affiliate is banned",
		"codes/" + euro.ID.String():         "Smallest order 100.00 EUR",
		"affiliates/" + s.extra.ID.String(): "Commissions of sales by these links are on hold, because the affiliate is banned.",
		"affiliates/" + w.ada.ID.String():   "OVER 0 none Coupon expired 13 Mar 2026",
		"codes?q=ADA7":                      "ADA7 Ada X Works 0",
	} {
		if page := w.get(path); !strings.Contains(page.text(), says) {
			t.Errorf("%s does not say %q: %s", path, says, page.text())
		}
	}
}

// TestReasonPages: the operator sees the reason of an adjustment, of a hold and of a
// payout that failed, and what is in a payout.
func TestReasonPages(t *testing.T) {
	w := newWorld(t)
	w.fill("")
	ctx, s := t.Context(), w.stock()
	must(w.RecordAdjustment(ctx, affiliate.AdjustmentParams{AffiliateID: s.extra.ID, Kind: affiliate.AdjustBonus, Amount: affiliate.MustAmount("7.77"), Reason: "spring bonus"}))
	must(w.RecordSale(ctx, affiliate.SaleParams{ReferralID: s.extra.ID.String(), Email: "b@x.example", Name: "B", TotalEarned: affiliate.MustAmount("10")}))
	paid := must(w.CreatePayout(ctx, affiliate.PayoutParams{AffiliateID: s.extra.ID}))
	must(w.FailPayout(ctx, paid.ID, "no such account"))
	must(w.SetAffiliateStatus(ctx, affiliate.AffiliateBanned, s.extra.ID))
	banned := must(w.RecordSale(ctx, affiliate.SaleParams{ReferralID: s.extra.ID.String(), Email: "b@x.example", Name: "B", TotalEarned: affiliate.MustAmount("10")})).Sale.Or(affiliate.Sale{})
	for path, says := range map[string]string{
		"affiliates/" + s.extra.ID.String() + "/statements/2026-03": "Adjustment: spring bonus 7.77 USD",
		"payouts/" + paid.ID.String():                               "1 commission and 1 adjustment Oldest first",
		"payouts/" + paid.ID.String() + " ":                         "Bonus spring bonus 7.77",
		"payouts?status=FAILED":                                     "Failed no such account",
		fmt.Sprint("sales/", banned.ID):                             "On hold the affiliate is banned",
		fmt.Sprint("sales/", w.held.ID):                             "On hold a rule of the program wants it looked at Self referral",
		"sales?approval=ON_HOLD":                                    "Ex Tra · the affiliate is banned · 1 sale",
		"":                                                          "2.00 USD: the affiliate is banned",
	} {
		if page := w.get(strings.TrimSpace(path)); !strings.Contains(page.text(), says) {
			t.Errorf("%s does not say %q: %s", path, says, page.text())
		}
	}
}

// TestHealth: an endpoint that is on and fails is not shown as well, on its page as in the list.
func TestHealth(t *testing.T) {
	w := newWorld(t)
	w.fill("")
	failing := false
	for _, e := range must(w.Webhooks().Endpoints(t.Context(), affiliate.Page{})).Items {
		_, fails := e.FirstFailureAt.Get()
		fails = fails && e.Active
		failing = failing || fails
		page := w.get("webhooks/" + e.ID.String()).body
		if strings.Contains(page, `<span class="badge bad">Fails</span>`) != fails {
			t.Errorf("%s fails: %v; %s", e.URL, fails, page)
		}
	}
	if list := w.get("webhooks").body; !failing || !strings.Contains(list, `<span class="badge bad">Fails</span>`) {
		t.Errorf("one fails: %v; %s", failing, list)
	}
}

// partnerPages gives the console the partner pages, in which everything is allowed.
func partnerPages(engine *tributary.Config, cfg *console.Config) {
	cfg.PartnerPages = func(p *tributary.Program, of uuid.UUID, back string) http.Handler {
		pages := must(portal.New(p, portal.Config{
			Prefix: "/partner/", Key: key, MaxLinks: 9, Back: "/elsewhere", Frames: []string{"https://shop.example"},
			SignUp: &portal.SignUp{}, Logger: slog.New(slog.DiscardHandler),
		}))
		return pages.As(p, of, back)
	}
}

// TestPartnerPages: all pages of an affiliate can be seen from the console, and each says
// so and leads back. None of their forms changes anything, and each look is logged.
func TestPartnerPages(t *testing.T) {
	w := newWorld(t, partnerPages)
	w.fill("")
	of := "/affiliates/" + w.ada.ID.String()
	if !strings.Contains(ask(w.desk, "GET", of, "").body, w.ada.ID.String()+"/pages/") {
		t.Error("the page of the affiliate does not lead to theirs")
	}
	top := of + "/pages/"
	seen, forms := map[string]bool{top: true}, 0
	for todo := []string{top}; len(todo) > 0; {
		at := todo[0]
		todo = todo[1:]
		w.log.reset()
		page := ask(w.desk, "GET", at, "")
		if page.status != 200 {
			t.Errorf("%s: %d", at, page.status)
		}
		for _, part := range []string{`msg="console look"`, " actor=ops ", " object=affiliate:" + w.ada.ID.String(), " request_id="} {
			if log := w.log.String(); strings.Count(log, "\n") != 1 || !strings.Contains(log, part) {
				t.Errorf("%s is logged without %q: %s", at, part, log)
			}
		}
		html := strings.HasPrefix(page.head.Get("Content-Type"), "text/html")
		if html && !strings.Contains(page.body, "Nothing can be changed here.") {
			t.Errorf("%s does not say whose pages they are", at)
		}
		back := false
		for _, e := range elements(t, page) {
			to := e.attrs["href"]
			if e.name == "form" {
				to = e.attrs["action"]
			}
			if to == "" || strings.HasPrefix(to, "#") || strings.HasPrefix(to, "data:") || e.name != "a" && e.name != "form" {
				continue
			}
			target := must(must(url.Parse("http://x" + at)).Parse(to)).RequestURI()
			switch {
			case target == of:
				back = true
			case !strings.HasPrefix(target, top):
				t.Errorf("%s leads out, to %s", at, target)
			case e.name == "form":
				forms++
				before := w.dump()
				if sent := ask(w.desk, "POST", target, fieldsOf(t, page.body).Encode()); sent.status != 403 {
					t.Errorf("the form of %s: %d", at, sent.status)
				}
				if w.dump() != before {
					t.Errorf("the form of %s changes something", at)
				}
			case !seen[target]:
				seen[target] = true
				todo = append(todo, target)
			}
		}
		if html && !back {
			t.Errorf("%s does not lead back", at)
		}
	}
	if len(seen) < 15 || forms < 2 {
		t.Errorf("%d pages, %d forms", len(seen), forms)
	}
}

// TestPartnerPagesOfNobody: there are no pages of somebody who is not there, nor for somebody
// who may not see the console, nor where the host gives none.
func TestPartnerPagesOfNobody(t *testing.T) {
	w, without := newWorld(t, partnerPages), newWorld(t)
	w.fill("")
	without.fill("")
	top := "/affiliates/" + w.ada.ID.String() + "/pages/"
	for name, page := range map[string]pageAnswer{
		"unknown":                    ask(w.desk, "GET", "/affiliates/"+uuid.NewString()+"/pages/", ""),
		"no id":                      ask(w.desk, "GET", "/affiliates/ada/pages/", ""),
		"not a page":                 ask(w.desk, "GET", top+"sales/../", ""),
		"another page":               ask(w.desk, "GET", strings.TrimSuffix(top, "/")+"x/", ""),
		"signing up":                 ask(w.desk, "GET", top+"apply", ""),
		"no partner pages are there": ask(without.desk, "GET", "/affiliates/"+without.ada.ID.String()+"/pages/", ""),
	} {
		if page.status != 404 {
			t.Errorf("%s: %d", name, page.status)
		}
	}
	if page := ask(w.desk, "GET", top, "", "Actor", ""); page.status != 403 || strings.Contains(page.body, w.ada.Name) {
		t.Errorf("who is not let in sees %s", page.text())
	}
	if strings.Contains(ask(without.desk, "GET", "/affiliates/"+without.ada.ID.String(), "").body, "/pages/") {
		t.Error("a page that is not there has a link")
	}
	if page := ask(w.desk, "GET", strings.TrimSuffix(top, "/"), ""); page.status != 308 || page.head.Get("Location") != "./pages/" {
		t.Errorf("without a slash: %d %s", page.status, page.head.Get("Location"))
	}
}

// TestSearch: one box finds everything by what names it, and people and orders by a part.
func TestSearch(t *testing.T) {
	w := newWorld(t)
	w.fill("")
	own := must(w.CreateAffiliate(t.Context(), affiliate.AffiliateParams{FirstName: "Zoë", LastName: "Ångström", Email: "zoe@example.org", ExternalID: "user-77"}))
	sale := must(w.RecordSale(t.Context(), affiliate.SaleParams{ReferralID: own.ID.String(), Email: "zed@shop.example", Name: "Zed", TotalEarned: affiliate.MustAmount("10"), ExternalID: "order-4711"})).Sale.Or(affiliate.Sale{})
	code := must(w.Codes(t.Context(), affiliate.CodeQuery{}, affiliate.Page{Limit: 1})).Items[0]
	event := must(w.Events(t.Context(), affiliate.EventQuery{}, affiliate.Page{Limit: 1})).Items[0]
	endpoint := must(w.Webhooks().Endpoints(t.Context(), affiliate.Page{Limit: 1})).Items[0]
	waits := must(w.Payments().PaymentConflict(t.Context(), w.conflict))
	found := 0
	for text, to := range map[string]string{
		own.ID.String(): "affiliates/" + own.ID.String(), "user-77": "affiliates/" + own.ID.String(), "ext:user-77": "affiliates/" + own.ID.String(),
		"ZOE@example": "affiliates/" + own.ID.String(), "Ångst": "affiliates/" + own.ID.String(), own.AffiliateLinks[0].Link: "affiliates/" + own.ID.String(),
		own.AffiliateLinks[0].ID.String(): "affiliates/" + own.ID.String(), w.customer.Email: "customers/" + w.customer.ID.String(), w.customer.ID.String(): "customers/" + w.customer.ID.String(),
		strings.ToLower(code.Code): "codes/" + code.ID.String(), code.ID.String(): "codes/" + code.ID.String(), code.CouponID.String(): "coupons/" + code.CouponID.String(),
		fmt.Sprint(int64(sale.ID)): "sales/" + fmt.Sprint(int64(sale.ID)), "order-4711": "sales/" + fmt.Sprint(int64(sale.ID)), "er-471": "sales/" + fmt.Sprint(int64(sale.ID)), "zed@shop": "sales/" + fmt.Sprint(int64(sale.ID)),
		w.payout.ID.String(): "payouts/" + w.payout.ID.String(), w.plan.ID.String(): "plans/" + w.plan.ID.String(), w.delivery.String(): "webhooks/deliveries/" + w.delivery.String(),
		waits.Keys[0]: "payments", strings.ToUpper(waits.Keys[0][1:]): "payments",
		event.ID.String(): "events/" + event.ID.String(), endpoint.ID.String(): "webhooks/" + endpoint.ID.String(),
	} {
		page := w.get("search?q=" + url.QueryEscape(text))
		if page.status != 200 || !strings.Contains(page.body, `href="`+to+`"`) {
			t.Errorf("%s does not lead to %s: %d %s", text, to, page.status, page.text())
		}
		if to := w.get(to); to.status != 200 {
			t.Errorf("%s leads to %d", text, to.status)
		}
		found++
	}
	must(w.RefundSale(t.Context(), affiliate.Refund{SaleID: w.free.ID}))
	for text, want := range map[string]string{"order-4711": "earned 2.00 USD", fmt.Sprint(w.free.ID): "earned nothing: its page says why", waits.Keys[0]: "it is not as in sale", "": "enter it above", "nothing has this": "Nothing has it: no sale", "0197c2f0-0000-7000-8000-000000000000": "Nothing has it: no sale", "ext:nobody": "Nothing has it: no sale", "<b>": "For <b>"} {
		if page := w.get("search?q=" + url.QueryEscape(text)); page.status != 200 || !strings.Contains(page.text(), want) {
			t.Errorf("%q: %d %s", text, page.status, page.text())
		}
	}
	if page := w.get("search?q=" + strings.Repeat("ä", 101)); page.status != 400 || !strings.Contains(page.text(), "at most 100 characters") {
		t.Errorf("a long text: %d %s", page.status, page.text())
	}
}

// TestRegister: the console stands beside a host whose pages are of one method, and answers there
// what it answers alone; the path without its slash leads to it.
func TestRegister(t *testing.T) {
	w := newWorld(t, func(_ *tributary.Config, cfg *console.Config) { cfg.Prefix = "/admin/" })
	w.fill("")
	mux := http.NewServeMux()
	host := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTeapot) })
	mux.Handle("GET /", host)
	mux.Handle("POST /orders", host)
	w.desk.Register(mux)
	for target, status := range map[string]int{"/admin/": 200, "/admin/sales": 200, "/admin/none": 404, "/": 418, "/shop": 418} {
		if page := ask(mux, "GET", target, ""); page.status != status {
			t.Errorf("GET %s: %d", target, page.status)
		}
	}
	if page := ask(mux, "POST", "/admin/affiliates/new", ""); page.status != 403 {
		t.Errorf("a form of nobody: %d", page.status)
	}
	if page := ask(mux, "GET", "/admin", ""); page.status != 301 && page.status != 307 && page.status != 308 {
		t.Errorf("without a slash: %d", page.status)
	}
	if page := ask(mux, "DELETE", "/admin/sales", ""); page.status != 405 {
		t.Errorf("DELETE: %d", page.status)
	}
}

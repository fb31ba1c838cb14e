package portal_test

import (
	"encoding/csv"
	"fmt"
	"html"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/httpapi/portal"
)

// TestWhySaleEarned: the page of a sale says in an affiliate's words why it earned what it
// did, and there is none of anybody else's sale.
func TestWhySaleEarned(t *testing.T) {
	w := newWorld(t, "")
	ctx := t.Context()
	record := func(in affiliate.SaleParams) string {
		t.Helper()
		return fmt.Sprint(int64(must(w.RecordSale(ctx, in)).Sale.Or(affiliate.Sale{}).ID))
	}
	coded := record(affiliate.SaleParams{PromoCode: "ADA10", Email: "kim-ada@buyer.example", Name: "Kim", TotalEarned: affiliate.MustAmount("128964.43"), Tax: affiliate.MustAmount("964.43"), Shipping: affiliate.MustAmount("8000")})
	must(w.RefundSale(ctx, affiliate.Refund{SaleID: must(w.Partner(w.ada.ID).Sales(ctx, affiliate.Page{Limit: 1})).Items[0].ID, Amount: affiliate.Set(affiliate.MustAmount("64482.215"))}))
	lined := record(affiliate.SaleParams{ReferralID: "ada", Email: "l@buyer.example", Name: "L", TotalEarned: affiliate.MustAmount("10"), CommissionRate: affiliate.Set(affiliate.MustPercent("33.33"))})
	theirs := record(affiliate.SaleParams{ReferralID: "bob", Email: "late-bob@buyer.example", Name: "B", TotalEarned: affiliate.MustAmount("10")})
	cookie := w.enter(w.ada.ID)
	for path, says := range map[string][]string{
		"sales/" + coded: {
			"Why 12,000.00 USD? The customer used your code, ADA10 .", "this is their payment no. 1.", "Paid by the customer 128,964.43 USD Less tax 964.43 USD Less shipping 8,000.00 USD What counts 120,000.00 USD",
			"Kept after refunds, of what was paid 64,482.215 USD", "Rate of your terms 20 % You earn 12,000.00 USD", "Accepted from 11 Mar 2026 none yet", "The program Owed to you 24,000.00 USD", "k***@b***.example",
		},
		"sales/" + lined: {"The shop says that the customer came by your link, ada .", "Rate of this sale 33.33 % You earn 3.33 USD"},
		"sales/1":        {"Why 10.00 USD?", "Payout"},
	} {
		page := w.get(cookie, path)
		for _, text := range says {
			if page.status != 200 || !strings.Contains(page.text(), text) {
				t.Errorf("%s does not say %q: %s", path, text, page.text())
			}
		}
	}
	for _, path := range []string{theirs, "0", "-1", "01", "99999", "x", coded + "?affiliate=1"} {
		if page := w.get(cookie, "sales/"+path); page.status != 404 {
			t.Errorf("%s: %d", path, page.status)
		}
	}
	hides := newWorld(t, "", func(c *portal.Config) { c.HideCustomers = true })
	if page := hides.get(hides.enter(hides.ada.ID), "sales/1"); page.status != 200 || strings.Contains(page.body, "***") || strings.Contains(page.text(), "customer since") {
		t.Error(page.text())
	}
}

// TestSaleByRules: a sale of which rules decide shows what each part earns, without their names.
func TestSaleByRules(t *testing.T) {
	w := newWorld(t, "-x")
	sale := must(w.RecordSale(t.Context(), affiliate.SaleParams{ReferralID: "ada", Email: "l@buyer.example", Name: "L", TotalEarned: affiliate.MustAmount("30"), Lines: []affiliate.Line{
		{ID: "secret", ProductID: "P-x", Amount: affiliate.MustAmount("10")}, {ProductID: "other", Amount: affiliate.MustAmount("20.01"), Discount: affiliate.MustAmount("0.01")},
	}})).Sale.Or(affiliate.Sale{})
	page := w.get(w.enter(w.ada.ID), fmt.Sprint("sales/", int64(sale.ID)))
	if !strings.Contains(page.text(), "1 10.00 USD nothing 0 2 20.00 USD 20 % 4") || !strings.Contains(page.text(), "where no rule says else 20 % You earn 4.00 USD") || strings.Contains(page.body, "secret") || strings.Contains(page.body, "R-x") || strings.Contains(page.body, "other") {
		t.Error(page.text())
	}
}

// TestDueWhen: what is due when adds up to what is owed, by day or, of many days, by month.
func TestDueWhen(t *testing.T) {
	w := newWorld(t, "")
	ctx := t.Context()
	must(w.SetTerms(ctx, affiliate.TermsUpdate{HoldDays: affiliate.Set[int64](30)}))
	sell := func(total string) affiliate.SaleID {
		return must(w.RecordSale(ctx, affiliate.SaleParams{ReferralID: "ada", Email: "d@buyer.example", Name: "D", TotalEarned: affiliate.MustAmount(total)})).Sale.Or(affiliate.Sale{}).ID
	}
	sell("100")
	must(w.ReviewCommissions(ctx, affiliate.ApprovalOnHold, sell("5000")))
	w.now = w.now.AddDate(0, 0, 1)
	sell("50")
	sell("30")
	cookie := w.enter(w.ada.ID)
	const says = "What is due when Now 6.00 USD From 10 Apr 2026 20.00 USD From 11 Apr 2026 16.00 USD On hold, until the program accepts it 1,000.00 USD Owed to you, in no payout yet 1,042.00 USD"
	if page := w.get(cookie, "payouts"); !strings.Contains(page.text(), says) || strings.Contains(page.text(), "how you are paid") {
		t.Error(page.text())
	}
	if page := w.get(cookie, ""); !strings.Contains(page.text(), "Not yet due 36.00 USD Due now 6.00 USD") {
		t.Error(page.text())
	}
	for range 13 {
		w.now = w.now.AddDate(0, 0, 2)
		sell("10")
	}
	if page := w.get(w.enter(w.ada.ID), "payouts"); !strings.Contains(page.text(), "Now 6.00 USD In April 2026 54.00 USD In May 2026 8.00 USD On hold, until the program accepts it 1,000.00 USD Owed to you, in no payout yet 1,068.00 USD") {
		t.Error(page.text())
	}
	must(w.SetPayoutDetails(ctx, w.ada.ID, affiliate.PayoutDetails{}))
	if page := w.get(w.enter(w.ada.ID), "payouts"); !strings.Contains(page.text(), "The program does not know yet how you are paid. Say how") {
		t.Error(page.text())
	}
}

// TestPayoutStates: of each payout an affiliate sees where the money is.
func TestPayoutStates(t *testing.T) {
	w := newWorld(t, "")
	ctx := t.Context()
	cookie := w.enter(w.ada.ID)
	p := must(w.CreatePayout(ctx, affiliate.PayoutParams{AffiliateID: w.ada.ID}))
	says := func(text string) {
		t.Helper()
		for _, path := range []string{"payouts", "payouts/" + p.ID.String()} {
			if page := w.get(cookie, path); !strings.Contains(page.text(), text) {
				t.Errorf("%s does not say %q: %s", path, text, page.text())
			}
		}
	}
	says("It waits until the program sends it.")
	must(w.SetPayoutStatus(ctx, p.ID, affiliate.PayoutProcessing))
	says("It is on its way to you.")
	must(w.FailPayout(ctx, p.ID, "no such account"))
	says("It did not reach you. It stays yours, and the program pays it again.")
	must(w.SetPayoutStatus(ctx, p.ID, affiliate.PayoutProcessing))
	must(w.SetPayoutStatus(ctx, p.ID, affiliate.PayoutPaid))
	says("It was sent to you.")
	must(w.ReturnPayout(ctx, p.ID, "bounced"))
	says("It came back. What was in it is owed to you as before.")
	p = must(w.CreatePayout(ctx, affiliate.PayoutParams{AffiliateID: w.ada.ID}))
	must(w.SetPayoutStatus(ctx, p.ID, affiliate.PayoutCanceled))
	says("It was called off. What was in it is owed to you as before.")
}

// TestTwoMonths: the overview has this month against the one before.
func TestTwoMonths(t *testing.T) {
	w := newWorld(t, "")
	w.now = w.now.AddDate(0, 1, 0)
	must(w.RecordSale(t.Context(), affiliate.SaleParams{ReferralID: "ada", Email: "a@buyer.example", Name: "A", TotalEarned: affiliate.MustAmount("40")}))
	if page := w.get(w.enter(w.ada.ID), ""); !strings.Contains(page.text(), "April, until today 8.00 USD Commission March: 606.00 USD 1 Sales March: 61 0 Clicks March: 0") {
		t.Error(page.text())
	}
}

// TestFiles: the files of the lists have all rows, newest first, with exact decimals, inert
// cells and masked customers.
func TestFiles(t *testing.T) {
	w := newWorld(t, "", func(c *portal.Config) { c.HideCustomers = true })
	ctx := t.Context()
	must(w.RecordConversion(ctx, affiliate.ConversionParams{Conversion: "=1+1", ReferralID: "ada", Email: "c@buyer.example", Name: "C", ExternalID: "c1"}))
	p := must(w.CreatePayout(ctx, affiliate.PayoutParams{AffiliateID: w.ada.ID}))
	must(w.FailPayout(ctx, p.ID, "+no, \"such\" account"))
	rows := func(h http.Handler, path string) [][]string {
		t.Helper()
		file := ask(h, "GET", "/partner/"+path, "", "Cookie", w.enter(w.ada.ID))
		if file.status != 200 || file.head.Get("Content-Type") != "text/csv; charset=utf-8" || !strings.HasPrefix(file.head.Get("Content-Disposition"), "attachment") {
			t.Fatalf("%s: %d %v", path, file.status, file.head)
		}
		return must(csv.NewReader(strings.NewReader(strings.TrimPrefix(file.body, "\ufeff"))).ReadAll())
	}
	sales := must(w.Partner(w.ada.ID).Sales(ctx, affiliate.Page{})).Items
	w.cfg.HideCustomers = false
	open := must(portal.New(w.Program, w.cfg))
	got, hidden := rows(open, "sales/csv"), rows(w.pages, "sales/csv")
	if len(got) != len(sales)+1 || len(got) < 62 || !slices.Equal(got[0][:3], []string{"id", "createdAt", "customer"}) {
		t.Fatalf("%d rows of %d sales", len(got), len(sales))
	}
	for i, s := range sales {
		row := got[i+1]
		if row[0] != fmt.Sprint(int64(s.ID)) || row[1] != s.CreatedAt.String() || row[2] != s.Customer || row[6] != s.TotalEarned.String() || row[8] != s.CommissionEarned.String() || row[9] != "USD" || hidden[i+1][2] != "" {
			t.Errorf("%+v is %q", s, row)
		}
	}
	want := []string{p.ID.String(), p.CreatedAt.String(), "FAILED", "6", "USD", "PAYPAL", "a***@p***.example", p.PeriodStart.Or(affiliate.Time{}).String(), p.PeriodEnd.Or(affiliate.Time{}).String(), "", `'+no, "such" account`, "", ""}
	if got := rows(open, "payouts/csv"); len(got) != 3 || !slices.Equal(got[1], want) {
		t.Errorf("%q, want %q", got, want)
	}
	if answer := w.get(w.enter(w.ada.ID), "sales/csv?affiliate="+w.bob.ID.String()); answer.status != 404 {
		t.Errorf("%d", answer.status)
	}
}

// TestCodesInWords: of each code an affiliate sees what customers get, for which orders,
// what is left, and why it does not work, without the words of the program.
func TestCodesInWords(t *testing.T) {
	w := newWorld(t, "")
	ctx := t.Context()
	usd := affiliate.Set[affiliate.Currency]("USD")
	off := func(c affiliate.CouponParams) affiliate.CouponParams {
		c.Name, c.PercentOff = "secret name", affiliate.Set(affiliate.MustPercent("20"))
		return c
	}
	for _, c := range []struct {
		coupon affiliate.CouponParams
		code   affiliate.CodeParams
		spent  bool
		says   string
	}{
		{off(affiliate.CouponParams{MaxDiscount: affiliate.Set(affiliate.MustAmount("15"))}), affiliate.CodeParams{Code: "PLAIN"}, false, "PLAIN Copy 20 % off, at most 15.00 USD Works 0 no limit no end"},
		{affiliate.CouponParams{Name: "flat", CouponType: affiliate.CouponFlat, AmountOff: affiliate.Set(affiliate.MustAmount("1234.5")), Currency: usd}, affiliate.CodeParams{
			Code: "RULES", FirstTimeOrder: true, MinimumAmount: affiliate.Set(affiliate.MustAmount("50")), MinimumAmountCurrency: usd, MinimumQuantity: affiliate.Set(affiliate.MustAmount("3")),
			MaxRedemptionsPerCustomer: affiliate.Set[int64](1), MaxRedemptions: affiliate.Set[int64](1), ExpiresAt: affiliate.Set(affiliate.Day(2026, 3, 21)),
		}, false, "RULES Copy 1,234.50 USD off for first orders for orders of 50.00 USD or more for 3 pieces or more for 1 order of each customer Works 0 1 use 21 Mar 2026"},
		{off(affiliate.CouponParams{StartsAt: affiliate.Set(affiliate.Day(2026, 3, 13))}), affiliate.CodeParams{Code: "LATER"}, false, "LATER Copy 20 % off Not yet it works from 13 Mar 2026, 00:00 0 no limit"},
		{off(affiliate.CouponParams{RedeemBy: affiliate.Set(affiliate.Day(2026, 3, 11))}), affiliate.CodeParams{Code: "OVER", MaxRedemptions: affiliate.Set[int64](7)}, false, "OVER Copy 20 % off Does not work its time is over 0 7 uses 11 Mar 2026"},
		{off(affiliate.CouponParams{MaxDiscountTotal: affiliate.Set(affiliate.MustAmount("100"))}), affiliate.CodeParams{Code: "BUDGET"}, false, "BUDGET Copy 20 % off Works 0 100.00 USD of its budget no end"},
		{off(affiliate.CouponParams{MaxDiscountTotal: affiliate.Set(affiliate.MustAmount("2"))}), affiliate.CodeParams{Code: "SPENT"}, true, "SPENT Copy 20 % off Does not work what the program gives for this discount is spent 1 0.00 USD of its budget"},
		{off(affiliate.CouponParams{}), affiliate.CodeParams{Code: "USED", MaxRedemptions: affiliate.Set[int64](1)}, true, "USED Copy 20 % off Does not work it was used as often as it may be 1 0 uses"},
	} {
		c.code.CouponID, c.code.AffiliateID = must(w.CreateCoupon(ctx, c.coupon)).ID, w.ada.ID
		made := must(w.CreateCode(ctx, c.code))
		if c.spent {
			must(w.RecordSale(ctx, affiliate.SaleParams{PromoCode: made.Code, Subtotal: affiliate.Set(affiliate.MustAmount("10")), TotalEarned: affiliate.MustAmount("8")}))
		}
		if made.Code == "OVER" {
			w.now = w.now.AddDate(0, 0, 1).Add(time.Minute)
		}
		if page := w.get(w.enter(w.ada.ID), "codes"); !strings.Contains(page.text(), c.says) || strings.Contains(page.text(), "secret name") || !strings.Contains(page.body, `data-copy="`+made.Code+`"`) {
			t.Errorf("%s: %s", c.says, page.text())
		}
		if made.Code == "OVER" {
			w.now = w.now.AddDate(0, 0, -1)
		}
	}
	code := must(w.CreateCode(ctx, affiliate.CodeParams{CouponID: must(w.CreateCoupon(ctx, off(affiliate.CouponParams{}))).ID, Code: "OFF", AffiliateID: w.ada.ID}))
	must(w.UpdateCode(ctx, code.ID, affiliate.CodeUpdate{Active: affiliate.Set(false)}))
	if page := w.get(w.enter(w.ada.ID), "codes"); !strings.Contains(page.text(), "OFF Copy 20 % off Does not work the program has switched it off 0") {
		t.Error(page.text())
	}
}

// TestTerms: an affiliate sees what their sales earn, and what they will earn from when, in words;
// nothing of others.
func TestTerms(t *testing.T) {
	w := newWorld(t, "")
	cookie, ctx := w.enter(w.ada.ID), t.Context()
	type parts = map[string][]string
	says := func(want parts) {
		t.Helper()
		if diff := cmp.Diff(want, w.get(cookie, "terms").parts()); diff != "" {
			t.Errorf("sections of the page (-want +got):\n%s", diff)
		}
	}
	says(parts{"Now": {"20 %"}})
	percent := func(rate string) affiliate.RulePay {
		return affiliate.RulePay{Type: affiliate.RulePercentage, Rate: affiliate.MustPercent(rate)}
	}
	for _, ids := range [][]string{nil, {"a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l"}} {
		rules := []affiliate.Rule{
			{Name: "secret 1", When: affiliate.RuleWhen{Products: append([]string{"SEAT"}, ids...), PaymentTo: 12, NotCategories: []string{"gift"}}, Pay: affiliate.RulePay{Type: affiliate.RuleUnit, Rate: affiliate.MustPercent("2.5")}},
			{Name: "secret 2", When: affiliate.RuleWhen{Plans: []string{"yearly"}, MonthFrom: 13, Customer: affiliate.CustomerReturning}, Pay: percent("5")},
			{Name: "secret 3", When: affiliate.RuleWhen{PaymentTo: 1}, Pay: percent("40")},
			{Name: "secret 4", When: affiliate.RuleWhen{PaymentFrom: 3, PaymentTo: 3}, Pay: percent("41")},
			{Name: "secret 5", When: affiliate.RuleWhen{MonthFrom: 2, MonthTo: 6, Triggers: []affiliate.PaymentTrigger{affiliate.TriggerPurchase}}, Pay: percent("42")},
			{Name: "secret 6", When: affiliate.RuleWhen{Conversions: []string{"signup"}}, Pay: affiliate.RulePay{Type: affiliate.RuleFlat, Rate: affiliate.MustPercent("3")}},
			{Name: "secret 7", When: affiliate.RuleWhen{Customer: affiliate.CustomerNew, NotProducts: []string{"X"}, NotPlans: []string{"Y"}, Categories: []string{"Z"}}, Pay: affiliate.RulePay{Type: affiliate.RuleNone}},
			{Name: "secret 8", Pay: percent("1")},
		}
		must(w.SetTerms(ctx, affiliate.TermsUpdate{
			Rules: affiliate.Set(rules), MaxPayments: affiliate.Set[int64](24), MaxMonths: affiliate.Set[int64](1), MaxPerSale: affiliate.Set(affiliate.MustAmount("50")), MaxPerCustomer: affiliate.Set(affiliate.MustAmount("500")), HoldDays: affiliate.Set[int64](30),
		}))
	}
	says(parts{"Now": {
		"2.50 USD for each piece | products: SEAT, a, b, c, d, e, f, g, h, i and 3 more; not the categories: gift; the first 12 payments of a customer",
		"5 % | plans: yearly; from the month no. 13 on of a customer; customers who have paid before",
		"40 % | the first payment of a customer",
		"41 % | the payment no. 3 of a customer",
		"42 % | the months no. 2 to 6 of a customer; when it is: purchase",
		"3.00 USD for the sale | what your customers do without a payment: signup",
		"nothing | categories: Z; not the products: X; not the plans: Y; customers who pay for the first time",
		"1 % | everything",
		"20 % of everything else", "for the first 24 payments of a customer", "for 1 month from the first payment of a customer",
		"at most 50.00 USD for a sale", "at most 500.00 USD for all sales of a customer", "payable after 30 days",
	}})
	plan := must(w.CreatePlan(ctx, affiliate.PlanParams{Name: "secret plan", Terms: affiliate.Terms{Rate: affiliate.MustPercent("30")}}))
	must(w.SetAffiliatePlan(ctx, plan.ID, w.ada.ID))
	for day, rate := range map[int]string{1: "15", 2: "16", 3: "17"} {
		must(w.UpdatePlan(ctx, plan.ID, affiliate.PlanUpdate{TermsUpdate: affiliate.TermsUpdate{Rate: affiliate.Set(affiliate.MustPercent(rate)), From: affiliate.Set(affiliate.Day(2027, 1, day))}}))
	}
	says(parts{"Now": {"30 %"}, "From 1 Jan 2027, 00:00": {"15 %"}, "Later": {"From 2 Jan 2027, 00:00: 16 %", "From 3 Jan 2027, 00:00: 17 %"}})
	if page := w.get(cookie, "terms"); strings.Contains(page.body, "secret") || len(page.body) > 40<<10 {
		t.Errorf("%d bytes: %s", len(page.body), page.text())
	}
	w.now = time.Date(2027, 1, 2, 12, 0, 0, 0, time.UTC)
	cookie = w.enter(w.ada.ID)
	says(parts{"Now": {"16 %"}, "From 3 Jan 2027, 00:00": {"17 %"}})
}

// TestOwnLinks: where the host allows it, an affiliate makes and renames links; what the
// engine refuses is said at the field, and what was typed stays.
func TestOwnLinks(t *testing.T) {
	w := newWorld(t, "", func(c *portal.Config) { c.MaxLinks = 3 })
	cookie := w.enter(w.ada.ID)
	events := func() int { return len(must(w.Events(t.Context(), affiliate.EventQuery{}, affiliate.Page{})).Items) }
	before := events()
	form := w.get(cookie, "links").form("link", " ada-blog ")
	for range 2 {
		if made := w.post(cookie, "links", form); made.status != 303 || events() != before+1 {
			t.Fatalf("%d %s, %d events", made.status, made.text(), events()-before)
		} else if page := w.get(cookie, strings.TrimPrefix(made.head.Get("Location"), "./")); !strings.Contains(page.body, `class="notice"`) || !strings.Contains(page.body, `value="https://beans.example/shop?ref=ada-blog" readonly`) {
			t.Error(page.body)
		}
	}
	for typed, says := range map[string]string{"bob": "This link already exists", "a b": "can only contain letters, numbers, and hyphens", "7": "can be the number of a click"} {
		refused := w.post(cookie, "links", w.get(cookie, "links").form("link", typed))
		if refused.status < 400 || refused.status > 409 || !strings.Contains(refused.text(), "No link was made. ") || !strings.Contains(refused.text(), says) || !strings.Contains(refused.body, `value="`+html.EscapeString(typed)+`" maxlength="100"`) || !strings.Contains(refused.body, `aria-invalid="true"`) {
			t.Errorf("%q: %d %s", typed, refused.status, refused.body)
		}
	}
	stale := w.get(cookie, "links")
	if made := w.post(cookie, "links", stale.form("link", "")); made.status != 303 {
		t.Errorf("without a name: %d %s", made.status, made.text())
	}
	full := w.post(cookie, "links", w.get(cookie, "links").form("link", "ada-more"))
	if full.status != 403 {
		t.Errorf("the page is full and has a form: %d", full.status)
	}
	form = stale.form("link", "ada-more")
	form.Set("nonce", "another")
	if full = w.post(cookie, "links", form); full.status != 400 || !strings.Contains(full.text(), "as many links as") || strings.Contains(full.body, `name="link"`) || strings.Contains(full.body, "#f-link") {
		t.Errorf("one too many: %d %s", full.status, full.text())
	}

	id := must(w.Links(t.Context(), affiliate.LinkQuery{Slug: affiliate.Set("ada-blog")}, affiliate.Page{})).Items[0].ID.String()
	at := "links/" + id
	old := w.get(cookie, at)
	before = events()
	if renamed := w.post(cookie, at, old.form("link", "ada-video")); renamed.status != 303 || events() != before+1 {
		t.Errorf("%d %s", renamed.status, renamed.text())
	} else if page := w.get(cookie, strings.TrimPrefix(renamed.head.Get("Location"), "./../")); !strings.Contains(page.text(), "The link has its new name.") || !strings.Contains(page.text(), "Link ada-video") {
		t.Error(page.text())
	}
	if again := w.post(cookie, at, old.form("link", "ada-photo")); again.status != 409 || !strings.Contains(again.text(), "This was changed meanwhile, to ada-video.") {
		t.Errorf("an old page: %d %s", again.status, again.text())
	}
	for _, typed := range []string{"bob", ""} {
		if refused := w.post(cookie, at, w.get(cookie, at).form("link", typed)); refused.status < 400 || !strings.Contains(refused.text(), "The link was not renamed. ") || !strings.Contains(refused.body, `aria-invalid="true"`) {
			t.Errorf("%q: %d %s", typed, refused.status, refused.text())
		}
	}
	theirs := must(w.Partner(w.bob.ID).Links(t.Context(), affiliate.Page{})).Items[0].ID.String()
	for _, path := range []string{"links/" + theirs, "links/" + uuid.NewString(), "links/" + strings.ToUpper(id), "links/x", "links?affiliate=" + w.bob.ID.String()} {
		if page := w.get(cookie, path); page.status != 404 {
			t.Errorf("%s: %d", path, page.status)
		}
	}
	form = w.get(cookie, at).form("link", "mine")
	if answer := w.post(cookie, "links/"+theirs, form); answer.status != 403 {
		t.Errorf("the form of another link: %d", answer.status)
	}
	if answer := w.post(w.enter(w.bob.ID), at, form); answer.status != 403 {
		t.Errorf("the form of another affiliate: %d", answer.status)
	}
	who := "actor=affiliate:" + w.ada.ID.String()
	if log := w.log.String(); !strings.Contains(log, who+" action=link-add") || !strings.Contains(log, who+" action=link-rename") || !strings.Contains(log, "outcome=slug_taken") || strings.Contains(log, "ada-") {
		t.Error(log)
	}

	form = w.get(cookie, at).form("link", "mine")
	must(w.SetAffiliateStatus(t.Context(), affiliate.AffiliateBanned, w.ada.ID))
	if page := w.get(cookie, at); page.status != 200 || strings.Contains(page.body, `name="link"`) || w.post(cookie, at, form).status != 403 {
		t.Errorf("banned: %d %s", page.status, page.text())
	}
}

// TestNoOwnLinks: without MaxLinks there is a list, and no form is taken.
func TestNoOwnLinks(t *testing.T) {
	w := newWorld(t, "")
	cookie := w.enter(w.ada.ID)
	page := w.get(cookie, "links")
	if page.status != 200 || !strings.Contains(page.body, `data-copy="https://beans.example/shop?ref=ada"`) || strings.Contains(page.body, `name="link"`) || strings.Contains(page.body, "Rename") {
		t.Errorf("%d %s", page.status, page.body)
	}
	if answer := w.post(cookie, "links", w.get(cookie, "payout-details").form("link", "mine")); answer.status != 403 || len(must(w.Partner(w.ada.ID).Links(t.Context(), affiliate.Page{})).Items) != 1 {
		t.Errorf("%d %s", answer.status, answer.text())
	}
	for i := range 6 {
		must(w.CreateLink(t.Context(), affiliate.LinkParams{AffiliateID: w.ada.ID, Link: fmt.Sprint("more-", i)}))
	}
	if over := w.get(cookie, ""); strings.Count(over.body, "data-copy") != 5 || !strings.Contains(over.text(), "All links") {
		t.Error(over.text())
	}
}

// TestReports: an affiliate sees by what means they brought a month, in the figures of
// their own report, and nothing of others.
func TestReports(t *testing.T) {
	w := newWorld(t, "")
	must(w.TrackClick(t.Context(), affiliate.ClickParams{Slug: "ada", LandingURL: "https://beans.example/shop?ref=ada&sub=letter-12"}))
	must(w.TrackClick(t.Context(), affiliate.ClickParams{Slug: "bob", LandingURL: "https://beans.example/shop?ref=bob&sub=secret-of-bob"}))
	cookie := w.enter(w.ada.ID)
	month := w.now.Format("2006-01")
	subs := w.get(cookie, "reports/"+month+"/sub-ids")
	if !strings.Contains(subs.body, "letter-12") || strings.Contains(subs.body, "secret-of-bob") {
		t.Errorf("sub-ids: %s", subs.body)
	}
	links := w.get(cookie, "reports")
	if !strings.Contains(links.body, "<bdi>ada</bdi>") || !strings.Contains(links.body, `aria-current="true">Links</a>`) || strings.Contains(links.body, "Month after") {
		t.Errorf("links: %s", links.body)
	}
	for path, status := range map[string]int{
		"reports/" + month + "/codes": 200, "reports/" + month + "/pages": 200, "reports/" + month + "/sources": 200, "reports/" + month + "/campaigns": 200,
		"reports/" + month + "/affiliates": 404, "reports/" + month + "/": 404, "reports/2026-1/links": 404, "reports/2026-13/links": 404, "reports/x/links": 404,
		"reports/" + month + "/links?affiliateId=" + w.bob.ID.String(): 404,
	} {
		if got := w.get(cookie, path); got.status != status {
			t.Errorf("%s: %d", path, got.status)
		}
	}
}

package browser

import (
	"encoding/csv"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/input"

	"github.com/tributary-go/tributary/affiliate"
)

// Jobs that look: who was credited and why, why a code fails, the best of a quarter, a
// failing webhook, and what is owed.

// find types into the box that searches everything, and presses Enter there.
func (tb *tab) find(text string) {
	tb.Helper()
	tb.click("the search box", `document.querySelector("header input[type=search]")`)
	call(tb, input.InsertText, input.InsertTextParams{Text: text})
	tb.enter()
	tb.clicks++
}

// TestWhoIsCredited: from the id of an order to who was credited and why it earned what it did.
func TestWhoIsCredited(t *testing.T) {
	t.Parallel()
	scriptsOff(t, func(t *testing.T, open func(*world) *tab) {
		w := newWorld(t).fill()
		tb := open(w)
		tb.job(func() {
			tb.find(fmt.Sprint(int64(w.made.Free.ID)))
			tb.press(fmt.Sprintf("Sale %d of 12.34 USD", w.made.Free.ID))
			tb.says("Why 2.25 USD?")
			tb.says("Ada X")
			tb.says("Rate, of the program 20 %")
		})
	})
}

// TestWhyACodeFails: from a code that a customer complains about to the reason.
func TestWhyACodeFails(t *testing.T) {
	t.Parallel()
	scriptsOff(t, func(t *testing.T, open func(*world) *tab) {
		w := newWorld(t).fill()
		coupon := must(w.CreateCoupon(t.Context(), affiliate.CouponParams{Name: "Spring", PercentOff: affiliate.Set(affiliate.MustPercent("15"))}))(t)
		_ = must(w.CreateCode(t.Context(), affiliate.CodeParams{CouponID: coupon.ID, AffiliateID: w.made.Ada.ID, Code: "FIFTY", MinimumAmount: affiliate.Set(affiliate.MustAmount("50")), MinimumAmountCurrency: affiliate.Set(affiliate.Currency("USD"))}))(t)
		tb := open(w)
		tb.job(func() {
			tb.find("fifty")
			tb.press("FIFTY")
			tb.fill("Total", "49.99")
			tb.press("Preview")
			tb.says("It is refused")
			tb.says("50.00 USD")
		})
	})
}

// TestBestOfTheQuarter: who brought the most in a quarter, as a file.
func TestBestOfTheQuarter(t *testing.T) {
	t.Parallel()
	w := newYear(t)
	tb := newTab(t, originOf(t, sets["console"](w)))
	tb.job(func() {
		tb.press("Reports")
		tb.choose("Period", "This quarter")
		tb.press("Show")
		tb.says("1 Oct 2025 – 31 Dec 2025, beside 1 Jul 2025 –")
		rows := must(csv.NewReader(strings.NewReader(strings.TrimPrefix(tb.file("All rows as CSV"), "\ufeff"))).ReadAll())(t)
		tb.clicks++ // on the file
		var sum affiliate.Amount
		for _, row := range rows[1:] {
			sum = must(sum.Add(affiliate.MustAmount(row[7])))(t)
		}
		var total affiliate.Amount
		for _, b := range must(w.Report(t.Context(), affiliate.ReportQuery{From: time.Date(2025, 10, 1, 0, 0, 0, 0, time.UTC), To: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), By: affiliate.IntervalMonth}, affiliate.Page{}))(t).Items {
			total = must(total.Add(b.Revenue))(t)
		}
		if rows[0][7] != "revenue" || sum != total || total.IsZero() {
			t.Errorf("the %s of the file add up to %s, the report to %s", rows[0][7], sum, total)
		}
		if first := tb.text("tbody tr th a"); !strings.Contains(rows[1][1], first) {
			t.Errorf("the page begins with %q, the file with %q", first, rows[1])
		}
	})
}

// TestFailingWebhook: what fails is on the first page, and leads to what was answered and to sending it again.
func TestFailingWebhook(t *testing.T) {
	t.Parallel()
	scriptsOff(t, func(t *testing.T, open func(*world) *tab) {
		w := newWorld(t).fill()
		tb := open(w)
		tb.job(func() {
			tb.load(200, func() {
				tb.click("what failed", `document.querySelector('main .attention a[href*="webhooks/deliveries/"]')`)
			})
			tb.says("Attempts")
			tb.press("Send again…")
			tb.press("Send again")
			tb.says("Pending")
		})
		d := must(w.Webhooks().Delivery(t.Context(), w.made.Delivery))(t)
		if d.State != affiliate.DeliveryPending {
			t.Errorf("the delivery is %s", d.State)
		}
	})
}

// TestTotalOwed: what is owed now, and what was owed at a month's end.
func TestTotalOwed(t *testing.T) {
	t.Parallel()
	w := newYear(t)
	tb := newTab(t, originOf(t, sets["console"](w)))
	now := must(w.TotalBalance(t.Context(), time.Time{}))(t)
	then := must(w.TotalBalance(t.Context(), time.Date(2025, 12, 1, 0, 0, 0, 0, time.UTC)))(t)
	if now.Owed == then.Owed {
		t.Fatal("nothing happened in a month")
	}
	tb.job(func() {
		tb.press("Owed")
		tb.says(shown(now.Owed) + " USD Owed")
		tb.press("November 2025")
		tb.says("At the end of 30 Nov 2025.")
		tb.says(shown(then.Owed) + " USD Owed")
	})
}

// shown is an amount of less than a million as pages show it.
func shown(a affiliate.Amount) string {
	whole, part, _ := strings.Cut(a.String(), ".")
	if n := len(whole); n > 3 {
		whole = whole[:n-3] + "," + whole[n-3:]
	}
	return whole + "." + (part + "00")[:2]
}

// TestCouponWithThreeCodes: a coupon of which three affiliates have a code each.
func TestCouponWithThreeCodes(t *testing.T) {
	t.Parallel()
	scriptsOff(t, func(t *testing.T, open func(*world) *tab) {
		w := newWorld(t).fill()
		for _, slug := range []string{"grace", "mary"} {
			_ = must(w.CreateAffiliate(t.Context(), affiliate.AffiliateParams{FirstName: slug, LastName: "Y", Email: slug + "@example.org"}))(t)
		}
		tb := open(w)
		tb.job(func() {
			tb.press("Coupons")
			tb.press("New coupon…")
			tb.fill("Name", "Spring")
			tb.fill("Percent off", "15")
			tb.press("Create")
			tb.press("Generate…")
			tb.fill("Emails of the affiliates", "ada@example.org\ngrace@example.org\nmary@example.org")
			tb.press("Generate")
			tb.says("The codes were made.")
		})
		coupons := must(w.Coupons(t.Context(), affiliate.CouponQuery{}, affiliate.Page{Limit: 1}))(t).Items
		owners := map[string]bool{}
		for _, code := range must(w.Codes(t.Context(), affiliate.CodeQuery{CouponID: affiliate.Set(coupons[0].ID)}, affiliate.Page{}))(t).Items {
			owners[code.AffiliateID.String()] = true
		}
		if coupons[0].Name != "Spring" || len(owners) != 3 {
			t.Errorf("codes of %s for %d affiliates", coupons[0].Name, len(owners))
		}
	})
}

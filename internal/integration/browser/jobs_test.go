package browser

import (
	"encoding/csv"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/input"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/payfile"
	"github.com/tributary-go/tributary/httpapi/portal"
)

// The jobs for which people open the pages, each from the first page on, and what it
// costs them.

// mostClicks is how many clicks a job may take: on links, buttons, and fields that are
// typed into or chosen from.
const mostClicks = 8

// job does a job from the first page on, with clicks alone: no address is typed.
func (tb *tab) job(do func()) {
	tb.Helper()
	tb.open("/")
	clicks, typed := tb.clicks, tb.typed
	do()
	if clicks = tb.clicks - clicks; clicks > mostClicks || clicks == 0 {
		tb.Errorf("the job takes %d clicks, and may take %d", clicks, mostClicks)
	}
	if tb.typed > typed {
		tb.Errorf("%d addresses have to be typed", tb.typed-typed)
	}
	tb.Logf("%d clicks", clicks)
}

// TestApprove: an applicant is approved from the first page.
func TestApprove(t *testing.T) {
	t.Parallel()
	scriptsOff(t, func(t *testing.T, open func(*world) *tab) {
		w := newWorld(t).fill()
		tb := open(w)
		tb.job(func() {
			tb.press("Idle Y")
			tb.press("Approve…")
			tb.press("Approve")
			tb.says("Idle Y")
		})
		if got := must(w.Affiliate(t.Context(), w.made.Idle.Email))(t); got.Status != affiliate.AffiliateActive {
			t.Errorf("the affiliate is %s", got.Status)
		}
	})
}

// TestTenApplications: ten applications are read and decided on one page, by name, in twelve clicks.
func TestTenApplications(t *testing.T) {
	t.Parallel()
	scriptsOff(t, func(t *testing.T, open func(*world) *tab) {
		w := newWorld(t)
		var who []affiliate.Affiliate
		for i := range 10 {
			who = append(who, must(w.CreateAffiliate(t.Context(), affiliate.AffiliateParams{FirstName: fmt.Sprint("Ten", i),
				LastName: "Th", Email: fmt.Sprintf("ten%d@blog%d.example", i, i), AffiliateStatus: "inactive"}))(t))
		}
		tb := open(w)
		tb.open("/")
		before := tb.clicks
		tb.press("All of them…")
		for i, a := range who {
			verb := []string{"ACTIVE", "DECLINED"}[i%2]
			tb.click(verb, fmt.Sprintf(`document.querySelector("input[name='to-%s'][value=%s]")`, a.ID, verb))
		}
		tb.press("Save the decisions")
		tb.says("Nobody waits for approval.")
		if n := tb.clicks - before; n > 12 {
			t.Errorf("it takes %d clicks", n)
		}
		for i, a := range who {
			if got := must(w.Affiliate(t.Context(), a.ID.String()))(t).Status; (got == affiliate.AffiliateActive) != (i%2 == 0) || got == affiliate.AffiliateInactive {
				t.Errorf("applicant %d is %s", i, got)
			}
		}
	})
}

// TestClaim: an affiliate claims an order, which is given to them and answered from its case, and
// reads the answer.
func TestClaim(t *testing.T) {
	t.Parallel()
	scriptsOff(t, func(t *testing.T, open func(*world) *tab) {
		w := newWorld(t).fill()
		sale := must(w.RecordSale(t.Context(), affiliate.SaleParams{ReferralID: "idle", Email: "lost@x.example", Name: "L",
			TotalEarned: affiliate.MustAmount("50"), ExternalID: "order-77"}))(t).Sale.Or(affiliate.Sale{})
		ada := newTab(t, originOf(t, w.partner(portal.Config{Cases: true})))
		ada.job(func() {
			ada.press("Sales")
			ada.fill("Number of the order", "order-77")
			ada.fill("What you want to say", "My reader bought it")
			ada.press("Send")
			ada.says("It was sent.")
			look(ada, 1)
		})
		tb := open(w)
		tb.job(func() {
			tb.press("Order order-77 is missing")
			tb.says("My reader bought it")
			look(tb, 1)
			tb.press(fmt.Sprintf("Give sale %v to them…", sale.ID))
			tb.fill("Reason", "their reader bought it")
			tb.press("Give")
			tb.says("The sale was given to another affiliate.")
			tb.press("Answer…")
			tb.fill("Answer", "You are right. It is yours.")
			tb.press("Answer")
			tb.says("The answer was saved.")
			look(tb, 1)
		})
		ada.job(func() {
			ada.press("Questions")
			ada.says("You are right. It is yours.")
			look(ada, 1)
		})
		if got := must(w.Sale(t.Context(), sale.ID))(t).AffiliateID; got != w.made.Ada.ID {
			t.Errorf("the sale is of %s", got)
		}
		if err := w.Verify(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

// TestRefundAfterPayout: a sale whose commission was paid is refunded, and the commission is taken back from
// the next payout.
func TestRefundAfterPayout(t *testing.T) {
	t.Parallel()
	scriptsOff(t, func(t *testing.T, open func(*world) *tab) {
		w := newWorld(t).fill()
		tb := open(w)
		sale := fmt.Sprint(w.made.Paid.ID)
		tb.job(func() {
			tb.press("Money")
			tb.fill("Search", sale)
			tb.press("Show")
			tb.press(sale)
			tb.press("Refund…")
			tb.tick("All that is left")
			tb.press("Book the refund")
			tb.says("The commission is taken back from the next payout.")
			tb.press("Book the refund")
			tb.says("The refund was booked.")
		})
		got := must(w.Sale(t.Context(), w.made.Paid.ID))(t)
		if got.Status != affiliate.SaleRefunded || !got.CommissionEarned.IsZero() || !got.Commissions[0].PayoutCreated {
			t.Errorf("it is %s and earned %s", got.Status, got.CommissionEarned)
		}
		if err := w.Verify(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

// TestMonthlyPayout: two affiliates are paid with a file for PayPal, and one payment fails.
func TestMonthlyPayout(t *testing.T) {
	t.Parallel()
	scriptsOff(t, func(t *testing.T, open func(*world) *tab) {
		w := newWorld(t).fill()
		bo := must(w.Affiliate(t.Context(), "idle@example.org"))(t)
		must(w.SetPayoutDetails(t.Context(), bo.ID, affiliate.PayoutDetails{Method: "PAYPAL", Email: "bo@pay.example"}))(t)
		must(w.RecordSale(t.Context(), affiliate.SaleParams{ReferralID: "idle", Email: "bo@x.example", Name: "B", TotalEarned: affiliate.MustAmount("50")}))(t)
		tb := open(w)
		tb.job(func() {
			tb.press("Run payouts…")
			tb.press("Make the payouts")
			tb.says("2 payouts, ")
			tb.says("PayPal 2 ")
			look(tb, 1)
			tb.press("Make the payouts")
			tb.says("PayPal file")
			look(tb, 1)
			if file := tb.file("PayPal file"); file == "" {
				t.Error("the file is empty")
			}
			results := "reference,status,reason\n"
			run := must(w.PayoutRuns(t.Context(), affiliate.Page{Limit: 1}))(t).Items[0]
			for _, p := range must(w.Payouts(t.Context(), affiliate.PayoutQuery{RunID: affiliate.Set(run.ID)}, affiliate.Page{Limit: 9}))(t).Items {
				said := "Completed,"
				if p.AffiliateID == bo.ID {
					said = "Failed,no such account"
				}
				results += payfile.Ref(p.ID) + "," + said + "\n"
			}
			path := filepath.Join(t.TempDir(), "results.csv")
			if err := os.WriteFile(path, []byte(results), 0o600); err != nil {
				t.Fatal(err)
			}
			tb.press("Upload results…")
			tb.upload(path)
			tb.press("Book the results")
			tb.says("Paid now 1 Failed now 1")
		})
		tb.press("To the payouts")
		tb.says("Failed no such account")
		if err := w.Verify(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

// TestPaidByMethod: what was paid by hand is marked as paid in one step, but for the payment that failed.
func TestPaidByMethod(t *testing.T) {
	t.Parallel()
	scriptsOff(t, func(t *testing.T, open func(*world) *tab) {
		w := newWorld(t).fill()
		must(w.RunPayouts(t.Context(), affiliate.PayoutRun{ExternalID: "2026-03"}))(t)
		tb := open(w)
		tb.job(func() {
			tb.press("Money")
			tb.press("Payouts")
			tb.press("2026-03")
			tb.press("Mark all as paid…")
			tb.says("1 payout, 165.01 USD. What becomes paid")
			look(tb, 1)
			tb.press("Mark as paid: 1 payout, 165.01 USD")
			tb.says("Nothing: each payout of this run is settled.")
			look(tb, 1)
		})
	})
}

// TestCommissionFromNextMonth: everybody's commission, and that of an affiliate with a plan of their own, is
// another one from the next month on.
func TestCommissionFromNextMonth(t *testing.T) {
	t.Parallel()
	scriptsOff(t, func(t *testing.T, open func(*world) *tab) {
		w := newWorld(t).fill()
		tb := open(w)
		tb.job(func() {
			tb.press("Setup")
			tb.press("Change the terms…")
			tb.fill("They hold from", "2026-04-01")
			tb.fill("Rate", "12.5")
			tb.press("Save")
			tb.says("1 Apr 2026, 00:00 To come 12.5 %")
		})
		tb.job(func() {
			tb.press("Partners")
			tb.press("planned X")
			tb.press("Gold")
			tb.press("Change the terms…")
			tb.fill("They hold from", "2026-04-01")
			tb.fill("Rate", "30")
			tb.press("Save")
			tb.says("1 Apr 2026, 00:00 To come 30 %")
		})
	})
}

// TestMissingCommission: an affiliate misses the commission of an order. The page of the sale says who is
// credited and why, and it is given to the one who asks.
func TestMissingCommission(t *testing.T) {
	t.Parallel()
	scriptsOff(t, func(t *testing.T, open func(*world) *tab) {
		w := newWorld(t).fill()
		tb := open(w)
		sale := fmt.Sprint(w.made.Free.ID)
		tb.job(func() {
			tb.press("Money")
			tb.fill("Search", sale)
			tb.press("Show")
			tb.press(sale)
			tb.says("The link that the shop named → Ada X")
			tb.press("Give to another…")
			look(tb, 1)
			tb.fill("Affiliate", "planned")
			tb.fill("Reason", "The customer wrote their code into the comment")
			tb.press("Give")
			tb.says("The shop named them → planned X")
			tb.says("The customer wrote their code into the comment")
			look(tb, 1)
		})
		if got := must(w.Sale(t.Context(), w.made.Free.ID))(t); got.Affiliate.Email != "planned@example.org" {
			t.Errorf("it credits %s", got.Affiliate.Email)
		}
	})
}

// TestForfeit: somebody who is owed money is deleted only by who ticks that it is given up. The refusal
// names the amount and keeps everything, and the books say where the money went.
func TestForfeit(t *testing.T) {
	t.Parallel()
	scriptsOnAndOff(t, func(t *testing.T, open func(*world) *tab) {
		w := newWorld(t)
		dora := must(w.CreateAffiliate(t.Context(), affiliate.AffiliateParams{FirstName: "Dora", LastName: "D", Email: "dora@x.example", AffiliateLink: "dora"}))(t)
		_ = must(w.RecordSale(t.Context(), affiliate.SaleParams{ReferralID: "dora", Email: "buyer@x.example", Name: "Buyer", TotalEarned: affiliate.MustAmount("50")}))(t)
		tb := open(w)
		tb.open("/affiliates/" + dora.ID.String())
		tb.unfold("More")
		tb.press("Delete…")
		tb.pressAs(400, "Delete")
		tb.says("10.00 USD")
		_ = must(w.Affiliate(t.Context(), dora.ID.String()))(t)
		tb.tick("10.00 USD is owed, and is forfeited")
		tb.press("Delete")
		if _, err := w.Affiliate(t.Context(), dora.ID.String()); !errors.Is(err, affiliate.ErrNotFound) {
			t.Errorf("the affiliate after the deletion: %v", err)
		}
		tb.open("/books")
		look(tb, 1)
		if err := w.Verify(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

// TestSaleByHand: an order that was never reported is recorded for its affiliate.
func TestSaleByHand(t *testing.T) {
	t.Parallel()
	scriptsOff(t, func(t *testing.T, open func(*world) *tab) {
		w := newWorld(t).fill()
		tb := open(w)
		tb.job(func() {
			tb.press("Money")
			tb.press("Record a sale…")
			tb.fill("Customer", "new@x.example")
			tb.fill("Name of a new customer", "New")
			tb.fill("Affiliate", "ada@example.org")
			tb.fill("What the customer paid", "128,964.43")
			tb.fill("Number of the order", "4711")
			tb.press("Record")
			tb.says("Why 25,792.89 USD?")
			look(tb, 1)
		})
	})
}

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
		tb.press("Money")
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
			tb.press("New coupon…")
			tb.fill("Name", "Spring")
			tb.fill("Percent off", "15")
			tb.press("Create")
			tb.press("Generate codes…")
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

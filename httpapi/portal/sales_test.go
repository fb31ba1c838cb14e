package portal_test

import (
	"encoding/csv"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

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
	must(w.CancelPayout(ctx, p.ID))
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

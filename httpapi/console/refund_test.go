package console_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/tributary-go/tributary/affiliate"
)

// convert reports a conversion that earns 5.
func (w *world) convert() affiliate.Sale {
	w.t.Helper()
	ctx := w.t.Context()
	must(w.SetTerms(ctx, affiliate.TermsUpdate{Rules: affiliate.Set([]affiliate.Rule{{
		Name: "sign-ups", When: affiliate.RuleWhen{Conversions: []string{"signup"}}, Pay: affiliate.RulePay{Type: affiliate.RuleFlat, Rate: affiliate.MustPercent("5")},
	}})}))
	made := must(w.RecordConversion(ctx, affiliate.ConversionParams{Conversion: "signup", ReferralID: "ada", Email: "signs@x.example", Name: "S"}))
	return made.Sale.Or(affiliate.Sale{})
}

// TestTakeBackConversion: a conversion is taken back as a whole, so its form has no amount.
func TestTakeBackConversion(t *testing.T) {
	w := newWorld(t)
	w.fill("")
	sale := w.convert()
	at := fmt.Sprint("sales/", sale.ID)
	if page := w.get(at); !strings.Contains(page.text(), "Take back…") || strings.Contains(page.text(), "Refund…") {
		t.Errorf("the page: %s", page.text())
	}
	page := w.get(at + "/refund")
	if !strings.Contains(page.text(), "It is the conversion “signup”, for which nobody paid. It is taken back as a whole. Its commission of 5.00 USD falls to nothing.") || strings.Contains(page.text(), "All that is left") {
		t.Errorf("the form: %s", page.text())
	}
	form := w.form(at + "/refund")
	for _, name := range []string{"amount", "whole", "tax", "shipping"} {
		if form.Has(name) {
			t.Errorf("it asks for %s", name)
		}
	}
	form.Set("amount", "1") // forged: there is no such field
	asked := w.send(at+"/refund", form)
	if asked.status != 200 || !strings.Contains(asked.text(), fmt.Sprint("Take sale ", sale.ID, " back. It is the conversion “signup”, for which nobody paid. Its commission of 5.00 USD falls to nothing.")) {
		t.Fatalf("%d %s", asked.status, asked.text())
	}
	for range 2 {
		if done := w.send(at+"/refund", fieldsOf(t, asked.body)); done.status != 303 {
			t.Fatalf("%d %s", done.status, done.text())
		}
	}
	if now := must(w.Sale(t.Context(), sale.ID)); now.Status != affiliate.SaleRefunded || !now.CommissionEarned.IsZero() {
		t.Errorf("%s, %s", now.Status, now.CommissionEarned)
	}
	events := must(w.Events(t.Context(), affiliate.EventQuery{ObjectID: affiliate.Set(fmt.Sprint(sale.ID))}, affiliate.Page{Limit: 1})).Items
	if events[0].Type != "sale.deleted" {
		t.Errorf("the event is %s", events[0].Type)
	}
	if page := w.get(at + "/reverse"); strings.Contains(page.text(), "The customer paid") {
		t.Errorf("the other form: %s", page.text())
	}
}

// TestRefundOfLines: a refund can name the lines that have an id. Their amounts, tax and shipping
// are its amount; what is wrong with one of them stands at its field.
func TestRefundOfLines(t *testing.T) {
	w := newWorld(t)
	w.fill("")
	path := fmt.Sprint("sales/", w.lined.ID, "/refund")
	if page := w.get(path); !strings.Contains(page.text(), "Line 1 · Desk · DESK · p · office: it cost 60.00 USD, and 0.00 USD was refunded of it by name.") || strings.Contains(page.text(), "Of line 2") {
		t.Errorf("the form: %s", page.text())
	}
	before := w.effects()
	for _, row := range [][]string{
		{"line-1", "60.01"}, {"line-1", "x"}, {"line-1", "-1"}, {"amount", "5", "line-1", "4"}, {"whole", "1", "line-1", "4"}, {"line-1", "900000000000000", "tax", "900000000000000"},
	} {
		page := w.send(path, w.form(path, row...))
		if page.status == 200 {
			page = w.send(path, fieldsOf(t, page.body))
		}
		if page.status != 400 || w.effects() != before || !strings.Contains(page.body, `role="alert"`) || len(row) == 2 && !strings.Contains(page.body, `id="w-line-1"`) || fieldsOf(t, page.body).Get("line-1") != row[len(row)-1] && len(row) == 2 {
			t.Errorf("%v: %d %s", row, page.status, page.text())
		}
	}
	asked := w.send(path, w.form(path, "line-1", "20"))
	for _, says := range []string{"Refund 20.00 USD of sale", "80.00 USD of it is kept.", "20.00 USD of the refund: Line 1 · Desk · DESK · p · office."} {
		if !strings.Contains(asked.text(), says) {
			t.Errorf("it does not say %q: %s", says, asked.text())
		}
	}
	if done := w.send(path, fieldsOf(t, asked.body)); done.status != 303 {
		t.Fatalf("%d %s", done.status, done.text())
	}
	sale := must(w.Sale(t.Context(), w.lined.ID))
	if got := fmt.Sprint(sale.RefundedAmount, sale.Lines[0].Refunded, sale.Lines[1].Refunded); got != "20 20 0" {
		t.Errorf("refunded %s", got)
	}
	if page := w.get(fmt.Sprint("sales/", w.lined.ID)); !strings.Contains(page.text(), "60.00 USD 0.00 USD 20.00 USD Seats") {
		t.Errorf("the page: %s", page.text())
	}
	if page := w.get(path); !strings.Contains(page.text(), "20.00 USD was refunded of it by name") {
		t.Errorf("the form: %s", page.text())
	}
}

// TestChargedPages: a sale in another currency is shown with what was charged, and refunded in it.
func TestChargedPages(t *testing.T) {
	w := newWorld(t)
	must(w.CreateAffiliate(t.Context(), affiliate.AffiliateParams{FirstName: "Ada", LastName: "Moss", Email: "ada@example.org", AffiliateLink: "ada"}))
	must(w.RecordSale(t.Context(), affiliate.SaleParams{
		ReferralID: "ada", Email: "ida@x.example", Name: "Ida", TotalEarned: affiliate.MustAmount("120"), Tax: affiliate.MustAmount("20"), Currency: "EUR", ExchangeRate: affiliate.MustExchangeRate("1.0842"),
		Lines: []affiliate.Line{{ID: "a", ProductID: "SEAT", Amount: affiliate.MustAmount("100")}},
	}))
	for path, says := range map[string]string{
		"sales":              "in USD Sale When Affiliate Customer Total Commission Status 1 10 Mar 2026, 09:00 Ada Moss ida@x.example 130.10 120.00 EUR 21.68",
		"sales?currency=eur": "ida@x.example 130.10 120.00 EUR",
		"sales?currency=USD": "No sale fits.",
		"sales?currency=EU":  "Currency must be an ISO 4217 code",
		"sales/1":            "Paid by the customer 120.00 EUR less tax 20.00 EUR Base of the whole sale 100.00 EUR One EUR was worth 1.0842 USD Rate, of the program 20 % Exactly, before it is rounded 5421/250 Commission 21.68 USD",
		"sales/1 ":           "130.10 USD, charged as 120.00 EUR · recorded",
		"sales/1  ":          "SEAT 1 100.00 EUR 0.00 EUR",
		"sales/1/refund":     "The customer paid 120.00 EUR, which were 130.10 USD, and 0.00 EUR was refunded so far.",
	} {
		if page := w.get(strings.TrimSpace(path)); !strings.Contains(page.text(), says) {
			t.Errorf("%s does not say %q: %s", path, says, page.text())
		}
	}
	path := "sales/1/refund"
	asked := w.send(path, w.form(path, "line-1", "25", "tax", "5"))
	if !strings.Contains(asked.text(), "Refund 30.00 EUR of sale 1.") || !strings.Contains(asked.text(), "90.00 EUR of it is kept.") || !strings.Contains(asked.text(), "25.00 EUR of the refund: Line 1 · SEAT.") {
		t.Errorf("%d %s", asked.status, asked.text())
	}
	if done := w.send(path, fieldsOf(t, asked.body)); done.status != 303 {
		t.Fatalf("%d %s", done.status, done.text())
	}
	if page := w.get("sales/1"); !strings.Contains(page.text(), "Refunded 32.53 USD, of what was charged 30.00 EUR") {
		t.Error(page.text())
	}
	if page := w.get(path); !strings.Contains(page.text(), "All that is left: 90.00 EUR") || !strings.Contains(page.text(), "Amount in EUR") {
		t.Error(page.text())
	}
	asked = w.send(path, w.form(path, "whole", "1"))
	if done := w.send(path, fieldsOf(t, asked.body)); done.status != 303 {
		t.Fatalf("%d %s", done.status, done.text())
	}
	if sale := must(w.Sale(t.Context(), 1)); sale.Status != affiliate.SaleRefunded || !sale.CommissionEarned.IsZero() {
		t.Errorf("%s %s", sale.Status, sale.CommissionEarned)
	}
}

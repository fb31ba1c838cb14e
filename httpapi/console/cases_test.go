package console_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
)

// ask opens a case of Ada's.
func (w *world) ask(in affiliate.CaseParams) affiliate.Case {
	w.t.Helper()
	in.AffiliateID = w.ada.ID
	return must(w.OpenCase(w.t.Context(), in))
}

// TestCasePage: the page of a case says who is credited with its sale and why, or which payment
// waits, or that nothing is known, and leads to what can be done about it.
func TestCasePage(t *testing.T) {
	w := newWorld(t)
	w.fill("")
	ctx := t.Context()
	idle := must(w.RecordSale(ctx, affiliate.SaleParams{ReferralID: w.idle.ID.String(), Email: "p@x.example", Name: "P",
		TotalEarned: affiliate.MustAmount("30"), ExternalID: "order-1", ExternalInvoiceID: "inv-1"})).Sale.Or(affiliate.Sale{})
	must(w.Payments().ReportPayment(ctx, affiliate.PaymentFact{Provider: "stripe", Keys: []string{"pi_lost9"}, At: w.now, Currency: "USD",
		Payer: affiliate.PayerFact{ID: "cus_lost"}, Sale: affiliate.Set(affiliate.Paid{SaleParams: affiliate.SaleParams{TotalEarned: affiliate.MustAmount("9")}, Gross: affiliate.MustAmount("9"), Tries: []affiliate.Credit{{PromoCode: "GONE"}}})}))
	give := fmt.Sprintf(`sales/%v/move?affiliate=ada%%40example.org&amp;case=`, idle.ID)
	claim := func(order string) affiliate.Case {
		return w.ask(affiliate.CaseParams{Kind: affiliate.SaleClaim, ExternalID: order, Text: "<b>mine</b>\nreally"})
	}
	for name, tt := range map[string]struct {
		of          affiliate.Case
		says, has   []string
		says0, has0 []string // not
	}{
		"an order":   {claim("order-1"), []string{"Order order-1 is missing", "<b>mine</b>", fmt.Sprintf("Sale %v of 30.00 USD", idle.ID), "for Idle", "The shop named them."}, []string{give}, []string{"Nothing has been told"}, []string{"sales/new"}},
		"an invoice": {claim("inv-1"), []string{fmt.Sprintf("Sale %v of", idle.ID)}, []string{give}, nil, nil},
		"a payment":  {claim("pi_lost9"), []string{"9.00 USD, Stripe", "it names nobody who exists"}, []string{`payments"><bdi>9.00`, "sales/new?affiliate=ada%40example.org&amp;order=pi_lost9"}, []string{"Nothing has been told"}, []string{"/move?"}},
		"nothing":    {claim("unheard"), []string{"Nothing has been told by this number."}, []string{"sales/new?affiliate=ada%40example.org&amp;order=unheard"}, nil, []string{"/move?"}},
		"a question": {w.ask(affiliate.CaseParams{Kind: affiliate.SaleQuestion, SaleID: w.free.ID, Text: "why?"}), []string{fmt.Sprint("About sale ", w.free.ID), "why?"}, []string{fmt.Sprintf(`sales/%v"`, w.free.ID)}, []string{"not there"}, []string{"/move?", "sales/new"}},
		"to be paid": {w.ask(affiliate.CaseParams{Kind: affiliate.PayoutRequest}), []string{"To be paid now", "They wrote nothing.", "is payable to them now"}, []string{"affiliates/" + w.ada.ID.String() + "/pay", "payouts/new"}, []string{"Nothing has been told"}, []string{"sales/new"}},
	} {
		t.Run(name, func(t *testing.T) {
			page := w.get("affiliates/cases/" + tt.of.ID.String())
			text := page.text()
			for _, says := range append(tt.says, "Ada") {
				if !strings.Contains(text, says) {
					t.Errorf("it does not say %q: %s", says, text)
				}
			}
			for _, has := range append(tt.has, tt.of.ID.String()+"/answer") {
				if !strings.Contains(page.body, has) {
					t.Errorf("it lacks %s: %s", has, page.body)
				}
			}
			for _, says := range tt.says0 {
				if strings.Contains(text, says) {
					t.Errorf("it says %q", says)
				}
			}
			for _, has := range tt.has0 {
				if strings.Contains(page.body, has) {
					t.Errorf("it has %s", has)
				}
			}
		})
	}
	if page := w.get(fmt.Sprintf("sales/%v/move?affiliate=ada%%40example.org", idle.ID)); !strings.Contains(page.body, `value="ada@example.org"`) {
		t.Error("the form that gives the sale does not name who asks")
	}
	asked := claim("order-1-again").ID.String()
	move := fmt.Sprintf("sales/%v/move?affiliate=ada%%40example.org&case=%s", idle.ID, asked)
	if sent := w.send(move, w.form(move, "reason", "see the case")); !strings.Contains(sent.head.Get("Location"), "affiliates/cases/"+asked) {
		t.Errorf("it leads to %s: %s", sent.head.Get("Location"), sent.text())
	}
	if got := must(w.Sale(ctx, idle.ID)).AffiliateID; got != w.ada.ID {
		t.Errorf("the sale is of %s", got)
	}
	if page := w.get("sales/new?affiliate=ada%40example.org&order=unheard"); !strings.Contains(page.body, `value="unheard"`) {
		t.Error("the form that records the sale does not have the order")
	}
	if page := w.get("affiliates/cases/" + uuid.NewString()); page.status != 404 {
		t.Errorf("no case: %d", page.status)
	}
}

// TestCaseAnswered: an answered case says who answered, and is not answered again. The list has
// cases by state, and the navigation of partners and the overview those that wait: as far as 20.
func TestCaseAnswered(t *testing.T) {
	w := newWorld(t)
	w.fill("")
	for _, c := range must(w.Cases(t.Context(), affiliate.CaseQuery{Status: affiliate.CaseOpen}, affiliate.Page{})).Items {
		must(w.AnswerCase(t.Context(), c.ID, affiliate.CaseAnswer{Answer: "yes"}))
	}
	nav := func() string {
		_, rest, _ := strings.Cut(w.get("affiliates").body, ">Cases")
		count, _, _ := strings.Cut(rest, "</a>")
		return count
	}
	if got := nav(); got != "" {
		t.Errorf("nothing waits: %s", got)
	}
	first := w.ask(affiliate.CaseParams{Kind: affiliate.PayoutRequest, Text: "please"})
	if got := nav(); got != " <small>1</small>" {
		t.Errorf("one waits: %s", got)
	}
	if text := w.get("").text(); !strings.Contains(text, "Waits for an answer") || !strings.Contains(text, "To be paid now") {
		t.Errorf("the overview: %s", text)
	}
	path := "affiliates/cases/" + first.ID.String()
	if sent := w.send(path+"/answer", w.form(path+"/answer", "answer", "On <i>Friday</i>")); sent.status != 303 {
		t.Fatalf("%d %s", sent.status, sent.text())
	}
	page := w.get(path)
	for _, says := range []string{"On <i>Friday</i>", "by " + must(w.Case(t.Context(), first.ID)).Actor.Or("nobody")} {
		if !strings.Contains(page.text(), says) {
			t.Errorf("it does not say %q: %s", says, page.text())
		}
	}
	if strings.Contains(page.body, "/answer") {
		t.Error("it can be answered again")
	}
	if again := w.get(path + "/answer"); again.status != 409 && again.status != 400 {
		t.Errorf("the form of an answered case: %d", again.status)
	}
	if text := w.get("").text(); strings.Contains(text, "Waits for an answer") {
		t.Error("the overview has an answered case")
	}
	for n := range 20 {
		w.now = w.now.Add(time.Minute)
		w.ask(affiliate.CaseParams{Kind: affiliate.SaleClaim, ExternalID: fmt.Sprint("o-", n), Text: "t"})
	}
	if got := nav(); got != " <small>20</small>" {
		t.Errorf("20 wait: %s", got)
	}
	must(w.OpenCase(t.Context(), affiliate.CaseParams{AffiliateID: w.idle.ID, Kind: affiliate.PayoutRequest}))
	if got := nav(); got != " <small>20&#43;</small>" {
		t.Errorf("21 wait: %s", got)
	}
	open, answered := w.get("affiliates/cases?status=OPEN").text(), w.get("affiliates/cases?status=ANSWERED").text()
	if !strings.Contains(open, "21 on this page") || !strings.Contains(answered, "3 on this page") || strings.Contains(answered, "o-3") {
		t.Errorf("open: %s, answered: %s", open, answered)
	}
	if wrong := w.get("affiliates/cases?status=x"); wrong.status != 400 {
		t.Errorf("no state: %d", wrong.status)
	}
}

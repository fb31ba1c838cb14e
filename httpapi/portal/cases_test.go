package portal_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/httpapi/portal"
)

// cases are those of an affiliate, the newest first.
func (w *world) cases(of uuid.UUID) []affiliate.Case {
	return must(w.Cases(w.t.Context(), affiliate.CaseQuery{AffiliateID: affiliate.Set(of)}, affiliate.Page{})).Items
}

// TestCases: an affiliate claims an order, asks about a sale of theirs, and asks to be paid, each
// once for a form. They see what they have asked and the answers, and nobody else does.
func TestCases(t *testing.T) {
	w := newWorld(t, "")
	ada, bob := w.enter(w.ada.ID), w.enter(w.bob.ID)
	before := len(w.cases(w.ada.ID))
	claim := w.get(ada, "sales")
	sent := claim.form("externalId", " #77 ", "text", "<b>My</b> reader\r\nbought it")
	for range 2 {
		if made := w.post(ada, "cases", sent); made.status != 303 || len(w.cases(w.ada.ID)) != before+1 {
			t.Fatalf("%d %s, %d cases", made.status, made.text(), len(w.cases(w.ada.ID)))
		}
	}
	got := w.cases(w.ada.ID)[0]
	if got.Kind != affiliate.SaleClaim || got.ExternalID.Or("") != "#77" || got.Text != "<b>My</b> reader\nbought it" {
		t.Errorf("claimed: %+v", got)
	}
	if again := w.post(ada, "cases", w.get(ada, "sales").form("externalId", "#77", "text", "still")); again.status != 400 ||
		!strings.Contains(again.text(), "You have asked this already.") || !strings.Contains(again.body, `value="#77"`) || !strings.Contains(again.body, ">still</textarea>") {
		t.Errorf("claimed twice: %d %s", again.status, again.body)
	}

	own := must(w.Partner(w.ada.ID).Sales(t.Context(), affiliate.Page{Limit: 1})).Items[0].ID
	question := w.get(ada, fmt.Sprint("sales/", own)).form("text", "Why so little?")
	if made := w.post(ada, "cases", question); made.status != 303 || w.cases(w.ada.ID)[0].SaleID != affiliate.Set(own) {
		t.Errorf("asked: %d %s", made.status, made.text())
	}
	if made := w.post(ada, "cases", w.get(ada, "payouts").form()); made.status != 303 || w.cases(w.ada.ID)[0].Kind != affiliate.PayoutRequest {
		t.Errorf("to be paid: %d %s", made.status, made.text())
	}

	must(w.By("kim@shop.example").AnswerCase(t.Context(), got.ID, affiliate.CaseAnswer{Answer: "It is <i>yours</i> now"}))
	list := w.get(ada, "cases")
	for _, has := range []string{"Missing order #77 Answered", "<b>My</b> reader bought it", "It is <i>yours</i> now", fmt.Sprint("Sale ", own, " Waits"), "To be paid now Waits"} {
		if !strings.Contains(list.text(), has) {
			t.Errorf("the list lacks %q: %s", has, list.text())
		}
	}
	if strings.Contains(list.body, "kim@shop.example") || strings.Contains(list.body, "<i>yours") {
		t.Error("the list shows who answered, or markup")
	}
	if other := w.get(bob, "cases").text(); strings.Contains(other, "#77") || strings.Contains(other, "yours") {
		t.Errorf("somebody else sees %s", other)
	}
}

// TestCasesOfOthers: nobody asks about a sale of somebody else, with a form of somebody else, or to
// be paid nothing; and without the setting nobody asks.
func TestCasesOfOthers(t *testing.T) {
	w := newWorld(t, "")
	ada, bob := w.enter(w.ada.ID), w.enter(w.bob.ID)
	before := len(w.cases(w.bob.ID))
	of := must(w.Partner(w.ada.ID).Sales(t.Context(), affiliate.Page{Limit: 1})).Items[0].ID
	form := w.get(bob, "sales").form("kind", "SALE_QUESTION", "saleId", fmt.Sprint(of), "text", "whose?")
	if got := w.post(bob, "cases", form); got.status != 404 || !strings.Contains(got.text(), "Sale not found") {
		t.Errorf("a sale of somebody else: %d %s", got.status, got.text())
	}
	if got := w.post(bob, "cases", w.get(ada, "sales").form("externalId", "1", "text", "t")); got.status != 403 {
		t.Errorf("a form of somebody else: %d", got.status)
	}
	long := w.post(bob, "cases", w.get(bob, "sales").form("externalId", "1", "text", strings.Repeat("x", 2001)))
	if long.status != 400 || !strings.Contains(long.text(), "What you want to say is too long") {
		t.Errorf("a long text: %d %s", long.status, long.text())
	}
	paid := w.get(bob, "payouts").form()
	must(w.CreatePayout(t.Context(), affiliate.PayoutParams{AffiliateID: w.bob.ID, ManuallyPaid: true}))
	if got := w.post(bob, "cases", paid); got.status != 400 || !strings.Contains(got.text(), "Nothing is due to you now.") {
		t.Errorf("to be paid nothing: %d %s", got.status, got.text())
	}
	if strings.Contains(w.get(bob, "payouts").body, "Ask to be paid") {
		t.Error("nothing is due, and the page has the form")
	}
	if n := len(w.cases(w.bob.ID)); n != before {
		t.Errorf("%d cases", n)
	}
	none := newWorld(t, "", func(c *portal.Config) { c.Cases = false })
	cookie := none.enter(none.ada.ID)
	if got := none.get(cookie, "cases"); got.status != 404 {
		t.Errorf("without the setting: %d", got.status)
	}
	if strings.Contains(none.get(cookie, "sales").body, "An order of mine") {
		t.Error("without the setting the page has the form")
	}
}

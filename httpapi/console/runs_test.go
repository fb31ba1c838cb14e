package console_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/tributary-go/tributary/affiliate"
)

// TestPreview: the page before a run says who is paid by what, who waits and why, and the sum of
// each method, which add up to what the run then pays.
func TestPreview(t *testing.T) {
	w := newWorld(t)
	w.fill("")
	w.due("first", 2)
	for _, p := range must(w.Payouts(t.Context(), affiliate.PayoutQuery{Status: affiliate.PayoutPending}, affiliate.Page{Limit: 9})).Items {
		must(w.CancelPayout(t.Context(), p.ID)) // owed again
	}
	page := w.send("payouts/new", w.form("payouts/new", "externalId", "2026-03"))
	for _, want := range []string{
		"3 payouts, ", " in all.", "What is paid, by method Paid by Payouts Amount in USD PayPal 1 ", " Wise 2 16.00 ",
		"Affiliate Paid by Note Amount in USD", "Pay Ee Wise Their last payout was canceled 8.00 Pay Ee Wise Their last payout was canceled 8.00", "planned X Not said Waits: Not yet due ",
	} {
		if !strings.Contains(page.text(), want) {
			t.Errorf("the preview does not say %q: %s", want, page.text())
		}
	}
	if to := w.send("payouts/new", fieldsOf(t, page.body)); to.status != 303 {
		t.Fatal(to.status, to.text())
	}
	run := must(w.PayoutRun(t.Context(), "2026-03"))
	if run.Created != 3 || !strings.Contains(page.text(), "3 payouts, "+run.Total.String()) {
		t.Errorf("paid %d, %s: the preview says %s", run.Created, run.Total, page.text())
	}
	shown := w.get("payouts/run?externalId=2026-03").text()
	for _, want := range []string{"Wise 2 16.00 Wise file Mark all as paid…", "PayPal file with 12,50", "Pay Ee 8.00 Wise Pending What is in it", "Waits Not yet due"} {
		if !strings.Contains(shown, want) {
			t.Errorf("the run does not say %q: %s", want, shown)
		}
	}
}

// TestPayMethod: all payouts of a method become paid with one form, which repeats how many and how
// much, and pays no others however late or often it is sent.
func TestPayMethod(t *testing.T) {
	w := newWorld(t)
	w.fill("")
	due, other := w.due("run", 3), w.due("other", 1)[0]
	const path = "payouts/paid?externalId=run&method=WISE"
	if page := w.get(path); !strings.Contains(page.text(), "3 payouts, 24.00 USD") {
		t.Error(page.text())
	}
	old := w.form(path)
	must(w.FailPayout(t.Context(), due[0].ID, "no such account"))
	page := w.send(path, old)
	if page.status != 409 || !strings.Contains(page.text(), "2 payouts, 16.00 USD") || w.statuses(due...) != "FAILED PENDING PENDING " {
		t.Errorf("%d, %s: %s", page.status, w.statuses(due...), page.text())
	}
	form := fieldsOf(t, page.body)
	for range 2 {
		if to := w.send(path, form); to.status != 303 || !strings.Contains(to.head.Get("Location"), "payouts/run?") {
			t.Errorf("%d %s", to.status, to.text())
		}
		if got := w.statuses(due...); got != "FAILED PAID PAID " {
			t.Errorf("they are %s", got)
		}
	}
	if got := w.statuses(other); got != "PENDING " {
		t.Errorf("that of the other run is %s", got)
	}
	run := w.get("payouts/run?externalId=run")
	for _, want := range []string{"Nothing: each payout of this run is settled.", "Failed no such account What is in it", "Wise Paid What is in it"} {
		if !strings.Contains(run.text(), want) {
			t.Errorf("the run does not say %q: %s", want, run.text())
		}
	}
	if none := w.get(path); none.status != 400 || !strings.Contains(none.text(), "Nothing of this run is still to be paid") {
		t.Errorf("%d %s", none.status, none.text())
	}
	if err := w.Verify(t.Context()); err != nil {
		t.Error(err)
	}
}

// TestPayMethodGoesOn: a form that was cut off in the middle goes on with the rest when it is asked again.
func TestPayMethodGoesOn(t *testing.T) {
	w := newWorld(t)
	w.fill("")
	due := w.due("run", 3)
	const path = "payouts/paid?externalId=run&method=WISE"
	form := w.form(path)
	must(w.SetPayoutStatus(t.Context(), due[0].ID, affiliate.PayoutProcessing))
	must(w.SetPayoutStatus(t.Context(), due[0].ID, affiliate.PayoutPaid))
	page := w.send(path, form)
	if page.status != 409 || !strings.Contains(page.text(), "2 payouts, 16.00 USD") {
		t.Fatalf("%d %s", page.status, page.text())
	}
	if to := w.send(path, fieldsOf(t, page.body)); to.status != 303 || w.statuses(due...) != "PAID PAID PAID " {
		t.Errorf("%d, %s", to.status, w.statuses(due...))
	}
}

// statuses are those of payouts, each with a space after it.
func (w *world) statuses(all ...affiliate.Payout) (said string) {
	for _, p := range all {
		said += fmt.Sprint(must(w.Payout(w.t.Context(), p.ID)).Status, " ")
	}
	return said
}

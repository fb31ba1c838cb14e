package console_test

import (
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/tributary-go/tributary/affiliate"
)

// follow is the page that an answer leads to.
func (w *world) follow(path string, answer pageAnswer) pageAnswer {
	w.t.Helper()
	return ask(w.desk, "GET", must(must(url.Parse("/"+path)).Parse(answer.head.Get("Location"))).String(), "")
}

// TestNotices: a page says that something was done only to who has done
// it, at the page where that led; no address that somebody makes up or moves says it.
func TestNotices(t *testing.T) {
	w := newWorld(t)
	w.fill("")
	at := "affiliates/" + w.ada.ID.String()
	answer := w.send(at+"/payout-details", w.form(at+"/payout-details", "payoutEmail", "new@pay.example"))
	to := must(must(url.Parse("/" + at + "/payout-details")).Parse(answer.head.Get("Location")))
	notice := `class="notice"`
	if page := ask(w.desk, "GET", to.String(), ""); !strings.Contains(page.body, notice) {
		t.Fatalf("%s: %s", to, page.text())
	}
	token := to.Query().Get("done")
	for _, link := range []string{
		"/" + at + "?done=sales.refund", "/" + at + "?done=affiliates.payout-details", "/" + at + "?done=affiliates.payout-details~", "/" + at + "?done=unchanged",
		"/sales?done=" + url.QueryEscape(token), "/affiliates/" + w.idle.ID.String() + "?done=" + url.QueryEscape(token), "/" + at + "?done=" + url.QueryEscape(strings.Replace(token, "affiliates.payout-details", "affiliates.delete", 1)),
	} {
		if page := ask(w.desk, "GET", link, ""); strings.Contains(page.body, notice) {
			t.Errorf("%s: %s", link, page.text())
		}
	}
	if page := ask(w.desk, "GET", to.String(), "", "Actor", "somebody else"); strings.Contains(page.body, notice) {
		t.Error("somebody else is told that they have done it")
	}
	w.now = w.now.Add(14 * time.Hour)
	if page := ask(w.desk, "GET", to.String(), ""); strings.Contains(page.body, notice) {
		t.Error("the next day it says so still")
	}
	coupon := "coupons/" + w.stock().coupon.ID.String()
	for link, claim := range map[string]string{
		coupon + "?made=2026-03-10T09%3A00%3A00.000Z": "just made", at + "/erase?cursor=x": "there is more", at + "/recalculate?cursor=x": "there are more",
		"tiers/assign?cursor=x": "there are more", "payouts/new?externalId=other": "there are more", "customers/" + w.customer.ID.String() + "/erase?cursor=x": "there is more",
	} {
		if page := w.get(link); page.status != 200 || strings.Contains(page.text(), claim) {
			t.Errorf("%s claims %q: %s", link, claim, page.text())
		}
	}
}

// TestFilterStays: what is done with what is ticked leads back to the
// list as it was, with its filter and its page, and so does Cancel.
func TestFilterStays(t *testing.T) {
	w := newWorld(t)
	w.fill("")
	list := url.Values{"status": {"INACTIVE"}, "q": {"i"}}.Encode()
	page := w.get("affiliates?" + list)
	hidden := ""
	for _, e := range parse(t, page.body) {
		if e.attrs["name"] == "list" {
			hidden = e.attrs["value"]
		}
	}
	if hidden != list {
		t.Fatalf("the list is %q, not %q", hidden, list)
	}
	ids := "?id=" + w.idle.ID.String()
	for path, fields := range map[string][]string{
		"affiliates/plan" + ids: {"commissionPlanId", w.stock().plan.ID.String()}, "affiliates/tier" + ids: {"commissionTierId", w.stock().tier.ID.String()}, "affiliates/status" + ids + "&to=DECLINED": nil,
	} {
		path += "&list=" + url.QueryEscape(list)
		form := w.get(path)
		if !strings.Contains(form.body, `href="./../affiliates?q=i&amp;status=INACTIVE"`) {
			t.Errorf("%s: Cancel leads elsewhere: %s", path, form.body)
		}
		answer := w.send(path, w.form(path, fields...))
		to := must(url.Parse(answer.head.Get("Location")))
		if answer.status != 303 || to.Path != "./../affiliates" || to.Query().Get("status") != "INACTIVE" || to.Query().Get("q") != "i" {
			t.Errorf("%s: %d, to %s", path, answer.status, to)
		}
		if shown := w.follow(path, answer); shown.status != 200 || !strings.Contains(shown.body, `class="notice"`) {
			t.Errorf("%s: %d %s", path, shown.status, shown.text())
		}
	}
	held := url.Values{"approval": {"ON_HOLD"}, "since": {"2026-01-01"}}.Encode()
	path := fmt.Sprint("sales/review?id=", w.held.ID, "&to=ACCEPTED&list=", url.QueryEscape(held))
	if answer := w.send(path, w.form(path)); !strings.HasPrefix(answer.head.Get("Location"), "./../sales?approval=ON_HOLD&done=") || !strings.Contains(answer.head.Get("Location"), "since=2026-01-01") {
		t.Errorf("%d %s", answer.status, answer.head.Get("Location"))
	}
	evil := "affiliates/plan?id=" + w.ada.ID.String() + "&list=" + url.QueryEscape("//evil.example/?done=sales.refund&nothing=1")
	if form := w.get(evil); form.status != 200 || strings.Contains(form.body, "evil") && strings.Contains(form.body, `href="//evil`) || strings.Contains(form.body, "nothing=1\"") {
		t.Errorf("%d %s", form.status, form.body)
	}
}

// TestMoneyIsRepeated: before money moves a page repeats the
// amount, and all of a sale is refunded only when that was ticked.
func TestMoneyIsRepeated(t *testing.T) {
	w := newWorld(t)
	w.fill("")
	refund := fmt.Sprint("sales/", w.free.ID, "/refund")
	before := w.effects()
	for _, fields := range [][]string{{"amount", ""}, {"amount", "5", "whole", "1"}, {"amount", "12,50"}, {"amount", "1,23.4"}, {"amount", "0,5"}} {
		if page := w.send(refund, w.form(refund, fields...)); page.status != 400 || w.effects() != before || !strings.Contains(page.body, `aria-invalid="true"`) {
			t.Errorf("%v: %d %s", fields, page.status, page.text())
		}
	}
	page := w.send(refund, w.form(refund, "amount", "5", "tax", "4", "shipping", "1"))
	if page.status != 200 || !strings.Contains(page.text(), "4.00 USD of the refund was tax. 1.00 USD of the refund was shipping.") {
		t.Errorf("%d %s", page.status, page.text())
	}
	page = w.send(refund, w.form(refund, "whole", "1"))
	if page.status != 200 || w.effects() != before || !strings.Contains(page.text(), "Refund 12.34 USD") {
		t.Fatalf("%d %s", page.status, page.text())
	}
	change := fieldsOf(t, page.body)
	change.Set("change", "1")
	if form := w.send(refund, change); form.status != 200 || w.effects() != before || fieldsOf(t, form.body).Get("whole") != "1" {
		t.Errorf("Change: %d %s", form.status, form.text())
	}
	if done := w.send(refund, fieldsOf(t, page.body)); done.status != 303 {
		t.Errorf("%d %s", done.status, done.text())
	}
	if sale := must(w.Sale(t.Context(), w.free.ID)); sale.Status != affiliate.SaleRefunded {
		t.Error(sale.Status)
	}
	adjust := "affiliates/" + w.ada.ID.String() + "/adjust"
	page = w.send(adjust, w.form(adjust, "kind", "CORRECTION", "amount", "-1,250.5", "reason", "a fee"))
	if page.status != 200 || !strings.Contains(page.text(), "Correction of −1,250.50 USD") {
		t.Errorf("%d %s", page.status, page.text())
	}
	run := "payouts/new"
	page = w.send(run, w.form(run, "externalId", "r", "minimum", "0"))
	if page.status != 200 || !strings.Contains(page.text(), "1 payout, ") {
		t.Fatalf("%d %s", page.status, page.text())
	}
	must(w.RecordSale(t.Context(), affiliate.SaleParams{ReferralID: "ada", Email: "new@x.example", Name: "N", TotalEarned: affiliate.MustAmount("100")}))
	before = w.effects()
	if stale := w.send(run, fieldsOf(t, page.body)); stale.status != 409 || w.effects() != before || !strings.Contains(stale.text(), "has changed meanwhile") {
		t.Errorf("%d, changed %v: %s", stale.status, w.effects() != before, stale.text())
	}
}

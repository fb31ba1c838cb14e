package console_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
)

// What the console changes is said to be done by who is logged in, and the history shows it, with what
// has changed.
func TestHistory(t *testing.T) {
	w := newWorld(t)
	w.fill("")
	of, edit := "affiliates/"+w.ada.ID.String(), "affiliates/"+w.ada.ID.String()+"/edit"
	if page := w.send(edit, w.form(edit, "lastName", "Byron", "externalId", "ada-7")); page.status != 303 {
		t.Fatalf("%d %s", page.status, page.text())
	}
	newest := w.newest(w.ada.ID)
	if newest.Type != affiliate.AffiliateUpdated || newest.Actor != "ops" {
		t.Errorf("%s was done by %q", newest.Type, newest.Actor)
	}
	history := "events?object=" + w.ada.ID.String()
	if !strings.Contains(w.get(of).body, history) {
		t.Error("the page of an affiliate does not lead to its history")
	}
	for _, address := range []string{of, history, "events/" + newest.ID.String()} {
		if page := w.get(address).text(); !strings.Contains(page, "ops") {
			t.Errorf("%s does not say who: %s", address, page)
		}
	}
	for _, address := range []string{of, history} {
		if page := w.get(address).text(); !strings.Contains(page, "affiliate.updated last name, your own id ") {
			t.Errorf("%s does not say what: %s", address, page)
		}
	}
}

func (w *world) newest(object uuid.UUID) affiliate.Event {
	w.t.Helper()
	return must(w.Events(w.t.Context(), affiliate.EventQuery{ObjectID: affiliate.Set(object.String())}, affiliate.Page{Limit: 1})).Items[0]
}

// TestReason: who declines, bans or takes somebody back can say why, for one and for many. The history
// says it, as text, and receivers are not told. The reason of a move is there too.
func TestReason(t *testing.T) {
	w := newWorld(t)
	w.fill("")
	waits := func(email string) affiliate.Affiliate {
		return must(w.CreateAffiliate(t.Context(), affiliate.AffiliateParams{FirstName: "O", LastName: "O", Email: email, AffiliateStatus: "inactive"}))
	}
	other, third := waits("o@example.org"), waits("p@example.org")
	status := func(to affiliate.AffiliateStatus, ids ...uuid.UUID) string {
		path := "affiliates/status?to=" + string(to)
		for _, id := range ids {
			path += "&id=" + id.String()
		}
		return path
	}
	for _, c := range []struct {
		path, reason, says string
		of                 []uuid.UUID
	}{
		{status(affiliate.AffiliateDeclined, w.idle.ID, other.ID), "  <b>no site</b>\u202e ", "status: declined", []uuid.UUID{w.idle.ID, other.ID}},
		{"affiliates/" + other.ID.String() + "/take-back", "has a site", "status: active", []uuid.UUID{other.ID}},
		{status(affiliate.AffiliateBanned, other.ID), "buys by their own link", "status: banned", []uuid.UUID{other.ID}},
		{status(affiliate.AffiliateActive, third.ID), "", "status: active", []uuid.UUID{third.ID}},
	} {
		before := w.effects()
		if page := w.send(c.path, w.form(c.path, "reason", strings.Repeat("é", 501))); page.status != 400 || !strings.Contains(page.text(), "500 characters") || w.effects() != before {
			t.Errorf("%s: %d %s", c.path, page.status, page.text())
		}
		if page := w.send(c.path, w.form(c.path, "reason", c.reason)); page.status != 303 {
			t.Fatalf("%s: %d %s", c.path, page.status, page.text())
		}
		for _, id := range c.of {
			e := w.newest(id)
			if e.Actor != "ops" || e.Reason != strings.TrimSpace(c.reason) || strings.Contains(string(e.Payload), "site") {
				t.Errorf("%s: by %q because %q: %s", c.path, e.Actor, e.Reason, e.Payload)
			}
			says := "affiliate.updated " + c.says + " ops " + strings.ReplaceAll(e.Reason, "\u202e", "U+202E")
			if page := w.get("affiliates/" + id.String()).text(); !strings.Contains(page, says) {
				t.Errorf("%q is not on the page: %s", says, page)
			}
			if page := w.get("events/" + e.ID.String()).text(); e.Reason != "" && !strings.Contains(page, "by ops , because "+strings.ReplaceAll(e.Reason, "\u202e", "U+202E")) {
				t.Errorf("the page of the event does not say why: %s", page)
			}
		}
	}
	move := "customers/" + w.customer.ID.String() + "/move"
	if page := w.send(move, w.form(move, "affiliate", "idle", "reason", "they asked")); page.status != 303 || w.newest(w.customer.ID).Reason != "they asked" {
		t.Errorf("%d, because %q", page.status, w.newest(w.customer.ID).Reason)
	}
	sale := fmt.Sprint("sales/", w.free.ID)
	if page := w.send(sale+"/move", w.form(sale+"/move", "affiliate", "idle", "reason", "they asked too")); page.status != 303 || strings.Count(w.get(sale).text(), "they asked too") != 2 {
		t.Errorf("%d, %s", page.status, w.get(sale).text())
	}
}

// TestWhoMovedMoney: the page of a payout says who made it and who said that it was paid, and that of a sale who
// refunded it.
func TestWhoMovedMoney(t *testing.T) {
	w := newWorld(t)
	w.fill("")
	at := "payouts/" + w.payout.ID.String()
	w.now = w.now.Add(time.Hour)
	must(w.By("bank").SetPayoutStatus(t.Context(), w.payout.ID, affiliate.PayoutPaid))
	w.now = w.now.Add(time.Hour)
	for range 60 {
		must(w.RecordSale(t.Context(), affiliate.SaleParams{ReferralID: w.ada.ID.String(), Email: "kim@example.net", Name: "Kim", TotalEarned: affiliate.MustAmount("10")}))
	}
	w.now = w.now.Add(time.Hour)
	back := w.form(at+"/status?to=RETURNED", "returnedReason", "no account")
	if page := w.send(at+"/status?to=RETURNED", back); page.status != 303 {
		t.Fatalf("%d %s", page.status, page.text())
	}
	page := w.get(at).text()
	if !strings.Contains(page, "Payout returned ops ") || !strings.Contains(page, "Payout paid bank ") || strings.Count(page, "Payout created") != 1 {
		t.Errorf("the payout: %s", page)
	}
	sale := fmt.Sprint("sales/", w.free.ID)
	if page := w.send(sale+"/refund", w.ready(sale+"/refund", "whole", "1")); page.status != 303 {
		t.Fatalf("%d %s", page.status, page.text())
	}
	if page := w.get(sale).text(); !strings.Contains(page, "Refund ops ") {
		t.Errorf("the sale: %s", page)
	}
}

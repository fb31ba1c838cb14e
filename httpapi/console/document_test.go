package console_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/httpapi/console"
)

// A document has the figures of the statement, and what the host adds.
func TestDocument(t *testing.T) {
	var doc console.Document
	var fails error
	w := newWorld(t, func(_ *tributary.Config, c *console.Config) {
		c.Document = func(_ context.Context, a affiliate.Affiliate, month time.Time) (console.Document, error) {
			if a.Email == "" || month.Day() != 1 {
				t.Errorf("asked about %q, %v", a.Email, month)
			}
			return doc, fails
		}
	})
	w.fill("")
	w.now = time.Date(2026, 4, 9, 12, 0, 0, 0, time.UTC)
	must(w.RecordSale(t.Context(), affiliate.SaleParams{ReferralID: w.ada.ID.String(), Email: "kim@x.example", Name: "Kim", TotalEarned: affiliate.MustAmount("128964.43")}))
	must(w.RecordAdjustment(t.Context(), affiliate.AdjustmentParams{AffiliateID: w.ada.ID, Kind: affiliate.AdjustBonus, Amount: affiliate.MustAmount("12.5"), Reason: "r"}))
	must(w.SetPayoutStatus(t.Context(), w.payout.ID, affiliate.PayoutPaid))
	path := "affiliates/" + w.ada.ID.String() + "/statements/2026-04/document"
	s := must(w.Statement(t.Context(), affiliate.AffiliateRef{ID: w.ada.ID}, time.Date(2026, 4, 1, 0, 0, 0, 0, time.UTC), time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC)))
	got := w.get(path).text()
	for _, want := range []string{
		"Statement Every line Number 2026-04-" + w.ada.ID.String()[24:], "Northwind Beans", w.ada.Email, "it still goes on", "Owed on 1 Apr 2026", s.Opening.Owed.String(),
		"1 sale", "25,792.89", "Adjustments", "12.50", "Paid", "-" + must(s.Closing.Paid.Sub(s.Opening.Paid)).String(), "Owed at the end of 30 Apr 2026",
	} {
		if !strings.Contains(got, want) && !strings.Contains(strings.ReplaceAll(got, "−", "-"), want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	doc = console.Document{Title: "Self-billing invoice", Number: "SB-7", From: "Northwind Beans Ltd\n1 Quay <script>", To: "Ada Ltd\nVAT DE1", Note: "VAT reverse charge"}
	got = w.get(path).body
	for _, want := range []string{"Self-billing invoice", "SB-7", "<div><bdi>1 Quay &lt;script&gt;</bdi></div>", "<div><bdi>VAT DE1</bdi></div>", "VAT reverse charge"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	fails = errors.New("internal text")
	if page := w.get(path); page.status != 500 || strings.Contains(page.body, "internal text") || !strings.Contains(w.log.String(), "internal text") {
		t.Errorf("an error of the host: %d %s", page.status, page.text())
	}
	if page := w.get("affiliates/" + w.ada.ID.String() + "/statements/2026-13/document"); page.status != 404 {
		t.Errorf("a month that is none: %d", page.status)
	}
}

package console_test

import (
	"strings"
	"testing"
	"time"

	"github.com/tributary-go/tributary/affiliate"
)

// sumOf adds up the column of a file.
func sumOf(t *testing.T, rows [][]string, column string) affiliate.Amount {
	t.Helper()
	var sum affiliate.Amount
	at := -1
	for i, name := range rows[0] {
		if name == column {
			at = i
		}
	}
	if at < 0 {
		t.Fatalf("no column %s in %q", column, rows[0])
	}
	for _, row := range rows[1:] {
		sum = must(sum.Add(affiliate.MustAmount(row[at])))
	}
	return sum
}

// The page of what is owed shows the total, its file adds up to it, and the statements of
// a month lead from the one to the other.
func TestOwed(t *testing.T) {
	w := newWorld(t)
	w.fill("")
	w.now = time.Date(2026, 3, 31, 12, 0, 0, 0, time.UTC)
	march := must(w.TotalBalance(t.Context(), time.Time{}))
	w.now = time.Date(2026, 4, 9, 12, 0, 0, 0, time.UTC)
	must(w.RecordSale(t.Context(), affiliate.SaleParams{ReferralID: w.ada.ID.String(), Email: "kim@x.example", Name: "Kim", TotalEarned: affiliate.MustAmount("128964.43")}))
	must(w.RecordAdjustment(t.Context(), affiliate.AdjustmentParams{AffiliateID: w.ada.ID, Kind: affiliate.AdjustCorrection, Amount: affiliate.MustAmount("-7.5"), Reason: "r"}))
	must(w.SetPayoutStatus(t.Context(), w.payout.ID, affiliate.PayoutPaid))
	w.now = time.Date(2026, 5, 2, 12, 0, 0, 0, time.UTC)
	april := must(w.TotalBalance(t.Context(), time.Time{}))
	must(w.RefundSale(t.Context(), affiliate.Refund{SaleID: w.free.ID}))
	if march.Owed == april.Owed || april.Paid == march.Paid {
		t.Fatalf("nothing happened: %+v, %+v", march, april)
	}
	for address, want := range map[string]affiliate.TotalBalance{"owed": must(w.TotalBalance(t.Context(), time.Time{})), "owed?at=2026-03-31": march, "owed?at=2026-04-30": april} {
		page := w.get(address).text()
		for _, figure := range []string{
			want.Owed.String(), want.Payable.String(), want.Maturing.String(), want.Held.String(), want.InPayout.String(), want.Debts.String(), want.Paid.String(),
		} {
			if whole, part, _ := strings.Cut(figure, "."); !strings.Contains(strings.ReplaceAll(page, ",", ""), strings.TrimSuffix(whole+"."+part, ".")) {
				t.Errorf("%s has no %s:\n%s", address, figure, page)
			}
		}
		rows := w.rowsOf(strings.Replace(address, "owed", "owed/csv", 1))
		if sum := sumOf(t, rows, "owed"); sum != want.Owed || sumOf(t, rows, "paid") != want.Paid {
			t.Errorf("%s: the file adds up to %s, the total is %s", address, sum, want.Owed)
		}
	}
	sums := w.rowsOf("books/2026-04/csv")
	for column, want := range map[string]affiliate.Amount{
		"opening": march.Owed, "closing": april.Owed, "paid": must(april.Paid.Sub(march.Paid)), "adjustments": affiliate.MustAmount("-7.5"), "other": {}, "commission": affiliate.MustAmount("25792.89"),
	} {
		if got := sumOf(t, sums, column); got != want {
			t.Errorf("%s of April is %s, want %s", column, got, want)
		}
	}
	page := w.get("books").body
	for _, link := range []string{"owed?at=2026-04-30", "books/2026-04/csv", "reports?period=days&amp;since=2026-04-01&amp;until=2026-04-30"} {
		if !strings.Contains(page, `href="`+link) && !strings.Contains(page, `href="../`+link) {
			t.Errorf("the page Books does not lead to %s", link)
		}
	}
	for address, status := range map[string]int{"books/2026-05/csv": 400, "books/2026-4/csv": 404, "books/x/csv": 404, "owed?at=x": 400, "owed?at=2026-04-30T10:00:00Z": 400, "owed?cursor=x": 400, "owed/csv?at=x": 400, "owed?day=1": 400} {
		if page := w.get(address); page.status != status {
			t.Errorf("%s: %d, want %d", address, page.status, status)
		}
	}
}

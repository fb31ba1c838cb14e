package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/payfile"
	"github.com/tributary-go/tributary/affiliate/record"
)

// newInterrupt is a context that ends as on an interrupt.
func newInterrupt(t *testing.T) (context.Context, context.CancelFunc) {
	return context.WithCancel(t.Context())
}

// TestFound (checks 13, 61 and 62): the exit code is 4 when the books do not hold, or
// when something waits and --fail was said, and what it is is shown; a commission that is held is accepted.
func TestFound(t *testing.T) {
	w := newWorld(t)
	a := w.ada()
	sale := w.sell(t.Context(), "100")
	if out := w.ok("verify"); !strings.Contains(out, "holds") {
		t.Errorf("got %s", out)
	}
	w.ok("sales", "review", "1", "--approval-status", "ON_HOLD")
	if list := w.ok("sales", "search", "--approval-status", "ON_HOLD"); strings.Count(list, "\n") != 2 {
		t.Errorf("got %s", list)
	}
	w.ok("sales", "review", "1", "--approval-status", "ACCEPTED")
	if s := must(w.Sale(t.Context(), sale.ID)); s.Commissions[0].ApprovalStatus != affiliate.ApprovalAccepted {
		t.Errorf("the commission is %s", s.Commissions[0].ApprovalStatus)
	}
	if got := w.cli("attention", "--fail"); got.code != exitDone || got.err != "" {
		t.Errorf("nothing waits: %+v", got)
	}
	w.ok("sales", "review", "1", "--approval-status", "ON_HOLD")
	for args, code := range map[string]int{"attention": exitDone, "attention --fail": exitFound, "attention --fail --json": exitFound, "attention --limit 21": exitRefused} {
		if got := w.cli(strings.Fields(args)...); got.code != code {
			t.Errorf("%s: %+v, want %d", args, got, code)
		}
	}
	w.ok("affiliates", "create", "--first-name", "Nia", "--last-name", "New", "--email", "nia@example.com", "--affiliate-status", "inactive")
	if out := w.ok("attention"); !strings.Contains(out, "pendingAffiliates  1: Nia New\n") || !strings.Contains(out, "heldSales          1: 1\n") || !strings.Contains(out, "failedPayouts      0\n") || !strings.Contains(out, "paymentConflicts   0\n") {
		t.Errorf("got %s", out)
	}
	must(0, w.store.Update(t.Context(), w.Config().ID, func(tx *record.Tx) error {
		rec, err := tx.Totals.Get(a.ID)
		rec.Clicks += 7
		return errors.Join(err, tx.Totals.Replace(rec))
	}))
	if got := w.cli("verify"); got.code != exitFound || !strings.Contains(got.out, a.ID.String()) {
		t.Errorf("got %+v", got)
	}
}

// TestPruneAsks (check 62): prune does nothing in a pipe without --yes, and says what
// it has removed; a person is erased in steps.
func TestPruneAsks(t *testing.T) {
	w := newWorld(t)
	a := w.ada()
	w.sell(t.Context(), "100")
	w.now = w.now.AddDate(0, 2, 0)
	args := []string{"prune", "--retention", `{"events":30,"receipts":2}`}
	if got := w.cli(args...); got.code != exitUsage || got.err != "error: this would drop old records for good; say --yes\n" {
		t.Errorf("got %+v", got)
	}
	if n := len(must(w.Events(t.Context(), affiliate.EventQuery{}, affiliate.Page{})).Items); n == 0 {
		t.Error("the events are gone")
	}
	if out := w.ok(append(args, "--yes", "--json")...); !strings.Contains(out, `"removed":{"clicks":0,"deliveries":0,"events":3,"payments":0,"receipts":0}`) {
		t.Errorf("got %s", out)
	}
	if got := w.cli("prune", "--yes"); got.code != exitRefused || !strings.Contains(got.err, "Either before or retention is required (missing_field, before)") {
		t.Errorf("got %+v", got)
	}
	w.ok("referrals", "erase", "kim@example.com", "--yes")
	if got := w.cli("affiliates", "erase", a.ID.String(), "--yes"); got.code != exitRefused || !strings.Contains(got.err, "20 USD is owed") {
		t.Errorf("got %+v", got)
	}
	w.ok("affiliates", "erase", a.ID.String(), "--forfeit", "--yes")
	if left := must(w.Affiliate(t.Context(), a.ID.String())); left.Email != "" || left.TotalRevenue != affiliate.MustAmount("100") {
		t.Errorf("got %+v", left)
	}
}

// TestPayday: a run is previewed and made, its file is what payfile writes, and what
// comes back is booked once.
func TestPayday(t *testing.T) {
	w := newWorld(t)
	a := w.ada()
	must(w.SetPayoutDetails(t.Context(), a.ID, affiliate.PayoutDetails{Email: "ada@pay.example", Method: "PAYPAL"}))
	w.sell(t.Context(), "100")
	before := w.ok("payouts", "list")
	preview := w.ok("payouts", "run", "2026-03", "--dry-run")
	if !strings.Contains(preview, a.ID.String()) || !strings.Contains(preview, "20 USD") || w.ok("payouts", "list") != before {
		t.Errorf("got %s", preview)
	}
	if got := w.cli("payouts", "run", "2026-03"); got.code != exitUsage || w.ok("payouts", "list") != before {
		t.Errorf("without --yes: %+v", got)
	}
	w.ok("payouts", "run", "2026-03", "--yes")
	dir := t.TempDir()
	name := strings.TrimSpace(w.ok("payouts", "file", "--as", "paypal", "--label", "2026-03", "--dir", dir))
	got := must(os.ReadFile(filepath.Join(dir, name)))
	files, _, err := payfile.PayPal(w.Transfers(t.Context(), affiliate.PayoutQuery{}), "2026-03", payfile.PayPalOptions{})
	if err != nil || name != files[0].Name || string(got) != string(files[0].Data) {
		t.Errorf("%s has %q, not %q", name, got, files[0].Data)
	}
	other := w.cli("payouts", "file", "--as", "wise", "--label", "2026-03", "--dir", dir) // it was paid twice
	if other.code != exitDone || other.out != "" || !strings.Contains(other.err, "(PAYPAL) is in no file: payfile: the payout is paid by another method") {
		t.Errorf("the file for Wise: %+v", other)
	}
	if got := w.cli("payouts", "file", "--as", "paypal", "--method", "WISE", "--dir", dir); got.code != exitDone || got.out+got.err != "" {
		t.Errorf("no payout by Wise: %+v", got)
	}
	comma := w.ok("payouts", "file", "--as", "paypal", "--label", "comma", "--decimal-comma", "--dir", dir)
	if got := must(os.ReadFile(filepath.Join(dir, strings.TrimSpace(comma)))); !strings.Contains(string(got), `,"20,00",USD,`) {
		t.Errorf("got %s", got)
	}
	if again := w.cli("payouts", "file", "--as", "paypal", "--label", "2026-03", "--dir", dir); again.code != exitUsage {
		t.Errorf("a file is overwritten: %+v", again)
	}
	if wrong := w.cli("payouts", "file", "--as", "cheque"); wrong.code != exitUsage || wrong.out != "" {
		t.Errorf("got %+v", wrong)
	}
	payout := must(w.Payouts(t.Context(), affiliate.PayoutQuery{}, affiliate.Page{})).Items[0]
	results := filepath.Join(dir, "results.csv")
	for i, step := range []struct {
		said, out string
		code      int
	}{
		{"Pending", "paid 0, failed 0, returned 0, unchanged 0, waiting 1\n", 0}, {"Completed", "paid 1, failed 0, returned 0, unchanged 0, waiting 0\n", 0},
		{"Completed", "paid 0, failed 0, returned 0, unchanged 1, waiting 0\n", 0}, {"Failed", "paid 0, failed 0, returned 0, unchanged 0, waiting 0\n", exitFound}, {"Returned", "paid 0, failed 0, returned 1, unchanged 0, waiting 0\n", 0},
	} {
		must(0, os.WriteFile(results, []byte("reference,status\n"+payfile.Ref(payout.ID)+","+step.said+"\n"), 0o600))
		if got := w.cli("payouts", "results", results); got.code != step.code || got.out != step.out {
			t.Errorf("%d: got %+v", i, got)
		}
	}
	if p := must(w.Payout(t.Context(), payout.ID)); p.Status != affiliate.PayoutReturned || p.ReturnedReason.Or("") != "Returned" {
		t.Errorf("the payout is %s", p.Status)
	}
	must(0, os.WriteFile(results, []byte("nothing\n"), 0o600))
	if got := w.cli("payouts", "results", results); got.code != exitUsage || got.out != "" || !strings.Contains(got.err, "header") {
		t.Errorf("got %+v", got)
	}
}

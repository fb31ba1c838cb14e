package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tributary-go/tributary/affiliate"
)

// TestLinesAndRules: a sale with lines, a refund of one and a plan with rules, as JSON
// from the command line, from a file and from standard input. Numbers are sent as they
// are written.
func TestLinesAndRules(t *testing.T) {
	w := newWorld(t)
	w.ada()
	path := filepath.Join(t.TempDir(), "lines.json")
	const lines = `[{"id":"1","productId":"beans","amount":60.0001},{"id":"2","amount":40}]`
	must(0, os.WriteFile(path, []byte(lines), 0o600))
	sale := []string{"sales", "create", "--email", "kim@example.com", "--total-earned", "100.0001"}
	w.ok(append(sale, "--lines", "@"+path)...)
	w.ok(append(sale, "--lines", lines)...)
	if got := at(t, w.url, strings.NewReader(lines), append(sale, "--lines", "-")...); got.code != exitDone {
		t.Errorf("got %+v", got)
	}
	w.ok("sales", "refund", "3", "--amount", "40", "--lines", `[{"id":"2","amount":40}]`)
	for id := range affiliate.SaleID(3) {
		s := must(w.Sale(t.Context(), id+1))
		if len(s.Lines) != 2 || s.Lines[0].Amount != affiliate.MustAmount("60.0001") || (s.Lines[1].Refunded.Sign() > 0) != (id == 2) {
			t.Errorf("got %+v", s.Lines)
		}
	}
	for args, want := range map[string]string{
		"--lines [":                        "it is not JSON",
		"--lines @" + path + ".none":       "no such file",
		"--lines [] --lines []":            "it is given twice",
		`--lines [{"id":"1","amount":-1}]`: "lines[0].amount must be at least 0",
	} {
		if got := w.cli(append(sale, strings.Fields(args)...)...); got.code == exitDone || !strings.Contains(got.err, want) {
			t.Errorf("%s: %+v", args, got)
		}
	}

	out := w.ok("plans", "create", "--name", "Gold", "--commission-rate", "30", "--rules", `[{"name":"cards","when":{"categories":["card"]},"pay":{"commissionType":"NONE"}}]`, "--months-from", "REFERRAL", "--json")
	plans := must(w.Plans(t.Context(), affiliate.Page{})).Items
	if len(plans) != 1 || len(plans[0].Rules) != 1 || plans[0].MonthsFrom != affiliate.MonthsFromReferral || !strings.Contains(out, `"cards"`) {
		t.Errorf("got %+v, shown as %s", plans, out)
	}
	if shown := w.ok("plans", "get", plans[0].ID.String()); !strings.Contains(shown, "cards") {
		t.Errorf("got %s", shown)
	}
	w.ok("plans", "update", plans[0].ID.String(), "--null", "rules")
	if p := must(w.Plan(t.Context(), plans[0].ID)); p.Rules != nil {
		t.Errorf("got %+v", p.Rules)
	}
}

// TestTermsFrom: "15 % from 1 January" is one command, for a plan and for the program.
func TestTermsFrom(t *testing.T) {
	w := newWorld(t)
	plan := must(w.CreatePlan(t.Context(), affiliate.PlanParams{Name: "Gold", Terms: affiliate.Terms{Rate: affiliate.MustPercent("20")}}))
	w.ok("plans", "update", plan.ID.String(), "--commission-rate", "15", "--from", "2199-01-01")
	if v := must(w.Plan(t.Context(), plan.ID)).Versions; len(v) != 2 || v[1].CommissionRate != affiliate.MustPercent("15") {
		t.Errorf("got %+v", v)
	}
	w.ok("plans", "update", plan.ID.String(), "--withdraw", "2199-01-01")
	if v := must(w.Plan(t.Context(), plan.ID)).Versions; v != nil {
		t.Errorf("got %+v", v)
	}
	for _, args := range [][]string{{"terms", "set", "--commission-rate", "15", "--from", "2199-01-01"}, {"terms", "list"}} {
		if out := w.ok(args...); !strings.Contains(out, "2199-01-01T00:00:00.000Z") || !strings.Contains(out, "15") {
			t.Errorf("%v: %s", args, out)
		}
	}
	if got := w.cli("terms", "set", "--commission-rate", "15", "--from", "2001-01-01"); got.code == exitDone || !strings.Contains(got.err, "from must be later than now") {
		t.Errorf("got %+v", got)
	}
}

package sqlitestore_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/ncruces/go-sqlite3"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/internal/twins"
	"github.com/tributary-go/tributary/sqlitestore"
)

// TestQueries: every query of docs/queries.md answers what the page shows, on the
// program that the page describes.
func TestQueries(t *testing.T) {
	path := filepath.Join(t.TempDir(), "program.db")
	store := open(t, path, sqlitestore.Config{})
	twins.Tell(t, store) // has no part in any answer
	s := twins.Tell(t, store)
	c := reader(t, path)
	must(0, c.Exec(twins.Orders("temp.orders")))
	file := filepath.Join("..", "docs", "queries.md")
	var answers []string
	parts := strings.Split(string(must(os.ReadFile(file))), "```sql\n")
	for i, part := range parts[1:] {
		sql, rest, _ := strings.Cut(part, "```\n")
		_, rest, found := strings.Cut(rest, "```text\n")
		shown, after, _ := strings.Cut(rest, "```")
		if !found {
			t.Errorf("no answer behind\n%s", sql)
		}
		values := map[string]any{":program": s.Config().ID.String()}
		if strings.Contains(sql, ":now") {
			values[":now"] = s.Now.UnixMicro()
		}
		got := answer(t, c, sql, values)
		answers = append(answers, got)
		if strings.Count(got, "\n") < 2 {
			t.Errorf("nothing was found by\n%s", sql)
		}
		if *update {
			parts[i+1] = strings.Replace(part, "```text\n"+shown+"```"+after, "```text\n"+got+"```"+after, 1)
		} else if diff := cmp.Diff(shown, got); diff != "" {
			t.Errorf("%s(-page +answer):\n%s", sql, diff)
		}
	}
	want := "email|status|due|maturing\n"
	for _, b := range slices.Backward(must(s.Balances(t.Context(), affiliate.Page{})).Items) { // newest first
		a := must(s.Affiliate(t.Context(), b.AffiliateID.String()))
		want += fmt.Sprintf("%s|%s|%d|%d\n", a.Email, a.Status, b.Payable.Scaled(), b.Maturing.Scaled())
	}
	if diff := cmp.Diff(want, answers[1]); diff != "" {
		t.Errorf("what is due (-engine +query):\n%s", diff)
	}
	summary := must(s.Coupons(t.Context(), affiliate.CouponQuery{}, affiliate.Page{})).Items[0]
	if left := fmt.Sprintf("|%d\n", summary.BudgetLeft.Or(affiliate.Amount{}).Scaled()); !strings.HasSuffix(answers[10], left) {
		t.Errorf("%s is left of the budget, not %s", left, answers[10])
	}
	if len(parts) != 12 {
		t.Errorf("the page has %d queries", len(parts)-1)
	}
	if *update {
		must(0, os.WriteFile(file, []byte(strings.Join(parts, "```sql\n")), 0o644))
	}
}

// answer returns an answer as the command sqlite3 -header prints it.
func answer(t *testing.T, c *sqlite3.Conn, sql string, values map[string]any) string {
	t.Helper()
	names, rows := ask(t, c, sql, values)
	lines := []string{strings.Join(names, "|")}
	for _, row := range rows {
		var cells []string
		for _, name := range names {
			cells = append(cells, row[name])
		}
		lines = append(lines, strings.Join(cells, "|"))
	}
	return strings.Join(lines, "\n") + "\n"
}

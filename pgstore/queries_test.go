package pgstore_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/tributary-go/tributary/internal/twins"
	"github.com/tributary-go/tributary/pgstore"
)

// inPostgres are the rows of the table in docs/queries.md: what has another form in
// PostgreSQL, in the order in which it is replaced.
var inPostgres = []struct {
	sqlite *regexp.Regexp
	form   string
}{
	{regexp.MustCompile(`\(SELECT number FROM tributary_programs WHERE id = :program\)`), "$$1"},
	{regexp.MustCompile(`strftime\('%Y-%m', ([\w.]+) / 1000000, 'unixepoch'\)`), "to_char($1 AT TIME ZONE 'UTC', 'YYYY-MM')"},
	{regexp.MustCompile(`strftime\('%Y', ([\w.]+) / 1000000, 'unixepoch'\)`), "extract(year FROM $1 AT TIME ZONE 'UTC')"},
	{regexp.MustCompile(`strftime\('%m', ([\w.]+) / 1000000, 'unixepoch'\)`), "extract(month FROM $1 AT TIME ZONE 'UTC')"},
	{regexp.MustCompile(`json_each\(([\w.]+)\) AS (\w)`), "json_array_elements($1) AS $2 (value)"},
	{regexp.MustCompile(`(\w\.value ->> '(?:commission_earned|sale_id|commission_id)')`), "($1)::bigint"},
	{regexp.MustCompile(`(\w\.value ->> 'clawback')`), "coalesce(($1)::boolean, false)"},
	{regexp.MustCompile(`(\w\.value ->> 'created_at')`), "timestamptz 'epoch' + ($1)::bigint * interval '1 microsecond'"},
	{regexp.MustCompile(`(\w\.hold_days) \* 86400000000`), "$1 * interval '24 hours'"},
	{regexp.MustCompile(`:now`), "$$2::timestamptz"},
}

// TestQueries: every query of docs/queries.md, in the form that the page says, answers
// what it shows, on the program that it describes.
func TestQueries(t *testing.T) {
	pool := newPool(t, databaseURL(t))
	schema := newSchema(t, pool)
	store := newStore(t, pool, pgstore.Config{Schema: schema})
	twins.Tell(t, store) // has no part in any answer
	s := twins.Tell(t, store)
	exec(t, pool, twins.Orders(schema+".orders"))
	parts := strings.Split(string(must(os.ReadFile(filepath.Join("..", "docs", "queries.md")))), "```sql\n")
	for _, part := range parts[1:] {
		sql, rest, _ := strings.Cut(part, "```\n")
		_, rest, _ = strings.Cut(rest, "```text\n")
		want, _, _ := strings.Cut(rest, "```")
		for _, r := range inPostgres {
			sql = r.sqlite.ReplaceAllString(sql, r.form)
		}
		sql = strings.NewReplacer("tributary_", schema+".", "FROM orders AS", "FROM "+schema+".orders AS").Replace(sql)
		args := []any{[16]byte(s.Config().ID)}
		if strings.Contains(sql, "$2") {
			args = append(args, s.Now)
		}
		if diff := cmp.Diff(want, answered(t, pool, sql, args)); diff != "" {
			t.Errorf("%s(-page +answer):\n%s", sql, diff)
		}
	}
	if len(parts) != 12 {
		t.Errorf("the page has %d queries", len(parts)-1)
	}
}

// answered returns an answer as the page shows it.
func answered(t *testing.T, pool *pgxpool.Pool, sql string, args []any) string {
	t.Helper()
	rows, err := pool.Query(t.Context(), sql, args...)
	if err != nil {
		t.Fatalf("%v in %s", err, sql)
	}
	defer rows.Close()
	var names []string
	for _, f := range rows.FieldDescriptions() {
		names = append(names, f.Name)
	}
	lines := []string{strings.Join(names, "|")}
	for rows.Next() {
		cells := make([]*string, len(names))
		into := make([]any, len(names))
		for i := range cells {
			into[i] = &cells[i]
		}
		if err := rows.Scan(into...); err != nil {
			t.Fatalf("%v in %s", err, sql)
		}
		var texts []string
		for _, c := range cells {
			if c == nil {
				c = new("")
			}
			texts = append(texts, *c)
		}
		lines = append(lines, strings.Join(texts, "|"))
	}
	if err := rows.Err(); err != nil {
		t.Fatalf("%v in %s", err, sql)
	}
	return strings.Join(lines, "\n") + "\n"
}

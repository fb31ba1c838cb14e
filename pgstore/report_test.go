package pgstore_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/twins"
	"github.com/tributary-go/tributary/pgstore"
)

// TestReports: the views say the same as the engine and the records, whatever the program has
// been through.
func TestReports(t *testing.T) {
	pool := newPool(t, databaseURL(t))
	schema := newSchema(t, pool)
	twins.Views(t, newStore(t, pool, pgstore.Config{Schema: schema}), func(view string, program uuid.UUID) (all []twins.Row) {
		rows := must(pool.Query(t.Context(), fmt.Sprintf(`SELECT row_to_json(v) FROM "%s".%s AS v WHERE program = $1`, schema, view), [16]byte(program)))
		for _, values := range must(pgx.CollectRows(rows, pgx.RowTo[map[string]json.RawMessage])) {
			row := twins.Row{}
			for column, value := range values {
				text := strings.Trim(string(value), `"`)
				if at, err := time.Parse(time.RFC3339, text); err == nil {
					text = at.UTC().Format("2006-01-02T15:04:05.000000Z")
				}
				row[column] = text
				switch text {
				case "null":
					delete(row, column)
				case "true", "false":
					row[column] = map[string]string{"true": "1", "false": "0"}[text]
				}
			}
			all = append(all, row)
		}
		return all
	})
}

// TestReadmeReports runs the queries of the README, and finds every column of
// every view in docs/tables.md.
func TestReadmeReports(t *testing.T) {
	readme := string(must(os.ReadFile("README.md")))
	pool := newPool(t, databaseURL(t))
	s := newShop(t, pool, pgstore.Config{})
	must(s.plain.RecordSale(t.Context(), sale(1)))
	schema := "test_" + schemaID()
	queries := 0
	for _, block := range strings.Split(readme, "```sql\n")[1:] {
		sql, _, _ := strings.Cut(block, "```")
		rows := must(pool.Query(t.Context(), strings.ReplaceAll(sql, " tributary.", ` "`+schema+`".`), s.plain.Config().ID.String()))
		lines, err := pgx.CollectRows(rows, pgx.RowToMap)
		if err != nil || len(lines) == 0 {
			t.Errorf("%d lines, error %v:\n%s", len(lines), err, sql)
		}
		queries++
	}
	if queries == 0 {
		t.Error("the README has no query")
	}
	page := string(must(os.ReadFile(filepath.Join("..", "docs", "tables.md"))))
	for view, said := range twins.ViewColumns(page) {
		rows := must(pool.Query(t.Context(), `SELECT column_name::text FROM information_schema.columns
			WHERE table_schema = $1 AND table_name = $2 AND column_name <> 'program' ORDER BY ordinal_position`, schema, view))
		if d := cmp.Diff(must(pgx.CollectRows(rows, pgx.RowTo[string])), said); d != "" {
			t.Errorf("%s (-view +tables.md):\n%s", view, d)
		}
	}
}

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

// TestRecent: an Update joins a group that has read, and in which nothing is written. It
// sees what another process had committed before it began: either nobody could commit
// while the group held the program, or the group finds out and runs again.
func TestRecent(t *testing.T) {
	for _, c := range []struct {
		name      string
		mode      pgstore.Mode
		known     bool // ours has written to the program before
		ends      bool // the server ends our sessions when the group has read
		committed bool // the other process does not have to wait for the group
	}{
		{"queue, new program", pgstore.Queue, false, false, false},
		{"queue, remembered program", pgstore.Queue, true, false, true},
		{"queue, new program, sessions end", pgstore.Queue, false, true, true},
		{"queue, remembered program, sessions end", pgstore.Queue, true, true, true},
		{"serializable, new program", pgstore.Serializable, false, false, true},
		{"serializable, known program", pgstore.Serializable, true, false, false},
		{"serializable, new program, sessions end", pgstore.Serializable, false, true, true},
		{"serializable, known program, sessions end", pgstore.Serializable, true, true, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			pool := newPool(t, databaseURL(t))
			cfg := pgstore.Config{Schema: newSchema(t, pool), Mode: c.mode, Group: 16}
			named := func(name string) *pgstore.Store {
				return newStore(t, newPool(t, databaseURL(t), func(p *pgxpool.Config) {
					p.ConnConfig.RuntimeParams["application_name"] = name
				}), cfg)
			}
			ours, theirs, program, plan := named("ours"), named("theirs"), uuid.New(), uuid.UUID{1}
			if c.known {
				mustUpdate(t, ours, program, func(tx *record.Tx) error { return tx.Tiers.Insert(record.Tier{ID: uuid.UUID{2}}) })
			}
			var wg sync.WaitGroup
			var failed, late error
			committed := make(chan struct{})
			between := sync.OnceFunc(func() {
				if c.ends {
					exec(t, pool, "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE application_name = 'ours'")
				}
				wg.Go(func() {
					failed = theirs.Update(context.Background(), program, func(tx *record.Tx) error { return tx.Plans.Insert(record.Plan{ID: plan}) })
					close(committed)
				})
				if got := ends(t, pool, committed); got != c.committed {
					t.Errorf("the other process has committed: %t, want %t", got, c.committed)
				}
				wg.Go(func() {
					late = ours.Update(context.Background(), program, func(tx *record.Tx) error {
						_, err := tx.Plans.Get(plan)
						return err
					})
				})
				for ours.Waiting(program) == 0 {
					runtime.Gosched()
				}
			})
			err := ours.Update(t.Context(), program, func(tx *record.Tx) error {
				_, err := tx.Plans.Get(plan)
				between()
				if err != nil && !errors.Is(err, affiliate.ErrNotFound) {
					return err
				}
				return errRefused
			})
			wg.Wait()
			if !errors.Is(err, errRefused) && !c.ends || err == nil || failed != nil {
				t.Errorf("the leader: %v, the other process: %v", err, failed)
			}
			if c.committed && late != nil || !c.committed && late != nil && !errors.Is(late, affiliate.ErrNotFound) {
				t.Errorf("the late one: %v", late)
			}
		})
	}
}

// ends waits until done is closed, and reports true, or until a session of the
// application theirs waits for a lock.
func ends(t *testing.T, pool *pgxpool.Pool, done <-chan struct{}) bool {
	for n := 0; n == 0; {
		select {
		case <-done:
			return true
		default:
		}
		if err := pool.QueryRow(t.Context(), "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'theirs' AND wait_event_type = 'Lock'").Scan(&n); err != nil {
			t.Error(fmt.Errorf("look for waiting sessions: %w", err))
			return false
		}
	}
	return false
}

// TestSums: what the database adds up is what the engine adds up.
func TestSums(t *testing.T) {
	pool := newPool(t, databaseURL(t))
	store := newStore(t, pool, pgstore.Config{Schema: newSchema(t, pool)})
	twins.Sums(t, store)
	twins.SumsBefore1970(t, store)
}

// TestSaleSums: so it is for the sales that a query selects.
func TestSaleSums(t *testing.T) {
	pool := newPool(t, databaseURL(t))
	twins.SaleSums(t, newStore(t, pool, pgstore.Config{Schema: newSchema(t, pool)}))
}

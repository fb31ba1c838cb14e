package pgstore_test

import (
	"context"
	"errors"
	"io/fs"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/pgstore"
)

// TestMigrations: the files make exactly the tables, columns and indexes of
// affiliate.Schema.
func TestMigrations(t *testing.T) {
	pool := newPool(t, databaseURL(t))
	schema := newSchema(t, pool)
	for _, table := range affiliate.Schema() {
		var columns, indexes []string
		want := []string{"program uuid", "id uuid"}
		wantIndexes := []string{table.Name + "_pkey UNIQUE (program, id)"}
		for _, ix := range table.Indexes {
			typ, unique, tail := "text C", "", ", id)"
			if ix.IsID() {
				typ = "uuid"
			}
			if ix.Unique() {
				unique, tail = " UNIQUE", ")"
			}
			want = append(want, string(ix)+" "+typ)
			wantIndexes = append(wantIndexes, table.Name+"_"+string(ix)+unique+" (program, "+string(ix)+tail)
		}
		want = append(want, "record json")
		rows, err := pool.Query(t.Context(), `SELECT column_name || ' ' || data_type || coalesce(' ' || collation_name, '')
			FROM information_schema.columns WHERE table_schema = $1 AND table_name = $2 ORDER BY ordinal_position`, schema, table.Name)
		if err != nil {
			t.Fatal(err)
		}
		for rows.Next() {
			var c string
			if err := rows.Scan(&c); err != nil {
				t.Fatal(err)
			}
			columns = append(columns, c)
		}
		rows, err = pool.Query(t.Context(), `SELECT indexname || CASE WHEN indexdef LIKE 'CREATE UNIQUE%' THEN ' UNIQUE' ELSE '' END || substring(indexdef from ' \(.*')
			FROM pg_indexes WHERE schemaname = $1 AND tablename = $2`, schema, table.Name)
		if err != nil {
			t.Fatal(err)
		}
		for rows.Next() {
			var ix string
			if err := rows.Scan(&ix); err != nil {
				t.Fatal(err)
			}
			indexes = append(indexes, ix)
		}
		if d := cmp.Diff(want, columns); d != "" {
			t.Errorf("%s: columns (-want +got):\n%s", table.Name, d)
		}
		if d := cmp.Diff(sorted(wantIndexes), sorted(indexes)); d != "" {
			t.Errorf("%s: indexes (-want +got):\n%s", table.Name, d)
		}
	}
}

func sorted(lines []string) map[string]bool {
	set := map[string]bool{}
	for _, l := range lines {
		set[l] = true
	}
	return set
}

// TestMigrateTogether: many processes may migrate an empty database at once,
// and each step is applied once.
func TestMigrateTogether(t *testing.T) {
	pool := newPool(t, databaseURL(t))
	s := newStore(t, pool, pgstore.Config{Schema: "together"})
	t.Cleanup(func() {
		if _, err := pool.Exec(context.Background(), "DROP SCHEMA together CASCADE"); err != nil {
			t.Error(err)
		}
	})
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			if err := s.Migrate(t.Context()); err != nil {
				t.Errorf("Migrate: %v", err)
			}
		})
	}
	wg.Wait()
	if err := s.Migrate(t.Context()); err != nil {
		t.Errorf("Migrate again: %v", err)
	}
	var steps, files int
	if err := pool.QueryRow(t.Context(), "SELECT count(*) FROM together.migrations WHERE version_id > 0").Scan(&steps); err != nil {
		t.Fatal(err)
	}
	err := fs.WalkDir(s.Migrations(), ".", func(_ string, d fs.DirEntry, err error) error {
		if !d.IsDir() {
			files++
		}
		return err
	})
	if err != nil || steps != files || files == 0 {
		t.Errorf("%d steps of %d files, error %v", steps, files, err)
	}
}

// TestMigrationsByHand: the files are plain SQL and can be run again.
func TestMigrationsByHand(t *testing.T) {
	pool := newPool(t, databaseURL(t))
	s := newStore(t, pool, pgstore.Config{Schema: "by_hand"})
	exec(t, pool, "CREATE SCHEMA by_hand")
	t.Cleanup(func() { exec(t, pool, "DROP SCHEMA by_hand CASCADE") })
	files := must(fs.Glob(s.Migrations(), "*.sql"))
	for range 2 {
		for _, name := range files {
			exec(t, pool, string(must(fs.ReadFile(s.Migrations(), name))))
		}
	}
	if err := must(affiliate.New(s, affiliate.Config{})).Ping(t.Context()); err != nil {
		t.Errorf("Ping: %v", err)
	}
	if plain := string(must(fs.ReadFile(pgstore.Migrations(), files[0]))); !strings.Contains(plain, " tributary.codes") {
		t.Error("the default files are not for the schema tributary")
	}
}

// TestMigrateKeptTotals: the version before counted refunded revenue in its
// totals. After the migration the totals are right, in every program.
func TestMigrateKeptTotals(t *testing.T) {
	ctx := t.Context()
	pool := newPool(t, databaseURL(t))
	schema := newSchema(t, pool)
	store := newStore(t, pool, pgstore.Config{Schema: schema})
	var programs []*affiliate.Program
	for i := range 2 {
		p := newProgram(t, store, uuid.UUID{15: byte(i + 1)})
		programs = append(programs, p)
		refundSome(t, p)
		if err := store.Update(ctx, p.Config().ID, grossTotals); err != nil {
			t.Fatal(err)
		}
		breach, ok := errors.AsType[*affiliate.Breach](p.Verify(ctx))
		if !ok || breach.Invariant != "I31" {
			t.Fatalf("the totals of before: %v", breach)
		}
	}
	exec(t, pool, `DELETE FROM "`+schema+`".migrations WHERE version_id = 2`)
	for range 2 { // the second time it does nothing
		if err := store.Migrate(ctx); err != nil {
			t.Fatal(err)
		}
	}
	for _, p := range programs {
		if err := p.Verify(ctx); err != nil {
			t.Error(err)
		}
	}
}

// refundSome records sales by link and by code, and refunds some of them in
// part or in full.
func refundSome(t *testing.T, p *affiliate.Program) {
	t.Helper()
	ctx := t.Context()
	ada := must(p.CreateAffiliate(ctx, affiliate.NewAffiliate{FirstName: "Ada", LastName: "Byron", Email: "ada@example.com", AffiliateLink: "ada"}))
	must(p.CreateAffiliate(ctx, affiliate.NewAffiliate{FirstName: "Bob", LastName: "Ross", Email: "bob@example.com", AffiliateLink: "bob"}))
	coupon := must(p.CreateCoupon(ctx, affiliate.NewCoupon{Name: "c", PercentOff: affiliate.Set(affiliate.MustPercent("10"))}))
	must(p.CreateCode(ctx, affiliate.NewCode{CouponID: coupon.ID, Code: "ADA", AffiliateID: ada.ID}))
	sell := func(total string, in affiliate.NewSale) affiliate.Sale {
		in.TotalEarned, in.Name = affiliate.MustAmount(total), "N"
		return must(p.RecordSale(ctx, in)).Sale.Or(affiliate.Sale{})
	}
	part := sell("199.99", affiliate.NewSale{ReferralID: "ada", Email: "kim@example.net"})
	must(p.RefundSale(ctx, affiliate.Refund{SaleID: part.ID, Amount: affiliate.Set(affiliate.MustAmount("0.0001"))}))
	full := sell("100", affiliate.NewSale{Email: "kim@example.net"})
	must(p.RefundSale(ctx, affiliate.Refund{SaleID: full.ID}))
	sell("7.5", affiliate.NewSale{PromoCode: "ADA", Email: "kim@example.net"})
	only := sell("50", affiliate.NewSale{ReferralID: "ada", Email: "lee@example.net"})
	must(p.RefundSale(ctx, affiliate.Refund{SaleID: only.ID}))
	sell("30", affiliate.NewSale{ReferralID: "bob", Email: "max@example.net"}) // a sale without a refund: its totals stay
}

// grossTotals changes the totals to what the version before counted.
func grossTotals(tx *affiliate.Tx) error {
	totals := map[uuid.UUID]affiliate.TotalsRecord{}
	for sale, err := range tx.Sales.List(affiliate.Query{}) {
		if err != nil {
			return err
		}
		for _, owner := range []uuid.UUID{sale.LinkID, sale.AffiliateID, sale.ReferralID} {
			rec := totals[owner]
			rec.Sales++
			rec.Revenue = must(rec.Revenue.Add(sale.TotalEarned))
			totals[owner] = rec
		}
	}
	delete(totals, uuid.Nil)
	for owner, gross := range totals {
		rec, err := tx.Totals.Get(owner)
		if err != nil {
			return err
		}
		rec.Sales, rec.Revenue = gross.Sales, gross.Revenue
		if err := tx.Totals.Replace(rec); err != nil {
			return err
		}
	}
	return nil
}

// TestStatements: the first parameter of every statement is the program, and no
// statement contains a value of a request.
func TestStatements(t *testing.T) {
	s := newStore(t, newPool(t, "postgres://nowhere.example/none"), pgstore.Config{Schema: "order"})
	for _, sql := range s.Statements() {
		if !strings.Contains(sql, "program = $1::uuid") && !strings.Contains(sql, "(program, ") {
			t.Errorf("no program in: %s", sql)
		}
		if !strings.Contains(sql, `"order".`) || strings.Contains(sql, "'") {
			t.Errorf("the schema is not quoted, or there is a literal, in: %s", sql)
		}
	}
}

// TestConfig: New refuses an invalid Config.
func TestConfig(t *testing.T) {
	pool := newPool(t, "postgres://nowhere.example/none")
	for _, cfg := range []pgstore.Config{
		{Schema: "Upper"}, {Schema: "1st"}, {Schema: "a b"}, {Schema: `a"b`}, {Schema: "a;b"}, {Schema: strings.Repeat("x", 64)},
		{Mode: 2}, {Retries: -1}, {Group: -1}, {CommitWait: -1},
	} {
		if _, err := pgstore.New(pool, cfg); err == nil {
			t.Errorf("New(%+v): no error", cfg)
		}
	}
	if _, err := pgstore.New(nil, pgstore.Config{}); err == nil {
		t.Error("New without a pool: no error")
	}
}

package pgstore_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
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
	story(t, newTold(t, store)) // has no part in any answer
	s := newTold(t, store)
	story(t, s)
	exec(t, pool, "CREATE TABLE "+schema+`.orders (id text, cents bigint, code text);
		INSERT INTO `+schema+`.orders VALUES ('order-1', 4990, NULL), ('order-2', 8000, 'ADA20'), ('order-3', 4990, NULL), ('order-4', 3000, 'BOB10'),
			('order-5', 1000, 'BOB10'), ('order-7', 700, 'ADA20'), ('order-8', 900, NULL)`)
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
			args = append(args, s.now)
		}
		if diff := cmp.Diff(want, answered(t, pool, sql, args)); diff != "" {
			t.Errorf("%s(-page +answer):\n%s", sql, diff)
		}
	}
	if len(parts) != 11 {
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

// A told is the program of docs/queries.md, with its clock.
type told struct {
	*tributary.Program
	now time.Time
}

func newTold(t *testing.T, store *pgstore.Store) *told {
	t.Helper()
	s := &told{}
	s.Program = must(tributary.New(store, tributary.Config{
		ID: uuid.Must(uuid.NewV7()), Name: "Northwind Beans", Destinations: []affiliate.Destination{{URL: "https://beans.example/shop"}},
		Terms: affiliate.Terms{Rate: affiliate.MustPercent("20"), HoldDays: 30}, Review: []affiliate.ReviewRule{affiliate.SelfReferral()},
		Now: func() time.Time { return s.now },
	}))
	return s
}

// story does what docs/queries.md tells.
func story(t *testing.T, s *told) {
	t.Helper()
	ctx := t.Context()
	day := func(month time.Month, day int) { s.now = time.Date(2026, month, day, 12, 0, 0, 0, time.UTC) }
	sell := func(order, total string, in affiliate.NewSale) affiliate.SaleID {
		t.Helper()
		in.ExternalID, in.TotalEarned, in.Name = order, affiliate.MustAmount(total), "A customer"
		sale, ok := must(s.RecordSale(ctx, in)).Sale.Get()
		if !ok {
			t.Fatalf("%s is not recorded", order)
		}
		return sale.ID
	}
	day(1, 10)
	coupon := must(s.CreateCoupon(ctx, affiliate.NewCoupon{Name: "Winter", PercentOff: affiliate.Set(affiliate.MustPercent("10"))}))
	for _, code := range []string{"ADA20", "BOB10"} {
		name := strings.ToLower(code[:3])
		a := must(s.CreateAffiliate(ctx, affiliate.NewAffiliate{FirstName: name, LastName: "Doe", Email: name + "@example.com", AffiliateLink: name}))
		must(s.SetPayoutDetails(ctx, a.ID, affiliate.PayoutDetails{Email: name + "@bank.example", Method: affiliate.MethodWise}))
		must(s.CreateCode(ctx, affiliate.NewCode{CouponID: coupon.ID, Code: code, AffiliateID: a.ID}))
	}
	must(s.TrackClick(ctx, affiliate.NewClick{Slug: "ada"}))
	first := sell("order-1", "49.90", affiliate.NewSale{Email: "tomas@example.net", ReferralID: "ada"})
	day(1, 20)
	second := sell("order-2", "80", affiliate.NewSale{Email: "kim@example.net", PromoCode: "ADA20"})
	day(2, 5)
	sell("order-3", "49.90", affiliate.NewSale{Email: "tomas@example.net"})
	day(2, 10)
	sell("order-4", "33.33", affiliate.NewSale{Email: "lea@example.net", PromoCode: "BOB10"})
	day(2, 12)
	must(s.RefundSale(ctx, affiliate.Refund{SaleID: second, Amount: affiliate.Set(affiliate.MustAmount("20"))}))
	day(2, 15)
	must(s.CreatePayout(ctx, affiliate.NewPayout{AffiliateEmail: "ada@example.com", ManuallyPaid: true}))
	day(3, 2)
	sell("order-5", "10", affiliate.NewSale{Email: "bob@example.com", PromoCode: "BOB10"})
	day(3, 3)
	must(s.RefundSale(ctx, affiliate.Refund{SaleID: first, ClawBack: true}))
	day(3, 4)
	must(s.RecordAdjustment(ctx, affiliate.NewAdjustment{AffiliateEmail: "bob@example.com", Kind: affiliate.AdjustBonus, Amount: affiliate.MustAmount("5"), Reason: "a good post"}))
	day(3, 5)
	sell("order-6", "12.50", affiliate.NewSale{Email: "kim@example.net"})
	day(3, 10)
}

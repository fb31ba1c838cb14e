package sqlitestore_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/ncruces/go-sqlite3"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/sqlitestore"
)

// TestQueries: every query of docs/queries.md answers what the page shows, on the
// program that the page describes.
func TestQueries(t *testing.T) {
	path := filepath.Join(t.TempDir(), "program.db")
	store := open(t, path, sqlitestore.Config{})
	other := newShop(t, store, 30) // has no part in any answer
	story(t, other)
	s := newShop(t, store, 30)
	story(t, s)
	c := reader(t, path)
	if err := c.Exec(`CREATE TEMP TABLE orders (id TEXT, cents INTEGER, code TEXT);
		INSERT INTO orders VALUES ('order-1', 4990, NULL), ('order-2', 8000, 'ADA20'), ('order-3', 4990, NULL), ('order-4', 3000, 'BOB10'),
			('order-5', 1000, 'BOB10'), ('order-7', 700, 'ADA20'), ('order-8', 900, NULL)`); err != nil {
		t.Fatal(err)
	}
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
			values[":now"] = s.now.UnixMicro()
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
	if len(parts) != 11 {
		t.Errorf("the page has %d queries", len(parts)-1)
	}
	if *update {
		if err := os.WriteFile(file, []byte(strings.Join(parts, "```sql\n")), 0o644); err != nil {
			t.Fatal(err)
		}
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

// story does what docs/queries.md tells.
func story(t *testing.T, s *shop) {
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

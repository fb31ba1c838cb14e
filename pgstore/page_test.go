package pgstore_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/google/go-cmp/cmp"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/pgstore"
)

// TestPageOfSales is P21: a page of 50 sales of many affiliates and customers
// takes at most 6 statements, the beginning and the end of the transaction
// included, and shows what the sales show one by one.
func TestPageOfSales(t *testing.T) {
	const page, most = 50, 6
	wire := &wireCount{}
	pool := newPool(t, databaseURL(t), func(c *pgxpool.Config) { c.ConnConfig.Tracer = wire })
	s := newShop(t, pool, pgstore.Config{})
	for i := range 4 {
		must(s.plain.CreateAffiliate(t.Context(), affiliate.AffiliateParams{FirstName: "A", LastName: "B", Email: fmt.Sprintf("a%d@example.com", i), AffiliateLink: fmt.Sprint("slug", i)}))
	}
	for i := range page + 5 {
		in := sale(i % 40) // some come back
		in.ExternalID, in.Once = fmt.Sprint("order-", i), affiliate.Once{}
		if i%2 == 0 {
			in.PromoCode, in.ReferralID = "", fmt.Sprint("slug", i%4)
		}
		must(s.plain.RecordSale(t.Context(), in))
	}
	wire.statements.Store(0)
	got := must(s.plain.Sales(t.Context(), affiliate.SaleQuery{}, affiliate.Page{Limit: page})).Items
	n := wire.statements.Load()
	t.Logf("%d statements/page", n)
	if n > most || len(got) != page {
		t.Errorf("%d statements for %d sales, want at most %d for %d", n, len(got), most, page)
	}
	for _, sale := range got {
		if d := cmp.Diff(string(must(json.Marshal(must(s.plain.Sale(t.Context(), sale.ID))))), string(must(json.Marshal(sale)))); d != "" {
			t.Fatalf("sale %d (-by itself +on the page):\n%s", sale.ID, d)
		}
	}
}

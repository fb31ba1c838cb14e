package affiliate_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/benchkit"
	"github.com/tributary-go/tributary/internal/scene"
	"github.com/tributary-go/tributary/memstore"
)

// soldOnce is a real sale with texts that JSON escapes, and its frozen event.
func soldOnce(tb testing.TB) (affiliate.Sale, record.Payload) {
	tb.Helper()
	store := memstore.New()
	p, _ := benchkit.Shop(tb, store, 1)
	result := scene.Must(p.RecordSale(tb.Context(), affiliate.SaleParams{
		PromoCode: "CODE0", TotalEarned: scene.SaleTotal, ExternalID: `o-1 <"&`, Name: "Ünï & <b>\u2028", Email: "u@example.com",
		Product: affiliate.Set(affiliate.Product{ProductID: "<beans>"}),
	}))
	sale, _ := result.Sale.Get()
	var payload record.Payload
	err := store.View(tb.Context(), p.Config().ID, func(tx *record.Tx) error {
		for rec, err := range tx.Events.List(record.Query{Desc: true, Limit: 1}) {
			payload = rec.Payload
			return err
		}
		return nil
	})
	if err != nil {
		tb.Fatal(err)
	}
	return sale, payload
}

// TestSaleEventEncoder: the body of a sale's event has the bytes that
// encoding/json makes of the sale, with the oldest link.
func TestSaleEventEncoder(t *testing.T) {
	sale, payload := soldOnce(t)
	sale.Affiliate.Link = affiliate.Set("slug-0")
	want := string(scene.Must(json.Marshal(sale)))
	_, got, _ := strings.Cut(string(payload.Bytes()), `"body":`)
	if got != want+"}" {
		t.Errorf("the body is\n%s, want\n%s", got, want)
	}
}

// BenchmarkSaleEvent is why events of sales have an encoder of their own:
// x-floor is the whole event over its body alone in encoding/json.
func BenchmarkSaleEvent(b *testing.B) {
	sale, payload := soldOnce(b)
	benchkit.Versus(b, 3000,
		benchkit.Each(func() { scene.Must(json.Marshal(sale)) }), benchkit.Each(func() { payload.Bytes() }))
}

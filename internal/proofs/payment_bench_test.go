package proofs_test

import (
	"context"
	"testing"
	"time"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/internal/benchkit"
	"github.com/tributary-go/tributary/internal/scene"
	"github.com/tributary-go/tributary/memstore"
)

// report reports n payments by one goroutine: the desk's sales as a provider tells
// of them, each under its external id and the id of a session.
func (t *desk) report() func(n int) {
	sessions := make([]string, len(t.orders))
	for i, order := range t.orders {
		sessions[i] = "cs_" + order
	}
	at := time.Now()
	return func(n int) {
		first := t.sold
		t.sold += n
		for i := first; i < first+n; i++ {
			in := t.sale(i)
			f := affiliate.PaymentFact{
				Provider: "stripe", Keys: []string{in.ExternalID, sessions[i]}, At: at, Currency: "USD",
				Payer: affiliate.PayerFact{ID: t.names[i%customers], Email: in.Email, Name: in.Name},
			}
			code := in.PromoCode
			in.PromoCode, in.Name, in.Email = "", "", ""
			f.Sale = affiliate.Set(affiliate.Paid{SaleParams: in, Gross: in.TotalEarned, Tries: []affiliate.Credit{{PromoCode: code}}})
			scene.Must(t.p.Payments().ReportPayment(context.Background(), f))
		}
	}
}

// BenchmarkReportPayment: x-sale is the payment that a provider reports over the
// same sale that the host records. It also writes the payment, a row for each of its
// two ids, and the payer.
func BenchmarkReportPayment(b *testing.B) {
	const n = 4000
	paid, sold := newDesk(b, memstore.New(), 1000, room(n)), newDesk(b, memstore.New(), 1000, room(n))
	benchkit.Compare(b, n, paid.report(), benchkit.Side{Name: "sale", Run: sold.sell(1)})
	b.StopTimer()
	benchkit.Audit(b, paid.p, int64(paid.sold))
	benchkit.Audit(b, sold.p, int64(sold.sold))
}

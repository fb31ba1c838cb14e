package engine_test

import (
	"testing"
	"time"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/internal/scene"
)

// TestSaleShowsPaidAt: a sale shows when it was paid if the report said so, in its
// answer, its event and later.
func TestSaleShowsPaidAt(t *testing.T) {
	s := scene.NewShop(t)
	s.Pass(48 * time.Hour)
	at := s.Now.Add(-time.Hour)
	var got affiliate.Sale
	events := s.Fired(func() {
		got = scene.Must(s.RecordSale(t.Context(), affiliate.SaleParams{PromoCode: "ADA20", TotalEarned: scene.Sum("10"), PaidAt: at.In(time.FixedZone("", 7200))})).Sale.Or(affiliate.Sale{})
	})
	scene.Equal(t, []affiliate.Time{affiliate.TimeOf(at), affiliate.TimeOf(s.Now)}, []affiliate.Time{got.PaidAt, got.CreatedAt})
	scene.Equal(t, affiliate.TimeOf(at), scene.BodyOf[affiliate.Sale](t, events[0]).PaidAt)
	scene.Equal(t, got, scene.Must(s.Sale(t.Context(), got.ID)))
	scene.Equal(t, affiliate.Time{}, s.Sell(affiliate.SaleParams{PromoCode: "ADA20"}).PaidAt)
	s.Verifies()
}

// The same moment written in another zone, or more exactly than it is stored, is the same
// request.
func TestSalePaidAtOnce(t *testing.T) {
	s := scene.NewShop(t)
	in := affiliate.SaleParams{PromoCode: "ADA20", TotalEarned: scene.Sum("10"), PaidAt: s.Now.Add(-time.Hour)}
	in.Once.Key = "k"
	first := scene.Must(s.RecordSale(t.Context(), in))
	for _, at := range []time.Time{in.PaidAt.In(time.FixedZone("", 7200)), in.PaidAt.Add(time.Nanosecond)} {
		in.PaidAt = at
		scene.Equal(t, first.Sale, scene.Must(s.RecordSale(t.Context(), in)).Sale)
	}
	in.PaidAt = in.PaidAt.Add(time.Second)
	scene.WantReason(t, "another moment", affiliate.IdempotencyKeyReused, scene.ErrOf(s.RecordSale(t.Context(), in)))
}

package affiliate_test

import (
	"testing"
	"time"

	"github.com/tributary-go/tributary/affiliate"
)

// TestSaleShowsPaidAt: a sale shows when it was paid if the report said so, in its
// answer, its event and later.
func TestSaleShowsPaidAt(t *testing.T) {
	s := newSaleShop(t)
	s.pass(48 * time.Hour)
	at := s.now.Add(-time.Hour)
	var got affiliate.Sale
	events := s.fired(func() {
		got = must(s.RecordSale(t.Context(), affiliate.NewSale{PromoCode: "ADA20", TotalEarned: sum("10"), PaidAt: at.In(time.FixedZone("", 7200))})).Sale.Or(affiliate.Sale{})
	})
	equal(t, []affiliate.Time{affiliate.TimeOf(at), affiliate.TimeOf(s.now)}, []affiliate.Time{got.PaidAt, got.CreatedAt})
	equal(t, affiliate.TimeOf(at), bodyOf[affiliate.Sale](t, events[0]).PaidAt)
	equal(t, got, must(s.Sale(t.Context(), got.ID)))
	equal(t, affiliate.Time{}, s.sell(affiliate.NewSale{PromoCode: "ADA20"}).PaidAt)
	s.verify()
}

package engine_test

import (
	"testing"
	"time"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/internal/scene"
)

// TestHoldOfWhom: a sale that names nobody takes the place of the customer whom it was held for, and so does a hold
// that is made anew; a customer who has none left gets none by the hold of somebody else.
func TestHoldOfWhom(t *testing.T) {
	once := affiliate.CodeUpdate{MaxRedemptionsPerCustomer: times(1)}
	t.Run("sale", func(t *testing.T) {
		s := newCounter(t, affiliate.CouponUpdate{}, once, func(c *tributary.Config) { c.RequireCustomer = true })
		scene.Must(s.holds("c1", "a@x.example"))
		scene.Must(s.holds("c1", "")) // the basket changed, and nobody said the email again
		scene.Equal(t, affiliate.SaleRecorded, scene.Must(s.buys("", "c1")).Outcome)
		s.says("a@x.example", affiliate.CustomerLimit)
		scene.Equal(t, 0, scene.Must(s.Attention(t.Context(), 5)).Overdrawn.Count)
	})
	t.Run("hold", func(t *testing.T) {
		s := newCounter(t, affiliate.CouponUpdate{}, once)
		s.says("a@x.example")
		for _, first := range []string{"", "b@x.example"} {
			scene.Must(s.holds("c1", first))
			scene.WantReason(t, "anew for another than "+first, affiliate.CustomerLimit, scene.ErrOf(s.holds("c1", "a@x.example")))
		}
		scene.Must(s.holds("c1", "c@x.example"))
		s.says("b@x.example")
		s.says("c@x.example", affiliate.CustomerLimit)
		scene.Equal(t, affiliate.SaleRecorded, scene.Must(s.buys("c@x.example", "c1")).Outcome)
		s.Verifies()
	})
}

// TestHoldOfFreeOrder: the hold of a free order says its code and its basket, as that of any other.
func TestHoldOfFreeOrder(t *testing.T) {
	s := newCounter(t, affiliate.CouponUpdate{PercentOff: scene.Percent("100")}, affiliate.CodeUpdate{}, func(c *tributary.Config) { c.FreeOrders = true })
	scene.Must(s.holds("c1", "a@x.example"))
	sale := scene.Must(s.RecordSale(t.Context(), affiliate.SaleParams{HoldID: "c1", Free: true})).Sale.Or(affiliate.Sale{})
	scene.Equal(t, scene.Amount("100"), sale.Subtotal)
	scene.Equal(t, "1 1 0", s.used())
	in := affiliate.HoldParams{ID: "c2", Until: s.Now.Add(time.Hour), Order: affiliate.Order{PromoCode: "ADA20"}}
	scene.Must(s.HoldRedemption(t.Context(), in))
	scene.WantReason(t, "of no basket", affiliate.MissingField, scene.ErrOf(s.RecordSale(t.Context(), affiliate.SaleParams{HoldID: "c2", Free: true})))
	scene.WantReason(t, "not free", affiliate.MissingField, scene.ErrOf(s.RecordSale(t.Context(), affiliate.SaleParams{HoldID: "c1"})))
	s.Verifies()
}

// TestHeldPrice: a sale that does not say the basket, or its lines, has the price that was held.
func TestHeldPrice(t *testing.T) {
	s := newCounter(t, affiliate.CouponUpdate{MaxDiscountTotal: scene.Amount("1000"), LimitToProducts: affiliate.Set(true), ProductIDs: affiliate.Set([]string{"p"})}, affiliate.CodeUpdate{})
	in := affiliate.HoldParams{Until: s.Now.Add(time.Hour), Order: affiliate.Order{PromoCode: "ADA20", Lines: []affiliate.Line{
		{ID: "1", ProductID: "p", Amount: scene.Sum("50")}, {ID: "2", ProductID: "q", Amount: scene.Sum("50")},
	}}}
	for id, sale := range map[string]affiliate.SaleParams{
		"nothing": {}, "null": {Subtotal: affiliate.Null[affiliate.Amount]()}, "basket": {Subtotal: scene.Amount("100")}, "lines": {Lines: in.Lines},
	} {
		in.ID = id
		scene.Equal(t, scene.Amount("10"), scene.Must(s.HoldRedemption(t.Context(), in)).Discount)
		sale.HoldID, sale.TotalEarned = id, scene.Sum("90")
		sold := scene.Must(s.RecordSale(t.Context(), sale)).Sale.Or(affiliate.Sale{})
		scene.Equal(t, scene.Amount("10"), affiliate.Set(scene.Must(s.ExplainSale(t.Context(), sold.ID)).Redemption.Or(affiliate.ExplainedRedemption{}).Discount))
	}
	scene.Equal(t, "4 4 40", s.used())
	s.Verifies()
}

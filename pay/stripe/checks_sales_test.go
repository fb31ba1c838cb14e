package stripe_test

import (
	"testing"
	"time"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/pay"
	"github.com/tributary-go/tributary/pay/internal/shoptest"
	"github.com/tributary-go/tributary/pay/stripe"
)

// TestSales: checks 1 to 15.
func TestSales(t *testing.T) {
	run(t, []check{
		{1, "one payment", func(t *testing.T) {
			s := newShop(t)
			s.Send(s.first())
			s.Want(s.Mara, "20.00")
			shoptest.Same(t, "total", s.Sale().TotalEarned, affiliate.MustAmount("120"))
			shoptest.Same(t, "externalId", s.Sale().ExternalID, affiliate.Set("pi_1"))
			shoptest.Same(t, "sale.created", s.Fired(affiliate.SaleCreated), 1)
			shoptest.Same(t, "source", s.Sale().Source, "INTEGRATION")
			shoptest.Same(t, "integration", s.Sale().IntegrationSalesSource, affiliate.Set[affiliate.Integration]("STRIPE"))
		}},
		{2, "redelivered for weeks", func(t *testing.T) {
			s := newShop(t)
			e := s.first()
			for _, days := range []int{0, 1, 2, 40} {
				s.Now = shoptest.Start.AddDate(0, 0, days)
				s.Send(e)
			}
			s.Want(s.Mara, "20.00")
			s.Outcome(affiliate.SaleDuplicate)
			shoptest.Same(t, "sale.created", s.Fired(affiliate.SaleCreated), 1)
		}},
		{3, "with the events of its intent and charge", func(t *testing.T) {
			inEachOrder(t, 3, func(s *shop, order []int) {
				events := []event{s.first(), s.load("intent"), s.load("charge")}
				for _, i := range order {
					s.Send(events[i])
					if i > 0 {
						s.Ignored(pay.CoveredElsewhere)
					}
				}
				s.Sale()
				s.Want(s.Mara, "20.00")
			})
		}},
		{4, "first payment of a subscription", func(t *testing.T) {
			inEachOrder(t, 3, func(s *shop, order []int) {
				events := []event{
					s.subscribed("in_1", 2900, "metadata.tributary_click", "1"),
					s.invoice("in_1", "subscription_create", 2900), s.link("in_1", "pi_1"),
				}
				for _, i := range order {
					s.Send(events[i])
				}
				s.Sale()
				s.Want(s.Mara, "5.80")
				shoptest.Same(s.T, "payment of pi_1", s.payment("pi_1").ID, s.payment("in_1").ID)
				shoptest.Same(s.T, "sale of pi_1", s.payment("pi_1").SaleID, affiliate.Set(s.Sale().ID))
			})
		}},
		{5, "the invoice alone", func(t *testing.T) {
			s := newShop(t)
			shoptest.Same(t, "status", s.Status(s.invoice("in_1", "subscription_create", 2900, "metadata.tributary_click", "1")), 503) // its session may come
			shoptest.Same(t, "sales", len(s.AllSales()), 0)
			s = newShopWith(t, nil, func(cfg *stripe.Config) { cfg.First = stripe.FromInvoice })
			s.Send(s.invoice("in_1", "subscription_create", 2900, "metadata.tributary_click", "1"))
			s.Want(s.Mara, "5.80")
			before := s.Fired("")
			s.Send(s.subscribed("in_1", 2900, "metadata.tributary_click", "2"))
			s.Ignored(pay.CoveredElsewhere)
			s.Want(s.Mara, "5.80")
			shoptest.Same(t, "events", s.Fired(""), before)
		}},
		{6, "the metadata names the invoice", func(t *testing.T) {
			s := newShop(t)
			s.Send(s.subscribed("in_1", 2900, "metadata.tributary_via", "invoice", "metadata.tributary_click", "1"))
			s.Ignored(pay.CoveredElsewhere)
			s.Send(s.invoice("in_1", "subscription_create", 2900,
				"parent.subscription_details.metadata", map[string]any{"tributary_via": "invoice", "tributary_click": "1"}))
			s.Sale()
			s.Want(s.Mara, "5.80")
		}},
		{7, "a renewal with a new email", func(t *testing.T) {
			s := newShop(t)
			s.Send(s.subscribed("in_1", 2900, "metadata.tributary_click", "1"))
			s.Pass(31 * 24 * time.Hour)
			s.Send(s.invoice("in_2", "subscription_cycle", 2900, "customer_email", "tomas@other.example"))
			s.Want(s.Mara, "11.60")
			shoptest.Same(t, "sales", len(s.AllSales()), 2)
			shoptest.Same(t, "email", s.Referral().Email, "tomas@example.com")
		}},
		{8, "a renewal follows the customer", func(t *testing.T) {
			s := newShop(t)
			s.Send(s.subscribed("in_1", 2900, "metadata.tributary_click", "1"))
			s.Send(s.invoice("in_2", "subscription_cycle", 2900, "parent.subscription_details.metadata.tributary_click", "2"))
			s.Want(s.Mara, "11.60")
			s.Want(s.Ben, "0.00")
		}},
		{9, "a first payment follows the click", func(t *testing.T) {
			s := newShop(t)
			s.Send(s.subscribed("in_1", 2900, "metadata.tributary_click", "1"))
			s.Send(s.subscribed("in_5", 2900, "metadata.tributary_click", "2"))
			s.Want(s.Ben, "5.80")
			shoptest.Same(t, "affiliate of the customer", s.Referral().AffiliateID, s.Mara.ID)
			s.Send(s.invoice("in_6", "subscription_cycle", 2900))
			s.Want(s.Mara, "11.60")
			s.Want(s.Ben, "5.80")
		}},
		{10, "a renewal before its first payment", func(t *testing.T) {
			s := newShop(t)
			renewal := s.invoice("in_2", "subscription_cycle", 2900,
				"parent.subscription_details.metadata", map[string]any{"tributary_via": "session", "tributary_click": "2"})
			s.Pass(10 * time.Minute)
			shoptest.Same(t, "status", s.Status(renewal), 503)
			s.Send(s.subscribed("in_1", 2900, "metadata.tributary_click", "1"), renewal)
			s.Want(s.Mara, "11.60")
			s.Want(s.Ben, "0.00")
			shoptest.Same(t, "sales", len(s.AllSales()), 2)
		}},
		{11, "a renewal without a first payment", func(t *testing.T) {
			s := newShop(t)
			renewal := s.invoice("in_2", "subscription_cycle", 2900,
				"parent.subscription_details.metadata", map[string]any{"tributary_via": "session", "tributary_click": "2"})
			s.Pass(time.Hour)
			shoptest.Same(t, "status", s.Status(renewal), 503)
			s.Pass(time.Second)
			s.Send(renewal)
			s.Want(s.Ben, "5.80")
		}},
		{12, "a trial", func(t *testing.T) {
			s := newShop(t)
			s.Send(s.subscribed("in_1", 0, "payment_status", "no_payment_required", "metadata.tributary_click", "1"))
			shoptest.Same(t, "affiliate", s.Referral().AffiliateID, s.Mara.ID)
			shoptest.Same(t, "referral.created", s.Fired(affiliate.ReferralCreated), 1)
			s.Send(s.invoice("in_1", "subscription_create", 0))
			s.Ignored(pay.ZeroAmount)
			shoptest.Same(t, "sales", len(s.AllSales()), 0)
			s.Send(s.invoice("in_2", "subscription_cycle", 2900))
			s.Want(s.Mara, "5.80")
			s.Referral()
		}},
		{13, "everything off", func(t *testing.T) {
			for _, free := range []bool{false, true} {
				s := newShopWith(t, func(cfg *tributary.Config) { cfg.FreeOrders = free }, nil)
				s.Send(s.subscribed("in_1", 0, "payment_status", "no_payment_required", "amount_subtotal", 2900,
					"discounts", []any{map[string]any{"coupon": "trib_1", "promotion_code": "promo_mara"}}))
				shoptest.Same(t, "medium", s.Referral().ReferralMedium, affiliate.MediumCoupon)
				if free {
					shoptest.Same(t, "total", s.Sale().TotalEarned, affiliate.Amount{})
				} else {
					shoptest.Same(t, "sales", len(s.AllSales()), 0)
				}
				s.redeemed(1)
				s.Send(s.invoice("in_2", "subscription_cycle", 2900))
				s.Want(s.Mara, "5.80")
			}
		}},
		{14, "a promotion code and a renewal", func(t *testing.T) {
			s := newShop(t)
			s.Send(s.subscribed("in_1", 3920, "amount_subtotal", 4900, "discounts", promotions("promo_mara")))
			shoptest.Same(t, "total", s.Sale().TotalEarned, affiliate.MustAmount("39.20"))
			shoptest.Same(t, "subtotal", s.Sale().Subtotal, affiliate.Set(affiliate.MustAmount("49")))
			s.Want(s.Mara, "7.84")
			s.redeemed(1)
			s.Send(s.invoice("in_2", "subscription_cycle", 3920, "discounts", []any{map[string]any{"id": "di_1", "promotion_code": "promo_mara"}}))
			s.Want(s.Mara, "15.68")
			s.redeemed(1)
		}},
		{15, "a promotion code by its text", func(t *testing.T) {
			s := newShop(t)
			s.Send(s.session("pi_1", 10000, "discounts", []any{map[string]any{"promotion_code": map[string]any{"id": "promo_other", "code": "mara20"}}}))
			s.Want(s.Mara, "20.00")
			s.redeemed(1)
		}},
	})
}

// promotions are the discounts of a session.
func promotions(ids ...string) (list []any) {
	for _, id := range ids {
		list = append(list, map[string]any{"coupon": nil, "promotion_code": id})
	}
	return list
}

package stripe_test

import (
	"testing"
	"time"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/pay"
	"github.com/tributary-go/tributary/pay/internal/shoptest"
)

// TestCredit: checks 16 to 27.
func TestCredit(t *testing.T) {
	run(t, []check{
		{16, "the code before the click", func(t *testing.T) {
			s := newShop(t)
			s.Send(s.session("pi_1", 10000, "discounts", promotions("promo_mara"), "metadata.tributary_click", "2"))
			s.Want(s.Mara, "20.00")
			s.Want(s.Ben, "0.00")
		}},
		{17, "an exhausted code and a click", func(t *testing.T) {
			s := newShop(t)
			s.exhaust()
			s.Send(s.session("pi_2", 10000, "discounts", promotions("promo_mara"), "metadata.tributary_click", "2", "customer", "cus_2",
				"customer_details.email", "new@example.com"))
			s.Want(s.Ben, "20.00")
			refused := s.Last().Refused
			if len(refused) != 1 || refused[0].Reason != affiliate.CodeExhausted {
				t.Errorf("refused %v", refused)
			}
			s.redeemed(1)
		}},
		{18, "an exhausted code alone", func(t *testing.T) {
			s := newShop(t)
			s.exhaust()
			sales := len(s.AllSales())
			s.Send(s.session("pi_2", 10000, "discounts", promotions("promo_mara"), "customer", "cus_2", "customer_details.email", "new@example.com"))
			s.Outcome(affiliate.SaleRefused)
			shoptest.Same(t, "sales", len(s.AllSales()), sales)
		}},
		{19, "a code that expired after the session began", func(t *testing.T) {
			s := newShop(t)
			noon := shoptest.Start.Add(12 * time.Hour)
			shoptest.Must(s.UpdateCode(t.Context(), s.Code.ID, affiliate.CodeUpdate{ExpiresAt: affiliate.Set(affiliate.At(noon))}))
			s.Pass(36 * time.Hour)
			s.Send(s.session("pi_1", 10000, "discounts", promotions("promo_mara"), "created", noon.Add(-time.Minute).Unix()))
			s.Want(s.Mara, "20.00")
			s.Send(s.session("pi_2", 10000, "discounts", promotions("promo_mara"), "created", noon.Add(time.Minute).Unix(),
				"customer", "cus_2", "customer_details.email", "new@example.com"))
			s.Outcome(affiliate.SaleRefused)
		}},
		{20, "a minimum is compared with the subtotal", func(t *testing.T) {
			s := newShop(t)
			shoptest.Must(s.UpdateCode(t.Context(), s.Code.ID, affiliate.CodeUpdate{MinimumAmount: affiliate.Set(affiliate.MustAmount("50"))}))
			s.Send(s.session("pi_1", 4400, "amount_subtotal", 5500, "discounts", promotions("promo_mara")))
			s.Want(s.Mara, "8.80")
		}},
		{21, "an upgrade", func(t *testing.T) {
			s := newShop(t)
			s.Send(s.subscribed("in_1", 2900, "metadata.tributary_click", "1"))
			s.Send(s.invoice("in_2", "subscription_update", 2000, "lines.data", []any{
				map[string]any{"amount": -1000, "pricing": map[string]any{"price_details": map[string]any{"product": "prod_old"}}},
				map[string]any{"amount": 3000, "pricing": map[string]any{"price_details": map[string]any{"product": "prod_new"}}},
			}))
			s.Want(s.Mara, "9.80") // 5.80 and 4.00
			shoptest.Same(t, "product", s.AllSales()[0].ProductsBought[0], "prod_new")
		}},
		{22, "a downgrade", func(t *testing.T) {
			s := newShop(t)
			s.Send(s.subscribed("in_1", 2900, "metadata.tributary_click", "1"))
			s.Send(s.invoice("in_2", "subscription_update", 0, "total", -1500, "subtotal", -1500))
			s.Ignored(pay.ZeroAmount)
			s.Send(s.invoice("in_3", "subscription_cycle", 1400, "total", 2900, "subtotal", 2900))
			shoptest.Same(t, "total", s.AllSales()[0].TotalEarned, affiliate.MustAmount("14"))
			s.Want(s.Mara, "8.60") // 5.80 and 2.80
		}},
		{23, "an invoice paid in part by a balance", func(t *testing.T) {
			s := newShop(t)
			s.Send(s.load("invoice_taxed", "metadata.tributary_click", "1"))
			shoptest.Same(t, "tax", s.Sale().TaxAmount, affiliate.MustAmount("15"))
			s.Want(s.Mara, "15.00")
		}},
		{24, "tax and shipping", func(t *testing.T) {
			s := newShop(t)
			s.Send(s.session("pi_1", 5990, "amount_subtotal", 5000, "total_details.amount_tax", 491, "total_details.amount_shipping", 499,
				"metadata.tributary_click", "1"))
			s.Want(s.Mara, "10.00")
		}},
		{25, "inclusive tax", func(t *testing.T) {
			s := newShop(t)
			s.Send(s.session("pi_1", 10000, "total_details.amount_tax", 1597, "metadata.tributary_click", "1"))
			s.Want(s.Mara, "16.81")
		}},
		{26, "a reference of a payment link", func(t *testing.T) {
			s := newShop(t)
			s.Send(s.session("pi_1", 10000, "client_reference_id", "trib_s_mara_"+shoptest.ID.String()))
			s.Want(s.Mara, "20.00")
			s.Send(s.session("pi_2", 10000, "client_reference_id", "trib_c_2_"+shoptest.ID.String()))
			s.Want(s.Ben, "20.00")
			s.Send(s.session("pi_3", 10000, "client_reference_id", "user_42", "customer", "cus_3", "customer_details.email", "other@example.com"))
			s.Outcome(affiliate.SaleUnattributed)
			shoptest.Same(t, "sales", len(s.AllSales()), 2)
		}},
		{27, "a bank debit", func(t *testing.T) {
			s := newShop(t)
			s.Send(s.first("payment_status", "unpaid"))
			s.Ignored(pay.Unpaid)
			s.Send(s.first("/type", "checkout.session.async_payment_succeeded"))
			s.Want(s.Mara, "20.00")
			s.Send(s.session("pi_2", 100, "/type", "checkout.session.async_payment_failed", "payment_status", "unpaid"))
			s.Ignored(pay.UnknownEvent)
			s.Sale()
		}},
	})
}

// exhaust redeems MARA20 once and allows no more.
func (s *shop) exhaust() {
	s.T.Helper()
	s.Send(s.session("pi_0", 100, "discounts", promotions("promo_mara")))
	shoptest.Must(s.UpdateCode(s.T.Context(), s.Code.ID, affiliate.CodeUpdate{MaxRedemptions: affiliate.Set[int64](1)}))
}

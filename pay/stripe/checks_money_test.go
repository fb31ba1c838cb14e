package stripe_test

import (
	"context"
	"testing"
	"time"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/pay"
	"github.com/tributary-go/tributary/pay/adapter"
	"github.com/tributary-go/tributary/pay/internal/shoptest"
	"github.com/tributary-go/tributary/pay/stripe"
)

// inCurrency opens a shop in a currency.
func inCurrency(t *testing.T, c affiliate.Currency) *shop {
	return newShopWith(t, func(cfg *tributary.Config) { cfg.Currency = c }, nil)
}

// TestMoney: checks 28 to 40.
func TestMoney(t *testing.T) {
	run(t, []check{
		{28, "JPY", func(t *testing.T) { pays(t, "JPY", 1234, 112, "1234", "224") }},
		{29, "KWD", func(t *testing.T) { pays(t, "KWD", 12340, 0, "12.34", "2.468") }},
		{30, "ISK", func(t *testing.T) { pays(t, "ISK", 50000, 0, "500", "100") }},
		{31, "UGX", func(t *testing.T) { pays(t, "UGX", 500, 0, "5", "1") }},
		{32, "MGA", func(t *testing.T) { pays(t, "MGA", 5000, 0, "5000", "1000.00") }},
		{33, "another currency", func(t *testing.T) {
			s := newShop(t)
			s.Send(s.first("currency", "eur"))
			s.Ignored(pay.OtherCurrency)
			shoptest.Same(t, "outcome", s.Last().Outcome, affiliate.SaleOtherCurrency)
			s.Send(s.refund("re_1", "pi_1", 3000, "currency", "eur"))
			known := shoptest.Must(s.Payments().ProviderPayment(t.Context(), "stripe", "pi_1"))
			shoptest.Same(t, "lost", known.Lost, affiliate.MustAmount("30"))
			shoptest.Same(t, "currency", known.Currency, "EUR")
			waits := shoptest.Must(s.Attention(t.Context(), 0)).PaymentConflicts
			if waits.Count != 1 || waits.Items[0].Amount != affiliate.MustAmount("120") || waits.Items[0].Currency != "EUR" {
				t.Errorf("%+v waits", waits)
			}
			shoptest.Same(t, "events", s.Fired(affiliate.SaleCreated), 0)
		}},
		{34, "another currency is reported each time", func(t *testing.T) {
			s := newShop(t)
			events := s.Fired("")
			for range 3 {
				s.Send(s.first("currency", "eur"))
				f := s.Last().Action.Payment
				paid, ok := f.Sale.Get()
				if !ok || paid.Gross != affiliate.MustAmount("120") || f.Currency != "EUR" || f.Keys[0] != "pi_1" {
					t.Errorf("reported %+v", f)
				}
				s.Ignored(pay.OtherCurrency)
			}
			shoptest.Same(t, "results", len(s.Results), 3)
			shoptest.Same(t, "events", s.Fired(""), events)
		}},
		{35, "a sale that the host booked", func(t *testing.T) {
			s := newShop(t)
			shoptest.Must(s.RecordSale(t.Context(), affiliate.SaleParams{
				ReferralID: "1", Email: "tomas@example.com", Name: "Tomas", TotalEarned: affiliate.MustAmount("120"), Tax: affiliate.MustAmount("20"), ExternalID: "order-1042",
			}))
			s.Send(s.first("metadata.tributary_order", "order-1042"))
			s.Outcome(affiliate.SaleDuplicate)
			s.Sale()
			s.Send(s.refund("re_1", "pi_1", 3000))
			s.Want(s.Mara, "15.00")
		}},
		{36, "the receipt of a session", func(t *testing.T) {
			for _, known := range []any{"in_7", nil} {
				inEachOrder(t, 2, func(s *shop, order []int) {
					events := []event{s.first("invoice", known, "invoice_creation.enabled", true), s.invoice("in_7", "manual", 12000, "parent", nil)}
					for _, i := range order {
						if s.Send(events[i]); i == 1 {
							s.Ignored(pay.OneOffInvoice)
						}
					}
					s.Sale()
					s.Want(s.Mara, "20.00")
				})
			}
		}},
		{37, "connected accounts", func(t *testing.T) {
			one, two := newShop(t), newShop(t)
			h := handler(t, nil, stripe.Config{
				Config:   adapter.Config{Secrets: []string{secret}, Now: one.Config().Now, OnResult: one.OnResult, Logger: one.Logger()},
				Accounts: accounts(map[string]*tributary.Program{"acct_1": one.Program, "acct_2": two.Program}),
			})
			one.Hook = h
			one.Send(one.first("/account", "acct_1"))
			one.Send(one.session("pi_9", 5000, "metadata.tributary_click", "2", "/account", "acct_2"))
			one.Want(one.Mara, "20.00")
			two.Want(two.Ben, "10.00")
			one.Sale()
			two.Sale()
			for _, account := range []any{"acct_3", shoptest.Gone} {
				one.Send(one.session("pi_8", 5000, "/account", account))
				one.Ignored(pay.OtherAccount)
			}
			s := newShop(t)
			s.Send(s.first("/account", "acct_1"))
			s.Ignored(pay.OtherAccount)
		}},
		{38, "the other mode", func(t *testing.T) {
			s := newShop(t)
			s.Send(s.first("/livemode", false))
			s.Ignored(pay.TestMode)
			s = newShopWith(t, nil, func(cfg *stripe.Config) { cfg.Test = true })
			s.Send(s.first())
			s.Ignored(pay.LiveMode)
			s.Send(s.first("/livemode", false))
			s.Want(s.Mara, "20.00")
		}},
		{39, "two versions of an invoice", func(t *testing.T) {
			old, young := newShop(t), newShop(t)
			meta := map[string]any{"tributary_click": "1", "tributary_order": "order-1"}
			old.Send(old.load("invoice_cycle_acacia", "subscription_details.metadata", meta))
			young.Send(young.load("invoice_cycle", "parent.subscription_details.metadata", meta), young.link("in_2", "pi_2"))
			a, b := old.Sale(), young.Sale()
			shoptest.Same(t, "total", a.TotalEarned, b.TotalEarned)
			shoptest.Same(t, "commission", a.CommissionEarned, b.CommissionEarned)
			// A renewal takes no order from its metadata: it has the payment, where the invoice names one.
			shoptest.Same(t, "externalId", a.ExternalID, affiliate.Set("pi_2"))
			shoptest.Same(t, "externalId of the new version", b.ExternalID, affiliate.Null[string]())
			shoptest.Same(t, "externalInvoiceId", a.ExternalInvoiceID, b.ExternalInvoiceID)
			shoptest.Same(t, "product", a.ProductsBought[0], b.ProductsBought[0])
			p, q := old.payment("in_2"), young.payment("in_2")
			shoptest.Same(t, "keys", len(p.Keys), 2)
			for i := range p.Keys {
				shoptest.Same(t, "key", p.Keys[i], q.Keys[i])
			}
			shoptest.Same(t, "gross", p.Gross, q.Gross)
			shoptest.Same(t, "payer", p.PayerID, q.PayerID)
		}},
		{40, "an email that is not accepted", func(t *testing.T) {
			s := newShop(t)
			s.Send(s.first("customer_details.email", "müller@example.com"))
			s.Outcome(affiliate.SaleRecorded)
			shoptest.Same(t, "email", s.Referral().Email, "")
			s.Send(s.load("customer", "email", "mueller@example.com"))
			s.Want(s.Mara, "20.00")
			shoptest.Same(t, "email", s.Referral().Email, "mueller@example.com")
		}},
	})
}

// pays sends a session in a currency.
func pays(t *testing.T, c affiliate.Currency, total, tax int, earned, commission string) {
	t.Helper()
	s := inCurrency(t, c)
	s.Send(s.session("pi_1", total, "currency", string(c), "total_details.amount_tax", tax, "metadata.tributary_click", "1"))
	shoptest.Same(t, "total", s.Sale().TotalEarned, affiliate.MustAmount(earned))
	s.Want(s.Mara, commission)
}

// accounts answers the program of an account.
func accounts(programs map[string]*tributary.Program) func(context.Context, string) (*tributary.Program, error) {
	return func(_ context.Context, account string) (*tributary.Program, error) { return programs[account], nil }
}

// TestRefunds: checks 41 to 56.
func TestRefunds(t *testing.T) {
	run(t, []check{
		{41, "a refund", func(t *testing.T) {
			s := newShop(t)
			s.Send(s.first(), s.refund("re_1", "pi_1", 3000))
			s.Want(s.Mara, "15.00")
			shoptest.Same(t, "sale.updated", s.Fired(affiliate.SaleUpdated), 1)
			shoptest.Same(t, "moved", s.Last().Moved, affiliate.MustAmount("-5"))
		}},
		{42, "the same refund again", func(t *testing.T) {
			s := newShop(t)
			r := s.refund("re_1", "pi_1", 3000)
			s.Send(s.first(), r)
			fired := s.Fired("")
			s.Send(r, r.With("type", "refund.updated", "id", "evt_other"))
			s.Want(s.Mara, "15.00")
			shoptest.Same(t, "events", s.Fired(""), fired)
		}},
		{43, "the rest", func(t *testing.T) {
			s := newShop(t)
			s.Send(s.first(), s.refund("re_1", "pi_1", 3000), s.refund("re_2", "pi_1", 9000))
			s.Want(s.Mara, "0.00")
			shoptest.Same(t, "status", s.Sale().Status, affiliate.SaleRefunded)
			shoptest.Same(t, "sale.deleted", s.Fired(affiliate.SaleDeleted), 1)
		}},
		{44, "a redelivery after everything went back", func(t *testing.T) {
			s := newShop(t)
			e := s.first()
			s.Send(e, s.refund("re_1", "pi_1", 12000))
			fired := s.Fired("")
			s.Send(e)
			s.Outcome(affiliate.SaleDuplicate)
			s.Want(s.Mara, "0.00")
			shoptest.Same(t, "events", s.Fired(""), fired)
		}},
		{45, "a refund by id and as a sum", func(t *testing.T) {
			inEachOrder(t, 2, func(s *shop, order []int) {
				s.Send(s.first())
				events := []event{s.refund("re_1", "pi_1", 3000), s.load("charge_refunded", "id", "ch_pi_1")}
				for _, i := range order {
					s.Send(events[i])
				}
				s.Want(s.Mara, "15.00")
			})
		}},
		{46, "sums in the wrong order", func(t *testing.T) {
			s := newShop(t)
			s.Send(s.first(), s.load("charge_refunded", "amount_refunded", 5000), s.load("charge_refunded", "amount_refunded", 3000))
			shoptest.Same(t, "refunded", s.Sale().RefundedAmount, affiliate.MustAmount("50"))
			s.Want(s.Mara, "11.67")
		}},
		{47, "pending, then succeeded", func(t *testing.T) {
			s := newShop(t)
			s.Send(s.first(), s.refund("re_1", "pi_1", 3000, "status", "pending"))
			s.Want(s.Mara, "20.00")
			s.Send(s.refund("re_1", "pi_1", 3000, "/type", "refund.updated"))
			s.Want(s.Mara, "15.00")
		}},
		{48, "pending, then failed", func(t *testing.T) {
			s := newShop(t)
			s.Send(s.first(), s.refund("re_1", "pi_1", 3000, "status", "pending"), s.refund("re_1", "pi_1", 3000, "status", "failed", "/type", "refund.failed"))
			s.Want(s.Mara, "20.00")
			shoptest.Same(t, "sale.updated", s.Fired(affiliate.SaleUpdated), 0)
			shoptest.Same(t, "adjustments", len(s.Adjusted()), 0)
		}},
		{49, "succeeded, then failed", func(t *testing.T) {
			s := newShop(t)
			s.Send(s.first(), s.refund("re_1", "pi_1", 3000), s.refund("re_1", "pi_1", 3000, "status", "failed", "/type", "refund.failed"))
			s.Want(s.Mara, "20.00")
			shoptest.Same(t, "commission", s.Sale().CommissionEarned, affiliate.MustAmount("20"))
			shoptest.Same(t, "refunded", s.Sale().RefundedAmount, affiliate.Amount{})
			shoptest.Same(t, "adjustments", len(s.Adjusted()), 0)
		}},
		{50, "a refund before its payment", func(t *testing.T) {
			s := newShop(t)
			s.Send(s.refund("re_1", "pi_1", 3000))
			s.Outcome(affiliate.SaleParked)
			s.Send(s.first())
			s.Want(s.Mara, "15.00")
		}},
		{51, "a full refund before its payment", func(t *testing.T) {
			s := newShop(t)
			s.Send(s.refund("re_1", "pi_1", 12000), s.first())
			s.Want(s.Mara, "0.00")
			shoptest.Same(t, "status", s.Sale().Status, affiliate.SaleRefunded)
			shoptest.Same(t, "externalId", s.Sale().ExternalID, affiliate.Set("pi_1"))
			s.Send(s.first())
			s.Sale()
		}},
		{52, "a refund of an invoice", func(t *testing.T) {
			inEachOrder(t, 3, func(s *shop, order []int) {
				events := []event{s.subscribed("in_9", 2900, "metadata.tributary_click", "1"), s.refund("re_9", "pi_9", 2900), s.link("in_9", "pi_9")}
				for _, i := range order {
					s.Send(events[i])
				}
				s.Sale()
				s.Want(s.Mara, "0.00")
			})
		}},
		{53, "a link a day later", func(t *testing.T) {
			s := newShop(t)
			s.Send(s.subscribed("in_9", 2900, "metadata.tributary_click", "1"), s.refund("re_9", "pi_9", 2900))
			s.Want(s.Mara, "5.80")
			s.Outcome(affiliate.SaleParked)
			s.Pass(24 * time.Hour)
			s.Send(s.link("in_9", "pi_9"))
			s.Want(s.Mara, "0.00")
		}},
		{54, "a charge of an old version names its invoice", func(t *testing.T) {
			s := newShop(t)
			s.Send(s.subscribed("in_2", 2900, "metadata.tributary_click", "1"), s.load("charge_refunded_acacia"))
			s.Want(s.Mara, "0.00")
		}},
		{55, "a refund after the payout", func(t *testing.T) { afterPayout(t, true) }},
		{56, "a refund during the payout", func(t *testing.T) { afterPayout(t, false) }},
	})
}

// afterPayout refunds a sale that a payout holds.
func afterPayout(t *testing.T, paid bool) {
	s := newShop(t)
	s.Send(s.first())
	before := shoptest.Must(s.CreatePayout(t.Context(), affiliate.PayoutParams{AffiliateID: s.Mara.ID, ManuallyPaid: paid}))
	s.Send(s.refund("re_1", "pi_1", 3000))
	after := shoptest.Must(s.Payout(t.Context(), before.ID))
	shoptest.Same(t, "amount of the payout", after.Amount, affiliate.MustAmount("20"))
	shoptest.Same(t, "status of the payout", after.Status, before.Status)
	commissions := s.Sale().Commissions
	shoptest.Same(t, "commissions", len(commissions), 2)
	shoptest.Same(t, "entry", commissions[1].CommissionEarned, affiliate.MustAmount("-5"))
	shoptest.Same(t, "payable", shoptest.Must(s.Balance(t.Context(), affiliate.AffiliateRef{ID: s.Mara.ID})).Payable, affiliate.MustAmount("-5"))
}

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

// status is an event of a subscription.
func (s *shop) status(id, status string) event {
	return s.load("subscription", "id", id, "status", status)
}

// is requires the status of the customer.
func (s *shop) is(want affiliate.SubscriptionStatus) {
	s.T.Helper()
	shoptest.Same(s.T, "status", s.Referral().Status, want)
}

// TestStatus: checks 74 to 78.
func TestStatus(t *testing.T) {
	run(t, []check{
		{74, "past due does not stop a payment", func(t *testing.T) {
			s := newShop(t)
			s.Send(s.subscribed("in_1", 2900, "metadata.tributary_click", "1"), s.status("sub_1", "past_due"))
			s.is(affiliate.SubscriptionPastDue)
			shoptest.Same(t, "referral.updated", s.Fired(affiliate.ReferralUpdated), 1)
			s.Send(s.invoice("in_2", "subscription_cycle", 2900))
			s.Want(s.Mara, "11.60")
			s.Pass(time.Second)
			s.Send(s.status("sub_1", "active"))
			s.is(affiliate.SubscriptionActive)
		}},
		{75, "deleted is final", func(t *testing.T) {
			s := newShop(t)
			s.Send(s.subscribed("in_1", 2900, "metadata.tributary_click", "1"))
			older := s.status("sub_1", "past_due")
			s.Pass(time.Minute)
			s.Send(s.load("subscription", "/type", "customer.subscription.deleted", "status", "canceled"), older)
			s.is(affiliate.SubscriptionCancelled)
		}},
		{76, "two subscriptions", func(t *testing.T) {
			s := newShop(t)
			s.Send(s.subscribed("in_1", 2900, "metadata.tributary_click", "1"), s.status("sub_1", "active"), s.status("sub_2", "trialing"))
			s.Pass(time.Minute)
			s.Send(s.status("sub_1", "canceled"))
			s.is(affiliate.SubscriptionActive)
			s.Pass(time.Minute)
			s.Send(s.status("sub_2", "canceled"))
			s.is(affiliate.SubscriptionCancelled)
		}},
		{77, "two states in one second", func(t *testing.T) {
			inEachOrder(t, 2, func(s *shop, order []int) {
				s.Send(s.subscribed("in_1", 2900, "metadata.tributary_click", "1"))
				events := []event{s.status("sub_1", "past_due"), s.status("sub_1", "active")}
				for _, i := range order {
					s.Send(events[i])
				}
				s.is(affiliate.SubscriptionActive)
			})
		}},
		{78, "declined by a person", func(t *testing.T) {
			s := newShop(t)
			s.Send(s.subscribed("in_1", 2900, "metadata.tributary_click", "1"))
			shoptest.Must(s.UpdateReferral(t.Context(), s.Referral().ID.String(), affiliate.ReferralUpdate{
				SubscriptionStatus: affiliate.Set(affiliate.SubscriptionDeclined),
			}))
			s.Send(s.invoice("in_2", "subscription_cycle", 2900))
			s.Outcome(affiliate.SaleInactiveCustomer)
			s.Sale()
		}},
	})
}

// TestStatusIgnored: a subscription that is not complete, and one of a payer who
// is not known, change nothing.
func TestStatusIgnored(t *testing.T) {
	s := newShop(t)
	s.Send(s.status("sub_1", "active"))
	s.Ignored(pay.NoCustomer)
	s.Send(s.status("sub_1", "incomplete"))
	s.Ignored(pay.Unpaid)
	s.Send(s.status("sub_1", "a status of the future"))
	s.Ignored(pay.UnknownEvent)
	s.Send(s.load("subscription", "customer", nil))
	s.Ignored(pay.NoCustomer)
}

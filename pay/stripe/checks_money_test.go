package stripe_test

import (
	"context"
	"testing"

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

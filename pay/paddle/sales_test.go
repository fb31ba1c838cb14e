package paddle_test

import (
	"context"
	"testing"
	"time"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/pay"
	"github.com/tributary-go/tributary/pay/internal/shoptest"
	"github.com/tributary-go/tributary/pay/paddle"
)

// TestSale: one payment, reported by several events and repeatedly, is one sale,
// with the customer's email before or after it.
func TestSale(t *testing.T) {
	t.Run("once", func(t *testing.T) {
		s := newShop(t)
		s.Send(s.customer(), s.load("transaction", "/event_type", "transaction.paid"))
		s.Ignored(pay.CoveredElsewhere)
		first := s.first()
		for range 3 {
			s.Send(first)
			s.Pass(20 * 24 * time.Hour)
			first = first.With("event_id", "evt_again")
		}
		s.Outcome(affiliate.SaleDuplicate)
		sale := s.Sale()
		shoptest.Same(t, "total", sale.TotalEarned.Format("USD"), "120.00")
		shoptest.Same(t, "commission", sale.CommissionEarned.Format("USD"), "20.00")
		shoptest.Same(t, "externalId", sale.ExternalID.Or(""), "txn_1")
		shoptest.Same(t, "invoice", sale.ExternalInvoiceID.Or(""), "inv_txn_1")
		shoptest.Same(t, "events", s.Fired(affiliate.SaleCreated), 1)
		ref := s.Referral()
		shoptest.Same(t, "email", ref.Email, "tomas@example.net")
		shoptest.Same(t, "integration", ref.IntegrationReferralSource.Or(""), affiliate.Integration("PADDLE"))
	})
	t.Run("the email comes later", func(t *testing.T) {
		s := newShop(t)
		s.Send(s.first())
		s.Outcome(affiliate.SaleRecorded)
		shoptest.Same(t, "email", s.Referral().Email, "")
		s.Send(s.customer("/event_type", "customer.updated"))
		s.Want(s.Mara, "20.00")
		shoptest.Same(t, "email", s.Referral().Email, "tomas@example.net")
	})
	t.Run("a name comes before the email", func(t *testing.T) {
		s := newShop(t)
		s.Send(s.first())
		for _, email := range []string{"", "", "tomas@example.net"} {
			if err := s.Program.Payments().ReportPayer(t.Context(), "paddle", affiliate.PayerFact{ID: "ctm_T", Email: email, Name: "Tomas"}); err != nil {
				t.Fatal(err)
			}
			s.Want(s.Mara, "20.00")
			shoptest.Same(t, "email", s.Referral().Email, email)
			if err := s.Verify(t.Context()); err != nil {
				t.Errorf("after %q: %v", email, err)
			}
		}
		s.Send(s.first())
		s.Sale()
	})
	t.Run("the email comes when a payout holds the sale", func(t *testing.T) {
		s := newShop(t)
		s.Send(s.first())
		shoptest.Must(s.CreatePayout(t.Context(), affiliate.PayoutParams{AffiliateID: s.Mara.ID, ManuallyPaid: true}))
		s.Send(s.customer("/event_type", "customer.updated"))
		s.Want(s.Mara, "20.00")
		shoptest.Same(t, "email", s.Referral().Email, "tomas@example.net")
	})
	t.Run("nobody", func(t *testing.T) {
		s := newShop(t)
		s.Send(s.customer(), s.transaction("txn_1", 12000, 2000))
		s.Outcome(affiliate.SaleUnattributed)
		shoptest.Same(t, "sales", len(s.AllSales()), 0)
	})
	t.Run("nothing was paid", func(t *testing.T) {
		s := newShop(t)
		s.Send(s.customer(), s.transaction("txn_1", 0, 0, "custom_data.tributary_click", "1"))
		s.Ignored(pay.ZeroAmount)
	})
	t.Run("another currency", func(t *testing.T) {
		s := newShop(t)
		s.Send(s.customer(), s.first("currency_code", "EUR"), s.adjusted("adj_1", "refund", "txn_1", 3000, "currency_code", "EUR"))
		for _, r := range s.Results[1:] {
			shoptest.Same(t, "currency", r.Action.Payment.Currency, "EUR")
		}
		shoptest.Same(t, "reason", s.Results[1].Action.Reason, pay.OtherCurrency)
		shoptest.Same(t, "outcome", s.Results[1].Outcome, affiliate.SaleOtherCurrency)
		shoptest.Same(t, "waiting", shoptest.Must(s.Attention(t.Context(), 0)).PaymentConflicts.Count, 1)
		shoptest.Same(t, "sales", len(s.AllSales()), 0)
	})
	t.Run("settled in the program's currency", func(t *testing.T) {
		payout := func(c *paddle.Config) { c.Totals = paddle.PayoutTotals }
		for name, tt := range map[string]struct {
			change        func(*paddle.Config)
			set           []any
			earned, total string
		}{
			"the settled amount":     {payout, []any{"details.payout_totals", totals("13000", "USD")}, "21.67", "130"},
			"after a credit note":    {payout, []any{"details.payout_totals", totals("13000", "USD"), "details.adjusted_totals", totals("6000", "EUR"), "details.adjusted_payout_totals", totals("6600", "USD")}, "13.2", "66"},
			"adjusted, but the same": {payout, []any{"details.payout_totals", totals("13000", "USD"), "details.adjusted_totals", totals("12000", "EUR"), "details.adjusted_payout_totals", totals("1", "USD")}, "21.67", "130"},
			"not asked for":          {nil, []any{"details.payout_totals", totals("13000", "USD")}, "40", "240"},
			"settled in a third one": {payout, []any{"details.payout_totals", totals("13000", "GBP")}, "40", "240"},
			"not said":               {payout, nil, "40", "240"},
			"unreadable":             {payout, []any{"details.payout_totals", map[string]any{"grand_total": "x", "currency_code": "USD"}}, "40", "240"},
			"nothing":                {payout, []any{"details.payout_totals", totals("0", "USD")}, "40", "240"},
		} {
			t.Run(name, func(t *testing.T) {
				s := newShopWith(t, tt.change, func(c *tributary.Config) {
					c.Rate = func(context.Context, affiliate.Currency, time.Time) (affiliate.ExchangeRate, error) {
						return affiliate.MustExchangeRate("2"), nil
					}
				})
				s.Send(s.customer(), s.first(append([]any{"currency_code", "EUR"}, tt.set...)...))
				sale := s.AllSales()[0]
				shoptest.Same(t, "commission", sale.CommissionEarned, affiliate.MustAmount(tt.earned))
				shoptest.Same(t, "total", sale.TotalEarned, affiliate.MustAmount(tt.total))
				s.Send(s.adjusted("adj_1", "refund", "txn_1", 12000, "currency_code", "EUR"))
				shoptest.Same(t, "after the refund", s.AllSales()[0].CommissionEarned, affiliate.Amount{})
			})
		}
	})
	t.Run("the host records it too", func(t *testing.T) {
		s := newShop(t)
		shoptest.Must(s.RecordSale(t.Context(), affiliate.SaleParams{
			ReferralID: "mara", TotalEarned: affiliate.MustAmount("120"), Tax: affiliate.MustAmount("20"), ExternalID: "order-1", Email: "tomas@example.net", Name: "Tomas Ruiz",
		}))
		s.Send(s.first("custom_data.tributary_order", "order-1"))
		s.Outcome(affiliate.SaleUnattributed) // nobody has said yet who pays
		s.Send(s.adjusted("adj_1", "refund", "txn_1", 3000))
		s.Want(s.Mara, "20.00")
		s.Send(s.customer(), s.first("custom_data.tributary_order", "order-1"))
		s.Outcome(affiliate.SaleDuplicate)
		s.Want(s.Mara, "15.00")
	})
}

// TestAmounts: texts of minor units; tax of what was paid; the base without a
// discount.
func TestAmounts(t *testing.T) {
	for _, row := range []struct {
		name, want string
		changes    []any
		currency   affiliate.Currency
	}{
		{"no tax", "24.00", []any{"details.totals.tax", "0", "details.totals.grand_total_tax", "0"}, ""},
		{"tax of what was paid", "15.00", []any{"details.totals.grand_total", "9000", "details.totals.grand_total_tax", "1500"}, ""},
		{"tax of an older version", "15.00", []any{"details.totals.grand_total", "9000", "details.totals.grand_total_tax", shoptest.Gone}, ""},
		{"a discount", "16.00", []any{"details.totals.discount", "2000", "details.totals.grand_total", "9600", "details.totals.total", "9600", "details.totals.tax", "1600", "details.totals.grand_total_tax", "1600"}, ""},
		{"yen", "2000", []any{"currency_code", "JPY"}, "JPY"},
		{"dinar", "2.000", []any{"currency_code", "KWD"}, "KWD"},
		{"fees are no part", "20.00", []any{"details.totals.fee", "5000"}, ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			s := newShopWith(t, nil, func(cfg *tributary.Config) { cfg.Currency = row.currency })
			s.Send(s.customer(), s.first(row.changes...))
			s.Want(s.Mara, row.want)
		})
	}
}

// TestCredit: the discount's code, then the host's code, then the click, then the
// slug; a renewal follows the customer and redeems no code.
func TestCredit(t *testing.T) {
	for _, row := range []struct {
		name, want string
		changes    []any
	}{
		{"click", "Mara 20.00, Ben 0.00; sale of 120", []any{"custom_data", map[string]any{"tributary_click": "1"}}},
		{"a number", "Mara 20.00, Ben 0.00; sale of 120", []any{"custom_data", map[string]any{"tributary_click": 1}}},
		{"slug", "Mara 0.00, Ben 20.00; sale of 120", []any{"custom_data", map[string]any{"tributary_slug": "ben"}}},
		{"code before click", "Mara 20.00, Ben 0.00; sale of 120", []any{"custom_data", map[string]any{"tributary_code": "mara20", "tributary_click": "2"}}},
		{"discount before click", "Mara 20.00, Ben 0.00; sale of 120", []any{"discount_id", "promo_mara", "custom_data", map[string]any{"tributary_click": "2"}}},
		{"an unknown discount", "Mara 0.00, Ben 20.00; sale of 120", []any{"discount_id", "dsc_other", "custom_data", map[string]any{"tributary_click": "2"}}},
		{"the host's own data", "Mara 0.00, Ben 0.00", []any{"custom_data", map[string]any{"tributary_click": map[string]any{"a": []any{}}, "order": 5}}},
		{"a list", "Mara 0.00, Ben 0.00", []any{"custom_data", []any{"tributary_click"}}},
	} {
		t.Run(row.name, func(t *testing.T) {
			s := newShop(t)
			s.Send(s.customer(), s.transaction("txn_1", 12000, 2000, row.changes...))
			shoptest.Same(t, "money", s.Money(), row.want)
		})
	}
	t.Run("other names", func(t *testing.T) {
		s := newShopWith(t, func(cfg *paddle.Config) { cfg.Names = map[string]string{"tributary_click": "ref"} })
		s.Send(s.customer(), s.transaction("txn_1", 12000, 2000, "custom_data.ref", "2", "custom_data.tributary_program", shoptest.ID.String()))
		s.Want(s.Ben, "20.00")
	})
	t.Run("a renewal redeems nothing", func(t *testing.T) {
		s := newShop(t)
		s.Send(s.customer(), s.subscribed("discount_id", "promo_mara", "custom_data", nil), s.renewed("discount_id", "promo_mara", "custom_data.tributary_click", "2"))
		shoptest.Same(t, "money", s.Money(), "Mara 11.60, Ben 0.00; sale of 29; sale of 29")
		code := shoptest.Must(s.Program.Code(t.Context(), affiliate.CodeRef{Code: "MARA20"}))
		shoptest.Same(t, "timesRedeemed", code.TimesRedeemed, 1)
	})
}

// TestRenewal: a renewal waits for the first payment, and not for ever.
func TestRenewal(t *testing.T) {
	s := newShop(t)
	s.Send(s.customer())
	renewed := s.renewed()
	s.Pass(10 * time.Minute)
	shoptest.Same(t, "a renewal first", s.Status(renewed), 503)
	s.Send(s.subscribed(), renewed)
	s.Want(s.Mara, "11.60")

	late := newShop(t)
	late.Send(late.customer())
	renewed = late.renewed()
	late.Pass(61 * time.Minute)
	late.Send(renewed)
	late.Want(late.Mara, "5.80")

	plain := newShop(t)
	plain.Send(plain.customer(), plain.renewed("custom_data", nil))
	plain.Outcome(affiliate.SaleUnattributed)
}

// TestStatus: the states of subscriptions, of payers who are known by their ids.
func TestStatus(t *testing.T) {
	s := newShop(t)
	s.Send(s.status("active"))
	s.Ignored(pay.NoCustomer)
	s.Send(s.customer(), s.subscribed())
	for _, row := range []struct {
		status string
		want   affiliate.SubscriptionStatus
	}{
		{"trialing", affiliate.SubscriptionActive}, {"past_due", affiliate.SubscriptionPastDue}, {"active", affiliate.SubscriptionActive},
		{"paused", affiliate.SubscriptionPastDue}, {"canceled", affiliate.SubscriptionCancelled},
	} {
		s.Pass(time.Hour)
		s.Send(s.status(row.status))
		shoptest.Same(t, row.status, s.Referral().Status, row.want)
	}
	late := s.status("past_due", "/occurred_at", stamp(s.Now.Add(-time.Minute)))
	s.Send(late)
	shoptest.Same(t, "after an older event", s.Referral().Status, affiliate.SubscriptionCancelled)
	s.Send(s.status("sleeping"))
	s.Ignored(pay.UnknownEvent)
	s.Send(s.load("subscription", "customer_id", nil))
	s.Ignored(pay.NoCustomer)
}

// totals are a grand total in a currency.
func totals(grand string, c affiliate.Currency) map[string]any {
	return map[string]any{"grand_total": grand, "currency_code": c}
}

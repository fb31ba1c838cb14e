package paddle_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

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

// browser is custom data as a payer's browser sets it: without the host's signature.
func browser(pairs ...string) map[string]any {
	data := map[string]any{"tributary_program": shoptest.ID.String()}
	for i := 0; i < len(pairs); i += 2 {
		data["tributary_"+pairs[i]] = pairs[i+1]
	}
	return data
}

// TestOtherProgram: clicks, slugs and signed data of another program credit nobody.
func TestOtherProgram(t *testing.T) {
	s := newShop(t)
	s.Send(s.customer())
	other := uuid.MustParse("0197c2f0-1a2b-7c3d-8e4f-5a6b7c8d9e02")
	stolen := pay.Carried{Program: other, Click: "1", Order: "order-1", Customer: "user-9"}
	for id, data := range map[string]map[string]any{
		"txn_1": {"tributary_click": "1"}, "txn_2": {"tributary_slug": "mara"}, "txn_3": {"tributary_click": "1", "tributary_program": other.String()},
		"txn_4": {"tributary_program": other.String(), "tributary_click": "1", "tributary_order": "order-1", "tributary_customer": "user-9", "tributary_signature": shoptest.Must(shoptest.CarryKeys.Sign(stolen))},
		"txn_5": {"tributary_program": shoptest.ID.String() + "x", "tributary_click": "1"},
		"txn_6": {"tributary_program": strings.ToUpper(other.String()), "tributary_slug": "mara"}, "txn_7": {"tributary_program": 1, "tributary_click": 1},
		"txn_8": {"tributary_program": []any{shoptest.ID.String()}, "tributary_click": "1"}, "txn_9": {"tributary_program": nil, "tributary_click": "1"},
	} {
		e := s.transaction(id, 12000, 2000).With("data.custom_data", data)
		s.Send(e)
		if r := s.Last(); r.Outcome != affiliate.SaleUnattributed || r.Action.Payment.Payer.CustomerID != "" {
			t.Errorf("%s: %s, %+v", id, r.Outcome, r.Action.Payment)
		}
	}
	shoptest.Same(t, "sales", len(s.AllSales()), 0)
}

// TestSigned: what the host signed is read; what is changed, left out, or signed with
// another key is not; an old key stays good while it is there.
func TestSigned(t *testing.T) {
	s := newShop(t)
	s.Send(s.customer())
	what := pay.Carried{Order: "order-7", Code: "MARA20", Hold: "cart", Offer: true, Customer: "user-9", Slug: "ben"}
	carried := shoptest.Must(s.config().Carry(s.Program, nil, what))
	read := func(cfg func(*pay.Keys), change func(map[string]string)) pay.Carried {
		data := maps.Clone(carried)
		change(data)
		c := s.config()
		cfg(&c.CarryKeys)
		return mappedWith(t, s.transaction("txn_1", 100, 0).With("data.custom_data", data), c).Carried
	}
	same, asIs := func(*pay.Keys) {}, func(map[string]string) {}
	what.Program, what.Signed = shoptest.ID, true
	shoptest.Same(t, "as it was", read(same, asIs), what)
	rotated := func(k *pay.Keys) { *k = append(pay.Keys{bytes.Repeat([]byte("n"), 32)}, *k...) }
	shoptest.Same(t, "with a new key before it", read(rotated, asIs), what)
	left := pay.Carried{Program: shoptest.ID, Slug: "ben", Forged: true}
	shoptest.Same(t, "the key is gone", read(func(k *pay.Keys) { *k = nil }, asIs), left)
	for name := range carried {
		if name == "tributary_slug" || name == "tributary_program" {
			continue
		}
		for _, text := range []string{"", "x", carried[name] + "x"} {
			if got := read(same, func(m map[string]string) { m[name] = text }); got != left {
				t.Errorf("%s = %q: %+v", name, text, got)
			}
		}
	}
	if got := read(same, func(m map[string]string) { m["tributary_slug"] = "mara" }); got.Signed || got.Order != "" || got.Slug != "mara" {
		t.Errorf("another slug: %+v", got)
	}
}

// TestSignaturesDiffer: no field of what is carried can be taken for another one.
func TestSignaturesDiffer(t *testing.T) {
	seen := map[string]pay.Carried{}
	for _, c := range []pay.Carried{{}, {Hold: "offer"}, {Offer: true}, {Hold: "offer", Offer: true}, {Order: "offer"}, {Customer: "offer"}, {Code: "offer"}} {
		signature := shoptest.Must(shoptest.CarryKeys.Sign(c))
		if other, taken := seen[signature]; taken {
			t.Errorf("%+v and %+v have one signature", other, c)
		}
		seen[signature] = c
	}
}

// TestOfferIsCarried: a payment redeems what the link gives when the host signed that its checkout took it off.
func TestOfferIsCarried(t *testing.T) {
	s := newShop(t)
	give := affiliate.AffiliateUpdate{OfferCouponID: affiliate.Set(s.Code.CouponID)}
	shoptest.Must(s.UpdateAffiliate(t.Context(), affiliate.AffiliateRef{ID: s.Code.AffiliateID.Or(uuid.Nil)}, give))
	s.Send(s.customer())
	for id, what := range map[string]pay.Carried{"order-1": {Offer: true}, "order-2": {}} {
		what.Order, what.Slug = id, "mara"
		data := map[string]any{}
		for key, text := range shoptest.Must(s.config().Carry(s.Program, nil, what)) {
			data[key] = text
		}
		s.Send(s.transaction("txn_"+id, 8000, 0).With("data.custom_data", data))
		sale := s.Last().Sale.Or(affiliate.Sale{})
		shoptest.Same(t, id+" redeems the offer", sale.Offer, what.Offer)
	}
	coupon := shoptest.Must(s.Program.Coupon(t.Context(), affiliate.CouponRef{ID: s.Code.CouponID}))
	shoptest.Same(t, "redeemed", coupon.TimesRedeemed, 1)
}

// TestForgedIsLogged: what was left out is a line of the log, one in an hour, which
// counts those before it and has nothing of the payer's.
func TestForgedIsLogged(t *testing.T) {
	s := newShop(t)
	s.Send(s.customer(), s.transaction("txn_0", 100, 0))
	lines := func() int { return strings.Count(s.Logs.String(), "without a right signature") }
	shoptest.Same(t, "of a payment that names nothing", lines(), 0)
	for i, id := range []string{"txn_1", "txn_2", "txn_3"} {
		s.Send(s.transaction(id, 100, 0, "custom_data", browser("order", "order-1042")))
		shoptest.Same(t, "within the hour", lines(), 1)
		if i == 0 && (!strings.Contains(s.Logs.String(), `"events":1`) || strings.Contains(s.Logs.String(), "order-1042")) {
			t.Error(s.Logs.String())
		}
	}
	s.Pass(time.Hour)
	s.Send(s.transaction("txn_4", 100, 0, "custom_data", browser("order", "order-1042")))
	if lines() != 2 || !strings.Contains(s.Logs.String(), `"events":3`) {
		t.Error(s.Logs.String())
	}
}

// TestCarryRefuses: what could not be read is not carried.
func TestCarryRefuses(t *testing.T) {
	s := newShop(t)
	none := s.config()
	none.CarryKeys = nil
	short := s.config()
	short.CarryKeys = pay.Keys{[]byte("short")}
	for _, row := range []struct {
		cfg  paddle.Config
		what pay.Carried
	}{{none, pay.Carried{Order: "o"}}, {none, pay.Carried{Customer: "c"}}, {none, pay.Carried{Order: "o", Offer: true}}, {short, pay.Carried{Order: "o"}}} {
		if _, err := row.cfg.Carry(s.Program, nil, row.what); !errors.Is(err, pay.ErrKeys) {
			t.Errorf("%+v: %v, want ErrKeys", row.what, err)
		}
	}
	for _, c := range []pay.Carried{{Code: "MARA20"}, {Hold: "cart"}, {Offer: true}, {Order: " "}, {Order: " o"}, {Order: "o\n"}, {Slug: "a b"}} {
		if got, err := s.config().Carry(s.Program, nil, c); err == nil {
			t.Errorf("%+v gives %v", c, got)
		}
	}
	if got := shoptest.Must(none.Carry(s.Program, nil, pay.Carried{})); len(got) != 0 {
		t.Errorf("nothing gives %v", got)
	}
}

// line is a line of a transaction, in cents.
func line(id string, quantity, subtotal, discount, tax int) map[string]any {
	return map[string]any{
		"id": "txnitm_" + id, "price_id": "pri_" + id, "quantity": quantity, "product": map[string]any{"id": "pro_" + id[:1], "name": "Beans " + id},
		"totals": map[string]any{"subtotal": fmt.Sprint(subtotal), "discount": fmt.Sprint(discount), "tax": fmt.Sprint(tax), "total": fmt.Sprint(subtotal - discount + tax)},
	}
}

// sold is a transaction with these lines.
func sold(s *shop, subtotal, discount, tax int, lines ...any) event {
	return s.transaction("txn_1", subtotal-discount+tax, tax, "details.line_items", lines, "custom_data.tributary_click", "1",
		"details.totals.subtotal", fmt.Sprint(subtotal), "details.totals.discount", fmt.Sprint(discount))
}

// TestLinesOfTransaction: lines are without tax, what is given back comes off the lines of its
// product, and lines that do not add up are left out.
func TestLinesOfTransaction(t *testing.T) {
	s := newShop(t)
	for _, row := range []struct {
		name, want string
		event      event
	}{
		{"one", "txnitm_a pro_a pri_a 1×100-0", sold(s, 10000, 0, 2000, line("a", 1, 10000, 0, 2000))},
		{"discounts", "txnitm_a pro_a pri_a 10×300-30, txnitm_b pro_b pri_b 1×100-0", sold(s, 40000, 3000, 3515, line("a", 10, 30000, 3000, 2565), line("b", 1, 10000, 0, 950))},
		{"unused time", "txnitm_a2 pro_a pri_a2 5×50-20, txnitm_b pro_b pri_b 1×10-0", sold(s, 4000, 0, 0, line("a1", -2, -2000, 0, 0), line("a2", 5, 5000, 0, 0), line("b", 1, 1000, 0, 0))},
		{"of another sum", "lines_unclear pro_a", sold(s, 10000, 0, 0, line("a", 1, 9000, 0, 0))},
		{"of other discounts", "lines_unclear pro_a", sold(s, 10000, 500, 0, line("a", 1, 10000, 0, 0))},
		{"of another type", "lines_unclear pro_a", sold(s, 10000, 0, 0, map[string]any{
			"id": 7, "product": map[string]any{"id": "pro_a"}, "totals": map[string]any{"subtotal": "10000"},
		})},
		{"none", "lines_missing", sold(s, 10000, 0, 0)},
	} {
		t.Run(row.name, func(t *testing.T) {
			a := mapped(t, row.event)
			paid, _ := a.Payment.Sale.Get()
			var lines []string
			for _, l := range paid.Lines {
				lines = append(lines, fmt.Sprintf("%s %s %s %s×%s-%s", l.ID, l.ProductID, l.PlanID, l.Quantity.Or(affiliate.Amount{}), l.Amount, l.Discount))
			}
			if len(lines) == 0 {
				lines = []string{strings.TrimSpace(string(a.NoLines) + " " + paid.Product.Or(affiliate.Product{}).ProductID)}
			}
			shoptest.Same(t, "lines", strings.Join(lines, ", "), row.want)
		})
	}
}

// TestRulesOfTransaction: a transaction, its refund and repeats of both earn the same in any order: 50
// % of 270, 7 for each of two pieces, and 20 % of 20.
func TestRulesOfTransaction(t *testing.T) {
	shoptest.Orders(3, func(order []int) {
		s := newShopWith(t, nil, func(cfg *tributary.Config) {
			cfg.Terms.Rules = []affiliate.Rule{
				{Name: "a", When: affiliate.RuleWhen{Products: []string{"pro_a"}}, Pay: affiliate.RulePay{Type: affiliate.RulePercentage, Rate: affiliate.MustPercent("50")}},
				{Name: "b", When: affiliate.RuleWhen{Plans: []string{"pri_b"}}, Pay: affiliate.RulePay{Type: affiliate.RuleUnit, Rate: affiliate.MustPercent("7")}},
			}
		})
		events := []event{
			s.customer(),
			sold(s, 42000, 3000, 0, line("a", 10, 30000, 3000, 0), line("b", 2, 10000, 0, 0), line("c", 1, 2000, 0, 0)),
			s.adjusted("adj_1", "refund", "txn_1", 19500),
		}
		for range 2 {
			for _, i := range order {
				s.Send(events[i])
			}
		}
		s.Want(s.Mara, "76.50") // half of 135 + 14 + 4
	})
}

// An adjustment of the payment txn_1 of a test.
type adjustment struct {
	id, action, status string
	total              int
	want               string // what Mara has afterwards
}

// TestAdjustments: refunds and chargebacks of a payment of 120 with tax 20, of
// which Mara has 20.
func TestAdjustments(t *testing.T) {
	for name, steps := range map[string][]adjustment{
		"a part":                     {{"adj_1", "refund", "approved", 3000, "15.00"}, {"adj_1", "refund", "approved", 3000, "15.00"}},
		"all of it, in parts":        {{"adj_1", "refund", "approved", 3000, "15.00"}, {"adj_2", "refund", "approved", 9000, "0.00"}},
		"waiting, then approved":     {{"adj_1", "refund", "pending_approval", 3000, "20.00"}, {"adj_1", "refund", "approved", 3000, "15.00"}},
		"waiting, then rejected":     {{"adj_1", "refund", "pending_approval", 3000, "20.00"}, {"adj_1", "refund", "rejected", 3000, "20.00"}},
		"approved, then reversed":    {{"adj_1", "refund", "approved", 3000, "15.00"}, {"adj_1", "refund", "reversed", 3000, "20.00"}},
		"an unknown state":           {{"adj_1", "refund", "thinking", 3000, "20.00"}},
		"a chargeback":               {{"adj_1", "chargeback", "approved", 12000, "0.00"}, {"adj_2", "chargeback_reverse", "approved", 12000, "20.00"}},
		"a chargeback of a part":     {{"adj_1", "chargeback", "approved", 6000, "10.00"}, {"adj_2", "chargeback_reverse", "approved", 6000, "20.00"}, {"adj_3", "chargeback", "approved", 6000, "10.00"}},
		"two chargebacks":            {{"adj_1", "chargeback", "approved", 4000, "13.33"}, {"adj_2", "chargeback", "approved", 3000, "8.33"}, {"adj_3", "chargeback_reverse", "approved", 4000, "15.00"}},
		"a warning that comes true":  {{"adj_1", "chargeback_warning", "approved", 12000, "0.00"}, {"adj_2", "chargeback_warning_reverse", "approved", 12000, "20.00"}, {"adj_3", "chargeback", "approved", 12000, "0.00"}},
		"a chargeback that was none": {{"adj_1", "chargeback", "approved", 12000, "0.00"}, {"adj_1", "chargeback", "reversed", 12000, "20.00"}},
		"not yet a chargeback":       {{"adj_1", "chargeback", "pending_approval", 12000, "20.00"}, {"adj_1", "chargeback", "rejected", 12000, "20.00"}},
		"not yet a reverse":          {{"adj_1", "chargeback", "approved", 12000, "0.00"}, {"adj_2", "chargeback_reverse", "pending_approval", 12000, "0.00"}},
		"a refund and a chargeback":  {{"adj_1", "refund", "approved", 3000, "15.00"}, {"adj_2", "chargeback", "approved", 12000, "0.00"}, {"adj_3", "chargeback_reverse", "approved", 12000, "15.00"}},
		"credit":                     {{"adj_1", "credit", "approved", 3000, "20.00"}, {"adj_2", "credit_reverse", "approved", 3000, "20.00"}},
		"nothing":                    {{"adj_1", "refund", "approved", 0, "20.00"}, {"adj_2", "chargeback", "approved", 0, "20.00"}},
		"an unknown action":          {{"adj_1", "gift", "approved", 3000, "20.00"}},
	} {
		t.Run(name, func(t *testing.T) {
			s := newShop(t)
			s.Send(s.customer(), s.first())
			for _, step := range steps {
				s.Pass(time.Hour)
				s.Send(s.adjusted(step.id, step.action, "txn_1", step.total, "status", step.status))
				s.Want(s.Mara, step.want)
			}
		})
	}
}

// TestLateChargebackEvent: a later event of a chargeback that was given back takes
// no money again.
func TestLateChargebackEvent(t *testing.T) {
	s := newShop(t)
	s.Send(s.customer(), s.first())
	made := s.adjusted("adj_1", "chargeback", "txn_1", 12000)
	s.Pass(time.Hour)
	s.Send(made, s.adjusted("adj_2", "chargeback_reverse", "txn_1", 12000))
	s.Pass(time.Hour)
	s.Send(made.With("event_id", "evt_late", "event_type", "adjustment.updated", "occurred_at", stamp(s.Now)))
	s.Want(s.Mara, "20.00")
}

// TestRefundFirst: a refund that comes before its payment waits for it, and one
// after the payout leaves the payout as it is.
func TestRefundFirst(t *testing.T) {
	s := newShop(t)
	s.Send(s.customer(), s.adjusted("adj_1", "refund", "txn_1", 3000))
	s.Outcome(affiliate.SaleParked)
	s.Send(s.first())
	s.Want(s.Mara, "15.00")

	paid := newShop(t)
	paid.Send(paid.customer(), paid.first())
	payout := shoptest.Must(paid.CreatePayout(t.Context(), affiliate.PayoutParams{AffiliateID: paid.Mara.ID, ExternalID: "2026-01"}))
	shoptest.Must(paid.SetPayoutStatus(t.Context(), payout.ID, affiliate.PayoutPaid))
	paid.Send(paid.adjusted("adj_1", "refund", "txn_1", 3000))
	balance := shoptest.Must(paid.Balance(t.Context(), affiliate.AffiliateRef{ID: paid.Mara.ID}))
	shoptest.Same(t, "payable", balance.Payable.Format("USD"), "-5.00")
	shoptest.Same(t, "paid", balance.Paid.Format("USD"), "20.00")
	shoptest.Same(t, "kind", paid.Last().Action.Kind, pay.KindRefund)
}

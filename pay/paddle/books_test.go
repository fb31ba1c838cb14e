package paddle_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/pay"
	"github.com/tributary-go/tributary/pay/internal/shoptest"
	"github.com/tributary-go/tributary/pay/paddle"
)

// inEachOrder runs a test with n events in each of their orders.
func inEachOrder(t *testing.T, n int, f func(t *testing.T, s *shop, order []int)) {
	shoptest.Orders(n, func(order []int) {
		t.Run(fmt.Sprint(order), func(t *testing.T) { f(t, newShop(t), order) })
	})
}

// trial is the transaction of nothing with which a trial begins.
func (s *shop) trial(changes ...any) event {
	return s.transaction("txn_t", 0, 0, append([]any{
		"subscription_id", "sub_1", "items.0.price.trial_period", map[string]any{"interval": "day", "frequency": 14},
	}, changes...)...)
}

// afterTrial is the first payment after it: a renewal to Paddle.
func (s *shop) afterTrial(changes ...any) event {
	return s.transaction("txn_2", 2900, 0, append([]any{"subscription_id", "sub_1", "origin", "subscription_recurring"}, changes...)...)
}

// TestAdjustedTotals: a credit note that came before the payment lowers what was
// paid, and its tax.
func TestAdjustedTotals(t *testing.T) {
	s := newShop(t)
	s.Send(s.customer(), s.first("details.adjusted_totals", map[string]any{
		"subtotal": "7500", "tax": "1500", "total": "9000", "grand_total": "9000", "currency_code": "USD",
	}))
	s.Want(s.Mara, "15.00")
	shoptest.Same(t, "total", s.Sale().TotalEarned, affiliate.MustAmount("90"))
	shoptest.Same(t, "tax", s.Sale().TaxAmount, affiliate.MustAmount("15"))
	s.Send(s.adjusted("adj_1", "refund", "txn_1", 4500))
	s.Want(s.Mara, "7.50")
	same := newShop(t)
	same.Send(same.customer(), same.first("details.adjusted_totals", map[string]any{
		"subtotal": "10000", "tax": "2000", "total": "12000", "grand_total": "12000", "currency_code": "USD",
	}))
	same.Want(same.Mara, "20.00")
	credited := newShop(t) // the customer's credit pays a part of what the note left
	credited.Send(credited.customer(), credited.first("details.adjusted_totals", map[string]any{
		"subtotal": "7500", "tax": "1500", "total": "9000", "grand_total": "4500", "currency_code": "USD",
	}))
	credited.Want(credited.Mara, "7.50")
}

// TestLines: a code that is restricted to a product does not depend on the order
// of the lines.
func TestLines(t *testing.T) {
	line := func(product string) map[string]any {
		return map[string]any{"product": map[string]any{"id": product}, "totals": map[string]any{"subtotal": "5000", "tax": "1000", "total": "6000"}}
	}
	a, b := line("pro_a"), line("pro_b")
	for _, tt := range []struct {
		lines []any
		want  string
	}{{[]any{a, b}, "20.00"}, {[]any{b, a}, "20.00"}, {[]any{b}, "20.00"}, {[]any{a}, "0.00"}} {
		s := newShop(t)
		shoptest.Must(s.UpdateCoupon(t.Context(), s.Coupon.ID, affiliate.CouponUpdate{LimitToProducts: affiliate.Set(true), ProductIDs: affiliate.Set([]string{"pro_b"})}))
		s.Send(s.customer(), s.transaction("txn_1", 12000, 2000, "discount_id", "promo_mara", "details.line_items", tt.lines))
		s.Want(s.Mara, tt.want)
	}
}

// TestCaptured: an invoice is of when the last of its payments was captured, not of when it was made or an attempt failed;
// without a capture it is of when its event was made.
func TestCaptured(t *testing.T) {
	captured := time.Date(2025, 12, 31, 20, 0, 0, 0, time.UTC)
	attempt := func(status string, at any) map[string]any {
		return map[string]any{"status": status, "captured_at": at, "created_at": "2025-11-02T10:00:00Z"}
	}
	for name, row := range map[string]struct {
		payments []any
		want     time.Time
	}{
		"a card":     {[]any{attempt("captured", captured)}, captured},
		"in parts":   {[]any{attempt("captured", captured), attempt("captured", captured.AddDate(0, 0, -20))}, captured},
		"attempts":   {[]any{attempt("error", nil), attempt("captured", captured), attempt("canceled", nil)}, captured},
		"no capture": {[]any{}, time.Time{}},
	} {
		s := newShop(t)
		s.Send(s.customer(), s.first("created_at", "2025-11-02T10:00:00Z", "payments", row.payments))
		if paid, _ := s.Last().Action.Payment.Sale.Get(); !paid.PaidAt.Equal(row.want) {
			t.Errorf("%s: %s, want %s", name, paid.PaidAt, row.want)
		}
	}
}

// TestTaxAdjustment: an adjustment of the tax takes no commission, one of goods
// with their tax its part, and the rest of it all.
func TestTaxAdjustment(t *testing.T) {
	inEachOrder(t, 3, func(t *testing.T, s *shop, order []int) {
		s.Send(s.customer())
		events := []event{
			s.first(),
			s.adjusted("adj_1", "refund", "txn_1", 2000, "type", "tax", "totals.subtotal", "0", "totals.tax", "2000"),
			s.adjusted("adj_2", "refund", "txn_1", 5000, "totals.subtotal", "5000", "totals.tax", "0"),
		}
		for _, i := range order {
			s.Send(events[i])
		}
		s.Want(s.Mara, "10.00")
		s.Send(s.adjusted("adj_3", "refund", "txn_1", 5000, "totals.subtotal", "5000", "totals.tax", "0"))
		s.Want(s.Mara, "0.00")
	})
}

// TestTrial: a trial that a discount or a click began credits that affiliate, in
// whatever order its events come, and nobody is asked to send anything again. Its first
// payment is the customer's first.
func TestTrial(t *testing.T) {
	for name, mark := range map[string][]any{
		"by a discount": {"discount_id", "promo_mara"}, "by a click": {"custom_data.tributary_click", "1"},
	} {
		t.Run(name, func(t *testing.T) {
			inEachOrder(t, 3, func(t *testing.T, s *shop, order []int) {
				s.Pass(time.Minute)
				paidMark := []any{}
				if name == "by a click" {
					paidMark = mark
				}
				events := []event{s.customer(), s.trial(mark...), s.afterTrial(paidMark...)}
				if slices.Index(order, 2) < slices.Index(order, 1) {
					return // the payment is two weeks after the trial
				}
				for _, i := range order {
					s.Send(events[i])
				}
				s.Want(s.Mara, "5.80")
				shoptest.Same(t, "affiliate of the customer", s.Referral().AffiliateID, s.Mara.ID)
				told := shoptest.Must(s.ExplainSale(t.Context(), s.Sale().ID))
				shoptest.Same(t, "payment", told.Terms.Payment, affiliate.Set(int64(1)))
				s.Send(s.transaction("txn_3", 2900, 0, append([]any{"subscription_id", "sub_1", "origin", "subscription_recurring"}, paidMark...)...))
				s.Want(s.Mara, "11.60")
			})
		})
	}
	t.Run("the code is redeemed once", func(t *testing.T) {
		s := newShop(t)
		s.Send(s.customer(), s.trial("discount_id", "promo_mara"), s.afterTrial("discount_id", "promo_mara"))
		s.Want(s.Mara, "5.80")
		code := shoptest.Must(s.Program.Code(t.Context(), affiliate.CodeRef{Code: "MARA20"}))
		shoptest.Same(t, "timesRedeemed", code.TimesRedeemed, 1)
	})
	t.Run("in another currency", func(t *testing.T) {
		s := newShop(t)
		s.Send(s.customer(), s.trial("currency_code", "EUR", "custom_data.tributary_click", "1"))
		shoptest.Same(t, "affiliate of the customer", s.Referral().AffiliateID, s.Mara.ID)
	})
	t.Run("by nobody", func(t *testing.T) {
		s := newShop(t)
		s.Send(s.customer(), s.trial())
		s.Ignored(pay.ZeroAmount)
		s.Send(s.afterTrial())
		shoptest.Same(t, "sales", len(s.AllSales()), 0)
	})
}

// TestImported: an imported customer has an email, as one that was made.
func TestImported(t *testing.T) {
	if !slices.Contains(paddle.Events(), "customer.imported") {
		t.Error("Events lacks customer.imported")
	}
	s := newShop(t)
	s.Send(s.first(), s.customer("/event_type", "customer.imported"))
	s.Want(s.Mara, "20.00")
}

// TestWarning: a warning and the chargeback that follows it are one: in any order
// they take their part once, and the affiliate gets it back when the chargeback is
// reversed, or when the warning is and nothing followed.
func TestWarning(t *testing.T) {
	inEachOrder(t, 3, func(t *testing.T, s *shop, order []int) {
		s.Send(s.customer())
		warned := s.adjusted("adj_1", "chargeback_warning", "txn_1", 6000)
		s.Pass(time.Minute)
		events := []event{s.first(), warned, s.adjusted("adj_2", "chargeback", "txn_1", 6000)}
		for _, i := range order {
			s.Send(events[i])
		}
		s.Want(s.Mara, "10.00")
		s.Pass(time.Minute)
		s.Send(s.adjusted("adj_3", "chargeback_warning_reverse", "txn_1", 6000))
		s.Want(s.Mara, "10.00")
		s.Pass(time.Minute)
		s.Send(s.adjusted("adj_4", "chargeback_reverse", "txn_1", 6000))
		s.Want(s.Mara, "20.00")
	})
	s := newShop(t)
	s.Send(s.customer(), s.first(), s.adjusted("adj_1", "chargeback_warning", "txn_1", 12000))
	s.Want(s.Mara, "0.00")
	s.Pass(time.Minute)
	s.Send(s.adjusted("adj_2", "chargeback", "txn_1", 6000)) // of less than was warned of
	s.Want(s.Mara, "10.00")
}

// TestRenewals: a renewal of somebody whose first payment was told is never asked
// for again, also when nobody could be credited then; and it is a sale of its own, also
// when it carries the first order's id.
func TestRenewals(t *testing.T) {
	s := newShop(t)
	dead := []any{"custom_data.tributary_click", "77"}
	s.Send(s.customer(), s.subscribed(dead...))
	for i := range 3 {
		s.Pass(30 * 24 * time.Hour)
		s.Send(s.transaction(fmt.Sprint("txn_m", i), 2900, 0, append([]any{"subscription_id", "sub_1", "origin", "subscription_recurring"}, dead...)...))
	}
	shoptest.Same(t, "sales", len(s.AllSales()), 0)

	s = newShop(t)
	order := []any{"custom_data.tributary_order", "order-1042"}
	s.Send(s.customer(), s.subscribed(order...))
	for i, origin := range []string{"subscription_recurring", "subscription_update", "subscription_charge"} {
		s.Send(s.transaction(fmt.Sprint("txn_m", i), 2900, 0, append([]any{
			"subscription_id", "sub_1", "origin", origin, "custom_data.tributary_click", "1",
		}, order...)...))
	}
	s.Want(s.Mara, "23.20")
	s.Send(s.adjusted("adj_1", "refund", "txn_m1", 2900))
	s.Want(s.Mara, "17.40")
}

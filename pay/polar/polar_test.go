package polar_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/pay"
	"github.com/tributary-go/tributary/pay/adapter"
	"github.com/tributary-go/tributary/pay/internal/shoptest"
	"github.com/tributary-go/tributary/pay/polar"
)

const order = "d0c4b6a8-1e3f-4d72-8b95-3a6e7f1c2005" // of the recorded events

// TestOrder: an order is a sale of what was paid, with its tax, for who was carried.
func TestOrder(t *testing.T) {
	s := newShop(t)
	s.Send(load(s, "order_paid", "metadata.tributary_click", "1"))
	sale := s.Sale()
	shoptest.Same(t, "externalId", sale.ExternalID, affiliate.Set(order))
	shoptest.Same(t, "externalInvoiceId", sale.ExternalInvoiceID, affiliate.Set("BEANS-QWERTZUI-0001"))
	shoptest.Same(t, "total", sale.TotalEarned, amount("120"))
	shoptest.Same(t, "email", s.Referral().Email, "tomas@example.net")
	s.Want(s.Mara, "20.00")
}

// TestAmounts: what counts as paid, and what of it is tax.
func TestAmounts(t *testing.T) {
	for _, row := range []struct {
		name      string
		changes   []any
		paid, tax string // empty: refused
	}{
		{"plain", nil, "120", "20"},
		{"the balance paid a part", []any{"applied_balance_amount", -3000}, "90", "20"},
		{"the balance paid all but the tax", []any{"applied_balance_amount", -11000}, "10", "10"},
		{"an old debt was collected too", []any{"applied_balance_amount", 3000}, "120", "20"},
		{"the balance, as until September 2025", []any{"applied_balance_amount", shoptest.Gone, "from_balance_amount", 3000}, "90", "20"},
		{"yen", []any{"currency", "jpy"}, "12000", "2000"},
		{"tax included in the price", []any{"subtotal_amount", 12000, "net_amount", 10000}, "120", "20"},
		{"a total that does not add up", []any{"total_amount", 12001}, "", ""},
		{"no total", []any{"total_amount", shoptest.Gone}, "", ""},
		{"no net amount", []any{"net_amount", shoptest.Gone}, "", ""},
		{"no tax", []any{"tax_amount", shoptest.Gone}, "", ""},
		{"a decimal", []any{"total_amount", 120.5}, "", ""},
		{"no currency", []any{"currency", nil}, "", ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			s := newShop(t)
			a, err := polar.Map(load(s, "order_paid", row.changes...).JSON(), polar.Config{})
			if (err == nil) != (row.paid != "") {
				t.Fatalf("%v", err)
			}
			if err != nil {
				return
			}
			paid, _ := a.Payment.Sale.Get()
			shoptest.Same(t, "paid", paid.TotalEarned, amount(row.paid))
			shoptest.Same(t, "gross", paid.Gross, amount(row.paid))
			shoptest.Same(t, "tax", paid.Tax, amount(row.tax))
		})
	}
}

// TestUnknownUnit: an amount in a currency of which Polar's unit is not known books nothing, and
// a log line says what to do.
func TestUnknownUnit(t *testing.T) {
	s := newShop(t)
	for _, name := range []string{"order_paid", "refund", "order_refunded"} {
		s.Send(load(s, name, "currency", "kwd"))
		shoptest.Same(t, name, s.Last().Action.Reason, pay.UnknownUnit)
	}
	if !strings.Contains(s.Logs.String(), "it is not known in which unit") || len(s.AllSales()) != 0 {
		t.Error(s.Logs.String())
	}
}

// TestCredit: a discount credits its code by id or by text, before what was carried; a renewal
// credits the customer's affiliate and redeems nothing.
func TestCredit(t *testing.T) {
	s := newShop(t)
	s.Send(load(s, "order_discount", "metadata.tributary_click", "2"))
	s.Want(s.Mara, "16.00") // 20 % of 80
	s.Pass(3600e9)
	s.Send(load(s, "order_cycle", "id", "o2", "invoice_number", "B-2", "discount_id", "x", "discount", map[string]any{"code": "MARA20"}, "metadata.tributary_click", "2"))
	s.Want(s.Mara, "36.00")
	s.Want(s.Ben, "0.00")

	s = newShop(t)
	s.Send(load(s, "order_discount", "discount_id", "promo_mara", "discount.code", nil, "metadata.tributary_click", "2"))
	s.Want(s.Mara, "16.00")
}

// TestTrial: a trial refers its customer, and its first payment is a sale.
func TestTrial(t *testing.T) {
	s := newShop(t)
	s.Send(load(s, "order_trial", "metadata.tributary_click", "1"))
	shoptest.Same(t, "affiliate", s.Referral().AffiliateID, s.Mara.ID)
	shoptest.Same(t, "sales", len(s.AllSales()), 0)
	s.Pass(3600e9)
	s.Send(load(s, "order_cycle", "id", "o2", "metadata.tributary_click", "1"))
	s.Want(s.Mara, "20.00")

	s = newShop(t)
	s.Send(load(s, "order_trial"))
	shoptest.Same(t, "of nobody", s.Last().Action.Reason, pay.ZeroAmount)
}

// TestRefundTwice: Polar tells of one refund by the refund and by the order. It counts once, and
// one that failed comes back.
func TestRefundTwice(t *testing.T) {
	s := newShop(t)
	s.Send(load(s, "order_refunded"), load(s, "refund"), load(s, "order_paid", "metadata.tributary_click", "1"))
	s.Want(s.Mara, "15.00") // 20 % of 100 − 25
	s.Send(load(s, "refund", "id", "r2", "amount", 5000, "tax_amount", 1000), load(s, "order_refunded", "refunded_amount", 7500, "refunded_tax_amount", 1500))
	s.Want(s.Mara, "5.00")
	s.Send(load(s, "refund", "id", "r2", "amount", 5000, "tax_amount", 1000, "status", "failed"))
	s.Want(s.Mara, "15.00")
	s.Send(load(s, "order_refunded")) // the sum is less than it was
	s.Want(s.Mara, "15.00")
}

// TestRecorded: every recorded event is read, and what it is.
func TestRecorded(t *testing.T) {
	provider.Kinds(t, map[string]pay.Kind{
		"order_paid": pay.KindSale, "order_discount": pay.KindSale, "order_cycle": pay.KindSale, "order_trial": pay.KindIgnored,
		"order_refunded": pay.KindRefund, "refund": pay.KindRefund, "subscription": pay.KindStatus, "customer": pay.KindCustomer,
	})
}

// TestIgnored: events of no use say why.
func TestIgnored(t *testing.T) {
	s := newShop(t)
	for _, row := range []struct {
		e    event
		want pay.Reason
	}{
		{load(s, "order_paid").With("type", "order.created"), pay.CoveredElsewhere},
		{load(s, "order_paid").With("type", "order.updated"), pay.CoveredElsewhere},
		{load(s, "customer").With("type", "benefit_grant.created"), pay.UnknownEvent},
		{load(s, "subscription", "status", "incomplete"), pay.UnknownEvent},
		{load(s, "subscription", "customer_id", nil), pay.NoCustomer},
		{load(s, "subscription"), pay.NoCustomer},
		{load(s, "refund", "amount", 0, "tax_amount", 0), pay.ZeroAmount},
		{load(s, "order_paid", "currency", "eur", "metadata.tributary_click", "1"), pay.OtherCurrency},
	} {
		s.Send(row.e)
		shoptest.Same(t, "reason", s.Last().Action.Reason, row.want)
	}
}

// TestEvents: the list has no type that is ignored as unknown.
func TestEvents(t *testing.T) {
	for _, name := range polar.Events() {
		file := map[string]string{"order": "order_paid", "refund": "refund", "subscription": "subscription", "customer": "customer"}[strings.Split(name, ".")[0]]
		if a := mapped(t, shoptest.Load(t, "testdata/"+file+".json").With("type", name)); a.Kind == pay.KindIgnored && a.Reason != pay.ZeroAmount {
			t.Errorf("%s is %s", name, a.Reason)
		}
	}
}

// TestConfig: a secret that Polar would not make cannot be used, and the handler says so.
func TestConfig(t *testing.T) {
	s := newShop(t)
	for name, secrets := range map[string]adapter.Secrets{"none": nil, "short": {"mysecret"}, "empty": {""}} {
		if _, err := polar.Handler(s.Program, polar.Config{Secrets: secrets}); err == nil {
			t.Errorf("%s: it is taken", name)
		}
	}
	if _, err := polar.Handler(s.Program, polar.Config{Secrets: adapter.Secrets{secret}, Wait: 11 * time.Minute}); err == nil {
		t.Error("a wait that outlasts the repeats is taken")
	}
	body := load(s, "customer").JSON()
	h := http.Header{}
	sign(h, body, s.Now)
	if err := polar.Verify(h, body, config(s)); err != nil {
		t.Error(err)
	}
}

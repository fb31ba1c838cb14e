package lemonsqueezy_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/pay"
	"github.com/tributary-go/tributary/pay/internal/shoptest"
	"github.com/tributary-go/tributary/pay/lemonsqueezy"
)

// TestOrder: an order is a sale of what was paid, with its tax, for who was carried.
func TestOrder(t *testing.T) {
	s := newShop(t)
	s.Send(load(s, "order", "/meta.custom_data.tributary_click", "1"))
	sale := s.Sale()
	shoptest.Same(t, "externalId", sale.ExternalID, affiliate.Set("order_9200001"))
	shoptest.Same(t, "total", sale.TotalEarned, amount("120"))
	paid, _ := s.Last().Action.Payment.Sale.Get()
	product, _ := paid.Product.Get()
	shoptest.Same(t, "product", product.ProductID, "9400001")
	shoptest.Same(t, "email", s.Referral().Email, "tomas@example.net")
	s.Want(s.Mara, "20.00")
}

// TestFirstPayment: the first payment of a subscription is told by its order and by its first
// invoice, which know nothing of each other. In every order it is one sale, a refund that both
// tell counts once, and one that only the invoice tells counts too.
func TestFirstPayment(t *testing.T) {
	s := newShop(t)
	told := []event{
		load(s, "order", "/meta.custom_data.tributary_click", "1"),
		load(s, "subscription_created", "/meta.custom_data.tributary_click", "1"),
		load(s, "invoice_initial", "/meta.custom_data.tributary_click", "1"),
		load(s, "invoice_refunded", "/data.id", "9800001", "billing_reason", "initial", "total", 12000, "tax", 2000, "refunded_amount", 3000),
		load(s, "order_refunded"),
	}
	for _, refunds := range []int{1, 2} {
		var actions []pay.Action
		for _, e := range told[:3+refunds] {
			actions = append(actions, mapped(t, e))
		}
		shoptest.Orders(len(actions), func(order []int) {
			if got := shoptest.Play(t, actions, order).Money(); got != "Mara 15.00, Ben 0.00; sale of 120" {
				t.Errorf("%d refunds, order %v: %s", refunds, order, got)
			}
		})
	}
}

// TestRenewals: renewals and changes of a plan are sales of the customer's affiliate; a payment
// that recovered is told twice and counts once.
func TestRenewals(t *testing.T) {
	s := newShop(t)
	s.Send(load(s, "order", "/meta.custom_data.tributary_click", "1"))
	s.Pass(3600e9)
	s.Send(load(s, "invoice"), load(s, "invoice", "/meta.event_name", "subscription_payment_recovered"), load(s, "invoice", "/data.id", "7", "billing_reason", "updated", "total", 5000, "subtotal", 5000))
	s.Want(s.Mara, "50.00") // 20 + 20 + 10
	shoptest.Same(t, "externalInvoiceId", s.AllSales()[1].ExternalInvoiceID, affiliate.Set("invoice_9800002"))
	s.Send(load(s, "invoice_refunded"))
	s.Want(s.Mara, "45.00")
}

// TestRate: a payment in another currency has the rate of Lemon Squeezy, for a program in the
// currency that it settles in.
func TestRate(t *testing.T) {
	s := newShop(t)
	s.Send(load(s, "order", "/meta.custom_data.tributary_click", "1"))
	s.Pass(3600e9)
	s.Send(load(s, "invoice_euro"))
	s.Want(s.Mara, "43.05") // and 20 % of 115.27
	s.Send(load(s, "invoice_refunded", "/data.id", "9800003", "currency", "EUR", "total", 9999, "refunded_amount", 9999))
	s.Want(s.Mara, "20.00")
}

// TestDollars: of a currency whose unit is not known the amounts in US dollars are booked, and given back.
func TestDollars(t *testing.T) {
	for _, c := range []string{"JPY", "KRW", "KWD", "MGA"} {
		s := newShop(t)
		e := load(s, "order", "currency", c, "total", 1728000, "tax", 288000, "subtotal", 1440000, "total_usd", 12000, "tax_usd", 2000, "subtotal_usd", 10000)
		s.Send(e.With("meta.custom_data", map[string]any{"tributary_slug": "mara", "tributary_program": shoptest.ID.String()}))
		shoptest.Same(t, c, s.Sale().TotalEarned, amount("120"))
		s.Want(s.Mara, "20.00")
		s.Send(load(s, "order_refunded", "currency", c, "refunded_amount", 432000, "refunded_amount_usd", 3000))
		s.Want(s.Mara, "15.00")
	}
}

// TestNotRead: what cannot be booked safely is not, and says why.
func TestNotRead(t *testing.T) {
	s := newShop(t)
	for _, row := range []struct {
		name string
		e    event
		want pay.Reason
	}{
		{"test mode", load(s, "order", "/meta.test_mode", true), pay.TestMode},
		{"yen", load(s, "order", "currency", "JPY", "total_usd", nil), pay.UnknownUnit},
		{"ariary of no dollars", load(s, "order", "currency", "MGA", "total_usd", 0), pay.UnknownUnit},
		{"yen given back", load(s, "order_refunded", "currency", "JPY", "refunded_amount_usd", nil), pay.UnknownUnit},
		{"not paid", load(s, "order", "status", "pending"), pay.Unpaid},
		{"fraud", load(s, "order", "status", "fraudulent"), pay.Unpaid},
		{"nothing", load(s, "order", "total", 0, "tax", 0, "subtotal", 0), pay.ZeroAmount},
		{"nothing given back", load(s, "order_refunded", "refunded_amount", 0), pay.ZeroAmount},
		{"a failed payment", load(s, "invoice", "/meta.event_name", "subscription_payment_failed"), pay.CoveredElsewhere},
		{"a licence", load(s, "order", "/meta.event_name", "license_key_created"), pay.UnknownEvent},
		{"a status of no use", load(s, "subscription", "status", "waiting"), pay.UnknownEvent},
		{"a status of nobody", load(s, "subscription", "customer_id", nil), pay.NoCustomer},
	} {
		s.Send(row.e)
		shoptest.Same(t, row.name, s.Last().Action.Reason, row.want)
	}
	if !strings.Contains(s.Logs.String(), "it is not known in which unit") {
		t.Error("nothing was logged")
	}
	for name, e := range map[string]event{
		"no total": load(s, "order", "total", nil), "a decimal": load(s, "order", "total", 120.5), "no refund": load(s, "order_refunded", "refunded_amount", nil),
		"another reason": load(s, "invoice", "billing_reason", "gift"), "no reason": load(s, "invoice", "billing_reason", nil), "no id": load(s, "order", "/data.id", ""),
	} {
		if got := s.Status(e); got != http.StatusBadRequest {
			t.Errorf("%s: status %d", name, got)
		}
	}
	shoptest.Same(t, "sales", len(s.AllSales()), 0)
}

// TestTestMode: an endpoint of the test mode takes no others.
func TestTestMode(t *testing.T) {
	s := newShop(t)
	cfg := config(s)
	cfg.Test = true
	for test, want := range map[bool]pay.Reason{true: "", false: pay.LiveMode} {
		a, err := lemonsqueezy.Map(load(s, "order", "/meta.test_mode", test).JSON(), cfg)
		if err != nil || a.Reason != want {
			t.Errorf("%t: %s %v", test, a.Reason, err)
		}
	}
}

// TestTrial: an order of nothing refers its customer.
func TestTrial(t *testing.T) {
	s := newShop(t)
	s.Send(load(s, "order", "total", 0, "tax", 0, "subtotal", 0, "/meta.custom_data.tributary_click", "1"))
	shoptest.Same(t, "affiliate", s.Referral().AffiliateID, s.Mara.ID)
	s.Pass(3600e9)
	s.Send(load(s, "invoice", "/meta.custom_data.tributary_click", "1"))
	s.Want(s.Mara, "20.00")
}

// TestSetupFee: an order of more than its first item has no product.
func TestSetupFee(t *testing.T) {
	s := newShop(t)
	a := mapped(t, load(s, "order", "first_order_item.price", 5001, "setup_fee", 4999))
	paid, _ := a.Payment.Sale.Get()
	if _, has := paid.Product.Get(); has || a.NoLines != pay.LinesMissing {
		t.Errorf("%v %s", paid.Product, a.NoLines)
	}
}

// TestEvents: the list has no type that is unknown, and every recorded event is read.
func TestEvents(t *testing.T) {
	s := newShop(t)
	for _, name := range lemonsqueezy.Events() {
		file := "subscription"
		switch {
		case strings.HasPrefix(name, "order"):
			file = "order_refunded"
		case strings.HasPrefix(name, "subscription_payment"):
			file = "invoice_refunded"
		}
		if a := mapped(t, load(s, file, "/meta.event_name", name)); a.Kind == pay.KindIgnored {
			t.Errorf("%s is ignored: %s", name, a.Reason)
		}
	}
	provider.Kinds(t, map[string]pay.Kind{
		"order": pay.KindSale, "order_refunded": pay.KindRefund, "invoice": pay.KindSale, "invoice_initial": pay.KindIgnored, "invoice_euro": pay.KindSale,
		"invoice_refunded": pay.KindRefund, "subscription": pay.KindStatus, "subscription_created": pay.KindLink,
	})
}

// TestConfig: there is no tolerance where there is no time, and no wait that outlasts the repeats.
func TestConfig(t *testing.T) {
	provider.Unusable(t, map[string]func(*lemonsqueezy.Config){
		"a tolerance": func(cfg *lemonsqueezy.Config) { cfg.Tolerance = 1 },
		"a long wait": func(cfg *lemonsqueezy.Config) { cfg.Wait = 3 * time.Minute },
		"no secret":   func(cfg *lemonsqueezy.Config) { cfg.Secrets = nil },
	})
	s := newShop(t)
	early := load(s, "invoice", "/meta.custom_data.tributary_click", "1")
	shoptest.Same(t, "too early", s.Status(early), http.StatusServiceUnavailable)
	s.Pass(155 * time.Second) // 5, 25 and 125: the last time that it is sent
	shoptest.Same(t, "the last repeat", s.Status(early), http.StatusOK)
	s.Want(s.Mara, "20.00")
	body, h := load(s, "order").JSON(), http.Header{}
	sign(h, body, s.Now)
	if err := lemonsqueezy.Verify(h, body, config(s)); err != nil {
		t.Error(err)
	}
}

package creem_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/pay"
	"github.com/tributary-go/tributary/pay/adapter"
	"github.com/tributary-go/tributary/pay/creem"
	"github.com/tributary-go/tributary/pay/internal/shoptest"
)

// TestOrder: an order is a sale of what was paid, with its tax, for who was carried.
func TestOrder(t *testing.T) {
	s := newShop(t)
	s.Send(load(s, "checkout", "metadata.tributary_click", "1"))
	sale := s.Sale()
	shoptest.Same(t, "externalId", sale.ExternalID, affiliate.Set("tran_6BeansPaid0000001"))
	shoptest.Same(t, "total", sale.TotalEarned, amount("120"))
	paid, _ := s.Last().Action.Payment.Sale.Get()
	product, _ := paid.Product.Get()
	shoptest.Same(t, "product", product.ProductID, "prod_4BeansPro00000001")
	shoptest.Same(t, "email", s.Referral().Email, "tomas@example.net")
	s.Want(s.Mara, "20.00")
}

// TestSubscription: the first payment of a subscription is told by its checkout, which may say that
// nothing was paid, and by subscription.paid. In every order it is one sale of what was paid.
func TestSubscription(t *testing.T) {
	s := newShop(t)
	refund := load(s, "refund", "transaction.id", "tran_6BeansPaid0000002")
	told := []event{
		load(s, "checkout_recurring", "metadata.tributary_click", "1"), load(s, "checkout_recurring", "metadata.tributary_click", "1", "order.amount_paid", 12000),
		load(s, "paid", "metadata.tributary_click", "1"), refund,
	}
	var actions []pay.Action
	for _, e := range told {
		actions = append(actions, mapped(t, e))
	}
	shoptest.Orders(len(actions), func(order []int) {
		if got := shoptest.Play(t, actions, order).Money(); got != "Mara 15.00, Ben 0.00; sale of 120" {
			t.Errorf("order %v: %s", order, got)
		}
	})
}

// TestRenewal: a payment later than an hour after the subscription began is a renewal: it redeems no
// code, and does not become the order that the first payment carried.
func TestRenewal(t *testing.T) {
	s := newShop(t)
	for after, want := range map[time.Duration]bool{0: false, time.Minute: false, time.Hour: false, time.Hour + time.Second: true, 31 * 24 * time.Hour: true} {
		paid, _ := mapped(t, load(s, "paid", "last_transaction.created_at", s.Now.Add(after).UnixMilli())).Payment.Sale.Get()
		shoptest.Same(t, after.String(), paid.Renewal, want)
	}
	carried := []any{"metadata.tributary_code", "MARA20", "metadata.tributary_order", "order-7"}
	s.Send(load(s, "paid", carried...))
	shoptest.Same(t, "externalId", s.Sale().ExternalID, affiliate.Set("order-7"))
	s.Pass(3600e9)
	s.Send(load(s, "renewal", carried...))
	s.Want(s.Mara, "40.00")
	named := 0
	for _, sale := range s.AllSales() {
		if id := sale.ExternalID.Or(""); id == "order-7" || id == "tran_6BeansPaid0000003" {
			named++
		}
	}
	shoptest.Same(t, "sales by their ids", named, 2)
	shoptest.Same(t, "redeemed", shoptest.Must(s.Program.Code(t.Context(), affiliate.CodeRef{ID: s.Code.ID})).TimesRedeemed, 1)
}

// TestAmounts: what counts as paid, and what of it is tax.
func TestAmounts(t *testing.T) {
	for _, row := range []struct {
		name, event string
		changes     []any
		paid, tax   string // empty: refused
	}{
		{"an order", "checkout", nil, "120", "20"},
		{"a payment", "paid", nil, "120", "20"},
		{"a discount", "checkout", []any{"order.discount_amount", 2000, "order.tax_amount", 1600, "order.amount_paid", 9600}, "96", "16"},
		{"a discount of a payment", "paid", []any{"last_transaction.discount_amount", 2000, "last_transaction.tax_amount", 1600, "last_transaction.amount_paid", 9600}, "96", "16"},
		{"no tax", "checkout", []any{"order.tax_amount", nil}, "120", "0"},
		{"tax included in the price", "checkout", []any{"order.sub_total", 12000}, "120", "20"},
		{"given back since", "paid", []any{"last_transaction.status", "refunded", "last_transaction.refunded_amount", 12000}, "120", "20"},
		{"the same currency twice", "checkout", []any{"order.fx_currency", "usd"}, "120", "20"},
		{"nothing paid, and something due", "checkout", []any{"order.amount_paid", 0}, "", ""},
		{"nothing paid of a payment", "paid", []any{"last_transaction.amount_paid", 0}, "", ""},
		{"no amount", "checkout", []any{"order.amount_paid", nil}, "", ""},
		{"no amount of a payment", "paid", []any{"last_transaction.amount_paid", shoptest.Gone}, "", ""},
		{"no subtotal", "checkout", []any{"order.sub_total", nil}, "", ""},
		{"a decimal", "checkout", []any{"order.amount_paid", 120.5}, "", ""},
		{"no currency", "checkout", []any{"order.currency", nil}, "", ""},
		{"no transaction", "checkout", []any{"order.transaction", nil}, "", ""},
		{"no id of it", "paid", []any{"last_transaction.id", nil}, "", ""},
		{"no time of it", "paid", []any{"last_transaction.created_at", nil}, "", ""},
		{"no beginning", "paid", []any{"created_at", nil}, "", ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			s := newShop(t)
			a, err := creem.Map(load(s, row.event, row.changes...).JSON(), creem.Config{})
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

// TestUnknownUnit: amounts of which nobody confirmed what they count book nothing, and a log line
// says what to do.
func TestUnknownUnit(t *testing.T) {
	s := newShop(t)
	for _, c := range []string{"JPY", "KWD", "MGA", "UGX"} {
		for name, field := range map[string]string{"checkout": "order.currency", "paid": "last_transaction.currency", "refund": "refund_currency", "dispute": "currency"} {
			s.Send(load(s, name, field, c))
			shoptest.Same(t, c+" "+name, s.Last().Action.Reason, pay.UnknownUnit)
		}
	}
	s.Send(load(s, "checkout", "order.fx_currency", "EUR", "order.fx_amount", 11000, "order.fx_rate", 0.9))
	shoptest.Same(t, "converted", s.Last().Action.Reason, pay.UnknownUnit)
	if !strings.Contains(s.Logs.String(), "it is not known in which unit") || len(s.AllSales()) != 0 {
		t.Error(s.Logs.String())
	}
}

// TestFree: an order or a first payment that a discount made free refers the customer; a renewal of
// nothing does not.
func TestFree(t *testing.T) {
	free := func(of string) []any {
		return []any{of + ".amount_paid", 0, of + ".tax_amount", 0, of + ".discount_amount", 10000, "metadata.tributary_click", "1"}
	}
	for name, of := range map[string]string{"checkout": "order", "paid": "last_transaction"} {
		s := newShop(t)
		s.Send(load(s, name, free(of)...))
		shoptest.Same(t, "affiliate", s.Referral().AffiliateID, s.Mara.ID)
		shoptest.Same(t, "sales", len(s.AllSales()), 0)
	}
	s := newShop(t)
	s.Send(load(s, "renewal", free("last_transaction")...))
	shoptest.Same(t, "a renewal", s.Last().Action.Reason, pay.ZeroAmount)
	s.Send(load(s, "checkout", append(free("order"), "metadata", nil)...))
	shoptest.Same(t, "of nobody", s.Last().Action.Reason, pay.ZeroAmount)
}

// TestTrial: the checkout of a trial refers its customer, and its first payment is a sale.
func TestTrial(t *testing.T) {
	s := newShop(t)
	s.Send(load(s, "checkout_trial", "metadata.tributary_click", "1"))
	shoptest.Same(t, "affiliate", s.Referral().AffiliateID, s.Mara.ID)
	s.Pass(3600e9)
	s.Send(load(s, "renewal"))
	s.Want(s.Mara, "20.00")

	s = newShop(t)
	s.Send(load(s, "checkout_trial"), load(s, "checkout_recurring", "metadata.tributary_click", "1"))
	for _, r := range s.Results {
		shoptest.Same(t, "of nobody, or no trial", r.Action.Reason, pay.CoveredElsewhere)
	}
}

// TestCredit: a discount of an order credits its code by id, before what was carried.
func TestCredit(t *testing.T) {
	for name, discount := range map[string]any{"its id": "promo_mara", "the discount": map[string]any{"id": "promo_mara"}} {
		s := newShop(t)
		s.Send(load(s, "checkout", "order.discount", discount, "metadata.tributary_click", "2"))
		if got := s.Earned(s.Mara); got != "20.00" {
			t.Errorf("%s: Mara has %s", name, got)
		}
	}
}

// TestRefunds: refunds are single ones with their tax. One that is not through does not count.
func TestRefunds(t *testing.T) {
	s := newShop(t)
	s.Send(load(s, "refund"), load(s, "checkout", "metadata.tributary_click", "1"))
	s.Want(s.Mara, "15.00")
	for status, want := range map[string]affiliate.RefundState{"pending": affiliate.RefundPending, "failed": affiliate.RefundFailed, "canceled": affiliate.RefundFailed} {
		s.Send(load(s, "refund", "id", "ref_"+status, "refund_amount", 9000, "status", status))
		s.Want(s.Mara, "15.00")
		shoptest.Same(t, status, s.Last().Action.Payment.Refunds[0].State, want)
	}
	s.Send(load(s, "refund", "id", "r2", "refund_amount", 9000))
	s.Want(s.Mara, "0.00")
	for name, changes := range map[string][]any{
		"no amount": {"refund_amount", nil}, "no id": {"id", nil}, "no transaction": {"transaction", nil}, "a decimal": {"refund_amount", 1.5},
		"below zero": {"refund_amount", -1}, "another status": {"status", "done"}, "no status": {"status", nil},
	} {
		if got := s.Status(load(s, "refund", changes...)); got != http.StatusBadRequest {
			t.Errorf("%s: status %d", name, got)
		}
	}
}

// TestDispute: a dispute takes what it is about, and no more than was paid beside a refund.
func TestDispute(t *testing.T) {
	s := newShop(t)
	s.Send(load(s, "checkout", "metadata.tributary_click", "1"), load(s, "dispute", "amount", 6000))
	s.Want(s.Mara, "10.00")
	s.Send(load(s, "refund", "id", "r2", "refund_amount", 12000)) // if Creem tells its own refund too
	s.Want(s.Mara, "0.00")
	for name, changes := range map[string][]any{"no amount": {"amount", nil}, "no id": {"id", ""}, "no transaction": {"transaction.id", nil}} {
		if got := s.Status(load(s, "dispute", changes...)); got != http.StatusBadRequest {
			t.Errorf("%s: status %d", name, got)
		}
	}
}

// TestStatus: what each state of a subscription is here. One that expired may still be paid.
func TestStatus(t *testing.T) {
	for _, row := range []struct{ kind, status, want string }{
		{"update", "active", "ACTIVE"}, {"trialing", "trialing", "ACTIVE"}, {"scheduled_cancel", "scheduled_cancel", "ACTIVE"},
		{"past_due", "past_due", "PAST_DUE"}, {"unpaid", "unpaid", "PAST_DUE"}, {"paused", "paused", "PAST_DUE"},
		{"expired", "active", "PAST_DUE"}, {"expired", "expired", "PAST_DUE"}, {"expired", "canceled", "CANCELLED"}, {"canceled", "canceled", "CANCELLED"},
	} {
		a := mapped(t, load(newShop(t), "subscription", "status", row.status).With("eventType", "subscription."+row.kind))
		shoptest.Same(t, row.kind+" "+row.status, string(a.Status.Status), row.want)
		shoptest.Same(t, "subscription", a.Status.Subscription, "sub_7BeansMonthly000001")
		shoptest.Same(t, "payer", a.Status.Payer.ID, "cust_2BeansTomasReis0001")
	}
	a := mapped(t, load(newShop(t), "subscription", "customer", "cust_9"))
	shoptest.Same(t, "a customer by its id", a.Status.Payer.ID, "cust_9")
}

// TestMode: an event of money that does not say its mode is refused, and not taken for a test.
func TestMode(t *testing.T) {
	s := newShop(t)
	for _, name := range []string{"checkout", "paid", "refund", "dispute", "subscription"} {
		shoptest.Same(t, name, s.Status(load(s, name, "mode", nil)), http.StatusBadRequest)
	}
}

// TestOtherCurrency: money that goes back in another currency than that of its transaction takes
// nothing, and does not keep the payment from being booked, in whatever order they come.
func TestOtherCurrency(t *testing.T) {
	for name, changes := range map[string][]any{"refund": {"refund_currency", "EUR"}, "dispute": {"currency", "EUR"}} {
		s := newShop(t)
		s.Send(load(s, name, changes...))
		shoptest.Same(t, name, s.Last().Action.Reason, pay.UnknownUnit)
		s.Send(load(s, "checkout", "metadata.tributary_click", "1"), load(s, name, changes...))
		s.Want(s.Mara, "20.00")
		s.Send(load(s, name, "transaction.currency", nil))
		if got := s.Earned(s.Mara); got == "20.00" {
			t.Errorf("%s: a transaction that does not say its currency", name)
		}
	}
}

// TestHold: a trial that a hold of a code brought refers its customer.
func TestHold(t *testing.T) {
	s := newShop(t)
	shoptest.Must(s.HoldRedemption(t.Context(), affiliate.HoldParams{
		ID: "cart", Until: s.Now.Add(time.Hour), Order: affiliate.Order{PromoCode: "MARA20", Email: "tomas@example.net", Subtotal: affiliate.Set(amount("100"))},
	}))
	data := shoptest.Must(config(s).Carry(s.Program, nil, pay.Carried{Hold: "cart", Order: "order-7"}))
	s.Send(load(s, "checkout_trial", "metadata", data))
	shoptest.Same(t, "affiliate", s.Referral().AffiliateID, s.Mara.ID)
	s.Pass(time.Hour)
	s.Send(load(s, "renewal", "metadata", data))
	s.Want(s.Mara, "20.00")
}

// TestIgnored: events of no use say why.
func TestIgnored(t *testing.T) {
	s := newShop(t)
	for _, row := range []struct {
		name string
		e    event
		want pay.Reason
	}{
		{"test mode", load(s, "checkout", "mode", "test"), pay.TestMode},
		{"no mode, and of no use", load(s, "checkout", "/eventType", "credits.granted", "mode", nil), pay.UnknownEvent},
		{"a subscription's", load(s, "checkout_recurring", "order.type", nil, "order.amount_paid", 12000), pay.CoveredElsewhere},
		{"a recurring one's", load(s, "checkout_recurring", "subscription", nil, "order.amount_paid", 12000), pay.CoveredElsewhere},
		{"not paid", load(s, "checkout", "order.status", "pending"), pay.Unpaid},
		{"a payment that is not paid", load(s, "paid", "last_transaction.status", "declined"), pay.Unpaid},
		{"nothing given back", load(s, "refund", "refund_amount", 0), pay.ZeroAmount},
		{"nothing disputed", load(s, "dispute", "amount", 0), pay.ZeroAmount},
		{"a type of no use", load(s, "checkout", "/eventType", "credits.granted"), pay.UnknownEvent},
		{"a status of no use", load(s, "subscription", "status", "waiting"), pay.UnknownEvent},
		{"a status of nobody", load(s, "subscription", "customer", nil), pay.NoCustomer},
		{"a status of no referral", load(s, "subscription"), pay.NoCustomer},
		{"another currency", load(s, "checkout", "order.currency", "EUR", "metadata.tributary_click", "1"), pay.OtherCurrency},
	} {
		s.Send(row.e)
		shoptest.Same(t, row.name, s.Last().Action.Reason, row.want)
	}
	shoptest.Same(t, "sales", len(s.AllSales()), 0)
}

// TestTestMode: an endpoint of the test mode takes no others.
func TestTestMode(t *testing.T) {
	s := newShop(t)
	cfg := config(s)
	cfg.Test = true
	for mode, want := range map[string]pay.Reason{"test": "", "sandbox": "", "prod": pay.LiveMode} {
		a, err := creem.Map(load(s, "checkout", "mode", mode).JSON(), cfg)
		if err != nil || a.Reason != want || a.Event.Live != (mode == "prod") {
			t.Errorf("%s: %s %v", mode, a.Reason, err)
		}
	}
}

// TestEvents: the list has no type that is unknown, and every recorded event is read.
func TestEvents(t *testing.T) {
	s := newShop(t)
	for _, name := range creem.Events() {
		file := map[string]string{"checkout.completed": "checkout", "subscription.paid": "paid", "refund.created": "refund", "dispute.created": "dispute"}[name]
		if file == "" {
			file = "subscription"
		}
		if a := mapped(t, load(s, file, "/eventType", name)); a.Kind == pay.KindIgnored {
			t.Errorf("%s is ignored: %s", name, a.Reason)
		}
	}
	provider.Kinds(t, map[string]pay.Kind{
		"checkout": pay.KindSale, "paid": pay.KindSale, "renewal": pay.KindSale, "checkout_recurring": pay.KindIgnored, "checkout_trial": pay.KindIgnored,
		"refund": pay.KindRefund, "dispute": pay.KindDispute, "subscription": pay.KindStatus,
	})
}

// TestConfig: there is no tolerance where there is no time, and no wait that outlasts the repeats.
func TestConfig(t *testing.T) {
	provider.Unusable(t, map[string]func(*creem.Config){
		"a tolerance": func(cfg *creem.Config) { cfg.Tolerance = 1 },
		"a long wait": func(cfg *creem.Config) { cfg.Wait = 31 * time.Minute },
		"no secret":   func(cfg *creem.Config) { cfg.Secrets = nil },
	})
	s := newShop(t)
	early := load(s, "renewal", "metadata.tributary_click", "1")
	shoptest.Same(t, "too early", s.Status(early), http.StatusServiceUnavailable)
	s.Pass(5 * time.Minute) // the third repeat
	shoptest.Same(t, "the third repeat", s.Status(early), http.StatusOK)
	s.Want(s.Mara, "20.00")
}

// TestSignature: a signature that was made outside of this module's code is verified, and that of
// another body, secret or header is not.
func TestSignature(t *testing.T) {
	// printf '{"id":"evt_1"}' | openssl dgst -sha256 -hmac whsec_shopShopshopShopshop00
	const body, right = `{"id":"evt_1"}`, "875eeee6c30f26c7d8fe9c5f88a5e89b265cb0e6f26728ef360c3e196efa7144"
	cfg := creem.Config{Config: adapter.Config{Secrets: adapter.Secrets{secret}}}
	for name, row := range map[string]struct {
		header, signature, body string
		secrets                 adapter.Secrets
		ok                      bool
	}{
		"right":                {"creem-signature", right, body, cfg.Secrets, true},
		"with an older secret": {"creem-signature", right, body, adapter.Secrets{"new", secret}, true},
		"in capitals":          {"creem-signature", strings.ToUpper(right), body, cfg.Secrets, true},
		"of another body":      {"creem-signature", right, body + " ", cfg.Secrets, false},
		"of another secret":    {"creem-signature", right, body, adapter.Secrets{"shopShopshopShopshop00"}, false},
		"cut":                  {"creem-signature", right[:62], body, cfg.Secrets, false},
		"empty":                {"creem-signature", "", body, cfg.Secrets, false},
		"in another header":    {"x-signature", right, body, cfg.Secrets, false},
	} {
		h := http.Header{}
		h.Set(row.header, row.signature)
		cfg.Secrets = row.secrets
		if err := creem.Verify(h, []byte(row.body), cfg); (err == nil) != row.ok {
			t.Errorf("%s: %v", name, err)
		}
	}
}

package stripe_test

import (
	"errors"
	"fmt"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/pay"
	"github.com/tributary-go/tributary/pay/adapter"
	"github.com/tributary-go/tributary/pay/internal/shoptest"
	"github.com/tributary-go/tributary/pay/stripe"
)

// hostile is an event with members of its object that nobody sends.
func hostile(kind, members string) []byte {
	return fmt.Appendf(nil, `{"id":"evt_1","type":%q,"created":1767225600,"livemode":true,"data":{"object":{"id":"x_1","currency":"usd",
		"amount_total":100,"amount_paid":100,"payment_status":"paid","billing_reason":"subscription_cycle",%s}}}`, kind, members)
}

func many(element string, n int) string {
	return "[" + strings.TrimSuffix(strings.Repeat(element+",", n), ",") + "]"
}

// TestMemory: no payload makes Map take more than ten times its size.
func TestMemory(t *testing.T) {
	var names strings.Builder
	for i := range 90_000 {
		fmt.Fprintf(&names, `"%d":0,`, i)
	}
	for name, body := range map[string][]byte{
		"discounts": hostile("checkout.session.completed", `"discounts":`+many("{}", 340_000)),
		"codes":     hostile("checkout.session.completed", `"discounts":`+many(`{"promotion_code":{"id":"p","code":"c"}}`, 25_000)),
		"lines":     hostile("invoice.paid", `"lines":{"data":`+many(`{"amount":0}`, 78_000)+`}`),
		"taxes":     hostile("invoice.paid", `"total_taxes":`+many("{}", 340_000)),
		"refunds":   hostile("charge.refunded", `"refunds":{"data":`+many(`{"id":"re_1","amount":100}`, 37_000)+`}`),
		"unknown":   hostile("invoice.paid", `"x":`+many(many("0", 40), 12_000)),
		"names":     hostile("invoice.paid", names.String()+`"x":0`),
		"escapes":   hostile("checkout.session.completed", `"customer_email":"`+strings.Repeat(`\u0041`, 170_000)+`"`),
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		if _, err := stripe.Map(body, stripe.Config{}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		runtime.ReadMemStats(&after)
		if taken := after.TotalAlloc - before.TotalAlloc; taken > 10*uint64(len(body)) {
			t.Errorf("%s: %d bytes for a body of %d", name, taken, len(body))
		}
	}
}

// TestHostile: payloads that are no event of Stripe are refused, and name no value
// that was sent.
func TestHostile(t *testing.T) {
	s := newShop(t)
	deep := strings.Repeat(`{"a":`, 70) + "0" + strings.Repeat("}", 70)
	for name, body := range map[string]string{
		"empty": "", "null": "null", "a list": "[]", "a text": `"tomas@example.com"`, "two": "{} {}", "not JSON": `{"id": tomas@example.com}`, "invalid UTF-8": "{\"id\": \"\xff\"}",
		"half": `{"id": "evt_1"`, "a number": "1", "a lone surrogate": `{"id": "\ud800"}`, "a byte order mark": "\ufeff{}", "deep": string(hostile("invoice.paid", `"x":`+deep)),
		"a name twice":      string(hostile("invoice.paid", `"customer_email":"tomas@example.com","customer_email":"a@example.com"`)),
		"twice by escapes":  string(hostile("invoice.paid", `"\u0069d":"y"`)),
		"twice outside":     `{"id":"evt_1","id":"evt_2","type":"invoice.paid","created":1,"livemode":true}`,
		"a huge amount":     string(hostile("refund.created", `"charge":"ch_1","amount":1e400`)),
		"a long amount":     string(hostile("refund.created", `"charge":"ch_1","amount":`+strings.Repeat("9", 1000))),
		"a fraction":        string(hostile("refund.created", `"charge":"ch_1","amount":1.5`)),
		"an email as id":    string(hostile("refund.created", `"charge":["tomas@example.com"]`)),
		"an object as text": string(hostile("checkout.session.completed", `"customer_details":{"email":{"x":"tomas@example.com"}}`)),
		"no currency":       `{"id":"evt_1","type":"invoice.paid","created":1767225600,"livemode":true,"data":{"object":{"id":"in_1","amount_paid":1}}}`,
	} {
		_, err := stripe.Map([]byte(body), stripe.Config{})
		if !errors.Is(err, adapter.ErrPayload) {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if strings.Contains(err.Error(), "tomas") {
			t.Errorf("%s: %v", name, err)
		}
		shoptest.Same(t, name, s.answer(stripe.Sign(secret, s.Now, []byte(body)), []byte(body)), http.StatusBadRequest)
	}
	shoptest.Same(t, "results", len(s.Results), 0)
	s.discreet()
}

// TestNull: each field of each recorded event may be null or missing; the event is
// then read or refused, and nothing panics.
func TestNull(t *testing.T) {
	s := newShop(t)
	for _, name := range []string{
		"session_payment", "session_subscription", "session_discounts", "session_converted", "invoice_cycle", "invoice_cycle_acacia", "invoice_taxed", "invoice_payment",
		"intent", "charge", "charge_refunded", "charge_refunded_acacia", "refund", "dispute", "credit_note", "subscription", "customer",
	} {
		e := s.load(name)
		each(map[string]any(e), "", func(path string) {
			for _, value := range []any{nil, shoptest.Gone, -1, "x", map[string]any{}} {
				body := e.With(path, value).JSON()
				if code := s.answer(stripe.Sign(secret, s.Now, body), body); code != 204 && code != 400 {
					t.Errorf("%s, %s = %v: status %d", name, path, value, code)
				}
			}
		})
	}
}

// each calls f with the path of each field.
func each(object map[string]any, path string, f func(string)) {
	for name, value := range object {
		f(path + name)
		if inner, ok := value.(map[string]any); ok {
			each(inner, path+name+".", f)
		}
	}
}

// TestNonsense: amounts that Stripe never sends make no sale, and the program
// says why.
func TestNonsense(t *testing.T) {
	for _, row := range []struct {
		field string
		value any
	}{
		{"total_details.amount_tax", -2000}, {"total_details.amount_tax", 13000}, {"total_details.amount_shipping", 12000}, {"total_details.amount_shipping", -1},
		{"amount_total", 9007199254740993}, {"payment_intent", "pi_\u0001"}, {"customer", "\n"}, {"payment_intent", strings.Repeat("x", 256)},
	} {
		s := newShop(t)
		s.Send(s.first(row.field, row.value))
		if r := s.Last(); r.Done || r.Refusal == nil || len(s.AllSales()) > 0 {
			t.Errorf("%s = %v: %+v", row.field, row.value, r)
		}
	}
	for _, amount := range []int{-12000, 0} {
		s := newShop(t)
		s.Send(s.first(), s.refund("re_1", "pi_1", amount), s.dispute("du_1", "lost", amount), s.load("charge_refunded", "amount_refunded", amount))
		s.Want(s.Mara, "20.00")
	}
}

// TestRoundedUp: tax and shipping of an invoice that was paid in part, both
// rounded up, are not more than what was paid.
func TestRoundedUp(t *testing.T) {
	s := newShop(t)
	s.Send(s.invoice("in_1", "subscription_cycle", 1, "total", 2, "total_taxes", []any{map[string]any{"amount": 1}}, "amount_shipping", 1, "metadata.tributary_click", "1"))
	s.Outcome(affiliate.SaleRecorded)
	sale := s.Sale()
	shoptest.Same(t, "tax", sale.TaxAmount, affiliate.MustAmount("0.01"))
	shoptest.Same(t, "shipping", sale.ShippingAmount, affiliate.Amount{})
}

// TestClockBehind: an event from the future of a slow clock comes again and is not
// lost.
func TestClockBehind(t *testing.T) {
	s := newShopWith(t, nil, func(cfg *stripe.Config) { cfg.Tolerance = time.Hour })
	e := s.first("/created", s.Now.Add(6*time.Minute).Unix())
	shoptest.Same(t, "status", s.Status(e), http.StatusServiceUnavailable)
	shoptest.Same(t, "an ignored one", s.Status(e.With("type", "payout.paid")), http.StatusNoContent)
	s.Pass(time.Minute)
	s.Send(e)
	s.Want(s.Mara, "20.00")
}

// TestOtherAccounts: an event of a connected account reaches the program of its
// account only, whichever ids it names.
func TestOtherAccounts(t *testing.T) {
	own, theirs := newShop(t), newShop(t)
	cfg := configAt(own)
	cfg.OnResult = own.OnResult
	own.Send(own.first())
	cfg.Accounts = accounts(map[string]*tributary.Program{"acct_1": theirs.Program})
	own.Hook = handler(t, own.Program, cfg)
	for _, account := range []string{"acct_1", "acct_2", " ", "ACCT_1"} {
		own.Send(own.refund("re_1", "pi_1", 12000).With("account", account))
		if account != "acct_1" {
			own.Ignored(pay.OtherAccount)
		}
	}
	own.Want(own.Mara, "20.00")
	shoptest.Same(t, "refunds elsewhere", len(theirs.payment("pi_1").Refunds), 1)
}

// TestManyPayments: an invoice may be paid by many payments, and each of their
// refunds is found.
func TestManyPayments(t *testing.T) {
	s := newShop(t)
	s.Send(s.subscribed("in_1", 12000, "metadata.tributary_click", "1"))
	for i := range 10 {
		intent := fmt.Sprint("pi_", i)
		s.Send(s.refund("re_"+intent, intent, 1000), s.link("in_1", intent))
	}
	s.Want(s.Mara, "4.00")
	shoptest.Same(t, "ids", len(s.payment("in_1").Keys), 22)
}

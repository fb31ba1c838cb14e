package paddle_test

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/pay"
	"github.com/tributary-go/tributary/pay/adapter"
	"github.com/tributary-go/tributary/pay/internal/shoptest"
	"github.com/tributary-go/tributary/pay/paddle"
	"github.com/tributary-go/tributary/pay/paytest"
)

const secret = "pdl_ntfset_shopshopshopshop"

type event = shoptest.Event

var provider = shoptest.Provider[paddle.Config]{
	Secret: secret, OK: http.StatusOK, Object: "data.",
	Handler: paddle.Handler, Map: paddle.Map,
	Config: func(cfg adapter.Config) paddle.Config { return paddle.Config{Config: cfg} },
	Sign: func(h http.Header, body []byte, at time.Time) {
		h.Set(paddle.HeaderName, paddle.Sign(secret, at, body))
	},
}

// A shop is a program behind Paddle's handler.
type shop struct {
	*shoptest.Shop
	events int
}

// newShop opens a shop.
func newShop(t testing.TB) *shop { return newShopWith(t, nil) }

// newShopWith opens a shop with another configuration.
func newShopWith(t testing.TB, change func(*paddle.Config), program ...func(*tributary.Config)) *shop {
	t.Helper()
	s := &shop{Shop: shoptest.New(t, program...)}
	s.OK, s.Request = provider.OK, signed
	cfg := s.config()
	if change != nil {
		change(&cfg)
	}
	s.Hook = handler(t, s.Program, cfg)
	return s
}

// config is a configuration by the shop's clock.
func (s *shop) config() paddle.Config { return provider.At(s.Shop) }

func handler(t testing.TB, p *tributary.Program, cfg paddle.Config) http.Handler {
	t.Helper()
	h, err := paddle.Handler(p, cfg)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// signed is the request of an event.
func signed(body []byte, now time.Time) *http.Request {
	return signedWith(paddle.Sign(secret, now, body), body)
}

func signedWith(header string, body []byte) *http.Request {
	r := httptest.NewRequest(http.MethodPost, "/webhooks/paddle", bytes.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Paddle-Signature", header)
	return r
}

// answer is the status of a request.
func (s *shop) answer(header string, body []byte) int {
	w := httptest.NewRecorder()
	s.Hook.ServeHTTP(w, signedWith(header, body))
	return w.Code
}

// load reads a recorded event and gives it the time of the shop, an id of its
// own, and other fields of its object. A path that begins with / is one of the
// event itself.
func (s *shop) load(name string, changes ...any) event {
	s.T.Helper()
	s.events++
	own := []any{"/event_id", fmt.Sprintf("evt_%d", s.events), "/occurred_at", stamp(s.Now)}
	return provider.Event(s.T, name, append(own, changes...)...).Carried(s.Config().ID)
}

// stamp is a time as Paddle writes it.
func stamp(at time.Time) string { return at.Format("2006-01-02T15:04:05.000000Z07:00") }

// transaction is a completed transaction.
func (s *shop) transaction(id string, total, tax int, changes ...any) event {
	return s.load("transaction", append([]any{
		"id", id, "invoice_id", "inv_" + id, "created_at", stamp(s.Now.Add(-5 * time.Minute)),
		"details.totals.grand_total", fmt.Sprint(total), "details.totals.total", fmt.Sprint(total),
		"details.totals.subtotal", fmt.Sprint(total - tax),
		"details.totals.tax", fmt.Sprint(tax), "details.totals.grand_total_tax", fmt.Sprint(tax),
	}, changes...)...)
}

// first is a payment of 120 with tax 20, by click 1.
func (s *shop) first(changes ...any) event {
	return s.transaction("txn_1", 12000, 2000, append([]any{"custom_data.tributary_click", "1"}, changes...)...)
}

// subscribed and renewed are payments of a subscription, by click 1.
func (s *shop) subscribed(changes ...any) event {
	return s.transaction("txn_s1", 2900, 0, append([]any{"subscription_id", "sub_1", "custom_data.tributary_click", "1"}, changes...)...)
}

func (s *shop) renewed(changes ...any) event {
	return s.transaction("txn_s2", 2900, 0, append([]any{
		"subscription_id", "sub_1", "origin", "subscription_recurring", "custom_data.tributary_click", "1",
	}, changes...)...)
}

// adjusted is an adjustment of a transaction.
func (s *shop) adjusted(id, action, transaction string, total int, changes ...any) event {
	return s.load("adjustment", append([]any{
		"id", id, "action", action, "transaction_id", transaction, "totals.total", fmt.Sprint(total), "created_at", stamp(s.Now),
	}, changes...)...)
}

// customer is what Paddle tells of a customer.
func (s *shop) customer(changes ...any) event { return s.load("customer", changes...) }

// status is the state of a subscription.
func (s *shop) status(status string, changes ...any) event {
	return s.load("subscription", append([]any{"/event_type", "subscription." + status, "status", status}, changes...)...)
}

// mapped is the action of an event.
func mapped(t testing.TB, e event) pay.Action {
	t.Helper()
	return mappedWith(t, e, paddle.Config{Config: adapter.Config{CarryKeys: shoptest.CarryKeys}})
}

func mappedWith(t testing.TB, e event, cfg paddle.Config) pay.Action {
	t.Helper()
	a, err := paddle.Map(e.JSON(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// TestConformance: what any adapter must do, in Paddle's events.
func TestConformance(t *testing.T) {
	s := newShop(t)
	paytest.Suite{
		Handler: provider.HandlerOf, Map: provider.MapOf, Sign: provider.Sign,
		Tell:   func(step paytest.Step) []byte { return tell(s, step).JSON() },
		Source: source, Serve: func(bodies [][]byte) http.Handler { return events(t, bodies) },
	}.Run(t)
}

// tell is Paddle's event of a step.
func tell(s *shop, step paytest.Step) event {
	s.Now = step.At
	cents := func(a affiliate.Amount) int { return int(a.Scaled() / 100) }
	adjusted := func(action, status string) event {
		return s.adjusted(step.Of, action, step.Payment, cents(step.Amount), "status", status, "totals.tax", fmt.Sprint(cents(step.Tax)), "totals.subtotal", fmt.Sprint(cents(step.Amount)-cents(step.Tax)))
	}
	var e event
	switch step.Kind {
	case paytest.Customer:
		e = s.customer("id", step.Payer, "email", step.Email, "name", step.Name)
	case paytest.Paid:
		data := map[string]any{"tributary_program": ""} // so that the shop signs nothing
		for key, value := range step.Data {
			data[key] = value
		}
		e = s.transaction(step.Payment, cents(step.Amount), cents(step.Tax), "customer_id", step.Payer, "custom_data", data, "payments.0.captured_at", step.At)
		if step.Renewal {
			e = e.With("data.subscription_id", "s1", "data.origin", "subscription_recurring")
		}
	case paytest.Refund:
		e = adjusted("refund", "approved")
	case paytest.RefundFailed:
		e = adjusted("refund", "reversed")
	case paytest.Dispute:
		e = adjusted("chargeback", "approved")
	case paytest.DisputeWon:
		e = adjusted("chargeback_reverse", "approved")
	case paytest.Status:
		status := map[affiliate.SubscriptionStatus]string{"ACTIVE": "active", "PAST_DUE": "past_due", "CANCELLED": "canceled"}[step.Status]
		e = s.status(status, "id", step.Payment, "customer_id", step.Payer)
	}
	return e.With("event_id", strings.Replace(step.ID, "e", "evt_", 1))
}

package stripe_test

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/httpapi"
	"github.com/tributary-go/tributary/pay"
	"github.com/tributary-go/tributary/pay/adapter"
	"github.com/tributary-go/tributary/pay/internal/shoptest"
	"github.com/tributary-go/tributary/pay/paytest"
	"github.com/tributary-go/tributary/pay/stripe"
)

// TestConformance: what any adapter must do, in Stripe's events.
func TestConformance(t *testing.T) {
	s := newShop(t)
	paytest.Suite{
		Handler: provider.HandlerOf, Map: provider.MapOf, Sign: provider.Sign,
		Tell:   func(step paytest.Step) []byte { return tell(s, step).JSON() },
		Source: source, Serve: func(bodies [][]byte) http.Handler { return events(t, bodies) },
	}.Run(t)
}

// tell is Stripe's event of a step.
func tell(s *shop, step paytest.Step) event {
	s.Now = step.At
	cents := func(a affiliate.Amount) int { return int(a.Scaled() / 100) }
	var e event
	switch step.Kind {
	case paytest.Customer:
		e = s.load("customer", "id", step.Payer, "email", step.Email, "name", step.Name)
	case paytest.Paid:
		if step.Renewal {
			e = s.load("invoice_cycle_acacia", "id", "in_"+step.Payment, "charge", "ch_"+step.Payment, "payment_intent", step.Payment, "customer", step.Payer,
				"customer_email", step.Email, "customer_name", step.Name, "amount_paid", cents(step.Amount), "amount_due", cents(step.Amount),
				"total", cents(step.Amount), "subtotal", cents(step.Amount)-cents(step.Tax), "total_excluding_tax", cents(step.Amount)-cents(step.Tax), "tax", cents(step.Tax),
				"subscription", "s1", "subscription_details.metadata", step.Data, "status_transitions.paid_at", step.At.Unix())
			break
		}
		e = s.load("session_payment", "id", "cs_"+step.Payment, "payment_intent", step.Payment, "customer", step.Payer, "customer_details.email", step.Email,
			"customer_details.name", step.Name, "amount_total", cents(step.Amount), "amount_subtotal", cents(step.Amount)-cents(step.Tax),
			"total_details.amount_tax", cents(step.Tax), "metadata", step.Data, "created", step.At.Unix())
	case paytest.Refund:
		e = s.refund(step.Of, step.Payment, cents(step.Amount), "charge", "ch_"+step.Payment)
	case paytest.RefundFailed:
		e = s.refund(step.Of, step.Payment, cents(step.Amount), "charge", "ch_"+step.Payment, "status", "failed").With("type", "refund.failed")
	case paytest.Dispute:
		e = s.dispute(step.Of, "needs_response", cents(step.Amount), "charge", "ch_"+step.Payment, "payment_intent", step.Payment)
	case paytest.DisputeWon:
		e = s.dispute(step.Of, "won", cents(step.Amount), "charge", "ch_"+step.Payment, "payment_intent", step.Payment).With("type", "charge.dispute.closed")
	case paytest.Status:
		status := map[affiliate.SubscriptionStatus]string{"ACTIVE": "active", "PAST_DUE": "past_due", "CANCELLED": "canceled"}[step.Status]
		e = s.load("subscription", "id", step.Payment, "customer", step.Payer, "status", status)
	}
	return e.With("id", fmt.Sprint("evt_", step.ID), "created", step.At.Unix())
}

// TestCarry: a visitor who came by a link brings the click into the metadata of a
// checkout, and its event credits the affiliate.
func TestCarry(t *testing.T) {
	s := newShop(t)
	var carried map[string]string
	var reference string
	var what pay.Carried
	checkout := httpapi.Attribution(s.Program, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		carried, reference = shoptest.Must(configAt(s).Carry(s.Program, r, stripe.ViaSession, what)), stripe.Reference(s.Program, r)
	}))
	checkout.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, "/", nil))
	if !maps.Equal(carried, map[string]string{"tributary_via": "session"}) || reference != "" {
		t.Errorf("without a click: %v, %q", carried, reference)
	}
	checkout.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, "/?ref=ben", nil))
	if carried["tributary_click"] != "3" || carried["tributary_program"] != shoptest.ID.String() || reference != "trib_c_3_"+shoptest.ID.String() {
		t.Errorf("with a click: %v, %q", carried, reference)
	}
	metadata := map[string]any{}
	for name, value := range carried {
		metadata[name] = value
	}
	s.Send(s.session("pi_1", 10000, "metadata", metadata), s.session("pi_2", 5000, "client_reference_id", reference))
	s.Want(s.Ben, "30.00")
}

// TestApplyTwice: what the host applies by itself and what the handler applies are
// one.
func TestApplyTwice(t *testing.T) {
	s := newShop(t)
	e := s.first()
	s.apply(s.mapped(e))
	s.Send(e)
	s.apply(s.mapped(e))
	s.Want(s.Mara, "20.00")
	shoptest.Same(t, "sale.created", s.Fired("sale.created"), 1)
}

// TestOutwardMinor: amounts as Stripe counts them, and those that it does not take.
func TestOutwardMinor(t *testing.T) {
	for _, c := range []struct {
		amount   string
		currency affiliate.Currency
		want     int64 // 0: refused
	}{
		{"19.99", "USD", 1999}, {"0.01", "EUR", 1}, {"19.999", "USD", 0}, {"0.0001", "USD", 0},
		{"500", "JPY", 500}, {"500.5", "JPY", 0}, {"5000", "MGA", 5000}, {"0.5", "MGA", 0},
		{"5", "ISK", 500}, {"5.5", "ISK", 0}, {"3", "UGX", 300}, {"0.01", "UGX", 0},
		{"12.34", "KWD", 12340}, {"12.345", "KWD", 0}, {"1000.5", "HUF", 100050},
	} {
		got, err := stripe.Minor(affiliate.MustAmount(c.amount), c.currency)
		if got != c.want || (err != nil) != (c.want == 0) || err != nil && !errors.Is(err, affiliate.ErrAmountDecimals) {
			t.Errorf("%s %s: %d, %v", c.amount, c.currency, got, err)
		}
	}
}

const secret = "whsec_shopshopshopshop"

type event = shoptest.Event

var provider = shoptest.Provider[stripe.Config]{
	Secret: secret, OK: http.StatusNoContent, Object: "data.object.",
	Handler: stripe.Handler, Map: stripe.Map,
	Config: func(cfg adapter.Config) stripe.Config { return stripe.Config{Config: cfg} },
	Sign: func(h http.Header, body []byte, at time.Time) {
		h.Set(stripe.HeaderName, stripe.Sign(secret, at, body))
	},
}

// A shop is a program behind Stripe's handler.
type shop struct {
	*shoptest.Shop
	events int
}

// newShop opens a shop.
func newShop(t *testing.T) *shop { return newShopWith(t, nil, nil) }

// newShopWith opens a shop with another configuration.
func newShopWith(t testing.TB, program func(*tributary.Config), change func(*stripe.Config)) *shop {
	t.Helper()
	if program == nil {
		program = func(*tributary.Config) {}
	}
	s := &shop{Shop: shoptest.New(t, program)}
	s.OK, s.Request = provider.OK, signed
	cfg := provider.At(s.Shop)
	if change != nil {
		change(&cfg)
	}
	s.Hook = handler(t, s.Program, cfg)
	return s
}

// configAt is a configuration at the time of the shop, without functions of it.
func configAt(s *shop) stripe.Config {
	now := s.Now
	return stripe.Config{Config: adapter.Config{Secrets: []string{secret}, Now: func() time.Time { return now }, Logger: slog.New(slog.DiscardHandler), CarryKeys: shoptest.CarryKeys}}
}

func handler(t testing.TB, p *tributary.Program, cfg stripe.Config) http.Handler {
	t.Helper()
	h, err := stripe.Handler(p, cfg)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// signed is the request of an event.
func signed(body []byte, now time.Time) *http.Request {
	return signedWith(stripe.Sign(secret, now, body), body)
}

// headers are those of an event with a signature.
func headers(signature string) http.Header { return http.Header{stripe.HeaderName: {signature}} }

func signedWith(header string, body []byte) *http.Request {
	r := httptest.NewRequest(http.MethodPost, "/webhooks/stripe", bytes.NewReader(body))
	r.Header.Set("Content-Type", "application/json; charset=utf-8")
	r.Header.Set("Stripe-Signature", header)
	return r
}

// load reads a recorded event and gives it the time of the shop, an id of its
// own, and other fields of its object. A path that begins with / is one of the
// event itself.
func (s *shop) load(name string, changes ...any) event {
	s.T.Helper()
	s.events++
	own := []any{"/id", fmt.Sprintf("evt_%d", s.events), "/created", s.Now.Unix()}
	return provider.Event(s.T, name, append(own, changes...)...).Carried(s.Config().ID)
}

// session is a Checkout session of a payment.
func (s *shop) session(intent string, total int, changes ...any) event {
	return s.load("session_payment", append([]any{
		"id", "cs_" + intent, "payment_intent", intent, "amount_total", total, "amount_subtotal", total,
		"total_details.amount_tax", 0, "created", s.Now.Add(-5 * time.Minute).Unix(),
	}, changes...)...)
}

// first is the session of check 1: 120 with tax 20, by click 1.
func (s *shop) first(changes ...any) event {
	return s.session("pi_1", 12000, append([]any{
		"amount_subtotal", 10000, "total_details.amount_tax", 2000, "metadata.tributary_click", "1",
	}, changes...)...)
}

// subscribed is the session of a subscription.
func (s *shop) subscribed(invoice string, total int, changes ...any) event {
	return s.load("session_subscription", append([]any{
		"id", "cs_" + invoice, "invoice", invoice, "amount_total", total, "amount_subtotal", total, "created", s.Now.Add(-5 * time.Minute).Unix(),
	}, changes...)...)
}

// invoice is a paid invoice.
func (s *shop) invoice(id, reason string, paid int, changes ...any) event {
	return s.load("invoice_cycle", append([]any{
		"id", id, "billing_reason", reason, "amount_paid", paid, "total", paid, "subtotal", paid,
		"status_transitions.paid_at", s.Now.Add(-time.Minute).Unix(),
	}, changes...)...)
}

// link ties an invoice to a payment intent.
func (s *shop) link(invoice, intent string) event {
	return s.load("invoice_payment", "invoice", invoice, "payment.payment_intent", intent)
}

// refund is a refund of a payment intent.
func (s *shop) refund(id, intent string, amount int, changes ...any) event {
	return s.load("refund", append([]any{"id", id, "payment_intent", intent, "charge", "ch_" + intent, "amount", amount}, changes...)...)
}

// dispute is a dispute of pi_1.
func (s *shop) dispute(id, status string, amount int, changes ...any) event {
	return s.load("dispute", append([]any{"id", id, "status", status, "amount", amount, "charge", "ch_pi_1"}, changes...)...)
}

// payment is what is known of a payment.
func (s *shop) payment(key string) affiliate.ProviderPayment {
	s.T.Helper()
	return shoptest.Must(s.Payments().ProviderPayment(s.T.Context(), "stripe", key))
}

// redeemed requires how often MARA20 was redeemed.
func (s *shop) redeemed(want int64) {
	s.T.Helper()
	code := shoptest.Must(s.Program.Code(s.T.Context(), affiliate.CodeRef{Code: "MARA20"}))
	shoptest.Same(s.T, "timesRedeemed", code.TimesRedeemed, want)
}

// A check is a numbered acceptance check.
type check struct {
	number int
	name   string
	run    func(*testing.T)
}

// run runs checks as sub-tests named by their numbers.
func run(t *testing.T, checks []check) {
	for _, c := range checks {
		t.Run(fmt.Sprintf("%d %s", c.number, c.name), c.run)
	}
}

// inEachOrder runs f with a new shop for each order of n events.
func inEachOrder(t *testing.T, n int, f func(s *shop, order []int)) {
	shoptest.Orders(n, func(order []int) {
		t.Run(fmt.Sprint(order), func(t *testing.T) { f(newShop(t), order) })
	})
}

package stripe_test

import (
	"cmp"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/pay"
	"github.com/tributary-go/tributary/pay/internal/shoptest"
	"github.com/tributary-go/tributary/pay/stripe"
)

// TestModel: the events of any history of a provider, delivered in any order,
// some of them twice, with payouts between them, end in the same books as in order
// once, and both in what a naive fold of the history gives.
func TestModel(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		tb := drawnTB{rt, below{deeper{t}}}
		h := newHistory(tb)
		for range h.number("steps", 1, 15) {
			h.step()
		}
		h.check("in order", h.shop)

		other := modelShop(tb)
		other.Now = h.Now
		order := rapid.Permutation(slices.Concat(shoptest.Sequence(len(h.sent)), h.some())).Draw(rt, "order")
		other.deliver(h, h.events(order))
		h.check("in another order", other)
		fired := other.Fired("")
		other.Send(h.events(h.some())...)
		h.check("once more", other)
		shoptest.Same(tb, "events after a redelivery", other.Fired(""), fired)
	})
}

// modelShop opens a shop in which a renewal waits for its first payment for
// longer than any history takes.
func modelShop(tb testing.TB) *shop {
	return newShopWith(tb, nil, func(cfg *stripe.Config) { cfg.Wait = 1000 * time.Hour })
}

// worth is what a payment earns.
func (p *naivePayment) worth() affiliate.Amount {
	succeeded, failed, away := 0, 0, 0
	for _, r := range p.refunds {
		switch r.state {
		case 1:
			succeeded += r.amount
		case 2:
			failed += r.amount
		}
	}
	for _, d := range p.disputes {
		if s := disputeStates[d.status]; s == "needs_response" || s == "lost" {
			away += d.amount
		}
	}
	kept := max(0, p.gross-max(succeeded, p.sum-failed)-away)
	if p.who == "" {
		return affiliate.Amount{}
	}
	// 20 % of the same part of the base, rounded once
	n, of := 2*(p.gross-p.tax)*kept+5*p.gross, 10*p.gross
	return affiliate.AmountFromScaled(int64(n/of) * 100)
}

// deliver sends events of a history. What is asked for again, and a subscription
// of somebody who was not known yet, comes again after the others, and a payout may
// come between.
func (s *shop) deliver(h *history, events []event) {
	for round := 0; len(events) > 0; round++ {
		if round > 20 {
			s.T.Fatal("an event is asked for again and again")
		}
		var later []event
		for _, e := range events {
			switch code := s.Status(e); {
			case code == http.StatusServiceUnavailable, code == s.OK && s.Last().Action.Reason == pay.NoCustomer:
				later = append(later, e)
			case code != s.OK:
				s.T.Fatalf("%v: status %d", e["id"], code)
			}
			if h.number("payout", 0, 9) == 0 {
				s.payout()
			}
		}
		events = later
	}
}

// payout pays Mara when there is something to pay.
func (s *shop) payout() {
	if b := shoptest.Must(s.Balance(s.T.Context(), affiliate.AffiliateRef{ID: s.Mara.ID})); b.Payable.Sign() > 0 {
		shoptest.Must(s.CreatePayout(s.T.Context(), affiliate.PayoutParams{AffiliateID: s.Mara.ID, ManuallyPaid: true}))
	}
}

// check compares a shop with the history.
func (h *history) check(when string, s *shop) {
	h.T.Helper()
	want := map[string]affiliate.Amount{}
	sales := 0
	for _, p := range h.payments {
		want[p.who] = shoptest.Must(want[p.who].Add(p.worth()))
		if p.who != "" {
			sales++
			shoptest.Same(h.T, when+", "+p.key, s.worth(p.key), p.worth())
			shoptest.Same(h.T, when+", keys of "+p.key, s.payment(p.key).ID, s.payment(p.intent).ID)
		}
	}
	shoptest.Same(h.T, when+", sales", len(s.AllSales()), sales)
	s.Want(s.Mara, want["Mara"].Format("USD"))
	s.Want(s.Ben, want["Ben"].Format("USD"))
	for _, c := range h.customers {
		h.checkStatus(when, s, c)
	}
	if err := s.Verify(h.T.Context()); err != nil {
		h.T.Errorf("%s: %v", when, err)
	}
}

// worth is what the sale of a payment gives, with its adjustments.
func (s *shop) worth(key string) (sum affiliate.Amount) {
	id, ok := s.payment(key).SaleID.Get()
	if !ok {
		s.T.Fatalf("%s has no sale", key)
	}
	for _, sale := range s.AllSales() {
		if sale.ID == id {
			sum = sale.CommissionEarned
		}
	}
	for _, a := range s.Adjusted() {
		if of, ok := a.SaleID.Get(); ok && of == id {
			sum = shoptest.Must(sum.Add(a.Amount))
		}
	}
	return sum
}

// checkStatus compares the status of a customer: the best of the subscriptions.
func (h *history) checkStatus(when string, s *shop, c *naiveCustomer) {
	if len(c.subs) == 0 {
		return
	}
	ranks := slices.Collect(maps.Values(c.subs))
	want := affiliate.SubscriptionCancelled
	for _, preferred := range []int{0, 1} { // ACTIVE if any is, else PAST_DUE
		if slices.ContainsFunc(ranks, func(d naiveSub) bool { return d.rank == preferred }) {
			want = subStatuses[preferred]
		}
	}
	ref := shoptest.Must(s.Payments().Payer(h.T.Context(), "stripe", affiliate.PayerFact{ID: c.id})).Referral.Or(affiliate.Referral{})
	shoptest.Same(h.T, when+", status of "+c.id, ref.Status, want)
}

// A drawnTB is a test whose failures rapid sees: what testing.TB has beyond
// *rapid.T comes from a deeper level.
type drawnTB struct {
	*rapid.T
	below
}

type below struct{ deeper }

type deeper struct{ testing.TB }

// A history is what happened at the provider. Its shop gets each event as it
// happens.
type history struct {
	*shop
	draw      *rapid.T
	sent      []event
	customers map[string]*naiveCustomer
	payments  []*naivePayment
}

// A naiveCustomer pays always for the same affiliate.
type naiveCustomer struct {
	id, affiliate string
	metadata      map[string]any // of a session, and of its subscription
	discounts     []any
	known         bool // a payment or a trial made a referral
	invoices      int
	subs          map[string]naiveSub
}

type naiveSub struct{ at, rank int }

// A naivePayment is what is known of a payment, in cents.
type naivePayment struct {
	key, intent string // an id of the sale's event, and the payment intent
	customer    string
	who         string // whom it is credited to
	gross, tax  int
	refunds     []*naiveRefund
	untold      int // refunds that only a sum tells of
	sum         int // the highest that was told
	disputes    []*naiveDispute
}

type naiveRefund struct {
	id     string
	amount int
	state  int // of refundStates; a later one is final
}

type naiveDispute struct {
	id         string
	amount     int
	at, status int
}

var (
	refundStates = []string{"pending", "succeeded", "failed"}
	// disputeStates are in the order that decides when two come in one second.
	disputeStates = []string{"warning_needs_response", "needs_response", "warning_closed", "lost", "won"}
	subStates     = []string{"past_due", "active", "canceled"}
	subStatuses   = []affiliate.SubscriptionStatus{affiliate.SubscriptionPastDue, affiliate.SubscriptionActive, affiliate.SubscriptionCancelled}
)

func newHistory(tb drawnTB) *history {
	h := &history{shop: modelShop(tb), draw: tb.T, customers: map[string]*naiveCustomer{}}
	for i, who := range []string{"Mara", "Ben", "Mara", ""} {
		c := &naiveCustomer{id: fmt.Sprint("cus_", i), affiliate: who, metadata: map[string]any{"tributary_via": "session"}, subs: map[string]naiveSub{}}
		switch i {
		case 0, 1:
			c.metadata["tributary_click"] = fmt.Sprint(i + 1)
		case 2:
			c.discounts = promotions("promo_mara")
		}
		h.customers[c.id] = c
	}
	return h
}

func (h *history) number(name string, least, most int) int {
	return rapid.IntRange(least, most).Draw(h.draw, name)
}

// some are numbers of events that come again.
func (h *history) some() (again []int) {
	for i := range h.sent {
		if h.number("again", 0, 3) == 0 {
			again = append(again, i)
		}
	}
	return again
}

func (h *history) events(numbers []int) (events []event) {
	for _, i := range numbers {
		events = append(events, h.sent[i])
	}
	return events
}

// happens sends an event as it happens.
func (h *history) happens(events ...event) {
	for _, e := range events {
		h.Pass(time.Duration(h.number("seconds", 0, 1)) * time.Second)
		e = e.With("created", h.Now.Unix())
		h.sent = append(h.sent, e)
		h.Send(e)
	}
}

// step is something that happens.
func (h *history) step() {
	c := h.customers[fmt.Sprint("cus_", h.number("customer", 0, 3))]
	steps := []func(*naiveCustomer){h.buys, h.subscribes, h.tries}
	if c.invoices > 0 {
		steps = append(steps, h.renews, h.changes, h.moves)
	}
	var p *naivePayment
	if len(h.payments) > 0 {
		p = h.payments[h.number("payment", 0, len(h.payments)-1)]
		for _, f := range []func(*naivePayment){h.refunded, h.settled, h.summed, h.disputed, h.decided, h.credited} {
			steps = append(steps, func(*naiveCustomer) { f(p) })
		}
	}
	steps[h.number("step", 0, len(steps)-1)](c)
}

// of are the fields of a customer in a session.
func (c *naiveCustomer) of(more ...any) []any {
	return append([]any{
		"customer", c.id, "customer_details.email", c.id + "@example.com", "discounts", c.discounts, "metadata", c.metadata,
	}, more...)
}

func (h *history) pays(c *naiveCustomer, key, intent string, gross, tax int) {
	h.payments = append(h.payments, &naivePayment{key: key, intent: intent, customer: c.id, who: c.affiliate, gross: gross, tax: tax})
	c.known = c.known || c.affiliate != ""
}

// buys is a payment by Checkout, with events that tell the same.
func (h *history) buys(c *naiveCustomer) {
	n := len(h.payments)
	intent, gross := fmt.Sprint("pi_", n), h.number("gross", 100, 20000)
	tax := h.number("tax", 0, gross/5)
	h.happens(h.session(intent, gross, c.of("total_details.amount_tax", tax)...))
	h.pays(c, intent, intent, gross, tax)
	h.happens(h.load("intent", "id", intent, "customer", c.id), h.load("charge", "id", "ch_"+intent, "payment_intent", intent, "customer", c.id))
}

// bill is an invoice of a subscription with the metadata of its session.
func (h *history) bill(c *naiveCustomer, reason string, gross int) (invoice, intent string, e event) {
	n := len(h.payments)
	invoice, intent = fmt.Sprint("in_", n), fmt.Sprint("pi_", n)
	return invoice, intent, h.invoice(invoice, reason, gross, "customer", c.id, "customer_email", c.id+"@example.com",
		"parent.subscription_details.metadata", c.metadata)
}

// subscribes is a first payment by Checkout.
func (h *history) subscribes(c *naiveCustomer) {
	gross := h.number("gross", 100, 20000)
	invoice, intent, e := h.bill(c, "subscription_create", gross)
	h.happens(h.subscribed(invoice, gross, c.of()...), e, h.link(invoice, intent))
	h.pays(c, invoice, intent, gross, 0)
	c.invoices++
}

// tries is a trial, which makes a referral and no sale.
func (h *history) tries(c *naiveCustomer) {
	h.happens(h.subscribed(fmt.Sprint("in_trial_", len(h.sent)), 0, c.of("payment_status", "no_payment_required")...))
	c.known = c.known || c.affiliate != ""
}

// renews is a later payment of a subscription.
func (h *history) renews(c *naiveCustomer) {
	gross := h.number("gross", 100, 20000)
	invoice, intent, e := h.bill(c, "subscription_cycle", gross)
	if !c.known { // nobody is credited, so Stripe would be asked to repeat it for as long as the shop waits
		return
	}
	h.happens(e, h.link(invoice, intent))
	h.pays(c, invoice, intent, gross, 0)
}

// changes are new states of subscriptions.
func (h *history) changes(c *naiveCustomer) {
	if !c.known {
		return
	}
	for range h.number("changes", 1, 4) {
		id, rank := fmt.Sprint(c.id, "_sub_", h.number("subscription", 1, 2)), h.number("state", 0, 2)
		h.happens(h.shop.status(id, subStates[rank]).With("data.object.customer", c.id))
		d := naiveSub{int(h.Now.Unix()), rank}
		if was, ok := c.subs[id]; !ok || cmp.Or(d.at-was.at, d.rank-was.rank) > 0 {
			c.subs[id] = d
		}
	}
}

// moves is a customer with a new name.
func (h *history) moves(c *naiveCustomer) {
	h.happens(h.load("customer", "id", c.id, "email", c.id+"@example.com", "name", fmt.Sprint("Name ", len(h.sent))))
}

// free is what of a payment was not sent back yet.
func (p *naivePayment) free() int {
	free := p.gross - p.untold
	for _, r := range p.refunds {
		if r.state < 2 {
			free -= r.amount
		}
	}
	return free
}

func (h *history) refunded(p *naivePayment) {
	if p.free() == 0 {
		return
	}
	r := &naiveRefund{fmt.Sprintf("re_%s_%d", p.intent, len(p.refunds)), h.number("refund", 1, p.free()), h.number("state", 0, 1)}
	p.refunds = append(p.refunds, r)
	h.happens(h.refund(r.id, p.intent, r.amount, "status", refundStates[r.state]))
}

// settled is the next state of a refund.
func (h *history) settled(p *naivePayment) {
	if len(p.refunds) == 0 {
		return
	}
	if r := p.refunds[h.number("which", 0, len(p.refunds)-1)]; r.state < 2 {
		r.state = h.number("state", r.state+1, 2)
		h.happens(h.refund(r.id, p.intent, r.amount, "status", refundStates[r.state], "/type", "refund.updated"))
	}
}

// summed is the charge with the sum of its refunds; the endpoint may not get the
// events of all of them.
func (h *history) summed(p *naivePayment) {
	p.untold += h.number("untold", 0, p.free())
	sum := p.untold
	for _, r := range p.refunds {
		if r.state == 1 {
			sum += r.amount
		}
	}
	p.sum = max(p.sum, sum)
	h.happens(h.load("charge_refunded", "id", "ch_"+p.intent, "payment_intent", p.intent, "customer", p.customer, "amount_refunded", sum))
}

func (h *history) disputed(p *naivePayment) {
	d := &naiveDispute{id: fmt.Sprintf("du_%s_%d", p.intent, len(p.disputes)), amount: h.number("dispute", 1, p.gross)}
	p.disputes = append(p.disputes, d)
	h.becomes(p, d, h.number("state", 0, 1))
}

// decided are other states of a dispute.
func (h *history) decided(p *naivePayment) {
	for range min(len(p.disputes), h.number("decisions", 1, 2)) {
		h.becomes(p, p.disputes[h.number("which", 0, len(p.disputes)-1)], h.number("state", 0, 4))
	}
}

func (h *history) becomes(p *naivePayment, d *naiveDispute, status int) {
	h.happens(h.dispute(d.id, disputeStates[status], d.amount, "payment_intent", p.intent, "charge", "ch_"+p.intent))
	if at := int(h.Now.Unix()); d.at == 0 || cmp.Or(at-d.at, status-d.status) > 0 {
		d.at, d.status = at, status
	}
}

// credited is a credit note that the host pays by itself.
func (h *history) credited(p *naivePayment) {
	if p.key == p.intent || p.free() == 0 {
		return // not an invoice
	}
	r := &naiveRefund{fmt.Sprintf("cn_%s_%d", p.intent, len(p.refunds)), h.number("credit", 1, p.free()), 1}
	p.refunds = append(p.refunds, r)
	h.happens(h.load("credit_note", "id", r.id, "invoice", p.key, "customer", p.customer, "out_of_band_amount", r.amount))
}

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
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/conformance"
	"github.com/tributary-go/tributary/internal/atlength"
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

// A lifecycle is the events of a customer, an hour between them, and what the
// affiliates have in the end.
type lifecycle struct {
	name   string
	events []func(s *shop) event
	want   string
}

// Events of lifecycles.
var (
	// The session and the renewals of a subscription that Checkout made.
	sessionMeta = map[string]any{"tributary_via": "session", "tributary_click": "1"}

	paid       = func(s *shop) event { return s.first() }
	subscribed = func(s *shop) event { return s.subscribed("in_1", 2900, "metadata", sessionMeta) }
	created    = func(s *shop) event {
		return s.invoice("in_1", "subscription_create", 2900, "parent.subscription_details.metadata", sessionMeta)
	}
	linked  = func(s *shop) event { return s.link("in_1", "pi_1") }
	renewed = func(s *shop) event {
		return s.invoice("in_2", "subscription_cycle", 2900, "parent.subscription_details.metadata", sessionMeta)
	}
)

func refunded(id string, amount int, status string) func(*shop) event {
	return func(s *shop) event { return s.refund(id, "pi_1", amount, "status", status) }
}

func sum(amount int) func(*shop) event {
	return func(s *shop) event { return s.load("charge_refunded", "id", "ch_pi_1", "amount_refunded", amount) }
}

func disputed(id, status string, amount int) func(*shop) event {
	return func(s *shop) event { return s.dispute(id, status, amount) }
}

func lifecycles() []lifecycle {
	type script = []func(*shop) event
	return []lifecycle{
		{"refund of a subscription", script{subscribed, created, linked, refunded("re_1", 1450, "succeeded")}, "Mara 2.90, Ben 0.00; sale of 29"},
		{"two refunds", script{paid, refunded("re_1", 3000, "succeeded"), refunded("re_2", 9000, "succeeded")}, "Mara 0.00, Ben 0.00; sale of 120"},
		{"failed refund", script{
			paid, refunded("re_1", 3000, "pending"), refunded("re_1", 3000, "succeeded"), refunded("re_1", 3000, "failed"), refunded("re_2", 6000, "succeeded"),
		}, "Mara 10.00, Ben 0.00; sale of 120"},
		{"won", script{paid, disputed("du_1", "needs_response", 12000), disputed("du_1", "won", 12000), refunded("re_1", 3000, "succeeded")}, "Mara 15.00, Ben 0.00; sale of 120"},
		{"lost", script{paid, disputed("du_1", "needs_response", 6000), disputed("du_1", "lost", 6000), refunded("re_1", 12000, "succeeded")}, "Mara 0.00, Ben 0.00; sale of 120"},
		{"sums", script{paid, sum(3000), sum(5000), refunded("re_1", 3000, "succeeded"), refunded("re_2", 2000, "succeeded")}, "Mara 11.67, Ben 0.00; sale of 120"},
		{"everything", script{
			subscribed, created, linked, refunded("re_1", 900, "succeeded"), disputed("du_1", "needs_response", 2000), disputed("du_1", "won", 2000), renewed,
		}, "Mara 9.80, Ben 0.00; sale of 29; sale of 29"},
		{"credit note", script{
			subscribed, linked, renewed, func(s *shop) event { return s.load("credit_note", "invoice", "in_1") },
		}, "Mara 9.60, Ben 0.00; sale of 29; sale of 29"},
		{"two disputes", script{
			paid, disputed("du_1", "needs_response", 4000), disputed("du_2", "needs_response", 3000), disputed("du_1", "won", 4000), disputed("du_2", "lost", 3000),
		}, "Mara 15.00, Ben 0.00; sale of 120"},
		{"an old version", script{
			subscribed,
			func(s *shop) event {
				return s.load("invoice_cycle_acacia", "subscription_details.metadata", sessionMeta)
			},
			func(s *shop) event { return s.load("charge_refunded_acacia") },
			func(s *shop) event { return s.refund("re_2", "pi_2", 2900) },
		}, "Mara 5.80, Ben 0.00; sale of 29; sale of 29"},
		{"inquiry", script{
			paid, disputed("du_1", "warning_needs_response", 12000), disputed("du_1", "warning_closed", 12000), refunded("re_1", 6000, "succeeded"),
		}, "Mara 10.00, Ben 0.00; sale of 120"},
		{"statuses", script{
			subscribed, renewed, func(s *shop) event { return s.status("sub_1", "past_due") },
			func(s *shop) event { return s.status("sub_1", "canceled") },
		}, "Mara 11.60, Ben 0.00; sale of 29; sale of 29"},
		{"by code", script{
			func(s *shop) event {
				return s.session("pi_1", 12000, "discounts", promotions("promo_mara"), "metadata.tributary_click", "2")
			},
			refunded("re_1", 3000, "succeeded"), disputed("du_1", "under_review", 3000),
		}, "Mara 12.00, Ben 0.00; sale of 120"},
		{"another currency", script{
			func(s *shop) event { return s.first("currency", "eur") },
			func(s *shop) event { return s.refund("re_1", "pi_1", 3000, "currency", "eur") },
			func(s *shop) event { return s.load("intent") },
		}, "Mara 0.00, Ben 0.00"},
	}
}

// TestPermutations: every order of a lifecycle's events, with one event twice and
// all of them again at the end, gives the same money.
func TestPermutations(t *testing.T) {
	for _, l := range lifecycles() {
		t.Run(l.name, func(t *testing.T) {
			actions := l.actions(t)
			ordered := play(t, l, actions, shoptest.Sequence(len(actions)))
			if ordered != l.want {
				t.Fatalf("in order: %s, want %s", ordered, l.want)
			}
			turn := 0
			shoptest.Orders(len(actions), func(order []int) {
				turn++
				if len(actions) > 5 && !atlength.On() && turn%40 != 0 {
					return
				}
				for twice := range duplicates(len(actions), turn) {
					if got := play(t, l, actions, append(append([]int{}, order...), twice)); got != l.want {
						t.Fatalf("order %v, then %d again: %s, want %s", order, twice, got, l.want)
					}
				}
			})
		})
	}
}

// duplicates are the events that come twice: each, or in a short run one.
func duplicates(n, turn int) func(func(int) bool) {
	return func(yield func(int) bool) {
		if !atlength.On() {
			yield(turn % n)
			return
		}
		for i := range n {
			if !yield(i) {
				return
			}
		}
	}
}

// actions are what the events ask for.
func (l lifecycle) actions(t *testing.T) (actions []pay.Action) {
	s := newShop(t)
	for _, e := range l.events {
		actions = append(actions, shoptest.Must(stripe.Map(e(s).JSON(), configAt(s))))
		s.Pass(time.Hour)
	}
	return actions
}

// play applies actions in an order, and then all of them again.
func play(t *testing.T, l lifecycle, actions []pay.Action, order []int) string {
	s := shoptest.Play(t, actions, order)
	if l.name == "statuses" {
		shoptest.Same(t, fmt.Sprintf("status after %v", order), s.Referral().Status, affiliate.SubscriptionCancelled)
	}
	return s.Money()
}

// TestCrashes: when a store fails at any of its calls, or its answers are lost,
// the handler answers 503, and with the repeats all ends as if nothing had
// happened.
func TestCrashes(t *testing.T) {
	for _, l := range lifecycles() {
		t.Run(l.name, func(t *testing.T) {
			var counters []*conformance.Counter
			crash(t, l, func(s record.Store) record.Store {
				counters = append(counters, conformance.Count(s))
				return counters[len(counters)-1]
			})
			most := 0
			for _, c := range counters {
				most = max(most, c.Most())
			}
			if most < 3 && len(l.want) > len("Mara 0.00, Ben 0.00") {
				t.Fatal("the store was not called")
			}
			crash(t, l, func(s record.Store) record.Store { return conformance.LoseAnswer(s, 1) })
			crash(t, l, conformance.Rerun)
			step := 1
			if !atlength.On() {
				step = 7
			}
			for n := 1; n <= most; n += step {
				crash(t, l, func(s record.Store) record.Store { return conformance.FailAt(s, n) })
				crash(t, l, func(s record.Store) record.Store { return conformance.CancelAt(s, n) })
			}
		})
	}
}

// crash sends each event to a shop on a broken store, and then to the same shop
// on its own store.
func crash(t *testing.T, l lifecycle, broken func(record.Store) record.Store) {
	t.Helper()
	s := newShop(t)
	for _, e := range l.events {
		e := e(s)
		s.Pass(time.Hour)
		s.Hook = handler(t, s.With(broken(s.Store)), configAt(s))
		if got := s.Status(e); got != http.StatusServiceUnavailable && got != s.OK {
			t.Fatalf("status %d", got)
		}
		s.Hook = handler(t, s.Program, configAt(s))
		s.Send(e)
	}
	if got := s.Money(); got != l.want {
		t.Errorf("%s, want %s", got, l.want)
	}
}

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
	who         string
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
	h.payments = append(h.payments, &naivePayment{key: key, intent: intent, who: c.affiliate, gross: gross, tax: tax})
	c.known = c.known || c.affiliate != ""
}

// buys is a payment by Checkout, with events that tell the same.
func (h *history) buys(c *naiveCustomer) {
	n := len(h.payments)
	intent, gross := fmt.Sprint("pi_", n), h.number("gross", 100, 20000)
	tax := h.number("tax", 0, gross/5)
	h.happens(h.session(intent, gross, c.of("total_details.amount_tax", tax)...))
	h.pays(c, intent, intent, gross, tax)
	h.happens(h.load("intent", "id", intent), h.load("charge", "id", "ch_"+intent, "payment_intent", intent))
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
	h.happens(h.load("charge_refunded", "id", "ch_"+p.intent, "payment_intent", p.intent, "amount_refunded", sum))
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
	h.happens(h.load("credit_note", "id", r.id, "invoice", p.key, "out_of_band_amount", r.amount))
}

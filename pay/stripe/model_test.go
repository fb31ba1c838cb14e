package stripe_test

import (
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

package paddle_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/conformance"
	"github.com/tributary-go/tributary/internal/atlength"
	"github.com/tributary-go/tributary/pay"
	"github.com/tributary-go/tributary/pay/internal/shoptest"
	"github.com/tributary-go/tributary/pay/stripe"
)

// A lifecycle is the same story as both providers tell it, an hour between two
// events, and what the affiliates have in the end.
type lifecycle struct {
	name   string
	paddle []func(*shop) event
	stripe []func(*teller) event
	want   string
}

// A teller makes Stripe's events.
type teller struct {
	t   testing.TB
	now time.Time
}

// load reads an event of Stripe's own tests.
func (s *teller) load(name string, changes ...any) event {
	pairs := []any{"created", s.now.Unix()}
	for i := 0; i < len(changes); i += 2 {
		pairs = append(pairs, "data.object."+changes[i].(string), changes[i+1])
	}
	return shoptest.Load(s.t, "../stripe/testdata/"+name+".json").With(pairs...).Carried(shoptest.ID)
}

// session is Stripe's payment of 120 with tax 20.
func (s *teller) session(changes ...any) event {
	return s.load("session_payment", append([]any{
		"id", "cs_1", "payment_intent", "pi_1", "amount_total", 12000, "amount_subtotal", 10000, "total_details.amount_tax", 2000,
		"created", s.now.Add(-5 * time.Minute).Unix(),
	}, changes...)...)
}

func (s *teller) invoice(id, reason string, changes ...any) event {
	return s.load("invoice_cycle", append([]any{
		"id", id, "billing_reason", reason, "amount_paid", 2900, "total", 2900, "subtotal", 2900, "status_transitions.paid_at", s.now.Add(-time.Minute).Unix(),
	}, changes...)...)
}

func (s *teller) refund(id string, amount int, status string) event {
	return s.load("refund", "id", id, "payment_intent", "pi_1", "charge", "ch_pi_1", "amount", amount, "status", status)
}

func (s *teller) dispute(id, status string, amount int) event {
	return s.load("dispute", "id", id, "status", status, "amount", amount, "charge", "ch_pi_1")
}

func lifecycles() []lifecycle {
	type (
		ours   = []func(*shop) event
		theirs = []func(*teller) event
	)
	byClick := map[string]any{"tributary_via": "session", "tributary_click": "1"}
	adjusted := func(id, action, status string, total int) func(*shop) event {
		return func(s *shop) event { return s.adjusted(id, action, "txn_1", total, "status", status) }
	}
	refund := func(id string, amount int, status string) func(*teller) event {
		return func(s *teller) event { return s.refund(id, amount, status) }
	}
	dispute := func(id, status string, amount int) func(*teller) event {
		return func(s *teller) event { return s.dispute(id, status, amount) }
	}
	customer := func(s *shop) event { return s.customer() }
	paid := func(s *shop) event { return s.first() }
	session := func(s *teller) event { return s.session("metadata", byClick) }
	return []lifecycle{
		{"sale", ours{customer, paid}, theirs{session}, "Mara 20.00, Ben 0.00; sale of 120"},
		{
			"renewal", ours{customer, func(s *shop) event { return s.subscribed() }, func(s *shop) event { return s.renewed() }},
			theirs{
				func(s *teller) event {
					return s.load("session_subscription", "id", "cs_1", "invoice", "in_1", "amount_total", 2900, "amount_subtotal", 2900, "metadata", byClick, "created", s.now.Unix())
				},
				func(s *teller) event {
					return s.invoice("in_2", "subscription_cycle", "parent.subscription_details.metadata", byClick)
				},
			},
			"Mara 11.60, Ben 0.00; sale of 29; sale of 29",
		},
		{
			"discount", ours{customer, func(s *shop) event {
				return s.first("discount_id", "promo_mara", "custom_data.tributary_click", "2", "details.totals.subtotal", "12500", "details.totals.discount", "2500")
			}},
			theirs{func(s *teller) event {
				return s.session("amount_subtotal", 12500, "discounts", []any{map[string]any{"coupon": nil, "promotion_code": "promo_mara"}}, "metadata.tributary_click", "2")
			}},
			"Mara 20.00, Ben 0.00; sale of 120",
		},
		{
			"refund in part and whole", ours{customer, paid, adjusted("adj_1", "refund", "approved", 3000), adjusted("adj_2", "refund", "approved", 9000)},
			theirs{session, refund("re_1", 3000, "succeeded"), refund("re_2", 9000, "succeeded")},
			"Mara 0.00, Ben 0.00; sale of 120",
		},
		{
			"refund that failed", ours{
				customer, paid, adjusted("adj_1", "refund", "pending_approval", 3000), adjusted("adj_1", "refund", "approved", 3000), adjusted("adj_1", "refund", "reversed", 3000),
			},
			theirs{session, refund("re_1", 3000, "pending"), refund("re_1", 3000, "succeeded"), refund("re_1", 3000, "failed")},
			"Mara 20.00, Ben 0.00; sale of 120",
		},
		{
			"chargeback and its reverse", ours{customer, paid, adjusted("adj_1", "chargeback", "approved", 12000), adjusted("adj_2", "chargeback_reverse", "approved", 12000), adjusted("adj_3", "refund", "approved", 3000)},
			theirs{session, dispute("du_1", "needs_response", 12000), dispute("du_1", "won", 12000), refund("re_1", 3000, "succeeded")},
			"Mara 15.00, Ben 0.00; sale of 120",
		},
		{
			"two chargebacks", ours{customer, paid, adjusted("adj_1", "chargeback", "approved", 4000), adjusted("adj_2", "chargeback", "approved", 3000), adjusted("adj_3", "chargeback_reverse", "approved", 4000)},
			theirs{session, dispute("du_1", "needs_response", 4000), dispute("du_2", "needs_response", 3000), dispute("du_1", "won", 4000)},
			"Mara 15.00, Ben 0.00; sale of 120",
		},
	}
}

// told are the actions of a lifecycle by Paddle, and by Stripe.
func (l lifecycle) told(t testing.TB) (byPaddle, byStripe []pay.Action) {
	t.Helper()
	s := newShop(t)
	for _, e := range l.paddle {
		byPaddle = append(byPaddle, mapped(t, e(s)))
		s.Pass(time.Hour)
	}
	other := &teller{t, shoptest.Start}
	for _, e := range l.stripe {
		byStripe = append(byStripe, shoptest.Must(stripe.Map(e(other).JSON(), stripe.Config{})))
		other.now = other.now.Add(time.Hour)
	}
	return byPaddle, byStripe
}

// books is what a shop shows of its money: the sum of each affiliate, the
// accounts of their books, and each sale with what was kept of it.
func books(s *shoptest.Shop) string {
	text := s.Money()
	for _, of := range []affiliate.Affiliate{s.Mara, s.Ben} {
		b := shoptest.Must(s.Balance(s.T.Context(), affiliate.AffiliateRef{ID: of.ID}))
		text += fmt.Sprintf("\n%s: payable %s, held %s, in payout %s, paid %s", of.FirstName, b.Payable, b.Held, b.InPayout, b.Paid)
	}
	for _, sale := range s.AllSales() {
		text += fmt.Sprintf("\nsale: earned %s, refunded %v, commission %s, subtotal %v", sale.TotalEarned, sale.RefundedAmount, sale.CommissionEarned, sale.Subtotal)
	}
	return text
}

// TestSameBooks: what Paddle reports ends in the books that Stripe's report of the
// same story ends in.
func TestSameBooks(t *testing.T) {
	for _, l := range lifecycles() {
		t.Run(l.name, func(t *testing.T) {
			byPaddle, byStripe := l.told(t)
			ours := shoptest.Play(t, byPaddle, shoptest.Sequence(len(byPaddle)))
			theirs := shoptest.Play(t, byStripe, shoptest.Sequence(len(byStripe)))
			shoptest.Same(t, "money", ours.Money(), l.want)
			if books(ours) != books(theirs) {
				t.Errorf("by Paddle:\n%s\nby Stripe:\n%s", books(ours), books(theirs))
			}
		})
	}
}

// TestPermutations: every order of a lifecycle's events, with one event twice and
// all of them again at the end, gives the same money.
func TestPermutations(t *testing.T) {
	for _, l := range lifecycles() {
		t.Run(l.name, func(t *testing.T) {
			actions, _ := l.told(t)
			turn := 0
			shoptest.Orders(len(actions), func(order []int) {
				if turn++; len(actions) > 4 && !atlength.On() && turn%10 != 0 {
					return
				}
				if got := shoptest.Play(t, actions, append(append([]int{}, order...), turn%len(actions))).Money(); got != l.want {
					t.Fatalf("order %v: %s, want %s", order, got, l.want)
				}
			})
		})
	}
}

// TestCrashes: when a store fails at any of its calls, or its answers are lost,
// the handler answers 503, and with the repeats all ends as if nothing had
// happened.
func TestCrashes(t *testing.T) {
	for _, l := range lifecycles() {
		t.Run(l.name, func(t *testing.T) {
			most := 0
			l.crash(t, conformance.Rerun)
			l.crash(t, func(s record.Store) record.Store { return conformance.LoseAnswer(s, 1) })
			var counters []*conformance.Counter
			l.crash(t, func(s record.Store) record.Store {
				counters = append(counters, conformance.Count(s))
				return counters[len(counters)-1]
			})
			for _, c := range counters {
				most = max(most, c.Most())
			}
			if most < 3 {
				t.Fatalf("%d calls of the store", most)
			}
			step := 1
			if !atlength.On() {
				step = 7
			}
			for n := 1; n <= most; n += step {
				l.crash(t, func(s record.Store) record.Store { return conformance.FailAt(s, n) })
			}
		})
	}
}

// crash sends each event to a shop on a broken store, and then to the same shop on
// its own store.
func (l lifecycle) crash(t *testing.T, broken func(record.Store) record.Store) {
	t.Helper()
	s := newShop(t)
	for _, e := range l.paddle {
		e := e(s)
		own := s.Hook
		s.Hook = handler(t, s.With(broken(s.Store)), s.config())
		if got := s.Status(e); got != 503 && got != s.OK {
			t.Fatalf("status %d", got)
		}
		s.Hook = own
		s.Send(e)
		s.Pass(time.Hour)
	}
	shoptest.Same(t, "money", s.Money(), l.want)
}

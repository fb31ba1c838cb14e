package stripe_test

import (
	"fmt"
	"net/http"
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

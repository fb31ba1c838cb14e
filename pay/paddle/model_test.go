package paddle_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/tributary-go/tributary/pay"
	"github.com/tributary-go/tributary/pay/internal/paytest"
)

// A payment of the model: what Paddle's adjustments have said of it.
type naive struct {
	id      string
	refunds map[string][2]string // id → amount in dollars, status
	away    map[int]bool         // chargebacks by amount in dollars: open or given back
}

// cents is what Mara has of the payment of 100 dollars without tax, of which she
// has 20 per cent.
func (n *naive) cents() int {
	kept := 100
	for _, r := range n.refunds {
		if r[1] == "approved" {
			var amount int
			fmt.Sscan(r[0], &amount)
			kept -= amount
		}
	}
	for amount, open := range n.away {
		if open {
			kept -= amount
		}
	}
	return 20 * max(0, kept)
}

// TestModel: the events of any history, delivered in any order and some of them
// twice, end in what a naive fold of the history gives.
func TestModel(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		s := newShop(t)
		var sent []event
		send := func(e event) {
			sent = append(sent, e)
			s.Pass(time.Hour)
		}
		send(s.customer())
		var payments []*naive
		number := 0
		for range rapid.IntRange(1, 14).Draw(rt, "steps") {
			number++
			id := fmt.Sprint("adj_", number)
			if len(payments) == 0 || rapid.IntRange(0, 3).Draw(rt, "new") == 0 {
				n := &naive{fmt.Sprint("txn_m", number), map[string][2]string{}, map[int]bool{}}
				payments = append(payments, n)
				send(s.transaction(n.id, 10000, 0, "custom_data.tributary_click", "1"))
				continue
			}
			n := rapid.SampledFrom(payments).Draw(rt, "payment")
			amount := rapid.SampledFrom([]int{10, 25, 60}).Draw(rt, "amount")
			switch rapid.SampledFrom([]string{"refund", "update", "chargeback", "reverse"}).Draw(rt, "step") {
			case "refund":
				status := rapid.SampledFrom([]string{"pending_approval", "approved"}).Draw(rt, "status")
				n.refunds[id] = [2]string{fmt.Sprint(amount), status}
				send(s.adjusted(id, "refund", n.id, amount*100, "status", status))
			case "update":
				ids := slices.Sorted(func(yield func(string) bool) {
					for id := range n.refunds {
						if !yield(id) {
							return
						}
					}
				})
				if len(ids) == 0 {
					continue
				}
				known := rapid.SampledFrom(ids).Draw(rt, "refund")
				was := n.refunds[known]
				status := map[string]string{"pending_approval": "approved", "approved": "reversed", "reversed": "reversed"}[was[1]]
				n.refunds[known] = [2]string{was[0], status}
				send(s.adjusted(known, "refund", n.id, 0, "/event_type", "adjustment.updated", "status", status, "totals.total", was[0]+"00"))
			case "chargeback":
				if n.away[amount] {
					continue // two open ones of the same amount are one: docs/payments-paddle.md
				}
				n.away[amount] = true
				send(s.adjusted(id, "chargeback", n.id, amount*100))
			case "reverse":
				if !n.away[amount] {
					continue
				}
				n.away[amount] = false
				send(s.adjusted(id, "chargeback_reverse", n.id, amount*100))
			}
		}
		want := 0
		for _, n := range payments {
			want += n.cents()
		}
		actions := make([]pay.Action, len(sent))
		for i, e := range sent {
			actions[i] = mapped(t, e)
		}
		again := rapid.SliceOfN(rapid.IntRange(0, len(actions)-1), 0, 5).Draw(rt, "again")
		for name, order := range map[string][]int{
			"in order": paytest.Sequence(len(actions)), "in any order": rapid.Permutation(append(paytest.Sequence(len(actions)), again...)).Draw(rt, "order"),
		} {
			if got := paytest.Play(t, actions, order).Earned(s.Mara); got != fmt.Sprintf("%d.%02d", want/100, want%100) {
				rt.Fatalf("%s %v: Mara has %s, want %d cents", name, order, got, want)
			}
		}
	})
}

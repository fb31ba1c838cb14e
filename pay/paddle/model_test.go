package paddle_test

import (
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/tributary-go/tributary/pay"
	"github.com/tributary-go/tributary/pay/internal/shoptest"
)

// A naivePayment is one of 100 dollars without tax, with what Paddle's adjustments
// have said of it.
type naivePayment struct {
	id      string
	refunds map[string]naiveRefund
	away    map[int]bool // chargebacks by their amount in dollars: away, or given back
}

type naiveRefund struct {
	dollars int
	status  string
}

// cents is what Mara has of the payment: 20 per cent of what was kept.
func (n *naivePayment) cents() int {
	kept := 100
	for _, r := range n.refunds {
		if r.status == "approved" {
			kept -= r.dollars
		}
	}
	for dollars, away := range n.away {
		if away {
			kept -= dollars
		}
	}
	return 20 * max(0, kept)
}

// A history is what a provider tells, in its order.
type history struct {
	*shop
	rt       *rapid.T
	payments []*naivePayment
	sent     []event
	adjusted int
}

func (h *history) tell(e event) {
	h.sent = append(h.sent, e)
	h.Pass(time.Hour)
}

// step makes one thing happen.
func (h *history) step() {
	if len(h.payments) == 0 || rapid.IntRange(0, 3).Draw(h.rt, "new") == 0 {
		n := &naivePayment{fmt.Sprint("txn_m", len(h.payments)), map[string]naiveRefund{}, map[int]bool{}}
		h.payments = append(h.payments, n)
		h.tell(h.transaction(n.id, 10000, 0, "custom_data.tributary_click", "1"))
		return
	}
	n := rapid.SampledFrom(h.payments).Draw(h.rt, "payment")
	dollars := rapid.SampledFrom([]int{10, 25, 60}).Draw(h.rt, "dollars")
	rapid.SampledFrom([]func(*naivePayment, int){h.refund, h.review, h.chargeback, h.giveBack}).Draw(h.rt, "step")(n, dollars)
}

// adjust tells of a new adjustment, and returns its id.
func (h *history) adjust(n *naivePayment, action string, dollars int, changes ...any) string {
	h.adjusted++
	id := fmt.Sprint("adj_", h.adjusted)
	h.tell(h.shop.adjusted(id, action, n.id, dollars*100, changes...))
	return id
}

func (h *history) refund(n *naivePayment, dollars int) {
	status := rapid.SampledFrom([]string{"pending_approval", "approved"}).Draw(h.rt, "status")
	n.refunds[h.adjust(n, "refund", dollars, "status", status)] = naiveRefund{dollars, status}
}

// review is the next state of a refund.
func (h *history) review(n *naivePayment, _ int) {
	if len(n.refunds) == 0 {
		return
	}
	id := rapid.SampledFrom(slices.Sorted(maps.Keys(n.refunds))).Draw(h.rt, "refund")
	r := n.refunds[id]
	r.status = map[string]string{"pending_approval": "approved", "approved": "reversed", "reversed": "reversed"}[r.status]
	n.refunds[id] = r
	h.tell(h.shop.adjusted(id, "refund", n.id, r.dollars*100, "/event_type", "adjustment.updated", "status", r.status))
}

// chargeback leaves out a second one of the same amount that is open at once: two
// of them are one, as docs/payments-paddle.md says.
func (h *history) chargeback(n *naivePayment, dollars int) {
	if !n.away[dollars] {
		n.away[dollars] = true
		h.adjust(n, "chargeback", dollars)
	}
}

func (h *history) giveBack(n *naivePayment, dollars int) {
	if n.away[dollars] {
		n.away[dollars] = false
		h.adjust(n, "chargeback_reverse", dollars)
	}
}

// TestModel: the events of any history, delivered in any order and some of them
// twice, end in what a naive fold of the history gives.
func TestModel(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		h := &history{shop: newShop(t), rt: rt}
		h.tell(h.customer())
		for range rapid.IntRange(1, 14).Draw(rt, "steps") {
			h.step()
		}
		want := 0
		for _, n := range h.payments {
			want += n.cents()
		}
		actions := make([]pay.Action, len(h.sent))
		for i, e := range h.sent {
			actions[i] = mapped(t, e)
		}
		ordered := shoptest.Sequence(len(actions))
		again := rapid.SliceOfN(rapid.SampledFrom(ordered), 0, 5).Draw(rt, "again")
		for _, order := range [][]int{ordered, rapid.Permutation(slices.Concat(ordered, again)).Draw(rt, "order")} {
			if got := shoptest.Play(t, actions, order).Earned(h.Mara); got != fmt.Sprintf("%d.%02d", want/100, want%100) {
				rt.Fatalf("%v: Mara has %s, want %d cents", order, got, want)
			}
		}
	})
}

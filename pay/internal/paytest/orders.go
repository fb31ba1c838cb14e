package paytest

import (
	"errors"
	"testing"
	"time"

	"github.com/tributary-go/tributary/pay"
)

// Orders calls f with each order of the numbers below n.
func Orders(n int, f func(order []int)) {
	order := Sequence(n)
	var walk func(int)
	walk = func(at int) {
		if at == n {
			f(order)
			return
		}
		for i := at; i < n; i++ {
			order[at], order[i] = order[i], order[at]
			walk(at + 1)
			order[at], order[i] = order[i], order[at]
		}
	}
	walk(0)
}

// Sequence returns the numbers below n.
func Sequence(n int) []int {
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	return order
}

// Play opens a shop, applies actions in an order, and then all of them twice
// again in the same order, so that a last one in the order of the story mends nothing. A test that fails names the order.
func Play(t testing.TB, actions []pay.Action, order []int) *Shop {
	t.Helper()
	s := New(t)
	s.Pass(time.Duration(len(actions)) * time.Hour)
	for _, again := range [][]int{order, order, order} {
		for _, i := range again {
			if _, err := pay.Apply(t.Context(), s.Program, actions[i]); err != nil && !errors.Is(err, pay.ErrLater) {
				t.Fatalf("order %v: %v", order, err)
			}
		}
	}
	if err := s.Verify(t.Context()); err != nil {
		t.Fatalf("order %v: %v", order, err)
	}
	return s
}

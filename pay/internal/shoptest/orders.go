package shoptest

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

// Play opens a shop and applies actions in an order, each until it is taken, as a provider sends
// them; then all of them twice again in the same order, which must change no money: a repeat
// that nobody promised must not mend the books. A test that fails names the order.
func Play(t testing.TB, actions []pay.Action, order []int) *Shop {
	t.Helper()
	return New(t).Play(actions, order)
}

// Play is Play in this shop.
func (s *Shop) Play(actions []pay.Action, order []int) *Shop {
	t := s.T
	t.Helper()
	s.Pass(time.Duration(len(actions)) * time.Hour)
	for left := order; len(left) > 0; {
		later := s.apply(actions, left)
		if len(later) == len(left) {
			break // what they wait for never comes
		}
		left = later
	}
	money := s.Money()
	s.apply(actions, order)
	s.apply(actions, order)
	if got := s.Money(); got != money {
		t.Errorf("order %v: %s, and with every event again %s", order, money, got)
	}
	if err := s.Verify(t.Context()); err != nil {
		t.Fatalf("order %v: %v", order, err)
	}
	return s
}

// apply applies actions in an order and returns those that are to come again.
func (s *Shop) apply(actions []pay.Action, order []int) (later []int) {
	s.T.Helper()
	for _, i := range order {
		switch _, err := pay.Apply(s.T.Context(), s.Program, actions[i]); {
		case errors.Is(err, pay.ErrLater):
			later = append(later, i)
		case err != nil:
			s.T.Fatalf("order %v: %v", order, err)
		}
	}
	return later
}

package paytest

import (
	"errors"
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/conformance"
	"github.com/tributary-go/tributary/pay"
	"github.com/tributary-go/tributary/pay/internal/shoptest"
)

// mostOrders limits the orders of one story that are tried: 720 are those of six steps. A
// short run tries 120.
const mostOrders, fewOrders = 720, 120

// actions are the actions of the events of a story.
func (s *story) actions(t testing.TB) (actions []pay.Action) {
	t.Helper()
	cfg := shoptest.New(t).AdapterConfig()
	for i, body := range s.bodies {
		a, err := s.Map(body, cfg)
		if err != nil {
			t.Fatalf("%s (%s): %v\n%s", s.steps[i].ID, s.steps[i].Kind, err, body)
		}
		if again, _ := s.Map(body, cfg); !reflect.DeepEqual(a, again) {
			t.Errorf("%s (%s) is read in two ways: %+v and %+v", s.steps[i].ID, s.steps[i].Kind, a, again)
		}
		actions = append(actions, a)
	}
	return actions
}

// settled compares the books with the fold of some steps.
func (s *story) settled(shop *shoptest.Shop, steps []Step) error {
	if got, want := shop.Earned(shop.Mara), s.earned(steps); got != want {
		return fmt.Errorf("the affiliate has %s, want %s", got, want)
	}
	if got := shop.Earned(shop.Ben); got != "0.00" {
		return fmt.Errorf("another affiliate has %s", got)
	}
	customers := shoptest.Must(shop.Referrals(shop.T.Context(), affiliate.ReferralQuery{}, affiliate.Page{})).Items
	status := affiliate.SubscriptionStatus("")
	if len(customers) > 0 {
		status = customers[0].Status
	}
	if want := s.statusAfter(steps); status != want || len(customers) > 1 {
		return fmt.Errorf("%d customers, status %q, want %q", len(customers), status, want)
	}
	return nil
}

// fold: random stories, in any order, with some events twice and all of them again at the
// end, give the books of the model.
func (s Suite) fold(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		story := s.random(t, rt)
		actions := story.actions(t)
		ordered := shoptest.Sequence(len(actions))
		again := rapid.SliceOfN(rapid.SampledFrom(ordered), 0, 5).Draw(rt, "again")
		order := rapid.Permutation(slices.Concat(ordered, again)).Draw(rt, "order")
		if err := story.settled(shoptest.Play(t, actions, order), story.steps); err != nil {
			rt.Fatalf("%v in the order %v of\n%v", err, order, story.steps)
		}
	})
}

// orders: a story with one step of each kind gives the same books in its orders.
func (s Suite) orders(t *testing.T) {
	story := s.whole(t)
	actions := story.actions(t)
	all, tried := 1, 0
	for n := range len(actions) {
		all *= n + 1
	}
	most := mostOrders
	if testing.Short() {
		most = fewOrders
	}
	every := max(1, all/most)
	shoptest.Orders(len(actions), func(order []int) {
		if tried++; tried%every != 0 || t.Failed() {
			return
		}
		if err := story.settled(shoptest.Play(t, actions, order), story.steps); err != nil {
			t.Errorf("%v in the order %v", err, order)
		}
	})
}

// tax: commission is on what was paid without tax, and a full refund takes all of it.
func (s Suite) tax(t *testing.T) {
	for refunded, want := range map[bool]string{false: "20.00", true: "0.00"} {
		story := s.story(t)
		story.customer()
		story.tell(Step{Kind: Paid, Payment: "p1", Amount: dollars(120), Tax: dollars(20), Data: story.data})
		if refunded &&
			!story.tell(Step{Kind: Refund, Payment: "p1", Of: "r1", Amount: dollars(120),
				Sum: dollars(120), Gross: dollars(120), Tax: dollars(20)}) {
			continue
		}
		actions := story.actions(t)
		shoptest.Orders(len(actions), func(order []int) {
			if got := shoptest.Play(t, actions, order).Money(); got != "Mara "+want+", Ben 0.00; sale of 120" {
				t.Errorf("refunded %t, order %v: %s, want %s", refunded, order, got, want)
			}
		})
	}
}

// codes: who was brought by a code alone, or by a hold of one, brings commission with every payment,
// also when a renewal, which redeems no code, is told before the first one.
func (s Suite) codes(t *testing.T) {
	for _, c := range []pay.Carried{{Code: "MARA20", Order: "order-7"}, {Hold: "cart", Order: "order-7"}} {
		story := s.story(t)
		story.data = shoptest.Must(shoptest.New(t).AdapterConfig().Carry(shoptest.New(t).Program, nil, c))
		story.customer()
		story.paid(100)
		story.paid(100)
		actions := story.actions(t)
		if second, _ := actions[len(actions)-1].Payment.Sale.Get(); !second.Renewal {
			return // the provider tells of no renewals: it is an order of its own
		}
		shoptest.Orders(len(actions), func(order []int) {
			shop := shoptest.New(t)
			shoptest.Must(shop.HoldRedemption(t.Context(), affiliate.HoldParams{
				ID: "cart", Until: shop.Now.Add(24 * time.Hour),
				Order: affiliate.Order{PromoCode: "MARA20", Email: "tomas@customers.example",
					Subtotal: affiliate.Set(dollars(100)), Commission: true},
			}))
			if err := story.settled(shop.Play(actions, order), story.steps); err != nil {
				t.Errorf("code %q, hold %q: %v in the order %v", c.Code, c.Hold, err, order)
			}
		})
	}
}

// missing: a step of which nothing is told changes nothing else; an event without a field, or
// with one of another type, is refused or harms nobody.
func (s Suite) missing(t *testing.T) {
	story := s.whole(t)
	actions := story.actions(t)
	for i := range actions {
		rest := slices.Delete(slices.Clone(actions), i, i+1)
		steps := slices.Delete(slices.Clone(story.steps), i, i+1)
		if err := story.settled(shoptest.Play(t, rest, shoptest.Sequence(len(rest))), steps); err != nil {
			t.Errorf("without %s (%s): %v", story.steps[i].ID, story.steps[i].Kind, err)
		}
	}
	cfg := shoptest.New(t).AdapterConfig()
	for i, body := range story.bodies {
		for what, broken := range pieces(t, body) {
			a, err := s.Map(broken, cfg)
			if err != nil || reflect.DeepEqual(a, actions[i]) { // refused, or of a field that is not read
				continue
			}
			others := slices.Clone(actions)
			others[i] = a
			shop := shoptest.New(t)
			shop.Pass(time.Duration(len(others)) * time.Hour)
			for _, a := range others {
				if _, err := pay.Apply(t.Context(), shop.Program, a); err != nil && !errors.Is(err, pay.ErrLater) {
					t.Errorf("%s (%s) with %s: %v", story.steps[i].ID, story.steps[i].Kind, what, err)
				}
			}
			if got := shoptest.Must(affiliate.ParseAmount(shop.Earned(shop.Mara))); got.Cmp(dollars(20)) > 0 || got.Sign() < 0 {
				t.Errorf("%s (%s) with %s: the affiliate has %s", story.steps[i].ID, story.steps[i].Kind, what, got)
			}
		}
	}
}

// crashes: when a store fails at any of its calls, or its answers are lost, the endpoint asks
// for the event again, and with the repeats all ends as if nothing had happened.
func (s Suite) crashes(t *testing.T) {
	story := s.whole(t)
	var counters []*conformance.Counter
	story.crash(t, func(store record.Store) record.Store {
		counters = append(counters, conformance.Count(store))
		return counters[len(counters)-1]
	})
	most := 0
	for _, c := range counters {
		most = max(most, c.Most())
	}
	if most < 3 {
		t.Fatal("the store was not called")
	}
	story.crash(t, func(store record.Store) record.Store { return conformance.LoseAnswer(store, 1) })
	story.crash(t, conformance.Rerun)
	for n := 1; n <= most; n++ {
		story.crash(t, func(store record.Store) record.Store { return conformance.FailAt(store, n) })
		story.crash(t, func(store record.Store) record.Store { return conformance.CancelAt(store, n) })
	}
}

// crash sends each event to a shop on a broken store, and what is asked for again to the same shop
// on its own.
func (s *story) crash(t *testing.T, broken func(record.Store) record.Store) {
	t.Helper()
	shop := shoptest.New(t)
	for i, body := range s.bodies {
		shop.Now = s.steps[i].At.Add(time.Minute)
		switch got := s.send(t, shop, shop.With(broken(shop.Store)), body); {
		case got == http.StatusServiceUnavailable:
			if got := s.send(t, shop, shop.Program, body); got/100 != 2 {
				t.Fatalf("%s: status %d; %s", s.steps[i].Kind, got, shop.Logs.String())
			}
		case got/100 != 2:
			t.Fatalf("%s on a broken store: status %d, want 503", s.steps[i].Kind, got)
		}
	}
	if err := s.settled(shop, s.steps); err != nil {
		t.Error(err)
	}
}

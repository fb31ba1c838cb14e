package affiliate_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
)

// at counts claims by endpoint.
func at(claims []affiliate.Claim) map[uuid.UUID]int {
	out := map[uuid.UUID]int{}
	for _, c := range claims {
		out[c.Endpoint]++
	}
	return out
}

// silence settles claims as attempts without an answer.
func (w *world) silence(claims ...affiliate.Claim) {
	w.t.Helper()
	for _, c := range claims {
		a := w.attempt(c, 0)
		a.Err = affiliate.FailedTimeout
		must(0, w.SettleDeliveries(w.t.Context(), []affiliate.Attempt{a}))
	}
}

// An endpoint has four slots if its last attempt was answered, with any answer
// and not long ago, and one slot otherwise.
func TestClaimSlotsOfEndpoint(t *testing.T) {
	settle := func(status int, class string) func(*world, affiliate.IssuedEndpoint) {
		return func(w *world, _ affiliate.IssuedEndpoint) {
			a := w.attempt(w.claim(1)[0], status)
			a.Err = class
			must(0, w.SettleDeliveries(w.t.Context(), []affiliate.Attempt{a}))
		}
	}
	after := func(steps ...func(*world, affiliate.IssuedEndpoint)) []func(*world, affiliate.IssuedEndpoint) {
		return steps
	}
	pass := func(d time.Duration) func(*world, affiliate.IssuedEndpoint) {
		return func(w *world, _ affiliate.IssuedEndpoint) { w.pass(d) }
	}
	edit := func(up affiliate.EndpointUpdate) func(*world, affiliate.IssuedEndpoint) {
		return func(w *world, ep affiliate.IssuedEndpoint) { w.edit(ep.ID, up) }
	}
	on, off := edit(affiliate.EndpointUpdate{Active: affiliate.Set(true)}), edit(affiliate.EndpointUpdate{Active: affiliate.Set(false)})
	for _, tt := range []struct {
		name  string
		steps []func(*world, affiliate.IssuedEndpoint)
		want  int
	}{
		{"New", nil, 1},
		{"Answered", after(settle(200, "")), 4},
		{"AnsweredBadly", after(settle(500, "")), 4},
		{"Redirects", after(settle(302, affiliate.FailedRedirect)), 4},
		{"TimedOut", after(settle(200, ""), settle(0, affiliate.FailedTimeout)), 1},
		{"Refused", after(settle(200, ""), settle(0, affiliate.FailedConnection)), 1},
		{"NoName", after(settle(200, ""), settle(0, affiliate.FailedDNS)), 1},
		{"Recovered", after(settle(0, affiliate.FailedTimeout), settle(204, "")), 4},
		{"OwnFault", after(settle(200, ""), settle(0, affiliate.FailedSecret)), 4},
		{"Lately", after(settle(200, ""), pass(5*time.Minute)), 4},
		{"LongAgo", after(settle(200, ""), pass(5*time.Minute+time.Microsecond)), 1},
		{"Enabled", after(settle(200, ""), off, on), 1},
		{"Moved", after(settle(200, ""), edit(affiliate.EndpointUpdate{URL: affiliate.Set("https://new.example/")})), 1},
		{"Described", after(settle(200, ""), edit(affiliate.EndpointUpdate{Description: affiliate.Set("shop")})), 4},
	} {
		t.Run(tt.name, func(t *testing.T) {
			onStores(t, func(t *testing.T, w *world) {
				ep := w.hook()
				w.crowd(3)
				for _, step := range tt.steps {
					step(w, ep)
				}
				w.crowd(10)
				if got := w.claim(64); len(got) != tt.want {
					t.Errorf("%d in flight, want %d", len(got), tt.want)
				}
			})
		})
	}
}

// Endpoints that do not answer have at most half of all slots, and an endpoint
// that answers does not wait for them.
func TestClaimSilentHalf(t *testing.T) {
	for _, tt := range []struct{ slots, silent, good int }{{64, 32, 4}, {10, 5, 4}, {4, 1, 3}, {3, 1, 2}, {2, 1, 1}, {1, 0, 1}} {
		t.Run(fmt.Sprint(tt.slots), func(t *testing.T) {
			onStores(t, func(t *testing.T, w *world) {
				good := w.hookAt("https://good.example/")
				w.answered()
				for i := range 49 {
					w.hookAt(fmt.Sprintf("https://h%d.example/", i))
				}
				w.crowd(5)
				claims := w.claim(tt.slots)
				for i, c := range claims {
					if (c.Endpoint == good.ID) != (i < tt.good) {
						t.Errorf("claim %d is for %s", i, c.URL)
					}
				}
				got := at(claims)
				if got[good.ID] != tt.good || len(claims)-tt.good != tt.silent || len(got) != tt.silent+1 {
					t.Errorf("%d for the good one, %d for %d others", got[good.ID], len(claims)-got[good.ID], len(got)-1)
				}
				if free := tt.slots - len(claims); free > 0 { // endpoints that hang get no more of them
					if more := at(w.claim(free)); len(more) > 0 {
						t.Errorf("more in flight: %v", more)
					}
				}
				for _, c := range claims { // the good one is answered
					if c.Endpoint == good.ID {
						w.settle(200, c)
					}
				}
				if next := w.claim(tt.good); len(next) == 0 || next[0].Endpoint != good.ID {
					t.Errorf("the good one waits behind %v", at(next))
				}
			})
		})
	}
}

// A single slot goes to an endpoint that answers, and otherwise to each in
// turn.
func TestClaimSingleSlot(t *testing.T) {
	onStores(t, func(t *testing.T, w *world) {
		good := w.hookAt("https://good.example/")
		w.answered()
		bad := []affiliate.IssuedEndpoint{w.hookAt("https://a.example/"), w.hookAt("https://b.example/"), w.hookAt("https://c.example/")}
		w.crowd(4)
		for range 4 {
			c := w.claim(1)[0]
			if c.Endpoint != good.ID {
				t.Errorf("%s is before the good one", c.URL)
			}
			w.settle(200, c)
		}
		seen := map[uuid.UUID]int{}
		for range 9 {
			c := w.claim(1)[0]
			seen[c.Endpoint]++
			w.pass(15 * time.Second)
			w.silence(c)
		}
		for _, ep := range bad {
			if seen[ep.ID] != 3 {
				t.Errorf("%s had %d turns of 9", ep.URL, seen[ep.ID])
			}
		}
	})
}

// Of endpoints that have no history, the oldest and the newest come first, and
// each gets a turn.
func TestClaimTurns(t *testing.T) {
	onStores(t, func(t *testing.T, w *world) {
		all := make([]affiliate.IssuedEndpoint, 50)
		for i := range all {
			all[i] = w.hookAt(fmt.Sprintf("https://h%d.example/", i))
		}
		w.crowd(3)
		claims := w.claim(64)
		got := at(claims)
		if len(claims) != 32 || got[all[0].ID] != 1 || got[all[49].ID] != 1 {
			t.Errorf("%d claims, %d and %d of them for the oldest and the newest", len(claims), got[all[0].ID], got[all[49].ID])
		}
		w.pass(15 * time.Second)
		w.silence(claims...)
		second := at(w.claim(64))
		for i, ep := range all {
			if got[ep.ID]+second[ep.ID] < 1 {
				t.Errorf("endpoint %d had no turn", i)
			}
		}
	})
}

// When endpoints that answered stop answering all at once, an endpoint without
// attempts in flight still gets a slot.
func TestClaimFurther(t *testing.T) {
	onStores(t, func(t *testing.T, w *world) {
		for i := range 40 {
			w.hookAt(fmt.Sprintf("https://h%d.example/", i), affiliate.AffiliateCreated)
		}
		good := w.hookAt("https://good.example/", affiliate.AffiliateUpdated)
		w.answered()
		a := w.join("mara")
		w.crowd(4)
		claims := w.claim(64)
		if len(claims) != 63 {
			t.Errorf("%d claims", len(claims))
		}
		must(w.UpdateAffiliate(t.Context(), affiliate.AffiliateRef{ID: a.ID}, affiliate.AffiliateUpdate{FirstName: affiliate.Set("Ada")}))
		if next := w.claim(1); len(next) != 1 || next[0].Endpoint != good.ID {
			t.Errorf("the last slot goes to %v", at(next))
		}
	})
}

// Retries and replays have at most half of all slots, also over several claims.
func TestClaimRetriesOverClaims(t *testing.T) {
	onStores(t, func(t *testing.T, w *world) {
		for i := range 6 {
			w.hookAt(fmt.Sprintf("https://h%d.example/", i))
		}
		w.crowd(4)
		w.answered()
		w.deliver(answer(500))
		w.pass(time.Minute)
		var got []affiliate.Claim
		for range 10 {
			got = append(got, w.claim(10-len(got))...)
		}
		if len(got) != 5 {
			t.Errorf("%d retries hold 10 slots", len(got))
		}
	})
}

package delivery_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/internal/scene"
)

// silence settles claims as attempts without an answer.
func silence(w *scene.World, claims ...affiliate.Claim) {
	w.T.Helper()
	for _, c := range claims {
		a := w.Attempt(c, 0)
		a.Err = affiliate.FailedTimeout
		scene.Must(0, w.Webhooks().SettleDeliveries(w.T.Context(), []affiliate.Attempt{a}))
	}
}

// An endpoint has four slots if its last attempt was answered, with any answer
// and not long ago, and one slot otherwise.
func TestClaimSlotsOfEndpoint(t *testing.T) {
	settle := func(status int, class string) func(*scene.World, affiliate.IssuedEndpoint) {
		return func(w *scene.World, _ affiliate.IssuedEndpoint) {
			a := w.Attempt(w.Claim(1)[0], status)
			a.Err = class
			scene.Must(0, w.Webhooks().SettleDeliveries(w.T.Context(), []affiliate.Attempt{a}))
		}
	}
	after := func(steps ...func(*scene.World, affiliate.IssuedEndpoint)) []func(*scene.World, affiliate.IssuedEndpoint) {
		return steps
	}
	pass := func(d time.Duration) func(*scene.World, affiliate.IssuedEndpoint) {
		return func(w *scene.World, _ affiliate.IssuedEndpoint) { w.Pass(d) }
	}
	edit := func(up affiliate.EndpointUpdate) func(*scene.World, affiliate.IssuedEndpoint) {
		return func(w *scene.World, ep affiliate.IssuedEndpoint) { w.Edit(ep.ID, up) }
	}
	on, off := edit(affiliate.EndpointUpdate{Active: affiliate.Set(true)}), edit(affiliate.EndpointUpdate{Active: affiliate.Set(false)})
	for _, tt := range []struct {
		name  string
		steps []func(*scene.World, affiliate.IssuedEndpoint)
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
			scene.OnStores(t, func(t *testing.T, w *scene.World) {
				ep := w.Hook()
				w.Crowd(3)
				for _, step := range tt.steps {
					step(w, ep)
				}
				w.Crowd(10)
				if got := w.Claim(64); len(got) != tt.want {
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
			scene.OnStores(t, func(t *testing.T, w *scene.World) {
				good := w.HookAt("https://good.example/")
				w.Answered()
				for i := range 49 {
					w.HookAt(fmt.Sprintf("https://h%d.example/", i))
				}
				w.Crowd(5)
				claims := w.Claim(tt.slots)
				for i, c := range claims {
					if (c.Endpoint == good.ID) != (i < tt.good) {
						t.Errorf("claim %d is for %s", i, c.URL)
					}
				}
				got := scene.ByEndpoint(claims)
				if got[good.ID] != tt.good || len(claims)-tt.good != tt.silent || len(got) != tt.silent+1 {
					t.Errorf("%d for the good one, %d for %d others", got[good.ID], len(claims)-got[good.ID], len(got)-1)
				}
				if free := tt.slots - len(claims); free > 0 { // endpoints that hang get no more of them
					if more := scene.ByEndpoint(w.Claim(free)); len(more) > 0 {
						t.Errorf("more in flight: %v", more)
					}
				}
				for _, c := range claims { // the good one is answered
					if c.Endpoint == good.ID {
						w.Settle(200, c)
					}
				}
				if next := w.Claim(tt.good); len(next) == 0 || next[0].Endpoint != good.ID {
					t.Errorf("the good one waits behind %v", scene.ByEndpoint(next))
				}
			})
		})
	}
}

// A single slot goes to an endpoint that answers, and otherwise to each in
// turn.
func TestClaimSingleSlot(t *testing.T) {
	scene.OnStores(t, func(t *testing.T, w *scene.World) {
		good := w.HookAt("https://good.example/")
		w.Answered()
		bad := []affiliate.IssuedEndpoint{w.HookAt("https://a.example/"), w.HookAt("https://b.example/"), w.HookAt("https://c.example/")}
		w.Crowd(4)
		for range 4 {
			c := w.Claim(1)[0]
			if c.Endpoint != good.ID {
				t.Errorf("%s is before the good one", c.URL)
			}
			w.Settle(200, c)
		}
		seen := map[uuid.UUID]int{}
		for range 9 {
			c := w.Claim(1)[0]
			seen[c.Endpoint]++
			w.Pass(15 * time.Second)
			silence(w, c)
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
	scene.OnStores(t, func(t *testing.T, w *scene.World) {
		all := make([]affiliate.IssuedEndpoint, 50)
		for i := range all {
			all[i] = w.HookAt(fmt.Sprintf("https://h%d.example/", i))
		}
		w.Crowd(3)
		claims := w.Claim(64)
		got := scene.ByEndpoint(claims)
		if len(claims) != 32 || got[all[0].ID] != 1 || got[all[49].ID] != 1 {
			t.Errorf("%d claims, %d and %d of them for the oldest and the newest", len(claims), got[all[0].ID], got[all[49].ID])
		}
		w.Pass(15 * time.Second)
		silence(w, claims...)
		second := scene.ByEndpoint(w.Claim(64))
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
	scene.OnStores(t, func(t *testing.T, w *scene.World) {
		for i := range 40 {
			w.HookAt(fmt.Sprintf("https://h%d.example/", i), affiliate.AffiliateCreated)
		}
		good := w.HookAt("https://good.example/", affiliate.AffiliateUpdated)
		w.Answered()
		a := w.Join("mara")
		w.Crowd(4)
		claims := w.Claim(64)
		if len(claims) != 63 {
			t.Errorf("%d claims", len(claims))
		}
		scene.Must(w.UpdateAffiliate(t.Context(), affiliate.AffiliateRef{ID: a.ID}, affiliate.AffiliateUpdate{FirstName: affiliate.Set("Ada")}))
		if next := w.Claim(1); len(next) != 1 || next[0].Endpoint != good.ID {
			t.Errorf("the last slot goes to %v", scene.ByEndpoint(next))
		}
	})
}

// Retries and replays have at most half of all slots, also over several claims.
func TestClaimRetriesOverClaims(t *testing.T) {
	scene.OnStores(t, func(t *testing.T, w *scene.World) {
		for i := range 6 {
			w.HookAt(fmt.Sprintf("https://h%d.example/", i))
		}
		w.Crowd(4)
		w.Answered()
		w.Deliver(scene.Answer(500))
		w.Pass(time.Minute)
		var got []affiliate.Claim
		for range 10 {
			got = append(got, w.Claim(10-len(got))...)
		}
		if len(got) != 5 {
			t.Errorf("%d retries hold 10 slots", len(got))
		}
	})
}

package delivery_test

import (
	"encoding/binary"
	"fmt"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary"
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
				scene.Equal(t, tt.want, len(w.Claim(64)))
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
					scene.Equal(t, (i < tt.good), (c.Endpoint == good.ID), i, c.URL)
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
			scene.Equal(t, good.ID, c.Endpoint, c.URL)
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
			scene.Equal(t, 3, seen[ep.ID], ep.URL)
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
		scene.Equal(t, 63, len(claims))
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
		scene.Equal(t, 5, len(got))
	})
}

// When the clock goes back, no delivery waits longer than it should, and the
// order stays (W065).
func TestClaimClockBack(t *testing.T) {
	rename := func(w *scene.World, a affiliate.Affiliate, name string) {
		scene.Must(w.UpdateAffiliate(t.Context(), affiliate.AffiliateRef{ID: a.ID}, affiliate.AffiliateUpdate{FirstName: affiliate.Set(name)}))
	}
	t.Run("Waiting", func(t *testing.T) {
		scene.OnStores(t, func(t *testing.T, w *scene.World) {
			w.Hook()
			a := w.Join("mara")
			w.Crowd(5)
			w.Pass(-time.Hour)
			rename(w, a, "Ada")
			w.Crowd(1)
			var revisions []string
			sent := w.Deliver(scene.Answer(200))
			for _, c := range sent {
				if c.Event == affiliate.AffiliateUpdated || c.MessageID == sent[0].MessageID {
					revisions = append(revisions, revisionOf(c))
				}
			}
			scene.Equal(t, 8, len(sent))
			scene.Equal(t, []string{"1", "2"}, revisions)
		})
	})
	t.Run("Backlog", func(t *testing.T) { // more than one claim reads
		scene.OnStores(t, func(t *testing.T, w *scene.World) {
			w.Hook()
			a := w.Join("mara")
			for i := range 400 {
				w.Pass(time.Millisecond)
				w.Join(fmt.Sprint("backlog", i))
			}
			w.Pass(-time.Hour)
			rename(w, a, "Ada")
			first := w.ClaimOne()
			if revisionOf(first) != "1" || first.Event != affiliate.AffiliateCreated {
				t.Errorf("%s, revision %s starts first", first.Event, revisionOf(first))
			}
		})
	})
	t.Run("OwnIDs", func(t *testing.T) {
		n := uint64(0)
		count := func(c *tributary.Config) {
			c.NewID = func() (id uuid.UUID) {
				n++
				binary.BigEndian.PutUint64(id[8:], n)
				return id
			}
		}
		scene.OnStores(t, func(t *testing.T, w *scene.World) {
			w.Hook()
			a := w.Join("mara")
			w.Crowd(100)
			w.Pass(-time.Hour)
			rename(w, a, "Ada")
			scene.Equal(t, "1", revisionOf(w.ClaimOne()))
		}, count)
	})
	t.Run("DelayedFirst", func(t *testing.T) {
		scene.OnStores(t, func(t *testing.T, w *scene.World) {
			w.Hook()
			a := w.Join("mara")
			w.Pass(-time.Hour)
			rename(w, a, "Ada")
			w.Pass(time.Hour + time.Minute)
			if c := w.ClaimOne(); revisionOf(c) != "1" {
				t.Errorf("revision %s starts first", revisionOf(c))
			}
		}, func(c *tributary.Config) { c.Schedule = []time.Duration{time.Minute, time.Hour} })
	})
	t.Run("Retry", func(t *testing.T) {
		scene.OnStores(t, func(t *testing.T, w *scene.World) {
			w.Hook()
			w.Crowd(1)
			w.Settle(500, w.ClaimOne())
			w.Pass(-time.Hour)
			if got := w.Claim(64); len(got) > 0 {
				t.Errorf("claimed early: %v", got)
			}
			w.Pass(5*time.Second - time.Millisecond)
			if got := w.Claim(64); len(got) > 0 {
				t.Errorf("claimed early: %v", got)
			}
			w.Pass(2*time.Second + 2*time.Millisecond)
			scene.Equal(t, 2, w.ClaimOne().Attempt)
		})
	})
	t.Run("ManyRetries", func(t *testing.T) { // in several transactions
		scene.OnStores(t, func(t *testing.T, w *scene.World) {
			w.HookAt("https://a.example/")
			w.HookAt("https://b.example/")
			w.Crowd(600)
			w.Answered()
			if sent := w.Deliver(scene.Answer(500)); len(sent) != 1200 {
				t.Fatalf("%d sent", len(sent))
			}
			w.Pass(-time.Hour)
			w.Claim(64)
			w.Pass(8 * time.Second)
			w.Answered()
			scene.Equal(t, 1200, len(w.Deliver(scene.Answer(200))))
		})
	})
	t.Run("Lease", func(t *testing.T) {
		scene.OnStores(t, func(t *testing.T, w *scene.World) {
			w.Hook()
			w.Answered()
			w.Crowd(6)
			if got := w.Claim(64); len(got) != 4 { // and the dispatcher dies
				t.Fatalf("%d claimed", len(got))
			}
			w.Pass(-time.Hour)
			if got := w.Claim(64); len(got) > 0 {
				t.Errorf("%d claimed beside the four", len(got))
			}
			w.Pass(scene.Lease)
			w.Answered()
			scene.Equal(t, 6, len(w.Deliver(scene.Answer(200))))
		})
	})
	t.Run("LiveLease", func(t *testing.T) { // deliveries in flight settle as usual
		scene.OnStores(t, func(t *testing.T, w *scene.World) {
			ep := w.Hook()
			w.Crowd(1)
			c := w.ClaimOne()
			w.Pass(-time.Hour)
			w.Claim(64)
			w.Settle(200, c)
			scene.Equal(t, map[affiliate.DeliveryState]int{affiliate.DeliveryDelivered: 1}, w.States(ep.ID))
		})
	})
	t.Run("Pause", func(t *testing.T) {
		scene.OnStores(t, func(t *testing.T, w *scene.World) {
			w.Hook()
			w.Crowd(2)
			w.Settle(429, w.ClaimOne())
			w.Pass(-time.Hour)
			scene.Equal(t, 1, len(w.Deliver(scene.Answer(200))))
		})
	})
	t.Run("Replay", func(t *testing.T) {
		scene.OnStores(t, func(t *testing.T, w *scene.World) {
			ep := w.Hook()
			w.Crowd(3)
			w.Deliver(scene.Answer(500))
			w.Edit(ep.ID, affiliate.EndpointUpdate{Active: affiliate.Set(false)})
			w.Edit(ep.ID, affiliate.EndpointUpdate{Active: affiliate.Set(true)})
			w.Pass(24 * time.Hour)
			scene.Equal(t, 3, scene.Must(w.Webhooks().Replay(t.Context(), scene.SinceStart(ep.ID))))
			w.Pass(-time.Hour)
			scene.Equal(t, 3, len(w.Deliver(scene.Answer(200))))
		})
	})
}

// Processes whose clocks differ a little do not disturb each other, and a
// dispatcher without work writes nothing, whatever the clock says.
func TestClaimClockSkew(t *testing.T) {
	scene.OnStores(t, func(t *testing.T, w *scene.World) {
		w.Hook()
		w.Answered()
		w.Crowd(5)
		flying := w.Claim(64)
		w.Pass(-10 * time.Second)
		before := w.Dump()
		if got := w.Claim(64); len(got) > 0 {
			t.Errorf("taken from another: %v", got)
		}
		scene.Equal(t, before, w.Dump())
		w.Pass(10 * time.Second)
		w.Settle(200, flying...)
		w.Settle(500, w.ClaimOne())
		w.Pass(-time.Hour)
		w.Claim(64) // queues the retry again
		before = w.Dump()
		for range 3 {
			w.Pass(time.Second)
			if got := w.Claim(64); len(got) > 0 {
				t.Errorf("claimed early: %v", got)
			}
		}
		scene.Equal(t, before, w.Dump())
	})
}

// Claimed one by one, first attempts go out in the order of the commits,
// whatever the clock does.
func TestClaimOrderOfCommits(t *testing.T) {
	scene.OnStores(t, func(t *testing.T, w *scene.World) {
		w.Hook()
		a := w.Join("mara")
		for i, step := range []time.Duration{time.Second, -time.Hour, time.Minute, -24 * time.Hour, time.Hour, 0, -time.Second} {
			w.Pass(step)
			scene.Must(w.UpdateAffiliate(t.Context(), affiliate.AffiliateRef{ID: a.ID}, affiliate.AffiliateUpdate{FirstName: affiliate.Set(fmt.Sprint("Mara", i))}))
			w.Crowd(1)
		}
		last, sent := "", 0
		for claims := w.Claim(1); len(claims) > 0; claims = w.Claim(1) {
			if c := claims[0]; c.MessageID < last {
				t.Errorf("%s after %s", c.MessageID, last)
			}
			last = claims[0].MessageID
			sent++
			w.Settle(200, claims...)
		}
		scene.Equal(t, 15, sent)
	})
}

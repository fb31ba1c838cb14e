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
			if len(sent) != 8 {
				t.Errorf("%d of 8 sent", len(sent))
			}
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
			if c := w.ClaimOne(); revisionOf(c) != "1" {
				t.Errorf("revision %s starts first", revisionOf(c))
			}
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
			if c := w.ClaimOne(); c.Attempt != 2 {
				t.Errorf("%+v", c)
			}
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
			if sent := w.Deliver(scene.Answer(200)); len(sent) != 1200 {
				t.Errorf("%d of 1200 sent", len(sent))
			}
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
			if sent := w.Deliver(scene.Answer(200)); len(sent) != 6 {
				t.Errorf("%d of 6 sent", len(sent))
			}
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
			if sent := w.Deliver(scene.Answer(200)); len(sent) != 1 {
				t.Errorf("%d sent, want the one that was not tried", len(sent))
			}
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
			if n := scene.Must(w.Webhooks().Replay(t.Context(), scene.SinceStart(ep.ID))); n != 3 {
				t.Errorf("%d replayed", n)
			}
			w.Pass(-time.Hour)
			if sent := w.Deliver(scene.Answer(200)); len(sent) != 3 {
				t.Errorf("%d of 3 sent", len(sent))
			}
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
		if sent != 15 {
			t.Errorf("%d sent", sent)
		}
	})
}

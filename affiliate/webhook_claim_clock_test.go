package affiliate_test

import (
	"encoding/binary"
	"fmt"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
)

// When the clock goes back, no delivery waits longer than it should, and the
// order stays (W065).
func TestClaimClockBack(t *testing.T) {
	rename := func(w *world, a affiliate.Affiliate, name string) {
		must(w.UpdateAffiliate(t.Context(), affiliate.AffiliateRef{ID: a.ID}, affiliate.AffiliateUpdate{FirstName: affiliate.Set(name)}))
	}
	t.Run("Waiting", func(t *testing.T) {
		onStores(t, func(t *testing.T, w *world) {
			w.hook()
			a := w.join("mara")
			w.crowd(5)
			w.pass(-time.Hour)
			rename(w, a, "Ada")
			w.crowd(1)
			var revisions []string
			sent := w.deliver(answer(200))
			for _, c := range sent {
				if c.Event == affiliate.AffiliateUpdated || c.MessageID == sent[0].MessageID {
					revisions = append(revisions, revisionOf(c))
				}
			}
			if len(sent) != 8 {
				t.Errorf("%d of 8 sent", len(sent))
			}
			equal(t, []string{"1", "2"}, revisions)
		})
	})
	t.Run("Backlog", func(t *testing.T) { // more than one claim reads
		onStores(t, func(t *testing.T, w *world) {
			w.hook()
			a := w.join("mara")
			for i := range 400 {
				w.pass(time.Millisecond)
				w.join(fmt.Sprint("backlog", i))
			}
			w.pass(-time.Hour)
			rename(w, a, "Ada")
			first := w.claimOne()
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
		onStores(t, func(t *testing.T, w *world) {
			w.hook()
			a := w.join("mara")
			w.crowd(100)
			w.pass(-time.Hour)
			rename(w, a, "Ada")
			if c := w.claimOne(); revisionOf(c) != "1" {
				t.Errorf("revision %s starts first", revisionOf(c))
			}
		}, count)
	})
	t.Run("DelayedFirst", func(t *testing.T) {
		onStores(t, func(t *testing.T, w *world) {
			w.hook()
			a := w.join("mara")
			w.pass(-time.Hour)
			rename(w, a, "Ada")
			w.pass(time.Hour + time.Minute)
			if c := w.claimOne(); revisionOf(c) != "1" {
				t.Errorf("revision %s starts first", revisionOf(c))
			}
		}, func(c *tributary.Config) { c.Schedule = []time.Duration{time.Minute, time.Hour} })
	})
	t.Run("Retry", func(t *testing.T) {
		onStores(t, func(t *testing.T, w *world) {
			w.hook()
			w.crowd(1)
			w.settle(500, w.claimOne())
			w.pass(-time.Hour)
			if got := w.claim(64); len(got) > 0 {
				t.Errorf("claimed early: %v", got)
			}
			w.pass(5*time.Second - time.Millisecond)
			if got := w.claim(64); len(got) > 0 {
				t.Errorf("claimed early: %v", got)
			}
			w.pass(2*time.Second + 2*time.Millisecond)
			if c := w.claimOne(); c.Attempt != 2 {
				t.Errorf("%+v", c)
			}
		})
	})
	t.Run("ManyRetries", func(t *testing.T) { // in several transactions
		onStores(t, func(t *testing.T, w *world) {
			w.hookAt("https://a.example/")
			w.hookAt("https://b.example/")
			w.crowd(600)
			w.answered()
			if sent := w.deliver(answer(500)); len(sent) != 1200 {
				t.Fatalf("%d sent", len(sent))
			}
			w.pass(-time.Hour)
			w.claim(64)
			w.pass(8 * time.Second)
			w.answered()
			if sent := w.deliver(answer(200)); len(sent) != 1200 {
				t.Errorf("%d of 1200 sent", len(sent))
			}
		})
	})
	t.Run("Lease", func(t *testing.T) {
		onStores(t, func(t *testing.T, w *world) {
			w.hook()
			w.answered()
			w.crowd(6)
			if got := w.claim(64); len(got) != 4 { // and the dispatcher dies
				t.Fatalf("%d claimed", len(got))
			}
			w.pass(-time.Hour)
			if got := w.claim(64); len(got) > 0 {
				t.Errorf("%d claimed beside the four", len(got))
			}
			w.pass(lease)
			w.answered()
			if sent := w.deliver(answer(200)); len(sent) != 6 {
				t.Errorf("%d of 6 sent", len(sent))
			}
		})
	})
	t.Run("LiveLease", func(t *testing.T) { // deliveries in flight settle as usual
		onStores(t, func(t *testing.T, w *world) {
			ep := w.hook()
			w.crowd(1)
			c := w.claimOne()
			w.pass(-time.Hour)
			w.claim(64)
			w.settle(200, c)
			equal(t, map[affiliate.DeliveryState]int{affiliate.DeliveryDelivered: 1}, w.states(ep.ID))
		})
	})
	t.Run("Pause", func(t *testing.T) {
		onStores(t, func(t *testing.T, w *world) {
			w.hook()
			w.crowd(2)
			w.settle(429, w.claimOne())
			w.pass(-time.Hour)
			if sent := w.deliver(answer(200)); len(sent) != 1 {
				t.Errorf("%d sent, want the one that was not tried", len(sent))
			}
		})
	})
	t.Run("Replay", func(t *testing.T) {
		onStores(t, func(t *testing.T, w *world) {
			ep := w.hook()
			w.crowd(3)
			w.deliver(answer(500))
			w.edit(ep.ID, affiliate.EndpointUpdate{Active: affiliate.Set(false)})
			w.edit(ep.ID, affiliate.EndpointUpdate{Active: affiliate.Set(true)})
			w.pass(24 * time.Hour)
			if n := must(w.Replay(t.Context(), sinceStart(ep.ID))); n != 3 {
				t.Errorf("%d replayed", n)
			}
			w.pass(-time.Hour)
			if sent := w.deliver(answer(200)); len(sent) != 3 {
				t.Errorf("%d of 3 sent", len(sent))
			}
		})
	})
}

// Processes whose clocks differ a little do not disturb each other, and a
// dispatcher without work writes nothing, whatever the clock says.
func TestClaimClockSkew(t *testing.T) {
	onStores(t, func(t *testing.T, w *world) {
		w.hook()
		w.answered()
		w.crowd(5)
		flying := w.claim(64)
		w.pass(-10 * time.Second)
		before := w.dump()
		if got := w.claim(64); len(got) > 0 {
			t.Errorf("taken from another: %v", got)
		}
		equal(t, before, w.dump())
		w.pass(10 * time.Second)
		w.settle(200, flying...)
		w.settle(500, w.claimOne())
		w.pass(-time.Hour)
		w.claim(64) // queues the retry again
		before = w.dump()
		for range 3 {
			w.pass(time.Second)
			if got := w.claim(64); len(got) > 0 {
				t.Errorf("claimed early: %v", got)
			}
		}
		equal(t, before, w.dump())
	})
}

// Claimed one by one, first attempts go out in the order of the commits,
// whatever the clock does.
func TestClaimOrderOfCommits(t *testing.T) {
	onStores(t, func(t *testing.T, w *world) {
		w.hook()
		a := w.join("mara")
		for i, step := range []time.Duration{time.Second, -time.Hour, time.Minute, -24 * time.Hour, time.Hour, 0, -time.Second} {
			w.pass(step)
			must(w.UpdateAffiliate(t.Context(), affiliate.AffiliateRef{ID: a.ID}, affiliate.AffiliateUpdate{FirstName: affiliate.Set(fmt.Sprint("Mara", i))}))
			w.crowd(1)
		}
		last, sent := "", 0
		for claims := w.claim(1); len(claims) > 0; claims = w.claim(1) {
			if c := claims[0]; c.MessageID < last {
				t.Errorf("%s after %s", c.MessageID, last)
			}
			last = claims[0].MessageID
			sent++
			w.settle(200, claims...)
		}
		if sent != 15 {
			t.Errorf("%d sent", sent)
		}
	})
}

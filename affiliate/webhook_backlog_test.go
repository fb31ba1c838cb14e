package affiliate_test

import (
	"encoding/binary"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
)

// Check 73: the age of the oldest due delivery rises while no sender runs and
// falls to zero when it does; what waits for its next attempt is not due.
func TestBacklog(t *testing.T) {
	onStores(t, func(t *testing.T, w *world) {
		want := func(what string, want time.Duration) {
			t.Helper()
			if got := must(w.Backlog(t.Context())); got != want {
				t.Errorf("%s: %v, want %v", what, got, want)
			}
		}
		w.hook(affiliate.AffiliateCreated)
		w.answered()
		w.pass(time.Minute)
		want("nothing waits", 0)
		w.join("bo")
		w.pass(2 * time.Second)
		w.join("cy")
		w.pass(3 * time.Second)
		want("nobody sends", 5*time.Second)
		claims := w.claim(64)
		want("all are claimed", 0)
		w.settle(503, claims...)
		want("they wait for the next attempt", 0)
		w.pass(time.Hour)
		if late := must(w.Backlog(t.Context())); late < 50*time.Minute {
			t.Errorf("the next attempt is late by %v", late)
		}
		w.settle(200, w.claim(64)...)
		w.settle(200, w.claim(64)...)
		want("all are delivered", 0)
	})
}

// The age is that of the delivery, also where the host's ids begin with no time
// and where the clock has gone back since the event.
func TestBacklogOfOwnIDs(t *testing.T) {
	onStores(t, func(t *testing.T, w *world) {
		w.hook(affiliate.AffiliateCreated)
		w.answered()
		w.join("bo")
		w.pass(2 * time.Second)
		if got := must(w.Backlog(t.Context())); got != 2*time.Second {
			t.Errorf("waiting for %v, want 2s", got)
		}
	}, func(c *tributary.Config) {
		var n uint64
		c.NewID = func() uuid.UUID {
			id := uuid.UUID{1}
			n++
			binary.BigEndian.PutUint64(id[8:], n)
			return id
		}
	})
}

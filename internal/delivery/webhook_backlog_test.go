package delivery_test

import (
	"encoding/binary"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/internal/scene"
)

// Check 73: the age of the oldest due delivery rises while no sender runs and
// falls to zero when it does; what waits for its next attempt is not due.
func TestBacklog(t *testing.T) {
	scene.OnStores(t, func(t *testing.T, w *scene.World) {
		want := func(what string, want time.Duration) {
			t.Helper()
			if got := scene.Must(w.Webhooks().Backlog(t.Context())); got != want {
				t.Errorf("%s: %v, want %v", what, got, want)
			}
		}
		w.Hook(affiliate.AffiliateCreated)
		w.Answered()
		w.Pass(time.Minute)
		want("nothing waits", 0)
		w.Join("bo")
		w.Pass(2 * time.Second)
		w.Join("cy")
		w.Pass(3 * time.Second)
		want("nobody sends", 5*time.Second)
		claims := w.Claim(64)
		want("all are claimed", 0)
		w.Settle(503, claims...)
		want("they wait for the next attempt", 0)
		w.Pass(time.Hour)
		if late := scene.Must(w.Webhooks().Backlog(t.Context())); late < 50*time.Minute {
			t.Errorf("the next attempt is late by %v", late)
		}
		w.Settle(200, w.Claim(64)...)
		w.Settle(200, w.Claim(64)...)
		want("all are delivered", 0)
	})
}

// The age is that of the delivery, also where the host's ids begin with no time
// and where the clock has gone back since the event.
func TestBacklogOfOwnIDs(t *testing.T) {
	scene.OnStores(t, func(t *testing.T, w *scene.World) {
		w.Hook(affiliate.AffiliateCreated)
		w.Answered()
		w.Join("bo")
		w.Pass(2 * time.Second)
		if got := scene.Must(w.Webhooks().Backlog(t.Context())); got != 2*time.Second {
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

package engine_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/conformance"
	"github.com/tributary-go/tributary/internal/scene"
	"github.com/tributary-go/tributary/memstore"
)

// EventsAfter walks all events, oldest first, from any position, also from one
// that was pruned.
func TestEventsAfter(t *testing.T) {
	scene.OnStores(t, func(t *testing.T, w *scene.World) {
		w.Ada()
		w.Crowd(4)
		var want []string
		for _, e := range scene.Must(w.Events(t.Context(), affiliate.EventQuery{}, affiliate.Page{})).Items {
			want = append([]string{string(e.Payload)}, want...)
		}
		for _, size := range []int{1, 2, 7, 1000} {
			var got []string
			position := uuid.Nil
			for {
				events := scene.Must(w.EventsAfter(t.Context(), position, size))
				if len(events) == 0 {
					break
				}
				for _, e := range events {
					got = append(got, string(e.Payload))
					position = e.ID
				}
			}
			scene.Equal(t, want, got)
		}
		third := scene.Must(w.EventsAfter(t.Context(), uuid.Nil, 3))[2].ID
		w.Raw(func(tx *record.Tx) error { return tx.Events.Delete(third) })
		if next := scene.Must(w.EventsAfter(t.Context(), third, 1))[0]; string(next.Payload) != want[3] {
			t.Errorf("after a pruned one: %s", next.Payload)
		}
		for _, limit := range []int{0, -1, 1001} {
			if _, err := w.EventsAfter(t.Context(), uuid.Nil, limit); !errors.Is(err, affiliate.InvalidQuery) {
				t.Errorf("limit %d: %v", limit, err)
			}
		}
	})
}

// Ids of events rise in the order of the commits, also when a closure that has
// drawn its ids runs again after another commit, when the clock goes back, and
// when another process has another clock.
func TestEventOrder(t *testing.T) {
	ids := func(w *scene.World) []string {
		var out []string
		for _, e := range scene.Must(w.EventsAfter(t.Context(), uuid.Nil, 100)) {
			out = append(out, scene.BodyOf[struct{ FirstName string }](t, e).FirstName)
		}
		return out
	}
	create := func(p *tributary.Program, name string) {
		scene.Must(p.CreateAffiliate(t.Context(), affiliate.AffiliateParams{FirstName: name, LastName: "x", Email: name + "@example.org"}))
	}
	t.Run("Rerun", func(t *testing.T) {
		w := scene.New(t)
		between := &between{Store: w.Store}
		between.fn = func() { create(w.Program, "first") }
		create(w.With(between), "second")
		scene.Equal(t, []string{"first", "second"}, ids(w))
		w.Verifies()
	})
	t.Run("ClockGoesBack", func(t *testing.T) {
		w := scene.New(t)
		create(w.Program, "first")
		w.Pass(-48 * time.Hour)
		other := scene.NewOn(t, w.Store) // another process, which has drawn no ids
		other.Pass(-49 * time.Hour)
		create(other.Program, "second")
		create(w.Program, "third")
		scene.Equal(t, []string{"first", "second", "third"}, ids(w))
		w.Verifies()
	})
	t.Run("ForeignIDs", func(t *testing.T) {
		n := byte(200)
		w := scene.New(t, func(c *tributary.Config) {
			c.NewID = func() uuid.UUID { n--; return uuid.UUID{0: 0xff, 6: n, 15: 0xff} } // ids that fall
		})
		create(w.Program, "first")
		create(w.Program, "second")
		scene.Equal(t, []string{"first", "second"}, ids(w))
	})
	t.Run("SeveralInOne", func(t *testing.T) {
		w := scene.New(t)
		a := w.Ada()
		scene.Must(w.GenerateCodes(t.Context(), affiliate.CodesParams{Count: 20, CodeParams: affiliate.CodeParams{
			CouponID: a.Autumn.ID, AffiliateID: a.Person.ID,
			CodeStructure: affiliate.Set(affiliate.CodeStructure{RandomChars: true}), RandomCharsLength: affiliate.Set[int64](8),
		}}))
		if n := len(scene.Must(w.EventsAfter(t.Context(), uuid.Nil, 100))); n != 23 {
			t.Errorf("%d events", n)
		}
		w.Verifies()
	})
}

// between runs every closure twice, as after a conflict, and commits a change
// between the two runs.
type between struct {
	record.Store
	fn func()
}

var errConflict = errors.New("conflict")

func (s *between) Update(ctx context.Context, id uuid.UUID, fn func(*record.Tx) error) error {
	_ = s.Store.Update(ctx, id, func(tx *record.Tx) error {
		return errors.Join(fn(tx), errConflict)
	})
	s.fn()
	return s.Store.Update(ctx, id, fn)
}

// Follow sees every event once, in order, while others are committed.
func TestFollow(t *testing.T) {
	for name, store := range map[string]record.Store{"memstore": memstore.New(), "Rerun": conformance.Rerun(memstore.New())} {
		t.Run(name, func(t *testing.T) {
			p := scene.Must(tributary.New(store, tributary.Config{}))
			const writers, each = 4, 60
			var wg sync.WaitGroup
			for i := range writers {
				wg.Go(func() {
					for j := range each {
						scene.Must(p.CreateAffiliate(t.Context(), affiliate.AffiliateParams{FirstName: "A", LastName: "B", Email: fmt.Sprintf("a%d.%d@example.org", i, j)}))
					}
				})
			}
			var got []uuid.UUID
			for e, err := range p.Follow(t.Context(), uuid.Nil) {
				if err != nil {
					t.Fatal(err)
				}
				if got = append(got, e.ID); len(got) == writers*each {
					break
				}
			}
			wg.Wait()
			for i, e := range scene.Must(p.EventsAfter(t.Context(), uuid.Nil, 1000)) {
				if i >= len(got) || got[i] != e.ID {
					t.Fatalf("event %d of the walk is another", i)
				}
			}
		})
	}
}

// Follow continues at once after a commit of its program, finds commits of
// other processes within a second, and ends with its context.
func TestFollowWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := scene.New(t)
		ctx, cancel := context.WithCancel(t.Context())
		var waits []time.Duration
		var ended error
		began := time.Now()
		go func() {
			for _, err := range w.Follow(ctx, uuid.Nil) {
				if err != nil {
					ended = err
					return
				}
				waits = append(waits, time.Since(began))
			}
		}()
		synctest.Wait()
		time.Sleep(300 * time.Millisecond)
		w.Crowd(1)
		synctest.Wait()
		other := scene.NewOn(t, w.Store)
		other.Pass(time.Second)
		other.Join("other")
		time.Sleep(2 * time.Second)
		cancel()
		synctest.Wait()
		scene.Equal(t, []time.Duration{300 * time.Millisecond, 1300 * time.Millisecond}, waits)
		if !errors.Is(ended, context.Canceled) {
			t.Errorf("ended with %v", ended)
		}
	})
}

func TestFollowError(t *testing.T) {
	w := scene.New(t)
	w.Crowd(1)
	w.Probe.Ops.Store(0)
	w.Probe.FailAt = 1
	n := 0
	for _, err := range w.Follow(t.Context(), uuid.Nil) {
		if n++; !errors.Is(err, scene.ErrBoom) {
			t.Errorf("got %v", err)
		}
	}
	if n != 1 {
		t.Errorf("the walk went on %d times", n)
	}
}

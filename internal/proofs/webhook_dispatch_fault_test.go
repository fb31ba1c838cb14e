package proofs_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/conformance"
	"github.com/tributary-go/tributary/internal/atlength"
	"github.com/tributary-go/tributary/internal/scene"
	"github.com/tributary-go/tributary/memstore"
)

// A mailbox is a receiver that keeps everything, to compare it with the
// committed events.
type mailbox struct {
	got map[string][]string // payloads by message id
}

func (m *mailbox) take(claims ...affiliate.Claim) {
	for _, c := range claims {
		m.got[c.MessageID] = append(m.got[c.MessageID], string(c.Payload))
	}
}

// A mailCount counts what happened to a program's events.
type mailCount struct{ committed, delivered, duplicates, lost, ghosts, altered int }

// count compares the mailbox with the records.
func (m *mailbox) count(w *scene.World) mailCount {
	w.T.Helper()
	var out mailCount
	known := map[string]bool{}
	for _, e := range scene.Must(w.Events(context.Background(), affiliate.EventQuery{}, affiliate.Page{})).Items {
		known[e.MessageID()] = true
		out.committed++
		copies := m.got[e.MessageID()]
		if len(copies) == 0 {
			out.lost++
			continue
		}
		out.delivered++
		out.duplicates += len(copies) - 1
		for _, c := range copies {
			if c != string(e.Payload) {
				out.altered++
			}
		}
	}
	for id := range m.got {
		if !known[id] {
			out.ghosts++
		}
	}
	return out
}

// check fails the test if anything was lost, invented or changed, or if there
// were more duplicates than crashes explain.
func (c mailCount) check(t *testing.T, maxDuplicates int) {
	t.Helper()
	t.Logf("committed %d, delivered %d, duplicates %d, lost %d, ghosts %d", c.committed, c.delivered, c.duplicates, c.lost, c.ghosts)
	if c.lost+c.ghosts+c.altered > 0 || c.delivered != c.committed || c.duplicates > maxDuplicates {
		t.Errorf("%+v, duplicates at most %d", c, maxDuplicates)
	}
}

// finish delivers everything that is left, without crashes.
func (m *mailbox) finish(w *scene.World) {
	for range 20 {
		w.Pass(scene.Lease)
		for _, c := range w.Deliver(scene.Answer(200)) {
			m.take(c)
		}
	}
}

// A dispatcher is killed between any two steps of a delivery, at random, while
// changes are committed, rolled back and retried. Nothing is lost, nothing is
// invented, and repeats have the same id and the same bytes (W056, W057).
func TestDispatchCrash(t *testing.T) {
	rounds := 2000
	if testing.Short() || !atlength.On() {
		rounds = 200
	}
	scene.OnStores(t, func(t *testing.T, w *scene.World) {
		rng := rand.New(rand.NewChaCha8([32]byte{9}))
		w.Hook()
		m := mailbox{got: map[string][]string{}}
		crashed := 0
		for i := range rounds {
			change(w, i, rng.IntN(3) == 0)
			claims := w.Claim(1 + rng.IntN(8))
			if rng.IntN(4) == 0 { // killed after the claim
				w.Pass(scene.Lease)
				continue
			}
			sent := claims[:rng.IntN(len(claims)+1)] // killed between two sends
			m.take(sent...)
			if rng.IntN(4) == 0 { // killed after the send
				crashed += len(sent)
				w.Pass(scene.Lease)
				continue
			}
			w.Settle([]int{200, 200, 500}[rng.IntN(3)], sent...)
			w.Pass(scene.Lease / 4)
			crashed += len(sent) // at most, because those that were answered 500 are sent again anyway
		}
		m.finish(w)
		m.count(w).check(t, crashed)
	})
}

// change commits an event, or writes one that is rolled back.
func change(w *scene.World, i int, rollBack bool) {
	if !rollBack {
		w.Join(fmt.Sprint("crash", i))
		return
	}
	p := w.With(&failingStore{w.Store})
	_, err := p.CreateAffiliate(context.Background(), affiliate.AffiliateParams{FirstName: "No", LastName: "Body", Email: fmt.Sprintf("ghost%d@example.org", i)})
	if !errors.Is(err, scene.ErrBoom) {
		w.T.Errorf("rolled back: %v", err)
	}
}

// failingStore is a Store whose closures run to their end and then fail.
type failingStore struct{ record.Store }

func (s *failingStore) Update(ctx context.Context, id uuid.UUID, fn func(*record.Tx) error) error {
	return s.Store.Update(ctx, id, func(tx *record.Tx) error {
		if err := fn(tx); err != nil {
			return err
		}
		return scene.ErrBoom
	})
}

// A fault at every table call of a claim and of a settlement changes all or
// nothing, and everything is delivered in the end (G09).
func TestDispatchFaults(t *testing.T) {
	for kind, fault := range map[string]func(record.Store, int) record.Store{
		"FailAt": conformance.FailAt, "FailFrom": conformance.FailFrom, "PanicAt": conformance.PanicAt, "CancelAt": conformance.CancelAt,
	} {
		t.Run(kind, func(t *testing.T) {
			calls, duplicates := 0, 0
			for n := 1; ; n++ {
				w := scene.NewOn(t, memstore.New())
				m := mailbox{got: map[string][]string{}}
				w.HookAt("https://a.example/")
				w.Answered()
				w.Crowd(6)
				hit := m.through(t, w, w.With(fault(w.Store, n)))
				m.finish(w)
				got := m.count(w)
				duplicates += got.duplicates
				if got.lost+got.ghosts+got.altered > 0 {
					t.Errorf("call %d: %+v", n, got)
				}
				w.Verifies()
				if !hit {
					break
				}
				calls = n
			}
			if t.Logf("faults at %d calls, duplicates %d, lost 0, ghosts 0", calls, duplicates); calls < 12 {
				t.Errorf("only %d calls were made", calls)
			}
		})
	}
}

// through sends what is due once, with a claim and a settlement on a faulty
// store, and reports whether a fault occurred.
func (m *mailbox) through(t *testing.T, w *scene.World, faulty *tributary.Program) (hit bool) {
	t.Helper()
	step := func(what string, call func(*tributary.Program) error) {
		before := w.Dump()
		_, err := quietly(func() (struct{}, error) { return struct{}{}, call(faulty) })
		if err == nil {
			return
		}
		hit = true
		if !errors.Is(err, conformance.ErrInjected) && !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", what, err)
		}
		scene.Equal(t, before, w.Dump())
		if err := call(w.Program); err != nil {
			t.Errorf("%s, again: %v", what, err)
		}
	}
	var claims []affiliate.Claim
	step("claim", func(p *tributary.Program) (err error) {
		claims, err = p.Webhooks().ClaimDeliveries(t.Context(), 3, scene.Lease)
		return err
	})
	m.take(claims...)
	var done []affiliate.Attempt
	for i, c := range claims {
		done = append(done, w.Attempt(c, []int{200, 500, 429}[i%3]))
	}
	step("settle", func(p *tributary.Program) error { return p.Webhooks().SettleDeliveries(t.Context(), done) })
	return hit
}

// When the store's answer is lost after the commit, a claim waits for the end
// of its lease, and a settlement is repeated without effect.
func TestDispatchLostAnswers(t *testing.T) {
	w := scene.New(t)
	m := mailbox{got: map[string][]string{}}
	w.Hook()
	w.Answered()
	w.Crowd(2)
	if _, err := w.With(conformance.LoseAnswer(w.Store, 1)).Webhooks().ClaimDeliveries(t.Context(), 8, scene.Lease); !errors.Is(err, conformance.ErrInjected) {
		t.Fatal(err)
	}
	if got := w.Claim(8); len(got) > 0 {
		t.Errorf("claimed twice: %v", got)
	}
	w.Pass(scene.Lease)
	claims := w.Claim(8)
	m.take(claims...)
	done := []affiliate.Attempt{w.Attempt(claims[0], 200), w.Attempt(claims[1], 410)}
	if err := w.With(conformance.LoseAnswer(w.Store, 1)).Webhooks().SettleDeliveries(t.Context(), done); !errors.Is(err, conformance.ErrInjected) {
		t.Fatal(err)
	}
	before := w.Dump()
	scene.Must(0, w.Webhooks().SettleDeliveries(t.Context(), done))
	scene.Equal(t, before, w.Dump())
	m.count(w).check(t, 0)
	w.Verifies()
}

// Of two transactions, the one with the later ids may commit first, and a claim
// may run between them: both events are delivered (W058).
func TestDispatchCommitOrder(t *testing.T) {
	w := scene.New(t)
	m := mailbox{got: map[string][]string{}}
	w.Hook()
	hold := &waitingStore{Store: w.Store, begun: make(chan struct{}), release: make(chan struct{})}
	early := make(chan error)
	go func() {
		_, err := w.With(hold).CreateAffiliate(t.Context(), affiliate.AffiliateParams{FirstName: "A", LastName: "B", Email: "early@example.org"})
		early <- err
	}()
	<-hold.begun // it has read the clock and waits for its transaction
	w.Pass(time.Second)
	w.Crowd(1)
	m.take(w.Deliver(scene.Answer(200))...)
	w.Pass(-time.Second)
	close(hold.release)
	if err := <-early; err != nil {
		t.Fatal(err)
	}
	w.Pass(time.Second)
	m.take(w.Deliver(scene.Answer(200))...)
	m.count(w).check(t, 0)
	w.Verifies()
}

// waitingStore is a Store whose Updates wait before they begin.
type waitingStore struct {
	record.Store
	begun, release chan struct{}
}

func (s *waitingStore) Update(ctx context.Context, id uuid.UUID, fn func(*record.Tx) error) error {
	close(s.begun)
	<-s.release
	return s.Store.Update(ctx, id, fn)
}

// A payload is fixed at the commit: it stays the same after the object was
// renamed (W077).
func TestDispatchFrozen(t *testing.T) {
	scene.OnStores(t, func(t *testing.T, w *scene.World) {
		w.Hook(affiliate.AffiliateCreated)
		a := w.Join("mara")
		want := scene.Must(w.Events(t.Context(), affiliate.EventQuery{}, affiliate.Page{})).Items[0].Payload
		scene.Must(w.UpdateAffiliate(t.Context(), affiliate.AffiliateRef{ID: a.ID}, affiliate.AffiliateUpdate{FirstName: affiliate.Set("Ada")}))
		for range 2 {
			c := w.ClaimOne()
			if string(c.Payload) != string(want) || !json.Valid(c.Payload) {
				t.Errorf("sent %s, want %s", c.Payload, want)
			}
			w.Settle(500, c)
			w.Pass(time.Minute)
		}
	})
}

// 10,000 generated codes are 10,000 deliveries, and a claim needs no more
// memory for it (W063).
func TestDispatchBulk(t *testing.T) {
	atlength.Only(t, "delivers 10,000 events")
	w := scene.New(t)
	a := w.Ada()
	w.Hook(affiliate.PromocodeCreated, affiliate.CouponUpdated)
	m := mailbox{got: map[string][]string{}}
	scene.Must(w.GenerateCodes(t.Context(), affiliate.CodesParams{Count: 10_000, CodeParams: affiliate.CodeParams{
		CouponID: a.Autumn.ID, AffiliateID: a.Person.ID,
		CodeStructure: affiliate.Set(affiliate.CodeStructure{RandomChars: true}), RandomCharsLength: affiliate.Set[int64](8),
	}}))
	allocs := testing.AllocsPerRun(10, func() { w.Settle(500, w.Claim(1)...) })
	m.finish(w)
	if len(m.got) != 10_000 || allocs > 2000 {
		t.Errorf("%d events arrived, %.0f allocations for a claim", len(m.got), allocs)
	}
	scene.Must(w.UpdateCoupon(t.Context(), a.Autumn.ID, affiliate.CouponUpdate{Name: affiliate.Set("renamed")}))
	var payload struct {
		Body struct{ PromotionalCodes []struct{ ID string } }
	}
	if err := json.Unmarshal(w.ClaimOne().Payload, &payload); err != nil || len(payload.Body.PromotionalCodes) != 10_001 {
		t.Errorf("coupon.updated holds %d codes: %v", len(payload.Body.PromotionalCodes), err)
	}
	w.Verifies()
}

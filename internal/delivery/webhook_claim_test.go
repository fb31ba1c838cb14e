package delivery_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/scene"
)

func TestClaim(t *testing.T) {
	scene.OnStores(t, func(t *testing.T, w *scene.World) {
		ep := scene.Must(w.Webhooks().CreateEndpoint(t.Context(), affiliate.EndpointParams{URL: scene.HookURL, Events: []affiliate.EventType{"*"}, SvixHeaders: true}))
		w.Join("mara")
		d := w.ReadDeliveries(affiliate.DeliveryQuery{})[0]
		c := w.ClaimOne()
		payload, _ := w.ReadDelivery(d.ID).Payload.Get()
		want := affiliate.Claim{
			Delivery: d.ID, Token: c.Token, Endpoint: ep.ID, Event: affiliate.AffiliateCreated, MessageID: d.EventID,
			URL: scene.HookURL, Payload: payload, Secrets: []affiliate.Secret{ep.Secret}, SvixHeaders: true, Attempt: 1,
		}
		scene.Equal(t, want, c)
		if c.Token == uuid.Nil || c.Secrets[0].Reveal() != ep.Secret.Reveal() {
			t.Errorf("token %v, or another secret", c.Token)
		}
		if got := w.ReadDelivery(d.ID); got.State != affiliate.DeliveryPending || got.AttemptCount != 0 {
			t.Errorf("claimed: %+v", got)
		}
		scene.Equal(t, 0, len(w.Claim(64)))
	})
}

func TestClaimArguments(t *testing.T) {
	w := scene.New(t)
	for _, tt := range []struct {
		n     int
		lease time.Duration
	}{{0, scene.Lease}, {-1, scene.Lease}, {1, 0}, {1, -time.Second}} {
		if _, err := w.Webhooks().ClaimDeliveries(t.Context(), tt.n, tt.lease); err == nil {
			t.Errorf("n %d, lease %v: no error", tt.n, tt.lease)
		}
	}
}

// A dispatcher without work writes nothing.
func TestClaimIdle(t *testing.T) {
	w := scene.New(t)
	w.Hook()
	w.Crowd(1)
	w.Settle(500, w.ClaimOne())
	updates := &countUpdates{Store: w.Store}
	p := w.With(updates)
	if claims, err := p.Webhooks().ClaimDeliveries(t.Context(), 1, scene.Lease); err != nil || len(claims) > 0 || updates.n != 0 {
		t.Errorf("%d claims, %d updates, %v", len(claims), updates.n, err)
	}
}

type countUpdates struct {
	record.Store
	n int
}

func (s *countUpdates) Update(ctx context.Context, id uuid.UUID, fn func(*record.Tx) error) error {
	s.n++
	return s.Store.Update(ctx, id, fn)
}

// A delivery is claimed once within its lease, and can be claimed again after
// it. Then the settlement of the first claim has no effect (W059).
func TestClaimLease(t *testing.T) {
	scene.OnStores(t, func(t *testing.T, w *scene.World) {
		w.Hook()
		w.Crowd(1)
		slow := w.ClaimOne()
		w.Pass(scene.Lease - time.Millisecond)
		if got := w.Claim(64); len(got) != 0 {
			t.Fatalf("claimed within its lease: %v", got)
		}
		w.Pass(time.Millisecond)
		second := w.ClaimOne()
		if second.Token == slow.Token || second.MessageID != slow.MessageID || !bytes.Equal(second.Payload, slow.Payload) {
			t.Errorf("second claim %+v after %+v", second, slow)
		}
		w.Settle(200, slow)
		if d := w.ReadDelivery(slow.Delivery); d.State != affiliate.DeliveryPending || d.AttemptCount != 0 {
			t.Errorf("an old token settled: %+v", d)
		}
		w.Settle(204, second, second)
		w.Settle(500, second)
		if d := w.ReadDelivery(slow.Delivery); d.State != affiliate.DeliveryDelivered || d.AttemptCount != 1 {
			t.Errorf("settled: %+v", d)
		}
		if got := w.Claim(64); len(got) != 0 {
			t.Errorf("claimed after it was delivered: %v", got)
		}
	})
}

// An endpoint has at most four attempts in flight, and one that hangs does not
// delay the others (W062).
func TestClaimPerEndpoint(t *testing.T) {
	scene.OnStores(t, func(t *testing.T, w *scene.World) {
		hanging := w.HookAt("https://hanging.example/")
		w.Answered()
		w.Crowd(500)
		first := w.Claim(64)
		if len(first) != 4 {
			t.Fatalf("%d in flight, want 4", len(first))
		}
		healthy := w.HookAt("https://healthy.example/")
		w.Crowd(10)
		got := map[uuid.UUID]int{}
		for range 10 {
			claims := w.Claim(64)
			for _, c := range claims {
				got[c.Endpoint]++
			}
			w.Settle(200, claims...)
		}
		if got[healthy.ID] != 10 || got[hanging.ID] != 0 {
			t.Errorf("healthy %d, want 10; hanging %d, want 0", got[healthy.ID], got[hanging.ID])
		}
		w.Settle(200, first[0])
		if next := w.Claim(64); len(next) != 1 || next[0].Endpoint != hanging.ID {
			t.Errorf("one slot freed, claimed %v", next)
		}
	})
}

// The delivery that is due for the longest time is first, over all endpoints,
// and n limits the claim.
func TestClaimOrder(t *testing.T) {
	scene.OnStores(t, func(t *testing.T, w *scene.World) {
		a, b := w.HookAt("https://a.example/"), w.HookAt("https://b.example/")
		w.Answered()
		for range 3 {
			w.Crowd(1)
			w.Pass(time.Second)
		}
		var got []string
		for range 3 {
			claims := w.Claim(2)
			at := map[uuid.UUID]bool{}
			for _, c := range claims {
				got = append(got, c.MessageID)
				at[c.Endpoint] = true
			}
			if len(claims) != 2 || !at[a.ID] || !at[b.ID] {
				t.Errorf("claimed %v", claims)
			}
		}
		if !slices.IsSorted(got) {
			t.Errorf("claimed in the order %v", got)
		}
	})
}

// At most half of a claim is for another attempt than the first.
func TestClaimRetries(t *testing.T) {
	scene.OnStores(t, func(t *testing.T, w *scene.World) {
		for i := range 5 {
			w.HookAt(fmt.Sprintf("https://h%d.example/", i))
		}
		w.Crowd(4)
		w.Deliver(scene.Answer(500))
		w.Pass(time.Minute)
		for n, want := range map[int]int{1: 1, 2: 1, 5: 3} {
			w := fork(w, t)
			scene.Equal(t, want, len(w.Claim(n)), n)
		}
		w.Crowd(4)
		perEndpoint := map[uuid.UUID]int{}
		for _, c := range fork(w, t).Claim(64) {
			perEndpoint[c.Endpoint]++
		}
		for id, n := range perEndpoint {
			if n != 4 || len(perEndpoint) != 5 {
				t.Errorf("%d claims of %s, at %d endpoints", n, id, len(perEndpoint))
			}
		}
		kinds := map[bool]int{}
		for _, c := range w.Claim(10) {
			kinds[c.Attempt > 1]++
		}
		scene.Equal(t, map[bool]int{false: 5, true: 5}, kinds)
	})
}

// The claims of an event share its bytes: in one call at any size, over several
// calls while they are small.
func TestClaimSharesPayload(t *testing.T) {
	w := scene.New(t)
	a := w.Ada()
	for i := range 3 {
		w.HookAt(fmt.Sprintf("https://h%d.example/", i), affiliate.CouponUpdated)
	}
	same := func(x, y affiliate.Claim) bool { return &x.Payload[0] == &y.Payload[0] }
	rename := func(name string) {
		scene.Must(w.UpdateCoupon(t.Context(), a.Autumn.ID, affiliate.CouponUpdate{Name: affiliate.Set(name)}))
	}
	w.Answered()
	rename("small")
	first := w.Claim(1)[0]
	if rest := w.Claim(2); !same(first, rest[0]) || !same(first, rest[1]) {
		t.Error("a small payload was encoded again")
	} else {
		w.Settle(200, append(rest, first)...)
	}
	scene.Must(w.GenerateCodes(t.Context(), affiliate.CodesParams{Count: 200, CodeParams: affiliate.CodeParams{
		CouponID: a.Autumn.ID, AffiliateID: a.Person.ID,
		CodeStructure: affiliate.Set(affiliate.CodeStructure{RandomChars: true}), RandomCharsLength: affiliate.Set[int64](8),
	}}))
	rename("large")
	large := w.Claim(3)
	if len(large[0].Payload) < 64<<10 || !same(large[0], large[1]) || !same(large[0], large[2]) {
		t.Errorf("a payload of %d bytes was encoded again", len(large[0].Payload))
	}
}

// fork returns the same program on a copy of the records.
func fork(w *scene.World, t *testing.T) *scene.World {
	t.Helper()
	f := *w
	f.Program = w.With(&undoneStore{w.Store})
	f.T = t
	return &f
}

// undoneStore is a Store whose Updates are rolled back, to see what they would do.
type undoneStore struct{ record.Store }

var errUndone = errors.New("undone")

func (s *undoneStore) Update(ctx context.Context, id uuid.UUID, fn func(*record.Tx) error) error {
	err := s.Store.Update(ctx, id, func(tx *record.Tx) error {
		if err := fn(tx); err != nil {
			return err
		}
		return errUndone
	})
	if errors.Is(err, errUndone) {
		return nil
	}
	return err
}

// Events of an object are sent in the order of its revisions while none has
// failed. A failed one does not delay the later ones (W064).
func TestClaimObjectOrder(t *testing.T) {
	revise := func(w *scene.World, n int) affiliate.Affiliate {
		a := w.Join("mara")
		for i := range n {
			scene.Must(w.UpdateAffiliate(t.Context(), affiliate.AffiliateRef{ID: a.ID}, affiliate.AffiliateUpdate{FirstName: affiliate.Set(fmt.Sprint("Mara", i))}))
		}
		return a
	}
	t.Run("Healthy", func(t *testing.T) {
		scene.OnStores(t, func(t *testing.T, w *scene.World) {
			w.Hook()
			revise(w, 3)
			var revisions []string
			for range 4 {
				c := w.ClaimOne() // the others wait for it
				if early := w.Claim(64); len(early) > 0 {
					t.Errorf("revision %s starts beside %s", revisionOf(early[0]), revisionOf(c))
				}
				revisions = append(revisions, revisionOf(c))
				w.Settle(200, c)
			}
			scene.Equal(t, []string{"1", "2", "3", "4"}, revisions)
		})
	})
	t.Run("CreatedFails", func(t *testing.T) {
		scene.OnStores(t, func(t *testing.T, w *scene.World) {
			w.Hook()
			revise(w, 1)
			created := w.ClaimOne()
			w.Settle(500, created)
			updated := w.ClaimOne()
			w.Settle(200, updated)
			if revisionOf(created) != "1" || revisionOf(updated) != "2" {
				t.Errorf("sent %s, %s", revisionOf(created), revisionOf(updated))
			}
			w.Pass(time.Minute)
			if again := w.ClaimOne(); again.Attempt != 2 || revisionOf(again) != "1" {
				t.Errorf("retry: %+v", again)
			}
		})
	})
	t.Run("ClockGoesBack", func(t *testing.T) {
		scene.OnStores(t, func(t *testing.T, w *scene.World) {
			w.Hook()
			a := w.Join("mara")
			w.Pass(-time.Hour)
			scene.Must(w.UpdateAffiliate(t.Context(), affiliate.AffiliateRef{ID: a.ID}, affiliate.AffiliateUpdate{FirstName: affiliate.Set("Ada")}))
			w.Pass(2 * time.Hour)
			scene.Equal(t, "1", revisionOf(w.ClaimOne()))
		})
	})
	t.Run("CrashedFirst", func(t *testing.T) {
		scene.OnStores(t, func(t *testing.T, w *scene.World) {
			w.Hook()
			revise(w, 1)
			w.ClaimOne() // and the dispatcher dies
			w.Pass(scene.Lease)
			if c := w.ClaimOne(); revisionOf(c) != "1" {
				t.Errorf("revision %s starts first", revisionOf(c))
			}
		})
	})
	t.Run("OtherEndpoint", func(t *testing.T) {
		scene.OnStores(t, func(t *testing.T, w *scene.World) {
			w.HookAt("https://a.example/")
			w.HookAt("https://b.example/")
			revise(w, 1)
			scene.Equal(t, 2, len(w.Claim(64)))
		})
	})
}

func revisionOf(c affiliate.Claim) string {
	_, rest, _ := strings.Cut(string(c.Payload), `"revision":`)
	revision, _, _ := strings.Cut(rest, ",")
	return revision
}

// Requests are signed with the secrets at the time of the claim (W068).
func TestClaimSecrets(t *testing.T) {
	scene.OnStores(t, func(t *testing.T, w *scene.World) {
		ep := w.Hook()
		rotate := func(grace int64) affiliate.Secret {
			return scene.Must(w.Webhooks().RotateSecret(t.Context(), affiliate.Rotation{WebhookID: ep.ID, GracePeriodSeconds: affiliate.Set(grace)})).Secret
		}
		signers := func() []affiliate.Secret {
			w.Crowd(1)
			c := w.ClaimOne()
			w.Settle(200, c)
			return c.Secrets
		}
		s1 := ep.Secret
		s2 := rotate(3600)
		s3 := rotate(3600)
		s4 := rotate(7200)
		check := func(name string, want ...affiliate.Secret) {
			t.Helper()
			if got := signers(); !slices.Equal(got, want) {
				t.Errorf("%s: signed by %d secrets, or others than the %d that are live", name, len(got), len(want))
			}
		}
		check("third rotation within the grace", s4, s3, s2)
		w.Pass(time.Hour)
		check("the first graces end", s4, s3)
		s5 := rotate(0)
		check("cut over", s5)
		if s1 == s2 {
			t.Error("rotation gives the same secret")
		}
	})
}

// Secrets are stored sealed and opened for each claim. A secret that cannot be
// opened fails the attempt, and delays no other endpoint (SEC49).
func TestClaimSealed(t *testing.T) {
	var broken bool
	seal := func(c *tributary.Config) {
		scene.Sealed(c)
		open := c.Open
		c.Open = func(data, boundTo []byte) ([]byte, error) {
			if broken {
				return nil, scene.ErrBoom
			}
			return open(data, boundTo)
		}
	}
	scene.OnStores(t, func(t *testing.T, w *scene.World) {
		broken = false
		ep := w.Hook()
		w.Crowd(1)
		(&scene.Ledger{World: w}).Without(ep.Secret.Reveal()[6:])
		broken = true
		if got := w.Claim(64); len(got) != 0 {
			t.Errorf("claimed without secrets: %+v", got)
		}
		d := w.ReadDeliveries(affiliate.DeliveryQuery{})[0]
		if d.State != affiliate.DeliveryPending || d.AttemptCount != 1 || d.Attempts[0].Error != affiliate.Set(affiliate.FailedSecret) {
			t.Errorf("after a failed Open: %+v", d)
		}
		broken = false
		w.Pass(time.Minute)
		if c := w.ClaimOne(); c.Secrets[0] != ep.Secret {
			t.Error("another secret")
		}
	}, seal)
}

// A change of an endpoint applies to the attempts after it (W060).
func TestClaimAfterEdit(t *testing.T) {
	scene.OnStores(t, func(t *testing.T, w *scene.World) {
		ep := w.HookAt("https://old.example/")
		w.Answered()
		w.Crowd(2)
		flying := w.Claim(1)[0]
		w.Edit(ep.ID, affiliate.EndpointUpdate{
			URL: affiliate.Set("https://new.example/"), Events: affiliate.Set([]affiliate.EventType{affiliate.SaleCreated}),
		})
		w.Answered()
		scene.Equal(t, "https://new.example/", w.ClaimOne().URL)
		w.Settle(500, flying)
		scene.Equal(t, "https://old.example/", w.ReadDelivery(flying.Delivery).Attempts[0].URL)
		w.Crowd(1)
		scene.Equal(t, 2, len(w.ReadDeliveries(affiliate.DeliveryQuery{})))
		w.Pass(time.Minute)
		again := w.Claim(64)
		scene.Must(w.Webhooks().DeleteEndpoint(t.Context(), ep.ID))
		before := w.Dump()
		w.Settle(200, again...)
		scene.Equal(t, before, w.Dump())
		scene.Equal(t, map[affiliate.DeliveryState]int{affiliate.DeliveryCanceled: 2}, w.States(ep.ID))
		w.Pass(24 * time.Hour)
		if got := w.Claim(64); len(got) > 0 {
			t.Errorf("claimed for a deleted endpoint: %v", got)
		}
	})
}

// An attempt in flight when its endpoint is disabled and enabled again keeps
// its slot, and its settlement has no effect.
func TestClaimAfterDisable(t *testing.T) {
	scene.OnStores(t, func(t *testing.T, w *scene.World) {
		ep := w.Hook()
		w.Answered()
		w.Crowd(6)
		flying := w.Claim(64)
		if len(flying) != 4 {
			t.Fatalf("%d in flight", len(flying))
		}
		w.Edit(ep.ID, affiliate.EndpointUpdate{Active: affiliate.Set(false)})
		w.Edit(ep.ID, affiliate.EndpointUpdate{Active: affiliate.Set(true)})
		scene.Equal(t, map[affiliate.DeliveryState]int{affiliate.DeliverySkipped: 6}, w.States(ep.ID))
		w.Answered()
		w.Crowd(1)
		if got := w.Claim(64); len(got) != 0 {
			t.Errorf("%d claimed beside the four in flight", len(got))
		}
		w.Settle(200, flying[0])
		w.Settle(200, w.ClaimOne())
		scene.Equal(t, map[affiliate.DeliveryState]int{affiliate.DeliverySkipped: 6, affiliate.DeliveryDelivered: 1}, w.States(ep.ID))
	})
}

// The clock may jump: no delivery waits for a negative time, and nothing is
// lost (W065).
func TestClaimClockJumps(t *testing.T) {
	scene.OnStores(t, func(t *testing.T, w *scene.World) {
		w.Hook()
		w.Crowd(3)
		w.Settle(500, w.Claim(1)...)
		w.Claim(1) // and the dispatcher dies
		w.Pass(-time.Hour)
		w.Settle(500, w.ClaimOne()) // what waits for nothing
		w.Crowd(1)
		w.Settle(500, w.ClaimOne())
		for _, d := range w.ReadDeliveries(affiliate.DeliveryQuery{}) {
			if next, _ := d.NextAttemptAt.Get(); next.Time().Before(d.CreatedAt.Time()) {
				t.Errorf("next attempt %v before %v", next, d.CreatedAt)
			}
		}
		w.Pass(24 * time.Hour)
		scene.Equal(t, 4, len(w.Deliver(scene.Answer(200))))
	})
}

// Program A's endpoints get no events of program B (W078).
func TestClaimOtherProgram(t *testing.T) {
	a := scene.New(t)
	b := scene.NewOn(t, a.Store, func(c *tributary.Config) { c.ID = uuid.MustParse("0197c2f0-1a2b-7c3d-8e4f-5a6b7c8d9e02") })
	a.Hook()
	b.Crowd(1)
	if got := append(a.Claim(64), b.Claim(64)...); len(got) != 0 || len(b.ReadDeliveries(affiliate.DeliveryQuery{})) != 0 {
		t.Errorf("claimed %v", got)
	}
	a.Crowd(1)
	scene.Equal(t, 0, len(b.Claim(64)))
	a.ClaimOne()
}

// A queueReader is a Store that counts the lists of the queue.
type queueReader struct {
	record.Store
	lists int
}

func (s *queueReader) Update(ctx context.Context, id uuid.UUID, fn func(*record.Tx) error) error {
	return s.Store.Update(ctx, id, func(tx *record.Tx) error {
		watched := *tx
		watched.Queue = countedQueue{tx.Queue, &s.lists}
		return fn(&watched)
	})
}

type countedQueue struct {
	record.Table[record.Queue]
	lists *int
}

func (t countedQueue) List(q record.Query) iter.Seq2[record.Queue, error] {
	*t.lists++
	return t.Table.List(q)
}

// TestClaimReadsHead: a claim reads the queue once for all endpoints, and not for
// each of them.
func TestClaimReadsHead(t *testing.T) {
	w := scene.New(t)
	for i := range 10 {
		w.HookAt(fmt.Sprintf("https://hooks.example/%d", i))
	}
	w.Answered()
	w.Crowd(8)
	counted := &queueReader{Store: w.Store}
	claims := scene.Must(w.With(counted).Webhooks().ClaimDeliveries(t.Context(), 64, time.Minute))
	if len(claims) != 40 || counted.lists > 3 {
		t.Errorf("%d claims after %d lists of the queue", len(claims), counted.lists)
	}
	w.Settle(204, claims...)
	w.Verifies()
}

// TestClaimBehindHead: endpoints whose deliveries are behind the head of the queue
// get their claims too, in the order of their events.
func TestClaimBehindHead(t *testing.T) {
	w := scene.New(t)
	busy := w.HookAt("https://hooks.example/busy", affiliate.AffiliateCreated)
	late := []affiliate.IssuedEndpoint{
		w.HookAt("https://hooks.example/b", affiliate.CouponCreated), w.HookAt("https://hooks.example/c", affiliate.CouponCreated),
	}
	w.Crowd(300)
	for range 6 {
		scene.Must(w.CreateCoupon(t.Context(), affiliate.CouponParams{Name: "Spring", PercentOff: scene.Percent("20")}))
	}
	w.Answered()
	w.Pass(1)
	claims := w.Claim(64)
	scene.Equal(t, map[uuid.UUID]int{busy.ID: 4, late[0].ID: 4, late[1].ID: 4}, scene.ByEndpoint(claims))
	first := map[uuid.UUID]string{}
	for _, c := range claims {
		if c.MessageID < first[c.Endpoint] {
			t.Errorf("%s comes after %s", c.MessageID, first[c.Endpoint])
		}
		first[c.Endpoint] = c.MessageID
	}
	w.Settle(204, claims...)
	w.Verifies()
}

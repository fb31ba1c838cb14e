package affiliate_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
)

func TestClaim(t *testing.T) {
	onStores(t, func(t *testing.T, w *world) {
		ep := must(w.CreateEndpoint(t.Context(), affiliate.NewEndpoint{URL: hookURL, Events: []affiliate.EventType{"*"}, SvixHeaders: true}))
		w.join("mara")
		d := w.deliveries(affiliate.DeliveryFilter{})[0]
		c := w.claimOne()
		payload, _ := w.delivery(d.ID).Payload.Get()
		want := affiliate.Claim{
			Delivery: d.ID, Token: c.Token, Endpoint: ep.ID, Event: affiliate.AffiliateCreated, MessageID: d.EventID,
			URL: hookURL, Payload: payload, Secrets: []affiliate.Secret{ep.Secret}, SvixHeaders: true, Attempt: 1,
		}
		equal(t, want, c)
		if c.Token == uuid.Nil || c.Secrets[0].Reveal() != ep.Secret.Reveal() {
			t.Errorf("token %v, or another secret", c.Token)
		}
		if got := w.delivery(d.ID); got.State != affiliate.DeliveryPending || got.AttemptCount != 0 {
			t.Errorf("claimed: %+v", got)
		}
		if again := w.claim(64); len(again) != 0 {
			t.Errorf("claimed twice: %v", again)
		}
	})
}

func TestClaimArguments(t *testing.T) {
	w := newWorld(t)
	for _, tt := range []struct {
		n     int
		lease time.Duration
	}{{0, lease}, {-1, lease}, {1, 0}, {1, -time.Second}} {
		if _, err := w.ClaimDeliveries(t.Context(), tt.n, tt.lease); err == nil {
			t.Errorf("n %d, lease %v: no error", tt.n, tt.lease)
		}
	}
}

// A dispatcher without work writes nothing.
func TestClaimIdle(t *testing.T) {
	w := newWorld(t)
	w.hook()
	w.crowd(1)
	w.settle(500, w.claimOne())
	updates := &countUpdates{Store: w.store}
	p := w.With(updates)
	if claims, err := p.ClaimDeliveries(t.Context(), 1, lease); err != nil || len(claims) > 0 || updates.n != 0 {
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
	onStores(t, func(t *testing.T, w *world) {
		w.hook()
		w.crowd(1)
		slow := w.claimOne()
		w.pass(lease - time.Millisecond)
		if got := w.claim(64); len(got) != 0 {
			t.Fatalf("claimed within its lease: %v", got)
		}
		w.pass(time.Millisecond)
		second := w.claimOne()
		if second.Token == slow.Token || second.MessageID != slow.MessageID || !bytes.Equal(second.Payload, slow.Payload) {
			t.Errorf("second claim %+v after %+v", second, slow)
		}
		w.settle(200, slow)
		if d := w.delivery(slow.Delivery); d.State != affiliate.DeliveryPending || d.AttemptCount != 0 {
			t.Errorf("an old token settled: %+v", d)
		}
		w.settle(204, second, second)
		w.settle(500, second)
		if d := w.delivery(slow.Delivery); d.State != affiliate.DeliveryDelivered || d.AttemptCount != 1 {
			t.Errorf("settled: %+v", d)
		}
		if got := w.claim(64); len(got) != 0 {
			t.Errorf("claimed after it was delivered: %v", got)
		}
	})
}

// An endpoint has at most four attempts in flight, and one that hangs does not
// delay the others (W062).
func TestClaimPerEndpoint(t *testing.T) {
	onStores(t, func(t *testing.T, w *world) {
		hanging := w.hookAt("https://hanging.example/")
		w.answered()
		w.crowd(500)
		first := w.claim(64)
		if len(first) != 4 {
			t.Fatalf("%d in flight, want 4", len(first))
		}
		healthy := w.hookAt("https://healthy.example/")
		w.crowd(10)
		got := map[uuid.UUID]int{}
		for range 10 {
			claims := w.claim(64)
			for _, c := range claims {
				got[c.Endpoint]++
			}
			w.settle(200, claims...)
		}
		if got[healthy.ID] != 10 || got[hanging.ID] != 0 {
			t.Errorf("healthy %d, want 10; hanging %d, want 0", got[healthy.ID], got[hanging.ID])
		}
		w.settle(200, first[0])
		if next := w.claim(64); len(next) != 1 || next[0].Endpoint != hanging.ID {
			t.Errorf("one slot freed, claimed %v", next)
		}
	})
}

// The delivery that is due for the longest time is first, over all endpoints,
// and n limits the claim.
func TestClaimOrder(t *testing.T) {
	onStores(t, func(t *testing.T, w *world) {
		a, b := w.hookAt("https://a.example/"), w.hookAt("https://b.example/")
		w.answered()
		for range 3 {
			w.crowd(1)
			w.pass(time.Second)
		}
		var got []string
		for range 3 {
			claims := w.claim(2)
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
	onStores(t, func(t *testing.T, w *world) {
		for i := range 5 {
			w.hookAt(fmt.Sprintf("https://h%d.example/", i))
		}
		w.crowd(4)
		w.deliver(answer(500))
		w.pass(time.Minute)
		for n, want := range map[int]int{1: 1, 2: 1, 5: 3} {
			w := w.fork(t)
			if got := w.claim(n); len(got) != want {
				t.Errorf("of retries alone, claim %d gives %d, want %d", n, len(got), want)
			}
		}
		w.crowd(4)
		perEndpoint := map[uuid.UUID]int{}
		for _, c := range w.fork(t).claim(64) {
			perEndpoint[c.Endpoint]++
		}
		for id, n := range perEndpoint {
			if n != 4 || len(perEndpoint) != 5 {
				t.Errorf("%d claims of %s, at %d endpoints", n, id, len(perEndpoint))
			}
		}
		kinds := map[bool]int{}
		for _, c := range w.claim(10) {
			kinds[c.Attempt > 1]++
		}
		equal(t, map[bool]int{false: 5, true: 5}, kinds)
	})
}

// The claims of an event share its bytes: in one call at any size, over several
// calls while they are small.
func TestClaimSharesPayload(t *testing.T) {
	w := newWorld(t)
	a := w.ada()
	for i := range 3 {
		w.hookAt(fmt.Sprintf("https://h%d.example/", i), affiliate.CouponUpdated)
	}
	same := func(x, y affiliate.Claim) bool { return &x.Payload[0] == &y.Payload[0] }
	rename := func(name string) {
		must(w.UpdateCoupon(t.Context(), a.coupon.ID, affiliate.CouponUpdate{Name: affiliate.Set(name)}))
	}
	w.answered()
	rename("small")
	first := w.claim(1)[0]
	if rest := w.claim(2); !same(first, rest[0]) || !same(first, rest[1]) {
		t.Error("a small payload was encoded again")
	} else {
		w.settle(200, append(rest, first)...)
	}
	must(w.GenerateCodes(t.Context(), affiliate.NewCodes{Count: 200, NewCode: affiliate.NewCode{
		CouponID: a.coupon.ID, AffiliateID: a.affiliate.ID,
		CodeStructure: affiliate.Set(affiliate.CodeStructure{RandomChars: true}), RandomCharsLength: affiliate.Set[int64](8),
	}}))
	rename("large")
	large := w.claim(3)
	if len(large[0].Payload) < 64<<10 || !same(large[0], large[1]) || !same(large[0], large[2]) {
		t.Errorf("a payload of %d bytes was encoded again", len(large[0].Payload))
	}
}

// fork returns the same program on a copy of the records.
func (w *world) fork(t *testing.T) *world {
	t.Helper()
	f := *w
	f.Program = w.With(&undone{w.store})
	f.t = t
	return &f
}

// undone is a Store whose Updates are rolled back, to see what they would do.
type undone struct{ record.Store }

var errUndone = errors.New("undone")

func (s *undone) Update(ctx context.Context, id uuid.UUID, fn func(*record.Tx) error) error {
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
	revise := func(w *world, n int) affiliate.Affiliate {
		a := w.join("mara")
		for i := range n {
			must(w.UpdateAffiliate(t.Context(), affiliate.AffiliateRef{ID: a.ID}, affiliate.AffiliateUpdate{FirstName: affiliate.Set(fmt.Sprint("Mara", i))}))
		}
		return a
	}
	t.Run("Healthy", func(t *testing.T) {
		onStores(t, func(t *testing.T, w *world) {
			w.hook()
			revise(w, 3)
			var revisions []string
			for range 4 {
				c := w.claimOne() // the others wait for it
				if early := w.claim(64); len(early) > 0 {
					t.Errorf("revision %s starts beside %s", revisionOf(early[0]), revisionOf(c))
				}
				revisions = append(revisions, revisionOf(c))
				w.settle(200, c)
			}
			equal(t, []string{"1", "2", "3", "4"}, revisions)
		})
	})
	t.Run("CreatedFails", func(t *testing.T) {
		onStores(t, func(t *testing.T, w *world) {
			w.hook()
			revise(w, 1)
			created := w.claimOne()
			w.settle(500, created)
			updated := w.claimOne()
			w.settle(200, updated)
			if revisionOf(created) != "1" || revisionOf(updated) != "2" {
				t.Errorf("sent %s, %s", revisionOf(created), revisionOf(updated))
			}
			w.pass(time.Minute)
			if again := w.claimOne(); again.Attempt != 2 || revisionOf(again) != "1" {
				t.Errorf("retry: %+v", again)
			}
		})
	})
	t.Run("ClockGoesBack", func(t *testing.T) {
		onStores(t, func(t *testing.T, w *world) {
			w.hook()
			a := w.join("mara")
			w.pass(-time.Hour)
			must(w.UpdateAffiliate(t.Context(), affiliate.AffiliateRef{ID: a.ID}, affiliate.AffiliateUpdate{FirstName: affiliate.Set("Ada")}))
			w.pass(2 * time.Hour)
			if c := w.claimOne(); revisionOf(c) != "1" {
				t.Errorf("revision %s starts first", revisionOf(c))
			}
		})
	})
	t.Run("CrashedFirst", func(t *testing.T) {
		onStores(t, func(t *testing.T, w *world) {
			w.hook()
			revise(w, 1)
			w.claimOne() // and the dispatcher dies
			w.pass(lease)
			if c := w.claimOne(); revisionOf(c) != "1" {
				t.Errorf("revision %s starts first", revisionOf(c))
			}
		})
	})
	t.Run("OtherEndpoint", func(t *testing.T) {
		onStores(t, func(t *testing.T, w *world) {
			w.hookAt("https://a.example/")
			w.hookAt("https://b.example/")
			revise(w, 1)
			if claims := w.claim(64); len(claims) != 2 {
				t.Errorf("%d claims, want revision 1 for both", len(claims))
			}
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
	onStores(t, func(t *testing.T, w *world) {
		ep := w.hook()
		rotate := func(grace int64) affiliate.Secret {
			return must(w.RotateSecret(t.Context(), affiliate.Rotation{WebhookID: ep.ID, GracePeriodSeconds: affiliate.Set(grace)})).Secret
		}
		signers := func() []affiliate.Secret {
			w.crowd(1)
			c := w.claimOne()
			w.settle(200, c)
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
		w.pass(time.Hour)
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
		sealed(c)
		open := c.Open
		c.Open = func(data, boundTo []byte) ([]byte, error) {
			if broken {
				return nil, errBoom
			}
			return open(data, boundTo)
		}
	}
	onStores(t, func(t *testing.T, w *world) {
		broken = false
		ep := w.hook()
		w.crowd(1)
		(&booksLedger{world: w}).without(ep.Secret.Reveal()[6:])
		broken = true
		if got := w.claim(64); len(got) != 0 {
			t.Errorf("claimed without secrets: %+v", got)
		}
		d := w.deliveries(affiliate.DeliveryFilter{})[0]
		if d.State != affiliate.DeliveryPending || d.AttemptCount != 1 || d.Attempts[0].Error != affiliate.Set(affiliate.FailedSecret) {
			t.Errorf("after a failed Open: %+v", d)
		}
		broken = false
		w.pass(time.Minute)
		if c := w.claimOne(); c.Secrets[0] != ep.Secret {
			t.Error("another secret")
		}
	}, seal)
}

// A change of an endpoint applies to the attempts after it (W060).
func TestClaimAfterEdit(t *testing.T) {
	onStores(t, func(t *testing.T, w *world) {
		ep := w.hookAt("https://old.example/")
		w.answered()
		w.crowd(2)
		flying := w.claim(1)[0]
		w.edit(ep.ID, affiliate.EndpointUpdate{
			URL: affiliate.Set("https://new.example/"), Events: affiliate.Set([]affiliate.EventType{affiliate.SaleCreated}),
		})
		w.answered()
		if c := w.claimOne(); c.URL != "https://new.example/" {
			t.Errorf("pending goes to %s", c.URL)
		}
		w.settle(500, flying)
		if d := w.delivery(flying.Delivery); d.Attempts[0].URL != "https://old.example/" {
			t.Errorf("in flight went to %s", d.Attempts[0].URL)
		}
		w.crowd(1)
		if n := len(w.deliveries(affiliate.DeliveryFilter{})); n != 2 {
			t.Errorf("%d deliveries, want none for the new event", n)
		}
		w.pass(time.Minute)
		again := w.claim(64)
		must(w.DeleteEndpoint(t.Context(), ep.ID))
		before := w.dump()
		w.settle(200, again...)
		if diff := cmp.Diff(before, w.dump()); diff != "" {
			t.Errorf("settled after the endpoint was deleted (-before +after):\n%s", diff)
		}
		equal(t, map[affiliate.DeliveryState]int{affiliate.DeliveryCanceled: 2}, w.states(ep.ID))
		w.pass(24 * time.Hour)
		if got := w.claim(64); len(got) > 0 {
			t.Errorf("claimed for a deleted endpoint: %v", got)
		}
	})
}

// An attempt in flight when its endpoint is disabled and enabled again keeps
// its slot, and its settlement has no effect.
func TestClaimAfterDisable(t *testing.T) {
	onStores(t, func(t *testing.T, w *world) {
		ep := w.hook()
		w.answered()
		w.crowd(6)
		flying := w.claim(64)
		if len(flying) != 4 {
			t.Fatalf("%d in flight", len(flying))
		}
		w.edit(ep.ID, affiliate.EndpointUpdate{Active: affiliate.Set(false)})
		w.edit(ep.ID, affiliate.EndpointUpdate{Active: affiliate.Set(true)})
		equal(t, map[affiliate.DeliveryState]int{affiliate.DeliverySkipped: 6}, w.states(ep.ID))
		w.answered()
		w.crowd(1)
		if got := w.claim(64); len(got) != 0 {
			t.Errorf("%d claimed beside the four in flight", len(got))
		}
		w.settle(200, flying[0])
		w.settle(200, w.claimOne())
		equal(t, map[affiliate.DeliveryState]int{affiliate.DeliverySkipped: 6, affiliate.DeliveryDelivered: 1}, w.states(ep.ID))
	})
}

// The clock may jump: no delivery waits for a negative time, and nothing is
// lost (W065).
func TestClaimClockJumps(t *testing.T) {
	onStores(t, func(t *testing.T, w *world) {
		w.hook()
		w.crowd(3)
		w.settle(500, w.claim(1)...)
		w.claim(1) // and the dispatcher dies
		w.pass(-time.Hour)
		w.settle(500, w.claimOne()) // what waits for nothing
		w.crowd(1)
		w.settle(500, w.claimOne())
		for _, d := range w.deliveries(affiliate.DeliveryFilter{}) {
			if next, _ := d.NextAttemptAt.Get(); next.Time().Before(d.CreatedAt.Time()) {
				t.Errorf("next attempt %v before %v", next, d.CreatedAt)
			}
		}
		w.pass(24 * time.Hour)
		if sent := w.deliver(answer(200)); len(sent) != 4 {
			t.Errorf("%d sent after the jump, want 4", len(sent))
		}
	})
}

// Program A's endpoints get no events of program B (W078).
func TestClaimOtherProgram(t *testing.T) {
	a := newWorld(t)
	b := newWorldOn(t, a.store, func(c *tributary.Config) { c.ID = uuid.MustParse("0197c2f0-1a2b-7c3d-8e4f-5a6b7c8d9e02") })
	a.hook()
	b.crowd(1)
	if got := append(a.claim(64), b.claim(64)...); len(got) != 0 || len(b.deliveries(affiliate.DeliveryFilter{})) != 0 {
		t.Errorf("claimed %v", got)
	}
	a.crowd(1)
	if got := b.claim(64); len(got) != 0 {
		t.Errorf("b claimed %v", got)
	}
	a.claimOne()
}

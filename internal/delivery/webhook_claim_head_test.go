package delivery_test

import (
	"context"
	"fmt"
	"iter"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/scene"
)

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

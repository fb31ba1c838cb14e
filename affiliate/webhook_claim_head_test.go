package affiliate_test

import (
	"context"
	"fmt"
	"iter"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
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
	w := newWorld(t)
	for i := range 10 {
		w.hookAt(fmt.Sprintf("https://hooks.example/%d", i))
	}
	w.answered()
	w.crowd(8)
	counted := &queueReader{Store: w.store}
	claims := must(w.With(counted).ClaimDeliveries(t.Context(), 64, time.Minute))
	if len(claims) != 40 || counted.lists > 3 {
		t.Errorf("%d claims after %d lists of the queue", len(claims), counted.lists)
	}
	w.settle(204, claims...)
	w.verify()
}

// TestClaimBehindHead: endpoints whose deliveries are behind the head of the queue
// get their claims too, in the order of their events.
func TestClaimBehindHead(t *testing.T) {
	w := newWorld(t)
	busy := w.hookAt("https://hooks.example/busy", affiliate.AffiliateCreated)
	late := []affiliate.IssuedEndpoint{
		w.hookAt("https://hooks.example/b", affiliate.CouponCreated), w.hookAt("https://hooks.example/c", affiliate.CouponCreated),
	}
	w.crowd(300)
	for range 6 {
		must(w.CreateCoupon(t.Context(), affiliate.NewCoupon{Name: "Spring", PercentOff: percent("20")}))
	}
	w.answered()
	w.pass(1)
	claims := w.claim(64)
	equal(t, map[uuid.UUID]int{busy.ID: 4, late[0].ID: 4, late[1].ID: 4}, at(claims))
	first := map[uuid.UUID]string{}
	for _, c := range claims {
		if c.MessageID < first[c.Endpoint] {
			t.Errorf("%s comes after %s", c.MessageID, first[c.Endpoint])
		}
		first[c.Endpoint] = c.MessageID
	}
	w.settle(204, claims...)
	w.verify()
}

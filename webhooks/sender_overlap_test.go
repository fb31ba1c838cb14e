package webhooks_test

import (
	"context"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/webhooks"
)

// A slowOutbox is an Outbox whose calls take a second. It checks what may run at once.
type slowOutbox struct {
	webhooks.Outbox
	t     *testing.T
	slots int

	mu         sync.Mutex
	claiming   bool
	settling   bool
	unsettled  int // claimed and not settled yet
	overlapped int // claims that ran while attempts were settled
	counts     []int
}

// turn runs a call, of which only one may run at once, and notes overlaps.
func (s *slowOutbox) turn(mine, other *bool, call func()) {
	s.mu.Lock()
	if *mine {
		s.t.Error("two claims, or two settlements, run at once")
	}
	if *mine = true; *other {
		s.overlapped++
	}
	s.mu.Unlock()
	call()
	s.mu.Lock()
	*mine = false
	s.mu.Unlock()
}

func (s *slowOutbox) ClaimDeliveries(ctx context.Context, n int, lease time.Duration) (claims []affiliate.Claim, err error) {
	s.turn(&s.claiming, &s.settling, func() {
		s.mu.Lock()
		if n+s.unsettled > s.slots {
			s.t.Errorf("%d more are claimed while %d are not settled, of %d slots", n, s.unsettled, s.slots)
		}
		s.mu.Unlock()
		time.Sleep(time.Second)
		claims, err = s.Outbox.ClaimDeliveries(ctx, n, lease)
		s.mu.Lock()
		s.unsettled += len(claims)
		s.mu.Unlock()
	})
	return claims, err
}

func (s *slowOutbox) SettleDeliveries(ctx context.Context, done []affiliate.Attempt) (err error) {
	s.turn(&s.settling, &s.claiming, func() {
		time.Sleep(time.Second)
		err = s.Outbox.SettleDeliveries(ctx, done)
		s.mu.Lock()
		s.unsettled -= len(done)
		s.counts = append(s.counts, len(done))
		s.mu.Unlock()
	})
	return err
}

// TestDrainOverlaps: while some attempts are settled, the next deliveries are
// claimed. Slots stay taken until their attempts are settled.
func TestDrainOverlaps(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var sent atomic.Int64 // the handlers run at once
		p := bubble(t, func(w http.ResponseWriter, r *http.Request) {
			if sent.Add(1)%2 == 0 {
				time.Sleep(1500 * time.Millisecond)
			}
			w.WriteHeader(http.StatusNoContent)
		})
		p.hook("http://127.0.0.1:8080/b")
		outbox := &slowOutbox{Outbox: p.Webhooks(), t: t, slots: 6}
		p.sender.Outbox, p.sender.Slots = outbox, outbox.slots
		p.join(1)
		p.drain()
		outbox.overlapped = 0
		p.join(20)
		if n := p.drain(); n != 40 || sent.Load() != 42 {
			t.Errorf("%d settled, %d requests", n, sent.Load())
		}
		if outbox.overlapped < 5 {
			t.Errorf("%d calls overlapped: settlements of %v", outbox.overlapped, outbox.counts)
		}
		if outbox.unsettled != 0 {
			t.Errorf("%d were claimed and not settled", outbox.unsettled)
		}
	})
}

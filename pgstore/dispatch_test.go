package pgstore_test

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/pgstore"
)

// heldDeliveries are the deliveries that dispatchers hold now.
type heldDeliveries struct {
	mu    sync.Mutex
	by    map[uuid.UUID]int
	total map[uuid.UUID]int
}

// take notes the claims of a dispatcher. It returns an error if another one
// holds one of them.
func (h *heldDeliveries) take(who int, claims []affiliate.Claim) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, c := range claims {
		if other, taken := h.by[c.Delivery]; taken {
			return fmt.Errorf("delivery %s is held by %d and claimed by %d", c.Delivery, other, who)
		}
		h.by[c.Delivery] = who
		h.total[c.Delivery]++
	}
	return nil
}

func (h *heldDeliveries) give(claims []affiliate.Claim) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, c := range claims {
		delete(h.by, c.Delivery)
	}
}

// TestDispatchers: dispatchers of several processes never hold the same
// delivery, and together they deliver each one once.
func TestDispatchers(t *testing.T) {
	pool := newPool(t, databaseURL(t))
	for _, cfg := range []pgstore.Config{{}, {Mode: pgstore.Serializable, Retries: 100}} {
		t.Run(fmt.Sprintf("mode %d", cfg.Mode), func(t *testing.T) {
			const dispatchers, sales = 4, 40
			s := newShop(t, pool, cfg)
			cfg.Schema = "test_" + schemaID()
			h := &heldDeliveries{by: map[uuid.UUID]int{}, total: map[uuid.UUID]int{}}
			var selling, wg sync.WaitGroup
			selling.Go(func() {
				for i := range sales {
					if _, err := s.plain.RecordSale(t.Context(), sale(i)); err != nil {
						t.Error(err)
					}
				}
			})
			sold := make(chan struct{})
			go func() { selling.Wait(); close(sold) }()
			for who := range dispatchers {
				program := s.plain.With(newStore(t, pool, cfg))
				wg.Go(func() {
					for {
						over := false
						select {
						case <-sold:
							over = true
						default:
						}
						n, err := dispatch(t, program, h, who)
						if err != nil {
							t.Error(err)
							return
						}
						if over && n == 0 {
							return
						}
					}
				})
			}
			wg.Wait()
			// A dispatcher may find nothing while others hold the due
			// deliveries of the endpoint. One dispatcher delivers what is left.
			for {
				if n, err := dispatch(t, s.plain, h, 0); n == 0 || err != nil {
					break
				}
			}
			events := must(s.plain.Events(t.Context(), affiliate.EventQuery{}, affiliate.Page{})).Items
			created := len(must(s.plain.Webhooks().Endpoints(t.Context(), affiliate.Page{})).Items)
			if created != 1 || len(h.total) < 2*sales {
				t.Errorf("%d deliveries for %d events", len(h.total), len(events))
			}
			for id, n := range h.total {
				if n != 1 {
					t.Errorf("delivery %s was claimed %d times", id, n)
				}
			}
			for _, d := range must(s.plain.Webhooks().Deliveries(t.Context(), affiliate.DeliveryQuery{}, affiliate.Page{})).Items {
				if d.State != affiliate.DeliveryDelivered {
					t.Errorf("delivery %s is %s", d.ID, d.State)
				}
			}
			s.books("after all", sales)
		})
	}
}

// dispatch claims, holds and settles once.
func dispatch(t *testing.T, p *tributary.Program, h *heldDeliveries, who int) (int, error) {
	claims, err := p.Webhooks().ClaimDeliveries(t.Context(), 8, time.Minute)
	if err != nil {
		return 0, err
	}
	if err := h.take(who, claims); err != nil {
		return 0, err
	}
	attempts := make([]affiliate.Attempt, len(claims))
	for i, c := range claims {
		attempts[i] = affiliate.Attempt{Delivery: c.Delivery, Token: c.Token, Status: 200}
	}
	h.give(claims)
	return len(claims), p.Webhooks().SettleDeliveries(t.Context(), attempts)
}

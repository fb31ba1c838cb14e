package affiliate_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/conformance"
	"github.com/tributary-go/tributary/memstore"
)

const lease = 30 * time.Second

// onStores runs a test on a store, and on one that runs every closure twice.
func onStores(t *testing.T, test func(t *testing.T, w *world), change ...func(*tributary.Config)) {
	for name, store := range map[string]record.Store{"memstore": memstore.New(), "Rerun": conformance.Rerun(memstore.New())} {
		t.Run(name, func(t *testing.T) {
			w := newWorldOn(t, store, change...)
			test(t, w)
			w.verify()
		})
	}
}

// claim claims up to n deliveries.
func (w *world) claim(n int) []affiliate.Claim {
	w.t.Helper()
	return must(w.ClaimDeliveries(context.Background(), n, lease))
}

// claimOne claims the one delivery that is due.
func (w *world) claimOne() affiliate.Claim {
	w.t.Helper()
	claims := w.claim(64)
	if len(claims) != 1 {
		w.t.Fatalf("%d claims, want 1", len(claims))
	}
	return claims[0]
}

// attempt returns an answer to a claim.
func (w *world) attempt(c affiliate.Claim, status int) affiliate.Attempt {
	return affiliate.Attempt{Delivery: c.Delivery, Token: c.Token, At: w.now, URL: c.URL, Status: status}
}

// settle answers claims with a status.
func (w *world) settle(status int, claims ...affiliate.Claim) {
	w.t.Helper()
	var done []affiliate.Attempt
	for _, c := range claims {
		done = append(done, w.attempt(c, status))
	}
	if err := w.SettleDeliveries(context.Background(), done); err != nil {
		w.t.Fatal(err)
	}
}

// deliver claims and settles until nothing is due, and returns what was sent.
func (w *world) deliver(status func(affiliate.Claim) int) []affiliate.Claim {
	w.t.Helper()
	var sent []affiliate.Claim
	for {
		claims := w.claim(64)
		if len(claims) == 0 {
			return sent
		}
		for _, c := range claims {
			w.settle(status(c), c)
		}
		sent = append(sent, claims...)
	}
}

// answer returns a receiver that always answers with one status.
func answer(status int) func(affiliate.Claim) int { return func(affiliate.Claim) int { return status } }

// delivery reads one delivery.
func (w *world) delivery(id uuid.UUID) affiliate.Delivery {
	w.t.Helper()
	return must(w.Delivery(context.Background(), id))
}

// deliveries reads all deliveries, oldest first.
func (w *world) deliveries(f affiliate.DeliveryFilter) []affiliate.Delivery {
	w.t.Helper()
	items := must(w.Deliveries(context.Background(), f, affiliate.Page{})).Items
	slices.Reverse(items)
	return items
}

// states counts deliveries by endpoint and state.
func (w *world) states(endpoint uuid.UUID) map[affiliate.DeliveryState]int {
	w.t.Helper()
	out := map[affiliate.DeliveryState]int{}
	for _, d := range w.deliveries(affiliate.DeliveryFilter{WebhookID: affiliate.Set(endpoint)}) {
		out[d.State]++
	}
	return out
}

// crowd creates n affiliates: one event each, each of another object.
func (w *world) crowd(n int) {
	w.t.Helper()
	have := len(w.dump()["affiliates"])
	for i := range n {
		w.join(fmt.Sprintf("crowd%d", have+i))
	}
}

func (w *world) health(id uuid.UUID) affiliate.Endpoint {
	w.t.Helper()
	return must(w.Endpoint(context.Background(), id))
}

func (w *world) edit(id uuid.UUID, up affiliate.EndpointUpdate) {
	w.t.Helper()
	must(w.UpdateEndpoint(context.Background(), id, up))
}

// hookAt adds an endpoint with its own URL.
func (w *world) hookAt(url string, types ...affiliate.EventType) affiliate.IssuedEndpoint {
	w.t.Helper()
	if types == nil {
		types = []affiliate.EventType{"*"}
	}
	return must(w.CreateEndpoint(context.Background(), affiliate.NewEndpoint{URL: url, Events: types}))
}

// answered notes that every endpoint has just answered, so that each may have
// all its slots.
func (w *world) answered() {
	w.t.Helper()
	behind(w.t, w, func(tx *record.Tx) {
		for ep, err := range tx.Endpoints.List(record.Query{}) {
			ep.AnsweredAt = affiliate.InstantOf(w.now)
			must(0, errors.Join(err, tx.Endpoints.Replace(ep)))
		}
	})
}

// told collects notices.
func told(into *[]affiliate.Notice, kinds ...affiliate.NoticeKind) func(*tributary.Config) {
	return func(c *tributary.Config) {
		c.OnNotice = func(n affiliate.Notice) {
			if len(kinds) == 0 || slices.Contains(kinds, n.Kind) {
				*into = append(*into, n)
			}
		}
	}
}

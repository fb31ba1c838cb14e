package scene

import (
	"context"
	"crypto/aes"
	"crypto/cipher"
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

// HookURL is the address of the endpoints of Hook.
var HookURL = "https://hooks.beans.example/tributary"

// Lease is the lease of the claims.
const Lease = 30 * time.Second

// Sealed sets Seal and Open with AES-GCM, as a host does.
func Sealed(c *tributary.Config) {
	block := Must(aes.NewCipher([]byte("a key of 32 bytes for tests only")))
	aead := Must(cipher.NewGCMWithRandomNonce(block))
	c.Seal = func(data, boundTo []byte) ([]byte, error) { return aead.Seal(nil, nil, data, boundTo), nil }
	c.Open = func(data, boundTo []byte) ([]byte, error) { return aead.Open(nil, nil, data, boundTo) }
}

// Behind changes records without the engine.
func Behind(t testing.TB, w *World, change func(tx *record.Tx)) {
	t.Helper()
	err := w.Store.Update(t.Context(), w.Config().ID, func(tx *record.Tx) error {
		change(tx)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TextNotHTTPS is the refusal of an address without TLS.
const TextNotHTTPS = "url must be an https URL"

// TextNotAllowed is the refusal of an address of the own network.
const TextNotAllowed = "url points to an address that is not allowed"

// ByEndpoint counts claims by endpoint.
func ByEndpoint(claims []affiliate.Claim) map[uuid.UUID]int {
	out := map[uuid.UUID]int{}
	for _, c := range claims {
		out[c.Endpoint]++
	}
	return out
}

// OnStores runs a test on a store, and on one that runs every closure twice.
func OnStores(t *testing.T, test func(t *testing.T, w *World), change ...func(*tributary.Config)) {
	for name, store := range map[string]record.Store{"memstore": memstore.New(),
		"Rerun": conformance.Rerun(memstore.New())} {
		t.Run(name, func(t *testing.T) {
			w := NewOn(t, store, change...)
			test(t, w)
			w.Verifies()
		})
	}
}

// Claim claims up to n deliveries.
func (w *World) Claim(n int) []affiliate.Claim {
	w.T.Helper()
	return Must(w.Webhooks().ClaimDeliveries(context.Background(), n, Lease))
}

// ClaimOne claims the one delivery that is due.
func (w *World) ClaimOne() affiliate.Claim {
	w.T.Helper()
	claims := w.Claim(64)
	if len(claims) != 1 {
		w.T.Fatalf("%d claims, want 1", len(claims))
	}
	return claims[0]
}

// Attempt returns an answer to a claim.
func (w *World) Attempt(c affiliate.Claim, status int) affiliate.Attempt {
	return affiliate.Attempt{Delivery: c.Delivery, Token: c.Token, At: w.Now, URL: c.URL, Status: status}
}

// Settle answers claims with a status.
func (w *World) Settle(status int, claims ...affiliate.Claim) {
	w.T.Helper()
	var done []affiliate.Attempt
	for _, c := range claims {
		done = append(done, w.Attempt(c, status))
	}
	if err := w.Webhooks().SettleDeliveries(context.Background(), done); err != nil {
		w.T.Fatal(err)
	}
}

// Deliver claims and settles until nothing is due, and returns what was sent.
func (w *World) Deliver(status func(affiliate.Claim) int) []affiliate.Claim {
	w.T.Helper()
	var sent []affiliate.Claim
	for {
		claims := w.Claim(64)
		if len(claims) == 0 {
			return sent
		}
		for _, c := range claims {
			w.Settle(status(c), c)
		}
		sent = append(sent, claims...)
	}
}

// Answer returns a receiver that always answers with one status.
func Answer(status int) func(affiliate.Claim) int { return func(affiliate.Claim) int { return status } }

// ReadDelivery reads one delivery.
func (w *World) ReadDelivery(id uuid.UUID) affiliate.Delivery {
	w.T.Helper()
	return Must(w.Webhooks().Delivery(context.Background(), id))
}

// ReadDeliveries reads all deliveries, oldest first.
func (w *World) ReadDeliveries(f affiliate.DeliveryQuery) []affiliate.Delivery {
	w.T.Helper()
	items := Must(w.Webhooks().Deliveries(context.Background(), f, affiliate.Page{})).Items
	slices.Reverse(items)
	return items
}

// States counts deliveries by endpoint and state.
func (w *World) States(endpoint uuid.UUID) map[affiliate.DeliveryState]int {
	w.T.Helper()
	out := map[affiliate.DeliveryState]int{}
	for _, d := range w.ReadDeliveries(affiliate.DeliveryQuery{WebhookID: affiliate.Set(endpoint)}) {
		out[d.State]++
	}
	return out
}

// Crowd creates n affiliates: one event each, each of another object.
func (w *World) Crowd(n int) {
	w.T.Helper()
	have := len(w.Dump()["affiliates"])
	for i := range n {
		w.Join(fmt.Sprintf("crowd%d", have+i))
	}
}

// Health reads an endpoint.
func (w *World) Health(id uuid.UUID) affiliate.Endpoint {
	w.T.Helper()
	return Must(w.Webhooks().Endpoint(context.Background(), id))
}

// Edit updates an endpoint.
func (w *World) Edit(id uuid.UUID, up affiliate.EndpointUpdate) {
	w.T.Helper()
	Must(w.Webhooks().UpdateEndpoint(context.Background(), id, up))
}

// HookAt adds an endpoint with its own URL.
func (w *World) HookAt(url string, types ...affiliate.EventType) affiliate.IssuedEndpoint {
	w.T.Helper()
	if types == nil {
		types = []affiliate.EventType{"*"}
	}
	return Must(w.Webhooks().CreateEndpoint(context.Background(), affiliate.EndpointParams{URL: url, Events: types}))
}

// Answered notes that every endpoint has just answered, so that each may have
// all its slots.
func (w *World) Answered() {
	w.T.Helper()
	Behind(w.T, w, func(tx *record.Tx) {
		for ep, err := range tx.Endpoints.List(record.Query{}) {
			ep.AnsweredAt = affiliate.InstantOf(w.Now)
			Must(0, errors.Join(err, tx.Endpoints.Replace(ep)))
		}
	})
}

// Hook adds an endpoint at HookURL; without types it hears all events.
func (w *World) Hook(types ...affiliate.EventType) affiliate.IssuedEndpoint {
	w.T.Helper()
	if types == nil {
		types = []affiliate.EventType{"*"}
	}
	return Must(w.Webhooks().CreateEndpoint(context.Background(),
		affiliate.EndpointParams{URL: HookURL, Events: types}))
}

// SinceStart selects all deliveries of an endpoint since the clock started.
func SinceStart(endpoint uuid.UUID) affiliate.ReplayRange {
	return affiliate.ReplayRange{WebhookID: endpoint, Since: affiliate.Set(affiliate.At(Start))}
}

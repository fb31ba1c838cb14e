package engine_test

import (
	"bytes"
	"context"
	"slices"
	"testing"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/scene"
	"github.com/tributary-go/tributary/memstore"
)

// A secret can be opened only in the record that it was sealed for: not at
// another endpoint, not in a receipt if it was sealed for an endpoint, nor the
// reverse.
func TestSealBound(t *testing.T) {
	const key = "k"
	create := affiliate.EndpointParams{URL: scene.HookURL, Events: []affiliate.EventType{"*"}, Once: affiliate.Once{Key: key}}
	find := record.Key{Index: record.ByRequest, Text: key}
	for name, forge := range map[string]func(*record.Tx, *record.Endpoint, *record.Endpoint, *record.Receipt){
		"another endpoint": func(_ *record.Tx, theirs, mine *record.Endpoint, _ *record.Receipt) {
			mine.Secrets[0].Value = theirs.Secrets[0].Value
		},
		"from a receipt": func(_ *record.Tx, _, mine *record.Endpoint, receipt *record.Receipt) {
			mine.Secrets[0].Value = receipt.Secret
		},
		"into a receipt": func(_ *record.Tx, theirs, _ *record.Endpoint, receipt *record.Receipt) {
			receipt.Secret = theirs.Secrets[0].Value
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := scene.New(t, scene.Sealed)
			theirs := scene.Must(w.Webhooks().CreateEndpoint(t.Context(), create))
			mine := w.HookAt("https://mine.example/")
			if got := scene.Must(w.Webhooks().CreateEndpoint(t.Context(), create)); got.Secret.Reveal() != theirs.Secret.Reveal() {
				t.Fatal("the repeat shows another secret")
			}
			scene.Behind(t, w, func(tx *record.Tx) {
				a, b, r := scene.Must(tx.Endpoints.Get(theirs.ID)), scene.Must(tx.Endpoints.Get(mine.ID)), scene.Must(tx.Receipts.Find(find))
				forge(tx, &a, &b, &r)
				scene.Must(0, tx.Endpoints.Replace(b))
				scene.Must(0, tx.Receipts.Replace(r))
			})
			if name == "into a receipt" {
				if got, err := w.Webhooks().CreateEndpoint(t.Context(), create); err == nil {
					t.Errorf("the receipt opens as %q", got.Secret.Reveal())
				}
				return
			}
			w.Crowd(1)
			for _, c := range w.Claim(64) {
				if c.Endpoint == mine.ID {
					t.Errorf("signed with %q, the secret of endpoint %v is %q", c.Secrets[0].Reveal(), theirs.ID, theirs.Secret.Reveal())
				}
			}
		})
	}
}

// Seal and Open may call a service, so they are not called inside a
// transaction.
func TestSealOutsideTransactions(t *testing.T) {
	store := &closureWatch{Store: memstore.New()}
	calls := 0
	w := scene.NewOn(t, store, func(c *tributary.Config) {
		scene.Sealed(c)
		seal, open := c.Seal, c.Open
		count := func() {
			if calls++; store.depth > 0 {
				t.Error("called inside a transaction")
			}
		}
		c.Seal = func(data, boundTo []byte) ([]byte, error) { count(); return seal(data, boundTo) }
		c.Open = func(data, boundTo []byte) ([]byte, error) { count(); return open(data, boundTo) }
		c.Send = func(context.Context, affiliate.Claim) affiliate.Attempt { return affiliate.Attempt{Status: 204} }
	})
	create := affiliate.EndpointParams{URL: scene.HookURL, Events: []affiliate.EventType{"*"}, Once: affiliate.Once{Key: "create"}}
	ep := scene.Must(w.Webhooks().CreateEndpoint(t.Context(), create))
	scene.Must(w.Webhooks().CreateEndpoint(t.Context(), create))
	rotate := affiliate.Rotation{WebhookID: ep.ID, Once: affiliate.Once{Key: "rotate"}}
	scene.Must(w.Webhooks().RotateSecret(t.Context(), rotate))
	scene.Must(w.Webhooks().RotateSecret(t.Context(), rotate))
	scene.Must(w.Webhooks().TestEndpoint(t.Context(), affiliate.EndpointTest{WebhookID: ep.ID, Event: affiliate.SaleCreated}))
	w.Crowd(1)
	w.ClaimOne()
	if calls < 10 {
		t.Errorf("%d calls", calls)
	}
}

// closureWatch is a Store that knows whether one of its closures runs.
type closureWatch struct {
	record.Store
	depth int
}

func (s *closureWatch) in(fn func(*record.Tx) error) func(*record.Tx) error {
	return func(tx *record.Tx) error {
		s.depth++
		defer func() { s.depth-- }()
		return fn(tx)
	}
}

func (s *closureWatch) View(ctx context.Context, id uuid.UUID, fn func(*record.Tx) error) error {
	return s.Store.View(ctx, id, s.in(fn))
}

func (s *closureWatch) Update(ctx context.Context, id uuid.UUID, fn func(*record.Tx) error) error {
	return s.Store.Update(ctx, id, s.in(fn))
}

// A secret is bound to the id of its endpoint or receipt.
func TestSealBoundTo(t *testing.T) {
	var bound [][]byte
	w := scene.New(t, func(c *tributary.Config) {
		scene.Sealed(c)
		seal := c.Seal
		c.Seal = func(data, boundTo []byte) ([]byte, error) {
			bound = append(bound, slices.Clone(boundTo))
			return seal(data, boundTo)
		}
	})
	ep := scene.Must(w.Webhooks().CreateEndpoint(t.Context(), affiliate.EndpointParams{URL: scene.HookURL, Events: []affiliate.EventType{"*"}, Once: affiliate.Once{Key: "k"}}))
	var receipt uuid.UUID
	scene.Behind(t, w, func(tx *record.Tx) {
		receipt = scene.Must(tx.Receipts.Find(record.Key{Index: record.ByRequest, Text: "k"})).ID
	})
	scene.Equal(t, [][]byte{ep.ID[:], receipt[:]}, bound)
}

// Secrets that were stored before Seal was set sign if Open returns them
// unchanged, and rotation seals the new ones.
func TestSealLater(t *testing.T) {
	scene.OnStores(t, func(t *testing.T, w *scene.World) {
		ep := w.Hook()
		cfg := w.Config()
		scene.Sealed(&cfg)
		open := cfg.Open
		cfg.Open = func(data, boundTo []byte) ([]byte, error) {
			if bytes.HasPrefix(data, []byte("whsec_")) {
				return data, nil
			}
			return open(data, boundTo)
		}
		w.Program = scene.Must(tributary.New(w.Store, cfg))
		w.Crowd(1)
		c := w.ClaimOne()
		scene.Equal(t, []string{ep.Secret.Reveal()}, reveal(c.Secrets))
		w.Settle(200, c)
		rotated := scene.Must(w.Webhooks().RotateSecret(t.Context(), affiliate.Rotation{WebhookID: ep.ID}))
		w.Crowd(1)
		scene.Equal(t, []string{rotated.Secret.Reveal(), ep.Secret.Reveal()}, reveal(w.ClaimOne().Secrets))
		scene.Behind(t, w, func(tx *record.Tx) {
			rec := scene.Must(tx.Endpoints.Get(ep.ID))
			if bytes.Contains(rec.Secrets[0].Value, []byte("whsec_")) {
				t.Error("the new secret stands in clear")
			}
		})
	})
}

func reveal(all []affiliate.Secret) (out []string) {
	for _, s := range all {
		out = append(out, s.Reveal())
	}
	return out
}

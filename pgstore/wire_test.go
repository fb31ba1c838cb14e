package pgstore_test

import (
	"net/http/httptest"
	"slices"
	"testing"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/conformance/servertest"
	"github.com/tributary-go/tributary/httpapi"
	"github.com/tributary-go/tributary/pgstore"
)

// TestWire runs the wire contract, the administration and the scenarios of
// package servertest on PostgreSQL, and then Verify: in new tables, and in those
// that an earlier version filled and Migrate changed (checks 1 to 24 of
// console.md).
func TestWire(t *testing.T) {
	pool := newPool(t, databaseURL(t))
	for _, row := range []struct {
		name string
		fill func(t *testing.T) (schema string, program uuid.UUID)
	}{
		{"new", func(t *testing.T) (string, uuid.UUID) { return newSchema(t, pool), uuid.Nil }},
		{"migrated", func(t *testing.T) (string, uuid.UUID) {
			b := newBefore(t, pool, slices.Max(versions))
			if err := b.store.Migrate(t.Context()); err != nil {
				t.Fatal(err)
			}
			if len(must(b.Sales(t.Context(), affiliate.SaleFilter{}, affiliate.Page{})).Items) == 0 {
				t.Fatal("no sale of before")
			}
			return b.schema, b.Config().ID
		}},
	} {
		t.Run(row.name, func(t *testing.T) {
			schema, id := row.fill(t)
			store := newStore(t, pool, pgstore.Config{Schema: schema, Group: 16})
			program := must(tributary.New(store, tributary.Config{ID: id, Terms: affiliate.Terms{Rate: affiliate.MustPercent("20")}}))
			api := must(httpapi.New(program, httpapi.Config{APIKeys: []string{"test-key-of-this-suite"}}))
			srv := httptest.NewServer(api)
			defer srv.Close()
			servertest.TestServer(t, servertest.Server{URL: srv.URL, Key: "test-key-of-this-suite"})
			if err := program.Verify(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
}

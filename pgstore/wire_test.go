package pgstore_test

import (
	"net/http/httptest"
	"testing"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/conformance/servertest"
	"github.com/tributary-go/tributary/httpapi"
	"github.com/tributary-go/tributary/pgstore"
)

// TestWire runs the wire contract, the administration and the scenarios of
// package servertest on PostgreSQL, and then Verify.
func TestWire(t *testing.T) {
	pool := newPool(t, databaseURL(t))
	store := newStore(t, pool, pgstore.Config{Schema: newSchema(t, pool), Group: 16})
	program := must(tributary.New(store, tributary.Config{Terms: affiliate.Terms{Rate: affiliate.MustPercent("20")}}))
	api := must(httpapi.New(program, httpapi.Config{APIKeys: []string{"test-key-of-this-suite"}}))
	srv := httptest.NewServer(api)
	defer srv.Close()
	servertest.TestServer(t, servertest.Server{URL: srv.URL, Key: "test-key-of-this-suite"})
	if err := program.Verify(t.Context()); err != nil {
		t.Error(err)
	}
}

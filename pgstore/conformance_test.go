package pgstore_test

import (
	"testing"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/conformance"
	"github.com/tributary-go/tributary/pgstore"
)

// ways are the ways to run the store.
var ways = []struct {
	name string
	cfg  pgstore.Config
}{
	{"Queue", pgstore.Config{}},
	{"Queue, grouped", pgstore.Config{Group: 32}},
	{"Serializable", pgstore.Config{Mode: pgstore.Serializable}},
	{"Serializable, grouped", pgstore.Config{Mode: pgstore.Serializable, Group: 32}},
}

func TestStore(t *testing.T) {
	pool := newPool(t, databaseURL(t))
	for _, way := range ways {
		t.Run(way.name, func(t *testing.T) {
			schema := newSchema(t, pool)
			cfg := way.cfg
			cfg.Schema = schema
			conformance.TestStore(t, func(tb testing.TB) affiliate.Store {
				empty(tb, pool, schema)
				return newStore(tb, pool, cfg)
			})
		})
	}
}

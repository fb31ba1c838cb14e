package pgstore_test

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"github.com/tributary-go/tributary/internal/twins"
	"github.com/tributary-go/tributary/memstore"
	"github.com/tributary-go/tributary/pgstore"
)

// TestDifferential makes the same random calls on memstore and on pgstore. It
// compares every answer and, at the end, every record, byte by byte.
func TestDifferential(t *testing.T) {
	pool := newPool(t, databaseURL(t))
	for _, cfg := range []pgstore.Config{{}, {Mode: pgstore.Serializable, Group: 4}} {
		t.Run(fmt.Sprintf("mode %d", cfg.Mode), func(t *testing.T) {
			cfg.Schema = newSchema(t, pool)
			rapid.Check(t, func(rt *rapid.T) {
				empty(t, pool, cfg.Schema)
				twins.Play(rt, t, memstore.New(), newStore(t, pool, cfg))
			})
		})
	}
}

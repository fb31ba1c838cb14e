package memstore_test

import (
	"testing"

	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/conformance"
	"github.com/tributary-go/tributary/internal/atlength"
	"github.com/tributary-go/tributary/memstore"
)

func newStore(testing.TB) record.Store { return memstore.New() }

func newRerun(testing.TB) record.Store { return conformance.Rerun(memstore.New()) }

func TestStore(t *testing.T) {
	conformance.TestStore(t, func(testing.TB) record.Store { return memstore.New() })
}

// TestRerun shows that the suite itself and the store work with closures that
// run twice.
func TestRerun(t *testing.T) {
	atlength.Only(t, "runs the suite a second time")
	conformance.TestStore(t, newRerun)
}

func BenchmarkStore(b *testing.B) { conformance.BenchmarkStore(b, newStore) }

package imports_test

import (
	"testing"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/conformance"
	"github.com/tributary-go/tributary/memstore"
)

// A rehearsal is a store: it keeps the whole contract.
func TestRehearse(t *testing.T) {
	conformance.TestStore(t, func(testing.TB) record.Store { return tributary.Rehearse(memstore.New()) })
}

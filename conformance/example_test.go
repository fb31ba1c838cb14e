package conformance_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/conformance"
	"github.com/tributary-go/tributary/memstore"
)

// This is the whole test of a store. A store on disk opens a fresh directory or
// schema for each call and removes it with Cleanup.
func ExampleTestStore() {
	_ = func(t *testing.T) {
		conformance.TestStore(t, func(testing.TB) record.Store { return memstore.New() })
	}
	// Output:
}

// Two writes belong together: whichever call fails, both or none of them are
// stored.
func ExampleFailAt() {
	ctx, program, id := context.Background(), uuid.UUID{1}, uuid.UUID{2}
	for n := 1; ; n++ {
		store := memstore.New()
		err := conformance.FailAt(store, n).Update(ctx, program, func(tx *record.Tx) error {
			if err := tx.Links.Insert(record.Link{ID: id, AffiliateID: id, Slug: "jane"}); err != nil {
				return err
			}
			return tx.Totals.Insert(record.Totals{ID: id})
		})
		_ = store.View(ctx, program, func(tx *record.Tx) error {
			_, linkErr := tx.Links.Get(id)
			_, totalsErr := tx.Totals.Get(id)
			fmt.Printf("call %d fails: link %t, totals %t\n", n, linkErr == nil, totalsErr == nil)
			return nil
		})
		if !errors.Is(err, conformance.ErrInjected) {
			break // fewer than n calls: all steps have failed once
		}
	}
	// Output:
	// call 1 fails: link false, totals false
	// call 2 fails: link false, totals false
	// call 3 fails: link true, totals true
}

package sample

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate/record"
)

// Dump returns everything that a store holds of a program, a line for each
// record.
func Dump(t testing.TB, store record.Store, program uuid.UUID) string {
	t.Helper()
	var b strings.Builder
	err := store.View(t.Context(), program, func(tx *record.Tx) error {
		b.Reset()
		for _, table := range record.Schema() {
			for rec, err := range table.In(tx).List(record.Query{}) {
				fmt.Fprintf(&b, "%T %+v %v\n", rec, rec, err)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

package audit

import (
	"testing"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/engine"
)

// TestFitsNumber: a frozen sale fits only an event of its own number.
func TestFitsNumber(t *testing.T) {
	rec := record.Sale{ID: record.NumberID(7)}
	event := &record.Event{Type: affiliate.SaleUpdated, ObjectID: rec.ID, Number: 5}
	for number, want := range map[int64]bool{5: true, 4: false, 0: false} {
		rec.Number = number
		if got := fits(&engine.Frozen{Body: &engine.SaleBody{Rec: rec}}, event); got != want {
			t.Errorf("a body of number %d fits an event of 5: %v", number, got)
		}
	}
}

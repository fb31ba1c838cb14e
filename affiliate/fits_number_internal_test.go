package affiliate

import "testing"

// TestFitsNumber: a frozen sale fits only an event of its own number.
func TestFitsNumber(t *testing.T) {
	rec := SaleRecord{ID: numberID(7)}
	event := &EventRecord{Type: SaleUpdated, ObjectID: rec.ID, Number: 5}
	for number, want := range map[int64]bool{5: true, 4: false, 0: false} {
		rec.Number = number
		if got := fits(&frozen{body: &saleBody{rec: rec}}, event); got != want {
			t.Errorf("a body of number %d fits an event of 5: %v", number, got)
		}
	}
}

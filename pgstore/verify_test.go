package pgstore_test

import (
	"runtime"
	"runtime/debug"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/pgstore"
)

// Verify keeps what it compares, not all that a program has stored: the bytes of
// events and of the answers to repeats would be four times as much.
func TestVerifyMemory(t *testing.T) {
	const sales, limit = 3000, 4000 // it does not grow with them: with all sales of a day it is less each; all of the records would be 8,000
	pool := newPool(t, databaseURL(t))
	p := newProgram(t, newStore(t, pool, pgstore.Config{Schema: newSchema(t, pool), Group: 64}), uuid.Must(uuid.NewV7()))
	hotCode(t, p)
	sellReal(t, p, 0, sales)

	defer debug.SetGCPercent(debug.SetGCPercent(5)) // so that the heap is what is in use
	runtime.GC()
	before := heap()
	done, most := make(chan struct{}), make(chan uint64)
	go func() {
		var highest uint64
		for {
			select {
			case <-done:
				most <- highest
				return
			case <-time.After(time.Millisecond):
				highest = max(highest, heap())
			}
		}
	}()
	progress, err := p.Step(t.Context(), affiliate.VerifyJob{}, affiliate.Step{})
	report := progress.Verification
	close(done)
	each := int64(<-most-before) / sales
	if err != nil || !report.Holds || report.Records < 5*sales {
		t.Fatalf("%d records, breaches %v, error %v", report.Records, report.Breaches, err)
	}
	t.Logf("%d bytes a sale", each)
	if each > limit {
		t.Errorf("Verify took %d bytes a sale, more than %d", each, limit)
	}
}

func heap() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

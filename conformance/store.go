package conformance

import (
	"testing"

	"github.com/tributary-go/tributary/affiliate/record"
)

// TestStore runs the contract of [record.Store] against a store: one
// sub-test for each clause, S01 to S17, with one sub-test for each case below
// it. A case that fails logs the rule that it defends.
//
// newStore returns a fresh, empty store. It is called once for each case with the
// testing.TB of the case, and cleans up with its Cleanup. The suite starts
// goroutines, all of which end with their case. It never calls the store inside a
// closure.
func TestStore(t *testing.T, newStore func(testing.TB) record.Store) {
	for _, c := range storeClauses() {
		t.Run(c.name, func(t *testing.T) {
			for _, sc := range c.cases {
				t.Run(sc.name, func(t *testing.T) { sc.check(t, newStore) })
			}
		})
	}
}

func storeClauses() []clause {
	return []clause{
		{"S01 Rollback", rollbackCases()},
		{"S02 Panic", panicCases()},
		{"S03 Serializable", serializableCases()},
		{"S04 Separate", separateCases()},
		{"S05 Snapshot", append(snapshotCases(), longViewCases()...)},
		{"S06 ReadOnly", readOnlyCases()},
		{"S07 ReadYourWrites", ownWritesCases()},
		{"S08 TxDone", txDoneCases()},
		{"S09 Exists", existsCases()},
		{"S10 UsableAfterExists", usableCases()},
		{"S11 Bytes", bytesCases()},
		{"S12 Order", orderCases()},
		{"S13 Aliasing", aliasingCases()},
		{"S14 Context", contextCases()},
		{"S15 Times", timesCases()},
		{"S16 Complete", completeCases()},
		{"S17 Sum", sumCases()},
	}
}

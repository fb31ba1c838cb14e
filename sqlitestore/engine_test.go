package sqlitestore_test

import (
	"testing"

	"github.com/tributary-go/tributary/internal/twins"
)

// TestEngineSuite runs the tests of the engine and of its API on SQLite:
//
//	TRIBUTARY_ENGINE_SUITE=. go test -run EngineSuite -v -timeout 60m .
//
// It leaves out the tests of [onlyInMemory].
func TestEngineSuite(t *testing.T) {
	twins.Suite(t, onlyInMemory, func(t *testing.T) string { return "TRIBUTARY_ENGINE_FOLDER=" + t.TempDir() })
}

// onlyInMemory are the tests that cannot be run on SQLite. Two make corruptions that
// only memory can hold: an event whose time changes by a microsecond, or whose number
// changes, while its encoded payload does not; two look at payloads that are not encoded
// yet. One measures what events take in memory. Two run in a bubble of testing/synctest,
// whose time stands still while a file is read.
const onlyInMemory = "TestVerifyEvents/(I47_number_of_a_coupon|I49_event_at_another_time|I49_frozen.*)|TestClaimSharesPayload|TestEventMemory|TestFollowWaits|TestSlowCall"

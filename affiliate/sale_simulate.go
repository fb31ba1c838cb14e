package affiliate

import (
	"time"

	"github.com/google/uuid"
)

// SimulateQuery is the input of Program.Simulate.
type SimulateQuery struct {
	From   time.Time // of the recording of a sale, inclusive; zero: from the first
	To     time.Time // exclusive; zero: to the last
	PlanID uuid.UUID // the sales with this plan; zero: those with the program's terms
	Terms  Terms     // instead of theirs
	Dated  bool      // no Terms, but those of the plan when each sale was paid, as [RecalculateJob] takes them
}

// A Difference is what other terms would have changed for one affiliate.
type Difference struct {
	AffiliateID uuid.UUID
	Sales       int64  // those that the query selects
	Conversions int64  // likewise
	Changed     int64  // those of them that would earn another amount
	Kept        int64  // those of them that stay as they are, whatever the terms
	Was         Amount // what they earn
	Would       Amount // what they would earn
	Difference  Amount // Would less Was
}

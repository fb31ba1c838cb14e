package page

import (
	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
)

// StatementLines is the number of lines on a page of a statement.
const StatementLines = 300

// AdjustmentsIn returns the adjustments that lines of a statement are about.
func AdjustmentsIn(lines []affiliate.StatementLine) (ids []uuid.UUID) {
	for _, line := range lines {
		if id, is := line.AdjustmentID.Get(); is {
			ids = append(ids, id)
		}
	}
	return ids
}

// Reasons are the reasons of adjustments.
type Reasons map[uuid.UUID]string

// Of returns the reason of an adjustment; empty: it is none, or its reason was erased.
func (r Reasons) Of(id affiliate.Opt[uuid.UUID]) string { return r[id.Or(uuid.Nil)] }

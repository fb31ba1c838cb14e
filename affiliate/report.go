package affiliate

import (
	"time"

	"github.com/google/uuid"
)

// ReportQuery says what a report is about. At most one of the three ids is set;
// without any of them the report covers the whole program. For an id that does
// not exist, null and the zero id included, all figures are zero.
//
// Source: docs/money.md 16.
type ReportQuery struct {
	From        time.Time      // inclusive
	To          time.Time      // exclusive
	By          Interval       // required
	AffiliateID Opt[uuid.UUID] `json:",omitzero"`
	CodeID      Opt[uuid.UUID] `json:",omitzero"`
	LinkID      Opt[uuid.UUID] `json:",omitzero"`
}

// An Interval is the length of the buckets of a report, in the calendar of
// Config.Location.
type Interval string

// The intervals.
const (
	IntervalDay   Interval = "day"   // of 23 or 25 hours where the clock is changed
	IntervalWeek  Interval = "week"  // from Monday
	IntervalMonth Interval = "month" // from the first
)

// A Bucket is what happened in one day, week or month of a report. The first one
// begins with the report and the last one ends with it, so they may be shorter.
//
// Source: docs/money.md 16.
type Bucket struct {
	Start        Time       `json:"start"`                // inclusive
	End          Time       `json:"end"`                  // exclusive
	Clicks       Opt[int64] `json:"clicks"`               // that are still stored; null in the report of a code
	Referrals    Opt[int64] `json:"referrals"`            // that are still stored; null in the report of a code
	Sales        int64      `json:"sales"`                // recorded; moved to another affiliate: less by one there, more by one here
	DeletedSales int64      `json:"deletedSales"`         // deleted, whenever they were recorded
	Conversions  int64      `json:"conversions,omitzero"` // recorded, less those deleted or moved away; not there: none
	Revenue      Amount     `json:"revenue"`              // change of the sum of totalEarned
	Refunds      Amount     `json:"refunds"`              // change of the sum of refundedAmount
	Commission   Amount     `json:"commission"`           // change of what sales have earned; negative when more was taken back
	Adjustments  Amount     `json:"adjustments"`          // the same of adjustments
}

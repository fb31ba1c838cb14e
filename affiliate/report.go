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

	IntervalQuarter Interval = "quarter" // from January, April, July or October
	IntervalYear    Interval = "year"    // from January
)

// Intervals returns the intervals, the shortest first.
func Intervals() []Interval {
	return []Interval{IntervalDay, IntervalWeek, IntervalMonth, IntervalQuarter, IntervalYear}
}

// A Bucket is what happened in one day, week or month of a report. The first one
// begins with the report and the last one ends with it, so they may be shorter.
//
// Source: docs/money.md 16.
type Bucket struct {
	Start Time `json:"start"` // Where it begins, inclusive.
	End   Time `json:"end"`   // Where it ends, exclusive.
	Activity
}

// An Activity is what happened in a period.
type Activity struct {
	// Clicks that are still stored; null of a promotional code, coupon, product or plan.
	Clicks Opt[int64] `json:"clicks"`
	// Referrals that are still stored; null of a promotional code, coupon, product or plan.
	Referrals Opt[int64] `json:"referrals"`
	// Sales that were recorded. One that moved to another affiliate is one less there and one
	// more here.
	Sales int64 `json:"sales"`
	// Sales that were deleted, whenever they were recorded.
	DeletedSales int64 `json:"deletedSales"`
	// Conversions that were recorded, less those that were deleted or moved away; not there:
	// none.
	Conversions int64 `json:"conversions,omitzero"`
	// The change of the sum of TotalEarned.
	Revenue Amount `json:"revenue"`
	// The change of the sum of RefundedAmount.
	Refunds Amount `json:"refunds"`
	// The change of what sales have earned; negative when more was taken back.
	Commission Amount `json:"commission"`
	// The change of the sum of adjustments.
	Adjustments Amount `json:"adjustments"`
}

// BreakdownQuery asks who or what brought the activity of a period.
//
// Source: docs/money.md 16.1.
type BreakdownQuery struct {
	From        time.Time      // inclusive
	To          time.Time      // exclusive
	By          Dimension      // required
	Sort        Figure         `json:",omitzero"` // the greatest comes first; empty: FigureRevenue
	AffiliateID Opt[uuid.UUID] `json:",omitzero"` // only the activity of this affiliate; one that nobody has: no rows
}

// A Dimension is what the rows of a breakdown differ in.
type Dimension string

// The dimensions. The last five are read from the page on which the visitor landed: that
// of the click that credits the sale, else the first page of its customer.
const (
	DimensionAffiliate   Dimension = "affiliate"
	DimensionLink        Dimension = "link"
	DimensionCode        Dimension = "promotionalCode"
	DimensionCoupon      Dimension = "coupon"  // of the code, or of what the link gave
	DimensionProduct     Dimension = "product" // of the lines: their shares of the amounts
	DimensionPlan        Dimension = "plan"    // of commissions, as it was when the sale was recorded
	DimensionLandingPage Dimension = "landingPage"
	DimensionUTMSource   Dimension = "utmSource"
	DimensionUTMMedium   Dimension = "utmMedium"
	DimensionUTMCampaign Dimension = "utmCampaign"
	DimensionSub         Dimension = "sub" // the partner's own mark, in the parameter sub of the link
)

// A Figure is what a breakdown is ranked by.
type Figure string

// The figures.
const (
	FigureRevenue     Figure = "revenue"
	FigureRefunds     Figure = "refunds"
	FigureCommission  Figure = "commission"
	FigureSales       Figure = "sales"
	FigureConversions Figure = "conversions"
	FigureClicks      Figure = "clicks"
	FigureReferrals   Figure = "referrals"
)

// A BreakdownRow is the activity of one affiliate, link, code … in a period.
//
// Source: docs/money.md 16.1.
type BreakdownRow struct {
	// An id or a text, as the breakdown asks; empty: of what has none.
	Value string `json:"value"`
	// The affiliate's name, the slug, the code, the name of the coupon, plan or product; null
	// when the value says it, or it is gone.
	Name Opt[string] `json:"name"`
	Activity
}

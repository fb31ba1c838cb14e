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
	Start Time `json:"start"` // inclusive
	End   Time `json:"end"`   // exclusive
	Activity
}

// An Activity is what happened in a period.
type Activity struct {
	Clicks       Opt[int64] `json:"clicks"`               // that are still stored; null of a code, coupon, product or plan
	Referrals    Opt[int64] `json:"referrals"`            // that are still stored; null likewise
	Sales        int64      `json:"sales"`                // recorded; moved to another affiliate: less by one there, more by one here
	DeletedSales int64      `json:"deletedSales"`         // deleted, whenever they were recorded
	Conversions  int64      `json:"conversions,omitzero"` // recorded, less those deleted or moved away; not there: none
	Revenue      Amount     `json:"revenue"`              // change of the sum of totalEarned
	Refunds      Amount     `json:"refunds"`              // change of the sum of refundedAmount
	Commission   Amount     `json:"commission"`           // change of what sales have earned; negative when more was taken back
	Adjustments  Amount     `json:"adjustments"`          // the same of adjustments
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
	Value string      `json:"value"` // of the dimension: an id, or a text; empty: of what has none
	Name  Opt[string] `json:"name"`  // of the affiliate, coupon, plan or product, the slug, the code; null: the value says it, or it is gone
	Activity
}

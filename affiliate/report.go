package affiliate

import (
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/internal/isodate"
)

// ReportQuery says what a report is about. At most one of the three ids is set;
// without any the report is about the whole program. An id of nobody, also null
// and the zero id, has a report of nothing but zeros.
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

// An Interval is how long the buckets of a report are, in the calendar of
// [Config].Location.
type Interval string

// The intervals.
const (
	IntervalDay   Interval = "day"   // of 23 or 25 hours where the clock is changed
	IntervalWeek  Interval = "week"  // from Monday
	IntervalMonth Interval = "month" // from the first
)

var intervals = []Interval{IntervalDay, IntervalWeek, IntervalMonth}

// A Bucket is what happened in one day, week or month of a report. The first one
// begins with the report and the last one ends with it, so they may be shorter.
//
// Source: docs/money.md 16.
type Bucket struct {
	Start        Time       `json:"start"`        // inclusive
	End          Time       `json:"end"`          // exclusive
	Clicks       Opt[int64] `json:"clicks"`       // that are still stored; null in the report of a code
	Referrals    Opt[int64] `json:"referrals"`    // that are still stored; null in the report of a code
	Sales        int64      `json:"sales"`        // recorded; moved to another affiliate: less by one there, more by one here
	DeletedSales int64      `json:"deletedSales"` // deleted, whenever they were recorded
	Revenue      Amount     `json:"revenue"`      // change of the sum of totalEarned
	Refunds      Amount     `json:"refunds"`      // change of the sum of refundedAmount
	Commission   Amount     `json:"commission"`   // change of what sales have earned; less than zero when more was taken back
	Adjustments  Amount     `json:"adjustments"`  // the same of adjustments
}

// maxBuckets is the length of the longest report.
const maxBuckets = 1000

// check refuses a question that has no answer.
func (q *ReportQuery) check() error {
	given := 0
	for _, id := range [...]Opt[uuid.UUID]{q.AffiliateID, q.CodeID, q.LinkID} {
		if !id.IsZero() {
			given++
		}
	}
	if q.By == "" {
		return intervalRequired.Err()
	}
	period := StatementQuery{From: q.From, To: q.To}
	if err := period.check(); err != nil {
		return err
	}
	return first(
		inQuery(oneOf("by", q.By, intervals)),
		reportOfSeveral.when(given > 1),
	)
}

// edges are the beginnings of the buckets, and the end of the last one.
func (q *ReportQuery) edges(loc *time.Location) ([]Instant, error) {
	to := InstantOf(q.To)
	edges := []Instant{InstantOf(q.From)}
	year, month, date := q.From.In(loc).Date()
	day := q.By.begins(year, month, date)
	for {
		day = q.By.after(day)
		edge := InstantOf(isodate.LastBefore(day, loc)).Add(time.Millisecond)
		if !edge.Before(to) {
			return append(edges, to), nil
		}
		if !edge.After(edges[len(edges)-1]) {
			continue // the zone skipped this day
		}
		if len(edges) == maxBuckets {
			return nil, reportTooLarge.Err()
		}
		edges = append(edges, edge)
	}
}

// begins is the first day of the interval with a day, as its midnight in UTC.
func (by Interval) begins(year int, month time.Month, day int) time.Time {
	date := time.Date(year, month, day, 0, 0, 0, 0, time.UTC)
	switch by {
	case IntervalWeek:
		return date.AddDate(0, 0, -(int(date.Weekday())+6)%7)
	case IntervalMonth:
		return date.AddDate(0, 0, 1-day)
	}
	return date
}

// after is the first day of the next interval.
func (by Interval) after(day time.Time) time.Time {
	switch by {
	case IntervalWeek:
		return day.AddDate(0, 0, 7)
	case IntervalMonth:
		return day.AddDate(0, 1, 0)
	}
	return day.AddDate(0, 0, 1)
}

// addMovement counts a movement. An opening is what was there before, and no
// change.
func (b *Bucket) addMovement(r *MovementRecord) (err error) {
	if r.Cause.Is(CauseOpening) {
		return nil
	}
	if r.Cause.Is(CauseMove) {
		b.Sales += r.Sales // nothing was deleted
	} else {
		b.Sales += max(r.Sales, 0)
		b.DeletedSales += max(-r.Sales, 0)
	}
	if b.Revenue, err = b.Revenue.Add(r.Revenue); err != nil {
		return err
	}
	if b.Refunds, err = b.Refunds.Add(r.Refunds); err != nil {
		return err
	}
	sum := &b.Commission
	if r.AdjustmentID != uuid.Nil { // also when it is deleted with its affiliate
		sum = &b.Adjustments
	}
	*sum, err = sum.Add(r.accrued())
	return err
}

// accrued is what a movement adds to all that is owed and was paid.
func (r *MovementRecord) accrued() Amount {
	switch {
	case r.memo():
		return Amount{}
	case r.From.Is(AccountAccrual):
		return r.Amount
	case r.To.Is(AccountAccrual):
		return r.Amount.negated()
	}
	return Amount{}
}

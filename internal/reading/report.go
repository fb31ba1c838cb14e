package reading

import (
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/engine"
	"github.com/tributary-go/tributary/internal/isodate"
	"github.com/tributary-go/tributary/internal/refusal"
)

var intervals = []affiliate.Interval{affiliate.IntervalDay, affiliate.IntervalWeek, affiliate.IntervalMonth}

// maxBuckets is the length of the longest report.
const maxBuckets = 1000

// check refuses a question that has no answer.
func check(q *affiliate.ReportQuery) error {
	given := 0
	for _, id := range [...]affiliate.Opt[uuid.UUID]{q.AffiliateID, q.CodeID, q.LinkID} {
		if !id.IsZero() {
			given++
		}
	}
	if q.By == "" {
		return refusal.ByRequired.Err()
	}
	if err := checkPeriod(q.From, q.To); err != nil {
		return err
	}
	return refusal.First(
		engine.InQuery(refusal.OneOf("by", q.By, intervals)),
		refusal.ReportOfSeveral.When(given > 1),
	)
}

// edges returns the beginnings of the buckets, and the end of the last one.
func edges(q *affiliate.ReportQuery, loc *time.Location) ([]affiliate.Instant, error) {
	to := affiliate.InstantOf(q.To)
	edges := []affiliate.Instant{affiliate.InstantOf(q.From)}
	year, month, date := q.From.In(loc).Date()
	day := begins(q.By, year, month, date)
	for {
		day = after(q.By, day)
		edge := affiliate.InstantOf(isodate.LastBefore(day, loc)).Add(time.Millisecond)
		if !edge.Before(to) {
			return append(edges, to), nil
		}
		if !edge.After(edges[len(edges)-1]) {
			continue // the zone skipped this day
		}
		if len(edges) == maxBuckets {
			return nil, refusal.ReportTooLarge.Err()
		}
		edges = append(edges, edge)
	}
}

// begins returns the first day of the interval with a day, as its midnight in UTC.
func begins(by affiliate.Interval, year int, month time.Month, day int) time.Time {
	date := time.Date(year, month, day, 0, 0, 0, 0, time.UTC)
	switch by {
	case affiliate.IntervalWeek:
		return date.AddDate(0, 0, -(int(date.Weekday())+6)%7)
	case affiliate.IntervalMonth:
		return date.AddDate(0, 0, 1-day)
	}
	return date
}

// after returns the first day of the next interval.
func after(by affiliate.Interval, day time.Time) time.Time {
	switch by {
	case affiliate.IntervalWeek:
		return day.AddDate(0, 0, 7)
	case affiliate.IntervalMonth:
		return day.AddDate(0, 1, 0)
	}
	return day.AddDate(0, 0, 1)
}

// addMovement counts a movement. An opening is what was there before, and no
// change.
func addMovement(b *affiliate.Activity, r *record.Movement) (err error) {
	if r.Cause.Is(affiliate.CauseOpening) {
		return nil
	}
	if r.Cause.Is(affiliate.CauseMove) || r.Cause.Is(affiliate.CauseMerge) {
		b.Sales += r.Sales // nothing was deleted
	} else {
		b.Sales += max(r.Sales, 0)
		b.DeletedSales += max(-r.Sales, 0)
	}
	b.Conversions += r.Conversions
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
	*sum, err = sum.Add(engine.AccruedBy(r))
	return err
}

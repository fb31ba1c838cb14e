package reading

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/engine"
	"github.com/tributary-go/tributary/internal/isodate"
	"github.com/tributary-go/tributary/internal/refusal"
	"github.com/tributary-go/tributary/internal/uuid7"
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

// reportPiece is the number of records that a report reads in one View.
const reportPiece = 1000

// Report implements tributary.Program.Report.
func Report(ctx context.Context, p *engine.Program, q affiliate.ReportQuery,
	pg affiliate.Page) (_ affiliate.List[affiliate.Bucket], err error) {
	defer p.Begin(&ctx, "Report", engine.Reads).End(&err)
	q.From, q.To = q.From.UTC(), q.To.UTC()
	if err := check(&q); err != nil {
		return affiliate.List[affiliate.Bucket]{}, err
	}
	edges, err := edges(&q, p.Cfg.Location)
	if err != nil {
		return affiliate.List[affiliate.Bucket]{}, err
	}
	l, err := p.Listing(pg, "report", q)
	if err == nil {
		l, err = l.Open()
	}
	if err != nil {
		return affiliate.List[affiliate.Bucket]{}, err
	}
	buckets := len(edges) - 1
	from, to := int(engine.NumberIn(l.Query.After)), buckets
	if from < 0 || from >= buckets {
		return affiliate.List[affiliate.Bucket]{}, refusal.CursorInvalid.Err()
	}
	if l.Query.Limit > 0 {
		to = min(to, from+l.Query.Limit)
	}
	s := series{Program: p, edges: edges[from : to+1]}
	if s.of, err = engine.View(ctx, p, func(o *engine.Op) (reportRead, error) { return reportedIn(o, &q) }); err != nil {
		return affiliate.List[affiliate.Bucket]{}, err
	}
	out := affiliate.List[affiliate.Bucket]{}
	if out.Items, err = s.fill(ctx); err == nil && to < buckets {
		out.Next = engine.SealCursor(record.NumberID(int64(to)), l.Scope)
	}
	return out, err
}

// reportRead holds what a report reads.
type reportRead struct {
	movements record.Key                  // zero: those of the program
	fits      func(*record.Movement) bool // which of them count; nil: all
	visits    record.Key                  // clicks and referrals; zero: those of the program
	code      bool                        // a code has neither
	nobody    bool                        // there is nothing to read
}

// reportedIn finds out what a report reads, and whether the books are open.
func reportedIn(o *engine.Op, q *affiliate.ReportQuery) (of reportRead, err error) {
	var owner uuid.UUID
	switch {
	case !q.AffiliateID.IsZero():
		if owner, err = o.Heir(q.AffiliateID.Or(uuid.Nil)); err != nil {
			return of, refusal.Internal("read what a report is about", err)
		}
		of.visits = record.Key{Index: record.OfAffiliate, ID: owner}
	case !q.LinkID.IsZero():
		var link record.Link
		link, err = o.Tx.Links.Get(q.LinkID.Or(uuid.Nil))
		owner = link.AffiliateID
		of.visits = record.Key{Index: record.OfLink, ID: link.ID}
		of.fits = func(r *record.Movement) bool { return r.LinkID == link.ID }
	case !q.CodeID.IsZero():
		var code record.Code
		code, err = o.Tx.Codes.Get(q.CodeID.Or(uuid.Nil))
		owner, of.code = code.AffiliateID, true
		of.fits = func(r *record.Movement) bool { return r.CodeID == code.ID }
	default:
		return of, nil
	}
	if err != nil && !errors.Is(err, affiliate.ErrNotFound) {
		return of, refusal.Internal("read what a report is about", err)
	}
	if of.nobody = owner == uuid.Nil; of.nobody {
		return of, nil
	}
	of.movements = record.Key{Index: record.OfAffiliate, ID: owner}
	_, err = openSince(o, owner, affiliate.InstantOf(q.From))
	return of, err
}

// A series is some buckets that are being filled.
type series struct {
	*engine.Program
	of      reportRead
	edges   []affiliate.Instant // one more than there are buckets
	buckets []affiliate.Bucket
}

// fill reads everything that is counted in the buckets.
func (s *series) fill(ctx context.Context) ([]affiliate.Bucket, error) {
	s.buckets = make([]affiliate.Bucket, len(s.edges)-1)
	for i := range s.buckets {
		b := &s.buckets[i]
		b.Start, b.End = affiliate.TimeOf(s.edges[i].Time()), affiliate.TimeOf(s.edges[i+1].Time())
		b.Clicks, b.Referrals = affiliate.Set[int64](0), affiliate.Set[int64](0)
		if s.of.code {
			b.Clicks, b.Referrals = affiliate.Null[int64](), affiliate.Null[int64]()
		}
	}
	if s.of.nobody {
		return s.buckets, nil
	}
	err := readOn(ctx, s.Program, func(tx *record.Tx) record.Table[record.Movement] { return tx.Movements },
		record.Query{Key: s.of.movements, After: engine.FirstMovement(s.edges[0])},
		func(rec *record.Movement) bool { return !rec.At.Before(s.end()) }, eachOf(s.addMovement))
	if err != nil || s.of.code {
		return s.buckets, err
	}
	err = countClicks(ctx, s.Program, s.of.visits, s.span(), func(rec *record.Click) error {
		if b := s.bucket(rec.CreatedAt); b != nil {
			b.Clicks = oneMore(b.Clicks)
		}
		return nil
	})
	if err != nil {
		return s.buckets, err
	}
	err = countReferrals(ctx, s.Program, s.of.visits, s.span(), func(rec *record.Referral) error {
		if b := s.bucket(rec.CreatedAt); b != nil {
			b.Referrals = oneMore(b.Referrals)
		}
		return nil
	})
	return s.buckets, err
}

// addMovement counts a movement in its bucket.
func (s *series) addMovement(rec *record.Movement) error {
	b := s.bucket(rec.At)
	if b == nil || s.of.fits != nil && !s.of.fits(rec) {
		return nil
	}
	if err := addMovement(&b.Activity, rec); err != nil {
		return refusal.Internal("add movements", err)
	}
	return nil
}

// end returns the end of the last bucket.
func (s *series) end() affiliate.Instant { return s.edges[len(s.buckets)] }

// bucket returns the bucket of a time; nil when it has none.
func (s *series) bucket(at affiliate.Instant) *affiliate.Bucket {
	i, begins := slices.BinarySearchFunc(s.edges, at, affiliate.Instant.Compare)
	if !begins {
		i--
	}
	if i < 0 || i == len(s.buckets) {
		return nil
	}
	return &s.buckets[i]
}

// A span is a period: from the one instant on, and before the other.
type span struct{ from, to affiliate.Instant }

func (s span) has(at affiliate.Instant) bool { return !at.Before(s.from) && at.Before(s.to) }

// span returns what the buckets cover.
func (s *series) span() span { return span{s.edges[0], s.end()} }

// oneMore adds one to a number.
func oneMore(n affiliate.Opt[int64]) affiliate.Opt[int64] { return affiliate.Set(n.Or(0) + 1) }

// countClicks runs fn on the clicks of a period, and on some around it.
func countClicks(ctx context.Context, p *engine.Program, key record.Key, in span, fn func(*record.Click) error) error {
	return countVisits(ctx, p, func(tx *record.Tx) record.Table[record.Click] { return tx.Clicks },
		key, in, func(rec *record.Click) affiliate.Instant { return rec.CreatedAt }, fn)
}

// countReferrals is countClicks for referrals.
func countReferrals(ctx context.Context, p *engine.Program, key record.Key, in span,
	fn func(*record.Referral) error) error {
	return countVisits(ctx, p, func(tx *record.Tx) record.Table[record.Referral] { return tx.Referrals },
		key, in, func(rec *record.Referral) affiliate.Instant { return rec.CreatedAt }, fn)
}

// countVisits runs fn on clicks or referrals. Their ids carry the millisecond of
// their creation, or a later one when the clock has gone back. Ids of the host
// carry no time: then all records are read.
func countVisits[R record.Record[R]](ctx context.Context, p *engine.Program, table func(*record.Tx) record.Table[R], key record.Key, in span, created func(*R) affiliate.Instant, fn func(*R) error) error {
	q := record.Query{Key: key, After: uuid7.Stamp(uuid.UUID{}, in.from.Time())}
	over := func(rec *R) bool { return p.After(created(rec), in.to) }
	if p.Cfg.NewID != nil {
		q.After = uuid.Nil
	}
	return readOn(ctx, p, table, q, over, eachOf(fn))
}

// eachOf runs fn on each record of a piece.
func eachOf[R any](fn func(*R) error) func([]R) error {
	return func(recs []R) error {
		for i := range recs {
			if err := fn(&recs[i]); err != nil {
				return err
			}
		}
		return nil
	}
}

// readOn runs fn on pieces of the records that a query lists, up to the first one that is
// over. It reads a piece in each View, so that no writer waits for the rest.
func readOn[R record.Record[R]](ctx context.Context, p *engine.Program, table func(*record.Tx) record.Table[R], q record.Query, over func(*R) bool, fn func([]R) error) error {
	q.Limit = reportPiece
	for {
		recs, err := engine.View(ctx, p, func(o *engine.Op) (recs []R, err error) {
			for rec, err := range table(o.Tx).List(q) {
				if err != nil {
					return nil, refusal.Internal("read what a report counts", err)
				}
				if over(&rec) {
					break
				}
				recs = append(recs, rec)
			}
			return recs, nil
		})
		if err != nil {
			return err
		}
		if err := fn(recs); err != nil {
			return err
		}
		if len(recs) < q.Limit {
			return nil
		}
		q.After = recs[len(recs)-1].RecordID()
	}
}

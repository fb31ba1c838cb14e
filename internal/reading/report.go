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
)

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
		engine.InQuery(refusal.OneOf("by", q.By, engine.Intervals)),
		refusal.ReportOfSeveral.When(given > 1),
	)
}

// edges returns the beginnings of the buckets, and the end of the last one.
func edges(q *affiliate.ReportQuery, loc *time.Location) ([]affiliate.Instant, error) {
	to := affiliate.InstantOf(q.To)
	edges := []affiliate.Instant{affiliate.InstantOf(q.From)}
	year, month, date := q.From.In(loc).Date()
	day := engine.Begins(q.By, year, month, date)
	for {
		day = engine.Ends(q.By, day)
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
	of := movementsBy("affiliate_link_id", "promotional_code_id")
	if s.of.fits == nil {
		of = movementsBy()
	}
	of.Key, of.Edges = s.of.movements, s.edges
	err := sumMovements(ctx, s.Program, of, s.addSums, eachOf(s.addMovement))
	if err != nil || s.of.code {
		return s.buckets, err
	}
	err = countClicks(ctx, s.Program, record.Sum{Key: s.of.visits, Edges: s.edges}, func(rec *record.Click, n int64) error {
		if b := s.bucket(rec.CreatedAt); b != nil {
			b.Clicks = more(b.Clicks, n)
		}
		return nil
	})
	if err != nil {
		return s.buckets, err
	}
	err = countReferrals(ctx, s.Program, record.Sum{Key: s.of.visits, Edges: s.edges}, func(rec *record.Referral, n int64) error {
		if b := s.bucket(rec.CreatedAt); b != nil {
			b.Referrals = more(b.Referrals, n)
		}
		return nil
	})
	return s.buckets, err
}

// addSums counts movements that the store has added up.
func (s *series) addSums(sums []record.Summed) (done bool, err error) {
	for i := range sums {
		rec := sums[i].AnyRecord.(record.Movement)
		if err := s.addMovement(&rec); err != nil {
			return false, err
		}
	}
	return true, nil
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

package affiliate

import (
	"context"
	"errors"
	"slices"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/internal/uuid7"
)

// reportPiece is how many records a report reads in one View.
const reportPiece = 1000

// Report counts what happened in each day, week or month of a period, from ≤ t <
// to: the oldest first, empty ones too. A sale, a refund and a deletion count when
// they happen: a refund changes its own day and leaves the day of the sale alone.
// Clicks and referrals are those that are stored now, by the time of their
// creation.
//
// It reads the movements, clicks and referrals of the period, a thousand at a
// time, so its cost does not depend on what is outside. The report of a link or a
// code reads the movements of the affiliate it belongs to, and is about these
// alone. With a [Config].NewID of the host, ids do not tell the time, and all
// clicks and referrals are read.
//
// Errors: [InvalidQuery] (from, to) for a time outside of the years 1–9999 and
// when to is not after from; (by) for another interval; when more than one id is
// set. [MissingField] (by). [ReportTooLarge] for more than 1,000 buckets. [BooksNotOpen] when the
// books of the affiliate are not open, or not yet at from.
//
// Source: docs/money.md 16.
func (p *Program) Report(ctx context.Context, q ReportQuery) (_ []Bucket, err error) {
	defer p.begin(&ctx, "Report", reads).end(&err)
	l, err := p.ReportBuckets(ctx, q, Page{})
	return l.Items, err
}

// ReportBuckets is a page of [Program.Report]. It reads what is in the buckets of
// the page.
//
// Errors: those of Report, and [InvalidQuery] for a bad page.
//
// Source: docs/money.md 16.
func (p *Program) ReportBuckets(ctx context.Context, q ReportQuery, pg Page) (_ List[Bucket], err error) {
	defer p.begin(&ctx, "ReportBuckets", reads).end(&err)
	q.From, q.To = q.From.UTC(), q.To.UTC()
	if err := q.check(); err != nil {
		return List[Bucket]{}, err
	}
	edges, err := q.edges(p.cfg.Location)
	if err != nil {
		return List[Bucket]{}, err
	}
	l, err := p.listing(pg, "report", q)
	if err == nil {
		l, err = l.open()
	}
	if err != nil {
		return List[Bucket]{}, err
	}
	buckets := len(edges) - 1
	from, to := int(numberIn(l.query.After)), buckets
	if from < 0 || from >= buckets {
		return List[Bucket]{}, cursorInvalid.Err()
	}
	if l.query.Limit > 0 {
		to = min(to, from+l.query.Limit)
	}
	s := series{Program: p, edges: edges[from : to+1]}
	if s.of, err = view(ctx, p, func(o *op) (reported, error) { return o.reported(&q) }); err != nil {
		return List[Bucket]{}, err
	}
	out := List[Bucket]{}
	if out.Items, err = s.fill(ctx); err == nil && to < buckets {
		out.Next = sealCursor(numberID(int64(to)), l.scope)
	}
	return out, err
}

// reported is what a report reads.
type reported struct {
	movements Key                        // zero: those of the program
	fits      func(*MovementRecord) bool // which of them count; nil: all
	visits    Key                        // clicks and referrals; zero: those of the program
	code      bool                       // a code has neither
	nobody    bool                       // there is nothing to read
}

// reported finds out what a report reads, and whether the books are open.
func (o *op) reported(q *ReportQuery) (of reported, err error) {
	var owner uuid.UUID
	switch {
	case !q.AffiliateID.IsZero():
		owner = q.AffiliateID.Or(uuid.Nil)
		of.visits = Key{Index: OfAffiliate, ID: owner}
	case !q.LinkID.IsZero():
		var link LinkRecord
		link, err = o.tx.Links.Get(q.LinkID.Or(uuid.Nil))
		owner = link.AffiliateID
		of.visits = Key{Index: OfLink, ID: link.ID}
		of.fits = func(r *MovementRecord) bool { return r.LinkID == link.ID }
	case !q.CodeID.IsZero():
		var code CodeRecord
		code, err = o.tx.Codes.Get(q.CodeID.Or(uuid.Nil))
		owner, of.code = code.AffiliateID, true
		of.fits = func(r *MovementRecord) bool { return r.CodeID == code.ID }
	default:
		return of, nil
	}
	if err != nil && !errors.Is(err, ErrNotFound) {
		return of, internal("read what a report is about", err)
	}
	if of.nobody = owner == uuid.Nil; of.nobody {
		return of, nil
	}
	of.movements = Key{Index: OfAffiliate, ID: owner}
	_, err = o.openSince(owner, InstantOf(q.From))
	return of, err
}

// A series is some buckets that are being filled.
type series struct {
	*Program
	of      reported
	edges   []Instant // one more than there are buckets
	buckets []Bucket
}

// fill reads everything that is counted in the buckets.
func (s *series) fill(ctx context.Context) ([]Bucket, error) {
	s.buckets = make([]Bucket, len(s.edges)-1)
	for i := range s.buckets {
		b := &s.buckets[i]
		b.Start, b.End = TimeOf(s.edges[i].Time()), TimeOf(s.edges[i+1].Time())
		b.Clicks, b.Referrals = Set[int64](0), Set[int64](0)
		if s.of.code {
			b.Clicks, b.Referrals = Null[int64](), Null[int64]()
		}
	}
	if s.of.nobody {
		return s.buckets, nil
	}
	err := readOn(ctx, s.Program, func(tx *Tx) Table[MovementRecord] { return tx.Movements },
		Query{Key: s.of.movements, After: firstMovement(s.edges[0])},
		func(rec *MovementRecord) bool { return !rec.At.Before(s.end()) }, s.addMovement)
	if err != nil || s.of.code {
		return s.buckets, err
	}
	err = countVisits(ctx, s, func(tx *Tx) Table[ClickRecord] { return tx.Clicks },
		func(rec *ClickRecord) Instant { return rec.CreatedAt }, func(b *Bucket) *Opt[int64] { return &b.Clicks })
	if err != nil {
		return s.buckets, err
	}
	err = countVisits(ctx, s, func(tx *Tx) Table[ReferralRecord] { return tx.Referrals },
		func(rec *ReferralRecord) Instant { return rec.CreatedAt }, func(b *Bucket) *Opt[int64] { return &b.Referrals })
	return s.buckets, err
}

// addMovement counts a movement in its bucket.
func (s *series) addMovement(rec *MovementRecord) error {
	b := s.bucket(rec.At)
	if b == nil || s.of.fits != nil && !s.of.fits(rec) {
		return nil
	}
	if err := b.addMovement(rec); err != nil {
		return internal("add movements", err)
	}
	return nil
}

// end is the end of the last bucket.
func (s *series) end() Instant { return s.edges[len(s.buckets)] }

// bucket is the bucket of a time; nil when it has none.
func (s *series) bucket(at Instant) *Bucket {
	i, begins := slices.BinarySearchFunc(s.edges, at, Instant.Compare)
	if !begins {
		i--
	}
	if i < 0 || i == len(s.buckets) {
		return nil
	}
	return &s.buckets[i]
}

// countVisits counts clicks or referrals. Their ids carry the milliseconds of
// their creation, or later ones where the clock has gone back. Ids of the host
// carry nothing: all records are read.
func countVisits[R Record[R]](ctx context.Context, s *series, table func(*Tx) Table[R], created func(*R) Instant, number func(*Bucket) *Opt[int64]) error {
	q := Query{Key: s.of.visits, After: uuid7.Stamp(uuid.UUID{}, s.edges[0].Time())}
	over := func(rec *R) bool { return !created(rec).Before(s.end().Add(clockSlack)) }
	if s.cfg.NewID != nil {
		q.After, over = uuid.Nil, func(*R) bool { return false }
	}
	return readOn(ctx, s.Program, table, q, over, func(rec *R) error {
		if b := s.bucket(created(rec)); b != nil {
			n := number(b)
			*n = Set(n.Or(0) + 1)
		}
		return nil
	})
}

// readOn runs fn on the records that a query lists, up to the first one that is
// over. It reads a piece in each View, so that no writer waits for the rest.
func readOn[R Record[R]](ctx context.Context, p *Program, table func(*Tx) Table[R], q Query, over func(*R) bool, fn func(*R) error) error {
	q.Limit = reportPiece
	for {
		recs, err := view(ctx, p, func(o *op) (recs []R, err error) {
			for rec, err := range table(o.tx).List(q) {
				if err != nil {
					return nil, internal("read what a report counts", err)
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
		for i := range recs {
			if err := fn(&recs[i]); err != nil {
				return err
			}
		}
		if len(recs) < q.Limit {
			return nil
		}
		q.After = recs[len(recs)-1].RecordID()
	}
}

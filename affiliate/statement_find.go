package affiliate

import (
	"context"
	"errors"
	"iter"
	"time"

	"github.com/google/uuid"
)

// clockTrust is how long after its end a period counts as closed by itself: no
// transaction takes so long, and no two clocks are so far apart.
const clockTrust = time.Hour

// Statement returns what was owed to an affiliate at the beginning and at the end
// of a period, from ≤ t < to. The lines are read when they are asked for. A
// statement costs the same however many movements there are outside.
//
// Errors: [AffiliateNotFound]; [InvalidQuery] (from, to) for a time outside of
// the years 1–9999 and when to is not after from; [BooksNotOpen], also for a
// period that begins before [Program.OpenBooks].
//
// Source: docs/money.md 9.
func (p *Program) Statement(ctx context.Context, affiliate uuid.UUID, from, to time.Time) (_ Statement, err error) {
	defer p.begin(&ctx, "Statement", reads).end(&err)
	q := StatementQuery{affiliate, from, to}
	if err := q.check(); err != nil {
		return Statement{}, err
	}
	s := Statement{AffiliateID: affiliate, Currency: p.cfg.Currency, From: TimeOf(from), To: TimeOf(to)}
	now := p.now()
	last, err := view(ctx, p, func(o *op) (last int64, err error) {
		books, err := o.booksSince(affiliate, InstantOf(from))
		if err != nil {
			return 0, err
		}
		s.Closed = !InstantOf(to).After(books.ClosedUntil) || !InstantOf(to).Add(clockTrust).After(now)
		if s.Opening, _, err = o.figuresBefore(affiliate, InstantOf(from)); err == nil {
			s.Closing, last, err = o.figuresBefore(affiliate, InstantOf(to))
		}
		return last, err
	})
	if err != nil {
		return Statement{}, err
	}
	s.lines = p.linesUntil(ctx, q, last)
	return s, nil
}

// check refuses a period that is empty, or that no movement can be in.
func (q *StatementQuery) check() error {
	return first(
		inQuery(FieldNotADate.about("from").when(!At(q.From).valid())),
		inQuery(FieldNotADate.about("to").when(!At(q.To).valid())),
		inQuery(fieldNotAfterFrom.about("to").when(!q.To.After(q.From))),
	)
}

// linesUntil yields the lines up to a movement.
func (p *Program) linesUntil(ctx context.Context, q StatementQuery, last int64) iter.Seq2[StatementLine, error] {
	lines := Each(cursorPage, func(pg Page) (List[StatementLine], error) { return p.StatementLines(ctx, q, pg) })
	return func(yield func(StatementLine, error) bool) {
		for line, err := range lines {
			if line.Number > last || !yield(line, err) {
				return
			}
		}
	}
}

// StatementLines lists the lines of a period, oldest first; of one that goes on,
// those that are there by now.
//
// Errors: those of [Program.Statement], and [InvalidQuery] for a bad page.
//
// Source: docs/money.md 9.
func (p *Program) StatementLines(ctx context.Context, q StatementQuery, pg Page) (_ List[StatementLine], err error) {
	defer p.begin(&ctx, "StatementLines", reads).end(&err)
	if err := q.check(); err != nil {
		return List[StatementLine]{}, err
	}
	since, end := InstantOf(q.From), InstantOf(q.To)
	l, err := p.listing(pg, "statement", []any{q.AffiliateID, since.micros, end.micros})
	if err != nil {
		return List[StatementLine]{}, err
	}
	l.query.Desc, l.query.After = false, firstMovement(since) // a cursor is further on
	return view(ctx, p, func(o *op) (List[StatementLine], error) {
		if _, err := o.booksSince(q.AffiliateID, since); err != nil {
			return List[StatementLine]{}, err
		}
		table := filtered[MovementRecord]{
			Table: o.tx.Movements,
			keep:  func(r MovementRecord) bool { return r.changesOwed() },
			over:  func(r MovementRecord) bool { return !r.At.Before(end) },
		}
		return collect(table, l.of(Key{Index: OfAffiliate, ID: q.AffiliateID}), statementLineOf)
	})
}

// booksSince are the books of an affiliate, which must be open since a time.
func (o *op) booksSince(affiliate uuid.UUID, since Instant) (Books, error) {
	if _, err := o.tx.Affiliates.Get(affiliate); err != nil {
		return Books{}, affiliateNotFound.ifMissing(err)
	}
	return o.openSince(affiliate, since)
}

// openSince is booksSince of an affiliate who may be gone. The beginning of books
// is shown in whole milliseconds, so these are compared.
func (o *op) openSince(affiliate uuid.UUID, since Instant) (Books, error) {
	books, open, err := o.books(affiliate)
	if err == nil && (!open || books.Opened != ever && since.Before(books.Opened.Truncate(time.Millisecond))) {
		err = booksNotOpen.Err()
	}
	return books, err
}

// figuresBefore are the accounts after the last movement before a time, and the
// number of that movement.
func (o *op) figuresBefore(affiliate uuid.UUID, at Instant) (f Figures, number int64, err error) {
	rec, err := head(o.tx.Movements, Query{Key: Key{Index: OfAffiliate, ID: affiliate}, After: firstMovement(at), Desc: true})
	if errors.Is(err, ErrNotFound) {
		return Figures{}, 0, nil
	}
	if err != nil {
		return Figures{}, 0, internal("read movements", err)
	}
	f, err = figuresOf(rec)
	return f, rec.Number, err
}

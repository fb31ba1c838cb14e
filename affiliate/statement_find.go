package affiliate

import (
	"context"
	"errors"
	"strconv"
	"strings"
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
// Errors: [MissingField] for the zero id; [AffiliateNotFound]; [InvalidQuery]
// (from, to) for a time outside of the years 1–9999 and when to is not after from;
// [BooksNotOpen], also for a period that begins before [Program.OpenBooks].
//
// Source: docs/money.md 9.
func (p *Program) Statement(ctx context.Context, affiliate uuid.UUID, from, to time.Time) (_ Statement, err error) {
	caller := ctx // the lines are read later, by calls of their own
	defer p.begin(&ctx, "Statement", reads).end(&err)
	s, q, err := p.statement(ctx, AffiliateRef{ID: affiliate}, from, to)
	if err == nil {
		s = s.WithLines(Each(cursorPage, func(pg Page) (List[StatementLine], error) { return p.StatementLines(caller, q, pg) }))
	}
	return s, err
}

// StatementPage is [Program.Statement] of the affiliate that is named by id, by
// email or by both, with a page of its lines. The pages that follow have the lines
// that were there when the first one was read.
//
// Errors: those of Statement, [IdentifiersMismatch], and [InvalidQuery] for a bad
// page.
//
// Source: docs/money.md 17.
func (p *Program) StatementPage(ctx context.Context, of AffiliateRef, from, to time.Time, pg Page) (_ Statement, _ List[StatementLine], err error) {
	defer p.begin(&ctx, "StatementPage", reads).end(&err)
	s, q, err := p.statement(ctx, of, from, to)
	if err != nil {
		return Statement{}, List[StatementLine]{}, err
	}
	lines, err := p.StatementLines(ctx, q, pg)
	return s, lines, err
}

// statement is a statement without its lines, and which lines these are.
func (p *Program) statement(ctx context.Context, of AffiliateRef, from, to time.Time) (Statement, StatementQuery, error) {
	q := StatementQuery{From: from, To: to}
	err := first(RefuseNoOwner.when(of == AffiliateRef{}))
	if err == nil {
		err = q.check()
	}
	if err != nil {
		return Statement{}, q, err
	}
	s := Statement{Currency: p.cfg.Currency, From: TimeOf(from), To: TimeOf(to)}
	now := p.now()
	last, err := view(ctx, p, func(o *op) (last int64, err error) {
		aff, err := o.affiliateByIDOrEmail(of.ID, of.Email)
		if err != nil {
			return 0, RefuseNoAffiliate.ifMissing(err)
		}
		s.AffiliateID = aff.ID
		books, err := o.booksSince(aff.ID, InstantOf(from))
		if err != nil {
			return 0, err
		}
		s.Closed = !InstantOf(to).After(books.ClosedUntil) || !InstantOf(to).Add(clockTrust).After(now)
		if s.Opening, _, err = o.figuresBefore(aff.ID, InstantOf(from)); err == nil {
			s.Closing, last, err = o.figuresBefore(aff.ID, InstantOf(to))
		}
		return last, err
	})
	if err != nil {
		return Statement{}, q, err
	}
	q.AffiliateID, q.Last = s.AffiliateID, Set(last)
	return s, q, nil
}

// check refuses a period that is empty, or that no movement can be in.
func (q *StatementQuery) check() error {
	return first(
		inQuery(FieldNotADate.about("from").when(!At(q.From).Valid())),
		inQuery(FieldNotADate.about("to").when(!At(q.To).Valid())),
		inQuery(fieldNotAfterFrom.about("to").when(!q.To.After(q.From))),
	)
}

// StatementLines lists the lines of a period, oldest first. Of a period that goes
// on, all pages have the lines that were there when the first one was read.
//
// Errors: those of [Program.Statement], and [InvalidQuery] for a bad page.
//
// Source: docs/money.md 9.
func (p *Program) StatementLines(ctx context.Context, q StatementQuery, pg Page) (_ List[StatementLine], err error) {
	defer p.begin(&ctx, "StatementLines", reads).end(&err)
	err = q.check()
	if err == nil {
		err = q.goOn(&pg)
	}
	if err != nil {
		return List[StatementLine]{}, err
	}
	since, end := InstantOf(q.From), InstantOf(q.To)
	return view(ctx, p, func(o *op) (List[StatementLine], error) {
		if _, err := o.booksSince(q.AffiliateID, since); err != nil {
			return List[StatementLine]{}, err
		}
		last, known := q.Last.Get()
		if !known {
			var err error
			if _, last, err = o.figuresBefore(q.AffiliateID, end); err != nil {
				return List[StatementLine]{}, err
			}
		}
		l, err := p.listing(pg, "statement", []any{q.AffiliateID, since, end, last})
		if err != nil {
			return List[StatementLine]{}, err
		}
		l.query.Desc, l.query.After = false, firstMovement(since) // a cursor is further on
		table := filtered[MovementRecord]{
			Table: o.tx.Movements,
			keep:  func(r MovementRecord) bool { return r.changesOwed() },
			over:  func(r MovementRecord) bool { return !r.At.Before(end) || r.Number > last },
		}
		list, err := collect(table, l.of(Key{Index: OfAffiliate, ID: q.AffiliateID}), statementLineOf)
		if list.Next != "" {
			list.Next = strconv.FormatInt(last, 10) + "." + list.Next
		}
		return list, err
	})
}

// goOn takes the last movement out of a cursor, which begins with its number and a
// point.
func (q *StatementQuery) goOn(pg *Page) error {
	if pg.Cursor == "" {
		return nil
	}
	number, rest, _ := strings.Cut(pg.Cursor, ".")
	last, err := strconv.ParseInt(number, 10, 64)
	if err != nil || rest == "" {
		return cursorInvalid.Err()
	}
	q.Last, pg.Cursor = Set(last), rest
	return nil
}

// booksSince are the books of an affiliate, which must be open since a time.
func (o *op) booksSince(affiliate uuid.UUID, since Instant) (Books, error) {
	if _, err := o.tx.Affiliates.Get(affiliate); err != nil {
		return Books{}, RefuseNoAffiliate.ifMissing(err)
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

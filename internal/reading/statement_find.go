package reading

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/engine"
	"github.com/tributary-go/tributary/internal/refusal"
)

// clockTrust is the time after the end of a period from which it counts as closed
// without CloseBooks: no transaction takes that long, and no two clocks differ by
// that much.
const clockTrust = time.Hour

// Statement implements tributary.Program.Statement.
func Statement(ctx context.Context, p *engine.Program, affiliateID uuid.UUID, from, to time.Time) (_ affiliate.Statement, err error) {
	caller := ctx // the lines are read later, by calls of their own
	defer p.Begin(&ctx, "Statement", engine.Reads).End(&err)
	s, q, err := statement(ctx, p, affiliate.AffiliateRef{ID: affiliateID}, from, to)
	if err == nil {
		s = s.WithLines(affiliate.Each(affiliate.PageSize, func(pg affiliate.Page) (affiliate.List[affiliate.StatementLine], error) {
			return StatementLines(caller, p, q, pg)
		}))
	}
	return s, err
}

// StatementPage implements tributary.Program.StatementPage.
func StatementPage(ctx context.Context, p *engine.Program, of affiliate.AffiliateRef, from, to time.Time, pg affiliate.Page) (_ affiliate.Statement, _ affiliate.List[affiliate.StatementLine], err error) {
	defer p.Begin(&ctx, "StatementPage", engine.Reads).End(&err)
	s, q, err := statement(ctx, p, of, from, to)
	if err != nil {
		return affiliate.Statement{}, affiliate.List[affiliate.StatementLine]{}, err
	}
	lines, err := StatementLines(ctx, p, q, pg)
	return s, lines, err
}

// statement returns a statement without its lines, and which lines these are.
func statement(ctx context.Context, p *engine.Program, of affiliate.AffiliateRef, from, to time.Time) (affiliate.Statement, affiliate.StatementQuery, error) {
	q := affiliate.StatementQuery{From: from, To: to}
	err := refusal.First(refusal.RefuseNoOwner.When(of == affiliate.AffiliateRef{}))
	if err == nil {
		err = statementQueryCheck(&q)
	}
	if err != nil {
		return affiliate.Statement{}, q, err
	}
	s := affiliate.Statement{Currency: p.Cfg.Currency, From: affiliate.TimeOf(from), To: affiliate.TimeOf(to)}
	now := p.Now()
	last, err := engine.View(ctx, p, func(o *engine.Op) (last int64, err error) {
		aff, err := o.AffiliateByIDOrEmail(of.ID, of.Email)
		if err != nil {
			return 0, refusal.RefuseNoAffiliate.IfMissing(err)
		}
		s.AffiliateID = aff.ID
		books, err := booksSince(o, aff.ID, affiliate.InstantOf(from))
		if err != nil {
			return 0, err
		}
		s.Closed = !affiliate.InstantOf(to).After(books.ClosedUntil) || !affiliate.InstantOf(to).Add(clockTrust).After(now)
		if s.Opening, _, err = figuresBefore(o, aff.ID, affiliate.InstantOf(from)); err == nil {
			s.Closing, last, err = figuresBefore(o, aff.ID, affiliate.InstantOf(to))
		}
		return last, err
	})
	if err != nil {
		return affiliate.Statement{}, q, err
	}
	q.AffiliateID, q.Last = s.AffiliateID, affiliate.Set(last)
	return s, q, nil
}

// statementQueryCheck refuses a period that is empty, or that no movement can be in.
func statementQueryCheck(q *affiliate.StatementQuery) error {
	return refusal.First(
		engine.InQuery(refusal.FieldNotADate.About("from").When(!affiliate.At(q.From).Valid())),
		engine.InQuery(refusal.FieldNotADate.About("to").When(!affiliate.At(q.To).Valid())),
		engine.InQuery(refusal.FieldNotAfterFrom.About("to").When(!q.To.After(q.From))),
	)
}

// StatementLines implements tributary.Program.StatementLines.
func StatementLines(ctx context.Context, p *engine.Program, q affiliate.StatementQuery, pg affiliate.Page) (_ affiliate.List[affiliate.StatementLine], err error) {
	defer p.Begin(&ctx, "StatementLines", engine.Reads).End(&err)
	err = statementQueryCheck(&q)
	if err == nil {
		err = goOn(&q, &pg)
	}
	if err != nil {
		return affiliate.List[affiliate.StatementLine]{}, err
	}
	since, end := affiliate.InstantOf(q.From), affiliate.InstantOf(q.To)
	return engine.View(ctx, p, func(o *engine.Op) (affiliate.List[affiliate.StatementLine], error) {
		if _, err := booksSince(o, q.AffiliateID, since); err != nil {
			return affiliate.List[affiliate.StatementLine]{}, err
		}
		last, known := q.Last.Get()
		if !known {
			var err error
			if _, last, err = figuresBefore(o, q.AffiliateID, end); err != nil {
				return affiliate.List[affiliate.StatementLine]{}, err
			}
		}
		l, err := p.Listing(pg, "statement", []any{q.AffiliateID, since, end, last})
		if err != nil {
			return affiliate.List[affiliate.StatementLine]{}, err
		}
		l.Query.Desc, l.Query.After = false, engine.FirstMovement(since) // a cursor is further on
		table := engine.Filtered[record.Movement]{
			Table: o.Tx.Movements,
			Keep:  func(r record.Movement) bool { return changesOwed(&r) },
			Over:  func(r record.Movement) bool { return !r.At.Before(end) || r.Number > last },
		}
		list, err := engine.Collect(table, l.Of(record.Key{Index: record.OfAffiliate, ID: q.AffiliateID}), statementLineOf)
		if list.Next != "" {
			list.Next = strconv.FormatInt(last, 10) + "." + list.Next
		}
		return list, err
	})
}

// goOn takes the last movement out of a cursor, which begins with its number and a
// point.
func goOn(q *affiliate.StatementQuery, pg *affiliate.Page) error {
	if pg.Cursor == "" {
		return nil
	}
	number, rest, _ := strings.Cut(pg.Cursor, ".")
	last, err := strconv.ParseInt(number, 10, 64)
	if err != nil || rest == "" {
		return refusal.CursorInvalid.Err()
	}
	q.Last, pg.Cursor = affiliate.Set(last), rest
	return nil
}

// booksSince returns the books of an affiliate, which must be open since a time.
func booksSince(o *engine.Op, affiliate uuid.UUID, since affiliate.Instant) (record.Books, error) {
	if _, err := o.Tx.Affiliates.Get(affiliate); err != nil {
		return record.Books{}, refusal.RefuseNoAffiliate.IfMissing(err)
	}
	return openSince(o, affiliate, since)
}

// openSince is booksSince for an affiliate who may have been deleted. The beginning
// of books is shown in whole milliseconds, so milliseconds are compared.
func openSince(o *engine.Op, affiliate uuid.UUID, since affiliate.Instant) (record.Books, error) {
	books, open, err := books(o, affiliate)
	if err == nil && (!open || books.Opened != engine.Ever && since.Before(books.Opened.Truncate(time.Millisecond))) {
		err = refusal.BooksNotOpen.Err()
	}
	return books, err
}

// figuresBefore returns the accounts after the last movement before a time, and the
// number of that movement.
func figuresBefore(o *engine.Op, affiliateID uuid.UUID, at affiliate.Instant) (f affiliate.Figures, number int64, err error) {
	rec, err := engine.Head(o.Tx.Movements, record.Query{Key: record.Key{Index: record.OfAffiliate, ID: affiliateID}, After: engine.FirstMovement(at), Desc: true})
	if errors.Is(err, affiliate.ErrNotFound) {
		return affiliate.Figures{}, 0, nil
	}
	if err != nil {
		return affiliate.Figures{}, 0, refusal.Internal("read movements", err)
	}
	f, err = figuresOf(rec)
	return f, rec.Number, err
}

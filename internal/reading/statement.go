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

// statementLineOf returns a movement as a line of a statement.
func statementLineOf(rec record.Movement) (affiliate.StatementLine, error) {
	after, err := figuresOf(rec)
	amount := rec.Amount
	if owed(rec.From.Value()) {
		amount = amount.Neg()
	}
	m := movementOf(rec)
	return affiliate.StatementLine{
		Number: m.Number, At: m.At, Cause: m.Cause, SaleID: m.SaleID, CommissionID: m.CommissionID,
		PayoutID: m.PayoutID, AdjustmentID: m.AdjustmentID, Amount: amount, Owed: after.Owed,
	}, err
}

// changesOwed reports whether a movement changes what is owed. An opening of
// what was already paid does not.
func changesOwed(r *record.Movement) bool { return owed(r.From.Value()) != owed(r.To.Value()) }

// owed reports whether an account is a part of what is owed.
func owed(a affiliate.Account) bool {
	return a == affiliate.AccountHeld || a == affiliate.AccountPayable || a == affiliate.AccountInPayout
}

// figuresOf returns the accounts after a movement.
func figuresOf(rec record.Movement) (f affiliate.Figures, err error) {
	f = affiliate.Figures{Held: rec.Held, Payable: rec.Payable, InPayout: rec.InPayout, Paid: rec.Paid}
	if f.Owed, err = f.Held.Add(f.Payable); err == nil {
		f.Owed, err = f.Owed.Add(f.InPayout)
	}
	return f, err
}

// clockTrust is the time after the end of a period from which it counts as closed
// without CloseBooks: no transaction takes that long, and no two clocks differ by
// that much.
const clockTrust = time.Hour

// Statement implements tributary.Program.Statement.
func Statement(ctx context.Context, p *engine.Program, of affiliate.AffiliateRef, from,
	to time.Time) (_ affiliate.Statement, err error) {
	caller := ctx // the lines are read later, by calls of their own
	defer p.Begin(&ctx, "Statement", engine.Reads).End(&err)
	err = refusal.First(refusal.RefuseNoOwner.When(of == affiliate.AffiliateRef{}))
	if err == nil {
		err = checkPeriod(from, to)
	}
	if err != nil {
		return affiliate.Statement{}, err
	}
	s := affiliate.Statement{Currency: p.Cfg.Currency, From: affiliate.TimeOf(from), To: affiliate.TimeOf(to)}
	shown := period{since: affiliate.InstantOf(from), end: affiliate.InstantOf(to)}
	now := p.Now()
	shown.last, err = engine.View(ctx, p, func(o *engine.Op) (last int64, err error) {
		aff, err := o.AffiliateOf(of)
		if err != nil {
			return 0, refusal.RefuseNoAffiliate.IfMissing(err)
		}
		s.AffiliateID = aff.ID
		books, err := booksSince(o, aff.ID, shown.since)
		if err != nil {
			return 0, err
		}
		s.Closed = !shown.end.After(books.ClosedUntil) || !shown.end.Add(clockTrust).After(now)
		if s.Opening, _, err = figuresBefore(o, aff.ID, shown.since); err == nil {
			s.Closing, last, err = figuresBefore(o, aff.ID, shown.end)
		}
		return last, err
	})
	if err != nil {
		return affiliate.Statement{}, err
	}
	return s.WithPages(func(pg affiliate.Page) (affiliate.List[affiliate.StatementLine], error) {
		return linesOf(caller, p, s.AffiliateID, shown, pg)
	}), nil
}

// A period is the part of an affiliate's movements that a statement shows.
type period struct {
	since, end affiliate.Instant // from the one on, and before the other
	last       int64             // the number of the last movement that is shown
}

// checkPeriod refuses a period that is empty, or that no movement can be in.
func checkPeriod(from, to time.Time) error {
	return refusal.First(
		engine.InQuery(refusal.FieldNotADate.About("from").When(!affiliate.At(from).Valid())),
		engine.InQuery(refusal.FieldNotADate.About("to").When(!affiliate.At(to).Valid())),
		engine.InQuery(refusal.FieldNotAfterFrom.About("to").When(!to.After(from))),
	)
}

// linesOf is a page of the lines of a statement.
func linesOf(ctx context.Context, p *engine.Program, of uuid.UUID, shown period,
	pg affiliate.Page) (_ affiliate.List[affiliate.StatementLine], err error) {
	defer p.Begin(&ctx, "Statement", engine.Reads).End(&err)
	if err := goOn(&shown, &pg); err != nil {
		return affiliate.List[affiliate.StatementLine]{}, err
	}
	return engine.View(ctx, p, func(o *engine.Op) (affiliate.List[affiliate.StatementLine], error) {
		if _, err := booksSince(o, of, shown.since); err != nil {
			return affiliate.List[affiliate.StatementLine]{}, err
		}
		l, err := p.Listing(pg, "statement", []any{of, shown.since, shown.end, shown.last})
		if err != nil {
			return affiliate.List[affiliate.StatementLine]{}, err
		}
		l.Query.Desc, l.Query.After = false, engine.FirstMovement(shown.since) // a cursor is further on
		table := engine.FilteredTable[record.Movement]{
			Table: o.Tx.Movements,
			Keep:  func(r record.Movement) bool { return changesOwed(&r) },
			Over:  func(r record.Movement) bool { return !r.At.Before(shown.end) || r.Number > shown.last },
		}
		list, err := engine.Collect(table, l.Of(record.Key{Index: record.OfAffiliate, ID: of}), statementLineOf)
		if list.Next != "" {
			list.Next = strconv.FormatInt(shown.last, 10) + "." + list.Next
		}
		return list, err
	})
}

// goOn takes the last movement out of a cursor, which begins with its number and a
// point.
func goOn(shown *period, pg *affiliate.Page) error {
	if pg.Cursor == "" {
		return nil
	}
	number, rest, _ := strings.Cut(pg.Cursor, ".")
	last, err := strconv.ParseInt(number, 10, 64)
	if err != nil || rest == "" {
		return refusal.CursorInvalid.Err()
	}
	shown.last, pg.Cursor = last, rest
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
func figuresBefore(o *engine.Op, affiliateID uuid.UUID,
	at affiliate.Instant) (f affiliate.Figures, number int64, err error) {
	rec, err := engine.Head(o.Tx.Movements,
		record.Query{Key: record.Key{Index: record.OfAffiliate, ID: affiliateID},
			After: engine.FirstMovement(at), Desc: true})
	if errors.Is(err, affiliate.ErrNotFound) {
		return affiliate.Figures{}, 0, nil
	}
	if err != nil {
		return affiliate.Figures{}, 0, refusal.Internal("read movements", err)
	}
	f, err = figuresOf(rec)
	return f, rec.Number, err
}

package affiliate

import (
	"context"
	"time"
)

// CloseBooks closes the books of all affiliates until a time, inclusive, and
// returns of how many. Whatever comes later is booked later, so statements up to
// that time never change. A time before the one that is there changes nothing.
// No record says that books were closed.
//
// Each affiliate is a transaction of its own. After an error the books that were
// closed stay closed: call it again.
//
// Errors: [InvalidField] (until) for a time later than now; those of the store.
//
// Effects: the books; no event.
//
// Source: docs/money.md 9.
func (p *Program) CloseBooks(ctx context.Context, until time.Time) (_ int, err error) {
	defer p.begin(&ctx, "CloseBooks", writes).end(&err)
	o, at := p.op(ctx), InstantOf(until)
	rq := request{name: "books.close", input: until, refused: first(fieldInFuture.about("until").when(at.After(o.now)))}
	return writeAround(o, rq, nil, func() (int, error) {
		wants := func(_ *op, rec TotalsRecord) (bool, error) { return rec.Books.ClosedUntil.Before(at), nil }
		return p.eachBooks(ctx, wants, func(o *op, rec TotalsRecord) (bool, error) {
			rec.Books.ClosedUntil = at
			return true, o.putTotals(rec)
		})
	})
}

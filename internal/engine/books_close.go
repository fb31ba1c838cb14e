package engine

import (
	"context"
	"time"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/refusal"
)

// CloseBooks implements tributary.Program.CloseBooks.
func (p *Program) CloseBooks(ctx context.Context, until time.Time) (_ int, err error) {
	defer p.Begin(&ctx, "CloseBooks", Writes).End(&err)
	o, at := p.Op(ctx), affiliate.InstantOf(until)
	rq := Request{Name: "books.close", Input: until, Refused: refusal.First(refusal.FieldInFuture.About("until").When(at.After(o.Now)))}
	return WriteAround(o, rq, nil, func() (int, error) {
		wants := func(_ *Op, rec record.Totals) (bool, error) { return rec.Books.ClosedUntil.Before(at), nil }
		return p.eachBooks(ctx, wants, func(o *Op, rec record.Totals) (bool, error) {
			rec.Books.ClosedUntil = at
			return true, o.PutTotals(rec)
		})
	})
}

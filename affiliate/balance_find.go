package affiliate

import (
	"context"
	"slices"
	"time"

	"github.com/google/uuid"
)

// Balance returns what an affiliate is owed and was paid, at this moment. It
// reads the kept sums, and besides only the sales that may mature: those of as
// many days as any sale of the affiliate was held.
//
// Errors: [AffiliateNotFound]; [BooksNotOpen] for an affiliate with sales from
// before there were movements, until [Program.OpenBooks].
//
// Source: docs/money.md 8.
func (p *Program) Balance(ctx context.Context, affiliate uuid.UUID) (_ Balance, err error) {
	defer p.begin(&ctx, "Balance", reads).end(&err)
	return p.BalanceOf(ctx, AffiliateRef{ID: affiliate})
}

// BalanceOf is [Program.Balance] of the affiliate that is named by id, by email
// or by both.
//
// Errors: those of Balance, and [IdentifiersMismatch].
//
// Source: docs/money.md 17.
func (p *Program) BalanceOf(ctx context.Context, of AffiliateRef) (_ Balance, err error) {
	defer p.begin(&ctx, "BalanceOf", reads).end(&err)
	now := p.now()
	return view(ctx, p, func(o *op) (Balance, error) {
		o.now = now
		aff, err := o.affiliateByIDOrEmail(of.ID, of.Email)
		if err != nil {
			return Balance{}, RefuseNoAffiliate.ifMissing(err)
		}
		b, open, err := o.balance(aff.ID)
		if err == nil && !open {
			err = booksNotOpen.Err()
		}
		return b, err
	})
}

// Balances lists the balances of all affiliates, newest affiliate first. It
// leaves out those whose books are not open; a page is shorter then, and Next
// says whether there are more.
//
// Errors: [InvalidQuery] for a bad page.
//
// Source: docs/money.md 8.
func (p *Program) Balances(ctx context.Context, pg Page) (_ List[Balance], err error) {
	defer p.begin(&ctx, "Balances", reads).end(&err)
	l, err := p.listing(pg, "balances", nil)
	if err != nil {
		return List[Balance]{}, err
	}
	now := p.now()
	return view(ctx, p, func(o *op) (List[Balance], error) {
		o.now = now
		out, err := collect(o.tx.Affiliates, l, func(rec AffiliateRecord) (Balance, error) {
			b, _, err := o.balance(rec.ID) // of books that are not open: zero
			return b, err
		})
		out.Items = slices.DeleteFunc(out.Items, func(b Balance) bool { return b.AffiliateID == uuid.Nil })
		return out, err
	})
}

// balance is the balance of an affiliate, and whether its books are open.
func (o *op) balance(affiliate uuid.UUID) (b Balance, open bool, err error) {
	books, open, err := o.books(affiliate)
	if err != nil || !open {
		return b, false, err
	}
	maturing, err := o.maturing(affiliate, &books)
	if err != nil {
		return b, false, internal("read sales", err)
	}
	if b, err = books.balance(affiliate, maturing); err != nil {
		return b, false, internal("add accounts", err)
	}
	b.Currency, b.At = o.cfg.Currency, TimeOf(later(o.now, books.LastAt).Time())
	return b, true, nil
}

// books are the books of an affiliate, and whether they are open. An affiliate
// that has nothing to enter in them has open ones.
func (o *op) books(affiliate uuid.UUID) (Books, bool, error) {
	totals, err := o.totals(affiliate)
	if err != nil {
		return Books{}, false, internal("read totals", err)
	}
	return totals.Books, !totals.Books.Opened.IsZero() || totals.Books.Number == 0 && totals.Sales == 0, nil
}

// maturing is the sum of the commissions that are open and accepted, but not
// payable yet. Nothing older than the longest time that a sale was held matures,
// and no debt does: a payout takes it whatever its time.
func (o *op) maturing(affiliate uuid.UUID, books *Books) (sum Amount, err error) {
	if books.MaxHold == 0 {
		return sum, nil
	}
	oldest := o.now.Add(-time.Duration(books.MaxHold)*24*time.Hour - clockSlack)
	for r, err := range o.tx.Sales.List(Query{Key: Key{Index: OfPayable, ID: affiliate}, Desc: true}) {
		if err != nil {
			return sum, err
		}
		if r.CreatedAt.Before(oldest) {
			break
		}
		for i := range r.Commissions {
			c := &r.Commissions[i]
			if !c.payable() || c.Earned.Sign() < 0 || !r.payableAt(c).After(o.now) {
				continue
			}
			if sum, err = sum.Add(c.Earned); err != nil {
				return sum, err
			}
		}
	}
	return sum, nil
}

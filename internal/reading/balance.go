package reading

import (
	"context"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/engine"
	"github.com/tributary-go/tributary/internal/refusal"
)

// balance returns the balance of open books of which some matures.
func balance(o *engine.Op, b *record.Books, affiliateID uuid.UUID,
	maturing affiliate.Amount) (affiliate.Balance, error) {
	out := affiliate.Balance{
		AffiliateID: affiliateID, Currency: o.Cfg.Currency, Held: b.Held, Maturing: maturing,
		InPayout: b.InPayout, Paid: b.Paid, Movements: b.Number,
		At: affiliate.TimeOf(engine.Later(o.Now, b.LastAt).Time()),
	}
	var err error
	if out.Payable, err = b.Payable.Sub(maturing); err == nil {
		out.Earned, err = earned(b)
	}
	if err != nil {
		return out, refusal.Internal("add accounts", err)
	}
	return out, nil
}

// earned returns the sum of the accounts other than ACCRUAL.
func earned(b *record.Books) (sum affiliate.Amount, err error) {
	for _, amount := range [...]affiliate.Amount{b.Held, b.Payable, b.InPayout, b.Paid} {
		if err == nil {
			sum, err = sum.Add(amount)
		}
	}
	return sum, err
}

// Balance implements tributary.Program.Balance.
func Balance(ctx context.Context, p *engine.Program, of affiliate.AffiliateRef) (_ affiliate.Balance, err error) {
	defer p.Begin(&ctx, "Balance", engine.Reads).End(&err)
	now := p.Now()
	return engine.View(ctx, p, func(o *engine.Op) (affiliate.Balance, error) {
		o.Now = now
		aff, err := o.AffiliateOf(of)
		if err != nil {
			return affiliate.Balance{}, refusal.RefuseNoAffiliate.IfMissing(err)
		}
		b, open, err := currentBalance(o, aff.ID)
		if err == nil && !open {
			err = refusal.BooksNotOpen.Err()
		}
		return b, err
	})
}

// Balances implements tributary.Program.Balances.
func Balances(ctx context.Context, p *engine.Program,
	pg affiliate.Page) (_ affiliate.List[affiliate.Balance], err error) {
	defer p.Begin(&ctx, "Balances", engine.Reads).End(&err)
	l, err := p.Listing(pg, "balances", nil)
	if err != nil {
		return affiliate.List[affiliate.Balance]{}, err
	}
	now := p.Now()
	return engine.View(ctx, p, func(o *engine.Op) (affiliate.List[affiliate.Balance], error) {
		o.Now = now
		out, err := engine.Collect(o.Tx.Affiliates, l, func(rec record.Affiliate) (affiliate.Balance, error) {
			b, _, err := currentBalance(o, rec.ID) // of books that are not open: zero
			return b, err
		})
		out.Items = slices.DeleteFunc(out.Items, func(b affiliate.Balance) bool { return b.AffiliateID == uuid.Nil })
		return out, err
	})
}

// currentBalance returns the balance of an affiliate, and whether its books are open.
func currentBalance(o *engine.Op, affiliateID uuid.UUID) (b affiliate.Balance, open bool, err error) {
	books, open, err := books(o, affiliateID)
	if err != nil || !open {
		return b, false, err
	}
	maturing, err := maturing(o, affiliateID, &books)
	if err != nil {
		return b, false, refusal.Internal("read sales", err)
	}
	b, err = balance(o, &books, affiliateID, maturing)
	return b, err == nil, err
}

// books returns the books of an affiliate, and whether they are open. The books of an
// affiliate with nothing to book count as open.
func books(o *engine.Op, affiliate uuid.UUID) (record.Books, bool, error) {
	totals, err := o.Totals(affiliate)
	if err != nil {
		return record.Books{}, false, refusal.Internal("read totals", err)
	}
	return totals.Books,
		!totals.Books.Opened.IsZero() || totals.Books.Number == 0 && totals.Sales == 0 &&
			totals.Conversions == 0, nil
}

// maturing returns the sum of the commissions that are open and accepted, but not
// payable yet.
func maturing(o *engine.Op, id uuid.UUID, books *record.Books) (sum affiliate.Amount, err error) {
	err = eachMaturing(o, id, books, func(_ affiliate.Instant, earned affiliate.Amount) (err error) {
		sum, err = sum.Add(earned)
		return err
	})
	return sum, err
}

// eachMaturing calls fn with the commissions that are open and accepted, but not payable
// yet, and from when they are. It reads only as far back as the longest time that a sale
// was held. Negative entries never mature: a payout takes them whatever their time.
func eachMaturing(o *engine.Op, of uuid.UUID, books *record.Books,
	fn func(from affiliate.Instant, earned affiliate.Amount) error) error {
	if books.MaxHold == 0 {
		return nil
	}
	oldest := o.Now.Add(-time.Duration(books.MaxHold) * 24 * time.Hour)
	for r, err := range o.Tx.Sales.List(record.Query{Key: record.Key{Index: record.OfPayable, ID: of}, Desc: true}) {
		if err != nil {
			return err
		}
		if o.Before(r.CreatedAt, oldest) {
			break
		}
		if from, earned := r.MaturesAt(), r.Maturing(); from.After(o.Now) && !earned.IsZero() {
			if err := fn(from, earned); err != nil {
				return err
			}
		}
	}
	return nil
}

package reading

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/engine"
	"github.com/tributary-go/tributary/internal/refusal"
)

// TotalBalance implements tributary.Program.TotalBalance.
func TotalBalance(ctx context.Context, p *engine.Program, at time.Time) (_ affiliate.TotalBalance, err error) {
	defer p.Begin(&ctx, "TotalBalance", engine.Reads).End(&err)
	w := walk{Program: p, at: affiliate.InstantOf(at), now: p.Now()}
	out := affiliate.TotalBalance{Currency: p.Cfg.Currency, At: affiliate.TimeOf(cmp.Or(w.at, w.now).Time())}
	err = w.each(ctx, func(b *affiliate.Balance) error {
		out.Affiliates++
		if err := addBalance(&out, b); err != nil {
			return refusal.Internal("add balances", err)
		}
		return nil
	})
	out.NotOpen = w.notOpen
	return out, err
}

// addBalance adds what one affiliate is owed to the total.
func addBalance(t *affiliate.TotalBalance, b *affiliate.Balance) error {
	payable, debt := b.Payable, affiliate.Amount{}
	if b.Payable.Sign() < 0 {
		payable, debt = affiliate.Amount{}, b.Payable.Neg()
	}
	owed, err := b.Earned.Sub(b.Paid)
	for _, sum := range [...]struct {
		to  *affiliate.Amount
		add affiliate.Amount
	}{
		{&t.Held, b.Held}, {&t.Maturing, b.Maturing}, {&t.Payable, payable}, {&t.Debts, debt},
		{&t.InPayout, b.InPayout},
		{&t.Paid, b.Paid}, {&t.Owed, owed}, {&t.Earned, b.Earned},
	} {
		if err == nil {
			*sum.to, err = sum.to.Add(sum.add)
		}
	}
	return err
}

// RankedBalances implements tributary.Program.RankedBalances.
func RankedBalances(ctx context.Context, p *engine.Program, at time.Time,
	pg affiliate.Page) (_ affiliate.List[affiliate.Balance], err error) {
	defer p.Begin(&ctx, "RankedBalances", engine.Reads).End(&err)
	var none affiliate.List[affiliate.Balance]
	w := walk{Program: p, at: affiliate.InstantOf(at), now: p.Now()}
	l, err := p.Listing(pg, "ranked balances", w.at)
	if err == nil {
		l, err = l.Open()
	}
	if err != nil {
		return none, err
	}
	all := []affiliate.Balance{}
	err = w.each(ctx, func(b *affiliate.Balance) error {
		if len(all) == maxRows {
			return refusal.BreakdownTooLarge.Err()
		}
		all = append(all, *b)
		return nil
	})
	if err != nil {
		return none, err
	}
	owed := func(b *affiliate.Balance) affiliate.Amount { d, _ := b.Earned.Sub(b.Paid); return d } // the four add up without it
	slices.SortFunc(all, func(x, y affiliate.Balance) int {
		return cmp.Or(owed(&y).Cmp(owed(&x)), y.Paid.Cmp(x.Paid),
			strings.Compare(x.AffiliateID.String(), y.AffiliateID.String()))
	})
	out := affiliate.List[affiliate.Balance]{}
	out.Items, out.Next, err = pageOf(all, l.Query, l.Scope)
	return out, err
}

// A walk reads the balances of all affiliates who have one that is not zero, of deleted ones
// too.
type walk struct {
	*engine.Program
	at, now affiliate.Instant // zero at: as they are now
	notOpen int64             // affiliates whose books were not open
}

// each runs fn on the balances. It reads the affiliates, and those that were deleted since,
// in pieces, each in a View of its own.
func (w *walk) each(ctx context.Context, fn func(*affiliate.Balance) error) error {
	if !w.at.IsZero() && !affiliate.At(w.at.Time()).Valid() {
		return engine.InQuery(refusal.FieldNotADate.Of("at"))
	}
	there := map[uuid.UUID]bool{}
	err := readOn(ctx, w.Program, func(tx *record.Tx) record.Table[record.Affiliate] { return tx.Affiliates }, record.Query{},
		func(*record.Affiliate) bool { return false },
		func(recs []record.Affiliate) error {
			ids := make([]uuid.UUID, len(recs))
			for i := range recs {
				ids[i] = recs[i].ID
				there[recs[i].ID] = true
			}
			return w.some(ctx, ids, fn)
		})
	if err != nil || w.at.IsZero() {
		return err
	}
	gone := map[uuid.UUID]bool{}
	err = readOn(ctx, w.Program, func(tx *record.Tx) record.Table[record.Movement] { return tx.Movements },
		record.Query{After: engine.FirstMovement(w.at)}, func(*record.Movement) bool { return false },
		eachOf(func(rec *record.Movement) error {
			if !there[rec.AffiliateID] {
				gone[rec.AffiliateID] = true
			}
			return nil
		}))
	if err != nil {
		return err
	}
	for some := range slices.Chunk(slices.SortedFunc(maps.Keys(gone),
		func(a, b uuid.UUID) int { return slices.Compare(a[:], b[:]) }), reportPiece) {
		if err := w.some(ctx, some, fn); err != nil {
			return err
		}
	}
	return nil
}

// some runs fn on the balances of some affiliates.
func (w *walk) some(ctx context.Context, ids []uuid.UUID, fn func(*affiliate.Balance) error) error {
	type part struct {
		balances []affiliate.Balance
		notOpen  int64
	}
	read, err := engine.View(ctx, w.Program, func(o *engine.Op) (out part, err error) {
		o.Now = w.now
		for _, id := range ids {
			b, open, err := balanceAt(o, id, w.at)
			if err != nil {
				return out, err
			}
			if !open {
				out.notOpen++
			} else if !empty(&b) {
				out.balances = append(out.balances, b)
			}
		}
		return out, nil
	})
	w.notOpen += read.notOpen
	for i := range read.balances {
		if err == nil {
			err = fn(&read.balances[i])
		}
	}
	return err
}

// empty reports whether a balance has nothing in it.
func empty(b *affiliate.Balance) bool {
	return b.Held.IsZero() && b.Maturing.IsZero() && b.Payable.IsZero() && b.InPayout.IsZero() && b.Paid.IsZero()
}

// balanceAt returns the balance that an affiliate had before a time, and whether the books
// were open then; of the zero time the balance of now.
func balanceAt(o *engine.Op, affiliateID uuid.UUID, at affiliate.Instant) (b affiliate.Balance, open bool, err error) {
	if at.IsZero() {
		return currentBalance(o, affiliateID)
	}
	books, open, err := books(o, affiliateID)
	if err != nil || !open || books.Opened != engine.Ever && at.Before(books.Opened) {
		return b, false, err
	}
	f, number, err := figuresBefore(o, affiliateID, at)
	if err != nil || number == 0 {
		return affiliate.Balance{AffiliateID: affiliateID}, err == nil, err
	}
	maturing, err := maturingAt(o, affiliateID, at, &books)
	if err != nil {
		return b, false, err
	}
	then := record.Books{Held: f.Held, Payable: f.Payable, InPayout: f.InPayout, Paid: f.Paid, Number: number}
	if b, err = balance(&then, affiliateID, maturing); err != nil {
		return b, false, refusal.Internal("add accounts", err)
	}
	b.Currency, b.At = o.Cfg.Currency, affiliate.TimeOf(at.Time())
	return b, true, nil
}

// maturingAt is maturing as of a time: what the movements of the longest holding period
// before it brought into PAYABLE and left there, of sales that were payable later. A sale
// that was deleted since says no more when it was payable, so it counts as payable.
func maturingAt(o *engine.Op, affiliateID uuid.UUID, at affiliate.Instant,
	books *record.Books) (sum affiliate.Amount, err error) {
	if books.MaxHold == 0 {
		return sum, nil
	}
	oldest := at.Add(-time.Duration(books.MaxHold)*24*time.Hour - engine.ClockSlack)
	left := map[int64]affiliate.Amount{} // in PAYABLE, by the number of the sale
	for m, err := range o.Tx.Movements.List(record.Query{Key: record.Key{Index: record.OfAffiliate,
		ID: affiliateID}, After: engine.FirstMovement(at), Desc: true}) {
		if err != nil {
			return sum, refusal.Internal("read movements", err)
		}
		if m.At.Before(oldest) {
			break
		}
		if m.Sale == 0 || engine.IsMemo(&m) {
			continue
		}
		amount := left[m.Sale]
		if m.To.Is(affiliate.AccountPayable) {
			amount, err = amount.Add(m.Amount)
		} else if m.From.Is(affiliate.AccountPayable) {
			amount, err = amount.Sub(m.Amount)
		}
		if err != nil {
			return sum, refusal.Internal("add movements", err)
		}
		left[m.Sale] = amount
	}
	maps.DeleteFunc(left, func(_ int64, amount affiliate.Amount) bool { return amount.Sign() <= 0 })
	numbered := func(n int64) record.Key { return record.Key{Index: record.ByNumber, ID: record.NumberID(n)} }
	for n := range left {
		o.Soon("sales", numbered(n))
	}
	for n, amount := range left {
		sale, err := o.Tx.Sales.Find(numbered(n))
		if errors.Is(err, affiliate.ErrNotFound) {
			continue
		}
		if err == nil && engine.MaturesAt(&sale).After(at) {
			sum, err = sum.Add(amount)
		}
		if err != nil {
			return sum, refusal.Internal("read sales", err)
		}
	}
	return sum, nil
}

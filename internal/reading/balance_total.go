package reading

import (
	"cmp"
	"context"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/engine"
	"github.com/tributary-go/tributary/internal/refusal"
	"github.com/tributary-go/tributary/internal/uuid7"
)

// TotalBalance implements tributary.Program.TotalBalance.
func TotalBalance(ctx context.Context, p *engine.Program, at time.Time) (_ affiliate.TotalBalance, err error) {
	defer p.Begin(&ctx, "TotalBalance", engine.Reads).End(&err)
	then, now := affiliate.InstantOf(at), p.Now()
	all, err := balancesAt(ctx, p, then, now)
	if err != nil {
		return affiliate.TotalBalance{}, err
	}
	out := affiliate.TotalBalance{Currency: p.Cfg.Currency, At: affiliate.TimeOf(cmp.Or(then, now).Time()),
		Affiliates: int64(len(all.list)), NotOpen: all.notOpen}
	for i := range all.list {
		if err := addBalance(&out, &all.list[i]); err != nil {
			return out, refusal.Internal("add balances", err)
		}
	}
	return out, nil
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
	then := affiliate.InstantOf(at)
	l, err := p.Listing(pg, "ranked balances", then)
	if err == nil {
		l, err = l.Open()
	}
	if err != nil {
		return none, err
	}
	read, err := balancesAt(ctx, p, then, p.Now())
	if err != nil {
		return none, err
	}
	all := read.list
	if len(all) > maxRows {
		return none, refusal.BreakdownTooLarge.Err()
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

// balances are those of affiliates that are not zero, of deleted ones too.
type balances struct {
	at, now affiliate.Instant // zero at: as they are now
	list    []affiliate.Balance
	notOpen int64 // affiliates whose books were not open

	books map[uuid.UUID]record.Books // at that time
	hold  int64                      // the longest time that a sale was held
}

// balancesAt reads all balances in one View, so that what matures agrees with the books.
func balancesAt(ctx context.Context, p *engine.Program, at, now affiliate.Instant) (*balances, error) {
	if !at.IsZero() && !affiliate.At(at.Time()).Valid() {
		return nil, engine.InQuery(refusal.FieldNotADate.Of("at"))
	}
	return engine.View(ctx, p, func(o *engine.Op) (*balances, error) {
		o.Now = cmp.Or(at, now)
		all := &balances{at: at, now: now, books: map[uuid.UUID]record.Books{}, list: []affiliate.Balance{}}
		return all, all.read(o)
	})
}

func (all *balances) read(o *engine.Op) error {
	if !all.at.IsZero() {
		if err := all.goBack(o); err != nil {
			return refusal.Internal("read movements", err)
		}
	}
	if err := all.open(o); err != nil {
		return err
	}
	ripening, err := all.maturing(o)
	if err != nil {
		return refusal.Internal("read sales", err)
	}
	for id, b := range all.books {
		shown, err := balance(o, &b, id, ripening[id])
		if err != nil {
			return err
		}
		if !empty(&shown) {
			all.list = append(all.list, shown)
		}
	}
	return nil
}

// empty reports whether a balance has nothing in it.
func empty(b *affiliate.Balance) bool {
	return b.Held.IsZero() && b.Maturing.IsZero() && b.Payable.IsZero() && b.InPayout.IsZero() && b.Paid.IsZero()
}

// goBack finds the books of an earlier time by the movements before it.
func (all *balances) goBack(o *engine.Op) error {
	q := record.Sum{Table: "movements", Before: engine.FirstMovement(all.at),
		By: []string{"affiliate_id", "from_account", "to_account"}, Add: []string{"amount"}}
	if o.Tx.Sum != nil {
		sums, err := o.Tx.Sum(q)
		for i := range sums {
			if err == nil {
				m := sums[i].AnyRecord.(record.Movement)
				err = all.book(&m, sums[i].N)
			}
		}
		return err
	}
	for m, err := range o.Tx.Movements.List(record.Query{}) {
		if err == nil && !m.At.Before(all.at) {
			break
		}
		if err == nil {
			err = all.book(&m, 1)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// book books n movements.
func (all *balances) book(m *record.Movement, n int64) error {
	b := all.books[m.AffiliateID]
	b.Number += n
	err := engine.MoveBetween(&b, m.From.Value(), m.To.Value(), m.Amount)
	all.books[m.AffiliateID] = b
	return err
}

// open reads the books of all affiliates, and leaves out those whose books were not open.
func (all *balances) open(o *engine.Op) error {
	var ids []uuid.UUID
	gone := maps.Clone(all.books)
	for aff, err := range o.Tx.Affiliates.List(record.Query{}) {
		if err != nil {
			return refusal.Internal("read affiliates", err)
		}
		ids = append(ids, aff.ID)
		delete(gone, aff.ID)
	}
	ids = slices.AppendSeq(ids, maps.Keys(gone))
	for some := range slices.Chunk(ids, reportPiece) {
		for _, id := range some {
			o.Soon("totals", record.Key{ID: id})
		}
		for _, id := range some {
			b, open, err := books(o, id)
			if err != nil {
				return err
			}
			all.hold = max(all.hold, b.MaxHold)
			switch {
			case !open, !all.at.IsZero() && b.Opened != engine.Ever && all.at.Before(b.Opened):
				all.notOpen++
				delete(all.books, id)
			case all.at.IsZero():
				all.books[id] = b
			}
		}
	}
	return nil
}

// oldest is the time of the oldest sale that may still mature.
func (all *balances) oldest(o *engine.Op) affiliate.Instant {
	return o.Now.Add(-time.Duration(all.hold)*24*time.Hour - engine.ClockSlack)
}

// maturing returns what matured, by affiliates.
func (all *balances) maturing(o *engine.Op) (by map[uuid.UUID]affiliate.Amount, err error) {
	switch {
	case all.hold == 0:
		return nil, nil
	case !all.at.IsZero():
		return all.maturedThen(o)
	case o.Tx.Sum != nil:
		return all.maturingSums(o)
	}
	by = make(map[uuid.UUID]affiliate.Amount, len(all.books))
	for id, b := range all.books {
		if by[id], err = maturing(o, id, &b); err != nil {
			return nil, err
		}
	}
	return by, nil
}

// maturingSums is maturing in a store that adds up.
func (all *balances) maturingSums(o *engine.Op) (map[uuid.UUID]affiliate.Amount, error) {
	after := o.Now.Add(time.Microsecond)
	q := record.Sum{Table: "sales", By: []string{"affiliate_id"}, Add: []string{"payable_amount"},
		At: "payable_from", Edges: []affiliate.Instant{after, after.Add(math.MaxInt64)}}
	if o.Cfg.NewID == nil { // the id of a sale is not earlier than the sale
		q.After = uuid7.Stamp(uuid.UUID{}, all.oldest(o).Time())
	}
	sums, err := o.Tx.Sum(q)
	by := make(map[uuid.UUID]affiliate.Amount, len(sums))
	for i := range sums {
		sale := sums[i].AnyRecord.(record.Sale)
		by[sale.AffiliateID] = sale.Maturing()
	}
	return by, err
}

// maturedThen returns what matured at an earlier time: what the movements of the longest holding
// period before it brought into PAYABLE and left there, of sales that were payable later. A sale
// that was deleted since says no more when it was payable, so it counts as payable.
func (all *balances) maturedThen(o *engine.Op) (map[uuid.UUID]affiliate.Amount, error) {
	type part struct {
		affiliate uuid.UUID
		sale      int64
	}
	left := map[part]affiliate.Amount{} // in PAYABLE
	for m, err := range o.Tx.Movements.List(record.Query{After: engine.FirstMovement(all.oldest(o))}) {
		if err == nil && !m.At.Before(all.at) {
			break
		}
		if err == nil && m.Sale != 0 {
			b := record.Books{Payable: left[part{m.AffiliateID, m.Sale}]}
			err = engine.MoveBetween(&b, m.From.Value(), m.To.Value(), m.Amount)
			left[part{m.AffiliateID, m.Sale}] = b.Payable
		}
		if err != nil {
			return nil, err
		}
	}
	maps.DeleteFunc(left, func(_ part, amount affiliate.Amount) bool { return amount.Sign() <= 0 })
	by := map[uuid.UUID]affiliate.Amount{}
	for some := range slices.Chunk(slices.Collect(maps.Keys(left)), reportPiece) {
		for _, of := range some {
			o.Soon("sales", numbered(of.sale))
		}
		for _, of := range some {
			sale, err := o.Tx.Sales.Find(numbered(of.sale))
			if err == nil && sale.MaturesAt().After(all.at) {
				by[of.affiliate], err = by[of.affiliate].Add(left[of])
			}
			if engine.IgnoreMissing(err) != nil {
				return nil, err
			}
		}
	}
	return by, nil
}

// numbered is the key of a sale or a click.
func numbered(n int64) record.Key { return record.Key{Index: record.ByNumber, ID: record.NumberID(n)} }

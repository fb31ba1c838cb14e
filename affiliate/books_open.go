package affiliate

import (
	"context"

	"github.com/google/uuid"
)

// OpenBooks opens the books of the affiliates with sales from before there were
// movements, and returns of how many. It computes what each account must hold
// from sales, adjustments and payouts, and writes the difference to the
// movements so far as OPENING. Balances and statements of these affiliates begin
// at that moment. It also brings payouts of that time into their present form.
//
// Run it once after the upgrade from a version without movements, as a job. Each
// affiliate is a transaction of its own, so sales go on meanwhile. After an error
// the books that were opened stay open: call it again. A call with nothing left
// to do returns 0.
//
// Errors: those of the store.
//
// Effects: movements, books; no event.
//
// Concurrency: several calls at once open each affiliate's books once.
//
// Source: docs/money.md 8.
func (p *Program) OpenBooks(ctx context.Context) (_ int, err error) {
	defer p.begin(&ctx, "OpenBooks", writes).end(&err)
	o := p.op(ctx)
	return writeAround(o, request{name: "books.open"}, nil, func() (int, error) {
		return p.eachBooks(ctx, (*op).wantsOpening, (*op).openBooks)
	})
}

// wantsOpening reports whether there is something to open.
func (o *op) wantsOpening(totals TotalsRecord) (bool, error) {
	if b := totals.Books; !b.Opened.IsZero() || b.Unbooked || b.Number > 0 || totals.Sales > 0 {
		return b.Opened.IsZero(), nil
	}
	sales, err := holds(o.tx.Sales, Key{Index: OfAffiliate, ID: totals.ID})
	if err != nil {
		return false, internal("read sales", err)
	}
	return sales, nil
}

// openBooks writes the opening of an affiliate.
func (o *op) openBooks(totals TotalsRecord) (bool, error) {
	found := inventory{of: make(map[int64]int64), booked: make(map[uuid.UUID]bool)}
	for _, step := range []func() error{
		func() error { return each(o.tx.Sales, Key{Index: OfAffiliate, ID: totals.ID}, found.sale(o)) },
		func() error { return each(o.tx.Payouts, Key{Index: OfAffiliate, ID: totals.ID}, found.payout(o)) },
		func() error { return each(o.tx.Movements, Key{Index: OfAffiliate, ID: totals.ID}, found.movement) },
		func() error { return each(o.tx.Adjustments, Key{Index: OfAffiliate, ID: totals.ID}, found.adjustment) },
	} {
		if err := step(); err != nil {
			return false, internal("open books", err)
		}
	}
	books := &totals.Books
	books.Opened, books.MaxHold, books.Unbooked = books.next(o.now), max(books.MaxHold, found.MaxHold), false
	for i := range found.unbooked {
		b := bookAdjustment(&found.unbooked[i], CauseOpening, found.unbooked[i].Amount)
		if err := o.post(totals.ID, books, &b); err != nil {
			return false, err
		}
	}
	b, err := found.opening(books)
	if err != nil {
		return false, internal("open books", err)
	}
	if err := o.post(totals.ID, books, &b); err != nil {
		return false, err
	}
	return true, o.putTotals(totals)
}

// An inventory is what the records of an affiliate say that its books must hold.
type inventory struct {
	Books                   // the accounts, and MaxHold
	counted standing        // sales, revenue and refunds, less those of the movements so far
	of      map[int64]int64 // the sale of each commission in a payout
	err     error           // a sum that did not fit

	booked   map[uuid.UUID]bool // the adjustments with a movement
	unbooked []AdjustmentRecord // those without one: they were imported
}

func (v *inventory) add(to *Amount, amount Amount) {
	if v.err == nil {
		*to, v.err = to.Add(amount)
	}
}

// sale counts a sale, and freezes what payouts hold.
func (v *inventory) sale(o *op) func(SaleRecord) error {
	return func(r SaleRecord) error {
		s, err := r.standing()
		if err != nil {
			return err
		}
		v.counted.sales++
		v.MaxHold = max(v.MaxHold, r.HoldDays)
		v.add(&v.counted.revenue, s.revenue)
		v.add(&v.counted.refunded, s.refunded)
		v.add(&v.Held, s.held)
		v.add(&v.Payable, s.payable)
		changed := false
		for i := range r.Commissions {
			c := &r.Commissions[i]
			if c.PayoutID != uuid.Nil {
				v.add(&v.Payable, c.Earned.negated())
			}
			if c.frozen() {
				v.of[c.Number] = r.Number
				changed = changed || !c.Frozen
				c.Frozen = true
			}
		}
		if !changed {
			return v.err
		}
		return o.tx.Sales.Replace(r)
	}
}

// payout counts a payout, and lists what it took with the sales.
func (v *inventory) payout(o *op) func(PayoutRecord) error {
	return func(r PayoutRecord) error {
		switch {
		case r.Status == PayoutPaid:
			v.add(&v.Paid, r.Amount)
		case r.live():
			v.add(&v.InPayout, r.Amount)
		}
		if len(r.Items) > 0 {
			return v.err
		}
		r.Items = make([]PayoutItem, len(r.Commissions))
		for i, n := range r.Commissions {
			r.Items[i] = PayoutItem{Sale: v.of[n], Commission: n}
		}
		r.Commissions = nil
		return o.tx.Payouts.Replace(r)
	}
}

func (v *inventory) adjustment(r AdjustmentRecord) error {
	if !v.booked[r.ID] && !r.isMoved() {
		v.unbooked = append(v.unbooked, r)
	}
	if r.PayoutID == uuid.Nil {
		v.add(&v.Payable, r.Amount)
	}
	return v.err
}

// movement takes off what a movement has counted already.
func (v *inventory) movement(r MovementRecord) error {
	if r.AdjustmentID != uuid.Nil {
		v.booked[r.AdjustmentID] = true
	}
	v.counted.sales -= r.Sales
	v.add(&v.counted.revenue, r.Revenue.negated())
	v.add(&v.counted.refunded, r.Refunds.negated())
	return v.err
}

// opening books the difference between what the books must hold and what they
// do.
func (v *inventory) opening(books *Books) (booking, error) {
	b := booking{of: MovementRecord{
		Cause: EnumOf(CauseOpening), Sales: v.counted.sales, Revenue: v.counted.revenue, Refunds: v.counted.refunded,
	}}
	for _, account := range accounts[1:] {
		difference, err := v.account(account).Sub(*books.account(account))
		if err != nil {
			return b, err
		}
		b.move(AccountAccrual, account, difference)
	}
	b.note(false)
	return b, nil
}

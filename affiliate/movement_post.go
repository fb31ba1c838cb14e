package affiliate

import "github.com/google/uuid"

// How a change of what an affiliate is owed becomes movements. Every one of them
// is written in the transaction of its cause, together with the books.

// A booking is the movements of one cause: what they are of, and what they move.
type booking struct {
	of    MovementRecord // what all of them share; its figures go to the first one
	moves [4]transfer
	n     int
	hold  int64 // HoldDays of the sale
}

// A transfer moves an amount from one account to another.
type transfer struct {
	from, to Account
	amount   Amount
}

// move adds a transfer. A negative amount goes the other way, and zero not at
// all.
func (b *booking) move(from, to Account, amount Amount) {
	if amount.Sign() < 0 {
		from, to, amount = to, from, amount.negated()
	}
	if !amount.IsZero() {
		b.moves[b.n] = transfer{from, to, amount}
		b.n++
	}
}

// accrue books the change of both balances against ACCRUAL. Where one rises and the
// other falls, the part that both share goes from one to the other.
func (b *booking) accrue(held, payable Amount) (err error) {
	if held.Sign()*payable.Sign() < 0 {
		between := payable.negated()
		if between.Cmp(held) == held.Sign() {
			between = held // payable changes more than held
		}
		b.move(AccountPayable, AccountHeld, between)
		if held, err = held.Sub(between); err == nil {
			payable, err = payable.Add(between)
		}
	}
	b.move(AccountAccrual, AccountHeld, held)
	b.move(AccountAccrual, AccountPayable, payable)
	return err
}

// note adds a memo when nothing is moved but something is to be counted, or is to
// be seen.
func (b *booking) note(seen bool) {
	if b.n == 0 && (seen || b.of.Sales != 0 || !b.of.Revenue.IsZero() || !b.of.Refunds.IsZero()) {
		b.moves[0], b.n = transfer{from: AccountAccrual, to: AccountAccrual}, 1
	}
}

// A standing is what a sale adds to the books.
type standing struct {
	sales                            int64
	held, payable, revenue, refunded Amount
}

// standing is zero for a sale that is not there. A payout changes nothing in it:
// what a payout takes stays ACCEPTED.
func (r *SaleRecord) standing() (s standing, err error) {
	if r == nil {
		return s, nil
	}
	s = standing{sales: 1, revenue: r.TotalEarned, refunded: r.Refunded}
	for i := range r.Commissions {
		c := &r.Commissions[i]
		switch {
		case err != nil:
		case c.Approval.Is(ApprovalAccepted):
			s.payable, err = s.payable.Add(c.Earned)
		case c.Approval.Is(ApprovalOnHold):
			s.held, err = s.held.Add(c.Earned)
		}
	}
	return s, tooLargeFor("commissionEarned", err)
}

// less is the difference of two standings.
func (s standing) less(t standing) (d standing, err error) {
	d.sales = s.sales - t.sales
	for _, pair := range [...]struct {
		to   *Amount
		a, b Amount
	}{{&d.held, s.held, t.held}, {&d.payable, s.payable, t.payable}, {&d.revenue, s.revenue, t.revenue}, {&d.refunded, s.refunded, t.refunded}} {
		if *pair.to, err = pair.a.Sub(pair.b); err != nil {
			return d, tooLargeFor("totalEarned", err)
		}
	}
	return d, nil
}

// bookSale books the change of a sale; nil before it is there, and after.
func bookSale(was, is *SaleRecord, cause Cause) (b booking, err error) {
	before, err := was.standing()
	if err != nil {
		return b, err
	}
	change, err := is.standing()
	if err == nil {
		change, err = change.less(before)
	}
	ends := was != nil && is != nil && !was.Status.Is(SaleRefunded) && is.Status.Is(SaleRefunded) // also a free order, whose figures stay 0
	if err != nil || change == (standing{}) && !ends {
		return b, err
	}
	sale := is
	if is == nil {
		sale = was
	}
	b.of = MovementRecord{
		Cause: EnumOf(cause), Sale: sale.Number, Commission: movedEntry(was, sale), LinkID: sale.LinkID, CodeID: sale.CodeID,
		Sales: change.sales, Revenue: change.revenue, Refunds: change.refunded,
	}
	b.hold = sale.HoldDays
	if err := b.accrue(change.held, change.payable); err != nil {
		return b, err
	}
	b.note(ends)
	return b, nil
}

// movedEntry is the number of the commission that changed: the one that was
// appended, else the only one; zero when there are none or several.
func movedEntry(was, is *SaleRecord) int64 {
	n := len(is.Commissions)
	if n == 0 || n > 1 && (was == nil || n == len(was.Commissions)) {
		return 0
	}
	return is.Commissions[n-1].Number
}

// bookPayout books a step of a payout.
func bookPayout(rec *PayoutRecord, cause Cause, from, to Account) booking {
	b := booking{of: MovementRecord{Cause: EnumOf(cause), PayoutID: rec.ID}}
	b.move(from, to, rec.Amount)
	return b
}

// bookAdjustment books an adjustment that is recorded, or removed with the
// opposite amount.
func bookAdjustment(rec *AdjustmentRecord, cause Cause, amount Amount) booking {
	b := booking{of: MovementRecord{Cause: EnumOf(cause), AdjustmentID: rec.ID}}
	b.move(AccountAccrual, AccountPayable, amount)
	return b
}

// enter writes the movements of a booking that changes no totals.
func (o *op) enter(affiliate uuid.UUID, b booking) error { return o.countWith(affiliate, tally{}, &b) }

// post writes the movements of a booking, and puts them into the books. The
// first movement of an affiliate without earlier sales opens its books.
func (o *op) post(affiliate uuid.UUID, books *Books, b *booking) error {
	if books.Number == 0 && books.Opened.IsZero() && !books.Unbooked && b.n > 0 {
		earlier, err := holds(o.tx.Sales, Key{Index: OfAffiliate, ID: affiliate})
		if err != nil {
			return internal("read sales", err)
		}
		if !earlier {
			books.Opened = ever
		}
	}
	books.MaxHold = max(books.MaxHold, b.hold)
	for i := range b.n {
		rec := b.of
		if i > 0 {
			rec.Sales, rec.Revenue, rec.Refunds = 0, Amount{}, Amount{}
		}
		if err := o.postOne(affiliate, books, rec, b.moves[i]); err != nil {
			return err
		}
	}
	return nil
}

func (o *op) postOne(affiliate uuid.UUID, books *Books, rec MovementRecord, t transfer) error {
	if err := books.move(t.from, t.to, t.amount); err != nil {
		return err
	}
	books.Number++
	books.LastAt = books.next(o.now)
	rec.ID, rec.AffiliateID = movementID(books.LastAt, books.Number, affiliate), affiliate
	rec.Number, rec.At, rec.From, rec.To, rec.Amount = books.Number, books.LastAt, EnumOf(t.from), EnumOf(t.to), t.amount
	rec.Held, rec.Payable, rec.InPayout, rec.Paid = books.Held, books.Payable, books.InPayout, books.Paid
	if err := o.tx.Movements.Insert(rec); err != nil {
		return internal("write movement", err)
	}
	return nil
}

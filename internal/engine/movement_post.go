package engine

import (
	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/refusal"
)

// How a change of what an affiliate is owed becomes movements. They are always
// written in the transaction of their cause, together with the books.

// A Booking holds the movements of one cause: what they belong to, and what they
// move.
type Booking struct {
	Of    record.Movement // shared by all of them; the first one gets its figures
	moves [4]Transfer
	n     int
	hold  int64 // HoldDays of the sale
}

// A Transfer moves an amount from one account to another.
type Transfer struct {
	From, To affiliate.Account
	Amount   affiliate.Amount
}

// Move adds a transfer. A negative amount goes the other way, and zero not at
// all.
func (b *Booking) Move(from, to affiliate.Account, amount affiliate.Amount) {
	if amount.Sign() < 0 {
		from, to, amount = to, from, amount.Neg()
	}
	if !amount.IsZero() {
		b.moves[b.n] = Transfer{from, to, amount}
		b.n++
	}
}

// Accrue books the change of both balances against ACCRUAL. When one rises and the
// other falls, the common part moves directly from one to the other.
func (b *Booking) Accrue(held, payable affiliate.Amount) (err error) {
	if held.Sign()*payable.Sign() < 0 {
		between := payable.Neg()
		if between.Cmp(held) == held.Sign() {
			between = held // payable changes more than held
		}
		b.Move(affiliate.AccountPayable, affiliate.AccountHeld, between)
		if held, err = held.Sub(between); err == nil {
			payable, err = payable.Add(between)
		}
	}
	b.Move(affiliate.AccountAccrual, affiliate.AccountHeld, held)
	b.Move(affiliate.AccountAccrual, affiliate.AccountPayable, payable)
	return err
}

// Transfers returns the transfers that were added, in this order.
func (b *Booking) Transfers() []Transfer { return b.moves[:b.n] }

// Note adds a memo when nothing is moved but something is to be counted, or is to
// be seen.
func (b *Booking) Note(seen bool) {
	if b.n == 0 && (seen || b.Of.Sales != 0 || b.Of.Conversions != 0 || !b.Of.Revenue.IsZero() || !b.Of.Refunds.IsZero()) {
		b.moves[0], b.n = Transfer{From: affiliate.AccountAccrual, To: affiliate.AccountAccrual}, 1
	}
}

// A Standing is the share of a sale in the books.
type Standing struct {
	Sales, Conversions               int64
	Held, Payable, Revenue, Refunded affiliate.Amount
}

// SaleStanding returns what a sale adds to the books; zero for nil. A payout does
// not change it: commissions in a payout stay ACCEPTED.
func SaleStanding(r *record.Sale) (s Standing, err error) {
	if r == nil {
		return s, nil
	}
	s = Standing{Sales: 1, Revenue: r.TotalEarned, Refunded: r.Refunded}
	if r.Conversion != "" {
		s.Sales, s.Conversions = 0, 1
	}
	for i := range r.Commissions {
		c := &r.Commissions[i]
		switch {
		case err != nil:
		case c.Approval.Is(affiliate.ApprovalAccepted):
			s.Payable, err = s.Payable.Add(c.Earned)
		case c.Approval.Is(affiliate.ApprovalOnHold):
			s.Held, err = s.Held.Add(c.Earned)
		}
	}
	return s, TooLargeFor("commissionEarned", err)
}

// Less returns the difference of two standings.
func (s Standing) Less(t Standing) (d Standing, err error) {
	d.Sales, d.Conversions = s.Sales-t.Sales, s.Conversions-t.Conversions
	for _, pair := range [...]struct {
		to   *affiliate.Amount
		a, b affiliate.Amount
	}{{&d.Held, s.Held, t.Held}, {&d.Payable, s.Payable, t.Payable}, {&d.Revenue, s.Revenue, t.Revenue}, {&d.Refunded, s.Refunded, t.Refunded}} {
		if *pair.to, err = pair.a.Sub(pair.b); err != nil {
			return d, TooLargeFor("totalEarned", err)
		}
	}
	return d, nil
}

// BookSale books the change of a sale. was is nil for a new sale, is for a deleted
// one.
func BookSale(was, is *record.Sale, cause affiliate.Cause) (b Booking, err error) {
	before, err := SaleStanding(was)
	if err != nil {
		return b, err
	}
	change, err := SaleStanding(is)
	if err == nil {
		change, err = change.Less(before)
	}
	ends := was != nil && is != nil && !was.Status.Is(affiliate.SaleRefunded) && is.Status.Is(affiliate.SaleRefunded) // also a free order, whose figures stay 0
	if err != nil || change == (Standing{}) && !ends {
		return b, err
	}
	sale := is
	if is == nil {
		sale = was
	}
	b.Of = record.Movement{
		Cause: affiliate.EnumOf(cause), Sale: sale.Number, Commission: movedEntry(was, sale), LinkID: sale.LinkID, CodeID: sale.CodeID,
		Sales: change.Sales, Conversions: change.Conversions, Revenue: change.Revenue, Refunds: change.Refunded,
	}
	b.hold = int64(sale.HoldDays)
	if err := b.Accrue(change.Held, change.Payable); err != nil {
		return b, err
	}
	b.Note(ends)
	return b, nil
}

// movedEntry returns the number of the commission that changed: the one that was
// appended, else the only one; zero when there are none or several.
func movedEntry(was, is *record.Sale) int64 {
	n := len(is.Commissions)
	if n == 0 || n > 1 && (was == nil || n == len(was.Commissions)) {
		return 0
	}
	return is.Commissions[n-1].Number
}

// BookPayout books a step of a payout.
func BookPayout(rec *record.Payout, cause affiliate.Cause, from, to affiliate.Account) Booking {
	b := Booking{Of: record.Movement{Cause: affiliate.EnumOf(cause), PayoutID: rec.ID}}
	b.Move(from, to, rec.Amount)
	return b
}

// BookAdjustment books an adjustment that is recorded; with the opposite amount, one
// that is removed.
func BookAdjustment(rec *record.Adjustment, cause affiliate.Cause, amount affiliate.Amount) Booking {
	b := Booking{Of: record.Movement{Cause: affiliate.EnumOf(cause), AdjustmentID: rec.ID}}
	b.Move(affiliate.AccountAccrual, affiliate.AccountPayable, amount)
	return b
}

// Enter writes the movements of a booking that changes no totals.
func (o *Op) Enter(affiliate uuid.UUID, b Booking) error { return o.countWith(affiliate, Tally{}, &b) }

// Post writes the movements of a booking and updates the books. The first movement
// of an affiliate without earlier sales opens its books.
func (o *Op) Post(affiliateID uuid.UUID, books *record.Books, b *Booking) error {
	if books.Number == 0 && books.Opened.IsZero() && !books.Unbooked && b.n > 0 {
		earlier, err := Holds(o.Tx.Sales, record.Key{Index: record.OfAffiliate, ID: affiliateID})
		if err != nil {
			return refusal.Internal("read sales", err)
		}
		if !earlier {
			books.Opened = Ever
		}
	}
	books.MaxHold = max(books.MaxHold, b.hold)
	for i, t := range b.Transfers() {
		rec := b.Of
		if i > 0 {
			rec.Sales, rec.Conversions, rec.Revenue, rec.Refunds = 0, 0, affiliate.Amount{}, affiliate.Amount{}
		}
		if err := o.postOne(affiliateID, books, rec, t); err != nil {
			return err
		}
	}
	return nil
}

func (o *Op) postOne(affiliateID uuid.UUID, books *record.Books, rec record.Movement, t Transfer) error {
	if err := MoveBetween(books, t.From, t.To, t.Amount); err != nil {
		return err
	}
	books.Number++
	books.LastAt = next(books, o.Now)
	rec.ID, rec.AffiliateID = MovementID(books.LastAt, books.Number, affiliateID), affiliateID
	rec.Number, rec.At, rec.From, rec.To, rec.Amount = books.Number, books.LastAt, affiliate.EnumOf(t.From), affiliate.EnumOf(t.To), t.Amount
	rec.Held, rec.Payable, rec.InPayout, rec.Paid = books.Held, books.Payable, books.InPayout, books.Paid
	rec.Actor = o.actor
	if err := o.Tx.Movements.Insert(rec); err != nil {
		return refusal.Internal("write movement", err)
	}
	return nil
}

// Add counts a movement. A sum that does not fit is another sum.
func (s *Standing) Add(r *record.Movement) {
	s.Sales += r.Sales
	s.Conversions += r.Conversions
	s.Revenue, _ = s.Revenue.Add(r.Revenue)
	s.Refunded, _ = s.Refunded.Add(r.Refunds)
	if r.AdjustmentID == uuid.Nil {
		switch { // a memo: from ACCRUAL to ACCRUAL
		case r.From.Is(affiliate.AccountAccrual) && !r.To.Is(affiliate.AccountAccrual):
			s.Payable, _ = s.Payable.Add(r.Amount)
		case !r.From.Is(affiliate.AccountAccrual) && r.To.Is(affiliate.AccountAccrual):
			s.Payable, _ = s.Payable.Sub(r.Amount)
		}
	}
}

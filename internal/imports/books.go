package imports

import (
	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/engine"
	"github.com/tributary-go/tributary/internal/refusal"
)

// What the rows of an import add to totals and books. It is written once, at the
// end of the batch. In open books it becomes OPENING movements dated now, because
// closed statements never change. Books that are not open get no movement: an
// OpenBooksJob books the records later.

// An importShare is the addition of a batch to one owner of totals.
type importShare struct {
	owner    uuid.UUID
	tally    engine.Tally
	booked   bool // the fields below change the books of an affiliate
	change   engine.Standing
	inPayout affiliate.Amount
	paid     affiliate.Amount
	bonuses  []record.Adjustment
}

// share returns the share of an owner.
func (im *importing) share(owner uuid.UUID) *importShare {
	if s := im.shared[owner]; s != nil {
		return s
	}
	if im.shared == nil {
		im.shared = make(map[uuid.UUID]*importShare)
	}
	s := &importShare{owner: owner}
	im.shared[owner] = s
	im.shares = append(im.shares, s)
	return s
}

// books returns the share of an affiliate whose books change.
func (im *importing) books(affiliate uuid.UUID) *importShare {
	s := im.share(affiliate)
	s.booked = true
	return s
}

// tell adds to the totals of owners; a zero owner counts nothing.
func (im *importing) tell(t engine.Tally, owners ...uuid.UUID) error {
	for _, id := range owners {
		if id == uuid.Nil {
			continue
		}
		if err := im.share(id).add(t); err != nil {
			return err
		}
	}
	return nil
}

func (s *importShare) add(t engine.Tally) error {
	sum := record.Totals{Revenue: s.tally.Revenue, Commission: s.tally.Commission}
	if err := engine.AddTally(&sum, t); err != nil {
		return err
	}
	s.tally = engine.Tally{
		Clicks: s.tally.Clicks + t.Clicks, Pruned: s.tally.Pruned + t.Pruned,
		Referrals: s.tally.Referrals + t.Referrals,
		Sales:     s.tally.Sales + t.Sales, Conversions: s.tally.Conversions + t.Conversions,
		Free: s.tally.Free + t.Free, Revenue: sum.Revenue, Commission: sum.Commission,
	}
	return nil
}

// tellSale adds the change of a sale to totals and books. was is nil when the
// sale is new.
func (im *importing) tellSale(was, is *record.Sale) error {
	change, err := engine.SaleChange(was, is)
	if err != nil {
		return err
	}
	if err := im.tell(change, is.LinkID, is.AffiliateID, is.ReferralID); err != nil {
		return err
	}
	before, err := engine.SaleStanding(was)
	if err != nil {
		return err
	}
	after, err := engine.SaleStanding(is)
	if err != nil {
		return err
	}
	return im.books(is.AffiliateID).move(before, after)
}

// move replaces a standing by another one.
func (s *importShare) move(before, after engine.Standing) error {
	more, err := after.Less(before)
	if err != nil {
		return err
	}
	less, err := engine.Standing{}.Less(more)
	if err != nil {
		return err
	}
	s.change, err = s.change.Less(less)
	return err
}

// tellPayout takes amounts from PAYABLE, and adds them to IN_PAYOUT and PAID.
func (im *importing) tellPayout(affiliateID uuid.UUID, inPayout, paid affiliate.Amount) (err error) {
	s := im.books(affiliateID)
	for _, amount := range []affiliate.Amount{inPayout, paid} {
		if err == nil {
			s.change.Payable, err = s.change.Payable.Sub(amount)
		}
	}
	if err == nil {
		s.inPayout, err = s.inPayout.Add(inPayout)
	}
	if err == nil {
		s.paid, err = s.paid.Add(paid)
	}
	return engine.TooLargeFor("amount", err)
}

// finish writes the shares, in the order in which they were made.
func (im *importing) finish() error {
	for _, s := range im.shares {
		totals, err := im.Totals(s.owner)
		if err != nil {
			return refusal.Internal("read totals", err)
		}
		if err := engine.AddTally(&totals, s.tally); err != nil {
			return err
		}
		if s.booked {
			if err := im.bookShare(s, &totals.Books); err != nil {
				return err
			}
		}
		if err := im.PutTotals(totals); err != nil {
			return refusal.Internal("write totals", err)
		}
	}
	return nil
}

// bookShare books a share as OPENING, if the books are open.
func (im *importing) bookShare(s *importShare, books *record.Books) error {
	if books.Opened.IsZero() {
		books.Unbooked = true
		return nil
	}
	for i := range s.bonuses {
		b := engine.BookAdjustment(&s.bonuses[i], affiliate.CauseOpening, s.bonuses[i].Amount)
		if err := im.Post(s.owner, books, &b); err != nil {
			return err
		}
	}
	b := engine.Booking{Of: record.Movement{
		Cause: affiliate.EnumOf(affiliate.CauseOpening), Sales: s.change.Sales,
		Conversions: s.change.Conversions, Revenue: s.change.Revenue, Refunds: s.change.Refunded,
	}}
	b.Move(affiliate.AccountAccrual, affiliate.AccountHeld, s.change.Held)
	b.Move(affiliate.AccountAccrual, affiliate.AccountPayable, s.change.Payable)
	b.Move(affiliate.AccountAccrual, affiliate.AccountInPayout, s.inPayout)
	b.Move(affiliate.AccountAccrual, affiliate.AccountPaid, s.paid)
	b.Note(false)
	return im.Post(s.owner, books, &b)
}

package affiliate

import "github.com/google/uuid"

// What the rows of an import add to totals and books. It is written once at the
// end of the batch. Books that are open get OPENING movements of now, because
// statements that were closed never change; books that are not open get none,
// and Program.OpenBooks books what is there.

// An importShare is what the rows of a batch add to one owner of totals.
type importShare struct {
	owner    uuid.UUID
	tally    tally
	booked   bool // below is something for the books of an affiliate
	change   standing
	inPayout Amount
	paid     Amount
	bonuses  []AdjustmentRecord
}

// share is the share of an owner.
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

// books is the share of an affiliate whose books change.
func (im *importing) books(affiliate uuid.UUID) *importShare {
	s := im.share(affiliate)
	s.booked = true
	return s
}

// tell adds to the totals of owners; a zero owner counts nothing.
func (im *importing) tell(t tally, owners ...uuid.UUID) error {
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

func (s *importShare) add(t tally) error {
	sum := TotalsRecord{Revenue: s.tally.revenue, Commission: s.tally.commission}
	if err := sum.add(t); err != nil {
		return err
	}
	s.tally = tally{
		s.tally.clicks + t.clicks, s.tally.pruned + t.pruned, s.tally.referrals + t.referrals,
		s.tally.sales + t.sales, s.tally.free + t.free, sum.Revenue, sum.Commission,
	}
	return nil
}

// tellSale adds the change of a sale to totals and books. was is nil when the
// sale is new.
func (im *importing) tellSale(was, is *SaleRecord) error {
	change, err := saleChange(was, is)
	if err != nil {
		return err
	}
	if err := im.tell(change, is.LinkID, is.AffiliateID, is.ReferralID); err != nil {
		return err
	}
	before, err := was.standing()
	if err != nil {
		return err
	}
	after, err := is.standing()
	if err != nil {
		return err
	}
	return im.books(is.AffiliateID).move(before, after)
}

// move replaces a standing by another one.
func (s *importShare) move(before, after standing) error {
	more, err := after.less(before)
	if err != nil {
		return err
	}
	less, err := standing{}.less(more)
	if err != nil {
		return err
	}
	s.change, err = s.change.less(less)
	return err
}

// tellPayout takes amounts off PAYABLE, and adds them to what payouts hold and to
// what was paid.
func (im *importing) tellPayout(affiliate uuid.UUID, inPayout, paid Amount) (err error) {
	s := im.books(affiliate)
	for _, amount := range []Amount{inPayout, paid} {
		if err == nil {
			s.change.payable, err = s.change.payable.Sub(amount)
		}
	}
	if err == nil {
		s.inPayout, err = s.inPayout.Add(inPayout)
	}
	if err == nil {
		s.paid, err = s.paid.Add(paid)
	}
	return tooLargeFor("amount", err)
}

// finish writes the shares, in the order in which they were made.
func (im *importing) finish() error {
	for _, s := range im.shares {
		totals, err := im.totals(s.owner)
		if err != nil {
			return internal("read totals", err)
		}
		if err := totals.add(s.tally); err != nil {
			return err
		}
		if s.booked {
			if err := im.bookShare(s, &totals.Books); err != nil {
				return err
			}
		}
		if err := im.putTotals(totals); err != nil {
			return internal("write totals", err)
		}
	}
	return nil
}

// bookShare books a share as OPENING, if the books are open.
func (im *importing) bookShare(s *importShare, books *Books) error {
	if books.Opened.IsZero() {
		books.Unbooked = true
		return nil
	}
	for i := range s.bonuses {
		b := bookAdjustment(&s.bonuses[i], CauseOpening, s.bonuses[i].Amount)
		if err := im.post(s.owner, books, &b); err != nil {
			return err
		}
	}
	b := booking{of: MovementRecord{
		Cause: EnumOf(CauseOpening), Sales: s.change.sales, Revenue: s.change.revenue, Refunds: s.change.refunded,
	}}
	b.move(AccountAccrual, AccountHeld, s.change.held)
	b.move(AccountAccrual, AccountPayable, s.change.payable)
	b.move(AccountAccrual, AccountInPayout, s.inPayout)
	b.move(AccountAccrual, AccountPaid, s.paid)
	b.note(false)
	return im.post(s.owner, books, &b)
}

package engine

import (
	"cmp"
	"fmt"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/refusal"
)

// moveTo moves a sale to another affiliate, with a commission by that affiliate's
// terms. Their limits apply as of the day of the sale.
func (o *Op) moveTo(rec *record.Sale, to uuid.UUID, clawBack bool) error {
	owner, err := o.AffiliateByID(to)
	if err != nil {
		return refusal.OwnerNotFound.IfMissing(err)
	}
	switch {
	case owner.ID == rec.AffiliateID: // named by somebody who was merged into them
		return nil
	case rec.Status.Is(affiliate.SaleRefunded):
		return refusal.SaleRefunded.Err()
	case inPayout(rec) && !clawBack:
		return refusal.SaleInPayout.Err()
	}
	d, err := o.dealAnew(rec, owner.ID)
	if err != nil || d == nil {
		return err
	}
	return o.reward(rec, *d)
}

// EarnedBy returns what a sale would earn another affiliate, by their terms as of the day of the sale,
// whatever their budgets have left.
func (o *Op) EarnedBy(r *record.Sale, who uuid.UUID) (affiliate.Amount, error) {
	rec := r.Clone()
	d, err := o.dealAnew(&rec, who)
	if err != nil || d == nil {
		return affiliate.Amount{}, err
	}
	return o.Earned(&rec)
}

// dealAnew gives a sale to an affiliate, by that affiliate's terms; nil: they pay nothing for it.
func (o *Op) dealAnew(rec *record.Sale, who uuid.UUID) (*deal, error) {
	own, err := tally(rec)
	if err != nil {
		return nil, err
	}
	rec.AffiliateID, rec.LinkID, rec.Commissions = who, uuid.Nil, nil
	rec.RateFixed, rec.ByHand, rec.Candidates = false, affiliate.Opt[record.HandSet]{}, nil
	d, ref, err := o.dealOf(rec)
	if err != nil {
		return nil, err
	}
	setRate(rec, &d)
	rec.HoldDays = int16(d.HoldDays)
	s, err := o.StageOf(&d.Terms, &ref, rec)
	if err != nil {
		return nil, err
	}
	over := OverTerms(&d.Terms, s)
	rec.Why.By, rec.Why.Click, rec.Why.Over = affiliate.EnumOf(affiliate.CreditAffiliate), 0, affiliate.EnumOf(over)
	sources(&rec.Why, &d)
	s.note(&rec.Why)
	if rec.Free || over != "" {
		stop(rec)
		return nil, nil
	}
	DecideLines(rec, &d.Terms, d.rateFrom, s)
	rec.Why.Earlier = affiliate.Opt[affiliate.Amount]{}
	return &d, cmp.Or(o.limit(rec, &d.Terms, own.Commission), o.DrawAgain(rec, &d.Terms))
}

// keepPaid leaves with the former affiliate what payouts hold of the sale: it replaces
// each entry in a payout by an adjustment, and adds one that takes their sum back. They
// add up to zero, so the movement of the sale books them too.
func (o *Op) keepPaid(sale *record.Sale) error {
	var back affiliate.Amount
	for i := range sale.Commissions {
		c := &sale.Commissions[i]
		if c.PayoutID == uuid.Nil {
			continue
		}
		kept := record.Adjustment{Amount: c.Earned, PayoutID: c.PayoutID, CreatedAt: EntryTime(sale, c)}
		if err := o.addMoved(sale, &kept); err != nil {
			return err
		}
		if err := o.holdInstead(c, kept.ID); err != nil {
			return err
		}
		var err error
		if back, err = back.Sub(c.Earned); err != nil {
			return TooLargeFor("commissionEarned", err)
		}
	}
	if back.IsZero() {
		return nil
	}
	return o.addMoved(sale, &record.Adjustment{Amount: back, CreatedAt: o.Now})
}

// addMoved completes and stores an adjustment of a sale that moves.
func (o *Op) addMoved(sale *record.Sale, rec *record.Adjustment) error {
	rec.ID, rec.AffiliateID, rec.Sale, rec.Kind = o.NewID(), sale.AffiliateID, sale.Number, affiliate.AdjustMove
	rec.Reason = fmt.Sprintf("Sale %d was given to another affiliate", sale.Number)
	if err := o.Tx.Adjustments.Insert(*rec); err != nil {
		return refusal.Internal("write adjustment", err)
	}
	return nil
}

// holdInstead makes the payout of a commission hold an adjustment in its place. The
// payout still lists the commission.
func (o *Op) holdInstead(c *record.Commission, adjustment uuid.UUID) error {
	payout, err := o.Tx.Payouts.Get(c.PayoutID)
	if err != nil {
		return refusal.Internal("payout of a sale", err)
	}
	payout = payout.Clone()
	if payout.Items, err = o.ItemsOf(&payout); err != nil {
		return refusal.Internal("entries of a payout", err)
	}
	payout.Commissions = nil
	for i := range payout.Items {
		if item := &payout.Items[i]; item.Commission == c.Number {
			item.Adjustment = adjustment
		}
	}
	if err := o.Tx.Payouts.Replace(payout); err != nil {
		return refusal.Internal("write payout", err)
	}
	return nil
}

// moveReferral moves a customer to another affiliate, and updates both counts.
func (o *Op) moveReferral(rec *record.Referral, to uuid.UUID) error {
	owner, err := o.AffiliateByID(to)
	if err != nil || owner.ID == rec.AffiliateID { // also by the name of somebody who was merged into them
		return refusal.OwnerNotFound.IfMissing(err)
	}
	for _, owner := range [...]uuid.UUID{rec.AffiliateID, rec.LinkID} {
		if err := o.uncount(owner, Tally{Referrals: 1}); err != nil {
			return err
		}
	}
	rec.AffiliateID, rec.LinkID = owner.ID, uuid.Nil
	return o.Count(owner.ID, Tally{Referrals: 1})
}

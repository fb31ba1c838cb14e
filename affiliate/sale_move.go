package affiliate

import (
	"fmt"

	"github.com/google/uuid"
)

// moveTo gives a sale to another affiliate, with a commission by their terms. The
// limits of these count as of the day of the sale.
func (o *op) moveTo(rec *SaleRecord, to uuid.UUID, clawBack bool) error {
	if _, err := o.tx.Affiliates.Get(to); err != nil {
		return ownerNotFound.ifMissing(err)
	}
	switch {
	case rec.Status.Is(SaleRefunded):
		return saleRefunded.Err()
	case rec.inPayout() && !clawBack:
		return saleInPayout.Err()
	}
	rec.AffiliateID, rec.LinkID, rec.Commissions = to, uuid.Nil, nil
	rec.RateFixed, rec.ByHand = false, Opt[HandSet]{}
	d, ref, err := o.dealOf(rec)
	if err != nil {
		return err
	}
	rec.Rate, rec.RateType, rec.HoldDays = Set(d.Rate), EnumOf(d.Type), d.HoldDays
	over := d.Terms.over(&ref, rec.CreatedAt, rec.Why.Payment)
	rec.Why.By, rec.Why.Click, rec.Why.Over = EnumOf(CreditAffiliate), 0, EnumOf(over)
	rec.Why.sources(&d)
	if rec.Free || over != "" {
		return nil
	}
	return o.reward(rec, d)
}

// keepPaid leaves with the affiliate from whom a sale is taken what payouts hold of it:
// for each entry an adjustment in its place, and one that takes their sum back. The
// movement of the sale books it, because all of them add up to nothing.
func (o *op) keepPaid(sale *SaleRecord) error {
	var back Amount
	for i := range sale.Commissions {
		c := &sale.Commissions[i]
		if c.PayoutID == uuid.Nil {
			continue
		}
		kept := AdjustmentRecord{Amount: c.Earned, PayoutID: c.PayoutID, CreatedAt: sale.entryTime(c)}
		if err := o.addMoved(sale, &kept); err != nil {
			return err
		}
		if err := o.holdInstead(c, kept.ID); err != nil {
			return err
		}
		var err error
		if back, err = back.Sub(c.Earned); err != nil {
			return tooLargeFor("commissionEarned", err)
		}
	}
	if back.IsZero() {
		return nil
	}
	return o.addMoved(sale, &AdjustmentRecord{Amount: back, CreatedAt: o.now})
}

// addMoved completes and stores an adjustment of a sale that is moved.
func (o *op) addMoved(sale *SaleRecord, rec *AdjustmentRecord) error {
	rec.ID, rec.AffiliateID, rec.Sale, rec.Kind = o.newID(), sale.AffiliateID, sale.Number, AdjustMove
	rec.Reason = fmt.Sprintf("Sale %d was given to another affiliate", sale.Number)
	if err := o.tx.Adjustments.Insert(*rec); err != nil {
		return internal("write adjustment", err)
	}
	return nil
}

// holdInstead makes the payout of a commission hold an adjustment in its place. It
// goes on listing the commission.
func (o *op) holdInstead(c *CommissionRecord, adjustment uuid.UUID) error {
	payout, err := o.tx.Payouts.Get(c.PayoutID)
	if err != nil {
		return internal("payout of a sale", err)
	}
	payout = payout.Clone()
	if payout.Items, err = o.itemsOf(&payout); err != nil {
		return internal("entries of a payout", err)
	}
	payout.Commissions = nil
	for i := range payout.Items {
		if item := &payout.Items[i]; item.Commission == c.Number {
			item.Adjustment = adjustment
		}
	}
	if err := o.tx.Payouts.Replace(payout); err != nil {
		return internal("write payout", err)
	}
	return nil
}

// moveReferral gives a customer to another affiliate, and counts them there.
func (o *op) moveReferral(rec *ReferralRecord, to uuid.UUID) error {
	if _, err := o.tx.Affiliates.Get(to); err != nil {
		return ownerNotFound.ifMissing(err)
	}
	for _, owner := range [...]uuid.UUID{rec.AffiliateID, rec.LinkID} {
		if err := o.uncount(owner, tally{referrals: 1}); err != nil {
			return err
		}
	}
	rec.AffiliateID, rec.LinkID = to, uuid.Nil
	return o.count(to, tally{referrals: 1})
}

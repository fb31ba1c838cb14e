package affiliate

import "github.com/google/uuid"

// moveTo gives a sale to another affiliate, with a commission by their terms. The
// limits of these count as of the day of the sale.
func (o *op) moveTo(rec *SaleRecord, to uuid.UUID) error {
	if _, err := o.tx.Affiliates.Get(to); err != nil {
		return ownerNotFound.ifMissing(err)
	}
	switch {
	case rec.Status.Is(SaleRefunded):
		return saleRefunded.Err()
	case rec.frozen():
		return saleInPayout.Err()
	}
	rec.AffiliateID, rec.LinkID = to, uuid.Nil
	rec.RateFixed, rec.ByHand = false, Opt[HandSet]{}
	d, ref, err := o.dealOf(rec)
	if err != nil {
		return err
	}
	rec.Rate, rec.RateType, rec.HoldDays = Set(d.Rate), EnumOf(d.Type), d.HoldDays
	over := d.Terms.over(&ref, rec.CreatedAt, rec.Why.Payment)
	rec.Why.By, rec.Why.Click, rec.Why.Over = EnumOf(CreditAffiliate), 0, EnumOf(over)
	rec.Why.sources(&d)
	switch {
	case rec.Free:
		return nil
	case len(rec.Commissions) == 0 && over == "":
		return o.reward(rec, d)
	case len(rec.Commissions) == 0:
		return nil
	}
	c := &rec.Commissions[0] // the only one: none is frozen
	c.AffiliateID, c.RiskReasons, c.UpdatedAt = to, nil, later(o.now, c.UpdatedAt)
	c.Approval, c.HoldReason = d.approval(), EnumOf(d.hold)
	if over != "" {
		if err := rec.setByHand(Amount{}); err != nil {
			return err
		}
	}
	return o.recompute(rec)
}

// overAndMoved reports whether a sale earns nothing because it was moved to terms
// that pay nothing more for its customer. The entry stays, since movements name it.
func (r *SaleRecord) overAndMoved() bool {
	hand, ok := r.ByHand.Get()
	return ok && hand.Earned.IsZero() && !r.Why.Over.Is("")
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

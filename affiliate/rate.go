package affiliate

import "github.com/google/uuid"

// Own rates of affiliates and tiers, and the commission type that each was set
// under. A rate of another type than the terms that apply is passed over: 25 %
// never becomes an amount of 25, nor an amount of 500 a rate of 500 %. Rule 5.3.
//
// A rate that was stored before its type was kept has the type of the terms it
// was checked against: of an affiliate those of its plan or the program, of a
// tier the program's.

// overrideRate puts the affiliate's own rate, else its tier's, into the deal,
// where it is of the deal's type.
func (o *op) overrideRate(d *deal, aff *AffiliateRecord) error {
	typ, err := o.ownRateType(aff)
	if err != nil {
		return err
	}
	if rate, ok := aff.Rate.Get(); ok && typ == d.Type {
		d.Rate, d.own = rate, true
		return nil
	}
	if aff.TierID == uuid.Nil {
		return nil
	}
	tier, err := o.tx.Tiers.Get(aff.TierID)
	if err != nil {
		return internal("tier of "+aff.ID.String(), err)
	}
	if o.tierRateType(&tier) == d.Type {
		d.Rate = tier.Rate.Or(d.Rate)
	}
	return nil
}

// ownRateType is the type of an affiliate's own rate; empty without one.
func (o *op) ownRateType(aff *AffiliateRecord) (CommissionType, error) {
	rate, own := aff.Rate.Get()
	if !own || aff.RateType != "" {
		return aff.RateType, nil
	}
	terms, err := o.termsOf(aff.PlanID, planMissing)
	return typeFromBefore(rate, terms.Type), err
}

// typed completes an affiliate that was read to be changed with the type of its
// own rate, so that a change keeps it.
func (o *op) typed(rec AffiliateRecord, err error) (AffiliateRecord, error) {
	if err == nil {
		rec.RateType, err = o.ownRateType(&rec)
	}
	return rec, err
}

// tierRateType is the type of a tier's rate; empty without one.
func (p *Program) tierRateType(tier *TierRecord) CommissionType {
	rate, ok := tier.Rate.Get()
	if !ok || tier.RateType != "" {
		return tier.RateType
	}
	return typeFromBefore(rate, p.cfg.Terms.Type)
}

// typeFromBefore is the type of a rate that was stored without one. What is no
// percentage was an amount, whatever the terms have become since.
func typeFromBefore(rate Percent, terms CommissionType) CommissionType {
	if checkRate(rate, terms) != nil {
		return CommissionFlat
	}
	return terms
}

// settleRate checks an affiliate's own rate against the terms that a change
// leaves it under, and gives one that the change has set their type.
func (o *op) settleRate(old AffiliateRecord, rec *AffiliateRecord) error {
	rate, own := rec.Rate.Get()
	if !own || rec.RateType != "" && rec.PlanID == old.PlanID {
		return nil
	}
	terms, err := o.termsOf(rec.PlanID, planMissing)
	if err != nil {
		return err
	}
	if rec.RateType == "" {
		rec.RateType = terms.Type
	}
	return checkRate(rate, terms.Type)
}

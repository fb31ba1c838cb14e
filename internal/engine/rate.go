package engine

import (
	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/refusal"
)

// Own rates of affiliates and tiers, with the commission type for which each
// was set. A rate of another type than the terms in effect is ignored: 25 %
// never becomes an amount of 25, and an amount of 500 never becomes a rate of
// 500 %. Rule 5.3.
//
// A rate that an older version stored without its type has the type of the terms
// against which it was checked: for an affiliate those of its plan or the program,
// for a tier those of the program.

// overrideRate sets the deal's rate to the affiliate's own rate, else its
// tier's, if the rate has the deal's type.
func (o *Op) overrideRate(d *deal, aff *record.Affiliate) error {
	typ, err := o.ownRateType(aff)
	if err != nil {
		return err
	}
	if rate, ok := aff.Rate.Get(); ok && typ == d.Type {
		d.Rate, d.rateFrom = rate, affiliate.RateOfAffiliate
		return nil
	}
	if aff.TierID == uuid.Nil {
		return nil
	}
	tier, err := o.Tx.Tiers.Get(aff.TierID)
	if err != nil {
		return refusal.Internal("tier of "+aff.ID.String(), err)
	}
	typ, err = o.tierRateType(&tier)
	if rate, ok := tier.Rate.Get(); ok && typ == d.Type {
		d.Rate, d.rateFrom, d.tierID = rate, affiliate.RateOfTier, tier.ID
	}
	return err
}

// ownRateType returns the type of an affiliate's own rate; empty without one.
func (o *Op) ownRateType(aff *record.Affiliate) (affiliate.CommissionType, error) {
	rate, own := aff.Rate.Get()
	if !own || aff.RateType != "" {
		return aff.RateType, nil
	}
	terms, err := o.TermsOf(aff.PlanID, refusal.PlanMissing)
	return typeFromBefore(rate, terms.Type), err
}

// typed adds its rate's type to an affiliate that was read for a change, so that the
// change keeps the type.
func (o *Op) typed(rec record.Affiliate, err error) (record.Affiliate, error) {
	if err == nil {
		rec.RateType, err = o.ownRateType(&rec)
	}
	return rec, err
}

// tierRateType returns the type of a tier's rate; empty without one.
func (o *Op) tierRateType(tier *record.Tier) (affiliate.CommissionType, error) {
	rate, ok := tier.Rate.Get()
	if !ok || tier.RateType != "" {
		return tier.RateType, nil
	}
	terms, err := o.TermsOf(uuid.Nil, refusal.PlanMissing)
	return typeFromBefore(rate, terms.Type), err
}

// typeFromBefore returns the type of a rate that was stored without one. A rate that
// is not a valid percentage was an amount, even if the terms have changed since.
func typeFromBefore(rate affiliate.Percent, terms affiliate.CommissionType) affiliate.CommissionType {
	if CheckRate(rate, terms) != nil {
		return affiliate.CommissionFlat
	}
	return terms
}

// settleRate checks an affiliate's own rate against its terms after a change,
// and gives a new rate the type of those terms.
func (o *Op) settleRate(old record.Affiliate, rec *record.Affiliate) error {
	rate, own := rec.Rate.Get()
	if !own || rec.RateType != "" && rec.PlanID == old.PlanID {
		return nil
	}
	terms, err := o.TermsOf(rec.PlanID, refusal.PlanMissing)
	if err != nil {
		return err
	}
	if rec.RateType == "" {
		rec.RateType = terms.Type
	}
	return CheckRate(rate, terms.Type)
}

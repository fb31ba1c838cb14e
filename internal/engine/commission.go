package engine

import (
	"cmp"
	"errors"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/refusal"
)

// How a sale becomes a commission: terms → rate → base → amount. Rule 5.3.

// A deal holds the terms of one affiliate after all overrides.
type deal struct {
	affiliate.Terms
	rateFrom affiliate.RateSource
	planFrom affiliate.PlanSource
	planID   uuid.UUID              // zero: the program's terms
	tierID   uuid.UUID              // of the tier that gave the rate
	hold     affiliate.HoldReason   // the reason why new commissions are on hold; empty: they are accepted
	risks    []affiliate.RiskReason // the rules of Config.Review that hold the sale
}

// dealFor finds the terms of an affiliate at a time, and of one customer when there is one. The
// rate is the affiliate's own, else the tier's, else the plan's, else the program's. A
// plan of the customer replaces the affiliate's. An own rate or a tier's rate of
// another type than the plan is ignored.
func (o *Op) dealFor(aff *record.Affiliate, ref *record.Referral, at affiliate.Instant) (deal, error) {
	d := deal{rateFrom: affiliate.RateOfProgram, planFrom: affiliate.PlanOfProgram, planID: aff.PlanID}
	from := affiliate.PlanOfAffiliate
	if ref.PlanFixed && ref.AffiliateID == aff.ID {
		from, d.planID = affiliate.PlanOfCustomer, ref.PlanID
	}
	if d.planID == uuid.Nil {
		terms, err := o.TermsAt(uuid.Nil, at, refusal.PlanMissing)
		if err != nil {
			return d, err
		}
		d.Terms = terms
	} else {
		plan, err := o.Tx.Plans.Get(d.planID)
		if err != nil {
			return d, refusal.Internal("commission plan of "+aff.ID.String(), err)
		}
		d.Terms, d.rateFrom, d.planFrom = *termsAt(&plan, at), affiliate.RateOfPlan, from
		if plan.HoldRewards {
			d.hold = affiliate.HoldProgramSettings
		}
	}
	if err := o.overrideRate(&d, aff); err != nil {
		return d, err
	}
	switch held := aff.Status.NewSales().Or(""); held {
	case "", affiliate.HoldAffiliateNotApproved:
		d.hold = cmp.Or(d.hold, held) // so that an approval does not release what is held for another reason
	default:
		d.hold = held
	}
	return d, nil
}

// approval returns the approval status of a new commission.
func (d *deal) approval() affiliate.Enum[affiliate.ApprovalStatus] {
	if d.hold != "" {
		return affiliate.EnumOf(affiliate.ApprovalOnHold)
	}
	return affiliate.EnumOf(affiliate.ApprovalAccepted)
}

// suspect holds new commissions for review, if a rule found a risk. When the affiliate
// was stopped, the hold keeps that reason.
func (d *deal) suspect(risks []affiliate.RiskReason) {
	d.risks = risks
	if len(risks) > 0 &&
		(d.hold == "" || d.hold == affiliate.HoldProgramSettings ||
			d.hold == affiliate.HoldAffiliateNotApproved) {
		d.hold = affiliate.HoldFraudPrevention
	}
}

// payment returns the number of a new sale among its customer's payments: the one in
// its report, else the next after the live sales.
func (o *Op) payment(referral uuid.UUID) (int64, error) {
	totals, err := o.Totals(referral)
	return cmp.Or(o.Nth, payments(&totals)+1), err
}

// payments returns the number of live sales that are payments.
func payments(r *record.Totals) int64 { return r.Sales - r.Free }

// KeptOf returns the amount of a sale after its refunds.
func KeptOf(r *record.Sale) (affiliate.Amount, error) { return r.TotalEarned.Sub(r.Refunded) }

// Earned returns the commission on the kept amount of a sale. A percentage applies to
// the kept part of the base: the same part as of the total, unless refunds named their
// tax and shipping. A flat amount and an amount that was set by hand are reduced in
// the same proportion. With rules, each line earns what its rule pays. So the order of partial
// refunds does not matter, and when
// nothing is kept, exactly nothing is earned.
//
// It is computed in the currency that was charged, and rounded once, in the program's. It
// is at most the cap of the sale, and what its budgets have left for it, unless it was set by hand.
func (p *Program) Earned(r *record.Sale) (affiliate.Amount, error) {
	earned, err := p.earned(AsCharged(r))
	if r.ByHand.IsZero() {
		earned = Capped(earned, r.Cap)
		for i := range r.Budgets {
			earned = Capped(earned, r.Budgets[i].Most)
		}
	}
	return earned, err
}

// earned is Earned without the cap, of a sale as it was charged.
func (p *Program) earned(r *record.Sale) (affiliate.Amount, error) {
	kept, err := KeptOf(r)
	if err != nil || kept.Sign() <= 0 && r.Conversion == "" {
		return affiliate.Amount{}, err
	}
	if earned, exact, err := p.earnedExactly(r); exact || err != nil {
		return earned, err
	}
	if hand, ok := r.ByHand.Get(); ok {
		return hand.Earned.Portion(kept, hand.Kept, p.Cfg.Currency)
	}
	rate, _ := r.Rate.Get()
	if r.RateType.Is(affiliate.CommissionFlat) {
		return rate.Amount().Portion(kept, r.TotalEarned, p.Cfg.Currency)
	}
	base, err := p.Base(r)
	if err != nil {
		return affiliate.Amount{}, err
	}
	return rate.OfPortion(base, kept, r.TotalEarned, p.Cfg.Currency)
}

// Base returns the amount on which commission is paid: the total less tax and
// shipping, if they were deducted when the sale was recorded.
func (p *Program) Base(r *record.Sale) (affiliate.Amount, error) {
	tax, shipping := p.Deducted(r)
	base, err := r.TotalEarned.Sub(tax)
	if err == nil {
		base, err = base.Sub(shipping)
	}
	return base, err
}

// reward adds the commission of a new sale under a deal.
func (o *Op) reward(r *record.Sale, d deal) error {
	earned, err := o.Earned(r)
	if err != nil {
		return TooLargeFor("totalEarned", err)
	}
	number, err := o.Tx.Next(record.CommissionSequence)
	if err != nil {
		return err
	}
	c := record.Commission{
		Number: number, AffiliateID: r.AffiliateID, Earned: earned, Approval: d.approval(),
		HoldReason: affiliate.EnumOf(d.hold), RiskReasons: d.risks, CreatedAt: o.Now, UpdatedAt: o.Now,
	}
	r.Commissions = append(r.Commissions, c)
	return nil
}

// Recompute calculates the commission of a sale again after its amounts, its
// rate or its refunds have changed. A sale without a commission stays without
// one. An entry that no payout ever took is changed in place; otherwise a
// further entry makes up the difference.
func (o *Op) Recompute(r *record.Sale) error {
	if len(r.Commissions) == 0 {
		return nil
	}
	earned, err := o.Earned(r)
	if err != nil {
		return TooLargeFor("totalEarned", err)
	}
	sum, err := CommissionEarned(r)
	if err == nil {
		sum, err = earned.Sub(sum)
	}
	if err != nil || sum.IsZero() {
		return TooLargeFor("commissionEarned", err)
	}
	if SaleFrozen(r) {
		return o.makeUp(r, sum)
	}
	c := &r.Commissions[0]
	c.Earned, c.UpdatedAt = earned, Later(o.Now, c.UpdatedAt)
	return nil
}

// makeUp appends a further entry to a sale, or changes the one that it appended before. It is
// payable at once if the first entry is payable, otherwise it gets the same approval status: a
// declined commission is not clawed back.
func (o *Op) makeUp(r *record.Sale, difference affiliate.Amount) (err error) {
	if last := len(r.Commissions) - 1; r.Commissions[last].Number == 0 {
		c := &r.Commissions[last]
		if c.Earned, err = c.Earned.Add(difference); c.Earned.IsZero() {
			r.Commissions = r.Commissions[:last]
		}
		return TooLargeFor("commissionEarned", err)
	}
	first := &r.Commissions[0]
	r.Commissions = append(r.Commissions, record.Commission{
		AffiliateID: r.AffiliateID, Earned: difference, ClawBack: true,
		Approval: first.Approval, HoldReason: first.HoldReason, CreatedAt: o.Now, UpdatedAt: o.Now,
	})
	return nil
}

// NumberEntries numbers the entries that makeUp appended. It runs when the sale is
// written, because a refusal may still come before.
func (o *Op) NumberEntries(r *record.Sale) (err error) {
	for i := range r.Commissions {
		if c := &r.Commissions[i]; c.Number == 0 {
			if c.Number, err = o.Tx.Next(record.CommissionSequence); err != nil {
				return err
			}
		}
	}
	return nil
}

// EntryTime returns the time of a commission: that of its sale, or its own when it is
// a further entry.
func EntryTime(r *record.Sale, c *record.Commission) affiliate.Instant {
	if c.ClawBack {
		return c.CreatedAt
	}
	return r.CreatedAt
}

// PayableAt returns the time from which a payout may take a commission: after the
// holding period of its sale, or at once when it is a further entry. Zero: never,
// because it is declined.
func PayableAt(r *record.Sale, c *record.Commission) affiliate.Instant {
	switch {
	case c.Approval.Is(affiliate.ApprovalDeclined):
		return affiliate.Instant{}
	case c.ClawBack:
		return c.CreatedAt
	}
	return r.MaturesAt()
}

// CommissionEarned returns the sum of a sale's commissions.
func CommissionEarned(r *record.Sale) (sum affiliate.Amount, err error) {
	for i := range r.Commissions {
		if sum, err = sum.Add(r.Commissions[i].Earned); err != nil {
			return affiliate.Amount{}, err
		}
	}
	return sum, nil
}

// TooLargeFor turns an overflow into the field's error.
func TooLargeFor(field string, err error) error {
	if errors.Is(err, affiliate.ErrAmountRange) {
		return refusal.FieldTooLarge.Of(field)
	}
	return err
}

// review moves a commission to another status. The reason for a hold or decline
// is the program's decision, unless the commission has another reason already.
func review(c *record.Commission, status affiliate.ApprovalStatus, now affiliate.Instant) {
	if c.Approval.Is(status) {
		return
	}
	c.Approval, c.UpdatedAt = affiliate.EnumOf(status), Later(now, c.UpdatedAt)
	switch {
	case status == affiliate.ApprovalAccepted:
		c.HoldReason = affiliate.Enum[affiliate.HoldReason]{}
	case c.HoldReason.Is(""):
		c.HoldReason = affiliate.EnumOf(affiliate.HoldProgramSettings)
	}
}

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

// What a sale may earn at most. Source: docs/terms.md.

// limit sets the cap of a sale by its terms. The earnings of the customer's other sales are
// read once and noted in the sale: a later refund of one of them does not raise this one. Own is
// the part of the customer's totals that is this sale's.
func (o *Op) limit(r *record.Sale, t *affiliate.Terms, own affiliate.Amount) error {
	if t.MaxPerCustomer.Sign() > 0 && r.ReferralID != uuid.Nil && r.Why.Earlier.IsZero() {
		totals, err := o.Totals(r.ReferralID)
		if err != nil {
			return err
		}
		others, err := totals.Commission.Sub(own)
		if err != nil {
			return TooLargeFor("commissionEarned", err)
		}
		r.Why.Earlier = affiliate.Set(others)
	}
	r.Cap = CapOf(r, t, r.Why.Earlier.Or(affiliate.Amount{}))
	return nil
}

// CapOf returns the cap of a sale by some terms, when the other sales of its customer earned
// so much. A rate that was given for the sale has none.
func CapOf(r *record.Sale, t *affiliate.Terms, others affiliate.Amount) (most affiliate.Opt[affiliate.Amount]) {
	if r.Why.RateFrom.Is(affiliate.RateOfSale) {
		return most
	}
	if t.MaxPerSale.Sign() > 0 {
		most = affiliate.Set(t.MaxPerSale)
	}
	if t.MaxPerCustomer.Sign() > 0 && r.ReferralID != uuid.Nil {
		room := max(t.MaxPerCustomer.Scaled()-others.Scaled(), 0)
		most = affiliate.Set(Capped(affiliate.AmountFromScaled(room), most))
	}
	return most
}

// Capped returns an amount, at most the cap where there is one.
func Capped(a affiliate.Amount, most affiliate.Opt[affiliate.Amount]) affiliate.Amount {
	if limit, ok := most.Get(); ok {
		return lesser(a, limit)
	}
	return a
}

package affiliate

import (
	"cmp"
	"errors"
	"time"

	"github.com/google/uuid"
)

// How a sale becomes a commission: terms → rate → base → amount. Rule 5.3.

// A deal is the terms of one affiliate, after everything that may override them
// has been looked up.
type deal struct {
	Terms
	rateFrom RateSource
	planFrom PlanSource
	planID   uuid.UUID    // zero: the program's terms
	tierID   uuid.UUID    // of the tier that gave the rate
	hold     HoldReason   // the reason why new commissions are on hold; empty: they are accepted
	risks    []RiskReason // the rules of Config.Review that hold for the sale
}

// dealFor finds the terms of an affiliate, and of one customer when there is
// one: the affiliate's own rate, else the tier's, else the plan's, else the
// program's. A plan of the customer is used instead of the affiliate's. An own
// rate or a tier's rate of another type than the plan is ignored.
func (o *op) dealFor(aff *AffiliateRecord, ref *ReferralRecord) (deal, error) {
	d := deal{Terms: o.cfg.Terms, rateFrom: RateOfProgram, planFrom: PlanOfProgram, planID: aff.PlanID}
	from := PlanOfAffiliate
	if ref.PlanFixed && ref.AffiliateID == aff.ID {
		from, d.planID = PlanOfCustomer, ref.PlanID
	}
	if d.planID != uuid.Nil {
		plan, err := o.tx.Plans.Get(d.planID)
		if err != nil {
			return d, internal("commission plan of "+aff.ID.String(), err)
		}
		d.Terms, d.rateFrom, d.planFrom = plan.Terms, RateOfPlan, from
		if plan.HoldRewards {
			d.hold = HoldProgramSettings
		}
	}
	if err := o.overrideRate(&d, aff); err != nil {
		return d, err
	}
	switch held := aff.Status.NewSales().Or(""); held {
	case "", HoldAffiliateNotApproved:
		d.hold = cmp.Or(d.hold, held) // approval releases nothing that has another reason
	default:
		d.hold = held
	}
	return d, nil
}

// approval is that of a new commission.
func (d *deal) approval() Enum[ApprovalStatus] {
	if d.hold != "" {
		return EnumOf(ApprovalOnHold)
	}
	return EnumOf(ApprovalAccepted)
}

// suspect holds new commissions for review, if a rule held. A hold of an affiliate
// who was stopped has its own reason.
func (d *deal) suspect(risks []RiskReason) {
	d.risks = risks
	if len(risks) > 0 && (d.hold == "" || d.hold == HoldProgramSettings || d.hold == HoldAffiliateNotApproved) {
		d.hold = HoldFraudPrevention
	}
}

// over is the limit of the deal after which it pays nothing more for a customer
// and a sale at a time: the number of months since the referral, or of payments.
// Empty: it pays. Without a customer it never ends. Free orders are no payments.
func (o *op) over(d deal, ref *ReferralRecord, at Instant) (OverLimit, error) {
	if ref.ID == uuid.Nil || d.MaxPayments == 0 {
		return d.Terms.over(ref, at, 0), nil
	}
	n, err := o.payment(ref.ID)
	return d.Terms.over(ref, at, n), err
}

// payment is which payment of its customer a new sale is: as its report says, else the
// next one after the live sales.
func (o *op) payment(referral uuid.UUID) (int64, error) {
	totals, err := o.totals(referral)
	return cmp.Or(o.nth, totals.payments()+1), err
}

// over is the limit that the n-th payment of a customer at a time is beyond.
func (t *Terms) over(ref *ReferralRecord, at Instant, n int64) OverLimit {
	switch {
	case ref.ID == uuid.Nil:
		return ""
	case t.MaxMonths > 0 && at.After(addMonths(ref.CreatedAt, t.MaxMonths)):
		return OverMonths
	case t.MaxPayments > 0 && n > t.MaxPayments:
		return OverPayments
	}
	return ""
}

// payments is how many live sales are payments.
func (r *TotalsRecord) payments() int64 { return r.Sales - r.Free }

// addMonths moves t by calendar months. If the target month does not have the
// day, its last day is used.
func addMonths(from Instant, months int64) Instant {
	t := from.Time()
	moved := t.AddDate(0, int(min(months, 12*9999)), 0)
	if moved.Day() < t.Day() {
		moved = moved.AddDate(0, 0, -moved.Day())
	}
	return InstantOf(moved)
}

// kept is the amount of a sale after its refunds.
func (r *SaleRecord) kept() (Amount, error) { return r.TotalEarned.Sub(r.Refunded) }

// earned is the commission on the kept amount of a sale. A percentage applies
// to what is kept of the base: the same part as of the total, unless refunds say
// what of them is tax and shipping. A flat amount and an amount that was set by
// hand are reduced in the same proportion. So the order of partial refunds does
// not matter, and when nothing is kept, exactly nothing is earned.
func (p *Program) earned(r *SaleRecord) (Amount, error) {
	kept, err := r.kept()
	if err != nil || kept.Sign() <= 0 {
		return Amount{}, err
	}
	if earned, named, err := p.earnedByParts(r); named || err != nil {
		return earned, err
	}
	if hand, ok := r.ByHand.Get(); ok {
		return hand.Earned.Portion(kept, hand.Kept, p.cfg.Currency)
	}
	rate, _ := r.Rate.Get()
	if r.RateType.Is(CommissionFlat) {
		return rate.Amount().Portion(kept, r.TotalEarned, p.cfg.Currency)
	}
	base, err := p.base(r)
	if err != nil {
		return Amount{}, err
	}
	return rate.ofPortion(base, kept, r.TotalEarned, p.cfg.Currency)
}

// base is the amount on which commission is paid: the total less tax and
// shipping, if they were deducted when the sale was recorded.
func (p *Program) base(r *SaleRecord) (Amount, error) {
	tax, shipping := p.deducted(r)
	base, err := r.TotalEarned.Sub(tax)
	if err == nil {
		base, err = base.Sub(shipping)
	}
	return base, err
}

// reward adds the commission of a new sale under a deal.
func (o *op) reward(r *SaleRecord, d deal) error {
	earned, err := o.earned(r)
	if err != nil {
		return tooLargeFor("totalEarned", err)
	}
	number, err := o.tx.Next(CommissionSequence)
	if err != nil {
		return err
	}
	c := CommissionRecord{
		Number: number, AffiliateID: r.AffiliateID, Earned: earned, Approval: d.approval(),
		HoldReason: EnumOf(d.hold), RiskReasons: d.risks, CreatedAt: o.now, UpdatedAt: o.now,
	}
	r.Commissions = append(r.Commissions, c)
	return nil
}

// recompute calculates the commission of a sale again after its amounts, its
// rate or its refunds have changed. A sale without a commission stays without
// one. An entry that no payout ever took is changed in place; otherwise a
// further entry makes up the difference.
func (o *op) recompute(r *SaleRecord) error {
	if len(r.Commissions) == 0 {
		return nil
	}
	earned, err := o.earned(r)
	if err != nil {
		return tooLargeFor("totalEarned", err)
	}
	sum, err := r.commissionEarned()
	if err == nil {
		sum, err = earned.Sub(sum)
	}
	if err != nil || sum.IsZero() {
		return tooLargeFor("commissionEarned", err)
	}
	if r.frozen() {
		o.makeUp(r, sum)
		return nil
	}
	c := &r.Commissions[0]
	c.Earned, c.UpdatedAt = earned, later(o.now, c.UpdatedAt)
	return nil
}

// makeUp appends a further entry to a sale. It is payable at once if the first
// entry is, and in the same state of review otherwise: nothing is clawed back
// for a commission that was declined.
func (o *op) makeUp(r *SaleRecord, difference Amount) {
	first := &r.Commissions[0]
	r.Commissions = append(r.Commissions, CommissionRecord{
		AffiliateID: r.AffiliateID, Earned: difference, ClawBack: true,
		Approval: first.Approval, HoldReason: first.HoldReason, CreatedAt: o.now, UpdatedAt: o.now,
	})
}

// numberEntries numbers the entries that were made up. It is done when the sale
// is written, because a refusal may come after they were made.
func (o *op) numberEntries(r *SaleRecord) (err error) {
	for i := range r.Commissions {
		if c := &r.Commissions[i]; c.Number == 0 {
			if c.Number, err = o.tx.Next(CommissionSequence); err != nil {
				return err
			}
		}
	}
	return nil
}

// entryTime is the time of a commission: that of its sale, or its own when it is
// a further entry.
func (r *SaleRecord) entryTime(c *CommissionRecord) Instant {
	if c.ClawBack {
		return c.CreatedAt
	}
	return r.CreatedAt
}

// payableAt is from when on a payout may take a commission: after the holding
// period of its sale, or at once when it is a further entry. Zero: never, it is
// declined.
func (r *SaleRecord) payableAt(c *CommissionRecord) Instant {
	switch {
	case c.Approval.Is(ApprovalDeclined):
		return Instant{}
	case c.ClawBack:
		return c.CreatedAt
	}
	return r.CreatedAt.Add(time.Duration(r.HoldDays) * 24 * time.Hour)
}

// commissionEarned is the sum of a sale's commissions.
func (r *SaleRecord) commissionEarned() (sum Amount, err error) {
	for i := range r.Commissions {
		if sum, err = sum.Add(r.Commissions[i].Earned); err != nil {
			return Amount{}, err
		}
	}
	return sum, nil
}

// tooLargeFor turns an overflow into the field's error.
func tooLargeFor(field string, err error) error {
	if errors.Is(err, ErrAmountRange) {
		return FieldTooLarge.Of(field)
	}
	return err
}

// review moves a commission to another status. The reason for a hold or decline
// is the program's decision, unless the commission has another reason already.
func (c *CommissionRecord) review(status ApprovalStatus, now Instant) {
	if c.Approval.Is(status) {
		return
	}
	c.Approval, c.UpdatedAt = EnumOf(status), later(now, c.UpdatedAt)
	switch {
	case status == ApprovalAccepted:
		c.HoldReason = Enum[HoldReason]{}
	case c.HoldReason.Is(""):
		c.HoldReason = EnumOf(HoldProgramSettings)
	}
}

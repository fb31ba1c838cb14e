package reading

import (
	"context"
	"errors"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/engine"
	"github.com/tributary-go/tributary/internal/refusal"
)

// ExplainSale implements tributary.Program.ExplainSale.
func ExplainSale(ctx context.Context, p *engine.Program, id affiliate.SaleID) (_ affiliate.Explanation, err error) {
	defer p.Begin(&ctx, "ExplainSale", engine.Reads).End(&err)
	return engine.View(ctx, p, func(o *engine.Op) (affiliate.Explanation, error) {
		rec, err := o.SaleByNumber(id)
		if err != nil {
			return affiliate.Explanation{}, refusal.SaleNotFound.IfMissing(err)
		}
		return Explain(o, &rec)
	})
}

// Explain explains a sale.
func Explain(o *engine.Op, r *record.Sale) (e affiliate.Explanation, err error) {
	e = affiliate.Explanation{SaleID: affiliate.SaleID(r.Number), Terms: terms(r), Commissions: engine.CommissionsOf(r)}
	if e.Credit, err = creditOf(o, r); err != nil {
		return affiliate.Explanation{}, err
	}
	if e.Redemption, err = redemptionOf(o, r); err != nil {
		return affiliate.Explanation{}, err
	}
	if r.Offer {
		if e.Offer, err = offerOf(o, r); err != nil {
			return affiliate.Explanation{}, err
		}
	}
	for i := range r.Budgets {
		e.Budgets = append(e.Budgets, budgetOf(&r.Budgets[i]))
	}
	moved, err := engine.Gather(o.Tx.Movements,
		record.Query{Key: record.Key{Index: record.OfSale, ID: record.NumberID(r.Number)},
			Desc: true})
	if err != nil {
		return affiliate.Explanation{}, err
	}
	e.Movements = make([]affiliate.Movement, len(moved))
	for i := range moved {
		e.Movements[i] = movementOf(moved[i])
	}
	reading := readingOf(o.Program, r)
	if e.Base, err = baseOf(reading, r); err != nil {
		return affiliate.Explanation{}, err
	}
	e.Arithmetic.ByHand, e.Arithmetic.Exact = affiliate.Null[affiliate.Amount](), reading.Exact(r).RatString()
	if hand, ok := r.ByHand.Get(); ok {
		e.Arithmetic.ByHand = affiliate.Set(hand.Earned)
	} else {
		e.Arithmetic.Cap = r.Cap
	}
	if len(r.Commissions) > 0 {
		e.Arithmetic.Rounded, err = reading.Earned(r)
	}
	if _, byHand := r.ByHand.Get(); err == nil && !byHand && engine.Ruled(r) {
		e.Lines, err = explainedLines(reading, r)
	}
	return e, err
}

func budgetOf(d *record.Draw) affiliate.ExplainedBudget {
	left, most := affiliate.Null[affiliate.Amount](), affiliate.Null[affiliate.Amount]()
	if !d.Most.IsZero() {
		most = d.Most
		if d.MaxCommission.Sign() > 0 {
			left = affiliate.Set(d.Left)
		}
	}
	return affiliate.ExplainedBudget{Budget: d.Budget, From: refusal.TimeOrNull(d.From), Left: left, Most: most}
}

// offerOf reads what the link gave with a sale.
func offerOf(o *engine.Op, r *record.Sale) (none affiliate.Opt[affiliate.ExplainedOffer], err error) {
	given, err := o.Tx.Redemptions.Get(record.NumberID(r.Number))
	if err != nil {
		return none, engine.IgnoreMissing(err)
	}
	coupon, err := o.Tx.Coupons.Get(given.CouponID)
	if engine.IgnoreMissing(err) != nil {
		return none, err
	}
	return affiliate.Set(affiliate.ExplainedOffer{CouponID: given.CouponID,
		Name: engine.OrNull(coupon.Name), Discount: given.Discount}), nil
}

// explainedLines explains the lines of a sale.
func explainedLines(p *engine.Program, r *record.Sale) ([]affiliate.ExplainedLine, error) {
	shares, err := p.LineShares(r)
	if err != nil {
		return nil, err
	}
	lines := make([]affiliate.ExplainedLine, len(shares))
	for i, share := range shares {
		l := &r.Lines[i]
		lines[i] = affiliate.ExplainedLine{
			ID: engine.OrNull(l.ID), Base: share.Base, Kept: share.Kept.RatString(), Rule: engine.OrNull(l.Rule),
			Type: share.Pay.Type, Rate: affiliate.Set(share.Pay.Rate), Exact: share.Earns.RatString(),
		}
		if share.Pay.Type == affiliate.RuleNone {
			lines[i].Rate = affiliate.Null[affiliate.Percent]()
		}
	}
	return lines, nil
}

// redemptionOf explains the redemption of a sale with a hold, or by a coupon with a cap or a budget.
func redemptionOf(o *engine.Op, r *record.Sale) (none affiliate.Opt[affiliate.ExplainedRedemption], err error) {
	if r.CodeID == uuid.Nil || r.Conversion != "" {
		return none, nil
	}
	entry, err := o.Tx.Redemptions.Get(record.NumberID(r.Number))
	if err != nil {
		return none, engine.IgnoreMissing(err)
	}
	if entry.HoldID == "" {
		coupon, err := o.Tx.Coupons.Get(entry.CouponID)
		if err != nil || coupon.MaxDiscount.IsZero() && coupon.MaxDiscountTotal.IsZero() {
			return none, engine.IgnoreMissing(err)
		}
	}
	return affiliate.Set(affiliate.ExplainedRedemption{
		Discount: entry.Discount, HoldID: engine.OrNull(entry.HoldID), Over: entry.Over,
		SeenAt: refusal.TimeOrNull(entry.SeenAt), RestoredAt: refusal.TimeOrNull(entry.RestoredAt),
	}), nil
}

// creditOf reads what credited the affiliate, as far as it still exists.
func creditOf(o *engine.Op, r *record.Sale) (affiliate.ExplainedCredit, error) {
	c := affiliate.ExplainedCredit{
		By: r.Why.By.Value(), PromotionalCodeID: engine.OrNull(r.CodeID),
		ClickID: engine.OrNull(affiliate.ClickID(r.Why.Click)),
		ClickAt: affiliate.Null[affiliate.Time](), AffiliateLinkID: engine.OrNull(r.LinkID),
		ReferralID: engine.OrNull(r.ReferralID), ReferralAt: affiliate.Null[affiliate.Time](),
	}
	if c.By == "" {
		c.By = affiliate.CreditUnknown
	}
	if r.Why.Click != 0 {
		click, err := o.Tx.Clicks.Find(record.Key{Index: record.ByNumber, ID: record.NumberID(r.Why.Click)})
		if err != nil && !errors.Is(err, affiliate.ErrNotFound) {
			return c, err
		}
		c.ClickAt = refusal.TimeOrNull(click.CreatedAt)
	}
	if r.ReferralID != uuid.Nil {
		ref, err := o.Tx.Referrals.Get(r.ReferralID)
		if err != nil {
			return c, refusal.Internal("referral of a sale", err)
		}
		c.ReferralAt = refusal.TimeOrNull(ref.CreatedAt)
	}
	for _, who := range r.Candidates {
		c.Candidates = append(c.Candidates, affiliate.Candidate{By: who.By.Value(), AffiliateID: who.AffiliateID})
	}
	return c, nil
}

// terms returns the terms of the sale as the explanation shows them.
func terms(r *record.Sale) affiliate.ExplainedTerms {
	t := affiliate.ExplainedTerms{
		CommissionType: r.RateType.Value(), CommissionRate: r.Rate,
		RateFrom: r.Why.RateFrom.Value(), PlanFrom: r.Why.PlanFrom.Value(),
		CommissionPlanID: engine.OrNull(r.Why.PlanID),
		CommissionTierID: engine.OrNull(r.Why.TierID), HoldDays: int64(r.HoldDays),
		Payment: engine.OrNull(r.Why.Payment), Over: engine.OrNull(r.Why.Over.Value()),
		Month: int64(r.Why.Month),
	}
	if t.RateFrom == "" {
		t.RateFrom = affiliate.RateUnknown
	}
	if t.PlanFrom == "" {
		t.PlanFrom = affiliate.PlanUnknown
	}
	return t
}

func baseOf(p *engine.Program, r *record.Sale) (b affiliate.ExplainedBase, err error) {
	for _, c := range r.Charged {
		b.Currency, b.ExchangeRate = c.Currency, c.ExchangeRate
	}
	r = engine.AsCharged(r)
	b.TotalEarned, b.Refunded = r.TotalEarned, r.Refunded
	b.TaxDeducted, b.ShippingDeducted = p.Deducted(r)
	if b.Kept, err = engine.KeptOf(r); err == nil {
		b.Base, err = p.Base(r)
	}
	if err != nil {
		return b, err
	}
	named, err := engine.RefundPartsOf(r)
	b.NamedRefunds, b.TaxRefunded, b.ShippingRefunded = named.Of, named.Tax, named.Shipping
	return b, err
}

// readingOf returns the program with the deductions under which the commissions of a
// sale were calculated. A sale that is older than Why.Deduct does not name them: then
// they are those that agree with its commissions, today's settings first.
func readingOf(p *engine.Program, r *record.Sale) *engine.Program {
	sum, err := engine.CommissionEarned(r)
	if err != nil || len(r.Commissions) == 0 || !r.Why.Deduct.Is("") {
		return p
	}
	for _, reading := range readings(p) {
		if earned, err := reading.Earned(r); err == nil && earned == sum {
			return reading
		}
	}
	return p
}

// readings returns the program with every setting of the deductions, its own first.
func readings(p *engine.Program) []*engine.Program {
	list := []*engine.Program{p}
	for _, tax := range []bool{false, true} {
		for _, shipping := range []bool{false, true} {
			q, cfg := *p, p.Config()
			cfg.CommissionOnTax, cfg.CommissionOnShipping = tax, shipping
			q.Cfg = &cfg
			list = append(list, &q)
		}
	}
	return list
}

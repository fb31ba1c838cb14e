package affiliate

import (
	"context"
	"errors"
	"math/big"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/internal/decimal"
)

// An Explanation says how the commission of a sale came about. A sale from
// before this was stored says UNKNOWN where it does not know.
//
// Source: docs/money.md 10.
type Explanation struct {
	SaleID      SaleID              `json:"saleId"`
	Credit      ExplainedCredit     `json:"credit"`
	Terms       ExplainedTerms      `json:"terms"`
	Base        ExplainedBase       `json:"base"`
	Arithmetic  ExplainedArithmetic `json:"arithmetic"`
	Commissions []Commission        `json:"commissions"`
	Movements   []Movement          `json:"movements"` // of the sale, newest first; none of payouts
}

// ExplainedCredit says who was credited, and by what. The times are null when
// the click or the referral is gone.
type ExplainedCredit struct {
	By                CreditedBy     `json:"by"`
	PromotionalCodeID Opt[uuid.UUID] `json:"promotionalCodeId"`
	ClickID           Opt[ClickID]   `json:"clickId"` // the click that credited the affiliate
	ClickAt           Opt[Time]      `json:"clickAt"`
	AffiliateLinkID   Opt[uuid.UUID] `json:"affiliateLinkId"`
	ReferralID        Opt[uuid.UUID] `json:"referralId"`
	ReferralAt        Opt[Time]      `json:"referralAt"` // when the customer was referred
}

// ExplainedTerms are the terms of a sale, and where they come from.
type ExplainedTerms struct {
	CommissionType   CommissionType `json:"commissionType"`
	CommissionRate   Opt[Percent]   `json:"commissionRate"` // the rate applied
	RateFrom         RateSource     `json:"rateFrom"`
	PlanFrom         PlanSource     `json:"planFrom"`
	CommissionPlanID Opt[uuid.UUID] `json:"commissionPlanId"`
	CommissionTierID Opt[uuid.UUID] `json:"commissionTierId"` // the tier that gave the rate
	HoldDays         int64          `json:"holdDays"`
	Payment          Opt[int64]     `json:"payment"` // the customer's n-th payment; null: no customer, or no payment
	Over             Opt[OverLimit] `json:"over"`    // the limit that the sale was beyond; null: none
}

// ExplainedBase is what the rate is applied to.
type ExplainedBase struct {
	TotalEarned      Amount `json:"totalEarned"`
	TaxDeducted      Amount `json:"taxDeducted"`
	ShippingDeducted Amount `json:"shippingDeducted"`
	Refunded         Amount `json:"refunded"`
	Kept             Amount `json:"kept"` // of TotalEarned, after the refunds
	Base             Amount `json:"base"` // of the whole sale; the commission is that on the kept part

	// What refunds said of their tax and shipping; none when all are zero. Then the base is
	// lowered by NamedRefunds less both, and of that the part Kept ÷ (TotalEarned −
	// NamedRefunds) counts.
	NamedRefunds     Amount `json:"namedRefunds,omitzero"`
	TaxRefunded      Amount `json:"taxRefunded,omitzero"`
	ShippingRefunded Amount `json:"shippingRefunded,omitzero"`
}

// ExplainedArithmetic is the calculation. Rounded is the sum of the commissions.
type ExplainedArithmetic struct {
	ByHand  Opt[Amount] `json:"byHand"`  // the commission was set to this amount; null: calculated
	Exact   string      `json:"exact"`   // a number or a fraction in lowest terms, such as 5997/2000
	Rounded Amount      `json:"rounded"` // half away from zero, to the digits of the currency
}

// ExplainSale says who was credited with a sale and why, on which terms, and how
// the commission was calculated.
//
// Errors: [SaleNotFound].
//
// Source: docs/money.md 10.
func (p *Program) ExplainSale(ctx context.Context, id SaleID) (_ Explanation, err error) {
	defer p.begin(&ctx, "ExplainSale", reads).end(&err)
	return view(ctx, p, func(o *op) (Explanation, error) {
		rec, err := o.saleByNumber(id)
		if err != nil {
			return Explanation{}, saleNotFound.ifMissing(err)
		}
		return o.explain(&rec)
	})
}

func (o *op) explain(r *SaleRecord) (e Explanation, err error) {
	e = Explanation{SaleID: SaleID(r.Number), Terms: r.terms(), Commissions: r.commissionsOf()}
	if e.Credit, err = o.creditOf(r); err != nil {
		return Explanation{}, err
	}
	moved, err := gather(o.tx.Movements, Query{Key: Key{Index: OfSale, ID: numberID(r.Number)}, Desc: true})
	if err != nil {
		return Explanation{}, err
	}
	e.Movements = make([]Movement, len(moved))
	for i := range moved {
		e.Movements[i] = movementOf(moved[i])
	}
	reading := o.readingOf(r)
	if e.Base, err = reading.baseOf(r); err != nil {
		return Explanation{}, err
	}
	e.Arithmetic.ByHand, e.Arithmetic.Exact = Null[Amount](), reading.exact(r).RatString()
	if hand, ok := r.ByHand.Get(); ok {
		e.Arithmetic.ByHand = Set(hand.Earned)
	}
	if len(r.Commissions) > 0 {
		e.Arithmetic.Rounded, err = reading.earned(r)
	}
	return e, err
}

// creditOf reads what credited the affiliate, as far as it still exists.
func (o *op) creditOf(r *SaleRecord) (ExplainedCredit, error) {
	c := ExplainedCredit{
		By: r.Why.By.Value(), PromotionalCodeID: orNull(r.CodeID), ClickID: orNull(ClickID(r.Why.Click)), ClickAt: Null[Time](),
		AffiliateLinkID: orNull(r.LinkID), ReferralID: orNull(r.ReferralID), ReferralAt: Null[Time](),
	}
	if c.By == "" {
		c.By = CreditUnknown
	}
	if r.Why.Click != 0 {
		click, err := o.tx.Clicks.Find(Key{Index: ByNumber, ID: numberID(r.Why.Click)})
		if err != nil && !errors.Is(err, ErrNotFound) {
			return c, err
		}
		c.ClickAt = timeOrNull(click.CreatedAt)
	}
	if r.ReferralID != uuid.Nil {
		ref, err := o.tx.Referrals.Get(r.ReferralID)
		if err != nil {
			return c, internal("referral of a sale", err)
		}
		c.ReferralAt = timeOrNull(ref.CreatedAt)
	}
	return c, nil
}

// terms are the terms of the sale as the explanation shows them.
func (r *SaleRecord) terms() ExplainedTerms {
	t := ExplainedTerms{
		CommissionType: r.RateType.Value(), CommissionRate: r.Rate, RateFrom: r.Why.RateFrom.Value(), PlanFrom: r.Why.PlanFrom.Value(),
		CommissionPlanID: orNull(r.Why.PlanID), CommissionTierID: orNull(r.Why.TierID), HoldDays: r.HoldDays,
		Payment: orNull(r.Why.Payment), Over: orNull(r.Why.Over.Value()),
	}
	if t.RateFrom == "" {
		t.RateFrom = RateUnknown
	}
	if t.PlanFrom == "" {
		t.PlanFrom = PlanUnknown
	}
	return t
}

func (p *Program) baseOf(r *SaleRecord) (b ExplainedBase, err error) {
	b.TotalEarned, b.Refunded = r.TotalEarned, r.Refunded
	b.TaxDeducted, b.ShippingDeducted = p.deducted(r)
	if b.Kept, err = r.kept(); err == nil {
		b.Base, err = p.base(r)
	}
	if err != nil {
		return b, err
	}
	named, err := r.refundParts()
	b.NamedRefunds, b.TaxRefunded, b.ShippingRefunded = named.of, named.tax, named.shipping
	return b, err
}

// readingOf is the program with the deductions under which the commissions of a
// sale were calculated. A sale older than Why.Deduct does not say what was deducted: it
// is what agrees with its commissions, today's settings first.
func (p *Program) readingOf(r *SaleRecord) *Program {
	sum, err := r.commissionEarned()
	if err != nil || len(r.Commissions) == 0 || !r.Why.Deduct.Is("") {
		return p
	}
	for _, reading := range p.readings() {
		if earned, err := reading.earned(r); err == nil && earned == sum {
			return reading
		}
	}
	return p
}

// readings are the program with every setting of the deductions, its own first.
func (p *Program) readings() []*Program {
	list := []*Program{p}
	for _, tax := range []bool{false, true} {
		for _, shipping := range []bool{false, true} {
			q, cfg := *p, p.Config()
			cfg.CommissionOnTax, cfg.CommissionOnShipping = tax, shipping
			q.cfg = &cfg
			list = append(list, &q)
		}
	}
	return list
}

// exact is what a sale earns before it is rounded: the rate on the base, or the
// amount of a flat rate or one that was set by hand, and of that the kept part.
func (p *Program) exact(r *SaleRecord) *big.Rat {
	kept, err := r.kept()
	named, unknown := r.refundParts()
	if err != nil || unknown != nil || kept.Sign() <= 0 || len(r.Commissions) == 0 {
		return new(big.Rat)
	}
	base, err := p.base(r)
	if err != nil || r.TotalEarned.Sign() <= 0 {
		return new(big.Rat)
	}
	rate, _ := r.Rate.Get()
	hand, byHand := r.ByHand.Get()
	left, whole, earned := p.keptBase(r, base, kept, named), p.keptBase(r, base, r.TotalEarned, refundParts{}), scaledRat(rate.Scaled())
	switch {
	case byHand:
		earned, whole = scaledRat(hand.Earned.Scaled()), p.keptBase(r, base, hand.Kept, hand.parts())
		if whole.Sign() == 0 {
			left, whole = scaledRat(kept.Scaled()), scaledRat(hand.Kept.Scaled())
		}
	case r.RateType.Is(CommissionFlat) && base.Sign() <= 0:
		left, whole = scaledRat(kept.Scaled()), scaledRat(r.TotalEarned.Scaled())
	case !r.RateType.Is(CommissionFlat):
		return left.Mul(left, big.NewRat(rate.Scaled(), 100*decimal.Scale))
	}
	if whole.Sign() == 0 {
		return new(big.Rat)
	}
	return earned.Mul(earned, left.Quo(left, whole))
}

// scaledRat is an amount as a fraction.
func scaledRat(scaled int64) *big.Rat { return big.NewRat(scaled, decimal.Scale) }

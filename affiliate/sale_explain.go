package affiliate

import "github.com/google/uuid"

// An Explanation says how the commission of a sale came about. For sales that were recorded
// before the engine stored these facts, the unknown ones are UNKNOWN.
//
// Source: docs/money.md 10.
type Explanation struct {
	SaleID      SaleID              `json:"saleId"`
	Credit      ExplainedCredit     `json:"credit"`
	Terms       ExplainedTerms      `json:"terms"`
	Base        ExplainedBase       `json:"base"`
	Arithmetic  ExplainedArithmetic `json:"arithmetic"`
	Commissions []Commission        `json:"commissions"`
	Movements   []Movement          `json:"movements"`       // of the sale, newest first; none of payouts
	Lines       []ExplainedLine     `json:"lines,omitempty"` // when rules decide about some of them
	Offer       Opt[ExplainedOffer] `json:"offer,omitzero"`  // when the sale redeemed what the link gives

	// Redemption says what its code took off, when the sale confirmed a hold or is over a limit, or its coupon has
	// a cap or a budget.
	Redemption Opt[ExplainedRedemption] `json:"redemption,omitzero"`
}

// ExplainedRedemption is the redemption of a sale by code.
type ExplainedRedemption struct {
	Discount   Amount      `json:"discount"`   // what the code took off, in the program's currency
	HoldID     Opt[string] `json:"holdId"`     // the caller's id of the hold that the sale confirmed; null: none
	Over       bool        `json:"over"`       // it was made over a limit: the customer paid after the hold had lapsed, when the place was gone
	SeenAt     Opt[Time]   `json:"seenAt"`     // when somebody accepted that; null: nobody has
	RestoredAt Opt[Time]   `json:"restoredAt"` // when it was given back; null: it counts
}

// ExplainedOffer is what the link gave in place of a code.
type ExplainedOffer struct {
	CouponID uuid.UUID   `json:"couponId"` // which may be gone
	Name     Opt[string] `json:"name"`     // of the coupon; null: it was deleted
	Discount Amount      `json:"discount"` // what it took off, in the program's currency
}

// ExplainedCredit says who was credited, and why. The times are null when the click or the
// referral was deleted.
type ExplainedCredit struct {
	By                CreditedBy     `json:"by"`
	PromotionalCodeID Opt[uuid.UUID] `json:"promotionalCodeId"`
	ClickID           Opt[ClickID]   `json:"clickId"` // the click that credited the affiliate
	ClickAt           Opt[Time]      `json:"clickAt"`
	AffiliateLinkID   Opt[uuid.UUID] `json:"affiliateLinkId"`
	ReferralID        Opt[uuid.UUID] `json:"referralId"`
	ReferralAt        Opt[Time]      `json:"referralAt"` // when the customer was referred
}

// ExplainedTerms are the terms of a sale and their sources.
type ExplainedTerms struct {
	CommissionType   CommissionType `json:"commissionType"`
	CommissionRate   Opt[Percent]   `json:"commissionRate"` // the rate applied
	RateFrom         RateSource     `json:"rateFrom"`
	PlanFrom         PlanSource     `json:"planFrom"`
	CommissionPlanID Opt[uuid.UUID] `json:"commissionPlanId"`
	CommissionTierID Opt[uuid.UUID] `json:"commissionTierId"` // the tier that gave the rate
	HoldDays         int64          `json:"holdDays"`
	Payment          Opt[int64]     `json:"payment"`        // the customer's n-th payment; null: no customer, or no payment
	Over             Opt[OverLimit] `json:"over"`           // the limit that the sale exceeded; null: none
	Month            int64          `json:"month,omitzero"` // the month of the customer; not there: the terms did not ask for it
}

// ExplainedBase is the amount to which the rate is applied.
type ExplainedBase struct {
	TotalEarned      Amount `json:"totalEarned"`
	TaxDeducted      Amount `json:"taxDeducted"`
	ShippingDeducted Amount `json:"shippingDeducted"`
	Refunded         Amount `json:"refunded"`
	Kept             Amount `json:"kept"` // of TotalEarned, after the refunds
	Base             Amount `json:"base"` // of the whole sale; the commission is that on the kept part

	// The refunds that named their tax and shipping, in total; all zero when none did. When
	// some did, the base is first reduced by NamedRefunds less both, and the part Kept ÷
	// (TotalEarned − NamedRefunds) of that counts.
	NamedRefunds     Amount `json:"namedRefunds,omitzero"`
	TaxRefunded      Amount `json:"taxRefunded,omitzero"`
	ShippingRefunded Amount `json:"shippingRefunded,omitzero"`

	// Of a sale in another currency, in which all amounts here and those of the lines are: a
	// percentage of them is worth ExchangeRate times as much in the program's currency, and
	// only then rounded. Not there: the program's.
	Currency     Currency     `json:"currency,omitzero"`
	ExchangeRate ExchangeRate `json:"exchangeRate,omitzero"`
}

// ExplainedArithmetic is the calculation. Rounded is the sum of the commissions.
type ExplainedArithmetic struct {
	ByHand  Opt[Amount] `json:"byHand"`       // the commission was set to this amount; null: calculated
	Exact   string      `json:"exact"`        // a number or a fraction in lowest terms, such as 5997/2000
	Rounded Amount      `json:"rounded"`      // half away from zero, to the digits of the currency; at most Cap
	Cap     Opt[Amount] `json:"cap,omitzero"` // what the sale may earn at most, by the caps of its terms; not there: none
}

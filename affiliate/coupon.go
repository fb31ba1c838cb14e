package affiliate

import (
	"encoding/json"

	"github.com/google/uuid"
)

// A Coupon defines a discount: its amount, its duration, and how often it may
// be used. Any number of promotional codes share it.
//
// Source: docs/contract.md 2.1.
type Coupon struct {
	ID uuid.UUID `json:"id"`
	// What the coupon is called; not unique.
	Name string `json:"name"`
	// How the discount is given.
	CouponType CouponType `json:"couponType"`
	// Percent that come off; null when FLAT.
	PercentOff Opt[Percent] `json:"percentOff"`
	// The amount that comes off; null when PERCENTAGE.
	AmountOff Opt[Amount] `json:"amountOff"`
	// ISO 4217 code of AmountOff; null when PERCENTAGE.
	Currency Opt[Currency] `json:"currency"`
	// For how many payments the discount applies: for the host, the engine does not enforce it.
	Duration Duration `json:"duration"`
	// Null unless the duration is repeating.
	DurationInMonths Opt[int64] `json:"durationInMonths"`
	// Over all codes of the coupon; null: no limit.
	MaxRedemptions Opt[int64] `json:"maxRedemptions"`
	// Sales by codes of the coupon, but for redemptions that were given back. It does not change
	// UpdatedAt.
	TimesRedeemed int64 `json:"timesRedeemed"`
	// True: the coupon is for the products in ProductIDs only.
	LimitToProducts bool `json:"limitToProducts"`
	// The products that the coupon is limited to.
	ProductIDs []string `json:"productIds"`
	// Always empty.
	CollectionIDs []string `json:"collectionIds"`
	// False stops redemptions.
	Valid bool `json:"valid"`
	// Codes work until this instant, inclusive.
	RedeemBy Opt[Time] `json:"redeemBy"`

	// Codes work from this instant, inclusive; not there when they always did.
	StartsAt Opt[Time] `json:"startsAt,omitzero"`
	// What comes off one order at most, in the program's currency, when PERCENTAGE; not there
	// without a limit.
	MaxDiscount Opt[Amount] `json:"maxDiscount,omitzero"`
	// Of one customer, over all codes of the coupon; not there without a limit.
	MaxRedemptionsPerCustomer Opt[int64] `json:"maxRedemptionsPerCustomer,omitzero"`
	// The budget, in the program's currency: once DiscountTotal has reached it, no order gets
	// more. Not there without one.
	MaxDiscountTotal Opt[Amount] `json:"maxDiscountTotal,omitzero"`
	// What its codes took off all orders, in the program's currency; there with
	// MaxDiscountTotal.
	DiscountTotal Opt[Amount] `json:"discountTotal,omitzero"`
	// True: a sale that is refunded in full gives its redemption back. Not there when it does
	// not.
	RestoreOnRefund bool `json:"restoreOnRefund,omitzero"`

	// The caller's own id; unique among the live coupons of the program.
	ExternalID Opt[string] `json:"externalId"`
	// The payment platform that ExternalID belongs to; stored, no effect.
	IntegrationType Opt[IntegrationType] `json:"integrationType"`
	// CUSTOMER for every coupon that was made over HTTP.
	CouponCategory string `json:"couponCategory"`
	// Always null.
	//
	// The hosted service may send any value.
	AutoCouponRule     Opt[json.RawMessage] `json:"autoCouponRule"`
	AffiliateProgramID uuid.UUID            `json:"affiliateProgramId"`
	CreatedAt          Time                 `json:"createdAt"`
	UpdatedAt          Time                 `json:"updatedAt"`

	// Whether codes of the coupon can work now, and why not; in summaries only.
	//
	// Other methods answer the coupon as it was last written.
	Usability Opt[Usability] `json:"usability,omitzero"`

	// What is left of MaxDiscountTotal, less what open holds keep; in summaries only, of a
	// coupon with a budget.
	BudgetLeft Opt[Amount] `json:"budgetLeft,omitzero"`

	// Every live code, newest first, each with its affiliate and without its coupon; not there
	// when the coupon is inside a code, and in events of a coupon with more than 1,000.
	PromotionalCodes []Code `json:"promotionalCodes,omitzero"`
}

// CouponParams is the input of Program.CreateCoupon. Name is required.
type CouponParams struct {
	Once `json:"-"`
	// What the coupon is called, 1–255 characters; not unique.
	Name string `json:"name" wire:"text"`
	// How the discount is given; not given: PERCENTAGE.
	CouponType CouponType `json:"couponType,omitzero"`
	// 1–100, decimals are allowed; required when the type is PERCENTAGE.
	PercentOff Opt[Percent] `json:"percentOff,omitzero"`
	// The amount that comes off, above 0; required when the type is FLAT.
	AmountOff Opt[Amount] `json:"amountOff,omitzero"`
	// ISO 4217 code in any letter case; required when the type is FLAT.
	Currency Opt[Currency] `json:"currency,omitzero"`
	// For how many payments the discount applies: for the host, the engine does not enforce it.
	// Not given: forever.
	Duration Duration `json:"duration,omitzero"`
	// 1–1,200; required when the duration is repeating, otherwise stored as null.
	DurationInMonths Opt[int64] `json:"durationInMonths,omitzero"`
	// Over all codes of the coupon, at least 1; not given: no limit.
	MaxRedemptions Opt[int64] `json:"maxRedemptions,omitzero"`
	// True: the coupon is for the products in ProductIDs only, of which it needs one at least.
	LimitToProducts bool `json:"limitToProducts,omitzero"`
	// Distinct product ids, at most 1,000; required with LimitToProducts.
	ProductIDs []string `json:"productIds,omitzero"`
	// False stops redemptions; not given: true.
	Valid Opt[bool] `json:"valid,omitzero"`
	// Codes work until this instant, inclusive; a plain date is its last millisecond in the
	// program's time zone. It may be past.
	RedeemBy Opt[Date] `json:"redeemBy,omitzero"`
	// Codes work from this instant, inclusive; a plain date is its first one in the program's
	// time zone. Not after RedeemBy.
	StartsAt Opt[Date] `json:"startsAt,omitzero"`

	// What comes off one order at most, in the program's currency, above 0; for PERCENTAGE.
	MaxDiscount Opt[Amount] `json:"maxDiscount,omitzero"`

	// The budget, in the program's currency, above 0. The last order within it gets its whole
	// discount, the next one is refused.
	MaxDiscountTotal Opt[Amount] `json:"maxDiscountTotal,omitzero"`

	// True: a sale that is refunded in full gives its redemption back, unless the customer has
	// won a dispute about it.
	RestoreOnRefund bool `json:"restoreOnRefund,omitzero"`

	// Of one customer, over all codes of the coupon, at least 1; not given: no limit. It counts
	// redemptions from when the coupon or the code had such a limit.
	MaxRedemptionsPerCustomer Opt[int64] `json:"maxRedemptionsPerCustomer,omitzero"`

	ExternalID      string          `json:"externalId,omitzero"`
	IntegrationType IntegrationType `json:"integrationType,omitzero"`
}

// CouponUpdate is the input of Program.UpdateCoupon. A field that is not
// given stays as it is.
type CouponUpdate struct {
	Name       Opt[string]     `json:"name,omitzero" wire:"text"`
	CouponType Opt[CouponType] `json:"couponType,omitzero"`
	// 1–100, decimals are allowed; required when the type becomes PERCENTAGE.
	PercentOff       Opt[Percent]  `json:"percentOff,omitzero"`
	AmountOff        Opt[Amount]   `json:"amountOff,omitzero"`
	Currency         Opt[Currency] `json:"currency,omitzero"`
	Duration         Opt[Duration] `json:"duration,omitzero"`
	DurationInMonths Opt[int64]    `json:"durationInMonths,omitzero"`
	// Over all codes of the coupon; null: no limit. It may be below TimesRedeemed: then the
	// coupon is exhausted.
	MaxRedemptions  Opt[int64]    `json:"maxRedemptions,omitzero"`
	LimitToProducts Opt[bool]     `json:"limitToProducts,omitzero"`
	ProductIDs      Opt[[]string] `json:"productIds,omitzero"`
	Valid           Opt[bool]     `json:"valid,omitzero"`
	RedeemBy        Opt[Date]     `json:"redeemBy,omitzero"`
	StartsAt        Opt[Date]     `json:"startsAt,omitzero"`
	MaxDiscount     Opt[Amount]   `json:"maxDiscount,omitzero"`
	// The budget, in the program's currency, above 0. The last order within it gets its whole
	// discount, the next one is refused. It may be below DiscountTotal: then the budget is
	// spent.
	MaxDiscountTotal Opt[Amount] `json:"maxDiscountTotal,omitzero"`
	// True: a sale that is refunded in full from then on gives its redemption back, unless the
	// customer has won a dispute about it.
	RestoreOnRefund           Opt[bool]  `json:"restoreOnRefund,omitzero"`
	MaxRedemptionsPerCustomer Opt[int64] `json:"maxRedemptionsPerCustomer,omitzero"`

	// ExternalID is the id that a payment provider gave the coupon, and
	// IntegrationType says which provider; null clears them. Go calls only.
	ExternalID Opt[string] `json:"-"`

	IntegrationType Opt[IntegrationType] `json:"-"`
}

// CouponRef names a coupon; the first field that is set decides. When several
// coupons share a name, the name means the newest one.
type CouponRef struct {
	ID         uuid.UUID
	ExternalID string
	Name       string
}

// DeletedCoupon is the answer for a deleted coupon.
type DeletedCoupon struct {
	ID   uuid.UUID `json:"id"`
	Name string    `json:"name"` // What it was called.
}

// CouponQuery selects the coupons that match every field that is set; without a field it
// selects all. A field that is set to null selects nothing.
//
// Source: docs/contract.md 3.3, 4.6.
type CouponQuery struct {
	// The coupon with this id.
	ID Opt[uuid.UUID] `json:"couponId,omitzero"`
	// The coupons that are valid, or those that are not.
	Valid Opt[bool] `json:"valid,omitzero"`
	// True: each with its codes, without Usability and BudgetLeft. False: the other way round.
	WithCodes bool `json:"-"`
}

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
	ID               uuid.UUID     `json:"id"`
	Name             string        `json:"name"`
	CouponType       CouponType    `json:"couponType"`
	PercentOff       Opt[Percent]  `json:"percentOff"`       // null when FLAT
	AmountOff        Opt[Amount]   `json:"amountOff"`        // null when PERCENTAGE
	Currency         Opt[Currency] `json:"currency"`         // null when PERCENTAGE
	Duration         Duration      `json:"duration"`         // informs the host; the engine does not enforce it
	DurationInMonths Opt[int64]    `json:"durationInMonths"` // null unless repeating
	MaxRedemptions   Opt[int64]    `json:"maxRedemptions"`   // over all codes; null: no limit
	TimesRedeemed    int64         `json:"timesRedeemed"`    // how many sales used its codes; only RestoreRedemption lowers it
	LimitToProducts  bool          `json:"limitToProducts"`
	ProductIDs       []string      `json:"productIds"`
	CollectionIDs    []string      `json:"collectionIds"` // always empty
	Valid            bool          `json:"valid"`
	RedeemBy         Opt[Time]     `json:"redeemBy"` // redeemable until this instant, inclusive

	// What follows is there only when the coupon has it. Amounts are in the program's currency.
	StartsAt                  Opt[Time]   `json:"startsAt,omitzero"`                  // redeemable from this instant, inclusive
	MaxDiscount               Opt[Amount] `json:"maxDiscount,omitzero"`               // of one order, at most; only when PERCENTAGE
	MaxRedemptionsPerCustomer Opt[int64]  `json:"maxRedemptionsPerCustomer,omitzero"` // over all codes
	MaxDiscountTotal          Opt[Amount] `json:"maxDiscountTotal,omitzero"`          // its budget: once DiscountTotal reaches it, no order gets more
	DiscountTotal             Opt[Amount] `json:"discountTotal,omitzero"`             // what it took off all orders; there with MaxDiscountTotal
	RestoreOnRefund           bool        `json:"restoreOnRefund,omitzero"`           // a sale that is refunded in full gives its redemption back

	ExternalID         Opt[string]          `json:"externalId"`
	IntegrationType    Opt[IntegrationType] `json:"integrationType"`
	CouponCategory     string               `json:"couponCategory"` // always CUSTOMER
	AutoCouponRule     Opt[json.RawMessage] `json:"autoCouponRule"` // always null; the hosted service may send any value
	AffiliateProgramID uuid.UUID            `json:"affiliateProgramId"`
	CreatedAt          Time                 `json:"createdAt"`
	UpdatedAt          Time                 `json:"updatedAt"`

	// Usability says whether codes of the coupon can work now, and why not. Only
	// Program.CouponSummaries fills it; other methods answer the coupon as it was
	// last written.
	Usability Opt[Usability] `json:"usability,omitzero"`

	// BudgetLeft is what is left of MaxDiscountTotal, less what holds keep. Program.CouponSummaries
	// fills it, of a coupon with a budget.
	BudgetLeft Opt[Amount] `json:"budgetLeft,omitzero"`

	// PromotionalCodes lists every live code, newest first, each with its affiliate
	// and without the coupon. It is nil, and absent in JSON, when the coupon is
	// inside a code.
	PromotionalCodes []Code `json:"promotionalCodes,omitzero"`
}

// CouponParams is the input of Program.CreateCoupon. Name is required.
type CouponParams struct {
	Once             `json:"-"`
	Name             string        `json:"name" wire:"text"`          // 1–255 characters, not unique
	CouponType       CouponType    `json:"couponType,omitzero"`       // zero: PERCENTAGE
	PercentOff       Opt[Percent]  `json:"percentOff,omitzero"`       // 1–100; required when PERCENTAGE
	AmountOff        Opt[Amount]   `json:"amountOff,omitzero"`        // > 0; required when FLAT
	Currency         Opt[Currency] `json:"currency,omitzero"`         // required when FLAT
	Duration         Duration      `json:"duration,omitzero"`         // zero: forever
	DurationInMonths Opt[int64]    `json:"durationInMonths,omitzero"` // 1–1,200; required when repeating
	MaxRedemptions   Opt[int64]    `json:"maxRedemptions,omitzero"`   // ≥ 1; not given: no limit
	LimitToProducts  bool          `json:"limitToProducts,omitzero"`
	ProductIDs       []string      `json:"productIds,omitzero"` // ≤ 1,000 distinct; required when LimitToProducts
	Valid            Opt[bool]     `json:"valid,omitzero"`      // not given: true
	RedeemBy         Opt[Date]     `json:"redeemBy,omitzero"`   // a past instant is accepted
	StartsAt         Opt[Date]     `json:"startsAt,omitzero"`   // a day: its first instant in the program's zone; not after RedeemBy

	// MaxDiscount is what a PERCENTAGE coupon takes off one order at most, > 0, and
	// MaxDiscountTotal its budget, > 0: the last order within it gets its whole discount, the
	// next one is refused. Both are in the program's currency.
	MaxDiscount Opt[Amount] `json:"maxDiscount,omitzero"`

	MaxDiscountTotal Opt[Amount] `json:"maxDiscountTotal,omitzero"`

	// RestoreOnRefund gives a redemption back when its sale is refunded in full, unless the
	// customer disputed the payment and won.
	RestoreOnRefund bool `json:"restoreOnRefund,omitzero"`

	// MaxRedemptionsPerCustomer is ≥ 1; not given: no limit. It counts the redemptions that
	// were made while the coupon or the code had such a limit.
	MaxRedemptionsPerCustomer Opt[int64] `json:"maxRedemptionsPerCustomer,omitzero"`

	ExternalID      string          `json:"externalId,omitzero"` // unique among live coupons
	IntegrationType IntegrationType `json:"integrationType,omitzero"`
}

// CouponUpdate is the input of Program.UpdateCoupon. A field that is not
// given stays as it is.
type CouponUpdate struct {
	Name                      Opt[string]     `json:"name,omitzero" wire:"text"`
	CouponType                Opt[CouponType] `json:"couponType,omitzero"`
	PercentOff                Opt[Percent]    `json:"percentOff,omitzero"`
	AmountOff                 Opt[Amount]     `json:"amountOff,omitzero"`
	Currency                  Opt[Currency]   `json:"currency,omitzero"`
	Duration                  Opt[Duration]   `json:"duration,omitzero"`
	DurationInMonths          Opt[int64]      `json:"durationInMonths,omitzero"`
	MaxRedemptions            Opt[int64]      `json:"maxRedemptions,omitzero"` // may be below timesRedeemed: the coupon is exhausted
	LimitToProducts           Opt[bool]       `json:"limitToProducts,omitzero"`
	ProductIDs                Opt[[]string]   `json:"productIds,omitzero"`
	Valid                     Opt[bool]       `json:"valid,omitzero"`
	RedeemBy                  Opt[Date]       `json:"redeemBy,omitzero"`
	StartsAt                  Opt[Date]       `json:"startsAt,omitzero"`
	MaxDiscount               Opt[Amount]     `json:"maxDiscount,omitzero"`
	MaxDiscountTotal          Opt[Amount]     `json:"maxDiscountTotal,omitzero"`          // may be below DiscountTotal: the budget is spent
	RestoreOnRefund           Opt[bool]       `json:"restoreOnRefund,omitzero"`           // for refunds from now on
	MaxRedemptionsPerCustomer Opt[int64]      `json:"maxRedemptionsPerCustomer,omitzero"` // as in CouponParams

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
	Name string    `json:"name"`
}

// CouponQuery selects the coupons that match every field that is set. A field
// that is set to null selects nothing.
//
// Source: docs/contract.md 4.6.
type CouponQuery struct {
	ID    Opt[uuid.UUID] `json:"couponId,omitzero"`
	Valid Opt[bool]      `json:"valid,omitzero"`
}

package affiliate

import "github.com/google/uuid"

// The bodies of created and updated events. Coupon, Code and Sale events hold
// the object as the API answers it ([Coupon], [Code], [Sale]); in every event
// link is the slug of the affiliate's oldest live link. Contract 7.3.

// AffiliateBody is an affiliate in its events, affiliate.created and affiliate.updated.
type AffiliateBody struct {
	Affiliate
	CommissionPlan Opt[Plan] `json:"commissionPlan"` // The commission plan, if any.
	CommissionTier Opt[Tier] `json:"commissionTier"` // The tier, if any.
	// The live codes, newest first; not there when there are more than 1,000.
	PromotionalCodes []AffiliateCode `json:"promotionalCodes,omitzero"`
	// The answers to the questions of the signup.
	QuestionAnswers []Answer `json:"questionAnswers"`
}

// AffiliateCode is a promotional code inside an affiliate event.
type AffiliateCode struct {
	ID        uuid.UUID `json:"id"`
	Code      string    `json:"code"`      // The text.
	Active    bool      `json:"active"`    // False: the code is retired.
	ExpiresAt Opt[Time] `json:"expiresAt"` // The code works until this instant, inclusive.
	CouponID  uuid.UUID `json:"couponId"`  // The coupon.
}

// ReferralBody is a referral in its events, referral.created and referral.updated.
type ReferralBody struct {
	Referral
	// The affiliate.
	Affiliate AffiliateSummary `json:"affiliate"`
	// The affiliate's plan when the referral was made, if any.
	CommissionPlan Opt[Plan] `json:"commissionPlan"`
}

// DeletedBody is the body of deleted events of all families but sales.
type DeletedBody struct {
	ID uuid.UUID `json:"id"` // The id.
}

// DeletedSaleBody is the body of sale.deleted.
type DeletedSaleBody struct {
	ID SaleID `json:"id"` // The id.
}

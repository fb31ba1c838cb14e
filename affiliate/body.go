package affiliate

import "github.com/google/uuid"

// The bodies of created and updated events. Coupon, Code and Sale events hold
// the object as the API answers it ([Coupon], [Code], [Sale]); in every event
// link is the slug of the affiliate's oldest live link. Contract 7.3.

// AffiliateBody is the body of affiliate.created and affiliate.updated.
type AffiliateBody struct {
	Affiliate
	CommissionPlan   Opt[Plan]       `json:"commissionPlan"`
	CommissionTier   Opt[Tier]       `json:"commissionTier"`
	PromotionalCodes []AffiliateCode `json:"promotionalCodes"` // newest first
	QuestionAnswers  []Answer        `json:"questionAnswers"`
}

// AffiliateCode is a promotional code inside an affiliate event.
type AffiliateCode struct {
	ID        uuid.UUID `json:"id"`
	Code      string    `json:"code"`
	Active    bool      `json:"active"`
	ExpiresAt Opt[Time] `json:"expiresAt"`
	CouponID  uuid.UUID `json:"couponId"`
}

// ReferralBody is the body of referral.created and referral.updated.
type ReferralBody struct {
	Referral
	Affiliate      AffiliateSummary `json:"affiliate"`
	CommissionPlan Opt[Plan]        `json:"commissionPlan"`
}

// DeletedBody is the body of deleted events of all families but sales.
type DeletedBody struct {
	ID uuid.UUID `json:"id"`
}

// DeletedSaleBody is the body of sale.deleted.
type DeletedSaleBody struct {
	ID SaleID `json:"id"`
}

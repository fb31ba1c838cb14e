package affiliate

import (
	"encoding/json"

	"github.com/google/uuid"
)

// A Referral is an identified customer who came through an affiliate.
//
// Source: docs/contract.md 2.5.
type Referral struct {
	ID                        uuid.UUID            `json:"id"`
	AffiliateID               uuid.UUID            `json:"affiliateId"`
	Name                      Opt[string]          `json:"name"`
	Email                     string               `json:"email"`
	ReferredUserExternalID    Opt[string]          `json:"referredUserExternalId"`
	Plan                      Opt[string]          `json:"plan"`
	SubscriptionStatus        SubscriptionStatus   `json:"subscriptionStatus"`
	Status                    SubscriptionStatus   `json:"status"` // the same value
	SubmissionType            SubmissionType       `json:"submissionType"`
	ReferralMedium            ReferralMedium       `json:"referralMedium"`
	Source                    ReferralSource       `json:"source"`
	IntegrationReferralSource Opt[Integration]     `json:"integrationReferralSource"`
	TotalRevenue              Amount               `json:"totalRevenue"`    // of live sales, less refunds
	TotalCommission           Amount               `json:"totalCommission"` // of live sales, declined ones excluded
	InitialLandingPage        Opt[string]          `json:"initialLandingPage"`
	Notes                     Opt[string]          `json:"notes"`
	Metadata                  Opt[json.RawMessage] `json:"metadata"`
	AffiliateProgramID        uuid.UUID            `json:"affiliateProgramId"`
	AffiliateLinkID           Opt[uuid.UUID]       `json:"affiliateLinkId"`
	CommissionPlanID          Opt[uuid.UUID]       `json:"commissionPlanId"`
	CreatedAt                 Time                 `json:"createdAt"`
	UpdatedAt                 Time                 `json:"updatedAt"`
}

// ReferralParams is the input of Program.CreateReferral. Name, email and
// external id are required, and one of PromoCode, AffiliateID and
// AffiliateEmail.
type ReferralParams struct {
	Once                   `json:"-"`
	AffiliateID            string `json:"affiliateId,omitzero" wire:"ident"` // click id, affiliate id or slug
	AffiliateEmail         string `json:"affiliateEmail,omitzero"`
	PromoCode              string `json:"promoCode,omitzero"` // decides before the other two
	Name                   string `json:"name" wire:"text"`
	Email                  string `json:"email" wire:"text"`
	ReferredUserExternalID string `json:"referredUserExternalId" wire:"text"`
	Plan                   string `json:"plan,omitzero"` // empty: N/A

	// Integration and Manual mark a referral that an integration or a person
	// reported. Go calls only.
	Integration Integration `json:"-"`

	Manual bool `json:"-"`
}

// ReferralUpdate is the input of Program.UpdateReferral. A field that is not
// given stays as it is.
type ReferralUpdate struct {
	Name                   Opt[string]             `json:"name,omitzero" wire:"text"`
	Email                  Opt[string]             `json:"email,omitzero" wire:"text"`
	ReferredUserExternalID Opt[string]             `json:"referredUserExternalId,omitzero" wire:"text"`
	Plan                   Opt[string]             `json:"plan,omitzero"`
	SubscriptionStatus     Opt[SubscriptionStatus] `json:"subscriptionStatus,omitzero"` // ACTIVE, SUBMITTED or DECLINED
	Notes                  Opt[string]             `json:"notes,omitzero" wire:"text"`  // ≤ 10,000 characters
	Metadata               Opt[json.RawMessage]    `json:"metadata,omitzero"`           // a JSON object, replaced as a whole

	// AffiliateID moves the customer to another affiliate, who is credited with
	// future sales. Recorded sales stay; move each of them with [SaleUpdate]. The
	// customer no longer belongs to a link, and keeps a plan of their own.
	AffiliateID Opt[uuid.UUID] `json:"affiliateId,omitzero"`
}

// Merge is the input of Program.MergeReferrals and Program.MergeAffiliates: who goes, and
// into whom. A referral is named by id or email; an affiliate by id, email or [External] id.
type Merge struct {
	Once `json:"-"`
	From string `json:"from" wire:"text"`
	Into string `json:"into" wire:"text"`
}

// ReferralFilter selects the referrals that match every field that is set;
// without a field it selects all. A field that is set to null or to a zero
// value selects nothing.
//
// Source: docs/contract.md 3.6.
type ReferralFilter struct {
	AffiliateID            Opt[uuid.UUID] `json:"affiliateId,omitzero"`
	AffiliateEmail         Opt[string]    `json:"affiliateEmail,omitzero"`
	ReferredUserExternalID Opt[string]    `json:"externalId,omitzero"`
}

// ReferralQuery selects the referrals that match every field that is set. A
// field that is set to null or to a zero value selects nothing.
//
// Source: docs/contract.md 4.6.
type ReferralQuery struct {
	AffiliateID Opt[uuid.UUID]     `json:"affiliateId,omitzero"`
	Status      SubscriptionStatus `json:"subscriptionStatus,omitzero"` // empty: any
	Since       Opt[Date]          `json:"since,omitzero"`              // created then or later; a plain date is its first millisecond
	Until       Opt[Date]          `json:"until,omitzero"`              // created then or earlier; a plain date is its last millisecond
	OldestFirst bool               `json:"oldestFirst,omitzero"`        // false: newest first
	Search      Opt[string]        `json:"search,omitzero"`             // 1–100 characters: exactly an id, email or external id; else a part of a name or email
}

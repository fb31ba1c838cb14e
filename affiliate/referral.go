package affiliate

import (
	"encoding/json"

	"github.com/google/uuid"
)

// A Referral is an identified customer who came through an affiliate.
//
// Source: docs/contract.md 2.5.
type Referral struct {
	ID uuid.UUID `json:"id"`
	// The affiliate. Only an update gives the referral to another one.
	AffiliateID uuid.UUID `json:"affiliateId"`
	// The customer's name.
	Name Opt[string] `json:"name"`
	// Lower case; no other referral of the program has its mailbox.
	Email string `json:"email"`
	// The caller's own id of the customer, unique among the live referrals of the program; null
	// when the referral was made for a sale.
	ReferredUserExternalID Opt[string] `json:"referredUserExternalId"`
	// What the customer has subscribed to.
	Plan Opt[string] `json:"plan"`
	// No sale of a customer who is SUBMITTED or DECLINED is recorded.
	SubscriptionStatus SubscriptionStatus `json:"subscriptionStatus"`
	// The same as SubscriptionStatus.
	Status SubscriptionStatus `json:"status"`
	// AUTOMATIC over HTTP.
	SubmissionType SubmissionType `json:"submissionType"`
	// COUPON when a code attributed the referral, else LINK.
	ReferralMedium ReferralMedium `json:"referralMedium"`
	// Where the referral came from; API over HTTP.
	Source ReferralSource `json:"source"`
	// The integration that reported the referral; null over HTTP.
	IntegrationReferralSource Opt[Integration] `json:"integrationReferralSource"`
	// The sum of what is kept of the live sales: TotalEarned less RefundedAmount.
	TotalRevenue Amount `json:"totalRevenue"`
	// The sum of the commissions of the live sales, declined ones excluded.
	TotalCommission Amount `json:"totalCommission"`
	// The landing page of the click that named the affiliate, if one did.
	InitialLandingPage Opt[string] `json:"initialLandingPage"`
	// Free text.
	Notes Opt[string] `json:"notes"`
	// The caller's own object.
	Metadata           Opt[json.RawMessage] `json:"metadata"`
	AffiliateProgramID uuid.UUID            `json:"affiliateProgramId"`
	// The link of the click or slug; null when none was named, and once the link is deleted.
	AffiliateLinkID Opt[uuid.UUID] `json:"affiliateLinkId"`
	// The affiliate's plan when the referral was made.
	CommissionPlanID Opt[uuid.UUID] `json:"commissionPlanId"`
	CreatedAt        Time           `json:"createdAt"`
	UpdatedAt        Time           `json:"updatedAt"`
}

// ReferralParams is the input of Program.CreateReferral. Name, email and
// external id are required, and one of PromoCode, AffiliateID and
// AffiliateEmail.
type ReferralParams struct {
	Once `json:"-"`
	// A click id, affiliate id or slug, or ext: and the externalId of an affiliate.
	AffiliateID string `json:"affiliateId,omitzero" wire:"ident"`
	// The affiliate's email.
	AffiliateEmail string `json:"affiliateEmail,omitzero"`
	// A code, which decides the affiliate before the other two. Nothing is counted.
	PromoCode string `json:"promoCode,omitzero"`
	Name      string `json:"name" wire:"text"`
	// Trimmed and lower-cased. A customer who is known already is answered as is.
	Email string `json:"email" wire:"text"`
	// The caller's own id of the customer.
	ReferredUserExternalID string `json:"referredUserExternalId" wire:"text"`
	// What the customer has subscribed to; not given: N/A.
	Plan string `json:"plan,omitzero"`

	// Integration and Manual mark a referral that an integration or a person
	// reported. Go calls only.
	Integration Integration `json:"-"`

	Manual bool `json:"-"`
}

// ReferralUpdate is the input of Program.UpdateReferral. A field that is not
// given stays as it is.
type ReferralUpdate struct {
	Name Opt[string] `json:"name,omitzero" wire:"text"`
	// Trimmed and lower-cased; no other referral of the program may have its mailbox.
	Email                  Opt[string] `json:"email,omitzero" wire:"text"`
	ReferredUserExternalID Opt[string] `json:"referredUserExternalId,omitzero" wire:"text"`
	Plan                   Opt[string] `json:"plan,omitzero"`
	// ACTIVE, SUBMITTED or DECLINED. No sale of a customer who is SUBMITTED or DECLINED is
	// recorded.
	SubscriptionStatus Opt[SubscriptionStatus] `json:"subscriptionStatus,omitzero"`
	// Free text, at most 10,000 characters.
	Notes Opt[string] `json:"notes,omitzero" wire:"text"`
	// A JSON object, replaced as a whole; at most 16,384 bytes in compact form.
	Metadata Opt[json.RawMessage] `json:"metadata,omitzero"`

	// The id of the affiliate whom the customer's future sales credit. Recorded sales stay. The
	// customer no longer belongs to a link, and keeps a plan of their own. Over HTTP for keys of
	// the scope full.
	//
	// Move recorded sales with [SaleUpdate].
	AffiliateID Opt[uuid.UUID] `json:"affiliateId,omitzero"`
}

// Merge is the input of Program.MergeReferrals and Program.MergeAffiliates: who goes, and
// into whom. A referral is named by id or email; an affiliate by id, email or [External] id.
type Merge struct {
	Once `json:"-"`
	// Who goes: an id or an email; of affiliates also ext: with an externalId.
	From string `json:"from" wire:"text"`
	// Who stays, named likewise.
	Into string `json:"into" wire:"text"`
}

// ReferralQuery selects the referrals that match every field that is set; without a field it
// selects all. A field that is set to null or to a zero value selects nothing.
//
// The first three fields have an index: a list of them reads no more than it answers. With
// any other field it is a search; see [Page].
//
// Source: docs/contract.md 3.6, 4.6.
type ReferralQuery struct {
	// The referrals of this affiliate.
	AffiliateID Opt[uuid.UUID] `json:"affiliateId,omitzero"`
	// The referrals of the affiliate with this email.
	AffiliateEmail Opt[string] `json:"affiliateEmail,omitzero" wire:"list"`
	// The referrals with this ReferredUserExternalID.
	ReferredUserExternalID Opt[string] `json:"externalId,omitzero" wire:"list"`

	// The referrals in this status; not given: any.
	Status SubscriptionStatus `json:"subscriptionStatus,omitzero" wire:"search"`
	// Made then or later; a plain date is its first millisecond.
	Since Opt[Date] `json:"since,omitzero" wire:"search"`
	// Made then or earlier; a plain date is its last millisecond.
	Until Opt[Date] `json:"until,omitzero" wire:"search"`
	// True: the oldest first. False: the newest first.
	OldestFirst bool `json:"oldestFirst,omitzero" wire:"search"`
	// The referrals with exactly this id, email or ReferredUserExternalID; else those with this
	// text, 1–100 characters, in their name or email.
	Search Opt[string] `json:"search,omitzero" wire:"search"`
}

package affiliate

import (
	"encoding/json"
	"strings"

	"github.com/google/uuid"
)

// An Affiliate is a person who promotes the program.
//
// Source: docs/contract.md 2.3.
type Affiliate struct {
	ID                              uuid.UUID            `json:"id"`
	FirstName                       string               `json:"firstName"`
	LastName                        string               `json:"lastName"`
	Name                            string               `json:"name"` // first and last name
	Email                           string               `json:"email"`
	ExternalID                      string               `json:"externalId,omitzero"` // the host's own id of it; not there: none
	CommissionRate                  Percent              `json:"commissionRate"`      // the rate in effect: its own, else that of the tier, plan or program
	UseCommissionPlanCommissionRate bool                 `json:"useCommissionPlanCommissionRate"`
	ExemptFromCommissionTierChanges bool                 `json:"exemptFromCommissionTierChanges"`
	AffiliateLink                   Opt[string]          `json:"affiliateLink"` // deprecated, always null
	Link                            Opt[string]          `json:"link"`          // deprecated; null except in events: the slug of the oldest live link
	AffiliateLinks                  []AffiliateLink      `json:"affiliateLinks"`
	Status                          AffiliateStatus      `json:"status"`
	Source                          AffiliateSource      `json:"source"`
	CommissionPlanID                Opt[uuid.UUID]       `json:"commissionPlanId"`
	CommissionTierID                Opt[uuid.UUID]       `json:"commissionTierId"`
	OfferCouponID                   uuid.UUID            `json:"offerCouponId,omitzero"` // what its links give customers, before the offer of its terms; not there: none of its own
	Note                            string               `json:"note,omitzero"`          // what the people of the program wrote of them; not there: nothing. Never in events, nor for partners
	AffiliateGroupID                Opt[string]          `json:"affiliateGroupId"`       // always null
	ProgramID                       uuid.UUID            `json:"programId"`
	PayoutEmail                     Opt[string]          `json:"payoutEmail"`
	PaymentMethod                   Opt[PaymentMethod]   `json:"paymentMethod"`
	DetailsComplete                 bool                 `json:"detailsComplete"`       // both payout fields are set
	EmailVerified                   Opt[json.RawMessage] `json:"emailVerified"`         // always null; the hosted service sends a truth value or a time
	Image                           Opt[string]          `json:"image"`                 // always null
	NumberOfReferredUsers           int64                `json:"numberOfReferredUsers"` // live referrals
	NumberOfClicks                  int64                `json:"numberOfClicks"`
	TotalRevenue                    Amount               `json:"totalRevenue"`          // of live sales, less refunds
	TotalCommissionEarned           Amount               `json:"totalCommissionEarned"` // of live sales, declined ones excluded
	CreatedAt                       Time                 `json:"createdAt"`
	UpdatedAt                       Time                 `json:"updatedAt"`
}

// AffiliateLink is an entry of affiliateLinks: a link inside an affiliate.
type AffiliateLink struct {
	ID        uuid.UUID `json:"id"`
	Link      string    `json:"link"` // the slug
	UserID    uuid.UUID `json:"userId"`
	ProgramID uuid.UUID `json:"programId"`
	CreatedAt Time      `json:"createdAt"`
	UpdatedAt Time      `json:"updatedAt"`
}

// AffiliateSummary is the affiliate inside sales and referral events.
type AffiliateSummary struct {
	ID             uuid.UUID       `json:"id"`
	FirstName      string          `json:"firstName"`
	LastName       string          `json:"lastName"`
	Name           string          `json:"name"`
	Email          string          `json:"email"`
	Status         AffiliateStatus `json:"status"`
	Link           Opt[string]     `json:"link"` // null except in events: the slug of the oldest live link
	AffiliateLinks []AffiliateLink `json:"affiliateLinks"`
}

// AffiliateContact is the affiliate inside a code.
type AffiliateContact struct {
	ID        uuid.UUID `json:"id"`
	FirstName string    `json:"firstName"`
	LastName  string    `json:"lastName"`
	Email     string    `json:"email"`
}

// An Answer is an affiliate's answer to a signup question of the host.
type Answer struct {
	ID         uuid.UUID `json:"id"`
	QuestionID uuid.UUID `json:"questionId"`
	Answer     string    `json:"answer"`
}

// AffiliateParams is the input of Program.CreateAffiliate. The names and the
// email are required.
type AffiliateParams struct {
	Once             `json:"-"`
	FirstName        string       `json:"firstName" wire:"text"` // 1–100 characters
	LastName         string       `json:"lastName" wire:"text"`
	Email            string       `json:"email" wire:"text"`                    // unique among live affiliates
	ExternalID       string       `json:"externalId,omitzero"`                  // the host's own id of the user, account or tenant, 1–255 characters; unique among live affiliates
	CommissionRate   Opt[Percent] `json:"commissionRate,omitzero"`              // its own rate, of the type of its plan
	AffiliateLink    string       `json:"affiliateLink,omitzero" wire:"sent=_"` // slug of the first link; empty: made from the email
	AffiliateStatus  string       `json:"affiliateStatus,omitzero" wire:"text"` // active or inactive in any letter case; anything else: the program's setting
	SendWelcomeEmail bool         `json:"sendWelcomeEmail,omitzero"`            // accepted for callers of the hosted service; no mail is sent
	CommissionPlanID uuid.UUID    `json:"commissionPlanId,omitzero"`
	OfferCouponID    uuid.UUID    `json:"offerCouponId,omitzero"`               // what its link gives customers, before the offer of its terms
	AffiliateGroupID Opt[string]  `json:"affiliateGroupId,omitzero" wire:"any"` // groups are not modelled: any value is refused

	// Answers are the signup answers. The engine makes an id for each answer
	// whose id is zero. Go calls only.
	Answers []Answer `json:"-"`
}

// AffiliateUpdate is the input of Program.UpdateAffiliate. A field that is
// not given stays as it is.
type AffiliateUpdate struct {
	FirstName       Opt[string]    `json:"firstName,omitzero" wire:"text"`
	LastName        Opt[string]    `json:"lastName,omitzero" wire:"text"`
	Email           Opt[string]    `json:"email,omitzero" wire:"text"`           // the new address
	ExternalID      Opt[string]    `json:"externalId,omitzero" wire:"text"`      // the host's own id of it; null: none
	CommissionRate  Opt[Percent]   `json:"commissionRate,omitzero"`              // its own rate, of the type of its plan; null: inherit
	AffiliateLink   Opt[string]    `json:"affiliateLink,omitzero" wire:"text"`   // adds a link, never renames one
	AffiliateStatus Opt[string]    `json:"affiliateStatus,omitzero" wire:"text"` // active or inactive in any letter case, allowed from any status
	OfferCouponID   Opt[uuid.UUID] `json:"offerCouponId,omitzero"`               // null: the offer of its terms
	Note            Opt[string]    `json:"note,omitzero" wire:"text"`            // of the people of the program for each other, at most 2,000 characters, with line breaks; null or empty: none
}

// AffiliateRef names an affiliate by id, email or external id. When several are given
// they must name the same record.
type AffiliateRef struct {
	ID         uuid.UUID
	Email      string
	ExternalID string `json:",omitzero"`
}

// externalPrefix is what an external id has in front of it where a text names an affiliate.
// No id, slug, number or email begins like it.
const externalPrefix = "ext:"

// External returns the text that names the affiliate with an external id, wherever a text
// names an affiliate: "ext:user-7" for the id user-7.
//
// Source: docs/contract.md 1.5.
func External(externalID string) string { return externalPrefix + externalID }

// ExternalIn returns the external id in a text that [External] made, and whether it is one.
func ExternalIn(text string) (externalID string, ok bool) {
	return strings.CutPrefix(text, externalPrefix)
}

// PayoutDetails say how an affiliate is paid. When both are empty, nothing is
// known.
type PayoutDetails struct {
	Email  string
	Method PaymentMethod
}

// AffiliateQuery selects the affiliates that match every field that is set. A
// field that is set to null or to a zero value selects nothing.
//
// Source: docs/contract.md 4.6.
type AffiliateQuery struct {
	Status      AffiliateStatus `json:"status,omitzero"`           // empty: any
	ExternalID  Opt[string]     `json:"externalId,omitzero"`       // the host's own id of it
	PlanID      Opt[uuid.UUID]  `json:"commissionPlanId,omitzero"` // the plan they are on
	TierID      Opt[uuid.UUID]  `json:"commissionTierId,omitzero"` // the tier they are in
	OldestFirst bool            `json:"oldestFirst,omitzero"`      // false: newest first
	Search      Opt[string]     `json:"search,omitzero"`           // 1–100 characters: exactly an id, external id, email or slug; else a part of a name or email
}

// The status of an affiliate and the methods that change it. Rule 4.1; contract
// 6.

// Next returns the statuses that Program.SetAffiliateStatus
// give an affiliate of this status. For the way back, UpdateAffiliate sets ACTIVE or
// INACTIVE from any status. AcceptInvite ends INVITED.
//
// Source: docs/rules.md 4.1.
func (s AffiliateStatus) Next() []AffiliateStatus {
	switch s {
	case AffiliateInactive:
		return []AffiliateStatus{AffiliateActive, AffiliateDeclined}
	case AffiliateActive:
		return []AffiliateStatus{AffiliateDeactivated, AffiliateBanned}
	}
	return nil
}

// Unapproved reports whether nobody has approved an affiliate of this status.
func (s AffiliateStatus) Unapproved() bool {
	return s == AffiliateInactive || s == AffiliateInvited || s == AffiliateDeclined
}

package affiliate

import (
	"encoding/json"
	"regexp"
	"strings"

	"github.com/google/uuid"
)

// An Affiliate is a person who promotes the program.
//
// Source: docs/contract.md 2.3.
type Affiliate struct {
	ID uuid.UUID `json:"id"`
	// First name.
	FirstName string `json:"firstName"`
	// Last name.
	LastName string `json:"lastName"`
	// First and last name joined by a space.
	Name string `json:"name"`
	// Lower case; unique among the live affiliates of the program.
	Email string `json:"email"`
	// The host's own id of the user, account or tenant; not there when there is none. Unique
	// among the live affiliates of the program.
	ExternalID string `json:"externalId,omitzero"`
	// The language in which to write to the affiliate, a tag of BCP 47 such as pt-BR; not there
	// when it is not known.
	Language string `json:"language,omitzero"`
	// The rate in effect: its own, else that of the tier, plan or program; a percentage, or an
	// amount on flat plans.
	CommissionRate Percent `json:"commissionRate"`
	// True when no own rate is set.
	UseCommissionPlanCommissionRate bool `json:"useCommissionPlanCommissionRate"`
	// True when tier changes leave the affiliate alone.
	ExemptFromCommissionTierChanges bool `json:"exemptFromCommissionTierChanges"`
	// Deprecated, always null; see AffiliateLinks.
	AffiliateLink Opt[string] `json:"affiliateLink"`
	// Deprecated. Null in answers; in events the slug of the oldest live link, or null.
	Link Opt[string] `json:"link"`
	// The live links, oldest first.
	AffiliateLinks []AffiliateLink `json:"affiliateLinks"`
	// INACTIVE means pending.
	Status AffiliateStatus `json:"status"`
	// Where the affiliate came from; API over HTTP.
	Source AffiliateSource `json:"source"`
	// The commission plan, if any.
	CommissionPlanID Opt[uuid.UUID] `json:"commissionPlanId"`
	// The tier, if any.
	CommissionTierID Opt[uuid.UUID] `json:"commissionTierId"`
	// The coupon that its links give customers, before that of its plan and the program; not
	// there: none of its own.
	OfferCouponID uuid.UUID `json:"offerCouponId,omitzero"`
	// What the people of the program wrote of the affiliate for each other; not there: nothing.
	// It is never in events, nor for partners.
	Note string `json:"note,omitzero"`
	// Always null: there are no groups.
	AffiliateGroupID Opt[string] `json:"affiliateGroupId"`
	ProgramID        uuid.UUID   `json:"programId"`
	// Where payouts are announced; null until it is known.
	PayoutEmail Opt[string] `json:"payoutEmail"`
	// How payouts are made; null until it is known.
	PaymentMethod Opt[PaymentMethod] `json:"paymentMethod"`
	// True when PayoutEmail and PaymentMethod are both known.
	DetailsComplete bool `json:"detailsComplete"`
	// Always null.
	//
	// The hosted service sends a truth value or a time.
	EmailVerified Opt[json.RawMessage] `json:"emailVerified"`
	// Always null.
	Image Opt[string] `json:"image"`
	// Live referrals.
	NumberOfReferredUsers int64 `json:"numberOfReferredUsers"`
	// Recorded clicks.
	NumberOfClicks int64 `json:"numberOfClicks"`
	// The sum of what is kept of the live sales: TotalEarned less RefundedAmount.
	TotalRevenue Amount `json:"totalRevenue"`
	// The sum of the commissions of the live sales, declined ones excluded.
	TotalCommissionEarned Amount `json:"totalCommissionEarned"`
	CreatedAt             Time   `json:"createdAt"`
	UpdatedAt             Time   `json:"updatedAt"`
}

// AffiliateLink is an entry of affiliateLinks: a link inside an affiliate.
type AffiliateLink struct {
	ID        uuid.UUID `json:"id"`
	Link      string    `json:"link"`   // The slug.
	UserID    uuid.UUID `json:"userId"` // The affiliate.
	ProgramID uuid.UUID `json:"programId"`
	CreatedAt Time      `json:"createdAt"`
	UpdatedAt Time      `json:"updatedAt"`
}

// AffiliateSummary is the affiliate inside sales and referral events.
type AffiliateSummary struct {
	ID        uuid.UUID       `json:"id"`
	FirstName string          `json:"firstName"` // First name.
	LastName  string          `json:"lastName"`  // Last name.
	Name      string          `json:"name"`      // First and last name joined by a space.
	Email     string          `json:"email"`     // Lower case.
	Status    AffiliateStatus `json:"status"`    // INACTIVE means pending.
	// Deprecated. Null in answers; in events the slug of the oldest live link, or null.
	Link           Opt[string]     `json:"link"`
	AffiliateLinks []AffiliateLink `json:"affiliateLinks"` // The live links, oldest first.
}

// AffiliateContact is the affiliate inside a code.
type AffiliateContact struct {
	ID        uuid.UUID `json:"id"`
	FirstName string    `json:"firstName"` // First name.
	LastName  string    `json:"lastName"`  // Last name.
	Email     string    `json:"email"`     // Lower case.
}

// An Answer is an affiliate's answer to a signup question of the host.
type Answer struct {
	ID         uuid.UUID `json:"id"`
	QuestionID uuid.UUID `json:"questionId"` // The question.
	Answer     string    `json:"answer"`     // The answer.
}

// AffiliateParams is the input of Program.CreateAffiliate. The names and the
// email are required.
type AffiliateParams struct {
	Once `json:"-"`
	// First name, 1–100 characters.
	FirstName string `json:"firstName" wire:"text"`
	// Last name, 1–100 characters.
	LastName string `json:"lastName" wire:"text"`
	// Trimmed and lower-cased; unique among the live affiliates of the program.
	Email string `json:"email" wire:"text"`
	// The host's own id of the user, account or tenant, 1–255 characters, compared exactly;
	// unique among the live affiliates of the program.
	ExternalID string `json:"externalId,omitzero"`
	// The language in which to write to the affiliate, a tag of BCP 47 such as de or pt-BR, at most
	// 35 characters.
	Language string `json:"language,omitzero"`
	// An own rate: 0–100 on percentage plans, an amount on flat ones.
	CommissionRate Opt[Percent] `json:"commissionRate,omitzero"`
	// The slug of the first link; one is made from the email when it is not given.
	AffiliateLink string `json:"affiliateLink,omitzero" wire:"sent=_"`
	// active or inactive, in any letter case; anything else leaves it to the program.
	AffiliateStatus string `json:"affiliateStatus,omitzero" wire:"text"`
	// Accepted for callers of the hosted service; no mail is sent.
	SendWelcomeEmail bool      `json:"sendWelcomeEmail,omitzero"`
	CommissionPlanID uuid.UUID `json:"commissionPlanId,omitzero"`
	// The coupon that its links give customers without a code; not given: that of its plan, else
	// the program's.
	OfferCouponID uuid.UUID `json:"offerCouponId,omitzero"`
	// There are no groups: any value is refused.
	AffiliateGroupID Opt[string] `json:"affiliateGroupId,omitzero" wire:"any"`

	// Answers are the signup answers. The engine makes an id for each answer
	// whose id is zero. Go calls only.
	Answers []Answer `json:"-"`
}

// AffiliateUpdate is the input of Program.UpdateAffiliate. A field that is
// not given stays as it is.
type AffiliateUpdate struct {
	FirstName Opt[string] `json:"firstName,omitzero" wire:"text"`
	LastName  Opt[string] `json:"lastName,omitzero" wire:"text"`
	// The new email, trimmed and lower-cased; unique among the live affiliates of the program.
	Email Opt[string] `json:"email,omitzero" wire:"text"`
	// The host's own id of the user, account or tenant, compared exactly; unique among the live
	// affiliates of the program. Null: none.
	ExternalID Opt[string] `json:"externalId,omitzero" wire:"text"`
	// The language in which to write to the affiliate, a tag of BCP 47 such as de or pt-BR, at most
	// 35 characters. Null or empty: it is not known.
	Language Opt[string] `json:"language,omitzero" wire:"text"`
	// An own rate: 0–100 on percentage plans, an amount on flat ones; null: that of the tier,
	// plan or program.
	CommissionRate Opt[Percent] `json:"commissionRate,omitzero"`
	// The slug of a new link, which is added and replaces none.
	AffiliateLink Opt[string] `json:"affiliateLink,omitzero" wire:"text"`
	// active or inactive, in any letter case, whatever the status is.
	AffiliateStatus Opt[string] `json:"affiliateStatus,omitzero" wire:"text"`
	// The coupon that its links give customers without a code; null: that of its plan, else the
	// program's.
	OfferCouponID Opt[uuid.UUID] `json:"offerCouponId,omitzero"`
	// For the people of the program alone, at most 2,000 characters, with line breaks; null or
	// empty: none.
	Note Opt[string] `json:"note,omitzero" wire:"text"`
}

// Acceptance is the input of Program.AcceptInvite: what an invited affiliate may set. A field
// that is not given stays as it is.
type Acceptance struct {
	// First name, 1–100 characters.
	FirstName Opt[string] `json:"firstName,omitzero" wire:"text"`
	// Last name, 1–100 characters.
	LastName Opt[string] `json:"lastName,omitzero" wire:"text"`
	// The new email, trimmed and lower-cased; unique among the live affiliates of the program.
	Email Opt[string] `json:"email,omitzero" wire:"text"`
	// The host's own id of the user, account or tenant, compared exactly; unique among the live
	// affiliates of the program. Null: none.
	ExternalID Opt[string] `json:"externalId,omitzero" wire:"text"`
	// The language in which to write to the affiliate, a tag of BCP 47 such as de or pt-BR, at most
	// 35 characters. Null or empty: it is not known.
	Language Opt[string] `json:"language,omitzero" wire:"text"`
	// An own rate: 0–100 on percentage plans, an amount on flat ones; null: that of the tier,
	// plan or program.
	CommissionRate Opt[Percent] `json:"commissionRate,omitzero"`
	// The slug of a new link, which is added and replaces none.
	AffiliateLink Opt[string] `json:"affiliateLink,omitzero" wire:"text"`
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

// AffiliateQuery selects the affiliates that match every field that is set; without a field
// it selects all. A field that is set to null or to a zero value selects nothing. With a
// field it is a search; see [Page].
//
// Source: docs/contract.md 3.1, 4.6.
type AffiliateQuery struct {
	// The affiliates in this status; not given: any.
	Status AffiliateStatus `json:"status,omitzero"`
	// The affiliate with this external id.
	ExternalID Opt[string] `json:"externalId,omitzero"`
	// The affiliates on this plan.
	PlanID Opt[uuid.UUID] `json:"commissionPlanId,omitzero"`
	// The affiliates in this tier.
	TierID Opt[uuid.UUID] `json:"commissionTierId,omitzero"`
	// True: the oldest first. False: the newest first.
	OldestFirst bool `json:"oldestFirst,omitzero"`
	// The affiliate with exactly this id, email, slug or external id; else those with this text,
	// 1–100 characters, in their name or email.
	Search Opt[string] `json:"search,omitzero"`
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

// languageTag is the form of a tag: a language and its subtags.
var languageTag = regexp.MustCompile(`^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*$`)

// IsLanguage reports whether a text has the form of the tag of a language, such as de or pt-BR, with
// at most 35 characters.
//
// Source: docs/contract.md 2.3.
func IsLanguage(tag string) bool { return len(tag) <= 35 && languageTag.MatchString(tag) }

// Unapproved reports whether nobody has approved an affiliate of this status.
func (s AffiliateStatus) Unapproved() bool {
	return s == AffiliateInactive || s == AffiliateInvited || s == AffiliateDeclined
}

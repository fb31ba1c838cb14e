package affiliate

import "github.com/google/uuid"

// A Link is a referral link: a slug with its owner and its statistics.
//
// Source: docs/contract.md 2.4.
type Link struct {
	ID uuid.UUID `json:"id"`
	// The slug. Unique and looked up without regard to letter case.
	Link string `json:"link"`
	// The owner.
	Affiliate LinkOwner `json:"affiliate"`
	// The program.
	Program LinkProgram `json:"program"`
	// Recorded clicks.
	Clicks int64 `json:"clicks"`
	// Live referrals of this link.
	Referrals int64 `json:"referrals"`
	// Live sales of this link that are not refunded in full.
	Sales int64 `json:"sales"`
	// Conversions of this link that are not refunded. Not there when there are none.
	Conversions int64 `json:"conversions,omitzero"`
	// The sum of what is kept of those sales: TotalEarned less RefundedAmount.
	TotalRevenue Amount `json:"totalRevenue"`
	// Slugs that the link had before, here or at another service, and that lead to it too.
	// Absent when there are none.
	Aliases []string `json:"aliases,omitzero"`
	// One for each base URL of the program.
	FullURLs  []FullURL `json:"fullURLs"`
	CreatedAt Time      `json:"createdAt"`
	UpdatedAt Time      `json:"updatedAt"`
}

// LinkOwner is the affiliate inside a link.
type LinkOwner struct {
	ID    uuid.UUID `json:"id"`
	Name  string    `json:"name"`  // First and last name joined by a space.
	Email string    `json:"email"` // Lower case.
}

// LinkProgram is the program inside a link.
type LinkProgram struct {
	ID       uuid.UUID `json:"id"`
	Name     string    `json:"name"`     // What it is called.
	Currency Currency  `json:"currency"` // ISO 4217 code of every amount.
}

// FullURL is a destination of the program with a link's slug in its query.
type FullURL struct {
	BaseURL string `json:"baseUrl"` // The page.
	FullURL string `json:"fullUrl"` // The page with the slug.
}

// LinkParams is the input of Program.CreateLink: the slug, and the owner by id
// or email.
type LinkParams struct {
	Once           `json:"-"`
	Link           string    `json:"link" wire:"text"`        // The slug.
	AffiliateID    uuid.UUID `json:"affiliateId,omitzero"`    // The owner, by id.
	AffiliateEmail string    `json:"affiliateEmail,omitzero"` // The owner, by email.
}

// LinkRef names a link by id or slug. When both are given they must name the
// same record.
type LinkRef struct {
	ID   uuid.UUID
	Slug string // in any letter case; also one that the link had before
}

// LinkQuery selects the links that match every field that is set; without a
// field it selects all. A field that is set to null or to a zero value selects
// nothing.
//
// Source: docs/contract.md 3.2.
type LinkQuery struct {
	// The link with this id.
	ID Opt[uuid.UUID] `json:"id,omitzero" wire:"one"`
	// The link with this slug, in any letter case; also one that it had before.
	Slug Opt[string] `json:"link,omitzero" wire:"one"`
	// The links of this affiliate.
	AffiliateID Opt[uuid.UUID] `json:"affiliateId,omitzero"`
	// The links of the affiliate with this email.
	AffiliateEmail Opt[string] `json:"affiliateEmail,omitzero"`
}

// DeletedLink is the answer for a deleted link.
type DeletedLink struct {
	ID   uuid.UUID `json:"id"`
	Link string    `json:"link"` // The slug.
}

// ReleasedSlug is the answer for a former slug that anybody may have.
type ReleasedSlug struct {
	Link        string    `json:"link"`        // The slug.
	AffiliateID uuid.UUID `json:"affiliateId"` // Whose it was. The affiliate may be gone.
}

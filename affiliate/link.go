package affiliate

import "github.com/google/uuid"

// A Link is a referral link: a slug with its owner and its statistics.
//
// Source: docs/contract.md 2.4.
type Link struct {
	ID           uuid.UUID   `json:"id"`
	Link         string      `json:"link"` // the slug
	Affiliate    LinkOwner   `json:"affiliate"`
	Program      LinkProgram `json:"program"`
	Clicks       int64       `json:"clicks"`
	Referrals    int64       `json:"referrals"`            // live ones
	Sales        int64       `json:"sales"`                // live ones that are not refunded in full
	Conversions  int64       `json:"conversions,omitzero"` // likewise; not there: none
	TotalRevenue Amount      `json:"totalRevenue"`         // of live sales, less refunds
	Aliases      []string    `json:"aliases,omitzero"`     // slugs that it had before, here or at another service, and that lead to it too; absent when there are none
	FullURLs     []FullURL   `json:"fullURLs"`             // one for each destination of the program
	CreatedAt    Time        `json:"createdAt"`
	UpdatedAt    Time        `json:"updatedAt"`
}

// LinkOwner is the affiliate inside a link.
type LinkOwner struct {
	ID    uuid.UUID `json:"id"`
	Name  string    `json:"name"`
	Email string    `json:"email"`
}

// LinkProgram is the program inside a link.
type LinkProgram struct {
	ID       uuid.UUID `json:"id"`
	Name     string    `json:"name"`
	Currency Currency  `json:"currency"`
}

// FullURL is a destination of the program with a link's slug in its query.
type FullURL struct {
	BaseURL string `json:"baseUrl"`
	FullURL string `json:"fullUrl"`
}

// LinkParams is the input of Program.CreateLink: the slug, and the owner by id
// or email.
type LinkParams struct {
	Once           `json:"-"`
	Link           string    `json:"link" wire:"text"`
	AffiliateID    uuid.UUID `json:"affiliateId,omitzero"`
	AffiliateEmail string    `json:"affiliateEmail,omitzero"`
}

// LinkRef names a link by id or slug. When both are given they must name the
// same record.
type LinkRef struct {
	ID   uuid.UUID
	Slug string // in any letter case; also one that the link had before
}

// LinkFilter selects the links that match every field that is set; without a
// field it selects all. A field that is set to null or to a zero value selects
// nothing.
//
// Source: docs/contract.md 3.2.
type LinkFilter struct {
	ID             Opt[uuid.UUID] `json:"id,omitzero" wire:"one"`
	Slug           Opt[string]    `json:"link,omitzero" wire:"one"` // in any letter case; also one that the link had before
	AffiliateID    Opt[uuid.UUID] `json:"affiliateId,omitzero"`
	AffiliateEmail Opt[string]    `json:"affiliateEmail,omitzero"`
}

// DeletedLink is the answer for a deleted link.
type DeletedLink struct {
	ID   uuid.UUID `json:"id"`
	Link string    `json:"link"`
}

// ReleasedSlug is the answer for a former slug that anybody may have.
type ReleasedSlug struct {
	Link        string    `json:"link"`
	AffiliateID uuid.UUID `json:"affiliateId"` // whose it was; the affiliate may be gone
}

package imported

import (
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
)

// An Affiliate is an affiliate of another service with their links.
type Affiliate struct {
	Ref        string                    // the service's id, 1–255 characters, unique among all refs; it must name no person
	FirstName  string                    `json:",omitzero"` // 0–100 characters; without both names: the local part of the email
	LastName   string                    `json:",omitzero"`
	Email      string                    `json:",omitzero"`
	ExternalID string                    `json:",omitzero"` // the host's own id of the user, account or tenant; of an affiliate who is there already: left as it is
	Status     affiliate.AffiliateStatus `json:",omitzero"` // any; empty: ACTIVE
	CreatedAt  time.Time                 `json:",omitzero"` // zero: now; in the future: refused
	Links      []Link                    `json:",omitzero"` // none that can be stored: a link is made from the email

	PayoutEmail      string                           `json:",omitzero"`
	PaymentMethod    affiliate.PaymentMethod          `json:",omitzero"`
	CommissionPlanID uuid.UUID                        `json:",omitzero"`
	CommissionRate   affiliate.Opt[affiliate.Percent] `json:",omitzero"` // the affiliate's own, of the type of their terms

	OnConflict SlugConflict `json:"-"` // a slug that another affiliate has
}

// A Link is a link of an [Affiliate].
type Link struct {
	Ref       string    `json:",omitzero"` // by which customers and sales name the link; empty: they cannot
	Slug      string    `json:",omitzero"` // what is no letter, digit or hyphen becomes a hyphen
	CreatedAt time.Time `json:",omitzero"` // zero: that of the affiliate
	Clicks    int64     `json:",omitzero"` // visits so far
}

package engine

import "github.com/tributary-go/tributary/affiliate"

// atProvider holds the fields of a coupon at a payment provider, which are not in
// the JSON of an update.
type atProvider struct {
	ExternalID      affiliate.Opt[string]                    `json:",omitzero"`
	IntegrationType affiliate.Opt[affiliate.IntegrationType] `json:",omitzero"`
}

// IsZero reports whether the update says nothing of it.
func (e atProvider) IsZero() bool { return e.ExternalID.IsZero() && e.IntegrationType.IsZero() }

package engine

import "github.com/tributary-go/tributary/affiliate"

// atProvider is what a coupon is at a payment provider: the part of an update that
// its JSON does not have.
type atProvider struct {
	ExternalID      affiliate.Opt[string]                    `json:",omitzero"`
	IntegrationType affiliate.Opt[affiliate.IntegrationType] `json:",omitzero"`
}

// IsZero reports whether the update says nothing of it.
func (e atProvider) IsZero() bool { return e.ExternalID.IsZero() && e.IntegrationType.IsZero() }

package httpapi

import (
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/internal/refusal"
)

// Source: docs/contract.md 4.6.

// newClick reads a visit. An empty optional text counts as absent: a browser has
// one for a visitor without a referrer.
func newClick(in *input) affiliate.NewClick {
	slug := in.text("referralCode")
	if blank(slug) {
		in.fault(refusal.RefuseNoReferralCode)
	}
	return affiliate.NewClick{
		Slug:       slug,
		Repeat:     !in.boolean("uniqueClick").Or(true),
		LandingURL: in.text("fullLandingUrl"),
		Referrer:   in.text("documentReferrer"),
		UserAgent:  in.text("userAgent"),
		DeviceID:   in.text("deviceId"),
		Earlier:    affiliate.ClickID(in.integer("earlierClickId").Or(0)),
		Offer:      in.flag("offer"),
	}
}

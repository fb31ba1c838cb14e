package httpapi

import (
	"errors"

	"github.com/tributary-go/tributary"
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
	}
}

// trackClick answers null for an unknown slug.
func trackClick(p *tributary.Program, c *call, in affiliate.NewClick) error {
	click, err := p.TrackClick(c.r.Context(), in)
	if errors.Is(err, affiliate.ErrNotFound) {
		c.nothing()
		return nil
	}
	if err != nil {
		return err
	}
	return c.answer(&click)
}

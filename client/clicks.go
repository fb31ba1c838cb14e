package client

import (
	"context"

	"github.com/tributary-go/tributary/affiliate"
)

// TrackClick is [tributary.Program.TrackClick].
//
// Errors: [affiliate.ErrNotFound] when no live link has the slug.
func (c *Client) TrackClick(ctx context.Context, in affiliate.ClickParams) (affiliate.Click, error) {
	if in.Slug == "" {
		return affiliate.Click{}, affiliate.ErrNotFound // no link has it, and the server takes it as missing
	}
	return find[affiliate.Click](ctx, c, c.post("/clicks", struct {
		Slug       string `json:"referralCode,omitzero"`
		Unique     bool   `json:"uniqueClick"`
		LandingURL string `json:"fullLandingUrl,omitzero"`
		Referrer   string `json:"documentReferrer,omitzero"`
		UserAgent  string `json:"userAgent,omitzero"`
		DeviceID   string `json:"deviceId,omitzero"`

		Earlier affiliate.ClickID `json:"earlierClickId,omitzero"`
		Offer   bool              `json:"offer,omitzero"`
	}{in.Slug, !in.Repeat, in.LandingURL, in.Referrer, in.UserAgent, in.DeviceID, in.Earlier, in.Offer}, affiliate.Once{}))
}

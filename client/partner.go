package client

import (
	"context"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
)

// A PartnerToken opens the partner pages of an affiliate until it expires.
type PartnerToken struct {
	Token     string         `json:"token"`
	URL       string         `json:"url"` // redirect the affiliate's click there at once
	ExpiresAt affiliate.Time `json:"expiresAt"`
}

// PartnerToken opens the server's partner pages for an affiliate, for ttl: whole
// seconds, from 30 seconds to an hour; zero: a minute. Nothing is stored.
//
// Errors: [affiliate.MissingField] (affiliateId), [affiliate.InvalidField]
// (ttlSeconds), [affiliate.AffiliateNotFound], [affiliate.PortalNotConfigured].
//
// Source: docs/contract.md 4.7.
func (c *Client) PartnerToken(ctx context.Context, of uuid.UUID, ttl time.Duration) (PartnerToken, error) {
	return send[PartnerToken](ctx, c, c.post("/partner/token", struct {
		AffiliateID uuid.UUID `json:"affiliateId,omitzero"`
		TTL         int64     `json:"ttlSeconds,omitzero"`
	}{of, int64(ttl / time.Second)}, affiliate.Once{}))
}

package client

import (
	"context"
	"net/url"
	"strconv"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
)

// Settings is [tributary.Program.Settings].
func (c *Client) Settings(ctx context.Context) (affiliate.Settings, error) {
	return send[affiliate.Settings](ctx, c, fetch("/program", nil))
}

// UpdateSettings is [tributary.Program.UpdateSettings].
func (c *Client) UpdateSettings(ctx context.Context, up affiliate.SettingsUpdate) (affiliate.Settings, error) {
	return send[affiliate.Settings](ctx, c, c.put("/program", up))
}

// Attention is [tributary.Program.Attention].
func (c *Client) Attention(ctx context.Context, n int) (affiliate.Attention, error) {
	query := url.Values{}
	if n != 0 {
		query.Set("limit", strconv.Itoa(n))
	}
	return send[affiliate.Attention](ctx, c, fetch("/attention", query))
}

// verify checks the books and answers the first 100 breaches. It takes as long as the
// books are large: only the context limits it, and not Config.Timeout. It is never
// sent again.
func (c *Client) verify(ctx context.Context) (affiliate.Progress, error) {
	rq := fetch("/verify", nil)
	rq.patience, rq.worst = endless, final
	out, err := send[struct {
		Holds    bool
		Records  int64
		Breaches []affiliate.Breach
		TookMs   int64
	}](ctx, c, rq)
	if err != nil {
		return affiliate.Progress{}, err
	}
	return affiliate.Progress{Done: true, Looked: out.Records, Verification: affiliate.Verification{
		Holds: out.Holds, Records: out.Records, Breaches: append([]affiliate.Breach{}, out.Breaches...),
		Took: time.Duration(out.TookMs) * time.Millisecond,
	}}, nil
}

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

package client

import (
	"context"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
)

// AssignTiers is [affiliate.Program.AssignTiers], in steps: it returns how many
// affiliates changed, also when it ended with an error. A key of [Client.Keyed]
// is for one request and cannot be sent with it.
func (c *Client) AssignTiers(ctx context.Context) (int, error) {
	return steps(ctx, c, "/commission-tiers/assign", func(cursor string) any {
		return struct {
			Cursor string `json:"cursor,omitzero"`
		}{cursor}
	})
}

// RecalculateSales is [affiliate.Program.RecalculateSales], in steps like
// [Client.AssignTiers]. The filter cannot have ExternalID or ExternalInvoiceID.
func (c *Client) RecalculateSales(ctx context.Context, f affiliate.SaleFilter) (int, error) {
	if !f.ExternalID.IsZero() || !f.ExternalInvoiceID.IsZero() {
		rq := request{}
		rq.goOnly("SaleFilter.ExternalID", true)
		return 0, rq.barred
	}
	for _, nothing := range []bool{none(f.AffiliateID), none(f.AffiliateEmail), none(f.ReferralID)} {
		if nothing {
			return 0, nil // as on the engine: an empty value selects nothing
		}
	}
	all := f == affiliate.SaleFilter{}
	return steps(ctx, c, sales+"/recalculate", func(cursor string) any {
		return struct {
			AffiliateID affiliate.Opt[uuid.UUID] `json:"affiliateId,omitzero"`
			Email       affiliate.Opt[string]    `json:"affiliateEmail,omitzero"`
			ReferralID  affiliate.Opt[string]    `json:"referralId,omitzero"`
			All         bool                     `json:"all,omitzero"`
			Cursor      string                   `json:"cursor,omitzero"`
		}{f.AffiliateID, f.AffiliateEmail, f.ReferralID, all, cursor}
	})
}

// none reports whether a field is set to nothing.
func none[T comparable](o affiliate.Opt[T]) bool {
	v, ok := o.Get()
	var zero T
	return !o.IsZero() && (!ok || v == zero)
}

// steps does a job to its end.
func steps(ctx context.Context, c *Client, path string, body func(cursor string) any) (changed int, err error) {
	for cursor := ""; ; {
		rq := c.post(path, body(cursor), affiliate.Once{})
		rq.goOnly("Once.Key", c.once.Key != "")
		done, err := send[struct {
			Done    bool
			Cursor  string
			Changed int
		}](ctx, c, rq)
		if changed += done.Changed; err != nil || done.Done || done.Cursor == cursor {
			return changed, err
		}
		cursor = done.Cursor
	}
}

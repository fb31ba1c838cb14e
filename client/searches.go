package client

import (
	"context"
	"strconv"

	"github.com/tributary-go/tributary/affiliate"
)

// SearchAffiliates is [tributary.Program.SearchAffiliates].
func (c *Client) SearchAffiliates(ctx context.Context, q affiliate.AffiliateQuery, pg affiliate.Page) (affiliate.List[affiliate.Affiliate], error) {
	return searched[affiliate.Affiliate](ctx, c, affiliates+"/search", filterOf(q), pg)
}

// SearchReferrals is [tributary.Program.SearchReferrals].
func (c *Client) SearchReferrals(ctx context.Context, q affiliate.ReferralQuery, pg affiliate.Page) (affiliate.List[affiliate.Referral], error) {
	return searched[affiliate.Referral](ctx, c, referrals+"/search", filterOf(q), pg)
}

// SearchCodes is [tributary.Program.SearchCodes].
func (c *Client) SearchCodes(ctx context.Context, q affiliate.CodeQuery, pg affiliate.Page) (affiliate.List[affiliate.Code], error) {
	return searched[affiliate.Code](ctx, c, codes+"/search", filterOf(q), pg)
}

// CouponSummaries is [tributary.Program.CouponSummaries].
func (c *Client) CouponSummaries(ctx context.Context, q affiliate.CouponQuery, pg affiliate.Page) (affiliate.List[affiliate.Coupon], error) {
	return searched[affiliate.Coupon](ctx, c, coupons+"/summaries", filterOf(q), pg)
}

// flag adds a field that is true.
func (f *filter) flag(name string, set bool) {
	if set {
		f.word(name, "true")
	}
}

// boolean adds a field; null selects nothing.
func (f *filter) boolean(name string, field affiliate.Opt[bool]) {
	f.nobody = f.nobody || field.IsNull()
	if value, set := field.Get(); set {
		f.word(name, strconv.FormatBool(value))
	}
}

// searched gets a page of a search, which has no whole list: without a limit it
// has a hundred records.
func searched[T any](ctx context.Context, c *Client, path string, f filter, pg affiliate.Page) (affiliate.List[T], error) {
	if pg == (affiliate.Page{}) {
		pg.Limit = 100
	}
	return selected[T](ctx, c, path, f, pg)
}

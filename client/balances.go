package client

import (
	"context"
	"net/url"
	"time"

	"github.com/tributary-go/tributary/affiliate"
)

// Balance is [tributary.Program.Balance].
//
// Errors: [affiliate.ErrNotFound] for an unknown affiliate.
func (c *Client) Balance(ctx context.Context, of affiliate.AffiliateRef) (affiliate.Balance, error) {
	rq := fetch("/balances", named(of))
	if len(rq.query) == 0 {
		return affiliate.Balance{}, affiliate.ErrNotFound
	}
	rq.oneName(of)
	return find[affiliate.Balance](ctx, c, rq)
}

// named are the parameters that name an affiliate.
func named(of affiliate.AffiliateRef) url.Values {
	q := firstOf("affiliateId", nameOf(of))
	if of.Email != "" {
		q.Set("affiliateEmail", of.Email)
	}
	return q
}

// Balances is [tributary.Program.Balances].
func (c *Client) Balances(ctx context.Context, pg affiliate.Page) (affiliate.List[affiliate.Balance], error) {
	return selected[affiliate.Balance](ctx, c, "/balances", filter{}, pg)
}

// TotalBalance is [tributary.Program.TotalBalance].
func (c *Client) TotalBalance(ctx context.Context, at time.Time) (affiliate.TotalBalance, error) {
	return send[affiliate.TotalBalance](ctx, c, fetch("/balances/total", firstOf("at", textOfTime(at))))
}

// RankedBalances is [tributary.Program.RankedBalances].
func (c *Client) RankedBalances(ctx context.Context, at time.Time, pg affiliate.Page) (affiliate.List[affiliate.Balance], error) {
	var q filter
	q.word("at", textOfTime(at))
	return selected[affiliate.Balance](ctx, c, "/balances/ranked", q, pg)
}

// Movements is [tributary.Program.Movements]. Movement.Sales is not on the wire.
func (c *Client) Movements(ctx context.Context, f affiliate.MovementFilter, pg affiliate.Page) (affiliate.List[affiliate.Movement], error) {
	return selected[affiliate.Movement](ctx, c, "/movements", filterOf(f), pg)
}

// textOfTime returns an instant in a query; empty when it is zero.
func textOfTime(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return affiliate.At(t).String()
}

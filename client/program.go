package client

import (
	"context"
	"net/url"
	"strconv"

	"github.com/tributary-go/tributary/affiliate"
)

// Settings is [tributary.Program.Settings].
func (c *Client) Settings(ctx context.Context) (affiliate.Settings, error) {
	return send[affiliate.Settings](ctx, c, fetch("/program", nil))
}

// Attention is [tributary.Program.Attention].
func (c *Client) Attention(ctx context.Context, n int) (affiliate.Attention, error) {
	query := url.Values{}
	if n != 0 {
		query.Set("limit", strconv.Itoa(n))
	}
	return send[affiliate.Attention](ctx, c, fetch("/attention", query))
}

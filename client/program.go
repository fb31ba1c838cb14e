package client

import (
	"context"

	"github.com/tributary-go/tributary/affiliate"
)

// Settings is [affiliate.Program.Settings].
func (c *Client) Settings(ctx context.Context) (affiliate.Settings, error) {
	return send[affiliate.Settings](ctx, c, fetch("/program", nil))
}

package httpapi

import (
	"context"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
)

// Source: docs/contract.md 2.10, 4.6.

func tierByID(p *tributary.Program, ctx context.Context, value string) (affiliate.Tier, error) {
	return p.Tier(ctx, idOf(value))
}

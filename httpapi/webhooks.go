package httpapi

import (
	"context"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
)

// Source: docs/contract.md 2.12, 2.13, 4.2.

type deletedEndpoint struct {
	Message  string                    `json:"message"`
	Endpoint affiliate.DeletedEndpoint `json:"deletedWebhook"`
}

func deleteEndpoint(p *tributary.Program, ctx context.Context, id uuid.UUID) (deletedEndpoint, error) {
	endpoint, err := p.DeleteEndpoint(ctx, id)
	return deletedEndpoint{"Webhook endpoint deleted successfully", endpoint}, err
}

// replay answers how many deliveries are sent again.
func replay(p *tributary.Program, ctx context.Context, in affiliate.ReplayRange) (counted, error) {
	n, err := p.Replay(ctx, in)
	return counted{n}, err
}

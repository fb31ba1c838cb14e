package client

import (
	"context"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
)

const proposals = "/proposals"

// Propose asks for an operation that a person decides about. It changes nothing, and needs a key of
// the scope propose, or full. What waits already is answered, and not kept twice.
//
// Errors: those of the operation, with the field of its body as body.field; [affiliate.MissingField],
// [affiliate.InvalidField] (operation, body, why); [affiliate.ProposalLimitReached].
//
// Source: docs/contract.md 4.8.
func (c *Client) Propose(ctx context.Context, in affiliate.ProposalParams) (affiliate.Proposal, error) {
	return send[affiliate.Proposal](ctx, c, c.post(proposals, in, affiliate.Once{}))
}

// Proposal returns what was proposed, and what became of it.
//
// Errors: [affiliate.ErrNotFound], also 30 days later.
//
// Source: docs/contract.md 4.8.
func (c *Client) Proposal(ctx context.Context, id uuid.UUID) (affiliate.Proposal, error) {
	return one[affiliate.Proposal](ctx, c, proposals, firstOf("id", textOfID(id)))
}

// Proposals lists what was proposed in the last 30 days, the newest first.
//
// Source: docs/contract.md 4.8.
func (c *Client) Proposals(ctx context.Context, pg affiliate.Page) (affiliate.List[affiliate.Proposal], error) {
	return selected[affiliate.Proposal](ctx, c, proposals, filter{}, pg)
}

package client

import (
	"context"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
)

const cases = "/cases"

// Case is [tributary.Program.Case].
//
// Errors: [affiliate.ErrNotFound].
func (c *Client) Case(ctx context.Context, id uuid.UUID) (affiliate.Case, error) {
	return one[affiliate.Case](ctx, c, cases, firstOf("id", textOfID(id)))
}

// Cases is [tributary.Program.Cases].
func (c *Client) Cases(ctx context.Context, q affiliate.CaseQuery,
	pg affiliate.Page) (affiliate.List[affiliate.Case], error) {
	return selected[affiliate.Case](ctx, c, cases, filterOf(q), pg)
}

// OpenCase is [tributary.Program.OpenCase].
func (c *Client) OpenCase(ctx context.Context, in affiliate.CaseParams) (affiliate.Case, error) {
	return send[affiliate.Case](ctx, c, c.post(cases, in, in.Once))
}

// caseAnswer is an answer on the wire.
type caseAnswer struct {
	CaseID uuid.UUID `json:"caseId,omitzero"`
	affiliate.CaseAnswer
}

// AnswerCase is [tributary.Program.AnswerCase].
func (c *Client) AnswerCase(ctx context.Context, id uuid.UUID, in affiliate.CaseAnswer) (affiliate.Case, error) {
	return send[affiliate.Case](ctx, c, c.post(cases+"/answer", caseAnswer{id, in}, affiliate.Once{}))
}

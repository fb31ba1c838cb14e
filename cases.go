package tributary

import (
	"context"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
)

// OpenCase records that an affiliate asks something, which waits until it is answered. It
// changes nothing else.
//
// Errors: [affiliate.MissingField] or [affiliate.InvalidField] for what the kind needs, or does not
// have; [affiliate.AffiliateNotFound], also for one who was erased;
// [affiliate.IdentifiersMismatch]; [affiliate.SaleNotFound], also for a sale that credits somebody
// else; [affiliate.CaseIsOpen] while a case of the affiliate of the same kind and about the same
// waits; [affiliate.CaseLimitReached] while 20 of the affiliate wait.
//
// Source: docs/rules.md 4.10.
func (p *Program) OpenCase(ctx context.Context, in affiliate.CaseParams) (affiliate.Case, error) {
	return p.in(ctx).OpenCase(ctx, in)
}

// AnswerCase answers a case, once. The affiliate sees the answer on the partner pages, and the
// case keeps who gave it, as [Program.By] says.
//
// Errors: [affiliate.MissingField] or [affiliate.InvalidField] (answer);
// [affiliate.CaseNotFound]; [affiliate.StatusNotAllowed] for one that was answered.
//
// Source: docs/rules.md 4.10.
func (p *Program) AnswerCase(ctx context.Context, id uuid.UUID, in affiliate.CaseAnswer) (affiliate.Case, error) {
	return p.in(ctx).AnswerCase(ctx, id, in)
}

// Case returns a case.
//
// Errors: [affiliate.ErrNotFound].
//
// Source: docs/rules.md 4.10.
func (p *Program) Case(ctx context.Context, id uuid.UUID) (affiliate.Case, error) {
	return p.in(ctx).Case(ctx, id)
}

// Cases lists the cases that match every field of q, newest first.
//
// Errors: [affiliate.InvalidQuery] for an unknown status or kind, or a bad page.
//
// Source: docs/rules.md 4.10.
func (p *Program) Cases(ctx context.Context, q affiliate.CaseQuery,
	pg affiliate.Page) (affiliate.List[affiliate.Case], error) {
	return p.in(ctx).Cases(ctx, q, pg)
}

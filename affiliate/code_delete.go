package affiliate

import (
	"context"

	"github.com/google/uuid"
)

// DeleteCode deletes a code. Its sales, the redemption ledger and the coupon's
// count stay.
//
// Errors: [MissingField] for a zero id, [PromotionalCodeNotFound].
//
// Effects: promocode.deleted.
//
// Source: docs/contract.md 3.4.
func (p *Program) DeleteCode(ctx context.Context, id uuid.UUID) (_ DeletedCode, err error) {
	defer p.begin(&ctx, "DeleteCode", writes).end(&err)
	o := p.op(ctx)
	rq := request{name: "code.delete", input: id, refused: first(promotionalCodeIDRequired.when(id == uuid.Nil))}
	return write(o, rq, func() (DeletedCode, error) {
		rec, err := o.codeByID(id)
		if err != nil {
			return DeletedCode{}, err
		}
		if err := o.tx.Codes.Delete(id); err != nil {
			return DeletedCode{}, internal("delete code", err)
		}
		return DeletedCode{ID: id, Code: rec.Code}, o.emitDeleted(PromocodeDeleted, id, 0, rec.Revision+1)
	})
}

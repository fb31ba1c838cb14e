package engine

import (
	"context"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/internal/refusal"
)

// DeleteCode implements tributary.Program.DeleteCode.
func (p *Program) DeleteCode(ctx context.Context, id uuid.UUID) (_ affiliate.DeletedCode, err error) {
	defer p.Begin(&ctx, "DeleteCode", Writes).End(&err)
	o := p.Op(ctx)
	rq := Request{Name: "code.delete", Input: id, Refused: refusal.First(refusal.PromotionalCodeIDRequired.When(id == uuid.Nil))}
	return Write(o, rq, func() (affiliate.DeletedCode, error) {
		rec, err := o.codeByID(id)
		if err != nil {
			return affiliate.DeletedCode{}, err
		}
		if err := o.Tx.Codes.Delete(id); err != nil {
			return affiliate.DeletedCode{}, refusal.Internal("delete code", err)
		}
		return affiliate.DeletedCode{ID: id, Code: rec.Code}, o.emitDeleted(affiliate.PromocodeDeleted, id, 0, rec.Revision+1)
	})
}

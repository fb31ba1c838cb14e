package engine

import (
	"context"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/refusal"
)

// Code implements tributary.Program.Code.
func (p *Program) Code(ctx context.Context, ref affiliate.CodeRef) (_ affiliate.Code, err error) {
	defer p.Begin(&ctx, "Code", Reads).End(&err)
	return View(ctx, p, func(o *Op) (affiliate.Code, error) {
		rec, err := o.findCode(ref)
		if err != nil {
			return affiliate.Code{}, err
		}
		return o.fullCode(rec, parents{})
	})
}

// Codes implements tributary.Program.Codes.
func (p *Program) Codes(ctx context.Context, f affiliate.CodeFilter, pg affiliate.Page) (_ affiliate.List[affiliate.Code], err error) {
	defer p.Begin(&ctx, "Codes", Reads).End(&err)
	l, err := p.Listing(pg, "codes", f)
	if err != nil {
		return affiliate.List[affiliate.Code]{}, err
	}
	return View(ctx, p, func(o *Op) (affiliate.List[affiliate.Code], error) {
		seen := parents{coupons: map[uuid.UUID]parent{}, contacts: Contacts{}}
		full := func(rec record.Code) (affiliate.Code, error) { return o.fullCode(rec, seen) }
		return Chosen(o.Tx.Codes, o.chooseCodes(f), l, full)
	})
}

// chooseCodes turns the filter into a choice.
func (o *Op) chooseCodes(f affiliate.CodeFilter) (c Choice[record.Code]) {
	c.ByOwner(o, f.AffiliateID, f.AffiliateEmail, func(r *record.Code) uuid.UUID { return r.AffiliateID })
	c.ByID(record.OfCoupon, f.CouponID, func(r *record.Code) uuid.UUID { return r.CouponID })
	return c
}

// codeByID returns the code that a caller named.
func (o *Op) codeByID(id uuid.UUID) (record.Code, error) {
	rec, err := o.Tx.Codes.Get(id)
	return rec, refusal.PromotionalCodeNotFound.IfMissing(err)
}

// findCode returns the code that ref names, or ErrNotFound.
func (o *Op) findCode(ref affiliate.CodeRef) (record.Code, error) {
	switch {
	case ref.ID != uuid.Nil:
		return o.Tx.Codes.Get(ref.ID)
	case ref.Code != "":
		return o.CodeByText(ref.Code)
	case ref.ExternalID != "":
		return refusal.FindText(o.Tx.Codes, record.ByExternalID, ref.ExternalID)
	}
	return record.Code{}, affiliate.ErrNotFound
}

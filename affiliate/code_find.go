package affiliate

import (
	"context"

	"github.com/google/uuid"
)

// Code returns the code that ref names, with its coupon and affiliate. An empty
// ref names no code.
//
// Errors: [ErrNotFound].
//
// Source: docs/contract.md 3.4.
func (p *Program) Code(ctx context.Context, ref CodeRef) (_ Code, err error) {
	defer p.begin(&ctx, "Code", reads).end(&err)
	return view(ctx, p, func(o *op) (Code, error) {
		rec, err := o.findCode(ref)
		if err != nil {
			return Code{}, err
		}
		return o.fullCode(rec, parents{})
	})
}

// Codes lists the codes that f selects, newest first. An unknown coupon or
// affiliate has none.
//
// Errors: [InvalidQuery].
//
// Source: docs/contract.md 3.4.
func (p *Program) Codes(ctx context.Context, f CodeFilter, pg Page) (_ List[Code], err error) {
	defer p.begin(&ctx, "Codes", reads).end(&err)
	l, err := p.listing(pg, "codes", f)
	if err != nil {
		return List[Code]{}, err
	}
	return view(ctx, p, func(o *op) (List[Code], error) {
		seen := parents{coupons: map[uuid.UUID]parent{}, contacts: contacts{}}
		full := func(rec CodeRecord) (Code, error) { return o.fullCode(rec, seen) }
		return chosen(o.tx.Codes, o.chooseCodes(f), l, full)
	})
}

// chooseCodes turns the filter into a choice.
func (o *op) chooseCodes(f CodeFilter) (c choice[CodeRecord]) {
	c.byOwner(o, f.AffiliateID, f.AffiliateEmail, func(r *CodeRecord) uuid.UUID { return r.AffiliateID })
	c.byID(OfCoupon, f.CouponID, func(r *CodeRecord) uuid.UUID { return r.CouponID })
	return c
}

// codeByID returns the code that a caller named.
func (o *op) codeByID(id uuid.UUID) (CodeRecord, error) {
	rec, err := o.tx.Codes.Get(id)
	return rec, promotionalCodeNotFound.ifMissing(err)
}

// findCode returns the code that ref names, or ErrNotFound.
func (o *op) findCode(ref CodeRef) (CodeRecord, error) {
	switch {
	case ref.ID != uuid.Nil:
		return o.tx.Codes.Get(ref.ID)
	case ref.Code != "":
		return o.codeByText(ref.Code)
	case ref.ExternalID != "":
		return findText(o.tx.Codes, ByExternalID, ref.ExternalID)
	}
	return CodeRecord{}, ErrNotFound
}

package affiliate

import (
	"context"
	"errors"

	"github.com/google/uuid"
)

// CodeQuery selects the codes that match every field that is set. A field that is
// set to null or to a zero value selects nothing, but for Active.
//
// Source: docs/contract.md 4.6.
type CodeQuery struct {
	CouponID    Opt[uuid.UUID] `json:",omitzero"`
	AffiliateID Opt[uuid.UUID] `json:",omitzero"`
	Active      Opt[bool]      `json:",omitzero"`
	State       CodeState      `json:",omitzero"` // empty: any
	Search      Opt[string]    `json:",omitzero"` // 1–100 characters: exactly the code; else a part of it
}

// SearchCodes lists codes, newest first, a hundred without a limit. A search text
// that is exactly a code, in any letter case, finds that code alone. It looks at
// no more than 5,000 records for a page, so a page may be short or empty although
// more follow: Next says so.
//
// Errors: [InvalidQuery] (state, search, a bad page).
//
// Source: docs/contract.md 4.6.
func (p *Program) SearchCodes(ctx context.Context, q CodeQuery, pg Page) (_ List[Code], err error) {
	defer p.begin(&ctx, "SearchCodes", reads).end(&err)
	if err := first(inQuery(oneOfOrNone("state", q.State, codeStates)), checkSearch(q.Search)); err != nil {
		return List[Code]{}, err
	}
	now := p.now()
	return found(ctx, p, hunt{pg, "codes-search", q}, func(o *op, exactly bool) *seeker[CodeRecord, Code] {
		o.now = now
		return o.seekCodes(q, exactly)
	})
}

// seekCodes is a search of codes in one View.
func (o *op) seekCodes(q CodeQuery, exactly bool) *seeker[CodeRecord, Code] {
	seen := parents{coupons: map[uuid.UUID]parent{}, contacts: contacts{}}
	k := &seeker[CodeRecord, Code]{
		choice: o.chooseSearchedCodes(q, exactly), table: o.tx.Codes,
		item: func(rec CodeRecord) (Code, error) { return o.judgedCode(rec, seen) },
	}
	if q.State == "" {
		return k
	}
	coupons := map[uuid.UUID]CouponRecord{}
	k.costs = 1
	k.keep = func(rec *CodeRecord) (bool, error) {
		coupon, known := coupons[rec.CouponID]
		if !known {
			var err error
			if coupon, err = o.parentOf(rec); err != nil {
				return false, err
			}
			coupons[rec.CouponID], k.spent = coupon, k.spent+1
		}
		if o.cfg.RefuseSuspended {
			k.spent++
		}
		hold, err := o.refusedHold(rec)
		if err != nil {
			return false, err
		}
		u := o.usabilityOf(rec, &coupon, hold)
		return u.is(q.State), nil
	}
	return k
}

// chooseSearchedCodes turns the query into a choice.
func (o *op) chooseSearchedCodes(q CodeQuery, exactly bool) choice[CodeRecord] {
	c := o.chooseCodes(CodeFilter{CouponID: q.CouponID, AffiliateID: q.AffiliateID})
	if q.Active.IsNull() {
		c.fail(ErrNotFound)
	}
	if active, set := q.Active.Get(); set {
		c.fits = append(c.fits, func(r *CodeRecord) bool { return r.Active == active })
	}
	text, set := wanted(&c, q.Search)
	if !set {
		return c
	}
	if exactly {
		rec, err := o.codeByText(text)
		if !errors.Is(err, ErrNotFound) {
			c.fail(err)
			c.one(Set(rec.ID))
			return c
		}
	}
	part := partOf(text)
	c.fits = append(c.fits, func(r *CodeRecord) bool { return part.in(r.Code) })
	return c
}

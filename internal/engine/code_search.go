package engine

import (
	"context"
	"errors"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/refusal"
)

// SearchCodes implements tributary.Program.SearchCodes.
func (p *Program) SearchCodes(ctx context.Context, q affiliate.CodeQuery, pg affiliate.Page) (_ affiliate.List[affiliate.Code], err error) {
	defer p.Begin(&ctx, "SearchCodes", Reads).End(&err)
	if err := refusal.First(InQuery(refusal.OneOfOrNone("state", q.State, codeStates)), checkSearch(q.Search)); err != nil {
		return affiliate.List[affiliate.Code]{}, err
	}
	now := p.Now()
	return Found(ctx, p, Hunt{Page: pg, Operation: "codes-search", Query: q, Oldest: q.OldestFirst}, func(o *Op, exactly bool) *Seeker[record.Code, affiliate.Code] {
		o.Now = now
		return o.seekCodes(q, exactly)
	})
}

// seekCodes returns a search of codes in one View.
func (o *Op) seekCodes(q affiliate.CodeQuery, exactly bool) *Seeker[record.Code, affiliate.Code] {
	seen := parents{coupons: map[uuid.UUID]parent{}, contacts: Contacts{}}
	k := &Seeker[record.Code, affiliate.Code]{
		Choice: o.ChooseSearchedCodes(q, exactly), Table: o.Tx.Codes,
		Item: func(rec record.Code) (affiliate.Code, error) { return o.judgedCode(rec, seen) },
	}
	if q.State == "" {
		return k
	}
	coupons := map[uuid.UUID]record.Coupon{}
	k.Costs = 1
	k.keep = func(rec *record.Code) (bool, error) {
		coupon, known := coupons[rec.CouponID]
		if !known {
			var err error
			if coupon, err = o.ParentOf(rec); err != nil {
				return false, err
			}
			coupons[rec.CouponID], k.spent = coupon, k.spent+1
		}
		if o.Cfg.RefuseSuspended {
			k.spent++
		}
		hold, err := o.RefusedHold(rec)
		if err != nil {
			return false, err
		}
		u, err := o.UsabilityOf(rec, &coupon, hold)
		return is(&u, q.State), err
	}
	return k
}

// ChooseSearchedCodes turns the query into a choice.
func (o *Op) ChooseSearchedCodes(q affiliate.CodeQuery, exactly bool) Choice[record.Code] {
	c := o.chooseCodes(affiliate.CodeFilter{CouponID: q.CouponID, AffiliateID: q.AffiliateID})
	if q.Active.IsNull() {
		c.Fail(affiliate.ErrNotFound)
	}
	if active, set := q.Active.Get(); set {
		c.Fits = append(c.Fits, func(r *record.Code) bool { return r.Active == active })
	}
	text, set := Wanted(&c, q.Search)
	if !set {
		return c
	}
	if exactly {
		rec, err := o.CodeByText(text)
		if !errors.Is(err, affiliate.ErrNotFound) {
			c.Fail(err)
			c.one(affiliate.Set(rec.ID))
			return c
		}
	}
	part := partOf(text)
	c.Fits = append(c.Fits, func(r *record.Code) bool { return part.in(r.Code) })
	return c
}

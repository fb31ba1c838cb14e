package engine

import (
	"context"
	"errors"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
)

// Referral implements tributary.Program.Referral.
func (p *Program) Referral(ctx context.Context, ident string) (_ affiliate.Referral, err error) {
	defer p.Begin(&ctx, "Referral", Reads).End(&err)
	return View(ctx, p, func(o *Op) (affiliate.Referral, error) {
		rec, err := o.FindReferral(ident)
		if err != nil {
			return affiliate.Referral{}, err
		}
		return o.ReferralOf(rec)
	})
}

// Referrals implements tributary.Program.Referrals.
func (p *Program) Referrals(ctx context.Context, f affiliate.ReferralFilter, pg affiliate.Page) (_ affiliate.List[affiliate.Referral], err error) {
	defer p.Begin(&ctx, "Referrals", Reads).End(&err)
	l, err := p.Listing(pg, "referrals", f)
	if err != nil {
		return affiliate.List[affiliate.Referral]{}, err
	}
	return View(ctx, p, func(o *Op) (affiliate.List[affiliate.Referral], error) {
		return Chosen(o.Tx.Referrals, o.chooseReferrals(f), l, o.ReferralOf)
	})
}

// chooseReferrals turns the filter into a choice.
func (o *Op) chooseReferrals(f affiliate.ReferralFilter) (c Choice[record.Referral]) {
	c.ByOwner(o, f.AffiliateID, f.AffiliateEmail, func(r *record.Referral) uuid.UUID { return r.AffiliateID })
	if id := f.ReferredUserExternalID.Or(""); id != "" {
		switch who, err := o.CustomerByHostID(id); {
		case err != nil:
			c.Fail(err)
		case who.Referral.CustomerID != "": // also of somebody who was merged into them
			f.ReferredUserExternalID = affiliate.Set(who.Referral.CustomerID)
		}
	}
	c.ByText(record.OfCustomer, f.ReferredUserExternalID, func(r *record.Referral) string { return r.CustomerID })
	return c
}

// FindReferral finds a referral by id, else by email. Those of somebody who was merged find who stayed.
func (o *Op) FindReferral(ident string) (record.Referral, error) {
	if id, ok := exactID(ident); ok {
		rec, err := o.ReferralByID(id)
		if !errors.Is(err, affiliate.ErrNotFound) {
			return rec, err
		}
	}
	return o.referralByEmail(ident)
}

// referralByEmail finds the referral whose mailbox an email leads to.
func (o *Op) referralByEmail(email string) (record.Referral, error) {
	c, err := o.CustomerByEmail(email)
	if err == nil && (c.Referral.ID == uuid.Nil || c.Gone != uuid.Nil) {
		return record.Referral{}, affiliate.ErrNotFound
	}
	return c.Referral, err
}

package affiliate

import (
	"context"
	"errors"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/internal/mailbox"
)

// Referral returns the referral with the id, else with the customer's email.
//
// Errors: [ErrNotFound].
//
// Source: docs/contract.md 3.6.
func (p *Program) Referral(ctx context.Context, ident string) (_ Referral, err error) {
	defer p.begin(&ctx, "Referral", reads).end(&err)
	return view(ctx, p, func(o *op) (Referral, error) {
		rec, err := o.findReferral(ident)
		if err != nil {
			return Referral{}, err
		}
		return o.referralOf(rec)
	})
}

// Referrals lists referrals, newest first. An unknown affiliate has none.
//
// Errors: [InvalidQuery] for a bad page.
//
// Source: docs/contract.md 3.6.
func (p *Program) Referrals(ctx context.Context, f ReferralFilter, pg Page) (_ List[Referral], err error) {
	defer p.begin(&ctx, "Referrals", reads).end(&err)
	l, err := p.listing(pg, "referrals", f)
	if err != nil {
		return List[Referral]{}, err
	}
	return view(ctx, p, func(o *op) (List[Referral], error) {
		return chosen(o.tx.Referrals, o.chooseReferrals(f), l, o.referralOf)
	})
}

// chooseReferrals turns the filter into a choice.
func (o *op) chooseReferrals(f ReferralFilter) (c choice[ReferralRecord]) {
	c.byOwner(o, f.AffiliateID, f.AffiliateEmail, func(r *ReferralRecord) uuid.UUID { return r.AffiliateID })
	c.byText(OfCustomer, f.ReferredUserExternalID, func(r *ReferralRecord) string { return r.CustomerID })
	return c
}

// findReferral finds a referral by id, else by email.
func (o *op) findReferral(ident string) (ReferralRecord, error) {
	if id, ok := exactID(ident); ok {
		rec, err := o.tx.Referrals.Get(id)
		if !errors.Is(err, ErrNotFound) {
			return rec, err
		}
	}
	return o.referralByEmail(ident)
}

func (o *op) referralByEmail(email string) (ReferralRecord, error) {
	email, ok := mailbox.Canonical(email)
	if !ok {
		return ReferralRecord{}, ErrNotFound
	}
	return o.tx.Referrals.Find(Key{Index: ByEmail, Text: email})
}

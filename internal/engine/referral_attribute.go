package engine

import (
	"errors"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/refusal"
)

// Attribute finds the affiliate of a new referral.
func (o *Op) Attribute(in affiliate.ReferralParams) (Origin, affiliate.ReferralMedium, error) {
	if in.PromoCode == "" {
		from, err := o.NamedOrigin(in.AffiliateID, in.AffiliateEmail, o.ResolveFresh)
		return from, affiliate.MediumLink, err
	}
	named, err := o.eitherOrigin(in.AffiliateID, in.AffiliateEmail, o.ResolveFresh)
	if errors.Is(err, affiliate.ErrNotFound) { // it counts as not sent
		named, err = o.eitherOrigin("", in.AffiliateEmail, o.ResolveFresh)
	}
	if err != nil && !errors.Is(err, affiliate.ErrNotFound) {
		return Origin{}, "", err
	}
	var v verdict
	err = o.judge(in.PromoCode, "", &order{
		customer: &Customer{Known: true, Email: in.Email,
			Referral: record.Referral{CustomerID: in.ReferredUserExternalID}},
		affiliate: named.Affiliate.ID,
	}, &v)
	if err == nil {
		err = v.refusal()
	}
	if err != nil {
		return Origin{}, "", err
	}
	if v.code.AffiliateID == uuid.Nil && named.Affiliate.ID == uuid.Nil {
		return Origin{}, "", refusal.CodeUnassigned.Err() // a house code refers nobody
	}
	if o.creditOf(&identity{Origin: named}, &v).by != affiliate.CreditCode {
		return named, affiliate.MediumLink, nil
	}
	aff, err := o.Tx.Affiliates.Get(v.code.AffiliateID)
	if err != nil {
		return Origin{}, "", refusal.Internal("affiliate of a code", err)
	}
	return Origin{Affiliate: aff, Click: named.Click}, affiliate.MediumCoupon, nil
}

// NamedOrigin resolves an identifier and an email that must agree when both are
// given. A click that is too old counts as not given.
func (o *Op) NamedOrigin(ident, email string, resolve resolver) (Origin, error) {
	if ident == "" || email == "" {
		return o.eitherOrigin(ident, email, resolve)
	}
	byIdent, err := resolve(ident)
	if errors.Is(err, affiliate.ErrNotFound) && byIdent.late != 0 {
		return o.eitherOrigin("", email, resolve)
	}
	if err != nil && !errors.Is(err, affiliate.ErrNotFound) {
		return Origin{}, err
	}
	byEmail, err := o.FindAffiliateByEmail(email)
	if err != nil && !errors.Is(err, affiliate.ErrNotFound) {
		return Origin{}, err
	}
	if byIdent.Affiliate.ID != byEmail.ID {
		return Origin{}, refusal.IdentifiersMismatch.Err()
	}
	if byEmail.ID == uuid.Nil {
		return Origin{}, affiliate.ErrNotFound
	}
	return byIdent, nil
}

// eitherOrigin resolves the identifier, or the email when there is none.
func (o *Op) eitherOrigin(ident, email string, resolve resolver) (Origin, error) {
	switch {
	case ident != "":
		from, err := resolve(ident)
		return from, Missed(err)
	case email != "":
		aff, err := o.FindAffiliateByEmail(email)
		return Origin{Affiliate: aff}, Missed(err)
	}
	return Origin{}, affiliate.ErrNotFound
}

// Missed returns ErrNotFound itself for a failed look-up. The store may have
// wrapped it, and here it is the answer.
func Missed(err error) error {
	if errors.Is(err, affiliate.ErrNotFound) {
		return affiliate.ErrNotFound
	}
	return err
}

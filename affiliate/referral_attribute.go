package affiliate

import (
	"errors"

	"github.com/google/uuid"
)

// attribute finds the affiliate of a new referral.
func (o *op) attribute(in NewReferral) (origin, ReferralMedium, error) {
	if in.PromoCode == "" {
		from, err := o.namedOrigin(in.AffiliateID, in.AffiliateEmail, o.resolveFresh)
		return from, MediumLink, err
	}
	named, err := o.eitherOrigin(in.AffiliateID, in.AffiliateEmail, o.resolveFresh)
	if errors.Is(err, ErrNotFound) { // it counts as not sent
		named, err = o.eitherOrigin("", in.AffiliateEmail, o.resolveFresh)
	}
	if err != nil && !errors.Is(err, ErrNotFound) {
		return origin{}, "", err
	}
	var v verdict
	err = o.judge(in.PromoCode, &order{
		customer:  &customer{known: true, email: in.Email, referral: ReferralRecord{CustomerID: in.ReferredUserExternalID}},
		affiliate: named.affiliate.ID,
	}, &v)
	if err == nil {
		err = v.refusal()
	}
	if err != nil {
		return origin{}, "", err
	}
	aff, err := o.tx.Affiliates.Get(v.code.AffiliateID)
	if err != nil {
		return origin{}, "", internal("affiliate of a code", err)
	}
	return origin{affiliate: aff, click: named.click}, MediumCoupon, nil
}

// namedOrigin resolves an identifier and an email that must agree when both are
// given. A click that is too old counts as not given.
func (o *op) namedOrigin(ident, email string, resolve resolver) (origin, error) {
	if ident == "" || email == "" {
		return o.eitherOrigin(ident, email, resolve)
	}
	byIdent, err := resolve(ident)
	if errors.Is(err, ErrNotFound) && byIdent.late != 0 {
		return o.eitherOrigin("", email, resolve)
	}
	if err != nil && !errors.Is(err, ErrNotFound) {
		return origin{}, err
	}
	byEmail, err := o.affiliateByEmail(email)
	if err != nil && !errors.Is(err, ErrNotFound) {
		return origin{}, err
	}
	if byIdent.affiliate.ID != byEmail.ID {
		return origin{}, identifiersMismatch.Err()
	}
	if byEmail.ID == uuid.Nil {
		return origin{}, ErrNotFound
	}
	return byIdent, nil
}

// eitherOrigin resolves the identifier, or the email when there is none.
func (o *op) eitherOrigin(ident, email string, resolve resolver) (origin, error) {
	switch {
	case ident != "":
		from, err := resolve(ident)
		return from, missed(err)
	case email != "":
		aff, err := o.affiliateByEmail(email)
		return origin{affiliate: aff}, missed(err)
	}
	return origin{}, ErrNotFound
}

// missed returns ErrNotFound itself for a failed look-up, because the store may
// have wrapped it and it is an answer here.
func missed(err error) error {
	if errors.Is(err, ErrNotFound) {
		return ErrNotFound
	}
	return err
}

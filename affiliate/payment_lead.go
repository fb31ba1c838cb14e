package affiliate

import (
	"cmp"
	"errors"
	"strings"

	"github.com/google/uuid"
)

// How a payment of nothing, with which a trial begins, becomes a customer.

// refer makes the referral of a waiting trial for the first of its tries that resolves.
// Without an email it stays parked.
func (r *payment) refer(w *WaitingSale, ref *ReferralRecord) error {
	if ref.ID == uuid.Nil && cmp.Or(r.fact.Payer.Email, r.payer.rec.Email) == "" {
		r.result.Outcome = SaleParked
		return nil
	}
	r.result.Outcome = SaleUnattributed
	for _, try := range w.Tries {
		if ref.ID != uuid.Nil {
			break
		}
		err := r.referBy(w, ref, try)
		refusal, refused := errors.AsType[*Error](err)
		switch {
		case refused && refusal.CodeRefused():
			r.result.Refused = append(r.result.Refused, refusal.Failures...)
		case ignoreMissing(err) != nil:
			return err
		}
	}
	if ref.ID != uuid.Nil {
		r.result.Outcome, r.rec.Waiting = SaleReferred, nil
		return r.payer.pays(r.op, ref.ID)
	}
	if len(r.result.Refused) > 0 {
		r.result.Outcome = SaleRefused
	}
	return nil
}

// referBy makes the referral by one try.
func (r *payment) referBy(w *WaitingSale, ref *ReferralRecord, try Credit) error {
	in := NewReferral{
		Name: cmp.Or(r.fact.Payer.Name, r.payer.rec.Name), Email: cmp.Or(r.fact.Payer.Email, r.payer.rec.Email),
		ReferredUserExternalID: cmp.Or(r.fact.Payer.CustomerID, r.payer.rec.PayerID, w.ExternalID),
		AffiliateID:            try.ReferralID, PromoCode: try.PromoCode, Integration: integrationOf(r.rec.Provider),
	}
	if in.Name == "" {
		in.Name, _, _ = strings.Cut(in.Email, "@")
	}
	if try.CodeExternalID != "" {
		code, err := findText(r.tx.Codes, ByExternalID, try.CodeExternalID)
		if err != nil {
			return err
		}
		in.PromoCode = code.Code
	}
	from, medium, err := r.attribute(in)
	if err != nil {
		return err
	}
	gone, err := r.erasure(in.Email)
	if ignoreMissing(err) != nil {
		return err
	}
	rec, err := r.addCustomer(ReferralRecord{
		Name: in.Name, Email: in.Email, CustomerID: in.ReferredUserExternalID, Plan: "N/A",
		SubmissionType: SubmissionAutomatic, Medium: medium, Integration: in.Integration,
	}, from, gone.ID)
	if err != nil {
		return err
	}
	*ref = rec
	_, err = r.emitReferral(ReferralCreated, rec)
	return err
}

package payment

import (
	"cmp"
	"errors"
	"strings"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/engine"
	"github.com/tributary-go/tributary/internal/refusal"
)

// Payments of 0, with which a trial begins, become customers.

// refer creates the referral of a waiting trial for the first of its tries that works.
// Without an email the trial stays parked.
func (r *Payment) refer(w *affiliate.WaitingSale, ref *record.Referral) error {
	if ref.ID == uuid.Nil && cmp.Or(r.Fact.Payer.Email, r.payer.Rec.Email) == "" {
		r.result.Outcome = affiliate.SaleParked
		return nil
	}
	r.result.Outcome = affiliate.SaleUnattributed
	for _, try := range w.Tries {
		if ref.ID != uuid.Nil {
			break
		}
		if try.Offer {
			continue // it names nobody
		}
		err := r.referBy(w, ref, try)
		refusal, refused := errors.AsType[*affiliate.Error](err)
		switch {
		case refused && refusal.CodeRefused():
			r.result.Refused = append(r.result.Refused, refusal.Failures...)
		case engine.IgnoreMissing(err) != nil:
			return err
		}
	}
	if ref.ID != uuid.Nil {
		r.result.Outcome, r.Rec.Waiting = affiliate.SaleReferred, nil
		return r.payer.Pays(r.Op, ref.ID)
	}
	if len(r.result.Refused) > 0 {
		r.result.Outcome = affiliate.SaleRefused
	}
	return nil
}

// referBy makes the referral by one try.
func (r *Payment) referBy(w *affiliate.WaitingSale, ref *record.Referral, try affiliate.Credit) error {
	in := affiliate.NewReferral{
		Name: cmp.Or(r.Fact.Payer.Name, r.payer.Rec.Name), Email: cmp.Or(r.Fact.Payer.Email, r.payer.Rec.Email),
		ReferredUserExternalID: cmp.Or(r.Fact.Payer.CustomerID, r.payer.Rec.PayerID, w.ExternalID),
		AffiliateID:            try.ReferralID, PromoCode: try.PromoCode, Integration: integrationOf(r.Rec.Provider),
	}
	if in.Name == "" {
		in.Name, _, _ = strings.Cut(in.Email, "@")
	}
	if try.CodeExternalID != "" {
		code, err := refusal.FindText(r.Tx.Codes, record.ByExternalID, try.CodeExternalID)
		if err != nil {
			return err
		}
		in.PromoCode = code.Code
	}
	if try.HoldID != "" {
		code, err := r.HeldCode(try.HoldID)
		if err != nil {
			return err
		}
		in.PromoCode = code.Code
	}
	from, medium, err := r.Attribute(in)
	if err != nil {
		return err
	}
	gone, err := r.Erasure(in.Email)
	if engine.IgnoreMissing(err) != nil {
		return err
	}
	rec, err := r.AddCustomer(record.Referral{
		Name: in.Name, Email: in.Email, CustomerID: in.ReferredUserExternalID, Plan: "N/A",
		SubmissionType: affiliate.SubmissionAutomatic, Medium: medium, Integration: in.Integration,
	}, from, gone.ID)
	if err != nil {
		return err
	}
	*ref = rec
	_, err = r.EmitReferral(affiliate.ReferralCreated, rec)
	return err
}

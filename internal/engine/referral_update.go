package engine

import (
	"cmp"
	"context"
	"encoding/json"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/plaintext"
	"github.com/tributary-go/tributary/internal/refusal"
)

// UpdateReferral implements tributary.Program.UpdateReferral.
func (p *Program) UpdateReferral(ctx context.Context, ident string, up affiliate.ReferralUpdate) (_ affiliate.Referral, err error) {
	defer p.Begin(&ctx, "UpdateReferral", Writes).End(&err)
	rq := Request{Name: "referral.update", Input: []any{ident, up}, Refused: refusal.First(refusal.ReferralIDRequired.When(plaintext.Blank(ident)))}
	if rq.Refused == nil {
		rq.Refused = normalizeReferralUpdate(&up)
	}
	return p.changeReferral(ctx, rq, ident, func(o *Op, rec *record.Referral) error {
		if isErased(rec) && shows(up) {
			return refusal.ReferralErased.Err()
		}
		if email, ok := up.Email.Get(); ok && email != rec.Email {
			if err := o.refuseTakenReferralEmail(email, rec.ID); err != nil {
				return err
			}
			if err := o.dropErasure(Name{NameMailbox, email}); err != nil {
				return err
			}
		}
		if id, ok := up.ReferredUserExternalID.Get(); ok && id != rec.CustomerID {
			if err := cmp.Or(o.RefuseTakenHostID(id, rec.ID), o.dropErasure(Name{NameCustomer, id})); err != nil {
				return err
			}
		}
		mergeInto(up, rec)
		if to, ok := up.AffiliateID.Get(); ok && to != rec.AffiliateID {
			return o.moveReferral(rec, to)
		}
		return nil
	})
}

// changeReferral runs change on a referral and writes the result.
func (p *Program) changeReferral(ctx context.Context, rq Request, ident string, change func(*Op, *record.Referral) error) (affiliate.Referral, error) {
	o := p.Op(ctx)
	return Write(o, rq, func() (affiliate.Referral, error) {
		rec, err := o.FindReferral(ident)
		if err != nil {
			return affiliate.Referral{}, refusal.ReferralNotFound.IfMissing(err)
		}
		before := rec.Clone()
		if err := change(o, &rec); err != nil {
			return affiliate.Referral{}, err
		}
		if rec.Status != before.Status {
			if err := o.statusByHand(rec.ID); err != nil {
				return affiliate.Referral{}, err
			}
		}
		return o.SaveReferral(before, rec)
	})
}

// normalizeReferralUpdate checks what is given and brings it into canonical form.
func normalizeReferralUpdate(up *affiliate.ReferralUpdate) error {
	email, hasEmail := up.Email.Get()
	metadata, hasMetadata := up.Metadata.Get()
	trimGiven(&up.Name)
	if err := refusal.First(refusal.Given("name", up.Name, refusal.MaxName), refusal.NotCleared("email", up.Email), NotBlank("email", up.Email)); err != nil {
		return err
	}
	if hasEmail {
		if err := refusal.NormalizeEmail("email", &email); err != nil {
			return err
		}
		up.Email = affiliate.Set(email)
	}
	err := refusal.First(
		refusal.Given("referredUserExternalId", up.ReferredUserExternalID, refusal.MaxName),
		refusal.Given("plan", up.Plan, refusal.MaxName),
		refusal.NotCleared("subscriptionStatus", up.SubscriptionStatus),
		checkSubscription(up.SubscriptionStatus),
		refusal.CheckText("notes", up.Notes.Or(""), refusal.MaxNotes, true),
		refusal.NotCleared("affiliateId", up.AffiliateID),
	)
	if err != nil {
		return err
	}
	if hasMetadata {
		raw := []byte(metadata)
		if err := refusal.NormalizeMetadata("metadata", &raw); err != nil {
			return err
		}
		up.Metadata = affiliate.Set(json.RawMessage(raw))
	}
	return nil
}

func checkSubscription(o affiliate.Opt[affiliate.SubscriptionStatus]) *affiliate.Error {
	switch s, ok := o.Get(); {
	case !ok, s == affiliate.SubscriptionActive, s == affiliate.SubscriptionSubmitted, s == affiliate.SubscriptionDeclined:
		return nil
	}
	return refusal.SubscriptionStatusUnknown.Err()
}

// mergeInto copies the given fields into the record.
func mergeInto(up affiliate.ReferralUpdate, rec *record.Referral) {
	refusal.SetText(&rec.Name, up.Name)
	refusal.SetText(&rec.Email, up.Email)
	refusal.SetText(&rec.CustomerID, up.ReferredUserExternalID)
	refusal.SetText(&rec.Plan, up.Plan)
	rec.Status = up.SubscriptionStatus.Or(rec.Status)
	rec.Notes = refusal.UnlessNull(refusal.Changed(rec.Notes, up.Notes))
	if !up.Metadata.IsZero() {
		rec.Metadata = up.Metadata.Or(nil)
	}
}

// shows reports whether an update says something that an erasure blanks.
func shows(up affiliate.ReferralUpdate) bool {
	var rec record.Referral
	mergeInto(up, &rec)
	return !Same(rec, BlankedReferral(rec))
}

// refuseTakenReferralEmail refuses an email of the mailbox of another customer than this one.
func (o *Op) refuseTakenReferralEmail(email string, of uuid.UUID) error {
	rec, err := o.referralByEmail(email)
	if err == nil && rec.ID == of {
		return nil
	}
	return refusal.ReferralEmailTaken.IfFound(err)
}

// PushReferralStatus implements tributary.Program.PushReferralStatus.
func (p *Program) PushReferralStatus(ctx context.Context, ident string, status affiliate.SubscriptionStatus) (_ affiliate.Referral, err error) {
	defer p.Begin(&ctx, "PushReferralStatus", Writes).End(&err)
	rq := Request{
		Name: "referral.push-status", Input: []any{ident, status},
		Refused: refusal.First(refusal.ReferralIDRequired.When(plaintext.Blank(ident)), refusal.OneOf("subscriptionStatus", status, subscriptionStatuses)),
	}
	return p.changeReferral(ctx, rq, ident, func(_ *Op, rec *record.Referral) error {
		rec.Status = status
		return nil
	})
}

// SetReferralPlan implements tributary.Program.SetReferralPlan.
func (p *Program) SetReferralPlan(ctx context.Context, plan uuid.UUID, ids ...uuid.UUID) (_ []affiliate.Referral, err error) {
	defer p.Begin(&ctx, "SetReferralPlan", Writes).End(&err)
	o := p.Op(ctx)
	rq := Request{Name: "referral.set-plan", Input: []any{plan, ids}, Refused: refusal.First(p.CheckBulk(len(ids)))}
	return Write(o, rq, func() ([]affiliate.Referral, error) {
		if plan != uuid.Nil {
			if _, err := o.planRecord(plan); err != nil {
				return nil, refusal.PlanNotFound.IfMissing(err)
			}
		}
		stay := make([]uuid.UUID, len(ids))
		for i, id := range ids {
			rec, err := o.ReferralByID(id)
			if err != nil {
				return nil, refusal.ReferralNotFound.IfMissing(err)
			}
			stay[i] = rec.ID
		}
		return eachOf(stay, func(id uuid.UUID) (affiliate.Referral, error) {
			before, err := o.Tx.Referrals.Get(id)
			if err != nil {
				return affiliate.Referral{}, err
			}
			rec := before
			rec.PlanID, rec.PlanFixed = plan, plan != uuid.Nil
			return o.SaveReferral(before, rec)
		})
	})
}

package affiliate

import (
	"context"
	"encoding/json"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/internal/plaintext"
)

// UpdateReferral changes a referral, named by its id or the customer's email. A
// field that is not given stays as it is.
//
// Errors: [MissingField], [InvalidField], [ReferralNotFound],
// [ReferralEmailTaken], [AffiliateNotFound]; [ReferralErased] for what shows an
// erased customer.
//
// Effects: the referral, and the counts of both affiliates when it moves;
// referral.updated when something changed.
//
// Source: docs/contract.md 3.6.
func (p *Program) UpdateReferral(ctx context.Context, ident string, up ReferralUpdate) (_ Referral, err error) {
	defer p.begin(&ctx, "UpdateReferral", writes).end(&err)
	rq := request{name: "referral.update", input: []any{ident, up}, refused: first(referralIDRequired.when(plaintext.Blank(ident)))}
	if rq.refused == nil {
		rq.refused = normalizeReferralUpdate(&up)
	}
	return p.changeReferral(ctx, rq, ident, func(o *op, rec *ReferralRecord) error {
		if rec.isErased() && up.shows() {
			return referralErased.Err()
		}
		if email, ok := up.Email.Get(); ok && email != rec.Email {
			if err := o.refuseTakenReferralEmail(email); err != nil {
				return err
			}
			if err := o.dropErasure(email); err != nil {
				return err
			}
		}
		up.mergeInto(rec)
		if to, ok := up.AffiliateID.Get(); ok && to != rec.AffiliateID {
			return o.moveReferral(rec, to)
		}
		return nil
	})
}

// changeReferral runs change on a referral and writes the result.
func (p *Program) changeReferral(ctx context.Context, rq request, ident string, change func(*op, *ReferralRecord) error) (Referral, error) {
	o := p.op(ctx)
	return write(o, rq, func() (Referral, error) {
		rec, err := o.findReferral(ident)
		if err != nil {
			return Referral{}, referralNotFound.ifMissing(err)
		}
		before := rec.Clone()
		if err := change(o, &rec); err != nil {
			return Referral{}, err
		}
		if rec.Status != before.Status {
			if err := o.statusByHand(rec.ID); err != nil {
				return Referral{}, err
			}
		}
		return o.saveReferral(before, rec)
	})
}

// normalizeReferralUpdate checks what is given and brings it into canonical form.
func normalizeReferralUpdate(up *ReferralUpdate) error {
	email, hasEmail := up.Email.Get()
	metadata, hasMetadata := up.Metadata.Get()
	trimGiven(&up.Name)
	if err := first(given("name", up.Name, maxName), notCleared("email", up.Email), notBlank("email", up.Email)); err != nil {
		return err
	}
	if hasEmail {
		if err := normalizeEmail("email", &email); err != nil {
			return err
		}
		up.Email = Set(email)
	}
	err := first(
		given("referredUserExternalId", up.ReferredUserExternalID, maxName),
		given("plan", up.Plan, maxName),
		notCleared("subscriptionStatus", up.SubscriptionStatus),
		checkSubscription(up.SubscriptionStatus),
		checkText("notes", up.Notes.Or(""), maxNotes, true),
		notCleared("affiliateId", up.AffiliateID),
	)
	if err != nil {
		return err
	}
	if hasMetadata {
		raw := []byte(metadata)
		if err := normalizeMetadata("metadata", &raw); err != nil {
			return err
		}
		up.Metadata = Set(json.RawMessage(raw))
	}
	return nil
}

func checkSubscription(o Opt[SubscriptionStatus]) *Error {
	switch s, ok := o.Get(); {
	case !ok, s == SubscriptionActive, s == SubscriptionSubmitted, s == SubscriptionDeclined:
		return nil
	}
	return subscriptionStatusUnknown.Err()
}

// mergeInto puts what is given into the record.
func (up ReferralUpdate) mergeInto(rec *ReferralRecord) {
	setText(&rec.Name, up.Name)
	setText(&rec.Email, up.Email)
	setText(&rec.CustomerID, up.ReferredUserExternalID)
	setText(&rec.Plan, up.Plan)
	rec.Status = up.SubscriptionStatus.Or(rec.Status)
	rec.Notes = unlessNull(changed(rec.Notes, up.Notes))
	if !up.Metadata.IsZero() {
		rec.Metadata = up.Metadata.Or(nil)
	}
}

// shows reports whether an update says something that an erasure blanks.
func (up ReferralUpdate) shows() bool {
	var rec ReferralRecord
	up.mergeInto(&rec)
	return !same(rec, rec.blanked())
}

func (o *op) refuseTakenReferralEmail(email string) error {
	_, err := o.referralByEmail(email)
	return referralEmailTaken.ifFound(err)
}

// PushReferralStatus sets the subscription status that a payment provider
// reports: any of the five. The referral is named by id or email.
//
// Errors: [MissingField] (referralId), [InvalidField] (subscriptionStatus),
// [ReferralNotFound].
//
// Effects: the status; referral.updated when it changed.
//
// Source: docs/contract.md 7.1.
func (p *Program) PushReferralStatus(ctx context.Context, ident string, status SubscriptionStatus) (_ Referral, err error) {
	defer p.begin(&ctx, "PushReferralStatus", writes).end(&err)
	rq := request{
		name: "referral.push-status", input: []any{ident, status},
		refused: first(referralIDRequired.when(plaintext.Blank(ident)), oneOf("subscriptionStatus", status, subscriptionStatuses)),
	}
	return p.changeReferral(ctx, rq, ident, func(_ *op, rec *ReferralRecord) error {
		rec.Status = status
		return nil
	})
}

// SetReferralPlan gives customers a commission plan of their own, which is used
// instead of their affiliate's; the zero plan removes it. All customers are
// changed or none. The plan applies to future sales. Recorded sales keep their
// commission, without an event, until [Program.RecalculateSales] calculates
// them again. The affiliate's own rate and its tier's rate are ignored when the
// plan has another commission type.
//
// Errors: [PlanNotFound], [ReferralNotFound], [BulkLimitExceeded].
//
// Effects: the referrals; referral.updated for each that changed.
//
// Source: docs/rules.md 5.3; docs/contract.md 2.5.
func (p *Program) SetReferralPlan(ctx context.Context, plan uuid.UUID, ids ...uuid.UUID) (_ []Referral, err error) {
	defer p.begin(&ctx, "SetReferralPlan", writes).end(&err)
	o := p.op(ctx)
	rq := request{name: "referral.set-plan", input: []any{plan, ids}, refused: first(p.checkBulk(len(ids)))}
	return write(o, rq, func() ([]Referral, error) {
		if plan != uuid.Nil {
			if _, err := o.tx.Plans.Get(plan); err != nil {
				return nil, planNotFound.ifMissing(err)
			}
		}
		for _, id := range ids {
			if _, err := o.tx.Referrals.Get(id); err != nil {
				return nil, referralNotFound.ifMissing(err)
			}
		}
		return eachOf(ids, func(id uuid.UUID) (Referral, error) {
			before, err := o.tx.Referrals.Get(id)
			if err != nil {
				return Referral{}, err
			}
			rec := before
			rec.PlanID, rec.PlanFixed = plan, plan != uuid.Nil
			return o.saveReferral(before, rec)
		})
	})
}

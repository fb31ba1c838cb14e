package affiliate

import (
	"context"
	"errors"
	"slices"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/internal/plaintext"
)

// UpdateAffiliate changes the affiliate that ref names and returns how many
// matched: 0 or 1. AffiliateLink adds a link; it never renames one.
//
// Errors: [MissingField] (affiliateId), [InvalidField] (firstName, lastName,
// email, affiliateLink, affiliateStatus), [SlugSyntax], [IdentifiersMismatch],
// [InvalidField] (commissionRate), [AffiliateEmailTaken], [SlugTaken] (also for
// a slug of its own), [LinkLimitReached].
//
// Effects: affiliate.updated, once, when something changed.
//
// Source: docs/contract.md 3.1.
func (p *Program) UpdateAffiliate(ctx context.Context, ref AffiliateRef, up AffiliateUpdate) (_ int, err error) {
	defer p.begin(&ctx, "UpdateAffiliate", writes).end(&err)
	none := ref == (AffiliateRef{})
	rq := request{name: "affiliate.update", input: []any{ref, up}, refused: first(affiliateOrEmailAddressRequired.when(none))}
	if !none {
		rq.refused = up.normalize()
	}
	o := p.op(ctx)
	return write(o, rq, func() (int, error) {
		rec, err := o.typed(o.affiliateByIDOrEmail(ref.ID, ref.Email))
		if errors.Is(err, ErrNotFound) {
			return 0, nil
		}
		if err != nil {
			return 0, err
		}
		_, err = o.change(rec, up.merged(rec), up)
		return 1, err
	})
}

// AcceptInvite ends an invitation: INVITED becomes ACTIVE, or INACTIVE under
// Config.NoAutoApprove, and the other fields of the update are changed too.
//
// Errors: [InvalidField] when AffiliateStatus is given, [MissingField]
// (affiliateId), [AffiliateNotFound],
// [StatusNotAllowed] unless the status is INVITED, and those of
// [Program.UpdateAffiliate].
//
// Effects: the affiliate; affiliate.updated.
//
// Source: docs/rules.md 4.1; docs/contract.md 6.
func (p *Program) AcceptInvite(ctx context.Context, id uuid.UUID, up AffiliateUpdate) (_ Affiliate, err error) {
	defer p.begin(&ctx, "AcceptInvite", writes).end(&err)
	rq := request{name: "affiliate.accept-invite", input: []any{id, up}, refused: first(RefuseNoAffiliateID.when(id == uuid.Nil))}
	switch {
	case rq.refused != nil:
	case up.AffiliateStatus.IsZero():
		rq.refused = up.normalize()
	default:
		rq.refused = fieldNotAllowed.Of("affiliateStatus")
	}
	o := p.op(ctx)
	return write(o, rq, func() (Affiliate, error) {
		old, err := o.typed(o.tx.Affiliates.Get(id))
		if err != nil {
			return Affiliate{}, RefuseNoAffiliate.ifMissing(err)
		}
		if old.Status != AffiliateInvited {
			return Affiliate{}, statusNotAllowed.Err()
		}
		rec := up.merged(old)
		rec.Status = p.newStatus("")
		return o.change(old, rec, up)
	})
}

// SetPayoutDetails replaces the details of how the affiliate is paid; an empty
// field clears it.
//
// Errors: [MissingField] (affiliateId), [InvalidField] (payoutEmail,
// paymentMethod), [AffiliateNotFound].
//
// Effects: the affiliate; affiliate.updated when something changed.
//
// Source: docs/contract.md 2.3, 7.1.
func (p *Program) SetPayoutDetails(ctx context.Context, id uuid.UUID, d PayoutDetails) (Affiliate, error) {
	return p.setPayoutDetails(ctx, id, d, func(*AffiliateRecord) error { return nil })
}

// setPayoutDetails is SetPayoutDetails for an affiliate of whom it is allowed.
func (p *Program) setPayoutDetails(ctx context.Context, id uuid.UUID, d PayoutDetails, allowed func(*AffiliateRecord) error) (_ Affiliate, err error) {
	defer p.begin(&ctx, "SetPayoutDetails", writes).end(&err)
	rq := request{name: "affiliate.set-payout-details", input: []any{id, d}, refused: first(RefuseNoAffiliateID.when(id == uuid.Nil))}
	if rq.refused == nil && d.Email != "" {
		rq.refused = first(normalizeEmail("payoutEmail", &d.Email))
	}
	if rq.refused == nil {
		rq.refused = first(oneOfOrNone("paymentMethod", d.Method, paymentMethods))
	}
	all, err := p.changeAll(ctx, rq, []uuid.UUID{id}, func(_ *op, rec *AffiliateRecord) error {
		if err := allowed(rec); err != nil {
			return err
		}
		rec.PayoutEmail, rec.PaymentMethod = d.Email, d.Method
		return nil
	})
	if err != nil {
		return Affiliate{}, err
	}
	return all[0], nil
}

// normalize validates an update by itself and makes the email canonical.
func (up *AffiliateUpdate) normalize() error {
	trimGiven(&up.FirstName, &up.LastName)
	err := first(
		notCleared("firstName", up.FirstName),
		given("firstName", up.FirstName, maxPersonName),
		notCleared("lastName", up.LastName),
		given("lastName", up.LastName, maxPersonName),
		notCleared("email", up.Email),
	)
	if err != nil {
		return err
	}
	if email, ok := up.Email.Get(); ok {
		if plaintext.Blank(email) {
			return FieldEmpty.Of("email")
		}
		if err := first(normalizeEmail("email", &email)); err != nil {
			return err
		}
		up.Email = Set(email)
	}
	if err := first(notCleared("affiliateLink", up.AffiliateLink)); err != nil {
		return err
	}
	if slug, ok := up.AffiliateLink.Get(); ok {
		if err := first(checkSlug("affiliateLink", slug)); err != nil {
			return err
		}
	}
	if status, ok := up.AffiliateStatus.Get(); ok && statusInput(status) == "" {
		return affiliateStatusUnknown.Err()
	}
	return first(notCleared("affiliateStatus", up.AffiliateStatus))
}

// merged is the record with the changes of the update.
func (up AffiliateUpdate) merged(rec AffiliateRecord) AffiliateRecord {
	rec.FirstName = up.FirstName.Or(rec.FirstName)
	rec.LastName = up.LastName.Or(rec.LastName)
	rec.Email = up.Email.Or(rec.Email)
	if !up.CommissionRate.IsZero() {
		rec.Rate, rec.RateType = unlessNull(up.CommissionRate), ""
	}
	if status, ok := up.AffiliateStatus.Get(); ok {
		rec.Status = statusInput(status)
	}
	return rec
}

// change checks the merged affiliate against the stored records, writes it with
// the link that the update adds, and fires the event, unless nothing changed.
func (o *op) change(old, rec AffiliateRecord, up AffiliateUpdate) (Affiliate, error) {
	if err := o.checkMerged(old, &rec); err != nil {
		return Affiliate{}, err
	}
	slug, adds := up.AffiliateLink.Get()
	if adds {
		if err := o.refuseTakenSlug(slug, uuid.Nil, requestedSlugTaken.Err()); err != nil {
			return Affiliate{}, err
		}
	}
	if adds {
		if _, err := o.addLink(rec.ID, slug, requestedSlugTaken.Err()); err != nil {
			return Affiliate{}, err
		}
		rec = rec.touched()
	}
	return o.saveAffiliate(old, rec)
}

// checkMerged checks the changes of an update: a rate against the terms that
// decide its meaning, and an email against those of other affiliates.
func (o *op) checkMerged(old AffiliateRecord, rec *AffiliateRecord) error {
	if err := o.settleRate(old, rec); err != nil {
		return err
	}
	if rec.Email == old.Email {
		return nil
	}
	return o.refuseTakenEmail(rec.Email, rec.ID)
}

// changeAll changes many affiliates, all or none, and returns them in the order
// of ids; a repeated id counts once. It checks every change before it writes
// the first one, and fires one event for each affiliate that changed.
func (p *Program) changeAll(ctx context.Context, rq request, ids []uuid.UUID, change func(*op, *AffiliateRecord) error) ([]Affiliate, error) {
	ids = distinct(ids)
	if rq.refused == nil {
		rq.refused = first(p.checkBulk(len(ids)))
	}
	o := p.op(ctx)
	return write(o, rq, func() ([]Affiliate, error) {
		olds, recs := make([]AffiliateRecord, len(ids)), make([]AffiliateRecord, len(ids))
		for i, id := range ids {
			old, err := o.typed(o.tx.Affiliates.Get(id))
			if err != nil {
				return nil, RefuseNoAffiliate.ifMissing(err)
			}
			rec := old
			if err := change(o, &rec); err != nil {
				return nil, err
			}
			if err := o.checkMerged(old, &rec); err != nil {
				return nil, err
			}
			olds[i], recs[i] = old, rec
		}
		answers := make([]Affiliate, len(ids))
		for i, rec := range recs {
			var err error
			if answers[i], err = o.saveAffiliate(olds[i], rec); err != nil {
				return nil, err
			}
		}
		return answers, nil
	})
}

// distinct is a list without repetitions, in the order of their first occurrence.
func distinct[T comparable](list []T) []T {
	seen := make(map[T]bool, len(list))
	return slices.DeleteFunc(slices.Clone(list), func(one T) bool {
		again := seen[one]
		seen[one] = true
		return again
	})
}

package engine

import (
	"context"
	"errors"
	"slices"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/mailbox"
	"github.com/tributary-go/tributary/internal/plaintext"
	"github.com/tributary-go/tributary/internal/refusal"
)

// UpdateAffiliate implements tributary.Program.UpdateAffiliate.
func (p *Program) UpdateAffiliate(ctx context.Context, ref affiliate.AffiliateRef, up affiliate.AffiliateUpdate) (_ int, err error) {
	defer p.Begin(&ctx, "UpdateAffiliate", Writes).End(&err)
	none := ref == (affiliate.AffiliateRef{})
	rq := Request{Name: "affiliate.update", Input: []any{ref, up}, Refused: refusal.First(refusal.AffiliateOrEmailAddressRequired.When(none))}
	if !none {
		rq.Refused = normalize(&up)
	}
	o := p.Op(ctx)
	return Write(o, rq, func() (int, error) {
		rec, err := o.typed(o.AffiliateOf(ref))
		if errors.Is(err, affiliate.ErrNotFound) {
			return 0, nil
		}
		if err != nil {
			return 0, err
		}
		_, err = o.change(rec, merged(up, rec), up)
		return 1, err
	})
}

// AcceptInvite implements tributary.Program.AcceptInvite.
func (p *Program) AcceptInvite(ctx context.Context, id uuid.UUID, up affiliate.AffiliateUpdate) (_ affiliate.Affiliate, err error) {
	defer p.Begin(&ctx, "AcceptInvite", Writes).End(&err)
	rq := Request{Name: "affiliate.accept-invite", Input: []any{id, up}, Refused: refusal.First(refusal.RefuseNoAffiliateID.When(id == uuid.Nil))}
	switch {
	case rq.Refused != nil:
	case up.AffiliateStatus.IsZero():
		rq.Refused = normalize(&up)
	default:
		rq.Refused = refusal.FieldNotAllowed.Of("affiliateStatus")
	}
	o := p.Op(ctx)
	return Write(o, rq, func() (affiliate.Affiliate, error) {
		old, err := o.typed(o.AffiliateByID(id))
		if err != nil {
			return affiliate.Affiliate{}, refusal.RefuseNoAffiliate.IfMissing(err)
		}
		if old.Status != affiliate.AffiliateInvited {
			return affiliate.Affiliate{}, refusal.StatusNotAllowed.Err()
		}
		rec := merged(up, old)
		rec.Status = p.newStatus("")
		return o.change(old, rec, up)
	})
}

// SetPayoutDetails implements tributary.Program.SetPayoutDetails.
func (p *Program) SetPayoutDetails(ctx context.Context, id uuid.UUID, d affiliate.PayoutDetails) (affiliate.Affiliate, error) {
	return p.ChangePayoutDetails(ctx, id, d, func(*record.Affiliate) error { return nil })
}

// ChangePayoutDetails is SetPayoutDetails with a condition that the affiliate must
// meet.
func (p *Program) ChangePayoutDetails(ctx context.Context, id uuid.UUID, d affiliate.PayoutDetails, allowed func(*record.Affiliate) error) (_ affiliate.Affiliate, err error) {
	defer p.Begin(&ctx, "SetPayoutDetails", Writes).End(&err)
	rq := Request{Name: "affiliate.set-payout-details", Input: []any{id, d}, Refused: refusal.First(refusal.RefuseNoAffiliateID.When(id == uuid.Nil))}
	if rq.Refused == nil && d.Email != "" {
		rq.Refused = refusal.First(refusal.NormalizeEmail("payoutEmail", &d.Email))
	}
	if rq.Refused == nil {
		rq.Refused = refusal.First(refusal.OneOfOrNone("paymentMethod", d.Method, paymentMethods))
	}
	all, err := p.changeAll(ctx, rq, []uuid.UUID{id}, func(o *Op, rec *record.Affiliate) error {
		if err := allowed(rec); err != nil {
			return err
		}
		if rec.PaymentMethod = d.Method; rec.PayoutEmail == d.Email {
			return nil
		}
		return o.SetPayee(rec, d.Email)
	})
	if err != nil {
		return affiliate.Affiliate{}, err
	}
	return all[0], nil
}

// SetPayee sets where an affiliate is paid, and whether another one is paid in that mailbox.
func (o *Op) SetPayee(rec *record.Affiliate, email string) error {
	rec.PayoutEmail, rec.Payee, rec.PayeeShared = email, mailbox.Of(email), false
	if email == "" {
		return nil
	}
	for other, err := range o.Tx.Affiliates.List(record.Query{Key: record.TextKey(record.OfPayee, rec.Payee), Limit: 2}) {
		if err != nil {
			return refusal.Internal("read affiliates", err)
		}
		rec.PayeeShared = rec.PayeeShared || other.ID != rec.ID
	}
	return nil
}

// normalize validates an update by itself and makes the email canonical.
func normalize(up *affiliate.AffiliateUpdate) error {
	trimGiven(&up.FirstName, &up.LastName)
	err := refusal.First(
		refusal.NotCleared("firstName", up.FirstName),
		refusal.Given("firstName", up.FirstName, refusal.MaxPersonName),
		refusal.NotCleared("lastName", up.LastName),
		refusal.Given("lastName", up.LastName, refusal.MaxPersonName),
		refusal.NotCleared("email", up.Email),
	)
	if err != nil {
		return err
	}
	if email, ok := up.Email.Get(); ok {
		if plaintext.Blank(email) {
			return refusal.FieldEmpty.Of("email")
		}
		if err := refusal.First(refusal.NormalizeEmail("email", &email)); err != nil {
			return err
		}
		up.Email = affiliate.Set(email)
	}
	if err := refusal.First(refusal.Given("externalId", up.ExternalID, refusal.MaxName), refusal.NotCleared("affiliateLink", up.AffiliateLink)); err != nil {
		return err
	}
	if slug, ok := up.AffiliateLink.Get(); ok {
		if err := refusal.First(refusal.CheckSlug("affiliateLink", slug)); err != nil {
			return err
		}
	}
	if status, ok := up.AffiliateStatus.Get(); ok && statusInput(status) == "" {
		return refusal.AffiliateStatusUnknown.Err()
	}
	return refusal.First(refusal.NotCleared("affiliateStatus", up.AffiliateStatus), refusal.CheckText("note", up.Note.Or(""), refusal.MaxNote, true))
}

// merged returns the record with the changes of the update.
func merged(up affiliate.AffiliateUpdate, rec record.Affiliate) record.Affiliate {
	rec.FirstName = up.FirstName.Or(rec.FirstName)
	rec.LastName = up.LastName.Or(rec.LastName)
	rec.Email = up.Email.Or(rec.Email)
	refusal.SetText(&rec.ExternalID, up.ExternalID)
	if !up.CommissionRate.IsZero() {
		rec.Rate, rec.RateType = refusal.UnlessNull(up.CommissionRate), ""
	}
	refusal.SetText(&rec.Note, up.Note)
	if !up.OfferCouponID.IsZero() {
		rec.OfferCouponID = up.OfferCouponID.Or(uuid.Nil)
	}
	if status, ok := up.AffiliateStatus.Get(); ok {
		rec.Status = statusInput(status)
	}
	return rec
}

// change checks the merged affiliate against the stored records, writes it with
// the link that the update adds, and fires the event, unless nothing changed.
func (o *Op) change(old, rec record.Affiliate, up affiliate.AffiliateUpdate) (affiliate.Affiliate, error) {
	if err := o.checkMerged(old, &rec); err != nil {
		return affiliate.Affiliate{}, err
	}
	slug, adds := up.AffiliateLink.Get()
	if adds {
		if err := o.refuseTakenSlug(slug, rec.ID, uuid.Nil, refusal.RequestedSlugTaken.Err()); err != nil {
			return affiliate.Affiliate{}, err
		}
	}
	if adds {
		if _, err := o.addLink(rec.ID, slug, refusal.RequestedSlugTaken.Err()); err != nil {
			return affiliate.Affiliate{}, err
		}
		rec = touched(rec)
	}
	return o.SaveAffiliate(old, rec)
}

// checkMerged checks the changes of an update: a rate against the terms that
// decide its meaning, and an email and an external id against those of other affiliates.
func (o *Op) checkMerged(old record.Affiliate, rec *record.Affiliate) error {
	if err := o.settleRate(old, rec); err != nil {
		return err
	}
	if rec.OfferCouponID != old.OfferCouponID {
		if err := o.couponThere(rec.OfferCouponID); err != nil {
			return err
		}
	}
	if rec.Email != old.Email {
		if err := o.refuseTakenEmail(rec.Email, rec.ID); err != nil {
			return err
		}
	}
	if rec.ExternalID == old.ExternalID {
		return nil
	}
	return o.RefuseTakenSellerID(rec.ExternalID, rec.ID)
}

// changeAll changes many affiliates, all or none, and returns them in the order
// of ids; a repeated id counts once. It checks every change before it writes
// the first one, and fires one event for each affiliate that changed.
func (p *Program) changeAll(ctx context.Context, rq Request, ids []uuid.UUID, change func(*Op, *record.Affiliate) error) ([]affiliate.Affiliate, error) {
	ids = Distinct(ids)
	if rq.Refused == nil {
		rq.Refused = refusal.First(p.CheckBulk(len(ids)))
	}
	o := p.Op(ctx)
	return Write(o, rq, func() ([]affiliate.Affiliate, error) {
		ids, err := o.Heirs(ids)
		if err != nil {
			return nil, err
		}
		olds, recs := make([]record.Affiliate, len(ids)), make([]record.Affiliate, len(ids))
		for i, id := range ids {
			old, err := o.typed(o.Tx.Affiliates.Get(id))
			if err != nil {
				return nil, refusal.RefuseNoAffiliate.IfMissing(err)
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
		answers := make([]affiliate.Affiliate, len(ids))
		for i, rec := range recs {
			var err error
			if answers[i], err = o.SaveAffiliate(olds[i], rec); err != nil {
				return nil, err
			}
		}
		return answers, nil
	})
}

// Distinct returns a list without repetitions, in the order of their first occurrence.
func Distinct[T comparable](list []T) []T {
	seen := make(map[T]bool, len(list))
	return slices.DeleteFunc(slices.Clone(list), func(one T) bool {
		again := seen[one]
		seen[one] = true
		return again
	})
}

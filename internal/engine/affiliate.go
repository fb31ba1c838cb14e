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

// maxAnswer is the longest signup answer, in characters.
const maxAnswer = 10_000

// CreateAffiliate implements tributary.Program.CreateAffiliate.
func (p *Program) CreateAffiliate(ctx context.Context,
	in affiliate.AffiliateParams) (_ affiliate.Affiliate, err error) {
	defer p.Begin(&ctx, "CreateAffiliate", Writes).End(&err)
	return p.addAffiliate(ctx, in, addition{request: "affiliate.create", status: p.newStatus(in.AffiliateStatus)})
}

// InviteAffiliate implements tributary.Program.InviteAffiliate.
func (p *Program) InviteAffiliate(ctx context.Context,
	in affiliate.AffiliateParams) (_ affiliate.Affiliate, err error) {
	defer p.Begin(&ctx, "InviteAffiliate", Writes).End(&err)
	return p.addAffiliate(ctx, in, addition{request: "affiliate.invite", status: affiliate.AffiliateInvited})
}

// EnsureAffiliate implements tributary.Program.EnsureAffiliate.
func (p *Program) EnsureAffiliate(ctx context.Context,
	in affiliate.AffiliateParams) (_ affiliate.Affiliate, err error) {
	defer p.Begin(&ctx, "EnsureAffiliate", Writes).End(&err)
	return p.addAffiliate(ctx, in,
		addition{request: "affiliate.ensure", status: p.newStatus(in.AffiliateStatus),
			ensures: true})
}

// An addition says how an affiliate is added.
type addition struct {
	request string // what it is called in a receipt
	status  affiliate.AffiliateStatus
	ensures bool // the one with its external id is as good
}

// addAffiliate creates an affiliate, unless it is ensured and there already.
func (p *Program) addAffiliate(ctx context.Context, in affiliate.AffiliateParams,
	how addition) (affiliate.Affiliate, error) {
	rq := Request{Once: in.Once, Name: how.request, Input: struct {
		affiliate.AffiliateParams
		Answers []affiliate.Answer // they are part of the request
	}{in, in.Answers}}
	rq.Refused = newAffiliateNormalize(&in, how.ensures)
	base, random := SlugBase(in.Email), RandomSlug(p.IDs.Fresh())
	o := p.Op(ctx)
	return Write(o, rq, func() (affiliate.Affiliate, error) {
		if how.ensures {
			known, err := o.affiliateByExternalID(in.ExternalID)
			if err == nil {
				return o.affiliateOf(known)
			}
			if !errors.Is(err, affiliate.ErrNotFound) {
				return affiliate.Affiliate{}, err
			}
		}
		terms, err := o.checkNew(in)
		if err != nil {
			return affiliate.Affiliate{}, err
		}
		slug := in.AffiliateLink
		if slug == "" {
			if slug, err = o.UnusedSlug(base, random); err != nil {
				return affiliate.Affiliate{}, err
			}
		}
		rec := record.Affiliate{
			ID: o.NewID(), FirstName: in.FirstName, LastName: in.LastName, Email: in.Email,
			ExternalID: in.ExternalID, Language: in.Language, Status: how.status, Source: ForAffiliate(o.source),
			Rate: refusal.UnlessNull(in.CommissionRate), PlanID: in.CommissionPlanID,
			OfferCouponID: in.OfferCouponID, CreatedAt: o.Now, UpdatedAt: o.Now,
		}
		if !rec.Rate.IsZero() {
			rec.RateType = terms.Type
		}
		if _, err := o.addLink(rec.ID, slug, refusal.RequestedSlugTaken.Err()); err != nil {
			return affiliate.Affiliate{}, err
		}
		rec.Answers = o.answers(in.Answers)
		return o.SaveAffiliate(record.Affiliate{}, rec)
	})
}

// newAffiliateNormalize validates a new affiliate by itself and makes the email canonical.
func newAffiliateNormalize(in *affiliate.AffiliateParams, ensured bool) error {
	in.FirstName, in.LastName = plaintext.Trim(in.FirstName), plaintext.Trim(in.LastName)
	err := refusal.First(
		refusal.Required("firstName", in.FirstName, refusal.FirstNameRequired, refusal.MaxPersonName),
		refusal.Required("lastName", in.LastName, refusal.LastNameRequired, refusal.MaxPersonName),
	)
	if err != nil {
		return err
	}
	if plaintext.Blank(in.Email) {
		return refusal.EmailRequired.Err()
	}
	if err := refusal.First(refusal.NormalizeEmail("email", &in.Email)); err != nil {
		return err
	}
	if err := refusal.First(refusal.RefuseNoExternalID.When(ensured && plaintext.Blank(in.ExternalID)), refusal.Optional("externalId", in.ExternalID, refusal.MaxName)); err != nil {
		return err
	}
	if err := refusal.First(refusal.CheckLanguage("language", in.Language)); err != nil {
		return err
	}
	if in.AffiliateLink != "" {
		if err := refusal.First(refusal.CheckSlug("affiliateLink", in.AffiliateLink)); err != nil {
			return err
		}
	}
	return checkAnswers(in.Answers)
}

// checkAnswers checks signup answers: each has a question and 1–10,000
// characters; newlines and tabs are allowed.
func checkAnswers(all []affiliate.Answer) error {
	for i := range all {
		if all[i].QuestionID == uuid.Nil {
			return refusal.FieldNotAnID.Of("questionAnswers.questionId")
		}
		if plaintext.Blank(all[i].Answer) {
			return refusal.FieldEmpty.Of("questionAnswers.answer")
		}
		if err := refusal.CheckText("questionAnswers.answer", all[i].Answer, maxAnswer, true); err != nil {
			return err
		}
	}
	return nil
}

// checkNew checks a new affiliate against the stored records, and returns the
// terms that it starts with.
func (o *Op) checkNew(in affiliate.AffiliateParams) (affiliate.Terms, error) {
	terms, err := o.TermsOf(in.CommissionPlanID, refusal.PlanNotFound)
	if err != nil {
		return terms, err
	}
	if _, ok := in.AffiliateGroupID.Get(); ok {
		return terms, refusal.GroupNotFound.Err()
	}
	if rate, ok := in.CommissionRate.Get(); ok {
		if err := CheckRate(rate, terms.Type); err != nil {
			return terms, err
		}
	}
	if err := o.couponThere(in.OfferCouponID); err != nil {
		return terms, err
	}
	if err := o.refuseTakenEmail(in.Email, uuid.Nil); err != nil {
		return terms, err
	}
	if err := o.RefuseTakenSellerID(in.ExternalID, uuid.Nil); err != nil {
		return terms, err
	}
	if in.AffiliateLink == "" {
		return terms, nil
	}
	return terms, o.refuseTakenSlug(in.AffiliateLink, uuid.Nil, uuid.Nil, refusal.RequestedSlugTaken.Err())
}

// TermsOf returns the terms in force of a plan, or of the program for the zero id.
// They decide the meaning of an affiliate's own rate. For an unknown plan it
// returns the given refusal.
func (o *Op) TermsOf(plan uuid.UUID, missing refusal.Refusal) (affiliate.Terms, error) {
	return o.TermsAt(plan, o.Now, missing)
}

// TermsAt is TermsOf at another time.
func (o *Op) TermsAt(plan uuid.UUID, at affiliate.Instant, missing refusal.Refusal) (affiliate.Terms, error) {
	if plan == uuid.Nil {
		own, err := o.programTerms()
		if err != nil {
			return affiliate.Terms{}, err
		}
		return *termsAt(own, at), nil
	}
	rec, err := o.planRecord(plan)
	if err != nil {
		return affiliate.Terms{}, missing.IfMissing(err)
	}
	return *termsAt(&rec, at), nil
}

// RefuseTakenSellerID refuses an external id that an affiliate other than self has.
func (o *Op) RefuseTakenSellerID(id string, self uuid.UUID) error {
	rec, err := o.affiliateByExternalID(id)
	if err == nil && rec.ID == self {
		return nil
	}
	return refusal.AffiliateExternalIDTaken.IfFound(err)
}

// refuseTakenEmail refuses an email that an affiliate other than self has.
func (o *Op) refuseTakenEmail(email string, self uuid.UUID) error {
	rec, err := o.FindAffiliateByEmail(email)
	if errors.Is(err, affiliate.ErrNotFound) || err == nil && rec.ID == self {
		return nil
	}
	if err != nil {
		return refusal.Internal("look up email", err)
	}
	return refusal.AffiliateEmailTaken.Err()
}

// answers returns the signup answers in the form of the record, each with an
// id.
func (o *Op) answers(all []affiliate.Answer) []affiliate.Answer {
	all = slices.Clone(all)
	for i := range all {
		if all[i].ID == uuid.Nil {
			all[i].ID = o.NewID()
		}
	}
	return all
}

// UpdateAffiliate implements tributary.Program.UpdateAffiliate.
func (p *Program) UpdateAffiliate(ctx context.Context, ref affiliate.AffiliateRef,
	up affiliate.AffiliateUpdate) (_ int, err error) {
	defer p.Begin(&ctx, "UpdateAffiliate", Writes).End(&err)
	none := ref == (affiliate.AffiliateRef{})
	rq := Request{Name: "affiliate.update", Input: []any{ref, up},
		Refused: refusal.First(refusal.AffiliateOrEmailAddressRequired.When(none))}
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
func (p *Program) AcceptInvite(ctx context.Context, id uuid.UUID,
	in affiliate.Acceptance) (_ affiliate.Affiliate, err error) {
	defer p.Begin(&ctx, "AcceptInvite", Writes).End(&err)
	up := affiliate.AffiliateUpdate{
		FirstName: in.FirstName, LastName: in.LastName, Email: in.Email,
		ExternalID: in.ExternalID, Language: in.Language, CommissionRate: in.CommissionRate, AffiliateLink: in.AffiliateLink,
	}
	rq := Request{Name: "affiliate.accept-invite", Input: []any{id, up},
		Refused: refusal.First(refusal.RefuseNoAffiliateID.When(id == uuid.Nil))}
	if rq.Refused == nil {
		rq.Refused = normalize(&up)
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
func (p *Program) SetPayoutDetails(ctx context.Context, id uuid.UUID,
	d affiliate.PayoutDetails) (affiliate.Affiliate, error) {
	return p.ChangePayoutDetails(ctx, id, d, func(*record.Affiliate) error { return nil })
}

// ChangePayoutDetails is SetPayoutDetails with a condition that the affiliate must
// meet.
func (p *Program) ChangePayoutDetails(ctx context.Context, id uuid.UUID, d affiliate.PayoutDetails,
	allowed func(*record.Affiliate) error) (_ affiliate.Affiliate, err error) {
	defer p.Begin(&ctx, "SetPayoutDetails", Writes).End(&err)
	rq := Request{Name: "affiliate.set-payout-details", Input: []any{id, d},
		Refused: refusal.First(refusal.RefuseNoAffiliateID.When(id == uuid.Nil))}
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
	for other, err := range o.Tx.Affiliates.List(record.Query{Key: record.TextKey(record.OfPayee,
		rec.Payee), Limit: 2}) {
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
	if err := refusal.First(refusal.Given("externalId", up.ExternalID, refusal.MaxName), refusal.CheckLanguage("language", up.Language.Or("")), refusal.NotCleared("affiliateLink", up.AffiliateLink)); err != nil {
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
	return refusal.First(refusal.NotCleared("affiliateStatus", up.AffiliateStatus),
		refusal.CheckText("note", up.Note.Or(""), refusal.MaxNote, true))
}

// merged returns the record with the changes of the update.
func merged(up affiliate.AffiliateUpdate, rec record.Affiliate) record.Affiliate {
	rec.FirstName = up.FirstName.Or(rec.FirstName)
	rec.LastName = up.LastName.Or(rec.LastName)
	rec.Email = up.Email.Or(rec.Email)
	refusal.SetText(&rec.ExternalID, up.ExternalID)
	refusal.SetText(&rec.Language, up.Language)
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
func (p *Program) changeAll(ctx context.Context, rq Request, ids []uuid.UUID,
	change func(*Op, *record.Affiliate) error) ([]affiliate.Affiliate, error) {
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

// DeleteAffiliate implements tributary.Program.DeleteAffiliate.
func (p *Program) DeleteAffiliate(ctx context.Context, ref affiliate.AffiliateRef) (err error) {
	defer p.Begin(&ctx, "DeleteAffiliate", Writes).End(&err)
	o := p.Op(ctx)
	rq := Request{Name: "affiliate.delete", Input: []any{ref, p.gives},
		Refused: refusal.First(refusal.RefuseNoAffiliateID.When(ref == (affiliate.AffiliateRef{})))}
	_, err = Write(o, rq, func() (struct{}, error) {
		rec, err := o.AffiliateOf(ref)
		if errors.Is(err, affiliate.ErrNotFound) || err == nil && !ownRef(&rec, ref) {
			return struct{}{}, nil
		}
		if err == nil {
			err = o.refuseInPayout(rec.ID)
		}
		if err == nil {
			err = o.dropAffiliate(rec)
		}
		return struct{}{}, err
	})
	return err
}

// ownRef reports whether a reference names an affiliate by what its record has, and not by a name that leads to it.
func ownRef(rec *record.Affiliate, ref affiliate.AffiliateRef) bool {
	email, _ := mailbox.Canonical(ref.Email)
	return (ref.ID == uuid.Nil || ref.ID == rec.ID) && (ref.Email == "" || email == rec.Email) &&
		(ref.ExternalID == "" || ref.ExternalID == rec.ExternalID)
}

// refuseInPayout refuses when a sale of the affiliate, or a sale of one of its
// referrals, is in a payout: such a sale and its referral are never deleted
// (rule 4.7). A sale of a referral may belong to another affiliate because of a
// code.
func (o *Op) refuseInPayout(id uuid.UUID) error {
	key := record.Key{Index: record.OfAffiliate, ID: id}
	if err := o.noneInPayout(key); err != nil {
		return err
	}
	for rec, err := range o.Tx.Adjustments.List(record.Query{Key: key}) {
		if err != nil {
			return refusal.Internal("read adjustments", err)
		}
		if rec.PayoutID != uuid.Nil {
			return refusal.AffiliateInPayout.Err()
		}
	}
	for rec, err := range o.Tx.Referrals.List(record.Query{Key: key}) {
		if err != nil {
			return refusal.Internal("read referrals", err)
		}
		if err := o.noneInPayout(record.Key{Index: record.OfReferral, ID: rec.ID}); err != nil {
			return err
		}
	}
	return nil
}

// noneInPayout refuses when a sale with the key is in a payout.
func (o *Op) noneInPayout(key record.Key) error {
	for sale, err := range o.Tx.Sales.List(record.Query{Key: key}) {
		if err != nil {
			return refusal.Internal("read sales", err)
		}
		if inPayout(&sale) {
			return refusal.AffiliateInPayout.Err()
		}
	}
	return nil
}

// dropAffiliate removes the affiliate and the records that belong to it,
// children first. Its movements stay. A sale that a code credited to another affiliate stays,
// without the referral.
func (o *Op) dropAffiliate(rec record.Affiliate) error {
	owed, err := o.owedTo(rec.ID)
	if err != nil {
		return err
	}
	cause, err := o.lose(owed, o.gives)
	if err != nil {
		return err
	}
	key := record.Key{Index: record.OfAffiliate, ID: rec.ID}
	steps := []func() error{
		func() error { return Each(o.Tx.Sales, key, o.dropSale(cause)) },
		func() error { return Each(o.Tx.Referrals, key, o.dropReferral) },
		func() error { return Each(o.Tx.Clicks, key, o.dropClick) },
		func() error { return Each(o.Tx.Links, key, o.removeLink) },
		func() error { return Each(o.Tx.Codes, key, o.unassignCode) },
		func() error { return Each(o.Tx.Payouts, key, o.dropPayout) },
		func() error { return Each(o.Tx.Adjustments, key, o.dropAdjustment(cause)) },
		func() error {
			return Each(o.Tx.Cases, key, func(r record.Case) error { return o.Tx.Cases.Delete(r.ID) })
		},
		func() error { return o.forget(rec.ID) },
		func() error { return o.dropNames(record.OfAffiliate, rec.ID) },
		func() error { return o.Tx.Affiliates.Delete(rec.ID) },
	}
	for _, step := range steps {
		if err := step(); err != nil {
			return refusal.Internal("delete affiliate", err)
		}
	}
	return o.emitDeleted(affiliate.AffiliateDeleted, rec.ID, 0, rec.Revision+1)
}

// dropClick removes a click. When the visitor became a customer of another
// affiliate, the click count of that affiliate falls by one.
func (o *Op) dropClick(rec record.Click) error {
	if err := o.uncount(rec.ReferralID, Tally{Clicks: 1}); err != nil {
		return err
	}
	return o.Tx.Clicks.Delete(rec.ID)
}

// dropPayout removes a payout. Those that hold something are refused before.
func (o *Op) dropPayout(rec record.Payout) error { return o.Tx.Payouts.Delete(rec.ID) }

// dropAdjustment removes an adjustment, which no payout holds.
func (o *Op) dropAdjustment(cause affiliate.Cause) func(record.Adjustment) error {
	return func(rec record.Adjustment) error {
		if IsMoved(&rec) {
			return o.Tx.Adjustments.Delete(rec.ID)
		}
		if err := o.Enter(rec.AffiliateID, BookAdjustment(&rec, cause, rec.Amount.Neg())); err != nil {
			return err
		}
		return o.Tx.Adjustments.Delete(rec.ID)
	}
}

// unassignCode leaves the code without an affiliate.
func (o *Op) unassignCode(rec record.Code) error {
	old := rec
	rec.AffiliateID = uuid.Nil
	if o.Cfg.CascadeEvents {
		_, err := o.saveCode(old, rec)
		return err
	}
	rec.UpdatedAt = Later(o.Now, rec.UpdatedAt)
	return o.Tx.Codes.Replace(rec)
}

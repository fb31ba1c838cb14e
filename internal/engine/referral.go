package engine

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"slices"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/mailbox"
	"github.com/tributary-go/tributary/internal/plaintext"
	"github.com/tributary-go/tributary/internal/refusal"
)

// CreateReferral implements tributary.Program.CreateReferral.
func (p *Program) CreateReferral(ctx context.Context, in affiliate.ReferralParams) (_ affiliate.Referral, err error) {
	defer p.Begin(&ctx, "CreateReferral", Writes).End(&err)
	refused := NormalizeReferral(&in)
	o := p.Op(ctx)
	o.Ahead = newReferralReads{&in}
	rq := Request{Once: in.Once, Name: "referral.create", Input: []any{in, in.Integration, in.Manual}, Refused: refused}
	return Write(o, rq, func() (affiliate.Referral, error) {
		known, err := o.referralByEmail(in.Email)
		if err = IgnoreMissing(err); err == nil {
			err = o.RefuseTakenHostID(in.ReferredUserExternalID, known.ID)
		}
		if err != nil {
			return affiliate.Referral{}, err
		}
		if known.ID != uuid.Nil && !typed(&known) {
			return o.knownAs(known, in.ReferredUserExternalID)
		}
		from, medium, err := o.Attribute(in)
		if known.ID != uuid.Nil && (byCaller(err) || from.Affiliate.ID == known.AffiliateID) {
			if err == nil {
				return o.knownAs(known, in.ReferredUserExternalID)
			}
			return o.ReferralOf(known)
		}
		if err == nil && known.ID != uuid.Nil {
			err = o.giveUpEmail(known)
		}
		if err == nil {
			err = o.dropErasure(Name{NameMailbox, in.Email}, Name{NameCustomer, in.ReferredUserExternalID})
		}
		if err != nil {
			return affiliate.Referral{}, err
		}
		rec, err := o.addReferral(record.Referral{
			Name: in.Name, Email: in.Email, CustomerID: in.ReferredUserExternalID, Plan: in.Plan,
			SubmissionType: Submission(in.Manual), Medium: medium, Integration: in.Integration,
		}, from)
		if err != nil {
			return affiliate.Referral{}, err
		}
		return o.EmitReferral(affiliate.ReferralCreated, rec)
	})
}

// byCaller reports whether an error says that what the caller names is not there, or is refused.
func byCaller(err error) bool {
	_, refused := errors.AsType[*affiliate.Error](err)
	return refused || errors.Is(err, affiliate.ErrNotFound)
}

// giveUpEmail takes an email that only payers have told from their customer, because the host says whose it is.
func (o *Op) giveUpEmail(ref record.Referral) error {
	rec := ref.Clone()
	rec.Email = ""
	_, err := o.SaveReferral(ref, rec)
	return err
}

// knownAs returns a customer whom the host names by an id, which one without an id gets.
func (o *Op) knownAs(ref record.Referral, hostID string) (affiliate.Referral, error) {
	rec := ref.Clone()
	rec.CustomerID = cmp.Or(rec.CustomerID, hostID)
	return o.SaveReferral(ref, rec)
}

// newReferralReads are the look-ups of a new referral.
type newReferralReads struct{ in *affiliate.ReferralParams }

// Announce names the records that the referral looks up by the texts of its
// input.
func (r newReferralReads) Announce(soon func(table string, key record.Key)) {
	soon("events", record.Key{}) // its event comes after the newest one
	AnnounceText(soon, "referrals", record.ByEmail, mailbox.Of(r.in.Email))
	AnnounceText(soon, "codes", record.ByCode, record.FoldCode(r.in.PromoCode))
}

func Submission(manual bool) affiliate.SubmissionType {
	if manual {
		return affiliate.SubmissionManual
	}
	return affiliate.SubmissionAutomatic
}

// NormalizeReferral brings the input into canonical form.
func NormalizeReferral(in *affiliate.ReferralParams) error {
	in.PromoCode, in.AffiliateEmail, in.Name = plaintext.Bare(in.PromoCode),
		plaintext.Bare(in.AffiliateEmail), plaintext.Trim(in.Name)
	if plaintext.Blank(in.AffiliateID) {
		in.AffiliateID = ""
	}
	if in.PromoCode == "" && in.AffiliateID == "" && in.AffiliateEmail == "" {
		return refusal.ReferralAttributionRequired.Err()
	}
	if in.Plan == "" {
		in.Plan = "N/A"
	}
	return refusal.First(
		refusal.Required("name", in.Name, refusal.NameRequired, refusal.MaxName),
		RequiredEmail("email", &in.Email),
		refusal.Required("referredUserExternalId", in.ReferredUserExternalID,
			refusal.CustomerExternalIDRequired, refusal.MaxName),
		refusal.Optional("plan", in.Plan, refusal.MaxName),
		refusal.OneOfOrNone("integrationReferralSource", in.Integration, integrations),
	)
}

// RequiredEmail checks an email that must be there.
func RequiredEmail(field string, s *string) *affiliate.Error {
	if plaintext.Blank(*s) {
		return refusal.EmailRequired.On(field)
	}
	return refusal.NormalizeEmail(field, s)
}

// addReferral stores a new referral of the origin's affiliate, joins the
// origin's click to it and counts it. The referral keeps the link only if the
// link belongs to the affiliate, which may be false when a code decided.
func (o *Op) addReferral(rec record.Referral, from Origin) (record.Referral, error) {
	rec.ID = o.NewID()
	rec.AffiliateID = from.Affiliate.ID
	rec.PlanID = from.Affiliate.PlanID
	rec.Status = affiliate.SubscriptionActive
	rec.Source = ForReferral(o.source)
	rec.Revision = 1
	rec.CreatedAt, rec.UpdatedAt = o.Now, o.Now
	if was := o.reborn; was != nil {
		rec.ID, rec.CreatedAt, rec.Revision = was.ID, was.CreatedAt, was.Revision+1
		rec.Status, rec.Plan, rec.Notes, rec.Metadata, rec.CustomerID = was.Status, was.Plan,
			was.Notes, was.Metadata, cmp.Or(rec.CustomerID, was.CustomerID)
	}
	if rec.Medium == affiliate.MediumLink {
		rec.LinkID = from.LinkID()
		if !isErased(&rec) {
			rec.LandingPage = from.Click.LandingURL
		}
	}
	return rec, o.InsertReferral(rec, from.Click)
}

// InsertReferral writes a new customer, or one whose sales are decided about anew, and counts it.
func (o *Op) InsertReferral(rec record.Referral, click record.Click) error {
	var was record.Referral
	if o.reborn != nil {
		was, o.reborn = *o.reborn, nil
	}
	for _, owner := range [...]uuid.UUID{was.AffiliateID, was.LinkID} {
		if err := o.uncount(owner, Tally{Referrals: 1}); err != nil {
			return err
		}
	}
	if err := Put(o.Tx.Referrals, was, rec); err != nil {
		return refusal.Taken(err, map[record.Index]*affiliate.Error{record.ByEmail: refusal.ReferralEmailTaken.Err()})
	}
	for _, owner := range [...]uuid.UUID{rec.AffiliateID, rec.LinkID} {
		if err := o.Count(owner, Tally{Referrals: 1}); err != nil {
			return err
		}
	}
	return o.joinClick(&click, &rec)
}

// joinClick stores in a click which referral its visitor became. The first referral
// stays. The click of an erased person then says nothing about the visitor.
func (o *Op) joinClick(named *record.Click, ref *record.Referral) error {
	click := *named
	if click.ID == uuid.Nil || click.ReferralID != uuid.Nil {
		return nil
	}
	if click.ReferralID = ref.ID; isErased(ref) {
		click = BlankedClick(click)
	}
	if err := o.Tx.Clicks.Replace(click); err != nil {
		return refusal.Internal("join click", err)
	}
	return o.Count(ref.ID, Tally{Clicks: 1})
}

// LinkID returns the link of the click or slug that named the affiliate.
func (from Origin) LinkID() uuid.UUID {
	if from.Click.ID != uuid.Nil {
		return from.Click.LinkID
	}
	return from.Link.ID
}

// UpdateReferral implements tributary.Program.UpdateReferral.
func (p *Program) UpdateReferral(ctx context.Context, ident string,
	up affiliate.ReferralUpdate) (_ affiliate.Referral, err error) {
	defer p.Begin(&ctx, "UpdateReferral", Writes).End(&err)
	rq := Request{Name: "referral.update", Input: []any{ident, up},
		Refused: refusal.First(refusal.ReferralIDRequired.When(plaintext.Blank(ident)))}
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
func (p *Program) changeReferral(ctx context.Context, rq Request, ident string,
	change func(*Op, *record.Referral) error) (affiliate.Referral, error) {
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
	case !ok, s == affiliate.SubscriptionActive, s == affiliate.SubscriptionSubmitted,
		s == affiliate.SubscriptionDeclined:
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
func (p *Program) PushReferralStatus(ctx context.Context, ident string,
	status affiliate.SubscriptionStatus) (_ affiliate.Referral, err error) {
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
func (p *Program) SetReferralPlan(ctx context.Context, plan uuid.UUID,
	ids ...uuid.UUID) (_ []affiliate.Referral, err error) {
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

// DeleteReferral implements tributary.Program.DeleteReferral.
func (p *Program) DeleteReferral(ctx context.Context, ident string) (err error) {
	defer p.Begin(&ctx, "DeleteReferral", Writes).End(&err)
	o := p.Op(ctx)
	rq := Request{Name: "referral.delete", Input: []any{ident, p.gives},
		Refused: refusal.First(refusal.ReferralIDRequired.When(plaintext.Blank(ident)))}
	_, err = Write(o, rq, func() (struct{}, error) {
		rec, err := o.FindReferral(ident)
		if errors.Is(err, affiliate.ErrNotFound) || err == nil && !ownName(&rec, ident) {
			return struct{}{}, nil
		}
		if err != nil {
			return struct{}{}, err
		}
		if err := o.dropReferralSales(rec.ID); err != nil {
			return struct{}{}, err
		}
		if err := o.removeReferral(rec); err != nil {
			return struct{}{}, err
		}
		return struct{}{}, o.emitDeleted(affiliate.ReferralDeleted, rec.ID, 0, rec.Revision+1)
	})
	return err
}

// dropReferralSales removes every sale of a referral, or none when a payout
// holds one.
func (o *Op) dropReferralSales(referral uuid.UUID) error {
	sales, err := Gather(o.Tx.Sales, record.Query{Key: record.Key{Index: record.OfReferral, ID: referral}})
	if err != nil {
		return err
	}
	if slices.ContainsFunc(sales, func(r record.Sale) bool { return inPayout(&r) }) {
		return refusal.ReferralInPayout.Err()
	}
	owed, err := o.owedBy(record.Key{Index: record.OfReferral, ID: referral})
	if err != nil {
		return err
	}
	cause, err := o.lose(owed, o.gives)
	if err != nil {
		return err
	}
	for _, rec := range sales {
		if err := o.dropSale(cause)(rec); err != nil {
			return err
		}
	}
	return nil
}

// dropReferral removes a referral as part of its affiliate's removal.
func (o *Op) dropReferral(rec record.Referral) error {
	if err := o.removeReferral(rec); err != nil {
		return err
	}
	return o.cascade(affiliate.ReferralDeleted, rec.ID, 0, rec.Revision+1)
}

// removeReferral removes a referral and its totals. Clicks and sales that
// still name it (sales credited to another affiliate) lose the reference.
func (o *Op) removeReferral(rec record.Referral) error {
	key := record.Key{Index: record.OfReferral, ID: rec.ID}
	err := Each(o.Tx.Clicks, key, func(click record.Click) error {
		click.ReferralID = uuid.Nil
		return o.Tx.Clicks.Replace(click)
	})
	if err != nil {
		return refusal.Internal("clear clicks", err)
	}
	err = Each(o.Tx.Sales, key, func(sale record.Sale) error {
		sale.ReferralID = uuid.Nil
		return o.Tx.Sales.Replace(sale)
	})
	if err != nil {
		return refusal.Internal("clear sales", err)
	}
	for _, owner := range [...]uuid.UUID{rec.AffiliateID, rec.LinkID} {
		if err := o.uncount(owner, Tally{Referrals: 1}); err != nil {
			return err
		}
	}
	if err := o.forget(rec.ID); err != nil {
		return err
	}
	if err := o.forgetPayers(rec.ID); err != nil {
		return err
	}
	if err := o.dropNames(record.OfReferral, rec.ID); err != nil {
		return refusal.Internal("clear erasures", err)
	}
	return o.Tx.Referrals.Delete(rec.ID)
}

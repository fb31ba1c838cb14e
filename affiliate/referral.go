package affiliate

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"slices"

	"github.com/google/uuid"
)

// A Referral is an identified customer who came through an affiliate.
//
// Source: Seed: Referral; contract 2.5.
type Referral struct {
	ID                        uuid.UUID            `json:"id"`
	AffiliateID               uuid.UUID            `json:"affiliateId"`
	Name                      Opt[string]          `json:"name"`
	Email                     string               `json:"email"`
	ReferredUserExternalID    Opt[string]          `json:"referredUserExternalId"`
	Plan                      Opt[string]          `json:"plan"`
	SubscriptionStatus        SubscriptionStatus   `json:"subscriptionStatus"`
	Status                    SubscriptionStatus   `json:"status"` // the same value
	SubmissionType            SubmissionType       `json:"submissionType"`
	ReferralMedium            ReferralMedium       `json:"referralMedium"`
	Source                    ReferralSource       `json:"source"`
	IntegrationReferralSource Opt[Integration]     `json:"integrationReferralSource"`
	TotalRevenue              Amount               `json:"totalRevenue"`
	TotalCommission           Amount               `json:"totalCommission"`
	InitialLandingPage        Opt[string]          `json:"initialLandingPage"`
	Notes                     Opt[string]          `json:"notes"`
	Metadata                  Opt[json.RawMessage] `json:"metadata"`
	AffiliateProgramID        uuid.UUID            `json:"affiliateProgramId"`
	AffiliateLinkID           Opt[uuid.UUID]       `json:"affiliateLinkId"`
	CommissionPlanID          Opt[uuid.UUID]       `json:"commissionPlanId"`
	CreatedAt                 Time                 `json:"createdAt"`
	UpdatedAt                 Time                 `json:"updatedAt"`
}

// NewReferral is the input of [Program.CreateReferral]. Name, email and
// external id are required, and one of PromoCode, AffiliateID and
// AffiliateEmail.
type NewReferral struct {
	Once                   `json:"-"`
	AffiliateID            string `json:"affiliateId,omitzero"` // click id, affiliate id or slug
	AffiliateEmail         string `json:"affiliateEmail,omitzero"`
	PromoCode              string `json:"promoCode,omitzero"` // decides before the other two
	Name                   string `json:"name"`
	Email                  string `json:"email"`
	ReferredUserExternalID string `json:"referredUserExternalId"`
	Plan                   string `json:"plan,omitzero"` // empty: N/A

	// Integration and Manual mark a referral that an integration or a person
	// reported. Go calls only.
	Integration Integration `json:"-"`
	Manual      bool        `json:"-"`
}

// ReferralUpdate is the input of [Program.UpdateReferral]; what is not given
// stays.
type ReferralUpdate struct {
	Name                   Opt[string]             `json:"name,omitzero"`
	Email                  Opt[string]             `json:"email,omitzero"`
	ReferredUserExternalID Opt[string]             `json:"referredUserExternalId,omitzero"`
	Plan                   Opt[string]             `json:"plan,omitzero"`
	SubscriptionStatus     Opt[SubscriptionStatus] `json:"subscriptionStatus,omitzero"` // ACTIVE, SUBMITTED or DECLINED
	Notes                  Opt[string]             `json:"notes,omitzero"`              // ≤ 10,000 characters
	Metadata               Opt[json.RawMessage]    `json:"metadata,omitzero"`           // a JSON object, replaced as a whole
}

// ReferralFilter selects referrals; the first field that is set decides, none
// selects all.
type ReferralFilter struct {
	AffiliateID            uuid.UUID
	AffiliateEmail         string
	ReferredUserExternalID string
}

// Referral returns the referral with the id or, failing that, with the
// customer's email.
//
// Errors: [ErrNotFound].
//
// Source: contract 3.6.
func (p *Program) Referral(ctx context.Context, ident string) (Referral, error) {
	return view(ctx, p, func(o *op) (Referral, error) {
		rec, err := o.findReferral(ident)
		if err != nil {
			return Referral{}, err
		}
		return o.referralOf(rec)
	})
}

// Referrals lists referrals, newest first. An affiliate that is not known has
// none.
//
// Errors: [InvalidQuery] for a bad page.
//
// Source: contract 3.6.
func (p *Program) Referrals(ctx context.Context, f ReferralFilter, pg Page) (List[Referral], error) {
	l, err := p.listing(pg, "referrals", f)
	if err != nil {
		return List[Referral]{}, err
	}
	return view(ctx, p, func(o *op) (List[Referral], error) {
		key, err := o.referralKey(f)
		if err != nil {
			return only(Referral{}, err)
		}
		return collect(o.tx.Referrals, l.of(key), o.referralOf)
	})
}

// referralKey is the key that holds what the filter selects.
func (o *op) referralKey(f ReferralFilter) (Key, error) {
	if f.AffiliateID == uuid.Nil && f.AffiliateEmail == "" && f.ReferredUserExternalID != "" {
		return sentKey(OfCustomer, f.ReferredUserExternalID)
	}
	return o.ofAffiliate(f.AffiliateID, f.AffiliateEmail)
}

// CreateReferral records a customer who came through an affiliate. The
// affiliate comes from the promotional code, else from AffiliateID (a click id,
// an affiliate id or a slug), else from AffiliateEmail.
//
// A customer whose email is known is not created again and not moved: the
// referral that is there is answered as it is. A code is judged by the same
// rules as in a sale and counts nothing. A click id joins that click to the
// referral.
//
// Errors: [AttributionRequired], [MissingField], [InvalidField],
// [IdentifiersMismatch], the refusals of a code; [ErrNotFound] when no
// affiliate could be found (null on the wire).
//
// Effects: a referral, the totals of its affiliate and link; referral.created.
//
// Source: contract 3.6, rules 3.3 and 4.6.
func (p *Program) CreateReferral(ctx context.Context, in NewReferral) (Referral, error) {
	refused := checkReferral(&in)
	o := p.op(ctx)
	rq := request{once: in.Once, name: "referral.create", input: []any{in, in.Integration, in.Manual}}
	return create(o, rq, refused, func() (Referral, error) {
		known, err := o.referralByEmail(in.Email)
		if err == nil {
			return o.referralOf(known)
		}
		if !errors.Is(err, ErrNotFound) {
			return Referral{}, err
		}
		from, medium, err := o.attribute(in)
		if err != nil {
			return Referral{}, err
		}
		rec, err := o.addReferral(ReferralRecord{
			Name: in.Name, Email: in.Email, CustomerID: in.ReferredUserExternalID, Plan: in.Plan,
			SubmissionType: submission(in.Manual), Medium: medium, Integration: in.Integration,
		}, from)
		if err != nil {
			return Referral{}, err
		}
		if err := o.emitReferral(ReferralCreated, rec); err != nil {
			return Referral{}, err
		}
		return o.referralOf(rec)
	})
}

func submission(manual bool) SubmissionType {
	if manual {
		return SubmissionManual
	}
	return SubmissionAutomatic
}

// checkReferral brings the input into canonical form.
func checkReferral(in *NewReferral) error {
	in.PromoCode, in.AffiliateEmail = trimSpace(in.PromoCode), trimSpace(in.AffiliateEmail)
	if blank(in.AffiliateID) {
		in.AffiliateID = ""
	}
	if in.PromoCode == "" && in.AffiliateID == "" && in.AffiliateEmail == "" {
		return referralAttributionRequired.err()
	}
	if in.Plan == "" {
		in.Plan = "N/A"
	}
	return first(
		required("name", in.Name, nameRequired, maxName),
		requiredEmail("email", &in.Email),
		required("referredUserExternalId", in.ReferredUserExternalID, customerExternalIDRequired, maxName),
		optional("plan", in.Plan, maxName),
		oneOfOrNone("integrationReferralSource", in.Integration, integrations),
	)
}

// requiredEmail checks an email that must be there.
func requiredEmail(field string, s *string) *Error {
	if blank(*s) {
		return emailRequired.on(field)
	}
	return checkEmail(field, s)
}

// attribute finds the affiliate of a new referral.
func (o *op) attribute(in NewReferral) (origin, ReferralMedium, error) {
	if in.PromoCode == "" {
		from, err := o.namedOrigin(in.AffiliateID, in.AffiliateEmail)
		return from, MediumLink, err
	}
	named, err := o.eitherOrigin(in.AffiliateID, in.AffiliateEmail)
	if errors.Is(err, ErrNotFound) { // counts as not sent
		named, err = o.eitherOrigin("", in.AffiliateEmail)
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
// given.
func (o *op) namedOrigin(ident, email string) (origin, error) {
	if ident == "" || email == "" {
		return o.eitherOrigin(ident, email)
	}
	byIdent, err := o.resolve(ident)
	if err != nil && !errors.Is(err, ErrNotFound) {
		return origin{}, err
	}
	byEmail, err := o.affiliateByEmail(email)
	if err != nil && !errors.Is(err, ErrNotFound) {
		return origin{}, err
	}
	if byIdent.affiliate.ID != byEmail.ID {
		return origin{}, identifiersMismatch.err()
	}
	if byEmail.ID == uuid.Nil {
		return origin{}, ErrNotFound
	}
	return byIdent, nil
}

// eitherOrigin resolves the identifier, or the email when there is none.
func (o *op) eitherOrigin(ident, email string) (origin, error) {
	switch {
	case ident != "":
		from, err := o.resolve(ident)
		return from, missed(err)
	case email != "":
		aff, err := o.affiliateByEmail(email)
		return origin{affiliate: aff}, missed(err)
	}
	return origin{}, ErrNotFound
}

// missed is the bare ErrNotFound for a look-up that found nobody, which is an
// answer: a store may have wrapped it.
func missed(err error) error {
	if errors.Is(err, ErrNotFound) {
		return ErrNotFound
	}
	return err
}

// addReferral stores a new referral of the origin's affiliate, joins the
// origin's click to it and counts it. A link is kept only when it is the
// affiliate's own, which it is not when a code decided.
func (o *op) addReferral(rec ReferralRecord, from origin) (ReferralRecord, error) {
	rec.ID = o.newID()
	rec.AffiliateID = from.affiliate.ID
	rec.PlanID = from.affiliate.PlanID
	rec.Status = SubscriptionActive
	rec.Source = o.source.forReferral()
	rec.Revision = 1
	rec.CreatedAt, rec.UpdatedAt = o.now, o.now
	if rec.Medium == MediumLink {
		rec.LinkID = from.linkID()
		rec.LandingPage = from.click.LandingURL
	}
	return rec, o.insertReferral(rec, from.click)
}

func (o *op) insertReferral(rec ReferralRecord, click ClickRecord) error {
	if err := o.tx.Referrals.Insert(rec); err != nil {
		return taken(err, map[Index]*Error{ByEmail: referralEmailTaken.err()})
	}
	for _, owner := range [...]uuid.UUID{rec.AffiliateID, rec.LinkID} {
		if err := o.count(owner, tally{referrals: 1}); err != nil {
			return err
		}
	}
	return o.joinClick(&click, rec.ID)
}

// joinClick tells a click which referral its visitor became. The first
// referral stays.
func (o *op) joinClick(named *ClickRecord, referral uuid.UUID) error {
	click := *named
	if click.ID == uuid.Nil || click.ReferralID != uuid.Nil {
		return nil
	}
	click.ReferralID = referral
	if err := o.tx.Clicks.Replace(click); err != nil {
		return internal("join click", err)
	}
	return o.count(referral, tally{clicks: 1})
}

// linkID is the link of the click or slug that named the affiliate.
func (from origin) linkID() uuid.UUID {
	if from.click.ID != uuid.Nil {
		return from.click.LinkID
	}
	return from.link.ID
}

// UpdateReferral changes a referral, named by its id or the customer's email.
// What is not given stays; the affiliate never changes.
//
// Errors: [MissingField], [InvalidField], [ReferralNotFound],
// [ReferralEmailTaken].
//
// Effects: the referral; referral.updated when something changed.
//
// Source: contract 3.6.
func (p *Program) UpdateReferral(ctx context.Context, ident string, up ReferralUpdate) (Referral, error) {
	if blank(ident) {
		return Referral{}, referralIDRequired.err()
	}
	if err := checkReferralUpdate(&up); err != nil {
		return Referral{}, err
	}
	return p.changeReferral(ctx, ident, func(o *op, rec *ReferralRecord) error {
		if email, ok := up.Email.Get(); ok && email != rec.Email {
			if err := o.freeReferralEmail(email); err != nil {
				return err
			}
		}
		up.apply(rec)
		return nil
	})
}

// changeReferral runs change on a referral and writes what came of it.
func (p *Program) changeReferral(ctx context.Context, ident string, change func(*op, *ReferralRecord) error) (Referral, error) {
	o := p.op(ctx)
	return update(o, func() (Referral, error) {
		rec, err := o.findReferral(ident)
		if err != nil {
			return Referral{}, referralNotFound.orOther(err)
		}
		before := rec.Clone()
		if err := change(o, &rec); err != nil {
			return Referral{}, err
		}
		if rec, err = o.saveReferral(before, rec); err != nil {
			return Referral{}, err
		}
		return o.referralOf(rec)
	})
}

// saveReferral stores a referral and fires its event, unless nothing changed.
func (o *op) saveReferral(before, rec ReferralRecord) (ReferralRecord, error) {
	if before.equal(rec) {
		return before, nil
	}
	rec.Revision++
	rec.UpdatedAt = later(o.now, rec.UpdatedAt)
	if err := o.tx.Referrals.Replace(rec); err != nil {
		return rec, taken(err, map[Index]*Error{ByEmail: referralEmailTaken.err()})
	}
	return rec, o.emitReferral(ReferralUpdated, rec)
}

func (r ReferralRecord) equal(q ReferralRecord) bool {
	if !bytes.Equal(r.Metadata, q.Metadata) || !r.Notes.Equal(q.Notes) {
		return false
	}
	return r.Name == q.Name && r.Email == q.Email && r.CustomerID == q.CustomerID && r.Plan == q.Plan &&
		r.Status == q.Status && r.PlanID == q.PlanID && r.PlanFixed == q.PlanFixed && r.LandingPage == q.LandingPage
}

// checkReferralUpdate checks what is given and brings it into canonical form.
func checkReferralUpdate(up *ReferralUpdate) error {
	email, hasEmail := up.Email.Get()
	metadata, hasMetadata := up.Metadata.Get()
	if err := first(given("name", up.Name, maxName), notCleared("email", up.Email)); err != nil {
		return err
	}
	if hasEmail {
		if err := checkEmail("email", &email); err != nil {
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
	)
	if err != nil {
		return err
	}
	if hasMetadata {
		raw := []byte(metadata)
		if err := checkMetadata("metadata", &raw); err != nil {
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
	return subscriptionStatusUnknown.err()
}

// apply puts what is given into the record.
func (up ReferralUpdate) apply(rec *ReferralRecord) {
	setText(&rec.Name, up.Name)
	setText(&rec.Email, up.Email)
	setText(&rec.CustomerID, up.ReferredUserExternalID)
	setText(&rec.Plan, up.Plan)
	rec.Status = up.SubscriptionStatus.Or(rec.Status)
	rec.Notes = valueOrNothing(changed(rec.Notes, up.Notes))
	if !up.Metadata.IsZero() {
		rec.Metadata = up.Metadata.Or(nil)
	}
}

func (o *op) freeReferralEmail(email string) error {
	_, err := o.referralByEmail(email)
	return referralEmailTaken.unlessFree(err)
}

// PushReferralStatus sets the subscription status that a payment provider
// reports: any of the five. The referral is named by id or email.
//
// Errors: [InvalidField] (subscriptionStatus), [ReferralNotFound].
//
// Effects: the status; referral.updated when it changed.
//
// Source: Seed: referral.updated.
func (p *Program) PushReferralStatus(ctx context.Context, ident string, status SubscriptionStatus) (Referral, error) {
	if err := oneOf("subscriptionStatus", status, subscriptionStatuses); err != nil {
		return Referral{}, err
	}
	return p.changeReferral(ctx, ident, func(_ *op, rec *ReferralRecord) error {
		rec.Status = status
		return nil
	})
}

// SetReferralPlan puts customers on a commission plan of their own, which then
// wins over their affiliate's; the zero plan takes it away again. All or
// nothing.
//
// Errors: [PlanNotFound], [ReferralNotFound].
//
// Effects: the referrals and their future sales; referral.updated for each that
// changed.
//
// Source: rule 5.3; contract 2.5.
func (p *Program) SetReferralPlan(ctx context.Context, plan uuid.UUID, ids ...uuid.UUID) ([]Referral, error) {
	o := p.op(ctx)
	return update(o, func() ([]Referral, error) {
		if plan != uuid.Nil {
			if _, err := o.tx.Plans.Get(plan); err != nil {
				return nil, planMissing.orOther(err)
			}
		}
		for _, id := range ids {
			if _, err := o.tx.Referrals.Get(id); err != nil {
				return nil, referralNotFound.orOther(err)
			}
		}
		return eachOf(ids, func(id uuid.UUID) (Referral, error) {
			before, err := o.tx.Referrals.Get(id)
			if err != nil {
				return Referral{}, err
			}
			rec := before
			rec.PlanID, rec.PlanFixed = plan, plan != uuid.Nil
			if rec, err = o.saveReferral(before, rec); err != nil {
				return Referral{}, err
			}
			return o.referralOf(rec)
		})
	})
}

// DeleteReferral removes a referral, named by id or email, and its sales.
// Nothing there: nil.
//
// Errors: [MissingField], [InPayout] when a payout holds one of the sales.
//
// Effects: referral, sales and totals are gone, clicks lose the reference,
// counters of codes stay; referral.deleted.
//
// Source: Seed: DELETE /referrals; rule 4.7.
func (p *Program) DeleteReferral(ctx context.Context, ident string) error {
	if blank(ident) {
		return referralIDRequired.err()
	}
	o := p.op(ctx)
	_, err := update(o, func() (struct{}, error) {
		rec, err := o.findReferral(ident)
		if errors.Is(err, ErrNotFound) {
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
		return struct{}{}, o.emit(ReferralDeleted, rec.ID, rec.Revision+1, DeletedBody{rec.ID})
	})
	return err
}

// dropReferralSales removes every sale of a referral, or none when a payout
// holds one.
func (o *op) dropReferralSales(referral uuid.UUID) error {
	var sales []SaleRecord
	for rec, err := range o.tx.Sales.List(Query{Key: Key{Index: OfReferral, ID: referral}}) {
		if err != nil {
			return err
		}
		if rec.payoutID() != uuid.Nil {
			return referralInPayout.err()
		}
		sales = append(sales, rec)
	}
	for _, rec := range sales {
		if err := o.dropSale(rec); err != nil {
			return err
		}
	}
	return nil
}

// dropReferral removes a referral as part of its affiliate's removal.
func (o *op) dropReferral(rec ReferralRecord) error {
	if err := o.removeReferral(rec); err != nil {
		return err
	}
	return o.cascade(ReferralDeleted, rec.ID, 0, rec.Revision+1, DeletedBody{rec.ID})
}

// removeReferral removes a referral and its totals. Clicks and sales that
// still name it (sales credited to another affiliate) lose the reference.
func (o *op) removeReferral(rec ReferralRecord) error {
	key := Key{Index: OfReferral, ID: rec.ID}
	err := each(o.tx.Clicks, key, func(click ClickRecord) error {
		click.ReferralID = uuid.Nil
		return o.tx.Clicks.Replace(click)
	})
	if err != nil {
		return internal("clear clicks", err)
	}
	err = each(o.tx.Sales, key, func(sale SaleRecord) error {
		sale.ReferralID = uuid.Nil
		return o.tx.Sales.Replace(sale)
	})
	if err != nil {
		return internal("clear sales", err)
	}
	for _, owner := range [...]uuid.UUID{rec.AffiliateID, rec.LinkID} {
		if err := o.uncount(owner, tally{referrals: 1}); err != nil {
			return err
		}
	}
	if err := o.forget(rec.ID); err != nil {
		return err
	}
	return o.tx.Referrals.Delete(rec.ID)
}

// cascade fires a child's event where the program asks for them.
func (o *op) cascade(typ EventType, object uuid.UUID, number, revision int64, body any) error {
	if !o.cfg.CascadeEvents {
		return nil
	}
	return o.emitNumbered(typ, object, number, revision, body)
}

// findReferral finds a referral by id, else by email.
func (o *op) findReferral(ident string) (ReferralRecord, error) {
	if id, ok := exactID(ident); ok {
		rec, err := o.tx.Referrals.Get(id)
		if !errors.Is(err, ErrNotFound) {
			return rec, err
		}
	}
	return o.referralByEmail(ident)
}

func (o *op) referralByEmail(email string) (ReferralRecord, error) {
	email, ok := canonicalEmail(email)
	if !ok {
		return ReferralRecord{}, ErrNotFound
	}
	return o.tx.Referrals.Find(Key{Index: ByEmail, Text: email})
}

// emitReferral fires a created or updated event with its full body.
func (o *op) emitReferral(typ EventType, rec ReferralRecord) error {
	body := ReferralBody{}
	var err error
	if body.Referral, err = o.referralOf(rec); err != nil {
		return err
	}
	aff, err := o.tx.Affiliates.Get(rec.AffiliateID)
	if err != nil {
		return internal("affiliate of a referral", err)
	}
	summary, err := o.summary(aff)
	if err != nil {
		return err
	}
	body.Affiliate = summary.inEvent()
	body.CommissionPlan = Null[Plan]()
	if rec.PlanID != uuid.Nil {
		plan, err := o.tx.Plans.Get(rec.PlanID)
		if err != nil {
			return internal("plan of a referral", err)
		}
		body.CommissionPlan = Set(planOf(plan))
	}
	return o.emit(typ, rec.ID, rec.Revision, body)
}

// referralOf is the referral as the wire shows it.
func (o *op) referralOf(rec ReferralRecord) (Referral, error) {
	totals, err := o.totals(rec.ID)
	if err != nil {
		return Referral{}, err
	}
	return o.referralWith(rec, totals), nil
}

func (p *Program) referralWith(rec ReferralRecord, totals TotalsRecord) Referral {
	return Referral{
		ID: rec.ID, AffiliateID: rec.AffiliateID, Name: orNull(rec.Name), Email: rec.Email,
		ReferredUserExternalID: orNull(rec.CustomerID), Plan: orNull(rec.Plan),
		SubscriptionStatus: rec.Status, Status: rec.Status, SubmissionType: rec.SubmissionType,
		ReferralMedium: rec.Medium, Source: rec.Source, IntegrationReferralSource: orNull(rec.Integration),
		TotalRevenue: totals.Revenue, TotalCommission: totals.Commission,
		InitialLandingPage: orNull(rec.LandingPage), Notes: nothingOrNull(rec.Notes), Metadata: metadataOf(rec.Metadata),
		AffiliateProgramID: p.cfg.ID, AffiliateLinkID: orNull(rec.LinkID), CommissionPlanID: orNull(rec.PlanID),
		CreatedAt: TimeOf(rec.CreatedAt), UpdatedAt: TimeOf(rec.UpdatedAt),
	}
}

// metadataOf is a copy of stored metadata, or null.
func metadataOf(raw json.RawMessage) Opt[json.RawMessage] {
	if raw == nil {
		return Null[json.RawMessage]()
	}
	return Set(slices.Clone(raw))
}

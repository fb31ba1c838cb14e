package affiliate

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/google/uuid"
)

// A Referral is an identified customer who came through an affiliate.
//
// Source: docs/contract.md 2.5.
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
	TotalRevenue              Amount               `json:"totalRevenue"`    // what is kept of live sales
	TotalCommission           Amount               `json:"totalCommission"` // of live sales, declined ones excluded
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

// ReferralFilter selects referrals. Every field that is set must fit; without
// one, all are selected. A field that is set to null or to a zero value selects
// nothing.
//
// Source: docs/contract.md 3.6.
type ReferralFilter struct {
	AffiliateID            Opt[uuid.UUID]
	AffiliateEmail         Opt[string]
	ReferredUserExternalID Opt[string]
}

// Referral returns the referral with the id or, failing that, with the
// customer's email.
//
// Errors: [ErrNotFound].
//
// Source: docs/contract.md 3.6.
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
// Source: docs/contract.md 3.6.
func (p *Program) Referrals(ctx context.Context, f ReferralFilter, pg Page) (List[Referral], error) {
	l, err := p.listing(pg, "referrals", f)
	if err != nil {
		return List[Referral]{}, err
	}
	return view(ctx, p, func(o *op) (List[Referral], error) {
		return chosen(o.tx.Referrals, o.chooseReferrals(f), l, o.referralOf)
	})
}

// chooseReferrals is what the filter selects.
func (o *op) chooseReferrals(f ReferralFilter) (c choice[ReferralRecord]) {
	c.byOwner(o, f.AffiliateID, f.AffiliateEmail, func(r *ReferralRecord) uuid.UUID { return r.AffiliateID })
	c.byText(OfCustomer, f.ReferredUserExternalID, func(r *ReferralRecord) string { return r.CustomerID })
	return c
}

// CreateReferral records a customer who came through an affiliate. The
// affiliate comes from the promotional code, else from AffiliateID (a click id,
// an affiliate id or a slug), else from AffiliateEmail.
//
// A customer whose email is known is not created again and not moved: the
// referral that is there is answered as it is. A code is judged by the same
// rules as in a sale and counts nothing. A click id joins that click to the
// referral, unless the click is older than Config.CookieDays: then it is as if it
// had not been sent.
//
// Errors: [AttributionRequired], [MissingField], [InvalidField],
// [IdentifiersMismatch], the refusals of a code; [ErrNotFound] when no
// affiliate could be found (null on the wire).
//
// Effects: a referral, the totals of its affiliate and link; referral.created.
//
// Source: docs/contract.md 3.6; docs/rules.md 3.3, 4.6; docs/money.md 14.
func (p *Program) CreateReferral(ctx context.Context, in NewReferral) (Referral, error) {
	refused := checkReferral(&in)
	o := p.op(ctx)
	rq := request{once: in.Once, name: "referral.create", input: []any{in, in.Integration, in.Manual}, refused: refused}
	return write(o, rq, func() (Referral, error) {
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
		from, err := o.namedOrigin(in.AffiliateID, in.AffiliateEmail, o.resolveFresh)
		return from, MediumLink, err
	}
	named, err := o.eitherOrigin(in.AffiliateID, in.AffiliateEmail, o.resolveFresh)
	if errors.Is(err, ErrNotFound) { // counts as not sent
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
// given. A click that is too old is as if it had not been given.
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
		return origin{}, identifiersMismatch.err()
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

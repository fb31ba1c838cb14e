package affiliate

import (
	"context"
	"errors"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/internal/plaintext"
)

// CreateReferral records a customer who came through an affiliate. The
// affiliate comes from the promotional code, else from AffiliateID (a click id,
// an affiliate id or a slug), else from AffiliateEmail.
//
// A customer with a known email is not created again and not moved: the
// existing referral is returned. A code must pass the same rules as in a sale,
// and it is not counted. A click id joins that click to the referral, unless
// the click is older than Config.CookieDays: then it counts as not sent.
//
// Errors: [AttributionRequired], [MissingField], [InvalidField],
// [IdentifiersMismatch], the refusals of a code; [ErrNotFound] when no
// affiliate could be found (null on the wire).
//
// Effects: a referral, the totals of its affiliate and link; referral.created.
//
// Source: docs/contract.md 3.6; docs/rules.md 3.3, 4.6; docs/money.md 14.
func (p *Program) CreateReferral(ctx context.Context, in NewReferral) (_ Referral, err error) {
	defer p.begin(&ctx, "CreateReferral", writes).end(&err)
	refused := normalizeReferral(&in)
	o := p.op(ctx)
	o.ahead = newReferralReads{&in}
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
		if err == nil {
			err = o.dropErasure(in.Email)
		}
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
		return o.emitReferral(ReferralCreated, rec)
	})
}

// newReferralReads are the look-ups of a new referral.
type newReferralReads struct{ in *NewReferral }

// Announce names the records that the referral looks up by the texts of its
// input.
func (r newReferralReads) Announce(soon func(table string, key Key)) {
	soon("events", Key{}) // its event comes after the newest one
	announceText(soon, "referrals", ByEmail, r.in.Email)
	announceText(soon, "codes", ByCode, foldCode(r.in.PromoCode))
}

func submission(manual bool) SubmissionType {
	if manual {
		return SubmissionManual
	}
	return SubmissionAutomatic
}

// normalizeReferral brings the input into canonical form.
func normalizeReferral(in *NewReferral) error {
	in.PromoCode, in.AffiliateEmail, in.Name = plaintext.Bare(in.PromoCode), plaintext.Bare(in.AffiliateEmail), plaintext.Trim(in.Name)
	if plaintext.Blank(in.AffiliateID) {
		in.AffiliateID = ""
	}
	if in.PromoCode == "" && in.AffiliateID == "" && in.AffiliateEmail == "" {
		return referralAttributionRequired.Err()
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
	if plaintext.Blank(*s) {
		return emailRequired.on(field)
	}
	return normalizeEmail(field, s)
}

// addReferral stores a new referral of the origin's affiliate, joins the
// origin's click to it and counts it. The referral keeps the link only if the
// link belongs to the affiliate, which may be false when a code decided.
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
		if !rec.isErased() {
			rec.LandingPage = from.click.LandingURL
		}
	}
	return rec, o.insertReferral(rec, from.click)
}

func (o *op) insertReferral(rec ReferralRecord, click ClickRecord) error {
	if err := o.tx.Referrals.Insert(rec); err != nil {
		return taken(err, map[Index]*Error{ByEmail: referralEmailTaken.Err()})
	}
	for _, owner := range [...]uuid.UUID{rec.AffiliateID, rec.LinkID} {
		if err := o.count(owner, tally{referrals: 1}); err != nil {
			return err
		}
	}
	return o.joinClick(&click, &rec)
}

// joinClick tells a click which referral its visitor became. The first
// referral stays. The click of somebody who was erased says nothing of the visitor.
func (o *op) joinClick(named *ClickRecord, ref *ReferralRecord) error {
	click := *named
	if click.ID == uuid.Nil || click.ReferralID != uuid.Nil {
		return nil
	}
	if click.ReferralID = ref.ID; ref.isErased() {
		click = click.blanked()
	}
	if err := o.tx.Clicks.Replace(click); err != nil {
		return internal("join click", err)
	}
	return o.count(ref.ID, tally{clicks: 1})
}

// linkID is the link of the click or slug that named the affiliate.
func (from origin) linkID() uuid.UUID {
	if from.click.ID != uuid.Nil {
		return from.click.LinkID
	}
	return from.link.ID
}

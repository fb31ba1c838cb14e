package engine

import (
	"cmp"
	"context"
	"errors"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/mailbox"
	"github.com/tributary-go/tributary/internal/plaintext"
	"github.com/tributary-go/tributary/internal/refusal"
)

// CreateReferral implements tributary.Program.CreateReferral.
func (p *Program) CreateReferral(ctx context.Context, in affiliate.NewReferral) (_ affiliate.Referral, err error) {
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
type newReferralReads struct{ in *affiliate.NewReferral }

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
func NormalizeReferral(in *affiliate.NewReferral) error {
	in.PromoCode, in.AffiliateEmail, in.Name = plaintext.Bare(in.PromoCode), plaintext.Bare(in.AffiliateEmail), plaintext.Trim(in.Name)
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
		refusal.Required("referredUserExternalId", in.ReferredUserExternalID, refusal.CustomerExternalIDRequired, refusal.MaxName),
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
	if was := &o.reborn; was.ID != uuid.Nil {
		rec.ID, rec.CreatedAt, rec.Revision = was.ID, was.CreatedAt, was.Revision+1
		rec.Status, rec.Plan, rec.Notes, rec.Metadata, rec.CustomerID = was.Status, was.Plan, was.Notes, was.Metadata, cmp.Or(rec.CustomerID, was.CustomerID)
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
	was := o.reborn
	o.reborn = record.Referral{}
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

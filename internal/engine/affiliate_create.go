package engine

import (
	"context"
	"errors"
	"slices"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/plaintext"
	"github.com/tributary-go/tributary/internal/refusal"
)

// maxAnswer is the longest signup answer, in characters.
const maxAnswer = 10_000

// CreateAffiliate implements tributary.Program.CreateAffiliate.
func (p *Program) CreateAffiliate(ctx context.Context, in affiliate.NewAffiliate) (_ affiliate.Affiliate, err error) {
	defer p.Begin(&ctx, "CreateAffiliate", Writes).End(&err)
	return p.addAffiliate(ctx, in, addition{request: "affiliate.create", status: p.newStatus(in.AffiliateStatus)})
}

// InviteAffiliate implements tributary.Program.InviteAffiliate.
func (p *Program) InviteAffiliate(ctx context.Context, in affiliate.NewAffiliate) (_ affiliate.Affiliate, err error) {
	defer p.Begin(&ctx, "InviteAffiliate", Writes).End(&err)
	return p.addAffiliate(ctx, in, addition{request: "affiliate.invite", status: affiliate.AffiliateInvited})
}

// EnsureAffiliate implements tributary.Program.EnsureAffiliate.
func (p *Program) EnsureAffiliate(ctx context.Context, in affiliate.NewAffiliate) (_ affiliate.Affiliate, err error) {
	defer p.Begin(&ctx, "EnsureAffiliate", Writes).End(&err)
	return p.addAffiliate(ctx, in, addition{request: "affiliate.ensure", status: p.newStatus(in.AffiliateStatus), ensures: true})
}

// An addition says how an affiliate is added.
type addition struct {
	request string // what it is called in a receipt
	status  affiliate.AffiliateStatus
	ensures bool // the one with its external id is as good
}

// addAffiliate creates an affiliate, unless it is ensured and there already.
func (p *Program) addAffiliate(ctx context.Context, in affiliate.NewAffiliate, how addition) (affiliate.Affiliate, error) {
	rq := Request{Once: in.Once, Name: how.request, Input: struct {
		affiliate.NewAffiliate
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
			ID: o.NewID(), FirstName: in.FirstName, LastName: in.LastName, Email: in.Email, ExternalID: in.ExternalID, Status: how.status,
			Source: ForAffiliate(o.source), Rate: refusal.UnlessNull(in.CommissionRate), PlanID: in.CommissionPlanID, OfferCouponID: in.OfferCouponID,
			CreatedAt: o.Now, UpdatedAt: o.Now,
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
func newAffiliateNormalize(in *affiliate.NewAffiliate, ensured bool) error {
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
func (o *Op) checkNew(in affiliate.NewAffiliate) (affiliate.Terms, error) {
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

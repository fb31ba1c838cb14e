package affiliate

import (
	"context"
	"errors"
	"slices"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/internal/plaintext"
)

// maxAnswer is the longest signup answer, in characters.
const maxAnswer = 10_000

// CreateAffiliate adds an affiliate together with its first link. The slug is
// AffiliateLink, or is made from the email; see rule 4.2. The status is
// AffiliateStatus, or is decided by Config.NoAutoApprove.
//
// Errors: [MissingField] and [InvalidField] (firstName, lastName, email),
// [SlugSyntax], [InvalidField] (questionAnswers.questionId,
// questionAnswers.answer), [PlanNotFound] (invalid: 400), [GroupNotFound],
// [InvalidField] (commissionRate), [AffiliateEmailTaken], [SlugTaken].
//
// Effects: the affiliate and its link; affiliate.created.
//
// Source: docs/contract.md 3.1.
func (p *Program) CreateAffiliate(ctx context.Context, in NewAffiliate) (_ Affiliate, err error) {
	defer p.begin(&ctx, "CreateAffiliate", writes).end(&err)
	return p.addAffiliate(ctx, "affiliate.create", in, p.newStatus(in.AffiliateStatus))
}

// InviteAffiliate is [Program.CreateAffiliate] with the status INVITED; it
// ignores AffiliateStatus. [Program.AcceptInvite] ends the invitation.
//
// Errors: those of [Program.CreateAffiliate].
//
// Effects: the affiliate and its link; affiliate.created.
//
// Source: docs/rules.md 4.1; docs/contract.md 6.
func (p *Program) InviteAffiliate(ctx context.Context, in NewAffiliate) (_ Affiliate, err error) {
	defer p.begin(&ctx, "InviteAffiliate", writes).end(&err)
	return p.addAffiliate(ctx, "affiliate.invite", in, AffiliateInvited)
}

// addAffiliate creates an affiliate with the given status.
func (p *Program) addAffiliate(ctx context.Context, name string, in NewAffiliate, status AffiliateStatus) (Affiliate, error) {
	rq := request{once: in.Once, name: name, input: struct {
		NewAffiliate
		Answers []Answer // they are part of the request
	}{in, in.Answers}}
	rq.refused = in.normalize()
	base, random := slugBase(in.Email), randomSlug(p.ids.Fresh())
	o := p.op(ctx)
	return write(o, rq, func() (Affiliate, error) {
		terms, err := o.checkNew(in)
		if err != nil {
			return Affiliate{}, err
		}
		slug := in.AffiliateLink
		if slug == "" {
			if slug, err = o.freeSlug(base, random); err != nil {
				return Affiliate{}, err
			}
		}
		rec := AffiliateRecord{
			ID: o.newID(), FirstName: in.FirstName, LastName: in.LastName, Email: in.Email, Status: status,
			Source: o.source.forAffiliate(), Rate: unlessNull(in.CommissionRate), PlanID: in.CommissionPlanID,
			CreatedAt: o.now, UpdatedAt: o.now,
		}
		if !rec.Rate.IsZero() {
			rec.RateType = terms.Type
		}
		if _, err := o.addLink(rec.ID, slug, requestedSlugTaken.Err()); err != nil {
			return Affiliate{}, err
		}
		rec.Answers = o.answers(in.Answers)
		return o.saveAffiliate(AffiliateRecord{}, rec)
	})
}

// normalize validates a new affiliate by itself and makes the email canonical.
func (in *NewAffiliate) normalize() error {
	in.FirstName, in.LastName = plaintext.Trim(in.FirstName), plaintext.Trim(in.LastName)
	err := first(
		required("firstName", in.FirstName, firstNameRequired, maxPersonName),
		required("lastName", in.LastName, lastNameRequired, maxPersonName),
	)
	if err != nil {
		return err
	}
	if plaintext.Blank(in.Email) {
		return emailRequired.Err()
	}
	if err := first(normalizeEmail("email", &in.Email)); err != nil {
		return err
	}
	if in.AffiliateLink != "" {
		if err := first(checkSlug("affiliateLink", in.AffiliateLink)); err != nil {
			return err
		}
	}
	return checkAnswers(in.Answers)
}

// checkAnswers checks signup answers: each has a question and 1–10,000
// characters; newlines and tabs are allowed.
func checkAnswers(all []Answer) error {
	for i := range all {
		if all[i].QuestionID == uuid.Nil {
			return FieldNotAnID.Of("questionAnswers.questionId")
		}
		if plaintext.Blank(all[i].Answer) {
			return FieldEmpty.Of("questionAnswers.answer")
		}
		if err := checkText("questionAnswers.answer", all[i].Answer, maxAnswer, true); err != nil {
			return err
		}
	}
	return nil
}

// checkNew checks a new affiliate against the stored records, and returns the
// terms that it starts with.
func (o *op) checkNew(in NewAffiliate) (Terms, error) {
	terms, err := o.termsOf(in.CommissionPlanID, planNotFound)
	if err != nil {
		return terms, err
	}
	if _, ok := in.AffiliateGroupID.Get(); ok {
		return terms, groupNotFound.Err()
	}
	if rate, ok := in.CommissionRate.Get(); ok {
		if err := checkRate(rate, terms.Type); err != nil {
			return terms, err
		}
	}
	if err := o.refuseTakenEmail(in.Email, uuid.Nil); err != nil {
		return terms, err
	}
	if in.AffiliateLink == "" {
		return terms, nil
	}
	return terms, o.refuseTakenSlug(in.AffiliateLink, uuid.Nil, requestedSlugTaken.Err())
}

// termsOf returns the terms of a plan, or those of the program for the zero id.
// They decide the meaning of an affiliate's own rate. For an unknown plan it
// returns the given refusal.
func (o *op) termsOf(plan uuid.UUID, missing Refusal) (Terms, error) {
	if plan == uuid.Nil {
		return o.cfg.Terms, nil
	}
	rec, err := o.tx.Plans.Get(plan)
	if err != nil {
		return Terms{}, missing.ifMissing(err)
	}
	return rec.Terms, nil
}

// refuseTakenEmail refuses an email that an affiliate other than self has.
func (o *op) refuseTakenEmail(email string, self uuid.UUID) error {
	rec, err := o.tx.Affiliates.Find(Key{Index: ByEmail, Text: email})
	if errors.Is(err, ErrNotFound) || err == nil && rec.ID == self {
		return nil
	}
	if err != nil {
		return internal("look up email", err)
	}
	return affiliateEmailTaken.Err()
}

// answers returns the signup answers in the form of the record, each with an
// id.
func (o *op) answers(all []Answer) []Answer {
	all = slices.Clone(all)
	for i := range all {
		if all[i].ID == uuid.Nil {
			all[i].ID = o.newID()
		}
	}
	return all
}

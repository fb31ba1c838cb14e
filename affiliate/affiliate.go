package affiliate

import (
	"context"
	"encoding/json"
	"errors"
	"slices"

	"github.com/google/uuid"
)

// An Affiliate is a person who promotes the program.
//
// Source: docs/contract.md 2.3.
type Affiliate struct {
	ID                              uuid.UUID            `json:"id"`
	FirstName                       string               `json:"firstName"`
	LastName                        string               `json:"lastName"`
	Name                            string               `json:"name"` // first and last name
	Email                           string               `json:"email"`
	CommissionRate                  Percent              `json:"commissionRate"` // what applies: its own rate, else that of tier, plan or program
	UseCommissionPlanCommissionRate bool                 `json:"useCommissionPlanCommissionRate"`
	ExemptFromCommissionTierChanges bool                 `json:"exemptFromCommissionTierChanges"`
	AffiliateLink                   Opt[string]          `json:"affiliateLink"` // deprecated, always null
	Link                            Opt[string]          `json:"link"`          // deprecated; null but in events: slug of the oldest live link
	AffiliateLinks                  []AffiliateLink      `json:"affiliateLinks"`
	Status                          AffiliateStatus      `json:"status"`
	Source                          AffiliateSource      `json:"source"`
	CommissionPlanID                Opt[uuid.UUID]       `json:"commissionPlanId"`
	CommissionTierID                Opt[uuid.UUID]       `json:"commissionTierId"`
	AffiliateGroupID                Opt[string]          `json:"affiliateGroupId"` // always null
	ProgramID                       uuid.UUID            `json:"programId"`
	PayoutEmail                     Opt[string]          `json:"payoutEmail"`
	PaymentMethod                   Opt[PaymentMethod]   `json:"paymentMethod"`
	DetailsComplete                 bool                 `json:"detailsComplete"`       // both payout fields are set
	EmailVerified                   Opt[json.RawMessage] `json:"emailVerified"`         // always null; the hosted service sends a truth value or a time
	Image                           Opt[string]          `json:"image"`                 // always null
	NumberOfReferredUsers           int64                `json:"numberOfReferredUsers"` // live referrals
	NumberOfClicks                  int64                `json:"numberOfClicks"`
	TotalRevenue                    Amount               `json:"totalRevenue"`          // what is kept of live sales
	TotalCommissionEarned           Amount               `json:"totalCommissionEarned"` // of live sales, declined ones excluded
	CreatedAt                       Time                 `json:"createdAt"`
	UpdatedAt                       Time                 `json:"updatedAt"`
}

// AffiliateLink is an entry of affiliateLinks: a link as its owner shows it.
type AffiliateLink struct {
	ID        uuid.UUID `json:"id"`
	Link      string    `json:"link"` // the slug
	UserID    uuid.UUID `json:"userId"`
	ProgramID uuid.UUID `json:"programId"`
	CreatedAt Time      `json:"createdAt"`
	UpdatedAt Time      `json:"updatedAt"`
}

// AffiliateSummary is the affiliate inside sales and referral events.
type AffiliateSummary struct {
	ID             uuid.UUID       `json:"id"`
	FirstName      string          `json:"firstName"`
	LastName       string          `json:"lastName"`
	Name           string          `json:"name"`
	Email          string          `json:"email"`
	Status         AffiliateStatus `json:"status"`
	Link           Opt[string]     `json:"link"` // null but in events: slug of the oldest live link
	AffiliateLinks []AffiliateLink `json:"affiliateLinks"`
}

// AffiliateContact is the affiliate inside a code.
type AffiliateContact struct {
	ID        uuid.UUID `json:"id"`
	FirstName string    `json:"firstName"`
	LastName  string    `json:"lastName"`
	Email     string    `json:"email"`
}

// An Answer is an affiliate's answer to a signup question of the host.
type Answer struct {
	ID         uuid.UUID `json:"id"`
	QuestionID uuid.UUID `json:"questionId"`
	Answer     string    `json:"answer"`
}

// NewAffiliate is the input of [Program.CreateAffiliate]. The names and the
// email are required.
type NewAffiliate struct {
	Once             `json:"-"`
	FirstName        string       `json:"firstName"` // 1–100 characters
	LastName         string       `json:"lastName"`
	Email            string       `json:"email"`                     // unique among live affiliates
	CommissionRate   Opt[Percent] `json:"commissionRate,omitzero"`   // its own rate, of the type of its plan
	AffiliateLink    string       `json:"affiliateLink,omitzero"`    // slug of the first link; empty: made from the email
	AffiliateStatus  string       `json:"affiliateStatus,omitzero"`  // active or inactive in any case; anything else: the program's setting
	SendWelcomeEmail bool         `json:"sendWelcomeEmail,omitzero"` // no mail is sent; for callers of the hosted service
	CommissionPlanID uuid.UUID    `json:"commissionPlanId,omitzero"`
	AffiliateGroupID Opt[string]  `json:"affiliateGroupId,omitzero"` // groups are not modelled: any value is refused

	// Answers are the signup answers; their ids are made by the engine when
	// zero. Go calls only.
	Answers []Answer `json:"-"`
}

// AffiliateUpdate is the input of [Program.UpdateAffiliate]; what is not given
// stays.
type AffiliateUpdate struct {
	FirstName       Opt[string]  `json:"firstName,omitzero"`
	LastName        Opt[string]  `json:"lastName,omitzero"`
	Email           Opt[string]  `json:"email,omitzero"`           // the new address
	CommissionRate  Opt[Percent] `json:"commissionRate,omitzero"`  // its own rate, of the type of its plan; null: inherit
	AffiliateLink   Opt[string]  `json:"affiliateLink,omitzero"`   // adds a link, never renames one
	AffiliateStatus Opt[string]  `json:"affiliateStatus,omitzero"` // active or inactive, in any case and from any status
}

// AffiliateRef names an affiliate by id or email. When both are given they must
// name the same record.
type AffiliateRef struct {
	ID    uuid.UUID
	Email string
}

// PayoutDetails say how an affiliate is paid. Both empty: nothing is known.
type PayoutDetails struct {
	Email  string
	Method PaymentMethod
}

// maxAnswer is the longest signup answer, in characters.
const maxAnswer = 10_000

// CreateAffiliate adds an affiliate with its first link, both or neither. The
// slug is AffiliateLink, or one made from the email; see rule 4.2. The status
// is AffiliateStatus, or what Config.NoAutoApprove decides.
//
// Errors: [MissingField] and [InvalidField] (firstName, lastName, email),
// [SlugSyntax], [InvalidField] (questionAnswers.questionId,
// questionAnswers.answer), [PlanNotFound] (invalid: 400), [GroupNotFound],
// [InvalidField] (commissionRate), [AffiliateEmailTaken], [SlugTaken].
//
// Effects: the affiliate and its link; affiliate.created.
//
// Source: docs/contract.md 3.1.
func (p *Program) CreateAffiliate(ctx context.Context, in NewAffiliate) (Affiliate, error) {
	return p.addAffiliate(ctx, "affiliate.create", in, p.newStatus(in.AffiliateStatus))
}

// InviteAffiliate is [Program.CreateAffiliate] with the status INVITED,
// whatever AffiliateStatus says; [Program.AcceptInvite] ends it.
//
// Errors: those of [Program.CreateAffiliate].
//
// Effects: the affiliate and its link; affiliate.created.
//
// Source: docs/rules.md 4.1; docs/contract.md 6.
func (p *Program) InviteAffiliate(ctx context.Context, in NewAffiliate) (Affiliate, error) {
	return p.addAffiliate(ctx, "affiliate.invite", in, AffiliateInvited)
}

// addAffiliate creates an affiliate in the status.
func (p *Program) addAffiliate(ctx context.Context, name string, in NewAffiliate, status AffiliateStatus) (Affiliate, error) {
	rq := request{once: in.Once, name: name, input: struct {
		NewAffiliate
		Answers []Answer // they are part of the request
	}{in, in.Answers}}
	rq.refused = in.check()
	base, random := slugBase(in.Email), p.ids.randomSlug()
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
			Source: o.source.forAffiliate(), Rate: valueOrNothing(in.CommissionRate), PlanID: in.CommissionPlanID,
			CreatedAt: o.now, UpdatedAt: o.now,
		}
		if !rec.Rate.IsZero() {
			rec.RateType = terms.Type
		}
		if _, err := o.addLink(rec.ID, slug, requestedSlugTaken.err()); err != nil {
			return Affiliate{}, err
		}
		rec.Answers = o.answers(in.Answers)
		return o.announce(rec, AffiliateCreated)
	})
}

// check validates a new affiliate by itself and makes the email canonical.
func (in *NewAffiliate) check() error {
	err := first(
		required("firstName", in.FirstName, firstNameRequired, maxPersonName),
		required("lastName", in.LastName, lastNameRequired, maxPersonName),
	)
	if err != nil {
		return err
	}
	if blank(in.Email) {
		return emailRequired.err()
	}
	if err := first(checkEmail("email", &in.Email)); err != nil {
		return err
	}
	if in.AffiliateLink != "" {
		if err := first(checkSlug("affiliateLink", in.AffiliateLink)); err != nil {
			return err
		}
	}
	return checkAnswers(in.Answers)
}

// checkAnswers checks signup answers: a question and 1–10,000 characters each,
// newlines and tabs allowed.
func checkAnswers(all []Answer) error {
	for i := range all {
		if all[i].QuestionID == uuid.Nil {
			return invalid("questionAnswers.questionId", notAUUID)
		}
		if blank(all[i].Answer) {
			return invalid("questionAnswers.answer", notEmpty)
		}
		if err := checkText("questionAnswers.answer", all[i].Answer, maxAnswer, true); err != nil {
			return err
		}
	}
	return nil
}

// checkNew checks a new affiliate against what is there, and returns the terms
// that it starts under.
func (o *op) checkNew(in NewAffiliate) (Terms, error) {
	terms, err := o.termsOf(in.CommissionPlanID, planNotFound)
	if err != nil {
		return terms, err
	}
	if _, ok := in.AffiliateGroupID.Get(); ok {
		return terms, groupNotFound.err()
	}
	if rate, ok := in.CommissionRate.Get(); ok {
		if err := checkRate(rate, terms.Type); err != nil {
			return terms, err
		}
	}
	if err := o.emailFree(in.Email, uuid.Nil); err != nil {
		return terms, err
	}
	if in.AffiliateLink == "" {
		return terms, nil
	}
	return terms, o.slugFree(in.AffiliateLink, uuid.Nil, requestedSlugTaken.err())
}

// termsOf are the terms of a plan; those of the program for none. They decide
// what an own rate means. A plan that is not there is the given row.
func (o *op) termsOf(plan uuid.UUID, missing refusal) (Terms, error) {
	if plan == uuid.Nil {
		return o.cfg.Terms, nil
	}
	rec, err := o.tx.Plans.Get(plan)
	if err != nil {
		return Terms{}, missing.orOther(err)
	}
	return rec.Terms, nil
}

// emailFree refuses an email that an affiliate other than self has.
func (o *op) emailFree(email string, self uuid.UUID) error {
	rec, err := o.tx.Affiliates.Find(Key{Index: ByEmail, Text: email})
	if errors.Is(err, ErrNotFound) || err == nil && rec.ID == self {
		return nil
	}
	if err != nil {
		return internal("look up email", err)
	}
	return affiliateEmailTaken.err()
}

// answers are the signup answers as a record keeps them, each with an id.
func (o *op) answers(all []Answer) []Answer {
	all = slices.Clone(all)
	for i := range all {
		if all[i].ID == uuid.Nil {
			all[i].ID = o.newID()
		}
	}
	return all
}

package engine

import (
	"encoding/json"
	"slices"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/refusal"
)

// The forms in which an affiliate is shown: in answers, inside sales, referrals
// and codes, and in its own events.

// affiliateOf returns the affiliate as the API answers it.
func (o *Op) affiliateOf(rec record.Affiliate) (affiliate.Affiliate, error) {
	links, err := o.affiliateLinks(rec.ID)
	if err != nil {
		return affiliate.Affiliate{}, err
	}
	totals, err := o.Totals(rec.ID)
	if err != nil {
		return affiliate.Affiliate{}, refusal.Internal("read totals", err)
	}
	deal, err := o.dealFor(&rec, &record.Referral{}, o.Now)
	if err != nil {
		return affiliate.Affiliate{}, err
	}
	return affiliate.Affiliate{
		ID:                              rec.ID,
		FirstName:                       rec.FirstName,
		LastName:                        rec.LastName,
		Name:                            NameOf(rec),
		Email:                           rec.Email,
		ExternalID:                      rec.ExternalID,
		CommissionRate:                  deal.Rate,
		UseCommissionPlanCommissionRate: deal.rateFrom != affiliate.RateOfAffiliate,
		ExemptFromCommissionTierChanges: rec.TierExempt,
		AffiliateLink:                   affiliate.Null[string](),
		Link:                            affiliate.Null[string](),
		AffiliateLinks:                  links,
		Status:                          rec.Status,
		Source:                          rec.Source,
		CommissionPlanID:                OrNull(rec.PlanID),
		CommissionTierID:                OrNull(rec.TierID),
		OfferCouponID:                   rec.OfferCouponID,
		Note:                            rec.Note,
		AffiliateGroupID:                affiliate.Null[string](),
		ProgramID:                       o.Cfg.ID,
		PayoutEmail:                     OrNull(rec.PayoutEmail),
		PaymentMethod:                   OrNull(rec.PaymentMethod),
		DetailsComplete:                 rec.PayoutEmail != "" && rec.PaymentMethod != "",
		EmailVerified:                   affiliate.Null[json.RawMessage](),
		Image:                           affiliate.Null[string](),
		NumberOfReferredUsers:           totals.Referrals,
		NumberOfClicks:                  totals.Clicks,
		TotalRevenue:                    totals.Revenue,
		TotalCommissionEarned:           totals.Commission,
		CreatedAt:                       affiliate.TimeOf(rec.CreatedAt.Time()),
		UpdatedAt:                       affiliate.TimeOf(rec.UpdatedAt.Time()),
	}, nil
}

// NameOf returns the first and the last name joined by a space. An erased affiliate
// has neither.
func NameOf(r record.Affiliate) string { return fullName(r.FirstName, r.LastName) }

func fullName(first, last string) string {
	if first == "" || last == "" {
		return first + last
	}
	return first + " " + last
}

// affiliateLinks lists the live links of the affiliate, oldest first; never
// nil.
func (o *Op) affiliateLinks(id uuid.UUID) ([]affiliate.AffiliateLink, error) {
	links, err := Gather(o.Tx.Links, record.Query{Key: record.Key{Index: record.OfAffiliate, ID: id}})
	if err != nil {
		return nil, refusal.Internal("read links", err)
	}
	return LinksOf(o.Cfg.ID, links), nil
}

// LinksOf returns the links of an affiliate as it shows them; never nil.
func LinksOf(program uuid.UUID, links []record.Link) []affiliate.AffiliateLink {
	out := make([]affiliate.AffiliateLink, len(links))
	for i := range links {
		l := &links[i]
		out[i] = affiliate.AffiliateLink{
			ID: l.ID, Link: l.Slug, UserID: l.AffiliateID, ProgramID: program,
			CreatedAt: affiliate.TimeOf(l.CreatedAt.Time()), UpdatedAt: affiliate.TimeOf(l.UpdatedAt.Time()),
		}
	}
	return out
}

// OldestSlug returns the deprecated single link that events still contain.
func OldestSlug(links []affiliate.AffiliateLink) affiliate.Opt[string] {
	if len(links) == 0 {
		return affiliate.Null[string]()
	}
	return affiliate.Set(links[0].Link)
}

// summary returns the affiliate inside sales and referral events; Link is null.
func (o *Op) summary(rec record.Affiliate) (affiliate.AffiliateSummary, error) {
	links, err := Gather(o.Tx.Links, record.Query{Key: record.Key{Index: record.OfAffiliate, ID: rec.ID}})
	if err != nil {
		return affiliate.AffiliateSummary{}, refusal.Internal("read links", err)
	}
	return SummaryOf(o.Cfg.ID, rec.ID, SellerOf(&rec), links), nil
}

// SummaryOf is summary without a look-up.
func SummaryOf(program, id uuid.UUID, who seller, links []record.Link) affiliate.AffiliateSummary {
	return affiliate.AffiliateSummary{
		ID: id, FirstName: who.firstName, LastName: who.lastName, Name: fullName(who.firstName, who.lastName),
		Email: who.email, Status: who.status.Value(), Link: affiliate.Null[string](), AffiliateLinks: LinksOf(program, links),
	}
}

// SummaryInEvent returns the summary for events: Link is the oldest live slug. It shares no
// memory with s.
func SummaryInEvent(s affiliate.AffiliateSummary) affiliate.AffiliateSummary {
	s.AffiliateLinks = refusal.EmptyNotNil(slices.Clone(s.AffiliateLinks))
	s.Link = OldestSlug(s.AffiliateLinks)
	return s
}

// ContactOf returns the affiliate inside a code.
func ContactOf(rec record.Affiliate) affiliate.AffiliateContact {
	return affiliate.AffiliateContact{ID: rec.ID, FirstName: rec.FirstName, LastName: rec.LastName, Email: rec.Email}
}

// affiliateBody is the body of the affiliate's events. It shares the links with
// the answer until it is frozen.
func (o *Op) affiliateBody(rec record.Affiliate, answer affiliate.Affiliate) (affiliate.AffiliateBody, error) {
	body := affiliate.AffiliateBody{
		Affiliate: answer, CommissionPlan: affiliate.Null[affiliate.Plan](), CommissionTier: affiliate.Null[affiliate.Tier](),
		QuestionAnswers: refusal.EmptyNotNil(slices.Clone(rec.Answers)),
	}
	body.Link, body.Note = OldestSlug(body.AffiliateLinks), "" // a note is for nobody outside the program
	if rec.PlanID != uuid.Nil {
		plan, err := o.Tx.Plans.Get(rec.PlanID)
		if err != nil {
			return body, refusal.Internal("read plan", err)
		}
		body.CommissionPlan = affiliate.Set(planOf(&plan, o.Now))
	}
	if rec.TierID != uuid.Nil {
		tier, err := o.Tx.Tiers.Get(rec.TierID)
		if err != nil {
			return body, refusal.Internal("read tier", err)
		}
		body.CommissionTier = affiliate.Set(tierOf(tier))
	}
	var err error
	body.PromotionalCodes, err = o.affiliateCodes(rec.ID)
	return body, err
}

// affiliateCodes lists the codes of an affiliate as its events show them,
// newest first; never nil.
func (o *Op) affiliateCodes(id uuid.UUID) ([]affiliate.AffiliateCode, error) {
	recs, err := Gather(o.Tx.Codes, record.Query{Key: record.Key{Index: record.OfAffiliate, ID: id}, Desc: true})
	if err != nil {
		return nil, refusal.Internal("read codes", err)
	}
	codes := make([]affiliate.AffiliateCode, len(recs))
	for i, rec := range recs {
		codes[i] = affiliate.AffiliateCode{
			ID: rec.ID, Code: rec.Code, Active: rec.Active, ExpiresAt: refusal.TimeOrNull(rec.ExpiresAt), CouponID: rec.CouponID,
		}
	}
	return codes, nil
}

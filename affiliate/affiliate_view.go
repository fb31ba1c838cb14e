package affiliate

import (
	"encoding/json"
	"slices"

	"github.com/google/uuid"
)

// The forms in which an affiliate is shown: in answers, inside sales, referrals
// and codes, and in its own events.

// affiliateOf is the affiliate as the API answers it.
func (o *op) affiliateOf(rec AffiliateRecord) (Affiliate, error) {
	links, err := o.affiliateLinks(rec.ID)
	if err != nil {
		return Affiliate{}, err
	}
	totals, err := o.totals(rec.ID)
	if err != nil {
		return Affiliate{}, internal("read totals", err)
	}
	deal, err := o.dealFor(&rec, &ReferralRecord{})
	if err != nil {
		return Affiliate{}, err
	}
	return Affiliate{
		ID:                              rec.ID,
		FirstName:                       rec.FirstName,
		LastName:                        rec.LastName,
		Name:                            rec.name(),
		Email:                           rec.Email,
		CommissionRate:                  deal.Rate,
		UseCommissionPlanCommissionRate: deal.rateFrom != RateOfAffiliate,
		ExemptFromCommissionTierChanges: rec.TierExempt,
		AffiliateLink:                   Null[string](),
		Link:                            Null[string](),
		AffiliateLinks:                  links,
		Status:                          rec.Status,
		Source:                          rec.Source,
		CommissionPlanID:                orNull(rec.PlanID),
		CommissionTierID:                orNull(rec.TierID),
		AffiliateGroupID:                Null[string](),
		ProgramID:                       o.cfg.ID,
		PayoutEmail:                     orNull(rec.PayoutEmail),
		PaymentMethod:                   orNull(rec.PaymentMethod),
		DetailsComplete:                 rec.PayoutEmail != "" && rec.PaymentMethod != "",
		EmailVerified:                   Null[json.RawMessage](),
		Image:                           Null[string](),
		NumberOfReferredUsers:           totals.Referrals,
		NumberOfClicks:                  totals.Clicks,
		TotalRevenue:                    totals.Revenue,
		TotalCommissionEarned:           totals.Commission,
		CreatedAt:                       TimeOf(rec.CreatedAt.Time()),
		UpdatedAt:                       TimeOf(rec.UpdatedAt.Time()),
	}, nil
}

// name is the first and the last name joined by a space. An erased affiliate
// has neither.
func (r AffiliateRecord) name() string { return fullName(r.FirstName, r.LastName) }

func fullName(first, last string) string {
	if first == "" || last == "" {
		return first + last
	}
	return first + " " + last
}

// affiliateLinks lists the live links of the affiliate, oldest first; never
// nil.
func (o *op) affiliateLinks(id uuid.UUID) ([]AffiliateLink, error) {
	links, err := gather(o.tx.Links, Query{Key: Key{Index: OfAffiliate, ID: id}})
	if err != nil {
		return nil, internal("read links", err)
	}
	return linksOf(o.cfg.ID, links), nil
}

// linksOf is the links of an affiliate as it shows them; never nil.
func linksOf(program uuid.UUID, links []LinkRecord) []AffiliateLink {
	out := make([]AffiliateLink, len(links))
	for i := range links {
		l := &links[i]
		out[i] = AffiliateLink{
			ID: l.ID, Link: l.Slug, UserID: l.AffiliateID, ProgramID: program,
			CreatedAt: TimeOf(l.CreatedAt.Time()), UpdatedAt: TimeOf(l.UpdatedAt.Time()),
		}
	}
	return out
}

// oldestSlug is the deprecated single link that events still contain.
func oldestSlug(links []AffiliateLink) Opt[string] {
	if len(links) == 0 {
		return Null[string]()
	}
	return Set(links[0].Link)
}

// summary is the affiliate inside sales and referral events; Link is null.
func (o *op) summary(rec AffiliateRecord) (AffiliateSummary, error) {
	links, err := gather(o.tx.Links, Query{Key: Key{Index: OfAffiliate, ID: rec.ID}})
	if err != nil {
		return AffiliateSummary{}, internal("read links", err)
	}
	return summaryOf(o.cfg.ID, rec.ID, rec.seller(), links), nil
}

// summaryOf is summary without a look-up.
func summaryOf(program, id uuid.UUID, who seller, links []LinkRecord) AffiliateSummary {
	return AffiliateSummary{
		ID: id, FirstName: who.firstName, LastName: who.lastName, Name: fullName(who.firstName, who.lastName),
		Email: who.email, Status: who.status.Value(), Link: Null[string](), AffiliateLinks: linksOf(program, links),
	}
}

// inEvent is the summary for events: Link is the oldest live slug. It shares no
// memory with s.
func (s AffiliateSummary) inEvent() AffiliateSummary {
	s.AffiliateLinks = emptyNotNil(slices.Clone(s.AffiliateLinks))
	s.Link = oldestSlug(s.AffiliateLinks)
	return s
}

// contactOf is the affiliate inside a code.
func contactOf(rec AffiliateRecord) AffiliateContact {
	return AffiliateContact{ID: rec.ID, FirstName: rec.FirstName, LastName: rec.LastName, Email: rec.Email}
}

// affiliateBody is the body of the affiliate's events. It shares the links with
// the answer until it is frozen.
func (o *op) affiliateBody(rec AffiliateRecord, answer Affiliate) (AffiliateBody, error) {
	body := AffiliateBody{
		Affiliate: answer, CommissionPlan: Null[Plan](), CommissionTier: Null[Tier](),
		QuestionAnswers: emptyNotNil(slices.Clone(rec.Answers)),
	}
	body.Link = oldestSlug(body.AffiliateLinks)
	if rec.PlanID != uuid.Nil {
		plan, err := o.tx.Plans.Get(rec.PlanID)
		if err != nil {
			return body, internal("read plan", err)
		}
		body.CommissionPlan = Set(planOf(plan))
	}
	if rec.TierID != uuid.Nil {
		tier, err := o.tx.Tiers.Get(rec.TierID)
		if err != nil {
			return body, internal("read tier", err)
		}
		body.CommissionTier = Set(tierOf(tier))
	}
	var err error
	body.PromotionalCodes, err = o.affiliateCodes(rec.ID)
	return body, err
}

// affiliateCodes lists the codes of an affiliate as its events show them,
// newest first; never nil.
func (o *op) affiliateCodes(id uuid.UUID) ([]AffiliateCode, error) {
	recs, err := gather(o.tx.Codes, Query{Key: Key{Index: OfAffiliate, ID: id}, Desc: true})
	if err != nil {
		return nil, internal("read codes", err)
	}
	codes := make([]AffiliateCode, len(recs))
	for i, rec := range recs {
		codes[i] = AffiliateCode{
			ID: rec.ID, Code: rec.Code, Active: rec.Active, ExpiresAt: timeOrNull(rec.ExpiresAt), CouponID: rec.CouponID,
		}
	}
	return codes, nil
}

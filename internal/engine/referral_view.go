package engine

import (
	"encoding/json"
	"slices"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/refusal"
)

// referralBody is the body of the referral's events.
func (o *Op) referralBody(rec record.Referral) (body affiliate.ReferralBody, err error) {
	if body.Referral, err = o.ReferralOf(rec); err != nil {
		return body, err
	}
	aff, err := o.Tx.Affiliates.Get(rec.AffiliateID)
	if err != nil {
		return body, refusal.Internal("affiliate of a referral", err)
	}
	summary, err := o.summary(aff)
	if err != nil {
		return body, err
	}
	body.Affiliate = SummaryInEvent(summary)
	body.CommissionPlan = affiliate.Null[affiliate.Plan]()
	if rec.PlanID != uuid.Nil {
		plan, err := o.Tx.Plans.Get(rec.PlanID)
		if err != nil {
			return body, refusal.Internal("plan of a referral", err)
		}
		body.CommissionPlan = affiliate.Set(planOf(&plan, o.Now))
	}
	return body, nil
}

// ReferralOf returns the referral as the wire shows it.
func (o *Op) ReferralOf(rec record.Referral) (affiliate.Referral, error) {
	totals, err := o.Totals(rec.ID)
	if err != nil {
		return affiliate.Referral{}, err
	}
	return ReferralWith(o.Cfg.ID, rec, totals), nil
}

func ReferralWith(program uuid.UUID, rec record.Referral, totals record.Totals) affiliate.Referral {
	return affiliate.Referral{
		ID: rec.ID, AffiliateID: rec.AffiliateID, Name: OrNull(rec.Name), Email: rec.Email,
		ReferredUserExternalID: OrNull(rec.CustomerID), Plan: OrNull(rec.Plan),
		SubscriptionStatus: rec.Status, Status: rec.Status, SubmissionType: rec.SubmissionType,
		ReferralMedium: rec.Medium, Source: rec.Source, IntegrationReferralSource: OrNull(rec.Integration),
		TotalRevenue: totals.Revenue, TotalCommission: totals.Commission,
		InitialLandingPage: OrNull(rec.LandingPage), Notes: refusal.NothingOrNull(rec.Notes), Metadata: metadataOf(rec.Metadata),
		AffiliateProgramID: program, AffiliateLinkID: OrNull(rec.LinkID), CommissionPlanID: OrNull(rec.PlanID),
		CreatedAt: affiliate.TimeOf(rec.CreatedAt.Time()), UpdatedAt: affiliate.TimeOf(rec.UpdatedAt.Time()),
	}
}

// metadataOf returns a copy of stored metadata, or null.
func metadataOf(raw json.RawMessage) affiliate.Opt[json.RawMessage] {
	if raw == nil {
		return affiliate.Null[json.RawMessage]()
	}
	return affiliate.Set(slices.Clone(raw))
}

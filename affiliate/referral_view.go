package affiliate

import (
	"encoding/json"
	"slices"

	"github.com/google/uuid"
)

// referralBody is the body of the referral's events.
func (o *op) referralBody(rec ReferralRecord) (body ReferralBody, err error) {
	if body.Referral, err = o.referralOf(rec); err != nil {
		return body, err
	}
	aff, err := o.tx.Affiliates.Get(rec.AffiliateID)
	if err != nil {
		return body, internal("affiliate of a referral", err)
	}
	summary, err := o.summary(aff)
	if err != nil {
		return body, err
	}
	body.Affiliate = summary.inEvent()
	body.CommissionPlan = Null[Plan]()
	if rec.PlanID != uuid.Nil {
		plan, err := o.tx.Plans.Get(rec.PlanID)
		if err != nil {
			return body, internal("plan of a referral", err)
		}
		body.CommissionPlan = Set(planOf(plan))
	}
	return body, nil
}

// referralOf is the referral as the wire shows it.
func (o *op) referralOf(rec ReferralRecord) (Referral, error) {
	totals, err := o.totals(rec.ID)
	if err != nil {
		return Referral{}, err
	}
	return referralWith(o.cfg.ID, rec, totals), nil
}

func referralWith(program uuid.UUID, rec ReferralRecord, totals TotalsRecord) Referral {
	return Referral{
		ID: rec.ID, AffiliateID: rec.AffiliateID, Name: orNull(rec.Name), Email: rec.Email,
		ReferredUserExternalID: orNull(rec.CustomerID), Plan: orNull(rec.Plan),
		SubscriptionStatus: rec.Status, Status: rec.Status, SubmissionType: rec.SubmissionType,
		ReferralMedium: rec.Medium, Source: rec.Source, IntegrationReferralSource: orNull(rec.Integration),
		TotalRevenue: totals.Revenue, TotalCommission: totals.Commission,
		InitialLandingPage: orNull(rec.LandingPage), Notes: nothingOrNull(rec.Notes), Metadata: metadataOf(rec.Metadata),
		AffiliateProgramID: program, AffiliateLinkID: orNull(rec.LinkID), CommissionPlanID: orNull(rec.PlanID),
		CreatedAt: TimeOf(rec.CreatedAt.Time()), UpdatedAt: TimeOf(rec.UpdatedAt.Time()),
	}
}

// metadataOf is a copy of stored metadata, or null.
func metadataOf(raw json.RawMessage) Opt[json.RawMessage] {
	if raw == nil {
		return Null[json.RawMessage]()
	}
	return Set(slices.Clone(raw))
}

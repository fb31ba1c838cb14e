package httpapi

import (
	"cmp"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/internal/refusal"
)

// Source: docs/contract.md 4.6.

// affiliateSearch are the parameters that select affiliates in a search, in their
// order; referralSearch and codeSearch are those for referrals and codes.
var (
	affiliateSearch = []string{"status", "externalId", "commissionPlanId", "commissionTierId", "oldestFirst", "search"}
	referralSearch  = []string{"affiliateId", "subscriptionStatus", "since", "until", "oldestFirst", "search"}
	codeSearch      = []string{"couponId", "affiliateId", "active", "state", "oldestFirst", "search"}
)

func affiliateQueryOf(q query) (affiliate.AffiliateQuery, error) {
	status, _ := q.get("status")
	oldest, err := q.boolean("oldestFirst")
	return affiliate.AffiliateQuery{
		Status:     affiliate.AffiliateStatus(status),
		ExternalID: q.text("externalId"), PlanID: q.id("commissionPlanId"), TierID: q.id("commissionTierId"), OldestFirst: oldest.Or(false), Search: q.text("search"),
	}, err
}

func referralQueryOf(q query) (affiliate.ReferralQuery, error) {
	status, _ := q.get("subscriptionStatus")
	f := affiliate.ReferralQuery{AffiliateID: q.id("affiliateId"), Status: affiliate.SubscriptionStatus(status), Search: q.text("search")}
	var err error
	f.Since, f.Until, f.OldestFirst, err = q.made()
	return f, err
}

// made reads when the records of a search were made, and how they are walked.
func (q query) made() (since, until affiliate.Opt[affiliate.Date], oldestFirst bool, err error) {
	since, err1 := q.date("since")
	until, err2 := q.date("until")
	oldest, err3 := q.boolean("oldestFirst")
	return since, until, oldest.Or(false), cmp.Or(err1, err2, err3)
}

func codeQueryOf(q query) (affiliate.CodeQuery, error) {
	state, _ := q.get("state")
	f := affiliate.CodeQuery{
		CouponID: q.id("couponId"), AffiliateID: q.id("affiliateId"), State: affiliate.CodeState(state), Search: q.text("search"),
	}
	var err error
	f.Active, err = q.boolean("active")
	oldest, err1 := q.boolean("oldestFirst")
	f.OldestFirst = oldest.Or(false)
	return f, cmp.Or(err, err1)
}

// summaries lists coupons without their codes.
func summaries() lookup {
	l := filtered([]string{"couponId", "valid"}, couponQueryOf, (*tributary.Program).CouponSummaries)
	l.parts = true
	return l
}

func couponQueryOf(q query) (f affiliate.CouponQuery, err error) {
	f.ID = q.id("couponId")
	f.Valid, err = q.boolean("valid")
	return f, err
}

// boolean reads a parameter that is true or false.
func (q query) boolean(name string) (affiliate.Opt[bool], error) {
	switch text, there := q.get(name); {
	case !there:
		return affiliate.Opt[bool]{}, nil
	case text == "true", text == "false":
		return affiliate.Set(text == "true"), nil
	}
	bad := refusal.FieldNotABoolean.Of(name)
	bad.Reason = affiliate.InvalidQuery
	return affiliate.Opt[bool]{}, bad
}

package httpapi

import (
	"maps"

	"github.com/tributary-go/tributary/affiliate"
)

func planNotes() described {
	return described{
		name: "Commission plans", text: "Terms that affiliates and referrals can be put on.", main: "CommissionPlan",
		answers: map[string]map[string]string{"CommissionPlan": planTexts(), "Rule": ruleTexts(), "RuleWhen": whenTexts(), "RulePay": payTexts()},
		bodies: map[string]note{
			"commissionPlanId":   plain("The id of the plan.", identText),
			"name":               limited(externalText),
			"commissionRate":     plain("0–100, or an amount of 0 or more on flat plans.", atLeast("0")),
			"commissionType":     limited(values[affiliate.CommissionType](), byDefault("PERCENTAGE")),
			"numberOfPayments":   limited(atLeast("1")),
			"numberOfMonths":     limited(atLeast("1"), atMost("1200")),
			"holdDays":           limited(atLeast("0"), atMost("3650"), byDefault(0)),
			"rules":              limited(),
			"monthsFrom":         limited(values[affiliate.MonthsFrom](), byDefault("PAYMENT")),
			"maxPerSale":         limited(atLeast("0")),
			"maxPerCustomer":     limited(atLeast("0")),
			"offerCouponId":      plain("The coupon that links give customers without a code; null: none.", identText),
			"paymentTrigger":     limited(values[affiliate.PaymentTrigger](), byDefault("PURCHASE")),
			"autoApproveRewards": limited(byDefault(true)),
			"from":               plain(fromText),
			"withdraw":           plain(withdrawText),
		},
		operations: map[string]about{
			"GET /commission-plans": {
				id: "getCommissionPlans", summary: "Look a plan up, or list plans",
				params: map[string]string{"commissionPlanId": "Answers the plan or null."},
			},
			"POST /commission-plans": {
				id: "createCommissionPlan", summary: "Add a plan", text: "Fires nothing.",
				required: []string{"name", "commissionRate"},
				refused:  refused{invalid: []affiliate.Reason{affiliate.MissingField}, notFound: []affiliate.Reason{affiliate.CouponNotFound}},
			},
			"PUT /commission-plans": {
				id: "updateCommissionPlan", summary: "Change a plan for future sales",
				text:     "With from, the terms change from then on. The type of a plan in use cannot change. Recorded sales keep their commission. Fires nothing.",
				required: []string{"commissionPlanId"},
				clears:   []string{"numberOfPayments", "numberOfMonths", "rules", "maxPerSale", "maxPerCustomer", "offerCouponId"},
				refused: refused{
					invalid: []affiliate.Reason{affiliate.MissingField, affiliate.PlanInUse}, notFound: []affiliate.Reason{affiliate.PlanNotFound, affiliate.CouponNotFound},
				},
			},
			"DELETE /commission-plans": {
				id: "deleteCommissionPlan", summary: "Delete a plan that nobody is on", text: "Fires nothing.",
				required: []string{"commissionPlanId"},
				refused: refused{
					invalid: []affiliate.Reason{affiliate.MissingField, affiliate.PlanInUse}, notFound: []affiliate.Reason{affiliate.PlanNotFound},
				},
			},
		},
	}
}

const (
	fromText     = "The terms change from this instant on, which is later than now; a plain date is the beginning of that day in the program's time zone. Not there: at once."
	withdrawText = "Takes the terms back that begin at this instant, or at the beginning of this day, and are not in force yet."
)

func termsNotes() described {
	return described{
		name: "Terms", text: "The program's own terms, of affiliates without a plan, each from a moment on.", main: "DatedTerms",
		answers: map[string]map[string]string{"DatedTerms": datedTexts()},
		bodies: map[string]note{
			"commissionRate":   plain("0–100, or an amount of 0 or more of the flat type.", atLeast("0")),
			"commissionType":   limited(values[affiliate.CommissionType]()),
			"numberOfPayments": limited(atLeast("1")),
			"numberOfMonths":   limited(atLeast("1"), atMost("1200")),
			"holdDays":         limited(atLeast("0"), atMost("3650")),
			"rules":            limited(),
			"monthsFrom":       limited(values[affiliate.MonthsFrom]()),
			"maxPerSale":       limited(atLeast("0")),
			"maxPerCustomer":   limited(atLeast("0")),
			"offerCouponId":    plain("The coupon that links give customers without a code; null: none.", identText),
			"from":             plain(fromText),
			"withdraw":         plain(withdrawText),
		},
		operations: map[string]about{
			"GET /terms": {id: "getTerms", summary: "List the program's own terms, oldest first: past, in force, and to come"},
			"PUT /terms": {
				id: "setTerms", summary: "Change the program's own terms, at once or from a moment on",
				text:    "A sale takes the terms that were in force when it was paid. Recorded sales keep their commission. Fires nothing.",
				clears:  []string{"numberOfPayments", "numberOfMonths", "rules", "maxPerSale", "maxPerCustomer", "offerCouponId"},
				refused: refused{notFound: []affiliate.Reason{affiliate.CouponNotFound}},
			},
		},
	}
}

func datedTexts() map[string]string {
	texts := maps.Clone(programNotes().answers["ProgramTerms"])
	texts[""] = "Terms from a moment on, until the next ones."
	texts["from"] = "When they begin; null: since always."
	texts["inForce"] = "True for one of them. Those before it are past, those after it are to come."
	return texts
}

func tierNotes() described {
	return described{
		name: "Commission tiers", text: "Ranks that affiliates reach by their results.", main: "CommissionTier",
		answers: map[string]map[string]string{"CommissionTier": tierTexts(), "Progress": stepTexts()},
		bodies: map[string]note{
			"commissionTierId": plain("The id of the tier.", identText),
			"cursor":           stepCursor(),
			"limit":            stepLimit(),
			"tier":             limited(atLeast("1")),
			"name":             limited(externalText),
			"emoji":            limited(externalText),
			"minReferrals":     limited(atLeast("0"), byDefault(0)),
			"minRevenue":       limited(atLeast("0"), byDefault(0)),
			"conditionType":    limited(values[affiliate.ConditionType](), byDefault("ALL")),
			"commissionRate":   plain("A rate of the program's commission type: 0–100, or an amount of 0 or more.", atLeast("0")),
		},
		operations: map[string]about{
			"GET /commission-tiers": {
				id: "getCommissionTiers", summary: "Look a tier up, or list tiers",
				params: map[string]string{"commissionTierId": "Answers the tier or null."},
			},
			"POST /commission-tiers": {
				id: "createCommissionTier", summary: "Add a tier", text: "It moves no affiliate. Fires nothing.",
				required: []string{"tier", "name"},
				refused:  refused{invalid: []affiliate.Reason{affiliate.MissingField}},
			},
			"PUT /commission-tiers": {
				id: "updateCommissionTier", summary: "Change a tier", text: "It moves no affiliate. Fires nothing.",
				required: []string{"commissionTierId"},
				clears:   []string{"emoji", "commissionRate"},
				refused: refused{
					invalid: []affiliate.Reason{affiliate.MissingField}, notFound: []affiliate.Reason{affiliate.TierNotFound},
				},
			},
			"POST /commission-tiers/assign": {
				id: "assignTiers", summary: "Put every affiliate into the tier whose minimums it meets",
				text: "In steps: send the cursor of the answer until it is done. A step that is repeated has no second effect. Fires affiliate.updated where the tier changed.",
			},
			"DELETE /commission-tiers": {
				id: "deleteCommissionTier", summary: "Delete a tier that nobody is in", text: "Fires nothing.",
				required: []string{"commissionTierId"},
				refused: refused{
					invalid: []affiliate.Reason{affiliate.MissingField, affiliate.TierInUse}, notFound: []affiliate.Reason{affiliate.TierNotFound},
				},
			},
		},
	}
}

func planTexts() map[string]string {
	return map[string]string{
		"":                   "Terms that affiliates can be put on.",
		"name":               "What the plan is called.",
		"commissionRate":     "A percentage, or an amount on flat plans.",
		"commissionType":     "What the rate is.",
		"numberOfPayments":   "It pays for so many payments of a referral; null: no stop.",
		"numberOfMonths":     "It pays for so many months of a customer; null: no stop.",
		"rules":              "What some lines of some sales earn instead of the rate; not there when there are none.",
		"monthsFrom":         "With what the months of a customer begin: the first payment, or the referral; not there: PAYMENT.",
		"maxPerSale":         "What a sale earns at most; not there: no cap.",
		"maxPerCustomer":     "What all sales of a customer earn together at most; not there: no cap.",
		"offerCouponId":      "The coupon that links give customers without a code; not there: none.",
		"versions":           "The terms with their dates, oldest first; not there when they have none, and in events.",
		"paymentTrigger":     "What it pays for.",
		"autoApproveRewards": "False: new commissions are ON_HOLD.",
		"rewardType":         "What it pays in.",
		"holdDays":           "Days of 24 hours until a payout may take the commission of a sale.",
	}
}

func tierTexts() map[string]string {
	return map[string]string{
		"":               "A rank that affiliates reach by their results.",
		"tier":           "The rank, 1 lowest.",
		"name":           "What the tier is called.",
		"emoji":          "Its sign.",
		"minReferrals":   "Live referrals that it takes.",
		"minRevenue":     "Revenue that it takes: what is kept of live sales.",
		"conditionType":  "Whether it takes both minimums, or one.",
		"commissionRate": "The rate of the tier; null: none.",
	}
}

package httpapi

import "github.com/tributary-go/tributary/affiliate"

func affiliateNotes() described {
	return described{
		name: "Affiliates", text: "People who promote the program.", main: "Affiliate",
		answers:    map[string]map[string]string{"Affiliate": affiliateTexts(), "AffiliateLinkEntry": linkEntryTexts(), "AffiliateSummary": summaryTexts(), "AffiliateContact": contactTexts(), "Count": {"count": "How many records were matched."}},
		bodies:     merged(affiliateBodies(), affiliateManyBodies()),
		operations: merged(merged(affiliateOperations(), affiliateManyOperations()), affiliateSearchOperations()),
	}
}

func affiliateTexts() map[string]string {
	return map[string]string{
		"":                                "A person who promotes the program.",
		"firstName":                       "First name.",
		"lastName":                        "Last name.",
		"name":                            "First and last name joined by a space.",
		"email":                           "Lower case; unique among the live affiliates of the program.",
		"externalId":                      "The host's own id of the user, account or tenant; not there when there is none. Unique among the live affiliates of the program.",
		"commissionRate":                  "The own rate, else the one inherited from tier, plan or program: a percentage, or an amount on flat plans.",
		"useCommissionPlanCommissionRate": "True when no own rate is set.",
		"exemptFromCommissionTierChanges": "True when tier changes leave the affiliate alone.",
		"affiliateLink":                   "Deprecated, always null; see affiliateLinks.",
		"link":                            "Deprecated. Null in answers; in events the slug of the oldest live link, or null.",
		"affiliateLinks":                  "The live links, oldest first.",
		"status":                          "INACTIVE means pending.",
		"source":                          "Where the affiliate came from; API over HTTP.",
		"commissionPlanId":                "The commission plan, if any.",
		"commissionTierId":                "The tier, if any.",
		"offerCouponId":                   "The coupon that its links give customers, before that of its plan and the program; not there: none of its own.",
		"note":                            "What the people of the program wrote of the affiliate for each other; not there: nothing. It is never in events.",
		"affiliateGroupId":                "Always null: there are no groups.",
		"payoutEmail":                     "Where payouts are announced; null until it is known.",
		"paymentMethod":                   "How payouts are made; null until it is known.",
		"detailsComplete":                 "True when payoutEmail and paymentMethod are both known.",
		"emailVerified":                   "Always null.",
		"image":                           "Always null.",
		"numberOfReferredUsers":           "Live referrals.",
		"numberOfClicks":                  "Recorded clicks.",
		"totalRevenue":                    "The sum of what is kept of the live sales: totalEarned less refundedAmount.",
		"totalCommissionEarned":           "The sum of the commissions of the live sales, declined ones excluded.",
	}
}

func linkEntryTexts() map[string]string {
	return map[string]string{
		"":       "A link as its owner shows it.",
		"link":   "The slug.",
		"userId": "The affiliate.",
	}
}

func summaryTexts() map[string]string {
	return map[string]string{
		"":               "The affiliate inside sales and referral events.",
		"firstName":      "First name.",
		"lastName":       "Last name.",
		"name":           "First and last name joined by a space.",
		"email":          "Lower case.",
		"status":         "INACTIVE means pending.",
		"link":           "Deprecated. Null in answers; in events the slug of the oldest live link, or null.",
		"affiliateLinks": "The live links, oldest first.",
	}
}

func contactTexts() map[string]string {
	return map[string]string{
		"":          "The affiliate of a promotional code.",
		"firstName": "First name.",
		"lastName":  "Last name.",
		"email":     "Lower case.",
	}
}

func affiliateBodies() map[string]note {
	return map[string]note{
		"affiliateId":      plain("The id of the affiliate, or ext: and its externalId. DELETE takes its email as well.", identText),
		"id":               plain("An old name of affiliateId.", identText),
		"emailAddress":     plain("The present email of the affiliate.", emailIdent),
		"forfeit":          plain("What is owed and in no payout is given up; without it that is refused."),
		"firstName":        limited(nameText),
		"lastName":         limited(nameText),
		"email":            plain("Trimmed and lower-cased; unique among the live affiliates of the program.", emailText),
		"externalId":       plain("The host's own id of the user, account or tenant, compared exactly; unique among the live affiliates of the program.", externalText),
		"commissionRate":   plain("An own rate: 0–100 on percentage plans, an amount on flat ones.", atLeast("0")),
		"affiliateLink":    plain("The slug of a new link, which is added and replaces none. At creation one is made from the email when it is not given.", slugText),
		"affiliateStatus":  plain("active or inactive, in any letter case. At creation anything else leaves it to the program."),
		"sendWelcomeEmail": plain("Accepted; no mail is sent."),
		"commissionPlanId": limited(identText),
		"offerCouponId":    plain("The coupon that its links give customers without a code; null: that of its plan, else the program's.", identText),
		"note":             plain("For the people of the program alone, with line breaks; null or empty: none.", chars("", "2000")),
		"affiliateGroupId": plain("There are no groups: any value is refused.", onlyNull),
	}
}

func affiliateOperations() map[string]about {
	return map[string]about{
		"GET /affiliates": {
			id: "getAffiliates", summary: "Look an affiliate up, or list all",
			params: map[string]string{
				"id":         "With ext: in front an externalId. Digits: a click id first; then an affiliate id; then a slug. Answers the affiliate or null.",
				"email":      "Answers the affiliate or null.",
				"externalId": "Answers the affiliate or null.",
			},
		},
		"POST /affiliates": {
			id: "createAffiliate", summary: "Add an affiliate with a first link",
			text:     "Fires affiliate.created.",
			required: []string{"firstName", "lastName", "email"},
			refused: refused{invalid: []affiliate.Reason{
				affiliate.MissingField, affiliate.SlugSyntax, affiliate.PlanNotFound, affiliate.GroupNotFound,
				affiliate.AffiliateEmailTaken, affiliate.AffiliateExternalIDTaken, affiliate.SlugTaken,
			}, notFound: []affiliate.Reason{affiliate.CouponNotFound}},
		},
		"POST /affiliates/ensure": {
			id: "ensureAffiliate", summary: "The affiliate with an externalId, created when there is none",
			text:     "An affiliate that is there already stays as it is, whatever else the body says. Of any number of requests at once, one creates it, and all get it. Fires affiliate.created for a new one.",
			required: []string{"firstName", "lastName", "email", "externalId"},
			refused: refused{invalid: []affiliate.Reason{
				affiliate.MissingField, affiliate.SlugSyntax, affiliate.PlanNotFound, affiliate.GroupNotFound,
				affiliate.AffiliateEmailTaken, affiliate.SlugTaken,
			}, notFound: []affiliate.Reason{affiliate.CouponNotFound}},
		},
		"PUT /affiliates": {
			id: "updateAffiliate", summary: "Change an affiliate",
			text:   "The count is 0 when nothing matched. Fires affiliate.updated when something changed.",
			oneOf:  []string{"affiliateId", "id", "emailAddress"},
			clears: []string{"externalId", "commissionRate", "offerCouponId", "note"},
			limits: map[string]limit{"affiliateStatus": matches("^([Aa][Cc][Tt][Ii][Vv][Ee]|[Ii][Nn][Aa][Cc][Tt][Ii][Vv][Ee])$")},
			refused: refused{invalid: []affiliate.Reason{
				affiliate.MissingField, affiliate.SlugSyntax, affiliate.IdentifiersMismatch,
				affiliate.AffiliateEmailTaken, affiliate.AffiliateExternalIDTaken, affiliate.SlugTaken, affiliate.LinkLimitReached,
			}, notFound: []affiliate.Reason{affiliate.CouponNotFound}},
		},
		"DELETE /affiliates": {
			id: "deleteAffiliate", summary: "Delete an affiliate",
			text: "Removes the affiliate's links, referrals and sales; its codes stay, unassigned. Answers the same when nothing matched. " +
				"Fires affiliate.deleted only, and only when something was deleted.",
			oneOf:   []string{"affiliateId", "id"},
			refused: refused{invalid: []affiliate.Reason{affiliate.MissingField, affiliate.InPayout, affiliate.MoneyOwed}},
		},
	}
}

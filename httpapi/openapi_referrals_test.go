package httpapi

import "github.com/tributary-go/tributary/affiliate"

func referralNotes() described {
	return described{
		name: "Referrals", text: "Customers who came through an affiliate.", main: "Referral",
		answers:    map[string]map[string]string{"Referral": referralTexts()},
		bodies:     referralBodies(),
		operations: merged(merged(referralOperations(), referralManyOperations()), referralSearchOperations()),
	}
}

func referralTexts() map[string]string {
	return map[string]string{
		"":                          "A customer who came through an affiliate.",
		"affiliateId":               "The affiliate. Only an update gives the referral to another one.",
		"name":                      "The customer's name.",
		"email":                     "Lower case; no other referral of the program has its mailbox.",
		"referredUserExternalId":    "The caller's own id of the customer, unique among the live referrals of the program; null when the referral was made for a sale.",
		"plan":                      "What the customer has subscribed to.",
		"subscriptionStatus":        "No sale of a customer who is SUBMITTED or DECLINED is recorded.",
		"status":                    "The same as subscriptionStatus.",
		"submissionType":            "AUTOMATIC over HTTP.",
		"referralMedium":            "COUPON when a code attributed the referral, else LINK.",
		"source":                    "Where the referral came from; API over HTTP.",
		"integrationReferralSource": "The integration that reported the referral; null over HTTP.",
		"totalRevenue":              "The sum of what is kept of the live sales: totalEarned less refundedAmount.",
		"totalCommission":           "The sum of the commissions of the live sales, declined ones excluded.",
		"initialLandingPage":        "The landing page of the click that named the affiliate, if one did.",
		"notes":                     "Free text.",
		"metadata":                  "The caller's own object.",
		"affiliateLinkId":           "The link of the click or slug; null when none was named, and once the link is deleted.",
		"commissionPlanId":          "The affiliate's plan when the referral was made.",
	}
}

func referralBodies() map[string]note {
	return map[string]note{
		"cursor":                 stepCursor(),
		"limit":                  stepLimit(),
		"forfeit":                plain("The commissions that are owed for the sales are given up; without it that is refused."),
		"from":                   plain("Who goes: an id or an email.", identText),
		"into":                   plain("Who stays, named likewise.", identText),
		"referralIds":            plain("The ids of the referrals: all are changed or none.", distinct("1", "1000")),
		"commissionPlanId":       plain("The plan; null: the affiliate's.", identText),
		"referralId":             plain("The id of the referral, or the customer's email.", identText),
		"affiliateId":            plain("With ext: in front an externalId of an affiliate; a click id, affiliate id or slug; an integer is taken as its digits.", identText),
		"affiliateEmail":         plain("The affiliate's email.", emailIdent),
		"promoCode":              plain("A code, which decides the affiliate before the other two. Nothing is counted.", identText),
		"name":                   limited(externalText),
		"email":                  plain("Trimmed and lower-cased. A customer who is known already is answered as is.", emailText),
		"referredUserExternalId": plain("The caller's own id of the customer.", externalText),
		"plan":                   limited(externalText, byDefault("N/A")),
		"subscriptionStatus":     limited(only("ACTIVE", "SUBMITTED", "DECLINED")),
		"status":                 plain("Deprecated. active or inactive, in any letter case, mean subscriptionStatus ACTIVE; anything else is ignored.", deprecated),
		"notes":                  limited(chars("", "10000")),
		"metadata":               plain("Replaced as a whole; at most 16,384 bytes in compact form.", open),
	}
}

func referralOperations() map[string]about {
	return map[string]about{
		"GET /referrals": {
			id: "getReferrals", summary: "Look a referral up, or list referrals",
			params: map[string]string{
				"id":             "The id of the referral, else the customer's email. Answers the referral or null.",
				"affiliateId":    "The referrals of this affiliate.",
				"affiliateEmail": "The referrals of the affiliate with this email.",
				"externalId":     "The referrals with this referredUserExternalId.",
			},
		},
		"POST /referrals": {
			id: "createReferral", summary: "Report a customer",
			text: "The affiliate comes from promoCode, else affiliateId, else affiliateEmail; null is answered when there is none. " +
				"Fires referral.created when a referral was made.",
			required: []string{"name", "email", "referredUserExternalId"},
			oneOf:    []string{"promoCode", "affiliateId", "affiliateEmail"},
			misses:   true,
			refused: refused{invalid: append([]affiliate.Reason{
				affiliate.AttributionRequired, affiliate.MissingField, affiliate.IdentifiersMismatch, affiliate.ReferralExternalIDTaken,
			}, codeRefusalsWithCustomer()...)},
		},
		"PUT /referrals": {
			id: "updateReferral", summary: "Change a referral",
			text:     "Fires referral.updated when something changed.",
			required: []string{"referralId"},
			clears:   []string{"name", "referredUserExternalId", "plan", "notes", "metadata"},
			refused: refused{invalid: []affiliate.Reason{
				affiliate.MissingField, affiliate.ReferralNotFound, affiliate.ReferralEmailTaken, affiliate.ReferralExternalIDTaken, affiliate.ReferralErased, affiliate.AffiliateNotFound,
			}},
			limits: map[string]limit{"affiliateId": func(s *schema) {
				identText(s)
				s.Description = "Scope full. The id of the affiliate whom the customer's future sales credit."
			}},
		},
		"DELETE /referrals": {
			id: "deleteReferral", summary: "Delete a referral and its sales",
			text:     "Answers the same when nothing matched. Fires referral.deleted only, and only on a match.",
			required: []string{"referralId"},
			refused:  refused{invalid: []affiliate.Reason{affiliate.MissingField, affiliate.InPayout, affiliate.MoneyOwed}},
		},
	}
}

func deprecated(s *schema) { s.Deprecated = true }
func open(s *schema)       { s.AdditionalProperties = true }

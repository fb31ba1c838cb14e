package httpapi

import "github.com/tributary-go/tributary/affiliate"

// Operations of the administrator on referrals, codes, clicks and sales.

func referralManyOperations() map[string]about {
	allFive := func(s *schema) { s.Enum = []any{"ACTIVE", "SUBMITTED", "DECLINED", "PAST_DUE", "CANCELLED"} }
	return map[string]about{
		"POST /referrals/status": {
			id: "pushReferralStatus", summary: "Set the status that a payment provider reports",
			text:     "Fires referral.updated when it changed.",
			required: []string{"referralId", "subscriptionStatus"},
			limits:   map[string]limit{"subscriptionStatus": allFive},
			refused:  refused{invalid: []affiliate.Reason{affiliate.MissingField, affiliate.ReferralNotFound}},
		},
		"POST /referrals/erase": erasureNote("eraseReferral", "Erase a customer", "referralId",
			refused{invalid: []affiliate.Reason{affiliate.MissingField, affiliate.ReferralNotFound}}),
		"POST /referrals/merge": mergeNote("mergeReferrals", "Make one customer of two",
			"All that from has becomes that of into, which keeps its affiliate, its link and its plan; the id, the email and the host's id of from name into from then on. What was merged before is answered as it is. "+
				"Fires sale.updated for each sale that moved, referral.deleted and referral.updated.",
			refused{invalid: []affiliate.Reason{affiliate.MissingField, affiliate.ReferralNotFound, affiliate.ReferralErased}}),
		"POST /referrals/plan": {
			id: "setReferralPlan", summary: "Put referrals on a commission plan of their own, for future sales",
			text:     "The plan is used instead of the affiliate's. Answers the referrals in the order of the ids. Fires referral.updated for each that changed.",
			required: []string{"referralIds", "commissionPlanId"},
			limits:   map[string]limit{"commissionPlanId": nullable},
			refused: refused{invalid: []affiliate.Reason{
				affiliate.MissingField, affiliate.BulkLimitExceeded, affiliate.PlanNotFound, affiliate.ReferralNotFound,
			}},
		},
	}
}

// mergeNote describes a merge.
func mergeNote(id, summary, text string, refused refused) about {
	return about{id: id, summary: summary, text: text, required: []string{"from", "into"}, refused: refused}
}

func clickNotes() described {
	optional := func(text string) note { return plain(text) }
	return described{
		name: "Clicks", text: "Visits through the links of affiliates, as servers report them.", main: "Click",
		answers: map[string]map[string]string{"Click": {
			"":                 "A recorded visit through a link.",
			"id":               "The id: an affiliateId or referralId of later requests.",
			"affiliateId":      "The affiliate of the slug.",
			"affiliateLinkId":  "The link.",
			"referralId":       "The referral, once the visitor is one.",
			"deviceId":         "The visitor.",
			"offer":            "What the link gives now, if the request asks for it; not there when it gives nothing.",
			"uniqueClick":      "False for a repeated visit.",
			"fullLandingUrl":   "The page that was visited, as far as it is kept.",
			"documentReferrer": "The page with the link, as far as it is kept.",
			"userAgent":        "The browser.",
		}},
		bodies: map[string]note{
			"referralCode":     plain("The slug.", identText),
			"uniqueClick":      plain("False marks a repeated visit.", byDefault(true)),
			"fullLandingUrl":   optional("The page that was visited, cut at 512 bytes. Origin, path, the slug's parameter, utm_*, sub and what the host allows are kept; what is no http or https URL is not."),
			"documentReferrer": optional("The page that the visitor came from. The same of it is kept."),
			"userAgent":        optional("The browser, cut at 512 bytes."),
			"deviceId":         optional("The visitor, cut at 512 bytes."),
			"offer":            plain("Ask for offer in the answer.", byDefault(false)),
			"earlierClickId":   plain("The visitor's click before this one, in a program where the first click credits; others ignore it."),
		},
		operations: map[string]about{
			"POST /clicks": {
				id: "trackClick", summary: "Record a click",
				text:     "For servers; pages of a browser have an endpoint without a key. Answers null for an unknown slug. Fires nothing.",
				required: []string{"referralCode"}, misses: true,
				refused: refused{invalid: []affiliate.Reason{affiliate.MissingField}},
			},
		},
	}
}

func generateTexts() map[string]map[string]string {
	return map[string]map[string]string{
		"GeneratedCodes": {
			"":         "The codes of a batch.",
			"count":    "How many codes the batch makes.",
			"keySpace": "How many random parts there are, without regard to letter case: a decimal number.",
			"codes":    "The codes, newest first; empty when nothing was made.",
		},
		"GeneratedCode": {"": "A code of a batch.", "code": "The text.", "affiliateId": "Who is credited."},
	}
}

func generateBodies() map[string]note {
	return map[string]note{
		"affiliateIds": plain("Makes count codes for each of these affiliates.", distinct("", "1000")),
		"count":        plain("How many codes, for each affiliate; at most 10,000 in all.", atLeast("1"), atMost("10000")),
		"checkOnly":    plain("True: nothing is made, and the answer says what it would take.", byDefault(false)),
	}
}

func generateOperations() map[string]about {
	return map[string]about{
		"POST /promotional-codes/generate": {
			id: "generateCodes", summary: "Generate many codes",
			text:     "All are made or none. Their random parts differ without regard to letter case. Fires promocode.created for each.",
			required: []string{"couponId", "codeStructure", "count"},
			refused: refused{
				invalid: []affiliate.Reason{
					affiliate.MissingField, affiliate.CodeStructureEmpty, affiliate.IdentifiersMismatch, affiliate.GeneratedCodeInvalid,
					affiliate.GeneratedCodeTaken, affiliate.KeySpaceTooSmall, affiliate.BulkLimitExceeded,
				},
				notFound: []affiliate.Reason{affiliate.CouponNotFound, affiliate.AffiliateNotFound},
			},
		},
	}
}

func reversalTexts() map[string]map[string]string {
	return map[string]map[string]string{
		"SaleReversed": {"": "A sale was reversed.", "reversedSale": "The sale."},
		"ReversedSale": {"": "What is left of a sale.", "id": "The id."},
	}
}

func reversalOperations() map[string]about {
	return map[string]about{
		"POST /sales/reverse": {
			id: "reverseSale", summary: "Remove a sale that a provider reports as reversed",
			text: "The sale is named by its id, else by externalId, else by externalInvoiceId. With clawback a sale in a payout is refunded in full instead. " +
				"Fires sale.deleted.",
			oneOf: []string{"saleId", "externalId", "externalInvoiceId"},
			refused: refused{
				invalid:  []affiliate.Reason{affiliate.MissingField, affiliate.InPayout, affiliate.OutsideRefundWindow},
				notFound: []affiliate.Reason{affiliate.SaleNotFound},
			},
		},
		"POST /sales/accept-redemption": {
			id: "acceptRedemption", summary: "Say that a redemption over a limit was seen",
			text: "GET /attention lists it no more; it stays counted. The sale is named as for /sales/restore-redemption. For a redemption " +
				"that is over no limit, or was seen before, nothing changes. Fires nothing.",
			oneOf: []string{"saleId", "externalId", "externalInvoiceId"},
			refused: refused{
				invalid:  []affiliate.Reason{affiliate.MissingField},
				notFound: []affiliate.Reason{affiliate.RedemptionNotFound},
			},
		},
		"POST /sales/restore-redemption": {
			id: "restoreRedemption", summary: "Take the redemption of a sale by code back",
			text: "The counts of its code and its coupon fall by one, once for each sale, and the customer and the budget have it back. " +
				"The sale is named by its id, also when it was deleted, else by externalId, which an order without a sale has too, else by externalInvoiceId. Fires nothing.",
			oneOf: []string{"saleId", "externalId", "externalInvoiceId"},
			refused: refused{
				invalid:  []affiliate.Reason{affiliate.MissingField, affiliate.RedemptionRestored},
				notFound: []affiliate.Reason{affiliate.RedemptionNotFound},
			},
		},
	}
}

package httpapi

import "github.com/tributary-go/tributary/affiliate"

func statementNotes() described {
	return described{
		name: "Statements", text: "What happened in a period to what an affiliate is owed.", main: "Statement",
		answers: map[string]map[string]string{
			"Statement": {
				"":            "A period of the ledger of an affiliate. That of a closed period never changes.",
				"affiliateId": "Whose it is.",
				"currency":    "The currency of the program.",
				"from":        "The beginning, inclusive.",
				"to":          "The end, exclusive.",
				"opening":     "The accounts at the beginning.",
				"closing":     "The accounts at the end: what was owed at the beginning, and the sum of the lines.",
				"closed":      "True when nothing can be added to the period.",
				"lines":       "What changed what is owed, oldest first: a page of it.",
			},
			"StatementFigures": {
				"":         "The accounts of an affiliate at one moment.",
				"held":     "Commissions that are ON_HOLD.",
				"payable":  "What is payable, or will be after its holding period.",
				"inPayout": "In payouts that are neither PAID nor CANCELED.",
				"owed":     "The sum of the three.",
				"paid":     "In payouts that are PAID.",
			},
			"StatementLine": {
				"":             "A movement that changed what is owed.",
				"number":       "The number of the movement.",
				"at":           "When it was booked.",
				"cause":        "What was done.",
				"saleId":       "The sale; it may be gone.",
				"commissionId": "The commission; null: none, or several.",
				"payoutId":     "The payout.",
				"adjustmentId": "The adjustment.",
				"amount":       "Below 0 when less is owed.",
				"owed":         "What is owed after it.",
			},
		},
		operations: map[string]about{
			"GET /statements": {
				id: "getStatement", summary: "Make a statement of a period",
				text:     "Needs affiliateId, affiliateEmail or both. The pages that Link leads to have the lines that were there when the first one was read.",
				required: []string{"from", "to"},
				params: map[string]string{
					"affiliateId":    "Whose it is.",
					"affiliateEmail": "The email of whose it is.",
					"from":           "Its beginning; a plain date is its first instant.",
					"to":             "Its end, exclusive; a plain date includes its day.",
				},
				limits: map[string]limit{"from": dateParameter, "to": dateParameter},
				refused: refused{
					invalid:  []affiliate.Reason{affiliate.MissingField, affiliate.BooksNotOpen, affiliate.IdentifiersMismatch},
					notFound: []affiliate.Reason{affiliate.AffiliateNotFound},
				},
			},
		},
	}
}

func explanationNotes() described {
	return described{
		name: "Explanations", text: "How the commission of a sale came about.", main: "Explanation",
		answers: map[string]map[string]string{
			"Explanation": {
				"":            "How the commission of a sale came about. A sale of an earlier release says UNKNOWN where it does not know.",
				"saleId":      "The sale.",
				"credit":      "Who was credited, and by what.",
				"terms":       "The terms, and where they come from.",
				"base":        "What the rate is applied to.",
				"arithmetic":  "The calculation.",
				"commissions": "What the sale earned.",
				"movements":   "The movements of the sale, newest first; none of payouts.",
				"redemption":  "The redemption of its code, when the sale confirmed a hold, or the coupon has a cap or a budget.",
				"lines":       "What each line earns, when a rule decides about one; else it is not there.",
				"offer":       "What the link gave in place of a code; not there when it gave nothing.",
			},
			"ExplainedOffer": {
				"":         "What the link gave in place of a code.",
				"couponId": "The coupon, which may be gone.",
				"name":     "Of the coupon; null: it was deleted.",
				"discount": "What it took off, in the program's currency.",
			},
			"ExplainedCredit": {
				"":                  "Who was credited, and by what.",
				"by":                "What credited the affiliate.",
				"promotionalCodeId": "The promotional code of the sale.",
				"clickId":           "The click that credited the affiliate.",
				"clickAt":           "When it was clicked; null once the click is gone.",
				"affiliateLinkId":   "The link of the sale.",
				"referralId":        "The customer's referral.",
				"referralAt":        "When the customer was referred.",
			},
			"ExplainedTerms": {
				"":                 "The terms of a sale, and where they come from.",
				"commissionType":   "What the rate is: a percentage, or an amount.",
				"commissionRate":   "The rate that was applied.",
				"rateFrom":         "Whose rate it is.",
				"planFrom":         "Whose plan it is; PROGRAM: there was none.",
				"commissionPlanId": "The plan.",
				"commissionTierId": "The tier that gave the rate.",
				"holdDays":         "Days until a payout may take the commission.",
				"payment":          "The number of this payment of the customer; null: no customer, or no payment.",
				"month":            "The month of the customer; not there when the terms did not ask for it.",
				"over":             "The limit of the terms that the sale was beyond, so that it earned nothing.",
			},
			"ExplainedLine": explainedLineTexts(),
			"ExplainedRedemption": {
				"":           "The redemption of a sale by code.",
				"discount":   "What the code took off, in the program's currency.",
				"holdId":     "The caller's id of the hold that the sale confirmed; null: none.",
				"over":       "It is over a limit: the customer paid after the hold had lapsed, when the place was gone.",
				"seenAt":     "When somebody accepted that.",
				"restoredAt": "When it was given back; null: it counts.",
			},
			"ExplainedBase": {
				"":                 "What the rate is applied to.",
				"totalEarned":      "The gross amount.",
				"taxDeducted":      "The tax that was deducted.",
				"shippingDeducted": "The shipping that was deducted.",
				"refunded":         "The sum of the refunds.",
				"kept":             "What is left of totalEarned after the refunds.",
				"base":             "What the rate is applied to, of the whole sale. The commission is that on the kept part.",
				"namedRefunds":     "The sum of the refunds that said their tax and shipping; absent: 0. The base is lowered by it less taxRefunded and shippingRefunded, and of that the part kept / (totalEarned - namedRefunds) counts.",
				"taxRefunded":      "How much of namedRefunds was tax; absent: 0.",
				"shippingRefunded": "How much of namedRefunds was shipping; absent: 0.",
				"currency":         "Of a sale in another currency: the one of all amounts here and of the lines.",
				"exchangeRate":     "What one unit of it is worth in the program's; exact is after it.",
			},
			"ExplainedArithmetic": {
				"":        "The calculation of a commission.",
				"byHand":  "The amount that the commission was set to; null: it was calculated.",
				"exact":   "The result before it is rounded: a number, or a fraction in lowest terms.",
				"rounded": "The sum of the commissions, at most the cap.",
				"cap":     "What the sale may earn at most by the caps of its terms; not there: no cap.",
			},
		},
		operations: map[string]about{
			"GET /sales/explain": {
				id: "explainSale", summary: "Explain the commission of a sale",
				required: []string{"id"},
				params:   map[string]string{"id": "Answers the explanation of this sale, or null."},
				refused:  refused{invalid: []affiliate.Reason{affiliate.MissingField}},
			},
		},
	}
}

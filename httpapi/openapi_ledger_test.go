package httpapi

import "github.com/tributary-go/tributary/affiliate"

func ledgerNotes() described {
	return described{
		name: "Ledger", text: "What affiliates are owed, and every change of it.", main: "Balance",
		answers: map[string]map[string]string{
			"Balance": {
				"":            "What an affiliate is owed, and what it was paid.",
				"affiliateId": "Whose it is.",
				"currency":    "The currency of the program.",
				"held":        "Commissions that are ON_HOLD.",
				"maturing":    "Accepted, but not payable yet.",
				"payable":     "What the next payouts take; below zero the affiliate owes it.",
				"inPayout":    "In payouts that are neither PAID nor CANCELED.",
				"paid":        "In payouts that are PAID.",
				"earned":      "The sum of the five.",
				"movements":   "How many movements there are.",
				"at":          "When it was read.",
			},
			"Movement": {
				"":                  "One change of what an affiliate is owed.",
				"number":            "1, 2, 3 and so on of the affiliate, without a gap.",
				"affiliateId":       "Whose it is.",
				"at":                "Never before the movement before it.",
				"from":              "The account that the amount leaves.",
				"to":                "The account that the amount enters.",
				"amount":            "Above 0; 0 when no commission moved.",
				"cause":             "What was done.",
				"saleId":            "The sale; it may be gone.",
				"commissionId":      "The commission; null: none, or several.",
				"payoutId":          "The payout.",
				"adjustmentId":      "The adjustment.",
				"affiliateLinkId":   "The link of the sale.",
				"promotionalCodeId": "The promotional code of the sale.",
				"revenue":           "The change of the sum of totalEarned.",
				"refunds":           "The change of the sum of refundedAmount.",
			},
			"Bucket": {
				"":             "What happened in one day, week or month of a report.",
				"start":        "Where it begins.",
				"end":          "Where it ends; no longer in it.",
				"clicks":       "Clicks that are still stored; null in the report of a code.",
				"referrals":    "Referrals that are still stored; null in the report of a code.",
				"sales":        "Sales that were recorded.",
				"deletedSales": "Sales that were deleted, whenever they were recorded.",
				"conversions":  "Conversions that were recorded, less those that were deleted. Not there when they are none.",
				"revenue":      "The change of the sum of totalEarned.",
				"refunds":      "The change of the sum of refundedAmount.",
				"commission":   "The change of what sales have earned.",
				"adjustments":  "The change of the sum of adjustments.",
			},
		},
		operations: map[string]about{
			"GET /balances": {
				id: "getBalances", summary: "Look a balance up, or list balances",
				text: "The list leaves out affiliates whose books are not open.",
				params: map[string]string{
					"affiliateId":    "Answers the balance of this affiliate, or null.",
					"affiliateEmail": "Answers the balance of the affiliate with this email, or null.",
				},
				refused: refused{invalid: []affiliate.Reason{affiliate.BooksNotOpen, affiliate.IdentifiersMismatch}},
			},
			"GET /movements": {
				id: "getMovements", summary: "List movements",
				text: "Filters are combined.",
				params: map[string]string{
					"affiliateId":    "The movements of this affiliate.",
					"affiliateEmail": "The movements of the affiliate with this email.",
					"saleId":         "The movements of this sale.",
					"payoutId":       "The movements of this payout.",
					"adjustmentId":   "The movements of this adjustment.",
					"cause":          "The movements with this cause.",
					"from":           "Then or later; a plain date is its first instant.",
					"to":             "Before then; a plain date includes its day.",
				},
				limits: map[string]limit{"cause": values[affiliate.Cause](), "from": dateParameter, "to": dateParameter},
			},
			"GET /reports": {
				id: "getReport", summary: "Count by day, week or month",
				text:     "The oldest bucket first, empty ones too, at most 1,000 in all. Without an id the report is about the program; with an id of nobody it has zeros only.",
				required: []string{"from", "to", "by"},
				params: map[string]string{
					"from":              "Where the report begins; a plain date is its first instant.",
					"to":                "Where the report ends, exclusive; a plain date includes its day.",
					"by":                "How long a bucket is, in the calendar of the program; a week begins on Monday.",
					"affiliateId":       "Of this affiliate.",
					"promotionalCodeId": "Of this promotional code.",
					"linkId":            "Of this link.",
				},
				limits:  map[string]limit{"by": values[affiliate.Interval](), "from": dateParameter, "to": dateParameter},
				refused: refused{invalid: []affiliate.Reason{affiliate.MissingField, affiliate.ReportTooLarge, affiliate.BooksNotOpen}},
			},
		},
	}
}

package httpapi

import "github.com/tributary-go/tributary/affiliate"

func payoutNotes() described {
	return described{
		name: "Payouts", text: "Records of what is paid to affiliates. The engine moves no money.", main: "Payout",
		answers: map[string]map[string]string{"Payout": {
			"":               "Commissions and adjustments that are paid together.",
			"affiliateId":    "Who is paid.",
			"amount":         "The sum of what it took; above 0.",
			"currency":       "The currency of the program.",
			"status":         "CANCELED and RETURNED are final: such a payout has let go what it took.",
			"paymentMethod":  "How the affiliate was paid when the payout was made.",
			"payeeName":      "The affiliate's name when the payout was made.",
			"payeeEmail":     "The affiliate's payout email when the payout was made.",
			"periodStart":    "The time of the oldest of what it took.",
			"periodEnd":      "The time of the newest of what it took.",
			"externalId":     "The caller's own id of the payment; not unique.",
			"manuallyPaid":   "True when it was PAID from the start.",
			"paidAt":         "When it became PAID; also of one that is RETURNED.",
			"failedReason":   "Why it is FAILED.",
			"canceledAt":     "When it became CANCELED.",
			"returnedAt":     "When it became RETURNED.",
			"returnedReason": "Why the money came back.",
			"commissionIds":  "The commissions that it took, oldest first; some may be gone once it is CANCELED or RETURNED.",
			"adjustmentIds":  "The adjustments that it took, oldest first; as of commissionIds.",
			"runId":          "The payout run that made it.",
		}},
		bodies: map[string]note{
			"affiliateId":    plain("Who is paid: the id, the email or both.", identText),
			"affiliateEmail": plain("The email of who is paid.", emailIdent),
			"until":          plain("What is positive is taken until then; a plain date is its last millisecond. Absent: now. What is negative is taken whatever its time."),
			"externalId":     limited(externalText),
			"manuallyPaid":   plain("True when it is paid already: the payout starts as PAID.", byDefault(false)),
			"minimum":        plain("Nothing is paid below it.", atLeast("0"), byDefault(0)),
			"currency":       plain("The currency of the amounts, in any letter case: the program's. Another one is refused.", currencyText),
			"payoutId":       plain("The id of the payout.", identText),
			"status":         plain("The next status.", values[affiliate.PayoutStatus]()),
			"failedReason":   plain("Why it failed; only with the status FAILED.", chars("1", "10000")),
			"returnedReason": plain("Why the money came back; only with the status RETURNED.", chars("1", "10000")),
		},
		operations: map[string]about{
			"GET /payouts": {
				id: "getPayouts", summary: "Look a payout up, or list payouts",
				text: "Filters are combined.",
				params: map[string]string{
					"id":             "Answers the payout or null.",
					"affiliateId":    "The payouts of this affiliate.",
					"affiliateEmail": "The payouts of the affiliate with this email.",
					"status":         "The payouts in this status.",
					"runId":          "The payouts of this payout run.",
					"method":         "The payouts that are paid in this way.",
				},
				limits: map[string]limit{"status": values[affiliate.PayoutStatus](), "method": values[affiliate.PaymentMethod]()},
			},
			"POST /payouts": {
				id: "createPayout", summary: "Make a payout of what is payable to an affiliate",
				text: "It takes what is open, accepted and positive until a time, and all that is negative. Fires sale.updated for each sale in it, " +
					"unless sale.deleted was fired for that sale.",
				oneOf: []string{"affiliateId", "affiliateEmail"},
				refused: refused{
					invalid:  []affiliate.Reason{affiliate.MissingField, affiliate.IdentifiersMismatch, affiliate.AffiliateNotApproved, affiliate.NothingPayable, affiliate.BelowPayoutMinimum},
					notFound: []affiliate.Reason{affiliate.AffiliateNotFound},
				},
			},
			"PATCH /payouts": {
				id: "changePayout", summary: "Take a payout to its next status",
				text: "PENDING to PROCESSING, PAID, FAILED or CANCELED; PROCESSING to PAID or FAILED; FAILED to PROCESSING or CANCELED; PAID to RETURNED, when the money came back. " +
					"The same status again changes nothing. PAID, CANCELED and RETURNED fire sale.updated as the making did.",
				required: []string{"payoutId", "status"},
				refused: refused{
					invalid:  []affiliate.Reason{affiliate.MissingField, affiliate.StatusNotAllowed},
					notFound: []affiliate.Reason{affiliate.PayoutNotFound},
				},
			},
		},
	}
}

func adjustmentNotes() described {
	return described{
		name: "Adjustments", text: "Amounts that affiliates are owed, or owe, beside the commissions of sales.", main: "Adjustment",
		answers: map[string]map[string]string{"Adjustment": {
			"":              "A bonus, a correction, a fee. Payouts take it like a commission. It never changes.",
			"affiliateId":   "Whose it is.",
			"saleId":        "The sale that it is about; it may be gone.",
			"kind":          "What it is for. MOVE: a sale was given to another affiliate although payouts held commissions of it; each of these is one, and one takes their sum back.",
			"amount":        "Signed: below zero the affiliate owes it.",
			"reason":        "Why it was made.",
			"bonusReason":   "The reason of a BONUS, else null.",
			"externalId":    "The caller's own id; unique among the adjustments of the program.",
			"reversesId":    "The adjustment that it takes back.",
			"reversedById":  "The adjustment that takes it back.",
			"payoutCreated": "True once a payout holds it.",
			"payoutId":      "The payout, if there is one.",
		}},
		bodies: map[string]note{
			"affiliateId":    plain("Whose it is: the id, the email or both.", identText),
			"affiliateEmail": plain("The email of whose it is.", emailIdent),
			"saleId":         plain("A sale of the affiliate, as an integer or a text of digits. DISPUTE_WON and CHARGEBACK_FEE need one.", identText),
			"kind":           plain("What it is for; required unless another one is reversed.", only("BONUS", "CORRECTION", "DISPUTE_WON", "CHARGEBACK_FEE")),
			"amount":         plain("Above zero for BONUS and DISPUTE_WON, below for CHARGEBACK_FEE, either for CORRECTION; required unless another one is reversed. Rounded to the digits of the currency.", atLeast("-100000000000"), atMost("100000000000")),
			"currency":       plain("The currency of the amounts, in any letter case: the program's. Another one is refused.", currencyText),
			"reason":         limited(chars("1", "10000")),
			"externalId":     limited(externalText),
			"reversesId":     plain("An earlier adjustment that this one takes back. Its affiliate, sale, kind and opposite amount are used, and none of them may be sent.", identText),
		},
		operations: map[string]about{
			"GET /adjustments": {
				id: "getAdjustments", summary: "Look an adjustment up, or list adjustments",
				text: "Filters are combined.",
				params: map[string]string{
					"id":             "Answers the adjustment or null.",
					"affiliateId":    "The adjustments of this affiliate.",
					"affiliateEmail": "The adjustments of the affiliate with this email.",
					"saleId":         "The adjustments that are about this sale.",
					"kind":           "The adjustments of this kind.",
					"payoutId":       "The adjustments that this payout holds.",
				},
				limits: map[string]limit{"kind": values[affiliate.AdjustmentKind]()},
			},
			"POST /adjustments": {
				id: "recordAdjustment", summary: "Record an adjustment",
				text:     "It is payable at once. Fires nothing.",
				required: []string{"reason"},
				refused: refused{
					invalid: []affiliate.Reason{
						affiliate.MissingField, affiliate.IdentifiersMismatch, affiliate.AdjustmentExternalIDTaken, affiliate.AdjustmentReversed,
					},
					notFound: []affiliate.Reason{affiliate.AffiliateNotFound, affiliate.SaleNotFound, affiliate.AdjustmentNotFound},
				},
			},
		},
	}
}

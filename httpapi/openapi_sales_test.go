package httpapi

import "github.com/tributary-go/tributary/affiliate"

func saleNotes() described {
	return described{
		name: "Sales", text: "Attributed payments with the commissions that they earned.", main: "Sale",
		answers: merged(reversalTexts(), map[string]map[string]string{
			"Sale": saleTexts(), "SaleLine": lineTexts(), "Charge": chargeTexts(), "Commission": commissionTexts(),
			"RefundResult": {
				"":                "What a refund did.",
				"success":         "Always true.",
				"alreadyRefunded": "True when nothing was left to do.",
				"reason":          "already_refunded: the sale was refunded, or this refundId was applied, before.",
			},
		}),
		bodies:     merged(saleBodies(), recalculateBodies()),
		operations: merged(merged(saleOperations(), reversalOperations()), recalculateOperations()),
	}
}

func saleTexts() map[string]string {
	return map[string]string{
		"":                       "An attributed payment.",
		"id":                     "The id: an integer that rises, with gaps, never used again.",
		"affiliateId":            "Who is credited.",
		"referralId":             "The customer's referral, if there is one.",
		"affiliateLinkId":        "The link of the click or slug that was named, else that of the referral when it gave the affiliate; null by code, and once the link is deleted.",
		"promotionalCodeId":      "The code that was used; kept when the code is deleted.",
		"externalId":             "The caller's own id; unique among the live sales of the program.",
		"externalInvoiceId":      "The caller's own id of the invoice; unique among the live sales of the program.",
		"name":                   "The customer's name.",
		"email":                  "The customer's email.",
		"totalEarned":            "The gross amount; refunds do not lower it.",
		"subtotal":               "The basket before the discount; null when it was not sent.",
		"taxAmount":              "The tax in totalEarned.",
		"shippingAmount":         "The shipping in totalEarned.",
		"commissionRate":         "The rate that was applied: a percentage, or an amount on flat plans.",
		"commissionEarned":       "The sum of commissions, exactly.",
		"productsBought":         "The product's id, else its name, else empty.",
		"clicks":                 "The customer's clicks until the sale; 0 without a referral.",
		"status":                 "REFUNDED once nothing is left of it, for good.",
		"refundedAmount":         "The sum of the refunds so far.",
		"refundedAt":             "When the sale was refunded in full.",
		"paymentTrigger":         "PURCHASE over HTTP; SIGNUP of a conversion.",
		"source":                 "Where the sale came from; API over HTTP.",
		"integrationSalesSource": "The integration that reported the sale; null over HTTP.",
		"metadata":               "The caller's own object.",
		"paidAt":                 "When the customer paid, if the report said so; else it is not there.",
		"affiliate":              "Who is credited.",
		"referral":               "The customer's referral, if there is one.",
		"lines":                  "What was bought; not there when the sale has no lines.",
		"conversion":             "What it is when it is no payment; then its amounts are zero and its rate is null. Not there when it is a sale.",
		"offer":                  "True: it redeemed what the link gives, without a code. Not there when it did not.",
		"charged":                "What the customer was charged, in another currency than the program's, in which lines are too. Not there when it was the program's.",
		"commissions":            "What the sale earned, empty when it earned nothing; more than one only after a change of what a payout took.",
	}
}

func chargeTexts() map[string]string {
	return map[string]string{
		"":               "What a sale was charged in another currency. The sale has the same amounts, times exchangeRate and rounded.",
		"currency":       "ISO 4217 code, not that of the program.",
		"exchangeRate":   "What one unit of currency is worth in the program's.",
		"totalEarned":    "What the customer paid, refunds not deducted.",
		"subtotal":       "The basket before the discount; null when it was not sent.",
		"taxAmount":      "The tax in totalEarned.",
		"shippingAmount": "The shipping in totalEarned.",
		"refundedAmount": "The sum of the refunds so far.",
	}
}

func commissionTexts() map[string]string {
	return map[string]string{
		"":                 "What an affiliate earned by a sale.",
		"saleId":           "The sale.",
		"affiliateId":      "Who earned it.",
		"commissionEarned": "How much.",
		"approvalStatus":   "Whether it may be paid.",
		"rewardType":       "What it is paid in.",
		"payoutCreated":    "True once a payout holds it.",
		"payoutId":         "The payout, if there is one.",
		"manuallyPaid":     "True when it was paid outside of a payout.",
		"holdReason":       "Why it is on hold or declined.",
		"bonusReason":      "Why a bonus was given.",
		"clawback":         "True for a further entry: a change after a payout took an earlier one. It may be negative.",
		"payableAt":        "From when a payout may take it: the sale's createdAt and the holding period, of a further entry when it was made; null when it is declined.",
		"riskReasons":      "The program's review rules that held it, empty when none did; a review leaves them.",
	}
}

func saleBodies() map[string]note {
	return map[string]note{
		"saleId":                 plain("The id of the sale; a text of digits is the same.", identText),
		"promoCode":              plain("A code, which decides the affiliate before the other two.", identText),
		"holdId":                 plain("The id of a hold, which the sale confirms: it is not refused for what ended or was used up since. Instead of promoCode or with that of its code.", externalText),
		"referralId":             plain("A referral id, customer email, click id, affiliate id or slug; an integer is taken as its digits.", identText),
		"referredUserExternalId": plain("The customer, by the caller's own id, before email; an empty text is none.", optionalID),
		"email":                  plain("The customer's email. A new customer without a promoCode needs email and name.", emailText),
		"totalEarned":            plain("The gross amount; with free 0 or left out.", above("0"), atMost("100000000000")),
		"currency":               plain("The currency of the amounts, in any letter case; the program's when it is not given. Of a change or a refund: the one in which the sale was charged, which must be given with an amount if it is not the program's. commissionEarned is in the program's.", currencyText),
		"name":                   plain("The customer's name; the referral's when it is not given.", externalText),
		"externalId":             plain("The caller's own id. A sale that has it already is a duplicate and not recorded again.", externalText),
		"externalInvoiceId":      plain("The caller's own id of the invoice; works like externalId.", externalText),
		"commissionRate":         plain("A rate for this sale alone: 0–100 on percentage plans, an amount on flat ones.", atLeast("0")),
		"commissionEarned":       plain("Sets the commission of the credited affiliate.", atLeast("0")),
		"product":                plain("What was bought."),
		"product.productId":      plain("The caller's own id of the product.", externalText),
		"product.quantity":       plain("How many.", above("0")),
		"product.price":          plain("The price of one.", atLeast("0")),
		"product.name":           plain("What the product is called.", externalText),
		"lines":                  plain("What was bought, instead of product. The base of the commission is shared out to them by what they cost. Of a refund: of which lines it is; their sum is amount less tax and shipping, all three of which are needed then if they are not 0."),
		"subtotal":               plain("The basket before the discount: at least totalEarned without tax and shipping. With lines it is the sum of their amounts, and may be left out.", above("0"), atMost("100000000000")),
		"offer":                  plain("Redeem what the link gives by which the customer came, when there is no promoCode.", byDefault(false)),
		"free":                   plain("An order of 0 by promoCode or offer with a subtotal, where the program allows it: it redeems the code and earns nothing. A holdId may say both.", byDefault(false)),
		"tax":                    plain("The tax in totalEarned; 0 when it is not given. Of a refund the tax in amount, which is needed then; as large a part as of the sale when neither it nor shipping is given.", atLeast("0"), byDefault(0)),
		"shipping":               plain("The shipping in totalEarned; 0 when it is not given; with tax at most totalEarned. Of a refund the shipping in amount, as tax.", atLeast("0"), byDefault(0)),
		"exchangeRate":           plain("What one unit of currency is worth in the program's, which is needed for another currency unless the program knows a rate. At most 12 decimals. For keys of the scope full.", above("0")),
		"paidAt":                 plain("When the customer paid, from the year 2000 to now (up to five minutes later counts as now): terms, codes and the click are judged as of then. A plain date is its first millisecond. For keys of the scope full."),
		"metadata":               plain("Replaced as a whole; at most 16,384 bytes in compact form.", open),
		"saleIds":                plain("The ids of the sales; texts of digits are the same.", distinct("1", "100")),
		"approvalStatus":         plain("What their commissions become.", values[affiliate.ApprovalStatus]()),
		"amount":                 plain("How much is refunded; all that is left when it is not given.", above("0")),
		"affiliateId":            plain("Of a recalculation: the sales of this affiliate. Of a change: whom the sale credits from now on, with scope full; the commission is computed anew by their terms. Where a payout holds it, clawback is needed: the payout keeps it, and the next one of the former affiliate is lower.", identText),
		"conversion":             plain("What the customer did, as rules name it. Each customer has it once.", nameText),
		"clawback":               plain("Book the change although a payout holds the commission, as a further entry that the next payout takes.", byDefault(false)),
		"refundId":               plain("Unique within the sale: a repeat does nothing.", externalText),
	}
}

func saleOperations() map[string]about {
	return map[string]about{
		"GET /sales": {
			id: "getSales", summary: "Look a sale up, or list sales",
			params: map[string]string{
				"id":                    "Answers the sale or null.",
				"affiliateId":           "The sales of this affiliate.",
				"affiliateEmail":        "The sales of the affiliate with this email.",
				"referralId":            "The sales of this referral: its id, or the customer's email.",
				"saleExternalId":        "The sale with this externalId, in an array.",
				"saleExternalInvoiceId": "The sale with this externalInvoiceId, in an array.",
			},
		},
		"POST /sales": {
			id: "recordSale", summary: "Report a sale",
			text: "Sale-Outcome says what became of it; every outcome but recorded answers null, and every one but recorded and redeemed writes nothing and counts nothing. " +
				"redeemed is an order by a code without an affiliate that credits nobody, where the program allows such codes: its redemption is booked under externalId, which it needs. " +
				"inactive-customer is a customer who is SUBMITTED or DECLINED; one who is PAST_DUE or CANCELLED and pays is recorded. " +
				"An invalid email, name or product.name is dropped, and Sale-Ignored names it, of the names of lines the first: a paid order is not refused for them. " +
				"A duplicate whose contents are not those of the sale with its id has Sale-Differs: it may be another order. " +
				"Fires sale.created, after referral.created when the customer was new.",
			oneOf:  []string{"promoCode", "holdId", "referralId", "referredUserExternalId", "email"},
			forms:  []schema{paidOrder(), freeOrder()},
			limits: map[string]limit{"email": anyText, "name": anyText, "product.name": anyText, "totalEarned": func(s *schema) { s.ExclusiveMinimum, s.Minimum = "", "0" }},
			misses: true, headers: []string{"Sale-Outcome", "Sale-Ignored", "Sale-Differs"},
			refused: refused{
				invalid:  append([]affiliate.Reason{affiliate.AttributionRequired, affiliate.MissingField, affiliate.HoldIsConfirmed, affiliate.HoldOfAnotherCode}, codeRefusals()...),
				notFound: []affiliate.Reason{affiliate.HoldNotFound},
			},
		},
		"POST /conversions": {
			id: "recordConversion", summary: "Report what a customer did without a payment, such as a sign-up",
			text: "It becomes a sale of nothing that earns what the rule pays that names it. Sale-Outcome and Sale-Ignored are as of POST /sales; " +
				"another one of the same name for the same customer is a duplicate. Its code is judged and not redeemed. " +
				"Fires sale.created, after referral.created when the customer was new.",
			required: []string{"conversion"},
			oneOf:    []string{"promoCode", "referralId", "referredUserExternalId", "email"},
			limits:   map[string]limit{"email": anyText, "name": anyText},
			misses:   true, headers: []string{"Sale-Outcome", "Sale-Ignored"},
			refused: refused{invalid: append([]affiliate.Reason{affiliate.AttributionRequired, affiliate.MissingField}, codeRefusalsWithoutOrder()...)},
		},
		"PUT /sales": {
			id: "updateSale", summary: "Change a sale",
			text:     "A new totalEarned or commissionRate calculates the commission again. Fires sale.updated when something changed.",
			required: []string{"saleId"},
			clears:   []string{"email", "name", "externalId", "externalInvoiceId", "commissionRate", "subtotal", "metadata"},
			refused: refused{
				invalid: []affiliate.Reason{
					affiliate.MissingField, affiliate.SaleExternalIDTaken, affiliate.SaleInvoiceIDTaken, affiliate.ReferralErased,
					affiliate.InPayout, affiliate.SaleHasBeenRefunded, affiliate.AffiliateNotFound,
				},
				notFound: []affiliate.Reason{affiliate.SaleNotFound},
			},
		},
		"PATCH /sales": {
			id: "refundSale", summary: "Refund a sale, in part or in full",
			text: "The commission follows what is kept. A partial refund fires sale.updated; the full one fires sale.deleted, " +
				"and nothing is fired for that sale afterwards.",
			required: []string{"saleId"},
			refused: refused{
				invalid: []affiliate.Reason{
					affiliate.MissingField, affiliate.OutsideRefundWindow, affiliate.ManuallyPaid, affiliate.AlreadyPaid,
					affiliate.IncludedInPayout, affiliate.RefundExceedsSale, affiliate.RefundLimitReached,
				},
				notFound: []affiliate.Reason{affiliate.SaleNotFound},
			},
		},
		"POST /sales/review": {
			id: "reviewSales", summary: "Accept, hold or decline the commissions of sales",
			text:     "All or nothing. Answers the sales in the order of the ids. Fires sale.updated for each that changed.",
			required: []string{"saleIds", "approvalStatus"},
			refused: refused{
				invalid:  []affiliate.Reason{affiliate.MissingField, affiliate.InPayout},
				notFound: []affiliate.Reason{affiliate.SaleNotFound},
			},
		},
		"GET /sales/search": {
			id: "searchSales", summary: "Find sales",
			text: "Filters are combined. A page may be short, or empty, although more follow: Link says so.",
			params: map[string]string{
				"affiliateId":       "The sales that this affiliate is credited with.",
				"referralId":        "The sales of this referral: its id, or the customer's email.",
				"promotionalCodeId": "The sales with this promotional code.",
				"linkId":            "The sales to customers who came by this link.",
				"status":            "The sales in this status.",
				"approvalStatus":    "The sales with a commission in this approval status.",
				"since":             "Recorded then or later; a plain date is its first millisecond.",
				"until":             "Recorded then or earlier; a plain date is its last millisecond.",
				"currency":          "The sales that were charged in this currency: an ISO 4217 code in any letter case.",
				"oldestFirst":       oldestFirst,
				"part":              "True: search is a part of a text, also where it is all of one.",
				"search":            "The sale with exactly this number, externalId or externalInvoiceId, or the sales with this email; else those with this text in one of them or in the customer's name, in any letter case.",
			},
			limits: map[string]limit{
				"status": values[affiliate.SaleStatus](), "approvalStatus": values[affiliate.ApprovalStatus](), "currency": currencyText,
				"since": dateParameter, "until": dateParameter, "oldestFirst": truth, "part": truth, "search": nameText,
			},
		},
		"DELETE /sales": {
			id: "deleteSale", summary: "Delete a sale and its commissions",
			text:     "Redemptions stay counted. Answers the same when nothing matched. Fires sale.deleted on a match, unless the sale is refunded already.",
			required: []string{"saleId"},
			refused:  refused{invalid: []affiliate.Reason{affiliate.MissingField, affiliate.InPayout}},
		},
	}
}

// paidOrder is the form of a sale with an amount.
func paidOrder() schema {
	return schema{Required: []string{"totalEarned"}, Properties: named[schema]{
		{"totalEarned", schema{Type: types{"number"}, ExclusiveMinimum: "0"}}, {"free", schema{Enum: []any{false, nil}}},
	}}
}

// freeOrder is the form of a free order.
func freeOrder() schema {
	return schema{Required: []string{"free"}, Properties: named[schema]{
		{"free", schema{Enum: []any{true}}}, {"totalEarned", schema{Maximum: "0"}},
	}}
}

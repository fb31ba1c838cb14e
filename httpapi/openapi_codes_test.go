package httpapi

import "github.com/tributary-go/tributary/affiliate"

func codeNotes() described {
	return described{
		name: "Promotional codes", text: "What customers type at checkout.", main: "PromotionalCode",
		answers: merged(generateTexts(), map[string]map[string]string{
			"PromotionalCode":        codeTexts(),
			"PromotionalCodeName":    {"": "A code by its id and text.", "code": "The text."},
			"PromotionalCodeDeleted": {"": "A code was deleted.", "deletedCode": "What was deleted."},
			"DeletedPromotionalCode": {"": "What is left of a code.", "code": "The text."},
			"Evaluation": {
				"":                "Whether a code would work for an order, and what it would take off.",
				"valid":           "True when reasons is empty.",
				"reasons":         "Every rule that fails, in a fixed order. A sale is refused with the first one.",
				"unverified":      "The rules of the code that need something the request did not say; products when the coupon is for some products and discount is taken for the whole basket.",
				"discount":        "What comes off subtotal, where none was sent totalEarned; null when it cannot be priced.",
				"total":           "If valid, what is left to charge, before tax and shipping; null when discount is.",
				"risks":           "The program's review rules that would hold the commission of this sale; valid does not depend on them.",
				"promotionalCode": "The code; null when there is none with this text, like coupon and affiliate.",
				"coupon":          "The coupon of the code.",
				"affiliate":       "The affiliate of the code, if it has one.",
				"commission":      "What the sale would earn if it were recorded now, without tax and shipping. Not there unless the request asks for it, the code is valid and the amount is known.",
				"offer":           "True: the coupon is what the link of the affiliate gives, and there is no code. Not there otherwise.",
				"lines":           "The lines of the order, with what the code takes off each; not there without lines.",
			},
			"Offer": {
				"":                          "What a link gives customers without a code.",
				"couponId":                  "The coupon.",
				"name":                      "Its name.",
				"couponType":                "Whether it takes off a percentage or an amount.",
				"percentOff":                "Null when FLAT.",
				"amountOff":                 "Null when PERCENTAGE.",
				"currency":                  "Of amountOff.",
				"duration":                  "For the host: how long the discount lasts.",
				"durationInMonths":          "Null unless the duration is repeating.",
				"productIds":                "The products that it is for; empty: all.",
				"redeemBy":                  "It works until this instant, inclusive.",
				"maxDiscount":               "Of one order at most, in the program's currency; not there: no cap.",
				"maxRedemptionsPerCustomer": "Not there: no such limit.",
			},
			"Comparison": {
				"":            "Which of several codes is best for an order.",
				"best":        "The valid code that takes most off, of equal ones the first; null: none is valid, or the order has no amount.",
				"evaluations": "One for each code, in the order given.",
			},
			"Usability": {
				"":        "Whether a code or a coupon works now, and why not: what a preview says of every order.",
				"usable":  "True when reasons is empty: an order that names no customer, affiliate, product or amount can use it.",
				"reasons": "Every rule that fails, in the order of a preview.",
				"hold":    "Why the commission of its sales is on hold: the status of its affiliate; null: it is not.",
			},
			"EvaluationReason": {
				"":         "A rule that fails, with its data.",
				"reason":   "What a refused sale would have in Error-Code.",
				"message":  "The text, for people.",
				"limit":    "code_exhausted, coupon_exhausted, customer_limit: the limit.",
				"used":     "code_exhausted, coupon_exhausted, customer_limit: how often it was used, or is held.",
				"at":       "code_expired, coupon_expired: the instant that has passed; not_started: the one from which it works.",
				"amount":   "below_minimum: the minimum; below_quantity: the pieces that are needed; budget_spent: the budget.",
				"currency": "below_minimum, wrong_currency: the currency of the minimum; other_currency: of the discount.",
			},
		}),
		bodies:     merged(merged(codeBodies(), generateBodies()), orderBodies()),
		operations: merged(merged(codeOperations(), generateOperations()), codeSearchOperations()),
	}
}

func codeTexts() map[string]string {
	return map[string]string{
		"":                      "A promotional code. Inside a coupon it has no coupon.",
		"code":                  "The text. Unique and looked up without regard to letter case.",
		"couponId":              "The coupon whose discount the code gives.",
		"affiliateId":           "Who is credited with its sales; null: nobody, and unless the program allows such codes it works for no order.",
		"externalId":            "The caller's own id; unique among the live codes of the program.",
		"active":                "False retires the code.",
		"expiresAt":             "The code works until this instant, inclusive; null: no end of its own.",
		"maxRedemptions":        "Null: no limit of its own. The coupon's limit applies as well.",
		"timesRedeemed":         "Sales by this code, but for redemptions that were given back. It does not change updatedAt.",
		"firstTimeOrder":        "True: for customers without a sale only.",
		"minimumAmount":         "The least subtotal or, where none was sent, totalEarned; null: none.",
		"minimumAmountCurrency": "The currency of minimumAmount; null when there is none.",
		"startsAt":              "The code works from this instant, inclusive; not there when it has no start of its own.",
		"minimumQuantity":       "The least pieces in the order; not there without a minimum.",
		"limitToCustomers":      "True: for the customer in customerId only.",
		"customerId":            "A referral id, referredUserExternalId or email.",
		"limitToAffiliate":      "True: refused when the request names another affiliate.",
		"isAutoGenerated":       "True when the text was generated.",
		"usability":             "Whether the code works now; in searches only.",
		"isAffiliateGenerated":  "False for every code that was made over HTTP.",
		"coupon":                "The coupon, without its codes.",
		"affiliate":             "The affiliate, if the code has one.",

		"maxRedemptionsPerCustomer": "Of one customer; not there without a limit. The coupon's applies as well.",
	}
}

func codeBodies() map[string]note {
	part := func(what string) note { return plain("True: "+what+" is part of the code.", byDefault(false)) }
	return map[string]note{
		"promotionalCodeId":               plain("The id of the code.", identText),
		"couponId":                        limited(identText),
		"code":                            plain("Trimmed; 1–100 printable ASCII characters without space, the first none of = + - @. Required unless isAutoGenerated.", codeText),
		"affiliateId":                     plain("Who is credited, by id. This or affiliateEmail is required when isAutoGenerated; in an update null is nobody.", identText),
		"affiliateEmail":                  plain("Who is credited, by email; in an update null is nobody.", emailIdent),
		"externalId":                      limited(externalText),
		"active":                          limited(byDefault(true)),
		"expiresAt":                       plain("The code works until this instant, inclusive; a plain date is its last millisecond in the program's time zone."),
		"maxRedemptions":                  limited(atLeast("1")),
		"startsAt":                        plain("The code works from this instant, inclusive; a plain date is its first one in the program's time zone. Not after expiresAt."),
		"minimumQuantity":                 plain("The least pieces in the order, as product.quantity or lines say them; a line without a quantity is one.", above("0")),
		"maxRedemptionsPerCustomer":       plain("Of one customer; the coupon's applies as well. It counts redemptions from when the limit was set.", atLeast("1")),
		"firstTimeOrder":                  limited(byDefault(false)),
		"minimumAmount":                   limited(atLeast("0")),
		"minimumAmountCurrency":           plain("ISO 4217 code in any letter case; the program's when it is not given.", currencyText),
		"limitToCustomers":                plain("True needs customerId.", byDefault(false)),
		"customerId":                      limited(externalText),
		"limitToAffiliate":                limited(byDefault(false)),
		"isAutoGenerated":                 plain("True: the text is generated, once, from prefix and codeStructure.", byDefault(false)),
		"codeStructure":                   plain("The parts of a generated code, in this order after the prefix. Required when isAutoGenerated."),
		"codeStructure.firstName":         part("the affiliate's first name"),
		"codeStructure.lastName":          part("the affiliate's last name"),
		"codeStructure.email":             part("the part of the affiliate's email before the @"),
		"codeStructure.discountAmount":    part("the discount"),
		"codeStructure.couponName":        part("the coupon's name"),
		"codeStructure.randomChars":       plain("True: random characters are part of the code. An integer is true with that length.", byDefault(false), atLeast("1"), atMost("32")),
		"codeStructure.prefix":            plain("Read where prefix is not given outside.", chars("1", "50")),
		"codeStructure.randomCharsLength": plain("Read where randomCharsLength is not given outside.", atLeast("1"), atMost("32")),
		"codeStructure.randomCharsCase":   plain("Read where randomCharsCase is not given outside.", values[affiliate.CharsCase]()),
		"prefix":                          plain("The first part of a generated code.", chars("1", "50")),
		"randomCharsLength":               plain("How many random characters.", atLeast("1"), atMost("32"), byDefault(4)),
		"randomCharsCase":                 plain("Which random characters: capitals and digits, small letters and digits, or all.", values[affiliate.CharsCase](), byDefault("uppercase")),
		"randomCharsAll":                  plain("True: of these all. False: none of 0 O 1 I L, which look alike, no vowel and no digit that is read as one.", byDefault(false)),
	}
}

// orderBodies are the fields of an order that is priced.
func orderBodies() map[string]note {
	return map[string]note{
		"promoCode":              plain("The code; required unless code is given.", identText),
		"promoCodes":             plain("The codes that are tried, all different in any letter case.", distinct("1", "20"), each(identText)),
		"offer":                  plain("Price what the link gives by which the customer came, when there is no promoCode.", byDefault(false)),
		"totalEarned":            plain("What the sale will send as totalEarned.", above("0"), atMost("100000000000")),
		"currency":               plain("The currency of the amounts, here and in the answer, in any letter case; the program's when it is not given. The commission is in the program's.", currencyText),
		"subtotal":               plain("The basket before the discount, which decides; not below totalEarned.", above("0"), atMost("100000000000")),
		"email":                  plain("The customer's email; an empty text is not sent.", func(s *schema) { s.Pattern = `^\s*([^\s@]+@[^\s@]+)?\s*$` }),
		"referralId":             plain("A referral id, customer email, click id, affiliate id or slug.", identText),
		"referredUserExternalId": plain("The customer, by the caller's own id, before email; an empty text is none.", optionalID),
		"product":                plain("What is to be bought."),
		"lines":                  plain("What is to be bought, instead of product, as a sale has it. The discount of a coupon for some products is taken off their lines alone."),
		"exchangeRate":           plain("As on POST /sales. For keys of the scope full.", above("0")),
		"commission":             plain("Ask for the commission of the sale. For keys of the scope full.", byDefault(false)),
		"product.productId":      plain("The caller's own id of the product.", externalText),
		"product.quantity":       plain("How many.", above("0")),
		"product.price":          plain("The price of one.", atLeast("0")),
		"product.name":           plain("What the product is called.", externalText),
	}
}

func codeOperations() map[string]about {
	return map[string]about{
		"GET /promotional-codes": {
			id: "getPromotionalCodes", summary: "Look a code up, or list codes",
			params: map[string]string{
				"id":             "Answers the code or null.",
				"code":           "The text in any letter case. Answers the code or null.",
				"externalId":     "Answers the code or null.",
				"couponId":       "The codes of this coupon.",
				"affiliateId":    "The codes of this affiliate.",
				"affiliateEmail": "The codes of the affiliate with this email.",
			},
		},
		"POST /promotional-codes": {
			id: "createPromotionalCode", summary: "Make a code, or have one generated",
			text:     "Fires promocode.created.",
			required: []string{"couponId"},
			refused: refused{
				invalid: []affiliate.Reason{
					affiliate.MissingField, affiliate.CodeSyntax, affiliate.CodeStructureEmpty, affiliate.IdentifiersMismatch,
					affiliate.GeneratedCodeInvalid, affiliate.CodeTaken, affiliate.GeneratedCodeTaken, affiliate.CodeExternalIDTaken,
				},
				notFound: []affiliate.Reason{affiliate.CouponNotFound, affiliate.AffiliateNotFound},
			},
		},
		"PUT /promotional-codes": {
			id: "updatePromotionalCode", summary: "Change a code",
			text:     "Coupon and the settings of generated codes stay. affiliateId or affiliateEmail gives the code to another affiliate, null to none; sales that were made stay where they are. Fires promocode.updated when something changed.",
			required: []string{"promotionalCodeId"},
			clears:   []string{"affiliateId", "affiliateEmail", "externalId", "expiresAt", "maxRedemptions", "minimumAmount", "minimumAmountCurrency", "customerId", "startsAt", "minimumQuantity", "maxRedemptionsPerCustomer"},
			refused: refused{
				invalid: []affiliate.Reason{
					affiliate.MissingField, affiliate.CodeSyntax, affiliate.IdentifiersMismatch, affiliate.CodeTaken, affiliate.CodeExternalIDTaken,
				},
				notFound: []affiliate.Reason{affiliate.PromotionalCodeNotFound, affiliate.AffiliateNotFound},
			},
		},
		"DELETE /promotional-codes": {
			id: "deletePromotionalCode", summary: "Delete a code",
			text:     "Past sales keep its id. Fires promocode.deleted.",
			required: []string{"promotionalCodeId"},
			refused: refused{
				invalid:  []affiliate.Reason{affiliate.MissingField},
				notFound: []affiliate.Reason{affiliate.PromotionalCodeNotFound},
			},
		},
		"POST /promotional-codes/validate": {
			id: "validatePromotionalCode", summary: "Tell whether a code would work, and what it would take off",
			text:   "Runs the very rules that a sale runs. Writes, counts and fires nothing. 200 whether the code works or not.",
			oneOf:  []string{"promoCode", "code", "offer"},
			limits: map[string]limit{"code": allOf(anyText, identText)},
			refused: refused{
				invalid: []affiliate.Reason{affiliate.MissingField},
			},
		},
		"POST /promotional-codes/compare": {
			id: "comparePromotionalCodes", summary: "Tell which of several codes is best for an order",
			text:     "Runs validate for each of up to 20 codes, in one snapshot. An order has one code. Writes, counts and fires nothing.",
			required: []string{"promoCodes"},
			refused: refused{
				invalid: []affiliate.Reason{affiliate.MissingField},
			},
		},
	}
}

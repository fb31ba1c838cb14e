package httpapi

import "github.com/tributary-go/tributary/affiliate"

func couponNotes() described {
	return described{
		name: "Coupons", text: "Discounts: how much comes off, for how long and how often.", main: "Coupon",
		answers: map[string]map[string]string{
			"Coupon":        couponTexts(),
			"CouponDeleted": {"": "A coupon and its codes were deleted.", "deletedCoupon": "What was deleted."},
			"DeletedCoupon": {"": "What is left of a coupon.", "name": "What it was called."},
		},
		bodies:     couponBodies(),
		operations: merged(couponOperations(), couponSummaryOperations()),
	}
}

func couponTexts() map[string]string {
	return map[string]string{
		"":                 "A discount that any number of promotional codes share. Inside a code it has no promotionalCodes.",
		"name":             "What the coupon is called; not unique.",
		"couponType":       "How the discount is given.",
		"percentOff":       "Percent that come off; null when FLAT.",
		"amountOff":        "The amount that comes off; null when PERCENTAGE.",
		"currency":         "ISO 4217 code of amountOff; null when PERCENTAGE.",
		"duration":         "For how many payments the discount applies: for the host, the engine does not enforce it.",
		"durationInMonths": "Null unless the duration is repeating.",
		"maxRedemptions":   "Over all codes of the coupon; null: no limit.",
		"timesRedeemed":    "Sales by codes of the coupon, but for redemptions that were given back. It does not change updatedAt.",
		"limitToProducts":  "True: the coupon is for the products in productIds only.",
		"productIds":       "The products that the coupon is limited to.",
		"collectionIds":    "Always empty.",
		"valid":            "False stops redemptions.",
		"redeemBy":         "Codes work until this instant, inclusive.",
		"startsAt":         "Codes work from this instant, inclusive; not there when they always did.",
		"maxDiscount":      "What comes off one order at most, in the program's currency; not there without a limit.",
		"maxDiscountTotal": "The budget, in the program's currency: once discountTotal has reached it, no order gets more. Not there without one.",
		"discountTotal":    "What its codes took off all orders, in the program's currency; there with maxDiscountTotal.",
		"restoreOnRefund":  "True: a sale that is refunded in full gives its redemption back. Not there when it does not.",
		"externalId":       "The caller's own id; unique among the live coupons of the program.",

		"maxRedemptionsPerCustomer": "Of one customer, over all codes of the coupon; not there without a limit.",

		"integrationType":  "The payment platform that externalId belongs to; stored, no effect.",
		"couponCategory":   "CUSTOMER for every coupon that was made over HTTP.",
		"autoCouponRule":   "Always null.",
		"usability":        "Whether codes of the coupon can work now; in summaries only.",
		"budgetLeft":       "What is left of maxDiscountTotal, less what open holds keep; in summaries only, of a coupon with a budget.",
		"promotionalCodes": "Every live code, newest first, each with its affiliate and without its coupon.",
	}
}

func couponBodies() map[string]note {
	return map[string]note{
		"couponId":         plain("The id of the coupon.", identText),
		"name":             limited(externalText),
		"couponType":       limited(values[affiliate.CouponType](), byDefault("PERCENTAGE")),
		"percentOff":       plain("Required when the type is PERCENTAGE; decimals are allowed.", atLeast("1"), atMost("100")),
		"amountOff":        plain("Required when the type is FLAT.", above("0")),
		"currency":         plain("ISO 4217 code in any letter case; required when the type is FLAT.", currencyText),
		"duration":         limited(values[affiliate.Duration](), byDefault("forever")),
		"durationInMonths": plain("Required when the duration is repeating, otherwise stored as null.", atLeast("1"), atMost("1200")),
		"maxRedemptions":   plain("Over all codes of the coupon; null: no limit. It may be below timesRedeemed.", atLeast("1")),
		"limitToProducts":  plain("True needs at least one entry in productIds.", byDefault(false)),
		"productIds":       plain("Distinct product ids.", distinct("", "1000"), each(externalText)),
		"valid":            limited(byDefault(true)),
		"redeemBy":         plain("Codes work until this instant, inclusive; a plain date is its last millisecond in the program's time zone. It may be past."),
		"externalId":       limited(externalText),
		"startsAt":         plain("Codes work from this instant, inclusive; a plain date is its first one in the program's time zone. Not after redeemBy."),
		"maxDiscount":      plain("What comes off one order at most, in the program's currency; for PERCENTAGE.", above("0")),
		"maxDiscountTotal": plain("The budget, in the program's currency. The last order within it gets its whole discount, the next one is refused. It may be below discountTotal.", above("0")),
		"restoreOnRefund":  plain("True: a sale that is refunded in full gives its redemption back, unless the customer has won a dispute about it.", byDefault(false)),
		"integrationType":  limited(values[affiliate.IntegrationType]()),

		"maxRedemptionsPerCustomer": plain("Of one customer, over all codes of the coupon. It counts redemptions from when the limit was set.", atLeast("1")),
	}
}

func couponOperations() map[string]about {
	return map[string]about{
		"GET /coupons": {
			id: "getCoupons", summary: "Look a coupon up, or list all",
			params: map[string]string{
				"id":         "Answers the coupon or null.",
				"couponId":   "The same as id.",
				"externalId": "Answers the coupon or null.",
				"name":       "The exact name. Answers the newest coupon that has it, or null.",
			},
		},
		"POST /coupons": {
			id: "createCoupon", summary: "Make a coupon",
			text:     "Of percentOff and amountOff the one that the type does not need is checked and not stored. Fires coupon.created.",
			required: []string{"name"},
			refused:  refused{invalid: []affiliate.Reason{affiliate.MissingField, affiliate.CouponExternalIDTaken}},
		},
		"PUT /coupons": {
			id: "updateCoupon", summary: "Change a coupon",
			text:     "The change holds for every code of the coupon. Fires coupon.updated when something changed.",
			required: []string{"couponId"},
			clears:   []string{"percentOff", "amountOff", "currency", "durationInMonths", "maxRedemptions", "redeemBy", "startsAt", "maxDiscount", "maxDiscountTotal", "maxRedemptionsPerCustomer"},
			refused: refused{
				invalid:  []affiliate.Reason{affiliate.MissingField},
				notFound: []affiliate.Reason{affiliate.CouponNotFound},
			},
		},
		"DELETE /coupons": {
			id: "deleteCoupon", summary: "Delete a coupon and all its codes",
			text:     "Fires coupon.deleted only.",
			required: []string{"couponId"},
			refused: refused{
				invalid:  []affiliate.Reason{affiliate.MissingField, affiliate.CouponInUse},
				notFound: []affiliate.Reason{affiliate.CouponNotFound},
			},
		},
	}
}

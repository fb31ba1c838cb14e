package servertest

import "fmt"

const (
	pushRule     = "contract 4.6: what a payment provider reports of a referral, and a plan of its own"
	clickRule    = "contract 4.6: clicks that servers report"
	generateRule = "contract 4.6: many codes at once, all checked before the first is made"
	decideRule   = "contract 4.6: a person decides about a payment that names a sale of which it is not"
	reverseRule  = "contract 4.6: sales that are reversed, redemptions that are taken back"
)

// adminTradeCases test the operations on referrals, clicks, codes and sales.
func adminTradeCases() []serverCase {
	cases := refusals(pushRule, "POST /referrals/status",
		refusedCase{"admin/A13 no referralId", `{"subscriptionStatus":"ACTIVE"}`, referralIDRequired}, refusedCase{"admin/A13 an unknown referral", `{"referralId":"{{unknown}}","subscriptionStatus":"ACTIVE"}`, referralNotFound},
		refusedCase{"admin/A13 no status", `{"referralId":"{{referral}}"}`, mustBe("subscriptionStatus", "must be one of ACTIVE, SUBMITTED, DECLINED, PAST_DUE, CANCELLED")})
	cases = append(cases, refusals(pushRule, "POST /referrals/plan",
		refusedCase{"admin/A13 no referralIds", `{"commissionPlanId":null}`, referralIDsRequired}, refusedCase{"admin/A13 no commissionPlanId", `{"referralIds":["{{referral}}"]}`, planIDRequired},
		refusedCase{"admin/A13 an unknown plan", `{"referralIds":["{{referral}}"],"commissionPlanId":"{{unknown}}"}`, planNotFound},
		refusedCase{"admin/A13 one unknown referral", `{"referralIds":["{{referral}}","{{unknown}}"],"commissionPlanId":null}`, referralNotFound})...)
	cases = append(cases, refusals(clickRule, "POST /clicks",
		refusedCase{"admin/A14 no referralCode", `{}`, referralCodeRequired}, refusedCase{"admin/A14 programId", `{"referralCode":"x","programId":"x"}`, unknownField("programId")})...)
	batch := func(more string) string {
		return `{"couponId":"{{coupon}}","affiliateId":"{{affiliate}}","codeStructure":{"randomChars":true}` + more + `}`
	}
	cases = append(cases, refusals(generateRule, "POST /promotional-codes/generate",
		refusedCase{"admin/A15 no count", batch(""), countRange}, refusedCase{"admin/A15 count 10001", batch(`,"count":10001`), countRange},
		refusedCase{"admin/A15 a code", batch(`,"count":1,"code":"X"`), unknownField("code")},
		refusedCase{"admin/A15 too short", batch(`,"count":700,"randomCharsLength":2`), keySpaceTooSmall},
		refusedCase{"admin/A15 two lists of affiliates", batch(`,"count":1,"affiliateIds":["{{other}}"]`), mustBe("affiliateIds", "must not be sent")})...)
	cases = append(cases, refusals(reverseRule, "POST /sales/reverse",
		refusedCase{"admin/A16 no sale", `{}`, RefuseNoSaleID}, refusedCase{"admin/A16 an unknown sale", `{"externalId":"{{unknown}}"}`, saleNotFound})...)
	cases = append(cases, refusals(reverseRule, "POST /sales/restore-redemption",
		refusedCase{"admin/A17 no sale", `{}`, RefuseNoSaleID}, refusedCase{"admin/A17 an unknown sale", `{"saleId":9007199254740993}`, redemptionNotFound})...)
	cases = append(cases, refusals(decideRule, "POST /payments/decide",
		refusedCase{"admin/A46 no paymentId", `{"decision":"own"}`, paymentIDRequired}, refusedCase{"admin/A46 no decision", `{"paymentId":"{{unknown}}"}`, decisionRequired},
		refusedCase{"admin/A46 decision x", `{"paymentId":"{{unknown}}","decision":"x"}`, mustBe("decision", "must be one of same, own, dismiss")},
		refusedCase{"admin/A46 a payment that does not wait", `{"paymentId":"{{unknown}}","decision":"own"}`, paymentNotFound},
		refusedCase{"admin/A46 an unknown field", `{"paymentId":"{{unknown}}","decision":"own","saleId":1}`, unknownField("saleId")})...)
	return append(cases, tradeStories()...)
}

// tradeStories has console checks 11 to 13 and 15.
func tradeStories() []serverCase {
	return []serverCase{
		{"admin/A47 the payments that wait are listed, and none of them is decided by a wrong request", decideRule, func(x *exam) {
			listed := x.get("/attention?limit=1").has(`{"paymentConflicts":{}}`).text("paymentConflicts")
			for _, decision := range []string{"same", "own", "dismiss"} {
				x.do("POST /payments/decide", `{"paymentId":"{{unknown}}","decision":"`+decision+`"}`).refused(paymentNotFound)
			}
			if again := x.get("/attention?limit=1").ok(); again.text("paymentConflicts") != listed {
				again.wants("the list of conflicts as it was: %s", listed)
			}
		}},
		{"admin/A18 all five statuses", pushRule, func(x *exam) {
			payee(x)
			x.do("POST /sales", `{"referralId":"{{u}}","email":"{{u}}-c@conform.example","name":"C","totalEarned":1}`)
			for _, status := range []string{"SUBMITTED", "DECLINED", "PAST_DUE", "CANCELLED", "ACTIVE"} {
				x.do("POST /referrals/status", fmt.Sprintf(`{"referralId":"{{u}}-c@conform.example","subscriptionStatus":"%s"}`, status)).has(fmt.Sprintf(`{"subscriptionStatus":"%s"}`, status))
			}
		}},
		{"admin/A19 a referral's own plan", pushRule, func(x *exam) {
			x.do("POST /affiliates", `{"firstName":"A","lastName":"B","email":"{{u}}@conform.example","affiliateLink":"{{u}}"}`)
			x.do("POST /sales", `{"referralId":"{{u}}","email":"{{u}}-c@conform.example","name":"C","totalEarned":1}`).as("s", "referral:referralId")
			x.do("POST /commission-plans", `{"name":"{{u}}","commissionRate":50}`).as("plan")
			x.do("POST /referrals/plan", `{"referralIds":["{{s.referral}}"],"commissionPlanId":"{{plan}}"}`).has(`[{"id":"{{s.referral}}","commissionPlanId":"{{plan}}"}]`)
			x.do("POST /sales", `{"email":"{{u}}-c@conform.example","totalEarned":100}`).has(`{"commissionEarned":50}`)
			x.do("POST /referrals/plan", `{"referralIds":["{{s.referral}}"],"commissionPlanId":null}`).has(`[{"commissionPlanId":null}]`)
			x.do("DELETE /commission-plans", `{"commissionPlanId":"{{plan}}"}`).ok()
		}},
		{"admin/A20 a click", clickRule, func(x *exam) {
			payee(x)
			x.do("POST /clicks", `{"referralCode":"{{u}}","fullLandingUrl":"https://shop.conform.example/a?token=x","deviceId":"d","uniqueClick":false}`).
				has(`{"affiliateId":"{{a}}","referralId":null,"fullLandingUrl":"https://shop.conform.example/a","deviceId":"d","uniqueClick":false}`)
			x.get("/affiliates?id={{a}}").has(`{"numberOfClicks":1}`)
			x.do("POST /clicks", `{"referralCode":"{{u}}-nobody"}`).null()
		}},
		{"admin/A21 codes are checked and made", generateRule, func(x *exam) {
			payee(x)
			x.do("POST /coupons", `{"name":"{{u}}","percentOff":10}`).as("k")
			const batch = `{"couponId":"{{k}}","affiliateId":"{{a}}","codeStructure":{"randomChars":true},"randomCharsLength":12,"count":3`
			x.do("POST /promotional-codes/generate", batch+`,"checkOnly":true}`).has(`{"count":3,"keySpace":"95428956661682176","codes":[]}`)
			x.get("/promotional-codes?couponId={{k}}").has(`[]`)
			made := x.do("POST /promotional-codes/generate", batch+`}`).has(`{"count":3,"keySpace":"95428956661682176"}`)
			x.get("/promotional-codes?couponId={{k}}").has(fmt.Sprintf(`[{"id":"%s","affiliateId":"{{a}}","isAutoGenerated":true},{"id":"%s"},{"id":"%s"}]`,
				made.text("codes.0.id"), made.text("codes.1.id"), made.text("codes.2.id")))
		}},
		{"admin/A22 a sale is reversed by each of its ids", reverseRule, func(x *exam) {
			payee(x)
			for i, ref := range []string{`"saleId":{{s}}`, `"externalId":"{{u}}-1"`, `"externalInvoiceId":"{{u}}-i2"`} {
				x.do("POST /sales", fmt.Sprintf(`{"referralId":"{{u}}","email":"{{u}}-c@conform.example","name":"C","totalEarned":1,"externalId":"{{u}}-%d","externalInvoiceId":"{{u}}-i%d"}`, i, i)).as("s")
				x.do("POST /sales/reverse", `{`+ref+`}`).has(`{"reversedSale":{"id":{{s}}}}`)
				x.get("/sales?id={{s}}").null()
				x.do("POST /sales/reverse", `{`+ref+`}`).refused(saleNotFound)
			}
		}},
		{"admin/A23 a redemption is taken back once", reverseRule, func(x *exam) {
			payee(x)
			x.do("POST /coupons", `{"name":"{{u}}","percentOff":10}`).as("k")
			x.do("POST /promotional-codes", `{"couponId":"{{k}}","code":"{{u}}","affiliateId":"{{a}}"}`)
			x.do("POST /sales", `{"promoCode":"{{u}}","totalEarned":10}`).as("s")
			x.get("/promotional-codes?code={{u}}").has(`{"timesRedeemed":1,"coupon":{"timesRedeemed":1}}`)
			x.do("POST /sales/restore-redemption", `{"saleId":{{s}}}`).ok()
			x.get("/promotional-codes?code={{u}}").has(`{"timesRedeemed":0,"coupon":{"timesRedeemed":0}}`)
			x.do("POST /sales/restore-redemption", `{"saleId":{{s}}}`).refused(redemptionRestored)
		}},
	}
}

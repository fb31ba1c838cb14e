package servertest

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/google/go-cmp/cmp"
)

// saleChangeCases test PUT, PATCH and DELETE /sales.
func saleChangeCases() []serverCase {
	return slices.Concat(saleTargetCases(), saleUnknownFieldCases(), saleChangeRefusals(), ownSaleCases())
}

const saleTargetRule = "contract 3.7: saleId, an integer or a string of digits"

// saleTargetCases test saleId.
func saleTargetCases() []serverCase {
	var cases []serverCase
	for _, method := range []string{"PUT", "PATCH", "DELETE"} {
		cases = append(cases, refusals(saleTargetRule, method+" /sales", refusedCase{map[string]string{"PUT": "B406 ", "PATCH": "B415 ", "DELETE": "B421 "}[method] + method + " no saleId", `{}`, RefuseNoSaleID}, refusedCase{"B406 " + method + " saleId null", `{"saleId":null}`, RefuseNoSaleID},
			refusedCase{"B406 " + method + ` saleId ""`, `{"saleId":""}`, RefuseNoSaleID}, refusedCase{"B408 " + method + " saleId 5107.0", `{"saleId":5107.0}`, mustBe("saleId", asInteger)},
			refusedCase{"B408 " + method + " saleId 5e3", `{"saleId":5e3}`, mustBe("saleId", asInteger)}, refusedCase{"B408 " + method + " saleId true", `{"saleId":true}`, mustBe("saleId", asInteger)})...)
		if method != "DELETE" {
			cases = append(cases, refusals(saleTargetRule, method+" /sales", refusedCase{"B406 " + method + " unknown", `{"saleId":987654321987654321}`, saleNotFound},
				refusedCase{"B406 " + method + " unknown digits", `{"saleId":"987654321987654321"}`, saleNotFound}, refusedCase{"B406 " + method + " 30 digits", `{"saleId":"999999999999999999999999999999"}`, saleNotFound},
				refusedCase{"B406 " + method + " -1", `{"saleId":-1}`, saleNotFound})...)
		}
	}
	return cases
}

func saleUnknownFieldCases() []serverCase {
	var cases []serverCase
	for _, field := range []string{"status", "payoutCreated", "refundedAt", "refundedAmount", "promoCode", "referralId", "tax", "product", "id", "commissions", "totalearned"} {
		cases = append(cases, refusals("contract 3.7: unknown fields are refused on PUT /sales, response-only ones too", "PUT /sales",
			refusedCase{"B409 PUT " + field, `{"saleId":{{sale}},"` + field + `":null}`, unknownField(field)})...)
	}
	for _, field := range []string{"ammount", "reason", "totalEarned", "externalId"} {
		cases = append(cases, refusals("contract 1.3: unknown fields are refused on PATCH /sales: a misspelt amount would refund everything", "PATCH /sales",
			refusedCase{"B415 PATCH " + field, `{"saleId":{{sale}},"` + field + `":1}`, unknownField(field)})...)
	}
	return cases
}

// saleChangeRefusals test the fields of PUT and PATCH, and DELETE of a sale that
// does not exist.
func saleChangeRefusals() []serverCase {
	return slices.Concat(
		successes("contract 3.7, DELETE: the same message when nothing matched", "DELETE /sales",
			acceptedCase{"B422 DELETE unknown", `{"saleId":987654321987654321}`, `{"message":"Sale deleted successfully"}`}, acceptedCase{"B422 DELETE text", `{"saleId":"x"}`, `{"message":"Sale deleted successfully"}`}),
		refusals("contract 3.7, PATCH: amount > 0, null is no amount; contract 1.3: null is 400 where it cannot clear", "PATCH /sales",
			refusedCase{"B416 PATCH amount 0", `{"saleId":{{sale}},"amount":0}`, refundNotPositive}, refusedCase{"B416 PATCH amount -1", `{"saleId":{{sale}},"amount":-1}`, refundNotPositive},
			refusedCase{"B416 PATCH amount null", `{"saleId":{{sale}},"amount":null}`, mustBe("amount", notNull)}, refusedCase{`B416 PATCH amount "1"`, `{"saleId":{{sale}},"amount":"1"}`, mustBe("amount", asNumber)},
			refusedCase{"B416 PATCH amount 0.00001", `{"saleId":{{sale}},"amount":0.00001}`, mustBe("amount", fourDecimals)}, refusedCase{"B416 PATCH amount over the sale", `{"saleId":{{sale}},"amount":100.0001}`, refundExceedsSale},
			refusedCase{`B416 PATCH refundId ""`, `{"saleId":{{sale}},"amount":1,"refundId":""}`, mustBe("refundId", notEmpty)}, refusedCase{"B416 PATCH refundId 5", `{"saleId":{{sale}},"amount":1,"refundId":5}`, mustBe("refundId", asString)}),
		refusals("contract 2.6, U: each field's own rule", "PUT /sales", refusedCase{"B410 PUT totalEarned 0", `{"saleId":{{sale}},"totalEarned":0}`, totalNotPositive},
			refusedCase{"B410 PUT totalEarned -1", `{"saleId":{{sale}},"totalEarned":-1}`, totalNotPositive}, refusedCase{"B410 PUT totalEarned null", `{"saleId":{{sale}},"totalEarned":null}`, mustBe("totalEarned", notNull)},
			refusedCase{"B387 PUT totalEarned 100000000000.0001", `{"saleId":{{sale}},"totalEarned":100000000000.0001}`, mustBe("totalEarned", tooLarge)},
			refusedCase{`B410 PUT totalEarned "1"`, `{"saleId":{{sale}},"totalEarned":"1"}`, mustBe("totalEarned", asNumber)}, refusedCase{"B412 PUT commissionEarned -1", `{"saleId":{{sale}},"commissionEarned":-1}`, commissionNegative},
			refusedCase{"B412 PUT commissionEarned null", `{"saleId":{{sale}},"commissionEarned":null}`, mustBe("commissionEarned", notNull)}, refusedCase{"B410 PUT email x", `{"saleId":{{sale}},"email":"x"}`, emailInvalid},
			refusedCase{"B410 PUT commissionRate 101", `{"saleId":{{sale}},"commissionRate":101}`, rateOutOfRange}, refusedCase{"B410 PUT metadata []", `{"saleId":{{sale}},"metadata":[]}`, mustBe("metadata", asObject)},
			refusedCase{`B413 PUT externalId ""`, `{"saleId":{{sale}},"externalId":""}`, mustBe("externalId", notEmpty)}),
	)
}

// ownSaleCases make a sale of their own and change it.
func ownSaleCases() []serverCase {
	own := func(name, rule string, run func(x *exam, put func(member string) *answer)) serverCase {
		return serverCase{name, rule, func(x *exam) {
			x.do("POST /affiliates", `{"firstName":"Ada","lastName":"Byron","email":"{{u}}-a@conform.example","affiliateLink":"{{u}}","commissionRate":20}`).as("a")
			x.do("POST /sales", `{"referralId":"{{u}}","email":"{{u}}@conform.example","name":"Tom","totalEarned":100,"tax":10,"externalId":"{{u}}e","externalInvoiceId":"{{u}}i"}`).as("s", "referralId")
			run(x, func(member string) *answer { return x.do("PUT /sales", `{"saleId":{{s}},`+member+`}`) })
		}}
	}
	const refunds = "rule 5.5: the commission follows the kept amount; a repeat does nothing; the full refund leaves exactly 0"
	refund := func(x *exam, member string) *answer { return x.do("PATCH /sales", `{"saleId":{{s}}`+member+`}`) }
	return []serverCase{
		own("B407 PUT saleId as text", saleTargetRule, func(x *exam, _ func(string) *answer) {
			x.do("PUT /sales", `{"saleId":"{{s}}","name":"Tim"}`).has(`{"id":{{s}},"name":"Tim"}`)
		}),
		own("B410 PUT fields", "contract 3.7, PUT: the commission is calculated again; commissionEarned sets it", func(_ *exam, put func(string) *answer) {
			put(`"totalEarned":60`).has(`{"totalEarned":60,"taxAmount":10,"commissionEarned":10}`)
			put(`"commissionRate":50`).has(`{"commissionRate":50,"commissionEarned":25}`)
			put(`"commissionEarned":3.005`).has(`{"commissionEarned":3.01,"commissions":[{"commissionEarned":3.01}]}`)
			put(`"name":"Tim","email":"{{u}}-other@conform.example","metadata":{"a":1}`).has(`{"name":"Tim","email":"{{u}}-other@conform.example","metadata":{"a":1},"commissionEarned":3.01,"referralId":"{{s.referralId}}"}`)
			put(`"name":null,"email":null,"metadata":null,"externalId":null,"externalInvoiceId":null`).has(`{"name":null,"email":null,"metadata":null,"externalId":null,"externalInvoiceId":null}`)
			put(`"totalEarned":9.9999`).refused(deductionsExceedTotal.on("totalEarned"))
		}),
		own("M70 PUT subtotal", "docs/money.md M70: set or cleared, nothing calculated again; the merged sale is checked", func(_ *exam, put func(string) *answer) {
			put(`"commissionEarned":3`).has(`{"subtotal":null,"commissionEarned":3}`)
			put(`"subtotal":120`).has(`{"subtotal":120,"commissionEarned":3}`)
			put(`"subtotal":0`).refused(subtotalNotPositive)
			put(`"subtotal":1`).refused(subtotalBelowTotal)
			put(`"totalEarned":200`).refused(subtotalBelowTotal.on("totalEarned"))
			put(`"subtotal":null,"totalEarned":200`).has(`{"subtotal":null,"totalEarned":200}`)
		}),
		own("M5 PUT affiliateId", "docs/money.md M5: the sale keeps its id, day and external ids, and earns by the terms of the new affiliate", func(x *exam, put func(string) *answer) {
			x.do("POST /affiliates", `{"firstName":"Bob","lastName":"Byron","email":"{{u}}-b@conform.example","commissionRate":50}`).as("b")
			put(`"affiliateId":null`).refused(mustBe("affiliateId", notNull))
			put(`"affiliateId":"{{unknown}}"`).refused(ownerNotFound)
			put(`"commissionEarned":3`).has(`{"affiliateId":"{{a}}","commissionEarned":3}`)
			put(`"affiliateId":"{{b}}"`).has(`{"id":{{s}},"affiliateId":"{{b}}","externalId":"{{u}}e","externalInvoiceId":"{{u}}i","commissionEarned":45,"commissions":[{"affiliateId":"{{b}}","commissionEarned":45}]}`)
			put(`"affiliateId":"{{a}}","commissionRate":10`).has(`{"affiliateId":"{{a}}","commissionEarned":9}`)
			x.do("PUT /referrals", `{"referralId":"{{s.referralId}}","affiliateId":"{{b}}"}`).has(`{"affiliateId":"{{b}}"}`)
			refund(x, "")
			put(`"affiliateId":"{{b}}"`).refused(saleRefunded)
		}),
		own("M5 PUT affiliateId of a sale in a payout", "docs/money.md M5: with clawback the payout stays as it is, and what it holds is taken back", func(x *exam, put func(string) *answer) {
			x.do("POST /affiliates", `{"firstName":"Bob","lastName":"Byron","email":"{{u}}-b@conform.example","commissionRate":50}`).as("b")
			x.do("POST /payouts", `{"affiliateId":"{{a}}","manuallyPaid":true}`).as("p")
			before := x.get("/payouts?id={{p}}").has(`{"amount":18}`)
			put(`"affiliateId":"{{b}}"`).refused(inPayout)
			put(`"affiliateId":"{{b}}","clawback":true`).has(`{"affiliateId":"{{b}}","commissionEarned":45,"commissions":[{"affiliateId":"{{b}}","commissionEarned":45,"payoutId":null}]}`)
			x.get("/payouts?id={{p}}").bytes(before.body)
			x.get("/adjustments?affiliateId={{a}}&kind=MOVE").has(`[{"saleId":{{s}},"amount":-18,"payoutId":null},{"saleId":{{s}},"amount":18,"payoutId":"{{p}}"}]`)
			x.get("/balances?affiliateId={{a}}").has(`{"payable":-18,"paid":18,"earned":0}`)
			x.get("/movements?affiliateId={{a}}&cause=MOVE").has(`[{"saleId":{{s}},"from":"PAYABLE","to":"ACCRUAL","amount":18}]`)
		}),
		own("R16 PUT and PATCH in another currency", "rule 1.4: amounts are in the currency of the program", func(x *exam, put func(string) *answer) {
			put(`"totalEarned":60,"currency":"EUR"`).refused(otherCurrency)
			put(`"totalEarned":100,"currency":"usd"`).has(`{"totalEarned":100}`)
			refund(x, `,"amount":5,"currency":"EUR"`).refused(otherCurrency)
			refund(x, `,"amount":5,"currency":"usd"`).has(`{"reason":"partially_refunded"}`)
		}),
		own("R16 a sale in another currency", "docs/terms.md 8: changes and refunds are in the currency that was charged, at its rate", func(x *exam, _ func(string) *answer) {
			x.do("POST /sales", `{"referralId":"{{s.referralId}}","totalEarned":100,"currency":"EUR","exchangeRate":2,"commissionRate":10}`).has(`{"totalEarned":200,"commissionEarned":20}`).as("e")
			x.do("PATCH /sales", `{"saleId":{{e}},"amount":50}`).refused(chargedInEuros)
			x.do("PATCH /sales", `{"saleId":{{e}},"amount":50,"currency":"USD"}`).refused(chargedInEuros)
			x.do("PATCH /sales", `{"saleId":{{e}},"amount":50,"currency":"eur"}`).has(`{"reason":"partially_refunded"}`)
			x.do("PUT /sales", `{"saleId":{{e}},"totalEarned":80}`).refused(chargedInEuros)
			x.do("PUT /sales", `{"saleId":{{e}},"totalEarned":80,"currency":"EUR"}`).has(`{"totalEarned":160,"refundedAmount":100,"commissionEarned":6,"charged":{"totalEarned":80,"refundedAmount":50}}`)
			x.do("PATCH /sales", `{"saleId":{{e}}}`).has(`{"reason":"refunded"}`)
			x.get("/sales?id={{e}}").has(`{"refundedAmount":160,"commissionEarned":0,"status":"REFUNDED"}`)
		}),
		own("B410 PUT that changes nothing", "contract 1.3: an update that changes nothing answers like a change", func(x *exam, put func(string) *answer) {
			a := x.get("/sales?id={{s}}")
			x.do("PUT /sales", `{"saleId":{{s}}}`).bytes(a.body)
			put(`"totalEarned":100.00,"name":"Tom"`).bytes(a.body)
		}),
		own("B413 PUT an external id that is taken", "contract 2.6: each unique among live sales", func(_ *exam, put func(string) *answer) {
			put(`"externalId":"{{sale.externalId}}"`).refused(saleExternalIDTaken)
			put(`"externalInvoiceId":"{{sale.externalInvoiceId}}"`).refused(saleExternalInvoice)
			put(`"externalId":"{{u}}e","externalInvoiceId":"{{u}}i"`).ok()
		}),
		own("B417 PATCH in parts", refunds, func(x *exam, _ func(string) *answer) {
			refund(x, `,"amount":45`).has(`{"success":true,"alreadyRefunded":false,"reason":"partially_refunded"}`)
			x.get("/sales?id={{s}}").has(`{"status":"ACTIVE","refundedAmount":45,"refundedAt":null,"totalEarned":100,"commissionEarned":9.9}`)
			refund(x, `,"amount":55.0001`).refused(refundExceedsSale)
			refund(x, `,"amount":55`).has(`{"success":true,"alreadyRefunded":false,"reason":"refunded"}`)
			a := x.get("/sales?id={{s}}").has(`{"status":"REFUNDED","refundedAmount":100,"totalEarned":100,"commissionEarned":0}`)
			if a.at("refundedAt") == nil {
				a.wants("refundedAt")
			}
			refund(x, "").has(`{"success":true,"alreadyRefunded":true,"reason":"already_refunded"}`)
			refund(x, `,"amount":1`).has(`{"alreadyRefunded":true}`)
			x.get("/sales?id={{s}}").bytes(a.body)
		}),
		own("B417 statistics after a refund", "rule 5.7: statistics count what is kept; a sale that is refunded in full is in none of them", func(x *exam, _ func(string) *answer) {
			counted := func(sales, kept, earned string) {
				x.get("/links?link={{u}}").has(`[{"sales":` + sales + `,"totalRevenue":` + kept + `}]`)
				x.get("/affiliates?id={{a}}").has(`{"totalRevenue":` + kept + `,"totalCommissionEarned":` + earned + `}`)
				x.get("/referrals?id={{s.referralId}}").has(`{"totalRevenue":` + kept + `,"totalCommission":` + earned + `}`)
			}
			x.do("POST /sales", `{"email":"{{u}}@conform.example","totalEarned":7}`).ok()
			counted("2", "107", "19.4")
			refund(x, `,"amount":45`).ok()
			counted("2", "62", "11.3")
			refund(x, "").ok()
			counted("1", "7", "1.4")
			x.do("DELETE /sales", `{"saleId":{{s}}}`).ok()
			counted("1", "7", "1.4")
		}),
		own("B418 PATCH with one refundId twice", refunds, func(x *exam, _ func(string) *answer) {
			refund(x, `,"amount":10,"refundId":"r1"`).has(`{"reason":"partially_refunded"}`)
			refund(x, `,"amount":10,"refundId":"r1"`).has(`{"success":true,"alreadyRefunded":true,"reason":"already_refunded"}`)
			x.get("/sales?id={{s}}").has(`{"refundedAmount":10}`)
			refund(x, `,"amount":10,"refundId":"R1"`).has(`{"reason":"partially_refunded"}`)
			x.get("/sales?id={{s}}").has(`{"refundedAmount":20}`)
		}),
		own("M8 PATCH and PUT with clawback on a sale in no payout", "money M8: the flag changes nothing for a sale that no payout holds", func(x *exam, put func(string) *answer) {
			refund(x, `,"amount":45,"clawback":true`).has(`{"reason":"partially_refunded"}`)
			put(`"totalEarned":90,"clawback":true`).has(`{"totalEarned":90,"refundedAmount":45,"commissions":[{"clawback":false}]}`)
			refund(x, `,"clawback":"yes"`).refused(mustBe("clawback", asBoolean))
			put(`"clawback":"yes"`).refused(mustBe("clawback", asBoolean))
		}),
		own("B423 PATCH in full, PUT, DELETE", refunds, func(x *exam, put func(string) *answer) {
			refund(x, "").has(`{"success":true,"alreadyRefunded":false,"reason":"refunded"}`)
			x.get("/affiliates?id={{a}}").has(`{"totalRevenue":0,"totalCommissionEarned":0}`)
			put(`"totalEarned":150`).refused(saleRefunded)
			put(`"totalEarned":50`).refused(totalBelowRefunded)
			put(`"commissionEarned":5`).refused(saleRefunded)
			put(`"name":"Tim"`).has(`{"name":"Tim","status":"REFUNDED"}`)
			x.do("DELETE /sales", `{"saleId":{{s}}}`).ok()
			x.get("/sales?id={{s}}").null()
		}),
		own("B411 PUT totalEarned below the refunded amount", "contract 3.7, PUT: totalEarned", func(x *exam, put func(string) *answer) {
			refund(x, `,"amount":45`).ok()
			put(`"totalEarned":44.9999`).refused(totalBelowRefunded)
			put(`"totalEarned":90`).has(`{"totalEarned":90,"refundedAmount":45,"status":"ACTIVE"}`)
		}),
		own("B422 DELETE twice", "contract 3.7, DELETE: the sale and its commissions go; the message is the same twice", func(x *exam, put func(string) *answer) {
			a := x.do("DELETE /sales", `{"saleId":"{{s}}"}`).has(`{"message":"Sale deleted successfully"}`)
			x.do("DELETE /sales?saleId={{s}}", "").bytes(a.body)
			x.get("/sales?id={{s}}").null()
			put(`"name":"x"`).refused(saleNotFound)
			refund(x, "").refused(saleNotFound)
			x.get("/affiliates?id={{a}}").has(`{"totalRevenue":0,"totalCommissionEarned":0,"numberOfReferredUsers":1}`)
			x.get("/referrals?id={{s.referralId}}").has(`{"totalRevenue":0,"totalCommission":0}`)
		}),
	}
}

// previewCases test POST /promotional-codes/validate.
func previewCases() []serverCase {
	const operation = "POST /promotional-codes/validate"
	own := func(name, rule, coupon, code string, run func(x *exam, preview func(member string) *answer)) serverCase {
		return serverCase{name, rule, func(x *exam) {
			x.do("POST /coupons", `{"name":"{{u}}",`+coupon+`}`).as("c")
			x.do("POST /promotional-codes", `{"couponId":"{{c}}","code":"{{u}}"`+code+`}`).as("k")
			run(x, func(member string) *answer { return x.do(operation, `{"promoCode":"{{u}}"`+member+`}`) })
		}}
	}
	const all = "contract 4.1, reasons: every failing row of 3.5 in its order, with its data"
	cases := refusals("contract 4.1: promoCode is required, totalEarned > 0", operation, refusedCase{"B259 no promoCode", `{}`, promoCodeRequired}, refusedCase{`B259 promoCode ""`, `{"promoCode":""}`, promoCodeRequired},
		refusedCase{"B259 promoCode 5", `{"promoCode":5}`, mustBe("promoCode", asString)}, refusedCase{"B259 totalEarned 0", `{"promoCode":"A","totalEarned":0}`, totalNotPositive},
		refusedCase{"B259 totalEarned -1", `{"promoCode":"A","totalEarned":-1}`, totalNotPositive},
		refusedCase{"B387 validate totalEarned 100000000000.0001", `{"promoCode":"A","totalEarned":100000000000.0001}`, mustBe("totalEarned", tooLarge)}, refusedCase{"B259 email x", `{"promoCode":"A","email":"x"}`, emailInvalid},
		refusedCase{"B259 product x", `{"promoCode":"A","product":"x"}`, mustBe("product", asObject)}, refusedCase{`B259 totalEarned "1"`, `{"promoCode":"A","totalEarned":"1"}`, mustBe("totalEarned", asNumber)})
	return append(cases,
		serverCase{"B260 an unknown code", all, func(x *exam) {
			x.do(operation, `{"promoCode":"{{u}}","totalEarned":10}`).has(`{"valid":false,"reasons":[{"reason":"code_not_found","message":"Promo code not found"}],"unverified":[],
				"discount":null,"promotionalCode":null,"coupon":null,"affiliate":null}`)
		}},
		own("B258 a good code", "contract 4.1: valid, the discount, code, coupon and affiliate; the key code is read when promoCode is absent", `"percentOff":20`, owned, func(x *exam, preview func(string) *answer) {
			a := preview(`,"totalEarned":19.99`).has(`{"valid":true,"reasons":[],"unverified":[],"discount":4,"promotionalCode":{"id":"{{k}}","code":"{{u}}"},
				"coupon":{"id":"{{c}}","percentOff":20},"affiliate":{"id":"{{affiliate}}","email":"{{affiliate.email}}"}}`)
			x.do(operation, `{"code":" {{u}} ","totalEarned":19.99}`).bytes(a.body)
			preview("").has(`{"valid":true,"discount":null}`)
		}),
		own("B258 a preview counts nothing", "contract 4.1: writes nothing, counts nothing", `"percentOff":20,"maxRedemptions":1`, owned+`,"maxRedemptions":1`, func(x *exam, preview func(string) *answer) {
			for range 20 {
				preview(`,"totalEarned":10`).has(`{"valid":true}`)
			}
			x.get("/coupons?id={{c}}").has(`{"timesRedeemed":0,"promotionalCodes":[{"timesRedeemed":0}]}`)
			x.do("POST /sales", `{"promoCode":"{{u}}","totalEarned":10}`).headed("Sale-Outcome", "recorded")
			preview("").has(`{"valid":false,"reasons":[{"reason":"code_exhausted","message":"Promo code has reached its redemption limit","limit":1,"used":1},
				{"reason":"coupon_exhausted","message":"Promo code has reached its redemption limit","limit":1,"used":1}]}`)
		}),
		own("B367 every failing row", all, `"percentOff":20,"valid":false,"redeemBy":"2020-01-01T00:00:00Z","limitToProducts":true,"productIds":["p"]`,
			`,"active":false,"expiresAt":"2021-01-01T00:00:00Z","minimumAmount":25`, func(x *exam, preview func(string) *answer) {
				rows := `{"valid":false,"reasons":[
					{"reason":"code_inactive","message":"Promo code is not active"},{"reason":"coupon_invalid","message":"Promo code is not active"},
					{"reason":"code_expired","message":"Promo code has expired","at":"2021-01-01T00:00:00.000Z"},{"reason":"coupon_expired","message":"Promo code has expired","at":"2020-01-01T00:00:00.000Z"},
					{"reason":"code_unassigned","message":"Promo code is not associated with an affiliate"},
					{"reason":"below_minimum","message":"Order does not reach the minimum amount for this promo code","amount":25,"currency":"USD"},
					{"reason":"wrong_product","message":"Promo code does not apply to this product"}],"discount":2,"affiliate":null}`
				if x.server.HouseCodes {
					rows = strings.Replace(rows, `{"reason":"code_unassigned","message":"Promo code is not associated with an affiliate"},`, "", 1)
				}
				shown := preview(`,"totalEarned":10,"product":{"productId":"q"}`).has(rows)
				refused := x.do("POST /sales", `{"promoCode":"{{u}}","totalEarned":10,"product":{"productId":"q"}}`).refused(codeInactive)
				var said struct{ Reasons json.RawMessage }
				if json.Unmarshal(shown.body, &said) == nil && !cmp.Equal(decodeJSON([]byte(refused.header.Get("Error-Reasons"))), decodeJSON(said.Reasons)) {
					refused.wants("Error-Reasons as in the preview: %s", said.Reasons)
				}
			}),
		own("B258 what was not sent", "contract 4.1, unverified: rows 9–14 that the code carries but the request gave no input for", `"percentOff":20,"limitToProducts":true,"productIds":["p"]`,
			owned+`,"firstTimeOrder":true,"minimumAmount":25,"limitToAffiliate":true,"limitToCustomers":true,"customerId":"x"`, func(_ *exam, preview func(string) *answer) {
				preview("").has(`{"valid":true,"unverified":["not_first_order","below_minimum","wrong_affiliate","wrong_customer","wrong_product"]}`)
			}),
		own("B370 a preview of a minimum in another currency", all, `"percentOff":20`, owned+`,"minimumAmount":1,"minimumAmountCurrency":"JPY"`, func(_ *exam, preview func(string) *answer) {
			preview(`,"totalEarned":10`).has(`{"valid":false,"reasons":[{"reason":"wrong_currency","message":"Promo code minimum is in another currency","currency":"JPY"}]}`)
		}),
		own("M68 a basket from preview to sale", "docs/money.md M68: preview the basket, charge total, report both", `"percentOff":20`, owned+`,"minimumAmount":50`, func(x *exam, preview func(string) *answer) {
			preview(`,"subtotal":55`).has(`{"valid":true,"discount":11,"total":44}`)
			preview(`,"totalEarned":55`).has(`{"valid":true,"discount":11,"total":44}`)
			preview(`,"subtotal":49.99`).has(`{"valid":false,"reasons":[{"reason":"below_minimum","amount":50}]}`)
			preview("").has(`{"valid":true,"discount":null,"total":null}`)
			preview(`,"subtotal":50,"totalEarned":60`).refused(subtotalBelowTotal)
			preview(`,"subtotal":0`).refused(subtotalNotPositive)
			x.do("POST /sales", `{"promoCode":"{{u}}","totalEarned":44}`).refused(belowMinimum)
			x.do("POST /sales", `{"promoCode":"{{u}}","totalEarned":44,"subtotal":55,"commissionRate":20}`).has(`{"totalEarned":44,"subtotal":55,"commissionEarned":8.8}`)
		}),
		own("R16 a preview in another currency", "rule 1.4: amounts are in the currency of the program", `"percentOff":20`, owned, func(_ *exam, preview func(string) *answer) {
			preview(`,"totalEarned":10,"currency":"XTS"`).refused(noRate)
			preview(`,"totalEarned":10.1,"currency":"JPY","exchangeRate":0.0065`).has(`{"discount":2,"total":8.1}`)
			preview(`,"totalEarned":10,"currency":"usd"`).has(`{"discount":2}`)
		}),
		own("R29 a product coupon and a basket", "contract 4.1, unverified: products when nobody said what they cost", `"percentOff":20,"limitToProducts":true,"productIds":["p"]`, owned, func(_ *exam, preview func(string) *answer) {
			preview(`,"subtotal":10,"product":{"productId":"p"}`).has(`{"valid":true,"unverified":["products"],"discount":2}`)
			preview(`,"subtotal":10`).has(`{"valid":true,"unverified":["wrong_product","products"]}`)
			preview(`,"subtotal":10,"product":{"productId":"p","price":5,"quantity":2}`).has(`{"valid":true,"unverified":[]}`)
			preview(`,"product":{"productId":"p"}`).has(`{"unverified":[]}`)
		}),
		own("B258 a flat discount", "contract 4.1, discount: FLAT takes at most totalEarned", `"couponType":"FLAT","amountOff":7.5,"currency":"USD"`, owned, func(_ *exam, preview func(string) *answer) {
			preview(`,"totalEarned":10`).has(`{"discount":7.5}`)
			preview(`,"totalEarned":5`).has(`{"discount":5}`)
		}),
		own("B258 a flat discount in another currency", "contract 4.1, discount: null for a FLAT coupon in another currency", `"couponType":"FLAT","amountOff":7.5,"currency":"JPY"`, owned, func(_ *exam, preview func(string) *answer) {
			preview(`,"totalEarned":10`).has(`{"discount":null}`)
		}),
		serverCase{"I34 what a link gives", "rule 3.11: the offer of an affiliate needs no code, redeems its coupon, and a typed code is before it", func(x *exam) {
			x.do("POST /coupons", `{"name":"{{u}}","percentOff":20}`).as("c")
			x.do("POST /affiliates", `{"firstName":"A","lastName":"B","email":"{{u}}@conform.example","affiliateLink":"{{u}}","offerCouponId":"{{c}}"}`).as("a").has(`{"offerCouponId":"{{c}}"}`)
			x.do(operation, `{"offer":true,"referralId":"{{u}}","totalEarned":10}`).has(`{"valid":true,"offer":true,"discount":2,"promotionalCode":null,"coupon":{"id":"{{c}}"},"affiliate":{"id":"{{a}}"}}`)
			x.do(operation, `{"offer":true,"referralId":"{{unknown}}","totalEarned":10}`).has(`{"valid":false,"reasons":[{"reason":"no_offer","message":"The link gives no discount"}],"coupon":null}`)
			x.do(operation, `{"offer":true,"promoCode":"{{u}}","referralId":"{{u}}"}`).has(`{"valid":false,"reasons":[{"reason":"code_not_found"}]}`)
			x.do("POST /sales", `{"offer":true,"referralId":"{{u}}","email":"{{u}}-c@conform.example","name":"C","totalEarned":8,"subtotal":10}`).has(`{"offer":true,"promotionalCodeId":null,"affiliateId":"{{a}}"}`)
			x.get("/coupons?id={{c}}").has(`{"timesRedeemed":1}`)
			x.do("DELETE /coupons", `{"couponId":"{{c}}"}`).refused(couponInUse)
			x.do("PUT /affiliates", `{"affiliateId":"{{a}}","offerCouponId":null}`).ok()
			x.do("DELETE /coupons", `{"couponId":"{{c}}"}`).ok()
		}},
		serverCase{"I34 which of several codes is best", "contract 4.1: one answer for each code in the order given; best takes most off, of equal ones the first", func(x *exam) {
			x.do("POST /coupons", `{"name":"{{u}}","percentOff":20}`).as("c")
			x.do("POST /coupons", `{"name":"{{u}}","couponType":"FLAT","amountOff":3,"currency":"USD"}`).as("f")
			for _, code := range []string{`"couponId":"{{c}}","code":"{{u}}A"` + owned, `"couponId":"{{f}}","code":"{{u}}B"` + owned, `"couponId":"{{c}}","code":"{{u}}C","active":false` + owned} {
				x.do("POST /promotional-codes", `{`+code+`}`).ok()
			}
			compare := func(rest string) *answer {
				return x.do("POST /promotional-codes/compare", `{"promoCodes":[" {{u}}b ","{{u}}C","{{u}}A","{{u}}D"]`+rest+`}`)
			}
			compare(`,"totalEarned":10`).has(`{"best":{"code":"{{u}}B"},"evaluations":[{"valid":true,"discount":3},{"valid":false,"discount":2,"reasons":[{"reason":"code_inactive"}]},
				{"valid":true,"discount":2},{"valid":false,"promotionalCode":null}]}`)
			compare(`,"totalEarned":20`).has(`{"best":{"code":"{{u}}A"}}`)
			compare(`,"totalEarned":15`).has(`{"best":{"code":"{{u}}B"},"evaluations":[{"discount":3},{},{"discount":3},{}]}`)
			compare("").has(`{"best":null,"evaluations":[{"valid":true,"discount":null},{},{},{}]}`)
			compare(`,"promoCode":"{{u}}A"`).refused(unknownField("promoCode"))
		}},
		own("B258 the preview says what the sale says", "rule 3.6: the preview runs the very function that the sale runs", `"percentOff":20`, owned+`,"firstTimeOrder":true,"limitToAffiliate":true`, func(x *exam, preview func(string) *answer) {
			preview(`,"referralId":"{{other.slug}}"`).has(`{"valid":false,"reasons":[{"reason":"wrong_affiliate"}]}`)
			preview(`,"email":"{{u}}@conform.example"`).has(`{"valid":true,"unverified":["wrong_affiliate"]}`)
			x.do("POST /sales", `{"promoCode":"{{u}}","email":"{{u}}@conform.example","totalEarned":10}`).ok()
			preview(`,"email":"{{u}}@conform.example"`).has(`{"valid":false,"reasons":[{"reason":"not_first_order"}]}`)
		}),
	)
}

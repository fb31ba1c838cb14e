package servertest

import (
	"fmt"
	"slices"
	"strings"
)

// saleCases test POST and GET /sales.
func saleCases() []serverCase {
	return slices.Concat(
		saleCustomerCases(),
		totalEarnedCases(),
		saleFieldCases(),
		recordedCases(),
	)
}

// saleWith returns a sale with one more member.
func saleWith(member string) string {
	return `{"referralId":"{{referral}}","totalEarned":100,` + member + `}`
}

func saleCustomerCases() []serverCase {
	const rule = "contract 2.6, promoCode, referralId, email: one of three"
	t := table{operation: "POST /sales"}
	t.no(rule, refusedCase{"B380 none of three", `{"totalEarned":10}`, saleUnattributed}, refusedCase{`B376 promoCode ""`, `{"promoCode":"","totalEarned":10}`, saleUnattributed},
		refusedCase{"B376 promoCode blank", `{"promoCode":" ","totalEarned":10}`, saleUnattributed}, refusedCase{"B376 promoCode null", `{"promoCode":null,"totalEarned":10}`, saleUnattributed},
		refusedCase{"B380 {}", `{}`, saleUnattributed}, refusedCase{"B377 promoCode 5", `{"promoCode":5,"totalEarned":10}`, mustBe("promoCode", asString)},
		refusedCase{"B377 promoCode [A]", `{"promoCode":["A"],"totalEarned":10}`, mustBe("promoCode", asString)},
		refusedCase{"B391 email 5", `{"email":5,"totalEarned":10}`, mustBe("email", asString)}, refusedCase{"B391 referralId true", `{"referralId":true,"totalEarned":10}`, mustBe("referralId", asString)},
		refusedCase{"B391 referralId 1.5", `{"referralId":1.5,"totalEarned":10}`, mustBe("referralId", asString)}, refusedCase{"B359 promoCode unknown", `{"promoCode":"{{u}}","totalEarned":10}`, codeNotFound})
	return t.cases
}

func totalEarnedCases() []serverCase {
	const rule = "contract 2.6, totalEarned: > 0; contract 1.4: at most 10^11, at most 4 decimals, read from its text"
	t := table{operation: "POST /sales"}
	total := func(n string) string {
		return `{"referralId":"{{referral}}","commissionRate":20,"totalEarned":` + n + `}`
	}
	t.no(rule, refusedCase{"B381 totalEarned missing", `{"referralId":"{{referral}}"}`, totalRequired}, refusedCase{"B382 totalEarned -1", total("-1"), totalNotPositive}, refusedCase{"B382 totalEarned -0.0001", total("-0.0001"), totalNotPositive},
		refusedCase{`B383 totalEarned "49.99"`, total(`"49.99"`), mustBe("totalEarned", asNumber)}, refusedCase{"B383 totalEarned true", total("true"), mustBe("totalEarned", asNumber)},
		refusedCase{"B384 totalEarned 0.30000000000000004", total("0.30000000000000004"), mustBe("totalEarned", fourDecimals)}, refusedCase{"B384 totalEarned 1e-5", total("1e-5"), mustBe("totalEarned", fourDecimals)},
		refusedCase{"B385 totalEarned 1e400", total("1e400"), mustBe("totalEarned", tooLarge)}, refusedCase{"B385 totalEarned 922337203685477.5808", total("922337203685477.5808"), mustBe("totalEarned", tooLarge)},
		refusedCase{"B387 totalEarned 922337203685477.5807", total("922337203685477.5807"), mustBe("totalEarned", tooLarge)},
		refusedCase{"B387 totalEarned 100000000000.0001", total("100000000000.0001"), mustBe("totalEarned", tooLarge)})
	for _, n := range []string{"null", "0", "-0", "0.0000", "0e5"} {
		t.no(rule, refusedCase{"B381 totalEarned " + n, total(n), totalRequired})
	}
	t.yes("contract 1.4, rounding: the commission half away from zero to the currency's digits; amounts are kept as sent",
		acceptedCase{"B386 totalEarned 0.0001", total("0.0001"), `{"totalEarned":0.0001,"commissionEarned":0}`}, acceptedCase{"B386 totalEarned 1e3", total("1e3"), `{"totalEarned":1000,"commissionEarned":200}`},
		acceptedCase{"B386 totalEarned 199.99", total("199.99"), `{"totalEarned":199.99,"commissionEarned":40}`}, acceptedCase{"B386 totalEarned 0.025", total("0.025"), `{"totalEarned":0.025,"commissionEarned":0.01}`},
		acceptedCase{"B386 totalEarned 0.0249", total("0.0249"), `{"commissionEarned":0}`}, acceptedCase{"B386 totalEarned 99999999999.9999", total("99999999999.9999"), `{"totalEarned":99999999999.9999,"commissionEarned":20000000000}`},
		acceptedCase{"B386 totalEarned 1e11", total("1e11"), `{"totalEarned":100000000000,"commissionEarned":20000000000}`},
		acceptedCase{"B386 totalEarned 100.5000", total("100.5000"), `{"totalEarned":100.5,"commissionEarned":20.1}`})
	return t.cases
}

func saleFieldCases() []serverCase {
	const rule = "contract 2.6, tax and shipping: ≥ 0, together ≤ totalEarned; product: quantity > 0, price ≥ 0"
	t := table{operation: "POST /sales"}
	t.no("contract 2.6, docs/money.md M65: the basket before the discount", refusedCase{"M65 subtotal 0", saleWith(`"subtotal":0`), subtotalNotPositive}, refusedCase{"M65 subtotal -1", saleWith(`"subtotal":-1`), subtotalNotPositive},
		refusedCase{"B387 subtotal 100000000000.0001", saleWith(`"subtotal":100000000000.0001`), mustBe("subtotal", tooLarge)}, refusedCase{`M65 subtotal "1"`, saleWith(`"subtotal":"1"`), mustBe("subtotal", asNumber)},
		refusedCase{"M65 subtotal below totalEarned", saleWith(`"subtotal":99.99`), subtotalBelowTotal}, refusedCase{"M65 subtotal below totalEarned without tax", saleWith(`"subtotal":89.99,"tax":10`), subtotalBelowTotal})
	t.no("contract 2.6, docs/money.md M72: a free order earns nothing", refusedCase{"M72 free with an amount", saleWith(`"free":true`), freeEarned},
		refusedCase{`M72 free "x"`, saleWith(`"free":"x"`), mustBe("free", asBoolean)})
	t.no(rule, refusedCase{"B388 tax -1", saleWith(`"tax":-1`), taxNegative}, refusedCase{"B388 shipping -1", saleWith(`"shipping":-1`), shippingNegative},
		refusedCase{"B388 tax and shipping over totalEarned", saleWith(`"tax":60,"shipping":40.0001`), deductionsExceedTotal}, refusedCase{`B388 tax "1"`, saleWith(`"tax":"1"`), mustBe("tax", asNumber)},
		refusedCase{"B389 product x", saleWith(`"product":"x"`), mustBe("product", asObject)}, refusedCase{"B389 product.quantity 0", saleWith(`"product":{"quantity":0}`), quantityNotPositive},
		refusedCase{"B389 product.price -1", saleWith(`"product":{"price":-1}`), priceNegative}, refusedCase{"B389 product.productId 5", saleWith(`"product":{"productId":5}`), mustBe("product.productId", asString)},
		refusedCase{`B389 product.name 5`, saleWith(`"product":{"name":5}`), mustBe("product.name", asString)}, refusedCase{"B390 commissionRate -1", saleWith(`"commissionRate":-1`), rateOutOfRange},
		refusedCase{"B390 commissionRate 101", saleWith(`"commissionRate":101`), rateOutOfRange}, refusedCase{`B390 commissionRate "20"`, saleWith(`"commissionRate":"20"`), mustBe("commissionRate", asNumber)},
		refusedCase{`B398 externalId ""`, saleWith(`"externalId":""`), mustBe("externalId", notEmpty)}, refusedCase{"B398 externalId of 256", saleWith(`"externalId":"` + strings.Repeat("x", 256) + `"`), mustBe("externalId", tooLong)},
		refusedCase{`B398 externalInvoiceId ""`, saleWith(`"externalInvoiceId":""`), mustBe("externalInvoiceId", notEmpty)}, refusedCase{"B398 externalId 5", saleWith(`"externalId":5`), mustBe("externalId", asString)})
	t.no("rule 1.4: another currency needs a rate", refusedCase{"R16 a currency without a rate", saleWith(`"currency":"XTS"`), noRate}, refusedCase{"R16 currency x", saleWith(`"currency":"x"`), notACurrency},
		refusedCase{"R16 a rate without a currency", saleWith(`"exchangeRate":2`), mustBe("exchangeRate", "must not be sent")}, refusedCase{"R16 a rate of the program's currency", saleWith(`"currency":"usd","exchangeRate":1`), mustBe("exchangeRate", "must not be sent")},
		refusedCase{"R16 exchangeRate 0", saleWith(`"currency":"EUR","exchangeRate":0`), mustBe("exchangeRate", "must be greater than zero")},
		refusedCase{"R16 exchangeRate of 13 decimals", saleWith(`"currency":"EUR","exchangeRate":1.0000000000001`), mustBe("exchangeRate", "must have at most 12 decimal places")},
		refusedCase{`R16 exchangeRate "1"`, saleWith(`"currency":"EUR","exchangeRate":"1"`), mustBe("exchangeRate", asNumber)},
		refusedCase{"R16 nothing in the program's currency", saleWith(`"currency":"XTS","exchangeRate":0.00001`), denial{400, "invalid_field", "totalEarned", "totalEarned is less than the smallest amount of the program's currency"}},
		refusedCase{`R16 currency ""`, saleWith(`"currency":""`), mustBe("currency", notEmpty)}, refusedCase{"R16 currency 840", saleWith(`"currency":840`), mustBe("currency", asString)})
	t.no("contract 2.6, paidAt: not after now, at most 30 days before", refusedCase{"R30 paidAt in the future", saleWith(`"paidAt":"2999-01-01T00:00:00Z"`), mustBe("paidAt", "must not be later than now")},
		refusedCase{"R30 paidAt of long ago", saleWith(`"paidAt":"1999-12-31"`), mustBe("paidAt", "must not be before 2000-01-01")}, refusedCase{"R30 paidAt x", saleWith(`"paidAt":"x"`), mustBe("paidAt", asDate)})
	t.yes("contract 2.6: what was sent is answered; contract 3.7, step 6: tax and shipping are deducted",
		acceptedCase{"B388 tax and shipping", saleWith(`"commissionRate":20,"tax":9.5,"shipping":0.5`), `{"taxAmount":9.5,"shippingAmount":0.5,"totalEarned":100,"commissionRate":20,"commissionEarned":18}`},
		acceptedCase{"M65 a subtotal that tax makes up for", saleWith(`"subtotal":90,"tax":10`), `{"totalEarned":100,"subtotal":90}`},
		acceptedCase{"R16 the program's currency", saleWith(`"currency":"uSd"`), `{"totalEarned":100}`},
		acceptedCase{"R16 a currency with a rate", saleWith(`"currency":"eur","exchangeRate":1.0842,"commissionRate":20,"tax":20`),
			`{"totalEarned":108.42,"taxAmount":21.68,"commissionEarned":17.35,"charged":{"currency":"EUR","exchangeRate":1.0842,"totalEarned":100,"subtotal":null,"taxAmount":20,"shippingAmount":0,"refundedAmount":0}}`},
		acceptedCase{"M72 not free", saleWith(`"free":false,"subtotal":100`), `{"totalEarned":100}`},
		acceptedCase{"M70 no subtotal", saleWith(`"subtotal":null`), `{"subtotal":null}`},
		acceptedCase{"B388 tax and shipping are all of it", saleWith(`"commissionRate":20,"tax":60,"shipping":40`), `{"commissionEarned":0}`},
		acceptedCase{"B389 a product by id", saleWith(`"product":{"productId":"p1","name":"n","quantity":1.5,"price":0}`), `{"productsBought":["p1"]}`},
		acceptedCase{"B389 a product by name", saleWith(`"product":{"name":"n"}`), `{"productsBought":["n"]}`}, acceptedCase{"B389 no product", saleWith(`"product":{}`), `{"productsBought":[]}`},
		acceptedCase{"B393 what the server gives is ignored", saleWith(`"commissionEarned":99,"id":1,"affiliateId":"{{other}}","payoutCreated":true,"status":"REFUNDED","commissionRate":20`),
			`{"commissionEarned":20,"affiliateId":"{{affiliate}}","status":"ACTIVE"}`})

	t.no("contract 3.7, step 4: a new customer needs email and name without promoCode",
		refusedCase{"B392 a new customer without email", `{"referralId":"{{affiliate.slug}}","totalEarned":10}`, emailRequired},
		refusedCase{"B392 a new customer without name", `{"referralId":"{{affiliate.slug}}","email":"{{u}}@conform.example","totalEarned":10}`, nameRequired})
	for _, body := range []string{
		`{"referralId":"{{u}}","email":"{{u}}@conform.example","name":"N","totalEarned":10}`, `{"email":"{{u}}@conform.example","name":"N","totalEarned":10}`,
		`{"referralId":"{{unknown}}","totalEarned":10}`, `{"referralId":987654321987654321,"totalEarned":10}`,
	} {
		t.cases = append(t.cases, serverCase{fmt.Sprintf("B394 unattributed %.20s", body), "contract 3.7: nobody found is null and writes nothing", func(x *exam) {
			x.do(t.operation, body).null().headed("Sale-Outcome", "unattributed")
			x.get("/referrals?id={{u}}@conform.example").null()
		}})
	}
	return t.cases
}

// recordedCases record sales and examine what changes with them.
func recordedCases() []serverCase {
	own := func(name, rule string, run func(x *exam)) serverCase {
		return serverCase{name, rule, func(x *exam) {
			x.do("POST /affiliates", `{"firstName":"Ada","lastName":"Byron","email":"{{u}}-a@conform.example","affiliateLink":"{{u}}","commissionRate":20}`).as("a", "link:affiliateLinks.0.id")
			x.do("POST /promotional-codes", `{"couponId":"{{coupon}}","code":"{{u}}-CODE","affiliateId":"{{a}}"}`).as("k")
			run(x)
		}}
	}
	return []serverCase{
		own("B394 the least sale", "contract 2.6: every field; contract 2.7: one entry that adds up to commissionEarned", func(x *exam) {
			a := x.do("POST /sales", `{"referralId":"{{u}}","email":" {{u}}@CONFORM.example","name":"Tom","totalEarned":50,"externalId":"{{u}} e","externalInvoiceId":"{{u}} i"}`).headed("Sale-Outcome", "recorded").as("s", "referralId")
			a.has(`{"affiliateId":"{{a}}","email":"{{u}}@conform.example","name":"Tom","totalEarned":50,"taxAmount":0,"shippingAmount":0,"commissionRate":20,"commissionEarned":10,
				"externalId":"{{u}} e","externalInvoiceId":"{{u}} i","affiliateLinkId":"{{a.link}}","promotionalCodeId":null,"productsBought":[],"clicks":0,"status":"ACTIVE","refundedAmount":0,
				"refundedAt":null,"paymentTrigger":"PURCHASE","source":"API","integrationSalesSource":null,"metadata":null,
				"affiliate":{"id":"{{a}}","name":"Ada Byron","link":null,"affiliateLinks":[{"id":"{{a.link}}"}]},
				"referral":{"id":"{{s.referralId}}","email":"{{u}}@conform.example","name":"Tom","referredUserExternalId":null,"totalRevenue":50,"totalCommission":10,"referralMedium":"LINK"},
				"commissions":[{"saleId":{{s}},"affiliateId":"{{a}}","commissionEarned":10,"approvalStatus":"ACCEPTED","rewardType":"CASH","payoutCreated":false,"payoutId":null,"manuallyPaid":false,
				"holdReason":null,"bonusReason":null,"clawback":false,"riskReasons":[]}]}`)
			x.get("/sales?id={{s}}").bytes(a.body)
			for _, target := range []string{"affiliateId={{a}}", "affiliateEmail={{u}}-a@conform.example", "referralId={{s.referralId}}", "referralId={{u}}@conform.example", "saleExternalId={{u}}+e", "saleExternalInvoiceId={{u}}+i"} {
				x.get("/sales?" + target).bytes([]byte("[" + string(a.body) + "]"))
			}
			x.get("/affiliates?id={{a}}").has(`{"numberOfReferredUsers":1,"totalRevenue":50,"totalCommissionEarned":10}`)
		}),
		own("B375 by code", "contract 3.7: timesRedeemed is incremented on both the code and its coupon; contract 1.4: a code in any letter case", func(x *exam) {
			before := x.get("/coupons?id={{coupon}}").text("timesRedeemed")
			x.do("POST /sales", `{"promoCode":" `+strings.ToLower(x.unique)+`-code ","totalEarned":10}`).as("s").
				has(`{"affiliateId":"{{a}}","promotionalCodeId":"{{k}}","referralId":null,"referral":null,"email":null,"name":null,"affiliateLinkId":null,"commissionEarned":2}`)
			x.get("/promotional-codes?id={{k}}").has(`{"timesRedeemed":1}`)
			var n int
			_, _ = fmt.Sscan(before, &n)
			x.get("/coupons?id={{coupon}}").has(fmt.Sprintf(`{"timesRedeemed":%d}`, n+1))
			x.do("DELETE /sales", `{"saleId":{{s}}}`).ok()
			x.get("/promotional-codes?id={{k}}").has(`{"timesRedeemed":1}`)
		}),
		own("B379 by code with a customer of another affiliate", "rule 5.1, 4.6: promoCode wins; a customer is not moved", func(x *exam) {
			x.do("POST /sales", `{"promoCode":"{{u}}-CODE","referralId":"{{referral}}","email":"{{customer.email}}","totalEarned":10}`).
				has(`{"affiliateId":"{{a}}","referralId":"{{referral}}","referral":{"affiliateId":"{{affiliate}}"}}`)
			x.do("POST /sales", `{"promoCode":"{{u}}-CODE","email":"{{u}}-new@conform.example","totalEarned":10}`).
				has(`{"affiliateId":"{{a}}","referral":{"affiliateId":"{{a}}","referralMedium":"COUPON","name":null}}`)
		}),
		own("R28 what a customer typed", "contract 3.7, step 1: a paid order is not refused for an email or a name; Sale-Ignored says what was left out", func(x *exam) {
			x.do("POST /sales", `{"email":"x","totalEarned":10}`).null().headed("Sale-Outcome", "unattributed").headed("Sale-Ignored", "email")
			x.do("POST /sales", `{"promoCode":"{{u}}-CODE","email":"tom@@conform.example","totalEarned":10}`).headed("Sale-Ignored", "email").
				has(`{"affiliateId":"{{a}}","referralId":null,"email":null}`)
			x.do("POST /sales", `{"referralId":"{{u}}","email":"tom@@conform.example","name":"Tom","totalEarned":10}`).headed("Sale-Ignored", "email").
				has(`{"affiliateId":"{{a}}","referralId":null,"email":null,"name":"Tom"}`)
			x.do("POST /sales", `{"promoCode":"\u200b{{u}}-CO\u00adDE\u00a0","email":"","name":"`+strings.Repeat("x", 256)+`","product":{"name":"\u0007"},"totalEarned":10}`).
				headed("Sale-Ignored", "email, name, product.name").has(`{"affiliateId":"{{a}}","referralId":null,"name":null,"productsBought":[]}`)
			x.do("POST /sales", `{"promoCode":"{{u}}-CODE","email":"\u00a0{{u}}@B\u00fccher.example","totalEarned":10}`).headed("Sale-Ignored", "").has(`{"email":"{{u}}@xn--bcher-kva.example"}`)
			x.get("/referrals?id={{u}}@xn--bcher-kva.example").has(`{"email":"{{u}}@xn--bcher-kva.example"}`)
			x.get("/referrals?id={{u}}@B%C3%BCcher.example").has(`{"email":"{{u}}@xn--bcher-kva.example"}`)
		}),
		own("B394 each way to name the customer", "contract 1.5, referralId on POST /sales: referral id, email, affiliate id, slug; then email", func(x *exam) {
			x.do("POST /referrals", `{"affiliateId":"{{a}}","name":"Tom","email":"{{u}}@conform.example","referredUserExternalId":"{{u}}"}`).as("r")
			for _, who := range []string{
				`"referralId":"{{r}}"`, `"referralId":"{{u}}@CONFORM.example"`, `"email":"{{u}}@conform.example"`, `"referralId":"{{u}}-nobody","email":"{{u}}@conform.example"`,
				`"referralId":"{{a}}","email":"{{u}}@conform.example"`, `"referralId":"{{u}}","email":"{{u}}@conform.example"`,
			} {
				x.do("POST /sales", `{`+who+`,"totalEarned":10}`).has(`{"affiliateId":"{{a}}","referralId":"{{r}}","email":"{{u}}@conform.example","name":"Tom"}`)
			}
			x.get("/referrals?id={{r}}").has(`{"totalRevenue":60,"totalCommission":12}`)
		}),
		own("B395 a duplicate", "rule 5.2: a known externalId or externalInvoiceId is null and changes nothing", func(x *exam) {
			x.do("POST /sales", `{"promoCode":"{{u}}-CODE","totalEarned":10,"externalId":"{{u}}e","externalInvoiceId":"{{u}}i"}`).as("s")
			for _, ids := range []string{`"externalId":"{{u}}e"`, `"externalInvoiceId":"{{u}}i"`, `"externalId":"{{u}}e","externalInvoiceId":"{{u}}other"`, `"externalId":"{{u}}other","externalInvoiceId":"{{u}}i"`} {
				x.do("POST /sales", `{"promoCode":"{{u}}-CODE","totalEarned":99,`+ids+`}`).null().headed("Sale-Outcome", "duplicate").headed("Sale-Differs", "totalEarned")
				x.do("POST /sales", `{"promoCode":"{{u}}-none","totalEarned":99,`+ids+`}`).null().headed("Sale-Outcome", "duplicate")
			}
			x.get("/promotional-codes?id={{k}}").has(`{"timesRedeemed":1}`)
			x.do("POST /sales", `{"promoCode":"{{u}}-CODE","totalEarned":10,"externalId":"{{u}}E"}`).headed("Sale-Outcome", "recorded")
			x.do("DELETE /sales", `{"saleId":{{s}}}`).ok()
			x.do("POST /sales", `{"promoCode":"{{u}}-CODE","totalEarned":10,"externalId":"{{u}}e"}`).headed("Sale-Outcome", "recorded")
		}),
		own("B397 an inactive customer", "rule 5.2: a customer who is SUBMITTED or DECLINED is null", func(x *exam) {
			x.do("POST /referrals", `{"affiliateId":"{{a}}","name":"Tom","email":"{{u}}@conform.example","referredUserExternalId":"{{u}}"}`).as("r")
			for _, status := range []string{"DECLINED", "SUBMITTED"} {
				x.do("PUT /referrals", `{"referralId":"{{r}}","subscriptionStatus":"`+status+`"}`).ok()
				for _, who := range []string{`"referralId":"{{r}}"`, `"email":"{{u}}@conform.example"`, `"promoCode":"{{u}}-CODE","email":"{{u}}@conform.example"`} {
					x.do("POST /sales", `{`+who+`,"totalEarned":10}`).null().headed("Sale-Outcome", "inactive-customer")
				}
			}
			x.get("/promotional-codes?id={{k}}").has(`{"timesRedeemed":0}`)
			x.get("/sales?referralId={{r}}").has("[]")
		}),
		own("B405 look-ups", "contract 3.7: a text that is no integer is an unknown id; lists are newest first", func(x *exam) {
			var want []string
			for range 3 {
				want = append([]string{x.do("POST /sales", `{"promoCode":"{{u}}-CODE","totalEarned":10}`).id()}, want...)
			}
			x.sameIDs("/sales?affiliateId={{a}}", want, x.get("/sales?affiliateId={{a}}").ids())
			x.sameIDs("/sales?affiliateId={{a}}", want, x.walk("/sales?affiliateId={{a}}&limit=1", nil))
			for _, id := range []string{"0" + want[0], want[0] + ".0", "%2B" + want[0], want[0] + "%20", "-" + want[0]} {
				x.get("/sales?id=" + id).null()
			}
		}),
		own("B387 one sale leaves room for the next", "contract 1.4: one sale is at most 10^11, so that no sale fills the totals of its affiliate", func(x *exam) {
			const most = "100000000000"
			x.do("POST /sales", `{"promoCode":"{{u}}-CODE","totalEarned":`+most+`.0001}`).refused(mustBe("totalEarned", tooLarge))
			x.get("/promotional-codes?id={{k}}").has(`{"timesRedeemed":0}`)
			for range 3 {
				x.do("POST /sales", `{"promoCode":"{{u}}-CODE","totalEarned":`+most+`}`).headed("Sale-Outcome", "recorded")
			}
			x.get("/affiliates?id={{a}}").has(`{"totalRevenue":300000000000}`)
			x.get("/promotional-codes?id={{k}}").has(`{"timesRedeemed":3}`)
		}),
	}
}

// owned is the member of a code that names its affiliate.
const owned = `,"affiliateId":"{{affiliate}}"`

// unassigned is the refusal of a sale that names a code without an affiliate, and nothing else.
func (x *exam) unassigned() denial {
	if x.server.HouseCodes {
		return RefuseNoExternalID
	}
	return codeUnassigned
}

// saleRefusalCases test the rules of codes (contract 3.5).
func saleRefusalCases() []serverCase {
	const rule = "contract 3.5: the first failing row is answered; a row whose input was not sent does not fail"
	// own makes a coupon and a code with the given members.
	own := func(name, coupon, code string, run func(x *exam, sell func(member string) *answer)) serverCase {
		return serverCase{name, rule, func(x *exam) {
			x.do("POST /coupons", `{"name":"{{u}}","percentOff":10`+coupon+`}`).as("c")
			x.do("POST /promotional-codes", `{"couponId":"{{c}}","code":"{{u}}"`+code+`}`).as("k")
			run(x, func(member string) *answer {
				return x.do("POST /sales", `{"promoCode":"{{u}}","totalEarned":25`+member+`}`)
			})
			x.get("/promotional-codes?id={{k}}").ok()
		}}
	}
	always := func(name, coupon, code string, want denial) serverCase {
		return own(name, coupon, code, func(x *exam, sell func(string) *answer) {
			sell("").refused(want)
			x.get("/promotional-codes?id={{k}}").has(`{"timesRedeemed":0}`)
		})
	}
	const past, future = `"2020-01-01T00:00:00Z"`, `"2035-01-01T00:00:00Z"`
	return []serverCase{
		always("B360 a code that is not active", "", owned+`,"active":false`, codeInactive),
		always("B361 a coupon that is not valid", `,"valid":false`, owned, couponInvalid),
		always("B362 a code that has expired", "", owned+`,"expiresAt":`+past, codeExpired),
		always("B363 a coupon that has expired", `,"redeemBy":`+past, owned, couponExpired),
		own("B366 a code without an affiliate", "", "", func(x *exam, sell func(string) *answer) {
			sell("").refused(x.unassigned())
			x.get("/promotional-codes?id={{k}}").has(`{"timesRedeemed":0}`)
		}),
		own("H13 a code of the house", "", "", func(x *exam, sell func(string) *answer) {
			const order = `,"externalId":"{{u}}"`
			if !x.server.HouseCodes {
				sell(order).refused(codeUnassigned)
				return
			}
			for _, outcome := range []string{"redeemed", "duplicate"} {
				sell(order).headed("Sale-Outcome", outcome).null()
				x.get("/promotional-codes?id={{k}}").has(`{"timesRedeemed":1}`)
			}
			sell(`,"referralId":"{{affiliate}}","email":"{{u}}-c@conform.example","name":"N"`).has(`{"affiliateId":"{{affiliate}}","promotionalCodeId":"{{k}}"}`)
			x.get("/promotional-codes?id={{k}}").has(`{"timesRedeemed":2}`)
		}),
		always("B367 inactive before invalid", `,"valid":false`, owned+`,"active":false`, codeInactive),
		always("B367 invalid before expired", `,"valid":false`, owned+`,"expiresAt":`+past, couponInvalid),
		always("B367 code before coupon", `,"redeemBy":`+past, owned+`,"expiresAt":`+past, codeExpired),
		always("B367 expired before below minimum", "", owned+`,"minimumAmount":1000,"expiresAt":`+past, codeExpired),
		always("B370 a minimum in another currency", "", owned+`,"minimumAmount":1,"minimumAmountCurrency":"JPY"`, wrongCurrency),
		always("B371 below the minimum", "", owned+`,"minimumAmount":25.0001`, belowMinimum),
		own("B371 at the minimum", "", owned+`,"minimumAmount":25`, func(_ *exam, sell func(string) *answer) { sell("").ok() }),
		own("B362 before the end", `,"redeemBy":`+future, owned+`,"expiresAt":`+future, func(_ *exam, sell func(string) *answer) { sell("").ok() }),
		own("B364 a code at its limit", "", owned+`,"maxRedemptions":2`, func(x *exam, sell func(string) *answer) {
			sell("").ok()
			sell("").ok()
			sell("").refused(codeExhausted)
			x.get("/promotional-codes?id={{k}}").has(`{"timesRedeemed":2}`)
			x.do("PUT /promotional-codes", `{"promotionalCodeId":"{{k}}","maxRedemptions":1}`).has(`{"maxRedemptions":1,"timesRedeemed":2}`)
			sell("").refused(codeExhausted)
			x.do("PUT /promotional-codes", `{"promotionalCodeId":"{{k}}","maxRedemptions":null}`).ok()
			sell("").ok()
		}),
		own("B365 a coupon at its limit through another code", `,"maxRedemptions":1`, owned, func(x *exam, sell func(string) *answer) {
			x.do("POST /promotional-codes", `{"couponId":"{{c}}","code":"{{u}}-2","affiliateId":"{{affiliate}}"}`).ok()
			x.do("POST /sales", `{"promoCode":"{{u}}-2","totalEarned":1}`).ok()
			sell("").refused(couponExhausted)
			x.get("/coupons?id={{c}}").has(`{"timesRedeemed":1,"promotionalCodes":[{"timesRedeemed":1},{"timesRedeemed":0}]}`)
		}),
		own("B396 the repeat of the sale that took the last one", "", owned+`,"maxRedemptions":1`, func(_ *exam, sell func(string) *answer) {
			sell(`,"externalId":"{{u}}"`).ok()
			sell(`,"externalId":"{{u}}"`).null().headed("Sale-Outcome", "duplicate")
			sell(`,"externalId":"{{u}}x"`).refused(codeExhausted)
		}),
		own("B368 not the first order", "", owned+`,"firstTimeOrder":true`, func(x *exam, sell func(string) *answer) {
			sell(`,"email":"{{u}}@conform.example"`).as("s", "referralId")
			sell(`,"email":"{{u}}@conform.example"`).refused(notFirstOrder)
			sell(`,"referralId":"{{s.referralId}}"`).refused(notFirstOrder)
			x.do("PATCH /sales", `{"saleId":{{s}}}`).ok()
			sell(`,"email":"{{u}}+tag@conform.example"`).as("again")
			sell(`,"email":"{{u}}@conform.example"`).refused(notFirstOrder)
			x.do("DELETE /sales", `{"saleId":{{again}}}`).ok()
			sell(`,"email":"{{u}}@conform.example"`).ok()
		}),
		own("B369 first order, nobody named", "", owned+`,"firstTimeOrder":true`, func(_ *exam, sell func(string) *answer) {
			sell("").ok()
			sell("").ok()
		}),
		own("B372 another affiliate", "", owned+`,"limitToAffiliate":true`, func(_ *exam, sell func(string) *answer) {
			for _, ident := range []string{"{{other}}", "{{other.slug}}"} {
				sell(`,"referralId":"` + ident + `"`).refused(wrongAffiliate)
			}
			sell(`,"referralId":"{{affiliate.slug}}"`).ok()
			sell(`,"referralId":"{{referral}}"`).ok()
			sell(`,"referralId":"{{u}}-nobody"`).ok()
		}),
		own("B373 another customer", "", owned+`,"limitToCustomers":true,"customerId":"{{referral.email}}"`, func(_ *exam, sell func(string) *answer) {
			sell(`,"email":"{{customer.email}}"`).refused(wrongCustomer)
			sell(`,"email":"{{u}}@conform.example"`).refused(wrongCustomer)
			sell(`,"referralId":"{{customer}}"`).refused(wrongCustomer)
			sell(`,"email":"{{referral.email}}"`).ok()
			sell(`,"referralId":"{{referral}}"`).ok()
			sell("").ok()
		}),
		own("B373 a customer by external id", "", owned+`,"limitToCustomers":true,"customerId":"{{referral.referredUserExternalId}}"`, func(_ *exam, sell func(string) *answer) {
			sell(`,"email":"{{customer.email}}"`).refused(wrongCustomer)
			sell(`,"email":"{{referral.email}}"`).ok()
		}),
		own("B374 another product", `,"limitToProducts":true,"productIds":["p1","p2"]`, owned, func(_ *exam, sell func(string) *answer) {
			sell(`,"product":{"productId":"p3"}`).refused(wrongProduct)
			sell(`,"product":{"productId":"P1"}`).refused(wrongProduct)
			sell(`,"product":{"productId":"p2"}`).ok()
			sell(`,"product":{"name":"p3"}`).ok()
			sell("").ok()
		}),
	}
}

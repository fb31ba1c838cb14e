package servertest

import (
	"fmt"
	"time"
)

const (
	codeTermsRule = "contract 3.5, rows 17 to 20: a start, a budget, pieces and a limit per customer"
	holdRule      = "contract 3.10: a hold keeps a place of a code, and its price"
)

// codeTermsCases test the limits of coupons and codes that [added] fields have.
func codeTermsCases() []serverCase {
	own := func(name, coupon, code string, run func(x *exam)) serverCase {
		return serverCase{adminCase + name, codeTermsRule, func(x *exam) {
			x.offer(coupon, code)
			run(x)
		}}
	}
	cases := refusals(codeTermsRule, "POST /coupons",
		refusedCase{adminCase + "H1 maxDiscount 0", `{"name":"n","percentOff":10,"maxDiscount":0}`, mustBe("maxDiscount", "must be greater than zero")},
		refusedCase{adminCase + "H1 maxDiscountTotal 0", `{"name":"n","percentOff":10,"maxDiscountTotal":0}`, mustBe("maxDiscountTotal", "must be greater than zero")},
		refusedCase{adminCase + "H1 a start after the end", `{"name":"n","percentOff":10,"startsAt":"2026-02-02","redeemBy":"2026-02-01"}`, mustBe("redeemBy", "must not be before startsAt")})
	cases = append(cases, refusals(codeTermsRule, "POST /promotional-codes",
		refusedCase{adminCase + "H1 minimumQuantity 0", `{"couponId":"{{coupon}}","code":"{{u}}","minimumQuantity":0}`, mustBe("minimumQuantity", "must be greater than zero")})...)
	return append(cases,
		own("H2 a start", "", `,"startsAt":"2099-01-01T00:00:00Z"`, func(x *exam) {
			x.get("/promotional-codes?code={{u}}").has(`{"startsAt":"2099-01-01T00:00:00.000Z"}`)
			x.preview(`"totalEarned":10`).has(`{"valid":false,"reasons":[{"reason":"not_started","message":"Promo code is not valid yet","at":"2099-01-01T00:00:00.000Z"}]}`)
			x.do("POST /sales", `{"promoCode":"{{u}}","totalEarned":10}`).refused(notStarted)
			x.do("PUT /promotional-codes", `{"promotionalCodeId":"{{k}}","startsAt":null}`).lacks("startsAt")
			x.do("POST /sales", `{"promoCode":"{{u}}","totalEarned":10}`).headed("Sale-Outcome", "recorded")
		}),
		own("H3 at most so much off", `,"maxDiscount":15`, "", func(x *exam) {
			x.preview(`"subtotal":100`).has(`{"discount":15,"total":85}`)
			x.preview(`"subtotal":50`).has(`{"discount":10,"total":40}`)
			x.preview(`"subtotal":50,"currency":"EUR","exchangeRate":1`).has(`{"valid":false,"reasons":[{"reason":"other_currency","currency":"USD"}],"discount":null}`)
		}),
		own("H4 a budget", `,"maxDiscountTotal":25`, "", func(x *exam) {
			for range 2 {
				x.preview(`"subtotal":100`).has(`{"valid":true,"discount":20}`)
				x.do("POST /sales", `{"promoCode":"{{u}}","totalEarned":80,"subtotal":100}`).headed("Sale-Outcome", "recorded")
			}
			x.get("/coupons?id={{c}}").has(`{"maxDiscountTotal":25,"discountTotal":40}`)
			x.preview(`"subtotal":100`).has(`{"valid":false,"reasons":[{"reason":"budget_spent","amount":25}]}`)
			x.do("POST /sales", `{"promoCode":"{{u}}","totalEarned":80,"subtotal":100}`).refused(budgetSpent)
		}),
		own("H5 so many pieces", "", `,"minimumQuantity":3`, func(x *exam) {
			x.preview(`"subtotal":10`).has(`{"valid":true,"unverified":["below_quantity"]}`)
			x.preview(`"product":{"quantity":2}`).has(`{"valid":false,"reasons":[{"reason":"below_quantity","amount":3}]}`)
			x.preview(`"product":{"quantity":3}`).has(`{"valid":true}`)
			x.preview(`"lines":[{"amount":5,"quantity":2},{"amount":5}]`).has(`{"valid":true}`)
			x.do("POST /sales", `{"promoCode":"{{u}}","totalEarned":10,"product":{"quantity":2}}`).refused(belowQuantity)
		}),
		own("H6 once per customer", `,"maxRedemptionsPerCustomer":1`, "", func(x *exam) {
			x.preview(`"subtotal":10`).has(`{"valid":true,"unverified":["customer_limit"]}`)
			x.do("POST /sales", `{"promoCode":"{{u}}","totalEarned":10,"email":"{{u}}-c@conform.example"}`).headed("Sale-Outcome", "recorded").as("s")
			x.preview(`"email":"{{u}}-C+again@conform.example"`).has(`{"valid":false,"reasons":[{"reason":"customer_limit","limit":1,"used":1}]}`)
			x.do("POST /sales", `{"promoCode":"{{u}}","totalEarned":10,"email":"{{u}}-c@conform.example"}`).refused(customerLimit)
			x.do("POST /sales", `{"promoCode":"{{u}}","totalEarned":10,"email":"{{u}}-d@conform.example"}`).headed("Sale-Outcome", "recorded")
			x.do("PATCH /sales", `{"saleId":{{s}}}`).has(`{"reason":"refunded"}`)
			x.preview(`"email":"{{u}}-c@conform.example"`).has(`{"valid":false}`)
		}),
		own("H7 a refund gives the redemption back", `,"maxRedemptionsPerCustomer":1,"restoreOnRefund":true`, `,"maxRedemptions":1`, func(x *exam) {
			x.do("POST /sales", `{"promoCode":"{{u}}","totalEarned":10,"email":"{{u}}-c@conform.example"}`).as("s")
			x.do("PATCH /sales", `{"saleId":{{s}},"amount":4}`).has(`{"reason":"partially_refunded"}`)
			x.get("/promotional-codes?code={{u}}").has(`{"timesRedeemed":1}`)
			x.do("PATCH /sales", `{"saleId":{{s}}}`).has(`{"reason":"refunded"}`)
			x.get("/promotional-codes?code={{u}}").has(`{"timesRedeemed":0,"coupon":{"timesRedeemed":0}}`)
			x.preview(`"email":"{{u}}-c@conform.example"`).has(`{"valid":true}`)
		}),
	)
}

// holdCases test the operations on holds.
func holdCases() []serverCase {
	const body = `"promoCode":"{{code.code}}","until":"2099-01-01T00:00:00Z"`
	cases := refusals(holdRule, "POST /holds",
		refusedCase{adminCase + "H8 no id", `{` + body + `}`, holdIDRequired}, refusedCase{adminCase + "H8 no promoCode", `{"id":"{{u}}"}`, promoCodeRequired},
		refusedCase{adminCase + "H8 no until", `{"id":"{{u}}","promoCode":"x"}`, untilRequired}, refusedCase{adminCase + "H8 more than a day", `{"id":"{{u}}",` + body + `}`, untilRange},
		refusedCase{adminCase + "H8 an unknown field", `{"id":"{{u}}",` + body + `,"commission":true}`, unknownField("commission")})
	cases = append(cases, refusals(holdRule, "DELETE /holds",
		refusedCase{adminCase + "H8 release without an id", `{}`, holdIDRequired}, refusedCase{adminCase + "H8 release an unknown hold", `{"id":"{{unknown}}"}`, holdNotFound})...)
	own := func(name, coupon string, run func(x *exam, hold func(id, member string) *answer)) serverCase {
		return serverCase{adminCase + name, holdRule, func(x *exam) {
			until := x.offer(coupon, "").Add(time.Hour).Format(time.RFC3339)
			run(x, func(id, member string) *answer {
				return x.do("POST /holds", fmt.Sprintf(`{"id":"{{u}}-%s","promoCode":"{{u}}","until":"%s"%s}`, id, until, member))
			})
		}}
	}
	return append(cases,
		own("H9 the last place, from hold to sale", `,"maxRedemptions":1`, func(x *exam, hold func(string, string) *answer) {
			hold("1", `,"subtotal":100`).has(`{"id":"{{u}}-1","state":"HELD","promotionalCode":{"id":"{{k}}","code":"{{u}}"},"couponId":"{{c}}","currency":"USD","subtotal":100,"discount":20,"total":80,"saleId":null}`)
			x.get("/coupons?id={{c}}").has(`{"timesRedeemed":0}`)
			hold("2", `,"subtotal":100`).refused(couponExhausted)
			x.do("POST /sales", `{"promoCode":"{{u}}","totalEarned":80}`).refused(couponExhausted)
			hold("1", `,"subtotal":50`).has(`{"state":"HELD","total":40}`)
			x.do("POST /sales", `{"holdId":"{{u}}-1","totalEarned":40}`).has(`{"promotionalCodeId":"{{k}}","subtotal":50}`).as("s")
			x.get("/holds?id={{u}}-1").has(`{"state":"CONFIRMED","saleId":{{s}}}`)
			x.get("/coupons?id={{c}}").has(`{"timesRedeemed":1}`)
			x.do("POST /sales", `{"holdId":"{{u}}-1","totalEarned":40}`).refused(holdConfirmed)
			x.do("DELETE /holds", `{"id":"{{u}}-1"}`).refused(holdConfirmed)
			hold("1", "").refused(holdConfirmed)
		}),
		own("H10 a place that is given back", `,"maxRedemptions":1`, func(x *exam, hold func(string, string) *answer) {
			hold("1", "").has(`{"state":"HELD"}`)
			for range 2 {
				x.do("DELETE /holds", `{"id":"{{u}}-1"}`).has(`{"id":"{{u}}-1","state":"RELEASED"}`)
			}
			hold("2", "").has(`{"state":"HELD"}`)
			hold("1", "").refused(couponExhausted)
			x.get("/holds?id={{u}}-9").null()
			x.do("POST /sales", `{"holdId":"{{u}}-9","totalEarned":40}`).refused(holdNotFound)
			x.do("POST /sales", `{"holdId":"{{u}}-2","promoCode":"{{code.code}}","totalEarned":40}`).refused(holdOfAnother)
		}),
		own("H11 a hold outlives its coupon's time and price", "", func(x *exam, hold func(string, string) *answer) {
			hold("1", `,"subtotal":100`).has(`{"total":80}`)
			x.do("PUT /coupons", `{"couponId":"{{c}}","percentOff":10,"redeemBy":"2020-01-01"}`).ok()
			x.do("POST /sales", `{"promoCode":"{{u}}","totalEarned":80}`).refused(couponExpired)
			x.do("POST /sales", `{"holdId":"{{u}}-1","totalEarned":80,"externalId":"{{u}}"}`).headed("Sale-Outcome", "recorded")
			x.do("POST /sales/restore-redemption", `{"externalId":"{{u}}"}`).ok()
			x.get("/coupons?id={{c}}").has(`{"timesRedeemed":0}`)
		}),
		own("H12 five open holds of a customer", "", func(x *exam, hold func(string, string) *answer) {
			for i := range 5 {
				hold(fmt.Sprint(i), `,"email":"{{u}}-c@conform.example"`).has(`{"state":"HELD"}`)
			}
			hold("5", `,"email":"{{u}}-c+5@conform.example"`).refused(holdsTooMany)
			hold("4", `,"email":"{{u}}-c@conform.example"`).has(`{"state":"HELD"}`)
			hold("5", `,"email":"{{u}}-d@conform.example"`).has(`{"state":"HELD"}`)
		}),
		own("H13 a sale over a limit waits until somebody accepts it", `,"maxRedemptionsPerCustomer":1`, func(x *exam, hold func(string, string) *answer) {
			const sale = `{"promoCode":"{{u}}","totalEarned":10,"email":"{{u}}-c@conform.example"`
			x.do("POST /sales", sale+`}`).as("b")
			hold("1", "").has(`{"state":"HELD"}`) // for nobody: its customer has no place left
			x.do("POST /sales", sale+`,"holdId":"{{u}}-1"}`).headed("Sale-Outcome", "recorded").as("s")
			x.get("/sales/explain?id={{s}}").has(`{"redemption":{"holdId":"{{u}}-1","over":true,"seenAt":null,"restoredAt":null}}`)
			x.get("/attention?limit=20").has(`{"overdrawn":{"items":[{"saleId":{{s}},"promotionalCode":{"id":"{{k}}","code":"{{u}}"},"couponId":"{{c}}","holdId":"{{u}}-1"}]}}`)
			for _, id := range []string{"{{b}}", "{{s}}", "{{s}}"} { // of one over no limit it changes nothing
				x.do("POST /sales/accept-redemption", `{"saleId":`+id+`}`).has(`{"message":"Redemption accepted successfully"}`)
				if id == "{{b}}" {
					x.get("/attention?limit=20").has(`{"overdrawn":{"items":[{"saleId":{{s}}}]}}`)
				}
			}
			x.get("/attention?limit=20").lacks(`"saleId":{{s}},`)
			x.get("/sales/explain?id={{s}}").has(`{"redemption":{"over":true,"restoredAt":null}}`).lacks(`"seenAt":null`)
			x.get("/coupons?id={{c}}").has(`{"timesRedeemed":2}`)
		}),
	)
}

// offer makes a coupon of 20 % and a code of it, and returns the time of the server.
func (x *exam) offer(coupon, code string) time.Time {
	x.do("POST /coupons", `{"name":"{{u}}","percentOff":20`+coupon+`}`).as("c")
	made := x.do("POST /promotional-codes", `{"couponId":"{{c}}","code":"{{u}}","affiliateId":"{{affiliate}}"`+code+`}`)
	made.as("k")
	at, _ := time.Parse(time.RFC3339, made.text("createdAt"))
	return at
}

// preview asks whether the code of offer works for an order.
func (x *exam) preview(members string) *answer {
	return x.do("POST /promotional-codes/validate", `{"promoCode":"{{u}}",`+members+`}`)
}

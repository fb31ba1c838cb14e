package servertest

import (
	"fmt"
	"strings"
)

const (
	onceRule   = "contract 1.8: same key, method, path and body: the first answer byte for byte, Idempotent-Replayed: true, no second effect"
	reusedRule = "contract 1.8: same key with anything else is 400"
	ignoreRule = "contract 1.8: Idempotency-Key is for writes"
	laterRule  = "contract 1.8: a repeat has no second effect, whatever another caller has done in between"
	keptRule   = "contract 1.8: kept are 200 answers and the refusals of an operation, not what is answered before it begins"
)

// keyed returns a request with an Idempotency-Key.
func keyed(operation, body, key string) request {
	return call(operation, body).with("Idempotency-Key", key)
}

// onceCases test Idempotency-Key on every write.
func onceCases() []serverCase {
	var cases []serverCase
	for _, key := range []string{"", " ", "a b", "ключ", "é", strings.Repeat("k", 256)} {
		cases = append(cases, serverCase{fmt.Sprintf("B425 key %.12q", key), "contract 1.8: 1–255 visible ASCII characters", func(x *exam) {
			x.send(keyed("POST /coupons", `{"name":"{{u}}","percentOff":10}`, key)).refused(badKey)
			x.get("/coupons?name={{u}}").null()
		}})
	}
	cases = append(cases,
		serverCase{"B425 key of 255", "contract 1.8: 1–255 visible ASCII characters", func(x *exam) {
			x.send(keyed("POST /coupons", `{"name":"{{u}}","percentOff":10}`, x.unique+strings.Repeat("~", 255-len(x.unique)))).ok()
		}},
		serverCase{"B426 two lines", "contract 1.8: one header line", func(x *exam) {
			x.send(call("POST /coupons", `{"name":"{{u}}","percentOff":10}`).with("Idempotency-Key", "a", "a")).refused(badKey)
		}},
	)
	for _, op := range []struct{ operation, body, lookup string }{
		{"POST /affiliates", `{"firstName":"A","lastName":"B","email":"{{u}}@conform.example"}`, ""},
		{"POST /links", `{"affiliateId":"{{affiliate}}","link":"{{u}}"}`, ""},
		{"POST /coupons", `{"name":"{{u}}","percentOff":10}`, ""},
		{"POST /promotional-codes", `{"couponId":"{{coupon}}","code":"{{u}}"}`, ""},
		{"POST /promotional-codes/validate", `{"promoCode":"{{code.code}}","totalEarned":10}`, ""},
		{"POST /promotional-codes/compare", `{"promoCodes":["{{code.code}}"],"totalEarned":10}`, ""},
		{"POST /referrals", `{"affiliateId":"{{affiliate}}","name":"N","email":"{{u}}@conform.example","referredUserExternalId":"{{u}}"}`, ""},
		{"POST /referrals", `{"affiliateId":"{{u}}","name":"N","email":"{{u}}@conform.example","referredUserExternalId":"{{u}}"}`, "null"},
		{"POST /sales", `{"referralId":"{{referral}}","totalEarned":10}`, ""},
		{"POST /sales", `{"referralId":"{{u}}","totalEarned":10}`, "unattributed"},
		{"POST /sales", `{"referralId":"{{referral}}","totalEarned":10,"externalId":"{{sale.externalId}}"}`, "duplicate"},
	} {
		number := "B427 "
		if op.lookup != "" {
			number = "B438 "
		}
		name := strings.TrimSpace(number + op.operation + " " + op.lookup)
		cases = append(cases, serverCase{name, onceRule, func(x *exam) {
			first := x.send(keyed(op.operation, op.body, x.unique)).ok().headed("Idempotent-Replayed", "")
			for range 2 {
				x.send(keyed(op.operation, op.body, x.unique)).bytes(first.body).headed("Idempotent-Replayed", "true").
					headed("Sale-Outcome", first.header.Get("Sale-Outcome"))
			}
			x.send(keyed(op.operation, op.body+" ", x.unique)).refused(keyReused)
		}})
	}
	return append(cases, repeatCases()...)
}

func repeatCases() []serverCase {
	const coupon = `{"name":"{{u}}","percentOff":10}`
	// before are answers that are given before the operation begins. None of
	// them is kept.
	before := func(name string, r func(x *exam) request, want denial) serverCase {
		return serverCase{"B434 after " + name, keptRule, func(x *exam) {
			x.send(r(x)).refused(want)
			x.send(keyed("POST /coupons", coupon, x.unique)).ok().headed("Idempotent-Replayed", "")
		}}
	}
	keyedCoupon := func(body string) func(x *exam) request {
		return func(x *exam) request { return keyed("POST /coupons", body, x.unique) }
	}
	return []serverCase{
		{"B427 one effect", onceRule, func(x *exam) {
			x.do("POST /promotional-codes", `{"couponId":"{{coupon}}","code":"{{u}}","affiliateId":"{{affiliate}}"}`).as("k")
			for range 3 {
				x.send(keyed("POST /sales", `{"promoCode":"{{u}}","totalEarned":10}`, x.unique)).headed("Sale-Outcome", "recorded").as("s")
			}
			x.get("/promotional-codes?id={{k}}").has(`{"timesRedeemed":1}`)
			x.do("DELETE /sales", `{"saleId":{{s}}}`).ok()
			x.send(keyed("POST /sales", `{"promoCode":"{{u}}","totalEarned":10}`, x.unique)).has(`{"id":{{s}}}`).headed("Idempotent-Replayed", "true")
			x.get("/sales?id={{s}}").null()
		}},
		{"B428 other bytes", reusedRule, func(x *exam) {
			x.send(keyed("POST /coupons", coupon, x.unique)).ok()
			for _, body := range []string{`{"name":"{{u}}", "percentOff":10}`, `{"percentOff":10,"name":"{{u}}"}`, `{"name":"{{u}}","percentOff":10.0}`, `{}`} {
				x.send(keyed("POST /coupons", body, x.unique)).refused(keyReused)
			}
		}},
		{"B429 another path", reusedRule, func(x *exam) {
			x.send(keyed("POST /coupons", coupon, x.unique)).ok()
			for _, path := range []string{"/affiliates", "/sales", "/webhooks", "/promotional-codes/validate"} {
				x.send(keyed("POST "+path, coupon, x.unique)).refused(keyReused)
			}
		}},
		{"B428 keys are compared exactly", onceRule, func(x *exam) {
			first := x.send(keyed("POST /coupons", coupon, x.unique)).as("c")
			other := x.send(keyed("POST /coupons", coupon, strings.ToUpper(x.unique))).ok()
			if first.id() == other.id() {
				other.wants("another coupon: another key")
			}
		}},
		{"B432 a refusal is repeated when its cause has gone", keptRule, func(x *exam) {
			body := `{"affiliateId":"{{affiliate}}","link":"{{u}}"}`
			x.do("POST /links", body).as("l")
			first := x.send(keyed("POST /links", body, x.unique)).refused(slugTaken)
			x.do("DELETE /links", `{"id":"{{l}}"}`).ok()
			x.send(keyed("POST /links", body, x.unique)).refused(slugTaken).bytes(first.body).headed("Idempotent-Replayed", "true")
			x.do("POST /links", body).ok()
		}},
		{"B432 a refusal with 404", keptRule, func(x *exam) {
			for range 2 {
				x.send(keyed("POST /promotional-codes", `{"couponId":"{{unknown}}","code":"{{u}}"}`, x.unique)).refused(couponNotFound.on("couponId"))
			}
		}},
		{"B432 a refusal of a field", keptRule, func(x *exam) {
			first := x.send(keyed("POST /coupons", `{"name":5}`, x.unique)).refused(mustBe("name", asString)).headed("Idempotent-Replayed", "")
			x.send(keyed("POST /coupons", `{"name":5}`, x.unique)).refused(mustBe("name", asString)).bytes(first.body).headed("Idempotent-Replayed", "true")
		}},
		{"B432 a refusal of a code", keptRule, func(x *exam) {
			x.do("POST /promotional-codes", `{"couponId":"{{coupon}}","code":"{{u}}","affiliateId":"{{affiliate}}","active":false}`).as("k")
			body := `{"promoCode":"{{u}}","totalEarned":10}`
			first := x.send(keyed("POST /sales", body, x.unique)).refused(codeInactive)
			x.do("PUT /promotional-codes", `{"promotionalCodeId":"{{k}}","active":true}`).ok()
			x.send(keyed("POST /sales", body, x.unique)).refused(codeInactive).headed("Idempotent-Replayed", "true").
				headed("Error-Reasons", first.header.Get("Error-Reasons"))
			x.send(keyed("POST /sales", body, x.unique+"2")).headed("Sale-Outcome", "recorded")
		}},
		{"B433 a corrected body after a refusal", reusedRule, func(x *exam) {
			x.send(keyed("POST /coupons", `{"name":"{{u}}"}`, x.unique)).refused(percentOffRequired)
			x.send(keyed("POST /coupons", coupon, x.unique)).refused(keyReused)
		}},
		before("401", func(x *exam) request { return keyedCoupon(coupon)(x).with("Authorization") }, unauthorized),
		before("413", keyedCoupon(`{"name":"`+strings.Repeat("x", 1<<20)+`"}`), bodyTooLarge),
		before("415", func(x *exam) request { return keyedCoupon(coupon)(x).with("Content-Type", "text/plain") }, wrongMediaType),
		before("an empty body", keyedCoupon(""), bodyRequired),
		before("bad JSON", keyedCoupon("{"), invalidJSON),
		before("a key twice", keyedCoupon(`{"name":"a","name":"b"}`), duplicateField("name")),
		{"B430 many at once", "contract 1.8: a request whose key is in use waits for it and replays its answer", func(x *exam) {
			all := x.atOnce(20, func(int) request { return keyed("POST /coupons", coupon, x.unique) })
			for _, a := range all {
				a.ok().bytes(all[0].body)
			}
		}},
	}
}

// raceCases send requests at once of which only one may succeed.
func raceCases() []serverCase {
	const rule = "contract 1.9: what is unique or limited stays so among requests at the same moment"
	// oneWins expects one 200, and the refusal for all others.
	oneWins := func(x *exam, want denial, all []*answer) {
		var won int
		for _, a := range all {
			if a.status == 200 {
				won++
				continue
			}
			a.refused(want)
		}
		if won != 1 {
			all[0].wants("one 200 among %d answers, not %d", len(all), won)
		}
	}
	body := func(operation string, bodies ...string) func(int) request {
		return func(i int) request { return call(operation, bodies[i%len(bodies)]) }
	}
	const n = 16
	return []serverCase{
		{"B185 one externalId", rule, func(x *exam) {
			oneWins(x, couponExternalIDTaken, x.atOnce(n, body("POST /coupons", `{"name":"{{u}}","percentOff":10,"externalId":"{{u}}"}`)))
		}},
		{"B226 one code in two spellings", rule, func(x *exam) {
			oneWins(x, codeTaken, x.atOnce(n, body("POST /promotional-codes", `{"couponId":"{{coupon}}","code":"{{u}}a"}`, `{"couponId":"{{coupon}}","code":"{{u}}A"}`)))
		}},
		{"B274 one email", rule, func(x *exam) {
			oneWins(x, affiliateEmailTaken, x.atOnce(n, body("POST /affiliates", `{"firstName":"A","lastName":"B","email":"{{u}}@conform.example"}`)))
		}},
		{"B316 one slug", rule, func(x *exam) {
			oneWins(x, slugTaken, x.atOnce(n, body("POST /links", `{"affiliateId":"{{affiliate}}","link":"{{u}}a"}`, `{"affiliateId":"{{other}}","link":"{{u}}A"}`)))
		}},
		{"B343 one customer under two affiliates", "rule 4.6: a referral with a known email is not created twice", func(x *exam) {
			of := func(a string) string {
				return `{"affiliateId":"{{` + a + `}}","name":"N","email":"{{u}}@conform.example","referredUserExternalId":"{{u}}"}`
			}
			all := x.atOnce(n, body("POST /referrals", of("affiliate"), of("other")))
			for _, a := range all {
				a.ok().bytes(all[0].body)
			}
		}},
		{"B209 DELETE of one coupon", rule, func(x *exam) {
			x.do("POST /coupons", `{"name":"{{u}}","percentOff":10}`).as("c")
			oneWins(x, couponNotFound, x.atOnce(n, body("DELETE /coupons", `{"couponId":"{{c}}"}`)))
		}},
		{"B399 a code with one redemption", rule, func(x *exam) {
			x.do("POST /promotional-codes", `{"couponId":"{{coupon}}","code":"{{u}}","affiliateId":"{{affiliate}}","maxRedemptions":1}`).as("k")
			oneWins(x, codeExhausted, x.atOnce(n, body("POST /sales", `{"promoCode":"{{u}}","totalEarned":10}`)))
			x.get("/promotional-codes?id={{k}}").has(`{"timesRedeemed":1}`)
		}},
		{"B400 sales with one externalId", "rule 5.2: a payment counts once", func(x *exam) {
			var recorded int
			for _, a := range x.atOnce(n, body("POST /sales", `{"referralId":"{{referral}}","totalEarned":10,"externalId":"{{u}}"}`)) {
				if a.ok().header.Get("Sale-Outcome") == "recorded" {
					recorded++
				} else {
					a.null().headed("Sale-Outcome", "duplicate")
				}
			}
			if got := len(x.get("/sales?saleExternalId={{u}}").list()); recorded != 1 || got != 1 {
				x.fail(Failure{"POST /sales at once", "1 recorded, 1 listed", fmt.Sprintf("%d recorded, %d listed", recorded, got)})
			}
		}},
		{"B401 first orders of one customer", rule, func(x *exam) {
			x.do("POST /promotional-codes", `{"couponId":"{{coupon}}","code":"{{u}}","affiliateId":"{{affiliate}}","firstTimeOrder":true}`).as("k")
			oneWins(x, notFirstOrder, x.atOnce(n, body("POST /sales", `{"promoCode":"{{u}}","email":"{{u}}@conform.example","totalEarned":10}`)))
		}},
		{"B402 sales while their code is deleted", "contract 1.9: a sale either committed before, or its code is not found", func(x *exam) {
			x.do("POST /promotional-codes", `{"couponId":"{{coupon}}","code":"{{u}}","affiliateId":"{{affiliate}}"}`).as("k")
			for i, a := range x.atOnce(n, func(i int) request {
				if i == n/2 {
					return call("DELETE /promotional-codes", `{"promotionalCodeId":"{{k}}"}`)
				}
				return call("POST /sales", `{"promoCode":"{{u}}","totalEarned":1}`)
			}) {
				if i == n/2 || a.status == 200 {
					a.ok()
				} else {
					a.refused(codeNotFound)
				}
			}
			x.do("POST /sales", `{"promoCode":"{{u}}","totalEarned":1}`).refused(codeNotFound)
		}},
		{"B420 refunds that together exceed the sale", "rule 5.5: never more than is left", func(x *exam) {
			x.do("POST /sales", `{"referralId":"{{referral}}","totalEarned":45}`).as("s")
			for _, a := range x.atOnce(10, func(i int) request {
				return call("PATCH /sales", fmt.Sprintf(`{"saleId":{{s}},"amount":10,"refundId":"%d"}`, i))
			}) {
				if a.status != 200 {
					a.refused(refundExceedsSale)
				}
			}
			x.get("/sales?id={{s}}").has(`{"refundedAmount":40,"status":"ACTIVE"}`)
		}},
	}
}

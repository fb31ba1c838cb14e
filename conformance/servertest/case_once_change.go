package servertest

import "fmt"

// A changed is a write to an existing record, which make creates.
type changed struct {
	operation, body string
	make            func(x *exam)
}

// changes returns the writes that create nothing.
func changes() []changed {
	person := func(x *exam) {
		x.do("POST /affiliates", `{"firstName":"A","lastName":"B","email":"{{u}}@conform.example","affiliateLink":"{{u}}"}`).as("a")
	}
	coupon := func(x *exam) { x.do("POST /coupons", `{"name":"{{u}}","percentOff":10}`).as("c") }
	code := func(x *exam) {
		x.do("POST /promotional-codes", `{"couponId":"{{coupon}}","code":"{{u}}","affiliateId":"{{affiliate}}","active":false}`).as("k")
	}
	customer := func(x *exam) {
		x.do("POST /referrals", `{"affiliateId":"{{affiliate}}","name":"N","email":"{{u}}@conform.example","referredUserExternalId":"{{u}}"}`).as("r")
	}
	sale := func(x *exam) { x.do("POST /sales", `{"referralId":"{{referral}}","totalEarned":45}`).as("s") }
	endpoint := func(x *exam) {
		x.endpoint(`"events":["sale.created"]`).as("w")
	}
	return []changed{
		{"PUT /affiliates", `{"affiliateId":"{{a}}","firstName":"New"}`, person},
		{"DELETE /affiliates", `{"affiliateId":"{{u}}@conform.example"}`, person},
		{"PUT /links", `{"link":"{{u}}","newLink":"{{u}}-2"}`, person},
		{"DELETE /links", `{"link":"{{u}}"}`, person},
		{"PUT /coupons", `{"couponId":"{{c}}","percentOff":20}`, coupon},
		{"DELETE /coupons", `{"couponId":"{{c}}"}`, coupon},
		{"PUT /promotional-codes", `{"promotionalCodeId":"{{k}}","active":true}`, code},
		{"DELETE /promotional-codes", `{"promotionalCodeId":"{{k}}"}`, code},
		{"PUT /referrals", `{"referralId":"{{r}}","notes":"x"}`, customer},
		{"DELETE /referrals", `{"referralId":"{{u}}@conform.example","forfeit":true}`, customer},
		{"PUT /sales", `{"saleId":{{s}},"totalEarned":50}`, sale},
		{"PATCH /sales", `{"saleId":{{s}},"amount":10}`, sale},
		{"DELETE /sales", `{"saleId":{{s}}}`, sale},
		{"PATCH /payouts", `{"payoutId":"{{p}}","status":"FAILED","failedReason":"x"}`, func(x *exam) { owed(x, 10).as("p") }},
		{"PUT /webhooks", `{"webhookId":"{{w}}","description":"x"}`, endpoint},
		{"DELETE /webhooks", `{"webhookId":"{{w}}"}`, endpoint},
	}
}

// changeCases test Idempotency-Key on PUT, PATCH and DELETE.
func changeCases() []serverCase {
	var cases []serverCase
	for _, c := range changes() {
		cases = append(cases, serverCase{"B427 " + c.operation, onceRule, func(x *exam) {
			c.make(x)
			first := x.send(keyed(c.operation, c.body, x.unique)).ok().headed("Idempotent-Replayed", "")
			for range 2 {
				x.send(keyed(c.operation, c.body, x.unique)).ok().bytes(first.body).headed("Idempotent-Replayed", "true")
			}
			x.send(keyed(c.operation, c.body+" ", x.unique)).refused(keyReused)
		}})
	}
	return append(cases, laterCases()...)
}

// laterCases repeat a write after another caller has changed the same things.
func laterCases() []serverCase {
	// later makes a write, lets another caller act, repeats the write and
	// examines the result.
	later := func(name, operation, body string, meanwhile, look func(x *exam)) serverCase {
		return serverCase{"B437 " + name, laterRule, func(x *exam) {
			for _, c := range changes() {
				if c.operation == operation {
					c.make(x)
				}
			}
			first := x.send(keyed(operation, body, x.unique)).ok()
			meanwhile(x)
			x.send(keyed(operation, body, x.unique)).bytes(first.body).headed("Idempotent-Replayed", "true")
			look(x)
		}}
	}
	const email = `"{{u}}@conform.example"`
	return []serverCase{
		later("a code that was switched off again", "PUT /promotional-codes", `{"promotionalCodeId":"{{k}}","active":true}`,
			func(x *exam) { x.do("PUT /promotional-codes", `{"promotionalCodeId":"{{k}}","active":false}`).ok() },
			func(x *exam) { x.get("/promotional-codes?id={{k}}").has(`{"active":false}`) }),
		later("a successor of the affiliate", "DELETE /affiliates", `{"affiliateId":`+email+`}`,
			func(x *exam) {
				x.do("POST /affiliates", `{"firstName":"New","lastName":"B","email":`+email+`,"affiliateLink":"{{u}}-2"}`).ok()
				x.do("POST /sales", `{"referralId":"{{u}}-2","email":"n{{u}}@conform.example","name":"N","totalEarned":5}`).as("s")
			},
			func(x *exam) {
				x.get("/affiliates?email={{u}}@conform.example").has(`{"firstName":"New"}`)
				x.get("/sales?id={{s}}").has(`{"totalEarned":5}`)
			}),
		later("a successor of the customer", "DELETE /referrals", `{"referralId":`+email+`}`,
			func(x *exam) {
				x.do("POST /referrals", `{"affiliateId":"{{affiliate}}","name":"New","email":`+email+`,"referredUserExternalId":"{{u}} 2"}`).ok()
			},
			func(x *exam) { x.get("/referrals?id={{u}}@conform.example").has(`{"name":"New"}`) }),
		later("a link with the slug", "DELETE /links", `{"link":"{{u}}"}`,
			func(x *exam) {
				x.do("POST /links/release", `{"link":"{{u}}"}`).ok()
				x.do("POST /links", `{"link":"{{u}}","affiliateId":"{{other}}"}`).as("l")
			},
			func(x *exam) {
				if got := len(x.get("/links?id={{l}}").list()); got != 1 {
					x.fail(Failure{"GET /links", "1 link", fmt.Sprint(got)})
				}
			}),
		later("a refund in part", "PATCH /sales", `{"saleId":{{s}},"amount":10}`, func(*exam) {},
			func(x *exam) { x.get("/sales?id={{s}}").has(`{"refundedAmount":10}`) }),
		{"B429 DELETE by another query", reusedRule, func(x *exam) {
			x.do("POST /coupons", `{"name":"{{u}}","percentOff":10}`).as("c")
			first := x.send(keyed("DELETE /coupons?couponId={{c}}", "", x.unique)).ok()
			x.send(keyed("DELETE /coupons?couponId={{c}}", "", x.unique)).ok().bytes(first.body).headed("Idempotent-Replayed", "true")
			x.send(keyed("DELETE /coupons?couponId={{coupon}}", "", x.unique)).refused(keyReused)
			x.send(keyed("DELETE /coupons", `{"couponId":"{{c}}"}`, x.unique)).refused(keyReused)
		}},
		{"B432 a refused DELETE", keptRule, func(x *exam) {
			body := `{"link":"{{u}}"}`
			first := x.send(keyed("DELETE /links", body, x.unique)).refused(linkNotFound)
			x.do("POST /links", `{"link":"{{u}}","affiliateId":"{{affiliate}}"}`).ok()
			x.send(keyed("DELETE /links", body, x.unique)).refused(linkNotFound).bytes(first.body).headed("Idempotent-Replayed", "true")
		}},
		{"B437 on GET", ignoreRule, func(x *exam) {
			x.send(keyed("GET /coupons?id={{coupon}}", "", "a b")).ok().headed("Idempotent-Replayed", "")
		}},
	}
}

package servertest

const amountsRule = "contract 1.10: with Amounts: string what is a number in the document is a string, in answers, repeats and bodies"

// amountCases test amounts as strings.
func amountCases() []serverCase {
	strings := func(r request) request { return r.with("Amounts", "string") }
	const sale = `{"referralId":"{{referral}}","totalEarned":"12.50","tax":"0.5"}`
	return []serverCase{
		{"B460 answers and repeats", amountsRule, func(x *exam) {
			first := x.send(strings(keyed("POST /sales", sale, x.unique))).
				has(`{"totalEarned":"12.5","taxAmount":"0.5","refundedAmount":"0","subtotal":null,"clicks":0}`).as("s")
			x.send(keyed("POST /sales", sale, x.unique)).has(`{"totalEarned":12.5}`).headed("Idempotent-Replayed", "true")
			x.send(strings(keyed("POST /sales", sale, x.unique))).bytes(first.body).headed("Idempotent-Replayed", "true")
			x.do("PUT /sales", `{"saleId":{{s}},"metadata":{"totalEarned":1}}`).ok()
			x.send(strings(call("GET /sales?id={{s}}", ""))).has(`{"id":{{s}},"totalEarned":"12.5","metadata":{"totalEarned":1}}`)
			x.send(call("GET /sales?id={{s}}", "").with("Amounts", "number")).has(`{"totalEarned":12.5}`)
		}},
		{"B461 bodies", amountsRule, func(x *exam) {
			for _, text := range []string{`""`, `"x"`, `" 1"`, `"01"`, `true`} {
				x.send(strings(call("POST /sales", `{"referralId":"{{referral}}","totalEarned":`+text+`}`))).refused(mustBe("totalEarned", asNumber))
			}
			x.do("POST /sales", sale).refused(mustBe("totalEarned", asNumber))
		}},
		{"B462 other values", amountsRule, func(x *exam) {
			for _, value := range []string{"strings", "String", "text", "number, string"} {
				x.send(call("GET /sales", "").with("Amounts", value)).refused(badAmounts)
				x.send(call("POST /sales", "x").with("Amounts", value)).refused(badAmounts)
			}
			x.send(call("GET /sales", "").with("Amounts", "string", "string")).refused(badAmounts)
		}},
	}
}

package servertest

import "fmt"

// externalCases test the external ids of affiliates.
func externalCases() []serverCase {
	const (
		rule = "rule 4.8: externalId is unique among the live affiliates, compared exactly"
		form = "contract 1.5: ext: and an externalId name an affiliate wherever one is named"
	)
	person := func(name, member string) string {
		return `{"firstName":"A","lastName":"B","email":"{{u}}-` + name + `@conform.example",` + member + `}`
	}
	cases := refusals("contract 3.1, ensure: externalId is required", "POST /affiliates/ensure",
		refusedCase{"no externalId", person("x", `"affiliateStatus":"active"`), RefuseNoExternalID},
		refusedCase{"externalId null", person("x", `"externalId":null`), RefuseNoExternalID},
		refusedCase{"externalId blank", person("x", `"externalId":" "`), RefuseNoExternalID},
		refusedCase{"externalId 5", person("x", `"externalId":5`), mustBe("externalId", asString)},
		refusedCase{"no email", `{"firstName":"A","lastName":"B","externalId":"{{u}}"}`, emailRequired})
	return append(cases,
		serverCase{"externalId of an affiliate", rule, func(x *exam) {
			a := x.do("POST /affiliates", person("a", `"externalId":"{{u}}/7"`)).as("a").has(`{"externalId":"{{u}}/7"}`)
			x.get("/affiliates?externalId={{u}}/7").bytes(a.body)
			x.get("/affiliates?id=ext:{{u}}/7").bytes(a.body)
			x.get("/affiliates?externalId={{u}}").null()
			x.get("/affiliates/search?externalId={{u}}/7").has(`[{"id":"{{a}}"}]`)
			x.get("/affiliates/search?externalId={{u}}/7&status=INACTIVE").has(`[]`)
			x.get("/affiliates/search?search={{u}}/7").has(`[{"id":"{{a}}"}]`)
			x.do("POST /affiliates", person("b", `"externalId":"{{u}}/7"`)).refused(affiliateExternalIDTaken)
			x.do("POST /affiliates", person("b", `"externalId":"{{u}}/8"`)).as("b")
			x.do("PUT /affiliates", `{"affiliateId":"{{b}}","externalId":"{{u}}/7"}`).refused(affiliateExternalIDTaken)
			x.do("PUT /affiliates", `{"affiliateId":"ext:{{u}}/7","externalId":null}`).has(`{"count":1}`)
			x.get("/affiliates?externalId={{u}}/7").null()
			x.do("PUT /affiliates", `{"affiliateId":"{{b}}","externalId":"{{u}}/7"}`).has(`{"count":1}`)
			x.get("/affiliates?externalId={{u}}/7").has(`{"id":"{{b}}"}`)
			x.do("DELETE /affiliates", `{"affiliateId":"ext:{{u}}/7"}`).ok()
			x.get("/affiliates?id={{b}}").null()
			x.do("POST /affiliates", person("c", `"externalId":"{{u}}/7"`)).ok()
		}},
		serverCase{"externalId names an affiliate", form, func(x *exam) {
			x.do("POST /affiliates", person("a", `"externalId":"{{u}}","affiliateLink":"{{u}}"`)).as("a", "email")
			x.do("POST /links", `{"affiliateId":"ext:{{u}}","link":"{{u}}-2"}`).has(`{"affiliate":{"id":"{{a}}"}}`)
			x.get("/links?affiliateId=ext:{{u}}").has(`[{"link":"{{u}}-2"},{"link":"{{u}}"}]`)
			x.do("POST /links", `{"affiliateId":"ext:{{u}}-no","link":"{{u}}-3"}`).refused(ownerNotFound)
			x.do("POST /links", `{"affiliateId":"ext:{{u}}","affiliateEmail":"{{other.email}}","link":"{{u}}-3"}`).refused(identifiersMismatch)
			x.do("POST /referrals", `{"affiliateId":"ext:{{u}}","name":"N","email":"{{u}}-c@conform.example","referredUserExternalId":"{{u}}"}`).has(`{"affiliateId":"{{a}}"}`)
			x.do("POST /sales", `{"referralId":"ext:{{u}}","email":"{{u}}-d@conform.example","name":"N","totalEarned":10}`).has(`{"affiliateId":"{{a}}"}`)
			x.do("POST /sales", `{"referralId":"ext:{{u}}-no","email":"{{u}}-e@conform.example","name":"N","totalEarned":10}`).null().headed("Sale-Outcome", "unattributed")
			x.get("/sales?affiliateId=ext:{{u}}").has(`[{"affiliateId":"{{a}}"}]`)
			x.get("/sales?affiliateId=ext:{{u}}-no").has(`[]`)
			x.do("POST /affiliates/status", `{"affiliateIds":["ext:{{u}}"],"status":"BANNED"}`).has(`[{"id":"{{a}}","status":"BANNED"}]`)
			x.do("POST /affiliates/payout-details", `{"affiliateId":"ext:{{u}}","payoutEmail":"{{u}}@conform.example"}`).has(`{"id":"{{a}}"}`)
			x.get("/balances?affiliateId=ext:{{u}}").has(`{"affiliateId":"{{a}}"}`)
			x.get("/balances?affiliateId=ext:{{u}}-no").null()
		}},
		serverCase{"ensured once", "contract 3.1, ensure: one creates it, and all get it", func(x *exam) {
			all := x.atOnce(20, func(i int) request {
				return call("POST /affiliates/ensure", fmt.Sprintf(`{"firstName":"A","lastName":"B%d","email":"{{u}}-%d@conform.example","externalId":"{{u}}"}`, i, i))
			})
			for _, a := range all {
				a.ok().bytes(all[0].body)
			}
			got := x.get("/affiliates?externalId={{u}}").bytes(all[0].body).as("a")
			x.do("POST /affiliates/ensure", `{"firstName":"Z","lastName":"Z","email":"{{other.email}}","externalId":"{{u}}","affiliateStatus":"inactive"}`).bytes(got.body)
			x.do("POST /affiliates/ensure", `{"firstName":"Z","lastName":"Z","email":"{{other.email}}","externalId":"{{u}}-2"}`).refused(affiliateEmailTaken)
			x.get("/events?objectId={{a}}").has(`[{"event":"affiliate.created"}]`)
		}},
	)
}

package servertest

import "fmt"

const (
	bulkRule   = "contract 4.6: operations on many affiliates change all or none, and answer in the order of the ids"
	inviteRule = "contract 4.6: an invited affiliate is INVITED until it accepts, once"
	planRule   = "contract 4.6: commission plans and what refuses them"
	tierRule   = "contract 4.6: commission tiers and what refuses them"
	adminRule  = "contract 4.6: the settings of the program"
	stepsRule  = "contract 4.6: jobs in steps"
	booksRule  = "contract 4.6: the check of the books"
)

// adminAffiliateCases test the operations of administrators on affiliates.
func adminAffiliateCases() []serverCase {
	cases := refusals(bulkRule, "POST /affiliates/status",
		refusedCase{"admin/A1 no affiliateIds", `{"status":"ACTIVE"}`, affiliateIDsRequired}, refusedCase{"admin/A1 affiliateIds empty", `{"affiliateIds":[],"status":"ACTIVE"}`, affiliateIDsRequired},
		refusedCase{"admin/A1 an affiliate twice", `{"affiliateIds":["{{affiliate}}","{{affiliate}}"],"status":"ACTIVE"}`, mustBe("affiliateIds", distinctOnly)},
		refusedCase{"admin/A1 affiliateIds a text", `{"affiliateIds":"{{affiliate}}","status":"ACTIVE"}`, mustBe("affiliateIds", asStrings)},
		refusedCase{"admin/A1 affiliateIds with a number", `{"affiliateIds":["{{affiliate}}",1],"status":"ACTIVE"}`, mustBe("affiliateIds", asStrings)},
		refusedCase{"admin/A1 1,001 affiliateIds", `{"affiliateIds":[` + entries(1001) + `],"status":"ACTIVE"}`, mustBe("affiliateIds", atMost1000)},
		refusedCase{"admin/A1 1,000 unknown affiliates", `{"affiliateIds":[` + entries(1000) + `],"status":"ACTIVE"}`, affiliateNotFound},
		refusedCase{"admin/A1 an unknown affiliate", `{"affiliateIds":["{{unknown}}"],"status":"ACTIVE"}`, affiliateNotFound},
		refusedCase{"admin/A1 no status", `{"affiliateIds":["{{affiliate}}"]}`, statusRequired},
		refusedCase{"admin/A1 status INVITED", `{"affiliateIds":["{{affiliate}}"],"status":"INVITED"}`, mustBe("status", "must be one of ACTIVE, DECLINED, DEACTIVATED, BANNED")},
		refusedCase{"admin/A1 an unknown field", `{"affiliateIds":["{{affiliate}}"],"foo":1}`, unknownField("foo")})
	cases = append(cases, refusals(bulkRule, "POST /affiliates/plan",
		refusedCase{"admin/A2 no commissionPlanId", `{"affiliateIds":["{{affiliate}}"]}`, planIDRequired},
		refusedCase{"admin/A2 an unknown plan", `{"affiliateIds":["{{affiliate}}"],"commissionPlanId":"{{unknown}}"}`, planNotFound},
		refusedCase{"admin/A2 commissionPlanId empty", `{"affiliateIds":["{{affiliate}}"],"commissionPlanId":""}`, mustBe("commissionPlanId", notEmpty)},
		refusedCase{"admin/A2 commissionPlanId 7", `{"affiliateIds":["{{affiliate}}"],"commissionPlanId":7}`, mustBe("commissionPlanId", asString)})...)
	cases = append(cases, refusals(bulkRule, "POST /affiliates/tier",
		refusedCase{"admin/A2 no commissionTierId", `{"affiliateIds":["{{affiliate}}"]}`, tierIDRequired},
		refusedCase{"admin/A2 an unknown tier", `{"affiliateIds":["{{affiliate}}"],"commissionTierId":"{{unknown}}"}`, tierMissing})...)
	cases = append(cases, refusals(bulkRule, "POST /affiliates/tier-exempt",
		refusedCase{"admin/A2 no exempt", `{"affiliateIds":["{{affiliate}}"]}`, mustBe("exempt", asBoolean)})...)
	cases = append(cases, refusals(bulkRule, "POST /affiliates/payout-details",
		refusedCase{"admin/A3 no affiliateId", `{"payoutEmail":"p@conform.example"}`, affiliateIDRequired}, refusedCase{"admin/A3 an unknown affiliate", `{"affiliateId":"{{unknown}}"}`, affiliateNotFound},
		refusedCase{"admin/A3 payoutEmail x", `{"affiliateId":"{{affiliate}}","payoutEmail":"x"}`, invalid("payoutEmail", "Email is invalid")},
		refusedCase{"admin/A3 payoutEmail empty", `{"affiliateId":"{{affiliate}}","payoutEmail":""}`, mustBe("payoutEmail", notEmpty)})...)
	return append(append(cases, affiliateStories()...), inviteCases()...)
}

// affiliateStories are console checks 3 and 6.
func affiliateStories() []serverCase {
	pending := func(x *exam, name string) {
		x.do("POST /affiliates", `{"firstName":"A","lastName":"B","email":"{{u}}-`+name+`@conform.example","affiliateStatus":"inactive"}`).as(name)
	}
	status := func(x *exam, ids, to string) *answer {
		return x.do("POST /affiliates/status", `{"affiliateIds":[`+ids+`],"status":"`+to+`"}`)
	}
	return []serverCase{
		{"admin/A4 two are approved, all or none", bulkRule, func(x *exam) {
			pending(x, "p")
			pending(x, "q")
			status(x, `"{{p}}","{{unknown}}"`, "ACTIVE").refused(affiliateNotFound)
			x.get("/affiliates?id={{p}}").has(`{"status":"INACTIVE"}`)
			status(x, `"{{q}}","{{p}}"`, "ACTIVE").has(`[{"id":"{{q}}","status":"ACTIVE"},{"id":"{{p}}","status":"ACTIVE"}]`)
			status(x, `"{{q}}","{{p}}"`, "ACTIVE").has(`[{"id":"{{q}}"},{"id":"{{p}}"}]`)
			status(x, `"{{p}}"`, "BANNED").has(`[{"status":"BANNED"}]`)
			status(x, `"{{q}}","{{p}}"`, "DEACTIVATED").refused(statusNotAllowed)
			x.get("/affiliates?id={{q}}").has(`{"status":"ACTIVE"}`)
		}},
		{"admin/A5 how an affiliate is paid", bulkRule, func(x *exam) {
			pending(x, "p")
			x.do("POST /affiliates/payout-details", `{"affiliateId":"{{p}}","payoutEmail":"Pay@conform.example","paymentMethod":"PAYPAL"}`).
				has(`{"payoutEmail":"pay@conform.example","paymentMethod":"PAYPAL","detailsComplete":true}`)
			x.do("POST /affiliates/payout-details", `{"affiliateId":"{{p}}","payoutEmail":null}`).has(`{"payoutEmail":null,"paymentMethod":null,"detailsComplete":false}`)
			x.do("POST /affiliates/tier-exempt", `{"affiliateIds":["{{p}}"],"exempt":true}`).has(`[{"exemptFromCommissionTierChanges":true}]`)
		}},
	}
}

// inviteCases is console check 9.
func inviteCases() []serverCase {
	cases := refusals(inviteRule, "POST /affiliates/invite",
		refusedCase{"admin/A6 no email", `{"firstName":"A","lastName":"B"}`, emailRequired}, refusedCase{"admin/A6 a status", `{"firstName":"A","lastName":"B","email":"{{u}}@conform.example","affiliateStatus":"active"}`, unknownField("affiliateStatus")},
		refusedCase{"admin/A6 answers that are none", `{"firstName":"A","lastName":"B","email":"{{u}}@conform.example","questionAnswers":["a"]}`, mustBe("questionAnswers", "must be an array of objects")},
		refusedCase{"admin/A6 an answer without a question", `{"firstName":"A","lastName":"B","email":"{{u}}@conform.example","questionAnswers":[{"answer":"a"}]}`, mustBe("questionAnswers.questionId", "must be an id")},
		refusedCase{"admin/A6 an answer of a number", `{"firstName":"A","lastName":"B","email":"{{u}}@conform.example","questionAnswers":[{"questionId":"{{unknown}}","answer":1}]}`, mustBe("questionAnswers.answer", asString)},
		refusedCase{"admin/A6 an answer with an id", `{"firstName":"A","lastName":"B","email":"{{u}}@conform.example","questionAnswers":[{"questionId":"{{unknown}}","answer":"a","id":"b"}]}`, unknownField("questionAnswers.id")})
	cases = append(cases, refusals(inviteRule, "POST /affiliates/accept-invite",
		refusedCase{"admin/A6 no affiliateId", `{}`, affiliateIDRequired}, refusedCase{"admin/A6 an unknown affiliate", `{"affiliateId":"{{unknown}}"}`, affiliateNotFound},
		refusedCase{"admin/A6 who was not invited", `{"affiliateId":"{{affiliate}}"}`, statusNotAllowed})...)
	return append(cases, serverCase{"admin/A7 invited and accepted", inviteRule, func(x *exam) {
		x.do("POST /affiliates/invite", `{"firstName":"A","lastName":"B","email":"{{u}}@conform.example"}`).as("i").has(`{"id":"{{i}}","status":"INVITED"}`)
		x.do("POST /affiliates/accept-invite", `{"affiliateId":"{{i}}","firstName":"C"}`).has(`{"id":"{{i}}","firstName":"C","status":"ACTIVE"}`)
		x.do("POST /affiliates/accept-invite", `{"affiliateId":"{{i}}"}`).refused(statusNotAllowed)
	}})
}

// adminPlanCases test plans, tiers and the settings.
func adminPlanCases() []serverCase {
	cases := refusals(planRule, "POST /commission-plans",
		refusedCase{"admin/A8 no name", `{"commissionRate":1}`, nameRequired}, refusedCase{"admin/A8 no rate", `{"name":"n"}`, rateRequired},
		refusedCase{"admin/A8 numberOfPayments 0", `{"name":"n","commissionRate":1,"numberOfPayments":0}`, mustBe("numberOfPayments", "must be at least 1")},
		refusedCase{"admin/A8 holdDays 3651", `{"name":"n","commissionRate":1,"holdDays":3651}`, mustBe("holdDays", "must be an integer from 0 to 3650")},
		refusedCase{"admin/A8 commissionRate 101", `{"name":"n","commissionRate":101}`, rateOutOfRange},
		refusedCase{"admin/A8 numberOfMonths 1.5", `{"name":"n","commissionRate":1,"numberOfMonths":1.5}`, mustBe("numberOfMonths", asInteger)},
		refusedCase{"admin/A8 autoApproveRewards 1", `{"name":"n","commissionRate":1,"autoApproveRewards":1}`, mustBe("autoApproveRewards", asBoolean)},
		refusedCase{"admin/A8 maxPerCustomer as text", `{"name":"n","commissionRate":1,"maxPerCustomer":"40"}`, mustBe("maxPerCustomer", asNumber)},
		refusedCase{"admin/A8 maxPerSale -1", `{"name":"n","commissionRate":1,"maxPerSale":-1}`, mustBe("maxPerSale", "must be at least 0")},
		refusedCase{"admin/A8 a budget without a limit", `{"name":"n","commissionRate":1,"budgets":[{"of":"ALL"}]}`, mustBe("budgets[0].maxCommission", "is required")},
		refusedCase{"admin/A8 a budget of nobody", `{"name":"n","commissionRate":1,"budgets":[{"maxRewards":1}]}`, mustBe("budgets[0].of", "must be one of AFFILIATE, ALL")},
		refusedCase{"admin/A8 a budget per MONTH", `{"name":"n","commissionRate":1,"budgets":[{"of":"ALL","per":"MONTH","maxRewards":1}]}`, mustBe("budgets[0].per", "must be one of day, week, month, quarter, year")},
		refusedCase{"admin/A8 a budget of 0 rewards", `{"name":"n","commissionRate":1,"budgets":[{"of":"ALL","maxRewards":0}]}`, mustBe("budgets[0].maxRewards", "must be at least 1")},
		refusedCase{"admin/A8 a budget with another field", `{"name":"n","commissionRate":1,"budgets":[{"of":"ALL","maxRewards":1,"min":1}]}`, unknownField("budgets[0].min")},
		refusedCase{"admin/A8 the same budget twice", `{"name":"n","commissionRate":1,"budgets":[{"of":"ALL","maxRewards":1},{"of":"ALL","maxCommission":1}]}`, mustBe("budgets", "must have distinct entries")},
		refusedCase{"admin/A8 a bonus for nothing", `{"name":"n","commissionRate":1,"bonuses":[{"name":"b","from":"2026-01-01","amount":1}]}`, mustBe("bonuses[0].customers", "is required")},
		refusedCase{"admin/A8 a bonus of 0", `{"name":"n","commissionRate":1,"bonuses":[{"name":"b","from":"2026-01-01","customers":1,"amount":0}]}`, mustBe("bonuses[0].amount", "must be greater than zero")},
		refusedCase{"admin/A8 a bonus from nowhen", `{"name":"n","commissionRate":1,"bonuses":[{"name":"b","customers":1,"amount":1}]}`, mustBe("bonuses[0].from", "is required")},
		refusedCase{"admin/A8 a bonus with another field", `{"name":"n","commissionRate":1,"bonuses":[{"name":"b","from":"2026-01-01","customers":1,"amount":1,"min":1}]}`, unknownField("bonuses[0].min")},
		refusedCase{"admin/A8 budgets as text", `{"name":"n","commissionRate":1,"budgets":"none"}`, mustBe("budgets", "must be an array of objects")},
		refusedCase{"admin/A8 an unknown field", `{"name":"n","commissionRate":1,"foo":1}`, unknownField("foo")})
	cases = append(cases, refusals(planRule, "PUT /commission-plans",
		refusedCase{"admin/A8 holdDays null", `{"commissionPlanId":"{{unknown}}","holdDays":null}`, mustBe("holdDays", notNull)},
		refusedCase{"admin/A8 commissionRate null", `{"commissionPlanId":"{{unknown}}","commissionRate":null}`, mustBe("commissionRate", notNull)},
		refusedCase{"admin/A8 no plan", `{"name":"n"}`, planIDRequired}, refusedCase{"admin/A8 an unknown plan", `{"commissionPlanId":"{{unknown}}","name":"n"}`, planMissing})...)
	cases = append(cases, refusals(planRule, "DELETE /commission-plans",
		refusedCase{"admin/A8 no plan to delete", `{}`, planIDRequired}, refusedCase{"admin/A8 an unknown plan to delete", `{"commissionPlanId":"{{unknown}}"}`, planMissing})...)
	cases = append(cases, refusals(tierRule, "POST /commission-tiers",
		refusedCase{"admin/A9 minRevenue -1", `{"tier":1,"name":"n","minRevenue":-1}`, mustBe("minRevenue", "must be at least 0")},
		refusedCase{"admin/A9 per Month", `{"tier":1,"name":"n","per":"Month"}`, mustBe("per", "must be one of day, week, month, quarter, year")},
		refusedCase{"admin/A9 grace without periods", `{"tier":1,"name":"n","gracePeriods":1}`, mustBe("gracePeriods", "must not be sent")},
		refusedCase{"admin/A9 gracePeriods -1", `{"tier":1,"name":"n","per":"day","gracePeriods":-1}`, mustBe("gracePeriods", "must be at least 0")},
		refusedCase{"admin/A9 an end without periods", `{"tier":1,"name":"n","atPeriodEnd":true}`, mustBe("atPeriodEnd", "must not be sent")},
		refusedCase{"admin/A9 emoji blank", `{"tier":1,"name":"n","emoji":" "}`, mustBe("emoji", notEmpty)},
		refusedCase{"admin/A9 no name", `{"tier":1}`, nameRequired}, refusedCase{"admin/A9 tier 0", `{"tier":0,"name":"n"}`, mustBe("tier", "must be at least 1")})...)
	cases = append(cases, refusals(tierRule, "PUT /commission-tiers",
		refusedCase{"admin/A9 no tier", `{"name":"n"}`, tierIDRequired}, refusedCase{"admin/A9 an unknown tier", `{"commissionTierId":"{{unknown}}","name":"n"}`, tierMissing})...)
	return append(cases, planStories()...)
}

// planStories has console checks 5 and 7.
func planStories() []serverCase {
	return []serverCase{
		{"admin/A10 a plan from its making to its end", planRule, func(x *exam) {
			payee(x)
			x.do("POST /affiliates", `{"firstName":"A","lastName":"B","email":"{{u}}-o@conform.example","affiliateLink":"{{u}}-o"}`).as("o")
			x.do("POST /commission-plans", `{"name":"{{u}}","commissionRate":30,"numberOfPayments":12,"holdDays":7,"maxPerSale":40.5,"maxPerCustomer":100}`).as("plan").
				has(`{"id":"{{plan}}","maxPerSale":40.5,"maxPerCustomer":100,"commissionRate":30,"commissionType":"PERCENTAGE","numberOfPayments":12,"numberOfMonths":null,"holdDays":7,"paymentTrigger":"PURCHASE","autoApproveRewards":true}`)
			x.do("PUT /commission-plans", `{"commissionPlanId":"{{plan}}","commissionRate":40,"numberOfPayments":null}`).has(`{"name":"{{u}}","commissionRate":40,"numberOfPayments":null,"holdDays":7}`)
			x.get("/commission-plans?commissionPlanId={{plan}}").has(`{"id":"{{plan}}","commissionRate":40}`)
			x.do("POST /affiliates/plan", `{"affiliateIds":["{{o}}"],"commissionPlanId":"{{plan}}"}`).has(`[{"id":"{{o}}","commissionPlanId":"{{plan}}","commissionRate":40}]`)
			x.do("POST /sales", `{"referralId":"{{u}}-o","email":"{{u}}-c@conform.example","name":"C","totalEarned":100}`).as("s", "customer:referralId").has(`{"commissionEarned":40}`)
			x.do("POST /sales", `{"email":"{{u}}-c@conform.example","totalEarned":200}`).as("capped").has(`{"commissionEarned":40.5}`)
			x.get("/sales/explain?id={{capped}}").has(`{"arithmetic":{"cap":40.5,"exact":"80","rounded":40.5}}`)
			x.do("PUT /commission-plans", `{"commissionPlanId":"{{plan}}","maxPerSale":null,"maxPerCustomer":0}`).lacks("maxPer")
			x.do("PUT /commission-plans", `{"commissionPlanId":"{{plan}}","budgets":[{"of":"AFFILIATE","per":"month","maxCommission":12.5,"whole":true}]}`).has(`{"budgets":[{"of":"AFFILIATE","per":"month","maxCommission":12.5,"whole":true}]}`)
			x.do("PUT /commission-plans", `{"commissionPlanId":"{{plan}}","budgets":null}`).lacks("budgets")
			x.get("/budgets?affiliateId={{o}}").has(`[]`)
			x.do("PUT /commission-plans", `{"commissionPlanId":"{{plan}}","bonuses":[{"name":"each 1","from":"2026-01-01","signUps":1,"amount":7.5},{"name":"a lot","from":"2026-01-01","per":"year","revenue":250,"times":2,"amount":20}]}`).has(`{"bonuses":[{"name":"each 1","from":"2026-01-01","signUps":1,"amount":7.5},{"name":"a lot","from":"2026-01-01","per":"year","revenue":250,"times":2,"amount":20}]}`)
			x.get("/bonuses?affiliateId={{o}}").has(`[{"name":"each 1","to":"AFFILIATE","periodFrom":null,"reached":1,"given":0,"next":2},{"name":"a lot","reached":300,"given":0,"next":500}]`)
			for at, done := "", false; !done; {
				step := x.do("POST /bonuses/grant", `{"limit":10000`+at+`}`).ok()
				at, done = `,"cursor":"`+step.text("cursor")+`"`, step.text("done") == "true"
			}
			x.get("/bonuses?affiliateEmail={{u}}-o@conform.example").has(`[{"given":1},{"given":1}]`)
			x.get("/adjustments?affiliateId={{o}}").has(`[{"kind":"BONUS","amount":20,"reason":"a lot"},{"kind":"BONUS","amount":7.5,"reason":"each 1"}]`)
			x.do("PUT /commission-plans", `{"commissionPlanId":"{{plan}}","bonuses":[{"name":"each 1","from":"2026-01-01","signUps":2,"amount":7.5}]}`).refused(invalid("bonuses[0]", "bonuses[0] counts something else than the bonus of this name did; give it another name"))
			x.do("PUT /commission-plans", `{"commissionPlanId":"{{plan}}","bonuses":null}`).lacks("bonuses")
			x.get("/bonuses?affiliateId={{o}}").has(`[]`)
			x.get("/bonuses?affiliateId={{unknown}}").has("null")
			x.get("/bonuses").refused(ownerRequired)
			x.do("DELETE /commission-plans", `{"commissionPlanId":"{{plan}}"}`).refused(planInUse)
			x.do("PUT /commission-plans", `{"commissionPlanId":"{{plan}}","commissionType":"FLAT"}`).refused(planInUse)
			x.do("POST /affiliates/plan", `{"affiliateIds":["{{o}}"],"commissionPlanId":null}`).has(`[{"commissionPlanId":null}]`)
			x.do("DELETE /commission-plans", `{"commissionPlanId":"{{plan}}"}`).refused(planInUse) // the customer is on it
			x.do("POST /referrals/plan", `{"referralIds":["{{s.customer}}"],"commissionPlanId":null}`).has(`[{"commissionPlanId":null}]`)
			x.do("DELETE /commission-plans", `{"commissionPlanId":"{{plan}}"}`).has(`{"message":"Commission plan deleted successfully"}`)
			x.get("/commission-plans?commissionPlanId={{plan}}").null()
		}},
		{"admin/A11 a tier from its making to its end", tierRule, func(x *exam) {
			x.do("POST /affiliates", `{"firstName":"A","lastName":"B","email":"{{u}}@conform.example"}`).as("a")
			x.do("POST /commission-tiers", `{"tier":1,"name":"{{u}}","emoji":"*","minReferrals":1000000,"commissionRate":50}`).as("tier").
				has(`{"id":"{{tier}}","tier":1,"emoji":"*","minReferrals":1000000,"minRevenue":0,"conditionType":"ALL","commissionRate":50}`)
			x.do("PUT /commission-tiers", `{"commissionTierId":"{{tier}}","per":"quarter","gracePeriods":2,"atPeriodEnd":true}`).has(`{"per":"quarter","gracePeriods":2,"atPeriodEnd":true}`)
			x.do("PUT /commission-tiers", `{"commissionTierId":"{{tier}}","per":null}`).lacks("eriod")
			x.do("PUT /commission-tiers", `{"commissionTierId":"{{tier}}","emoji":null}`).has(`{"emoji":null,"commissionRate":50}`)
			x.do("POST /affiliates/tier", `{"affiliateIds":["{{a}}"],"commissionTierId":"{{tier}}"}`).has(`[{"commissionTierId":"{{tier}}"}]`)
			x.do("DELETE /commission-tiers", `{"commissionTierId":"{{tier}}"}`).refused(tierInUse)
			x.do("POST /affiliates/tier", `{"affiliateIds":["{{a}}"],"commissionTierId":null}`).has(`[{"commissionTierId":null}]`)
			x.do("DELETE /commission-tiers", `{"commissionTierId":"{{tier}}"}`).has(`{"message":"Tier deleted successfully"}`)
		}},
		{"admin/A12 the settings of the program", adminRule, func(x *exam) {
			x.get("/program").has(`{"currency":"USD"}`)
			x.get("/program?x=1").refused(unknownParameter("x"))
			x.send(call("GET /program", "").with("Authorization")).refused(unauthorized)
		}},
		{"admin/A41 commissions are calculated again in steps", stepsRule, func(x *exam) {
			payee(x)
			for i := range 3 {
				x.do("POST /sales", fmt.Sprintf(`{"referralId":"{{u}}","email":"{{u}}-%d@conform.example","name":"C","totalEarned":100}`, i)).as("s")
			}
			x.do("PUT /affiliates", `{"affiliateId":"{{a}}","commissionRate":50}`).ok()
			x.do("POST /sales/recalculate", `{"affiliateId":"{{a}}","limit":1,"cursor":"x"}`).refused(invalid("cursor", "Invalid cursor"))
			x.do("POST /sales/recalculate", `{"limit":1}`).refused(selectionRequired)
			first := x.do("POST /sales/recalculate", `{"affiliateId":"{{a}}","limit":2}`).has(`{"done":false,"looked":2,"changed":2}`)
			x.do("POST /sales/recalculate", fmt.Sprintf(`{"affiliateId":"{{a}}","limit":2,"cursor":%q}`, first.text("cursor"))).has(`{"done":true,"cursor":null,"looked":1,"changed":1}`)
			x.do("POST /sales/recalculate", `{"affiliateId":"{{a}}"}`).has(`{"done":true,"looked":3,"changed":0}`)
			x.get("/sales?id={{s}}").has(`{"commissionEarned":50}`)
			x.do("POST /commission-tiers/assign", `{"limit":10001}`).refused(invalid("limit", "limit must be an integer from 1 to 10000"))
		}},
		{"admin/A43 an affiliate and a customer are erased in steps", stepsRule, func(x *exam) {
			payee(x)
			x.do("POST /sales", `{"referralId":"{{u}}","email":"{{u}}-gone@conform.example","name":"Gone","totalEarned":100}`).ok()
			for _, who := range [][2]string{{"/referrals/erase", `"referralId":"{{u}}-gone@conform.example"`}, {"/affiliates/erase", `"affiliateId":"{{a}}","forfeit":true`}} {
				x.do("POST "+who[0], "{"+who[1]+`,"limit":10001}`).refused(invalid("limit", "limit must be an integer from 1 to 10000"))
				cursor := ""
				for range 1000 {
					step := x.do("POST "+who[0], "{"+who[1]+`,"limit":10000`+cursor+"}").ok()
					if step.text("done") == "true" {
						break
					}
					cursor = fmt.Sprintf(`,"cursor":%q`, step.text("cursor"))
				}
			}
			x.get("/affiliates?id={{a}}").has(`{"name":"","email":"","totalRevenue":100}`)
			x.get("/referrals?id={{u}}-gone@conform.example").has(`null`)
			x.do("POST /affiliates/erase", `{}`).refused(missing("affiliateId", "Affiliate ID is required"))
			x.do("POST /referrals/erase", `{}`).refused(missing("referralId", "Referral ID is required"))
		}},
		{"admin/A44 POST /prune says what is wrong with its input", stepsRule, func(x *exam) {
			const either = "Either before or retention is required"
			for _, body := range []string{`{}`, `{"retention":{}}`, `{"before":"2001-01-01","retention":{"events":9}}`, `{"before":null}`} {
				x.do("POST /prune", body).refused(missing("before", either))
			}
			x.do("POST /prune", `{"retention":{"events":0}}`).refused(invalid("retention.events", "retention.events must be an integer from 1 to 36500"))
			x.do("POST /prune", `{"retention":{"events":9,"sales":9}}`).refused(unknownField("retention.sales"))
			x.do("POST /prune", `{"before":"2001-01-01"}`).has(`{"changed":0,"removed":{"events":0,"receipts":0,"deliveries":0,"clicks":0,"payments":0}}`)
		}},
		{"admin/A45 what waits for somebody", "contract 4.6: what waits is listed until somebody has dealt with it", func(x *exam) {
			x.do("POST /affiliates", `{"firstName":"A","lastName":"B","email":"{{u}}-p@conform.example","affiliateStatus":"inactive"}`).as("p")
			x.get("/attention?limit=1").has(`{"pendingAffiliates":{"items":[{"id":"{{p}}","name":"A B"}]}}`)
			x.do("POST /affiliates/status", `{"affiliateIds":["{{p}}"],"status":"ACTIVE"}`).ok()
			payee(x)
			x.do("POST /sales", `{"referralId":"{{u}}","email":"{{u}}-c@conform.example","name":"C","totalEarned":100}`).as("s")
			x.do("POST /sales/review", `{"saleIds":[{{s}}],"approvalStatus":"ON_HOLD"}`).ok()
			x.get("/attention?limit=1").has(`{"heldSales":{"items":[{"id":{{s}},"affiliateId":"{{a}}","commissionEarned":20,"holdReason":"PROGRAM_SETTINGS"}]}}`)
			x.do("POST /sales/review", `{"saleIds":[{{s}}],"approvalStatus":"ACCEPTED"}`).ok()
			x.get("/attention?limit=20").lacks(`"id":"{{p}}"`).lacks(`"id":{{s}},`)
			for _, limit := range []string{"0", "21", "x", "-1", "05"} {
				x.get("/attention?limit=" + limit).refused(badParameter("limit", "must be an integer from 1 to 20"))
			}
			x.get("/attention?status=x").refused(unknownParameter("status"))
		}},
		{"admin/A40 the check of the books", booksRule, func(x *exam) {
			x.get("/verify").has(`{"holds":true,"breaches":[]}`)
			x.get("/verify?limit=1").refused(unknownParameter("limit"))
		}},
		{"admin/A42 POST /partner/token says what is wrong with its input", "contract 4.7: a token opens the partner pages of an affiliate", func(x *exam) {
			x.do("POST /partner/token", `{}`).refused(missing("affiliateId", "Affiliate ID is required"))
			for _, ttl := range []string{"29", "3601", "0", "-1", `"60"`, "60.5"} {
				x.do("POST /partner/token", `{"affiliateId":"{{affiliate}}","ttlSeconds":`+ttl+`}`).refused(invalid("ttlSeconds", "ttlSeconds must be an integer from 30 to 3600"))
			}
			x.do("POST /partner/token", `{"affiliateId":"{{affiliate}}","ttl":60}`).refused(unknownField("ttl"))
		}},
	}
}

package servertest

import "strings"

const searchRule = "contract 4.6: filters of a search are combined, and a search text is exact or a part"

// adminSearchCases test the searches.
func adminSearchCases() []serverCase {
	refused := func(name, target string, want denial) serverCase {
		return serverCase{"admin/A24 " + name, searchRule, func(x *exam) { x.get(target).refused(want) }}
	}
	const statuses = "must be one of ACTIVE, INACTIVE, INVITED, DECLINED, DEACTIVATED, BANNED"
	return append([]serverCase{
		refused("coupons that are maybe valid", "/coupons/summaries?valid=yes", badParameter("valid", asBoolean)),
		refused("a parameter of summaries", "/coupons/summaries?active=true", unknownParameter("active")),
		refused("events of an unknown type", "/events?type=sale", badParameter("type", "must be one of "+strings.Join(eventTypes(), ", "))),
		refused("events after no event", "/events?after={{unknown}}", badParameter("after", "must be an id")),
		refused("events after and of", "/events?after=start&objectId={{affiliate}}", afterAlone),
		refused("events that are waited for", "/events?after=start&wait=10", unknownParameter("wait")),
		refused("affiliates of an unknown status", "/affiliates/search?status=active", badParameter("status", statuses)),
		refused("a search text of 101 characters", "/affiliates/search?search="+strings.Repeat("x", 101), badParameter("search", tooLong)),
		refused("a misspelt filter", "/affiliates/search?plan={{unknown}}", unknownParameter("plan")),
		refused("referrals of an unknown status", "/referrals/search?subscriptionStatus=x", badParameter("subscriptionStatus", "must be one of ACTIVE, SUBMITTED, DECLINED, PAST_DUE, CANCELLED")),
		refused("referrals since no date", "/referrals/search?since=x", badParameter("since", "must be an ISO 8601 date")),
		refused("codes that are maybe active", "/promotional-codes/search?active=1", badParameter("active", asBoolean)),
		refused("affiliates with maybe the oldest first", "/affiliates/search?oldestFirst=yes", badParameter("oldestFirst", asBoolean)),
		refused("codes in an unknown state", "/promotional-codes/search?state=x", badParameter("state", "must be one of usable, exhausted, expired, upcoming")),
	}, searchStories()...)
}

func searchStories() []serverCase {
	return []serverCase{
		{"admin/A25 affiliates are found", searchRule, func(x *exam) {
			x.do("POST /affiliates", `{"firstName":"A{{u}}","lastName":"B","email":"{{u}}-a@conform.example","affiliateLink":"{{u}}"}`).as("a")
			x.do("POST /affiliates", `{"firstName":"C{{u}}","lastName":"D","email":"{{u}}-c@conform.example","affiliateStatus":"inactive"}`).as("c")
			x.get("/affiliates/search?search=c{{u}}").has(`[{"id":"{{c}}"}]`)
			x.get("/affiliates/search?search={{u}}-").has(`[{"id":"{{c}}"},{"id":"{{a}}"}]`)
			x.get("/affiliates/search?search={{u}}-&oldestFirst=true").has(`[{"id":"{{a}}"},{"id":"{{c}}"}]`)
			x.get("/affiliates/search?search={{u}}-&oldestFirst=false").has(`[{"id":"{{c}}"},{"id":"{{a}}"}]`)
			x.get("/affiliates/search?search={{u}}").has(`[{"id":"{{a}}"}]`) // exactly a slug
			x.get("/affiliates/search?search={{u}}-&status=ACTIVE").has(`[{"id":"{{a}}","status":"ACTIVE"}]`)
			x.get("/affiliates/search?search={{c}}&status=ACTIVE").has(`[]`)
		}},
		{"admin/A26 referrals are found", searchRule, func(x *exam) {
			payee(x)
			x.do("POST /referrals", `{"affiliateId":"{{a}}","name":"R{{u}}","email":"{{u}}-r@conform.example","referredUserExternalId":"{{u}}-x"}`).as("r")
			x.get("/referrals/search?search={{u}}-x").has(`[{"id":"{{r}}"}]`)
			x.get("/referrals/search?search=r{{u}}&affiliateId={{a}}").has(`[{"id":"{{r}}"}]`)
			x.get("/referrals/search?search=r{{u}}&affiliateId={{unknown}}").has(`[]`)
			x.get("/referrals/search?affiliateId={{a}}&subscriptionStatus=DECLINED").has(`[]`)
			x.get("/referrals/search?affiliateId={{a}}&until=2020-01-01").has(`[]`)
		}},
		{"admin/A28 coupons without their codes", searchRule, func(x *exam) {
			payee(x)
			x.do("POST /coupons", `{"name":"{{u}}","percentOff":10,"valid":false}`).as("k")
			x.do("POST /promotional-codes", `{"couponId":"{{k}}","affiliateId":"{{a}}","code":"{{u}}"}`).as("c")
			x.do("POST /coupons", `{"name":"{{u}}","percentOff":10}`).as("v")
			x.get("/coupons/summaries?limit=1&valid=true").has(`[{"id":"{{v}}","valid":true}]`)
			x.get("/coupons/summaries?limit=1&valid=false").has(`[{"id":"{{k}}","name":"{{u}}","valid":false}]`)
		}},
		{"admin/A29 events in their order", searchRule, func(x *exam) {
			x.do("POST /affiliates", `{"firstName":"A","lastName":"B","email":"{{u}}@conform.example"}`).as("a")
			x.do("PUT /affiliates", `{"affiliateId":"{{a}}","firstName":"C"}`)
			events := x.get("/events?objectId={{a}}").has(`[{"event":"affiliate.updated","objectId":"{{a}}","revision":2},{"event":"affiliate.created","revision":1,"payload":{"event":"affiliate.created","body":{"id":"{{a}}","firstName":"A"}}}]`)
			updated, created := events.text("0.eventId"), events.text("1.eventId")
			x.get("/events?objectId={{a}}&type=affiliate.created").has(`[{"eventId":"` + created + `"}]`)
			x.get("/events?after=" + created + "&limit=1").has(`[{"eventId":"` + updated + `","objectId":"{{a}}"}]`)
		}},
		{"admin/A27 promotional codes are found", searchRule, func(x *exam) {
			payee(x)
			x.do("POST /coupons", `{"name":"{{u}}","percentOff":10,"maxRedemptions":1}`).as("k")
			x.do("POST /promotional-codes", `{"couponId":"{{k}}","affiliateId":"{{a}}","code":"{{u}}1"}`).as("one")
			x.do("POST /promotional-codes", `{"couponId":"{{k}}","affiliateId":"{{a}}","code":"{{u}}2","active":false}`).as("two")
			x.get("/promotional-codes/search?search={{u}}").has(`[{"id":"{{two}}"},{"id":"{{one}}"}]`)
			x.get("/promotional-codes/search?search={{u}}&oldestFirst=true").has(`[{"id":"{{one}}"},{"id":"{{two}}"}]`)
			x.get("/promotional-codes/search?search={{u}}1").has(`[{"id":"{{one}}"}]`)
			x.get("/promotional-codes/search?couponId={{k}}&active=false").has(`[{"id":"{{two}}"}]`)
			x.get("/promotional-codes/search?couponId={{k}}&state=usable").has(`[{"id":"{{one}}"}]`)
			x.do("POST /sales", `{"promoCode":"{{u}}1","email":"{{u}}-c@conform.example","name":"C","totalEarned":100}`).as("s")
			x.get("/promotional-codes/search?couponId={{k}}&state=usable").has(`[]`)
			x.get("/promotional-codes/search?couponId={{k}}&state=exhausted&active=true").has(`[{"id":"{{one}}"}]`)
			x.get("/promotional-codes/search?couponId={{k}}").has(`[{"id":"{{two}}","usability":{"usable":false,"reasons":[{"reason":"code_inactive"},{"reason":"coupon_exhausted","limit":1,"used":1}],"hold":null}},{"id":"{{one}}","usability":{"usable":false}}]`)
			x.get("/coupons/summaries?couponId={{k}}").has(`[{"valid":true,"usability":{"usable":false,"reasons":[{"reason":"coupon_exhausted"}]}}]`)
			x.do("POST /affiliates/status", `{"affiliateIds":["{{a}}"],"status":"BANNED"}`).ok()
			x.get("/promotional-codes/search?search={{u}}2").has(`[{"usability":{"hold":"AFFILIATE_BANNED"}}]`)
		}},
	}
}

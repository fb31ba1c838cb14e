package httpapi_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/tributary-go/tributary/affiliate"
)

// The checks of the administration over HTTP, by the numbers of its list.

const (
	noAffiliateIDs   = "400 missing_field: Affiliate IDs are required [affiliateIds]"
	noSuchAffiliate  = "404 affiliate_not_found: Affiliate not found"
	moveNotAllowed   = "400 status_not_allowed: The present status does not allow this change"
	planIDRequired   = "400 missing_field: Commission plan ID is required [commissionPlanId]"
	planUnknown      = "400 plan_not_found: Commission plan not found [commissionPlanId]"
	planMissing      = "404 plan_not_found: Commission plan not found"
	tierMissing      = "404 tier_not_found: Tier not found"
	distinctOnly     = "400 invalid_field: affiliateIds must have distinct entries [affiliateIds]"
	atMost1000       = "400 invalid_field: affiliateIds must have at most 1000 entries [affiliateIds]"
	stringsOnly      = "400 invalid_field: affiliateIds must be an array of strings [affiliateIds]"
	statusRequired   = "400 missing_field: Status is required [status]"
	statusOneOf      = "400 invalid_field: status must be one of ACTIVE, DECLINED, DEACTIVATED, BANNED [status]"
	unknownFieldX    = "400 unknown_field: Unknown field: x [x]"
	nobody           = "0197d9a4-6c1e-7b52-9a3f-2f4c1d7e8a01"
	pendingAffiliate = `{"firstName":"P","lastName":"Q","email":"%s@example.org","affiliateStatus":"inactive"}`
)

// pending makes affiliates that wait for approval.
func (k *till) pending(names ...string) {
	k.t.Helper()
	for _, name := range names {
		k.ids[name] = k.id("POST", "/affiliates", fmt.Sprintf(pendingAffiliate, name))
	}
	k.fired()
}

// each is what a request answers for every one of many.
func (k *till) each(target, body, field string) (values []any) {
	k.t.Helper()
	got := k.do("POST", "/api/v1"+target, k.named(body))
	if got.status != 200 {
		k.t.Fatalf("%s %s: %s", target, body, got.refusal())
	}
	var items []object
	if err := json.Unmarshal([]byte(got.body), &items); err != nil {
		k.t.Fatal(err)
	}
	for _, item := range items {
		values = append(values, item[field])
	}
	return values
}

// TestAffiliateStatus is check 3, and the rules of every list of ids.
func TestAffiliateStatus(t *testing.T) {
	k := newTill(t)
	k.pending("p1", "p2", "p3")
	const target = "/affiliates/status"
	no := func(want, body string) { t.Helper(); k.no(want, "POST", target, body) }
	no(noSuchAffiliate, `{"affiliateIds":["{p1}","`+nobody+`"],"status":"ACTIVE"}`)
	no(noSuchAffiliate, `{"affiliateIds":["{p1}","x","y",""],"status":"ACTIVE"}`)
	k.fires()
	equal(t, []any{"ACTIVE", "ACTIVE"}, k.each(target, `{"affiliateIds":["{p2}","{p1}"],"status":"ACTIVE"}`, "status"))
	k.fires("affiliate.updated p1", "affiliate.updated p2")
	equal(t, []any{k.ids["p2"], k.ids["p1"]}, k.each(target, `{"affiliateIds":["{p2}","{p1}"],"status":"ACTIVE"}`, "id"))
	k.fires()
	k.each(target, `{"affiliateIds":["{p3}"],"status":"DECLINED"}`, "id")
	k.fires("affiliate.updated p3")
	k.each(target, `{"affiliateIds":["{p1}"],"status":"DEACTIVATED"}`, "id")
	k.fires("affiliate.updated p1")
	equal(t, []any{"BANNED"}, k.each(target, `{"affiliateIds":["{p2}"],"status":"BANNED"}`, "status"))
	k.fires("affiliate.updated p2")
	for name, status := range map[string]string{"p1": "DEACTIVATED", "p2": "BANNED", "p3": "DECLINED"} {
		k.each(target, `{"affiliateIds":["{`+name+`}"],"status":"`+status+`"}`, "id")
	}
	k.fires()
	no(moveNotAllowed, `{"affiliateIds":["{p2}"],"status":"ACTIVE"}`)
	no(moveNotAllowed, `{"affiliateIds":["`+k.ada+`","{p2}"],"status":"DEACTIVATED"}`)

	no(noAffiliateIDs, `{"status":"ACTIVE"}`)
	no(noAffiliateIDs, `{"affiliateIds":[],"status":"x"}`)
	no(noAffiliateIDs, `{"affiliateIds":null,"status":"ACTIVE"}`)
	no(stringsOnly, `{"affiliateIds":"{p1}","status":"ACTIVE"}`)
	no(stringsOnly, `{"affiliateIds":["{p1}",1],"status":"ACTIVE"}`)
	no(distinctOnly, `{"affiliateIds":["{p1}","{p1}"],"status":"ACTIVE"}`)
	no(atMost1000, `{"affiliateIds":[`+texts(1001)+`],"status":"ACTIVE"}`)
	no(noSuchAffiliate, `{"affiliateIds":[`+texts(1000)+`],"status":"ACTIVE"}`)
	no(unknownFieldX, `{"affiliateIds":["{p1}"],"x":1}`)
	no(statusRequired, `{"affiliateIds":["{p1}"]}`)
	no(statusRequired, `{"affiliateIds":["{p1}"],"status":null}`)
	for _, status := range []string{"INACTIVE", "INVITED", "active", "x"} {
		no(statusOneOf, `{"affiliateIds":["{p1}"],"status":"`+status+`"}`)
	}
	no("400 invalid_field: status must not be empty [status]", `{"affiliateIds":["{p1}"],"status":" "}`)
	no("400 invalid_field: status must be a string [status]", `{"affiliateIds":["{p1}"],"status":1}`)
	k.verify()
}

// TestBulkLimit: the host may allow less than 1,000 at once.
func TestBulkLimit(t *testing.T) {
	k := newTill(t, func(s *setup) { s.engine.Limits.Bulk = 1 })
	k.no("400 bulk_limit_exceeded: The call is for more objects than the program allows at once", "POST", "/affiliates/tier-exempt",
		`{"affiliateIds":["`+k.ada+`","`+k.bo+`"],"exempt":true}`)
}

// TestAffiliateTerms is check 6.
func TestAffiliateTerms(t *testing.T) {
	k := newTill(t)
	k.pending("p")
	k.ids["plan"] = k.id("POST", "/commission-plans", `{"name":"Gold","commissionRate":30}`)
	k.ids["tier"] = k.id("POST", "/commission-tiers", `{"tier":1,"name":"Silver"}`)
	for field, c := range map[string]struct{ target, id, absent, unknown string }{
		"commissionPlanId": {"/affiliates/plan", "{plan}", planIDRequired, planUnknown},
		"commissionTierId": {"/affiliates/tier", "{tier}", "400 missing_field: Commission tier ID is required [commissionTierId]", tierMissing},
	} {
		no := func(want, members string) {
			t.Helper()
			k.no(want, "POST", c.target, `{"affiliateIds":["{p}"]`+members+`}`)
		}
		put := func(value string, events ...string) any {
			t.Helper()
			got := k.each(c.target, `{"affiliateIds":["{p}"],"`+field+`":`+value+`}`, field)
			k.fires(events...)
			return got[0]
		}
		no(c.absent, ``)
		no(unknownFieldX, `,"x":1`)
		no(c.unknown, `,"`+field+`":"`+nobody+`"`)
		no(c.unknown, `,"`+field+`":"x"`)
		no("400 invalid_field: "+field+" must not be empty ["+field+"]", `,"`+field+`":""`)
		no("400 invalid_field: "+field+" must be a string ["+field+"]", `,"`+field+`":7`)
		k.no(noSuchAffiliate, "POST", c.target, `{"affiliateIds":["`+nobody+`"],"`+field+`":null}`)
		equal[any](t, k.named(c.id), put(`"`+c.id+`"`, "affiliate.updated p"))
		put(`"` + c.id + `"`)
		equal[any](t, nil, put(`null`, "affiliate.updated p"))
		put(`null`)
	}
	exempt := func(value string, events ...string) {
		t.Helper()
		k.each("/affiliates/tier-exempt", `{"affiliateIds":["{p}"],"exempt":`+value+`}`, "id")
		k.fires(events...)
	}
	exempt("true", "affiliate.updated p")
	exempt("true")
	exempt("false", "affiliate.updated p")
	k.no("400 invalid_field: exempt must be a boolean [exempt]", "POST", "/affiliates/tier-exempt", `{"affiliateIds":["{p}"]}`)
	k.no("400 invalid_field: exempt must be a boolean [exempt]", "POST", "/affiliates/tier-exempt", `{"affiliateIds":["{p}"],"exempt":1}`)

	pay := func(members string, events ...string) object {
		t.Helper()
		got := k.ask("POST", "/affiliates/payout-details", `{"affiliateId":"{p}"`+members+`}`)
		k.fires(events...)
		return got
	}
	k.has(pay(`,"payoutEmail":"P@pay.example","paymentMethod":"PAYPAL"`, "affiliate.updated p"), object{"payoutEmail": "p@pay.example", "paymentMethod": "PAYPAL", "detailsComplete": true})
	pay(`,"payoutEmail":"p@pay.example","paymentMethod":"PAYPAL"`)
	k.has(pay(`,"payoutEmail":null`, "affiliate.updated p"), object{"payoutEmail": nil, "paymentMethod": nil, "detailsComplete": false})
	no := func(want, body string) { t.Helper(); k.no(want, "POST", "/affiliates/payout-details", body) }
	no("400 missing_field: Affiliate ID is required [affiliateId]", `{"payoutEmail":"p@pay.example"}`)
	no(noSuchAffiliate, `{"affiliateId":"x"}`)
	no("400 invalid_field: Email is invalid [payoutEmail]", `{"affiliateId":"{p}","payoutEmail":"x"}`)
	no("400 invalid_field: payoutEmail must not be empty [payoutEmail]", `{"affiliateId":"{p}","payoutEmail":""}`)
	no(unknownFieldX, `{"affiliateId":"{p}","x":1}`)
	k.verify()
}

// TestPlansOverTheWire is check 7: a plan and a tier from their making to their
// end, and a sale that earns by them.
func TestPlansOverTheWire(t *testing.T) {
	k := newTill(t)
	plan := k.ask("POST", "/commission-plans", `{"name":"Gold","commissionRate":30,"numberOfPayments":12,"holdDays":7}`)
	k.ids["plan"] = text(plan["id"])
	want := object{
		"id": plan["id"], "name": "Gold", "commissionRate": 30.0, "commissionType": "PERCENTAGE", "numberOfPayments": 12.0, "numberOfMonths": nil,
		"paymentTrigger": "PURCHASE", "autoApproveRewards": true, "rewardType": "CASH", "holdDays": 7.0, "createdAt": wire(start), "updatedAt": wire(start),
	}
	equal(t, want, plan)
	equal(t, want, k.ask("GET", "/commission-plans?commissionPlanId={plan}", ""))
	equal(t, []object{want}, k.list("/commission-plans"))
	put := func(members string) object {
		t.Helper()
		return k.ask("PUT", "/commission-plans", `{"commissionPlanId":"{plan}"`+members+`}`)
	}
	k.has(put(`,"commissionRate":40`), object{"commissionRate": 40.0, "numberOfPayments": 12.0, "holdDays": 7.0})
	k.has(put(`,"numberOfPayments":null,"autoApproveRewards":false`), object{"commissionRate": 40.0, "numberOfPayments": nil, "holdDays": 7.0, "autoApproveRewards": false})
	put(`,"autoApproveRewards":true`)
	k.each("/affiliates/plan", `{"affiliateIds":["`+k.ada+`"],"commissionPlanId":"{plan}"}`, "id")
	k.has(k.sell("S1", "100"), object{"commissionEarned": 40.0})
	for _, op := range []operation{{"DELETE", "/commission-plans", `{"commissionPlanId":"{plan}"}`}, {"PUT", "/commission-plans", `{"commissionPlanId":"{plan}","commissionType":"FLAT"}`}} {
		k.no("400 plan_in_use: Commission plan is in use", op.method, op.target, op.body)
	}

	tier := k.ask("POST", "/commission-tiers", `{"tier":1,"name":"Silver","commissionRate":50,"minRevenue":0.5}`)
	k.ids["tier"] = text(tier["id"])
	want = object{
		"id": tier["id"], "tier": 1.0, "name": "Silver", "emoji": nil, "minReferrals": 0.0, "minRevenue": 0.5, "conditionType": "ALL", "commissionRate": 50.0,
		"createdAt": wire(start), "updatedAt": wire(start),
	}
	equal(t, want, tier)
	equal(t, want, k.ask("GET", "/commission-tiers?commissionTierId={tier}", ""))
	k.has(k.ask("PUT", "/commission-tiers", `{"commissionTierId":"{tier}","commissionRate":60,"emoji":"*"}`), object{"commissionRate": 60.0, "emoji": "*", "minRevenue": 0.5})
	k.each("/affiliates/tier", `{"affiliateIds":["`+k.ada+`"],"commissionTierId":"{tier}"}`, "id")
	k.has(k.sell("S2", "100"), object{"commissionEarned": 60.0})
	k.no("400 tier_in_use: Tier is in use", "DELETE", "/commission-tiers", `{"commissionTierId":"{tier}"}`)

	for _, kind := range []string{"plan", "tier"} {
		field := map[string]string{"plan": "commissionPlanId", "tier": "commissionTierId"}[kind]
		k.each("/affiliates/"+kind, `{"affiliateIds":["`+k.ada+`"],"`+field+`":null}`, "id")
	}
	k.no("400 plan_in_use: Commission plan is in use", "DELETE", "/commission-plans", `{"commissionPlanId":"{plan}"}`) // the customer is on it
	customer := text(k.ask("GET", "/sales?id={S1}", "")["referralId"])
	k.each("/referrals/plan", `{"referralIds":["`+customer+`"],"commissionPlanId":null}`, "id")
	equal(t, "Commission plan deleted successfully", k.ask("DELETE", "/commission-plans?commissionPlanId={plan}", "")["message"])
	equal(t, "Tier deleted successfully", k.ask("DELETE", "/commission-tiers", `{"commissionTierId":"{tier}"}`)["message"])
	k.no(planMissing, "DELETE", "/commission-plans", `{"commissionPlanId":"{plan}"}`)
	k.no(planMissing, "PUT", "/commission-plans", `{"commissionPlanId":"x"}`)
	k.no(tierMissing, "PUT", "/commission-tiers", `{"commissionTierId":"{tier}"}`)
	equal(t, "null", k.do("GET", k.named("/api/v1/commission-plans?commissionPlanId={plan}"), "").body)
	k.verify()
}

// TestPlanFields: what a plan and a tier may be.
func TestPlanFields(t *testing.T) {
	k := newTill(t)
	for body, want := range map[string]string{
		`{"commissionRate":1}`:                                   "400 missing_field: Name is required [name]",
		`{"name":"p"}`:                                           "400 missing_field: Commission rate is required [commissionRate]",
		`{"name":"p","numberOfPayments":"x"}`:                    "400 missing_field: Commission rate is required [commissionRate]",
		`{"name":"p","commissionRate":null}`:                     "400 missing_field: Commission rate is required [commissionRate]",
		`{"name":"p","commissionRate":101}`:                      "400 invalid_field: Commission rate must be between 0 and 100 [commissionRate]",
		`{"name":"p","commissionRate":1,"numberOfPayments":0}`:   "400 invalid_field: numberOfPayments must be at least 1 [numberOfPayments]",
		`{"name":"p","commissionRate":1,"numberOfMonths":-1}`:    "400 invalid_field: numberOfMonths must be at least 1 [numberOfMonths]",
		`{"name":"p","commissionRate":1,"numberOfMonths":1.5}`:   "400 invalid_field: numberOfMonths must be an integer [numberOfMonths]",
		`{"name":"p","commissionRate":1,"holdDays":"7"}`:         "400 invalid_field: holdDays must be an integer from 0 to 3650 [holdDays]",
		`{"name":"p","commissionRate":1,"commissionType":"p"}`:   "400 invalid_field: commissionType must be one of PERCENTAGE, FLAT [commissionType]",
		`{"name":"p","commissionRate":1,"autoApproveRewards":1}`: "400 invalid_field: autoApproveRewards must be a boolean [autoApproveRewards]",
		`{"name":"p","commissionRate":1,"rewardType":"CASH"}`:    "400 unknown_field: Unknown field: rewardType [rewardType]",
	} {
		k.no(want, "POST", "/commission-plans", body)
	}
	k.ids["plan"] = k.id("POST", "/commission-plans", `{"name":"p","commissionRate":0}`)
	for members, want := range map[string]string{
		`"name":null`:               "400 invalid_field: name must not be null [name]",
		`"commissionRate":null`:     "400 invalid_field: commissionRate must not be null [commissionRate]",
		`"holdDays":null`:           "400 invalid_field: holdDays must not be null [holdDays]",
		`"autoApproveRewards":null`: "400 invalid_field: autoApproveRewards must not be null [autoApproveRewards]",
		`"numberOfPayments":0`:      "400 invalid_field: numberOfPayments must be at least 1 [numberOfPayments]",
		`"x":1`:                     unknownFieldX,
	} {
		k.no(want, "PUT", "/commission-plans", `{"commissionPlanId":"{plan}",`+members+`}`)
	}
	for _, method := range []string{"PUT", "DELETE"} {
		k.no(planIDRequired, method, "/commission-plans", `{}`)
		k.no("400 missing_field: Commission tier ID is required [commissionTierId]", method, "/commission-tiers", `{}`)
	}
	k.no("400 unknown_field: Unknown field: x [x]", "DELETE", "/commission-plans?commissionPlanId={plan}&x=1", "")
	for body, want := range map[string]string{
		`{"name":"t"}`:                             "400 invalid_field: tier must be at least 1 [tier]",
		`{"tier":1}`:                               "400 missing_field: Name is required [name]",
		`{"tier":1,"name":"t","minRevenue":-1}`:    "400 invalid_field: minRevenue must be at least 0 [minRevenue]",
		`{"tier":1,"name":"t","emoji":" "}`:        "400 invalid_field: emoji must not be empty [emoji]",
		`{"tier":1,"name":"t","conditionType":""}`: "400 invalid_field: conditionType must not be empty [conditionType]",
	} {
		k.no(want, "POST", "/commission-tiers", body)
	}
	k.no("400 invalid_query: Unknown query parameter: commissionPlan [commissionPlan]", "GET", "/commission-plans?commissionPlan={plan}", "")
}

// TestInvitations is check 9.
func TestInvitations(t *testing.T) {
	for approves, status := range map[bool]string{true: "ACTIVE", false: "INACTIVE"} {
		k := newTill(t, func(s *setup) { s.engine.NoAutoApprove = !approves })
		guest := k.ask("POST", "/affiliates/invite", `{"firstName":"I","lastName":"V","email":"guest@example.org","questionAnswers":[{"questionId":"`+nobody+`","answer":"a blog"}]}`)
		k.ids["guest"] = text(guest["id"])
		equal[any](t, "INVITED", guest["status"])
		k.fires("affiliate.created guest")
		event := must(k.Events(t.Context(), affiliate.EventFilter{Type: affiliate.AffiliateCreated}, affiliate.Page{Limit: 1})).Items[0]
		if payload := string(event.Payload); !strings.Contains(payload, `"questionId":"`+nobody+`","answer":"a blog"`) {
			t.Errorf("the event has no answer: %s", payload)
		}
		accept := func(members string) (string, string) {
			return "/affiliates/accept-invite", `{"affiliateId":"{guest}"` + members + `}`
		}
		target, body := accept(`,"firstName":"Ina","affiliateLink":"ina","commissionRate":33,"lastName":null`)
		k.has(k.ask("POST", target, body), object{"status": status, "firstName": "Ina", "lastName": "V", "commissionRate": 33.0})
		k.fires("affiliate.updated guest")
		k.no(moveNotAllowed, "POST", target, body)
		k.no(noSuchAffiliate, "POST", target, `{"affiliateId":"x"}`)
		k.no("400 missing_field: Affiliate ID is required [affiliateId]", "POST", target, `{}`)
		k.no("400 unknown_field: Unknown field: affiliateStatus [affiliateStatus]", "POST", target, `{"affiliateId":"{guest}","affiliateStatus":"active"}`)
		k.verify()
	}
	k := newTill(t)
	for members, want := range map[string]string{
		`"questionAnswers":{}`:                                                      "400 invalid_field: questionAnswers must be an array of objects [questionAnswers]",
		`"questionAnswers":["a"]`:                                                   "400 invalid_field: questionAnswers must be an array of objects [questionAnswers]",
		`"questionAnswers":[{"questionId":"x","answer":"a"}]`:                       "400 invalid_field: questionAnswers.questionId must be an id [questionAnswers.questionId]",
		`"questionAnswers":[{"answer":"a"}]`:                                        "400 invalid_field: questionAnswers.questionId must be an id [questionAnswers.questionId]",
		`"questionAnswers":[{"questionId":"` + nobody + `"}]`:                       "400 invalid_field: questionAnswers.answer must not be empty [questionAnswers.answer]",
		`"questionAnswers":[{"questionId":"` + nobody + `","answer":1}]`:            "400 invalid_field: questionAnswers.answer must be a string [questionAnswers.answer]",
		`"questionAnswers":[{"questionId":"` + nobody + `","answer":"a","id":"b"}]`: "400 unknown_field: Unknown field: questionAnswers.id [questionAnswers.id]",
		`"affiliateStatus":"active"`:                                                "400 unknown_field: Unknown field: affiliateStatus [affiliateStatus]",
		`"email":"ada@example.org"`:                                                 "400 affiliate_email_taken: An affiliate with this email already exists [email]",
		`"email":"i@example.org","commissionPlanId":"` + nobody + `"`:               planUnknown,
		`"email":"i@example.org","affiliateLink":"ADA"`:                             "400 slug_taken: The requested affiliate link is already in use [affiliateLink]",
		`"email":"i@example.org","affiliateGroupId":1`:                              "400 group_not_found: Affiliate group not found [affiliateGroupId]",
	} {
		if !strings.Contains(members, `"email"`) {
			members += `,"email":"i@example.org"`
		}
		k.no(want, "POST", "/affiliates/invite", `{"firstName":"I","lastName":"V",`+members+`}`)
	}
}

// TestProgramSettings: GET /program shows the configuration.
func TestProgramSettings(t *testing.T) {
	k := newTill(t, func(s *setup) {
		s.engine.Destinations[0].Params = map[string][]string{"utm_source": {"partner"}}
		s.engine.Terms = affiliate.Terms{Rate: affiliate.MustPercent("12.5"), MaxPayments: 3, HoldDays: 14}
		s.engine.Schedule = []time.Duration{0, 5 * time.Second}
	})
	equal(t, object{
		"id": k.Config().ID.String(), "name": "Northwind Beans", "currency": "USD", "timeZone": "UTC", "urlModifier": "ref", "cookieDuration": 60.0,
		"destinations": []any{object{"url": "https://beans.example/shop", "params": object{"utm_source": []any{"partner"}}}},
		"terms":        object{"commissionType": "PERCENTAGE", "commissionRate": 12.5, "numberOfPayments": 3.0, "numberOfMonths": nil, "holdDays": 14.0},
		"autoApprove":  true, "commissionOnTax": false, "commissionOnShipping": false, "refundWindowSeconds": nil, "cascadeEvents": false,
		"deliverySchedule": []any{0.0, 5.0},
	}, k.ask("GET", "/program", ""))
	k.no("400 invalid_query: Unknown query parameter: id [id]", "GET", "/program?id=1", "")
	k.no("400 invalid_query: Unknown query parameter: limit [limit]", "GET", "/program?limit=1", "")
}

// TestClicksOverTheWire is the first half of check 11.
func TestClicksOverTheWire(t *testing.T) {
	k := newTill(t)
	click := k.ask("POST", "/clicks", `{"referralCode":"ADA","fullLandingUrl":"https://beans.example/shop?ref=ada&token=x","documentReferrer":"","userAgent":"shop","deviceId":"d","uniqueClick":false}`)
	k.has(click, object{
		"id": 1.0, "affiliateId": k.ada, "referralId": nil, "fullLandingUrl": "https://beans.example/shop?ref=ada", "documentReferrer": nil,
		"userAgent": "shop", "deviceId": "d", "uniqueClick": false, "createdAt": wire(start),
	})
	for _, target := range []string{"/links?link=ada", "/affiliates?id=ada"} {
		field := map[bool]string{true: "clicks", false: "numberOfClicks"}[strings.HasPrefix(target, "/links")]
		got := k.do("GET", "/api/v1"+target, "")
		if !strings.Contains(got.body, `"`+field+`":1`) {
			t.Errorf("%s: %s", target, got.body)
		}
	}
	equal(t, "null", k.do("POST", "/api/v1/clicks", `{"referralCode":"nobody"}`).body)
	for _, body := range []string{`{}`, `{"referralCode":" "}`, `{"referralCode":null}`} {
		k.no("400 missing_field: Referral code is required [referralCode]", "POST", "/clicks", body)
	}
	k.no("400 unknown_field: Unknown field: programId [programId]", "POST", "/clicks", `{"referralCode":"ada","programId":"x"}`)
	k.no("400 invalid_field: deviceId contains invalid characters [deviceId]", "POST", "/clicks", `{"referralCode":"ada","deviceId":"a\u0000"}`)
	k.fires()
}

// TestReferralsPushed is the second half of check 11.
func TestReferralsPushed(t *testing.T) {
	k := newTill(t)
	sale := k.sell("S1", "100")
	k.ids["r"] = text(sale["referralId"])
	k.fired()
	for _, status := range []string{"SUBMITTED", "DECLINED", "PAST_DUE", "CANCELLED", "ACTIVE"} {
		for range 2 {
			k.has(k.ask("POST", "/referrals/status", `{"referralId":"t@x.example","subscriptionStatus":"`+status+`"}`), object{"subscriptionStatus": status})
		}
		k.fires("referral.updated r")
	}
	no := func(want, body string) { t.Helper(); k.no(want, "POST", "/referrals/status", body) }
	no("400 missing_field: Referral ID is required [referralId]", `{"subscriptionStatus":"ACTIVE"}`)
	no("400 referral_not_found: Referral not found", `{"referralId":"x","subscriptionStatus":"ACTIVE"}`)
	no("400 invalid_field: subscriptionStatus must be one of ACTIVE, SUBMITTED, DECLINED, PAST_DUE, CANCELLED [subscriptionStatus]", `{"referralId":"{r}"}`)
	no(unknownFieldX, `{"referralId":"{r}","x":1}`)

	k.each("/affiliates/plan", `{"affiliateIds":["`+k.ada+`"],"commissionPlanId":"`+k.id("POST", "/commission-plans", `{"name":"Hers","commissionRate":30}`)+`"}`, "id")
	k.ids["vip"] = k.id("POST", "/commission-plans", `{"name":"VIP","commissionRate":50}`)
	k.fired()
	put := func(value string) []any {
		t.Helper()
		return k.each("/referrals/plan", `{"referralIds":["{r}"],"commissionPlanId":`+value+`}`, "id")
	}
	equal(t, []any{k.ids["r"]}, put(`"{vip}"`))
	k.fires("referral.updated r")
	put(`"{vip}"`)
	k.fires()
	k.has(k.sell("S2", "100"), object{"commissionEarned": 50.0})
	k.fired()
	put(`null`)
	k.fires("referral.updated r")
	k.has(k.sell("S3", "100"), object{"commissionEarned": 30.0})
	no = func(want, body string) { t.Helper(); k.no(want, "POST", "/referrals/plan", body) }
	no("400 missing_field: Referral IDs are required [referralIds]", `{"commissionPlanId":null}`)
	no(planIDRequired, `{"referralIds":["{r}"]}`)
	no(planUnknown, `{"referralIds":["{r}"],"commissionPlanId":"x"}`)
	no("400 referral_not_found: Referral not found", `{"referralIds":["{r}","`+nobody+`"],"commissionPlanId":"{vip}"}`)
	no("400 invalid_field: referralIds must have distinct entries [referralIds]", `{"referralIds":["{r}","{r}"],"commissionPlanId":null}`)
	k.verify()
}

// TestGenerateOverTheWire is check 12, but for the ten thousand of TestGenerateMany:
// each refusal here compares all records.
func TestGenerateOverTheWire(t *testing.T) {
	k := newTill(t)
	coupon := k.id("POST", "/coupons", `{"name":"Many","percentOff":5}`)
	k.fired()
	body := func(more string) string {
		return `{"couponId":"` + coupon + `","affiliateId":"` + k.ada + `","codeStructure":{"firstName":true,"randomChars":true},"randomCharsLength":7` + more + `}`
	}
	const target = "/promotional-codes/generate"
	k.no("400 key_space_too_small: The random part is too short for this many codes [randomCharsLength]", "POST", target,
		strings.Replace(body(`,"count":700`), `h":7`, `h":2`, 1))
	for more, want := range map[string]string{
		``:                               "400 invalid_field: count must be an integer from 1 to 10000 [count]",
		`,"count":0`:                     "400 invalid_field: count must be an integer from 1 to 10000 [count]",
		`,"count":10001`:                 "400 invalid_field: count must be an integer from 1 to 10000 [count]",
		`,"count":"5"`:                   "400 invalid_field: count must be an integer from 1 to 10000 [count]",
		`,"count":1,"code":"X"`:          "400 unknown_field: Unknown field: code [code]",
		`,"count":1,"isAutoGenerated":1`: "400 unknown_field: Unknown field: isAutoGenerated [isAutoGenerated]",
		`,"count":1,"affiliateIds":["` + k.bo + `"]`: "400 invalid_field: affiliateIds must not be sent [affiliateIds]",
	} {
		k.no(want, "POST", target, body(more))
	}
	both := strings.Replace(body(`,"affiliateIds":["`+k.ada+`","`+k.bo+`"],"count":%d`), `"affiliateId":"`+k.ada+`",`, "", 1)
	k.no("400 invalid_field: count is too large [count]", "POST", target, fmt.Sprintf(both, 5001))
	equal(t, 6, len(k.ask("POST", target, fmt.Sprintf(both, 3))["codes"].([]any)))
	k.no("400 unknown_field: Unknown field: codeStructure.x [codeStructure.x]", "POST", target,
		strings.Replace(body(`,"count":1`), `{"firstName"`, `{"x":1,"firstName"`, 1))
	k.no("404 coupon_not_found: Coupon not found [couponId]", "POST", target, strings.Replace(body(`,"count":1,"checkOnly":true`), coupon, nobody, 1))
	k.no(noSuchAffiliate, "POST", target, strings.Replace(body(`,"count":1,"checkOnly":true`), k.ada, nobody, 1))
	answer := k.do("POST", "/api/v1"+target, body(`,"count":2`), idem+"g")
	k.replays(answer, operation{"POST", "/api/v1" + target, body(`,"count":2`)}, idem+"g")
	k.verify()
}

// Check 12: ten thousand codes in one call, each with its event.
func TestGenerateMany(t *testing.T) {
	k := newTill(t)
	coupon := k.id("POST", "/coupons", `{"name":"Many","percentOff":5}`)
	k.fired()
	body := func(more string) string {
		return `{"couponId":"` + coupon + `","affiliateId":"` + k.ada + `","codeStructure":{"firstName":true,"randomChars":true},"randomCharsLength":7,"count":10000` + more + `}`
	}
	const target = "/promotional-codes/generate"
	before := k.dump()
	equal(t, object{"count": 10_000.0, "keySpace": "8031810176", "codes": []any{}}, k.ask("POST", target, body(`,"checkOnly":true`)))
	equal(t, before, k.dump())
	made := k.ask("POST", target, body(""))
	codes, texts := made["codes"].([]any), map[any]bool{}
	for _, item := range codes {
		code := item.(object)
		texts[code["code"]] = true
		if code["affiliateId"] != k.ada || !strings.HasPrefix(code["code"].(string), "ADA") || len(code) != 3 {
			t.Fatalf("a code: %v", code)
		}
	}
	equal(t, []any{10_000, 10_000, 10_000.0, "8031810176", 10_000}, []any{len(codes), len(texts), made["count"], made["keySpace"], len(k.fired())})
	k.verify()
}

// TestReverseOverTheWire is the second half of check 13.
func TestReverseOverTheWire(t *testing.T) {
	k := newTill(t)
	sell := func(name string) {
		sale := k.ask("POST", "/sales", `{"referralId":"ada","email":"t@x.example","name":"T","totalEarned":100,"externalId":"o-`+name+`","externalInvoiceId":"i-`+name+`"}`)
		k.ids[name] = text(sale["id"])
		k.fired()
	}
	for name, ref := range map[string]string{"S1": `"saleId":{S1}`, "S2": `"externalId":"o-S2"`, "S3": `"externalInvoiceId":"i-S3"`, "S4": `"saleId":"{S4}"`} {
		sell(name)
		got := k.ask("POST", "/sales/reverse", `{`+ref+`}`)
		equal(t, object{"message": "Sale reversed successfully", "reversedSale": object{"id": got["reversedSale"].(object)["id"]}}, got)
		equal(t, k.ids[name], text(got["reversedSale"].(object)["id"]))
		k.fires("sale.deleted " + name)
		k.no("404 sale_not_found: Sale not found", "POST", "/sales/reverse", `{`+ref+`}`)
	}
	no := func(want, body string) { t.Helper(); k.no(want, "POST", "/sales/reverse", body) }
	no("400 missing_field: Sale ID is required [saleId]", `{}`)
	no("400 missing_field: Sale ID is required [saleId]", `{"clawback":true,"x":1}`)
	no("404 sale_not_found: Sale not found", `{"saleId":"x"}`)
	sell("S5")
	no(unknownFieldX, `{"saleId":{S5},"x":1}`)
	k.pay("P1", "")
	k.fired()
	no("400 in_payout: Sale is part of a payout", `{"saleId":{S5}}`)
	no("400 invalid_field: refundId must not be empty [refundId]", `{"saleId":{S5},"clawback":true,"refundId":""}`)
	k.ask("POST", "/sales/reverse", `{"saleId":{S5},"clawback":true,"refundId":"r"}`)
	equal(t, []float64{20, -20}, k.entries("S5"))
	k.verify()
}

// TestRestoreOverTheWire is check 15.
func TestRestoreOverTheWire(t *testing.T) {
	k := newTill(t)
	k.ids["S1"] = text(k.ask("POST", "/sales", `{"promoCode":"ADA20","email":"t@x.example","totalEarned":100}`)["id"])
	counts := func() (all []any) {
		t.Helper()
		code := k.ask("GET", "/promotional-codes?code=ADA20", "")
		return []any{code["timesRedeemed"], code["coupon"].(object)["timesRedeemed"]}
	}
	equal(t, []any{1.0, 1.0}, counts())
	k.fired()
	equal(t, object{"message": "Redemption restored successfully"}, k.ask("POST", "/sales/restore-redemption", `{"saleId":{S1}}`))
	equal(t, []any{0.0, 0.0}, counts())
	k.fires()
	no := func(want, body string) { t.Helper(); k.no(want, "POST", "/sales/restore-redemption", body) }
	no("400 redemption_restored: Redemption was already restored", `{"saleId":{S1}}`)
	no("404 redemption_not_found: Redemption not found", `{"saleId":999}`)
	no("400 missing_field: Sale ID is required [saleId]", `{}`)
	no(unknownFieldX, `{"saleId":{S1},"x":1}`)
	k.verify()
}

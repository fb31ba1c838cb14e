package servertest

import (
	"slices"
	"strings"
)

// A route is an operation that reads a body.
type route struct {
	operation string
	body      string // a right one
}

// routes returns all of them, in the order of the contract.
func routes() []route {
	return []route{
		{"POST /affiliates", `{"firstName":"A","lastName":"B","email":"{{u}}@conform.example"}`},
		{"PUT /affiliates", `{"affiliateId":"{{unknown}}","firstName":"A"}`},
		{"DELETE /affiliates", `{"affiliateId":"{{unknown}}"}`},
		{"POST /links", `{"affiliateId":"{{affiliate}}","link":"{{u}}"}`},
		{"PUT /links", `{"id":"{{unknown}}","newLink":"{{u}}"}`},
		{"DELETE /links", `{"id":"{{unknown}}"}`},
		{"POST /coupons", `{"name":"{{u}}","percentOff":10}`},
		{"PUT /coupons", `{"couponId":"{{unknown}}","name":"n"}`},
		{"DELETE /coupons", `{"couponId":"{{unknown}}"}`},
		{"POST /promotional-codes", `{"couponId":"{{coupon}}","code":"{{u}}"}`},
		{"PUT /promotional-codes", `{"promotionalCodeId":"{{unknown}}","active":true}`},
		{"DELETE /promotional-codes", `{"promotionalCodeId":"{{unknown}}"}`},
		{"POST /promotional-codes/validate", `{"promoCode":"{{code.code}}"}`},
		{"POST /holds", `{"id":"{{u}}","promoCode":"{{u}}","until":"2020-01-01"}`},
		{"DELETE /holds", `{"id":"{{unknown}}"}`},
		{"POST /promotional-codes/compare", `{"promoCodes":["{{code.code}}"]}`},
		{"POST /referrals", `{"affiliateId":"{{affiliate}}","name":"N","email":"{{u}}@conform.example","referredUserExternalId":"{{u}}"}`},
		{"PUT /referrals", `{"referralId":"{{unknown}}","name":"N"}`},
		{"DELETE /referrals", `{"referralId":"{{unknown}}"}`},
		{"POST /sales", `{"email":"{{u}}@conform.example","totalEarned":1}`},
		{"PUT /sales", `{"saleId":9007199254740993,"name":"N"}`},
		{"PATCH /sales", `{"saleId":9007199254740993,"amount":1}`},
		{"DELETE /sales", `{"saleId":9007199254740993}`},
		{"POST /sales/review", `{"saleIds":[9007199254740993],"approvalStatus":"ACCEPTED"}`},
		{"POST /payments/decide", `{"paymentId":"{{unknown}}","decision":"own"}`},
		{"POST /payouts", `{"affiliateId":"{{unknown}}"}`},
		{"PATCH /payouts", `{"payoutId":"{{unknown}}","status":"PAID"}`},
		{"POST /payouts/preview", `{"affiliateIds":["{{unknown}}"]}`},
		{"POST /terms/simulate", `{"commissionRate":20,"commissionPlanId":"{{unknown}}"}`},
		{"POST /payouts/run", `{"externalId":"{{u}}","affiliateIds":["{{unknown}}"]}`},
		{"POST /adjustments", `{"affiliateId":"{{affiliate}}","kind":"CORRECTION","amount":1,"reason":"r"}`},
		{"POST /cases", `{"affiliateId":"{{affiliate}}","kind":"PAYOUT_REQUEST"}`},
		{"POST /cases/answer", `{"caseId":"{{unknown}}","answer":"a"}`},
		{"POST /proposals", `{"operation":"POST /cases/answer","body":{"caseId":"{{unknown}}","answer":"a"},"why":"w"}`},
		{"POST /affiliates/ensure", `{"firstName":"A","lastName":"B","email":"{{u}}@conform.example","externalId":"{{u}}"}`},
		{"POST /affiliates/status", `{"affiliateIds":["{{unknown}}"],"status":"ACTIVE"}`},
		{"POST /affiliates/plan", `{"affiliateIds":["{{unknown}}"],"commissionPlanId":null}`},
		{"POST /affiliates/tier", `{"affiliateIds":["{{unknown}}"],"commissionTierId":null}`},
		{"POST /affiliates/tier-exempt", `{"affiliateIds":["{{unknown}}"],"exempt":true}`},
		{"POST /affiliates/payout-details", `{"affiliateId":"{{unknown}}"}`},
		{"POST /affiliates/invite", `{"firstName":"A","lastName":"B","email":"{{u}}@conform.example"}`},
		{"POST /affiliates/accept-invite", `{"affiliateId":"{{unknown}}"}`},
		{"POST /referrals/status", `{"referralId":"{{unknown}}","subscriptionStatus":"ACTIVE"}`},
		{"POST /referrals/merge", `{"from":"{{unknown}}","into":"{{unknown}}"}`},
		{"POST /affiliates/merge", `{"from":"{{unknown}}","into":"{{unknown}}"}`},
		{"POST /referrals/plan", `{"referralIds":["{{unknown}}"],"commissionPlanId":null}`},
		{"POST /clicks", `{"referralCode":"{{u}}"}`},
		{"POST /promotional-codes/generate", `{"couponId":"{{coupon}}","affiliateId":"{{affiliate}}","codeStructure":{"randomChars":true},"count":1,"checkOnly":true}`},
		{"POST /sales/reverse", `{"saleId":9007199254740993}`},
		{"POST /sales/accept-redemption", `{"saleId":9007199254740993}`},
		{"POST /sales/restore-redemption", `{"saleId":9007199254740993}`},
		{"POST /commission-plans", `{"name":"{{u}}","commissionRate":10}`},
		{"PUT /commission-plans", `{"commissionPlanId":"{{unknown}}","name":"n"}`},
		{"DELETE /commission-plans", `{"commissionPlanId":"{{unknown}}"}`},
		{"POST /commission-tiers", `{"tier":1,"name":"{{u}}","minReferrals":1000000}`},
		{"PUT /commission-tiers", `{"commissionTierId":"{{unknown}}","name":"n"}`},
		{"DELETE /commission-tiers", `{"commissionTierId":"{{unknown}}"}`},
		{"POST /commission-tiers/assign", `{"limit":1}`},
		{"POST /bonuses/grant", `{"limit":1}`},
		{"POST /sales/recalculate", `{"affiliateId":"{{unknown}}"}`},
		{"POST /links/release", `{"link":"{{u}}"}`},
		{"POST /affiliates/erase", `{"affiliateId":"{{unknown}}"}`},
		{"POST /referrals/erase", `{"referralId":"{{unknown}}"}`},
		{"POST /prune", `{"before":"2001-01-01","limit":1}`},
		{"POST /partner/token", `{"affiliateId":"{{unknown}}"}`},
		{"POST /webhooks", `{"url":"https://hooks.conform.example/{{u}}","events":["*"]}`},
		{"PUT /webhooks", `{"webhookId":"{{unknown}}","active":true}`},
		{"DELETE /webhooks", `{"webhookId":"{{unknown}}"}`},
		{"POST /webhooks/rotate-secret", `{"webhookId":"{{unknown}}"}`},
		{"POST /webhooks/test", `{"webhookId":"{{unknown}}","event":"sale.created"}`},
		{"POST /webhooks/replay", `{"deliveryId":"{{unknown}}"}`},
	}
}

// A lookup is a GET and its parameters.
type lookup struct {
	path    string
	params  []string // every one, besides limit and cursor
	listing []string // those that select a list; without any: the whole list
	only    bool     // an unknown parameter is refused, and the list always comes in pages
}

// required is the part of a query that a GET is refused without.
var required = map[string]string{
	"/reports":           "from=2026-01-01&to=2026-02-28&by=month&",
	"/reports/breakdown": "from=2026-01-01&to=2026-02-28&by=link&",
}

// ask returns a request for the GET with this query, and what else it requires.
func (l lookup) ask(query string) string { return l.path + "?" + required[l.path] + query }

// lookups returns all of them.
func lookups() []lookup {
	return []lookup{
		{"/affiliates", []string{"id", "email"}, nil, false},
		{"/links", []string{"id", "link", "affiliateId", "affiliateEmail"}, []string{"affiliateId", "affiliateEmail"}, false},
		{"/coupons", []string{"id", "couponId", "externalId", "name"}, nil, false},
		{"/promotional-codes", []string{"id", "code", "externalId", "couponId", "affiliateId", "affiliateEmail"},
			[]string{"couponId", "affiliateId", "affiliateEmail"}, false},
		{"/referrals", []string{"id", "affiliateId", "affiliateEmail", "externalId"}, []string{"affiliateId", "affiliateEmail", "externalId"}, false},
		{"/sales", []string{"id", "affiliateId", "affiliateEmail", "referralId", "saleExternalId", "saleExternalInvoiceId"},
			[]string{"affiliateId", "affiliateEmail", "referralId", "saleExternalId", "saleExternalInvoiceId"}, false},
		{"/sales/search", []string{"affiliateId", "referralId", "promotionalCodeId", "linkId", "status", "approvalStatus", "since", "until", "currency", "oldestFirst", "search"},
			[]string{"affiliateId", "referralId", "promotionalCodeId", "linkId", "search"}, true},
		{"/payouts", []string{"id", "affiliateId", "affiliateEmail", "status", "runId", "method"}, []string{"affiliateId", "affiliateEmail", "runId"}, true},
		{"/payouts/runs", []string{"externalId"}, nil, true},
		{"/balances", []string{"affiliateId", "affiliateEmail"}, nil, true},
		{"/balances/ranked", []string{"at"}, nil, true},
		{"/movements", []string{"affiliateId", "affiliateEmail", "saleId", "payoutId", "adjustmentId", "cause", "from", "to"},
			[]string{"affiliateId", "affiliateEmail", "saleId", "payoutId", "adjustmentId"}, true},
		{"/adjustments", []string{"id", "affiliateId", "affiliateEmail", "saleId", "kind", "payoutId"},
			[]string{"affiliateId", "affiliateEmail", "saleId", "payoutId"}, true},
		{"/cases", []string{"id", "affiliateId", "affiliateEmail", "status", "kind"}, []string{"affiliateId", "affiliateEmail"}, true},
		{"/proposals", []string{"id"}, nil, true},
		{"/budgets", []string{"affiliateId", "affiliateEmail", "status", "of", "current"}, []string{"affiliateId", "affiliateEmail"}, true},
		{"/reports", []string{"linkId", "affiliateId", "promotionalCodeId"}, nil, true},
		{"/reports/breakdown", []string{"affiliateId"}, nil, true},
		{"/events", []string{"objectId", "type", "eventId", "after"}, []string{"objectId", "eventId"}, true},
		{"/affiliates/search", []string{"commissionPlanId", "commissionTierId", "status", "oldestFirst", "search"}, []string{"commissionPlanId", "commissionTierId", "search"}, true},
		{"/referrals/search", []string{"affiliateId", "subscriptionStatus", "since", "until", "oldestFirst", "search"}, []string{"affiliateId", "search"}, true},
		{"/promotional-codes/search", []string{"couponId", "affiliateId", "active", "state", "oldestFirst", "search"}, []string{"couponId", "affiliateId", "search"}, true},
		{"/commission-plans", []string{"commissionPlanId"}, nil, true},
		{"/commission-tiers", []string{"commissionTierId"}, nil, true},
		{"/webhooks", []string{"webhookId"}, nil, false},
		{"/webhooks/deliveries", []string{"deliveryId", "webhookId", "eventId", "state", "event", "since", "until"}, nil, false},
	}
}

// administers reports whether a path belongs to the administration of a program,
// which servers of the published API alone do not have.
func administers(path string) bool {
	switch path {
	case "/budgets", "/bonuses", "/bonuses/grant", "/holds", "/program", "/attention", "/verify", "/clicks", "/promotional-codes/generate", "/promotional-codes/search", "/coupons/summaries", "/events", "/sales/reverse", "/sales/restore-redemption", "/sales/accept-redemption", "/sales/recalculate", "/payments/decide", "/partner/token", "/proposals", "/prune":
		return true
	}
	return strings.HasPrefix(path, "/cases") || strings.HasPrefix(path, "/commission-") || strings.HasPrefix(path, "/affiliates/") || strings.HasPrefix(path, "/referrals/")
}

// adminCase begins the names of cases about administration.
const adminCase = "admin/"

// marked puts adminCase before the names of the cases about an operation of
// administration. Their names contain its path.
func marked(cases []serverCase) []serverCase {
	for i := range cases {
		if slices.ContainsFunc(strings.Fields(cases[i].name), administers) && !strings.HasPrefix(cases[i].name, adminCase) {
			cases[i].name = adminCase + cases[i].name
		}
	}
	return cases
}

package httpapi_test

import (
	"context"
	"maps"
	"math/rand/v2"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/httpapi"
	"github.com/tributary-go/tributary/memstore"
)

// An operation is a request that succeeds on a program that was filled.
type operation struct {
	method, target, body string
}

func (o operation) String() string { return o.method + " " + o.target }

// stock names one record of each kind in a program, as a caller does.
type stock struct {
	affiliate, link, coupon, code, referral, endpoint, delivery uuid.UUID
	payee, payout, adjustment, asked                            uuid.UUID
	conflict                                                    uuid.UUID
	plan, oldPlan, tier, oldTier, pending, invited              uuid.UUID
	sale, click                                                 string
}

// fill puts one record of each kind into the program, and a failed delivery to
// its endpoint.
func (w *world) fill() stock {
	w.t.Helper()
	ctx := context.Background()
	cy := must(w.CreateAffiliate(ctx, affiliate.AffiliateParams{FirstName: "Cy", LastName: "P", Email: "cy@example.com"}))
	bonus := affiliate.AdjustmentParams{AffiliateID: cy.ID, Kind: affiliate.AdjustBonus, Amount: affiliate.MustAmount("30"), Reason: "spring"}
	must(w.RecordAdjustment(ctx, bonus))
	payout := must(w.CreatePayout(ctx, affiliate.PayoutParams{AffiliateID: cy.ID}))
	adjustment := must(w.RecordAdjustment(ctx, bonus))
	asked := must(w.OpenCase(ctx, affiliate.CaseParams{AffiliateID: cy.ID, Kind: affiliate.PayoutRequest}))
	join := func(email, status string) affiliate.AffiliateParams {
		return affiliate.AffiliateParams{FirstName: "D", LastName: "E", Email: email, AffiliateStatus: status}
	}
	pending := must(w.CreateAffiliate(ctx, join("dee@example.com", "inactive")))
	invited := must(w.InviteAffiliate(ctx, join("eve@example.com", "")))
	var plans, tiers []uuid.UUID
	for i := range 2 {
		plans = append(plans, must(w.CreatePlan(ctx, affiliate.PlanParams{Name: "Gold", Terms: affiliate.Terms{Rate: affiliate.MustPercent("25")}})).ID)
		tiers = append(tiers, must(w.CreateTier(ctx, affiliate.TierParams{Tier: int64(i) + 1, Name: "Silver"})).ID)
	}
	must(w.RecordSale(ctx, affiliate.SaleParams{ReferralID: "dee", Name: "Lee", Email: "lee@example.net", TotalEarned: affiliate.MustAmount("5"), ExternalID: "order-2"}))
	must(w.CreateLink(ctx, affiliate.LinkParams{Link: "bygone", AffiliateEmail: "dee@example.com"}))
	must(w.DeleteLink(ctx, affiliate.LinkRef{Slug: "bygone"}))
	hook := must(w.Webhooks().CreateEndpoint(ctx, affiliate.EndpointParams{URL: "https://hooks.example/in", Events: []affiliate.EventType{"*"}}))
	ada := must(w.CreateAffiliate(ctx, affiliate.AffiliateParams{
		FirstName: "Ada", LastName: "Lovelace", Email: "ada@example.com", AffiliateLink: "ada",
	}))
	coupon := must(w.CreateCoupon(ctx, affiliate.CouponParams{
		Name: "Autumn 20", PercentOff: affiliate.Set(affiliate.MustPercent("20")), ExternalID: "coupon-ext",
	}))
	code := must(w.CreateCode(ctx, affiliate.CodeParams{CouponID: coupon.ID, Code: "ADA20", AffiliateID: ada.ID, ExternalID: "code-ext"}))
	click := must(w.TrackClick(ctx, affiliate.ClickParams{Slug: "ada"}))
	customer := must(w.CreateReferral(ctx, affiliate.ReferralParams{
		AffiliateID: "ada", Name: "Kim", Email: "kim@example.net", ReferredUserExternalID: "cust-1",
	}))
	sold := must(w.RecordSale(ctx, affiliate.SaleParams{
		PromoCode: "ADA20", Email: "kim@example.net", TotalEarned: affiliate.MustAmount("129.5"),
		ExternalID: "order-1", ExternalInvoiceID: "invoice-1",
	}))
	must(w.HoldRedemption(ctx, affiliate.HoldParams{
		ID: "<cart> & 1", Order: affiliate.Order{PromoCode: "ADA20"}, Until: time.Date(2026, 3, 11, 9, 50, 0, 0, time.UTC),
	}))
	claims := must(w.Webhooks().ClaimDeliveries(ctx, 1, time.Minute))
	failed := affiliate.Attempt{Delivery: claims[0].Delivery, Token: claims[0].Token, Err: affiliate.FailedTimeout}
	must(0, w.Webhooks().SettleDeliveries(ctx, []affiliate.Attempt{failed}))
	sale, _ := sold.Sale.Get()
	conflict := must(w.Payments().ReportPayment(ctx, otherPayment("order-1")))
	return stock{
		ada.ID, ada.AffiliateLinks[0].ID, coupon.ID, code.ID, customer.ID, hook.ID, claims[0].Delivery,
		cy.ID, payout.ID, adjustment.ID, asked.ID,
		conflict.Payment.ID,
		plans[0], plans[1], tiers[0], tiers[1], pending.ID, invited.ID,
		strconv.FormatInt(int64(sale.ID), 10), strconv.FormatInt(int64(click.ID), 10),
	}
}

// otherPayment names an order of somebody else.
func otherPayment(order string) affiliate.PaymentFact {
	one := affiliate.MustAmount("1")
	return affiliate.PaymentFact{
		Provider: "stripe", Keys: []string{"pi_1"}, At: start, Currency: "USD", Payer: affiliate.PayerFact{ID: "cus_E", Email: "eve@example.org"},
		Sale: affiliate.Set(affiliate.Paid{SaleParams: affiliate.SaleParams{TotalEarned: one, ExternalID: order}, Gross: one, Tries: []affiliate.Credit{{ReferralID: "ada"}}}),
	}
}

// operations lists one request for each route that succeeds on the stock. Those
// that delete a record come last in their resource.
func (s stock) operations() []operation {
	q := func(id uuid.UUID) string { return `"` + id.String() + `"` }
	const api = "/api/v1"
	return []operation{
		{"POST", api + "/holds", `{"id":"<cart> & 1","promoCode":"ADA20","subtotal":19.99,"email":"kim@example.net","until":"2026-03-11T10:00:00Z"}`}, // before the clock of TestReplay passes it
		{"GET", api + "/affiliates?id=" + s.affiliate.String(), ""},
		{"POST", api + "/affiliates", `{"firstName":"Bo","lastName":"<&>","email":"bo@example.com"}`},
		{"PUT", api + "/affiliates", `{"affiliateId":` + q(s.affiliate) + `,"firstName":"Augusta"}`},
		{"GET", api + "/links", ""},
		{"POST", api + "/links", `{"link":"ada-2","affiliateId":` + q(s.affiliate) + `}`},
		{"PUT", api + "/links", `{"id":` + q(s.link) + `,"newLink":"ada-new"}`},
		{"GET", api + "/coupons?id=" + s.coupon.String(), ""},
		{"POST", api + "/coupons", `{"name":"Winter \u2028 <b>","percentOff":12.5,"redeemBy":"2026-11-30"}`},
		{"PUT", api + "/coupons", `{"couponId":` + q(s.coupon) + `,"name":"Autumn"}`},
		{"GET", api + "/promotional-codes?code=ada20", ""},
		{"POST", api + "/promotional-codes", `{"couponId":` + q(s.coupon) + `,"code":"ADA<30>","affiliateId":` + q(s.affiliate) + `}`},
		{"PUT", api + "/promotional-codes", `{"promotionalCodeId":` + q(s.code) + `,"maxRedemptions":5}`},
		{"POST", api + "/promotional-codes/validate", `{"promoCode":"ADA20","totalEarned":19.99}`},
		{"GET", api + "/holds?id=%3Ccart%3E+%26+1", ""},
		{"DELETE", api + "/holds", `{"id":"<cart> & 1"}`},
		{"POST", api + "/promotional-codes/compare", `{"promoCodes":["ADA20","none"],"totalEarned":19.99}`},
		{"GET", api + "/referrals?id=" + s.referral.String(), ""},
		{"POST", api + "/referrals", `{"affiliateId":"ada","name":"Lou & Co","email":"lou@example.net","referredUserExternalId":"cust-2"}`},
		{"PUT", api + "/referrals", `{"referralId":` + q(s.referral) + `,"notes":"a\nb","metadata":{"a":[1,{"b":null}]}}`},
		{"POST", api + "/referrals/merge", `{"from":"lee@example.net","into":` + q(s.referral) + `}`},
		{"GET", api + "/sales?id=" + s.sale, ""},
		{"POST", api + "/sales", `{"promoCode":"ada20","email":"new@example.net","totalEarned":40,"product":{"name":"<x>"}}`},
		{"PUT", api + "/sales", `{"saleId":` + s.sale + `,"totalEarned":100}`},
		{"PATCH", api + "/sales", `{"saleId":` + s.sale + `,"amount":10}`},
		{"GET", api + "/webhooks?webhookId=" + s.endpoint.String(), ""},
		{"POST", api + "/links/release", `{"link":"bygone"}`},
		{"POST", api + "/affiliates/erase", `{"affiliateId":` + q(s.affiliate) + `,"limit":3,"forfeit":true}`},
		{"POST", api + "/referrals/erase", `{"referralId":` + q(s.referral) + `,"limit":3}`},
		{"POST", api + "/prune", `{"retention":{"events":30,"receipts":2},"limit":5}`},
		{"POST", api + "/partner/token", `{"affiliateId":` + q(s.affiliate) + `}`},
		{"POST", api + "/webhooks", `{"url":"https://hooks.example/two?a=1&b=2","events":["sale.created"]}`},
		{"PUT", api + "/webhooks", `{"webhookId":` + q(s.endpoint) + `,"description":"all"}`},
		{"POST", api + "/webhooks/rotate-secret", `{"webhookId":` + q(s.endpoint) + `}`},
		{"POST", api + "/webhooks/test", `{"webhookId":` + q(s.endpoint) + `,"event":"sale.created"}`},
		{"POST", api + "/webhooks/replay", `{"deliveryId":` + q(s.delivery) + `}`},
		{"GET", api + "/webhooks/deliveries?deliveryId=" + s.delivery.String(), ""},
		{"GET", api + "/openapi.json", ""},
		{"POST", api + "/sales/review", `{"saleIds":[` + s.sale + `],"approvalStatus":"ON_HOLD"}`},
		{"GET", api + "/sales/search?approvalStatus=ON_HOLD&since=2026-03-11", ""},
		{"GET", api + "/sales/sums?approvalStatus=ON_HOLD&since=2026-03-11", ""},
		{"GET", api + "/coupons/summaries?valid=true&limit=1", ""},
		{"GET", api + "/events?type=sale.created", ""},
		{"GET", api + "/events?after=start&limit=2", ""},
		{"GET", api + "/affiliates/search?search=a&status=ACTIVE", ""},
		{"GET", api + "/referrals/search?search=kim&since=2026-03-11", ""},
		{"GET", api + "/promotional-codes/search?state=usable&active=true&search=ada", ""},
		{"POST", api + "/payments/decide", `{"paymentId":` + q(s.conflict) + `,"decision":"own"}`},
		{"GET", api + "/payouts/sums?method=PAYPAL", ""},
		{"GET", api + "/payouts?id=" + s.payout.String(), ""},
		{"POST", api + "/payouts", `{"affiliateId":` + q(s.payee) + `,"externalId":"<run> & 1"}`},
		{"PATCH", api + "/payouts", `{"payoutId":` + q(s.payout) + `,"status":"FAILED","failedReason":"no <account>"}`},
		{"POST", api + "/payouts/preview", `{"minimum":1,"methods":["PAYPAL"],"limit":5}`},
		{"POST", api + "/payouts/run", `{"externalId":"<run> & 2","until":"2026-03-11","noDetails":true,"affiliateIds":[` + q(s.payee) + `,"x"]}`},
		{"GET", api + "/payouts/runs?externalId=%3Crun%3E+%26+2", ""},
		{"GET", api + "/payouts/lines?externalId=%3Crun%3E+%26+2&limit=1", ""},
		{"GET", api + "/statements?affiliateId=" + s.payee.String() + "&from=2026-03-11&to=2026-03-11", ""},
		{"GET", api + "/sales/explain?id=" + s.sale, ""},
		{"GET", api + "/balances?affiliateId=" + s.payee.String(), ""},
		{"GET", api + "/balances/total?at=2026-03-11", ""},
		{"GET", api + "/balances/ranked", ""},
		{"GET", api + "/movements?affiliateEmail=cy@example.com&from=2026-03-11&to=2026-03-11", ""},
		{"GET", api + "/reports?from=2026-03-01&to=2026-03-31&by=week&affiliateId=" + s.payee.String(), ""},
		{"GET", api + "/reports/breakdown?from=2026-03-01&to=2026-03-31&by=link&affiliateId=" + s.payee.String(), ""},
		{"GET", api + "/adjustments?id=" + s.adjustment.String(), ""},
		{"POST", api + "/adjustments", `{"affiliateEmail":"cy@example.com","kind":"CORRECTION","amount":-2.5,"reason":"a\nb & <c>"}`},
		{"GET", api + "/cases?id=" + s.asked.String(), ""},
		{"POST", api + "/cases", `{"affiliateEmail":"cy@example.com","kind":"SALE_CLAIM","externalId":"#7 <x>","text":"a\nb & <c>"}`},
		{"POST", api + "/proposals", `{"operation":"POST /cases/answer","body":{"caseId":"` + s.asked.String() + `","answer":"a"},"why":"<b> & c"}`},
		{"GET", api + "/proposals", ""},
		{"POST", api + "/cases/answer", `{"caseId":"` + s.asked.String() + `","answer":"a\nb & <c>"}`},
		{"GET", api + "/budgets?affiliateEmail=cy@example.com&status=LOW&of=AFFILIATE&current=true", ""},
		{"GET", api + "/bonuses?affiliateEmail=cy@example.com", ""},
		{"POST", api + "/bonuses/grant", `{"limit":5}`},
		{"GET", api + "/program", ""},
		{"PUT", api + "/program", `{"cookieDuration":30,"attribution":{"touch":"FIRST"},"oldUrlModifiers":["via"],"refundWindowSeconds":null}`},
		{"GET", api + "/attention?limit=3", ""},
		{"GET", api + "/verify", ""},
		{"GET", api + "/commission-plans?commissionPlanId=" + s.plan.String(), ""},
		{"POST", api + "/commission-plans", `{"name":"Flat & <b>","commissionRate":250,"commissionType":"FLAT","numberOfMonths":12,"autoApproveRewards":false}`},
		{"PUT", api + "/commission-plans", `{"commissionPlanId":` + q(s.plan) + `,"commissionRate":30,"numberOfPayments":null}`},
		{"GET", api + "/terms", ""},
		{"PUT", api + "/terms", `{"commissionRate":15,"numberOfPayments":null,"from":"2099-01-01"}`},
		{"POST", api + "/terms/simulate", `{"commissionRate":15,"days":90}`},
		{"GET", api + "/commission-tiers?commissionTierId=" + s.tier.String(), ""},
		{"POST", api + "/commission-tiers", `{"tier":3,"name":"Gold","emoji":"\u2728","minRevenue":100.5,"commissionRate":22}`},
		{"PUT", api + "/commission-tiers", `{"commissionTierId":` + q(s.tier) + `,"emoji":null,"minReferrals":2}`},
		{"POST", api + "/sales/recalculate", `{"affiliateEmail":"ada@example.com","limit":5}`},
		{"POST", api + "/affiliates/status", `{"affiliateIds":[` + q(s.pending) + `],"status":"ACTIVE"}`},
		{"POST", api + "/affiliates/plan", `{"affiliateIds":[` + q(s.affiliate) + `,` + q(s.pending) + `],"commissionPlanId":` + q(s.plan) + `}`},
		{"POST", api + "/affiliates/tier", `{"affiliateIds":[` + q(s.pending) + `],"commissionTierId":` + q(s.tier) + `}`},
		{"POST", api + "/affiliates/tier-exempt", `{"affiliateIds":[` + q(s.pending) + `],"exempt":true}`},
		{"POST", api + "/affiliates/payout-details", `{"affiliateId":` + q(s.pending) + `,"payoutEmail":"Dee@pay.example","paymentMethod":"PAYPAL"}`},
		{"POST", api + "/affiliates/ensure", `{"externalId":"user-7","firstName":"F","lastName":"H","email":"ensured@example.com"}`},
		{"POST", api + "/affiliates/invite", `{"firstName":"F","lastName":"G","email":"fay@example.com","questionAnswers":[{"questionId":"0197d9a4-6c1e-7b52-9a3f-2f4c1d7e8a01","answer":"a\n<b>"}]}`},
		{"POST", api + "/affiliates/accept-invite", `{"affiliateId":` + q(s.invited) + `,"lastName":"Accepted"}`},
		{"POST", api + "/referrals/status", `{"referralId":"kim@example.net","subscriptionStatus":"PAST_DUE"}`},
		{"POST", api + "/affiliates/merge", `{"from":` + q(s.pending) + `,"into":` + q(s.affiliate) + `}`},
		{"POST", api + "/referrals/plan", `{"referralIds":[` + q(s.referral) + `],"commissionPlanId":` + q(s.plan) + `}`},
		{"POST", api + "/clicks", `{"referralCode":"ADA-2","fullLandingUrl":"https://beans.example/<b>?ref=ada-2&token=x","deviceId":"d & <e>"}`},
		{"POST", api + "/promotional-codes/generate", `{"couponId":` + q(s.coupon) + `,"affiliateId":` + q(s.affiliate) + `,"codeStructure":{"randomChars":true},"randomCharsLength":8,"count":2}`},
		{"POST", api + "/conversions", `{"conversion":"signup","referralId":"ada","email":"new@example.net","name":"N","externalId":"user-1"}`},
		{"POST", api + "/sales/reverse", `{"externalId":"order-2"}`},
		{"POST", api + "/sales/accept-redemption", `{"saleId":` + s.sale + `}`},
		{"POST", api + "/sales/restore-redemption", `{"saleId":` + s.sale + `}`},
		{"DELETE", api + "/commission-plans", `{"commissionPlanId":` + q(s.oldPlan) + `}`},
		{"DELETE", api + "/commission-tiers", `{"commissionTierId":` + q(s.oldTier) + `}`},
		{"POST", api + "/commission-tiers/assign", `{"limit":5}`},
		{"DELETE", api + "/webhooks", `{"webhookId":` + q(s.endpoint) + `}`},
		{"DELETE", api + "/sales", `{"saleId":` + s.sale + `}`},
		{"DELETE", api + "/referrals", `{"referralId":` + q(s.referral) + `,"forfeit":true}`},
		{"DELETE", api + "/promotional-codes", `{"promotionalCodeId":` + q(s.code) + `}`},
		{"DELETE", api + "/coupons", `{"couponId":` + q(s.coupon) + `}`},
		{"DELETE", api + "/links", `{"id":` + q(s.link) + `}`},
		{"DELETE", api + "/affiliates", `{"affiliateId":` + q(s.affiliate) + `,"forfeit":true}`},
	}
}

// posts are the POST operations.
func (s stock) posts() []operation {
	return slices.DeleteFunc(s.operations(), func(o operation) bool { return o.method != "POST" })
}

// writes are the operations that take an Idempotency-Key.
func (s stock) writes() []operation {
	reads := []string{"/api/v1/payouts/preview", "/api/v1/partner/token", "/api/v1/terms/simulate", "/api/v1/proposals"} // by POST
	return slices.DeleteFunc(s.operations(), func(o operation) bool { return o.method == "GET" || slices.Contains(reads, o.path()) })
}

// path is the target without its query.
func (o operation) path() string {
	for i := range len(o.target) {
		if o.target[i] == '?' {
			return o.target[:i]
		}
	}
	return o.target
}

// TestOperations: each operation of the list succeeds, and the list has every
// route.
func TestOperations(t *testing.T) {
	w := newWorld(t)
	missing := httpapi.Routes()
	for _, op := range w.fill().operations() {
		w.ok(op.method, op.target, op.body)
		w.verify()
		missing = slices.DeleteFunc(missing, func(r string) bool { return r == op.method+" "+op.path() })
	}
	if len(missing) > 0 {
		t.Errorf("no operation for %q", missing)
	}
}

var (
	programA = uuid.MustParse("0197c2f0-1a2b-7c3d-8e4f-5a6b7c8d9eaa")
	programB = uuid.MustParse("0197c2f0-1a2b-7c3d-8e4f-5a6b7c8d9ebb")
)

// probes lists requests with every identifier of a stock in every place that
// takes one, the operations first.
func (s stock) probes() []operation {
	ops := s.operations()
	values := map[string][]string{
		"id":    {s.affiliate.String(), s.link.String(), s.coupon.String(), s.code.String(), s.referral.String(), s.payout.String(), s.adjustment.String(), s.sale, s.click, "ada", "kim@example.net"},
		"email": {"ada@example.com"}, "link": {"ada"}, "affiliateId": {s.affiliate.String()}, "affiliateEmail": {"ada@example.com"},
		"couponId": {s.coupon.String()}, "externalId": {"coupon-ext", "code-ext", "cust-1"}, "name": {"Autumn+20"}, "code": {"ADA20"},
		"referralId": {s.referral.String(), "kim@example.net"}, "saleExternalId": {"order-1"}, "saleExternalInvoiceId": {"invoice-1"},
		"promotionalCodeId": {s.code.String()}, "commissionPlanId": {s.plan.String()}, "commissionTierId": {s.tier.String()}, "webhookId": {s.endpoint.String()}, "deliveryId": {s.delivery.String()}, "payoutId": {s.payout.String()}, "saleId": {s.sale},
	}
	for _, path := range sortedKeys(lookups) {
		ops = append(ops, operation{"GET", "/api/v1/" + path, ""})
		for _, name := range append(append([]string{}, lookups[path].one...), lookups[path].several...) {
			for _, v := range values[name] {
				ops = append(ops, operation{"GET", "/api/v1/" + path + "?" + name + "=" + v, ""})
			}
		}
	}
	for _, query := range []string{"payouts?status=PENDING&affiliateEmail=cy@example.com", "payouts?status=pending", "payouts/lines?externalId=may", "statements?affiliateEmail=cy@example.com&from=2026-03-01&to=2026-03-31", "statements?affiliateId=" + s.affiliate.String() + "&from=2026-03-01&to=2026-03-31",
		"sales/explain?id=" + s.sale, "movements?cause=ADJUSTMENT", "movements?cause=x", "reports?from=2026-03-01&to=2026-03-31&by=day", "reports?from=2026-03-01&to=2026-03-31&by=x", "sales/search?referralId=kim@example.net&status=ACTIVE", "sales/search?approvalStatus=x", "sales/sums?status=ACTIVE&search=kim", "sales/sums?status=x", "coupons/summaries", "coupons/summaries?valid=false", "events?after=start", "events?objectId=" + s.sale, "events?objectId=" + s.affiliate.String(), "affiliates/search?search=ada", "affiliates/search?search=" + s.affiliate.String(), "referrals/search?search=kim@example.net", "referrals/search?search=cust-1", "referrals/search?search=e", "promotional-codes/search?search=ADA20&state=usable", "adjustments?kind=BONUS&limit=1", "adjustments?kind=bonus"} {
		ops = append(ops, operation{"GET", "/api/v1/" + query, ""})
	}
	q := func(id uuid.UUID) string { return `"` + id.String() + `"` }
	for _, body := range []string{
		`POST sales {"referralId":` + q(s.referral) + `,"totalEarned":1}`, `POST sales {"referralId":"` + s.click + `","email":"z@example.net","name":"Z","totalEarned":1}`,
		`POST sales {"referralId":` + q(s.affiliate) + `,"email":"y@example.net","name":"Y","totalEarned":1}`, `POST sales {"email":"kim@example.net","totalEarned":1}`,
		`POST sales {"referralId":"ada","email":"x@example.net","name":"X","totalEarned":1,"externalId":"order-1"}`,
		`POST sales {"promoCode":"ADA20","totalEarned":1,"externalInvoiceId":"invoice-1"}`,
		`POST referrals {"affiliateId":` + q(s.affiliate) + `,"name":"a","email":"r1@example.net","referredUserExternalId":"u1"}`,
		`POST referrals {"affiliateId":` + s.click + `,"name":"a","email":"r2@example.net","referredUserExternalId":"u2"}`,
		`POST referrals {"affiliateEmail":"ada@example.com","name":"a","email":"r3@example.net","referredUserExternalId":"u3"}`,
		`POST referrals {"promoCode":"ADA20","name":"a","email":"r4@example.net","referredUserExternalId":"u4"}`,
		`POST referrals {"affiliateId":"nope","name":"a","email":"kim@example.net","referredUserExternalId":"u5"}`,
		`POST promotional-codes/validate {"promoCode":"ADA20","referralId":` + q(s.referral) + `}`,
		`POST promotional-codes {"couponId":` + q(s.coupon) + `,"code":"NEW1","affiliateEmail":"ada@example.com"}`,
		`POST links {"link":"brand-new","affiliateEmail":"ada@example.com"}`,
		`PUT affiliates {"emailAddress":"ada@example.com","firstName":"Q"}`, `PUT links {"link":"ada","newLink":"renamed"}`,
		`PUT promotional-codes {"promotionalCodeId":` + q(s.code) + `,"affiliateId":null}`, `PUT promotional-codes {"promotionalCodeId":` + q(s.code) + `,"affiliateEmail":"ada@example.com"}`,
		`PUT referrals {"referralId":"kim@example.net","notes":"n"}`, `DELETE links {"link":"ada"}`, `DELETE referrals {"referralId":"kim@example.net","forfeit":true}`,
		`DELETE affiliates {"affiliateId":"ada@example.com","forfeit":true}`, `POST payouts {"affiliateEmail":"cy@example.com","manuallyPaid":true}`, `POST payouts {"affiliateId":` + q(s.affiliate) + `,"until":"2026-03-11"}`,
		`POST payouts/preview {"affiliateIds":[` + q(s.payee) + `]}`, `POST payouts/run {"externalId":"may","noDetails":true,"affiliateIds":[` + q(s.payee) + `,` + q(s.affiliate) + `]}`,
		`POST payouts/run {"externalId":"all","limit":1}`,
		`POST adjustments {"reversesId":` + q(s.adjustment) + `,"reason":"typo"}`, `POST adjustments {"affiliateId":` + q(s.affiliate) + `,"saleId":` + s.sale + `,"kind":"CHARGEBACK_FEE","amount":-1,"reason":"r"}`,
		`POST affiliates/plan {"affiliateIds":[` + q(s.pending) + `],"commissionPlanId":null}`, `POST affiliates/tier {"affiliateIds":[` + q(s.pending) + `],"commissionTierId":null}`,
		`POST referrals/plan {"referralIds":[` + q(s.referral) + `],"commissionPlanId":null}`, `POST clicks {"referralCode":"ada"}`, `POST sales/reverse {"saleId":` + s.sale + `}`, `POST sales/reverse {"externalInvoiceId":"invoice-1"}`,
		`POST promotional-codes/generate {"couponId":` + q(s.coupon) + `,"affiliateIds":[` + q(s.pending) + `],"codeStructure":{"randomChars":true},"count":1,"checkOnly":true}`,
		`POST sales/review {"saleIds":["` + s.sale + `"],"approvalStatus":"DECLINED"}`, `PATCH payouts {"payoutId":` + q(s.payout) + `,"status":"CANCELED"}`, `POST webhooks/replay {"webhookId":` + q(s.endpoint) + `,"since":"2026-03-10"}`,
	} {
		method, rest, _ := strings.Cut(body, " ")
		path, body, _ := strings.Cut(rest, " ")
		ops = append(ops, operation{method, "/api/v1/" + path, body})
	}
	return ops
}

// anyToken is an answer with a token that is the same each time: a token has a random id.
func anyToken(body string) string { return partnerToken.ReplaceAllString(body, "tp1.token") }

var partnerToken = regexp.MustCompile(`tp1\.[\w.-]+`)

// TestIsolation is goal G20: a request with the key of program B is answered,
// and changes B, as if program A did not exist, and A stays as it is. B is
// empty, or holds the same records under other ids, or the same records under
// the same ids. It is money check 56.
func TestIsolation(t *testing.T) {
	seeded := func(store record.Store, id uuid.UUID, seed byte) func(*setup) {
		return func(s *setup) {
			s.store, s.engine.ID, s.engine.Rand = store, id, rand.NewChaCha8([32]byte{seed})
		}
	}
	for name, c := range map[string]struct {
		seed byte
		fill bool
	}{"B is empty": {2, false}, "B holds the same": {2, true}, "B holds the same ids": {1, true}} {
		t.Run(name, func(t *testing.T) {
			shared := memstore.New()
			a := newWorld(t, seeded(shared, programA, 1))
			s := a.fill()
			b, alone := newWorld(t, seeded(shared, programB, c.seed)), newWorld(t, seeded(memstore.New(), programB, c.seed))
			if c.fill {
				b.fill()
				alone.fill()
			}
			before := a.dump()
			for i, op := range s.probes() {
				got, want := b.do(op.method, op.target, op.body), alone.do(op.method, op.target, op.body)
				want.body, got.body = anyToken(want.body), anyToken(got.body)
				if diff := cmp.Diff(want, got, cmp.AllowUnexported(answer{})); diff != "" {
					t.Errorf("%d: %s %s depends on the other program (-alone +beside):\n%s", i, op, op.body, diff)
				}
			}
			equal(t, alone.dump(), b.dump())
			equal(t, before, a.dump())
			a.verify()
			b.verify()
		})
	}
}

// TestForeignIsUnknown: an identifier of another program is answered byte for
// byte like an unknown one (B048; money check 56).
func TestForeignIsUnknown(t *testing.T) {
	shared := memstore.New()
	a := newWorld(t, func(s *setup) { s.store, s.engine.ID = shared, programA })
	s := a.fill()
	strangers := func() (*world, *world) {
		make := func() *world {
			return newWorld(t, func(s *setup) {
				s.store, s.engine.ID = shared, uuid.New()
				s.engine.Rand = rand.NewChaCha8([32]byte{9})
			})
		}
		return make(), make()
	}
	digit := func(id uuid.UUID) string { return id.String()[:35] + string("123456789abcdef0"[id[15]&15]) }
	var pairs []string
	for _, id := range []uuid.UUID{s.affiliate, s.link, s.coupon, s.code, s.referral, s.endpoint, s.delivery, s.payee, s.payout, s.adjustment, s.plan, s.oldPlan, s.tier, s.oldTier, s.pending, s.invited} {
		pairs = append(pairs, id.String(), digit(id))
	}
	unknown := strings.NewReplacer(append(pairs,
		"ada@example.com", "eda@example.com", `"ada"`, `"eda"`, "=ada", "=eda", "ADA20", "EDA20", "ada20", "eda20", "kim@", "tim@", "cy@", "ty@",
		"order-1", "order-9", "order-2", "order-8", "invoice-1", "invoice-9", "-ext", "-axt", "cust-1", "cust-9", "Autumn+20", "Autumn+99")...)
	for _, op := range s.probes() {
		switch op.String() {
		case "POST /api/v1/affiliates", "POST /api/v1/affiliates/invite", "POST /api/v1/affiliates/ensure", "POST /api/v1/coupons", "POST /api/v1/webhooks",
			"POST /api/v1/commission-plans", "POST /api/v1/commission-tiers", "GET /api/v1/program", "PUT /api/v1/program", "GET /api/v1/terms", "PUT /api/v1/terms", "POST /api/v1/terms/simulate", "GET /api/v1/verify", "POST /api/v1/commission-tiers/assign", "POST /api/v1/bonuses/grant", "POST /api/v1/payouts/run":
			continue // they name nothing
		}
		one, two := strangers()
		one.do("DELETE", "/api/v1/referrals", `{"referralId":"nobody@example.net"}`) // the first write says what the program is
		before := one.dump()
		foreign := one.do(op.method, op.target, op.body)
		nobody := two.do(op.method, unknown.Replace(op.target), unknown.Replace(op.body))
		if diff := cmp.Diff(nobody, foreign, cmp.AllowUnexported(answer{})); diff != "" {
			t.Errorf("%s %s (-unknown +foreign):\n%s", op, op.body, diff)
		}
		if foreign.status == 200 && !cmp.Equal(before, one.dump()) {
			t.Errorf("%s %s made something: %s", op, op.body, foreign.body)
		}
	}
}

// TestNewMulti: one handler serves both programs, by key.
func TestNewMulti(t *testing.T) {
	shared := memstore.New()
	a := newWorld(t, func(s *setup) { s.store, s.engine.ID = shared, programA })
	b := newWorld(t, func(s *setup) { s.store, s.engine.ID = shared, programB })
	a.fill()
	auth := must(httpapi.Keys(map[string]*tributary.Program{testKey: a.Program, testKey + "b": b.Program, testKey + "a2": a.Program}))
	api := must(httpapi.NewMulti(auth, httpapi.Config{}))
	ask := func(key string) string {
		return a.doWith(api, "GET", "/api/v1/affiliates?id=ada", "", "Authorization: Bearer "+key).body
	}
	if got := ask(testKey + "b"); got != "null" {
		t.Errorf("program B knows %s", got)
	}
	if one, two := ask(testKey), ask(testKey+"a2"); one == "null" || one != two {
		t.Errorf("two keys of A: %s, %s", one, two)
	}
	if p, err := auth(context.Background(), "c"); p.Program != nil || err == nil {
		t.Errorf("an unknown key opens %v", p)
	}
}

// The fuzz targets of the resources: any method, query and body, with and
// without a key for idempotency.
//
// For any request: the answer is not 5xx. A request that is answered 400 or
// above has changed nothing, and the answer has the form of an error (every
// answer of the tests is checked for that). GET and HEAD have changed nothing.
// The books hold.

func FuzzHandlerAffiliates(f *testing.F)  { fuzzHandler(f, "/affiliates") }
func FuzzHandlerLinks(f *testing.F)       { fuzzHandler(f, "/links") }
func FuzzHandlerCoupons(f *testing.F)     { fuzzHandler(f, "/coupons") }
func FuzzHandlerCodes(f *testing.F)       { fuzzHandler(f, "/promotional-codes") }
func FuzzHandlerReferrals(f *testing.F)   { fuzzHandler(f, "/referrals") }
func FuzzHandlerSales(f *testing.F)       { fuzzHandler(f, "/sales") }
func FuzzHandlerPayouts(f *testing.F)     { fuzzHandler(f, "/payouts") }
func FuzzHandlerStatements(f *testing.F)  { fuzzHandler(f, "/statements") }
func FuzzHandlerAdjustments(f *testing.F) { fuzzHandler(f, "/adjustments") }
func FuzzHandlerWebhooks(f *testing.F)    { fuzzHandler(f, "/webhooks") }

// fuzzHandler fuzzes what is at or below a path.
func fuzzHandler(f *testing.F, path string) {
	methods := []string{"GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"}
	seed := func(op operation, key string) {
		rest, ok := strings.CutPrefix(op.target, "/api/v1"+path)
		if !ok {
			return
		}
		tail, query, _ := strings.Cut(rest, "?")
		for i, m := range methods {
			if m == op.method {
				f.Add(uint8(i), tail, query, op.body, key)
			}
		}
	}
	for _, op := range newWorld(f).fill().probes() {
		seed(op, "")
		seed(op, "k")
	}
	var w *world // the same one until a request changes it
	var before map[string][]string
	f.Fuzz(func(t *testing.T, method uint8, tail, query, body, key string) {
		if w == nil {
			w = newWorld(t)
			w.fill()
			before = w.dump()
		}
		w.t = t
		r := request(methods[int(method)%len(methods)], "/api/v1"+path, body)
		r.URL = &url.URL{Path: "/api/v1" + path + tail, RawQuery: query}
		if key != "" {
			r.Header["Idempotency-Key"] = []string{key}
		}
		got := w.send(r)
		if got.status >= 500 {
			t.Fatalf("%d %s", got.status, got.body)
		}
		if got.status >= 400 && (got.header.Get("Sale-Outcome") != "" || got.header.Get("Link") != "") {
			t.Fatalf("%s with headers %v", got.refusal(), got.header)
		}
		if got.status >= 400 || r.Method == "GET" || r.Method == "HEAD" {
			if after := w.dump(); !maps.EqualFunc(before, after, slices.Equal) {
				t.Fatalf("%s: records changed (-before +after):\n%s", got.refusal(), cmp.Diff(before, after))
			}
			if key == "" {
				return
			}
		}
		w.verify()
		w = nil
	})
}

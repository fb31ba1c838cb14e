package httpapi_test

import (
	"context"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/httpapi"
)

// An operation is a request that succeeds on a program that was filled.
type operation struct {
	method, target, body string
}

func (o operation) String() string { return o.method + " " + o.target }

// stock names one record of each kind in a program, as a caller does.
type stock struct {
	affiliate, link, coupon, code, referral, endpoint, delivery uuid.UUID
	payee, payout, adjustment                                   uuid.UUID
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
		cy.ID, payout.ID, adjustment.ID,
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
		{"GET", api + "/coupons/summaries?valid=true&limit=1", ""},
		{"GET", api + "/events?type=sale.created", ""},
		{"GET", api + "/events?after=start&limit=2", ""},
		{"GET", api + "/affiliates/search?search=a&status=ACTIVE", ""},
		{"GET", api + "/referrals/search?search=kim&since=2026-03-11", ""},
		{"GET", api + "/promotional-codes/search?state=usable&active=true&search=ada", ""},
		{"POST", api + "/payments/decide", `{"paymentId":` + q(s.conflict) + `,"decision":"own"}`},
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
		{"GET", api + "/program", ""},
		{"GET", api + "/attention?limit=3", ""},
		{"GET", api + "/verify", ""},
		{"GET", api + "/commission-plans?commissionPlanId=" + s.plan.String(), ""},
		{"POST", api + "/commission-plans", `{"name":"Flat & <b>","commissionRate":250,"commissionType":"FLAT","numberOfMonths":12,"autoApproveRewards":false}`},
		{"PUT", api + "/commission-plans", `{"commissionPlanId":` + q(s.plan) + `,"commissionRate":30,"numberOfPayments":null}`},
		{"GET", api + "/terms", ""},
		{"PUT", api + "/terms", `{"commissionRate":15,"numberOfPayments":null,"from":"2099-01-01"}`},
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
	reads := []string{"/api/v1/payouts/preview", "/api/v1/partner/token"} // by POST
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

package client_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/url"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/client"
)

// TestRequests: method, path, query and body of every operation, by the names
// of the contract.
func TestRequests(t *testing.T) {
	type ctx = context.Context
	type c = *client.Client
	id, sum := anID, affiliate.MustAmount
	const idText = "0197d9a4-6c1e-7b52-9a3f-2f4c1d7e8a01"
	page := affiliate.Page{Limit: 50, Cursor: "a+b/c="}
	for _, row := range []struct {
		want string // method, path, unescaped query
		body string
		call func(ctx, c) error
	}{
		{"GET /affiliates?id=ada", "", func(x ctx, c c) error { return errOf(c.Affiliate(x, "ada")) }},
		{"GET /affiliates?email=a+b@c.org", "", func(x ctx, c c) error { return errOf(c.AffiliateByEmail(x, "a+b@c.org")) }},
		{"GET /affiliates", "", func(x ctx, c c) error { return errOf(c.Affiliates(x, affiliate.Page{})) }},
		{"GET /affiliates?cursor=a+b/c=&limit=50", "", func(x ctx, c c) error { return errOf(c.Affiliates(x, page)) }},
		{"GET /affiliates?limit=-1", "", func(x ctx, c c) error { return errOf(c.Affiliates(x, affiliate.Page{Limit: -1})) }},
		{"POST /affiliates", `{"firstName":"Ada","lastName":"L","email":"a@b.org","commissionRate":12.5,"affiliateLink":"ada"}`, func(x ctx, c c) error {
			return errOf(c.CreateAffiliate(x, affiliate.AffiliateParams{
				Once: affiliate.Once{Key: "k"}, FirstName: "Ada", LastName: "L", Email: "a@b.org", AffiliateLink: "ada",
				CommissionRate: affiliate.Set(affiliate.MustPercent("12.5")),
			}))
		}},
		{"PUT /affiliates", `{"affiliateId":"` + idText + `","emailAddress":"old@b.org","email":"new@b.org","commissionRate":null}`, func(x ctx, c c) error {
			return errOf(c.UpdateAffiliate(x, affiliate.AffiliateRef{ID: id, Email: "old@b.org"}, affiliate.AffiliateUpdate{
				Email: affiliate.Set("new@b.org"), CommissionRate: affiliate.Null[affiliate.Percent](),
			}))
		}},
		{"PUT /affiliates", `{}`, func(x ctx, c c) error {
			return errOf(c.UpdateAffiliate(x, affiliate.AffiliateRef{}, affiliate.AffiliateUpdate{}))
		}},
		{"DELETE /affiliates", `{"affiliateId":"` + idText + `"}`, func(x ctx, c c) error { return c.DeleteAffiliate(x, affiliate.AffiliateRef{ID: id}) }},
		{"DELETE /affiliates", `{"affiliateId":"a@b.org"}`, func(x ctx, c c) error { return c.DeleteAffiliate(x, affiliate.AffiliateRef{Email: "a@b.org"}) }},
		{"GET /links?id=" + idText, "", func(x ctx, c c) error {
			return errOf(c.Links(x, affiliate.LinkFilter{ID: affiliate.Set(id), Slug: affiliate.Set("ada")}, affiliate.Page{}))
		}},
		{"GET /links?link=ada", "", func(x ctx, c c) error {
			return errOf(c.Links(x, affiliate.LinkFilter{Slug: affiliate.Set("ada"), AffiliateID: affiliate.Set(id)}, affiliate.Page{}))
		}},
		{"GET /links?affiliateId=" + idText + "&limit=2", "", func(x ctx, c c) error {
			return errOf(c.Links(x, affiliate.LinkFilter{AffiliateID: affiliate.Set(id), AffiliateEmail: affiliate.Set("a@b.org")}, affiliate.Page{Limit: 2}))
		}},
		{"GET /links?affiliateEmail=a@b.org", "", func(x ctx, c c) error {
			return errOf(c.Links(x, affiliate.LinkFilter{AffiliateEmail: affiliate.Set("a@b.org")}, affiliate.Page{}))
		}},
		{"POST /links", `{"link":"ada","affiliateId":"` + idText + `"}`, func(x ctx, c c) error {
			return errOf(c.CreateLink(x, affiliate.LinkParams{Link: "ada", AffiliateID: id}))
		}},
		{"PUT /links", `{"id":"` + idText + `","link":"old","newLink":"new"}`, func(x ctx, c c) error {
			return errOf(c.RenameLink(x, affiliate.LinkRef{ID: id, Slug: "old"}, "new"))
		}},
		{"POST /links/release", `{"link":"old"}`, func(x ctx, c c) error { return errOf(c.ReleaseSlug(x, "old")) }},
		{"DELETE /links", `{"link":"old"}`, func(x ctx, c c) error { return errOf(c.DeleteLink(x, affiliate.LinkRef{Slug: "old"})) }},
		{"GET /coupons?id=" + idText, "", func(x ctx, c c) error { return errOf(c.Coupon(x, affiliate.CouponRef{ID: id, Name: "n"})) }},
		{"GET /coupons?externalId=e", "", func(x ctx, c c) error { return errOf(c.Coupon(x, affiliate.CouponRef{ExternalID: "e", Name: "n"})) }},
		{"GET /coupons?name=n", "", func(x ctx, c c) error { return errOf(c.Coupon(x, affiliate.CouponRef{Name: "n"})) }},
		{"GET /coupons?limit=3", "", func(x ctx, c c) error { return errOf(c.Coupons(x, affiliate.Page{Limit: 3})) }},
		{"POST /coupons", `{"name":"n","couponType":"FLAT","amountOff":5,"currency":"EUR","redeemBy":"2026-11-30"}`, func(x ctx, c c) error {
			return errOf(c.CreateCoupon(x, affiliate.CouponParams{
				Name: "n", CouponType: affiliate.CouponFlat, AmountOff: affiliate.Set(sum("5")),
				Currency: affiliate.Set(affiliate.Currency("EUR")), RedeemBy: affiliate.Set(affiliate.Day(2026, 11, 30)),
			}))
		}},
		{"PUT /coupons", `{"couponId":"` + idText + `","productIds":[],"valid":false}`, func(x ctx, c c) error {
			return errOf(c.UpdateCoupon(x, id, affiliate.CouponUpdate{ProductIDs: affiliate.Set([]string{}), Valid: affiliate.Set(false)}))
		}},
		{"DELETE /coupons", `{"couponId":"` + idText + `"}`, func(x ctx, c c) error { return errOf(c.DeleteCoupon(x, id)) }},
		{"DELETE /coupons", `{}`, func(x ctx, c c) error { return errOf(c.DeleteCoupon(x, uuid.Nil)) }},
		{"GET /promotional-codes?code=X", "", func(x ctx, c c) error { return errOf(c.Code(x, affiliate.CodeRef{Code: "X", ExternalID: "e"})) }},
		{"GET /promotional-codes?externalId=e", "", func(x ctx, c c) error { return errOf(c.Code(x, affiliate.CodeRef{ExternalID: "e"})) }},
		{"GET /promotional-codes?couponId=" + idText, "", func(x ctx, c c) error {
			return errOf(c.Codes(x, affiliate.CodeFilter{CouponID: affiliate.Set(id), AffiliateID: affiliate.Set(id)}, affiliate.Page{}))
		}},
		{"POST /promotional-codes", `{"couponId":"` + idText + `","isAutoGenerated":true,"codeStructure":{"firstName":true}}`, func(x ctx, c c) error {
			return errOf(c.CreateCode(x, affiliate.CodeParams{
				CouponID: id, IsAutoGenerated: true, CodeStructure: affiliate.Set(affiliate.CodeStructure{FirstName: true}),
			}))
		}},
		{"PUT /promotional-codes", `{"promotionalCodeId":"` + idText + `","expiresAt":null}`, func(x ctx, c c) error {
			return errOf(c.UpdateCode(x, id, affiliate.CodeUpdate{ExpiresAt: affiliate.Null[affiliate.Date]()}))
		}},
		{"PUT /promotional-codes", `{"promotionalCodeId":"` + idText + `","affiliateId":null}`, func(x ctx, c c) error {
			return errOf(c.UpdateCode(x, id, affiliate.CodeUpdate{AffiliateID: affiliate.Null[uuid.UUID]()}))
		}},
		{"PUT /promotional-codes", `{"promotionalCodeId":"` + idText + `","affiliateId":"` + idText + `","affiliateEmail":"a@b.co"}`, func(x ctx, c c) error {
			return errOf(c.UpdateCode(x, id, affiliate.CodeUpdate{AffiliateID: affiliate.Set(id), AffiliateEmail: affiliate.Set("a@b.co")}))
		}},
		{"DELETE /promotional-codes", `{"promotionalCodeId":"` + idText + `"}`, func(x ctx, c c) error { return errOf(c.DeleteCode(x, id)) }},
		{"POST /promotional-codes/validate", `{"promoCode":"X","totalEarned":19.99}`, func(x ctx, c c) error {
			return errOf(c.Evaluate(x, affiliate.Order{PromoCode: "X", TotalEarned: affiliate.Set(sum("19.99"))}))
		}},
		{"POST /promotional-codes/compare", `{"promoCodes":["X","Y"],"totalEarned":19.99}`, func(x ctx, c c) error {
			return errOf(c.EvaluateCodes(x, affiliate.CodesOrder{Order: affiliate.Order{TotalEarned: affiliate.Set(sum("19.99"))}, PromoCodes: []string{"X", "Y"}}))
		}},
		{"GET /referrals?id=a@b.org", "", func(x ctx, c c) error { return errOf(c.Referral(x, "a@b.org")) }},
		{"GET /referrals?externalId=u1", "", func(x ctx, c c) error {
			return errOf(c.Referrals(x, affiliate.ReferralFilter{ReferredUserExternalID: affiliate.Set("u1")}, affiliate.Page{}))
		}},
		{"POST /referrals", `{"affiliateId":"90412","name":"T","email":"t@b.org","referredUserExternalId":"u1"}`, func(x ctx, c c) error {
			return errOf(c.CreateReferral(x, affiliate.ReferralParams{AffiliateID: "90412", Name: "T", Email: "t@b.org", ReferredUserExternalID: "u1"}))
		}},
		{"PUT /referrals", `{"referralId":"t@b.org","notes":null,"metadata":{"a":1}}`, func(x ctx, c c) error {
			return errOf(c.UpdateReferral(x, "t@b.org", affiliate.ReferralUpdate{
				Notes: affiliate.Null[string](), Metadata: affiliate.Set(json.RawMessage(`{"a":1}`)),
			}))
		}},
		{"DELETE /referrals", `{"referralId":"t@b.org"}`, func(x ctx, c c) error { return c.DeleteReferral(x, "t@b.org") }},
		{"GET /sales?id=7", "", func(x ctx, c c) error { return errOf(c.Sale(x, 7)) }},
		{"GET /sales?saleExternalId=o1", "", func(x ctx, c c) error {
			return errOf(c.Sales(x, affiliate.SaleFilter{ExternalID: affiliate.Set("o1"), ExternalInvoiceID: affiliate.Set("i1")}, affiliate.Page{}))
		}},
		{"GET /sales?saleExternalInvoiceId=i1", "", func(x ctx, c c) error {
			return errOf(c.Sales(x, affiliate.SaleFilter{ExternalInvoiceID: affiliate.Set("i1")}, affiliate.Page{}))
		}},
		{"GET /sales?referralId=t@b.org", "", func(x ctx, c c) error {
			return errOf(c.Sales(x, affiliate.SaleFilter{ReferralID: affiliate.Set("t@b.org")}, affiliate.Page{}))
		}},
		{"POST /sales", `{"promoCode":"X","totalEarned":129.5,"externalId":"o1","product":{"productId":"p","quantity":2},"tax":9.5}`, func(x ctx, c c) error {
			return errOf(c.RecordSale(x, affiliate.SaleParams{
				PromoCode: "X", TotalEarned: sum("129.50"), Tax: sum("9.50"), ExternalID: "o1",
				Product: affiliate.Set(affiliate.Product{ProductID: "p", Quantity: affiliate.Set(sum("2"))}),
			}))
		}},
		{"POST /sales", `{"promoCode":"X","totalEarned":90,"lines":[{"id":"1","productId":"p","planId":"q","name":"n","categories":["c"],"quantity":0.5,"amount":100.0001,"discount":9},{"amount":0}]}`, func(x ctx, c c) error {
			return errOf(c.RecordSale(x, affiliate.SaleParams{PromoCode: "X", TotalEarned: sum("90"), Lines: []affiliate.Line{
				{ID: "1", ProductID: "p", PlanID: "q", Name: "n", Categories: []string{"c"}, Quantity: affiliate.Set(sum("0.5")), Amount: sum("100.0001"), Discount: sum("9")}, {},
			}}))
		}},
		{"POST /promotional-codes/validate", `{"promoCode":"X","lines":[{"id":"1","amount":5}]}`, func(x ctx, c c) error {
			return errOf(c.Evaluate(x, affiliate.Order{PromoCode: "X", Lines: []affiliate.Line{{ID: "1", Amount: sum("5")}}}))
		}},
		{"POST /holds", `{"id":"c1","promoCode":"X","subtotal":5,"until":"2026-03-11T10:00:00.000000001+01:00"}`, func(x ctx, c c) error {
			until := time.Date(2026, 3, 11, 10, 0, 0, 1, time.FixedZone("", 3600))
			return errOf(c.HoldRedemption(x, affiliate.HoldParams{ID: "c1", Until: until, Order: affiliate.Order{PromoCode: "X", Subtotal: affiliate.Set(sum("5")), Commission: true}}))
		}},
		{"GET /holds?id=c 1", "", func(x ctx, c c) error { return errOf(c.Hold(x, "c 1")) }},
		{"DELETE /holds", `{"id":"c1"}`, func(x ctx, c c) error { return errOf(c.ReleaseHold(x, "c1")) }},
		{"POST /sales/restore-redemption", `{"externalId":"o1"}`, func(x ctx, c c) error { return c.RestoreRedemption(x, affiliate.SaleRef{ExternalID: "o1"}) }},
		{"POST /sales", `{"holdId":"c1","totalEarned":4}`, func(x ctx, c c) error {
			return errOf(c.RecordSale(x, affiliate.SaleParams{HoldID: "c1", TotalEarned: sum("4")}))
		}},
		{"POST /coupons", `{"name":"n","percentOff":10,"startsAt":"2026-03-09","maxDiscount":20,"maxDiscountTotal":500,"restoreOnRefund":true,"maxRedemptionsPerCustomer":1}`, func(x ctx, c c) error {
			return errOf(c.CreateCoupon(x, affiliate.CouponParams{
				Name: "n", PercentOff: affiliate.Set(affiliate.MustPercent("10")), StartsAt: affiliate.Set(affiliate.Day(2026, 3, 9)), MaxDiscount: affiliate.Set(sum("20")),
				MaxDiscountTotal: affiliate.Set(sum("500")), MaxRedemptionsPerCustomer: affiliate.Set[int64](1), RestoreOnRefund: true,
			}))
		}},
		{"PUT /promotional-codes", `{"promotionalCodeId":"` + idText + `","startsAt":null,"minimumQuantity":2,"maxRedemptionsPerCustomer":3}`, func(x ctx, c c) error {
			return errOf(c.UpdateCode(x, id, affiliate.CodeUpdate{
				StartsAt: affiliate.Null[affiliate.Date](), MinimumQuantity: affiliate.Set(sum("2")), MaxRedemptionsPerCustomer: affiliate.Set[int64](3),
			}))
		}},
		{"PATCH /sales", `{"saleId":7,"amount":6,"tax":1,"lines":[{"id":"1","amount":5}]}`, func(x ctx, c c) error {
			return errOf(c.RefundSale(x, affiliate.Refund{SaleID: 7, Amount: affiliate.Set(sum("6")), Tax: affiliate.Set(sum("1")), Lines: []affiliate.RefundLine{{ID: "1", Amount: sum("5")}}}))
		}},
		{"POST /commission-plans", `{"name":"n","commissionRate":10,"rules":[{"name":"r","when":{"products":["p"],"plans":["q"],"categories":["c"],"notProducts":["d"],"notPlans":["e"],"notCategories":["f"],"paymentFrom":1,"paymentTo":2,"monthFrom":3,"monthTo":4,"customer":"NEW","paymentTriggers":["BONUS"]},"pay":{"commissionType":"UNIT","commissionRate":0.0001},"firm":true},{"name":"s","pay":{"commissionType":"PERCENTAGE","commissionRate":0}}],"monthsFrom":"REFERRAL"}`, func(x ctx, c c) error {
			return errOf(c.CreatePlan(x, affiliate.PlanParams{Name: "n", Terms: affiliate.Terms{
				Rate: affiliate.MustPercent("10"), MonthsFrom: affiliate.MonthsFromReferral, Rules: []affiliate.Rule{
					{
						Name: "r", Firm: true, Pay: affiliate.RulePay{Type: affiliate.RuleUnit, Rate: affiliate.MustPercent("0.0001")},
						When: affiliate.RuleWhen{
							Products: []string{"p"}, Plans: []string{"q"}, Categories: []string{"c"}, NotProducts: []string{"d"}, NotPlans: []string{"e"}, NotCategories: []string{"f"},
							PaymentFrom: 1, PaymentTo: 2, MonthFrom: 3, MonthTo: 4, Customer: affiliate.CustomerNew, Triggers: []affiliate.PaymentTrigger{affiliate.TriggerBonus},
						},
					},
					{Name: "s", Pay: affiliate.RulePay{Type: affiliate.RulePercentage}},
				},
			}}))
		}},
		{"POST /commission-plans", `{"name":"n","commissionRate":10,"autoApproveRewards":false}`, func(x ctx, c c) error {
			return errOf(c.CreatePlan(x, affiliate.PlanParams{Name: "n", Terms: affiliate.Terms{Rate: affiliate.MustPercent("10")}, AutoApproveRewards: affiliate.Set(false)}))
		}},
		{"PUT /commission-plans", `{"commissionPlanId":"` + idText + `","commissionRate":10,"commissionType":"PERCENTAGE","numberOfPayments":null,"numberOfMonths":null,"holdDays":0,"rules":null,"monthsFrom":"PAYMENT","maxPerSale":null,"maxPerCustomer":null,"offerCouponId":null}`, func(x ctx, c c) error {
			return errOf(c.UpdatePlan(x, id, affiliate.PlanUpdate{TermsUpdate: affiliate.Terms{Rate: affiliate.MustPercent("10")}.Update()}))
		}},
		{"PUT /commission-plans", `{"commissionPlanId":"` + idText + `","rules":[],"monthsFrom":"REFERRAL","maxPerSale":30,"maxPerCustomer":null}`, func(x ctx, c c) error {
			return errOf(c.UpdatePlan(x, id, affiliate.PlanUpdate{TermsUpdate: affiliate.TermsUpdate{Rules: affiliate.Set([]affiliate.Rule{}), MonthsFrom: affiliate.Set(affiliate.MonthsFromReferral), MaxPerSale: affiliate.Set(affiliate.MustAmount("30")), MaxPerCustomer: affiliate.Null[affiliate.Amount]()}}))
		}},
		{"PUT /commission-plans", `{"commissionPlanId":"` + idText + `","commissionRate":15,"from":"2027-01-01"}`, func(x ctx, c c) error {
			return errOf(c.UpdatePlan(x, id, affiliate.PlanUpdate{TermsUpdate: affiliate.TermsUpdate{Rate: affiliate.Set(affiliate.MustPercent("15")), From: affiliate.Set(affiliate.Day(2027, 1, 1))}}))
		}},
		{"GET /terms", "", func(x ctx, c c) error { return errOf(c.Terms(x)) }},
		{"PUT /terms", `{"commissionRate":15,"commissionType":"PERCENTAGE","numberOfPayments":null,"numberOfMonths":2,"holdDays":3,"rules":null,"monthsFrom":"PAYMENT","maxPerSale":4,"maxPerCustomer":null,"offerCouponId":null,"from":"2027-01-01","withdraw":"2027-02-01"}`, func(x ctx, c c) error {
			up := affiliate.Terms{Rate: affiliate.MustPercent("15"), HoldDays: 3, MaxPerSale: affiliate.MustAmount("4"), MaxMonths: 2}.Update()
			up.From, up.Withdraw = affiliate.Set(affiliate.Day(2027, 1, 1)), affiliate.Set(affiliate.Day(2027, 2, 1))
			return errOf(c.SetTerms(x, up))
		}},
		{"PUT /sales", `{"saleId":7,"totalEarned":100}`, func(x ctx, c c) error {
			return errOf(c.UpdateSale(x, 7, affiliate.SaleUpdate{TotalEarned: affiliate.Set(sum("100"))}))
		}},
		{"PATCH /sales", `{"saleId":7,"amount":1.5,"refundId":"r"}`, func(x ctx, c c) error {
			return errOf(c.RefundSale(x, affiliate.Refund{SaleID: 7, Amount: affiliate.Set(sum("1.5")), RefundID: "r"}))
		}},
		{"DELETE /sales", `{"saleId":7}`, func(x ctx, c c) error { return c.DeleteSale(x, 7) }},
		{"GET /webhooks?webhookId=" + idText, "", func(x ctx, c c) error { return errOf(c.Endpoint(x, id)) }},
		{"GET /webhooks", "", func(x ctx, c c) error { return errOf(c.Endpoints(x, affiliate.Page{})) }},
		{"POST /webhooks", `{"url":"https://h.org","events":["*"]}`, func(x ctx, c c) error {
			return errOf(c.CreateEndpoint(x, affiliate.EndpointParams{URL: "https://h.org", Events: []affiliate.EventType{"*"}}))
		}},
		{"PUT /webhooks", `{"webhookId":"` + idText + `","description":null,"active":true}`, func(x ctx, c c) error {
			return errOf(c.UpdateEndpoint(x, id, affiliate.EndpointUpdate{Active: affiliate.Set(true), Description: affiliate.Null[string]()}))
		}},
		{"DELETE /webhooks", `{"webhookId":"` + idText + `"}`, func(x ctx, c c) error { return errOf(c.DeleteEndpoint(x, id)) }},
		{"POST /webhooks/rotate-secret", `{"webhookId":"` + idText + `","gracePeriodSeconds":0}`, func(x ctx, c c) error {
			return errOf(c.RotateSecret(x, affiliate.Rotation{WebhookID: id, GracePeriodSeconds: affiliate.Set(int64(0))}))
		}},
		{"POST /webhooks/test", `{"webhookId":"` + idText + `","event":"sale.created"}`, func(x ctx, c c) error {
			return errOf(c.TestEndpoint(x, affiliate.EndpointTest{WebhookID: id, Event: affiliate.SaleCreated}))
		}},
		{"GET /webhooks/deliveries?deliveryId=" + idText, "", func(x ctx, c c) error { return errOf(c.Delivery(x, id)) }},
		{"GET /webhooks/deliveries?event=sale.created&limit=5&since=2026-03-11&state=failed&until=2026-03-12T08:00:00Z&webhookId=" + idText, "", func(x ctx, c c) error {
			return errOf(c.Deliveries(x, affiliate.DeliveryFilter{
				WebhookID: affiliate.Set(id), State: affiliate.DeliveryFailed, Event: affiliate.SaleCreated, Since: affiliate.Set(affiliate.Day(2026, 3, 11)),
				Until: affiliate.Set(affiliate.At(time.Date(2026, 3, 12, 8, 0, 0, 0, time.UTC))),
			}, affiliate.Page{Limit: 5}))
		}},
		{"POST /webhooks/replay", `{"webhookId":"` + idText + `","since":"2026-03-11"}`, func(x ctx, c c) error {
			return errOf(c.Replay(x, affiliate.ReplayRange{WebhookID: id, Since: affiliate.Set(affiliate.Day(2026, 3, 11))}))
		}},
	} {
		t.Run(row.want, func(t *testing.T) {
			w := &wire{}
			_ = row.call(t.Context(), w.client(t))
			if len(w.seen) != 1 {
				t.Fatalf("%d requests", len(w.seen))
			}
			s := w.seen[0]
			got := s.Method + " " + strings.TrimPrefix(s.URL.Path, "/api/v1")
			if s.URL.RawQuery != "" {
				got += "?" + must(url.QueryUnescape(s.URL.RawQuery))
			}
			if diff := cmp.Diff([]string{row.want, row.body}, []string{got, s.body}); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if s.ContentLength != int64(len(row.body)) {
				t.Errorf("Content-Length %d for %d bytes", s.ContentLength, len(row.body))
			}
		})
	}
}

// TestGoCallsOnly: when a field is set that cannot be sent, the call is refused
// and nothing is sent. The test covers every such field.
func TestGoCallsOnly(t *testing.T) {
	refused := func(what string, w *wire, err error) {
		t.Helper()
		e := failure(t, err)
		if len(w.seen) != 0 || e.Attempts != 0 || e.Status != 0 || e.Err.Kind != affiliate.KindInvalid || !strings.Contains(err.Error(), "Go calls only") {
			t.Errorf("%s: %d sent, %v", what, len(w.seen), err)
		}
	}
	for m := range reflect.TypeFor[*client.Client]().Methods() {
		for i := 2; i < m.Type.NumIn(); i++ {
			input := m.Type.In(i)
			if input.Kind() != reflect.Struct || input.NumField() == 0 {
				continue
			}
			for _, field := range reflect.VisibleFields(input) {
				parent := input
				if last := len(field.Index) - 1; last > 0 {
					parent = input.FieldByIndex(field.Index[:last]).Type
				}
				once := parent == reflect.TypeFor[affiliate.Once]()
				sent := once && (field.Name == "Key" || field.Name == "Replayed") || m.Name == "InviteAffiliate" && field.Name == "Answers"
				if field.Anonymous || sent || !once && field.Tag.Get("json") != "-" {
					continue
				}
				w := &wire{}
				args := []reflect.Value{reflect.ValueOf(w.client(t)), reflect.ValueOf(t.Context())}
				for j := 2; j < m.Type.NumIn(); j++ {
					args = append(args, reflect.New(m.Type.In(j)).Elem())
				}
				fill(args[i].FieldByIndex(field.Index))
				out := m.Func.Call(args)
				err, _ := out[len(out)-1].Interface().(error)
				refused(m.Name+"."+field.Name, w, err)
			}
		}
	}
	w := &wire{}
	refused("two names", w, w.client(t).DeleteAffiliate(t.Context(), affiliate.AffiliateRef{ID: anID, Email: "a@b.org"}))
}

// fill sets a field to a value that is not zero.
func fill(v reflect.Value) {
	switch p := v.Addr().Interface().(type) {
	case *time.Time:
		*p = time.Unix(0, 0)
		return
	case *affiliate.Opt[affiliate.IntegrationType]:
		*p = affiliate.Set(affiliate.IntegrationType("STRIPE"))
		return
	case *affiliate.Opt[string]:
		*p = affiliate.Set("X")
		return
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString("X")
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
	case reflect.Array:
		v.Index(0).SetUint(1)
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
	default:
		panic("no value for " + v.Type().String())
	}
}

// TestNothingNamed: a look-up that names nothing finds nothing and sends
// nothing.
func TestNothingNamed(t *testing.T) {
	w := always(200, "[]")
	c, x := w.client(t), t.Context()
	for name, err := range map[string]error{
		"Affiliate": errOf(c.Affiliate(x, "")), "AffiliateByEmail": errOf(c.AffiliateByEmail(x, "")),
		"Coupon": errOf(c.Coupon(x, affiliate.CouponRef{})), "Code": errOf(c.Code(x, affiliate.CodeRef{})),
		"Referral": errOf(c.Referral(x, "")), "Endpoint": errOf(c.Endpoint(x, uuid.Nil)), "Delivery": errOf(c.Delivery(x, uuid.Nil)),
	} {
		if err != affiliate.ErrNotFound {
			t.Errorf("%s: %v", name, err)
		}
	}
	if len(w.seen) != 0 {
		t.Errorf("%d requests", len(w.seen))
	}
}

// TestNoJSON: an input that has no JSON is refused before it is sent.
func TestNoJSON(t *testing.T) {
	w := &wire{}
	year0 := affiliate.Set(affiliate.At(time.Date(0, 1, 1, 0, 0, 0, 0, time.UTC)))
	e := failure(t, errOf(w.client(t).CreateCoupon(t.Context(), affiliate.CouponParams{Name: "n", RedeemBy: year0})))
	if len(w.seen) != 0 || e.Attempts != 0 || e.Err.Kind != affiliate.KindInvalid {
		t.Errorf("%d sent, %v", len(w.seen), e)
	}
}

// TestInvalidUTF8: a text that is not UTF-8 is refused before it is sent. The
// encoder would replace the bad bytes, so two external ids could become one,
// and the second sale would be a duplicate.
func TestInvalidUTF8(t *testing.T) {
	sum, bad := affiliate.MustAmount("1"), "caf\xe9"
	for name, call := range map[string]func(c *client.Client) error{
		"field": func(c *client.Client) error {
			return errOf(c.RecordSale(t.Context(), affiliate.SaleParams{ReferralID: "ada", TotalEarned: sum, ExternalID: bad}))
		},
		"optional": func(c *client.Client) error {
			return errOf(c.UpdateCoupon(t.Context(), anID, affiliate.CouponUpdate{Name: affiliate.Set(bad)}))
		},
		"list": func(c *client.Client) error {
			return errOf(c.CreateCoupon(t.Context(), affiliate.CouponParams{ProductIDs: []string{"p", bad}}))
		},
		"nested": func(c *client.Client) error {
			return errOf(c.RecordSale(t.Context(), affiliate.SaleParams{Product: affiliate.Set(affiliate.Product{Name: bad})}))
		},
		"target": func(c *client.Client) error { return c.DeleteReferral(t.Context(), bad) },
		"metadata": func(c *client.Client) error {
			return errOf(c.UpdateSale(t.Context(), 1, affiliate.SaleUpdate{Metadata: affiliate.Set(json.RawMessage(`{"a":"` + bad + `"}`))}))
		},
	} {
		w := &wire{}
		if err := call(w.client(t)); !errors.Is(err, affiliate.InvalidJSON) || len(w.seen) != 0 {
			t.Errorf("%s: %d sent, %v", name, len(w.seen), err)
		}
	}
	// The character and its escape are texts like any other.
	w := &wire{}
	for _, fine := range []string{"\ufffd", `\ufffd`} {
		_, _ = w.client(t).UpdateReferral(t.Context(), fine, affiliate.ReferralUpdate{Metadata: affiliate.Set(json.RawMessage(`{"a":"\ufffd"}`))})
	}
	if len(w.seen) != 2 {
		t.Errorf("%d requests sent, want 2", len(w.seen))
	}
}

// TestNullMetadata: metadata that is not an object is refused as the engine
// refuses it, and does not clear the stored metadata.
func TestNullMetadata(t *testing.T) {
	p, _ := newEngine(t)
	ada := must(p.CreateAffiliate(t.Context(), affiliate.AffiliateParams{FirstName: "Ada", LastName: "L", Email: "ada@example.com"}))
	must(p.CreateReferral(t.Context(), affiliate.ReferralParams{AffiliateID: ada.ID.String(), Name: "Kim", Email: "kim@example.com", ReferredUserExternalID: "u1"}))
	for _, raw := range []json.RawMessage{nil, json.RawMessage("null"), json.RawMessage(" null\n"), {}} {
		up := affiliate.ReferralUpdate{Metadata: affiliate.Set(raw)}
		want, _ := errors.AsType[*affiliate.Error](errOf(p.UpdateReferral(t.Context(), "kim@example.com", up)))
		w := &wire{}
		for name, err := range map[string]error{
			"referral": errOf(w.client(t).UpdateReferral(t.Context(), "kim@example.com", up)),
			"sale":     errOf(w.client(t).UpdateSale(t.Context(), 1, affiliate.SaleUpdate{Metadata: up.Metadata})),
		} {
			if diff := cmp.Diff(want, failure(t, err).Err); diff != "" || len(w.seen) != 0 {
				t.Errorf("%s with %q: %d sent, (-engine +client):\n%s", name, raw, len(w.seen), diff)
			}
		}
	}
}

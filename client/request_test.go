package client_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/client"
	"github.com/tributary-go/tributary/internal/api"
	"github.com/tributary-go/tributary/internal/scene"
)

// TestRequests: path, query and body where there is more than a few members, by the names of
// the contract; invocations has a call of every operation.
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
		{"GET /affiliates?cursor=a+b/c=&limit=50", "", func(x ctx, c c) error { return errOf(c.Affiliates(x, affiliate.AffiliateQuery{}, page)) }},
		{"GET /affiliates?limit=-1", "", func(x ctx, c c) error {
			return errOf(c.Affiliates(x, affiliate.AffiliateQuery{}, affiliate.Page{Limit: -1}))
		}},
		{"PUT /affiliates", `{"affiliateId":"` + idText + `","emailAddress":"old@b.org","email":"new@b.org","commissionRate":null}`, func(x ctx, c c) error {
			return errOf(c.UpdateAffiliate(x, affiliate.AffiliateRef{ID: id, Email: "old@b.org"}, affiliate.AffiliateUpdate{
				Email: affiliate.Set("new@b.org"), CommissionRate: affiliate.Null[affiliate.Percent](),
			}))
		}},
		{"GET /links?link=ada", "", func(x ctx, c c) error {
			return errOf(c.Links(x, affiliate.LinkQuery{Slug: affiliate.Set("ada"), AffiliateID: affiliate.Set(id)}, affiliate.Page{}))
		}},
		{"GET /coupons?externalId=e", "", func(x ctx, c c) error { return errOf(c.Coupon(x, affiliate.CouponRef{ExternalID: "e", Name: "n"})) }},
		{"PUT /coupons", `{"couponId":"` + idText + `","productIds":[],"valid":false}`, func(x ctx, c c) error {
			return errOf(c.UpdateCoupon(x, id, affiliate.CouponUpdate{ProductIDs: affiliate.Set([]string{}), Valid: affiliate.Set(false)}))
		}},
		{"DELETE /coupons", `{}`, func(x ctx, c c) error { return errOf(c.DeleteCoupon(x, uuid.Nil)) }},
		{"PUT /promotional-codes", `{"promotionalCodeId":"` + idText + `","affiliateId":"` + idText + `","affiliateEmail":"a@b.co"}`, func(x ctx, c c) error {
			return errOf(c.UpdateCode(x, id, affiliate.CodeUpdate{AffiliateID: affiliate.Set(id), AffiliateEmail: affiliate.Set("a@b.co")}))
		}},
		{"PUT /referrals", `{"referralId":"t@b.org","notes":null,"metadata":{"a":1}}`, func(x ctx, c c) error {
			return errOf(c.UpdateReferral(x, "t@b.org", affiliate.ReferralUpdate{
				Notes: affiliate.Null[string](), Metadata: affiliate.Set(json.RawMessage(`{"a":1}`)),
			}))
		}},
		{"POST /sales", `{"promoCode":"X","totalEarned":90,"lines":[{"id":"1","productId":"p","planId":"q","name":"n","categories":["c"],"quantity":0.5,"amount":100.0001,"discount":9},{"amount":0}]}`, func(x ctx, c c) error {
			return errOf(c.RecordSale(x, affiliate.SaleParams{PromoCode: "X", TotalEarned: sum("90"), Lines: []affiliate.Line{
				{ID: "1", ProductID: "p", PlanID: "q", Name: "n", Categories: []string{"c"}, Quantity: affiliate.Set(sum("0.5")), Amount: sum("100.0001"), Discount: sum("9")}, {},
			}}))
		}},
		{"POST /holds", `{"id":"c1","promoCode":"X","subtotal":5,"until":"2026-03-11T10:00:00.000000001+01:00"}`, func(x ctx, c c) error {
			until := time.Date(2026, 3, 11, 10, 0, 0, 1, time.FixedZone("", 3600))
			return errOf(c.HoldRedemption(x, affiliate.HoldParams{ID: "c1", Until: until, Order: affiliate.Order{PromoCode: "X", Subtotal: affiliate.Set(sum("5")), Commission: true}}))
		}},
		{"POST /coupons", `{"name":"n","percentOff":10,"startsAt":"2026-03-09","maxDiscount":20,"maxDiscountTotal":500,"restoreOnRefund":true,"maxRedemptionsPerCustomer":1}`, func(x ctx, c c) error {
			return errOf(c.CreateCoupon(x, affiliate.CouponParams{
				Name: "n", PercentOff: affiliate.Set(affiliate.MustPercent("10")), StartsAt: affiliate.Set(affiliate.Day(2026, 3, 9)), MaxDiscount: affiliate.Set(sum("20")),
				MaxDiscountTotal: affiliate.Set(sum("500")), MaxRedemptionsPerCustomer: affiliate.Set[int64](1), RestoreOnRefund: true,
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
		{"PUT /commission-plans", `{"commissionPlanId":"` + idText + `","commissionRate":10,"commissionType":"PERCENTAGE","numberOfPayments":null,"numberOfMonths":null,"holdDays":0,"rules":null,"monthsFrom":"PAYMENT","maxPerSale":null,"maxPerCustomer":null,"budgets":null,"bonuses":null,"offerCouponId":null}`, func(x ctx, c c) error {
			return errOf(c.UpdatePlan(x, id, affiliate.PlanUpdate{TermsUpdate: affiliate.Terms{Rate: affiliate.MustPercent("10")}.Update()}))
		}},
		{"PUT /commission-plans", `{"commissionPlanId":"` + idText + `","rules":[],"monthsFrom":"REFERRAL","maxPerSale":30,"maxPerCustomer":null}`, func(x ctx, c c) error {
			return errOf(c.UpdatePlan(x, id, affiliate.PlanUpdate{TermsUpdate: affiliate.TermsUpdate{Rules: affiliate.Set([]affiliate.Rule{}), MonthsFrom: affiliate.Set(affiliate.MonthsFromReferral), MaxPerSale: affiliate.Set(affiliate.MustAmount("30")), MaxPerCustomer: affiliate.Null[affiliate.Amount]()}}))
		}},
		{"PUT /commission-plans", `{"commissionPlanId":"` + idText + `","commissionRate":15,"from":"2027-01-01"}`, func(x ctx, c c) error {
			return errOf(c.UpdatePlan(x, id, affiliate.PlanUpdate{TermsUpdate: affiliate.TermsUpdate{Rate: affiliate.Set(affiliate.MustPercent("15")), From: affiliate.Set(affiliate.Day(2027, 1, 1))}}))
		}},
		{"PUT /terms", `{"commissionRate":15,"commissionType":"PERCENTAGE","numberOfPayments":null,"numberOfMonths":2,"holdDays":3,"rules":null,"monthsFrom":"PAYMENT","maxPerSale":4,"maxPerCustomer":null,"budgets":null,"bonuses":null,"offerCouponId":null,"from":"2027-01-01","withdraw":"2027-02-01"}`, func(x ctx, c c) error {
			up := affiliate.Terms{Rate: affiliate.MustPercent("15"), HoldDays: 3, MaxPerSale: affiliate.MustAmount("4"), MaxMonths: 2}.Update()
			up.From, up.Withdraw = affiliate.Set(affiliate.Day(2027, 1, 1)), affiliate.Set(affiliate.Day(2027, 2, 1))
			return errOf(c.SetTerms(x, up))
		}},
		{"GET /webhooks/deliveries?event=sale.created&limit=5&since=2026-03-11&state=failed&until=2026-03-12T08:00:00Z&webhookId=" + idText, "", func(x ctx, c c) error {
			return errOf(c.Webhooks().Deliveries(x, affiliate.DeliveryQuery{
				WebhookID: affiliate.Set(id), State: affiliate.DeliveryFailed, Event: affiliate.SaleCreated, Since: affiliate.Set(affiliate.Day(2026, 3, 11)),
				Until: affiliate.Set(affiliate.At(time.Date(2026, 3, 12, 8, 0, 0, 0, time.UTC))),
			}, affiliate.Page{Limit: 5}))
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
	forGo := func(m reflect.Method, of func(*client.Client) any) {
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
				routed := field.Name == "Usability" || field.Name == "WithCodes" // the path says them
				if field.Anonymous || sent || routed || !once && field.Tag.Get("json") != "-" {
					continue
				}
				w := &wire{}
				args := []reflect.Value{reflect.ValueOf(of(w.client(t))), reflect.ValueOf(t.Context())}
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
	for m := range reflect.TypeFor[*client.Client]().Methods() {
		forGo(m, func(c *client.Client) any { return c })
	}
	for m := range reflect.TypeFor[client.Webhooks]().Methods() {
		forGo(m, func(c *client.Client) any { return c.Webhooks() })
	}
	w := &wire{}
	for field := range reflect.TypeFor[affiliate.Acceptance]().Fields() { // the server takes null as absent
		var in affiliate.Acceptance
		if err := json.Unmarshal([]byte("null"), reflect.ValueOf(&in).Elem().FieldByIndex(field.Index).Addr().Interface()); err != nil {
			t.Fatal(err)
		}
		refused("null "+field.Name, w, errOf(w.client(t).AcceptInvite(t.Context(), anID, in)))
	}
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
		"Affiliate": errOf(c.Affiliate(x, "")),
		"Coupon":    errOf(c.Coupon(x, affiliate.CouponRef{})), "Code": errOf(c.Code(x, affiliate.CodeRef{})),
		"Referral": errOf(c.Referral(x, "")), "Endpoint": errOf(c.Webhooks().Endpoint(x, uuid.Nil)), "Delivery": errOf(c.Webhooks().Delivery(x, uuid.Nil)),
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

// options are the possible values of a field: not set, and each of the values.
func options[T any](values ...T) []affiliate.Opt[T] {
	out := []affiliate.Opt[T]{{}}
	for _, v := range values {
		out = append(out, affiliate.Set(v))
	}
	return out
}

// sameLists lists with every filter through the engine and through the client,
// at once and in pages of two.
func sameLists[F, T any](t *testing.T, engine, wire func(context.Context, F, affiliate.Page) (affiliate.List[T], error), filters []F) {
	t.Helper()
	found := 0
	for _, f := range filters {
		want, err := engine(t.Context(), f, affiliate.Page{})
		if err != nil {
			t.Fatalf("%+v: %v", f, err)
		}
		got, err := wire(t.Context(), f, affiliate.Page{})
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("%+v: %v (-engine +client):\n%s", f, err, diff)
		}
		paged := []T{}
		for item, err := range affiliate.Each(2, func(pg affiliate.Page) (affiliate.List[T], error) { return wire(t.Context(), f, pg) }) {
			if err != nil {
				t.Fatalf("%+v: %v", f, err)
			}
			paged = append(paged, item)
		}
		if diff := cmp.Diff(want.Items, paged); diff != "" {
			t.Errorf("%+v (-engine +client in pages):\n%s", f, diff)
		}
		found += len(want.Items)
	}
	if found == 0 {
		t.Error("no filter selects anything")
	}
}

// TestFilters: a filter with several fields selects the same records over the
// wire as in the engine, although the server honours only one parameter.
func TestFilters(t *testing.T) {
	p, h := newEngine(t)
	c := must(client.New("http://tributary.test", testKey, client.Config{Handler: h}))
	ctx := t.Context()
	join := func(slug string) affiliate.Affiliate {
		return must(p.CreateAffiliate(ctx, affiliate.AffiliateParams{FirstName: "A", LastName: "B", Email: slug + "@example.com", AffiliateLink: slug}))
	}
	ada, bob := join("ada"), join("bob")
	must(p.CreateLink(ctx, affiliate.LinkParams{Link: "ada-2", AffiliateID: ada.ID}))
	first := must(p.CreateCoupon(ctx, affiliate.CouponParams{Name: "1", PercentOff: affiliate.Set(affiliate.MustPercent("20"))}))
	second := must(p.CreateCoupon(ctx, affiliate.CouponParams{Name: "2", PercentOff: affiliate.Set(affiliate.MustPercent("10"))}))
	for code, of := range map[string]affiliate.CodeParams{"A1": {CouponID: first.ID, AffiliateID: ada.ID}, "A2": {CouponID: second.ID, AffiliateID: ada.ID}, "B1": {CouponID: first.ID, AffiliateID: bob.ID}, "N1": {CouponID: first.ID}} {
		of.Code = code
		must(p.CreateCode(ctx, of))
	}
	refer := func(slug, email, customer string) affiliate.Referral {
		return must(p.CreateReferral(ctx, affiliate.ReferralParams{AffiliateID: slug, Name: "N", Email: email, ReferredUserExternalID: customer}))
	}
	kim, lee := refer("ada", "kim@example.net", "c1"), refer("bob", "lee@example.net", "c2")
	refer("bob", "max@example.net", "c3")
	sum := affiliate.MustAmount("10")
	for _, in := range []affiliate.SaleParams{
		{Email: kim.Email, ExternalID: "o1", ExternalInvoiceID: "i1"}, {Email: lee.Email, ExternalID: "o2", ExternalInvoiceID: "i2"},
		{PromoCode: "A1", Email: lee.Email}, {PromoCode: "B1"}, {Email: kim.Email, ExternalInvoiceID: "i3"},
	} {
		in.TotalEarned = sum
		must(p.RecordSale(ctx, in))
	}

	owners, emails := options(ada.ID, bob.ID, uuid.Max, uuid.Nil), options("ADA@example.com ", "bob@example.com", "")
	var sales []affiliate.SaleQuery
	var links []affiliate.LinkQuery
	var codes []affiliate.CodeQuery
	var referrals []affiliate.ReferralQuery
	for _, id := range owners {
		for _, email := range emails {
			for _, ref := range options(kim.ID.String(), "LEE@example.net", uuid.Nil.String(), "lee") {
				for _, order := range options("o1", "o2", "") {
					for _, invoice := range options("i1", "i3") {
						sales = append(sales, affiliate.SaleQuery{AffiliateID: id, AffiliateEmail: email, ReferralID: ref, ExternalID: order, ExternalInvoiceID: invoice})
					}
				}
			}
			for _, link := range options(ada.AffiliateLinks[0].ID, bob.AffiliateLinks[0].ID, uuid.Nil) {
				for _, slug := range options("ADA", "ada-2", "a b") {
					links = append(links, affiliate.LinkQuery{ID: link, Slug: slug, AffiliateID: id, AffiliateEmail: email})
				}
			}
			for _, coupon := range options(first.ID, second.ID, uuid.Nil) {
				codes = append(codes, affiliate.CodeQuery{CouponID: coupon, AffiliateID: id, AffiliateEmail: email})
			}
			for _, customer := range options("c1", "c2", "") {
				referrals = append(referrals, affiliate.ReferralQuery{AffiliateID: id, AffiliateEmail: email, ReferredUserExternalID: customer})
			}
		}
	}
	for _, email := range emails { // searches, which the server does not combine with these
		for _, order := range options("o1", "") {
			sales = append(sales, affiliate.SaleQuery{AffiliateEmail: email, ExternalID: order, Status: affiliate.SaleActive})
		}
		codes = append(codes, affiliate.CodeQuery{AffiliateEmail: email, Active: affiliate.Set(true)})
		referrals = append(referrals, affiliate.ReferralQuery{AffiliateEmail: email, ReferredUserExternalID: affiliate.Set("c1"), OldestFirst: true})
	}
	var coupons []affiliate.CouponQuery
	for _, id := range options(first.ID, uuid.Nil) {
		for _, valid := range options(true, false) {
			coupons = append(coupons, affiliate.CouponQuery{ID: id, Valid: valid, WithCodes: true}, affiliate.CouponQuery{ID: id, Valid: valid})
		}
	}
	t.Run("Coupons", func(t *testing.T) { sameLists(t, p.Coupons, c.Coupons, coupons) })
	t.Run("Sales", func(t *testing.T) { sameLists(t, p.Sales, c.Sales, sales) })
	t.Run("Links", func(t *testing.T) { sameLists(t, p.Links, c.Links, links) })
	t.Run("Codes", func(t *testing.T) { sameLists(t, p.Codes, c.Codes, codes) })
	t.Run("Referrals", func(t *testing.T) { sameLists(t, p.Referrals, c.Referrals, referrals) })
}

// TestAll: the loops over whole lists work with methods of the client and of
// the engine.
func TestAll(t *testing.T) {
	p, h := newEngine(t)
	c := must(client.New("http://tributary.test", testKey, client.Config{Handler: h}))
	ctx := t.Context()
	const n = 101 // one more than a page
	for i := range n {
		slug := fmt.Sprint("a", i)
		must(p.CreateAffiliate(ctx, affiliate.AffiliateParams{FirstName: "A", LastName: "B", Email: slug + "@example.com", AffiliateLink: slug}))
		must(p.CreateCoupon(ctx, affiliate.CouponParams{Name: slug, PercentOff: affiliate.Set(affiliate.MustPercent("20"))}))
		must(p.RecordSale(ctx, affiliate.SaleParams{ReferralID: slug, Email: slug + "@example.net", Name: slug, TotalEarned: affiliate.MustAmount("10")}))
	}
	walked(t, n, affiliate.All(ctx, p.Affiliates, affiliate.AffiliateQuery{}), affiliate.All(ctx, c.Affiliates, affiliate.AffiliateQuery{}))
	walked(t, n, affiliate.All(ctx, p.Coupons, affiliate.CouponQuery{WithCodes: true}), affiliate.All(ctx, c.Coupons, affiliate.CouponQuery{WithCodes: true}))
	walked(t, 0, affiliate.Every(ctx, p.Webhooks().Endpoints), affiliate.Every(ctx, c.Webhooks().Endpoints))
	walked(t, n, affiliate.All(ctx, p.Links, affiliate.LinkQuery{}), affiliate.All(ctx, c.Links, affiliate.LinkQuery{}))
	walked(t, 0, affiliate.All(ctx, p.Codes, affiliate.CodeQuery{}), affiliate.All(ctx, c.Codes, affiliate.CodeQuery{}))
	walked(t, n, affiliate.All(ctx, p.Referrals, affiliate.ReferralQuery{}), affiliate.All(ctx, c.Referrals, affiliate.ReferralQuery{}))
	walked(t, n, affiliate.All(ctx, p.Sales, affiliate.SaleQuery{}), affiliate.All(ctx, c.Sales, affiliate.SaleQuery{}))
	walked(t, 0, affiliate.All(ctx, p.Webhooks().Deliveries, affiliate.DeliveryQuery{}), affiliate.All(ctx, c.Webhooks().Deliveries, affiliate.DeliveryQuery{}))
}

func walked[T any](t *testing.T, n int, engine, wire iter.Seq2[T, error]) {
	t.Helper()
	collect := func(seq iter.Seq2[T, error]) (out []T) {
		for item, err := range seq {
			if err != nil {
				t.Fatal(err)
			}
			out = append(out, item)
		}
		return out
	}
	want, got := collect(engine), collect(wire)
	if diff := cmp.Diff(want, got); diff != "" || len(want) != n {
		t.Errorf("%d records (-engine +client):\n%s", len(want), diff)
	}
}

// TestEachFilter sets every field with a JSON name of the filter of every list alone: the request
// names it, and the server answers as the engine does.
func TestEachFilter(t *testing.T) {
	p, h := newEngine(t)
	for method := range reflect.TypeFor[*client.Client]().Methods() {
		if method.Type.NumIn() != 4 || !strings.HasSuffix(method.Type.In(2).Name(), "Query") {
			continue
		}
		filter := method.Type.In(2)
		for field := range filter.Fields() {
			name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
			if name == "" || name == "-" {
				continue
			}
			t.Run(method.Name+" "+name, func(t *testing.T) {
				var sent url.Values
				c := must(client.New("http://tributary.test", testKey, client.Config{Handler: http.HandlerFunc(
					func(w http.ResponseWriter, r *http.Request) {
						sent = r.URL.Query()
						h.ServeHTTP(w, r)
					})}))
				f := reflect.New(filter).Elem()
				setFilter(t, f.FieldByIndex(field.Index))
				out := method.Func.Call([]reflect.Value{reflect.ValueOf(c), reflect.ValueOf(t.Context()), f, reflect.ValueOf(affiliate.Page{})})
				of := reflect.ValueOf(p).MethodByName(method.Name).Call([]reflect.Value{reflect.ValueOf(t.Context()), f, reflect.ValueOf(affiliate.Page{})})
				got, _ := errors.AsType[*affiliate.Error](errorOf(out[1]))
				want, _ := errors.AsType[*affiliate.Error](errorOf(of[1])) // a word of no enumeration is refused
				if diff := cmp.Diff(want, got); diff != "" || !sent.Has(name) {
					t.Errorf("sent %v (-engine +client):\n%s", sent, diff)
				}
			})
		}
	}
}

func errorOf(v reflect.Value) error {
	err, _ := v.Interface().(error)
	return err
}

// setFilter sets a field of a filter to a value that the server takes.
func setFilter(t *testing.T, v reflect.Value) {
	for _, sample := range []string{"true", "false", "7", `"2026-01-01T00:00:00Z"`, `"` + anID.String() + `"`, `"x@example.com"`} {
		if json.Unmarshal([]byte(sample), v.Addr().Interface()) == nil && !v.IsZero() {
			return
		}
	}
	t.Fatalf("no value of a %v", v.Type())
}

// TestFiltersAskNobody: when a field is set to an empty value, nothing is sent
// and nothing is selected. Without the field the query would select the records
// of everybody.
func TestFiltersAskNobody(t *testing.T) {
	var sent []string
	c := must(client.New("http://tributary.test", testKey, client.Config{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		sent = append(sent, r.URL.String())
		w.Header().Set("Content-Type", "application/json")
		w.Write([]byte("[{}]"))
	})}))
	none, noID := affiliate.Set(""), affiliate.Set(uuid.Nil)
	check := func(name string, n int, err error) {
		t.Helper()
		if n != 0 || err != nil || sent != nil {
			t.Errorf("%s: %d records, %v, sent %q", name, n, err, sent)
			sent = nil
		}
	}
	for _, f := range []affiliate.SaleQuery{
		{AffiliateID: noID}, {AffiliateID: affiliate.Null[uuid.UUID]()}, {AffiliateEmail: none}, {ReferralID: none},
		{ExternalID: none}, {ExternalInvoiceID: none}, {ExternalID: affiliate.Set("o1"), AffiliateID: noID},
	} {
		list, err := c.Sales(t.Context(), f, affiliate.Page{})
		check("sales", len(list.Items), err)
	}
	for _, f := range []affiliate.LinkQuery{{ID: noID}, {Slug: none}, {AffiliateID: noID}, {AffiliateEmail: none}} {
		list, err := c.Links(t.Context(), f, affiliate.Page{})
		check("links", len(list.Items), err)
	}
	for _, f := range []affiliate.CodeQuery{{CouponID: noID}, {AffiliateID: noID}, {AffiliateEmail: none}} {
		list, err := c.Codes(t.Context(), f, affiliate.Page{})
		check("codes", len(list.Items), err)
	}
	for _, f := range []affiliate.ReferralQuery{{AffiliateID: noID}, {AffiliateEmail: none}, {ReferredUserExternalID: none}} {
		list, err := c.Referrals(t.Context(), f, affiliate.Page{})
		check("referrals", len(list.Items), err)
	}
	deliveries, err := c.Webhooks().Deliveries(t.Context(), affiliate.DeliveryQuery{WebhookID: noID}, affiliate.Page{})
	check("deliveries", len(deliveries.Items), err)
}

// operations names what a type does over the wire: its methods that take a
// context.
func operations[T any]() []string {
	var names []string
	for m := range reflect.TypeFor[T]().Methods() {
		for in := range m.Type.Ins() {
			if in == reflect.TypeFor[context.Context]() && m.Name != "Do" { // which calls any operation
				names = append(names, m.Name)
			}
		}
	}
	slices.Sort(names)
	return names
}

// TestOperations: every method of the client that takes a context is an
// operation of the wire.
func TestOperations(t *testing.T) {
	shared := slices.DeleteFunc(operations[*client.Client](), func(name string) bool {
		return name == "PartnerToken" || strings.HasPrefix(name, "Propos") // the pages are the server's, and proposals those of its API
	})
	shared = slices.Sorted(slices.Values(append(shared, operations[client.Webhooks]()...)))
	if diff := cmp.Diff(operations[api.Operations](), shared); diff != "" {
		t.Errorf("methods of the interface, and of the client (-want +got):\n%s", diff)
	}
}

// TestInvocations: the tests that call every operation really call all of them.
func TestInvocations(t *testing.T) {
	var called []string
	for _, inv := range invocations() {
		called = append(called, inv.name)
	}
	slices.Sort(called)
	called = slices.Compact(called) // a job has its own, and so has a status
	if diff := cmp.Diff(operations[api.Operations](), called); diff != "" {
		t.Errorf("operations, and those that are called (-want +got):\n%s", diff)
	}
}

// Why a method of the engine has no route, or not yet.
const (
	beside = "it runs beside the store"
	server = "it is for the process of the server"
	view   = "it makes another view of the same program"
	other  = "another method has its route"
	facts  = "the module of a payment provider calls it in the host's process"
)

// offWire are the methods of the engine that no route offers.
//
// Source: docs/contract.md 4.6.
var offWire = map[string]string{
	"ImportReferrals": beside, "ImportAffiliates": beside, "ImportCoupons": beside, "ImportSales": beside, "ImportPayouts": beside,
	"AffiliateData": beside, "ReferralData": beside,
	"ClaimDeliveries": server, "SettleDeliveries": server, "Ping": server, "Backlog": server,
	"With": view, "Rehearsal": view, "From": view, "By": view, "Because": view, "Keyed": view, "Forfeiting": view, "Partner": view, "Webhooks": view, "Payments": view, "Imports": view, "Values": view, "Config": "the host's code; see Settings",
	"WriteCoupon": other, "WriteCoupons": other,
	"PaymentConflict": "Attention lists them", "OverdrawnRedemption": "Attention lists them", "Holds": "a page of the console lists them", "PayoutEntries": "the payout has their ids", "Answers": "the event affiliate.created has them", "AdjustmentReasons": "Adjustments has them",

	"ReportPayment": facts, "ReportSubscription": facts, "ReportPayer": facts, "ProviderPayment": facts, "ProviderPayments": facts, "Payer": facts,

	"Verify":   "VerifyJob is the same check",
	"Simulate": "POST /terms/simulate answers the sum of all affiliates",
}

// TestEveryMethodHasARoute (console check 2): a method of the engine is an
// operation of the wire, or it is said why it is none.
func TestEveryMethodHasARoute(t *testing.T) {
	routed, seen := operations[api.Operations](), map[string]bool{}
	for name := range scene.Methods(&tributary.Program{}) {
		seen[name] = true
		if _, off := offWire[name]; off == slices.Contains(routed, name) {
			t.Errorf("%s: over the wire %v, and off it %v", name, !off, off)
		}
	}
	for name := range offWire {
		if !seen[name] {
			t.Errorf("the engine has no %s", name)
		}
	}
}

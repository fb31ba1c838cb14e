package httpapi_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/client"
	"github.com/tributary-go/tributary/httpapi"
	"github.com/tributary-go/tributary/httpapi/portal"
)

// The checks of the administration over HTTP, by the numbers of its list.

const (
	unknownFieldX = "400 unknown_field: Unknown field: x [x]"
	nobody        = "0197d9a4-6c1e-7b52-9a3f-2f4c1d7e8a01"
)

// TestBulkLimit: the host may allow less than 1,000 at once.
func TestBulkLimit(t *testing.T) {
	k := newTill(t, func(s *setup) { s.engine.Limits.Bulk = 1 })
	k.no("400 bulk_limit_exceeded: The call is for more objects than the program allows at once", "POST", "/affiliates/tier-exempt",
		`{"affiliateIds":["`+k.ada+`","`+k.bo+`"],"exempt":true}`)
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

// TestStepsOverTheWire (console checks 5, 8, 14, 23): steps to the end do what
// the whole call does, and what is refused changes nothing.
func TestStepsOverTheWire(t *testing.T) {
	w := newWorld(t)
	w.ok("POST", "/api/v1/affiliates", `{"firstName":"Ada","lastName":"L","email":"ada@example.com","affiliateLink":"ada"}`)
	for i := range 30 {
		w.ok("POST", "/api/v1/sales", fmt.Sprintf(`{"referralId":"ada","email":"c%d@example.net","name":"C","totalEarned":100}`, i))
	}
	must(w.UpdateAffiliate(t.Context(), affiliate.AffiliateRef{Email: "ada@example.com"}, affiliate.AffiliateUpdate{CommissionRate: affiliate.Set(affiliate.MustPercent("5"))}))
	must(w.CreateTier(t.Context(), affiliate.TierParams{Tier: 1, Name: "all"}))
	const selection = "400 missing_field: Affiliate ID, affiliate email, referral ID, or all is required [affiliateId]"
	for _, row := range []struct{ path, body, want string }{
		{"/sales/recalculate", `{"all":false,"limit":3}`, selection},
		{"/sales/recalculate", `{"affiliateID":"x","all":true}`, "400 unknown_field: Unknown field: affiliateID [affiliateID]"},
		{"/sales/recalculate", `{"all":true,"limit":0}`, "400 invalid_field: limit must be an integer from 1 to 10000 [limit]"},
		{"/commission-tiers/assign", `{"all":true}`, "400 unknown_field: Unknown field: all [all]"},
	} {
		w.refuses(row.want, "POST", "/api/v1"+row.path, row.body)
	}
	looked, steps := 0, 0
	for cursor := ""; ; {
		body := map[string]any{"affiliateEmail": "ada@example.com", "limit": 7}
		if cursor != "" {
			body["cursor"] = cursor
		}
		raw, _ := json.Marshal(body)
		got := w.ok("POST", "/api/v1/sales/recalculate", string(raw))
		looked, steps = looked+int(got["looked"].(float64)), steps+1
		if got["done"] == true {
			equal(t, nil, got["cursor"])
			break
		}
		cursor = got["cursor"].(string)
	}
	if looked != 30 || steps != 5 {
		t.Errorf("%d sales in %d steps", looked, steps)
	}
	if n := must(w.Run(t.Context(), affiliate.RecalculateJob{})).Changed; n != 0 {
		t.Errorf("the whole call changes %d more", n)
	}
	c := must(client.New("http://inside.example", testKey, client.Config{Handler: w.api}))
	if n := must(c.Run(t.Context(), affiliate.AssignTiersJob{})).Changed; n != 1 {
		t.Errorf("%d affiliates changed", n)
	}
	must(w.UpdateAffiliate(t.Context(), affiliate.AffiliateRef{Email: "ada@example.com"}, affiliate.AffiliateUpdate{CommissionRate: affiliate.Set(affiliate.MustPercent("6"))}))
	must(w.SetTierExempt(t.Context(), true, must(w.Affiliate(t.Context(), "ada@example.com")).ID))
	if n := must(c.Run(t.Context(), affiliate.RecalculateJob{})).Changed; n != 30 {
		t.Errorf("%d sales changed", n)
	}
	for _, f := range []affiliate.RecalculateJob{{AffiliateEmail: affiliate.Set("")}, {ReferralID: affiliate.Null[string]()}} {
		if n := must(c.Run(t.Context(), f)).Changed; n != 0 {
			t.Errorf("a filter of nothing selects %d", n)
		}
	}
	w.verify()
}

const verifyPath = "/api/v1/verify"

// TestVerifyOverTheWire (console checks 5 and 19): books in order, a planted
// breach, and a hundred of 150.
func TestVerifyOverTheWire(t *testing.T) {
	w := newWorld(t)
	w.fill()
	type breach struct{ Invariant, Object, Detail string }
	type report struct {
		Holds           bool
		Records, TookMs int64
		Breaches        []breach
	}
	verify := func() (r report) {
		got := w.do("GET", verifyPath, "")
		if err := json.Unmarshal([]byte(got.body), &r); got.status != 200 || err != nil {
			t.Fatalf("%d %s: %v", got.status, got.body, err)
		}
		return r
	}
	fine := verify()
	if !fine.Holds || fine.Records == 0 || fine.Breaches == nil || len(fine.Breaches) > 0 {
		t.Errorf("books in order: %+v", fine)
	}
	plant := func(n int) {
		err := w.store.Store.Update(t.Context(), w.Config().ID, func(tx *record.Tx) error {
			for range n {
				if err := tx.Coupons.Insert(record.Coupon{ID: uuid.New(), Name: "planted"}); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	plant(1)
	one := verify()
	broken := w.Verify(t.Context())
	if one.Holds || len(one.Breaches) == 0 || one.Records != fine.Records+1 {
		t.Fatalf("a planted coupon: %+v", one)
	}
	for _, b := range one.Breaches {
		if !strings.Contains(broken.Error(), "affiliate: "+b.Invariant+": "+b.Object+": "+b.Detail) {
			t.Errorf("%+v is not in %v", b, broken)
		}
	}
	plant(149)
	if many := verify(); many.Holds || len(many.Breaches) != 100 {
		t.Errorf("150 planted: %d breaches, holds %v", len(many.Breaches), many.Holds)
	}
	w.refuses("400 invalid_query: Unknown query parameter: limit [limit]", "GET", verifyPath+"?limit=1", "")
}

// A slowStore is a store whose Views wait.
type slowStore struct {
	record.Store
	reached chan struct{}
	wait    func(context.Context)
}

func (s slowStore) View(ctx context.Context, id uuid.UUID, fn func(*record.Tx) error) error {
	s.reached <- struct{}{}
	s.wait(ctx)
	return s.Store.View(ctx, id, fn)
}

// TestVerifyOneAtATime (console check 19): a second request is refused; a request
// that is given up ends the check and frees the place, and so does a panic.
func TestVerifyOneAtATime(t *testing.T) {
	reached := make(chan struct{}, 8)
	wait := func(ctx context.Context) { <-ctx.Done() }
	w := newWorld(t, func(s *setup) {
		inner := s.store
		s.store = slowStore{inner, reached, func(ctx context.Context) { wait(ctx) }}
	})
	ctx, cancel := context.WithCancel(t.Context())
	over := make(chan struct{})
	go func() {
		defer close(over)
		w.api.ServeHTTP(httptest.NewRecorder(), request("GET", verifyPath, "").WithContext(ctx))
	}()
	<-reached
	equal(t, "400 verify_running: A verification is running", w.do("GET", verifyPath, "").refusal())
	cancel()
	<-over
	wait = func(context.Context) { panic("store") }
	if got := w.do("GET", verifyPath, ""); got.status != 500 {
		t.Errorf("a panic is answered %d", got.status)
	}
	wait = func(context.Context) {}
	if got := w.do("GET", verifyPath, ""); got.status != 200 {
		t.Errorf("afterwards: %s", got.refusal())
	}
}

// TestVerifyOutlivesDeadlines (console check 19): an answer that takes longer
// than the deadlines of the server arrives whole, and other requests still have
// them.
func TestVerifyOutlivesDeadlines(t *testing.T) {
	const deadline = 40 * time.Millisecond
	w := newWorld(t, func(s *setup) {
		s.store = slowStore{s.store, make(chan struct{}, 8), func(ctx context.Context) {
			select {
			case <-time.After(4 * deadline):
			case <-ctx.Done():
			}
		}}
	})
	server := httptest.NewUnstartedServer(w.api)
	server.Config.WriteTimeout, server.Config.ReadTimeout = deadline, deadline
	server.Start()
	defer server.Close()
	get := func(path string) (string, error) {
		req := must(http.NewRequestWithContext(t.Context(), "GET", server.URL+path, nil))
		req.Header.Set("Authorization", "Bearer "+testKey)
		resp, err := server.Client().Do(req)
		if err != nil {
			return "", err
		}
		defer resp.Body.Close()
		body, err := io.ReadAll(resp.Body)
		return string(body), err
	}
	if body, err := get(verifyPath); err != nil || !strings.HasPrefix(body, `{"holds":true,`) {
		t.Errorf("the check: %q, %v", body, err)
	}
	if body, err := get("/api/v1/commission-plans"); err == nil && body == "[]" {
		t.Error("a list has no deadline")
	}
}

// TestHolds: a hold is made, priced anew, confirmed by the sale that names it, and released;
// a date without a time is the end of that day. Only a key of the scope full says what a
// currency is worth.
func TestHolds(t *testing.T) {
	w := newWorld(t, withScopes)
	w.fill()
	auth := func(scope string) string { return "Authorization: Bearer " + scope + "-key-of-this-suite" }
	full := auth("full")
	held := w.ok("POST", "/api/v1/holds", `{"id":"c1","code":"ada20","subtotal":50,"until":"2026-03-11"}`, full)
	equal(t, any("2026-03-11T23:59:59.999Z"), held["until"])
	equal(t, any(40.0), held["total"])
	again := w.ok("POST", "/api/v1/holds", `{"id":"c1","promoCode":"ADA20","subtotal":100,"until":"2026-03-11T10:00:00Z"}`, full)
	equal(t, any(80.0), again["total"])
	equal(t, held["createdAt"], again["createdAt"])
	w.refuses("400 invalid_field: until must be after now, and at most 24 hours later [until]", "POST", "/api/v1/holds", `{"id":"c2","promoCode":"ADA20","until":"2026-03-10"}`, full)
	w.refuses("400 missing_field: Hold ID is required [id]", "GET", "/api/v1/holds", "", full)
	equal(t, "null", w.do("GET", "/api/v1/holds?id=none", "", full).body)

	sold := w.ok("POST", "/api/v1/sales", `{"holdId":"c1","email":"kim@example.net","totalEarned":80}`, full)
	equal(t, any(100.0), sold["subtotal"])
	equal(t, any("CONFIRMED"), w.ok("GET", "/api/v1/holds?id=c1", "", auth("read"))["state"])
	w.refuses("400 hold_confirmed: Hold was already confirmed by a sale", "DELETE", "/api/v1/holds", `{"id":"c1"}`, full)

	w.ok("POST", "/api/v1/holds", `{"id":"c3","promoCode":"ADA20","code":"NOPE","until":"2026-03-11T10:00:00Z"}`, auth("integration"))
	equal(t, any("RELEASED"), w.ok("DELETE", "/api/v1/holds", `{"id":"c3"}`, auth("integration"))["state"])
	w.refuses(tooNarrow, "POST", "/api/v1/holds", `{"id":"c4","promoCode":"ADA20","until":"2026-03-11T10:00:00Z","currency":"EUR","exchangeRate":1.5}`, auth("integration"))
	w.refuses(tooNarrow, "DELETE", "/api/v1/holds", `{"id":"c3"}`, auth("read"))
}

// TestHouseCodes: an order by a code without an affiliate that credits nobody is answered null, and the
// header says that the code was redeemed. Its redemption is given back by the id of the order.
func TestHouseCodes(t *testing.T) {
	w := newWorld(t, func(s *setup) { s.engine.HouseCodes = true })
	coupon := must(w.CreateCoupon(t.Context(), affiliate.CouponParams{Name: "Launch", PercentOff: affiliate.Set(affiliate.MustPercent("10"))}))
	w.ok("POST", "/api/v1/promotional-codes", `{"couponId":"`+coupon.ID.String()+`","code":"LAUNCH"}`)
	order := `{"promoCode":"LAUNCH","email":"lee@example.net","totalEarned":90,"subtotal":100,"externalId":"o1"}`
	for _, outcome := range []string{"redeemed", "duplicate"} {
		got := w.do("POST", "/api/v1/sales", order)
		equal(t, [2]string{"null", outcome}, [2]string{got.body, got.header.Get("Sale-Outcome")})
	}
	first := w.do("POST", "/api/v1/sales", `{"promoCode":"LAUNCH","totalEarned":90,"externalId":"o2"}`, idem+"o2")
	w.now = w.now.Add(time.Minute)
	again := w.do("POST", "/api/v1/sales", `{"promoCode":"LAUNCH","totalEarned":90,"externalId":"o2"}`, idem+"o2")
	equal(t, first.header.Get("Sale-Outcome"), again.header.Get("Sale-Outcome"))
	w.refuses("400 missing_field: External ID is required [externalId]", "POST", "/api/v1/sales", `{"promoCode":"LAUNCH","totalEarned":90}`)

	count := func() int64 { return must(w.Coupon(t.Context(), affiliate.CouponRef{ID: coupon.ID})).TimesRedeemed }
	equal(t, int64(2), count())
	w.ok("POST", "/api/v1/sales/restore-redemption", `{"externalId":"o1"}`)
	equal(t, int64(1), count())
}

var portalKey = bytes.Repeat([]byte("p"), 32)

const tokenPath = "/api/v1/partner/token"

// TestPartnerToken (console check 59): a full key gets a URL that opens the pages
// within its time; other keys, unknown affiliates and a server without pages do not.
func TestPartnerToken(t *testing.T) {
	w := newWorld(t)
	s := w.fill()
	pages := must(portal.New(w.Program, portal.Config{Prefix: "/partner/", Key: portalKey, NoPayoutForm: true}))
	open := func(target string) int {
		rec := httptest.NewRecorder()
		pages.ServeHTTP(rec, httptest.NewRequest("GET", strings.TrimPrefix(target, "https://shop.example"), nil))
		return rec.Code
	}
	answer := w.ok("POST", tokenPath, `{"affiliateId":"`+s.affiliate.String()+`","ttlSeconds":30}`)
	target := answer["url"].(string)
	if !strings.HasPrefix(target, "https://shop.example/partner/enter?token=tp1.") || !strings.HasSuffix(target, answer["token"].(string)) || open(target) != http.StatusSeeOther {
		t.Errorf("got %v, which opens %d", answer, open(target))
	}
	if expires := must(time.Parse(time.RFC3339, answer["expiresAt"].(string))); expires.After(w.now.Add(30*time.Second)) || expires.Before(w.now.Add(29*time.Second)) {
		t.Errorf("it expires at %s, now is %s", expires, w.now)
	}
	w.now = w.now.Add(30 * time.Second)
	if code := open(target); code != http.StatusForbidden {
		t.Errorf("after its time it opens %d", code)
	}
	w.refuses("404 affiliate_not_found: Affiliate not found", "POST", tokenPath, `{"affiliateId":"`+uuid.NewString()+`"}`)
	w.refuses("400 missing_field: Affiliate ID is required [affiliateId]", "POST", tokenPath, `{"ttlSeconds":5}`)
	w.refuses("400 invalid_field: ttlSeconds must be an integer from 30 to 3600 [ttlSeconds]", "POST", tokenPath, `{"affiliateId":"`+s.affiliate.String()+`","ttlSeconds":29}`)
	keys := []httpapi.Key{{Secret: "a-key-of-a-full-scope"}, {Secret: "a-key-of-a-shop-system", Scope: httpapi.ScopeIntegration}, {Secret: "a-key-of-a-read-scope", Scope: httpapi.ScopeRead}}
	bare := must(httpapi.New(w.Program, httpapi.Config{Keys: keys}))
	for i, want := range []affiliate.Reason{affiliate.PortalNotConfigured, affiliate.InsufficientScope, affiliate.InsufficientScope} {
		c := must(client.New("http://tributary.test", keys[i].Secret, client.Config{Handler: bare}))
		if _, err := c.PartnerToken(t.Context(), s.affiliate, 0); !errors.Is(err, want) {
			t.Errorf("%s: %v", keys[i].Scope, err)
		}
	}
	for name, link := range map[string]httpapi.PortalLink{
		"short key": {Key: portalKey[:31], URL: "https://x.example/"}, "no URL": {Key: portalKey}, "no slash": {Key: portalKey, URL: "https://x.example/partner"}, "script": {Key: portalKey, URL: "javascript:alert(1)/"},
	} {
		if _, err := httpapi.New(w.Program, httpapi.Config{Keys: keys, Portal: &link}); err == nil || !strings.HasPrefix(err.Error(), "httpapi: Config.Portal") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestNote: keys write and read the note of an affiliate; a repeat of an answer that has it is the same; the
// events that are listed have it no more than webhooks.
func TestNote(t *testing.T) {
	w := newWorld(t)
	ada := w.ok("POST", "/api/v1/affiliates", `{"firstName":"Ada","lastName":"L","email":"ada@example.org"}`)
	id := ada["id"].(string)
	if _, there := ada["note"]; there {
		t.Errorf("a new affiliate has the note %v", ada["note"])
	}
	w.ok("PUT", "/api/v1/affiliates", `{"affiliateId":"`+id+`","note":"asks often\n<b>"}`)
	equal(t, "asks often\n<b>", w.ok("GET", "/api/v1/affiliates?id="+id, "")["note"].(string))
	pay := operation{"POST", "/api/v1/affiliates/payout-details", `{"affiliateId":"` + id + `","payoutEmail":"ada@pay.example","paymentMethod":"PAYPAL"}`}
	first := w.do(pay.method, pay.target, pay.body, idem+"pay")
	if first.status != 200 || !strings.Contains(first.body, `"note":"asks often\n`) {
		t.Errorf("%d %s", first.status, first.body)
	}
	w.ok("PUT", "/api/v1/affiliates", `{"affiliateId":"`+id+`","note":null}`)
	w.replays(first, pay, idem+"pay")
	if _, there := w.ok("GET", "/api/v1/affiliates?id="+id, "")["note"]; there {
		t.Error("null leaves the note")
	}
	if events := w.do("GET", "/api/v1/events", ""); events.status != 200 || strings.Contains(events.body, "asks") || strings.Count(events.body, "affiliate.updated") < 2 {
		t.Errorf("%d %s", events.status, events.body)
	}
	w.verify()
}

// TestReviewOverTheWire: sales that are held are found and decided about. Its
// first part is money check 43, with a sale that a review rule held.
func TestReviewOverTheWire(t *testing.T) {
	k := newTill(t, func(s *setup) { s.engine.Review = []affiliate.ReviewRule{affiliate.SelfReferral()} })
	sale := k.ask("POST", "/sales", `{"referralId":"ada","email":"ada+shop@example.org","name":"A","totalEarned":100}`)
	k.ids["S"] = text(sale["id"])
	k.sell("S2", "50")
	k.fired()
	held := k.list("/sales/search?approvalStatus=ON_HOLD")
	equal(t, []any{sale["id"]}, []any{held[0]["id"]})
	equal(t, 1, len(held))
	k.balance(object{"held": 20.0, "payable": 10.0})
	k.ask("POST", "/sales/review", `{"saleIds":["{S}"],"approvalStatus":"ACCEPTED"}`)
	k.balance(object{"held": 0.0, "payable": 30.0})
	k.has(k.commissions("S")[0], object{"approvalStatus": "ACCEPTED", "holdReason": nil, "riskReasons": []any{"self_referral"}})
	k.fires("sale.updated S")
	equal(t, 0, len(k.list("/sales/search?approvalStatus=ON_HOLD")))
	equal(t, 2, len(k.list("/sales/search?affiliateId="+k.ada+"&since=2026-03-11&until=2026-03-11")))

	many := make([]string, 101)
	for i := range many {
		many[i] = fmt.Sprint(i + 1)
	}
	k.no("400 invalid_field: saleIds must have at most 100 entries [saleIds]", "POST", "/sales/review", `{"saleIds":[`+strings.Join(many, ",")+`],"approvalStatus":"DECLINED"}`)
	k.no("404 sale_not_found: Sale not found", "POST", "/sales/review", `{"saleIds":[{S},"x","y"],"approvalStatus":"DECLINED"}`)
	k.pay("P1", "")
	seen := k.ask("POST", "/promotional-codes/validate", `{"promoCode":"ADA20","email":"ada+shop@example.org","subtotal":60}`)
	equal(t, []any{true, []any{"self_referral"}}, []any{seen["valid"], seen["risks"]})
	answer := k.do("POST", "/api/v1/sales/review", k.named(`{"saleIds":[{S2},{S}],"approvalStatus":"ACCEPTED"}`), idem+"r")
	if strings.Index(answer.body, `"id":`+k.ids["S2"]) > strings.Index(answer.body, `"id":`+k.ids["S"]+",") || answer.status != 200 {
		t.Errorf("not in the order of the ids: %s", answer.body)
	}
	again := k.do("POST", "/api/v1/sales/review", k.named(`{"saleIds":[{S2},{S}],"approvalStatus":"ACCEPTED"}`), idem+"r")
	equal(t, answer.body, again.body)
	k.verify()
}

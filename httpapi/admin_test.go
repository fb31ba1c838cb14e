package httpapi_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
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

// TestProgramSettings: GET /program shows the configuration.
func TestProgramSettings(t *testing.T) {
	w := newWorld(t, func(s *setup) {
		s.engine.Destinations[0].Params = map[string][]string{"utm_source": {"partner"}}
		s.engine.Terms = affiliate.Terms{Rate: affiliate.MustPercent("12.5"), MaxPayments: 3, HoldDays: 14}
		s.engine.Schedule = []time.Duration{0, 5 * time.Second}
	})
	equal(t, map[string]any{
		"id": w.Config().ID.String(), "name": "Northwind Beans", "currency": "USD", "timeZone": "UTC", "urlModifier": "ref", "cookieDuration": 60.0,
		"destinations": []any{map[string]any{"url": "https://beans.example/shop", "params": map[string]any{"utm_source": []any{"partner"}}}},
		"terms":        map[string]any{"commissionType": "PERCENTAGE", "commissionRate": 12.5, "numberOfPayments": 3.0, "numberOfMonths": nil, "holdDays": 14.0},
		"autoApprove":  true, "commissionOnTax": false, "commissionOnShipping": false, "refundWindowSeconds": nil, "payoutMinimum": 0.0, "cascadeEvents": false,
		"countBots": false, "freeOrders": false, "houseCodes": false, "refuseSuspended": false, "requireCustomer": false,
		"setByCode": []any{"name", "destinations"}, "revision": 0.0, "updatedBy": nil, "updatedAt": nil,
		"deliverySchedule": []any{0.0, 5.0},
	}, w.ok("GET", "/api/v1/program", ""))
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
		s.engine.StoredSettings = false // they would be read by the slow store
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
		s.engine.StoredSettings = false
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

package httpapi_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
)

const (
	badQuery  = "400 invalid_query: Invalid query string"
	badLimit  = "400 invalid_query: limit must be an integer from 1 to 1000 [limit]"
	badCursor = "400 invalid_query: Invalid cursor [cursor]"
)

// lookups lists the parameters of each GET: one are the parameters that name
// one object, several those that select a list.
var lookups = map[string]struct{ one, several []string }{
	"affiliates":               {[]string{"id", "email"}, nil},
	"links":                    {nil, []string{"id", "link", "affiliateId", "affiliateEmail"}},
	"coupons":                  {[]string{"id", "couponId", "externalId", "name"}, nil},
	"promotional-codes":        {[]string{"id", "code", "externalId"}, []string{"couponId", "affiliateId", "affiliateEmail"}},
	"referrals":                {[]string{"id"}, []string{"affiliateId", "affiliateEmail", "externalId"}},
	"sales":                    {[]string{"id"}, []string{"affiliateId", "affiliateEmail", "referralId", "saleExternalId", "saleExternalInvoiceId"}},
	"sales/search":             {nil, []string{"affiliateId", "referralId", "promotionalCodeId"}},
	"affiliates/search":        {nil, []string{"commissionPlanId", "commissionTierId"}},
	"referrals/search":         {nil, []string{"affiliateId"}},
	"promotional-codes/search": {nil, []string{"couponId", "affiliateId"}},
	"events":                   {nil, []string{"objectId"}},
	"payouts":                  {[]string{"id"}, []string{"affiliateId", "affiliateEmail"}},
	"payouts/runs":             {[]string{"externalId"}, nil},
	"balances":                 {[]string{"affiliateId", "affiliateEmail"}, nil},
	"movements":                {nil, []string{"affiliateId", "affiliateEmail", "saleId", "payoutId", "adjustmentId"}},
	"adjustments":              {[]string{"id"}, []string{"affiliateId", "affiliateEmail", "saleId", "payoutId"}},
	"cases":                    {[]string{"id"}, []string{"affiliateId", "affiliateEmail"}},
	"bonuses":                  {[]string{"affiliateId", "affiliateEmail"}, nil},
	"budgets":                  {nil, []string{"affiliateId", "affiliateEmail"}},
	"commission-plans":         {[]string{"commissionPlanId"}, nil},
	"commission-tiers":         {[]string{"commissionTierId"}, nil},
	"webhooks":                 {[]string{"webhookId"}, nil},
	"webhooks/deliveries":      {[]string{"deliveryId"}, []string{"webhookId"}},
}

// pages follows the links of a list and joins its pages.
func (w *world) pages(target, limit string) string {
	w.t.Helper()
	base := must(url.Parse("/api/v1/" + target))
	query := base.Query()
	query.Set("limit", limit)
	next := base.Path + "?" + query.Encode()
	var bodies []string
	for range 1000 {
		got := w.do("GET", next, "")
		if got.status != 200 {
			w.t.Fatalf("%s: %s", next, got.refusal())
		}
		if body := strings.Trim(got.body, "[]"); body != "" {
			bodies = append(bodies, body)
		}
		link := got.header.Get("Link")
		if link == "" {
			return "[" + strings.Join(bodies, ",") + "]"
		}
		ref, rel, _ := strings.Cut(strings.TrimPrefix(link, "<"), ">")
		if !strings.HasPrefix(ref, "?") || rel != `; rel="next"` {
			w.t.Fatalf("Link: %s", link)
		}
		next = base.ResolveReference(must(url.Parse(ref))).String()
	}
	w.t.Fatalf("%s does not end", target)
	return ""
}

// TestCursorAlone: a cursor without a limit gives a hundred (B119).
func TestCursorAlone(t *testing.T) {
	w := newWorld(t)
	for range 150 {
		w.ok("POST", couponsPath, fullBody)
	}
	_, rest, _ := strings.Cut(w.do("GET", couponsPath+"?limit=1", "").header.Get("Link"), "cursor=")
	cursor, _, _ := strings.Cut(rest, ">")
	page := w.do("GET", couponsPath+"?cursor="+cursor, "")
	if n := strings.Count(page.body, `"couponType"`); n != 100 || !strings.Contains(page.header.Get("Link"), "limit=100&") {
		t.Errorf("a cursor without a limit gives %d, Link %s", n, page.header.Get("Link"))
	}
}

// FuzzQuery: a query is refused when url.ParseQuery refuses it, when it is not
// UTF-8, and when a known name is repeated or empty. Any other query is
// answered, and its encoding makes no difference.
func FuzzQuery(f *testing.F) {
	for _, q := range []string{
		"id=%zz", "a=1;id=x", "id=A&id=A", "id=", "name=%ff", "name=a+b&limit=5", "limit=0", "cursor=x", "n%61me=c", "name=c&page=2", "&&id=x&", "=&=", "externalId=%00",
	} {
		f.Add(q)
	}
	w := newWorld(f)
	must(w.CreateCoupon(f.Context(), affiliate.CouponParams{Name: "a b", PercentOff: affiliate.Set(affiliate.MustPercent("20"))}))
	known := []string{"id", "couponId", "externalId", "name", "limit", "cursor"}
	ask := func(t *testing.T, raw string) answer {
		r := request("GET", couponsPath, "")
		r.URL.RawQuery = raw
		return send(t, w.api, r)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		got := ask(t, raw)
		values, err := url.ParseQuery(raw)
		valid := err == nil
		for name, texts := range values {
			for _, s := range texts {
				valid = valid && utf8.ValidString(name) && utf8.ValidString(s)
			}
		}
		if !valid {
			if got.refusal() != badQuery {
				t.Fatalf("%q: %s", raw, got.refusal())
			}
			return
		}
		for _, name := range known {
			if n := len(values[name]); n > 1 || n == 1 && values[name][0] == "" {
				if got.code() != "invalid_query" {
					t.Fatalf("%q: %s", raw, got.refusal())
				}
				return
			}
		}
		if got.status != 200 && got.refusal() != badLimit && got.refusal() != badCursor {
			t.Fatalf("%q: %s", raw, got.refusal())
		}
		if again := ask(t, values.Encode()); again.body != got.body || again.status != got.status {
			t.Fatalf("%q and %q differ: %s, %s", raw, values.Encode(), got.body, again.body)
		}
	})
}

// wholeLists are lists without limit and cursor.
var wholeLists = []string{
	"affiliates", "links", "links?affiliateEmail=ada@example.com", "coupons", "promotional-codes", "referrals", "sales",
	"sales?affiliateEmail=ada@example.com", "webhooks/deliveries", "webhooks/deliveries?event=sale.created",
}

// long fills every list of wholeLists with n records and more, and none of them
// fits into one piece of an answer.
func (w *world) long(n int) *world {
	w.t.Helper()
	ctx := w.t.Context()
	must(w.Webhooks().CreateEndpoint(ctx, affiliate.EndpointParams{URL: "https://hooks.example/x", Events: []affiliate.EventType{"*"}}))
	ada := must(w.CreateAffiliate(ctx, affiliate.AffiliateParams{FirstName: "Ada", LastName: "L", Email: "ada@example.com"}))
	for i := range n {
		must(w.CreateAffiliate(ctx, affiliate.AffiliateParams{FirstName: "B", LastName: "C", Email: fmt.Sprintf("b%d@example.com", i)}))
		must(w.CreateLink(ctx, affiliate.LinkParams{Link: fmt.Sprint("more-", i), AffiliateID: ada.ID}))
		c := must(w.CreateCoupon(ctx, affiliate.CouponParams{Name: fmt.Sprint("c", i), PercentOff: affiliate.Set(affiliate.MustPercent("20"))}))
		must(w.CreateCode(ctx, affiliate.CodeParams{CouponID: c.ID, Code: fmt.Sprint("CODE", i), AffiliateID: ada.ID}))
	}
	for i := range n {
		must(w.RecordSale(ctx, affiliate.SaleParams{
			PromoCode: "code0", TotalEarned: affiliate.MustAmount("10"), Email: fmt.Sprintf("c%d@example.net", i), Name: "C",
		}))
	}
	w.store.broken(nil) // counts from here
	return w
}

// A taker is a caller who does something with each piece of an answer.
type taker struct {
	*httptest.ResponseRecorder
	largest, pieces int
	each            func(piece int) error
}

func watch(each func(piece int) error) *taker {
	return &taker{ResponseRecorder: httptest.NewRecorder(), each: each}
}

// Write hands the piece over.
func (w *taker) Write(p []byte) (int, error) {
	w.pieces++
	w.largest = max(w.largest, len(p))
	if err := w.each(w.pieces); err != nil {
		return 0, err
	}
	return w.ResponseRecorder.Write(p)
}

// TestWholeLists: a list without a limit is read page by page, outside of every
// transaction it is written, and its bytes are those of its pages.
func TestWholeLists(t *testing.T) {
	w := newWorld(t).long(120)
	for _, target := range wholeLists {
		w.store.broken(nil)
		out := watch(func(piece int) error {
			if piece == 1 && w.store.calls > 2 {
				t.Errorf("%s: %d transactions before the first piece", target, w.store.calls)
			}
			must(w.CreateCoupon(t.Context(), affiliate.CouponParams{Name: "meanwhile", PercentOff: affiliate.Set(affiliate.MustPercent("20"))}))
			return nil
		})
		w.api.ServeHTTP(out, request("GET", "/api/v1/"+target, ""))
		got := answer{out.Code, out.Result().Header, out.Body.String()}
		got.check(t, target)
		if views := w.store.calls - out.pieces; views < 2 || out.pieces < 2 || out.largest > 80<<10 {
			t.Errorf("%s: %d views, %d pieces, the largest of %d bytes", target, views, out.pieces, out.largest)
		}
		if got.header.Get("Link") != "" || got.header.Get("Content-Length") != "" {
			t.Errorf("%s: headers %v", target, got.header)
		}
		if target != "coupons" && !strings.HasPrefix(target, "webhooks/") { // these have grown meanwhile
			equal(t, w.pages(target, "7"), got.body)
		}
		got.header.Del("X-Request-Id")
		equal(t, got.header, w.do("HEAD", "/api/v1/"+target, "").header)
	}
	w.store.broken(nil)
	if w.do("HEAD", "/api/v1/sales", ""); w.store.calls > 2 {
		t.Errorf("HEAD reads on without a body: %d transactions", w.store.calls)
	}
}

// TestShortLists: a list of one piece is sent with its length.
func TestShortLists(t *testing.T) {
	w := newWorld(t).long(3)
	for _, target := range append(wholeLists, "webhooks") {
		got := w.do("GET", "/api/v1/"+target, "")
		equal(t, fmt.Sprint(len(got.body)), got.header.Get("Content-Length"))
		got.header.Del("X-Request-Id")
		equal(t, got.header, w.do("HEAD", "/api/v1/"+target, "").header)
	}
	none := newWorld(t)
	for _, target := range wholeLists {
		got := none.do("GET", "/api/v1/"+target, "")
		equal(t, "[] 2", got.body+" "+got.header.Get("Content-Length"))
	}
}

// TestListBreaksOff: a list that fails after its first bytes ends the
// connection, so that no client takes a part for the whole, and the log says
// why. Before them the answer is an ordinary error.
func TestListBreaksOff(t *testing.T) {
	w := newWorld(t).long(120)
	srv := w.serve()
	get := func(target string) (int, []byte, error) {
		r := must(http.NewRequest("GET", srv.URL+"/api/v1/"+target, nil))
		r.Header.Set("Authorization", "Bearer "+testKey)
		resp, err := srv.Client().Do(r)
		if err != nil {
			return 0, nil, err
		}
		defer resp.Body.Close()
		body, err := io.ReadAll(resp.Body)
		return resp.StatusCode, body, err
	}
	for _, target := range []string{"sales", "coupons", "promotional-codes"} {
		_, whole, err := get(target)
		if err != nil || !json.Valid(whole) {
			t.Fatal(target, err)
		}
		for _, how := range []string{"error", "panic"} {
			for n := 1; n <= 2; n++ {
				step := faults[how](w.store.Store, n)
				w.store.broken(func(record.Store) record.Store { return step })
				status, body, err := get(target)
				w.store.broken(nil)
				if n == 1 && (status != 500 || err != nil) || n == 2 && (err == nil || json.Valid(body) || len(body) >= len(whole)) {
					t.Errorf("%s, %s at %d: %d, %d of %d bytes, %v", target, how, n, status, len(body), len(whole), err)
				}
			}
		}
	}
	log := strings.Join(w.logs.lines(), "\n")
	for _, want := range []string{`msg="answer broke off" operation="GET /api/v1/sales"`, `msg="request panicked" operation="GET /api/v1/sales"`} {
		if !strings.Contains(log, want) {
			t.Errorf("the log lacks %s:\n%s", want, log)
		}
	}
}

// TestGoneReader: a reader who goes away in the middle ends the walk, and is no
// error of the server.
func TestGoneReader(t *testing.T) {
	for _, target := range []string{"sales", "coupons", "promotional-codes"} {
		for _, how := range []string{"context", "write"} {
			t.Run(target+" "+how, func(t *testing.T) {
				w := newWorld(t).long(200)
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				out := watch(func(int) error {
					if how == "write" {
						return errors.New("i/o timeout")
					}
					cancel()
					return nil
				})
				defer func() {
					if v := recover(); v != http.ErrAbortHandler || w.store.calls > 3 || out.pieces > 2 {
						t.Errorf("recovered %v after %d transactions and %d pieces", v, w.store.calls, out.pieces)
					}
					if log := strings.Join(w.logs.lines(), "\n"); strings.Contains(log, "ERROR") {
						t.Errorf("log: %s", log)
					}
				}()
				w.api.ServeHTTP(out, request("GET", "/api/v1/"+target, "").WithContext(ctx))
				t.Error("no panic")
			})
		}
	}
}

// TestListMeanwhile: a walk goes on behind a record that is deleted while it
// stands on it. What exists throughout is in the list once, what is created
// meanwhile is not, what is deleted may be missing.
func TestListMeanwhile(t *testing.T) {
	w := newWorld(t).long(200)
	before := must(w.Sales(t.Context(), affiliate.SaleQuery{}, affiliate.Page{})).Items
	gone := map[affiliate.SaleID]bool{}
	out := watch(func(piece int) error {
		for _, i := range []int{20, 21, 48, 49, 50, 51, 88, 89, 90, 91, 92, 130, 199} {
			if i/50 == piece-1 {
				gone[before[i].ID] = true
				if err := w.DeleteSale(t.Context(), before[i].ID); err != nil {
					t.Error(err)
				}
			}
		}
		must(w.RecordSale(t.Context(), affiliate.SaleParams{PromoCode: "code1", TotalEarned: affiliate.MustAmount("5")}))
		return nil
	})
	w.api.ServeHTTP(out, request("GET", "/api/v1/sales", ""))
	var got []affiliate.Sale
	must(0, json.Unmarshal(out.Body.Bytes(), &got))
	var ids, want []affiliate.SaleID
	seen := map[affiliate.SaleID]bool{}
	for _, s := range got {
		if seen[s.ID] {
			t.Errorf("sale %d twice", s.ID)
		}
		if seen[s.ID] = true; !gone[s.ID] {
			ids = append(ids, s.ID)
		}
	}
	for _, s := range before {
		if !gone[s.ID] {
			want = append(want, s.ID)
		}
	}
	if diff := cmp.Diff(want, ids); diff != "" || len(gone) < 10 {
		t.Errorf("%d deleted, (-want +got):\n%s", len(gone), diff)
	}
}

// TestListOwnerMoves: a filter by email is the affiliate who had it when the
// list began. When that affiliate's email changes meanwhile, the answer breaks
// off: it must not end early or go on with somebody else.
func TestListOwnerMoves(t *testing.T) {
	for _, next := range []string{"nobody", "another"} {
		t.Run(next, func(t *testing.T) {
			w := newWorld(t).long(200)
			ada := must(w.Affiliate(t.Context(), "ada@example.com"))
			out := watch(func(piece int) error {
				if piece > 1 {
					return nil
				}
				rename := func(id uuid.UUID, email string) {
					must(w.UpdateAffiliate(t.Context(), affiliate.AffiliateRef{ID: id}, affiliate.AffiliateUpdate{Email: affiliate.Set(email)}))
				}
				rename(ada.ID, "new@example.com")
				if next == "another" {
					rename(must(w.Affiliate(t.Context(), "b1@example.com")).ID, "ada@example.com")
				}
				return nil
			})
			defer func() {
				if v := recover(); v != http.ErrAbortHandler || json.Valid(out.Body.Bytes()) {
					t.Errorf("recovered %v, %d bytes", v, out.Body.Len())
				}
			}()
			w.api.ServeHTTP(out, request("GET", "/api/v1/sales?affiliateEmail=ada@example.com", ""))
			t.Errorf("the answer ended with %d bytes", out.Body.Len())
		})
	}
}

// TestMisspeltParameters: what is nearly the name of a parameter that is not sent is refused, and does not list
// everything; what resembles none, or one that is sent, is ignored. A DELETE names what it needs.
func TestMisspeltParameters(t *testing.T) {
	w := newWorld(t)
	w.fill()
	for _, target := range []string{
		"coupons?couponid=x", "coupons?external_id=x", "sales?affiliateid=x", "sales?saleExternalID=x", "referrals?external-id=x",
		"links?affiliateEmial=x", "promotional-codes?couponID=x", "sales?Limit=5", "affiliates?curser=x", "affiliates?emali=x&limit=1",
	} {
		_, query, _ := strings.Cut(target, "?")
		name, _, _ := strings.Cut(query, "=")
		want := "400 invalid_query: Unknown query parameter: " + name + " [" + name + "]"
		if got := w.do("GET", "/api/v1/"+target, "").refusal(); got != want {
			t.Errorf("GET /%s: %s", target, got)
		}
	}
	for _, target := range []string{"coupons?couponIds=x", "sales?ref=x&utm_source=y", "affiliates?Id=x", "referrals?externalId=cust-1&externalid=x", "sales?page=2"} {
		w.ok("GET", "/api/v1/"+target, "")
	}
	for path, want := range map[string]string{
		`coupons {"couponid":"x"}`:    "400 missing_field: Coupon ID is required [couponId]",
		`referrals {"referalId":"x"}`: "400 missing_field: Referral ID is required [referralId]",
		`holds {"ID":"x"}`:            "400 missing_field: Hold ID is required [id]",
	} {
		path, body, _ := strings.Cut(path, " ")
		w.refuses(want, "DELETE", "/api/v1/"+path, body)
	}
}

// TestAffiliateParameters: id names nobody by an email, and email nobody by a slug, although
// Program.Affiliate takes both.
func TestAffiliateParameters(t *testing.T) {
	w := newWorld(t)
	must(w.CreateAffiliate(t.Context(), affiliate.AffiliateParams{FirstName: "A", LastName: "B", Email: "a@example.com", AffiliateLink: "aa"}))
	equal(t, "null null", w.do("GET", "/api/v1/affiliates?id=a@example.com", "").body+" "+w.do("GET", "/api/v1/affiliates?email=aa", "").body)
}

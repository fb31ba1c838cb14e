package httpapi_test

import (
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/internal/atlength"
)

const (
	badQuery  = "400 invalid_query: Invalid query string"
	badLimit  = "400 invalid_query: limit must be an integer from 1 to 1000 [limit]"
	badCursor = "400 invalid_query: Invalid cursor [cursor]"
)

func twice(name string) string {
	return "400 invalid_query: Query parameter " + name + " was given more than once [" + name + "]"
}

func empty(name string) string {
	return "400 invalid_query: Query parameter " + name + " must not be empty [" + name + "]"
}

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
	"commission-plans":         {[]string{"commissionPlanId"}, nil},
	"commission-tiers":         {[]string{"commissionTierId"}, nil},
	"webhooks":                 {[]string{"webhookId"}, nil},
	"webhooks/deliveries":      {[]string{"deliveryId"}, []string{"webhookId"}},
}

// onlyKnown are the paths whose GET refuses a parameter that it does not have.
var onlyKnown = []string{"events", "sales/search", "affiliates/search", "referrals/search", "promotional-codes/search", "payouts", "payouts/runs", "adjustments", "balances", "movements", "commission-plans", "commission-tiers"}

// TestQueries is the bad-input corpus 3.D on every GET and each of its
// parameters.
func TestQueries(t *testing.T) {
	w := newWorld(t)
	w.fill()
	long := atlength.Every(10)
	for path, params := range lookups {
		get := func(query, want string) {
			t.Helper()
			w.refuses(want, "GET", "/api/v1/"+path+"?"+query, "")
		}
		for _, name := range append(slices.Clone(params.one), params.several...) {
			get(name+"=%zz", badQuery)
			get("a=1;"+name+"=x", badQuery)
			get(name+"=%ff", badQuery)
			get("%ff=x", badQuery)
			get(name+"=A&"+name+"=A", twice(name))
			get(name+"=A&"+name+"=", twice(name))
			get(name+"=", empty(name))
			get(name, empty(name))
			want := "[]"
			if slices.Contains(params.one, name) {
				want = "null"
			}
			for _, value := range []string{
				"nobody", "%00", "%0a", "a%00b", "%20", "%F0%9F%98%80", strings.Repeat("x", 2000), "-1", "1.0", strings.Repeat("9", 30), "01",
				"0197c2f0-1a2b-7c3d-8e4f-5a6b7c8d9eff", "ffffffff-ffff-ffff-ffff-ffffffffffff", "00000000-0000-0000-0000-000000000000", "%27%20OR%201=1%20--",
			} {
				if got := w.do("GET", "/api/v1/"+path+"?"+name+"="+value, ""); got.status != 200 || got.body != want {
					t.Errorf("%s?%s=%.40s: %d %s, want %s", path, name, value, got.status, got.body, want)
				}
			}
		}
		for _, limit := range []string{"0", "1001", "-1", "1.5", "abc", "%2B5", "05", "05x", " 5", "1e2", strings.Repeat("9", 30)} {
			get("limit="+strings.ReplaceAll(limit, " ", "%20"), badLimit)
		}
		get("limit=", empty("limit"))
		get("cursor=", empty("cursor"))
		get("limit=1&limit=1", twice("limit"))
		get("cursor=garbage", badCursor)
		get("cursor=garbage&limit=5", badCursor)
		many := make([]string, 20_000)
		for i := range many {
			many[i] = "p" + strconv.Itoa(i) + "=1"
		}
		if long() {
			get(strings.Join(many, "&"), badQuery) // B113
		}
		whole := w.do("GET", "/api/v1/"+path, "").body
		for _, ignored := range []string{"page=2", "_=123", "Id=A", "ID=A&ID=B", "x", "ids=1&ids=2"} {
			if slices.Contains(onlyKnown, path) {
				name, _, _ := strings.Cut(ignored, "=")
				get(ignored, "400 invalid_query: Unknown query parameter: "+name+" ["+name+"]")
				get("limit=1&"+ignored+"&z=1", "400 invalid_query: Unknown query parameter: "+name+" ["+name+"]")
				continue
			}
			if got := w.do("GET", "/api/v1/"+path+"?"+ignored, "").body; got != whole { // B110
				t.Errorf("%s?%s gives %s", path, ignored, got)
			}
		}
	}
}

// TestPrecedence: the first parameter of the table decides, wherever it stands.
func TestPrecedence(t *testing.T) {
	w := newWorld(t)
	s := w.fill()
	first := w.do("GET", "/api/v1/links?id="+s.link.String(), "").body
	w.ok("POST", "/api/v1/links", `{"link":"other","affiliateId":"`+s.affiliate.String()+`"}`)
	for target, want := range map[string]string{
		"links?link=other&id=" + s.link.String():                               first, // B114
		"coupons?name=Autumn+20&id=nope":                                       "null",
		"coupons?couponId=nope&id=" + s.coupon.String():                        w.do("GET", "/api/v1/coupons?id="+s.coupon.String(), "").body,
		"affiliates?email=nobody@example.com&id=ada":                           w.do("GET", "/api/v1/affiliates?id=ada", "").body,
		"sales?affiliateId=nope&id=" + s.sale + "&limit=0&cursor=x":            w.do("GET", "/api/v1/sales?id="+s.sale, "").body, // B121
		"promotional-codes?couponId=" + s.coupon.String() + "&externalId=nope": "null",
	} {
		if got := w.do("GET", "/api/v1/"+target, ""); got.status != 200 || got.body != want {
			t.Errorf("%s: %d %s, want %s", target, got.status, got.body, want)
		}
	}
}

// TestPages: the pages of one record together are the whole list, and each
// links to the next. Records that are created or deleted in between change
// nothing else (B116 to B121).
func TestPages(t *testing.T) {
	w := newWorld(t)
	s := w.fill()
	for i := range 6 {
		n := strconv.Itoa(i)
		w.ok("POST", "/api/v1/affiliates", `{"firstName":"A","lastName":"`+n+`","email":"a`+n+`@example.com"}`)
		w.ok("POST", "/api/v1/links", `{"link":"more-`+n+`","affiliateId":"`+s.affiliate.String()+`"}`)
		w.ok("POST", "/api/v1/coupons", `{"name":"c","percentOff":10}`)
		w.ok("POST", "/api/v1/promotional-codes", `{"couponId":"`+s.coupon.String()+`","code":"MORE`+n+`","affiliateId":"`+s.affiliate.String()+`"}`)
		w.ok("POST", "/api/v1/sales", `{"referralId":"ada","email":"c`+n+`@example.net","name":"C","totalEarned":1}`)
		w.ok("POST", "/api/v1/webhooks", `{"url":"https://hooks.example/`+n+`","events":["*"]}`)
	}
	ada := s.affiliate.String()
	for _, target := range []string{
		"affiliates", "links", "links?affiliateId=" + ada, "links?affiliateEmail=Ada%40example.com", "coupons", "promotional-codes",
		"promotional-codes?couponId=" + s.coupon.String(), "promotional-codes?affiliateId=" + ada, "referrals", "referrals?affiliateEmail=ada@example.com",
		"sales", "sales?affiliateId=" + ada, "webhooks", "webhooks/deliveries", "webhooks/deliveries?event=sale.created&since=2026-03-11&until=2026-03-12&webhookId=" + s.endpoint.String(),
	} {
		whole := w.do("GET", "/api/v1/"+target, "")
		if whole.header.Get("Link") != "" || strings.Count(whole.body, `"id"`) == 0 {
			t.Errorf("%s without a limit: %s, Link %q", target, whole.body, whole.header.Get("Link"))
		}
		for _, limit := range []string{"1", "2", "1000"} {
			if got := w.pages(target, limit); got != whole.body {
				t.Errorf("%s in pages of %s:\n%s\nwant\n%s", target, limit, got, whole.body)
			}
		}
	}
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

// TestCursors: a cursor belongs to its operation, its filters and its program
// (B118, B119), and one without a limit gives a hundred.
func TestCursors(t *testing.T) {
	w := newWorld(t)
	s := w.fill()
	first := func(path string) (cursor string) {
		_, rest, _ := strings.Cut(w.do("GET", "/api/v1/"+path+"?limit=1", "").header.Get("Link"), "cursor=")
		cursor, _, _ = strings.Cut(rest, ">")
		return cursor
	}
	for range 150 {
		w.ok("POST", couponsPath, fullBody)
	}
	page := w.do("GET", couponsPath+"?cursor="+first("coupons"), "")
	if n := strings.Count(page.body, `"couponType"`); n != 100 || !strings.Contains(page.header.Get("Link"), "limit=100&") {
		t.Errorf("a cursor without a limit gives %d, Link %s", n, page.header.Get("Link"))
	}
	w.ok("POST", "/api/v1/links", `{"link":"second","affiliateId":"`+s.affiliate.String()+`"}`)
	cursor := first("links")
	flip := byte('A')
	if cursor[10] == flip {
		flip = 'B'
	}
	for _, target := range []string{
		"links?cursor=" + cursor[:10] + string(flip) + cursor[11:], "links?cursor=" + cursor[:len(cursor)-2], "links?cursor=" + cursor + "A",
		"links?cursor=" + cursor + "%3D", "links?affiliateId=" + s.affiliate.String() + "&cursor=" + cursor, "affiliates?cursor=" + cursor,
		"links?affiliateEmail=ada@example.com&cursor=" + cursor, "sales?cursor=" + cursor, "links?cursor=%00", "links?cursor=" + strings.Repeat("A", 5000),
	} {
		w.refuses(badCursor, "GET", "/api/v1/"+target, "")
	}
}

// TestDeliveryFilters: filters are combined, and a bad filter is refused as a
// bad query (B456).
func TestDeliveryFilters(t *testing.T) {
	w := newWorld(t)
	s := w.fill()
	const path = "/api/v1/webhooks/deliveries"
	for query, want := range map[string]string{
		"state=dead":         "400 invalid_query: state must be one of pending, delivered, failed, skipped, canceled [state]",
		"since=x":            "400 invalid_query: since must be an ISO 8601 date [since]",
		"until=2026-02-30":   "400 invalid_query: until must be an ISO 8601 date [until]",
		"since=x&state=dead": "400 invalid_query: state must be one of pending, delivered, failed, skipped, canceled [state]",
		"until=x&since=y":    "400 invalid_query: since must be an ISO 8601 date [since]",
		"state=":             empty("state"),
		"since=":             empty("since"),
		"event=a&event=b":    twice("event"),
	} {
		w.refuses(want, "GET", path+"?"+query, "")
	}
	if got := w.do("GET", path+"?event=y", ""); got.code() != "invalid_query" || got.header.Get("Error-Field") != "event" {
		t.Errorf("event=y: %s", got.refusal())
	}
	for query, want := range map[string]int{
		"": 5, "state=pending": 5, "state=failed": 0, "event=affiliate.created": 1, "event=sale.created&state=pending": 1, "webhookId=" + s.endpoint.String(): 5,
		"webhookId=" + s.coupon.String(): 0, "webhookId=nope": 0, "since=2026-03-11": 5, "since=2026-03-12": 0, "until=2026-03-10": 0, "until=2026-03-11": 5,
	} {
		if got := strings.Count(w.do("GET", path+"?"+query, "").body, `"eventId"`); got != want {
			t.Errorf("%q selects %d, want %d", query, got, want)
		}
	}
}

// TestDeleteByQuery: a DELETE without a body reads its fields from the query,
// as text. A DELETE with a body does not.
func TestDeleteByQuery(t *testing.T) {
	w := newWorld(t)
	s := w.fill()
	for path, c := range map[string]struct{ name, value, missing string }{
		"coupons":           {"couponId", s.coupon.String(), "Coupon ID is required"},
		"promotional-codes": {"promotionalCodeId", s.code.String(), "Promotional Code ID is required"},
		"sales":             {"saleId", s.sale, "Sale ID is required"},
		"referrals":         {"referralId", "KIM@example.net", "Referral ID is required"},
		"links":             {"id", s.link.String(), "Link ID or link is required"},
		"affiliates":        {"affiliateId", "ada@example.com", "Affiliate ID is required"},
		"webhooks":          {"webhookId", s.endpoint.String(), "Webhook ID is required"},
	} {
		target := "/api/v1/" + path
		missing := "400 missing_field: " + c.missing + " [" + c.name + "]"
		w.refuses(missing, "DELETE", target, "")
		w.refuses(missing, "DELETE", target+"?x=1", "")
		w.refuses(missing, "DELETE", target+"?"+c.name+"="+c.value, "{}") // B205
		w.refuses(empty(c.name), "DELETE", target+"?"+c.name+"=", "")
		w.refuses(twice(c.name), "DELETE", target+"?"+c.name+"=a&"+c.name+"=b", "")
		w.refuses(badQuery, "DELETE", target+"?"+c.name+"=%zz", "")
		w.refuses(badQuery, "DELETE", target+"?"+c.name+"=%ff", "")
	}
	for _, target := range []string{"coupons?couponId=" + s.coupon.String(), "sales?saleId=" + s.sale, "affiliates?id=ada%40example.com"} {
		w.ok("DELETE", "/api/v1/"+target, "") // B204
	}
	for _, target := range []string{"coupons?id=" + s.coupon.String(), "sales?id=" + s.sale, "affiliates?email=ada@example.com"} {
		equal(t, "null", w.do("GET", "/api/v1/"+target, "").body)
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

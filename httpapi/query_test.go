package httpapi_test

import (
	"net/url"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/tributary-go/tributary/affiliate"
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
	"commission-plans":         {[]string{"commissionPlanId"}, nil},
	"commission-tiers":         {[]string{"commissionTierId"}, nil},
	"webhooks":                 {[]string{"webhookId"}, nil},
	"webhooks/deliveries":      {[]string{"deliveryId"}, []string{"webhookId"}},
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

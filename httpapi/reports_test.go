package httpapi_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
)

// buckets is what GET /reports answers.
func (k *till) buckets(query string) []map[string]any {
	k.t.Helper()
	return k.list("/reports?" + query)
}

// TestReportOverTheWire is check 48 of docs/money.md: example E by month and by
// day.
func TestReportOverTheWire(t *testing.T) {
	k := newTill(t)
	k.now = time.Date(2026, 5, 10, 12, 0, 0, 0, time.UTC)
	k.sell("S1", "200")
	k.now = time.Date(2026, 6, 3, 9, 0, 0, 0, time.UTC)
	k.ask("PATCH", "/sales", `{"saleId":{S1},"amount":60}`)
	for _, of := range []string{"", "&affiliateId=" + k.ada} {
		months := k.buckets("by=month&from=2026-05-01&to=2026-06-30" + of)
		equal(t, 2, len(months))
		k.has(months[0], object{
			"start": "2026-05-01T00:00:00.000Z", "end": "2026-06-01T00:00:00.000Z", "clicks": 0.0, "referrals": 1.0,
			"sales": 1.0, "deletedSales": 0.0, "revenue": 200.0, "refunds": 0.0, "commission": 40.0, "adjustments": 0.0,
		})
		k.has(months[1], object{
			"start": "2026-06-01T00:00:00.000Z", "end": "2026-07-01T00:00:00.000Z", "clicks": 0.0, "referrals": 0.0,
			"sales": 0.0, "deletedSales": 0.0, "revenue": 0.0, "refunds": 60.0, "commission": -12.0, "adjustments": 0.0,
		})
		days := k.buckets("by=day&from=2026-05-01&to=2026-06-30" + of)
		equal(t, 61, len(days))
		sums := map[string]float64{}
		for _, day := range days {
			for name, value := range day {
				if n, ok := value.(float64); ok {
					sums[name] += n
				}
			}
		}
		for name, sum := range sums {
			equal(t, months[0][name].(float64)+months[1][name].(float64), sum)
		}
	}
	k.verify()
}

// TestReportQueries is the part of check 49 about reports: what is refused, and
// pages of a hundred buckets.
func TestReportQueries(t *testing.T) {
	k := newTill(t, func(s *setup) { s.engine.Location = must(time.LoadLocation("Europe/Berlin")) })
	k.sell("S1", "100")
	const period = "/reports?from=2026-03-01&to=2026-03-31"
	for query, want := range map[string]string{
		"/reports":                                      "400 missing_field: From is required [from]",
		"/reports?to=2026-03-31&by=day":                 "400 missing_field: From is required [from]",
		"/reports?from=2026-03-01&by=day":               "400 missing_field: To is required [to]",
		period:                                          "400 missing_field: By is required [by]",
		"/reports?from=x":                               "400 invalid_query: from must be an ISO 8601 date [from]",
		"/reports?from=2026-03-01&to=31&by=x":           "400 invalid_query: to must be an ISO 8601 date [to]",
		period + "&by=DAY":                              "400 invalid_query: by must be one of day, week, month [by]",
		period + "&by=day&x=1":                          "400 invalid_query: Unknown query parameter: x [x]",
		period + "&by=day&affiliateEmail=a@b":           "400 invalid_query: Unknown query parameter: affiliateEmail [affiliateEmail]",
		period + "&by=day&cursor=x":                     "400 invalid_query: Invalid cursor [cursor]",
		period + "&by=day&limit=0":                      "400 invalid_query: limit must be an integer from 1 to 1000 [limit]",
		period + "&by=day&linkId=a&linkId=a":            "400 invalid_query: Query parameter linkId was given more than once [linkId]",
		"/reports?from=2026-03-31&to=2026-03-30&by=day": "400 invalid_query: to must be after from [to]",
		period + "&by=day&affiliateId=" + k.ada + "&linkId=" + uuid.Max.String(): "400 invalid_query: Only one of affiliateId, promotionalCodeId and linkId may be given",
		period + "&by=day&promotionalCodeId=x&linkId=x":                          "400 invalid_query: Only one of affiliateId, promotionalCodeId and linkId may be given",
		"/reports?from=2026-01-01&to=2028-09-27&by=day":                          "400 report_too_large: A report may have at most 1000 buckets",
	} {
		k.no(want, "GET", query, "")
	}
	const thousand = "from=2026-01-01&to=2028-09-26&by=day" // the clock changes five times
	equal(t, 1000, strings.Count(k.pages("reports?"+thousand, "1000"), `"start"`))

	var sizes []int
	for next := "/api/v1/reports?from=2026-01-01&to=2026-09-07&by=day"; next != ""; { // 250 days
		got := k.do("GET", next, "")
		var page []map[string]any
		if err := json.Unmarshal([]byte(got.body), &page); err != nil {
			t.Fatal(got.body)
		}
		sizes = append(sizes, len(page))
		ref, _, more := strings.Cut(strings.TrimPrefix(got.header.Get("Link"), "<"), ">")
		if next = ""; more {
			next = "/api/v1/reports" + ref
		}
	}
	equal(t, []int{100, 100, 50}, sizes)
	equal(t, k.pages("reports?from=2026-01-01&to=2026-09-07&by=day", "7"), k.pages("reports?from=2026-01-01&to=2026-09-07&by=day", "1000"))

	code := text(k.ask("GET", "/promotional-codes?code=ada20", "")["id"])
	one := k.buckets("from=2026-03-11&to=2026-03-11&by=day&promotionalCodeId=" + code)
	equal(t, 1, len(one))
	k.has(one[0], object{"clicks": nil, "referrals": nil, "sales": 0.0, "start": "2026-03-10T23:00:00.000Z", "end": "2026-03-11T23:00:00.000Z"})
	links := k.list("/links?affiliateId=" + k.ada)
	k.has(k.buckets("from=2026-03-11&to=2026-03-11&by=week&linkId=" + text(links[0]["id"]))[0], object{"sales": 1.0, "commission": 20.0})
	for _, nobody := range []string{"affiliateId=x", "linkId=" + k.ada, "promotionalCodeId=00000000-0000-0000-0000-000000000000"} {
		k.has(k.buckets("from=2026-03-11&to=2026-03-11&by=month&" + nobody)[0], object{"sales": 0.0, "commission": 0.0})
	}
}

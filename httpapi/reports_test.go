package httpapi_test

import (
	"testing"
	"time"
)

// buckets is what GET /reports answers.
func (k *till) buckets(query string) []map[string]any {
	k.t.Helper()
	return k.list("/reports?" + query)
}

// TestReportOverTheWire is money check 48: example E by month and by
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

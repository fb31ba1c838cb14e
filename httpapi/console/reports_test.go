package console_test

import (
	"encoding/csv"
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/httpapi/internal/page"
)

// TestReports: the page has the figures of the period and of the one before, its rows and
// its file add up to them, and a row leads to its sales.
func TestReports(t *testing.T) {
	w := newWorld(t)
	w.fill("")
	bob := must(w.CreateAffiliate(t.Context(), affiliate.AffiliateParams{FirstName: "Bob", LastName: "R", Email: "bob@example.org"}))
	w.now = time.Date(2026, 4, 2, 12, 0, 0, 0, time.UTC)
	sale := must(w.RecordSale(t.Context(), affiliate.SaleParams{ReferralID: bob.ID.String(), Email: "kim@x.example", Name: "Kim", TotalEarned: affiliate.MustAmount("128964.43")})).Sale.Or(affiliate.Sale{})
	must(w.RecordSale(t.Context(), affiliate.SaleParams{ReferralID: w.ada.ID.String(), Email: "lea@x.example", Name: "Lea", TotalEarned: affiliate.MustAmount("50")}))

	report := must(w.Report(t.Context(), affiliate.ReportQuery{From: time.Date(2026, 4, 1, 0, 0, 0, 0, time.UTC), To: time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC), By: affiliate.IntervalMonth}, affiliate.Page{})).Items[0]
	month := w.get("reports").text()
	for _, want := range []string{"1 Apr 2026 – 2 Apr 2026, beside 1 Mar 2026 – 2 Mar 2026", page.Money(report.Revenue, "USD") + " Revenue before 0.00 USD", page.Money(report.Commission, "USD") + " Commission", "By Affiliate", "in USD; choose a column to rank by it Affiliate Revenue Commission Sales Refunds Clicks Customers Bob R 128,964.43 "} {
		if want = strings.ReplaceAll(want, "\u00a0", " "); !strings.Contains(month, want) {
			t.Errorf("the page has no %q: %s", want, month)
		}
	}
	if strings.Index(month, "Bob R") > strings.Index(month, "Ada X") {
		t.Errorf("the greatest is not the first: %s", month)
	}
	body := w.get("reports").body
	link := "sales?affiliate=" + bob.ID.String() + "&amp;since=2026-04-01&amp;until=2026-04-02"
	if !strings.Contains(body, link) {
		t.Errorf("no row leads to %s: %s", link, body)
	}
	its := w.get(strings.ReplaceAll(link, "&amp;", "&"))
	if !strings.Contains(its.text(), "Of Bob R , newest first") || !strings.Contains(its.body, fmt.Sprintf("sales/%d", sale.ID)) || strings.Count(its.body, `href="./sales/`) != 1 {
		t.Errorf("the sales of a row: %s", its.text())
	}

	year := url.Values{"period": {"year"}, "by": {"promotionalCode"}, "sort": {"sales"}}.Encode()
	file := w.get("reports/csv?" + year)
	rows := must(csv.NewReader(strings.NewReader(strings.TrimPrefix(file.body, "\ufeff"))).ReadAll())
	var revenue, commission affiliate.Amount
	for _, row := range rows[1:] {
		revenue = must(revenue.Add(must(affiliate.ParseAmount(row[7]))))
		commission = must(commission.Add(must(affiliate.ParseAmount(row[9]))))
	}
	all := must(w.Report(t.Context(), affiliate.ReportQuery{From: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), To: time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC), By: affiliate.IntervalMonth}, affiliate.Page{})).Items
	for _, b := range all {
		revenue, commission = must(revenue.Sub(b.Revenue)), must(commission.Sub(b.Commission))
	}
	if len(rows) < 3 || rows[0][0] != "promotionalCode" || !revenue.IsZero() || !commission.IsZero() || rows[1][2] != "" {
		t.Errorf("the file is off by %v and %v: %q", revenue, commission, rows)
	}
	if !strings.Contains(file.head.Get("Content-Disposition"), `"report-2026-01-01-2026-04-02.csv"`) {
		t.Error(file.head)
	}

	for query, want := range map[string]string{
		"period=days&since=2026-03-10&until=2026-03-10": "10 Mar 2026 – 10 Mar 2026, beside 9 Mar 2026 – 9 Mar 2026",
		"period=year": "Revenue by week",
		"by=product":  "By Product",
		"by=sub":      "By Sub-id (sub)",
		"period=days&since=2025-01-01&until=2026-12-31": "Revenue by month",
	} {
		if got := w.get("reports?" + query); got.status != 200 || !strings.Contains(got.text(), want) || strings.Contains(got.text(), "�") {
			t.Errorf("%s: %d %s", query, got.status, got.text())
		}
	}
	for query, want := range map[string]string{
		"period=ever": "no such period", "period=days": "Enter both dates", "period=days&since=2026-03-10&until=2026-03-09": "before the first", "period=days&since=2020-01-01&until=2026-03-09": "at most two years",
		"by=name": "by must be one of", "sort=name": "sort must be one of", "cursor=x": "Invalid cursor",
	} {
		for _, path := range []string{"reports?", "reports/csv?"} {
			if path == "reports/csv?" && query == "cursor=x" {
				continue // a file has all rows
			}
			if got := w.get(path + query); got.status != 400 || !strings.Contains(got.text(), want) {
				t.Errorf("%s%s: %d %s", path, query, got.status, got.text())
			}
		}
	}
}

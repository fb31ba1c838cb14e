package console_test

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"html"
	"log/slog"
	"maps"
	"net/http"
	"net/netip"
	"net/url"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/httpapi/console"
	"github.com/tributary-go/tributary/httpapi/internal/page"
	"github.com/tributary-go/tributary/internal/benchkit"
	"github.com/tributary-go/tributary/memstore"
)

// unsaid are the settings that are no values, which the page of settings cannot show.
var unsaid = map[string]bool{"Now": true, "NewID": true, "Rand": true, "OnNotice": true, "Hooks": true, "OnEvents": true, "Observer": true, "Logger": true, "Open": true}

// TestSettingsShowConfig: the page says each setting of the host, and no secret of it.
func TestSettingsShowConfig(t *testing.T) {
	sealed := func(data, _ []byte) ([]byte, error) { return data, nil }
	changes := map[string]func(*tributary.Config){
		"ID":           func(c *tributary.Config) { c.ID = uuid.MustParse("0197c2f0-1a2b-7c3d-8e4f-5a6b7c8d9eff") },
		"Name":         func(c *tributary.Config) { c.Name = "Southwind" },
		"Currency":     func(c *tributary.Config) { c.Currency = "EUR" },
		"Location":     func(c *tributary.Config) { c.Location = time.FixedZone("Far/Off", 3600) },
		"Destinations": func(c *tributary.Config) { c.Destinations[0].Params = url.Values{"from": {"partner"}} },
		"Param":        func(c *tributary.Config) { c.Param = "via" },
		"OldParams":    func(c *tributary.Config) { c.OldParams = []string{"aff"} },
		"CountBots":    func(c *tributary.Config) { c.CountBots = true },
		"KeepParams":   func(c *tributary.Config) { c.KeepParams = []string{"gclid"} },
		"CookieDays":   func(c *tributary.Config) { c.CookieDays = 33 },
		"Attribution":  func(c *tributary.Config) { c.Attribution.Touch = affiliate.TouchFirst },
		"Terms":        func(c *tributary.Config) { c.Terms.Rate = affiliate.MustPercent("17.5") },
		"Rate": func(c *tributary.Config) {
			c.Rate = func(context.Context, affiliate.Currency, time.Time) (affiliate.ExchangeRate, error) {
				return affiliate.ExchangeRate{}, nil
			}
		},
		"StoredSettings":       func(c *tributary.Config) { c.StoredSettings = false },
		"CookieDomain":         func(c *tributary.Config) { c.CookieDomain = "shop.example" },
		"Limits":               func(c *tributary.Config) { c.Limits.Links = 12 },
		"NoAutoApprove":        func(c *tributary.Config) { c.NoAutoApprove = true },
		"CommissionOnTax":      func(c *tributary.Config) { c.CommissionOnTax = true },
		"CommissionOnShipping": func(c *tributary.Config) { c.CommissionOnShipping = true },
		"RealOrder":            func(c *tributary.Config) { c.RealOrder = affiliate.MustPercent("25") },
		"RefundWindow":         func(c *tributary.Config) { c.RefundWindow = 30 * 24 * time.Hour },
		"PayoutMinimum":        func(c *tributary.Config) { c.PayoutMinimum = affiliate.MustAmount("50") },
		"Company":              func(c *tributary.Config) { c.Company = "Beans Ltd" },
		"TermsText":            func(c *tributary.Config) { c.TermsText, c.TermsVersion = "Be honest.", "2026-01" },
		"TermsVersion":         func(c *tributary.Config) { c.TermsText, c.TermsVersion = "Be honest.", "2026-01" },
		"Retention":            func(c *tributary.Config) { c.Retention.Events = 90 * 24 * time.Hour },
		"ErasureKey":           func(c *tributary.Config) { c.ErasureKey = []byte("a-secret-of-the-host") },
		"PaymentMemory":        func(c *tributary.Config) { c.PaymentMemory = 36 * time.Hour },
		"FreeOrders":           func(c *tributary.Config) { c.FreeOrders = true },
		"RefuseSuspended":      func(c *tributary.Config) { c.RefuseSuspended = true },
		"HouseCodes":           func(c *tributary.Config) { c.HouseCodes = true },
		"RequireCustomer":      func(c *tributary.Config) { c.RequireCustomer = true },
		"CascadeEvents":        func(c *tributary.Config) { c.CascadeEvents = true },
		"Review":               func(c *tributary.Config) { c.Review = nil },
		"Addresses": func(c *tributary.Config) {
			c.Addresses.AllowNetworks = []netip.Prefix{netip.MustParsePrefix("10.1.0.0/16")}
		},
		"Seal":     func(c *tributary.Config) { c.Seal, c.Open = sealed, sealed },
		"Schedule": func(c *tributary.Config) { c.Schedule = []time.Duration{0, 90 * time.Minute} },
		"Send": func(c *tributary.Config) {
			c.Send = func(context.Context, affiliate.Claim) affiliate.Attempt { return affiliate.Attempt{} }
		},
	}
	plain := newWorld(t).get("settings").text()
	fields := reflect.TypeFor[tributary.Config]()
	for i := range fields.NumField() {
		name := fields.Field(i).Name
		change, there := changes[name]
		if !there {
			if !unsaid[name] {
				t.Errorf("nobody looks whether the page says %s", name)
			}
			continue
		}
		page := newWorld(t, func(c *tributary.Config, _ *console.Config) { change(c) }).get("settings")
		if page.status != 200 || page.text() == plain {
			t.Errorf("the page does not say %s: %d %s", name, page.status, page.text())
		}
		if strings.Contains(page.body, "a-secret") {
			t.Errorf("the page has a secret: %s", page.text())
		}
	}
	for _, want := range []string{"Refunds are taken for ever", "Refunds are taken for 30 days", "Attempts of a delivery 2: at once, after 1h30m "} {
		if got := newWorld(t, func(c *tributary.Config, _ *console.Config) {
			if strings.Contains(want, "30 days") {
				changes["RefundWindow"](c)
			}
			changes["Schedule"](c)
		}).get("settings").text(); !strings.Contains(got, want) {
			t.Errorf("the page does not say %q: %s", want, got)
		}
	}
}

// TestSettingsTerms: the page has the terms of the program as a table, each with its day.
func TestSettingsTerms(t *testing.T) {
	w := newWorld(t)
	w.fill("")
	if got := w.get("settings").text(); !strings.Contains(got, "From Pays Limits Rules 1 Jan 2027, 00:00 To come 15 % none 0 the beginning In force 20 % none 0") {
		t.Error(got)
	}
}

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
	bar := regexp.MustCompile(`<title>[^:<]*: ([0-9,.]+)`)
	for figure, of := range map[string]func(affiliate.Bucket) string{
		"Revenue":    func(b affiliate.Bucket) string { return b.Revenue.String() },
		"Commission": func(b affiliate.Bucket) string { return b.Commission.String() },
		"Refunds":    func(b affiliate.Bucket) string { return b.Refunds.String() },
		"Sales":      func(b affiliate.Bucket) string { return fmt.Sprint(b.Sales) },
		"Clicks":     func(b affiliate.Bucket) string { return fmt.Sprint(b.Clicks.Or(0)) },
		"Customers":  func(b affiliate.Bucket) string { return fmt.Sprint(b.Referrals.Or(0)) },
	} {
		link := regexp.MustCompile(`href="(reports\?[^"]*chart[^"]*)"[^>]*>` + figure).FindStringSubmatch(w.get("reports?period=year").body)
		if link == nil {
			t.Fatalf("%s cannot be chosen", figure)
		}
		page := w.get(html.UnescapeString(link[1]))
		var drawn, want affiliate.Amount
		for _, label := range bar.FindAllStringSubmatch(page.body, -1) {
			drawn = must(drawn.Add(affiliate.MustAmount(strings.ReplaceAll(label[1], ",", ""))))
		}
		for _, b := range all {
			want = must(want.Add(affiliate.MustAmount(of(b))))
		}
		if drawn != want || !strings.Contains(page.text(), figure+" by week") {
			t.Errorf("%s: bars of %v in all, reported are %v", figure, drawn, want)
		}
	}
	if got := w.get("reports?chart=x"); got.status != 400 || !strings.Contains(got.text(), "no such figure") {
		t.Errorf("a figure that is none: %d %s", got.status, got.text())
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

// A document has the figures of the statement, and what the host adds.
func TestDocument(t *testing.T) {
	var doc console.Document
	var fails error
	w := newWorld(t, func(_ *tributary.Config, c *console.Config) {
		c.Document = func(_ context.Context, a affiliate.Affiliate, month time.Time) (console.Document, error) {
			if a.Email == "" || month.Day() != 1 {
				t.Errorf("asked about %q, %v", a.Email, month)
			}
			return doc, fails
		}
	})
	w.fill("")
	w.now = time.Date(2026, 4, 9, 12, 0, 0, 0, time.UTC)
	must(w.RecordSale(t.Context(), affiliate.SaleParams{ReferralID: w.ada.ID.String(), Email: "kim@x.example", Name: "Kim", TotalEarned: affiliate.MustAmount("128964.43")}))
	must(w.RecordAdjustment(t.Context(), affiliate.AdjustmentParams{AffiliateID: w.ada.ID, Kind: affiliate.AdjustBonus, Amount: affiliate.MustAmount("12.5"), Reason: "r"}))
	must(w.SetPayoutStatus(t.Context(), w.payout.ID, affiliate.PayoutPaid))
	path := "affiliates/" + w.ada.ID.String() + "/statements/2026-04/document"
	s := must(w.Statement(t.Context(), affiliate.AffiliateRef{ID: w.ada.ID}, time.Date(2026, 4, 1, 0, 0, 0, 0, time.UTC), time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC)))
	got := w.get(path).text()
	for _, want := range []string{
		"Statement Every line Number 2026-04-" + w.ada.ID.String()[24:], "Northwind Beans", w.ada.Email, "it still goes on", "Owed on 1 Apr 2026", s.Opening.Owed.String(),
		"1 sale", "25,792.89", "Adjustments", "12.50", "Paid", "-" + must(s.Closing.Paid.Sub(s.Opening.Paid)).String(), "Owed at the end of 30 Apr 2026",
	} {
		if !strings.Contains(got, want) && !strings.Contains(strings.ReplaceAll(got, "−", "-"), want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	doc = console.Document{Title: "Self-billing invoice", Number: "SB-7", From: "Northwind Beans Ltd\n1 Quay <script>", To: "Ada Ltd\nVAT DE1", Note: "VAT reverse charge"}
	got = w.get(path).body
	for _, want := range []string{"Self-billing invoice", "SB-7", "<div><bdi>1 Quay &lt;script&gt;</bdi></div>", "<div><bdi>VAT DE1</bdi></div>", "VAT reverse charge"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	fails = errors.New("internal text")
	if page := w.get(path); page.status != 500 || strings.Contains(page.body, "internal text") || !strings.Contains(w.log.String(), "internal text") {
		t.Errorf("an error of the host: %d %s", page.status, page.text())
	}
	if page := w.get("affiliates/" + w.ada.ID.String() + "/statements/2026-13/document"); page.status != 404 {
		t.Errorf("a month that is none: %d", page.status)
	}
}

// TestDocuments: the documents of a month that is over are those of each affiliate, page by page.
func TestDocuments(t *testing.T) {
	w := newWorld(t, func(_ *tributary.Config, c *console.Config) {
		c.Document = func(_ context.Context, a affiliate.Affiliate, _ time.Time) (console.Document, error) {
			return console.Document{Number: "SB-" + a.ID.String()}, nil
		}
	})
	w.fill("")
	const more = 120
	var erased uuid.UUID
	for i := range more {
		by := must(w.CreateAffiliate(t.Context(), affiliate.AffiliateParams{FirstName: "M", LastName: fmt.Sprint(i), Email: fmt.Sprintf("m%d@example.org", i)}))
		must(w.RecordAdjustment(t.Context(), affiliate.AdjustmentParams{AffiliateID: by.ID, Kind: affiliate.AdjustBonus, Amount: affiliate.MustAmount("12.5"), Reason: "r"}))
		erased = by.ID
	}
	must(w.CreatePayout(t.Context(), affiliate.PayoutParams{AffiliateID: erased, ManuallyPaid: true}))
	must(0, w.EraseAffiliate(t.Context(), erased))
	if page := w.get("books/2026-03/documents"); page.status != 400 || !strings.Contains(page.text(), "not over") {
		t.Errorf("a month that goes on: %d %s", page.status, page.text())
	}
	w.now = time.Date(2026, 4, 9, 12, 0, 0, 0, time.UTC)
	document := regexp.MustCompile(`(?s)<section class="card month".*?</section>`)
	seen, pages := map[string]bool{}, 0
	for path := "books/2026-03/documents"; path != ""; pages++ {
		page := w.get(path)
		for _, d := range document.FindAllString(page.body, -1) {
			seen[d] = true
		}
		next := regexp.MustCompile(`href="(\?cursor=[^"]*)"`).FindStringSubmatch(page.body)
		if path = ""; next != nil {
			path = "books/2026-03/documents" + next[1]
		}
	}
	if rows := w.rowsOf("books/2026-03/csv")[1:]; len(seen) != len(rows) || len(rows) < more || pages != 2 {
		t.Errorf("%d documents on %d pages of %d statements", len(seen), pages, len(rows))
	}
	alone := document.FindString(w.get("affiliates/" + w.ada.ID.String() + "/statements/2026-03/document").body)
	if !seen[alone] || alone == "" {
		t.Errorf("no document is as this one: %s", alone)
	}
	if !slices.ContainsFunc(slices.Collect(maps.Keys(seen)), func(d string) bool { return strings.Contains(d, "SB-"+erased.String()) }) {
		t.Error("of who was erased, the host gave no number")
	}
	if page := w.get("books/2026-03/documents?cursor=x"); page.status != 400 {
		t.Errorf("a cursor that is none: %d", page.status)
	}
}

// rowsOf reads a file of the console.
func (w *world) rowsOf(path string) [][]string {
	w.t.Helper()
	file := w.get(path)
	rows, err := csv.NewReader(strings.NewReader(strings.TrimPrefix(file.body, "\ufeff"))).ReadAll()
	if err != nil || file.status != 200 || len(rows) == 0 || !strings.HasPrefix(file.head.Get("Content-Type"), "text/csv") {
		w.t.Fatalf("%s: %d %v %s", path, file.status, err, file.text())
	}
	return rows
}

// coupon is that of the newest code.
func (w *world) coupon() string {
	return must(w.Codes(w.t.Context(), affiliate.CodeQuery{}, affiliate.Page{Limit: 1})).Items[0].CouponID.String()
}

// TestOtherEnd: the head of a column of times leads to the other end of its list, and back,
// with the same filters and from the first page.
func TestOtherEnd(t *testing.T) {
	w := newWorld(t)
	w.fill("")
	for _, address := range []string{"affiliates?status=ACTIVE", "customers?since=2026-03-01", "sales?status=ACTIVE&affiliate=" + w.ada.ID.String()} {
		list, query, _ := strings.Cut(address, "?")
		first := regexp.MustCompile(`<th scope="col" aria-sort="descending"><a href="(\?[^"]+)">`).FindStringSubmatch(w.get(address).body)
		if first == nil {
			t.Errorf("%s has no other end", address)
			continue
		}
		there := w.get(list + html.UnescapeString(first[1]))
		back := regexp.MustCompile(`<th scope="col" aria-sort="ascending"><a href="(\?[^"]+)">`).FindStringSubmatch(there.body)
		if back == nil || !strings.Contains(there.text(), "ldest first") {
			t.Errorf("%s: the other end, at %s, is none: %s", address, first[1], there.text())
			continue
		}
		if got := html.UnescapeString(back[1]); must(url.ParseQuery(got[1:])).Encode() != must(url.ParseQuery(query)).Encode() {
			t.Errorf("%s: back leads to %s", address, got)
		}
	}
	if page := w.get("affiliates/" + w.ada.ID.String()); strings.Contains(page.body, "aria-sort") {
		t.Error("a table with one order can be sorted")
	}
}

// TestListFiles: the file of a list has the rows that its pages have, with the same
// filters and in the same order, and leads there.
func TestListFiles(t *testing.T) {
	w := newWorld(t)
	w.fill("")
	links := map[string]*regexp.Regexp{}
	for _, list := range []string{"affiliates", "customers", "sales", "codes", "payouts"} {
		links[list] = regexp.MustCompile(`<a href="(?:\./)?` + list + `/([0-9a-f-]{36}|[0-9]+)"`)
	}
	turned := map[string][]string{}
	for _, address := range []string{
		"affiliates?sort=oldest", "customers?sort=oldest", "sales?sort=oldest", "sales?affiliate=" + w.ada.ID.String() + "&sort=oldest",
		"affiliates", "affiliates?status=ACTIVE", "affiliates?q=ada", "customers", "customers?since=2026-03-11&until=2026-03-11", "customers?affiliate=" + w.ada.ID.String(), "customers?q=nobody-at-all",
		"sales", "sales?status=REFUNDED", "sales?approval=ON_HOLD", "sales?since=2026-03-11", "sales?q=" + fmt.Sprint(int64(w.paid.ID)), "sales?affiliate=" + w.ada.ID.String(), "sales?link=" + w.ada.AffiliateLinks[0].ID.String(),
		"codes?sort=oldest", "codes?affiliate=" + w.ada.ID.String(), "codes?coupon=" + w.coupon(), "payouts?affiliate=" + w.ada.ID.String(), "payouts?status=PAID&affiliate=" + w.ada.ID.String(),
		"codes", "codes?state=usable", "payouts", "payouts?status=PENDING", "payouts?method=PAYPAL",
	} {
		list, query, _ := strings.Cut(address, "?")
		var shown []string
		page := w.get(address)
		if !strings.Contains(page.body, `href="`+list+"/csv") && !strings.Contains(page.body, "card empty") {
			t.Errorf("%s does not lead to its file", address)
		}
		for {
			for _, m := range links[list].FindAllStringSubmatch(page.body, -1) {
				if !slices.Contains(shown, m[1]) {
					shown = append(shown, m[1])
				}
			}
			next := regexp.MustCompile(`<a class="button" href="([^"]+)" rel="next"`).FindStringSubmatch(page.body)
			if next == nil {
				break
			}
			page = w.get(list + strings.ReplaceAll(next[1], "&amp;", "&"))
		}
		if turned[address] = shown; query == "" { // which comes after the other end
			slices.Reverse(turned[list+"?sort=oldest"])
			if end := turned[list+"?sort=oldest"]; end != nil && !slices.Equal(end, shown) {
				t.Errorf("%s: %q, and from the other end %q", list, shown, end)
			}
		}
		var filed []string
		rows := w.rowsOf(list + "/csv?" + query)
		for _, row := range rows[1:] {
			filed = append(filed, row[0])
		}
		var total affiliate.Amount
		sum := page.text() // the total line of the list, or the page that adds up
		empty := strings.Contains(page.body, "card empty")
		if strings.Contains(page.body, ">Totals<") || empty && list != "payouts" {
			sum = w.get(list + "/sum?" + query).text()
		} else if (list == "sales" || list == "payouts") && !strings.Contains(page.body, `<nav class="tabs" aria-label="States">`) {
			t.Errorf("%s has no tabs", address)
		}
		for _, column := range []string{"total", "revenue", "amount"} {
			if slices.Contains(rows[0], column) {
				total = sumOf(t, rows, column)
			}
		}
		unsaid := empty && list == "payouts" && len(filed) == 0
		if said := strings.ReplaceAll(sum, ",", ""); !unsaid && (!strings.Contains(said, fmt.Sprintf(" %d %s", len(filed), strings.TrimSuffix(list, "s"))) || !strings.Contains(said, total.String())) {
			t.Errorf("%s: %d rows with %s, the page says %s", address, len(filed), total, sum)
		}
		if rows[0][0] != "id" || !slices.Equal(filed, shown) {
			t.Errorf("%s: the file has %q, the pages %q", address, filed, shown)
		}
	}
	for _, refused := range []string{"sales/csv?since=x", "sales/csv?affiliate=x", "sales/csv?status=x", "affiliates/csv?plan=x", "customers/csv?status=x", "payouts/csv?status=x", "codes/csv?state=x", "sales/csv?cursor=x", "codes/csv?total=1", "sales/sum?since=x", "customers/csv?since=x", "payouts?status=x", "payouts/csv?method=x", "sales?sort=newest", "affiliates/csv?sort=name", "customers/sum?sort=x", "sales/csv?currency=XX", "codes/csv?affiliate=x", "codes?coupon=x", "codes/sum?sort=x", "payouts/csv?affiliate=x"} {
		if page := w.get(refused); page.status != 400 || !strings.HasPrefix(page.head.Get("Content-Type"), "text/html") {
			t.Errorf("%s: %d %s", refused, page.status, page.text())
		}
	}
}

// The cells of a file are exact and inert.
func TestListFileCells(t *testing.T) {
	w := newWorld(t)
	w.fill("")
	eve := must(w.CreateAffiliate(t.Context(), affiliate.AffiliateParams{FirstName: "=HYPERLINK(1)", LastName: "\"E\", ve", Email: "eve@example.org"}))
	sale := must(w.RecordSale(t.Context(), affiliate.SaleParams{ReferralID: eve.ID.String(), Email: "kim@x.example", Name: "+1", TotalEarned: affiliate.MustAmount("128964.43"), ExternalID: "-5"})).Sale.Or(affiliate.Sale{})
	row := w.rowsOf("sales/csv?affiliate=" + eve.ID.String())[1]
	want := []string{
		fmt.Sprint(int64(sale.ID)), sale.CreatedAt.String(), "", "-5", "", "", eve.ID.String(), `'=HYPERLINK(1) "E", ve`, "'+1", "kim@x.example", "",
		"128964.43", "0", "25792.89", "USD", "ACTIVE", "", "",
	}
	if !slices.Equal(row, want) {
		t.Errorf("got %q, want %q", row, want)
	}
}

// TestAnswers: the page of an affiliate has what they answered when they signed up, with the questions that
// the host names, until the person is erased.
func TestAnswers(t *testing.T) {
	site, other := uuid.MustParse("0197c2f0-1a2b-7c3d-8e4f-000000000001"), uuid.MustParse("0197c2f0-1a2b-7c3d-8e4f-000000000002")
	w := newWorld(t, func(_ *tributary.Config, c *console.Config) {
		c.Questions = map[uuid.UUID]string{site: "Where do you write?"}
	})
	a := must(w.CreateAffiliate(t.Context(), affiliate.AffiliateParams{
		FirstName: "App", LastName: "Licant", Email: "app@example.org", AffiliateStatus: "inactive",
		Answers: []affiliate.Answer{{QuestionID: site, Answer: "<b>https://blog.example</b>"}, {QuestionID: other, Answer: "Accepted version 2"}},
	}))
	page := "affiliates/" + a.ID.String()
	want := "What they answered Where do you write? <b>https://blog.example</b> " + other.String() + " Accepted version 2"
	for range 2 {
		if got := w.get(page); !strings.Contains(got.text(), want) {
			t.Errorf("%d %s", got.status, got.text())
		}
		must(w.SetAffiliateStatus(t.Context(), affiliate.AffiliateActive, a.ID))
	}
	must(0, w.EraseAffiliate(t.Context(), a.ID))
	if got := w.get(page); got.status != 200 || strings.Contains(got.text(), "What they answered") {
		t.Errorf("%d %s", got.status, got.text())
	}
}

// TestNote: the page of an affiliate shows what the people of the program wrote, as text with its lines. The
// form that edits an affiliate changes it, and leaves it alone when nobody touched it.
func TestNote(t *testing.T) {
	w := newWorld(t)
	w.fill("")
	page, edit := "affiliates/"+w.ada.ID.String(), "affiliates/"+w.ada.ID.String()+"/edit"
	if got := w.form(edit, "note", strings.Repeat("é", 2001)); w.send(edit, got).status != 400 {
		t.Error("2001 characters")
	}
	if got := w.send(edit, w.form(edit, "note", "pays <b>late\r\n\u202eask Kim ")); got.status != 303 {
		t.Fatalf("%d %s", got.status, got.text())
	}
	ada := must(w.Affiliate(t.Context(), w.ada.ID.String()))
	if ada.Note != "pays <b>late\n\u202eask Kim" {
		t.Errorf("the note is %q", ada.Note)
	}
	if got := w.get(page); !strings.Contains(got.body, "<p class=\"lines\"><bdi>pays &lt;b&gt;late\nU&#43;202Eask Kim</bdi></p>") {
		t.Errorf("the page: %s", got.body)
	}
	if got := w.get(page); !strings.Contains(got.text(), "affiliate.updated what events do not have, such as the note ops ") {
		t.Errorf("the history: %s", got.text())
	}
	if got := w.get(edit); !strings.Contains(got.body, "<textarea dir=\"auto\" id=\"f-note\"") {
		t.Errorf("the form: %s", got.body)
	}
	if got := w.send(edit, w.form(edit, "lastName", "Byron")); got.status != 303 || must(w.Affiliate(t.Context(), w.ada.ID.String())).Note != ada.Note {
		t.Errorf("another change: %d, %q", got.status, must(w.Affiliate(t.Context(), w.ada.ID.String())).Note)
	}
	if got := w.send(edit, w.form(edit, "note", "")); got.status != 303 || strings.Contains(w.get(page).body, `id="note"`) {
		t.Errorf("an empty note: %d", got.status)
	}
}

// TestSettingsAtOnce: pages have the currency and the zone of the program as they are, from the moment on
// at which they change.
func TestSettingsAtOnce(t *testing.T) {
	w := newWorld(t, func(c *tributary.Config, _ *console.Config) { c.Name = "" })
	up := affiliate.SettingsUpdate{Currency: affiliate.Set(affiliate.Currency("EUR")), TimeZone: affiliate.Set("Europe/Berlin")}
	must(w.UpdateSettings(t.Context(), up))
	page := w.get("payouts/new").body
	if !strings.Contains(page, "in EUR") || strings.Contains(page, "USD") || !strings.Contains(page, "Times are in Europe/Berlin") {
		t.Errorf("the page:\n%s", page)
	}
}

// TestRunOfAName: a run whose name is done is refused where it would be previewed.
func TestRunOfAName(t *testing.T) {
	w := newWorld(t)
	w.fill("x")
	w.due("2026-03", 1)
	page := w.send("payouts/new", w.form("payouts/new", "externalId", "2026-03"))
	if !strings.Contains(page.body, "A run with this name is done") || strings.Contains(page.body, `name="repeated"`) {
		t.Errorf("%d\n%s", page.status, page.text())
	}
}

// TestCodeOfProvider: a code gets its id at the payment provider when it is made, and another one later.
func TestCodeOfProvider(t *testing.T) {
	w := newWorld(t)
	w.fill("x")
	coupon := must(w.Coupons(t.Context(), affiliate.CouponQuery{}, affiliate.Page{Limit: 1})).Items[0].ID.String()
	path := "coupons/" + coupon + "/codes/new"
	if page := w.send(path, w.form(path, "code", "POD20", "affiliate", "ada@example.org", "externalId", "promo_1")); page.status != 303 {
		t.Fatalf("%d\n%s", page.status, page.text())
	}
	code := must(w.Code(t.Context(), affiliate.CodeRef{Code: "POD20"}))
	path = "codes/" + code.ID.String() + "/edit"
	if page := w.send(path, w.form(path, "externalId", "promo_2")); code.ExternalID.Or("") != "promo_1" || page.status != 303 ||
		must(w.Code(t.Context(), affiliate.CodeRef{Code: "POD20"})).ExternalID.Or("") != "promo_2" {
		t.Errorf("made with %q, %d\n%s", code.ExternalID.Or(""), page.status, page.text())
	}
}

// TestSettingsArePreset: a run begins with the minimum of the program, a statement says who pays, and a
// form that is saved as it is changes nothing.
func TestSettingsArePreset(t *testing.T) {
	w := newWorld(t)
	w.fill("")
	must(w.UpdateSettings(t.Context(), affiliate.SettingsUpdate{PayoutMinimum: affiliate.Set(affiliate.MustAmount("50")), Company: affiliate.Set("Beans Ltd\nBath"),
		Retention: affiliate.Set(affiliate.RetentionDays{Events: 90})}))
	if page := w.get("payouts/new"); !regexp.MustCompile(`name="minimum"[^>]* value="50"`).MatchString(page.body) {
		t.Errorf("the run: %s", page.body)
	}
	if page := w.get("affiliates/" + w.ada.ID.String() + "/statements/2026-03/document"); !strings.Contains(page.text(), "From Beans Ltd Bath To") {
		t.Errorf("the document: %s", page.text())
	}
	save := func(fields ...string) {
		t.Helper()
		if answer := w.send("settings/edit", w.form("settings/edit", fields...)); answer.status != 303 {
			t.Errorf("%v: %d %s", fields, answer.status, answer.text())
		}
	}
	before := must(w.Settings(t.Context())).Revision
	if page := w.get("settings/edit"); !regexp.MustCompile(`name="events"[^>]* value="90"`).MatchString(page.body) || !regexp.MustCompile(`name="clicks"[^>]* value=""`).MatchString(page.body) {
		t.Errorf("the form: %s", page.body)
	}
	save("receipts", "7")
	is := must(w.Settings(t.Context()))
	if is.Retention != (affiliate.RetentionDays{Events: 90, Receipts: 7}) || is.Revision != before+1 {
		t.Errorf("%+v, revision %d", is.Retention, is.Revision)
	}
	save()
	if is := must(w.Settings(t.Context())); is.Revision != before+1 {
		t.Errorf("a form that was saved as it is changed something: %+v", is)
	}
	save("events", "", "receipts", "")
	if is := must(w.Settings(t.Context())); is.Retention != (affiliate.RetentionDays{}) {
		t.Errorf("%+v", is.Retention)
	}
}

// TestManySales: of more sales than a page adds up while somebody waits, the list counts what
// is on hold, which an index finds, and adds up what it is asked to; a list of an affiliate
// adds up by itself.
func TestManySales(t *testing.T) {
	p, all := benchkit.Shop(t, memstore.New(), 1)
	const many = 20_001
	sell := benchkit.RealSale(1)
	for i := range many {
		must(p.RecordSale(t.Context(), sell(i)))
	}
	must(p.ReviewCommissions(t.Context(), affiliate.ApprovalOnHold, 7))
	desk := must(console.New(p, console.Config{Authorize: func(*http.Request) (string, bool) { return "ops", true }, Logger: slog.New(slog.DiscardHandler)}))
	for path, counted := range map[string][2]string{ // on hold, and all
		"/sales":                                    {"On hold 1 · 25.90", "All"},
		"/sales?sort=oldest":                        {"On hold 1 · 25.90", "All"},
		"/sales?approval=ON_HOLD":                   {"On hold 1 · 25.90", "All"},
		"/sales?affiliate=" + all[0].ID.String():    {"On hold 1 · 25.90", "All 20,001 · 518,025.90 USD"},
		"/sales?since=2001-01-01&currency=usd":      {"On hold 1 · 25.90", "All 20,001 · 518,025.90 USD"},
		"/sales?until=2101-01-01&approval=ACCEPTED": {"On hold 1 · 25.90", "All"},
	} {
		shown := ask(desk, "GET", path, "").text()
		if !strings.Contains(shown, counted[0]) || !strings.Contains(shown, counted[1]+" "+counted[0]) {
			t.Errorf("%s does not say %q: %s", path, counted, shown)
		}
	}
	for path, says := range map[string]string{
		"/sales/sum":                  "20,001 sales 2,590,129.50 USD Total 0.00 USD Refunded 518,025.90 USD Commission",
		"/sales/sum?approval=ON_HOLD": "1 sale 129.50 USD Total",
	} {
		if shown := ask(desk, "GET", path, "").text(); !strings.Contains(shown, says) {
			t.Errorf("%s does not say %q: %s", path, says, shown)
		}
	}
}

// TestAttributionAsked: before other choices of whom a sale credits are saved, the page says whom they would have
// credited, and saves nothing.
func TestAttributionAsked(t *testing.T) {
	w := newWorld(t)
	w.fill("")
	rival := must(w.CreateAffiliate(t.Context(), affiliate.AffiliateParams{FirstName: "Rival", LastName: "R", Email: "rival@example.org", CommissionRate: affiliate.Set(affiliate.MustPercent("7"))}))
	email := must(w.Referrals(t.Context(), affiliate.ReferralQuery{AffiliateID: affiliate.Set(w.ada.ID)}, affiliate.Page{})).Items[0].Email
	must(w.RecordSale(t.Context(), affiliate.SaleParams{ReferralID: rival.ID.String(), Email: email, TotalEarned: affiliate.MustAmount("100"), ExternalID: "order-of-both"}))
	before := w.effects()
	for says, fields := range map[string][]string{
		"1 sale of ": {"customer", "KEEP", "check", "1"},
		"Rival R: 0.00 USD instead of 7.00 USD, 7.00 USD less.": {"customer", "KEEP", "promoCode", "UNBROUGHT", "check", "1"},
		"0 sales of ": {"attribution", "FIRST", "check", "1"},
	} {
		page := w.send("settings/edit", w.form("settings/edit", fields...))
		if page.status != 200 || !strings.Contains(page.text(), says) || !strings.Contains(page.text(), "Nothing was saved.") {
			t.Errorf("%v: %d, it does not say %q: %s", fields, page.status, says, page.text())
		}
		if kept := fieldsOf(t, page.body); kept.Get(fields[0]) != fields[1] {
			t.Errorf("what was chosen: %v", kept)
		}
	}
	if w.effects() != before {
		t.Error("looking has changed something")
	}
}

package console_test

import (
	"encoding/csv"
	"fmt"
	"html"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/tributary-go/tributary/affiliate"
)

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
		sum := w.get(list + "/sum?" + query).text()
		for _, column := range []string{"total", "revenue", "amount"} {
			if slices.Contains(rows[0], column) {
				total = sumOf(t, rows, column)
			}
		}
		if said := strings.ReplaceAll(sum, ",", ""); !strings.Contains(said, fmt.Sprintf(" %d %s", len(filed), strings.TrimSuffix(list, "s"))) || !strings.Contains(said, total.String()) {
			t.Errorf("%s: %d rows with %s, the page says %s", address, len(filed), total, sum)
		}
		if rows[0][0] != "id" || !slices.Equal(filed, shown) {
			t.Errorf("%s: the file has %q, the pages %q", address, filed, shown)
		}
	}
	for _, refused := range []string{"sales/csv?since=x", "sales/csv?affiliate=x", "sales/csv?status=x", "affiliates/csv?plan=x", "customers/csv?status=x", "payouts/csv?status=x", "codes/csv?state=x", "sales/csv?cursor=x", "codes/csv?total=1", "sales/sum?since=x", "customers/csv?since=x", "payouts/sum?status=x", "payouts/csv?method=x", "sales?sort=newest", "affiliates/csv?sort=name", "customers/sum?sort=x", "sales/csv?currency=XX", "codes/csv?affiliate=x", "codes?coupon=x", "codes/sum?sort=x", "payouts/csv?affiliate=x"} {
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

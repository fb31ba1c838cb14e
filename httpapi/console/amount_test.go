package console_test

import (
	"fmt"
	"strings"
	"testing"
)

// TestTypedAmounts: every field of money and percent reads what people
// type in one way, and refuses with an example what could be read in two.
func TestTypedAmounts(t *testing.T) {
	w := newWorld(t)
	w.fill("")
	s := w.stock()
	ada := "affiliates/" + w.ada.ID.String()
	before := w.effects()
	for _, row := range []struct {
		path, field string
		more        []string
	}{
		{fmt.Sprint("sales/", w.free.ID, "/refund"), "amount", nil},
		{ada + "/adjust", "amount", []string{"kind", "BONUS", "reason", "r"}},
		{"payouts/new", "minimum", nil},
		{"coupons/new?kind=FLAT", "amountOff", []string{"name", "Flat", "currency", "USD"}},
		{"coupons/" + s.empty.ID.String() + "/edit", "amountOff", nil},
		{"coupons/" + s.coupon.ID.String() + "/codes/new", "minimumAmount", []string{"code", "TYPED"}},
		{"coupons/" + s.coupon.ID.String() + "/generate", "minimumAmount", []string{"affiliates", "ada@example.org"}},
		{"codes/" + s.code.ID.String() + "/edit", "minimumAmount", nil},
		{"tiers/new", "minRevenue", []string{"name", "T"}},
		{"tiers/" + s.tier.ID.String() + "/edit", "minRevenue", nil},
		{"terms/change", "maxPerSale", nil},
		{fmt.Sprint("sales/", w.lined.ID, "/refund"), "line-1", nil},
	} {
		for _, typed := range []string{"12,50", "1,23", "1,2345.00", "0,5", "1.250", "€5", "1e3", "12.345", "12.50.1", "ten"} {
			page := w.send(row.path, w.form(row.path, append(row.more, row.field, typed)...))
			if page.status != 400 || !strings.Contains(page.text(), "Enter an amount in USD, such as 12.50 or 1,250.00.") || w.effects() != before {
				t.Errorf("%s %s=%q: %d %s", row.path, row.field, typed, page.status, page.text())
			}
		}
	}
	for path, field := range map[string]string{ada + "/edit": "commissionRate", "plans/new": "commissionRate", "plans/" + s.plan.ID.String() + "/change": "commissionRate", "terms/change": "commissionRate", "tiers/new": "commissionRate", "coupons/new": "percentOff"} {
		for _, typed := range []string{"12,5", "1,250", "1e1", "ten"} {
			page := w.send(path, w.form(path, "name", "N", field, typed))
			if page.status != 400 || !strings.Contains(page.text(), "Enter a number, such as 12.5.") || w.effects() != before {
				t.Errorf("%s %s=%q: %d %s", path, field, typed, page.status, page.text())
			}
		}
	}
	adjust := ada + "/adjust"
	for typed, want := range map[string]string{"1,250.5": "1,250.50 USD", "1250.50": "1,250.50 USD", "$12.50": "12.50 USD", "1,234,567": "1,234,567.00 USD"} {
		if page := w.send(adjust, w.form(adjust, "kind", "BONUS", "reason", "r", "amount", typed)); page.status != 200 || !strings.Contains(page.text(), "Bonus of "+want) {
			t.Errorf("%q: %d %s", typed, page.status, page.text())
		}
	}
	code := "codes/" + s.code.ID.String()
	for query, want := range map[string]string{"?total=12%2C50": "Enter an amount in USD", "?total=1%2C250": "It works"} {
		if page := w.get(code + query); !strings.Contains(page.text(), want) {
			t.Errorf("%s: %s", query, page.text())
		}
	}
	edit := code + "/edit"
	if page := w.send(edit, w.form(edit, "minimumAmount", "1,250", "minimumAmountCurrency", "JPY")); page.status != 303 {
		t.Errorf("%d %s", page.status, page.text())
	}
	if page := w.send(edit, w.form(edit, "minimumAmount", "12.5")); page.status != 400 || !strings.Contains(page.text(), "Enter an amount in JPY, such as 12 or 1,250.") {
		t.Errorf("%d %s", page.status, page.text())
	}
}

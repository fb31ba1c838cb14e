package console_test

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/tributary-go/tributary/affiliate"
)

// TestSearch: one box finds everything by what names it, and people and orders by a part.
func TestSearch(t *testing.T) {
	w := newWorld(t)
	w.fill("")
	own := must(w.CreateAffiliate(t.Context(), affiliate.AffiliateParams{FirstName: "Zoë", LastName: "Ångström", Email: "zoe@example.org", ExternalID: "user-77"}))
	sale := must(w.RecordSale(t.Context(), affiliate.SaleParams{ReferralID: own.ID.String(), Email: "zed@shop.example", Name: "Zed", TotalEarned: affiliate.MustAmount("10"), ExternalID: "order-4711"})).Sale.Or(affiliate.Sale{})
	code := must(w.Codes(t.Context(), affiliate.CodeQuery{}, affiliate.Page{Limit: 1})).Items[0]
	event := must(w.Events(t.Context(), affiliate.EventQuery{}, affiliate.Page{Limit: 1})).Items[0]
	endpoint := must(w.Webhooks().Endpoints(t.Context(), affiliate.Page{Limit: 1})).Items[0]
	found := 0
	for text, to := range map[string]string{
		own.ID.String(): "affiliates/" + own.ID.String(), "user-77": "affiliates/" + own.ID.String(), "ext:user-77": "affiliates/" + own.ID.String(),
		"ZOE@example": "affiliates/" + own.ID.String(), "Ångst": "affiliates/" + own.ID.String(), own.AffiliateLinks[0].Link: "affiliates/" + own.ID.String(),
		own.AffiliateLinks[0].ID.String(): "affiliates/" + own.ID.String(), w.customer.Email: "customers/" + w.customer.ID.String(), w.customer.ID.String(): "customers/" + w.customer.ID.String(),
		strings.ToLower(code.Code): "codes/" + code.ID.String(), code.ID.String(): "codes/" + code.ID.String(), code.CouponID.String(): "coupons/" + code.CouponID.String(),
		fmt.Sprint(int64(sale.ID)): "sales/" + fmt.Sprint(int64(sale.ID)), "order-4711": "sales/" + fmt.Sprint(int64(sale.ID)), "er-471": "sales/" + fmt.Sprint(int64(sale.ID)), "zed@shop": "sales/" + fmt.Sprint(int64(sale.ID)),
		w.payout.ID.String(): "payouts/" + w.payout.ID.String(), w.plan.ID.String(): "plans/" + w.plan.ID.String(), w.delivery.String(): "webhooks/deliveries/" + w.delivery.String(),
		event.ID.String(): "events/" + event.ID.String(), endpoint.ID.String(): "webhooks/" + endpoint.ID.String(),
	} {
		page := w.get("search?q=" + url.QueryEscape(text))
		if page.status != 200 || !strings.Contains(page.body, `href="`+to+`"`) {
			t.Errorf("%s does not lead to %s: %d %s", text, to, page.status, page.text())
		}
		if to := w.get(to); to.status != 200 {
			t.Errorf("%s leads to %d", text, to.status)
		}
		found++
	}
	for text, want := range map[string]string{"": "enter it above", "nothing has this": "Nothing has it.", "0197c2f0-0000-7000-8000-000000000000": "Nothing has it.", "ext:nobody": "Nothing has it.", "<b>": "For <b>"} {
		if page := w.get("search?q=" + url.QueryEscape(text)); page.status != 200 || !strings.Contains(page.text(), want) {
			t.Errorf("%q: %d %s", text, page.status, page.text())
		}
	}
	if page := w.get("search?q=" + strings.Repeat("ä", 101)); page.status != 400 || !strings.Contains(page.text(), "at most 100 characters") {
		t.Errorf("a long text: %d %s", page.status, page.text())
	}
}

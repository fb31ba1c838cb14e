package console_test

import (
	"cmp"
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/httpapi/console"
)

// TestCodeTermsPages: what a coupon and a code ask for is shown and can be changed, and so is why an order gets
// nothing; a code without an affiliate works where house codes do.
func TestCodeTermsPages(t *testing.T) {
	w := newWorld(t, func(c *tributary.Config, _ *console.Config) { c.HouseCodes = true })
	w.fill("")
	ctx := t.Context()
	form := w.form("coupons/new", "name", "Launch", "percentOff", "10", "startsAt", "2026-12-01", "maxDiscount", "20", "maxDiscountTotal", "1,000",
		"maxRedemptionsPerCustomer", "2", "restoreOnRefund", "1")
	if page := w.send("coupons/new", form); page.status != 303 {
		t.Fatalf("%d %s", page.status, page.text())
	}
	c := must(w.Coupon(ctx, affiliate.CouponRef{Name: "Launch"}))
	if got := fmt.Sprint(c.StartsAt, c.MaxDiscount, c.MaxDiscountTotal, c.MaxRedemptionsPerCustomer, c.RestoreOnRefund); got != "2026-12-01T00:00:00.000Z 20 1000 2 true" {
		t.Errorf("made %s", got)
	}
	path := "coupons/" + c.ID.String() + "/codes/new"
	if page := w.send(path, w.form(path, "code", "HOUSE", "startsAt", "2026-12-02", "minimumQuantity", "2.5", "maxRedemptionsPerCustomer", "1")); page.status != 303 {
		t.Fatalf("%d %s", page.status, page.text())
	}
	code := must(w.Code(ctx, affiliate.CodeRef{Code: "HOUSE"}))
	if got := fmt.Sprint(code.StartsAt, code.MinimumQuantity, code.MaxRedemptionsPerCustomer); got != "2026-12-02T00:00:00.000Z 2.5 1" {
		t.Errorf("made %s", got)
	}
	if page := w.send(path, w.form(path, "code", "BAD", "minimumQuantity", "many")); page.status != 400 || !strings.Contains(page.text(), "Enter a number, such as 2.") {
		t.Errorf("%d %s", page.status, page.text())
	}
	ofCode, ofCoupon := "codes/"+code.ID.String(), "coupons/"+c.ID.String()
	for _, path := range []string{ofCode + "/edit", ofCoupon + "/edit"} { // nothing was touched, so nothing is written
		if page := w.send(path, w.form(path)); page.status != 303 {
			t.Errorf("%s: %d %s", path, page.status, page.text())
		}
	}
	says := func(path string, all ...string) {
		t.Helper()
		page := w.get(path)
		for _, text := range all {
			if page.status != 200 || !strings.Contains(page.text(), text) {
				t.Errorf("%s: %d, does not say %q: %s", path, page.status, text, page.text())
			}
		}
	}
	says("codes?state=upcoming", "HOUSE the house From 2 Dec 2026")
	says(ofCode, "From 2 Dec 2026", "Affiliate the house", "Uses of one customer 1, of the coupon 2", "any, and 2.5 pieces", "Held now 0")
	says(ofCoupon, "Takes off at most 20.00 USD of one order", "Budget 1,000.00 USD left of 1,000.00 USD", "Refunds in full give the use back")
	says(ofCode+"?total=100", "It is refused From 2 Dec 2026", "Not checked")
	for path, form := range map[string]url.Values{
		ofCoupon + "/edit": w.form(ofCoupon+"/edit", "startsAt", "", "maxDiscount", "", "maxDiscountTotal", "10", "maxRedemptionsPerCustomer", "", "restoreOnRefund", ""),
		ofCode + "/edit":   w.form(ofCode+"/edit", "startsAt", "", "minimumQuantity", ""),
	} {
		if page := w.send(path, form); page.status != 303 {
			t.Errorf("%s: %d %s", path, page.status, page.text())
		}
	}
	c = must(w.Coupon(ctx, affiliate.CouponRef{Name: "Launch"}))
	if got := fmt.Sprint(c.StartsAt, c.MaxDiscount, c.MaxDiscountTotal, c.MaxRedemptionsPerCustomer, c.RestoreOnRefund); got != "not given not given 10 not given false" {
		t.Errorf("changed to %s", got)
	}
	says(ofCode+"?total=100&email=kim%40b.example", "It works Discount 10.00 USD")
	hold := affiliate.HoldParams{ID: "cart", Until: w.now.Add(time.Minute), Order: affiliate.Order{PromoCode: "HOUSE", Email: "lou@b.example", Subtotal: affiliate.Set(affiliate.MustAmount("60"))}}
	must(w.HoldRedemption(ctx, hold))
	says(ofCoupon, "Budget 4.00 USD left of 10.00 USD")
	w.now = w.now.Add(2 * time.Minute)
	says(ofCoupon, "Budget 10.00 USD left of 10.00 USD")
	sale := affiliate.SaleParams{PromoCode: "HOUSE", ReferralID: "ada", Email: "kim@b.example", Name: "Kim", Subtotal: affiliate.Set(affiliate.MustAmount("100")), TotalEarned: affiliate.MustAmount("90")}
	sold := must(w.RecordSale(ctx, sale)).Sale.Or(affiliate.Sale{})
	says(ofCode+"?total=100&email=kim%40b.example", "It is refused Budget spent, of 10.00 USD", "The customer has used it as often as one may, 1 of 1")
	says("codes?q=HOUSE", "Budget spent, of 10.00 USD")
	says(ofCoupon, "Budget 0.00 USD left of 10.00 USD")
	says(fmt.Sprint("sales/", sold.ID), "Its code took 10.00 USD off.")
}

// TestHoldPages: the page of a code shows the places that are held now, and releases one; a sale over a limit waits in
// the overview until somebody accepts it.
func TestHoldPages(t *testing.T) {
	w := newWorld(t, func(c *tributary.Config, _ *console.Config) { c.HouseCodes = true })
	w.fill("")
	ctx := t.Context()
	coupon := must(w.CreateCoupon(ctx, affiliate.CouponParams{Name: "Few", PercentOff: affiliate.Set(affiliate.MustPercent("10"))}))
	code := must(w.CreateCode(ctx, affiliate.CodeParams{CouponID: coupon.ID, Code: "FEW", AffiliateID: w.ada.ID, MaxRedemptions: affiliate.Set[int64](2)}))
	house := must(w.CreateCode(ctx, affiliate.CodeParams{CouponID: coupon.ID, Code: "HOUSE", MaxRedemptions: affiliate.Set[int64](1)}))
	hold := func(id string, c affiliate.Code, until time.Duration) {
		must(w.HoldRedemption(ctx, affiliate.HoldParams{ID: id, Order: affiliate.Order{PromoCode: c.Code, Subtotal: affiliate.Set(affiliate.MustAmount("50"))}, Until: w.now.Add(until)}))
	}
	hold("cart & 1", code, 2*time.Hour)
	hold("lapses", code, time.Minute)
	hold("of the house", house, time.Minute)
	w.now = w.now.Add(time.Hour)
	says := func(path, text string) {
		t.Helper()
		if page := w.get(path); page.status != 200 || !strings.Contains(page.text(), text) {
			t.Errorf("%s: %d, does not say %q: %s", path, page.status, text, page.text())
		}
	}
	ofCode := "codes/" + code.ID.String()
	says(ofCode, "Held now 1")
	says(ofCode, "cart & 1 FEW")
	says(ofCode, "5.00 USD 45.00 USD Release…")
	says("coupons/"+coupon.ID.String(), "Held now 1")
	release := "holds/release?hold=cart+%26+1"
	says(release, "It keeps a place of FEW until")
	if page := w.send(release, w.form(release)); page.status != 303 || !strings.Contains(page.head.Get("Location"), ofCode) {
		t.Errorf("%d %s", page.status, page.text())
	}
	says(ofCode, "Held now 0")
	if got := must(w.Hold(ctx, "cart & 1")).State; got != affiliate.HoldReleased {
		t.Error(got)
	}
	if page := w.get("holds/release?hold=nobody"); page.status != 404 {
		t.Errorf("%d %s", page.status, page.text())
	}

	for range 2 {
		must(w.RecordSale(ctx, affiliate.SaleParams{PromoCode: "FEW", TotalEarned: affiliate.MustAmount("45")}))
	}
	must(w.RecordSale(ctx, affiliate.SaleParams{PromoCode: "HOUSE", TotalEarned: affiliate.MustAmount("45"), ExternalID: "o-1"}))
	late := must(w.RecordSale(ctx, affiliate.SaleParams{HoldID: "lapses", Email: "kim@b.example", Name: "Kim", TotalEarned: affiliate.MustAmount("45")})).Sale.Or(affiliate.Sale{})
	must(w.RecordSale(ctx, affiliate.SaleParams{HoldID: "of the house", TotalEarned: affiliate.MustAmount("45"), ExternalID: "order & 2"}))
	says("", "Over a limit 2")
	says("", fmt.Sprintf("Sale %v, FEW, kim@b.example: 5.00 USD off", late.ID))
	says("redemptions", "Sale or order")
	says("redemptions", "order & 2 HOUSE of the house 5.00 USD Accept…")
	says(fmt.Sprint("sales/", late.ID), "It is over a limit: the customer paid after the hold had lapsed, when the place was gone.")
	says(fmt.Sprint("sales/", late.ID), "Accept over the limit…")
	for _, path := range []string{fmt.Sprint("redemptions/accept?sale=", late.ID), "redemptions/accept?order=order+%26+2"} {
		says(path, "and has the discount")
		if page := w.send(path, w.form(path)); page.status != 303 {
			t.Errorf("%s: %d %s", path, page.status, page.text())
		}
		if page := w.get(path); page.status != 400 || !strings.Contains(page.text(), "It waits for nobody.") {
			t.Errorf("%s again: %d %s", path, page.status, page.text())
		}
	}
	says("redemptions", "No redemption waits for you.")
	says(fmt.Sprint("sales/", late.ID), "Somebody accepted that on 13 Mar 2026.")
	many := must(w.CreateCode(ctx, affiliate.CodeParams{CouponID: coupon.ID, Code: "MANY", AffiliateID: w.ada.ID, MaxRedemptions: affiliate.Set[int64](1)}))
	var first string // of more than the list shows
	for i := range 22 {
		id := fmt.Sprint("late ", i)
		must(w.HoldRedemption(ctx, affiliate.HoldParams{ID: id, Until: w.now.Add(time.Minute), Order: affiliate.Order{PromoCode: "MANY"}}))
		w.now = w.now.Add(2 * time.Minute)
		must(w.RecordSale(ctx, affiliate.SaleParams{PromoCode: "MANY", TotalEarned: affiliate.MustAmount("45")}))
		sold := must(w.RecordSale(ctx, affiliate.SaleParams{HoldID: id, TotalEarned: affiliate.MustAmount("45")})).Sale.Or(affiliate.Sale{})
		many = must(w.UpdateCode(ctx, many.ID, affiliate.CodeUpdate{MaxRedemptions: affiliate.Set(many.MaxRedemptions.Or(0) + 2)}))
		first = cmp.Or(first, fmt.Sprint("redemptions/accept?sale=", sold.ID))
	}
	says("redemptions", "20 on this page, 2 more when these are accepted")
	says(first, "after the hold late 0 had lapsed")
	for range 2 {
		for _, r := range must(w.Attention(ctx, 20)).Overdrawn.Items {
			must(0, w.AcceptRedemption(ctx, affiliate.SaleRef{ID: r.SaleID.Or(0)}))
		}
	}
	if page := w.get(""); strings.Contains(page.text(), "Over a limit") {
		t.Error(page.text())
	}
}

package portal_test

import (
	"strings"
	"testing"
	"time"

	"github.com/tributary-go/tributary/affiliate"
)

// TestCodesInWords: of each code an affiliate sees what customers get, for which orders,
// what is left, and why it does not work, without the words of the program.
func TestCodesInWords(t *testing.T) {
	w := newWorld(t, "")
	ctx := t.Context()
	usd := affiliate.Set[affiliate.Currency]("USD")
	off := func(c affiliate.CouponParams) affiliate.CouponParams {
		c.Name, c.PercentOff = "secret name", affiliate.Set(affiliate.MustPercent("20"))
		return c
	}
	for _, c := range []struct {
		coupon affiliate.CouponParams
		code   affiliate.CodeParams
		spent  bool
		says   string
	}{
		{off(affiliate.CouponParams{MaxDiscount: affiliate.Set(affiliate.MustAmount("15"))}), affiliate.CodeParams{Code: "PLAIN"}, false, "PLAIN Copy 20 % off, at most 15.00 USD Works 0 no limit no end"},
		{affiliate.CouponParams{Name: "flat", CouponType: affiliate.CouponFlat, AmountOff: affiliate.Set(affiliate.MustAmount("1234.5")), Currency: usd}, affiliate.CodeParams{
			Code: "RULES", FirstTimeOrder: true, MinimumAmount: affiliate.Set(affiliate.MustAmount("50")), MinimumAmountCurrency: usd, MinimumQuantity: affiliate.Set(affiliate.MustAmount("3")),
			MaxRedemptionsPerCustomer: affiliate.Set[int64](1), MaxRedemptions: affiliate.Set[int64](1), ExpiresAt: affiliate.Set(affiliate.Day(2026, 3, 21)),
		}, false, "RULES Copy 1,234.50 USD off for first orders for orders of 50.00 USD or more for 3 pieces or more for 1 order of each customer Works 0 1 use 21 Mar 2026"},
		{off(affiliate.CouponParams{StartsAt: affiliate.Set(affiliate.Day(2026, 3, 13))}), affiliate.CodeParams{Code: "LATER"}, false, "LATER Copy 20 % off Not yet it works from 13 Mar 2026, 00:00 0 no limit"},
		{off(affiliate.CouponParams{RedeemBy: affiliate.Set(affiliate.Day(2026, 3, 11))}), affiliate.CodeParams{Code: "OVER", MaxRedemptions: affiliate.Set[int64](7)}, false, "OVER Copy 20 % off Does not work its time is over 0 7 uses 11 Mar 2026"},
		{off(affiliate.CouponParams{MaxDiscountTotal: affiliate.Set(affiliate.MustAmount("100"))}), affiliate.CodeParams{Code: "BUDGET"}, false, "BUDGET Copy 20 % off Works 0 100.00 USD of its budget no end"},
		{off(affiliate.CouponParams{MaxDiscountTotal: affiliate.Set(affiliate.MustAmount("2"))}), affiliate.CodeParams{Code: "SPENT"}, true, "SPENT Copy 20 % off Does not work what the program gives for this discount is spent 1 0.00 USD of its budget"},
		{off(affiliate.CouponParams{}), affiliate.CodeParams{Code: "USED", MaxRedemptions: affiliate.Set[int64](1)}, true, "USED Copy 20 % off Does not work it was used as often as it may be 1 0 uses"},
	} {
		c.code.CouponID, c.code.AffiliateID = must(w.CreateCoupon(ctx, c.coupon)).ID, w.ada.ID
		made := must(w.CreateCode(ctx, c.code))
		if c.spent {
			must(w.RecordSale(ctx, affiliate.SaleParams{PromoCode: made.Code, Subtotal: affiliate.Set(affiliate.MustAmount("10")), TotalEarned: affiliate.MustAmount("8")}))
		}
		if made.Code == "OVER" {
			w.now = w.now.AddDate(0, 0, 1).Add(time.Minute)
		}
		if page := w.get(w.enter(w.ada.ID), "codes"); !strings.Contains(page.text(), c.says) || strings.Contains(page.text(), "secret name") || !strings.Contains(page.body, `data-copy="`+made.Code+`"`) {
			t.Errorf("%s: %s", c.says, page.text())
		}
		if made.Code == "OVER" {
			w.now = w.now.AddDate(0, 0, -1)
		}
	}
	code := must(w.CreateCode(ctx, affiliate.CodeParams{CouponID: must(w.CreateCoupon(ctx, off(affiliate.CouponParams{}))).ID, Code: "OFF", AffiliateID: w.ada.ID}))
	must(w.UpdateCode(ctx, code.ID, affiliate.CodeUpdate{Active: affiliate.Set(false)}))
	if page := w.get(w.enter(w.ada.ID), "codes"); !strings.Contains(page.text(), "OFF Copy 20 % off Does not work the program has switched it off 0") {
		t.Error(page.text())
	}
}

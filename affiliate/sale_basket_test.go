package affiliate_test

import (
	"errors"
	"testing"

	"pgregory.net/rapid"

	"github.com/tributary-go/tributary/affiliate"
)

// A basketShop sells with ADA20: 20 % off, with a minimum of 50.
func basketShop(t *testing.T) *world {
	w := newWorld(t)
	ada := w.join("ada")
	c := must(w.CreateCoupon(t.Context(), affiliate.NewCoupon{Name: "20", PercentOff: affiliate.Set(affiliate.MustPercent("20"))}))
	must(w.CreateCode(t.Context(), affiliate.NewCode{CouponID: c.ID, Code: "ADA20", AffiliateID: ada.ID, MinimumAmount: affiliate.Set(sum("50"))}))
	return w
}

// maybeSum returns an amount, or none for the empty text.
func maybeSum(s string) (o affiliate.Opt[affiliate.Amount]) {
	if s != "" {
		o = affiliate.Set(sum(s))
	}
	return o
}

// TestSubtotalM68: the three steps of a checkout (preview, charge, report),
// with the numbers of docs/money.md 12: checks 32 and 33.
func TestSubtotalM68(t *testing.T) {
	w := basketShop(t)
	preview := func(subtotal, total string) affiliate.Evaluation {
		return must(w.Evaluate(t.Context(), affiliate.Order{PromoCode: "ada20", Subtotal: maybeSum(subtotal), TotalEarned: maybeSum(total)}))
	}
	off, left := affiliate.Set(sum("11")), affiliate.Set(sum("44"))
	seen := preview("55", "")
	equal(t, []any{true, off, left}, []any{seen.Valid, seen.Discount, seen.Total})

	sale := affiliate.NewSale{PromoCode: "ada20", TotalEarned: sum("44")}
	w.refused(stateError(affiliate.BelowMinimum, "", "Order does not reach the minimum amount for this promo code"), func() error {
		return errOf(w.RecordSale(t.Context(), sale))
	})
	sale.Subtotal = affiliate.Set(sum("55"))
	var got affiliate.Sale
	events := w.fired(func() { got = must(w.RecordSale(t.Context(), sale)).Sale.Or(affiliate.Sale{}) })
	equal(t, []any{sum("44"), affiliate.Set(sum("55")), sum("8.8")}, []any{got.TotalEarned, got.Subtotal, got.CommissionEarned})
	equal(t, affiliate.Set(sum("55")), bodyOf[affiliate.Sale](t, events[0]).Subtotal)
	equal(t, got, must(w.Sale(t.Context(), got.ID)))

	seen = preview("", "55")
	equal(t, []any{true, off, left}, []any{seen.Valid, seen.Discount, seen.Total})
	seen = preview("49.99", "")
	equal(t, []affiliate.Reason{affiliate.BelowMinimum}, []affiliate.Reason{seen.Reasons[0].Reason})
	equal(t, affiliate.Set(sum("39.99")), seen.Total)
	seen = preview("60", "48") // the subtotal decides
	equal(t, []any{true, affiliate.Set(sum("12")), affiliate.Set(sum("48"))}, []any{seen.Valid, seen.Discount, seen.Total})
	seen = preview("", "")
	equal(t, []any{true, affiliate.Null[affiliate.Amount](), affiliate.Null[affiliate.Amount]()}, []any{seen.Valid, seen.Discount, seen.Total})
	equal(t, []affiliate.Reason{affiliate.BelowMinimum}, seen.Unverified)
	w.verify()
}

// TestSubtotalM65: an invalid subtotal is refused before the rules of the code,
// on the sale, the preview and the update: check 34.
func TestSubtotalM65(t *testing.T) {
	w := basketShop(t)
	const (
		notPositive = "Subtotal must be greater than zero"
		below       = "Subtotal must not be less than the total amount earned without tax and shipping"
	)
	for _, tt := range []struct{ name, total, tax, shipping, subtotal, want string }{
		{"Zero", "60", "", "", "0", notPositive},
		{"Negative", "60", "", "", "-1", notPositive},
		{"TooLarge", "60", "", "", "100000000000.0001", "subtotal is too large"},
		{"Below", "60", "", "", "50", below},
		{"JustBelow", "60", "4", "6", "49.9999", below},
		{"TaxMakesUp", "60", "10", "", "50", ""},
		{"BothMakeUp", "60", "4", "6", "50", ""},
		{"Equal", "60", "", "", "60", ""},
		{"Largest", "60", "", "", "100000000000", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w.t = t
			in := affiliate.NewSale{
				PromoCode: "ada20", TotalEarned: sum(tt.total), Subtotal: maybeSum(tt.subtotal),
				Tax: maybeSum(tt.tax).Or(affiliate.Amount{}), Shipping: maybeSum(tt.shipping).Or(affiliate.Amount{}),
			}
			sell := func() error { return errOf(w.RecordSale(t.Context(), in)) }
			if tt.want == "" {
				must(0, sell())
				return
			}
			refusal := fieldError(affiliate.InvalidField, "subtotal", tt.want)
			w.refused(refusal, sell)
			in.PromoCode = "none"
			w.refused(refusal, sell)
			if tt.tax == "" {
				w.refused(refusal, func() error {
					return errOf(w.Evaluate(t.Context(), affiliate.Order{PromoCode: "none", TotalEarned: maybeSum(tt.total), Subtotal: maybeSum(tt.subtotal)}))
				})
			}
		})
	}
	w.t = t
	w.verify()
}

// TestSubtotalUpdateM70: an update sets or clears it and does not compute the
// commission again. The merged sale is checked, and the error names the field
// that was sent.
func TestSubtotalUpdateM70(t *testing.T) {
	w := basketShop(t)
	sale := must(w.RecordSale(t.Context(), affiliate.NewSale{PromoCode: "ada20", TotalEarned: sum("60"), Tax: sum("10")})).Sale.Or(affiliate.Sale{})
	must(w.UpdateSale(t.Context(), sale.ID, affiliate.SaleUpdate{CommissionEarned: affiliate.Set(sum("3"))}))
	update := func(subtotal, total affiliate.Opt[affiliate.Amount]) (affiliate.Sale, error) {
		return w.UpdateSale(t.Context(), sale.ID, affiliate.SaleUpdate{Subtotal: subtotal, TotalEarned: total})
	}
	var none affiliate.Opt[affiliate.Amount]
	const below = "Subtotal must not be less than the total amount earned without tax and shipping"
	for _, step := range []affiliate.Opt[affiliate.Amount]{affiliate.Set(sum("75")), affiliate.Set(sum("50")), affiliate.Null[affiliate.Amount](), affiliate.Set(sum("55"))} {
		var got affiliate.Sale
		equal(t, 1, len(w.fired(func() { got = must(update(step, none)) })))
		equal(t, []any{step, sum("3")}, []any{got.Subtotal, got.CommissionEarned})
		equal(t, 0, len(w.fired(func() { must(update(step, none)) })))
	}
	w.refused(fieldError(affiliate.InvalidField, "subtotal", "Subtotal must be greater than zero"), func() error { return errOf(update(maybeSum("0"), none)) })
	w.refused(fieldError(affiliate.InvalidField, "subtotal", "subtotal is too large"), func() error { return errOf(update(maybeSum("100000000001"), none)) })
	w.refused(fieldError(affiliate.InvalidField, "subtotal", below), func() error { return errOf(update(maybeSum("49.99"), none)) })
	w.refused(fieldError(affiliate.InvalidField, "totalEarned", below), func() error { return errOf(update(none, maybeSum("65.01"))) })
	w.refused(fieldError(affiliate.InvalidField, "totalEarned", below), func() error { return errOf(update(maybeSum("55"), maybeSum("66"))) })
	got := must(update(affiliate.Null[affiliate.Amount](), maybeSum("66")))
	equal(t, []any{affiliate.Null[affiliate.Amount](), sum("66")}, []any{got.Subtotal, got.TotalEarned})
	w.verify()
}

// TestPreviewThenSaleM67: a code that the preview accepts for a basket is
// accepted for the amount to charge, with any discount and minimum.
func TestPreviewThenSaleM67(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		w := newWorld(t)
		ada := w.join("ada")
		amount := func(name string) affiliate.Amount {
			return affiliate.AmountFromScaled(rapid.Int64Range(1, 2_000_000).Draw(rt, name))
		}
		coupon := affiliate.NewCoupon{Name: "c", PercentOff: affiliate.Set(affiliate.MustPercent(rapid.SampledFrom([]string{"1", "12.5", "33.3333", "99.9999", "100"}).Draw(rt, "percent")))}
		if rapid.Bool().Draw(rt, "flat") {
			coupon = affiliate.NewCoupon{Name: "c", CouponType: affiliate.CouponFlat, AmountOff: affiliate.Set(amount("off")), Currency: affiliate.Set(affiliate.Currency("USD"))}
		}
		c := must(w.CreateCoupon(t.Context(), coupon))
		must(w.CreateCode(t.Context(), affiliate.NewCode{CouponID: c.ID, Code: "X", AffiliateID: ada.ID, MinimumAmount: affiliate.Set(amount("minimum"))}))
		basket := amount("basket")
		seen := must(w.Evaluate(t.Context(), affiliate.Order{PromoCode: "x", Subtotal: affiliate.Set(basket)}))
		off, priced := seen.Discount.Get()
		left, _ := seen.Total.Get()
		if sum, err := off.Add(left); !priced || err != nil || sum != basket || off.Sign() < 0 || left.Sign() < 0 {
			rt.Fatalf("%v of %v leaves %v", off, basket, left)
		}
		if left.IsZero() {
			return // nothing to charge
		}
		res, err := w.RecordSale(t.Context(), affiliate.NewSale{PromoCode: "x", TotalEarned: left, Subtotal: affiliate.Set(basket)})
		refused, _ := errors.AsType[*affiliate.Error](err)
		if seen.Valid != (err == nil && res.Outcome == affiliate.SaleRecorded) || !seen.Valid && refused.Reason != seen.Reasons[0].Reason {
			rt.Errorf("the preview says %v %v, the sale %v %v", seen.Valid, seen.Reasons, res.Outcome, err)
		}
	})
}

package engine_test

import (
	"errors"
	"testing"

	"pgregory.net/rapid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/internal/scene"
)

// A basketShop sells with ADA20: 20 % off, with a minimum of 50.
func basketShop(t *testing.T) *scene.World {
	w := scene.New(t)
	ada := w.Join("ada")
	c := scene.Must(w.CreateCoupon(t.Context(), affiliate.CouponParams{Name: "20", PercentOff: affiliate.Set(affiliate.MustPercent("20"))}))
	scene.Must(w.CreateCode(t.Context(), affiliate.CodeParams{CouponID: c.ID, Code: "ADA20", AffiliateID: ada.ID, MinimumAmount: affiliate.Set(scene.Sum("50"))}))
	return w
}

// maybeSum returns an amount, or none for the empty text.
func maybeSum(s string) (o affiliate.Opt[affiliate.Amount]) {
	if s != "" {
		o = affiliate.Set(scene.Sum(s))
	}
	return o
}

// TestSubtotalM68: the three steps of a checkout (preview, charge, report),
// with the numbers of docs/money.md 12: checks 32 and 33.
func TestSubtotalM68(t *testing.T) {
	w := basketShop(t)
	preview := func(subtotal, total string) affiliate.Evaluation {
		return scene.Must(w.Evaluate(t.Context(), affiliate.Order{PromoCode: "ada20", Subtotal: maybeSum(subtotal), TotalEarned: maybeSum(total)}))
	}
	off, left := affiliate.Set(scene.Sum("11")), affiliate.Set(scene.Sum("44"))
	seen := preview("55", "")
	scene.Equal(t, []any{true, off, left}, []any{seen.Valid, seen.Discount, seen.Total})

	sale := affiliate.SaleParams{PromoCode: "ada20", TotalEarned: scene.Sum("44")}
	w.Refused(scene.StateError(affiliate.BelowMinimum, "", "Order does not reach the minimum amount for this promo code"), func() error {
		return scene.ErrOf(w.RecordSale(t.Context(), sale))
	})
	sale.Subtotal = affiliate.Set(scene.Sum("55"))
	var got affiliate.Sale
	events := w.Fired(func() { got = scene.Must(w.RecordSale(t.Context(), sale)).Sale.Or(affiliate.Sale{}) })
	scene.Equal(t, []any{scene.Sum("44"), affiliate.Set(scene.Sum("55")), scene.Sum("8.8")}, []any{got.TotalEarned, got.Subtotal, got.CommissionEarned})
	scene.Equal(t, affiliate.Set(scene.Sum("55")), scene.BodyOf[affiliate.Sale](t, events[0]).Subtotal)
	scene.Equal(t, got, scene.Must(w.Sale(t.Context(), got.ID)))

	seen = preview("", "55")
	scene.Equal(t, []any{true, off, left}, []any{seen.Valid, seen.Discount, seen.Total})
	seen = preview("49.99", "")
	scene.Equal(t, []affiliate.Reason{affiliate.BelowMinimum}, []affiliate.Reason{seen.Reasons[0].Reason})
	scene.Equal(t, affiliate.Set(scene.Sum("39.99")), seen.Total)
	seen = preview("60", "48") // the subtotal decides
	scene.Equal(t, []any{true, affiliate.Set(scene.Sum("12")), affiliate.Set(scene.Sum("48"))}, []any{seen.Valid, seen.Discount, seen.Total})
	seen = preview("", "")
	scene.Equal(t, []any{true, affiliate.Null[affiliate.Amount](), affiliate.Null[affiliate.Amount]()}, []any{seen.Valid, seen.Discount, seen.Total})
	scene.Equal(t, []affiliate.Reason{affiliate.BelowMinimum}, seen.Unverified)
	w.Verifies()
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
			w.T = t
			in := affiliate.SaleParams{
				PromoCode: "ada20", TotalEarned: scene.Sum(tt.total), Subtotal: maybeSum(tt.subtotal),
				Tax: maybeSum(tt.tax).Or(affiliate.Amount{}), Shipping: maybeSum(tt.shipping).Or(affiliate.Amount{}),
			}
			sell := func() error { return scene.ErrOf(w.RecordSale(t.Context(), in)) }
			if tt.want == "" {
				scene.Must(0, sell())
				return
			}
			refusal := scene.FieldError(affiliate.InvalidField, "subtotal", tt.want)
			w.Refused(refusal, sell)
			in.PromoCode = "none"
			w.Refused(refusal, sell)
			if tt.tax == "" {
				w.Refused(refusal, func() error {
					return scene.ErrOf(w.Evaluate(t.Context(), affiliate.Order{PromoCode: "none", TotalEarned: maybeSum(tt.total), Subtotal: maybeSum(tt.subtotal)}))
				})
			}
		})
	}
	w.T = t
	w.Verifies()
}

// TestSubtotalUpdateM70: an update sets or clears it and does not compute the
// commission again. The merged sale is checked, and the error names the field
// that was sent.
func TestSubtotalUpdateM70(t *testing.T) {
	w := basketShop(t)
	sale := scene.Must(w.RecordSale(t.Context(), affiliate.SaleParams{PromoCode: "ada20", TotalEarned: scene.Sum("60"), Tax: scene.Sum("10")})).Sale.Or(affiliate.Sale{})
	scene.Must(w.UpdateSale(t.Context(), sale.ID, affiliate.SaleUpdate{CommissionEarned: affiliate.Set(scene.Sum("3"))}))
	update := func(subtotal, total affiliate.Opt[affiliate.Amount]) (affiliate.Sale, error) {
		return w.UpdateSale(t.Context(), sale.ID, affiliate.SaleUpdate{Subtotal: subtotal, TotalEarned: total})
	}
	var none affiliate.Opt[affiliate.Amount]
	const below = "Subtotal must not be less than the total amount earned without tax and shipping"
	for _, step := range []affiliate.Opt[affiliate.Amount]{affiliate.Set(scene.Sum("75")), affiliate.Set(scene.Sum("50")), affiliate.Null[affiliate.Amount](), affiliate.Set(scene.Sum("55"))} {
		var got affiliate.Sale
		scene.Equal(t, 1, len(w.Fired(func() { got = scene.Must(update(step, none)) })))
		scene.Equal(t, []any{step, scene.Sum("3")}, []any{got.Subtotal, got.CommissionEarned})
		scene.Equal(t, 0, len(w.Fired(func() { scene.Must(update(step, none)) })))
	}
	w.Refused(scene.FieldError(affiliate.InvalidField, "subtotal", "Subtotal must be greater than zero"), func() error { return scene.ErrOf(update(maybeSum("0"), none)) })
	w.Refused(scene.FieldError(affiliate.InvalidField, "subtotal", "subtotal is too large"), func() error { return scene.ErrOf(update(maybeSum("100000000001"), none)) })
	w.Refused(scene.FieldError(affiliate.InvalidField, "subtotal", below), func() error { return scene.ErrOf(update(maybeSum("49.99"), none)) })
	w.Refused(scene.FieldError(affiliate.InvalidField, "totalEarned", below), func() error { return scene.ErrOf(update(none, maybeSum("65.01"))) })
	w.Refused(scene.FieldError(affiliate.InvalidField, "totalEarned", below), func() error { return scene.ErrOf(update(maybeSum("55"), maybeSum("66"))) })
	got := scene.Must(update(affiliate.Null[affiliate.Amount](), maybeSum("66")))
	scene.Equal(t, []any{affiliate.Null[affiliate.Amount](), scene.Sum("66")}, []any{got.Subtotal, got.TotalEarned})
	w.Verifies()
}

// TestPreviewThenSaleM67: a code that the preview accepts for a basket is
// accepted for the amount to charge, with any discount and minimum.
func TestPreviewThenSaleM67(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		w := scene.New(t)
		ada := w.Join("ada")
		amount := func(name string) affiliate.Amount {
			return affiliate.AmountFromScaled(rapid.Int64Range(1, 2_000_000).Draw(rt, name))
		}
		coupon := affiliate.CouponParams{Name: "c", PercentOff: affiliate.Set(affiliate.MustPercent(rapid.SampledFrom([]string{"1", "12.5", "33.3333", "99.9999", "100"}).Draw(rt, "percent")))}
		if rapid.Bool().Draw(rt, "flat") {
			coupon = affiliate.CouponParams{Name: "c", CouponType: affiliate.CouponFlat, AmountOff: affiliate.Set(amount("off")), Currency: affiliate.Set(affiliate.Currency("USD"))}
		}
		c := scene.Must(w.CreateCoupon(t.Context(), coupon))
		scene.Must(w.CreateCode(t.Context(), affiliate.CodeParams{CouponID: c.ID, Code: "X", AffiliateID: ada.ID, MinimumAmount: affiliate.Set(amount("minimum"))}))
		basket := amount("basket")
		seen := scene.Must(w.Evaluate(t.Context(), affiliate.Order{PromoCode: "x", Subtotal: affiliate.Set(basket)}))
		off, priced := seen.Discount.Get()
		left, _ := seen.Total.Get()
		if sum, err := off.Add(left); !priced || err != nil || sum != basket || off.Sign() < 0 || left.Sign() < 0 {
			rt.Fatalf("%v of %v leaves %v", off, basket, left)
		}
		if left.IsZero() {
			return // nothing to charge
		}
		res, err := w.RecordSale(t.Context(), affiliate.SaleParams{PromoCode: "x", TotalEarned: left, Subtotal: affiliate.Set(basket)})
		refused, _ := errors.AsType[*affiliate.Error](err)
		if seen.Valid != (err == nil && res.Outcome == affiliate.SaleRecorded) || !seen.Valid && refused.Reason != seen.Reasons[0].Reason {
			rt.Errorf("the preview says %v %v, the sale %v %v", seen.Valid, seen.Reasons, res.Outcome, err)
		}
	})
}

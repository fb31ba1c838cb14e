package engine_test

import (
	"testing"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/internal/scene"
)

// TestProductShareIsUnverified: the preview of a coupon for some products says
// what it cannot know, which is their share of the basket.
func TestProductShareIsUnverified(t *testing.T) {
	w := scene.New(t)
	ada := w.Join("ada")
	c := scene.Must(w.CreateCoupon(t.Context(), affiliate.CouponParams{
		Name: "20", PercentOff: affiliate.Set(affiliate.MustPercent("20")), LimitToProducts: true, ProductIDs: []string{"beans", "mug"},
	}))
	scene.Must(w.CreateCode(t.Context(), affiliate.CodeParams{CouponID: c.ID, Code: "BEANS", AffiliateID: ada.ID}))
	product := func(id, price, quantity string) affiliate.Opt[affiliate.Product] {
		return affiliate.Set(affiliate.Product{ProductID: id, Price: maybeSum(price), Quantity: maybeSum(quantity)})
	}
	both := []affiliate.Reason{affiliate.WrongProduct, affiliate.ProductShare}
	share, none := []affiliate.Reason{affiliate.ProductShare}, []affiliate.Reason{}
	for name, tt := range map[string]struct {
		order affiliate.Order
		want  []affiliate.Reason
	}{
		"basket":            {affiliate.Order{Subtotal: maybeSum("100")}, both},
		"total":             {affiliate.Order{TotalEarned: maybeSum("100")}, both},
		"a product of it":   {affiliate.Order{Subtotal: maybeSum("100"), Product: product("beans", "", "")}, share},
		"cheaper than it":   {affiliate.Order{Subtotal: maybeSum("100"), Product: product("beans", "20", "2")}, share},
		"a quantity alone":  {affiliate.Order{Subtotal: maybeSum("100"), Product: product("beans", "", "100")}, share},
		"all of it":         {affiliate.Order{Subtotal: maybeSum("100"), Product: product("mug", "100", "")}, none},
		"several are all":   {affiliate.Order{Subtotal: maybeSum("100"), Product: product("mug", "12.5", "8")}, none},
		"a product by name": {affiliate.Order{Subtotal: maybeSum("100"), Product: affiliate.Set(affiliate.Product{Name: "Mug", Price: maybeSum("100")})}, both},
		"no basket":         {affiliate.Order{Product: product("mug", "100", "")}, none},
		"another product":   {affiliate.Order{Subtotal: maybeSum("100"), Product: product("tea", "100", "")}, none},
	} {
		t.Run(name, func(t *testing.T) {
			tt.order.PromoCode = "beans"
			seen := scene.Must(w.Evaluate(t.Context(), tt.order))
			scene.Equal(t, tt.want, seen.Unverified)
			scene.Equal(t, name != "another product", seen.Valid)
		})
	}
}

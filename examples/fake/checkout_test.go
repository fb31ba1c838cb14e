package fake_test

import (
	"testing"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/client"
	"github.com/tributary-go/tributary/examples/fake"
	"github.com/tributary-go/tributary/httpapi"
	"github.com/tributary-go/tributary/memstore"
)

func TestCheckout(t *testing.T) {
	engine, _ := affiliate.New(memstore.New(), affiliate.Config{})
	api, _ := httpapi.New(engine, httpapi.Config{APIKeys: []string{"test"}})
	partners, _ := client.New("http://tributary.test", "test", client.Config{Handler: api})

	ada := must(engine.CreateAffiliate(t.Context(), affiliate.NewAffiliate{FirstName: "Ada", LastName: "Lovelace", Email: "ada@example.com"}))
	ten := must(engine.CreateCoupon(t.Context(), affiliate.NewCoupon{Name: "Ten", PercentOff: affiliate.Set(affiliate.MustPercent("10"))}))
	must(engine.CreateCode(t.Context(), affiliate.NewCode{
		CouponID: ten.ID, Code: "ADA10", AffiliateID: ada.ID, MaxRedemptions: affiliate.Set[int64](1),
	}))

	order := fake.Order{ID: "order-1", Email: "kim@example.com", Name: "Kim", Total: affiliate.MustAmount("49.90"), Code: "ada10"}
	second := order
	second.ID = "order-2"
	for _, step := range []struct {
		name  string
		order fake.Order
		want  string
	}{
		{"OK", order, "Thank you for shopping with Ada Lovelace"},
		{"Again", order, "Thank you"}, // the sale is there: nothing is counted twice
		{"ErrCodeExhausted", second, "Promo code has reached its redemption limit"},
	} {
		if got := must(fake.Checkout(t.Context(), partners, step.order)); got != step.want {
			t.Errorf("%s: %q, want %q", step.name, got, step.want)
		}
	}
	if code := must(engine.Code(t.Context(), affiliate.CodeRef{Code: "ADA10"})); code.TimesRedeemed != 1 {
		t.Errorf("the code counts %d redemptions, want 1", code.TimesRedeemed)
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

package woocommerce_test

import (
	"errors"
	"testing"

	"github.com/tributary-go/tributary/pay"
	"github.com/tributary-go/tributary/pay/adapter"
	"github.com/tributary-go/tributary/pay/internal/shoptest"
	"github.com/tributary-go/tributary/pay/woocommerce"
)

// FuzzMap: a payload is refused as one, or is an action that can be applied.
func FuzzMap(f *testing.F) {
	for _, name := range []string{"order", "order_coupon", "order_refunded", "order_gift_cards", "order_renewal", "customer"} {
		f.Add(shoptest.Load(f, "testdata/"+name+".json").JSON())
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		a, err := woocommerce.Map(body, woocommerce.Config{})
		if err != nil {
			if !errors.Is(err, adapter.ErrPayload) {
				t.Fatalf("%v", err)
			}
			return
		}
		if a.Kind == "" || a.Event.ID == "" || (a.Kind == pay.KindIgnored) != (a.Reason != "") {
			t.Fatalf("%+v", a)
		}
		if _, err := pay.Apply(t.Context(), newShop(t).Program, a); err != nil && !errors.Is(err, pay.ErrLater) {
			t.Fatalf("%v", err)
		}
	})
}

package lemonsqueezy_test

import (
	"errors"
	"testing"

	"github.com/tributary-go/tributary/pay"
	"github.com/tributary-go/tributary/pay/adapter"
	"github.com/tributary-go/tributary/pay/internal/shoptest"
	"github.com/tributary-go/tributary/pay/lemonsqueezy"
)

// FuzzMap: a payload is refused as one, or is an action that can be applied.
func FuzzMap(f *testing.F) {
	for _, name := range []string{"order", "invoice", "invoice_initial", "order_refunded", "subscription", "subscription_created"} {
		f.Add(shoptest.Load(f, "testdata/"+name+".json").JSON())
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		a, err := lemonsqueezy.Map(body, lemonsqueezy.Config{})
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

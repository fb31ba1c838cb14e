package engine_test

import (
	"testing"
	"time"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/internal/scene"
)

// TestFirstInstantIsADate: the first instant of year 1 is a date.
func TestFirstInstantIsADate(t *testing.T) {
	w := scene.New(t)
	c := scene.Must(w.CreateCoupon(t.Context(), affiliate.CouponParams{
		Name: "Ancient", PercentOff: affiliate.Set(affiliate.MustPercent("5")),
		RedeemBy: affiliate.Set(affiliate.At(time.Time{})),
	}))
	if got, ok := c.RedeemBy.Get(); !ok || got.String() != "0001-01-01T00:00:00.000Z" {
		t.Errorf("redeemBy = %v, %v", got, ok)
	}
}

package proofs_test

import (
	"context"
	"encoding/json"
	"io"
	"testing"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/internal/benchkit"
	"github.com/tributary-go/tributary/internal/scene"
)

// BenchmarkWriteCoupon is P8: it writes the JSON of a coupon with 100,000
// codes. The floor is json.Marshal of a coupon that was read before.
func BenchmarkWriteCoupon(b *testing.B) {
	s, c := scene.BigCoupon(b, 100_000)
	ctx := context.Background()
	ref := affiliate.CouponRef{ID: c.ID}
	whole := scene.Must(s.Coupon(ctx, ref))
	benchkit.Versus(b, 1,
		func(int) { scene.Must(json.Marshal(whole)) },
		func(int) {
			scene.Must(0, s.WriteCoupon(ctx, ref, io.Discard))
		})
}

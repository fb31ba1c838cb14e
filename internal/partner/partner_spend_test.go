package partner_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/conformance"
	"github.com/tributary-go/tributary/internal/scene"
	"github.com/tributary-go/tributary/memstore"
)

// TestSpend: a name is spent once, by whichever process on the store, and meets
// neither an idempotency key nor a name of another affiliate or program.
func TestSpend(t *testing.T) {
	ctx, store, now := t.Context(), memstore.New(), time.Date(2026, 3, 11, 9, 0, 0, 0, time.UTC)
	at := func(program, of uuid.UUID) tributary.Partner {
		return scene.Must(tributary.New(store, tributary.Config{ID: program, Now: func() time.Time { return now }})).Partner(of)
	}
	p := scene.Must(tributary.New(store, tributary.Config{ID: uuid.UUID{1}, Now: func() time.Time { return now }}))
	scene.Must(p.CreateCoupon(ctx, affiliate.CouponParams{Once: affiliate.Once{Key: "a"}, Name: "c", PercentOff: scene.Percent("10")}))
	one, two, other := at(uuid.UUID{1}, uuid.UUID{7}), at(uuid.UUID{1}, uuid.UUID{7}), at(uuid.UUID{2}, uuid.UUID{7})
	scene.Equal(t, []bool{true, true}, []bool{scene.Must(at(uuid.UUID{1}, uuid.UUID{8}).Spend(ctx, "a")), scene.Must(at(uuid.UUID{1}, uuid.UUID{8}).Spent(ctx, "a"))})
	scene.Equal(t, false, scene.Must(one.Spent(ctx, "a")))
	var firsts atomic.Int64
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			if scene.Must([]tributary.Partner{one, two}[i%2].Spend(ctx, "a")) {
				firsts.Add(1)
			}
		})
	}
	all.Wait()
	scene.Equal(t, int64(1), firsts.Load())
	scene.Equal(t, []bool{true, true, false, true}, []bool{scene.Must(two.Spent(ctx, "a")), scene.Must(one.Spent(ctx, "a")), scene.Must(other.Spent(ctx, "a")), scene.Must(other.Spend(ctx, "a"))})
	now = now.Add(24 * time.Hour)
	scene.Equal(t, true, scene.Must(one.Spent(ctx, "a")))
	scene.Must(p.Run(ctx, affiliate.RetainJob{Retention: affiliate.Retention{Receipts: 24 * time.Hour}}))
	scene.Equal(t, true, scene.Must(one.Spent(ctx, "a")))
	for _, bad := range []string{"", "a b", "ü"} {
		if first, err := one.Spend(ctx, bad); first || !errors.Is(err, affiliate.IdempotencyKeyInvalid) {
			t.Errorf("%q: %v, %v", bad, first, err)
		}
	}
}

// A store that fails spends nothing, or is not believed.
func TestSpendFails(t *testing.T) {
	ctx, store := t.Context(), memstore.New()
	p := scene.Must(tributary.New(store, tributary.Config{}))
	for n := 1; ; n++ {
		name := fmt.Sprint("a", n)
		first, err := p.With(conformance.FailAt(store, n)).Partner(uuid.Nil).Spend(ctx, name)
		if err == nil {
			scene.Equal(t, []bool{true, true}, []bool{first, n > 2})
			break
		}
		scene.Equal(t, []bool{false, true}, []bool{first, scene.Must(p.Partner(uuid.Nil).Spend(ctx, name))})
	}
	gone, cancel := context.WithCancel(ctx)
	cancel()
	if spent, err := p.Partner(uuid.Nil).Spent(gone, "a"); spent || !errors.Is(err, context.Canceled) {
		t.Errorf("%v, %v", spent, err)
	}
}

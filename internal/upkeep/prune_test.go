package upkeep_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/internal/scene"
)

// sizes returns the number of records of the tables that are pruned.
func sizes(w *scene.World) map[string]int {
	dump := w.Dump()
	return map[string]int{"receipts": len(dump["receipts"]), "deliveries": len(dump["deliveries"]), "events": len(dump["events"])}
}

func TestPrune(t *testing.T) {
	b := scene.NewLedger(t)
	in := affiliate.CouponParams{Name: "kept", PercentOff: affiliate.Set(affiliate.MustPercent("5"))}
	in.Once.Key = "k"
	scene.Must(b.CreateCoupon(t.Context(), in))
	full := sizes(b.World)
	future := b.Now.Add(time.Hour)

	if n := scene.Must(b.Run(t.Context(), affiliate.PruneJob{Before: scene.Start})).Changed; n != 0 {
		t.Errorf("nothing is old, %d dropped", n)
	}
	skipped := len(scene.Must(b.Webhooks().Deliveries(t.Context(), affiliate.DeliveryQuery{State: affiliate.DeliverySkipped}, affiliate.Page{})).Items)
	if n := scene.Must(b.Run(t.Context(), affiliate.PruneJob{Before: future})).Changed; n != int64(skipped) {
		t.Errorf("%d dropped, want the %d skipped: the others wait, the receipt is young", n, skipped)
	}
	b.Verifies()
	b.Pass(24*time.Hour + time.Microsecond)
	if n := scene.Must(b.Run(t.Context(), affiliate.PruneJob{Before: b.Now})).Changed; n != 1 || sizes(b.World)["receipts"] != 0 {
		t.Errorf("%d dropped, want the receipt", n)
	}
	b.Settle()
	if n := scene.Must(b.Run(t.Context(), affiliate.PruneJob{Before: b.Now})).Changed; n != 0 {
		t.Errorf("%d dropped, settled just now", n)
	}
	b.Pass(time.Hour)
	n := scene.Must(b.Run(t.Context(), affiliate.PruneJob{Before: b.Now})).Changed
	if want := full["deliveries"] - skipped + full["events"]; n != int64(want) {
		t.Errorf("%d dropped, want %d", n, want)
	}
	if diff := cmp.Diff(map[string]int{"receipts": 0, "deliveries": 0, "events": 0}, sizes(b.World)); diff != "" {
		t.Errorf("left (-want +got):\n%s", diff)
	}
	b.Verifies()
	scene.Must(b.UpdateSale(t.Context(), 5, affiliate.SaleUpdate{Name: affiliate.Set("x")}))
	b.Verifies()
}

// An event that waits keeps the later events of its object, so that the history
// has no gap.
func TestPruneKeepsHistory(t *testing.T) {
	w := scene.New(t)
	c := scene.Must(w.CreateCoupon(t.Context(), affiliate.CouponParams{Name: "c", PercentOff: affiliate.Set(affiliate.MustPercent("5"))}))
	rename := func(n int) {
		scene.Must(w.UpdateCoupon(t.Context(), c.ID, affiliate.CouponUpdate{Name: affiliate.Set(fmt.Sprint("c", n))}))
	}
	rename(1)
	hook := w.Hook(affiliate.CouponUpdated)
	rename(2)
	scene.Must(w.Webhooks().DeleteEndpoint(t.Context(), hook.ID))
	waiting := w.Hook(affiliate.CouponUpdated)
	rename(3)
	scene.Must(w.Webhooks().UpdateEndpoint(t.Context(), waiting.ID, affiliate.EndpointUpdate{Events: affiliate.Set([]affiliate.EventType{affiliate.SaleCreated})}))
	rename(4)
	w.Pass(48 * time.Hour)
	n := scene.Must(w.Run(t.Context(), affiliate.PruneJob{Before: w.Now})).Changed
	left := scene.Must(w.Events(t.Context(), affiliate.EventQuery{}, affiliate.Page{})).Items
	if n != 4 || len(left) != 2 || left[0].Revision != 5 || left[1].Revision != 4 {
		t.Errorf("%d dropped, left %+v", n, left)
	}
	w.Verifies()
}

// More events than one transaction prunes.
func TestPruneBatches(t *testing.T) {
	w := scene.New(t)
	hook := w.Hook()
	for i := range 1500 {
		in := affiliate.CouponParams{Name: fmt.Sprint(i), PercentOff: affiliate.Set(affiliate.MustPercent("5"))}
		in.Once.Key = fmt.Sprint(i)
		scene.Must(w.CreateCoupon(t.Context(), in))
	}
	scene.Must(w.Webhooks().DeleteEndpoint(t.Context(), hook.ID))
	w.Pass(72 * time.Hour)
	if n := scene.Must(w.Run(t.Context(), affiliate.PruneJob{Before: w.Now.Add(-time.Hour)})).Changed; n != 4500 {
		t.Errorf("%d dropped", n)
	}
	w.Verifies()
}

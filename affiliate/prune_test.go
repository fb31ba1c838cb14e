package affiliate_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tributary-go/tributary/affiliate"
)

// sizes returns the number of records of the tables that are pruned.
func (w *world) sizes() map[string]int {
	dump := w.dump()
	return map[string]int{"receipts": len(dump["receipts"]), "deliveries": len(dump["deliveries"]), "events": len(dump["events"])}
}

func TestPrune(t *testing.T) {
	b := newBooksLedger(t)
	in := affiliate.NewCoupon{Name: "kept", PercentOff: affiliate.Set(affiliate.MustPercent("5"))}
	in.Once.Key = "k"
	must(b.CreateCoupon(t.Context(), in))
	full := b.sizes()
	future := b.now.Add(time.Hour)

	if n := must(b.Prune(t.Context(), start)); n != 0 {
		t.Errorf("nothing is old, %d dropped", n)
	}
	skipped := len(must(b.Deliveries(t.Context(), affiliate.DeliveryFilter{State: affiliate.DeliverySkipped}, affiliate.Page{})).Items)
	if n := must(b.Prune(t.Context(), future)); n != skipped {
		t.Errorf("%d dropped, want the %d skipped: the others wait, the receipt is young", n, skipped)
	}
	b.verify()
	b.pass(24*time.Hour + time.Microsecond)
	if n := must(b.Prune(t.Context(), b.now)); n != 1 || b.sizes()["receipts"] != 0 {
		t.Errorf("%d dropped, want the receipt", n)
	}
	b.settle()
	if n := must(b.Prune(t.Context(), b.now)); n != 0 {
		t.Errorf("%d dropped, settled just now", n)
	}
	b.pass(time.Hour)
	n := must(b.Prune(t.Context(), b.now))
	if want := full["deliveries"] - skipped + full["events"]; n != want {
		t.Errorf("%d dropped, want %d", n, want)
	}
	if diff := cmp.Diff(map[string]int{"receipts": 0, "deliveries": 0, "events": 0}, b.sizes()); diff != "" {
		t.Errorf("left (-want +got):\n%s", diff)
	}
	b.verify()
	must(b.UpdateSale(t.Context(), 5, affiliate.SaleUpdate{Name: affiliate.Set("x")}))
	b.verify()
}

// An event that waits keeps the later events of its object, so that the history
// has no gap.
func TestPruneKeepsHistory(t *testing.T) {
	w := newWorld(t)
	c := must(w.CreateCoupon(t.Context(), affiliate.NewCoupon{Name: "c", PercentOff: affiliate.Set(affiliate.MustPercent("5"))}))
	rename := func(n int) {
		must(w.UpdateCoupon(t.Context(), c.ID, affiliate.CouponUpdate{Name: affiliate.Set(fmt.Sprint("c", n))}))
	}
	rename(1)
	hook := w.hook(affiliate.CouponUpdated)
	rename(2)
	must(w.DeleteEndpoint(t.Context(), hook.ID))
	waiting := w.hook(affiliate.CouponUpdated)
	rename(3)
	must(w.UpdateEndpoint(t.Context(), waiting.ID, affiliate.EndpointUpdate{Events: affiliate.Set([]affiliate.EventType{affiliate.SaleCreated})}))
	rename(4)
	w.pass(48 * time.Hour)
	n := must(w.Prune(t.Context(), w.now))
	left := must(w.Events(t.Context(), affiliate.EventFilter{}, affiliate.Page{})).Items
	if n != 4 || len(left) != 2 || left[0].Revision != 5 || left[1].Revision != 4 {
		t.Errorf("%d dropped, left %+v", n, left)
	}
	w.verify()
}

// More events than one transaction prunes.
func TestPruneBatches(t *testing.T) {
	w := newWorld(t)
	hook := w.hook()
	for i := range 1500 {
		in := affiliate.NewCoupon{Name: fmt.Sprint(i), PercentOff: affiliate.Set(affiliate.MustPercent("5"))}
		in.Once.Key = fmt.Sprint(i)
		must(w.CreateCoupon(t.Context(), in))
	}
	must(w.DeleteEndpoint(t.Context(), hook.ID))
	w.pass(72 * time.Hour)
	if n := must(w.Prune(t.Context(), w.now.Add(-time.Hour))); n != 4500 {
		t.Errorf("%d dropped", n)
	}
	w.verify()
}

package benchkit_test

import (
	"testing"
	"time"

	"github.com/tributary-go/tributary/internal/atlength"
	"github.com/tributary-go/tributary/internal/benchkit"
	"github.com/tributary-go/tributary/memstore"
)

// TestCompare: with a stopwatch that counts operations instead of time, the
// ratio is that of the operations.
func TestCompare(t *testing.T) {
	atlength.Only(t, "measures for seconds")
	var done time.Duration
	counted := benchkit.Stopwatch(func(run func()) time.Duration {
		before := done
		run()
		return done - before
	})
	costing := func(ns time.Duration) func(n int) {
		return benchkit.Each(func() { done += ns })
	}
	r := testing.Benchmark(func(b *testing.B) {
		counted.Compare(b, 10, costing(30), benchkit.Side{Name: "floor", Run: costing(20)}, benchkit.Side{Name: "other", Run: costing(60)})
	})
	for name, want := range map[string]float64{
		"ns/op": 30, "floor-ns/op": 20, "other-ns/op": 60, "x-floor": 1.5, "x-other": 0.5,
	} {
		if got := r.Extra[name]; got != want {
			t.Errorf("%s = %v, want %v", name, got, want)
		}
	}
	if got := counted.Time(10, costing(7)); got != 7 {
		t.Errorf("Time = %v, want 7", got)
	}
}

func TestMedian(t *testing.T) {
	v := []float64{3, 1, 2}
	if got := benchkit.Median(v); got != 2 || v[0] != 3 {
		t.Errorf("Median = %v of %v", got, v)
	}
}

// TestShop: its codes sell, and Audit counts the sales.
func TestShop(t *testing.T) {
	p, owners := benchkit.Shop(t, memstore.New(), 2)
	if len(owners) != 2 || owners[1].AffiliateLinks[0].Link != "slug-1" {
		t.Errorf("owners: %+v", owners)
	}
	benchkit.Audit(t, p, 0)
}

// TestBeside: operations go on until the job ends, and the waits are in order.
func TestBeside(t *testing.T) {
	left := 3
	end := make(chan struct{})
	w := benchkit.Beside(func() { <-end }, func() {
		if left--; left == 0 {
			close(end)
		}
	})
	if left > 0 || len(w) < 3 || w.At(1) < w.At(0.5) || w.At(0.5) < w.At(0) {
		t.Errorf("%d operations are left, waits %v", left, w)
	}
}

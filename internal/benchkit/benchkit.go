// Package benchkit measures two ways of doing the same thing in turns, in one
// process and on the same data, and reports the median of their ratios. Times
// depend on the machine and its load; ratios hardly do.
//
// It is for benchmarks:
//
//	benchkit.Versus(b, 10_000,
//		func(n int) { for range n { byHand() } },
//		func(n int) { for range n { withTheEngine() } })
package benchkit

import (
	"runtime"
	"slices"
	"testing"
	"time"
)

// Rounds is the number of times that the sides of a comparison take turns.
const Rounds = 15

// A Side is one of the ways that are compared.
type Side struct {
	Name string      // in the names of the metrics
	Run  func(n int) // does n operations
}

// A Stopwatch runs a function and returns how long it took.
type Stopwatch func(run func()) time.Duration

// Wall measures elapsed time.
func Wall(run func()) time.Duration {
	began := time.Now()
	run()
	return time.Since(began)
}

// Versus compares ours with the floor: code that somebody would write by hand for
// the same effect. It is [Compare] with one other side.
func Versus(b *testing.B, n int, floor, ours func(n int)) {
	b.Helper()
	Compare(b, n, ours, Side{"floor", floor})
}

// Compare is [Stopwatch.Compare] with [Wall].
func Compare(b *testing.B, n int, ours func(n int), others ...Side) {
	b.Helper()
	Stopwatch(Wall).Compare(b, n, ours, others...)
}

// Compare measures ours and the others, n operations a turn, and reports
//
//	ns/op, allocs/op, B/op       of ours
//	NAME-ns/op, NAME-allocs/op   of each other side
//	x-NAME                       the time of ours over the time of that side
//
// Times are medians, x-NAME is the median of the ratios of each round, and
// allocations are those of the last round. b.N is ignored, because a turn is a
// fixed amount of work.
func (w Stopwatch) Compare(b *testing.B, n int, ours func(n int), others ...Side) {
	b.Helper()
	b.ReportAllocs()
	Warm()
	sides := append(slices.Clone(others), Side{"", ours})
	for _, s := range sides {
		s.Run(n/10 + 1) // fresh pages and cold caches
	}
	costs := w.turns(n, sides...)
	last := len(others)
	for i, s := range others {
		b.ReportMetric(Median(times(costs[i])), s.Name+"-ns/op")
		b.ReportMetric(costs[i][Rounds-1].allocs, s.Name+"-allocs/op")
		b.ReportMetric(Median(ratios(costs[last], costs[i])), "x-"+s.Name)
	}
	b.ReportMetric(Median(times(costs[last])), "ns/op")
	b.ReportMetric(costs[last][Rounds-1].allocs, "allocs/op")
	b.ReportMetric(costs[last][Rounds-1].bytes, "B/op")
}

// Time is [Stopwatch.Time] with [Wall].
func Time(n int, run func(n int)) float64 { return Stopwatch(Wall).Time(n, run) }

// Time returns the median time of one operation in nanoseconds, n operations a
// round.
func (w Stopwatch) Time(n int, run func(n int)) float64 {
	return Median(times(w.turns(n, Side{Run: run})[0]))
}

// Ratio returns the median of the ratios of ours to the floor. They take turns of
// n operations.
func (w Stopwatch) Ratio(n int, floor, ours func(n int)) float64 {
	costs := w.turns(n, Side{Run: floor}, Side{Run: ours})
	return Median(ratios(costs[1], costs[0]))
}

// Median returns the middle one of some figures. It does not change v.
func Median(v []float64) float64 {
	v = slices.Clone(v)
	slices.Sort(v)
	return v[len(v)/2]
}

// Each returns a function that calls an operation n times.
func Each(call func()) func(n int) {
	return func(n int) {
		for range n {
			call()
		}
	}
}

// Warm touches memory and gives it back to the heap. Otherwise a benchmark would
// measure the page faults of fresh memory instead of the code.
func Warm() {
	block := make([]byte, 1<<30)
	for i := 0; i < len(block); i += 4096 {
		block[i] = 1
	}
	runtime.KeepAlive(block)
}

// A cost is the time and memory of one operation.
type cost struct {
	ns, allocs, bytes float64
}

// turns measures the sides one after the other, n operations each, in every
// round, and returns the costs of each side.
func (w Stopwatch) turns(n int, sides ...Side) [][]cost {
	costs := make([][]cost, len(sides))
	for range Rounds {
		runtime.GC()
		for i, s := range sides {
			costs[i] = append(costs[i], w.measure(n, s.Run))
		}
	}
	return costs
}

// measure runs n operations.
func (w Stopwatch) measure(n int, run func(n int)) cost {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	took := w(func() { run(n) })
	runtime.ReadMemStats(&after)
	per := func(v uint64) float64 { return float64(v) / float64(n) }
	return cost{float64(took.Nanoseconds()) / float64(n), per(after.Mallocs - before.Mallocs),
		per(after.TotalAlloc - before.TotalAlloc)}
}

func times(costs []cost) []float64 {
	v := make([]float64, len(costs))
	for i, c := range costs {
		v[i] = c.ns
	}
	return v
}

func ratios(ours, other []cost) []float64 {
	v := make([]float64, len(ours))
	for i, c := range ours {
		v[i] = c.ns / other[i].ns
	}
	return v
}

package benchkit

import (
	"context"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
)

// Latencies are the durations of operations, the shortest first.
type Latencies []time.Duration

// pace is the time between two operations of Beside. Without it the store grows
// by tens of thousands of sales a second, and the benchmark measures that.
const pace = 500 * time.Microsecond

// Beside makes one operation after another while a job runs, at least one, and
// returns how long each took. It pauses between them.
func Beside(job, do func()) (w Latencies) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		job()
	}()
	for {
		start := time.Now()
		do()
		w = append(w, time.Since(start))
		select {
		case <-done:
			slices.Sort(w)
			return w
		case <-time.After(pace):
		}
	}
}

// At returns the wait that a share of the operations did not exceed: At(0.5) is
// the median, At(1) the worst.
func (w Latencies) At(share float64) time.Duration {
	return w[min(int(share*float64(len(w))), len(w)-1)]
}

// Report adds the waits to the metrics of a benchmark, in milliseconds.
func (w Latencies) Report(b *testing.B) {
	for unit, share := range map[string]float64{"ms-p50": 0.5, "ms-p99": 0.99, "ms-worst": 1} {
		b.ReportMetric(float64(w.At(share).Microseconds())/1000, unit)
	}
	b.ReportMetric(0, "ns/op")
}

// Latency measures sales on a program that has some already: alone, and beside
// each job that a program's day has. Each is a sub-benchmark that reports
// ms-p50, ms-p99 and ms-worst.
func Latency(b *testing.B, p *tributary.Program, sell func()) {
	for _, job := range []struct {
		name string
		run  func(ctx context.Context) error
	}{
		{"alone", func(ctx context.Context) error { return pause(ctx, time.Second) }},
		{"follower", func(ctx context.Context) error { return followAll(ctx, p) }},
		{"pages", func(ctx context.Context) error { return listSales(ctx, p) }},
		{"list", func(ctx context.Context) error {
			_, err := p.Sales(ctx, affiliate.SaleQuery{}, affiliate.Page{})
			return err
		}},
		{"verify", p.Verify},
		{"prune", func(ctx context.Context) error { // every event
			_, err := p.Run(ctx, affiliate.PruneJob{Before: time.Now()})
			return err
		}},
	} {
		b.Run(job.name, func(b *testing.B) {
			var err error
			w := Beside(func() { err = job.run(b.Context()) }, sell)
			if check(b, err); err == nil {
				w.Report(b)
			}
		})
	}
}

func pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
	return nil
}

// listSales reads all sales, page by page.
func listSales(ctx context.Context, p *tributary.Program) error {
	for _, err := range affiliate.All(ctx, p.Sales, affiliate.SaleQuery{}) {
		if err != nil {
			return err
		}
	}
	return nil
}

// followAll reads the events from the first one on, for at most ten seconds.
func followAll(ctx context.Context, p *tributary.Program) error {
	ctx, stop := context.WithTimeout(ctx, 10*time.Second)
	defer stop()
	last, err := p.Events(ctx, affiliate.EventQuery{}, affiliate.Page{Limit: 1})
	if err != nil || len(last.Items) == 0 {
		return err
	}
	for e, err := range p.Follow(ctx, affiliate.Event{}.ID) {
		if ctx.Err() != nil || err == nil && e.ID == last.Items[0].ID {
			return nil
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// RealSale returns a function that makes the i-th of the sales that users send:
// a code, an external id of its own, and one of a thousand customers, who comes
// back. The codes are those of a [Shop].
func RealSale(codes int) func(i int) affiliate.SaleParams {
	total := affiliate.MustAmount("129.5")
	return func(i int) affiliate.SaleParams {
		who := "c" + strconv.Itoa(i%1000)
		return affiliate.SaleParams{
			PromoCode: "CODE" + strconv.Itoa(i%codes), ExternalID: "order-" + strconv.Itoa(i), TotalEarned: total,
			Email: who + "@example.com", Name: who,
		}
	}
}

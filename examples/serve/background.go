package serve

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
)

// Background runs tasks beside the requests until stop is called. The end of ctx
// does not end them: requests that are under way then may still need them, so
// stop is called after [Until]. It waits for the tasks.
func Background(ctx context.Context, tasks ...func(ctx context.Context)) (stop func()) {
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	var running sync.WaitGroup
	for _, task := range tasks {
		running.Go(func() { task(ctx) })
	}
	return func() {
		cancel()
		running.Wait()
	}
}

// Daily calls do once a day, for the first time after a day, until ctx ends.
func Daily(ctx context.Context, do func(ctx context.Context)) {
	tick := time.NewTicker(24 * time.Hour)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			do(ctx)
		case <-ctx.Done():
			return
		}
	}
}

// Keep is the time for which [Retain] keeps events and settled deliveries: longer
// than a receiver may be down and then asks for a replay.
const Keep = 30 * 24 * time.Hour

// Policy returns what [Retain] deletes from a program. Receipts stay twice as long as
// they answer, and clicks a month longer than they attribute. docs/retention.md
// has what a program keeps under it.
func Policy(p *tributary.Program) affiliate.Retention {
	attributes := time.Duration(p.Config().CookieDays) * 24 * time.Hour
	return affiliate.Retention{Events: Keep, Deliveries: Keep, Receipts: 48 * time.Hour, Clicks: attributes + Keep, Holds: Keep}
}

// Retain deletes the old records of programs, as [Policy] says. Several
// processes may do it at once: each record is deleted once. What fails is logged
// and left for the next call.
func Retain(ctx context.Context, logger *slog.Logger, programs ...*tributary.Program) {
	for _, p := range programs {
		done, err := p.Run(ctx, affiliate.RetainJob{Retention: Policy(p)})
		if gone := done.Removed; gone != (affiliate.Retained{}) {
			logger.Info("old records deleted", "program", p.Config().ID,
				"events", gone.Events, "receipts", gone.Receipts, "deliveries", gone.Deliveries, "clicks", gone.Clicks, "holds", gone.Holds)
		}
		switch {
		case ctx.Err() != nil:
			return
		case err != nil:
			logger.Error("delete old records", "program", p.Config().ID, "error", err)
		}
	}
}

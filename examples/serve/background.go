package serve

import (
	"context"
	"log/slog"
	"sync"
	"time"

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

// Keep is how long [Prune] keeps a record: longer than a receiver may be down
// and then asks for a replay.
const Keep = 30 * 24 * time.Hour

// Prune drops the events, deliveries and receipts of programs that are older than
// [Keep]. Several processes may do it at once: each record is dropped once. What
// fails is logged and left for the next call.
func Prune(ctx context.Context, now time.Time, logger *slog.Logger, programs ...*affiliate.Program) {
	for _, p := range programs {
		n, err := p.Prune(ctx, now.Add(-Keep))
		switch {
		case ctx.Err() != nil:
			return
		case err != nil:
			logger.Error("prune", "program", p.Config().ID, "error", err)
		case n > 0:
			logger.Info("pruned", "program", p.Config().ID, "records", n)
		}
	}
}

package main

import (
	"context"
	"log/slog"
	"time"
)

const (
	pruneEvery = 24 * time.Hour
	keepFor    = 30 * 24 * time.Hour // longer than a receiver may be down and asks for a replay
)

// prune drops once a day, until ctx ends, the events, deliveries and receipts of
// all programs that were kept for long enough: they are most of what a program
// in use has in memory.
func prune(ctx context.Context, all []tenant, now func() time.Time, logger *slog.Logger) {
	tick := time.NewTicker(pruneEvery)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
		for _, t := range all {
			n, err := t.Prune(ctx, now().Add(-keepFor))
			switch {
			case ctx.Err() != nil:
				return
			case err != nil:
				logger.Error("prune", "program", t.Config().ID, "error", err) // the next round does the rest
			case n > 0:
				logger.Info("pruned", "program", t.Config().ID, "records", n)
			}
		}
	}
}

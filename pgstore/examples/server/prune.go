package main

import (
	"context"
	"log/slog"
	"time"

	"github.com/tributary-go/tributary/affiliate"
)

const (
	pruneEvery = 24 * time.Hour
	keepFor    = 30 * 24 * time.Hour // longer than a receiver may be down and asks for a replay
)

// prune drops the events, deliveries and receipts that were kept for long enough,
// at once and then once a day, until ctx ends. It may run in every process:
// several at once drop each record once.
func prune(ctx context.Context, program *affiliate.Program, logger *slog.Logger) {
	tick := time.NewTicker(pruneEvery)
	defer tick.Stop()
	for {
		n, err := program.Prune(ctx, time.Now().Add(-keepFor))
		switch {
		case ctx.Err() != nil:
			return
		case err != nil:
			logger.Error("prune", "error", err) // the next round does the rest
		case n > 0:
			logger.Info("pruned", "records", n)
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}

package sync

import (
	"context"
	"testing"
	"time"
)

// Waits replaces the pauses between tries for a test, and returns what they would
// have been.
func Waits(t *testing.T) *[]time.Duration {
	var waited []time.Duration
	real := wait
	wait = func(ctx context.Context, d time.Duration) error {
		waited = append(waited, d)
		return ctx.Err()
	}
	t.Cleanup(func() { wait = real })
	return &waited
}

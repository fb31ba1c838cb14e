package serve_test

import (
	"bytes"
	"context"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/examples/serve"
	"github.com/tributary-go/tributary/memstore"
)

// TestPrune: records older than Keep are dropped from every program in the next
// round, younger ones are not. stop ends the rounds.
func TestPrune(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var all []*affiliate.Program
		for i := range 2 {
			program, err := affiliate.New(memstore.New(), affiliate.Config{ID: uuid.UUID{15: byte(i + 1)}})
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, program)
		}
		join := func(email string) {
			t.Helper()
			for _, p := range all {
				if _, err := p.CreateAffiliate(t.Context(), affiliate.NewAffiliate{FirstName: "Ada", LastName: "Moss", Email: email}); err != nil {
					t.Fatal(err)
				}
			}
		}
		left := func(want int) {
			t.Helper()
			synctest.Wait()
			for i, p := range all {
				events, err := p.EventsAfter(t.Context(), uuid.Nil, 100)
				if err != nil || len(events) != want {
					t.Errorf("program %d has %d events, error %v, want %d", i, len(events), err, want)
				}
			}
		}
		var log bytes.Buffer
		logger := slog.New(slog.NewTextHandler(&log, nil))
		stop := serve.Background(t.Context(), func(ctx context.Context) {
			serve.Daily(ctx, func(ctx context.Context) { serve.Prune(ctx, time.Now(), logger, all...) })
		})
		join("old@example.org")
		time.Sleep(10 * 24 * time.Hour)
		join("young@example.org")
		time.Sleep(serve.Keep - 10*24*time.Hour - time.Hour)
		left(2)
		time.Sleep(25 * time.Hour)
		left(1)
		if n := bytes.Count(log.Bytes(), []byte("msg=pruned")); n != 2 {
			t.Errorf("%d lines of the log, want 2: %s", n, log.String())
		}
		stop() // or the bubble does not end
	})
}

// TestBackground: the tasks end with stop, which waits for them, and not with
// the context.
func TestBackground(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, end := context.WithCancel(t.Context())
		ended := false
		stop := serve.Background(ctx, func(ctx context.Context) {
			<-ctx.Done()
			time.Sleep(time.Second)
			ended = true
		})
		end()
		time.Sleep(time.Minute)
		if ended {
			t.Error("the task ended with the context")
		}
		if stop(); !ended {
			t.Error("stop did not wait")
		}
	})
}

package main

import (
	"bytes"
	"context"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/memstore"
)

// What is older than keepFor goes at the next round, and nothing younger; the
// rounds end with their context.
func TestPrune(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		program, err := affiliate.New(memstore.New(), affiliate.Config{})
		if err != nil {
			t.Fatal(err)
		}
		join := func(email string) {
			t.Helper()
			if _, err := program.CreateAffiliate(t.Context(), affiliate.NewAffiliate{FirstName: "Ada", LastName: "Moss", Email: email}); err != nil {
				t.Fatal(err)
			}
		}
		left := func() int {
			t.Helper()
			events, err := program.EventsAfter(t.Context(), uuid.Nil, 100)
			if err != nil {
				t.Fatal(err)
			}
			return len(events)
		}
		var log bytes.Buffer
		ctx, end := context.WithCancel(t.Context())
		join("old@example.org")
		time.Sleep(10 * 24 * time.Hour)
		join("young@example.org")
		go prune(ctx, program, slog.New(slog.NewTextHandler(&log, nil)))
		synctest.Wait()
		if n := left(); n != 2 {
			t.Errorf("%d events at the start, want 2", n)
		}
		time.Sleep(keepFor - 9*24*time.Hour)
		synctest.Wait()
		if n := left(); n != 1 || !bytes.Contains(log.Bytes(), []byte("msg=pruned records=1")) {
			t.Errorf("%d events after a month, want 1; the log: %s", n, log.String())
		}
		end()
		synctest.Wait() // or the bubble does not end
	})
}

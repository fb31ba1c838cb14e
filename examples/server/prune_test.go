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

// What is older than keepFor goes at the next round, of every program, and
// nothing younger; the rounds end with their context.
func TestPrune(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var all []tenant
		for i := range 2 {
			program, err := affiliate.New(memstore.New(), affiliate.Config{ID: uuid.UUID{15: byte(i + 1)}})
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, tenant{Program: program})
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
		ctx, end := context.WithCancel(t.Context())
		go prune(ctx, all, time.Now, slog.New(slog.NewTextHandler(&log, nil)))
		join("old@example.org")
		time.Sleep(10 * 24 * time.Hour)
		join("young@example.org")
		time.Sleep(keepFor - 10*24*time.Hour - time.Hour)
		left(2)
		time.Sleep(25 * time.Hour)
		left(1)
		if n := bytes.Count(log.Bytes(), []byte("msg=pruned")); n != 2 {
			t.Errorf("%d lines of the log, want 2: %s", n, log.String())
		}
		end()
		synctest.Wait() // or the bubble does not end
	})
}

package serve_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/httpapi/serve"
	"github.com/tributary-go/tributary/memstore"
)

// TestRetain: records older than the policy says are deleted from every program
// in the next round, younger ones are not. stop ends the rounds.
func TestRetain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var all []*tributary.Program
		for i := range 2 {
			program := must(tributary.New(memstore.New(), tributary.Config{ID: uuid.UUID{15: byte(i + 1)}}))
			all = append(all, program)
		}
		join := func(email string) {
			t.Helper()
			for _, p := range all {
				slug, _, _ := strings.Cut(email, "@")
				in := affiliate.AffiliateParams{FirstName: "Ada", LastName: "Moss", Email: email, AffiliateLink: slug}
				in.Key = slug
				_, err := p.CreateAffiliate(t.Context(), in)
				_, err2 := p.TrackClick(t.Context(), affiliate.ClickParams{Slug: slug})
				must(0, errors.Join(err, err2))
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
			serve.Daily(ctx, func(ctx context.Context) { serve.Retain(ctx, logger, all...) })
		})
		join("old@example.org")
		time.Sleep(10 * 24 * time.Hour)
		join("young@example.org")
		time.Sleep(serve.Keep - 10*24*time.Hour - time.Hour)
		left(2)
		time.Sleep(25 * time.Hour)
		left(1)
		time.Sleep(70 * 24 * time.Hour)
		left(0)
		for _, want := range []string{
			" events=0 receipts=1 deliveries=0 clicks=0 holds=0\n", " events=1 receipts=0 deliveries=0 clicks=0 holds=0\n", " events=0 receipts=0 deliveries=0 clicks=1 holds=0\n",
		} {
			if got := strings.Count(log.String(), want); got != 4 { // two records in two programs
				t.Errorf("%d lines of the log end in %q, want 4: %s", got, want, log.String())
			}
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

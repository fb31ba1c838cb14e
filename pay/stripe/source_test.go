package stripe_test

import (
	"context"
	"log/slog"
	"net/http"
	"os"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/pay/adapter"
	"github.com/tributary-go/tributary/pay/internal/shoptest"
	"github.com/tributary-go/tributary/pay/stripe"
)

// catchUp reads again what Stripe told in the last days, and books what is missing. Call it daily.
func catchUp(ctx context.Context, program *tributary.Program, key string, cfg stripe.Config) error {
	src := stripe.Source(stripe.API(key), cfg)
	done, err := src.CatchUp(ctx, program, time.Now().AddDate(0, 0, -4))
	if err != nil {
		return err // what was applied stays; call it again
	}
	if done.Sales > 0 {
		slog.WarnContext(ctx, "webhooks were lost", "sales", done.Sales)
	}
	return nil
}

// What webhooks lost is read again.
func ExampleSource() {
	daily := func(ctx context.Context, program *tributary.Program, cfg stripe.Config) error {
		return catchUp(ctx, program, os.Getenv("STRIPE_API_KEY"), cfg)
	}
	_ = daily
}

// source reads an API of Stripe's at base.
func source(base string, cfg adapter.Config) adapter.Source {
	api := stripe.API("rk_live_reads")
	api.Base = base
	cfg.Secrets = adapter.Secrets{secret}
	return stripe.Source(api, stripe.Config{Config: cfg})
}

// events is Stripe's list of events, the newest first.
func events(t *testing.T, bodies [][]byte) http.Handler {
	var all []event
	for _, body := range bodies {
		all = append(all, shoptest.Decode(t, body))
	}
	slices.Reverse(all)
	mux := http.NewServeMux()
	mux.HandleFunc("GET /v1/events", func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer rk_live_reads" || r.Header.Get("Stripe-Version") == "" {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		q := r.URL.Query()
		from, to := shoptest.Must(strconv.Atoi(q.Get("created[gte]"))), shoptest.Must(strconv.Atoi(q.Get("created[lt]")))
		of := slices.DeleteFunc(slices.Clone(all), func(e event) bool {
			at := shoptest.Must(strconv.Atoi(e.Field("created")))
			return at < from || at >= to || !slices.Contains(q["types[]"], e.Field("type"))
		})
		page, more := shoptest.After(of, "id", q.Get("starting_after"), shoptest.Must(strconv.Atoi(q.Get("limit"))))
		shoptest.Answers(w, map[string]any{"object": "list", "data": append([]event{}, page...), "has_more": more})
	})
	return mux
}

package stripe_test

import (
	"net/http"
	"slices"
	"strconv"
	"testing"

	"github.com/tributary-go/tributary/pay/adapter"
	"github.com/tributary-go/tributary/pay/internal/shoptest"
	"github.com/tributary-go/tributary/pay/stripe"
)

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

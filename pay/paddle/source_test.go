package paddle_test

import (
	"net/http"
	"slices"
	"testing"

	"github.com/tributary-go/tributary/pay/adapter"
	"github.com/tributary-go/tributary/pay/internal/shoptest"
	"github.com/tributary-go/tributary/pay/paddle"
)

// source reads an API of Paddle's at base.
func source(base string, cfg adapter.Config) adapter.Source {
	api := paddle.API("pdl_live_apikey_reads")
	api.Base = base
	cfg.Secrets = adapter.Secrets{secret}
	return paddle.Source(api, paddle.Config{Config: cfg})
}

// events is Paddle's list of events.
func events(t *testing.T, bodies [][]byte) http.Handler {
	var all []event
	for _, body := range bodies {
		all = append(all, shoptest.Decode(t, body))
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /events", func(w http.ResponseWriter, r *http.Request) {
		q := r.URL.Query()
		if r.Header.Get("Authorization") != "Bearer pdl_live_apikey_reads" || q.Get("per_page") != "200" {
			w.WriteHeader(http.StatusForbidden)
			return
		}
		of := slices.Clone(all)
		if q.Get("order_by") == "id[DESC]" {
			slices.Reverse(of)
		}
		page, more := shoptest.After(of, "event_id", q.Get("after"), 200)
		shoptest.Answers(w, map[string]any{"data": append([]event{}, page...), "meta": map[string]any{"request_id": "r",
			"pagination": map[string]any{"per_page": 200, "has_more": more, "estimated_total": len(of)}}})
	})
	return mux
}

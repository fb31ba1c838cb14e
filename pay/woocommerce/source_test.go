package woocommerce_test

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"testing"

	"github.com/tributary-go/tributary/pay/adapter"
	"github.com/tributary-go/tributary/pay/internal/shoptest"
	"github.com/tributary-go/tributary/pay/woocommerce"
)

// source reads the REST API of a shop at base.
func source(base string, cfg adapter.Config) adapter.Source {
	cfg.Secrets = adapter.Secrets{secret}
	return woocommerce.Source(woocommerce.API(base+"/", "ck_reads", "cs_reads"), woocommerce.Config{Config: cfg})
}

// orders is the list of a shop's orders as they are after some events, with all their refunds.
func orders(t *testing.T, bodies [][]byte) http.Handler {
	var all []event
	at := map[string]int{}
	for _, body := range bodies {
		e := shoptest.Decode(t, body)
		if e["order_key"] == nil {
			continue
		}
		i, known := at[e.Field("id")]
		if !known {
			i, all = len(all), append(all, e)
			at[e.Field("id")] = i
		} else {
			all[i] = all[i].With("date_modified_gmt", e["date_modified_gmt"],
				"refunds", append(all[i]["refunds"].([]any), e["refunds"].([]any)...))
		}
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /wp-json/wc/v3/orders", func(w http.ResponseWriter, r *http.Request) {
		q := r.URL.Query()
		if key, secret, ok := r.BasicAuth(); !ok || key != "ck_reads" || secret != "cs_reads" || q.Get("dates_are_gmt") != "true" {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		of := slices.DeleteFunc(slices.Clone(all), func(e event) bool { return e.Field("date_modified_gmt") <= q.Get("modified_after") })
		n, page := shoptest.Must(strconv.Atoi(q.Get("per_page"))), shoptest.Must(strconv.Atoi(q.Get("page")))
		w.Header().Set("X-WP-TotalPages", fmt.Sprint((len(of)+n-1)/n))
		from := min((page-1)*n, len(of))
		shoptest.Answers(w, append([]event{}, of[from:min(from+n, len(of))]...))
	})
	return mux
}

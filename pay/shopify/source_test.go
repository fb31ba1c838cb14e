package shopify_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"testing"

	"github.com/tributary-go/tributary/pay/adapter"
	"github.com/tributary-go/tributary/pay/internal/shoptest"
	"github.com/tributary-go/tributary/pay/shopify"
)

// source reads the Admin API of a shop at base.
func source(base string, cfg adapter.Config) adapter.Source {
	api := shopify.API("northwind-beans.myshopify.com", "shpat_reads")
	api.Base = base
	cfg.Secrets = adapter.Secrets{provider.Secret}
	return shopify.Source(api, shopify.Config{Config: cfg})
}

// orders is the list of a shop's orders as they are after some events, with all their refunds.
func orders(t *testing.T, bodies [][]byte) http.Handler {
	var all []shoptest.Event
	at := map[string]int{}
	for _, body := range bodies {
		switch e := shoptest.Decode(t, body); {
		case e["line_items"] != nil:
			at[e.Field("id")], all = len(all), append(all, e.With("refunds", []any{}))
		case e["transactions"] != nil: // a refund
			i := at[e.Field("order_id")]
			all[i] = all[i].With("refunds", append(all[i]["refunds"].([]any), map[string]any(e)), "financial_status", "partially_refunded")
		case e["kind"] != nil: // the transaction of one, as it is by now
			order := all[at[e.Field("order_id")]]
			for _, refund := range order["refunds"].([]any) {
				list := refund.(map[string]any)["transactions"].([]any)
				if shoptest.Event(list[0].(map[string]any)).Field("id") == e.Field("id") {
					list[0] = map[string]any(e)
				}
			}
		}
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /orders.json", func(w http.ResponseWriter, r *http.Request) {
		q := r.URL.Query()
		first := q.Get("page_info") == ""
		if r.Header.Get("X-Shopify-Access-Token") != "shpat_reads" || first != (q.Get("status") == "any") || first != q.Has("updated_at_min") {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		from, _ := strconv.Atoi(q.Get("page_info"))
		n := shoptest.Must(strconv.Atoi(q.Get("limit")))
		to := min(from+n, len(all))
		if to < len(all) {
			next := url.Values{"limit": {fmt.Sprint(n)}, "page_info": {fmt.Sprint(to)}}
			w.Header().Set("Link", `<https://northwind-beans.myshopify.com/orders.json?`+next.Encode()+`>; rel="next"`)
		}
		shoptest.Answers(w, map[string]any{"orders": append([]shoptest.Event{}, all[from:to]...)})
	})
	return mux
}

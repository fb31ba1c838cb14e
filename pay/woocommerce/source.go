package woocommerce

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/tributary-go/tributary/pay"
	"github.com/tributary-go/tributary/pay/adapter"
	"github.com/tributary-go/tributary/pay/internal/paging"
)

// API returns the REST API of a shop, such as https://shop.example, for a consumer key that may read.
func API(shop, key, secret string) adapter.API {
	basic := base64.StdEncoding.EncodeToString([]byte(key + ":" + secret))
	return adapter.API{Base: strings.TrimSuffix(shop, "/") + "/wp-json/wc/v3", Header: http.Header{"Authorization": {"Basic " + basic}}}
}

// Source reads the orders of a shop that were changed, with their refunds. An order is told as it
// is now, in the order of its number.
//
// Source: docs/reconcile.md.
func Source(api adapter.API, cfg Config) adapter.Source {
	return adapter.Source{API: api, Provider: provider + cfg.Shop, Read: read, Endpoint: adapter.Endpoint{Config: cfg.Config,
		Map: func(body []byte) (pay.Action, error) { return Map(body, cfg) }}}
}

// perPage is the most that WooCommerce takes.
const perPage = 100

func read(ctx context.Context, api adapter.API, from time.Time, yield func([]byte) bool) error {
	var pages paging.Pages
	for n := 1; ; n++ {
		var orders []json.RawMessage
		q := url.Values{"orderby": {"id"}, "order": {"asc"}, "per_page": {strconv.Itoa(perPage)}, "page": {strconv.Itoa(n)},
			"modified_after": {from.Add(-time.Second).UTC().Format("2006-01-02T15:04:05")}, "dates_are_gmt": {"true"}}
		header, err := api.Get(ctx, "/orders", q, &orders)
		if err != nil {
			return err
		}
		last, err := strconv.Atoi(header.Get("X-WP-TotalPages"))
		if err != nil && len(orders) == perPage {
			last = n + 1 // it does not say how many there are
		}
		if err := pages.Next("/orders", orders, n < last); err != nil {
			return err
		}
		for _, order := range orders {
			if !yield(order) {
				return nil
			}
		}
		if n >= last { // a shop may allow fewer of a page than are asked for
			return nil
		}
	}
}

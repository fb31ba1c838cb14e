package shopify

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"time"

	"github.com/tributary-go/tributary/pay"
	"github.com/tributary-go/tributary/pay/adapter"
	"github.com/tributary-go/tributary/pay/internal/paging"
)

// API returns the Admin API of a shop, such as northwind-beans.myshopify.com, for a token of an app
// that may read orders; read_all_orders for those that are older than 60 days.
func API(shop, token string) adapter.API {
	return adapter.API{Base: "https://" + shop + "/admin/api/2026-01", Header: http.Header{"X-Shopify-Access-Token": {token}}}
}

// Source reads the orders of a shop that were changed, with their refunds. An order is told as it is now.
//
// Source: docs/reconcile.md.
func Source(api adapter.API, cfg Config) adapter.Source {
	return adapter.Source{API: api, Provider: provider, Read: read, Endpoint: adapter.Endpoint{Config: cfg.Config,
		Map: func(body []byte) (pay.Action, error) { return Map(body, cfg) }}}
}

var (
	nextPage = regexp.MustCompile(`<[^>]*[?&]page_info=([^>&]+)[^>]*>; *rel="?next"?`)
	anyNext  = regexp.MustCompile(`rel="?next"?`)
)

func read(ctx context.Context, api adapter.API, from time.Time, yield func([]byte) bool) error {
	q := url.Values{"status": {"any"}, "limit": {"250"}, "updated_at_min": {from.UTC().Format(time.RFC3339)}}
	for pages := (paging.Pages{}); ; {
		var page struct {
			Orders []json.RawMessage `json:"orders"`
		}
		header, err := api.Get(ctx, "/orders.json", q, &page)
		if err != nil {
			return err
		}
		if err := pages.Next("/orders.json", page.Orders, false); err != nil {
			return err
		}
		for _, order := range page.Orders {
			if !yield(order) {
				return nil
			}
		}
		links := strings.Join(header.Values("Link"), ", ")
		next := nextPage.FindStringSubmatch(links)
		switch {
		case next == nil && !anyNext.MatchString(links):
			return nil
		case next == nil:
			return fmt.Errorf("%w of /orders.json: the next page has no page_info", adapter.ErrAnswer)
		}
		token, err := url.QueryUnescape(next[1])
		if err != nil {
			return adapter.ErrAnswer
		}
		q = url.Values{"limit": {"250"}, "page_info": {token}} // which has the rest
	}
}

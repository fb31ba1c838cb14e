package lemonsqueezy

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"

	"github.com/tributary-go/tributary/pay"
	"github.com/tributary-go/tributary/pay/adapter"
	"github.com/tributary-go/tributary/pay/internal/paging"
)

// API returns Lemon Squeezy's API for a key; one of the test mode reads the test mode.
func API(key string) adapter.API {
	return adapter.API{Base: "https://api.lemonsqueezy.com/v1", Header: http.Header{
		"Authorization": {"Bearer " + key}, "Accept": {"application/vnd.api+json"}}}
}

// Source reads the orders and the invoices that were made or changed, all that was refunded, and all
// subscriptions. Each is told as it is now, the oldest of its kind first. What a checkout carried is not in the
// API: the first payment of a customer whom nobody knows credits nobody.
//
// Source: docs/reconcile.md.
func Source(api adapter.API, cfg Config) adapter.Source {
	return adapter.Source{API: api, Provider: provider, Read: read, Unmarked: true, Endpoint: adapter.Endpoint{Config: cfg.Config,
		Map: func(body []byte) (pay.Action, error) { return Map(body, cfg) }}}
}

func read(ctx context.Context, api adapter.API, from time.Time, yield func([]byte) bool) error {
	for _, of := range []struct {
		path, made, changed string // changed: the event of a refund, or of a state
		all                 bool
	}{
		{"/orders", "order_created", "order_refunded", false},
		{"/subscription-invoices", "subscription_payment_success", "subscription_payment_refunded", false},
		{"/subscriptions", "subscription_created", "subscription_updated", true},
	} {
		type told struct {
			event string
			raw   json.RawMessage
		}
		var newest []told
		err := list(ctx, api, of.path, func(o *object) {
			if o.bad {
				newest = append(newest, told{"", o.raw})
				return
			}
			if of.all || o.Is.Refunded > 0 {
				newest = append(newest, told{of.changed, o.raw})
			}
			if of.all || !o.Is.Changed.Before(from) {
				newest = append(newest, told{of.made, o.raw})
			}
		})
		if err != nil {
			return err
		}
		for _, o := range slices.Backward(newest) {
			body, err := json.Marshal(map[string]any{"meta": map[string]any{"event_name": o.event}, "data": o.raw})
			if err == nil && !yield(body) {
				return nil
			}
		}
	}
	return nil
}

// An object is what the objects of all lists have in common.
type object struct {
	Is struct {
		Changed  time.Time `json:"updated_at"`
		Refunded int64     `json:"refunded_amount"` // as much as until now
	} `json:"attributes"`
	raw json.RawMessage
	bad bool // it cannot be read, and Map refuses it
}

// list reads all of a list, the newest first: none can be asked for what changed.
func list(ctx context.Context, api adapter.API, path string, each func(*object)) error {
	var pages paging.Pages
	for n, last := 1, 1; n <= last; n++ {
		var page struct {
			Data []json.RawMessage `json:"data"`
			Meta struct {
				Page struct {
					Last int `json:"lastPage"`
				} `json:"page"`
			} `json:"meta"`
		}
		if _, err := api.Get(ctx, path, url.Values{"page[number]": {strconv.Itoa(n)}, "page[size]": {"100"}}, &page); err != nil {
			return err
		}
		last = page.Meta.Page.Last
		if err := pages.Numbered(path, page.Data, n, last); err != nil {
			return err
		}
		for _, raw := range page.Data {
			o := object{raw: raw}
			o.bad = json.Unmarshal(raw, &o) != nil || o.Is.Changed.IsZero()
			each(&o)
		}
	}
	return nil
}

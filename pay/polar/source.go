package polar

import (
	"cmp"
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"sort"
	"strconv"
	"time"

	"github.com/tributary-go/tributary/pay"
	"github.com/tributary-go/tributary/pay/adapter"
	"github.com/tributary-go/tributary/pay/internal/paging"
)

const (
	perPage = "100"               // the most that Polar takes
	late    = 90 * 24 * time.Hour // in which an order may be paid, and the state of a refund may change
)

// API returns Polar's API for an access token, which needs to read orders, refunds and subscriptions;
// for the sandbox set Base to https://sandbox-api.polar.sh.
func API(token string) adapter.API {
	return adapter.API{Base: "https://api.polar.sh", Header: http.Header{"Authorization": {"Bearer " + token}}}
}

// Source reads the orders that were made or changed, the refunds, those of the 90 days before too, and
// all subscriptions. Each is told as it is now, the oldest of its kind first.
//
// Source: docs/reconcile.md.
func Source(api adapter.API, cfg Config) adapter.Source {
	return adapter.Source{API: api, Provider: provider,
		Endpoint: adapter.Endpoint{Config: cfg, Map: func(body []byte) (pay.Action, error) { return Map(body, cfg) }},
		Read: func(ctx context.Context, api adapter.API, from time.Time, yield func([]byte) bool) error {
			return (&reader{ctx, api, from, cfg.Time()}).read(yield)
		}}
}

// A reader reads lists.
type reader struct {
	ctx       context.Context
	api       adapter.API
	from, now time.Time
}

// An object is what the objects of all lists have in common.
type object struct {
	Made    time.Time `json:"created_at"`
	Changed time.Time `json:"modified_at"` // zero: never
	Status  string    `json:"status"`
}

// objectOf reads an object; zero: it cannot be read.
func objectOf(raw json.RawMessage) (o object) {
	if json.Unmarshal(raw, &o) != nil {
		return object{}
	}
	return o
}

// at returns the time of the event that an object becomes; zero: it becomes none.
func (r *reader) at(event string, o *object) time.Time {
	changed := cmp.Or(o.Changed, o.Made)
	switch paid := o.Status == "paid" || o.Status == "refunded" || o.Status == "partially_refunded"; {
	case event == "subscription.updated":
		return r.now // its state is of now
	case event == "refund.updated":
		return changed
	case paid && !changed.Before(r.from):
		return o.Made
	}
	return time.Time{}
}

func (r *reader) read(yield func([]byte) bool) error {
	for _, of := range []struct{ path, event, sorting string }{
		{"/v1/orders/", "order.paid", "created_at"},
		{"/v1/refunds/", "refund.updated", "created_at"},
		{"/v1/subscriptions/", "subscription.updated", "started_at"}, // they have no other order that lasts
	} {
		n, err := r.first(of.path, of.sorting)
		pages := paging.Pages{}
		for last := n; err == nil && n <= last; n++ {
			var page []json.RawMessage
			if page, last, err = r.page(of.path, of.sorting, n); err == nil {
				err = pages.Numbered(of.path, page, n, last)
			}
			for _, raw := range page {
				o := objectOf(raw)
				at, body := r.at(of.event, &o), []byte(raw) // which Map refuses
				if !o.Made.IsZero() {
					body, _ = json.Marshal(map[string]any{"type": of.event, "timestamp": at, "data": raw})
				}
				if err == nil && (o.Made.IsZero() || !at.IsZero()) && !yield(body) {
					return nil
				}
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// first returns the first page that is read of a list: none can be asked for what was made since a moment.
func (r *reader) first(path, sorting string) (n int, err error) {
	if sorting != "created_at" {
		return 1, nil
	}
	_, last, err := r.page(path, sorting, 1)
	n = 1 + sort.Search(last-1, func(before int) bool {
		var page []json.RawMessage
		if err == nil {
			page, _, err = r.page(path, sorting, before+1)
		}
		if len(page) == 0 {
			return true
		}
		made := objectOf(page[len(page)-1]).Made
		return made.IsZero() || !made.Before(r.from.Add(-late))
	})
	return n, err
}

// page reads a page of a list, and returns the number of the last one.
func (r *reader) page(path, sorting string, n int) (objects []json.RawMessage, last int, err error) {
	var page struct {
		Items      []json.RawMessage `json:"items"`
		Pagination struct {
			Last int `json:"max_page"`
		} `json:"pagination"`
	}
	_, err = r.api.Get(r.ctx, path, url.Values{"page": {strconv.Itoa(n)}, "limit": {perPage}, "sorting": {sorting}}, &page)
	return page.Items, page.Pagination.Last, err
}

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
	raw     json.RawMessage
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
		for last := n; err == nil && n <= last; n++ {
			var page []object
			page, last, err = r.page(of.path, of.sorting, n)
			for i := range page {
				at := r.at(of.event, &page[i])
				body, err := json.Marshal(map[string]any{"type": of.event, "timestamp": at, "data": page[i].raw})
				if err == nil && !at.IsZero() && !yield(body) {
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
		var page []object
		if err == nil {
			page, _, err = r.page(path, sorting, before+1)
		}
		return len(page) == 0 || !page[len(page)-1].Made.Before(r.from.Add(-late))
	})
	return n, err
}

// page reads a page of a list, and returns the number of the last one.
func (r *reader) page(path, sorting string, n int) (objects []object, last int, err error) {
	var page struct {
		Items      []json.RawMessage `json:"items"`
		Pagination struct {
			Last int `json:"max_page"`
		} `json:"pagination"`
	}
	_, err = r.api.Get(r.ctx, path, url.Values{"page": {strconv.Itoa(n)}, "limit": {perPage}, "sorting": {sorting}}, &page)
	if err != nil {
		return nil, 0, err
	}
	objects = make([]object, len(page.Items))
	for i, raw := range page.Items {
		if objects[i].raw = raw; json.Unmarshal(raw, &objects[i]) != nil || objects[i].Made.IsZero() {
			return nil, 0, adapter.ErrAnswer
		}
	}
	return objects, page.Pagination.Last, nil
}

package dodo

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tributary-go/tributary/pay"
	"github.com/tributary-go/tributary/pay/adapter"
	"github.com/tributary-go/tributary/pay/internal/paging"
)

const (
	day   = 24 * time.Hour // of which payments are read at once, because pages far behind are refused
	month = 30 * day       // of which refunds and disputes are, which are fewer
	late  = 90 * day       // in which the state of a refund or a dispute may change
)

// API returns Dodo's API for a key; for the test mode set Base to https://test.dodopayments.com.
func API(key string) adapter.API {
	return adapter.API{Base: "https://live.dodopayments.com", Header: http.Header{"Authorization": {"Bearer " + key}}}
}

// Source reads the payments that were made, refunds and disputes, those of the 90 days before too, and
// all subscriptions. Each is told as it is now, the oldest of its kind first.
//
// Source: docs/reconcile.md.
func Source(api adapter.API, cfg Config) adapter.Source {
	return adapter.Source{API: api, Provider: provider,
		Endpoint: adapter.Endpoint{Config: cfg, Map: func(body []byte) (pay.Action, error) { return Map(body, cfg) }},
		Read: func(ctx context.Context, api adapter.API, from time.Time, yield func([]byte) bool) error {
			return (&reader{ctx, api, cfg.Time(), yield}).read(from)
		}}
}

// A reader reads lists.
type reader struct {
	ctx   context.Context
	api   adapter.API
	now   time.Time
	yield func([]byte) bool
}

// An object is what is known of the objects of all lists.
type object struct {
	Made     time.Time `json:"created_at"`
	Payment  string    `json:"payment_id"`
	Status   string    `json:"status"`
	Disputed string    `json:"dispute_status"`
	raw      json.RawMessage
	bad      bool // it cannot be read, and Map refuses it
}

func (r *reader) read(from time.Time) error {
	for _, of := range []struct {
		kind string
		from time.Time
		span time.Duration
	}{{"payment", from, day}, {"refund", from.Add(-late), month}, {"dispute", from.Add(-late), month}, {"subscription", r.now, month}} {
		for at := of.from; !at.After(r.now); at = at.Add(of.span) {
			q := url.Values{"page_size": {"100"}}
			if of.kind != "subscription" { // of these all are read at once
				q.Set("created_at_gte", at.UTC().Format(time.RFC3339))
				q.Set("created_at_lte", at.Add(of.span).UTC().Format(time.RFC3339))
			}
			made, err := r.list(of.kind, q)
			if err != nil {
				return err
			}
			if more, err := r.tell(of.kind, made); err != nil || !more {
				return err
			}
		}
	}
	return nil
}

// list reads a list until a page is empty, and sorts it.
func (r *reader) list(kind string, q url.Values) (objects []object, err error) {
	var pages paging.Pages
	for n := 0; ; n++ {
		q.Set("page_number", strconv.Itoa(n))
		var page struct {
			Items []json.RawMessage `json:"items"`
		}
		if _, err := r.api.Get(r.ctx, "/"+kind+"s", q, &page); err != nil {
			return nil, err
		}
		if err := pages.Next("/"+kind+"s", page.Items, false); err != nil {
			return nil, err
		}
		for _, raw := range page.Items {
			o := object{raw: raw}
			o.bad = json.Unmarshal(raw, &o) != nil || o.Made.IsZero()
			objects = append(objects, o)
		}
		if len(page.Items) == 0 {
			slices.SortStableFunc(objects, func(a, b object) int { return a.Made.Compare(b.Made) })
			return objects, nil
		}
	}
}

// tell yields objects as events, and reports whether it is wanted to go on.
func (r *reader) tell(kind string, objects []object) (more bool, err error) {
	for _, o := range objects {
		event, at := kind+"."+o.Status, o.Made
		switch {
		case o.bad:
			event = ""
		case kind == "payment":
			if o.Status != "succeeded" {
				continue
			}
			_, err := r.api.Get(r.ctx, "/payments/"+url.PathEscape(o.Payment), nil, &o.raw) // the list does not have its tax
			if answered, ok := errors.AsType[*adapter.APIError](err); ok && answered.Status == http.StatusNotFound {
				event, err = "", nil // without its tax it cannot be told: Map refuses it, and the others are read
			}
			if err != nil {
				return false, err
			}
		case kind == "dispute":
			event, at = strings.Replace(o.Disputed, "dispute_", "dispute.", 1), r.now // its state is of now
		case kind == "subscription":
			event, at = "subscription.updated", r.now
		}
		body, err := json.Marshal(map[string]any{"type": event, "timestamp": at, "data": o.raw})
		if err == nil && !r.yield(body) {
			return false, nil
		}
	}
	return true, nil
}

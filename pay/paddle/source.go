package paddle

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"github.com/tributary-go/tributary/pay"
	"github.com/tributary-go/tributary/pay/adapter"
	"github.com/tributary-go/tributary/pay/internal/paging"
)

// API returns Paddle's API for a key, which needs to read notifications; for the sandbox set Base to
// https://sandbox-api.paddle.com.
func API(key string) adapter.API {
	return adapter.API{Base: "https://api.paddle.com", Header: http.Header{"Authorization": {"Bearer " + key}}}
}

// Source reads the events of a seller, the oldest first, as far back as Paddle keeps them.
//
// Source: docs/reconcile.md.
func Source(api adapter.API, cfg Config) adapter.Source {
	return adapter.Source{API: api, Provider: provider, Read: read, Endpoint: adapter.Endpoint{Config: cfg.Config,
		Map: func(body []byte) (pay.Action, error) { return Map(body, cfg) }}}
}

// read finds the last event before a moment, and reads on from there: there is no list from a moment on.
func read(ctx context.Context, api adapter.API, from time.Time, yield func([]byte) bool) error {
	before := ""
	err := list(ctx, api, "id[DESC]", "", func(e envelope, _ []byte) bool {
		if !e.At.IsZero() && e.At.Before(from) {
			before = e.ID
		}
		return before == ""
	})
	if err != nil {
		return err
	}
	return list(ctx, api, "id[ASC]", before, func(_ envelope, body []byte) bool { return yield(body) })
}

// An envelope is what every event has.
type envelope struct {
	ID string
	At time.Time // zero: it says none, and Map refuses it
}

// envelopeOf reads an event, as far as it can be read.
func envelopeOf(body []byte) (e envelope) {
	var is struct {
		ID string          `json:"event_id"`
		At json.RawMessage `json:"occurred_at"`
	}
	_ = json.Unmarshal(body, &is)
	if e.ID = is.ID; json.Unmarshal(is.At, &e.At) != nil {
		e.At = time.Time{}
	}
	return e
}

// list reads the events after one, in an order, while each wants more.
func list(ctx context.Context, api adapter.API, order, after string, each func(envelope, []byte) bool) error {
	q := url.Values{"order_by": {order}, "per_page": {"200"}}
	for pages := (paging.Pages{}); ; {
		if after != "" {
			q.Set("after", after)
		}
		var page struct {
			Data []json.RawMessage `json:"data"`
			Meta struct {
				Pagination struct {
					HasMore bool `json:"has_more"`
				} `json:"pagination"`
			} `json:"meta"`
		}
		if _, err := api.Get(ctx, "/events", q, &page); err != nil {
			return err
		}
		if err := pages.Next("/events", page.Data, page.Meta.Pagination.HasMore); err != nil {
			return err
		}
		for _, body := range page.Data {
			e := envelopeOf(body)
			if after = e.ID; !each(e, body) {
				return nil
			}
		}
		switch {
		case !page.Meta.Pagination.HasMore:
			return nil
		case after == "":
			return fmt.Errorf("%w of /events: an id is missing", adapter.ErrAnswer)
		}
	}
}

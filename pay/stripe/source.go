package stripe

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
)

const (
	apiBase    = "https://api.stripe.com"
	apiVersion = "2026-02-25.clover"
	eventsKept = 29 * 24 * time.Hour // Stripe keeps events for 30 days
	span       = 6 * time.Hour       // of which events are read at once, because a list begins with the newest
)

// API returns Stripe's API for a key, which needs to read events, Checkout sessions, invoices,
// payment intents, charges, refunds, disputes, customers and subscriptions.
func API(key string) adapter.API {
	return adapter.API{Base: apiBase, Header: http.Header{
		"Authorization": {"Bearer " + key}, "Stripe-Version": {apiVersion}}}
}

// Source reads what an account has: the events of the last 30 days, the oldest first, and before that the
// objects that were made, as they are now. For a connected account add its id as the
// header Stripe-Account, and give CatchUp its program.
//
// Source: docs/reconcile.md.
func Source(api adapter.API, cfg Config) adapter.Source {
	s := adapter.Source{API: api, Endpoint: adapter.Endpoint{Config: cfg.Config, Complete: cfg.complete,
		Map: func(body []byte) (pay.Action, error) { return Map(body, cfg) }}}
	s.Read = func(ctx context.Context, api adapter.API, from time.Time, yield func([]byte) bool) error {
		r := reader{ctx, api, yield, cfg.Time(), cfg.Test}
		if kept := r.now.Add(-eventsKept); from.Before(kept) {
			if more, err := r.objects(from, kept); err != nil || !more {
				return err
			}
			from = kept
		}
		for ; !from.After(r.now); from = from.Add(span) {
			var read []json.RawMessage
			_, err := r.list("/v1/events", "", url.Values{"types[]": Events()}, from, from.Add(span), func(o json.RawMessage) []byte {
				read = append(read, o)
				return nil
			})
			if err != nil {
				return err
			}
			for _, body := range slices.Backward(read) {
				if !yield(body) {
					return nil
				}
			}
		}
		return nil
	}
	return s
}

// A reader reads lists.
type reader struct {
	ctx   context.Context
	api   adapter.API
	yield func([]byte) bool
	now   time.Time
	test  bool
}

// list reads a list of what was made in a time, and reports whether it is wanted to go on.
func (r *reader) list(path, expand string, q url.Values, from, to time.Time, event func(json.RawMessage) []byte) (more bool, err error) {
	q.Set("created[gte]", strconv.FormatInt(from.Unix(), 10))
	q.Set("created[lt]", strconv.FormatInt(to.Unix(), 10))
	q.Set("limit", "100")
	if expand != "" {
		q.Set("expand[]", expand)
	}
	for {
		var page struct {
			Data    []json.RawMessage `json:"data"`
			HasMore bool              `json:"has_more"`
		}
		if _, err := r.api.Get(r.ctx, path, q, &page); err != nil {
			return false, err
		}
		for _, o := range page.Data {
			if body := event(o); body != nil && !r.yield(body) {
				return false, nil
			}
			var last struct {
				ID string `json:"id"`
			}
			if json.Unmarshal(o, &last) != nil || last.ID == "" {
				return false, adapter.ErrAnswer
			}
			q.Set("starting_after", last.ID)
		}
		if !page.HasMore || len(page.Data) == 0 {
			return true, nil
		}
	}
}

// objects reads the objects that were made in a time, each as the event of its kind.
func (r *reader) objects(from, to time.Time) (more bool, err error) {
	for _, of := range []struct{ path, event, only, expand string }{
		{"/v1/customers", "customer.updated", "", ""},
		{"/v1/checkout/sessions", "checkout.session.completed", "complete", ""},
		{"/v1/payment_intents", "payment_intent.succeeded", "succeeded", "data.latest_charge"},
		{"/v1/invoices", "invoice.paid", "paid", "data.discounts"},
		{"/v1/invoice_payments", "invoice_payment.paid", "paid", ""},
		{"/v1/charges", "charge.succeeded", "succeeded", ""},
		{"/v1/refunds", "refund.updated", "", ""},
		{"/v1/disputes", "charge.dispute.updated", "", ""},
		{"/v1/subscriptions", "customer.subscription.updated", "", ""},
	} {
		q := url.Values{}
		if of.path == "/v1/subscriptions" {
			q.Set("status", "all") // else those that have ended are not there
		}
		more, err := r.list(of.path, of.expand, q, from, to, func(o json.RawMessage) []byte {
			var known struct {
				ID      string `json:"id"`
				Created int64  `json:"created"`
				Live    *bool  `json:"livemode"` // a refund does not say it
				Status  string `json:"status"`
			}
			if json.Unmarshal(o, &known) != nil || of.only != "" && known.Status != of.only {
				return nil
			}
			live := !r.test
			if known.Live != nil {
				live = *known.Live
			}
			at := known.Created
			if of.path == "/v1/subscriptions" {
				at = r.now.Unix() // its state is of now
			}
			body, err := json.Marshal(map[string]any{"id": "evt_of_" + known.ID, "object": "event", "type": of.event,
				"created": at, "livemode": live, "api_version": apiVersion, "data": map[string]any{"object": o}})
			if err != nil {
				return nil
			}
			return body
		})
		if err != nil || !more {
			return false, err
		}
	}
	return true, nil
}

package stripe

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/pay"
	"github.com/tributary-go/tributary/pay/adapter"
	"github.com/tributary-go/tributary/pay/internal/paging"
)

const (
	apiBase    = "https://api.stripe.com"
	apiVersion = "2026-02-25.clover"
	eventsKept = 29 * 24 * time.Hour // Stripe keeps events for 30 days
	span       = 6 * time.Hour       // of which events are read at once, because a list begins with the newest
	objectSpan = 7 * 24 * time.Hour  // of which objects are
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
	if api.Header.Get("Stripe-Account") != "" && cfg.Accounts == nil { // then an event may name it
		cfg.Accounts = func(context.Context, string) (*tributary.Program, error) { return nil, nil }
	}
	s := adapter.Source{API: api, Provider: provider, Endpoint: adapter.Endpoint{Config: cfg.Config, Complete: cfg.complete,
		Map: func(body []byte) (pay.Action, error) { return Map(body, cfg) }}}
	s.Read = func(ctx context.Context, api adapter.API, from time.Time, yield func([]byte) bool) error {
		r := reader{ctx: ctx, api: api, now: cfg.Time(), test: cfg.Test}
		for more := true; more && !from.After(r.now); {
			read, to := r.events, from.Add(span)
			if kept := r.now.Add(-eventsKept); from.Before(kept) {
				read, to = r.objects, from.Add(objectSpan)
				if to.After(kept) {
					to = kept // from there on are the events, which tell of older objects too
				}
			}
			if err := read(from, to); err != nil {
				return err
			}
			from, more = to, r.tell(yield)
		}
		return nil
	}
	return s
}

// A reader reads lists, which begin with the newest.
type reader struct {
	ctx  context.Context
	api  adapter.API
	now  time.Time
	test bool
	read []told // in a span of time
}

// A told body is that of an event of a time.
type told struct {
	at   int64
	body []byte
}

// tell tells what was read in a span, the oldest first, and reports whether it is wanted to go on.
func (r *reader) tell(yield func([]byte) bool) (more bool) {
	slices.SortStableFunc(r.read, func(a, b told) int { return cmp.Compare(a.at, b.at) })
	for _, one := range r.read {
		if !yield(one.body) {
			return false
		}
	}
	r.read = r.read[:0]
	return true
}

// events reads the events of a time.
func (r *reader) events(from, to time.Time) error {
	err := r.list("/v1/events", "", url.Values{"types[]": Events()}, from, to, func(o json.RawMessage, at int64) {
		r.read = append(r.read, told{at, o})
	})
	slices.Reverse(r.read) // of those of a second too
	return err
}

// list reads a list of what was made in a time.
func (r *reader) list(path, expand string, q url.Values, from, to time.Time, each func(o json.RawMessage, made int64)) error {
	q.Set("created[gte]", strconv.FormatInt(from.Unix(), 10))
	q.Set("created[lt]", strconv.FormatInt(to.Unix(), 10))
	q.Set("limit", "100")
	if expand != "" {
		q.Set("expand[]", expand)
	}
	for pages := (paging.Pages{}); ; {
		var page struct {
			Data    []json.RawMessage `json:"data"`
			HasMore bool              `json:"has_more"`
		}
		if _, err := r.api.Get(r.ctx, path, q, &page); err != nil {
			return err
		}
		if err := pages.Next(path, page.Data, page.HasMore); err != nil {
			return err
		}
		last := ""
		for _, o := range page.Data {
			var is struct {
				ID      string `json:"id"`
				Created int64  `json:"created"`
			}
			_ = json.Unmarshal(o, &is) // Map refuses it
			last = is.ID
			each(o, is.Created)
		}
		switch {
		case !page.HasMore:
			return nil
		case last == "":
			return fmt.Errorf("%w of %s: an id is missing", adapter.ErrAnswer, path)
		}
		q.Set("starting_after", last)
	}
}

// objects reads the objects that were made in a time, each as the event of its kind.
func (r *reader) objects(from, to time.Time) error {
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
		err := r.list(of.path, of.expand, q, from, to, func(o json.RawMessage, at int64) {
			var known struct {
				ID     string `json:"id"`
				Live   *bool  `json:"livemode"` // a refund does not say it
				Status string `json:"status"`
			}
			if json.Unmarshal(o, &known) != nil {
				r.read = append(r.read, told{at, o}) // which Map refuses
				return
			}
			if of.only != "" && known.Status != of.only {
				return
			}
			live := !r.test
			if known.Live != nil {
				live = *known.Live
			}
			made := at
			if of.path == "/v1/subscriptions" {
				at = r.now.Unix() // its state is of now
			}
			body, err := json.Marshal(map[string]any{"id": "evt_of_" + known.ID, "object": "event", "type": of.event,
				"created": at, "livemode": live, "api_version": apiVersion, "data": map[string]any{"object": o}})
			if err == nil {
				r.read = append(r.read, told{made, body})
			}
		})
		if err != nil {
			return err
		}
	}
	return nil
}

package pay_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/memstore"
	"github.com/tributary-go/tributary/pay/adapter"
	"github.com/tributary-go/tributary/pay/dodo"
	"github.com/tributary-go/tributary/pay/lemonsqueezy"
	"github.com/tributary-go/tributary/pay/paddle"
	"github.com/tributary-go/tributary/pay/polar"
	"github.com/tributary-go/tributary/pay/shopify"
	"github.com/tributary-go/tributary/pay/stripe"
	"github.com/tributary-go/tributary/pay/woocommerce"
)

var readAt = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

// sources are those of all providers, and how a list of theirs looks that says whether there is more.
func sources(base string, cfg adapter.Config) map[string]readable {
	at := func(api adapter.API) adapter.API { api.Base = base; return api }
	made := readAt.Add(-time.Hour).Format(time.RFC3339)
	data := func(more any, objects ...any) any { return map[string]any{"data": objects, "has_more": more} }
	list := func(objects []any) []any { return append([]any{}, objects...) }
	return map[string]readable{
		"stripe": {stripe.Source(at(stripe.API("k")), stripe.Config{Config: cfg}), func(more bool, objects []any) any { return data(more, list(objects)...) },
			map[string]any{"id": "evt_1", "created": readAt.Add(-time.Hour).Unix()}},
		"paddle": {paddle.Source(at(paddle.API("k")), paddle.Config{Config: cfg}), func(more bool, objects []any) any {
			return map[string]any{"data": list(objects), "meta": map[string]any{"pagination": map[string]any{"has_more": more}}}
		}, map[string]any{"event_id": "evt_1", "occurred_at": made}},
		"polar": {polar.Source(at(polar.API("k")), cfg), func(more bool, objects []any) any {
			return map[string]any{"items": list(objects), "pagination": map[string]any{"max_page": map[bool]int{true: 1 << 40, false: 1}[more]}}
		}, map[string]any{"id": "o_1", "created_at": made, "status": "paid"}},
		"dodo": {dodo.Source(at(dodo.API("k")), cfg), func(_ bool, objects []any) any { return map[string]any{"items": list(objects)} },
			map[string]any{"payment_id": "p_1", "created_at": made, "status": "failed"}},
		"lemonsqueezy": {lemonsqueezy.Source(at(lemonsqueezy.API("k")), lemonsqueezy.Config{Config: cfg}), func(more bool, objects []any) any {
			return map[string]any{"data": list(objects), "meta": map[string]any{"page": map[string]any{"lastPage": map[bool]int{true: 1 << 40, false: 1}[more]}}}
		}, map[string]any{"id": "1", "attributes": map[string]any{"updated_at": made}}},
		"shopify": {shopify.Source(at(shopify.API("s", "k")), shopify.Config{Config: cfg}), func(_ bool, objects []any) any { return map[string]any{"orders": list(objects)} },
			map[string]any{"id": 1}},
		"woocommerce": {woocommerce.Source(at(woocommerce.API("https://s.example", "k", "s")), woocommerce.Config{Config: cfg}), func(_ bool, objects []any) any { return list(objects) },
			map[string]any{"id": 1}},
	}
}

// A readable source is one with the form of its lists, and an object of them.
type readable struct {
	adapter.Source
	list   func(more bool, objects []any) any
	object map[string]any
}

func readProgram(t *testing.T) *tributary.Program {
	t.Helper()
	p, err := tributary.New(memstore.New(), tributary.Config{Terms: affiliate.Terms{Rate: affiliate.MustPercent("20")}, Now: func() time.Time { return readAt }})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestEndlessLists: a list that repeats a page, that promises more and is empty, and an answer that is no list, are errors
// that say so. No reading is endless, and none takes them for a provider that has nothing.
func TestEndlessLists(t *testing.T) {
	text := func(s string) func(readable) string { return func(readable) string { return s } }
	page := func(more bool, n int) func(readable) string {
		return func(s readable) string {
			var objects []any
			for range n {
				objects = append(objects, s.object)
			}
			raw, err := json.Marshal(s.list(more, objects))
			if err != nil {
				t.Fatal(err)
			}
			return string(raw)
		}
	}
	for what, row := range map[string]struct {
		answer func(readable) string
		only   string // these providers; empty: all
	}{
		"the same page for ever":     {page(true, 100), ""},
		"empty, and more":            {page(true, 0), "stripe paddle polar lemonsqueezy"},
		"a page":                     {text("<html>Sign in</html>"), ""},
		"another answer":             {text(`{"message":"welcome"}`), ""},
		"nothing":                    {text("null"), ""},
		"broken off":                 {text(`{"data":[{"id":`), ""},
		"texts":                      {text(`{"data":"none","items":"none","orders":"none"}`), ""},
		"pages that are not counted": {text(`{"data":[{"id":"1","attributes":{"updated_at":"2026-11-30T11:00:00Z"}}],"items":[{"created_at":"2026-11-30T11:00:00Z"}]}`), "polar lemonsqueezy"},
	} {
		for name, s := range sources("http://127.0.0.1:1", adapter.Config{}) {
			if row.only != "" && !strings.Contains(row.only, name) {
				continue
			}
			t.Run(what+" of "+name, func(t *testing.T) {
				api := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					w.Header().Set("X-WP-TotalPages", "1000000000")
					w.Header().Set("Link", fmt.Sprintf(`<https://elsewhere.example/?page_info=%d>; rel="next"`, time.Now().UnixNano()))
					io.WriteString(w, row.answer(s))
				}))
				defer api.Close()
				var log bytes.Buffer
				src := sources(api.URL, adapter.Config{Now: func() time.Time { return readAt }, Logger: slog.New(slog.NewTextHandler(&log, nil))})[name]
				ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
				defer cancel()
				if _, err := src.CatchUp(ctx, readProgram(t), readAt.Add(-2*time.Hour)); !errors.Is(err, adapter.ErrAnswer) {
					t.Errorf("caught up: %v", err)
				}
				if _, err := src.Compare(ctx, readProgram(t), readAt.Add(-2*time.Hour)); !errors.Is(err, adapter.ErrAnswer) {
					t.Errorf("compared: %v", err)
				}
			})
		}
	}
}

// TestBadObjects: an object of a list that cannot be read is a line of the log, and does not keep the others from being
// read.
func TestBadObjects(t *testing.T) {
	for name, s := range sources("http://127.0.0.1:1", adapter.Config{}) {
		t.Run(name, func(t *testing.T) {
			bad := map[string]any{"id": "bad", "event_id": "bad", "payment_id": 7, "created_at": "yesterday", "occurred_at": 5, "created": "x", "attributes": []int{1}, "line_items": 3, "admin_graphql_api_id": "gid://shopify/Order/7"}
			api := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				objects := []any{}
				if n := r.URL.Query().Get("page_number"); n == "" || n == "0" {
					objects = []any{s.object, bad}
				}
				raw, err := json.Marshal(s.list(false, objects))
				if err != nil {
					t.Error(err)
				}
				w.Write(raw)
			}))
			defer api.Close()
			var log bytes.Buffer
			src := sources(api.URL, adapter.Config{Now: func() time.Time { return readAt }, Logger: slog.New(slog.NewTextHandler(&log, nil))})[name]
			done, err := src.CatchUp(t.Context(), readProgram(t), readAt.Add(-2*time.Hour))
			if err != nil || done.Unreadable == 0 || !strings.Contains(log.String(), "unreadable") {
				t.Errorf("%+v, %v\n%s", done, err, log.String())
			}
		})
	}
}

// lists answers each path by a function, and keeps what was asked.
func lists(t *testing.T, answer func(r *http.Request, w http.ResponseWriter) any) (base string, asked func() []string) {
	var all []string
	api := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		all = append(all, r.URL.Path+"?"+r.URL.RawQuery)
		if body := answer(r, w); body != nil {
			_ = json.NewEncoder(w).Encode(body)
		}
	}))
	t.Cleanup(api.Close)
	return api.URL, func() []string { return all }
}

// read returns what a source reads since a moment.
func read(t *testing.T, s adapter.Source, from time.Time) (bodies []string, err error) {
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	err = s.Read(ctx, s.API, from, func(body []byte) bool {
		bodies = append(bodies, string(body))
		return true
	})
	return bodies, err
}

// TestFewerOfAPage: a shop that allows fewer orders of a page than were asked for is read to its end; an order that was
// changed in the second of the moment is asked for too.
func TestFewerOfAPage(t *testing.T) {
	base, asked := lists(t, func(r *http.Request, w http.ResponseWriter) any {
		w.Header().Set("X-WP-TotalPages", "3")
		return []any{map[string]any{"id": r.URL.Query().Get("page")}}
	})
	bodies, err := read(t, sources(base, adapter.Config{})["woocommerce"].Source, readAt)
	if err != nil || len(bodies) != 3 || !strings.Contains(asked()[0], "modified_after=2026-11-30T11%3A59%3A59") {
		t.Errorf("%q, %v, asked %q", bodies, err, asked())
	}
}

// TestNextOfAnotherForm: a next page that cannot be asked for is an error, and not the end.
func TestNextOfAnotherForm(t *testing.T) {
	base, _ := lists(t, func(_ *http.Request, w http.ResponseWriter) any {
		w.Header().Set("Link", `<https://s.example/orders.json?cursor=1>; rel="next"`)
		return map[string]any{"orders": []any{map[string]any{"id": 1}}}
	})
	if bodies, err := read(t, sources(base, adapter.Config{})["shopify"].Source, readAt); !errors.Is(err, adapter.ErrAnswer) {
		t.Errorf("%q, %v", bodies, err)
	}
}

// TestEventWithoutTime: an event that says no time is not taken for one of before: all since the moment are read.
func TestEventWithoutTime(t *testing.T) {
	event := func(n int) any {
		at := any(readAt.Add(time.Duration(n) * time.Minute))
		if n == 3 {
			at = nil
		}
		return map[string]any{"event_id": fmt.Sprint("evt_", n), "occurred_at": at}
	}
	base, _ := lists(t, func(r *http.Request, _ http.ResponseWriter) any {
		var data []any
		for n := range 5 {
			if i := n; r.URL.Query().Get("order_by") == "id[DESC]" {
				data = append(data, event(4-i))
			} else if fmt.Sprint("evt_", i) > r.URL.Query().Get("after") {
				data = append(data, event(i))
			}
		}
		return map[string]any{"data": append([]any{}, data...)}
	})
	if bodies, err := read(t, sources(base, adapter.Config{})["paddle"].Source, readAt.Add(30*time.Second)); err != nil || len(bodies) != 4 {
		t.Errorf("%q, %v", bodies, err)
	}
}

// TestWhereEventsBegin: Stripe's objects are read until the day from which on it has events, and these from there on, which
// tell of older objects too.
func TestWhereEventsBegin(t *testing.T) {
	var until, since int64
	base, _ := lists(t, func(r *http.Request, _ http.ResponseWriter) any {
		var from, to int64
		fmt.Sscan(r.URL.Query().Get("created[gte]"), &from)
		fmt.Sscan(r.URL.Query().Get("created[lt]"), &to)
		if r.URL.Path != "/v1/events" {
			until = max(until, to)
		} else if since == 0 {
			since = from
		}
		return map[string]any{"data": []any{}}
	})
	src := sources(base, adapter.Config{Now: func() time.Time { return readAt }})["stripe"].Source
	if _, err := read(t, src, readAt.AddDate(0, 0, -40)); err != nil || until != since || since != readAt.AddDate(0, 0, -29).Unix() {
		t.Errorf("objects until %s, events since %s, %v", time.Unix(until, 0), time.Unix(since, 0), err)
	}
}

// TestOneOfMany: a payment that Dodo's list has, and Dodo does not find, is a line of the log, and the others are read.
func TestOneOfMany(t *testing.T) {
	base, _ := lists(t, func(r *http.Request, w http.ResponseWriter) any {
		payment := func(id string) map[string]any {
			return map[string]any{"payment_id": id, "created_at": readAt.Add(-time.Hour), "status": "succeeded", "tax": 1}
		}
		switch {
		case r.URL.Path == "/payments/gone":
			w.WriteHeader(http.StatusNotFound)
			return nil
		case r.URL.Path == "/payments/here":
			return payment("here")
		case r.URL.Path == "/payments" && r.URL.Query().Get("page_number") == "0" && r.URL.Query().Get("created_at_gte") < readAt.Format(time.RFC3339):
			return map[string]any{"items": []any{payment("gone"), payment("here")}}
		}
		return map[string]any{"items": []any{}}
	})
	src := sources(base, adapter.Config{Now: func() time.Time { return readAt }})["dodo"].Source
	bodies, err := read(t, src, readAt.Add(-2*time.Hour))
	if err != nil || len(bodies) != 2 || !strings.Contains(bodies[1], `"payment_id":"here"`) {
		t.Fatalf("%q, %v", bodies, err)
	}
	if _, err := src.Map([]byte(bodies[0])); !errors.Is(err, adapter.ErrPayload) {
		t.Errorf("what is gone: %v", err)
	}
}

// TestShopsApart: the books of a shop with a name are those of its payments, not of another shop's.
func TestShopsApart(t *testing.T) {
	order := func(n int) map[string]any {
		return map[string]any{"id": n, "number": fmt.Sprint(n), "order_key": fmt.Sprint("wc_order_", n), "status": "completed", "currency": "USD", "total": "100.00", "total_tax": "0.00", "shipping_total": "0.00",
			"discount_total": "0.00", "date_created_gmt": "2026-11-30T11:00:00", "date_modified_gmt": "2026-11-30T11:00:00", "date_paid_gmt": "2026-11-30T11:00:00", "customer_id": 0,
			"billing": map[string]any{"email": "tomas@customers.example", "first_name": "Tomas", "last_name": "W"}, "line_items": []any{}, "refunds": []any{}, "meta_data": []any{}}
	}
	base, _ := lists(t, func(*http.Request, http.ResponseWriter) any { return []any{order(1)} })
	p := readProgram(t)
	ada, err := p.CreateAffiliate(t.Context(), affiliate.AffiliateParams{FirstName: "Ada", LastName: "L", Email: "ada@partners.example", AffiliateLink: "ada"})
	if err == nil {
		_, err = p.CreateReferral(t.Context(), affiliate.ReferralParams{AffiliateID: ada.ID.String(), Name: "Tomas", Email: "tomas@customers.example", ReferredUserExternalID: "17"})
	}
	if err != nil {
		t.Fatal(err)
	}
	source := func(shop string) adapter.Source {
		api := woocommerce.API(base, "k", "s")
		return woocommerce.Source(api, woocommerce.Config{Config: adapter.Config{Now: func() time.Time { return readAt }}, Shop: shop})
	}
	from := readAt.AddDate(0, 0, -2)
	if done, err := source("").CatchUp(t.Context(), p, from); err != nil || done.Sales != 1 {
		t.Fatalf("%+v, %v", done, err)
	}
	if c, err := source("eu").Compare(t.Context(), p, from); err != nil || len(c.Differences) != 1 || c.Differences[0].Kind != adapter.DifferentMissing {
		t.Errorf("before: %+v, %v", c, err)
	}
	if done, err := source("eu").CatchUp(t.Context(), p, from); err != nil || done.Sales != 1 {
		t.Fatalf("%+v, %v", done, err)
	}
	for _, shop := range []string{"", "eu"} {
		if c, err := source(shop).Compare(t.Context(), p, from); err != nil || c.Payments != 1 || len(c.Differences) > 0 {
			t.Errorf("shop %q: %+v, %v", shop, c, err)
		}
	}
}

package lemonsqueezy_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/tributary-go/tributary/pay"
	"github.com/tributary-go/tributary/pay/adapter"
	"github.com/tributary-go/tributary/pay/internal/shoptest"
	"github.com/tributary-go/tributary/pay/lemonsqueezy"
)

// source reads an API of Lemon Squeezy's at base.
func source(base string, cfg adapter.Config) adapter.Source {
	api := lemonsqueezy.API("eyJ.reads")
	api.Base = base + "/v1"
	cfg.Secrets = adapter.Secrets{secret}
	return lemonsqueezy.Source(api, lemonsqueezy.Config{Config: cfg})
}

// lists are Lemon Squeezy's lists of what some events told, each object as it was told last, the newest first.
func lists(t *testing.T, bodies [][]byte) http.Handler {
	all := map[string][]event{}
	for _, body := range bodies {
		o := event(shoptest.Decode(t, body)["data"].(map[string]any))
		all[o.Field("type")] = shoptest.Put(all[o.Field("type")], o, "id", "attributes.created_at")
	}
	mux := http.NewServeMux()
	for _, kind := range []string{"orders", "subscription-invoices", "subscriptions"} {
		of := all[kind]
		slices.Reverse(of)
		mux.HandleFunc("GET /v1/"+kind, func(w http.ResponseWriter, r *http.Request) {
			q := r.URL.Query()
			n, size := shoptest.Must(strconv.Atoi(q.Get("page[number]"))), shoptest.Must(strconv.Atoi(q.Get("page[size]")))
			if r.Header.Get("Authorization") != "Bearer eyJ.reads" || r.Header.Get("Accept") != "application/vnd.api+json" || size > 100 {
				w.WriteHeader(http.StatusUnauthorized)
				return
			}
			shoptest.Answers(w, map[string]any{"data": shoptest.Page(of, n-1, size),
				"meta": map[string]any{"page": map[string]any{"currentPage": n, "lastPage": max(1, (len(of)+size-1)/size), "perPage": size, "total": len(of)}}})
		})
	}
	return mux
}

// TestSourceFrom: payments that were made or changed since a moment are read, refunds and subscriptions always, the oldest first.
func TestSourceFrom(t *testing.T) {
	s := newShop(t)
	var bodies [][]byte
	told := func(name string, id, day int, changes ...any) {
		at := shoptest.Start.AddDate(0, 0, day).Format(time.RFC3339Nano)
		bodies = append(bodies, provider.Event(t, name, append([]any{"updated_at", at, "created_at", at, "/data.id", fmt.Sprint(id)}, changes...)...).JSON())
	}
	for day := range 250 {
		told("order", 1000+day, day)
		told("invoice", 1000+day, day)
		told("subscription", 1000+day, day)
	}
	told("order_refunded", 1003, 3)
	told("invoice_refunded", 1004, 4)
	told("invoice", 1005, 249) // paid late
	told("order", 1249, 249, "test_mode", true)
	s.Now = shoptest.Start.AddDate(1, 0, 0)
	api := httptest.NewServer(lists(t, bodies))
	defer api.Close()
	for day, want := range map[int]map[string]int{
		-1:  {"order_created": 249, "order_refunded": 1, "subscription_payment_success": 250, "subscription_payment_refunded": 1, "subscription_created": 250, "subscription_updated": 250},
		200: {"order_created": 49, "order_refunded": 1, "subscription_payment_success": 51, "subscription_payment_refunded": 1, "subscription_created": 250, "subscription_updated": 250},
	} {
		got := map[string]int{}
		var before time.Time
		src := source(api.URL, s.AdapterConfig())
		err := src.Read(t.Context(), src.API, shoptest.Start.AddDate(0, 0, day), func(body []byte) bool {
			a := shoptest.Must(src.Map(body))
			if a.Reason == pay.TestMode {
				return true
			}
			if got[a.Event.Type]++; got[a.Event.Type] > 1 && a.Event.ID != "1005" && a.Event.At.Before(before) {
				t.Errorf("%s %s is told after a later one", a.Event.Type, a.Event.ID)
			}
			if a.Event.ID != "1005" {
				before = a.Event.At
			}
			return true
		})
		if err != nil || fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("from day %d: %v, want %v, %v", day, got, want, err)
		}
	}
}

// TestSourceFirst: the invoice of a first payment is that of its order, when the event that says so was lost, and a refund of
// the invoice is one of the order.
func TestSourceFirst(t *testing.T) {
	s := newShop(t)
	s.Send(load(s, "order", "/meta.custom_data", map[string]any{"tributary_slug": "mara"}))
	bodies := [][]byte{load(s, "order").JSON(), load(s, "subscription").JSON(), load(s, "invoice_initial", "refunded_amount", 6000).JSON()}
	api := httptest.NewServer(lists(t, bodies))
	defer api.Close()
	s.Pass(time.Hour)
	done := shoptest.Must(source(api.URL, s.AdapterConfig()).CatchUp(t.Context(), s.Program, shoptest.Start.Add(-time.Hour)))
	if got, want := s.Money(), "Mara 10.00, Ben 0.00; sale of 120"; got != want || done.Nobodys > 0 || strings.Contains(s.Logs.String(), "WARN") {
		t.Errorf("%s, want %s; %+v\n%s", got, want, done, s.Logs.String())
	}
}

// TestSourceUnmarked: the payments of somebody whom nobody knows credit nobody, and one line says so. When the first event is sent
// again, all of them are sales.
func TestSourceUnmarked(t *testing.T) {
	s := newShop(t)
	first := load(s, "order", "/meta.custom_data", map[string]any{"tributary_slug": "mara"})
	s.Pass(time.Hour)
	api := httptest.NewServer(lists(t, [][]byte{first.JSON(), load(s, "invoice").JSON()}))
	defer api.Close()
	s.Pass(2 * time.Hour)
	src := source(api.URL, s.AdapterConfig())
	done := shoptest.Must(src.CatchUp(t.Context(), s.Program, shoptest.Start))
	if len(s.AllSales()) > 0 || done.Nobodys != 2 || strings.Count(s.Logs.String(), `"level":"WARN"`) != 1 || !strings.Contains(s.Logs.String(), `"payments":2}`) {
		t.Errorf("%+v\n%s", done, s.Logs.String())
	}
	s.Send(first)
	done = shoptest.Must(src.CatchUp(t.Context(), s.Program, shoptest.Start))
	if got, want := s.Money(), "Mara 40.00, Ben 0.00; sale of 100; sale of 120"; got != want || done.Nobodys > 0 {
		t.Errorf("%s, want %s; %+v", got, want, done)
	}
}

package dodo_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/tributary-go/tributary/pay/adapter"
	"github.com/tributary-go/tributary/pay/dodo"
	"github.com/tributary-go/tributary/pay/internal/shoptest"
)

// source reads an API of Dodo's at base.
func source(base string, cfg adapter.Config) adapter.Source {
	api := dodo.API("dodo_reads")
	api.Base = base
	cfg.Secrets = adapter.Secrets{secret}
	return dodo.Source(api, cfg)
}

// pagesAllowed is how far behind a page of payments may be.
const pagesAllowed = 3

// lists are Dodo's lists of what some events told, each object as it was told last, the newest first. The list of
// payments has no tax and no settlement, and not every page.
func lists(t *testing.T, bodies [][]byte) http.Handler {
	all := map[string][]event{}
	for _, body := range bodies {
		e := shoptest.Decode(t, body)
		kind, _, _ := strings.Cut(e.Field("type"), ".")
		made := shoptest.Must(time.Parse(time.RFC3339, e.Field("timestamp"))).Add(-2 * time.Second) // an event is told afterwards
		all[kind] = shoptest.Put(all[kind], event(e["data"].(map[string]any)).With("created_at", made.Format(time.RFC3339Nano)), kind+"_id", "created_at")
	}
	for _, list := range all {
		slices.Reverse(list)
	}
	mux := http.NewServeMux()
	answer := func(pattern string, h func(q func(string) string, w http.ResponseWriter, r *http.Request)) {
		mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
			if r.Header.Get("Authorization") != "Bearer dodo_reads" {
				w.WriteHeader(http.StatusUnauthorized)
				return
			}
			h(r.URL.Query().Get, w, r)
		})
	}
	for _, kind := range []string{"payment", "refund", "dispute", "subscription"} {
		answer("GET /"+kind+"s", func(q func(string) string, w http.ResponseWriter, _ *http.Request) {
			of := slices.DeleteFunc(slices.Clone(all[kind]), func(e event) bool {
				at := shoptest.Must(time.Parse(time.RFC3339, e.Field("created_at")))
				return q("created_at_gte") != "" && at.Before(shoptest.Must(time.Parse(time.RFC3339, q("created_at_gte")))) ||
					q("created_at_lte") != "" && at.After(shoptest.Must(time.Parse(time.RFC3339, q("created_at_lte"))))
			})
			n, size := shoptest.Must(strconv.Atoi(q("page_number"))), shoptest.Must(strconv.Atoi(q("page_size")))
			if size > 100 || kind == "payment" && n > pagesAllowed {
				w.WriteHeader(http.StatusBadRequest)
				return
			}
			page := shoptest.Page(of, n, size)
			for i := range page {
				page[i] = page[i].With("tax", shoptest.Gone, "settlement_amount", shoptest.Gone, "product_cart", shoptest.Gone, "payload_type", shoptest.Gone)
			}
			shoptest.Answers(w, map[string]any{"items": page})
		})
	}
	answer("GET /payments/{id}", func(_ func(string) string, w http.ResponseWriter, r *http.Request) {
		for _, e := range all["payment"] {
			if e.Field("payment_id") == r.PathValue("id") {
				shoptest.Answers(w, e)
				return
			}
		}
		w.WriteHeader(http.StatusNotFound)
	})
	return mux
}

// TestSourceFrom: payments since a moment are read whole, the oldest first, and those that failed are not; refunds and disputes of
// the 90 days before too, and all subscriptions.
func TestSourceFrom(t *testing.T) {
	s := newShop(t)
	var bodies [][]byte
	told := func(name, id string, hours int, changes ...any) {
		at := shoptest.Start.Add(time.Duration(hours)*time.Hour + time.Minute).Format(time.RFC3339Nano)
		kind, _, _ := strings.Cut(name, "_")
		bodies = append(bodies, provider.Event(t, name, append([]any{"/timestamp", at, kind + "_id", id}, changes...)...).JSON())
	}
	for n := range 450 {
		told("payment", fmt.Sprint("pay ", n), n*4) // 75 days
		told("refund", fmt.Sprint("ref_", n), n*12) // 225 days
	}
	for n := range 250 { // more than a page in a day
		told("payment", fmt.Sprint("day_", n), 20, "status", map[bool]string{true: "failed", false: "succeeded"}[n%2 == 0])
		told("subscription", fmt.Sprint("sub_", n), n)
	}
	told("dispute", "dp_1", 1, "dispute_status", "dispute_won")
	api := httptest.NewServer(lists(t, bodies))
	defer api.Close()
	s.Now = shoptest.Start.Add(230 * 24 * time.Hour)
	for day, want := range map[int]map[string]int{
		-1:  {"payment.succeeded": 575, "refund.succeeded": 450, "dispute.won": 1, "subscription.updated": 250},
		50:  {"payment.succeeded": 150, "refund.succeeded": 450, "dispute.won": 1, "subscription.updated": 250},
		110: {"refund.succeeded": 410, "subscription.updated": 250},
	} {
		got, seen := map[string]int{}, map[string]bool{}
		var before time.Time
		src := source(api.URL, s.AdapterConfig())
		err := src.Read(t.Context(), src.API, shoptest.Start.Add(time.Duration(day*24)*time.Hour), func(body []byte) bool {
			e, a := shoptest.Decode(t, body), shoptest.Must(src.Map(body))
			if seen[a.Event.ID] {
				return true // at the end of a day, and at the beginning of the next
			}
			seen[a.Event.ID] = true
			if got[a.Event.Type]++; got[a.Event.Type] > 1 && a.Event.At.Before(before) {
				t.Errorf("%s is told after a later one", a.Event.ID)
			}
			if data := e["data"].(map[string]any); a.Event.Type == "payment.succeeded" && data["tax"] == nil {
				t.Errorf("%s has no tax", a.Event.ID)
			}
			before = a.Event.At
			return true
		})
		if err != nil || fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("from day %d: %v, want %v, %v", day, got, want, err)
		}
	}
}

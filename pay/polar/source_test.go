package polar_test

import (
	"cmp"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/tributary-go/tributary/pay/adapter"
	"github.com/tributary-go/tributary/pay/internal/shoptest"
	"github.com/tributary-go/tributary/pay/polar"
)

// source reads an API of Polar's at base.
func source(base string, cfg adapter.Config) adapter.Source {
	api := polar.API("polar_oat_reads")
	api.Base = base
	cfg.Secrets = adapter.Secrets{secret}
	return polar.Source(api, cfg)
}

// lists are Polar's lists of what some events told, each object as it was told last.
func lists(t *testing.T, bodies [][]byte) http.Handler {
	all := map[string][]event{}
	for _, body := range bodies {
		e := shoptest.Decode(t, body)
		kind, _, _ := strings.Cut(e.Field("type"), ".")
		path := "/v1/" + kind + "s/"
		all[path] = shoptest.Put(all[path], event(e["data"].(map[string]any)).With("created_at", e["timestamp"], "modified_at", e["timestamp"]), "id", "created_at")
	}
	for _, list := range all {
		slices.SortStableFunc(list, func(a, b event) int { return cmp.Compare(a.Field("created_at"), b.Field("created_at")) })
	}
	mux := http.NewServeMux()
	for path, sorting := range map[string]string{"/v1/orders/": "created_at", "/v1/refunds/": "created_at", "/v1/subscriptions/": "started_at"} {
		mux.HandleFunc("GET "+path+"{$}", func(w http.ResponseWriter, r *http.Request) {
			q := r.URL.Query()
			n, of := shoptest.Must(strconv.Atoi(q.Get("limit"))), all[path]
			if r.Header.Get("Authorization") != "Bearer polar_oat_reads" || q.Get("sorting") != sorting || n > 100 {
				w.WriteHeader(http.StatusUnauthorized)
				return
			}
			shoptest.Answers(w, map[string]any{"items": shoptest.Page(of, shoptest.Must(strconv.Atoi(q.Get("page")))-1, n),
				"pagination": map[string]any{"total_count": len(of), "max_page": (len(of) + n - 1) / n}})
		})
	}
	return mux
}

// TestSourceFrom: of a long list what is too old is not asked for. An order that was made before the
// moment and paid since is read, one that is not paid is none, and neither is one of before.
func TestSourceFrom(t *testing.T) {
	s := newShop(t)
	s.Now = shoptest.Start.Add(2000 * time.Hour * 24)
	var bodies [][]byte
	told := func(name string, day int, changes ...any) {
		at := shoptest.Start.AddDate(0, 0, day).Format(time.RFC3339Nano)
		bodies = append(bodies, provider.Event(t, name, append([]any{"/timestamp", at, "id", fmt.Sprint(name, len(bodies))}, changes...)...).JSON())
	}
	for day := range 1000 {
		told("order_paid", day, "id", fmt.Sprint("o", day))
		told("refund", day, "id", fmt.Sprint("r", day))
	}
	told("order_paid", 950, "id", "o940", "status", "partially_refunded")
	told("order_paid", 955, "id", "o700", "status", "refunded")
	told("order_paid", 960, "id", "o970", "status", "pending")
	told("subscription", 1)
	asked := 0
	list := lists(t, bodies)
	api := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked++
		list.ServeHTTP(w, r)
	}))
	defer api.Close()
	for day, want := range map[int]struct {
		orders, refunds int
		asked           int
	}{
		950: {50, 140, 15}, // o940 too, and neither o970 nor o700, which is older than 90 days
		951: {48, 139, 15},
		990: {10, 100, 15},
		-1:  {999, 1000, 31},
	} {
		asked = 0
		got := map[string]int{}
		var before time.Time
		src := source(api.URL, s.AdapterConfig())
		err := src.Read(t.Context(), src.API, shoptest.Start.AddDate(0, 0, day), func(body []byte) bool {
			e := shoptest.Decode(t, body)
			a := shoptest.Must(src.Map(body))
			if got[e.Field("type")]++; got[e.Field("type")] > 1 && a.Event.At.Before(before) && e.Field("type") == "order.paid" {
				t.Errorf("%s is told after a later one", a.Event.ID)
			}
			before = a.Event.At
			return true
		})
		if err != nil || got["order.paid"] != want.orders || got["refund.updated"] < want.refunds || got["refund.updated"] >= want.refunds+100 || got["subscription.updated"] != 1 || asked > want.asked {
			t.Errorf("from day %d: %v with %d requests, %v", day, got, asked, err)
		}
	}
}

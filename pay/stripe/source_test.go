package stripe_test

import (
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/pay"
	"github.com/tributary-go/tributary/pay/adapter"
	"github.com/tributary-go/tributary/pay/internal/shoptest"
	"github.com/tributary-go/tributary/pay/paytest"
	"github.com/tributary-go/tributary/pay/stripe"
)

// catchUp reads again what Stripe told in the last days, and books what is missing. Call it daily.
func catchUp(ctx context.Context, program *tributary.Program, key string, cfg stripe.Config) error {
	src := stripe.Source(stripe.API(key), cfg)
	done, err := src.CatchUp(ctx, program, time.Now().AddDate(0, 0, -4))
	if err != nil {
		return err // what was applied stays; call it again
	}
	if done.Sales > 0 {
		slog.WarnContext(ctx, "webhooks were lost", "sales", done.Sales)
	}
	return nil
}

// What webhooks lost is read again.
func ExampleSource() {
	daily := func(ctx context.Context, program *tributary.Program, cfg stripe.Config) error {
		return catchUp(ctx, program, os.Getenv("STRIPE_API_KEY"), cfg)
	}
	_ = daily
}

// source reads an API of Stripe's at base.
func source(base string, cfg adapter.Config) adapter.Source {
	api := stripe.API("rk_live_reads")
	api.Base = base
	cfg.Secrets = adapter.Secrets{secret}
	return stripe.Source(api, stripe.Config{Config: cfg})
}

// events is Stripe's list of events, the newest first.
func events(t *testing.T, bodies [][]byte) http.Handler {
	var all []event
	for _, body := range bodies {
		all = append(all, shoptest.Decode(t, body))
	}
	slices.Reverse(all)
	mux := http.NewServeMux()
	mux.HandleFunc("GET /v1/events", func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer rk_live_reads" || r.Header.Get("Stripe-Version") == "" {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		q := r.URL.Query()
		from, to := shoptest.Must(strconv.Atoi(q.Get("created[gte]"))), shoptest.Must(strconv.Atoi(q.Get("created[lt]")))
		of := slices.DeleteFunc(slices.Clone(all), func(e event) bool {
			at := shoptest.Must(strconv.Atoi(e.Field("created")))
			return at < from || at >= to || !slices.Contains(q["types[]"], e.Field("type"))
		})
		page, more := shoptest.After(of, "id", q.Get("starting_after"), shoptest.Must(strconv.Atoi(q.Get("limit"))))
		shoptest.Answers(w, map[string]any{"object": "list", "data": append([]event{}, page...), "has_more": more})
	})
	return mux
}

// TestCatchUpOrder: a renewal that is read before the first payment of its customer is the second payment, also
// when it is so young that it waits. What was told within hours is read in its order: the end of a subscription finds the customer
// of its first payment.
func TestCatchUpOrder(t *testing.T) {
	s := newShop(t)
	data := shoptest.Must(configAt(s).Carry(s.Program, nil, stripe.ViaSession, pay.Carried{Slug: "mara"}))
	step := func(id string, kind paytest.Kind, renewal bool, minutes int) paytest.Step {
		return paytest.Step{ID: id, Kind: kind, At: shoptest.Start.Add(time.Duration(minutes) * time.Minute), Payment: id, Payer: "c1", Email: "tomas@customers.example",
			Name: "Tomas", Renewal: renewal, Amount: affiliate.MustAmount("100"), Data: data, Status: affiliate.SubscriptionCancelled}
	}
	first, renewal, ended := tell(s, step("p1", paytest.Paid, false, 0)).JSON(), tell(s, step("p2", paytest.Paid, true, 5)).JSON(), tell(s, step("s1", paytest.Status, false, 10)).JSON()
	s.Now = shoptest.Start.Add(20 * time.Minute)
	src := source("https://stripe.example", s.AdapterConfig())
	src.Read = func(_ context.Context, _ adapter.API, _ time.Time, yield func([]byte) bool) error {
		_ = yield(renewal) && yield(first)
		return nil
	}
	done := shoptest.Must(src.CatchUp(t.Context(), s.Program, shoptest.Start))
	sales := s.AllSales()
	if done.Sales != 2 || len(sales) != 2 {
		t.Fatalf("%+v, %d sales", done, len(sales))
	}
	for _, sale := range sales {
		nth := shoptest.Must(s.ExplainSale(t.Context(), sale.ID)).Terms.Payment
		if want := map[string]int64{"p1": 1, "p2": 2}[sale.ExternalID.Or("")]; nth.Or(0) != want {
			t.Errorf("%s is payment %v, want %d", sale.ExternalID, nth, want)
		}
	}

	s = newShop(t)
	s.Now = shoptest.Start.Add(48 * time.Hour)
	api := httptest.NewServer(events(t, [][]byte{first, ended}))
	defer api.Close()
	shoptest.Must(source(api.URL, s.AdapterConfig()).CatchUp(t.Context(), s.Program, shoptest.Start))
	if customer := shoptest.Must(s.Program.Referral(t.Context(), "tomas@customers.example")); customer.Status != affiliate.SubscriptionCancelled {
		t.Errorf("the customer is %s", customer.Status)
	}
}

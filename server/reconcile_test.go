package main

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"
)

// stripeAPI is Stripe's list of events, with one that was told two hours ago.
func stripeAPI(t *testing.T, body string) *httptest.Server {
	var event map[string]any
	if err := json.Unmarshal([]byte(body), &event); err != nil {
		t.Fatal(err)
	}
	at := time.Now().Add(-2 * time.Hour).Unix()
	event["created"] = at
	api := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/v1/events" || r.Header.Get("Authorization") != "Bearer rk_live_reads" {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		from, _ := strconv.ParseInt(r.URL.Query().Get("created[gte]"), 10, 64)
		to, _ := strconv.ParseInt(r.URL.Query().Get("created[lt]"), 10, 64)
		list := []any{}
		if from <= at && at < to {
			list = append(list, event)
		}
		_ = json.NewEncoder(w).Encode(map[string]any{"object": "list", "data": list, "has_more": false})
	}))
	t.Cleanup(api.Close)
	return api
}

// TestReconcile: an event that no endpoint got is read when the server starts, with the key of the API and
// without a secret. The command says what it reads, books nothing twice, and never says the key.
func TestReconcile(t *testing.T) {
	api := stripeAPI(t, checkout(t))
	file := inFolder(t, "program.db")
	env := environment{"TRIBUTARY_STRIPE_API_KEY": "rk_live_reads", "TRIBUTARY_STRIPE_API_URL": api.URL}
	s := launchIn(t, environment{}, "-file", file)
	s.ada()
	s.sold()
	s.stop()

	command := func(env environment, args ...string) (code int, out string) {
		t.Helper()
		var said strings.Builder
		code = run(t.Context(), append([]string{"reconcile", "-file", file}, args...), env, &said, &said)
		if strings.Contains(said.String(), "rk_live") {
			t.Errorf("it says the key: %s", said.String())
		}
		return code, said.String()
	}
	for name, row := range map[string]struct {
		env  environment
		args []string
		want string
	}{
		"no key":           {environment{}, nil, "TRIBUTARY_STRIPE_API_KEY"},
		"another provider": {env, []string{"-provider", "paddle"}, "no provider is read"},
		"no day":           {env, []string{"-from", "yesterday"}, "invalid value"},
		"another key":      {environment{"TRIBUTARY_STRIPE_API_KEY": "rk_live_other", "TRIBUTARY_STRIPE_API_URL": api.URL}, nil, "stripe: pay: /v1/events answered 401"},
		"no https":         {environment{"TRIBUTARY_STRIPE_API_KEY": "rk_live_reads", "TRIBUTARY_STRIPE_API_URL": "http://stripe.example"}, nil, "not https"},
		"no format":        {env, []string{"-compare", "-format", "xml"}, "-format is text, json or csv"},
		"format of what":   {env, []string{"-format", "csv"}, "goes with -compare"},
		"a slip":           {environment{"TRIBUTARY_STRIPE_API_KEYS": "rk_live_reads"}, nil, "TRIBUTARY_STRIPE_API_KEYS is no variable"},
	} {
		if code, out := command(row.env, row.args...); code == 0 || !strings.Contains(out, row.want) {
			t.Errorf("%s: %d %s", name, code, out)
		}
	}

	if code, out := command(env, "-compare"); code != 1 || !strings.Contains(out, "stripe: 1 payments since 20") || !strings.Contains(out, "\n  missing 20") ||
		!strings.Contains(out, "there 120.00 USD, here 0.00 USD\n") || !strings.Contains(out, "reconcile: 1 payments differ") {
		t.Errorf("compared before: %d %s", code, out)
	}
	if code, out := command(env, "-compare", "-format", "json"); code != 1 || !strings.Contains(out, `"theirPaid": 120,`) || !strings.Contains(out, `"kind": "missing"`) {
		t.Errorf("as JSON: %d %s", code, out)
	}
	if code, out := command(env, "-compare", "-format", "csv"); code != 1 || !strings.HasPrefix(out, `"kind","at",`) || !strings.Contains(out, "\"missing\",\"20") {
		t.Errorf("as CSV: %d %s", code, out)
	}
	s = launchIn(t, env, "-file", file)
	for range 100 {
		if strings.Contains(s.call("GET", "/api/v1/sales", ""), "pi_1") {
			break
		}
		time.Sleep(20 * time.Millisecond)
	}
	s.sold("pi_1")
	s.stop()
	if !strings.Contains(s.said.String(), "the sales that were missing") {
		t.Errorf("nothing is said of the sale: %s", s.said.String())
	}
	if code, out := command(env, "-compare"); code != 0 || !strings.Contains(out, "\n  all: there 120.00 USD, here 120.00 USD\n") || strings.Contains(out, "missing") {
		t.Errorf("compared afterwards: %d %s", code, out)
	}
	for _, args := range [][]string{nil, {"-from", time.Now().AddDate(0, 0, -20).Format(time.DateOnly)}, {"-provider", "stripe"}} {
		if code, out := command(env, args...); code != 0 || !strings.HasPrefix(out, "stripe: 1 events since 20") || !strings.Contains(out, ", 0 sales were missing") {
			t.Errorf("%v: %d %s", args, code, out)
		}
	}
}

// TestReadable: variables with which an API cannot be read are refused at the start.
func TestReadable(t *testing.T) {
	for variable, pairs := range map[string][]string{
		"TRIBUTARY_WOOCOMMERCE_API_KEY": {"WOOCOMMERCE_SECRET", "s", "WOOCOMMERCE_API_KEY", "ck_1:cs_1"},
		"TRIBUTARY_SHOPIFY_API_KEY":     {"SHOPIFY_SECRET", "s", "SHOPIFY_API_KEY", "shpat_1"},
		"TRIBUTARY_STRIPE_API_KEY":      {"STRIPE_SECRET", stripeSecret, "STRIPE_API_KEY", "rk_1", "STRIPE_API_URL", "stripe.example"},
	} {
		env := environment{}
		for i := 0; i < len(pairs); i += 2 {
			env["TRIBUTARY_"+pairs[i]] = pairs[i+1]
		}
		if err := env.checkPayments(); err == nil || !strings.HasPrefix(err.Error(), variable+": ") {
			t.Errorf("%s: %v", variable, err)
		}
	}
	for name, pairs := range map[string][]string{
		"woocommerce": {"WOOCOMMERCE_SECRET", "s", "WOOCOMMERCE_API_KEY", "ck_1:cs_1", "WOOCOMMERCE_API_URL", "https://shop.example"},
		"shopify":     {"SHOPIFY_SECRET", "s", "SHOPIFY_API_KEY", "shpat_1", "SHOPIFY_SHOP", "beans.myshopify.com"},
		"paddle":      {"PADDLE_SECRET", "pdl_ntfset_1", "PADDLE_API_KEY", "k", "PADDLE_API_URL", "https://sandbox-api.paddle.com"},
		"polar":       {"POLAR_API_KEY", "polar_oat_1", "POLAR_API_URL", "https://sandbox-api.polar.sh"},
		"dodo":        {"DODO_API_KEY", "k"},
		"lemon":       {"LEMONSQUEEZY_API_KEY", "k", "LEMONSQUEEZY_TEST", "true"},
	} {
		env := environment{}
		for i := 0; i < len(pairs); i += 2 {
			env["TRIBUTARY_"+pairs[i]] = pairs[i+1]
		}
		if err := env.checkPayments(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

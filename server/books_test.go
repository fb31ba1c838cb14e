package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/httpapi/app"
	"github.com/tributary-go/tributary/memstore"
	"github.com/tributary-go/tributary/pay"
	"github.com/tributary-go/tributary/pay/adapter"
)

func connectionOf(t *testing.T, name string, now time.Time, variables environment) *connection {
	t.Helper()
	p, err := tributary.New(memstore.New(), tributary.Config{Terms: affiliate.Terms{Rate: affiliate.MustPercent("20")}, Now: func() time.Time { return now }})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.CreateAffiliate(t.Context(), affiliate.AffiliateParams{FirstName: "Ada", LastName: "L", Email: "ada@partners.example", AffiliateLink: "ada"}); err != nil {
		t.Fatal(err)
	}
	cs, err := variables.connections(app.Host{Program: p, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	c, err := cs.named(name)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestKeyOfVariables: a key of the server's variables goes to no address that somebody in the console names.
func TestKeyOfVariables(t *testing.T) {
	for name, row := range map[string]struct{ key, own, want string }{
		"stripe":      {"STRIPE_API_KEY", "", "https://api.stripe.com"},
		"paddle":      {"PADDLE_API_KEY", "PADDLE_API_URL=https://sandbox-api.paddle.com", "https://sandbox-api.paddle.com"},
		"shopify":     {"SHOPIFY_API_KEY", "SHOPIFY_SHOP=beans.myshopify.com", "https://beans.myshopify.com/admin/api/2026-01"},
		"woocommerce": {"WOOCOMMERCE_API_KEY", "WOOCOMMERCE_API_URL=https://shop.example", "https://shop.example/wp-json/wc/v3"},
	} {
		variables := environment{"TRIBUTARY_" + row.key: "k:s"}
		if variable, value, ok := strings.Cut(row.own, "="); ok {
			variables["TRIBUTARY_"+variable] = value
		}
		c := connectionOf(t, name, time.Now(), variables)
		env, reads := c.readsBy(keptConnection{Secret: "s", Options: map[string]string{apiKeyName: "x:y", apiURLName: "https://evil.example", "SHOP": "evil"}})
		if got := c.address(env); !reads || got != row.want {
			t.Errorf("%s goes to %s, want %s", name, got, row.want)
		}
	}
	if err := (environment{"TRIBUTARY_SHOPIFY_API_KEY": "k"}).checkPayments(); err == nil {
		t.Error("the address of a shop would be that of the console")
	}
}

// TestKeptKey: a key that the console keeps goes to no other address, also when that is a shop's.
func TestKeptKey(t *testing.T) {
	s := launchIn(t, environment{"TRIBUTARY_SEAL_KEY": strings.Repeat("5e", 32)}, "-file", inFolder(t, "program.db"))
	b := s.browse()
	if status, page := b.fill("providers/shopify/connect", "secret", "s", "API_KEY", "shpat_reads", "SHOP", "127.0.0.1:1"); status != http.StatusOK || strings.Contains(page, "shpat_reads") {
		t.Fatalf("connect: %d\n%s", status, page)
	}
	for _, change := range [][]string{{"SHOP", "evil.example"}, {"SHOP", "127.0.0.1:1", "API_URL", "https://evil.example"}} {
		if status, page := b.fill("providers/shopify/connect", append([]string{"secret", "s"}, change...)...); status == http.StatusOK || !strings.Contains(page, "Give the key again") {
			t.Errorf("%v: %d\n%s", change, status, page)
		}
	}
	if status, page := b.fill("providers/shopify/connect", "secret", "another", "SHOP", "127.0.0.1:1"); status != http.StatusOK {
		t.Errorf("another secret: %d\n%s", status, page)
	}
	s.stop()
	if strings.Contains(s.said.String(), "shpat_reads") {
		t.Error("the log has the key")
	}
}

// TestLastTime: a reading that leaves out what was not read before is not the last time, nor is one that did not apply
// everything; a last time of the future, which a wrong clock has kept, is now.
func TestLastTime(t *testing.T) {
	now := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	c := connectionOf(t, "stripe", now, environment{})
	keeps := func(at time.Time) {
		t.Helper()
		raw, err := json.Marshal(at)
		if err == nil {
			err = c.host.Program.Values(caughtUpKind).Change(t.Context(), c.name, func(json.RawMessage) (json.RawMessage, error) { return raw, nil })
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	src := adapter.Source{API: adapter.API{Base: "https://api.example"}, Provider: "stripe", Read: func(context.Context, adapter.API, time.Time, func([]byte) bool) error { return nil }}
	src.Logger = slog.New(slog.DiscardHandler)
	reads := func(since time.Time) time.Time {
		t.Helper()
		_, _ = c.catchUp(t.Context(), src, since)
		last, err := c.since(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return last.Add(overlap)
	}
	ago := func(days int) time.Time { return now.AddDate(0, 0, -days) }
	if got := reads(ago(1)); !got.Equal(now) {
		t.Errorf("the first: %s", got)
	}
	keeps(ago(10))
	if got := reads(ago(1)); !got.Equal(ago(10)) {
		t.Errorf("nine days were left out, and the next begins at %s", got)
	}
	whole := src
	src.Map = func([]byte) (pay.Action, error) {
		return pay.Action{Kind: pay.KindSale, Event: pay.Event{ID: "e", At: now}}, nil
	}
	src.Complete = func(_ context.Context, _ []byte, a pay.Action) (pay.Action, error) {
		return a, errors.New("it is gone")
	}
	src.Read = func(_ context.Context, _ adapter.API, _ time.Time, yield func([]byte) bool) error {
		yield(nil)
		return nil
	}
	if got := reads(ago(13)); !got.Equal(ago(10)) {
		t.Errorf("an event failed, and the next begins at %s", got)
	}
	src = whole
	if got := reads(ago(13)); !got.Equal(now) {
		t.Errorf("all was read: %s", got)
	}
	keeps(now.AddDate(70, 0, 0))
	if last, err := c.since(t.Context()); err != nil || !last.Equal(now.Add(-overlap)) {
		t.Errorf("of the future: %s, %v", last, err)
	}
}

// TestOlderDifferences: a difference that a comparison tells again is there once; one that is older than what is compared goes
// when it is none any more; what found no place is counted until it is looked at again, and what was accepted of it is not open.
func TestOlderDifferences(t *testing.T) {
	now := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	c := connectionOf(t, "stripe", now, environment{})
	days := func(n int) time.Time { return now.AddDate(0, 0, -n) }
	differs := func(kind adapter.DifferenceKind, at time.Time, theirs, ours string, keys ...string) adapter.Difference {
		return adapter.Difference{Kind: kind, Keys: keys, At: affiliate.TimeOf(at), Currency: "USD", Sums: adapter.Sums{TheirPaid: affiliate.MustAmount(theirs), OurPaid: affiliate.MustAmount(ours)},
			PaymentID: affiliate.Null[uuid.UUID](), SaleID: affiliate.Null[affiliate.SaleID]()}
	}
	k := keptComparison{}.with(adapter.Comparison{Differences: []adapter.Difference{differs("missing", days(40), "5", "0", "a", "b")}}, days(60), now)
	k = k.with(adapter.Comparison{Differences: []adapter.Difference{differs("paid", days(40), "5", "4", "b")}}, days(28), now)
	if len(k.Differences) != 1 || k.Differences[0].Kind != "paid" {
		t.Errorf("%+v", k.Differences)
	}

	tell := func(amount, key string, to ...affiliate.Credit) {
		t.Helper()
		a := pay.Action{Kind: pay.KindSale, Event: pay.Event{ID: key, At: days(40)}, Payment: affiliate.PaymentFact{Provider: "stripe", Keys: []string{key}, At: days(40), Currency: "USD", Payer: affiliate.PayerFact{ID: "cus_" + key, Email: key + "@customers.example"},
			Sale: affiliate.Set(affiliate.Paid{Gross: affiliate.MustAmount(amount), SaleParams: affiliate.SaleParams{TotalEarned: affiliate.MustAmount(amount)}, Tries: to})}}
		if result, err := pay.Apply(t.Context(), c.host.Program, a); err != nil || result.Refusal != nil {
			t.Fatal(err, result.Refusal)
		}
	}
	ada := affiliate.Credit{ReferralID: "ada"}
	tell("5", "told", ada)
	tell("4", "other", ada)
	tell("3", "extra", ada)
	tell("7", "waiting", affiliate.Credit{ReferralID: "nobody"})
	read := func(found ...adapter.Difference) (all []string) {
		t.Helper()
		src := adapter.Source{API: adapter.API{Base: "https://api.example"}, Provider: "stripe", Read: func(context.Context, adapter.API, time.Time, func([]byte) bool) error { return nil }}
		if found != nil {
			if err := c.changeComparison(t.Context(), func(keptComparison) (keptComparison, error) {
				return keptComparison{}.with(adapter.Comparison{Differences: found}, days(60), now), nil
			}); err != nil {
				t.Fatal(err)
			}
		}
		if _, _, err := c.compare(t.Context(), src, days(28)); err != nil {
			t.Fatal(err)
		}
		books, err := connections{all: []*connection{c}}.books(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range books[c.name].Differences {
			all = append(all, d.Keys[0])
		}
		return all
	}
	if err := c.comparisons().Change(t.Context(), c.name, func(json.RawMessage) (json.RawMessage, error) {
		return json.RawMessage(`{"differences":[{"at":"yesterday"}]}`), nil
	}); err != nil {
		t.Fatal(err)
	}
	if got := read(); len(got) > 0 { // of another version
		t.Errorf("%v", got)
	}
	got := read(differs("missing", days(40), "5", "0", "told"), differs("missing", days(40), "5", "0", "never"), differs("paid", days(40), "5", "4", "other"),
		differs("unknown", days(40), "0", "3", "extra"), differs("unknown", days(40), "0", "3", "deleted"), differs("waits", days(40), "7", "7", "waiting"))
	if want := []string{"never", "other", "extra", "waiting"}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}

	var many []adapter.Difference
	for n := range 2_000 {
		many = append(many, differs("missing", days(90).Add(time.Duration(n)*time.Minute), "1", "0", fmt.Sprint("payment_of_a_long_name_", n)))
	}
	full := keptComparison{}.with(adapter.Comparison{Differences: many}, days(100), now)
	full.Accepted = map[uuid.UUID]accepted{differenceID(&many[1_999]): {By: "Kim"}}
	again := func(k keptComparison) (read keptComparison) {
		t.Helper()
		raw, err := k.fitting()
		if err == nil {
			err = json.Unmarshal(raw, &read)
		}
		if err != nil || len(raw) > 64<<10 {
			t.Fatal(len(raw), err)
		}
		return read
	}
	full = again(full)
	if full.More == 0 || full.open() != 1_999 {
		t.Errorf("%d open, of them %d are not listed", full.open(), full.More)
	}
	if later := again(full.with(adapter.Comparison{}, days(28), now)); later.open() != full.open() {
		t.Errorf("%d open after a comparison that did not look at them, want %d", later.open(), full.open())
	}
	if all := again(full.with(adapter.Comparison{}, days(100), now)); all.open() != 0 {
		t.Errorf("%d open after all were looked at", all.open())
	}
	long := differs("missing", days(1), "1", "0", strings.Repeat("k", 70<<10))
	if k := again(keptComparison{}.with(adapter.Comparison{Differences: []adapter.Difference{long}}, days(28), now)); k.open() != 1 {
		t.Errorf("a key without a place: %d open", k.open())
	}
}

// TestReconcileMany: a provider that fails does not keep the others from being read, in each format, and the command fails.
func TestReconcileMany(t *testing.T) {
	paddle := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, `{"data":[],"meta":{"pagination":{"has_more":false}}}`)
	}))
	defer paddle.Close()
	stripe := httptest.NewServer(http.NotFoundHandler())
	defer stripe.Close()
	file := inFolder(t, "program.db")
	launchIn(t, environment{}, "-file", file).stop()
	env := environment{"TRIBUTARY_STRIPE_API_KEY": "rk_live_reads", "TRIBUTARY_STRIPE_API_URL": stripe.URL, "TRIBUTARY_PADDLE_API_KEY": "pdl_reads", "TRIBUTARY_PADDLE_API_URL": paddle.URL}
	for name, row := range map[string]struct {
		args []string
		out  string
	}{
		"caught up": {nil, "paddle: 0 events since"},
		"compared":  {[]string{"-compare"}, "paddle: 0 payments since"},
		"JSON":      {[]string{"-compare", "-format", "json"}, `"paddle": {`},
		"CSV":       {[]string{"-compare", "-format", "csv"}, ""},
		"later":     {[]string{"-from", "2199-01-01"}, ""},
	} {
		var out, said strings.Builder
		code := run(t.Context(), append([]string{"reconcile", "-file", file}, row.args...), env, &out, &said)
		want := map[string]string{"CSV": "say which with -provider", "later": "-from has not come yet"}[name]
		if want == "" {
			want = "stripe: pay: /v1/events answered 404"
		}
		if code != 1 || !strings.Contains(out.String(), row.out) || row.out == "" && out.Len() > 0 || !strings.Contains(said.String(), want) || strings.Contains(out.String()+said.String(), "_reads") {
			t.Errorf("%s: %d %s\n%s", name, code, out.String(), said.String())
		}
		if name == "JSON" && !json.Valid([]byte(out.String())) {
			t.Errorf("no JSON: %s", out.String())
		}
	}
}

// TestTypedAddress: an address that somebody typed in the console leads to none that a webhook may not have; one that
// is a variable of the server does.
func TestTypedAddress(t *testing.T) {
	asked := 0
	api := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked++
		fmt.Fprint(w, `{"object":"list","data":[],"has_more":false}`)
	}))
	defer api.Close()
	p, err := tributary.New(memstore.New(), tributary.Config{})
	if err != nil {
		t.Fatal(err)
	}
	const url, key = "TRIBUTARY_STRIPE_API_URL", "TRIBUTARY_STRIPE_API_KEY"
	for name, row := range map[string]struct {
		variables, typed environment
		reads            bool
	}{
		"typed":       {environment{}, environment{key: "rk_1", url: api.URL}, false},
		"a variable":  {environment{key: "rk_1", url: api.URL}, environment{key: "rk_1", url: api.URL}, true},
		"another one": {environment{url: "https://api.stripe.example"}, environment{key: "rk_1", url: api.URL}, false},
	} {
		cs, err := row.variables.connections(app.Host{Program: p, Logger: slog.New(slog.DiscardHandler)})
		if err != nil {
			t.Fatal(err)
		}
		c, err := cs.named("stripe")
		if err != nil {
			t.Fatal(err)
		}
		src, err := c.sourceOf(row.typed)
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond) // a refused address is tried again
		asked = 0
		_, err = src.API.Get(ctx, "/v1/events", nil, new(any))
		cancel()
		if (err == nil) != row.reads || (asked > 0) != row.reads {
			t.Errorf("%s: asked %d times, %v", name, asked, err)
		}
	}
}

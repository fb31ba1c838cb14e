package stripe_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"reflect"
	"slices"
	"strconv"
	"strings"
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

// TestFirstDay: of customers who were there before the program, their payments carry no mark. Those whom
// the host says somebody brought are read in with all their payments, and whom the host has told of is
// not asked about. A comparison before says the same and books nothing.
func TestFirstDay(t *testing.T) {
	s := newShop(t)
	paid := func(id, payer string, renewal bool, days int) []byte {
		return tell(s, paytest.Step{ID: id, Kind: paytest.Paid, At: shoptest.Start.AddDate(0, 0, days), Payment: id, Payer: payer,
			Email: payer + "@customers.example", Name: payer, Renewal: renewal, Amount: affiliate.MustAmount("100")}).JSON()
	}
	bodies := [][]byte{
		paid("p1", "brought", false, 0), paid("p4", "nobodys", false, 1), paid("p6", "told", false, 2),
		paid("p2", "brought", true, 30), paid("p5", "nobodys", true, 31), paid("p3", "brought", true, 60),
	}
	s.Now = shoptest.Start.AddDate(2, 0, 0)
	shoptest.Must(s.CreateReferral(t.Context(), affiliate.ReferralParams{AffiliateID: s.Mara.ID.String(), Email: "told@customers.example", Name: "told", ReferredUserExternalID: "u1"}))
	src := source("https://stripe.example", s.AdapterConfig())
	src.Read = func(_ context.Context, _ adapter.API, _ time.Time, yield func([]byte) bool) error {
		for _, body := range bodies {
			if !yield(body) {
				return nil
			}
		}
		return nil
	}
	asked := map[string]int{}
	src.Credit = func(_ context.Context, payment pay.Action) ([]affiliate.Credit, error) {
		asked[payment.Payment.Payer.ID]++
		if payment.Payment.Payer.ID == "brought" {
			return []affiliate.Credit{{ReferralID: "mara"}}, nil
		}
		return nil, nil
	}
	before, empty := shoptest.Must(src.Compare(t.Context(), s.Program, shoptest.Start)), s.Money()
	if before.Payments != 4 || before.Nobodys != 2 || len(before.Differences) != 4 || len(s.AllSales()) != 0 {
		t.Errorf("before: %+v", before)
	}
	var file strings.Builder
	if err := before.WriteCSV(&file); err != nil {
		t.Fatal(err)
	}
	rows := strings.Split(strings.TrimSpace(file.String()), "\r\n")
	if len(rows) != 5 || !strings.HasPrefix(rows[1], `"missing","`+shoptest.Start.Format("2006-01-02")) || !strings.Contains(rows[1], `"USD","100","0","0","0","","","`) {
		t.Errorf("the file:\n%s", file.String())
	}
	var again adapter.Comparison
	if err := json.Unmarshal(shoptest.Must(json.Marshal(before)), &again); err != nil || !reflect.DeepEqual(again, before) {
		t.Errorf("as JSON: %+v, %v", again, err)
	}
	clear(asked)
	done := shoptest.Must(src.CatchUp(t.Context(), s.Program, shoptest.Start))
	if done.Sales != 4 || s.Money() == empty || asked["told"] > 0 || asked["brought"] != 1 || asked["nobodys"] != 2 {
		t.Errorf("%+v, asked %v", done, asked)
	}
	for _, sale := range s.AllSales() {
		nth := shoptest.Must(s.ExplainSale(t.Context(), sale.ID)).Terms.Payment.Or(0)
		if want := map[string]int64{"p1": 1, "p2": 2, "p3": 3, "p6": 1}[sale.ExternalID.Or("")]; nth != want || sale.Affiliate.ID != s.Mara.ID {
			t.Errorf("%s is payment %v of %s, want %d", sale.ExternalID, nth, sale.Affiliate.Name, want)
		}
	}
	if after := shoptest.Must(src.Compare(t.Context(), s.Program, shoptest.Start)); len(after.Differences) > 0 || after.Payments != 4 {
		t.Errorf("after: %+v", after)
	}
	late := newShop(t) // in which order they are read changes the number of a payment, and not whom it credits
	late.Now = s.Now
	src.Config = late.AdapterConfig()
	slices.Reverse(bodies)
	if done := shoptest.Must(src.CatchUp(t.Context(), late.Program, shoptest.Start)); done.Sales != 3 {
		t.Errorf("the newest first: %+v", done)
	}
	src.Config = s.AdapterConfig()
	src.Credit = func(context.Context, pay.Action) ([]affiliate.Credit, error) { return nil, errors.New("who knows") }
	bodies = [][]byte{paid("p7", "nobodys", true, 61)}
	if _, err := src.CatchUp(t.Context(), s.Program, shoptest.Start); err == nil || !strings.Contains(err.Error(), "who knows") {
		t.Errorf("a rule that fails: %v", err)
	}
}

// TestProgress: who waits hears how far a long reading is.
func TestProgress(t *testing.T) {
	s := newShop(t)
	src := source("https://stripe.example", s.AdapterConfig())
	src.Read = func(_ context.Context, _ adapter.API, _ time.Time, yield func([]byte) bool) error {
		for n := range 2_500 {
			if !yield([]byte(fmt.Sprintf(`{"id":"evt_%d","object":"event","type":"unknown","created":%d,"livemode":true,"data":{"object":{}}}`, n, shoptest.Start.Unix()+int64(n)))) {
				return nil
			}
		}
		return nil
	}
	var heard []string
	src.Progress = func(read int, newest time.Time) {
		heard = append(heard, fmt.Sprint(read, " ", newest.Unix()-shoptest.Start.Unix()))
	}
	shoptest.Must(src.CatchUp(t.Context(), s.Program, shoptest.Start))
	shoptest.Must(src.Compare(t.Context(), s.Program, shoptest.Start))
	if got := strings.Join(heard, ", "); got != "1000 999, 2000 1999, 1000 999, 2000 1999" {
		t.Error(got)
	}
}

// objects are Stripe's lists of objects, the newest first, as they are after some events, which are too old for the list
// of these.
func objects(t *testing.T, bodies [][]byte) http.Handler {
	of := map[string][]event{}
	for _, body := range bodies {
		e := shoptest.Decode(t, body)
		kind, _, _ := strings.Cut(e.Field("type"), ".")
		if strings.HasPrefix(e.Field("type"), "charge.dispute.") || strings.HasPrefix(e.Field("type"), "customer.subscription.") {
			kind = strings.Split(e.Field("type"), ".")[1]
		}
		path := "/v1/" + map[string]string{"checkout": "checkout/sessions", "invoice": "invoices", "refund": "refunds", "dispute": "disputes", "subscription": "subscriptions", "customer": "customers"}[kind]
		o := event(e["data"].(map[string]any)["object"].(map[string]any)).With("created", e["created"])
		i := slices.IndexFunc(of[path], func(known event) bool { return known.Field("id") == o.Field("id") })
		if i < 0 {
			of[path] = append([]event{o}, of[path]...)
		} else {
			of[path][i] = o.With("created", of[path][i]["created"])
		}
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		q := r.URL.Query()
		if r.Header.Get("Authorization") != "Bearer rk_live_reads" || (q.Get("status") == "all") != (r.URL.Path == "/v1/subscriptions") {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		from, to := shoptest.Must(strconv.Atoi(q.Get("created[gte]"))), shoptest.Must(strconv.Atoi(q.Get("created[lt]")))
		list := slices.DeleteFunc(slices.Clone(of[r.URL.Path]), func(o event) bool {
			at := shoptest.Must(strconv.Atoi(o.Field("created")))
			return at < from || at >= to
		})
		page, more := shoptest.After(list, "id", q.Get("starting_after"), min(10, shoptest.Must(strconv.Atoi(q.Get("limit")))))
		shoptest.Answers(w, map[string]any{"object": "list", "data": append([]event{}, page...), "has_more": more})
	})
}

// TestObjects: what was told so long ago that Stripe has no events of it any more is read from the objects, as
// they are now, the oldest first: the books are those of a program that heard everything, and the payments have the
// same numbers.
func TestObjects(t *testing.T) {
	heard, late := newShop(t), newShop(t)
	data := shoptest.Must(configAt(heard).Carry(heard.Program, nil, stripe.ViaSession, pay.Carried{Slug: "mara"}))
	var bodies [][]byte
	now, n := shoptest.Start, 0
	told := func(kind paytest.Kind, payment, of, amount string) {
		n++
		now = now.Add(4 * time.Hour)
		bodies = append(bodies, tell(heard, paytest.Step{ID: fmt.Sprint(n), Kind: kind, At: now, Payment: payment, Of: of, Payer: "c1", Email: "tomas@customers.example",
			Name: "Tomas", Renewal: payment != "p0", Amount: affiliate.MustAmount(amount), Data: data, Status: affiliate.SubscriptionCancelled}).JSON())
	}
	for i := range 60 {
		id := fmt.Sprint("p", i)
		told(paytest.Paid, id, "", "100")
		switch i % 6 {
		case 1:
			told(paytest.Refund, id, "re_"+id, "25")
		case 2:
			told(paytest.Dispute, id, "dp_"+id, "60")
		case 3:
			told(paytest.Dispute, id, "dp_"+id, "60")
			told(paytest.DisputeWon, id, "dp_"+id, "60")
		case 4:
			told(paytest.Refund, id, "re_"+id, "30")
			told(paytest.RefundFailed, id, "re_"+id, "30")
		}
	}
	told(paytest.Status, "s1", "", "0")
	heard.Now, late.Now = now.AddDate(0, 0, 40), now.AddDate(0, 0, 40)
	for _, body := range bodies {
		a := shoptest.Must(stripe.Map(body, configAt(heard)))
		a.Wait = false
		shoptest.Must(pay.Apply(t.Context(), heard.Program, a))
	}
	api := httptest.NewServer(objects(t, bodies))
	defer api.Close()
	src := source(api.URL, late.AdapterConfig())
	done := shoptest.Must(src.CatchUp(t.Context(), late.Program, shoptest.Start))
	if done.Sales != 60 || done.Unreadable > 0 || len(done.Refused) > 0 || late.Money() != heard.Money() {
		t.Errorf("%+v\nheard %s\nread  %s", done, heard.Money(), late.Money())
	}
	numbers := func(s *shop) (all string) {
		for _, sale := range s.AllSales() {
			all += fmt.Sprint(sale.ExternalID, ":", shoptest.Must(s.ExplainSale(t.Context(), sale.ID)).Terms.Payment, " ")
		}
		return all
	}
	if got, want := numbers(late), numbers(heard); got != want {
		t.Errorf("numbers of payments:\n%s\n%s", got, want)
	}
	if customer := shoptest.Must(late.Program.Referral(t.Context(), "tomas@customers.example")); customer.Status != affiliate.SubscriptionCancelled {
		t.Errorf("the customer is %s", customer.Status)
	}
	if c := shoptest.Must(src.Compare(t.Context(), late.Program, shoptest.Start)); c.Payments != 60 || len(c.Differences) > 0 {
		t.Errorf("compared: %+v", c)
	}
	if err := late.Verify(t.Context()); err != nil {
		t.Error(err)
	}
}

// TestSourceOfAccount: the events of a connected account are those of its program, also when they name it.
func TestSourceOfAccount(t *testing.T) {
	s := newShop(t)
	body := tell(s, paytest.Step{ID: "p1", Kind: paytest.Paid, At: shoptest.Start, Payment: "p1", Payer: "c1", Email: "tomas@customers.example", Name: "Tomas", Amount: affiliate.MustAmount("100"),
		Data: shoptest.Must(configAt(s).Carry(s.Program, nil, stripe.ViaSession, pay.Carried{Slug: "mara"}))}).With("account", "acct_1")
	api := httptest.NewServer(events(t, [][]byte{body.JSON()}))
	defer api.Close()
	s.Now = shoptest.Start.Add(time.Hour)
	for header, sales := range map[string]int{"": 0, "acct_1": 1} {
		of := stripe.API("rk_live_reads")
		if of.Base = api.URL; header != "" {
			of.Header.Set("Stripe-Account", header)
		}
		cfg := s.AdapterConfig()
		cfg.Secrets = adapter.Secrets{secret}
		done, err := stripe.Source(of, stripe.Config{Config: cfg}).CatchUp(t.Context(), s.Program, shoptest.Start.Add(-time.Hour))
		if err != nil || done.Sales != sales {
			t.Errorf("account %q: %+v, %v", header, done, err)
		}
	}
}

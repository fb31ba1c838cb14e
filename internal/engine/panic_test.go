package engine_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/conformance"
	"github.com/tributary-go/tributary/internal/scene"
	"github.com/tributary-go/tributary/memstore"
)

// A panic in a function of the host that is called after the commit is logged.
// It does not change the answer, and the other functions are called.
func TestHostPanics(t *testing.T) {
	var log bytes.Buffer
	var calls []string
	boom := func(name string) {
		calls = append(calls, name)
		panic(errors.New("boom in " + name))
	}
	scene.OnStores(t, func(t *testing.T, w *scene.World) {
		a := w.Ada()
		log.Reset()
		calls = nil
		w.Refer("ada", "kim@example.com")
		in := affiliate.SaleParams{
			Once: affiliate.Once{Key: "sale-1"}, PromoCode: "ADA20", ReferralID: "kim@example.com", TotalEarned: scene.Sum("100"),
		}
		got := scene.Must(w.RecordSale(t.Context(), in))
		if s, ok := got.Sale.Get(); !ok || s.TotalEarned != scene.Sum("100") {
			t.Errorf("the sale: %+v", got)
		}
		scene.Equal(t, got.Sale, scene.Must(w.RecordSale(t.Context(), in)).Sale)
		scene.Must(w.DeleteCoupon(t.Context(), a.Autumn.ID))
		scene.Equal(t, []string{
			"referral.created", "events", "sale.created", "events", "promocode.deleted", "coupon.deleted", "events",
		}, calls)
		lines := log.String()
		for _, want := range calls {
			if !strings.Contains(lines, "boom in "+want) {
				t.Errorf("the log has no panic of %s", want)
			}
		}
		if n := strings.Count(lines, "panic_test.go"); n < len(calls) {
			t.Errorf("%d stacks for %d panics", n, len(calls))
		}
	}, func(c *tributary.Config) {
		c.CascadeEvents = true
		c.Logger = slog.New(slog.NewTextHandler(&log, nil))
		c.OnEvents = func() { boom("events") }
		c.Hooks = record.Hooks{
			Referral: func(_ context.Context, c record.Change[record.Referral]) { boom(string(c.Event)) },
			Sale:     func(_ context.Context, c record.Change[record.Sale]) { boom(string(c.Event)) },
			Coupon:   func(_ context.Context, c record.Change[record.Coupon]) { boom(string(c.Event)) },
			Code:     func(_ context.Context, c record.Change[record.Code]) { boom(string(c.Event)) },
		}
	})
}

// After a panic in OnNotice, the settlement is stored and the other notices are
// reported.
func TestNoticePanics(t *testing.T) {
	var log bytes.Buffer
	told := 0
	scene.OnStores(t, func(t *testing.T, w *scene.World) {
		ep := w.Hook()
		w.Answered()
		w.Crowd(3)
		log.Reset()
		told = 0
		w.Settle(200, w.Claim(3)...)
		if told != 3 || strings.Count(log.String(), "no pager") != 3 {
			t.Errorf("%d notices; the log: %s", told, log.String())
		}
		scene.Equal(t, 0, w.States(ep.ID)[affiliate.DeliveryPending])
	}, func(c *tributary.Config) {
		c.Logger = slog.New(slog.NewTextHandler(&log, nil))
		c.OnNotice = func(affiliate.Notice) { told++; panic("no pager") }
	})
}

// After a panic in Send, the test delivery has failed.
func TestSendPanics(t *testing.T) {
	var log bytes.Buffer
	scene.OnStores(t, func(t *testing.T, w *scene.World) {
		log.Reset()
		ep := w.Hook()
		got := scene.Must(w.Webhooks().TestEndpoint(t.Context(), affiliate.EndpointTest{WebhookID: ep.ID, Event: affiliate.SaleCreated}))
		if got.Delivered || got.Error != affiliate.Set(affiliate.FailedInternal) || got.EventID == "" {
			t.Errorf("%+v", got)
		}
		if !strings.Contains(log.String(), "no network") {
			t.Errorf("the log: %s", log.String())
		}
	}, func(c *tributary.Config) {
		c.Logger = slog.New(slog.NewTextHandler(&log, nil))
		c.Send = func(context.Context, affiliate.Claim) affiliate.Attempt { panic("no network") }
	})
}

// A panic in Open fails only the attempts of its endpoint.
func TestOpenPanics(t *testing.T) {
	var bad []byte
	scene.OnStores(t, func(t *testing.T, w *scene.World) {
		sick := w.HookAt("https://sick.example/")
		bad = sick.ID[:]
		well := w.HookAt("https://well.example/")
		w.Crowd(1)
		if claims := w.Claim(64); len(claims) != 1 || claims[0].Endpoint != well.ID {
			t.Errorf("claims: %v", scene.ByEndpoint(claims))
		}
		d := w.ReadDeliveries(affiliate.DeliveryQuery{WebhookID: affiliate.Set(sick.ID)})
		if len(d) != 1 || d[0].AttemptCount != 1 || d[0].Attempts[0].Error != affiliate.Set(affiliate.FailedSecret) {
			t.Errorf("%+v", d)
		}
	}, func(c *tributary.Config) {
		c.Logger = slog.New(slog.DiscardHandler)
		c.Seal = func(data, _ []byte) ([]byte, error) { return data, nil }
		c.Open = func(data, boundTo []byte) ([]byte, error) {
			if bytes.Equal(boundTo, bad) {
				panic("short")
			}
			return data, nil
		}
	})
}

// An observedCall is one pair of Begin and End.
type observedCall struct {
	op  affiliate.Operation
	res affiliate.Result
}

// A watcher is an Observer that keeps what it sees.
type watcher struct {
	open int
	all  []observedCall
	sent []affiliate.DeliverySeen
	tick time.Duration
}

type spanKey struct{}

func (w *watcher) observer() affiliate.Observer {
	return affiliate.Observer{
		Begin: func(ctx context.Context, op affiliate.Operation) context.Context {
			w.open++
			return context.WithValue(ctx, spanKey{}, op.Name)
		},
		End: func(ctx context.Context, op affiliate.Operation, res affiliate.Result) {
			w.open--
			if ctx.Value(spanKey{}) != op.Name {
				panic("End has not the context of Begin")
			}
			w.all = append(w.all, observedCall{op, res})
		},
		Delivery: func(_ context.Context, d affiliate.DeliverySeen) { w.sent = append(w.sent, d) },
		Clock:    func() time.Time { w.tick += time.Millisecond; return scene.Start.Add(w.tick) },
	}
}

func (w *watcher) into(c *tributary.Config) { c.Observer = w.observer() }

// last is the newest pair, and forgets all.
func (w *watcher) last(t *testing.T) affiliate.Result {
	t.Helper()
	if w.open != 0 || len(w.all) != 1 {
		t.Fatalf("%d operations are open and %d have ended, want 0 and 1: %+v", w.open, len(w.all), w.all)
	}
	res := w.all[0].res
	w.all = nil
	return res
}

// Check 67: every method that takes a context and returns no iterator gives one
// Begin and one End with its own name, whatever happens.
func TestObserverSeesEveryMethod(t *testing.T) {
	canceled, cancel := context.WithCancel(context.Background())
	cancel()
	for _, how := range []struct {
		name  string
		store func(record.Store) record.Store
		ctx   context.Context
	}{
		{"works", func(s record.Store) record.Store { return s }, context.Background()},
		{"store fails", func(record.Store) record.Store { return badStore{scene.ErrBoom} }, context.Background()},
		{"store panics", func(record.Store) record.Store { return badStore{} }, context.Background()},
		{"context canceled", func(s record.Store) record.Store { return s }, canceled},
	} {
		t.Run(how.name, func(t *testing.T) {
			var watch watcher
			outcomes := map[affiliate.Outcome]int{}
			w := scene.NewOn(t, how.store(memstore.New()), watch.into)
			for name, method := range scene.Methods(w.Program) {
				if !observable(method.Type()) {
					continue
				}
				watch.all = nil
				callWithNothing(method, how.ctx)
				if watch.open != 0 || len(watch.all) != 1 || watch.all[0].op.Name != name {
					t.Errorf("%s: %d are open, %d have ended: %+v", name, watch.open, len(watch.all), watch.all)
					watch.open = 0
					continue
				}
				res := watch.all[0].res
				outcomes[res.Outcome]++
				if res.Took != time.Millisecond || (res.Failure != "") != (res.Outcome == affiliate.OutcomeFailed || res.Outcome == affiliate.OutcomeCanceled) {
					t.Errorf("%s: %+v", name, res)
				}
			}
			t.Logf("%v", outcomes)
			if how.name != "works" && outcomes[affiliate.OutcomeFailed]+outcomes[affiliate.OutcomeCanceled] < 20 {
				t.Errorf("outcomes: %v", outcomes)
			}
		})
	}
}

// observable reports whether a method takes a context and returns an error.
func observable(m reflect.Type) bool {
	return m.NumIn() > 0 && m.In(0) == reflect.TypeFor[context.Context]() && m.NumOut() > 0 &&
		m.Out(m.NumOut()-1) == reflect.TypeFor[error]()
}

// callWithNothing calls a method with zero values, and survives its panic.
func callWithNothing(method reflect.Value, ctx context.Context) {
	defer func() { _ = recover() }()
	in := []reflect.Value{reflect.ValueOf(ctx)}
	for i := 1; i < method.Type().NumIn(); i++ {
		if method.Type().IsVariadic() && i == method.Type().NumIn()-1 {
			break
		}
		in = append(in, reflect.Zero(method.Type().In(i)))
	}
	method.Call(in)
}

// A badStore fails, or panics when it has no error.
type badStore struct{ err error }

func (s badStore) View(context.Context, uuid.UUID, func(*record.Tx) error) error { return s.fail() }
func (s badStore) Update(context.Context, uuid.UUID, func(*record.Tx) error) error {
	return s.fail()
}

func (s badStore) fail() error {
	if s.err == nil {
		panic("no disk")
	}
	return s.err
}

// Check 68: a scripted day has the outcomes, runs and events that it should.
func TestObserverOutcomes(t *testing.T) {
	for name, runs := range map[string]int{"memstore": 1, "Rerun": 2} {
		t.Run(name, func(t *testing.T) {
			var watch watcher
			store := record.Store(memstore.New())
			if runs == 2 {
				store = conformance.Rerun(store)
			}
			w := scene.NewOn(t, store, watch.into)
			w.Ada()
			watch.all = nil
			sale := affiliate.SaleParams{PromoCode: "ADA20", Email: "tim@example.com", Name: "Tim", TotalEarned: affiliate.MustAmount("100"), ExternalID: "o1"}
			keyed := sale
			keyed.ExternalID, keyed.Key = "o2", "k2"
			wrong, unknown := sale, sale
			wrong.PromoCode, wrong.ExternalID = "NONE", "o3"
			unknown.PromoCode, unknown.Email, unknown.ExternalID = "", "nobody@example.com", "o4"
			report := func(in affiliate.SaleParams) func() { return func() { _, _ = w.RecordSale(t.Context(), in) } }
			for _, step := range []struct {
				what   string
				do     func()
				want   affiliate.Outcome
				reason affiliate.Reason
				runs   int
				events map[affiliate.EventType]uint32
			}{
				{"first", report(sale), "recorded", "", runs, map[affiliate.EventType]uint32{affiliate.ReferralCreated: 1, affiliate.SaleCreated: 1}},
				{"again", report(sale), "duplicate", "", runs, nil},
				{"with a key", report(keyed), "recorded", "", runs, map[affiliate.EventType]uint32{affiliate.SaleCreated: 1}},
				{"replayed", report(keyed), affiliate.OutcomeReplayed, "", runs, nil},
				{"refused", report(wrong), affiliate.OutcomeRefused, affiliate.CodeNotFound, runs, nil},
				{"unattributed", report(unknown), "unattributed", "", runs, nil},
				{"conversion of nobody", func() {
					_, _ = w.RecordConversion(t.Context(), affiliate.ConversionParams{Conversion: "a", Email: unknown.Email})
				}, "unattributed", "", runs, nil},
				{"nothing", func() { _, _ = w.Sale(t.Context(), 77) }, affiliate.OutcomeNotFound, "", 0, nil},
				{"bad input", report(affiliate.SaleParams{}), affiliate.OutcomeRefused, affiliate.AttributionRequired, 0, nil},
				{"read", func() { _, _ = w.Sales(t.Context(), affiliate.SaleQuery{}, affiliate.Page{}) }, affiliate.OutcomeOK, "", 0, nil},
			} {
				step.do()
				got := watch.last(t)
				want := affiliate.Result{Outcome: step.want, Reason: step.reason, Took: time.Millisecond, Runs: step.runs, Events: counts(step.events)}
				if step.runs == 0 {
					want.Runs = got.Runs // of a read, or of none
				}
				scene.Equal(t, want, got, step.what)
			}
		})
	}
}

func counts(of map[affiliate.EventType]uint32) (out [15]uint32) {
	for i, typ := range affiliate.EventTypes() {
		out[i] = of[typ]
	}
	return out
}

// Check 68: the events that the Observer counts are the events that are stored,
// also when the store runs every transaction twice or some calls fail.
func TestObserverCountsEvents(t *testing.T) {
	var watch watcher
	w := scene.NewOn(t, conformance.Rerun(memstore.New()), watch.into)
	w.Ada()
	for i := range 5 {
		customer := fmt.Sprintf("c%d@example.com", i)
		w.Refer("ada", customer)
		w.SellTo(customer, "50")
	}
	ctx := t.Context()
	scene.Must(w.SetAffiliateStatus(ctx, affiliate.AffiliateActive))
	scene.Must(w.RunPayouts(ctx, affiliate.PayoutRun{ExternalID: "r", Until: w.Now}))
	_, _ = w.CreateAffiliate(ctx, affiliate.AffiliateParams{FirstName: "A", LastName: "B", Email: "ada@example.com"}) // taken
	var got [15]uint32
	for _, s := range watch.all {
		for i, n := range s.res.Events {
			got[i] += n
		}
	}
	stored := map[affiliate.EventType]uint32{}
	for e, err := range affiliate.All(ctx, w.Events, affiliate.EventQuery{}) {
		if err != nil {
			t.Fatal(err)
		}
		stored[e.Type]++
	}
	if diff := cmp.Diff(counts(stored), got); diff != "" || len(stored) < 4 {
		t.Errorf("%d types (-stored +counted):\n%s", len(stored), diff)
	}
}

// Check 67: an Observer that panics changes no answer and no record.
func TestObserverPanics(t *testing.T) {
	var log bytes.Buffer
	panics := func(c *tributary.Config) {
		c.Logger = slog.New(slog.NewTextHandler(&log, nil))
		c.Observer = affiliate.Observer{
			Begin:    func(context.Context, affiliate.Operation) context.Context { panic("begin") },
			End:      func(context.Context, affiliate.Operation, affiliate.Result) { panic("end") },
			Delivery: func(context.Context, affiliate.DeliverySeen) { panic("delivery") },
			Clock:    func() time.Time { panic("clock") },
		}
	}
	day := func(change ...func(*tributary.Config)) (map[string][]string, affiliate.Sale) {
		w := scene.New(t, change...)
		w.Ada()
		w.Hook()
		w.Refer("ada", "tim@example.com")
		sale := w.SellTo("tim@example.com", "100")
		w.Settle(200, w.Claim(64)...)
		return w.Dump(), sale
	}
	quiet, plain := day()
	loud, watched := day(panics)
	scene.Equal(t, quiet, loud)
	scene.Equal(t, plain, watched)
	for _, text := range []string{"cause=begin", "cause=end", "cause=delivery", "cause=clock", "function=Observer"} {
		if !strings.Contains(log.String(), text) {
			t.Errorf("the log has no %q", text)
		}
	}
}

// A panic in the operation is seen as a failure and passed on.
func TestObserverPassesPanicsOn(t *testing.T) {
	var watch watcher
	w := scene.NewOn(t, badStore{}, watch.into)
	defer func() {
		scene.Equal(t, "no disk", recover())
		if res := watch.last(t); res.Outcome != affiliate.OutcomeFailed || res.Failure != affiliate.FailureOther {
			t.Errorf("%+v", res)
		}
	}()
	_, _ = w.Sale(t.Context(), 1)
}

// The failures have their classes.
func TestObserverFailures(t *testing.T) {
	for _, row := range []struct {
		err  error
		want affiliate.Result
	}{
		{scene.ErrBoom, affiliate.Result{Outcome: affiliate.OutcomeFailed, Failure: affiliate.FailureStore}},
		{context.DeadlineExceeded, affiliate.Result{Outcome: affiliate.OutcomeFailed, Failure: affiliate.FailureTimeout}},
		{fmt.Errorf("pool: %w", context.Canceled), affiliate.Result{Outcome: affiliate.OutcomeCanceled, Failure: affiliate.FailureCanceled}},
	} {
		var watch watcher
		w := scene.NewOn(t, badStore{row.err}, watch.into)
		_, _ = w.Sale(t.Context(), 1)
		row.want.Took = time.Millisecond
		scene.Equal(t, row.want, watch.last(t), row.err)
	}
}

// The store works under the context of Begin; a hook gets it too, and what the
// hook calls is an operation of its own. A method that another one calls is not.
func TestObserverContexts(t *testing.T) {
	var watch watcher
	var inStore, inHook []any
	var w *scene.World
	w = scene.NewOn(t, spanStore{memstore.New(), &inStore}, watch.into, func(c *tributary.Config) {
		c.Hooks.Affiliate = func(ctx context.Context, _ record.Change[record.Affiliate]) {
			inHook = append(inHook, ctx.Value(spanKey{}))
			scene.Must(w.Balances(ctx, affiliate.Page{}))
		}
	})
	a := w.Join("bo")
	want := []string{"Balances", "CreateAffiliate"} // the inner one ends first
	if got := names(watch.all); !slices.Equal(got, want) {
		t.Errorf("operations %v, want %v", got, want)
	}
	if fmt.Sprint(inHook) != "[CreateAffiliate]" || fmt.Sprint(inStore) != "[CreateAffiliate Balances]" {
		t.Errorf("hook under %v, store under %v", inHook, inStore)
	}
	watch.all = nil
	scene.Must(w.Balance(t.Context(), affiliate.AffiliateRef{ID: a.ID}))
	if got := names(watch.all); !slices.Equal(got, []string{"Balance"}) {
		t.Errorf("operations %v, want [Balance]", got)
	}
	watch.all = nil
	for _, err := range w.Follow(t.Context(), uuid.Nil) {
		if err != nil {
			t.Fatal(err)
		}
		break
	}
	if got := names(watch.all); !slices.Equal(got, []string{"Follow"}) {
		t.Errorf("operations %v, want [Follow]", got)
	}
}

func names(all []observedCall) (out []string) {
	for _, s := range all {
		out = append(out, s.op.Name)
	}
	return out
}

// A spanStore notes the span of each transaction.
type spanStore struct {
	record.Store
	spans *[]any
}

func (s spanStore) View(ctx context.Context, id uuid.UUID, fn func(*record.Tx) error) error {
	*s.spans = append(*s.spans, ctx.Value(spanKey{}))
	return s.Store.View(ctx, id, fn)
}

func (s spanStore) Update(ctx context.Context, id uuid.UUID, fn func(*record.Tx) error) error {
	*s.spans = append(*s.spans, ctx.Value(spanKey{}))
	return s.Store.Update(ctx, id, fn)
}

// A settled attempt is seen with its lag, and an attempt that settles nothing is
// not seen.
func TestObserverDeliveries(t *testing.T) {
	var watch watcher
	w := scene.New(t, watch.into)
	ep := w.Hook(affiliate.AffiliateCreated)
	w.Answered()
	watch.sent = nil
	w.Join("bo")
	w.Pass(1500 * time.Millisecond)
	c := w.ClaimOne()
	done := w.Attempt(c, 503)
	done.Took = 20 * time.Millisecond
	scene.Must(0, w.Webhooks().SettleDeliveries(t.Context(), []affiliate.Attempt{done}))
	scene.Must(0, w.Webhooks().SettleDeliveries(t.Context(), []affiliate.Attempt{done}))
	want := []affiliate.DeliverySeen{{
		Program: w.Config().ID, Endpoint: ep.ID, Event: affiliate.AffiliateCreated, Attempt: 1, Status: 503,
		Trigger: affiliate.TriggerAutomatic, State: affiliate.DeliveryPending, Started: w.Now, Took: 20 * time.Millisecond, Lag: 1500 * time.Millisecond,
	}}
	scene.Equal(t, want, watch.sent)
}

// Several observers see the same, each with its own context, whatever the
// others do.
func TestObservers(t *testing.T) {
	var first, second watcher
	bad := affiliate.Observer{
		Begin:    func(context.Context, affiliate.Operation) context.Context { panic("no") },
		End:      func(context.Context, affiliate.Operation, affiliate.Result) { panic("no") },
		Delivery: func(context.Context, affiliate.DeliverySeen) { panic("no") },
	}
	none := func(context.Context, affiliate.Operation) context.Context { return nil } //nolint:staticcheck // what a careless host does
	w := scene.New(t, func(c *tributary.Config) {
		c.Observer = affiliate.Observers(first.observer(), bad, affiliate.Observer{}, affiliate.Observer{Begin: none}, affiliate.Observers(second.observer()))
	})
	w.Hook()
	w.Join("bo")
	w.Settle(200, w.Claim(64)...)
	if len(first.all) < 4 || len(first.sent) != 1 || first.open != 0 {
		t.Fatalf("the first saw %d operations and %d deliveries; %d are open", len(first.all), len(first.sent), first.open)
	}
	if !slices.Equal(first.all, second.all) || !slices.Equal(first.sent, second.sent) {
		t.Errorf("the first saw %v, the second %v", first.all, second.all)
	}
	if none := affiliate.Observers(); none.Begin != nil || none.End != nil || none.Delivery != nil || none.Clock != nil {
		t.Error("no observers are one")
	}
}

// Check 69: nothing that an Observer gets has a word of the data.
func TestObserverSeesNoData(t *testing.T) {
	var watch watcher
	w := scene.New(t, watch.into)
	w.Ada()
	w.HookAt("https://secret-host.example/path?token=hush")
	w.Refer("ada", "tim@example.com")
	ctx := t.Context()
	_, _ = w.RecordSale(ctx, affiliate.SaleParams{PromoCode: "WRONGCODE", Email: "tim@example.com", TotalEarned: affiliate.MustAmount("5"), ExternalID: "order-5581"})
	_, _ = w.RecordSale(ctx, affiliate.SaleParams{PromoCode: "ADA20", Email: "tim@example.com", TotalEarned: affiliate.MustAmount("5"), ExternalID: "order-5581"})
	_, _ = w.CreateAffiliate(ctx, affiliate.AffiliateParams{FirstName: "Ada", LastName: "Lovelace", Email: "not an email"})
	for _, c := range w.Claim(64) {
		a := w.Attempt(c, 500)
		a.Response = "tim@example.com is unknown"
		scene.Must(0, w.Webhooks().SettleDeliveries(ctx, []affiliate.Attempt{a}))
	}
	text := fmt.Sprintf("%+v %+v", watch.all, watch.sent)
	if len(watch.sent) == 0 {
		t.Fatal("no delivery was seen")
	}
	for _, word := range []string{"ada@", "Ada", "tim@", "example", "ADA20", "WRONG", "5581", "secret-host", "hush", "Lovelace"} {
		if strings.Contains(text, word) {
			t.Errorf("an Observer gets %q", word)
		}
	}
}

// A clock of the Observer that goes back makes no negative time.
func TestObserverClockGoesBack(t *testing.T) {
	watch := watcher{}
	w := scene.New(t, watch.into, func(c *tributary.Config) {
		at := scene.Start
		c.Observer.Clock = func() time.Time { at = at.Add(-time.Second); return at }
	})
	_, _ = w.Sale(t.Context(), 1)
	scene.Equal(t, 0, watch.last(t).Took)
}

// A relay is a store that asks another program before it works.
type relay struct {
	record.Store
	other *tributary.Program
}

func (s relay) View(ctx context.Context, id uuid.UUID, fn func(*record.Tx) error) error {
	if s.other != nil {
		if _, err := s.other.Affiliates(ctx, affiliate.AffiliateQuery{}, affiliate.Page{}); err != nil {
			return err
		}
	}
	return s.Store.View(ctx, id, fn)
}

// What a store does with another program is an operation of that one.
func TestObserverOfTwoPrograms(t *testing.T) {
	var one, two watcher
	other := scene.Must(tributary.New(memstore.New(), tributary.Config{ID: uuid.Max, Observer: two.observer()}))
	w := scene.NewOn(t, relay{memstore.New(), other}, one.into)
	_ = scene.Must(w.Affiliates(t.Context(), affiliate.AffiliateQuery{}, affiliate.Page{}))
	scene.Equal(t, [][]string{{"Affiliates"}, {"Affiliates"}}, [][]string{names(one.all), names(two.all)})
	if one.all[0].res.Runs != 1 || two.all[0].res.Runs != 1 {
		t.Errorf("runs %d and %d", one.all[0].res.Runs, two.all[0].res.Runs)
	}
}

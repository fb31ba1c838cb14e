package delivery_test

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/scene"
)

func TestFanOut(t *testing.T) {
	w := scene.New(t)
	sales, all := w.Hook(affiliate.SaleCreated), w.Hook()
	off := scene.Must(w.Webhooks().CreateEndpoint(t.Context(), affiliate.EndpointParams{URL: scene.HookURL, Events: []affiliate.EventType{"*"}, Active: affiliate.Set(false)}))
	w.Ada()
	late := w.Hook()
	got := map[string]int{}
	for _, d := range scene.Must(w.Webhooks().Deliveries(t.Context(), affiliate.DeliveryQuery{}, affiliate.Page{})).Items {
		got[fmt.Sprint(d.WebhookID, " ", d.Event, " ", d.State)]++
		if (d.State == affiliate.DeliveryPending) != (d.NextAttemptAt == affiliate.Set(affiliate.TimeOf(scene.Start))) {
			t.Errorf("%s: next attempt %v", d.State, d.NextAttemptAt)
		}
	}
	want := map[string]int{}
	for _, typ := range []affiliate.EventType{affiliate.AffiliateCreated, affiliate.CouponCreated, affiliate.PromocodeCreated} {
		want[fmt.Sprint(all.ID, " ", typ, " pending")] = 1
		want[fmt.Sprint(off.ID, " ", typ, " skipped")] = 1
	}
	scene.Equal(t, want, got)
	scene.Must(w.RecordSale(t.Context(), affiliate.SaleParams{PromoCode: "ADA20", TotalEarned: scene.Sum("10")}))
	for id, want := range map[uuid.UUID]int{sales.ID: 1, all.ID: 4, off.ID: 4, late.ID: 1} {
		if list := scene.Must(w.Webhooks().Deliveries(t.Context(), affiliate.DeliveryQuery{WebhookID: affiliate.Set(id)}, affiliate.Page{})); len(list.Items) != want {
			t.Errorf("endpoint %s has %d deliveries, want %d", id, len(list.Items), want)
		}
	}
	w.Verifies()
}

// The queue id of a delivery that waits begins with its time, also when the
// host's ids do not begin with one. Deliveries that do not wait come after
// them, in the order of the events.
func TestFanOutQueueIDs(t *testing.T) {
	for name, wait := range map[string]time.Duration{"Waits": time.Minute, "Prompt": 0} {
		t.Run(name, func(t *testing.T) {
			n := byte(0)
			w := scene.New(t, func(c *tributary.Config) {
				c.NewID = func() uuid.UUID { n++; return uuid.UUID{14: 1, 15: n} }
				c.Schedule = []time.Duration{wait, time.Hour}
			})
			w.HookAt("https://a.example/")
			w.HookAt("https://b.example/")
			w.Ada()
			var got, want []uuid.UUID // deliveries in the order of the queue, and in that of the events
			scene.Behind(t, w, func(tx *record.Tx) {
				for d, err := range tx.Deliveries.List(record.Query{}) {
					scene.Must(0, err)
					want = append(want, d.ID)
				}
				for q, err := range tx.Queue.List(record.Query{}) {
					scene.Must(0, err)
					got = append(got, q.DeliveryID)
					var ms int64
					for _, b := range q.ID[:6] {
						ms = ms<<8 | int64(b)
					}
					if due := scene.Start.Add(wait).UnixMilli(); wait > 0 && ms != due || wait == 0 && q.ID[0] != 0x80 {
						t.Errorf("queue id %s is due at %d", q.ID, ms)
					}
				}
			})
			scene.Equal(t, 6, len(got))
			if wait == 0 {
				scene.Equal(t, want, got)
			}
		})
	}
}

func TestDelivery(t *testing.T) {
	w := scene.New(t)
	ep := w.Hook(affiliate.AffiliateCreated)
	w.Ada()
	listed := scene.Must(w.Webhooks().Deliveries(t.Context(), affiliate.DeliveryQuery{}, affiliate.Page{})).Items[0]
	if raw := scene.Must(json.Marshal(listed)); strings.Contains(string(raw), `"payload"`) {
		t.Errorf("a list shows the payload: %s", raw)
	}
	err := w.Store.Update(t.Context(), w.Config().ID, func(tx *record.Tx) error {
		return scene.Edit(tx.Deliveries, nil, func(r *record.Delivery) {
			r.Attempts = []record.Attempt{
				{At: scene.Began, URL: scene.HookURL, Took: 84 * time.Millisecond, Err: "timeout"},
				{At: scene.Began.Add(time.Second), Manual: true, URL: scene.HookURL, Status: 500, Took: time.Second, Response: "oops"},
			}
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	got := scene.Must(w.Webhooks().Delivery(t.Context(), listed.ID))
	payload, _ := got.Payload.Get()
	event := scene.Must(w.Events(t.Context(), affiliate.EventQuery{Type: affiliate.AffiliateCreated}, affiliate.Page{})).Items[0]
	if string(payload) != string(event.Payload) || got.EventID != event.MessageID() {
		t.Errorf("payload %s, event %s", payload, event.Payload)
	}
	none := affiliate.Null[string]()
	want := affiliate.Delivery{
		ID: listed.ID, WebhookID: ep.ID, EventID: event.MessageID(), Event: affiliate.AffiliateCreated, State: affiliate.DeliveryPending, AttemptCount: 2,
		NextAttemptAt: affiliate.Set(affiliate.TimeOf(scene.Start)), CreatedAt: affiliate.TimeOf(scene.Start), UpdatedAt: affiliate.TimeOf(scene.Start),
		Attempts: []affiliate.DeliveryAttempt{
			{At: affiliate.TimeOf(scene.Start), Trigger: affiliate.TriggerAutomatic, URL: scene.HookURL, StatusCode: affiliate.Null[int64](), DurationMS: 84, Error: affiliate.Set("timeout"), Response: none},
			{At: affiliate.TimeOf(scene.Start.Add(time.Second)), Trigger: affiliate.TriggerManual, URL: scene.HookURL, StatusCode: affiliate.Set[int64](500), DurationMS: 1000, Error: none, Response: affiliate.Set("oops")},
		},
		Payload: got.Payload,
	}
	scene.Equal(t, want, got)
	if _, err := w.Webhooks().Delivery(t.Context(), uuid.Nil); err != affiliate.ErrNotFound {
		t.Errorf("unknown: %v", err)
	}
}

func TestDeliveriesFilter(t *testing.T) {
	b := scene.NewLedger(t)
	list := func(f affiliate.DeliveryQuery, pg affiliate.Page) affiliate.List[affiliate.Delivery] {
		return scene.Must(b.Webhooks().Deliveries(t.Context(), f, pg))
	}
	every := list(affiliate.DeliveryQuery{}, affiliate.Page{}).Items
	last := every[0].CreatedAt.Time()
	day := affiliate.Day(scene.Start.Year(), scene.Start.Month(), scene.Start.Day())
	at := func(d time.Duration) affiliate.Opt[affiliate.Date] { return affiliate.Set(affiliate.At(last.Add(d))) }
	tests := []struct {
		name   string
		filter affiliate.DeliveryQuery
		keep   func(affiliate.Delivery) bool
	}{
		{"All", affiliate.DeliveryQuery{}, func(d affiliate.Delivery) bool { return true }},
		{"Endpoint", affiliate.DeliveryQuery{WebhookID: affiliate.Set(b.Disabled.ID)}, func(d affiliate.Delivery) bool { return d.WebhookID == b.Disabled.ID }},
		{"State", affiliate.DeliveryQuery{State: affiliate.DeliverySkipped}, func(d affiliate.Delivery) bool { return d.State == affiliate.DeliverySkipped }},
		{"Event", affiliate.DeliveryQuery{Event: affiliate.SaleUpdated}, func(d affiliate.Delivery) bool { return d.Event == affiliate.SaleUpdated }},
		{"EndpointStateEvent", affiliate.DeliveryQuery{WebhookID: affiliate.Set(b.Hooked.ID), State: affiliate.DeliveryPending, Event: affiliate.SaleCreated}, func(d affiliate.Delivery) bool {
			return d.WebhookID == b.Hooked.ID && d.Event == affiliate.SaleCreated
		}},
		{"EndpointWrongState", affiliate.DeliveryQuery{WebhookID: affiliate.Set(b.Hooked.ID), State: affiliate.DeliverySkipped}, func(affiliate.Delivery) bool { return false }},
		{"Since", affiliate.DeliveryQuery{Since: at(0)}, func(d affiliate.Delivery) bool { return d.CreatedAt.Time().Equal(last) }},
		{"Until", affiliate.DeliveryQuery{Until: at(-time.Millisecond)}, func(d affiliate.Delivery) bool { return d.CreatedAt.Time().Before(last) }},
		{"UntilInclusive", affiliate.DeliveryQuery{Until: at(0)}, func(affiliate.Delivery) bool { return true }},
		{"Between", affiliate.DeliveryQuery{Since: at(-time.Second), Until: at(-time.Second)}, func(d affiliate.Delivery) bool { return d.CreatedAt.Time().Equal(last.Add(-time.Second)) }},
		{"Day", affiliate.DeliveryQuery{Since: affiliate.Set(day), Until: affiliate.Set(day)}, func(affiliate.Delivery) bool { return true }},
		{"NextDay", affiliate.DeliveryQuery{Since: affiliate.Set(affiliate.Day(scene.Start.Year(), scene.Start.Month(), scene.Start.Day()+1))}, func(affiliate.Delivery) bool { return false }},
		{"WeekAfter", affiliate.DeliveryQuery{Since: at(7 * 24 * time.Hour)}, func(affiliate.Delivery) bool { return false }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			want := []affiliate.Delivery{}
			for _, d := range every {
				if tt.keep(d) {
					want = append(want, d)
				}
			}
			scene.Equal(t, want, list(tt.filter, affiliate.Page{}).Items)
			for _, size := range []int{1, 2, 5} {
				paged := append([]affiliate.Delivery{}, scene.All(affiliate.Each(size, func(pg affiliate.Page) (affiliate.List[affiliate.Delivery], error) { return list(tt.filter, pg), nil }))...)
				scene.Equal(t, want, paged, size)
			}
		})
	}
	cursor := list(affiliate.DeliveryQuery{}, affiliate.Page{Limit: 1}).Next
	for _, f := range []affiliate.DeliveryQuery{{WebhookID: affiliate.Set(b.Hooked.ID)}, {Since: at(0)}, {Event: affiliate.SaleCreated}} {
		scene.WantReason(t, "refused", affiliate.InvalidQuery, scene.ErrOf(b.Webhooks().Deliveries(t.Context(), f, affiliate.Page{Cursor: cursor})))
	}
}

func TestEvents(t *testing.T) {
	b := scene.NewLedger(t)
	list := func(f affiliate.EventQuery) []string {
		got := []string{}
		for e, err := range affiliate.Each(3, func(pg affiliate.Page) (affiliate.List[affiliate.Event], error) { return b.Events(t.Context(), f, pg) }) {
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, fmt.Sprintf("%s %d", e.Type, e.Revision))
			if !json.Valid(e.Payload) || !strings.Contains(string(e.Payload), e.MessageID()) {
				t.Errorf("payload %s", e.Payload)
			}
		}
		return got
	}
	if got := list(affiliate.EventQuery{}); len(got) != len(b.Dump()["events"]) || got[0] != "sale.created 1" {
		t.Errorf("all: %v", got)
	}
	three := []string{"sale.updated 3", "sale.updated 2", "sale.created 1"}
	tests := []struct {
		name   string
		filter affiliate.EventQuery
		want   []string
	}{
		{"Type", affiliate.EventQuery{Type: affiliate.SaleDeleted}, []string{"sale.deleted 2"}},
		{"Object", affiliate.EventQuery{ObjectID: affiliate.Set(b.Person.ID.String())}, []string{"affiliate.updated 2", "affiliate.created 1"}},
		{"ObjectAndType", affiliate.EventQuery{ObjectID: affiliate.Set(b.Person.ID.String()), Type: affiliate.AffiliateCreated}, []string{"affiliate.created 1"}},
		{"Sale", affiliate.EventQuery{ObjectID: affiliate.Set("3")}, three},
		{"SaleUnknown", affiliate.EventQuery{ObjectID: affiliate.Set("99")}, []string{}},
		{"NoID", affiliate.EventQuery{ObjectID: affiliate.Set("abc")}, []string{}},
		{"ZeroNumber", affiliate.EventQuery{ObjectID: affiliate.Set("0")}, []string{}},
		{"PaddedNumber", affiliate.EventQuery{ObjectID: affiliate.Set("03")}, []string{}},
		{"UpperCaseID", affiliate.EventQuery{ObjectID: affiliate.Set(strings.ToUpper(b.Person.ID.String()))}, []string{}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			scene.Equal(t, tt.want, list(tt.filter))
		})
	}
	scene.Must(struct{}{}, b.DeleteSale(t.Context(), 5))
	scene.Equal(t, []string{"sale.deleted 2", "sale.created 1"}, list(affiliate.EventQuery{ObjectID: affiliate.Set("5")}))
}

// Check 73: the age of the oldest due delivery rises while no sender runs and
// falls to zero when it does; what waits for its next attempt is not due.
func TestBacklog(t *testing.T) {
	scene.OnStores(t, func(t *testing.T, w *scene.World) {
		want := func(what string, want time.Duration) {
			t.Helper()
			scene.Equal(t, want, scene.Must(w.Webhooks().Backlog(t.Context())), what)
		}
		w.Hook(affiliate.AffiliateCreated)
		w.Answered()
		w.Pass(time.Minute)
		want("nothing waits", 0)
		w.Join("bo")
		w.Pass(2 * time.Second)
		w.Join("cy")
		w.Pass(3 * time.Second)
		want("nobody sends", 5*time.Second)
		claims := w.Claim(64)
		want("all are claimed", 0)
		w.Settle(503, claims...)
		want("they wait for the next attempt", 0)
		w.Pass(time.Hour)
		if late := scene.Must(w.Webhooks().Backlog(t.Context())); late < 50*time.Minute {
			t.Errorf("the next attempt is late by %v", late)
		}
		w.Settle(200, w.Claim(64)...)
		w.Settle(200, w.Claim(64)...)
		want("all are delivered", 0)
	})
}

// The age is that of the delivery, also where the host's ids begin with no time
// and where the clock has gone back since the event.
func TestBacklogOfOwnIDs(t *testing.T) {
	scene.OnStores(t, func(t *testing.T, w *scene.World) {
		w.Hook(affiliate.AffiliateCreated)
		w.Answered()
		w.Join("bo")
		w.Pass(2 * time.Second)
		scene.Equal(t, 2*time.Second, scene.Must(w.Webhooks().Backlog(t.Context())))
	}, func(c *tributary.Config) {
		var n uint64
		c.NewID = func() uuid.UUID {
			id := uuid.UUID{1}
			n++
			binary.BigEndian.PutUint64(id[8:], n)
			return id
		}
	})
}

// A test of a disabled endpoint that does not subscribe to the type: one
// request with a full sample, and nothing is stored (W079).
func TestTestEndpoint(t *testing.T) {
	for _, typ := range affiliate.EventTypes() {
		t.Run(string(typ), func(t *testing.T) {
			var sent []affiliate.Claim
			send := func(_ context.Context, c affiliate.Claim) affiliate.Attempt {
				sent = append(sent, c)
				return affiliate.Attempt{Status: 204, Took: 84 * time.Millisecond}
			}
			scene.OnStores(t, func(t *testing.T, w *scene.World) {
				sent = nil
				ep := scene.Must(w.Webhooks().CreateEndpoint(t.Context(), affiliate.EndpointParams{
					URL: scene.HookURL, Events: []affiliate.EventType{other(typ)}, Active: affiliate.Set(false), SvixHeaders: true,
				}))
				before := w.Dump()
				got := scene.Must(w.Webhooks().TestEndpoint(t.Context(), affiliate.EndpointTest{WebhookID: ep.ID, Event: typ}))
				scene.Equal(t, before, w.Dump())
				if len(sent) != 1 {
					t.Fatalf("%d requests", len(sent))
				}
				c := sent[0]
				scene.Equal(t, affiliate.TestResult{
					Delivered: true, StatusCode: affiliate.Set[int64](204), DurationMS: 84, Error: affiliate.Null[string](), EventID: c.MessageID,
				}, got)
				if c.Secrets[0] != ep.Secret || c.URL != scene.HookURL || !c.SvixHeaders || !c.Manual || c.Event != typ || c.Delivery != uuid.Nil {
					t.Errorf("claim %+v", c)
				}
				checkSample(t, w, typ, c)
			}, func(c *tributary.Config) { c.Send = send })
		})
	}
}

// other returns a type of another family.
func other(typ affiliate.EventType) affiliate.EventType {
	if typ.Family() == "sale" {
		return affiliate.CouponCreated
	}
	return affiliate.SaleCreated
}

// checkSample compares a sample with a real payload: both have the same keys at
// every level, in every object that is not null.
func checkSample(t *testing.T, w *scene.World, typ affiliate.EventType, c affiliate.Claim) {
	t.Helper()
	var got map[string]any
	scene.Must(0, json.Unmarshal(c.Payload, &got))
	head := `{"event":"` + string(typ) + `","eventId":"` + c.MessageID + `","occurredAt":"2026-03-11T09:24:18.442Z","programId":"` + w.Config().ID.String() + `","revision":0,"test":true,"body":{"id":`
	if !strings.HasPrefix(string(c.Payload), head) {
		t.Errorf("envelope %.300s", c.Payload)
	}
	body := got["body"].(map[string]any)
	if strings.HasSuffix(string(typ), "deleted") {
		if _, number := body["id"].(float64); len(body) != 1 || number != (typ == affiliate.SaleDeleted) {
			t.Errorf("body %v", body)
		}
		return
	}
	real := realBody(t, typ)
	sameKeys(t, "body", real, body)
}

// realBody returns the body of an event that a shop has fired.
func realBody(t *testing.T, typ affiliate.EventType) map[string]any {
	t.Helper()
	w := scene.New(t)
	a := w.Ada()
	w.Refer("ada", "kim@example.com")
	w.SellTo("kim@example.com", "100")
	scene.Must(w.UpdateCode(t.Context(), a.ADA20.ID, affiliate.CodeUpdate{Active: affiliate.Set(false)}))
	scene.Must(w.UpdateAffiliate(t.Context(), affiliate.AffiliateRef{ID: a.Person.ID}, affiliate.AffiliateUpdate{FirstName: affiliate.Set("Eva")}))
	updated := affiliate.EventType(typ.Family() + ".updated")
	for _, e := range scene.Must(w.Events(t.Context(), affiliate.EventQuery{}, affiliate.Page{})).Items {
		if e.Type == typ || e.Type == updated {
			return scene.BodyOf[map[string]any](t, e)
		}
	}
	for _, e := range scene.Must(w.Events(t.Context(), affiliate.EventQuery{}, affiliate.Page{})).Items {
		if e.Type.Family() == typ.Family() {
			return scene.BodyOf[map[string]any](t, e)
		}
	}
	t.Fatalf("nothing has fired %s", typ)
	return nil
}

func sameKeys(t *testing.T, path string, want, got map[string]any) {
	t.Helper()
	for key := range want {
		if _, ok := got[key]; !ok {
			t.Errorf("%s has no %s", path, key)
		}
	}
	for key := range got {
		w, ok := want[key]
		if !ok {
			t.Errorf("%s has a %s", path, key)
		}
		if list, isList := w.([]any); isList && len(list) > 0 {
			mine, _ := got[key].([]any)
			if len(mine) == 0 {
				t.Errorf("%s.%s is empty", path, key)
				continue
			}
			w, got[key] = list[0], mine[0]
		}
		inner, isObject := w.(map[string]any)
		mine, also := got[key].(map[string]any)
		if isObject && also {
			sameKeys(t, path+"."+key, inner, mine)
		}
	}
}

func TestTestEndpointResults(t *testing.T) {
	tests := []struct {
		name    string
		attempt affiliate.Attempt
		want    affiliate.TestResult
	}{
		{"Refused", affiliate.Attempt{Status: 500}, affiliate.TestResult{StatusCode: affiliate.Set[int64](500), Error: affiliate.Null[string]()}},
		{"Redirect", affiliate.Attempt{Status: 302, Err: affiliate.FailedRedirect}, affiliate.TestResult{StatusCode: affiliate.Set[int64](302), Error: affiliate.Set("redirect")}},
		{"NoAnswer", affiliate.Attempt{Err: affiliate.FailedTimeout, Took: 15 * time.Second}, affiliate.TestResult{StatusCode: affiliate.Null[int64](), Error: affiliate.Set("timeout"), DurationMS: 15_000}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := scene.New(t, func(c *tributary.Config) {
				c.Send = func(context.Context, affiliate.Claim) affiliate.Attempt { return tt.attempt }
			})
			ep := w.Hook()
			before := w.Dump()
			got := scene.Must(w.Webhooks().TestEndpoint(t.Context(), affiliate.EndpointTest{WebhookID: ep.ID, Event: affiliate.SaleCreated}))
			tt.want.EventID = got.EventID
			scene.Equal(t, tt.want, got)
			scene.Equal(t, before, w.Dump())
		})
	}
	t.Run("NoSender", func(t *testing.T) {
		w := scene.New(t)
		got := scene.Must(w.Webhooks().TestEndpoint(t.Context(), affiliate.EndpointTest{WebhookID: w.Hook().ID, Event: affiliate.SaleCreated}))
		if got.Delivered || got.Error != affiliate.Set(affiliate.FailedNoSender) || !got.StatusCode.IsNull() {
			t.Errorf("%+v", got)
		}
	})
}

func TestTestEndpointErrors(t *testing.T) {
	w := scene.New(t, func(c *tributary.Config) {
		c.Send = func(context.Context, affiliate.Claim) affiliate.Attempt { t.Error("sent"); return affiliate.Attempt{} }
	})
	ep := w.Hook()
	tests := []struct {
		name string
		in   affiliate.EndpointTest
		want affiliate.Error
	}{
		{"ErrNothing", affiliate.EndpointTest{}, scene.FieldError(affiliate.MissingField, "webhookId", "Webhook ID is required")},
		{"ErrNoEvent", affiliate.EndpointTest{WebhookID: ep.ID}, scene.FieldError(affiliate.MissingField, "event", "Event is required")},
		{"ErrEvent", affiliate.EndpointTest{WebhookID: ep.ID, Event: "*"}, scene.FieldError(affiliate.InvalidField, "event", "Unknown event type: *")},
		{"ErrNotFound", affiliate.EndpointTest{WebhookID: uuid.Max, Event: affiliate.SaleCreated}, scene.MissingError(affiliate.WebhookNotFound, "Webhook endpoint not found")},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := *w
			w.T = t
			w.Refused(tt.want, func() error { return scene.ErrOf(w.Webhooks().TestEndpoint(t.Context(), tt.in)) })
		})
	}
}

// With a key, a repeat is answered without a request.
func TestTestEndpointOnce(t *testing.T) {
	sent := 0
	send := func(context.Context, affiliate.Claim) affiliate.Attempt {
		sent++
		return affiliate.Attempt{Status: 204}
	}
	scene.OnStores(t, func(t *testing.T, w *scene.World) {
		sent = 0
		ep := w.Hook()
		in := affiliate.EndpointTest{WebhookID: ep.ID, Event: affiliate.SaleCreated, Once: affiliate.Once{Key: "k"}}
		var stored []byte
		in.Replayed = func(answer []byte) { stored = answer }
		first := scene.Must(w.Webhooks().TestEndpoint(t.Context(), in))
		if stored != nil || sent != 1 {
			t.Errorf("first: stored %s, sent %d", stored, sent)
		}
		before := w.Dump()
		scene.Equal(t, first, scene.Must(w.Webhooks().TestEndpoint(t.Context(), in)))
		scene.Equal(t, before, w.Dump())
		if sent != 1 || string(stored) != scene.JSON(first) {
			t.Errorf("repeat: sent %d, stored %s", sent, stored)
		}
		in.Event = affiliate.SaleUpdated
		if _, err := w.Webhooks().TestEndpoint(t.Context(), in); err == nil || sent != 1 {
			t.Errorf("another request under the key: %v", err)
		}
	}, func(c *tributary.Config) { c.Send = send })
}

package delivery_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
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
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("deliveries (-want +got):\n%s", diff)
	}
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
			if len(got) != 6 {
				t.Errorf("%d places in the queue", len(got))
			}
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
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("delivery (-want +got):\n%s", diff)
	}
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
			if diff := cmp.Diff(want, list(tt.filter, affiliate.Page{}).Items); diff != "" {
				t.Errorf("whole list (-want +got):\n%s", diff)
			}
			for _, size := range []int{1, 2, 5} {
				paged := append([]affiliate.Delivery{}, scene.All(affiliate.Each(size, func(pg affiliate.Page) (affiliate.List[affiliate.Delivery], error) { return list(tt.filter, pg), nil }))...)
				if diff := cmp.Diff(want, paged); diff != "" {
					t.Errorf("pages of %d (-want +got):\n%s", size, diff)
				}
			}
		})
	}
	cursor := list(affiliate.DeliveryQuery{}, affiliate.Page{Limit: 1}).Next
	for _, f := range []affiliate.DeliveryQuery{{WebhookID: affiliate.Set(b.Hooked.ID)}, {Since: at(0)}, {Event: affiliate.SaleCreated}} {
		if _, err := b.Webhooks().Deliveries(t.Context(), f, affiliate.Page{Cursor: cursor}); !errors.Is(err, affiliate.InvalidQuery) {
			t.Errorf("cursor of another filter: %v", err)
		}
	}
}

func TestDeliveriesErrors(t *testing.T) {
	w := scene.New(t)
	far := affiliate.Set(affiliate.At(time.Date(10000, 1, 2, 0, 0, 0, 0, time.UTC)))
	events := "event must be one of affiliate.created, affiliate.updated, affiliate.deleted, referral.created, referral.updated, referral.deleted, sale.created, sale.updated, sale.deleted, coupon.created, coupon.updated, coupon.deleted, promocode.created, promocode.updated, promocode.deleted"
	tests := []struct {
		name   string
		filter affiliate.DeliveryQuery
		want   affiliate.Error
	}{
		{"ErrState", affiliate.DeliveryQuery{State: "dead"}, scene.FieldError(affiliate.InvalidQuery, "state", "state must be one of pending, delivered, failed, skipped, canceled")},
		{"ErrEvent", affiliate.DeliveryQuery{Event: "y"}, scene.FieldError(affiliate.InvalidQuery, "event", events)},
		{"ErrSince", affiliate.DeliveryQuery{Since: far}, scene.FieldError(affiliate.InvalidQuery, "since", "since must be an ISO 8601 date")},
		{"ErrUntil", affiliate.DeliveryQuery{Until: far}, scene.FieldError(affiliate.InvalidQuery, "until", "until must be an ISO 8601 date")},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w.Refused(tt.want, func() error { _, err := w.Webhooks().Deliveries(t.Context(), tt.filter, affiliate.Page{}); return err })
		})
	}
	w.Refused(scene.FieldError(affiliate.InvalidQuery, "type", strings.Replace(events, "event", "type", 1)), func() error {
		_, err := w.Events(t.Context(), affiliate.EventQuery{Type: "y"}, affiliate.Page{})
		return err
	})
	for _, pg := range []affiliate.Page{{Limit: 1001}, {Cursor: "x"}} {
		if _, err := w.Events(t.Context(), affiliate.EventQuery{}, pg); !errors.Is(err, affiliate.InvalidQuery) {
			t.Errorf("events page: %v", err)
		}
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
			if diff := cmp.Diff(tt.want, list(tt.filter)); diff != "" {
				t.Errorf("events (-want +got):\n%s", diff)
			}
		})
	}
	scene.Must(struct{}{}, b.DeleteSale(t.Context(), 5))
	if diff := cmp.Diff([]string{"sale.deleted 2", "sale.created 1"}, list(affiliate.EventQuery{ObjectID: affiliate.Set("5")})); diff != "" {
		t.Errorf("events of a sale that is gone (-want +got):\n%s", diff)
	}
}

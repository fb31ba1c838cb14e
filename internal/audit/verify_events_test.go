package audit_test

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/engine"
	"github.com/tributary-go/tributary/internal/scene"
)

func TestVerifyEvents(t *testing.T) {
	is := func(typ affiliate.EventType) func(record.Event) bool {
		return func(r record.Event) bool { return r.Type == typ }
	}
	event := func(typ affiliate.EventType, change func(*record.Event)) func(*scene.Ledger, *record.Tx) error {
		return func(_ *scene.Ledger, tx *record.Tx) error { return scene.Edit(tx.Events, is(typ), change) }
	}
	payload := func(typ affiliate.EventType, old, new string) func(*scene.Ledger, *record.Tx) error {
		return event(typ, func(r *record.Event) {
			r.Payload = record.PayloadOf(bytes.Replace(r.Payload.Bytes(), []byte(old), []byte(new), 1))
		})
	}
	// An event that a store keeps in its unencoded form is compared with the record
	// without reading its bytes.
	frozen := func(change func(*engine.Frozen)) func(*scene.Ledger, *record.Tx) error {
		return event(affiliate.SaleDeleted, func(r *record.Event) {
			_, source := r.Payload.Source()
			changed := *source.(*engine.Frozen)
			change(&changed)
			r.Payload = record.LatePayload(&changed)
		})
	}
	scene.RunCorruptions(t, []scene.Corruption{
		{Name: "frozen with another type", Change: frozen(func(f *engine.Frozen) { f.Typ = affiliate.CouponCreated }), Want: []string{"I49"}},
		{Name: "frozen with another id", Change: frozen(func(f *engine.Frozen) { f.ID[0]++ }), Want: []string{"I49"}},
		{Name: "frozen in another program", Change: frozen(func(f *engine.Frozen) { f.Program[0]++ }), Want: []string{"I49"}},
		{Name: "frozen with another revision", Change: frozen(func(f *engine.Frozen) { f.Revision++ }), Want: []string{"I49"}},
		{Name: "frozen at another time", Change: frozen(func(f *engine.Frozen) { f.OccurredAt = f.OccurredAt.Add(time.Microsecond) }), Want: []string{"I49"}},
		{Name: "frozen for a test", Change: frozen(func(f *engine.Frozen) { f.Test = true }), Want: []string{"I49"}},
		{Name: "type of another family", Change: event(affiliate.CouponCreated, func(r *record.Event) { r.Type = affiliate.PromocodeCreated }), Want: []string{"I47", "I49", "I51"}},
		{Name: "unknown type", Change: payload(affiliate.CouponCreated, "coupon.created", "coupon.made"), Want: []string{"I49"}},
		{Name: "number of a coupon", Change: event(affiliate.CouponCreated, func(r *record.Event) { r.Number = 3 }), Want: []string{"I47"}},
		{Name: "of another object", Change: event(affiliate.CouponCreated, func(r *record.Event) { r.ObjectID = r.ID }), Want: []string{"I48", "I51"}},
		{Name: "deleted body with more", Change: payload(affiliate.SaleDeleted, `{"id":4}`, `{"id":4,"x":1}`), Want: []string{"I48"}},
		{Name: "deleted body of another sale", Change: payload(affiliate.SaleDeleted, `{"id":4}`, `{"id":44}`), Want: []string{"I48"}},
		{Name: "created body with the id only", Change: event(affiliate.CouponCreated, func(r *record.Event) {
			raw := r.Payload.Bytes()
			before, _, _ := bytes.Cut(raw, []byte(`,"name"`))
			r.Payload = record.PayloadOf(append(before, "}}"...))
		}), Want: []string{"I48"}},
		{Name: "affiliate without answers", Change: payload(affiliate.AffiliateCreated, "questionAnswers", "answers"), Want: []string{"I48"}},
		{Name: "referral without affiliate", Change: payload(affiliate.ReferralCreated, `"affiliate":`, `"person":`), Want: []string{"I48"}},
		{Name: "sale without commissions", Change: payload(affiliate.SaleCreated, `"commissions":`, `"c":`), Want: []string{"I48"}},
		{Name: "coupon without codes", Change: payload(affiliate.CouponCreated, "promotionalCodes", "codes"), Want: []string{"I48"}},
		{Name: "code without coupon", Change: payload(affiliate.PromocodeCreated, `"coupon":`, `"parent":`), Want: []string{"I48"}},
		{Name: "payload of another revision", Change: payload(affiliate.CouponCreated, `"revision":1`, `"revision":2`), Want: []string{"I49"}},
		{Name: "payload with other bytes in front", Change: payload(affiliate.CouponCreated, `{"event"`, `{ "event"`), Want: []string{"I49"}},
		{Name: "payload cut short", Change: payload(affiliate.CouponCreated, `"promotionalCodes":[]}}`, `"promotionalCodes":[]}`), Want: []string{"I49"}},
		{Name: "payload frozen for another id", Change: func(b *scene.Ledger, tx *record.Tx) error {
			return scene.Edit(tx.Events, is(affiliate.CouponCreated), func(r *record.Event) { r.OccurredAt = r.OccurredAt.Add(time.Second) })
		}, Want: []string{"I49"}},
		{Name: "gap in the revisions", Change: func(b *scene.Ledger, tx *record.Tx) error {
			var id uuid.UUID
			err := scene.Drop(tx.Events, func(r record.Event) bool { id = r.ID; return r.Number == 3 && r.Revision == 2 })
			return errors.Join(err, booksDropDeliveries(tx, id))
		}, Want: []string{"I50"}},
		{Name: "revision before the one it follows", Change: func(b *scene.Ledger, tx *record.Tx) error {
			var moved record.Event
			err := scene.Drop(tx.Events, func(r record.Event) bool { moved = r; return r.Number == 3 && r.Revision == 2 })
			err = errors.Join(err, booksDropDeliveries(tx, moved.ID))
			old := strings.ReplaceAll(moved.ID.String(), "-", "")
			moved.ID = uuid.UUID{0: 1, 15: 1}
			raw := strings.Replace(string(moved.Payload.Bytes()), old, strings.ReplaceAll(moved.ID.String(), "-", ""), 1)
			moved.Payload = record.PayloadOf([]byte(raw))
			return errors.Join(err, tx.Events.Insert(moved))
		}, Want: []string{"I50"}},
		{Name: "created with a later revision", Change: event(affiliate.CouponCreated, func(r *record.Event) { r.Revision = 2 }), Want: []string{"I49", "I50", "I51"}},
		{Name: "no revision", Change: event(affiliate.CouponCreated, func(r *record.Event) { r.Revision = 0 }), Want: []string{"I49", "I50", "I51"}},
		{Name: "last event is not the object's", Change: func(b *scene.Ledger, tx *record.Tx) error {
			return scene.Edit(tx.Coupons, nil, func(r *record.Coupon) { r.Revision++ })
		}, Want: []string{"I50"}},
		{Name: "more follows deleted", Change: func(b *scene.Ledger, tx *record.Tx) error {
			return scene.Edit(tx.Sales, booksSale(4), func(r *record.Sale) { r.Revision++ })
		}, Want: []string{"I50"}},
		{Name: "event at another time", Change: event(affiliate.CouponCreated, func(r *record.Event) {
			r.OccurredAt = r.OccurredAt.Add(time.Microsecond)
		}), Want: []string{"I49"}},
	})
}

// booksDropDeliveries deletes the deliveries of an event and their queue
// records.
func booksDropDeliveries(tx *record.Tx, event uuid.UUID) error {
	for d, err := range tx.Deliveries.List(record.Query{Key: record.Key{Index: record.OfEvent, ID: event}}) {
		if err != nil {
			return err
		}
		if err := tx.Deliveries.Delete(d.ID); err != nil {
			return err
		}
		if q, err := tx.Queue.Find(record.Key{Index: record.ByDelivery, ID: d.ID}); err == nil {
			if err := tx.Queue.Delete(q.ID); err != nil {
				return err
			}
		}
	}
	return nil
}

func TestVerifyDeliveries(t *testing.T) {
	missing := uuid.MustParse("0197c2f0-0000-7000-8000-00000000dead")
	delivery := func(change func(*record.Delivery)) func(*scene.Ledger, *record.Tx) error {
		return func(_ *scene.Ledger, tx *record.Tx) error { return scene.Edit(tx.Deliveries, nil, change) }
	}
	endpoint := func(change func(*record.Endpoint)) func(*scene.Ledger, *record.Tx) error {
		return func(_ *scene.Ledger, tx *record.Tx) error { return scene.Edit(tx.Endpoints, nil, change) }
	}
	queue := func(change func(*record.Queue)) func(*scene.Ledger, *record.Tx) error {
		return func(_ *scene.Ledger, tx *record.Tx) error { return scene.Edit(tx.Queue, nil, change) }
	}
	scene.RunCorruptions(t, []scene.Corruption{
		{Name: "pending without a place", Change: func(_ *scene.Ledger, tx *record.Tx) error { return scene.Drop(tx.Queue, nil) }, Want: []string{"I51"}},
		{Name: "settled with a place", Change: delivery(func(r *record.Delivery) { r.State = affiliate.DeliveryDelivered }), Want: []string{"I51"}},
		{Name: "unknown state", Change: delivery(func(r *record.Delivery) { r.State = "dead" }), Want: []string{"I51"}},
		{Name: "no next attempt", Change: delivery(func(r *record.Delivery) { r.NextAttemptAt = affiliate.Instant{} }), Want: []string{"I51"}},
		{Name: "event missing", Change: delivery(func(r *record.Delivery) { r.EventID = missing }), Want: []string{"I51"}},
		{Name: "another type", Change: delivery(func(r *record.Delivery) { r.Type = affiliate.SaleDeleted }), Want: []string{"I51"}},
		{Name: "endpoint missing", Change: func(b *scene.Ledger, tx *record.Tx) error { return tx.Endpoints.Delete(b.Hooked.ID) }, Want: []string{"I51"}},
		{Name: "place of a missing delivery", Change: func(b *scene.Ledger, tx *record.Tx) error {
			return tx.Queue.Insert(record.Queue{ID: missing, DeliveryID: missing})
		}, Want: []string{"I51"}},
		{Name: "two deliveries of one event", Change: func(b *scene.Ledger, tx *record.Tx) error {
			for d := range tx.Deliveries.List(record.Query{Limit: 1}) {
				d.ID, d.State, d.NextAttemptAt = missing, affiliate.DeliverySkipped, affiliate.Instant{}
				return tx.Deliveries.Insert(d)
			}
			return nil
		}, Want: []string{"I51"}},
		{Name: "delivered without a 2xx", Change: func(_ *scene.Ledger, tx *record.Tx) error {
			return errors.Join(scene.Drop(tx.Queue, nil), scene.Edit(tx.Deliveries, nil, func(r *record.Delivery) {
				r.State, r.NextAttemptAt = affiliate.DeliveryDelivered, affiliate.Instant{}
				r.Attempts = []record.Attempt{{At: scene.Began, Status: 500}}
			}))
		}, Want: []string{"I51"}},
		{Name: "failed without an attempt", Change: func(_ *scene.Ledger, tx *record.Tx) error {
			return errors.Join(scene.Drop(tx.Queue, nil), scene.Edit(tx.Deliveries, nil, func(r *record.Delivery) {
				r.State, r.NextAttemptAt = affiliate.DeliveryFailed, affiliate.Instant{}
			}))
		}, Want: []string{"I51"}},
		{Name: "place of another object", Change: queue(func(r *record.Queue) { r.ObjectID = missing }), Want: []string{"I51"}},
		{Name: "place of another revision", Change: queue(func(r *record.Queue) { r.Revision++ }), Want: []string{"I51"}},
		{Name: "place that was tried", Change: queue(func(r *record.Queue) { r.Tried = true }), Want: []string{"I51"}},
		{Name: "place that waits since another time", Change: queue(func(r *record.Queue) { r.Since = scene.Began }), Want: []string{"I51"}},
		{Name: "due at another time", Change: delivery(func(r *record.Delivery) { r.NextAttemptAt = r.NextAttemptAt.Add(time.Second) }), Want: []string{"I51"}},
		{Name: "clearing while enabled", Change: endpoint(func(r *record.Endpoint) { r.Clearing = affiliate.DeliverySkipped }), Want: []string{"I51"}},
		{Name: "clearing to no state", Change: endpoint(func(r *record.Endpoint) {
			r.Active, r.DisabledReason, r.DisabledAt, r.Clearing = false, affiliate.DisabledManual, r.CreatedAt, affiliate.DeliveryPending
		}), Want: []string{"I51"}},
		{Name: "warned without a failure", Change: endpoint(func(r *record.Endpoint) { r.Warned = true }), Want: []string{"I51"}},
		{Name: "dead without a failure", Change: endpoint(func(r *record.Endpoint) { r.Dead = true }), Want: []string{"I51"}},
		{Name: "five in flight", Change: endpoint(func(r *record.Endpoint) {
			for i := range byte(5) {
				r.InFlight = append(r.InFlight, record.Flight{Token: uuid.UUID{1, i}, Until: scene.Began})
			}
		}), Want: []string{"I51"}},
		{Name: "two in flight under one token", Change: endpoint(func(r *record.Endpoint) {
			r.InFlight = slices.Repeat([]record.Flight{{Token: missing, Until: scene.Began}}, 2)
		}), Want: []string{"I51"}},
		{Name: "subscription to *", Change: endpoint(func(r *record.Endpoint) { r.Events = []affiliate.EventType{"*"} }), Want: []string{"I51"}},
		{Name: "disabled without a reason", Change: endpoint(func(r *record.Endpoint) { r.DisabledAt = scene.Began }), Want: []string{"I51"}},
		{Name: "no secret", Change: endpoint(func(r *record.Endpoint) { r.Secrets = nil }), Want: []string{"I51"}},
		{Name: "newest secret expires", Change: endpoint(func(r *record.Endpoint) { r.Secrets[0].ExpiresAt = scene.Began }), Want: []string{"I51"}},
		{Name: "old secret does not expire", Change: endpoint(func(r *record.Endpoint) { r.Secrets = append(r.Secrets, r.Secrets[0]) }), Want: []string{"I51"}},
		{Name: "51 endpoints", Change: func(b *scene.Ledger, tx *record.Tx) error {
			rec, err := tx.Endpoints.Get(b.Hooked.ID)
			for i := range 49 {
				rec.ID = uuid.UUID{0: 1, 15: byte(i)}
				err = errors.Join(err, tx.Endpoints.Insert(rec))
			}
			return err
		}, Want: []string{"I51"}},
	})
}

package affiliate_test

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
)

func TestVerifyEvents(t *testing.T) {
	is := func(typ affiliate.EventType) func(record.Event) bool {
		return func(r record.Event) bool { return r.Type == typ }
	}
	event := func(typ affiliate.EventType, change func(*record.Event)) func(*booksLedger, *record.Tx) error {
		return func(_ *booksLedger, tx *record.Tx) error { return booksEdit(tx.Events, is(typ), change) }
	}
	payload := func(typ affiliate.EventType, old, new string) func(*booksLedger, *record.Tx) error {
		return event(typ, func(r *record.Event) {
			r.Payload = record.PayloadOf(bytes.Replace(r.Payload.Bytes(), []byte(old), []byte(new), 1))
		})
	}
	runBooksCorruptions(t, []booksCorruption{
		{"type of another family", event(affiliate.CouponCreated, func(r *record.Event) { r.Type = affiliate.PromocodeCreated }), []string{"I47", "I49", "I51"}},
		{"unknown type", payload(affiliate.CouponCreated, "coupon.created", "coupon.made"), []string{"I49"}},
		{"number of a coupon", event(affiliate.CouponCreated, func(r *record.Event) { r.Number = 3 }), []string{"I47"}},
		{"of another object", event(affiliate.CouponCreated, func(r *record.Event) { r.ObjectID = r.ID }), []string{"I48", "I51"}},
		{"deleted body with more", payload(affiliate.SaleDeleted, `{"id":4}`, `{"id":4,"x":1}`), []string{"I48"}},
		{"deleted body of another sale", payload(affiliate.SaleDeleted, `{"id":4}`, `{"id":44}`), []string{"I48"}},
		{"created body with the id only", event(affiliate.CouponCreated, func(r *record.Event) {
			raw := r.Payload.Bytes()
			before, _, _ := bytes.Cut(raw, []byte(`,"name"`))
			r.Payload = record.PayloadOf(append(before, "}}"...))
		}), []string{"I48"}},
		{"affiliate without answers", payload(affiliate.AffiliateCreated, "questionAnswers", "answers"), []string{"I48"}},
		{"referral without affiliate", payload(affiliate.ReferralCreated, `"affiliate":`, `"person":`), []string{"I48"}},
		{"sale without commissions", payload(affiliate.SaleCreated, `"commissions":`, `"c":`), []string{"I48"}},
		{"coupon without codes", payload(affiliate.CouponCreated, "promotionalCodes", "codes"), []string{"I48"}},
		{"code without coupon", payload(affiliate.PromocodeCreated, `"coupon":`, `"parent":`), []string{"I48"}},
		{"payload of another revision", payload(affiliate.CouponCreated, `"revision":1`, `"revision":2`), []string{"I49"}},
		{"payload with other bytes in front", payload(affiliate.CouponCreated, `{"event"`, `{ "event"`), []string{"I49"}},
		{"payload cut short", payload(affiliate.CouponCreated, `"promotionalCodes":[]}}`, `"promotionalCodes":[]}`), []string{"I49"}},
		{"payload frozen for another id", func(b *booksLedger, tx *record.Tx) error {
			return booksEdit(tx.Events, is(affiliate.CouponCreated), func(r *record.Event) { r.OccurredAt = r.OccurredAt.Add(time.Second) })
		}, []string{"I49"}},
		{"gap in the revisions", func(b *booksLedger, tx *record.Tx) error {
			var id uuid.UUID
			err := booksDrop(tx.Events, func(r record.Event) bool { id = r.ID; return r.Number == 3 && r.Revision == 2 })
			return errors.Join(err, booksDropDeliveries(tx, id))
		}, []string{"I50"}},
		{"revision before the one it follows", func(b *booksLedger, tx *record.Tx) error {
			var moved record.Event
			err := booksDrop(tx.Events, func(r record.Event) bool { moved = r; return r.Number == 3 && r.Revision == 2 })
			err = errors.Join(err, booksDropDeliveries(tx, moved.ID))
			old := strings.ReplaceAll(moved.ID.String(), "-", "")
			moved.ID = uuid.UUID{0: 1, 15: 1}
			raw := strings.Replace(string(moved.Payload.Bytes()), old, strings.ReplaceAll(moved.ID.String(), "-", ""), 1)
			moved.Payload = record.PayloadOf([]byte(raw))
			return errors.Join(err, tx.Events.Insert(moved))
		}, []string{"I50"}},
		{"created with a later revision", event(affiliate.CouponCreated, func(r *record.Event) { r.Revision = 2 }), []string{"I49", "I50", "I51"}},
		{"no revision", event(affiliate.CouponCreated, func(r *record.Event) { r.Revision = 0 }), []string{"I49", "I50", "I51"}},
		{"last event is not the object's", func(b *booksLedger, tx *record.Tx) error {
			return booksEdit(tx.Coupons, nil, func(r *record.Coupon) { r.Revision++ })
		}, []string{"I50"}},
		{"more follows deleted", func(b *booksLedger, tx *record.Tx) error {
			return booksEdit(tx.Sales, booksSale(4), func(r *record.Sale) { r.Revision++ })
		}, []string{"I50"}},
		{"event at another time", event(affiliate.CouponCreated, func(r *record.Event) {
			r.OccurredAt = r.OccurredAt.Add(time.Microsecond)
		}), []string{"I49"}},
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
	delivery := func(change func(*record.Delivery)) func(*booksLedger, *record.Tx) error {
		return func(_ *booksLedger, tx *record.Tx) error { return booksEdit(tx.Deliveries, nil, change) }
	}
	endpoint := func(change func(*record.Endpoint)) func(*booksLedger, *record.Tx) error {
		return func(_ *booksLedger, tx *record.Tx) error { return booksEdit(tx.Endpoints, nil, change) }
	}
	queue := func(change func(*record.Queue)) func(*booksLedger, *record.Tx) error {
		return func(_ *booksLedger, tx *record.Tx) error { return booksEdit(tx.Queue, nil, change) }
	}
	runBooksCorruptions(t, []booksCorruption{
		{"pending without a place", func(_ *booksLedger, tx *record.Tx) error { return booksDrop(tx.Queue, nil) }, []string{"I51"}},
		{"settled with a place", delivery(func(r *record.Delivery) { r.State = affiliate.DeliveryDelivered }), []string{"I51"}},
		{"unknown state", delivery(func(r *record.Delivery) { r.State = "dead" }), []string{"I51"}},
		{"no next attempt", delivery(func(r *record.Delivery) { r.NextAttemptAt = affiliate.Instant{} }), []string{"I51"}},
		{"event missing", delivery(func(r *record.Delivery) { r.EventID = missing }), []string{"I51"}},
		{"another type", delivery(func(r *record.Delivery) { r.Type = affiliate.SaleDeleted }), []string{"I51"}},
		{"endpoint missing", func(b *booksLedger, tx *record.Tx) error { return tx.Endpoints.Delete(b.endpoint.ID) }, []string{"I51"}},
		{"place of a missing delivery", func(b *booksLedger, tx *record.Tx) error {
			return tx.Queue.Insert(record.Queue{ID: missing, DeliveryID: missing})
		}, []string{"I51"}},
		{"two deliveries of one event", func(b *booksLedger, tx *record.Tx) error {
			for d := range tx.Deliveries.List(record.Query{Limit: 1}) {
				d.ID, d.State, d.NextAttemptAt = missing, affiliate.DeliverySkipped, affiliate.Instant{}
				return tx.Deliveries.Insert(d)
			}
			return nil
		}, []string{"I51"}},
		{"delivered without a 2xx", func(_ *booksLedger, tx *record.Tx) error {
			return errors.Join(booksDrop(tx.Queue, nil), booksEdit(tx.Deliveries, nil, func(r *record.Delivery) {
				r.State, r.NextAttemptAt = affiliate.DeliveryDelivered, affiliate.Instant{}
				r.Attempts = []record.Attempt{{At: began, Status: 500}}
			}))
		}, []string{"I51"}},
		{"failed without an attempt", func(_ *booksLedger, tx *record.Tx) error {
			return errors.Join(booksDrop(tx.Queue, nil), booksEdit(tx.Deliveries, nil, func(r *record.Delivery) {
				r.State, r.NextAttemptAt = affiliate.DeliveryFailed, affiliate.Instant{}
			}))
		}, []string{"I51"}},
		{"place of another object", queue(func(r *record.Queue) { r.ObjectID = missing }), []string{"I51"}},
		{"place of another revision", queue(func(r *record.Queue) { r.Revision++ }), []string{"I51"}},
		{"place that was tried", queue(func(r *record.Queue) { r.Tried = true }), []string{"I51"}},
		{"place that waits since another time", queue(func(r *record.Queue) { r.Since = began }), []string{"I51"}},
		{"due at another time", delivery(func(r *record.Delivery) { r.NextAttemptAt = r.NextAttemptAt.Add(time.Second) }), []string{"I51"}},
		{"clearing while enabled", endpoint(func(r *record.Endpoint) { r.Clearing = affiliate.DeliverySkipped }), []string{"I51"}},
		{"clearing to no state", endpoint(func(r *record.Endpoint) {
			r.Active, r.DisabledReason, r.DisabledAt, r.Clearing = false, affiliate.DisabledManual, r.CreatedAt, affiliate.DeliveryPending
		}), []string{"I51"}},
		{"warned without a failure", endpoint(func(r *record.Endpoint) { r.Warned = true }), []string{"I51"}},
		{"dead without a failure", endpoint(func(r *record.Endpoint) { r.Dead = true }), []string{"I51"}},
		{"five in flight", endpoint(func(r *record.Endpoint) {
			for i := range byte(5) {
				r.InFlight = append(r.InFlight, record.Flight{Token: uuid.UUID{1, i}, Until: began})
			}
		}), []string{"I51"}},
		{"two in flight under one token", endpoint(func(r *record.Endpoint) {
			r.InFlight = slices.Repeat([]record.Flight{{Token: missing, Until: began}}, 2)
		}), []string{"I51"}},
		{"subscription to *", endpoint(func(r *record.Endpoint) { r.Events = []affiliate.EventType{"*"} }), []string{"I51"}},
		{"disabled without a reason", endpoint(func(r *record.Endpoint) { r.DisabledAt = began }), []string{"I51"}},
		{"no secret", endpoint(func(r *record.Endpoint) { r.Secrets = nil }), []string{"I51"}},
		{"newest secret expires", endpoint(func(r *record.Endpoint) { r.Secrets[0].ExpiresAt = began }), []string{"I51"}},
		{"old secret does not expire", endpoint(func(r *record.Endpoint) { r.Secrets = append(r.Secrets, r.Secrets[0]) }), []string{"I51"}},
		{"51 endpoints", func(b *booksLedger, tx *record.Tx) error {
			rec, err := tx.Endpoints.Get(b.endpoint.ID)
			for i := range 49 {
				rec.ID = uuid.UUID{0: 1, 15: byte(i)}
				err = errors.Join(err, tx.Endpoints.Insert(rec))
			}
			return err
		}, []string{"I51"}},
	})
}

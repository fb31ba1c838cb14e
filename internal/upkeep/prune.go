package upkeep

import (
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/engine"
	"github.com/tributary-go/tributary/internal/refusal"
)

// horizonBefore is the horizon of a PruneJob.
func horizonBefore(p *engine.Program, t time.Time) horizon {
	edge, receipts := affiliate.InstantOf(t), p.Now().Add(-engine.ReceiptLife)
	if edge.Before(receipts) {
		receipts = edge
	}
	return horizon{events: edge, receipts: receipts, deliveries: edge, payments: forgotten(p)}
}

// forgotten returns the instant before which what was parked is dropped.
func forgotten(p *engine.Program) affiliate.Instant { return p.Now().Add(-p.Cfg.PaymentMemory) }

// A horizon is the instants before which the records of each kind are deleted.
// Zero: none is.
type horizon struct{ events, receipts, deliveries, clicks, payments, holds affiliate.Instant }

func (h horizon) receiptSweep() sweep[record.Receipt] {
	return sweep[record.Receipt]{
		table: func(tx *record.Tx) record.Table[record.Receipt] { return tx.Receipts },
		goes:  func(r record.Receipt) bool { return r.CreatedAt.Before(h.receipts) },
		since: func(r record.Receipt) affiliate.Instant { return r.CreatedAt },
	}
}

func (h horizon) deliverySweep() sweep[record.Delivery] {
	return sweep[record.Delivery]{
		table: func(tx *record.Tx) record.Table[record.Delivery] { return tx.Deliveries },
		goes: func(r record.Delivery) bool {
			return r.State != affiliate.DeliveryPending && r.UpdatedAt.Before(h.deliveries)
		},
		since: func(r record.Delivery) affiliate.Instant { return r.CreatedAt },
	}
}

// eventSweep returns the sweep without its stays, which depends on the walk.
func (h horizon) eventSweep() sweep[record.Event] {
	return sweep[record.Event]{
		table: func(tx *record.Tx) record.Table[record.Event] { return tx.Events },
		goes:  func(r record.Event) bool { return r.OccurredAt.Before(h.events) },
		since: func(r record.Event) affiliate.Instant { return r.OccurredAt },
	}
}

func (h horizon) clickSweep() sweep[record.Click] {
	return sweep[record.Click]{
		table: func(tx *record.Tx) record.Table[record.Click] { return tx.Clicks },
		goes:  func(r record.Click) bool { return r.ReferralID == uuid.Nil && r.CreatedAt.Before(h.clicks) },
		since: func(r record.Click) affiliate.Instant { return r.CreatedAt },
		after: clicksPruned,
	}
}

// holdSweep deletes holds by the time until which they held, in whose order they are listed.
func (h horizon) holdSweep() sweep[record.Hold] {
	return sweep[record.Hold]{
		table: func(tx *record.Tx) record.Table[record.Hold] { return tx.Holds },
		goes:  func(r record.Hold) bool { return r.Until.Before(h.holds) },
		since: func(r record.Hold) affiliate.Instant { return r.Until },
		after: holdsDropped,
	}
}

// A sweep says which records of a table are deleted, and from which id on no
// record is.
type sweep[R record.Record[R]] struct {
	table func(*record.Tx) record.Table[R]
	goes  func(R) bool
	since func(R) affiliate.Instant // when the record was made
	young func(R) bool

	// stays clears goes for records that must stay; they must stay for ever. Nil:
	// none.
	stays func(o *engine.Op, read []R, goes []bool) error

	left  func(R) (R, bool)                  // what is left of a record that goes; false, or nil: nothing
	after func(o *engine.Op, gone []R) error // what the deletes of a transaction change; nil: nothing else
}

// A batch is some records of a table in the order of their ids.
type batch[R record.Record[R]] struct {
	after uuid.UUID // the record before it
	read  []R
	goes  []bool // of each
	over  bool   // no later record is deleted
}

// look reads a batch and decides which records are deleted.
func (s sweep[R]) look(o *engine.Op, after uuid.UUID, n int) (batch[R], error) {
	b := batch[R]{after: after}
	for rec, err := range s.table(o.Tx).List(record.Query{After: after, Limit: n}) {
		if err != nil {
			return b, refusal.Internal("prune", err)
		}
		if s.young(rec) {
			b.over = true
			break
		}
		b.read = append(b.read, rec)
		b.goes = append(b.goes, s.goes(rec))
	}
	b.over = b.over || len(b.read) < n
	if s.stays != nil {
		if err := s.stays(o, b.read, b.goes); err != nil {
			return b, refusal.Internal("prune", err)
		}
	}
	return b, nil
}

// remove deletes the wanted records among limit records after an id.
func (s sweep[R]) remove(o *engine.Op, wanted map[uuid.UUID]bool, from uuid.UUID, limit int) (int, error) {
	var gone []R
	for rec, err := range s.table(o.Tx).List(record.Query{After: from, Limit: limit}) {
		if err != nil {
			return 0, refusal.Internal("prune", err)
		}
		if !wanted[rec.RecordID()] || !s.goes(rec) {
			continue
		}
		went, err := s.drop(o, rec)
		if err != nil {
			return 0, refusal.Internal("prune", err)
		}
		if went {
			gone = append(gone, rec)
		}
	}
	if s.after != nil {
		if err := s.after(o, gone); err != nil {
			return 0, refusal.Internal("prune", err)
		}
	}
	return len(gone), nil
}

// drop deletes a record, or leaves what is left of it, and reports whether it is gone.
func (s sweep[R]) drop(o *engine.Op, rec R) (gone bool, err error) {
	if s.left != nil {
		if rest, ok := s.left(rec); ok {
			return false, s.table(o.Tx).Replace(rest)
		}
	}
	return true, s.table(o.Tx).Delete(rec.RecordID())
}

// wanted returns the ids to delete, and the part of the table with them: limit
// records after the id from.
func (b *batch[R]) wanted() (ids map[uuid.UUID]bool, from uuid.UUID, limit int) {
	ids = make(map[uuid.UUID]bool, len(b.read))
	from, last, first := b.after, b.after, 0
	for i, rec := range b.read {
		id := rec.RecordID()
		if b.goes[i] {
			if len(ids) == 0 {
				from, first = last, i
			}
			ids[id] = true
			limit = i - first + 1
		}
		last = id
	}
	return ids, from, limit
}

// objectSet is the set of objects of which an event was kept. Events are walked in
// the order in which they happened, so later events of such an object stay too.
type objectSet map[uuid.UUID]bool

// stay keeps the events with a delivery and the later events of their objects.
// An event without a delivery never gets one, because deliveries are written
// together with their event.
func (k objectSet) stay(o *engine.Op, read []record.Event, goes []bool) error {
	here := make(map[uuid.UUID]bool)
	any, err := engine.Holds(o.Tx.Deliveries, record.Key{})
	if err != nil {
		return err
	}
	for i, rec := range read {
		if goes[i] && (k[rec.ObjectID] || here[rec.ObjectID]) {
			goes[i] = false
		}
		if goes[i] && any {
			has, err := engine.Holds(o.Tx.Deliveries, record.Key{Index: record.OfEvent, ID: rec.ID})
			if err != nil {
				return err
			}
			goes[i] = !has
		}
		if !goes[i] {
			here[rec.ObjectID] = true
		}
	}
	return nil
}

// behind is the horizon of a policy at an instant.
func behind(p *engine.Program, r affiliate.Retention, now affiliate.Instant) horizon {
	return horizon{
		payments: now.Add(-p.Cfg.PaymentMemory),
		events:   ago(now, r.Events), receipts: ago(now, r.Receipts),
		deliveries: ago(now, r.Deliveries), clicks: ago(now, r.Clicks), holds: ago(now, r.Holds),
	}
}

// ago returns the instant an age before now; zero for none.
func ago(now affiliate.Instant, age time.Duration) affiliate.Instant {
	if age == 0 {
		return affiliate.Instant{}
	}
	return now.Add(-age)
}

// clicksPruned keeps deleted clicks in the totals of their links and affiliates.
func clicksPruned(o *engine.Op, gone []record.Click) error {
	n := make(map[uuid.UUID]int64)
	var owners []uuid.UUID
	for i := range gone {
		for _, owner := range [...]uuid.UUID{gone[i].LinkID, gone[i].AffiliateID} {
			if n[owner]++; n[owner] == 1 {
				owners = append(owners, owner)
			}
		}
	}
	for _, owner := range owners {
		if err := o.Count(owner, engine.Tally{Pruned: n[owner]}); err != nil {
			return err
		}
	}
	return nil
}

// holdsDropped gives the places of deleted holds back that lapsed and that nobody took.
func holdsDropped(o *engine.Op, gone []record.Hold) error {
	for i := range gone {
		if gone[i].State != affiliate.HoldHeld {
			continue
		}
		if err := o.Unplace(&gone[i]); err != nil {
			return err
		}
	}
	return nil
}

// paymentSweep deletes payments that never had a sale, with their keys. What a payment with a sale
// waits for, its payer's
// email or first payment, comes no more: the sale stays as it is.
func (h horizon) paymentSweep() sweep[record.Payment] {
	return sweep[record.Payment]{
		table: func(tx *record.Tx) record.Table[record.Payment] { return tx.Payments },
		goes: func(r record.Payment) bool {
			return (r.Sale == uuid.Nil || len(r.Waiting) > 0) && r.Conflict == uuid.Nil &&
				r.UpdatedAt.Before(h.payments)
		},
		left: func(r record.Payment) (record.Payment, bool) {
			r.Waiting = nil
			return r, r.Sale != uuid.Nil
		},
		since: func(r record.Payment) affiliate.Instant { return r.CreatedAt },
		after: func(o *engine.Op, gone []record.Payment) error {
			for i := range gone {
				if err := dropKeys(o, gone[i].ID); err != nil {
					return err
				}
			}
			return nil
		},
	}
}

// dropKeys removes the keys of a payment that is gone.
func dropKeys(o *engine.Op, payment uuid.UUID) error {
	return engine.Each(o.Tx.PaymentKeys, record.Key{Index: record.OfPayment, ID: payment}, func(key record.PaymentKey) error {
		return o.Tx.PaymentKeys.Delete(key.ID)
	})
}

// payerSweep deletes payers who never paid for a referral.
func (h horizon) payerSweep() sweep[record.Payer] {
	return sweep[record.Payer]{
		table: func(tx *record.Tx) record.Table[record.Payer] { return tx.Payers },
		goes:  func(r record.Payer) bool { return r.ReferralID == uuid.Nil && r.UpdatedAt.Before(h.payments) },
		since: func(r record.Payer) affiliate.Instant { return r.CreatedAt },
	}
}

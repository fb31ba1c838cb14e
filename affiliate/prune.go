package affiliate

import (
	"context"
	"time"

	"github.com/google/uuid"
)

// pruneBatch is how many records Prune handles together. It limits the work of
// one transaction, and so how long a sale may wait for it.
const pruneBatch = 128

// Prune deletes records that are older than before: receipts (never those
// younger than 24 hours), settled deliveries, by the time when they were
// settled, and events without deliveries. Payments without a sale, and payers
// without a referral, go after Config.PaymentMemory instead. It returns how many
// records it deleted, also when it ended with an error. [Program.Retain] has an age for
// each kind, and deletes clicks too; it says how both work.
//
// Errors: those of the store.
//
// Effects: the deleted records; no event.
//
// Concurrency: several calls at once delete each record once, and each call
// counts its own deletes.
//
// Source: ours, because every event, delivery and receipt is a record.
func (p *Program) Prune(ctx context.Context, before time.Time) (_ int, err error) {
	defer p.begin(&ctx, "Prune", writes).end(&err)
	o := p.op(ctx)
	rq := request{name: "prune", input: before}
	return writeAround(o, rq, nil, func() (int, error) {
		r, err := p.prune(ctx, p.before(before))
		return int(r.Events + r.Receipts + r.Deliveries + r.Payments), err
	})
}

// before is the horizon of [Program.Prune].
func (p *Program) before(t time.Time) horizon {
	edge, receipts := InstantOf(t), p.now().Add(-receiptLife)
	if edge.Before(receipts) {
		receipts = edge
	}
	return horizon{events: edge, receipts: receipts, deliveries: edge, payments: p.forgotten()}
}

// forgotten is the instant before which what was parked is dropped.
func (p *Program) forgotten() Instant { return p.now().Add(-p.cfg.PaymentMemory) }

// A horizon is the instants before which the records of each kind are deleted.
// Zero: none is.
type horizon struct{ events, receipts, deliveries, clicks, payments Instant }

// prune deletes what is behind the horizon: deliveries before the events that
// they keep.
func (p *Program) prune(ctx context.Context, h horizon) (gone Retained, err error) {
	kept := make(keptObjects)
	events := h.eventSweep()
	events.stays, events.done = kept.stay, kept.note
	for _, step := range []func() error{
		sweeps(ctx, p, &gone.Receipts, h.receipts, h.receiptSweep()),
		sweeps(ctx, p, &gone.Deliveries, h.deliveries, h.deliverySweep()),
		sweeps(ctx, p, &gone.Events, h.events, events),
		sweeps(ctx, p, &gone.Clicks, h.clicks, h.clickSweep()),
		sweeps(ctx, p, &gone.Payments, h.payments, h.paymentSweep()),
		sweeps(ctx, p, &gone.Payments, h.payments, h.payerSweep()),
	} {
		if err := step(); err != nil {
			return gone, err
		}
	}
	return gone, nil
}

func (h horizon) receiptSweep() sweep[ReceiptRecord] {
	return sweep[ReceiptRecord]{
		table: func(tx *Tx) Table[ReceiptRecord] { return tx.Receipts },
		goes:  func(r ReceiptRecord) bool { return r.CreatedAt.Before(h.receipts) },
		since: func(r ReceiptRecord) Instant { return r.CreatedAt },
	}
}

func (h horizon) deliverySweep() sweep[DeliveryRecord] {
	return sweep[DeliveryRecord]{
		table: func(tx *Tx) Table[DeliveryRecord] { return tx.Deliveries },
		goes:  func(r DeliveryRecord) bool { return r.State != DeliveryPending && r.UpdatedAt.Before(h.deliveries) },
		since: func(r DeliveryRecord) Instant { return r.CreatedAt },
	}
}

// eventSweep is without what stays, which depends on the walk.
func (h horizon) eventSweep() sweep[EventRecord] {
	return sweep[EventRecord]{
		table: func(tx *Tx) Table[EventRecord] { return tx.Events },
		goes:  func(r EventRecord) bool { return r.OccurredAt.Before(h.events) },
		since: func(r EventRecord) Instant { return r.OccurredAt },
	}
}

func (h horizon) clickSweep() sweep[ClickRecord] {
	return sweep[ClickRecord]{
		table: func(tx *Tx) Table[ClickRecord] { return tx.Clicks },
		goes:  func(r ClickRecord) bool { return r.ReferralID == uuid.Nil && r.CreatedAt.Before(h.clicks) },
		since: func(r ClickRecord) Instant { return r.CreatedAt },
		after: (*op).clicksPruned,
	}
}

// sweeps is a sweep that adds what it deletes to a count, and does nothing when
// the horizon is zero.
func sweeps[R Record[R]](ctx context.Context, p *Program, gone *int64, horizon Instant, s sweep[R]) func() error {
	return func() error {
		if horizon.IsZero() {
			return nil
		}
		s.young = func(r R) bool { return s.since(r).After(horizon.Add(clockSlack)) }
		n, err := prune(ctx, p, s)
		*gone += int64(n)
		return err
	}
}

// A sweep says which records of a table are deleted, and from which id on no
// record is.
type sweep[R Record[R]] struct {
	table func(*Tx) Table[R]
	goes  func(R) bool
	since func(R) Instant // when the record was made
	young func(R) bool

	// stays clears goes for records that must stay; they must stay for ever.
	// Nil: none.
	stays func(o *op, read []R, goes []bool) error
	done  func(b batch[R]) // called with each batch; nil: not called

	after func(o *op, gone []R) error // what the deletes of a transaction change; nil: nothing else
}

// A batch is some records of a table in the order of their ids.
type batch[R Record[R]] struct {
	after uuid.UUID // the record before it
	read  []R
	goes  []bool // of each
	over  bool   // no later record is deleted
}

// prune walks a table batch by batch. It reads a batch in a View, which delays
// nobody, and opens a transaction only when something must be deleted.
func prune[R Record[R]](ctx context.Context, p *Program, s sweep[R]) (dropped int, err error) {
	var after uuid.UUID
	for {
		b, err := view(ctx, p, func(o *op) (batch[R], error) { return s.look(o, after, pruneBatch) })
		if err != nil {
			return dropped, err
		}
		n, err := s.drop(p.op(ctx), b)
		dropped += n
		if err != nil || b.over {
			return dropped, err
		}
		if s.done != nil {
			s.done(b)
		}
		after = b.read[len(b.read)-1].RecordID()
	}
}

// look reads a batch and decides which records are deleted.
func (s sweep[R]) look(o *op, after uuid.UUID, n int) (batch[R], error) {
	b := batch[R]{after: after}
	for rec, err := range s.table(o.tx).List(Query{After: after, Limit: n}) {
		if err != nil {
			return b, internal("prune", err)
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
			return b, internal("prune", err)
		}
	}
	return b, nil
}

// drop deletes the chosen records of a batch if they still exist and may still
// be deleted. It lists the records again, because a store reads a list at once
// but single records one by one.
func (s sweep[R]) drop(o *op, b batch[R]) (int, error) {
	wanted, from, limit := b.wanted()
	if len(wanted) == 0 {
		return 0, nil
	}
	return update(o, func() (int, error) { return s.remove(o, wanted, from, limit) })
}

// remove deletes the wanted records among limit records after an id.
func (s sweep[R]) remove(o *op, wanted map[uuid.UUID]bool, from uuid.UUID, limit int) (int, error) {
	var gone []R
	for rec, err := range s.table(o.tx).List(Query{After: from, Limit: limit}) {
		if err != nil {
			return 0, internal("prune", err)
		}
		if !wanted[rec.RecordID()] || !s.goes(rec) {
			continue
		}
		if err := s.table(o.tx).Delete(rec.RecordID()); err != nil {
			return 0, internal("prune", err)
		}
		gone = append(gone, rec)
	}
	if s.after != nil {
		if err := s.after(o, gone); err != nil {
			return 0, internal("prune", err)
		}
	}
	return len(gone), nil
}

// wanted is the ids to delete, and the part of the table with them: limit
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

// keptObjects are the objects of which an event was kept. Events are walked in
// the order in which they happened, so later events of such an object stay too.
type keptObjects map[uuid.UUID]bool

// stay keeps the events with a delivery and the later events of their objects.
// An event without a delivery never gets one, because deliveries are written
// together with their event.
func (k keptObjects) stay(o *op, read []EventRecord, goes []bool) error {
	here := make(map[uuid.UUID]bool)
	any, err := holds(o.tx.Deliveries, Key{})
	if err != nil {
		return err
	}
	for i, rec := range read {
		if goes[i] && (k[rec.ObjectID] || here[rec.ObjectID]) {
			goes[i] = false
		}
		if goes[i] && any {
			has, err := holds(o.tx.Deliveries, Key{Index: OfEvent, ID: rec.ID})
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

// note remembers the objects of which a batch kept an event.
func (k keptObjects) note(b batch[EventRecord]) {
	for i, rec := range b.read {
		if !b.goes[i] {
			k[rec.ObjectID] = true
		}
	}
}

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
// settled, and events without deliveries. It deletes the oldest events of an
// object first, so that the remaining ones have no gap. It returns how many
// records it deleted.
//
// It searches in Views, and deletes in transactions of at most 128 records, so
// it locks the program only for a few milliseconds at a time. After an error,
// the deletes of earlier transactions remain: call it again. The engine never
// calls it; the host should, about once a day.
//
// Errors: those of the store.
//
// Effects: the deleted records; no event.
//
// Concurrency: several calls at once delete each record once, and each call
// counts its own deletes.
//
// Source: ours, because every event, delivery and receipt is a record.
func (p *Program) Prune(ctx context.Context, before time.Time) (int, error) {
	rq := request{name: "prune", input: before}
	return writeAround(p.op(ctx), rq, nil, func() (int, error) { return p.prune(ctx, InstantOf(before)) })
}

func (p *Program) prune(ctx context.Context, before Instant) (int, error) {
	expired := p.now().Add(-receiptLife)
	if before.Before(expired) {
		expired = before
	}
	edge := before.Add(clockSlack)
	receipts, err := prune(ctx, p, sweep[ReceiptRecord]{
		table: func(tx *Tx) Table[ReceiptRecord] { return tx.Receipts },
		goes:  func(r ReceiptRecord) bool { return r.CreatedAt.Before(expired) },
		young: func(r ReceiptRecord) bool { return r.CreatedAt.After(edge) },
	})
	if err != nil {
		return receipts, err
	}
	deliveries, err := prune(ctx, p, sweep[DeliveryRecord]{
		table: func(tx *Tx) Table[DeliveryRecord] { return tx.Deliveries },
		goes:  func(r DeliveryRecord) bool { return r.State != DeliveryPending && r.UpdatedAt.Before(before) },
		young: func(r DeliveryRecord) bool { return r.CreatedAt.After(edge) },
	})
	if err != nil {
		return receipts + deliveries, err
	}
	kept := make(keptObjects)
	events, err := prune(ctx, p, sweep[EventRecord]{
		table: func(tx *Tx) Table[EventRecord] { return tx.Events },
		goes:  func(r EventRecord) bool { return r.OccurredAt.Before(before) },
		young: func(r EventRecord) bool { return r.OccurredAt.After(edge) },
		stays: kept.stay,
		done:  kept.note,
	})
	return receipts + deliveries + events, err
}

// A sweep says which records of a table are deleted, and from which id on no
// record is.
type sweep[R Record[R]] struct {
	table func(*Tx) Table[R]
	goes  func(R) bool
	young func(R) bool

	// stays clears goes for records that must stay; they must stay for ever.
	// Nil: none.
	stays func(o *op, read []R, goes []bool) error
	done  func(b batch[R]) // called with each batch; nil: not called
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
		b, err := view(ctx, p, func(o *op) (batch[R], error) { return s.look(o, after) })
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
func (s sweep[R]) look(o *op, after uuid.UUID) (batch[R], error) {
	b := batch[R]{after: after}
	for rec, err := range s.table(o.tx).List(Query{After: after, Limit: pruneBatch}) {
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
	b.over = b.over || len(b.read) < pruneBatch
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
	return update(o, func() (int, error) {
		n := 0
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
			n++
		}
		return n, nil
	})
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

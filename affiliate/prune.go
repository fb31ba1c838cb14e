package affiliate

import (
	"context"
	"time"

	"github.com/google/uuid"
)

// pruneBatch is how many records Prune looks at together. It bounds what one
// transaction reads and drops, and so how long a sale may have to wait for it.
const pruneBatch = 128

// Prune drops what is kept for a while only and is older than before: receipts
// (never those younger than 24 hours), settled deliveries, by the time they
// were settled, and events that have no delivery left. Of each object it drops
// the oldest events first, so that what is kept has no gap. It returns how many
// records it dropped.
//
// It looks for what goes in Views, and drops it in transactions of at most 128
// records, so that it holds the program for a few milliseconds at a time, however
// much there is. After an error, what earlier transactions dropped stays
// dropped: call it again. Nothing calls it but the host, once a day or so.
//
// Errors: those of the store.
//
// Effects: the records that are dropped; no event.
//
// Concurrency: several calls at once drop each record once, and each counts its
// own.
//
// Source: ours, because every event, delivery and receipt is a record.
func (p *Program) Prune(ctx context.Context, before time.Time) (int, error) {
	rq := request{name: "prune", input: before}
	return writeAround(p.op(ctx), rq, nil, func() (int, error) { return p.prune(ctx, before) })
}

func (p *Program) prune(ctx context.Context, before time.Time) (int, error) {
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

// A sweep says what goes from a table, and from which record on, by id, nothing
// does.
type sweep[R Record[R]] struct {
	table func(*Tx) Table[R]
	goes  func(R) bool
	young func(R) bool

	// stays tells which of the records that would go stay after all. What it says
	// holds for good. Nil: none does.
	stays func(o *op, read []R, goes []bool) error
	done  func(b batch[R]) // is told of each batch; nil: nobody is
}

// A batch is some records of a table in the order of their ids.
type batch[R Record[R]] struct {
	after uuid.UUID // the record before it
	read  []R
	goes  []bool // of each
	over  bool   // nothing behind it goes
}

// prune walks a table batch by batch: it looks at one in a View, which holds up
// nobody, and opens a transaction when something in it goes.
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

// look reads a batch and decides what goes of it.
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

// drop deletes what goes of a batch, as far as it is still there and still goes.
// It lists the records again, because a store reads a list at once and single
// records one by one.
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

// wanted is what goes of a batch, and the part of the table that it stands in:
// so many records from one on.
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
// the order in which they happened, so whatever comes later of such an object
// stays too.
type keptObjects map[uuid.UUID]bool

// stay keeps the events that have a delivery and those behind them. A delivery
// is written with its event, so one that has none gets none.
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

// note remembers the objects of which a batch kept something.
func (k keptObjects) note(b batch[EventRecord]) {
	for i, rec := range b.read {
		if !b.goes[i] {
			k[rec.ObjectID] = true
		}
	}
}

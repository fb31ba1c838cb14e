package affiliate

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/google/uuid"
)

// pruneBatch is how many records one transaction of Prune looks at.
const pruneBatch = 1000

// Prune drops what is kept for a while only and is older than before: receipts
// (never those younger than 24 hours), settled deliveries, by the time they
// were settled, and events that have no delivery left. Of each object it drops
// the oldest events first, so that what is kept has no gap. It returns how many
// records it dropped.
//
// It works in transactions of about 1,000 records each, so that it holds the
// program for a short time; only the events of one object are dealt with
// together. After an error, what earlier transactions dropped stays dropped:
// call it again.
//
// Errors: those of the store.
//
// Effects: the records that are dropped; no event.
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
	events, err := p.pruneEvents(ctx, before)
	return receipts + deliveries + events, err
}

// A sweep says what goes from a table, and from which record on, by id, nothing
// does.
type sweep[R Record[R]] struct {
	table func(*Tx) Table[R]
	goes  func(R) bool
	young func(R) bool
}

// A batch is what one transaction did.
type batch struct {
	dropped int
	last    uuid.UUID // the record it ended at
	over    bool
	done    []uuid.UUID // objects whose events were dealt with
}

func prune[R Record[R]](ctx context.Context, p *Program, s sweep[R]) (int, error) {
	dropped := 0
	var after uuid.UUID
	for {
		o := p.op(ctx)
		b, err := update(o, func() (batch, error) {
			b, seen := batch{over: true}, 0
			for rec, err := range s.table(o.tx).List(Query{After: after}) {
				if err != nil {
					return b, internal("prune", err)
				}
				if s.young(rec) {
					return b, nil
				}
				if seen++; seen > pruneBatch {
					b.over = false
					return b, nil
				}
				b.last = rec.RecordID()
				if !s.goes(rec) {
					continue
				}
				if err := s.table(o.tx).Delete(b.last); err != nil {
					return b, internal("prune", err)
				}
				b.dropped++
			}
			return b, nil
		})
		dropped += b.dropped
		if err != nil || b.over {
			return dropped, err
		}
		after = b.last
	}
}

// pruneEvents walks the old events and deals with each object that it meets
// once.
func (p *Program) pruneEvents(ctx context.Context, before time.Time) (int, error) {
	dropped, done := 0, map[uuid.UUID]bool{}
	var after uuid.UUID
	for {
		o := p.op(ctx)
		b, err := update(o, func() (batch, error) { return o.pruneObjects(before, after, done) })
		if err != nil {
			return dropped, err
		}
		dropped += b.dropped
		if b.over {
			return dropped, nil
		}
		after = b.last
		for _, id := range b.done {
			done[id] = true
		}
	}
}

// pruneObjects is one transaction of pruneEvents.
func (o *op) pruneObjects(before time.Time, after uuid.UUID, done map[uuid.UUID]bool) (batch, error) {
	b, seen, here := batch{over: true}, 0, map[uuid.UUID]bool{}
	for rec, err := range o.tx.Events.List(Query{After: after}) {
		if err != nil {
			return b, internal("prune events", err)
		}
		if rec.OccurredAt.After(before.Add(clockSlack)) {
			return b, nil
		}
		if seen++; seen > pruneBatch || b.dropped >= pruneBatch {
			b.over = false
			return b, nil
		}
		b.last = rec.ID
		if done[rec.ObjectID] || here[rec.ObjectID] || !rec.OccurredAt.Before(before) {
			continue
		}
		n, err := o.pruneObject(rec.ObjectID, before)
		if err != nil {
			return b, internal("prune events", err)
		}
		b.dropped += n
		b.done = append(b.done, rec.ObjectID)
		here[rec.ObjectID] = true
	}
	return b, nil
}

// pruneObject drops the events of an object from its first one on, up to the
// one that is young or has a delivery.
func (o *op) pruneObject(object uuid.UUID, before time.Time) (int, error) {
	var events []EventRecord
	for rec, err := range o.tx.Events.List(Query{Key: Key{Index: OfObject, ID: object}}) {
		if err != nil {
			return 0, err
		}
		events = append(events, rec)
	}
	slices.SortFunc(events, func(x, y EventRecord) int { return cmp.Compare(x.Revision, y.Revision) })
	for n, rec := range events {
		delivered, err := o.hasDelivery(rec.ID)
		if err != nil || delivered || !rec.OccurredAt.Before(before) {
			return n, err
		}
		if err := o.tx.Events.Delete(rec.ID); err != nil {
			return n, err
		}
	}
	return len(events), nil
}

func (o *op) hasDelivery(event uuid.UUID) (bool, error) {
	for _, err := range o.tx.Deliveries.List(Query{Key: Key{Index: OfEvent, ID: event}, Limit: 1}) {
		return err == nil, err
	}
	return false, nil
}

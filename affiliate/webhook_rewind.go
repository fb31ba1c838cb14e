package affiliate

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"
)

// The end of a wait is stored as a time, so a clock that goes back would make
// the wait longer. Each endpoint stores the latest time from which a wait was
// counted. When that is in the future, the clock has gone back, and the later
// entries of the queue are queued again: they wait from now for the length of
// their original wait.

const (
	clockSkew   = 15 * time.Second // by which the clocks of processes may differ, and no more
	rewindBatch = 250              // entries of the queue that one transaction looks at
)

// errWentBack ends a claim that has to wait for rewind.
var errWentBack = errors.New("affiliate: the clock has gone back")

// ahead reports whether a moment can only be of a clock that has gone back since.
func ahead(moment, now Instant) bool { return moment.After(now.Add(clockSkew)) }

// wentBack reports whether the clock has gone back since something was done for
// the endpoint.
func (r *EndpointRecord) wentBack(now Instant) bool { return ahead(r.WorkedAt, now) }

// rewind puts in line again what the clock put off, a part in each transaction.
func (p *Program) rewind(ctx context.Context) error {
	now := p.now()
	ids, err := view(ctx, p, func(o *op) ([]uuid.UUID, error) {
		endpoints, err := gather(o.tx.Endpoints, Query{})
		if err != nil {
			return nil, internal("read endpoints", err)
		}
		var ids []uuid.UUID
		for _, ep := range endpoints {
			if ep.wentBack(now) {
				ids = append(ids, ep.ID)
			}
		}
		return ids, nil
	})
	for _, id := range ids {
		var after uuid.UUID
		for more := true; more && err == nil; more = after != uuid.Nil {
			o := p.op(ctx)
			after, err = update(o, func() (uuid.UUID, error) { return o.rewindSome(id, after) })
		}
	}
	return err
}

// rewindSome is one transaction of rewind. It returns the entry that it ended
// at; zero: that was the last one.
func (o *op) rewindSome(endpoint, after uuid.UUID) (uuid.UUID, error) {
	ep, err := o.tx.Endpoints.Get(endpoint)
	if errors.Is(err, ErrNotFound) || err == nil && !ep.wentBack(o.now) {
		return uuid.Nil, nil
	}
	if err != nil {
		return uuid.Nil, internal("read endpoint", err)
	}
	n := 0
	for q, err := range o.tx.Queue.List(Query{Key: Key{Index: OfEndpoint, ID: endpoint}, After: after, Limit: rewindBatch}) {
		if err != nil {
			return uuid.Nil, internal("list queue", err)
		}
		if q.prompt() {
			break
		}
		if n++; ahead(q.Since, o.now) {
			if err := o.waitAnew(q); err != nil {
				return uuid.Nil, internal("move in queue", err)
			}
		}
		after = q.ID
	}
	if n == rewindBatch {
		return after, nil
	}
	for i, f := range ep.InFlight {
		if ahead(f.Since, o.now) {
			ep.InFlight[i].Since, ep.InFlight[i].Until = o.now, wholeMillis(o.now.Add(f.Until.Sub(f.Since)))
		}
	}
	ep.PausedUntil, ep.WorkedAt = Instant{}, o.now // one that is still busy says so again
	if err := o.tx.Endpoints.Replace(ep); err != nil {
		return uuid.Nil, internal("store endpoint", err)
	}
	return uuid.Nil, nil
}

// waitAnew lets an entry of the queue wait from now.
func (o *op) waitAnew(q QueueRecord) error {
	from, due := q.ID, wholeMillis(o.now.Add(q.due().Sub(q.Since)))
	q.ID, q.Since = o.queueID(due), o.now
	if q.Token == uuid.Nil {
		d, err := o.tx.Deliveries.Get(q.DeliveryID)
		if err != nil {
			return err
		}
		d.NextAttemptAt = due
		if err := o.tx.Deliveries.Replace(d); err != nil {
			return err
		}
	}
	return o.requeue(from, q)
}

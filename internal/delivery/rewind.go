package delivery

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/engine"
	"github.com/tributary-go/tributary/internal/refusal"
)

// The end of a wait is stored as a time, so a clock that goes back would make the
// wait longer. Each endpoint stores the latest time from which a wait was
// counted. When that is in the future, the clock has gone back, and the later
// entries of the queue are queued again: they wait from now for the length of
// their original wait.

const (
	clockSkew   = 15 * time.Second // the largest difference between the clocks of processes
	rewindBatch = 250              // entries of the queue that one transaction looks at
)

// errWentBack ends a claim that has to wait for rewind.
var errWentBack = errors.New("affiliate: the clock has gone back")

// ahead reports whether a moment can only be of a clock that has gone back since.
func ahead(moment, now affiliate.Instant) bool { return moment.After(now.Add(clockSkew)) }

// wentBack reports whether the clock has gone back since something was done for
// the endpoint.
func wentBack(r *record.Endpoint, now affiliate.Instant) bool { return ahead(r.WorkedAt, now) }

// rewind queues again what the clock has delayed, a part in each transaction.
func rewind(ctx context.Context, p *engine.Program) error {
	now := p.Now()
	ids, err := engine.View(ctx, p, func(o *engine.Op) ([]uuid.UUID, error) {
		endpoints, err := engine.Gather(o.Tx.Endpoints, record.Query{})
		if err != nil {
			return nil, refusal.Internal("read endpoints", err)
		}
		var ids []uuid.UUID
		for _, ep := range endpoints {
			if wentBack(&ep, now) {
				ids = append(ids, ep.ID)
			}
		}
		return ids, nil
	})
	for _, id := range ids {
		var after uuid.UUID
		for more := true; more && err == nil; more = after != uuid.Nil {
			o := p.Op(ctx)
			after, err = engine.Update(o, func() (uuid.UUID, error) { return rewindSome(o, id, after) })
		}
	}
	return err
}

// rewindSome is one transaction of rewind. It returns the entry that it ended
// at; zero: that was the last one.
func rewindSome(o *engine.Op, endpoint, after uuid.UUID) (uuid.UUID, error) {
	ep, err := o.Tx.Endpoints.Get(endpoint)
	if errors.Is(err, affiliate.ErrNotFound) || err == nil && !wentBack(&ep, o.Now) {
		return uuid.Nil, nil
	}
	if err != nil {
		return uuid.Nil, refusal.Internal("read endpoint", err)
	}
	n := 0
	for q, err := range o.Tx.Queue.List(record.Query{Key: record.Key{Index: record.OfEndpoint, ID: endpoint}, After: after, Limit: rewindBatch}) {
		if err != nil {
			return uuid.Nil, refusal.Internal("list queue", err)
		}
		if Prompt(q) {
			break
		}
		if n++; ahead(q.Since, o.Now) {
			if err := waitAnew(o, q); err != nil {
				return uuid.Nil, refusal.Internal("move in queue", err)
			}
		}
		after = q.ID
	}
	if n == rewindBatch {
		return after, nil
	}
	for i, f := range ep.InFlight {
		if ahead(f.Since, o.Now) {
			ep.InFlight[i].Since, ep.InFlight[i].Until = o.Now, wholeMillis(o.Now.Add(f.Until.Sub(f.Since)))
		}
	}
	ep.PausedUntil, ep.WorkedAt = affiliate.Instant{}, o.Now // one that is still busy says so again
	if err := o.Tx.Endpoints.Replace(ep); err != nil {
		return uuid.Nil, refusal.Internal("store endpoint", err)
	}
	return uuid.Nil, nil
}

// waitAnew lets an entry of the queue wait from now.
func waitAnew(o *engine.Op, q record.Queue) error {
	from, due := q.ID, wholeMillis(o.Now.Add(engine.DueAt(q).Sub(q.Since)))
	q.ID, q.Since = o.QueueID(due), o.Now
	if q.Token == uuid.Nil {
		d, err := o.Tx.Deliveries.Get(q.DeliveryID)
		if err != nil {
			return err
		}
		d.NextAttemptAt = due
		if err := o.Tx.Deliveries.Replace(d); err != nil {
			return err
		}
	}
	return requeue(o, from, q)
}

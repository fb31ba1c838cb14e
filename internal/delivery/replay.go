package delivery

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/engine"
	"github.com/tributary-go/tributary/internal/refusal"
)

const (
	replayAge    = 14 * 24 * time.Hour
	replayMax    = 10_000
	replayBatch  = 20  // deliveries of one transaction
	replayLook   = 500 // of one look for them
	replayEvents = 50  // whose events are read together: payloads may be large
)

// Replay implements tributary.Webhooks.Replay.
func Replay(ctx context.Context, p *engine.Program, in affiliate.ReplayRange) (_ int, err error) {
	defer p.Begin(&ctx, "Replay", engine.Writes).End(&err)
	o := p.Op(ctx)
	rq := engine.Request{Once: in.Once, Name: "webhook.replay", Input: in,
		Refused: refusal.First(checkReplay(p, in, o.Now)...)}
	if in.DeliveryID == uuid.Nil {
		return replayRange(p, o, rq, in)
	}
	return engine.Write(o, rq, func() (int, error) { return replayOne(o, in.DeliveryID) })
}

// checkReplay lists what is wrong with a range, in the contract's order.
func checkReplay(p *engine.Program, in affiliate.ReplayRange, now affiliate.Instant) []*affiliate.Error {
	if in.DeliveryID != uuid.Nil {
		return nil
	}
	if _, given := in.Since.Get(); in.WebhookID == uuid.Nil || !given {
		return []*affiliate.Error{refusal.ReplayTargetRequired.Err()}
	}
	errs := []*affiliate.Error{
		refusal.FieldNotADate.About("since").When(!p.ValidDate(in.Since)),
		refusal.FieldNotADate.About("until").When(!p.ValidDate(in.Until)),
	}
	if errs[0] == nil && p.FirstInstant(in.Since).Before(now.Add(-replayAge)) {
		errs[0] = refusal.SinceTooOld.Err()
	}
	return errs
}

func replayOne(o *engine.Op, id uuid.UUID) (int, error) {
	d, err := o.Tx.Deliveries.Get(id)
	if err != nil {
		return 0, refusal.DeliveryNotFound.IfMissing(err)
	}
	event, sendable, err := sendable(o, &d)
	if err != nil {
		return 0, err
	}
	if !sendable {
		return 0, refusal.DeliveryNotFound.Err()
	}
	if err := replayNow(o, d.EndpointID); err != nil {
		return 0, err
	}
	q, due, err := again(o, d, &event)
	if err == nil && due {
		err = enqueue(o, []record.Queue{q})
	}
	return 1, err
}

// replayTo refuses an endpoint that is disabled.
func replayTo(o *engine.Op, id uuid.UUID) (record.Endpoint, error) {
	ep, err := endpoint(o, id)
	if err == nil && !ep.Active {
		err = refusal.WebhookDisabled.Err()
	}
	return ep, err
}

// replayNow is replayTo, and stores with the endpoint that something was queued
// for it.
func replayNow(o *engine.Op, id uuid.UUID) error {
	ep, err := replayTo(o, id)
	if err != nil {
		return err
	}
	ep.WorkedAt = engine.Later(o.Now, ep.WorkedAt)
	return o.Tx.Endpoints.Replace(ep)
}

// sendable returns the event of a delivery, and whether it still has its payload.
func sendable(o *engine.Op, d *record.Delivery) (record.Event, bool, error) {
	event, err := o.Tx.Events.Get(d.EventID)
	if err != nil && !errors.Is(err, affiliate.ErrNotFound) {
		return event, false, refusal.Internal("read event", err)
	}
	return event, !event.Payload.IsZero(), nil
}

// replayRange replays what failed or was skipped in a range: all but the last
// batch before the write, and the last one together with the receipt.
func replayRange(p *engine.Program, o *engine.Op, rq engine.Request, in affiliate.ReplayRange) (int, error) {
	var found, rest []uuid.UUID
	err := engine.Beforehand(o, rq, func() (err error) {
		if found, err = replayable(o.Ctx, p, in); err != nil {
			return err
		}
		for rest = found; len(rest) > replayBatch; rest = rest[replayBatch:] {
			o := p.Op(o.Ctx)
			_, err := engine.Update(o,
				func() (struct{}, error) {
					return struct{}{},
						replaySome(o, in.WebhookID, rest[:replayBatch])
				})
			if err != nil {
				return err
			}
		}
		return nil
	})
	if refusal, ok := errors.AsType[*affiliate.Error](err); ok {
		rq.Refused = refusal
	} else if err != nil {
		return 0, err
	}
	o = p.Op(o.Ctx)
	return engine.Write(o, rq, func() (int, error) { return len(found), replaySome(o, in.WebhookID, rest) })
}

// replayable finds what a range is to replay, oldest first. It changes nothing.
func replayable(ctx context.Context, p *engine.Program, in affiliate.ReplayRange) ([]uuid.UUID, error) {
	var found []uuid.UUID
	part := replayPart{more: true}
	for part.more {
		after := part.last
		var err error
		if part, err = engine.View(ctx, p, func(o *engine.Op) (replayPart, error) { return lookReplayable(o, in, after) }); err != nil {
			return nil, err
		}
		if found = append(found, part.found...); len(found) > replayMax {
			return nil, refusal.ReplayTooLarge.Err()
		}
	}
	slices.Reverse(found)
	return found, nil
}

// A replayPart is the result of one look, newest first.
type replayPart struct {
	found []uuid.UUID
	last  uuid.UUID // delivery that was looked at
	more  bool      // there may be more behind it
}

// lookReplayable looks at the deliveries of the endpoint after one of them.
func lookReplayable(o *engine.Op, in affiliate.ReplayRange, after uuid.UUID) (part replayPart, err error) {
	if _, err := replayTo(o, in.WebhookID); err != nil {
		return part, err
	}
	since, until := o.FirstInstant(in.Since), o.Instant(in.Until)
	var fitting []record.Delivery
	seen := 0
	for d, err := range o.Tx.Deliveries.List(record.Query{Key: record.Key{Index: record.OfEndpoint,
		ID: in.WebhookID}, After: after, Limit: replayLook, Desc: true}) {
		if err != nil {
			return part, refusal.Internal("list deliveries", err)
		}
		if o.Before(d.CreatedAt, since) {
			part.more = false
			break
		}
		seen++
		part.last, part.more = d.ID, seen == replayLook
		if undelivered(&d) && engine.CreatedIn(d, since, until) {
			d.Attempts = nil // not needed
			fitting = append(fitting, d)
		}
	}
	for some := range slices.Chunk(fitting, replayEvents) {
		for i := range some {
			o.Soon("events", record.Key{ID: some[i].EventID})
		}
		for i := range some {
			_, sendable, err := sendable(o, &some[i])
			if err != nil {
				return part, err
			}
			if sendable {
				part.found = append(part.found, some[i].ID)
			}
		}
	}
	return part, nil
}

// undelivered reports whether a range replays the delivery.
func undelivered(r *record.Delivery) bool {
	return r.State == affiliate.DeliveryFailed || r.State == affiliate.DeliverySkipped
}

// replaySome replays the deliveries that were found, unless they have changed
// since.
func replaySome(o *engine.Op, endpoint uuid.UUID, found []uuid.UUID) error {
	if err := expect(o, found); err != nil {
		return err
	}
	if err := replayNow(o, endpoint); err != nil {
		return err
	}
	var all []record.Queue
	for _, id := range found {
		d, err := o.Tx.Deliveries.Get(id)
		if errors.Is(err, affiliate.ErrNotFound) || err == nil && !undelivered(&d) {
			continue
		}
		if err != nil {
			return refusal.Internal("read delivery", err)
		}
		event, sendable, err := sendable(o, &d)
		if err != nil {
			return err
		}
		if !sendable {
			continue
		}
		q, due, err := again(o, d, &event)
		if err != nil {
			return err
		}
		if due {
			all = append(all, q)
		}
	}
	return enqueue(o, all)
}

// again makes a delivery due, unless it is in flight. The caller puts the entry
// into the queue.
func again(o *engine.Op, d record.Delivery, event *record.Event) (q record.Queue, due bool, err error) {
	if d.State == affiliate.DeliveryPending {
		waits, err := o.Tx.Queue.Find(record.Key{Index: record.ByDelivery, ID: d.ID})
		if err != nil {
			return q, false, refusal.Internal("read queue", err)
		}
		if waits.Token != uuid.Nil && engine.DueAt(waits).After(o.Now) {
			return q, false, nil
		}
		if err := o.Tx.Queue.Delete(waits.ID); err != nil {
			return q, false, refusal.Internal("replay", err)
		}
	}
	q = engine.Queued(&d, event)
	q.ID, q.Since, q.Tried, q.Manual = o.QueueID(o.Now), o.Now, len(d.Attempts) > 0, true
	d.State, d.NextAttemptAt, d.UpdatedAt = affiliate.DeliveryPending, o.Now, engine.Later(o.Now, d.UpdatedAt)
	if err := o.Tx.Deliveries.Replace(d); err != nil {
		return q, false, refusal.Internal("replay", err)
	}
	return q, true, nil
}

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
	for q, err := range o.Tx.Queue.List(record.Query{Key: record.Key{Index: record.OfEndpoint,
		ID: endpoint}, After: after, Limit: rewindBatch}) {
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

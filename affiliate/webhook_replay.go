package affiliate

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/google/uuid"
)

// A ReplayRange is the input of [Program.Replay]: DeliveryID, or else WebhookID
// with Since.
type ReplayRange struct {
	Once       `json:"-"`
	DeliveryID uuid.UUID `json:"deliveryId,omitzero"` // this delivery, in whatever state it is
	WebhookID  uuid.UUID `json:"webhookId,omitzero"`  // every failed and skipped delivery of this endpoint
	Since      Opt[Date] `json:"since,omitzero"`      // created then or later, ≤ 14 days ago; a plain date: its first millisecond
	Until      Opt[Date] `json:"until,omitzero"`      // created then or earlier; a plain date: its last; not given: no end
}

const (
	replayAge    = 14 * 24 * time.Hour
	replayMax    = 10_000
	replayBatch  = 20  // deliveries of one transaction
	replayLook   = 500 // of one look for them
	replayEvents = 50  // whose events are read together: a payload may be large
)

// Replay makes deliveries due at once and returns how many: one delivery, or
// every failed and skipped delivery of an endpoint in a range, oldest first.
// The receiver gets the same webhook-id and the same bytes, with a new
// timestamp and the current secrets. For a pending delivery the replay replaces
// its next automatic attempt. A delivery in flight does not change, and it is
// counted. After a failed replay the rest of the schedule continues.
//
// A payload that was erased cannot be replayed: such a delivery is not found
// by its id, and not counted in a range.
//
// A range is read in Views and made due in small transactions, so that it does
// not delay sales. After an error, the deliveries of earlier transactions stay
// due: call it again.
//
// Errors: [MissingField] (deliveryId), [InvalidField] (since, until),
// [DeliveryNotFound], [WebhookNotFound], [WebhookDisabled], [ReplayTooLarge]
// over 10,000 deliveries.
//
// Effects: the deliveries and the queue; no event.
//
// Source: docs/contract.md 4.2.
func (p *Program) Replay(ctx context.Context, in ReplayRange) (_ int, err error) {
	defer p.begin(&ctx, "Replay", writes).end(&err)
	o := p.op(ctx)
	rq := request{once: in.Once, name: "webhook.replay", input: in, refused: first(p.checkReplay(in, o.now)...)}
	if in.DeliveryID == uuid.Nil {
		return p.replayRange(o, rq, in)
	}
	return write(o, rq, func() (int, error) { return o.replayOne(in.DeliveryID) })
}

// checkReplay lists what is wrong with a range, in the contract's order.
func (p *Program) checkReplay(in ReplayRange, now Instant) []*Error {
	if in.DeliveryID != uuid.Nil {
		return nil
	}
	if _, given := in.Since.Get(); in.WebhookID == uuid.Nil || !given {
		return []*Error{replayTargetRequired.Err()}
	}
	errs := []*Error{
		FieldNotADate.about("since").when(!p.validDate(in.Since)),
		FieldNotADate.about("until").when(!p.validDate(in.Until)),
	}
	if errs[0] == nil && p.firstInstant(in.Since).Before(now.Add(-replayAge)) {
		errs[0] = sinceTooOld.Err()
	}
	return errs
}

func (o *op) replayOne(id uuid.UUID) (int, error) {
	d, err := o.tx.Deliveries.Get(id)
	if err != nil {
		return 0, deliveryNotFound.ifMissing(err)
	}
	event, sendable, err := o.sendable(&d)
	if err != nil {
		return 0, err
	}
	if !sendable {
		return 0, deliveryNotFound.Err()
	}
	if err := o.replayNow(d.EndpointID); err != nil {
		return 0, err
	}
	q, due, err := o.again(d, &event)
	if err == nil && due {
		err = o.enqueue([]QueueRecord{q})
	}
	return 1, err
}

// replayTo refuses an endpoint that gets nothing.
func (o *op) replayTo(id uuid.UUID) (EndpointRecord, error) {
	ep, err := o.endpoint(id)
	if err == nil && !ep.Active {
		err = webhookDisabled.Err()
	}
	return ep, err
}

// replayNow is replayTo, and notes on the endpoint that something is put in line
// for it.
func (o *op) replayNow(id uuid.UUID) error {
	ep, err := o.replayTo(id)
	if err != nil {
		return err
	}
	ep.WorkedAt = later(o.now, ep.WorkedAt)
	return o.tx.Endpoints.Replace(ep)
}

// sendable is the event of a delivery, and whether it still has its payload.
func (o *op) sendable(d *DeliveryRecord) (EventRecord, bool, error) {
	event, err := o.tx.Events.Get(d.EventID)
	if err != nil && !errors.Is(err, ErrNotFound) {
		return event, false, internal("read event", err)
	}
	return event, !event.Payload.IsZero(), nil
}

// replayRange replays what failed or was skipped in a range: all but the last
// batch ahead, and that one with the receipt.
func (p *Program) replayRange(o *op, rq request, in ReplayRange) (int, error) {
	var found, rest []uuid.UUID
	err := beforehand(o, rq, func() (err error) {
		if found, err = p.replayable(o.ctx, in); err != nil {
			return err
		}
		for rest = found; len(rest) > replayBatch; rest = rest[replayBatch:] {
			o := p.op(o.ctx)
			_, err := update(o, func() (struct{}, error) { return struct{}{}, o.replaySome(in.WebhookID, rest[:replayBatch]) })
			if err != nil {
				return err
			}
		}
		return nil
	})
	if refusal, ok := errors.AsType[*Error](err); ok {
		rq.refused = refusal
	} else if err != nil {
		return 0, err
	}
	o = p.op(o.ctx)
	return write(o, rq, func() (int, error) { return len(found), o.replaySome(in.WebhookID, rest) })
}

// replayable finds what a range is to replay, oldest first. It changes nothing.
func (p *Program) replayable(ctx context.Context, in ReplayRange) ([]uuid.UUID, error) {
	var found []uuid.UUID
	part := replayPart{more: true}
	for part.more {
		after := part.last
		var err error
		if part, err = view(ctx, p, func(o *op) (replayPart, error) { return o.lookReplayable(in, after) }); err != nil {
			return nil, err
		}
		if found = append(found, part.found...); len(found) > replayMax {
			return nil, replayTooLarge.Err()
		}
	}
	slices.Reverse(found)
	return found, nil
}

// A replayPart is what one look has found, newest first.
type replayPart struct {
	found []uuid.UUID
	last  uuid.UUID // delivery that was looked at
	more  bool      // there may be more behind it
}

// lookReplayable looks at the deliveries of the endpoint behind one.
func (o *op) lookReplayable(in ReplayRange, after uuid.UUID) (part replayPart, err error) {
	if _, err := o.replayTo(in.WebhookID); err != nil {
		return part, err
	}
	since, until := o.firstInstant(in.Since), o.instant(in.Until)
	var fitting []DeliveryRecord
	seen := 0
	for d, err := range o.tx.Deliveries.List(Query{Key: Key{Index: OfEndpoint, ID: in.WebhookID}, After: after, Limit: replayLook, Desc: true}) {
		if err != nil {
			return part, internal("list deliveries", err)
		}
		if d.CreatedAt.Before(since.Add(-clockSlack)) {
			part.more = false
			break
		}
		seen++
		part.last, part.more = d.ID, seen == replayLook
		if d.undelivered() && createdIn(d, since, until) {
			d.Attempts = nil // not needed
			fitting = append(fitting, d)
		}
	}
	for some := range slices.Chunk(fitting, replayEvents) {
		for i := range some {
			o.soon("events", Key{ID: some[i].EventID})
		}
		for i := range some {
			_, sendable, err := o.sendable(&some[i])
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
func (r *DeliveryRecord) undelivered() bool {
	return r.State == DeliveryFailed || r.State == DeliverySkipped
}

// replaySome replays the deliveries that were found, unless something has become
// of them since.
func (o *op) replaySome(endpoint uuid.UUID, found []uuid.UUID) error {
	if err := o.expect(found); err != nil {
		return err
	}
	if err := o.replayNow(endpoint); err != nil {
		return err
	}
	var all []QueueRecord
	for _, id := range found {
		d, err := o.tx.Deliveries.Get(id)
		if errors.Is(err, ErrNotFound) || err == nil && !d.undelivered() {
			continue
		}
		if err != nil {
			return internal("read delivery", err)
		}
		event, sendable, err := o.sendable(&d)
		if err != nil {
			return err
		}
		if !sendable {
			continue
		}
		q, due, err := o.again(d, &event)
		if err != nil {
			return err
		}
		if due {
			all = append(all, q)
		}
	}
	return o.enqueue(all)
}

// again makes a delivery due, unless it is in flight. The caller puts the entry
// into the queue.
func (o *op) again(d DeliveryRecord, event *EventRecord) (q QueueRecord, due bool, err error) {
	if d.State == DeliveryPending {
		waits, err := o.tx.Queue.Find(Key{Index: ByDelivery, ID: d.ID})
		if err != nil {
			return q, false, internal("read queue", err)
		}
		if waits.Token != uuid.Nil && waits.due().After(o.now) {
			return q, false, nil
		}
		if err := o.tx.Queue.Delete(waits.ID); err != nil {
			return q, false, internal("replay", err)
		}
	}
	q = queued(&d, event)
	q.ID, q.Since, q.Tried, q.Manual = o.queueID(o.now), o.now, len(d.Attempts) > 0, true
	d.State, d.NextAttemptAt, d.UpdatedAt = DeliveryPending, o.now, later(o.now, d.UpdatedAt)
	if err := o.tx.Deliveries.Replace(d); err != nil {
		return q, false, internal("replay", err)
	}
	return q, true, nil
}

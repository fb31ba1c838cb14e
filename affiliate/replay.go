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
	replayAge = 14 * 24 * time.Hour
	replayMax = 10_000
)

// Replay makes deliveries due at once, again or for the first time, and returns
// how many: one, or every failed and skipped one of an endpoint in a range,
// oldest first. The receiver gets the same webhook-id and the same bytes under
// a fresh timestamp and the present secrets. The replay of a pending delivery
// takes the place of its next automatic attempt; one that is in flight is left
// alone and counts. After a replay that fails, what is left of the schedule
// goes on.
//
// A payload that was erased cannot be replayed: such a delivery is not found
// by its id, and not counted in a range.
//
// Errors: [MissingField] (deliveryId), [InvalidField] (since, until),
// [DeliveryNotFound], [WebhookNotFound], [WebhookDisabled], [ReplayTooLarge]
// over 10,000 deliveries.
//
// Effects: the deliveries and the queue; no event.
//
// Source: docs/contract.md 4.2.
func (p *Program) Replay(ctx context.Context, in ReplayRange) (int, error) {
	o := p.op(ctx)
	rq := request{once: in.Once, name: "webhook.replay", input: in, refused: first(p.checkReplay(in, o.now)...)}
	return write(o, rq, func() (int, error) {
		if in.DeliveryID != uuid.Nil {
			return o.replayOne(in.DeliveryID)
		}
		return o.replayRange(in)
	})
}

// checkReplay lists what is wrong with a range, in the contract's order.
func (p *Program) checkReplay(in ReplayRange, now time.Time) []*Error {
	if in.DeliveryID != uuid.Nil {
		return nil
	}
	if _, given := in.Since.Get(); in.WebhookID == uuid.Nil || !given {
		return []*Error{replayTargetRequired.err()}
	}
	errs := []*Error{p.checkDate("since", in.Since), p.checkDate("until", in.Until)}
	if errs[0] == nil && p.firstInstant(in.Since).Before(now.Add(-replayAge)) {
		errs[0] = sinceTooOld.err()
	}
	return errs
}

func (o *op) replayOne(id uuid.UUID) (int, error) {
	d, err := o.tx.Deliveries.Get(id)
	if err != nil {
		return 0, deliveryNotFound.orOther(err)
	}
	sendable, err := o.sendable(&d)
	if err != nil {
		return 0, err
	}
	if !sendable {
		return 0, deliveryNotFound.err()
	}
	if err := o.replayTo(d.EndpointID); err != nil {
		return 0, err
	}
	return 1, o.again(d)
}

// replayTo refuses an endpoint that gets nothing, and notes on another that
// something is put in line for it.
func (o *op) replayTo(id uuid.UUID) error {
	ep, err := o.endpoint(id)
	if err != nil {
		return err
	}
	if !ep.Active {
		return webhookDisabled.err()
	}
	ep.WorkedAt = later(o.now, ep.WorkedAt)
	return o.tx.Endpoints.Replace(ep)
}

// sendable tells whether the event of a delivery still has its payload.
func (o *op) sendable(d *DeliveryRecord) (bool, error) {
	event, err := o.tx.Events.Get(d.EventID)
	if err != nil && !errors.Is(err, ErrNotFound) {
		return false, internal("read event", err)
	}
	return !event.Payload.IsZero(), nil
}

// replayRange replays what failed or was skipped in a range.
func (o *op) replayRange(in ReplayRange) (int, error) {
	if err := o.replayTo(in.WebhookID); err != nil {
		return 0, err
	}
	since, until := o.firstInstant(in.Since), o.instant(in.Until)
	table := sieve[DeliveryRecord]{
		Table: o.tx.Deliveries,
		keep: func(d DeliveryRecord) bool {
			return (d.State == DeliveryFailed || d.State == DeliverySkipped) && createdIn(d, since, until)
		},
		over: func(d DeliveryRecord) bool { return d.CreatedAt.Before(since.Add(-clockSlack)) },
	}
	var found []DeliveryRecord
	for d, err := range table.List(Query{Key: Key{Index: OfEndpoint, ID: in.WebhookID}, Desc: true}) {
		if err != nil {
			return 0, internal("list deliveries", err)
		}
		sendable, err := o.sendable(&d)
		if err != nil {
			return 0, err
		}
		if !sendable {
			continue
		}
		if found = append(found, d); len(found) > replayMax {
			return 0, replayTooLarge.err()
		}
	}
	slices.Reverse(found)
	for _, d := range found {
		if err := o.again(d); err != nil {
			return 0, err
		}
	}
	return len(found), nil
}

// again makes a delivery due, unless it is in flight.
func (o *op) again(d DeliveryRecord) error {
	q, err := o.tx.Queue.Find(Key{Index: ByDelivery, ID: d.ID})
	switch {
	case errors.Is(err, ErrNotFound):
		event, err := o.tx.Events.Get(d.EventID)
		if err != nil {
			return internal("read event", err)
		}
		q = queued(&d, &event)
	case err != nil:
		return internal("read queue", err)
	case q.Token != uuid.Nil && q.due().After(o.now):
		return nil
	default:
		if err := o.tx.Queue.Delete(q.ID); err != nil {
			return internal("replay", err)
		}
	}
	q.ID, q.Since, q.Token = o.queueID(o.now), o.now, uuid.Nil
	q.Tried, q.Manual = len(d.Attempts) > 0, true
	d.State, d.NextAttemptAt, d.UpdatedAt = DeliveryPending, o.now, later(o.now, d.UpdatedAt)
	if err := o.tx.Deliveries.Replace(d); err != nil {
		return internal("replay", err)
	}
	if err := o.tx.Queue.Insert(q); err != nil {
		return internal("replay", err)
	}
	return nil
}

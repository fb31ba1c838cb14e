package tributary

import (
	"context"
	"iter"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/internal/delivery"
)

// EventsAfter returns up to limit events after the event with the [affiliate.Event.ID]
// after, in the order in which they were committed, oldest first; with the zero
// id it starts at the first event. The order is total within the program, and a
// later event never has an earlier position. So a host that stores the id of
// the last event that it has handled, best in the transaction in which it
// handled it, misses none and sees none twice.
//
// The id of a pruned event is still a valid position. An event that is pruned
// before it was read is lost, so keep events longer than the slowest reader
// needs.
//
// Errors: [affiliate.InvalidQuery] (limit, 1–1,000).
//
// Source: ours, because a host that reads events in order needs no endpoint.
func (p *Program) EventsAfter(ctx context.Context, after uuid.UUID, limit int) ([]affiliate.Event, error) {
	return p.engine.EventsAfter(ctx, after, limit)
}

// Follow yields the events like [Program.EventsAfter] and, at the end, waits
// for the next one: a subscription in process. It continues at once when this
// Program, or one made from it with With and From, commits an event, and it
// looks once a second for events of other processes. It starts no goroutine: it
// runs in the caller's loop and ends with it:
//
//	for event, err := range program.Follow(ctx, position) {
//		if err != nil {
//			return err
//		}
//		…
//		position = event.ID
//	}
//
// To get only new events, use the id of the first item of [Program.Events] as
// the position.
//
// Errors: those of the store; the error of ctx when it ends. Each ends the
// loop.
//
// Source: ours, like EventsAfter.
func (p *Program) Follow(ctx context.Context, after uuid.UUID) iter.Seq2[affiliate.Event, error] {
	return p.engine.Follow(ctx, after)
}

// Events lists the stored events, newest first, whether or not an endpoint
// subscribes to them. The events of an object are found with an index. Only for
// a deleted sale the whole table is read, because the key of its events was in
// the sale's record. An unknown object has no events.
//
// A page looks at no more than 5,000 events, so it may be short or empty although
// more follow: Next says so. The zero Page is the whole list, in one View.
//
// Errors: [affiliate.InvalidQuery] (type, a bad page).
//
// Source: ours, because a host that polls needs no endpoint.
func (p *Program) Events(ctx context.Context, f affiliate.EventQuery, pg affiliate.Page) (affiliate.List[affiliate.Event], error) {
	return p.engine.Events(ctx, f, pg)
}

// Backlog returns how long the oldest due delivery has been waiting for its attempt; 0:
// none is due. It grows while no sender runs, and while endpoints are paused. It costs at
// most two index reads and one read of a delivery, however long the queue is.
//
// Errors: those of the store.
//
// Effects: none.
//
// Source: ours, because the host should be told when deliveries are late.
func (p *Program) Backlog(ctx context.Context) (time.Duration, error) {
	return delivery.Backlog(ctx, p.engine)
}

// ClaimDeliveries claims up to n due deliveries; nobody else gets them until the lease
// ends. n is the number of free slots: together with the attempts in flight it makes the
// number of all slots.
//
//   - An endpoint has at most 4 attempts in flight. An endpoint that has not
//     answered in the last 5 minutes, or has not answered its last attempt, has
//     1. Such endpoints have at most half of all slots, come after those that
//     answer, and take turns.
//   - Of those that answer, one that has nothing in flight comes before one that
//     has, and then the longest due. An eighth of the slots, rounded up, is kept
//     for endpoints that have nothing in flight.
//   - At most half of all slots, rounded up, are for retries and replays.
//   - Paused endpoints are skipped, and so are deliveries of an object that has
//     one in flight to the same endpoint. The deliveries of an object start in
//     the order of its revisions until one fails.
//
// The lease must be longer than an attempt takes: a delivery whose lease has
// ended is claimed again, and its receiver gets it twice. When the clock goes
// back, no delivery waits longer than its original wait. The clocks of
// processes that share a store must differ by less than 15 seconds.
//
// Errors: those of the store.
//
// Effects: the queue; no event. A delivery whose secrets cannot be opened is
// settled as a failed attempt.
//
// Source: docs/webhooks.md 4.4; ours, because a committed event must arrive
// with every sender.
func (p *Program) ClaimDeliveries(ctx context.Context, n int, lease time.Duration) ([]affiliate.Claim, error) {
	return delivery.ClaimDeliveries(ctx, p.engine, n, lease)
}

// Delivery returns a delivery with its payload.
//
// Errors: [affiliate.ErrNotFound].
//
// Source: docs/contract.md 4.2.
func (p *Program) Delivery(ctx context.Context, id uuid.UUID) (affiliate.Delivery, error) {
	return delivery.Delivery(ctx, p.engine, id)
}

// Deliveries lists deliveries without their payloads, newest first. It walks
// those of the event, else of the endpoint, else those in the state, else all,
// back to Since.
//
// Errors: [affiliate.InvalidQuery].
//
// Source: docs/contract.md 4.2.
func (p *Program) Deliveries(ctx context.Context, f affiliate.DeliveryQuery, pg affiliate.Page) (affiliate.List[affiliate.Delivery], error) {
	return delivery.Deliveries(ctx, p.engine, f, pg)
}

// Endpoint returns an endpoint, without its secret.
//
// Errors: [affiliate.ErrNotFound].
//
// Source: docs/contract.md 4.2.
func (p *Program) Endpoint(ctx context.Context, id uuid.UUID) (affiliate.Endpoint, error) {
	return delivery.Endpoint(ctx, p.engine, id)
}

// Endpoints lists the endpoints, newest first, without their secrets.
//
// Errors: [affiliate.InvalidQuery].
//
// Source: docs/contract.md 4.2.
func (p *Program) Endpoints(ctx context.Context, pg affiliate.Page) (affiliate.List[affiliate.Endpoint], error) {
	return delivery.Endpoints(ctx, p.engine, pg)
}

// CreateEndpoint adds an endpoint and returns it with its secret. The endpoint
// gets the events of later changes.
//
// Errors: [affiliate.MissingField] and [affiliate.InvalidField] on url, events, description or headers,
// [affiliate.URLNotAllowed], [affiliate.WebhookLimitReached] at 50 endpoints.
//
// Effects: the endpoint; no event.
//
// Source: docs/contract.md 4.2.
func (p *Program) CreateEndpoint(ctx context.Context, in affiliate.EndpointParams) (affiliate.IssuedEndpoint, error) {
	return delivery.CreateEndpoint(ctx, p.engine, in)
}

// UpdateEndpoint changes an endpoint. A new URL is used from the next attempt
// of pending deliveries on; a new subscription applies to later events. Active
// false disables the endpoint by hand: its pending deliveries become skipped
// and can be replayed. Active true enables a disabled endpoint and resets its
// health; it sends nothing. When many deliveries are pending, they are settled
// in small transactions after the one that disables the endpoint; none of them
// is sent any more. Headers of the receiver's own are credentials: a URL of another
// host, scheme or port is refused without new ones.
//
// Errors: [affiliate.MissingField] on webhookId, those of [Program.CreateEndpoint],
// [affiliate.WebhookNotFound].
//
// Effects: the endpoint, and its pending deliveries when it is disabled; no event.
//
// Source: docs/contract.md 4.2.
func (p *Program) UpdateEndpoint(ctx context.Context, id uuid.UUID, up affiliate.EndpointUpdate) (affiliate.Endpoint, error) {
	return delivery.UpdateEndpoint(ctx, p.engine, id, up)
}

// DeleteEndpoint removes an endpoint. Its pending deliveries are canceled; the
// records of all its deliveries stay. When more than 20 are pending, the
// endpoint is disabled first and they are canceled in small transactions. A
// call that is interrupted there leaves the endpoint disabled; repeat it.
//
// Errors: [affiliate.MissingField] on webhookId, [affiliate.WebhookNotFound].
//
// Effects: the endpoint and its pending deliveries; no event.
//
// Source: docs/contract.md 4.2.
func (p *Program) DeleteEndpoint(ctx context.Context, id uuid.UUID) (affiliate.DeletedEndpoint, error) {
	return delivery.DeleteEndpoint(ctx, p.engine, id)
}

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
// Errors: [affiliate.MissingField] (deliveryId), [affiliate.InvalidField] (since, until),
// [affiliate.DeliveryNotFound], [affiliate.WebhookNotFound], [affiliate.WebhookDisabled], [affiliate.ReplayTooLarge]
// over 10,000 deliveries.
//
// Effects: the deliveries and the queue; no event.
//
// Source: docs/contract.md 4.2.
func (p *Program) Replay(ctx context.Context, in affiliate.ReplayRange) (int, error) {
	return delivery.Replay(ctx, p.engine, in)
}

// RotateSecret gives an endpoint a new secret and returns it. The old one also
// signs until the grace period ends, so that either side may switch first; at
// most two old ones are kept. With a grace period of 0 the old one stops
// signing at once.
//
// Errors: [affiliate.MissingField] on webhookId, [affiliate.InvalidField] on gracePeriodSeconds,
// [affiliate.WebhookNotFound].
//
// Effects: the secrets of the endpoint; no event.
//
// Source: docs/contract.md 4.2.
func (p *Program) RotateSecret(ctx context.Context, in affiliate.Rotation) (affiliate.IssuedEndpoint, error) {
	return delivery.RotateSecret(ctx, p.engine, in)
}

// SettleDeliveries records the results of claims and decides what follows: a
// delivery is delivered after any 2xx, waits for its next attempt, or has
// failed at the end of the schedule. An attempt with an invalid token changes
// nothing, so settling twice is safe. A token is invalid when its lease has
// ended and the delivery was claimed again, or when its endpoint was deleted or
// disabled.
//
//   - A Retry-After longer than the schedule's delay is honoured, up to 24 hours.
//   - 429 and 503 pause the endpoint for that long, at least a minute.
//   - 410 disables it ([affiliate.DisabledGone]) and cancels what is pending.
//   - An endpoint is disabled ([affiliate.DisabledFailing]) when all attempts failed for 120
//     hours and at least one delivery used up its schedule; what is pending is skipped.
//
// The attempts are recorded in the order of done, in one transaction. When an
// endpoint is disabled, its waiting deliveries are settled in small
// transactions afterwards, so that they do not delay sales.
//
// Errors: those of the store.
//
// Effects: the deliveries, the queue and their endpoints; no event.
// Config.OnNotice is called after the commit.
//
// Source: docs/contract.md 7.4.
func (p *Program) SettleDeliveries(ctx context.Context, done []affiliate.Attempt) error {
	return delivery.SettleDeliveries(ctx, p.engine, done)
}

// TestEndpoint makes one signed request to an endpoint, at once and whether or
// not it is enabled or subscribed: a full sample object (a deleted type: its
// id), with "test": true and revision 0. It is not retried, not recorded and
// has no effect on the endpoint's health. Without Config.Send nothing is sent,
// and the result is [affiliate.FailedNoSender]. When the sender has no free slot in time,
// nothing is sent, and the result is [affiliate.FailedBusy].
//
// The request is made outside of any transaction. With a key, a repeat is
// answered without sending. Two calls at once may both send, and both get the
// answer that was stored first.
//
// Errors: [affiliate.MissingField] (webhookId, event), [affiliate.InvalidField] (event),
// [affiliate.WebhookNotFound]. A failed request is not an error; the result reports it.
//
// Effects: none but the receipt of a key.
//
// Source: docs/contract.md 4.2.
func (p *Program) TestEndpoint(ctx context.Context, in affiliate.EndpointTest) (affiliate.TestResult, error) {
	return delivery.TestEndpoint(ctx, p.engine, in)
}

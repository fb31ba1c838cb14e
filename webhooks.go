package tributary

import (
	"context"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/internal/delivery"
	"github.com/tributary-go/tributary/internal/engine"
)

// Webhooks sends the events of a program to endpoints: who gets them, what became of each
// delivery, and the calls of a dispatcher, which package webhooks has. It is a value, safe for
// concurrent use.
type Webhooks struct{ engine *engine.Program }

func (w Webhooks) in(ctx context.Context) *engine.Program { return w.engine.Current(ctx) }

// Webhooks returns the endpoints of the program and their deliveries.
func (p *Program) Webhooks() Webhooks { return Webhooks{p.engine} }

// CreateEndpoint adds an endpoint and returns it with its secret. The endpoint
// gets the events of later changes.
//
// Errors: [affiliate.MissingField] and [affiliate.InvalidField] on url, events, description or headers,
// [affiliate.URLNotAllowed], [affiliate.WebhookLimitReached] at 50 endpoints.
//
// Effects: the endpoint; no event.
//
// Source: docs/contract.md 4.2.
func (w Webhooks) CreateEndpoint(ctx context.Context, in affiliate.EndpointParams) (affiliate.IssuedEndpoint, error) {
	return delivery.CreateEndpoint(ctx, w.in(ctx), in)
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
// Errors: [affiliate.MissingField] on webhookId, those of [Webhooks.CreateEndpoint],
// [affiliate.WebhookNotFound].
//
// Effects: the endpoint, and its pending deliveries when it is disabled; no event.
//
// Source: docs/contract.md 4.2.
func (w Webhooks) UpdateEndpoint(ctx context.Context, id uuid.UUID,
	up affiliate.EndpointUpdate) (affiliate.Endpoint, error) {
	return delivery.UpdateEndpoint(ctx, w.in(ctx), id, up)
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
func (w Webhooks) DeleteEndpoint(ctx context.Context, id uuid.UUID) (affiliate.DeletedEndpoint, error) {
	return delivery.DeleteEndpoint(ctx, w.in(ctx), id)
}

// Endpoint returns an endpoint, without its secret.
//
// Errors: [affiliate.ErrNotFound].
//
// Source: docs/contract.md 4.2.
func (w Webhooks) Endpoint(ctx context.Context, id uuid.UUID) (affiliate.Endpoint, error) {
	return delivery.Endpoint(ctx, w.in(ctx), id)
}

// Endpoints lists the endpoints, newest first, without their secrets.
//
// Errors: [affiliate.InvalidQuery].
//
// Source: docs/contract.md 4.2.
func (w Webhooks) Endpoints(ctx context.Context, pg affiliate.Page) (affiliate.List[affiliate.Endpoint], error) {
	return delivery.Endpoints(ctx, w.in(ctx), pg)
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
func (w Webhooks) RotateSecret(ctx context.Context, in affiliate.Rotation) (affiliate.IssuedEndpoint, error) {
	return delivery.RotateSecret(ctx, w.in(ctx), in)
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
func (w Webhooks) TestEndpoint(ctx context.Context, in affiliate.EndpointTest) (affiliate.TestResult, error) {
	return delivery.TestEndpoint(ctx, w.in(ctx), in)
}

// Deliveries lists deliveries without their payloads, newest first. It walks
// those of the event, else of the endpoint, else those in the state, else all,
// back to Since.
//
// Errors: [affiliate.InvalidQuery].
//
// Source: docs/contract.md 4.2.
func (w Webhooks) Deliveries(ctx context.Context, f affiliate.DeliveryQuery,
	pg affiliate.Page) (affiliate.List[affiliate.Delivery], error) {
	return delivery.Deliveries(ctx, w.in(ctx), f, pg)
}

// Delivery returns a delivery with its payload.
//
// Errors: [affiliate.ErrNotFound].
//
// Source: docs/contract.md 4.2.
func (w Webhooks) Delivery(ctx context.Context, id uuid.UUID) (affiliate.Delivery, error) {
	return delivery.Delivery(ctx, w.in(ctx), id)
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
func (w Webhooks) Replay(ctx context.Context, in affiliate.ReplayRange) (int, error) {
	return delivery.Replay(ctx, w.in(ctx), in)
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
func (w Webhooks) ClaimDeliveries(ctx context.Context, n int, lease time.Duration) ([]affiliate.Claim, error) {
	return delivery.ClaimDeliveries(ctx, w.in(ctx), n, lease)
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
func (w Webhooks) SettleDeliveries(ctx context.Context, done []affiliate.Attempt) error {
	return delivery.SettleDeliveries(ctx, w.in(ctx), done)
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
func (w Webhooks) Backlog(ctx context.Context) (time.Duration, error) {
	return delivery.Backlog(ctx, w.in(ctx))
}

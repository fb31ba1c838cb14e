package affiliate

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/google/uuid"
)

// The classes of failed attempts, as [DeliveryAttempt] shows them. An answer
// outside of 2xx and 3xx has none: its status says it.
const (
	FailedTimeout        = "timeout"         // no answer in time
	FailedDNS            = "dns"             // the host has no address
	FailedTLS            = "tls"             // no trusted connection
	FailedConnection     = "connection"      // refused, reset, or an answer that is no HTTP
	FailedRedirect       = "redirect"        // 3xx; never followed
	FailedBlockedAddress = "blocked_address" // the host's address may not be called
	FailedBlockedURL     = "blocked_url"     // the URL is not accepted any more; not retried
	FailedSecret         = "secret"          // Config.Open failed, or the secret cannot sign
	FailedNoSender       = "no_sender"       // a test without Config.Send
	FailedBusy           = "busy"            // a test that got no slot in time: nothing was sent
	FailedInternal       = "internal"        // a panic on this side
)

// ClaimDeliveries claims up to n due deliveries, and nobody else gets them
// until the lease ends. n is the number of free slots; with the attempts in
// flight it is the number of all slots.
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
func (p *Program) ClaimDeliveries(ctx context.Context, n int, lease time.Duration) (claims []Claim, err error) {
	defer p.begin(&ctx, "ClaimDeliveries", writes).end(&err)
	defer func() { p.polled(ctx, len(claims) == 0) }()
	if n < 1 || lease < time.Millisecond {
		return nil, errors.New("claim deliveries: n and lease must be positive")
	}
	if due, err := p.op(ctx).anyDue(); err != nil || !due {
		return nil, err
	}
	o := p.op(ctx)
	taken, err := o.claim(n, lease)
	if errors.Is(err, errWentBack) {
		if err := p.rewind(ctx); err != nil {
			return nil, err
		}
		o = p.op(ctx)
		taken, err = o.claim(n, lease)
	}
	if err != nil {
		return nil, err
	}
	return p.claims(ctx, taken, o.now)
}

// anyDue only reads the heads of the queue, so that a dispatcher with nothing
// to do writes nothing. When nothing is due, it checks at the endpoints whether
// the clock has gone back.
func (o *op) anyDue() (bool, error) {
	return view(o.ctx, o.Program, func(v *op) (bool, error) {
		for _, lane := range []Query{{Limit: 1}, {After: promptLane(), Limit: 1}} {
			for q, err := range v.tx.Queue.List(lane) {
				if err != nil {
					return false, internal("read queue", err)
				}
				if q.dueAt(o.now) {
					return true, nil
				}
			}
		}
		for ep, err := range v.tx.Endpoints.List(Query{}) {
			if err != nil {
				return false, internal("read endpoints", err)
			}
			if ep.wentBack(o.now) {
				return true, nil
			}
		}
		return false, nil
	})
}

// claim is the transaction of ClaimDeliveries.
func (o *op) claim(n int, lease time.Duration) ([]leased, error) {
	return update(o, func() ([]leased, error) {
		taken, err := o.take(n, lease)
		if err != nil {
			return nil, internal("claim deliveries", err)
		}
		return taken, nil
	})
}

// A leased is a claim before its payload is encoded and its secrets are opened:
// that happens outside of the transaction.
type leased struct {
	claim    Claim
	event    uuid.UUID
	payload  Payload
	endpoint *EndpointRecord
}

// take chooses and leases up to n deliveries.
func (o *op) take(n int, lease time.Duration) ([]leased, error) {
	d, err := o.newDispatch(n)
	if err != nil {
		return nil, err
	}
	chosen, err := d.choose()
	if err != nil {
		return nil, err
	}
	until := wholeMillis(o.now.Add(lease))
	ids := make([]uuid.UUID, len(chosen))
	for i := range chosen {
		w := &chosen[i]
		ids[i], w.next = w.DeliveryID, o.queueID(until)
		o.soon("queue", Key{ID: w.next})
	}
	if err := o.expect(ids); err != nil {
		return nil, err
	}
	var out []leased
	for _, w := range chosen {
		t, err := o.lease(w, until)
		if err != nil {
			return nil, err
		}
		if t.payload.IsZero() { // nothing to send: Verify tells of it
			continue
		}
		out = append(out, t)
	}
	return out, o.storeFlights(out)
}

// lease moves a delivery to the end of its lease, under a fresh token.
func (o *op) lease(w waiting, until Instant) (leased, error) {
	d, err := o.tx.Deliveries.Get(w.DeliveryID)
	if err != nil {
		return leased{}, internal("read delivery", err)
	}
	event, err := o.tx.Events.Get(d.EventID)
	if err != nil && !errors.Is(err, ErrNotFound) {
		return leased{}, internal("read event", err)
	}
	if event.Payload.IsZero() {
		return leased{}, nil
	}
	q, ep := w.QueueRecord, w.endpoint
	q.ID, q.Token, q.Since = w.next, o.newID(), o.now
	if err := o.requeue(w.ID, q); err != nil {
		return leased{}, err
	}
	ep.WorkedAt = later(o.now, ep.WorkedAt)
	ep.InFlight = append(ep.InFlight, FlightRecord{
		Token: q.Token, ObjectID: q.ObjectID, Again: q.again(), Since: o.now, Until: until,
	})
	return leased{
		claim: Claim{
			Delivery: d.ID, Token: q.Token, Endpoint: d.EndpointID, Event: d.Type, MessageID: Event{ID: d.EventID}.MessageID(),
			URL: ep.URL, SvixHeaders: ep.SvixHeaders, Attempt: len(d.Attempts) + 1, Manual: q.Manual,
		},
		event: d.EventID, payload: event.Payload, endpoint: ep,
	}, nil
}

// requeue moves an entry of the queue.
func (o *op) requeue(from uuid.UUID, to QueueRecord) error {
	if err := o.tx.Queue.Delete(from); err != nil {
		return internal("move in queue", err)
	}
	return o.tx.Queue.Insert(to)
}

// storeFlights stores the endpoints of what was taken.
func (o *op) storeFlights(all []leased) error {
	for i, t := range all {
		if slices.ContainsFunc(all[:i], func(u leased) bool { return u.endpoint == t.endpoint }) {
			continue
		}
		if err := o.tx.Endpoints.Replace(*t.endpoint); err != nil {
			return internal("store endpoint", err)
		}
	}
	return nil
}

// claims encodes the payloads and opens the secrets, each once.
func (p *Program) claims(ctx context.Context, all []leased, now Instant) ([]Claim, error) {
	secrets, headers, payloads := make(map[uuid.UUID][]Secret), make(map[uuid.UUID]EndpointHeaders), make(map[uuid.UUID][]byte)
	out, sealed := make([]Claim, 0, len(all)), []Attempt(nil)
	for _, t := range all {
		c := t.claim
		if _, ok := secrets[c.Endpoint]; !ok {
			secrets[c.Endpoint], headers[c.Endpoint] = p.credentials(ctx, t.endpoint, now)
		}
		if _, ok := payloads[t.event]; !ok {
			payloads[t.event] = p.recent.encode(t.event, t.payload)
		}
		c.Payload, c.Secrets, c.Headers = payloads[t.event], secrets[c.Endpoint], headers[c.Endpoint]
		if c.Secrets == nil {
			sealed = append(sealed, Attempt{Delivery: c.Delivery, Token: c.Token, At: now.Time(), URL: c.URL, Err: FailedSecret})
			continue
		}
		out = append(out, c)
	}
	if err := p.SettleDeliveries(ctx, sealed); err != nil {
		return nil, err // the leases see to the rest
	}
	return out, nil
}

// credentials opens the secrets that sign at a moment and the endpoint's own
// headers; no secrets when either fails.
func (p *Program) credentials(ctx context.Context, ep *EndpointRecord, now Instant) ([]Secret, EndpointHeaders) {
	headers, ok := p.headersOf(ctx, ep)
	if !ok {
		return nil, nil
	}
	return p.signers(ctx, ep, now), headers
}

// signers opens the secrets that sign at a moment; nil when that fails.
func (p *Program) signers(ctx context.Context, ep *EndpointRecord, now Instant) []Secret {
	var out []Secret
	for _, s := range ep.Secrets {
		if !s.signs(now) {
			continue
		}
		raw, err := p.unseal(ctx, s.Value, ep.ID)
		if err != nil {
			return nil
		}
		out = append(out, Secret(raw))
	}
	return out
}

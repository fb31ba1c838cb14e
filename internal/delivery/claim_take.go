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

// ClaimDeliveries implements tributary.Webhooks.ClaimDeliveries.
func ClaimDeliveries(ctx context.Context, p *engine.Program, n int,
	lease time.Duration) (claims []affiliate.Claim, err error) {
	defer p.Begin(&ctx, "ClaimDeliveries", engine.Writes).End(&err)
	defer func() { p.Polled(ctx, len(claims) == 0) }()
	if n < 1 || lease < time.Millisecond {
		return nil, errors.New("claim deliveries: n and lease must be positive")
	}
	if due, err := anyDue(p.Op(ctx)); err != nil || !due {
		return nil, err
	}
	o := p.Op(ctx)
	taken, err := claim(o, n, lease)
	if errors.Is(err, errWentBack) {
		if err := rewind(ctx, p); err != nil {
			return nil, err
		}
		o = p.Op(ctx)
		taken, err = claim(o, n, lease)
	}
	if err != nil {
		return nil, err
	}
	return claimsOf(ctx, p, taken, o.Now)
}

// anyDue only reads the heads of the queue, so that a dispatcher with nothing
// to do writes nothing. When nothing is due, it checks at the endpoints whether
// the clock has gone back.
func anyDue(o *engine.Op) (bool, error) {
	return engine.View(o.Ctx, o.Program, func(v *engine.Op) (bool, error) {
		for _, lane := range []record.Query{{Limit: 1}, {After: promptLane(), Limit: 1}} {
			for q, err := range v.Tx.Queue.List(lane) {
				if err != nil {
					return false, refusal.Internal("read queue", err)
				}
				if dueAt(q, o.Now) {
					return true, nil
				}
			}
		}
		for ep, err := range v.Tx.Endpoints.List(record.Query{}) {
			if err != nil {
				return false, refusal.Internal("read endpoints", err)
			}
			if wentBack(&ep, o.Now) {
				return true, nil
			}
		}
		return false, nil
	})
}

// claim is the transaction of ClaimDeliveries.
func claim(o *engine.Op, n int, lease time.Duration) ([]rawClaim, error) {
	return engine.Update(o, func() ([]rawClaim, error) {
		taken, err := take(o, n, lease)
		if err != nil {
			return nil, refusal.Internal("claim deliveries", err)
		}
		return taken, nil
	})
}

// A rawClaim is a claim whose payload is not encoded and whose secrets are not
// opened yet: both happen outside of the transaction.
type rawClaim struct {
	claim    affiliate.Claim
	event    uuid.UUID
	payload  record.Payload
	endpoint *record.Endpoint
}

// take chooses and leases up to n deliveries.
func take(o *engine.Op, n int, lease time.Duration) ([]rawClaim, error) {
	d, err := newDispatch(o, n)
	if err != nil {
		return nil, err
	}
	chosen, err := d.choose()
	if err != nil {
		return nil, err
	}
	until := wholeMillis(o.Now.Add(lease))
	ids := make([]uuid.UUID, len(chosen))
	for i := range chosen {
		w := &chosen[i]
		ids[i], w.next = w.DeliveryID, o.QueueID(until)
		o.Soon("queue", record.Key{ID: w.next})
	}
	if err := expect(o, ids); err != nil {
		return nil, err
	}
	var out []rawClaim
	for _, w := range chosen {
		t, err := leaseOf(o, w, until)
		if err != nil {
			return nil, err
		}
		if t.payload.IsZero() { // nothing to send: Verify tells of it
			continue
		}
		out = append(out, t)
	}
	return out, storeFlights(o, out)
}

// leaseOf moves a delivery to the end of its lease, with a new token.
func leaseOf(o *engine.Op, w dueDelivery, until affiliate.Instant) (rawClaim, error) {
	d, err := o.Tx.Deliveries.Get(w.DeliveryID)
	if err != nil {
		return rawClaim{}, refusal.Internal("read delivery", err)
	}
	event, err := o.Tx.Events.Get(d.EventID)
	if err != nil && !errors.Is(err, affiliate.ErrNotFound) {
		return rawClaim{}, refusal.Internal("read event", err)
	}
	if event.Payload.IsZero() {
		return rawClaim{}, nil
	}
	q, ep := w.Queue, w.endpoint
	q.ID, q.Token, q.Since = w.next, o.NewID(), o.Now
	if err := requeue(o, w.ID, q); err != nil {
		return rawClaim{}, err
	}
	ep.WorkedAt = engine.Later(o.Now, ep.WorkedAt)
	ep.InFlight = append(ep.InFlight, record.Flight{
		Token: q.Token, ObjectID: q.ObjectID, Again: AgainAt(q), Since: o.Now, Until: until,
	})
	return rawClaim{
		claim: affiliate.Claim{
			Delivery: d.ID, Token: q.Token, Endpoint: d.EndpointID, Event: d.Type,
			MessageID: affiliate.Event{ID: d.EventID}.MessageID(),
			URL:       ep.URL, SvixHeaders: ep.SvixHeaders, Attempt: len(d.Attempts) + 1, Manual: q.Manual,
		},
		event: d.EventID, payload: event.Payload, endpoint: ep,
	}, nil
}

// requeue moves an entry of the queue.
func requeue(o *engine.Op, from uuid.UUID, to record.Queue) error {
	if err := o.Tx.Queue.Delete(from); err != nil {
		return refusal.Internal("move in queue", err)
	}
	return o.Tx.Queue.Insert(to)
}

// storeFlights stores the endpoints of what was taken.
func storeFlights(o *engine.Op, all []rawClaim) error {
	for i, t := range all {
		if slices.ContainsFunc(all[:i], func(u rawClaim) bool { return u.endpoint == t.endpoint }) {
			continue
		}
		if err := o.Tx.Endpoints.Replace(*t.endpoint); err != nil {
			return refusal.Internal("store endpoint", err)
		}
	}
	return nil
}

// claimsOf encodes the payloads and opens the secrets, each once.
func claimsOf(ctx context.Context, p *engine.Program, all []rawClaim,
	now affiliate.Instant) ([]affiliate.Claim, error) {
	secrets, headers, payloads := make(map[uuid.UUID][]affiliate.Secret),
		make(map[uuid.UUID]affiliate.EndpointHeaders), make(map[uuid.UUID][]byte)
	out, sealed := make([]affiliate.Claim, 0, len(all)), []affiliate.Attempt(nil)
	for _, t := range all {
		c := t.claim
		if _, ok := secrets[c.Endpoint]; !ok {
			secrets[c.Endpoint], headers[c.Endpoint] = credentials(ctx, p, t.endpoint, now)
		}
		if _, ok := payloads[t.event]; !ok {
			payloads[t.event] = p.Recent.Encode(t.event, t.payload)
		}
		c.Payload, c.Secrets, c.Headers = payloads[t.event], secrets[c.Endpoint], headers[c.Endpoint]
		if c.Secrets == nil {
			sealed = append(sealed,
				affiliate.Attempt{Delivery: c.Delivery, Token: c.Token, At: now.Time(), URL: c.URL,
					Err: affiliate.FailedSecret})
			continue
		}
		out = append(out, c)
	}
	if err := SettleDeliveries(ctx, p, sealed); err != nil {
		return nil, err // the leases see to the rest
	}
	return out, nil
}

// credentials opens the secrets that sign at this time and the endpoint's own
// headers; it returns no secrets when either fails.
func credentials(ctx context.Context, p *engine.Program, ep *record.Endpoint,
	now affiliate.Instant) ([]affiliate.Secret, affiliate.EndpointHeaders) {
	headers, ok := headersOf(ctx, p, ep)
	if !ok {
		return nil, nil
	}
	return signers(ctx, p, ep, now), headers
}

// signers opens the secrets that sign at a moment; nil when that fails.
func signers(ctx context.Context, p *engine.Program, ep *record.Endpoint, now affiliate.Instant) []affiliate.Secret {
	var out []affiliate.Secret
	for _, s := range ep.Secrets {
		if !signs(s, now) {
			continue
		}
		raw, err := p.Unseal(ctx, s.Value, ep.ID)
		if err != nil {
			return nil
		}
		out = append(out, affiliate.Secret(raw))
	}
	return out
}

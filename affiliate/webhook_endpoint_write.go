package affiliate

import (
	"context"
	"math"

	"github.com/google/uuid"
)

// CreateEndpoint adds an endpoint and returns it with its secret. The endpoint
// gets the events of later changes.
//
// Errors: [MissingField] and [InvalidField] on url, events, description or headers,
// [URLNotAllowed], [WebhookLimitReached] at 50 endpoints.
//
// Effects: the endpoint; no event.
//
// Source: docs/contract.md 4.2.
func (p *Program) CreateEndpoint(ctx context.Context, in NewEndpoint) (_ IssuedEndpoint, err error) {
	defer p.begin(&ctx, "CreateEndpoint", writes).end(&err)
	o := p.op(ctx)
	refused := first(
		p.checkEndpointURL(in.URL),
		checkEventTypes(in.Events),
		optional("description", in.Description, maxName),
		in.Headers.check(),
	)
	secret, err := o.newSecret()
	if err != nil {
		return IssuedEndpoint{}, err
	}
	id := o.Program.ids.Next(o.now.Time()) // before the transaction, since the secret is bound to it
	record, err := o.secretRecord(secret, id)
	if err != nil {
		return IssuedEndpoint{}, err
	}
	headers, err := o.sealHeaders(in.Headers, id)
	if err != nil {
		return IssuedEndpoint{}, err
	}
	rq := request{once: in.Once, name: "webhook.create", input: in, refused: refused, secret: secret}
	return write(o, rq, func() (IssuedEndpoint, error) {
		if err := o.roomForEndpoint(); err != nil {
			return IssuedEndpoint{}, err
		}
		rec := EndpointRecord{
			ID: id, URL: in.URL, Description: in.Description, Events: allTypes(in.Events),
			Active: in.Active.Or(true), SvixHeaders: in.SvixHeaders, Secrets: []SecretRecord{record},
			HeaderNames: in.Headers.Names(), Headers: headers,
			CreatedAt: o.now, UpdatedAt: o.now,
		}
		if !rec.Active {
			rec.disable(DisabledManual, o.now)
		}
		if err := o.tx.Endpoints.Insert(rec); err != nil {
			return IssuedEndpoint{}, internal("create endpoint", err)
		}
		return IssuedEndpoint{Endpoint: endpointOf(rec, o.now), Secret: secret}, nil
	})
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
// Errors: [MissingField] on webhookId, those of [Program.CreateEndpoint],
// [WebhookNotFound].
//
// Effects: the endpoint, and its pending deliveries when it is disabled; no event.
//
// Source: docs/contract.md 4.2.
func (p *Program) UpdateEndpoint(ctx context.Context, id uuid.UUID, up EndpointUpdate) (_ Endpoint, err error) {
	defer p.begin(&ctx, "UpdateEndpoint", writes).end(&err)
	o := p.op(ctx)
	rq := request{name: "webhook.update", input: []any{id, up}, refused: first(p.checkEndpointUpdate(id, up)...)}
	headers, err := o.sealHeaders(up.Headers.Or(nil), id)
	if err != nil {
		return Endpoint{}, err
	}
	more := false // waits than this transaction settles
	ep, err := write(o, rq, func() (Endpoint, error) {
		old, err := o.endpoint(id)
		if err != nil {
			return Endpoint{}, err
		}
		if up.leaksHeaders(old) {
			return Endpoint{}, headersOfAnother.Err()
		}
		rec := up.merged(old, headers, o.now)
		more = rec.Clearing != ""
		if same(old, rec) {
			return endpointOf(old, o.now), nil
		}
		rec.UpdatedAt = later(o.now, rec.UpdatedAt)
		switch {
		case old.Active && !rec.Active:
			err = o.clear(&rec, DeliverySkipped)
		case rec.Active:
			err = o.clearAll(&rec)
		}
		if err != nil {
			return Endpoint{}, err
		}
		if err := o.tx.Endpoints.Replace(rec); err != nil {
			return Endpoint{}, internal("update endpoint", err)
		}
		more = rec.Clearing != ""
		return endpointOf(rec, o.now), nil
	})
	if err == nil && more {
		p.clearRest(ctx, id, math.MaxInt)
	}
	return ep, err
}

// DeleteEndpoint removes an endpoint. Its pending deliveries are canceled; the
// records of all its deliveries stay. When more than 20 are pending, the
// endpoint is disabled first and they are canceled in small transactions. A
// call that is interrupted there leaves the endpoint disabled; repeat it.
//
// Errors: [MissingField] on webhookId, [WebhookNotFound].
//
// Effects: the endpoint and its pending deliveries; no event.
//
// Source: docs/contract.md 4.2.
func (p *Program) DeleteEndpoint(ctx context.Context, id uuid.UUID) (_ DeletedEndpoint, err error) {
	defer p.begin(&ctx, "DeleteEndpoint", writes).end(&err)
	o := p.op(ctx)
	rq := request{name: "webhook.delete", input: id, refused: first(webhookIDRequired.when(id == uuid.Nil))}
	if err := beforehand(o, rq, func() error { return p.clearBefore(ctx, id) }); err != nil {
		return DeletedEndpoint{}, err
	}
	return write(o, rq, func() (DeletedEndpoint, error) {
		rec, err := o.endpoint(id)
		if err != nil {
			return DeletedEndpoint{}, err
		}
		rec.Clearing = DeliveryCanceled
		if err := o.clearAll(&rec); err != nil {
			return DeletedEndpoint{}, err
		}
		if err := o.tx.Endpoints.Delete(id); err != nil {
			return DeletedEndpoint{}, internal("delete endpoint", err)
		}
		return DeletedEndpoint{ID: rec.ID, URL: rec.URL}, nil
	})
}

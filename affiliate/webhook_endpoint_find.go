package affiliate

import (
	"context"
	"slices"

	"github.com/google/uuid"
)

// Endpoint returns an endpoint, without its secret.
//
// Errors: [ErrNotFound].
//
// Source: docs/contract.md 4.2.
func (p *Program) Endpoint(ctx context.Context, id uuid.UUID) (_ Endpoint, err error) {
	defer p.begin(&ctx, "Endpoint", reads).end(&err)
	now := p.now()
	return view(ctx, p, func(o *op) (Endpoint, error) {
		rec, err := o.tx.Endpoints.Get(id)
		if err != nil {
			return Endpoint{}, err
		}
		return endpointOf(rec, now), nil
	})
}

// Endpoints lists the endpoints, newest first, without their secrets.
//
// Errors: [InvalidQuery].
//
// Source: docs/contract.md 4.2.
func (p *Program) Endpoints(ctx context.Context, pg Page) (_ List[Endpoint], err error) {
	defer p.begin(&ctx, "Endpoints", reads).end(&err)
	l, err := p.listing(pg, "webhooks", nil)
	if err != nil {
		return List[Endpoint]{}, err
	}
	now := p.now()
	return view(ctx, p, func(o *op) (List[Endpoint], error) {
		return collect(o.tx.Endpoints, l, func(rec EndpointRecord) (Endpoint, error) {
			return endpointOf(rec, now), nil
		})
	})
}

// endpoint is the endpoint that a write names.
func (o *op) endpoint(id uuid.UUID) (EndpointRecord, error) {
	rec, err := o.tx.Endpoints.Get(id)
	return rec, webhookNotFound.ifMissing(err)
}

// endpointOf is the endpoint as it is answered at a moment.
func endpointOf(rec EndpointRecord, now Instant) Endpoint {
	e := Endpoint{
		ID: rec.ID, URL: rec.URL, Events: emptyNotNil(slices.Clone(rec.Events)), Description: orNull(rec.Description),
		Active: rec.Active, SvixHeaders: rec.SvixHeaders, HeaderNames: emptyNotNil(slices.Clone(rec.HeaderNames)), Status: EndpointDisabled,
		DisabledReason: orNull(rec.DisabledReason), DisabledAt: timeOrNull(rec.DisabledAt),
		FirstFailureAt: timeOrNull(rec.FirstFailureAt), LastSuccessAt: timeOrNull(rec.LastSuccessAt),
		PausedUntil: timeOrNull(rec.PausedUntil), PreviousSecretExpiresAt: timeOrNull(rec.graceEnds(now)),
		CreatedAt: TimeOf(rec.CreatedAt.Time()), UpdatedAt: TimeOf(rec.UpdatedAt.Time()),
	}
	if rec.Active {
		e.Status = EndpointEnabled
	}
	if len(rec.Secrets) > 0 {
		e.SecretHint = rec.Secrets[0].Hint
	}
	return e
}

package delivery

import (
	"context"
	"slices"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/engine"
	"github.com/tributary-go/tributary/internal/refusal"
)

// Endpoint implements tributary.Program.Endpoint.
func Endpoint(ctx context.Context, p *engine.Program, id uuid.UUID) (_ affiliate.Endpoint, err error) {
	defer p.Begin(&ctx, "Endpoint", engine.Reads).End(&err)
	now := p.Now()
	return engine.View(ctx, p, func(o *engine.Op) (affiliate.Endpoint, error) {
		rec, err := o.Tx.Endpoints.Get(id)
		if err != nil {
			return affiliate.Endpoint{}, err
		}
		return endpointOf(rec, now), nil
	})
}

// Endpoints implements tributary.Program.Endpoints.
func Endpoints(ctx context.Context, p *engine.Program, pg affiliate.Page) (_ affiliate.List[affiliate.Endpoint], err error) {
	defer p.Begin(&ctx, "Endpoints", engine.Reads).End(&err)
	l, err := p.Listing(pg, "webhooks", nil)
	if err != nil {
		return affiliate.List[affiliate.Endpoint]{}, err
	}
	now := p.Now()
	return engine.View(ctx, p, func(o *engine.Op) (affiliate.List[affiliate.Endpoint], error) {
		return engine.Collect(o.Tx.Endpoints, l, func(rec record.Endpoint) (affiliate.Endpoint, error) {
			return endpointOf(rec, now), nil
		})
	})
}

// endpoint returns the endpoint that a write names.
func endpoint(o *engine.Op, id uuid.UUID) (record.Endpoint, error) {
	rec, err := o.Tx.Endpoints.Get(id)
	return rec, refusal.WebhookNotFound.IfMissing(err)
}

// endpointOf returns the endpoint as it is answered at a moment.
func endpointOf(rec record.Endpoint, now affiliate.Instant) affiliate.Endpoint {
	e := affiliate.Endpoint{
		ID: rec.ID, URL: rec.URL, Events: refusal.EmptyNotNil(slices.Clone(rec.Events)), Description: engine.OrNull(rec.Description),
		Active: rec.Active, SvixHeaders: rec.SvixHeaders, HeaderNames: refusal.EmptyNotNil(slices.Clone(rec.HeaderNames)), Status: affiliate.EndpointDisabled,
		DisabledReason: engine.OrNull(rec.DisabledReason), DisabledAt: refusal.TimeOrNull(rec.DisabledAt),
		FirstFailureAt: refusal.TimeOrNull(rec.FirstFailureAt), LastSuccessAt: refusal.TimeOrNull(rec.LastSuccessAt),
		PausedUntil: refusal.TimeOrNull(rec.PausedUntil), PreviousSecretExpiresAt: refusal.TimeOrNull(graceEnds(rec, now)),
		CreatedAt: affiliate.TimeOf(rec.CreatedAt.Time()), UpdatedAt: affiliate.TimeOf(rec.UpdatedAt.Time()),
	}
	if rec.Active {
		e.Status = affiliate.EndpointEnabled
	}
	if len(rec.Secrets) > 0 {
		e.SecretHint = rec.Secrets[0].Hint
	}
	return e
}

package delivery

import (
	"context"
	"math"
	"slices"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/engine"
	"github.com/tributary-go/tributary/internal/plaintext"
	"github.com/tributary-go/tributary/internal/refusal"
)

// CreateEndpoint implements tributary.Webhooks.CreateEndpoint.
func CreateEndpoint(ctx context.Context, p *engine.Program,
	in affiliate.EndpointParams) (_ affiliate.IssuedEndpoint, err error) {
	defer p.Begin(&ctx, "CreateEndpoint", engine.Writes).End(&err)
	o := p.Op(ctx)
	refused := refusal.First(
		checkEndpointURL(p, in.URL),
		CheckEventTypes(in.Events),
		refusal.Optional("description", in.Description, refusal.MaxName),
		check(in.Headers),
	)
	secret, err := newSecret(o.Program)
	if err != nil {
		return affiliate.IssuedEndpoint{}, err
	}
	id := o.Program.IDs.Next(o.Now.Time()) // before the transaction, since the secret is bound to it
	kept, err := secretRecord(o.Program, secret, id)
	if err != nil {
		return affiliate.IssuedEndpoint{}, err
	}
	headers, err := sealHeaders(o.Program, in.Headers, id)
	if err != nil {
		return affiliate.IssuedEndpoint{}, err
	}
	rq := engine.Request{Once: in.Once, Name: "webhook.create", Input: in, Refused: refused, Secret: secret}
	return engine.Write(o, rq, func() (affiliate.IssuedEndpoint, error) {
		if err := roomForEndpoint(o); err != nil {
			return affiliate.IssuedEndpoint{}, err
		}
		rec := record.Endpoint{
			ID: id, URL: in.URL, Description: in.Description, Events: allTypes(in.Events),
			Active: in.Active.Or(true), SvixHeaders: in.SvixHeaders, Secrets: []record.Secret{kept},
			HeaderNames: in.Headers.Names(), Headers: headers,
			CreatedAt: o.Now, UpdatedAt: o.Now,
		}
		if !rec.Active {
			disable(&rec, affiliate.DisabledManual, o.Now)
		}
		if err := o.Tx.Endpoints.Insert(rec); err != nil {
			return affiliate.IssuedEndpoint{}, refusal.Internal("create endpoint", err)
		}
		return affiliate.IssuedEndpoint{Endpoint: endpointOf(rec, o.Now), Secret: secret}, nil
	})
}

// UpdateEndpoint implements tributary.Webhooks.UpdateEndpoint.
func UpdateEndpoint(ctx context.Context, p *engine.Program, id uuid.UUID,
	up affiliate.EndpointUpdate) (_ affiliate.Endpoint, err error) {
	defer p.Begin(&ctx, "UpdateEndpoint", engine.Writes).End(&err)
	o := p.Op(ctx)
	rq := engine.Request{Name: "webhook.update", Input: []any{id, up},
		Refused: refusal.First(checkEndpointUpdate(p, id, up)...)}
	headers, err := sealHeaders(o.Program, up.Headers.Or(nil), id)
	if err != nil {
		return affiliate.Endpoint{}, err
	}
	more := false // waits than this transaction settles
	ep, err := engine.Write(o, rq, func() (affiliate.Endpoint, error) {
		old, err := endpoint(o, id)
		if err != nil {
			return affiliate.Endpoint{}, err
		}
		if leaksHeaders(up, old) {
			return affiliate.Endpoint{}, refusal.HeadersOfAnother.Err()
		}
		rec := merged(up, old, headers, o.Now)
		more = rec.Clearing != ""
		if engine.Same(old, rec) {
			return endpointOf(old, o.Now), nil
		}
		rec.UpdatedAt = engine.Later(o.Now, rec.UpdatedAt)
		switch {
		case old.Active && !rec.Active:
			err = clearIn(o, &rec, affiliate.DeliverySkipped)
		case rec.Active:
			err = clearAll(o, &rec)
		}
		if err != nil {
			return affiliate.Endpoint{}, err
		}
		if err := o.Tx.Endpoints.Replace(rec); err != nil {
			return affiliate.Endpoint{}, refusal.Internal("update endpoint", err)
		}
		more = rec.Clearing != ""
		return endpointOf(rec, o.Now), nil
	})
	if err == nil && more {
		clearRest(ctx, p, id, math.MaxInt)
	}
	return ep, err
}

// DeleteEndpoint implements tributary.Webhooks.DeleteEndpoint.
func DeleteEndpoint(ctx context.Context, p *engine.Program, id uuid.UUID) (_ affiliate.DeletedEndpoint, err error) {
	defer p.Begin(&ctx, "DeleteEndpoint", engine.Writes).End(&err)
	o := p.Op(ctx)
	rq := engine.Request{Name: "webhook.delete", Input: id,
		Refused: refusal.First(refusal.WebhookIDRequired.When(id == uuid.Nil))}
	if err := engine.Beforehand(o, rq, func() error { return clearBefore(ctx, p, id) }); err != nil {
		return affiliate.DeletedEndpoint{}, err
	}
	return engine.Write(o, rq, func() (affiliate.DeletedEndpoint, error) {
		rec, err := endpoint(o, id)
		if err != nil {
			return affiliate.DeletedEndpoint{}, err
		}
		rec.Clearing = affiliate.DeliveryCanceled
		if err := clearAll(o, &rec); err != nil {
			return affiliate.DeletedEndpoint{}, err
		}
		if err := o.Tx.Endpoints.Delete(id); err != nil {
			return affiliate.DeletedEndpoint{}, refusal.Internal("delete endpoint", err)
		}
		return affiliate.DeletedEndpoint{ID: rec.ID, URL: rec.URL}, nil
	})
}

func roomForEndpoint(o *engine.Op) error {
	n, err := engine.CountUpTo(o.Tx.Endpoints, record.Key{}, MaxEndpoints)
	if err != nil {
		return refusal.Internal("count endpoints", err)
	}
	if n == MaxEndpoints {
		return refusal.WebhookLimitReached.Err()
	}
	return nil
}

func checkEndpointURL(p *engine.Program, raw string) *affiliate.Error {
	if plaintext.Blank(raw) {
		return refusal.URLRequired.Err()
	}
	return refusal.BadURL(p.Cfg.Addresses, raw)
}

// AllEvents subscribes to every type.
const AllEvents affiliate.EventType = "*"

func CheckEventTypes(types []affiliate.EventType) *affiliate.Error {
	if len(types) == 0 {
		return refusal.EventsRequired.Err()
	}
	for _, typ := range allTypes(types) {
		if !typ.Known() {
			return refusal.EventTypeUnknown.Of(string(typ))
		}
	}
	for i, typ := range types {
		if slices.Contains(types[:i], typ) {
			return refusal.EventTypeDuplicate.Of(string(typ))
		}
	}
	return nil
}

// allTypes returns a copy of a subscription, with * written out.
func allTypes(types []affiliate.EventType) []affiliate.EventType {
	if len(types) == 1 && types[0] == AllEvents {
		return affiliate.EventTypes()
	}
	return slices.Clone(types)
}

// checkEndpointUpdate lists what is wrong with an update, in the contract's
// order. It does not check an unchanged URL again: after a policy was tightened,
// it must still be possible to disable an endpoint.
func checkEndpointUpdate(p *engine.Program, id uuid.UUID, up affiliate.EndpointUpdate) []*affiliate.Error {
	var errs []*affiliate.Error
	if id == uuid.Nil {
		errs = append(errs, refusal.WebhookIDRequired.Err())
	}
	errs = append(errs, refusal.NotCleared("url", up.URL), engine.NotBlank("url", up.URL))
	if raw, ok := up.URL.Get(); ok {
		errs = append(errs, checkEndpointURL(p, raw))
	}
	errs = append(errs, refusal.NotCleared("events", up.Events))
	if types, ok := up.Events.Get(); ok {
		errs = append(errs, CheckEventTypes(types))
	}
	return append(errs,
		refusal.Given("description", up.Description, refusal.MaxName),
		refusal.NotCleared("active", up.Active),
		refusal.NotCleared("svixHeaders", up.SvixHeaders),
		check(up.Headers.Or(nil)),
	)
}

// merged returns the endpoint after the update, with its own headers as they are
// stored.
func merged(up affiliate.EndpointUpdate, rec record.Endpoint, headers []byte, now affiliate.Instant) record.Endpoint {
	if !up.Headers.IsZero() {
		rec.HeaderNames, rec.Headers = up.Headers.Or(nil).Names(), headers
	}
	if url := up.URL.Or(rec.URL); url != rec.URL {
		rec.URL, rec.AnsweredAt = url, affiliate.Instant{} // another receiver
	}
	rec.SvixHeaders = up.SvixHeaders.Or(rec.SvixHeaders)
	if types, ok := up.Events.Get(); ok {
		rec.Events = allTypes(types)
	}
	refusal.SetText(&rec.Description, up.Description)
	switch active := up.Active.Or(rec.Active); {
	case active && !rec.Active:
		enable(&rec)
	case !active && rec.Active:
		disable(&rec, affiliate.DisabledManual, now)
	}
	return rec
}

// disable stops deliveries to the endpoint.
func disable(r *record.Endpoint, why affiliate.DisabledReason, now affiliate.Instant) {
	r.Active, r.DisabledReason, r.DisabledAt = false, why, now
}

// enable starts deliveries again and resets the endpoint's health.
func enable(r *record.Endpoint) {
	r.Active, r.DisabledReason, r.DisabledAt = true, "", affiliate.Instant{}
	r.FirstFailureAt, r.PausedUntil, r.AnsweredAt = affiliate.Instant{}, affiliate.Instant{}, affiliate.Instant{}
	r.Warned, r.Dead = false, false
}

// Endpoint implements tributary.Webhooks.Endpoint.
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

// Endpoints implements tributary.Webhooks.Endpoints.
func Endpoints(ctx context.Context, p *engine.Program,
	pg affiliate.Page) (_ affiliate.List[affiliate.Endpoint], err error) {
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
		ID: rec.ID, URL: rec.URL, Events: refusal.EmptyNotNil(slices.Clone(rec.Events)),
		Description: engine.OrNull(rec.Description), Active: rec.Active,
		SvixHeaders: rec.SvixHeaders,
		HeaderNames: refusal.EmptyNotNil(slices.Clone(rec.HeaderNames)),
		Status:      affiliate.EndpointDisabled, DisabledReason: engine.OrNull(rec.DisabledReason),
		DisabledAt:              refusal.TimeOrNull(rec.DisabledAt),
		FirstFailureAt:          refusal.TimeOrNull(rec.FirstFailureAt),
		LastSuccessAt:           refusal.TimeOrNull(rec.LastSuccessAt),
		PausedUntil:             refusal.TimeOrNull(rec.PausedUntil),
		PreviousSecretExpiresAt: refusal.TimeOrNull(graceEnds(rec, now)),
		CreatedAt:               affiliate.TimeOf(rec.CreatedAt.Time()),
		UpdatedAt:               affiliate.TimeOf(rec.UpdatedAt.Time()),
	}
	if rec.Active {
		e.Status = affiliate.EndpointEnabled
	}
	if len(rec.Secrets) > 0 {
		e.SecretHint = rec.Secrets[0].Hint
	}
	return e
}

// MaxEndpoints is the largest number of endpoints of a program, because every
// event walks all of them.
const MaxEndpoints = 50

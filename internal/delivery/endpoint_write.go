package delivery

import (
	"context"
	"math"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/engine"
	"github.com/tributary-go/tributary/internal/refusal"
)

// CreateEndpoint implements tributary.Program.CreateEndpoint.
func CreateEndpoint(ctx context.Context, p *engine.Program, in affiliate.NewEndpoint) (_ affiliate.IssuedEndpoint, err error) {
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

// UpdateEndpoint implements tributary.Program.UpdateEndpoint.
func UpdateEndpoint(ctx context.Context, p *engine.Program, id uuid.UUID, up affiliate.EndpointUpdate) (_ affiliate.Endpoint, err error) {
	defer p.Begin(&ctx, "UpdateEndpoint", engine.Writes).End(&err)
	o := p.Op(ctx)
	rq := engine.Request{Name: "webhook.update", Input: []any{id, up}, Refused: refusal.First(checkEndpointUpdate(p, id, up)...)}
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

// DeleteEndpoint implements tributary.Program.DeleteEndpoint.
func DeleteEndpoint(ctx context.Context, p *engine.Program, id uuid.UUID) (_ affiliate.DeletedEndpoint, err error) {
	defer p.Begin(&ctx, "DeleteEndpoint", engine.Writes).End(&err)
	o := p.Op(ctx)
	rq := engine.Request{Name: "webhook.delete", Input: id, Refused: refusal.First(refusal.WebhookIDRequired.When(id == uuid.Nil))}
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

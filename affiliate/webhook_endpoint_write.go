package affiliate

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"math"
	"slices"
	"time"

	"github.com/google/uuid"
)

// maxEndpoints bounds the endpoints of a program: every event looks at all.
const maxEndpoints = 50

// An Endpoint is a URL of a receiver with the event types it wants.
//
// Source: docs/contract.md 2.12.
type Endpoint struct {
	ID                      uuid.UUID           `json:"id"`
	URL                     string              `json:"url"`
	Events                  []EventType         `json:"events"`
	Description             Opt[string]         `json:"description"`
	Active                  bool                `json:"active"`
	SvixHeaders             bool                `json:"svixHeaders"` // the signature headers again under svix-* names
	Status                  EndpointStatus      `json:"status"`      // in step with active
	DisabledReason          Opt[DisabledReason] `json:"disabledReason"`
	DisabledAt              Opt[Time]           `json:"disabledAt"`
	FirstFailureAt          Opt[Time]           `json:"firstFailureAt"` // since when every attempt has failed
	LastSuccessAt           Opt[Time]           `json:"lastSuccessAt"`
	PausedUntil             Opt[Time]           `json:"pausedUntil"`
	SecretHint              string              `json:"secretHint"`              // last 4 characters of the newest secret
	PreviousSecretExpiresAt Opt[Time]           `json:"previousSecretExpiresAt"` // until then an older secret signs too
	CreatedAt               Time                `json:"createdAt"`
	UpdatedAt               Time                `json:"updatedAt"`
}

// An IssuedEndpoint is an endpoint with the secret that was just made for it:
// the only time it is shown. Its JSON is the answer on the wire and therefore
// holds the secret in clear; printed or logged by itself it does not.
type IssuedEndpoint struct {
	Endpoint
	Secret Secret `json:"secret"`
}

// MarshalJSON writes the endpoint with its secret in clear.
func (e IssuedEndpoint) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Endpoint
		Secret string `json:"secret"`
	}{e.Endpoint, e.Secret.Reveal()})
}

// Format writes the endpoint with its secret masked. Without it, a verb that
// does not fit a struct would print the fields as they are.
func (e IssuedEndpoint) Format(f fmt.State, verb rune) {
	fmt.Fprintf(f, fmt.FormatString(f, verb), struct {
		Endpoint
		Secret string
	}{e.Endpoint, e.Secret.String()})
}

// LogValue is the endpoint without its secret.
func (e IssuedEndpoint) LogValue() slog.Value { return slog.AnyValue(e.Endpoint) }

// NewEndpoint is the input of [Program.CreateEndpoint]. URL and Events are
// required.
type NewEndpoint struct {
	Once        `json:"-"`
	URL         string      `json:"url"`                  // https, ≤ 2,048 bytes; see [AddressPolicy.CheckURL]
	Events      []EventType `json:"events"`               // 1–15 distinct types; "*" alone: all of them
	Description string      `json:"description,omitzero"` // 1–255 characters
	Active      Opt[bool]   `json:"active,omitzero"`      // not given: true
	SvixHeaders bool        `json:"svixHeaders,omitzero"`
}

// EndpointUpdate is the input of [Program.UpdateEndpoint]; what is not given
// stays.
type EndpointUpdate struct {
	URL         Opt[string]      `json:"url,omitzero"` // pending deliveries go there from their next attempt on
	Events      Opt[[]EventType] `json:"events,omitzero"`
	Description Opt[string]      `json:"description,omitzero"`
	Active      Opt[bool]        `json:"active,omitzero"` // true: enables a disabled endpoint again
	SvixHeaders Opt[bool]        `json:"svixHeaders,omitzero"`
}

// DeletedEndpoint is what is left of a deleted endpoint.
type DeletedEndpoint struct {
	ID  uuid.UUID `json:"id"`
	URL string    `json:"url"`
}

// Endpoint returns an endpoint, without its secret.
//
// Errors: [ErrNotFound].
//
// Source: docs/contract.md 4.2.
func (p *Program) Endpoint(ctx context.Context, id uuid.UUID) (Endpoint, error) {
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
func (p *Program) Endpoints(ctx context.Context, pg Page) (List[Endpoint], error) {
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

// CreateEndpoint adds an endpoint, which gets the events of later changes, and
// answers it with its secret.
//
// Errors: [MissingField] and [InvalidField] on url, events or description,
// [URLNotAllowed], [WebhookLimitReached] at 50 endpoints.
//
// Effects: the endpoint; no event.
//
// Source: docs/contract.md 4.2.
func (p *Program) CreateEndpoint(ctx context.Context, in NewEndpoint) (IssuedEndpoint, error) {
	o := p.op(ctx)
	refused := first(
		p.checkEndpointURL(in.URL),
		checkEventTypes(in.Events),
		optional("description", in.Description, maxName),
	)
	secret, err := o.newSecret()
	if err != nil {
		return IssuedEndpoint{}, err
	}
	id := o.Program.ids.next(o.now) // before the transaction, since the secret is bound to it
	record, err := o.secretRecord(secret, id)
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

// UpdateEndpoint changes an endpoint. A new URL holds from the next attempt of
// pending deliveries on, a new subscription for later events. Active false
// disables it by hand: its pending deliveries become skipped and can be
// replayed. Active true enables a disabled one and clears its health; it sends
// nothing by itself. Many pending deliveries are settled in small transactions
// behind the one that disables the endpoint; after it none of them is sent.
//
// Errors: [MissingField] on webhookId, those of [Program.CreateEndpoint],
// [WebhookNotFound].
//
// Effects: the endpoint, and its pending deliveries when it is disabled; no event.
//
// Source: docs/contract.md 4.2.
func (p *Program) UpdateEndpoint(ctx context.Context, id uuid.UUID, up EndpointUpdate) (Endpoint, error) {
	o := p.op(ctx)
	rq := request{name: "webhook.update", input: []any{id, up}, refused: first(p.checkEndpointUpdate(id, up)...)}
	more := false // waits than this transaction settles
	ep, err := write(o, rq, func() (Endpoint, error) {
		old, err := o.endpoint(id)
		if err != nil {
			return Endpoint{}, err
		}
		rec := up.apply(old, o.now)
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
// records of all its deliveries stay. Where more than 20 wait, the endpoint is
// disabled first and they are canceled in small transactions: a call that is
// cut off there leaves it disabled, and is to be repeated.
//
// Errors: [MissingField] on webhookId, [WebhookNotFound].
//
// Effects: the endpoint and its pending deliveries; no event.
//
// Source: docs/contract.md 4.2.
func (p *Program) DeleteEndpoint(ctx context.Context, id uuid.UUID) (DeletedEndpoint, error) {
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

// endpoint is the endpoint that a write names.
func (o *op) endpoint(id uuid.UUID) (EndpointRecord, error) {
	rec, err := o.tx.Endpoints.Get(id)
	return rec, webhookNotFound.orOther(err)
}

func (o *op) roomForEndpoint() error {
	n := 0
	for _, err := range o.tx.Endpoints.List(Query{Limit: maxEndpoints}) {
		if err != nil {
			return internal("count endpoints", err)
		}
		n++
	}
	if n == maxEndpoints {
		return webhookLimitReached.err()
	}
	return nil
}

func (p *Program) checkEndpointURL(raw string) *Error {
	if blank(raw) {
		return urlRequired.err()
	}
	return p.cfg.Addresses.checkURL(raw)
}

// allEvents subscribes to every type.
const allEvents EventType = "*"

func checkEventTypes(types []EventType) *Error {
	if len(types) == 0 {
		return eventsRequired.err()
	}
	for _, typ := range allTypes(types) {
		if !typ.Known() {
			return eventTypeUnknown.with(string(typ))
		}
	}
	for i, typ := range types {
		if slices.Contains(types[:i], typ) {
			return eventTypeDuplicate.with(string(typ))
		}
	}
	return nil
}

// allTypes is a copy of a subscription, with * written out.
func allTypes(types []EventType) []EventType {
	if len(types) == 1 && types[0] == allEvents {
		return EventTypes()
	}
	return slices.Clone(types)
}

// checkEndpointUpdate lists what is wrong with an update, in the contract's
// order. A URL that stays is not checked again: a tightened policy must not
// keep anybody from disabling an endpoint.
func (p *Program) checkEndpointUpdate(id uuid.UUID, up EndpointUpdate) []*Error {
	var errs []*Error
	if id == uuid.Nil {
		errs = append(errs, webhookIDRequired.err())
	}
	errs = append(errs, notCleared("url", up.URL))
	if raw, ok := up.URL.Get(); ok {
		errs = append(errs, p.checkEndpointURL(raw))
	}
	errs = append(errs, notCleared("events", up.Events))
	if types, ok := up.Events.Get(); ok {
		errs = append(errs, checkEventTypes(types))
	}
	return append(errs,
		given("description", up.Description, maxName),
		notCleared("active", up.Active),
		notCleared("svixHeaders", up.SvixHeaders),
	)
}

// apply is the endpoint after the update.
func (up EndpointUpdate) apply(rec EndpointRecord, now time.Time) EndpointRecord {
	if url := up.URL.Or(rec.URL); url != rec.URL {
		rec.URL, rec.AnsweredAt = url, time.Time{} // another receiver
	}
	rec.SvixHeaders = up.SvixHeaders.Or(rec.SvixHeaders)
	if types, ok := up.Events.Get(); ok {
		rec.Events = allTypes(types)
	}
	setText(&rec.Description, up.Description)
	switch active := up.Active.Or(rec.Active); {
	case active && !rec.Active:
		rec.enable()
	case !active && rec.Active:
		rec.disable(DisabledManual, now)
	}
	return rec
}

// disable stops deliveries to the endpoint.
func (r *EndpointRecord) disable(why DisabledReason, now time.Time) {
	r.Active, r.DisabledReason, r.DisabledAt = false, why, now
}

// enable starts deliveries again, with a clean slate.
func (r *EndpointRecord) enable() {
	r.Active, r.DisabledReason, r.DisabledAt = true, "", time.Time{}
	r.FirstFailureAt, r.PausedUntil, r.AnsweredAt = time.Time{}, time.Time{}, time.Time{}
	r.Warned, r.Dead = false, false
}

// endpointOf is the endpoint as it is answered at a moment.
func endpointOf(rec EndpointRecord, now time.Time) Endpoint {
	e := Endpoint{
		ID: rec.ID, URL: rec.URL, Events: emptyNotNil(slices.Clone(rec.Events)), Description: orNull(rec.Description),
		Active: rec.Active, SvixHeaders: rec.SvixHeaders, Status: EndpointDisabled,
		DisabledReason: orNull(rec.DisabledReason), DisabledAt: timeOrNull(rec.DisabledAt),
		FirstFailureAt: timeOrNull(rec.FirstFailureAt), LastSuccessAt: timeOrNull(rec.LastSuccessAt),
		PausedUntil: timeOrNull(rec.PausedUntil), PreviousSecretExpiresAt: timeOrNull(rec.graceEnds(now)),
		CreatedAt: TimeOf(rec.CreatedAt), UpdatedAt: TimeOf(rec.UpdatedAt),
	}
	if rec.Active {
		e.Status = EndpointEnabled
	}
	if len(rec.Secrets) > 0 {
		e.SecretHint = rec.Secrets[0].Hint
	}
	return e
}

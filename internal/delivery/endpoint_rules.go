package delivery

import (
	"slices"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/engine"
	"github.com/tributary-go/tributary/internal/plaintext"
	"github.com/tributary-go/tributary/internal/refusal"
)

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

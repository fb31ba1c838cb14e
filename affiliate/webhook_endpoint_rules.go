package affiliate

import (
	"slices"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/internal/plaintext"
)

func (o *op) roomForEndpoint() error {
	n, err := countUpTo(o.tx.Endpoints, Key{}, maxEndpoints)
	if err != nil {
		return internal("count endpoints", err)
	}
	if n == maxEndpoints {
		return webhookLimitReached.Err()
	}
	return nil
}

func (p *Program) checkEndpointURL(raw string) *Error {
	if plaintext.Blank(raw) {
		return urlRequired.Err()
	}
	return p.cfg.Addresses.checkURL(raw)
}

// allEvents subscribes to every type.
const allEvents EventType = "*"

func checkEventTypes(types []EventType) *Error {
	if len(types) == 0 {
		return eventsRequired.Err()
	}
	for _, typ := range allTypes(types) {
		if !typ.Known() {
			return eventTypeUnknown.Of(string(typ))
		}
	}
	for i, typ := range types {
		if slices.Contains(types[:i], typ) {
			return eventTypeDuplicate.Of(string(typ))
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
		errs = append(errs, webhookIDRequired.Err())
	}
	errs = append(errs, notCleared("url", up.URL), notBlank("url", up.URL))
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
		up.Headers.Or(nil).check(),
	)
}

// merged is the endpoint after the update, with its own headers as they are
// stored.
func (up EndpointUpdate) merged(rec EndpointRecord, headers []byte, now Instant) EndpointRecord {
	if !up.Headers.IsZero() {
		rec.HeaderNames, rec.Headers = up.Headers.Or(nil).Names(), headers
	}
	if url := up.URL.Or(rec.URL); url != rec.URL {
		rec.URL, rec.AnsweredAt = url, Instant{} // another receiver
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
func (r *EndpointRecord) disable(why DisabledReason, now Instant) {
	r.Active, r.DisabledReason, r.DisabledAt = false, why, now
}

// enable starts deliveries again, with a clean slate.
func (r *EndpointRecord) enable() {
	r.Active, r.DisabledReason, r.DisabledAt = true, "", Instant{}
	r.FirstFailureAt, r.PausedUntil, r.AnsweredAt = Instant{}, Instant{}, Instant{}
	r.Warned, r.Dead = false, false
}

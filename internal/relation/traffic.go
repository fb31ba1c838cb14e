package relation

import (
	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
)

// receiptFields describe receipts.
func receiptFields() []field[record.Receipt] {
	return []field[record.Receipt]{
		id("id", "the receipt", func(r *record.Receipt) *uuid.UUID { return &r.ID }),
		text("request_key", "the host's key", func(r *record.Receipt) *string { return &r.Key }).key(record.ByRequest),
		digest("digest", "of the request", func(r *record.Receipt) *[32]uint8 { return &r.Digest }),
		answer("answer", "JSON of the answer; NULL: it was empty, or a refusal", func(r *record.Receipt) *record.StoredAnswer { return &r.Answer }),
		flag("sealed", "the answer holds a secret, which is masked in it", func(r *record.Receipt) *bool { return &r.Sealed }),
		blob("secret", "the sealed secret; NULL: none", func(r *record.Receipt) *[]uint8 { return &r.Secret }),
		text("outcome", "of a sale", func(r *record.Receipt) *string { return &r.Outcome }),
		blob("refusal", "JSON of the error; NULL: it was no refusal", func(r *record.Receipt) *[]uint8 { return &r.Refusal }),
		at("created_at", "when it was answered", func(r *record.Receipt) *affiliate.Instant { return &r.CreatedAt }),
	}
}

// endpointFields describe endpoints.
func endpointFields() []field[record.Endpoint] {
	return []field[record.Endpoint]{
		id("id", "the webhook", func(r *record.Endpoint) *uuid.UUID { return &r.ID }),
		text("url", "where deliveries go", func(r *record.Endpoint) *string { return &r.URL }),
		text("description", "as people see it", func(r *record.Endpoint) *string { return &r.Description }),
		list("events", "a list of types of events", func(r *record.Endpoint) *[]affiliate.EventType { return &r.Events }),
		flag("active", "it gets deliveries", func(r *record.Endpoint) *bool { return &r.Active }),
		flag("svix_headers", "deliveries also have the headers of svix", func(r *record.Endpoint) *bool { return &r.SvixHeaders }),
		listAs("secrets", "the sealed signing secrets, newest first: a list of {value, hint, expires_at}", func(r *record.Endpoint) *[]record.Secret { return &r.Secrets }, func(v record.Secret) secret { return secret(v) }, func(v secret) record.Secret { return record.Secret(v) }),
		list("header_names", "of its own headers: a list of texts", func(r *record.Endpoint) *[]string { return &r.HeaderNames }),
		blob("headers", "its own headers, sealed; NULL: none", func(r *record.Endpoint) *[]uint8 { return &r.Headers }),
		text("disabled_reason", "why it is not active; empty: it is, or a person said so", func(r *record.Endpoint) *affiliate.DisabledReason { return &r.DisabledReason }),
		optAt("disabled_at", "since when; NULL: it is not", func(r *record.Endpoint) *affiliate.Instant { return &r.DisabledAt }),
		optAt("first_failure_at", "since when all attempts have failed; NULL: they did not", func(r *record.Endpoint) *affiliate.Instant { return &r.FirstFailureAt }),
		optAt("last_success_at", "the last delivery", func(r *record.Endpoint) *affiliate.Instant { return &r.LastSuccessAt }),
		optAt("answered_at", "when the last attempt got any answer; NULL: it got none", func(r *record.Endpoint) *affiliate.Instant { return &r.AnsweredAt }),
		optAt("worked_at", "the time of the last claim, settlement or replay", func(r *record.Endpoint) *affiliate.Instant { return &r.WorkedAt }),
		optAt("paused_until", "no attempt is made before; NULL: none is asked for", func(r *record.Endpoint) *affiliate.Instant { return &r.PausedUntil }),
		flag("warned", "the host was told that it only fails", func(r *record.Endpoint) *bool { return &r.Warned }),
		flag("dead", "a delivery has failed for good since first_failure_at", func(r *record.Endpoint) *bool { return &r.Dead }),
		listAs("in_flight", "attempts under way: a list of {token, object_id, again, since, until}", func(r *record.Endpoint) *[]record.Flight { return &r.InFlight }, func(v record.Flight) flight { return flight(v) }, func(v flight) record.Flight { return record.Flight(v) }),
		text("clearing", "the state that its pending deliveries get; empty: none is pending", func(r *record.Endpoint) *affiliate.DeliveryState { return &r.Clearing }),
		at("created_at", "when it was recorded", func(r *record.Endpoint) *affiliate.Instant { return &r.CreatedAt }),
		at("updated_at", "when it last changed", func(r *record.Endpoint) *affiliate.Instant { return &r.UpdatedAt }),
	}
}

// eventFields describe events.
func eventFields() []field[record.Event] {
	return []field[record.Event]{
		id("id", "the event; on the wire evt_ and its digits", func(r *record.Event) *uuid.UUID { return &r.ID }),
		text("type", "such as sale.created", func(r *record.Event) *affiliate.EventType { return &r.Type }),
		id("object_id", "the record that changed", func(r *record.Event) *uuid.UUID { return &r.ObjectID }).key(record.OfObject),
		integer("sale_id", "of a sale; 0: of another object", func(r *record.Event) *int64 { return &r.Number }),
		integer("revision", "of the object, from 1", func(r *record.Event) *int64 { return &r.Revision }),
		at("occurred_at", "when it changed", func(r *record.Event) *affiliate.Instant { return &r.OccurredAt }),
		payload("payload", "the JSON that receivers get, byte for byte; NULL: somebody in it was erased", func(r *record.Event) *record.Payload { return &r.Payload }),
	}
}

// deliveryFields describe deliveries.
func deliveryFields() []field[record.Delivery] {
	return []field[record.Delivery]{
		id("id", "the delivery", func(r *record.Delivery) *uuid.UUID { return &r.ID }),
		id("event_id", "the event", func(r *record.Delivery) *uuid.UUID { return &r.EventID }).key(record.OfEvent),
		id("webhook_id", "the webhook", func(r *record.Delivery) *uuid.UUID { return &r.EndpointID }).key(record.OfEndpoint),
		text("type", "of the event", func(r *record.Delivery) *affiliate.EventType { return &r.Type }),
		text("state", "pending, delivered, failed, skipped or canceled", func(r *record.Delivery) *affiliate.DeliveryState { return &r.State }).key(record.OfState),
		listAs("attempts", "oldest first: a list of {at, manual, url, status, took, error, response}; took is in nanoseconds", func(r *record.Delivery) *[]record.Attempt { return &r.Attempts }, func(v record.Attempt) attempt { return attempt(v) }, func(v attempt) record.Attempt { return record.Attempt(v) }),
		optAt("next_attempt_at", "while pending", func(r *record.Delivery) *affiliate.Instant { return &r.NextAttemptAt }),
		at("created_at", "when it was recorded", func(r *record.Delivery) *affiliate.Instant { return &r.CreatedAt }),
		at("updated_at", "when it last changed", func(r *record.Delivery) *affiliate.Instant { return &r.UpdatedAt }),
	}
}

// queueFields describe queue.
func queueFields() []field[record.Queue] {
	return []field[record.Queue]{
		id("id", "begins with the time at which it is due", func(r *record.Queue) *uuid.UUID { return &r.ID }),
		id("delivery_id", "the delivery", func(r *record.Queue) *uuid.UUID { return &r.DeliveryID }).key(record.ByDelivery),
		id("webhook_id", "the webhook", func(r *record.Queue) *uuid.UUID { return &r.EndpointID }).key(record.OfEndpoint),
		id("object_id", "the record that changed", func(r *record.Queue) *uuid.UUID { return &r.ObjectID }),
		integer("revision", "of the event", func(r *record.Queue) *int64 { return &r.Revision }),
		optAt("since", "when it began to wait; NULL: for no time", func(r *record.Queue) *affiliate.Instant { return &r.Since }),
		ref("token", "of the claim that holds it; NULL: none", func(r *record.Queue) *uuid.UUID { return &r.Token }),
		flag("tried", "an attempt was made before", func(r *record.Queue) *bool { return &r.Tried }),
		flag("manual", "the next attempt is a replay", func(r *record.Queue) *bool { return &r.Manual }),
	}
}

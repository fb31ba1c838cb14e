package relation

import (
	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
)

// receiptFields describe receipts.
func receiptFields() []field[record.Receipt] {
	return []field[record.Receipt]{
		id("id", "of the row", func(r *record.Receipt) *uuid.UUID { return &r.ID }),
		text("idempotency_key", "the key that the caller chose", func(r *record.Receipt) *string { return &r.Key }).key(record.ByRequest),
		digest("digest", "SHA-256 of the request", func(r *record.Receipt) *[32]uint8 { return &r.Digest }),
		payload("answer", "JSON of the answer, byte for byte; NULL: a refusal", func(r *record.Receipt) *record.Payload { return &r.Answer }),
		flag("sealed", "the answer holds a secret, which is masked in it", func(r *record.Receipt) *bool { return &r.Sealed }),
		blob("secret", "the sealed secret", func(r *record.Receipt) *[]uint8 { return &r.Secret }),
		text("outcome", "of a sale: recorded, duplicate, redeemed, unattributed or inactive-customer; empty: of another request", func(r *record.Receipt) *string { return &r.Outcome }),
		blob("refusal", "JSON of the error; NULL: it was no refusal", func(r *record.Receipt) *[]uint8 { return &r.Refusal }),
		at("created_at", "when it was answered", func(r *record.Receipt) *affiliate.Instant { return &r.CreatedAt }),
	}
}

// endpointFields describe endpoints.
func endpointFields() []field[record.Endpoint] {
	return []field[record.Endpoint]{
		id("id", "of the row", func(r *record.Endpoint) *uuid.UUID { return &r.ID }),
		text("url", "where deliveries go", func(r *record.Endpoint) *string { return &r.URL }),
		text("description", "as people see it", func(r *record.Endpoint) *string { return &r.Description }),
		list("events", "the types of events that it gets: texts", func(r *record.Endpoint) *[]affiliate.EventType { return &r.Events }),
		flag("active", "it gets deliveries", func(r *record.Endpoint) *bool { return &r.Active }),
		flag("svix_headers", "deliveries have the signature headers under their svix names too", func(r *record.Endpoint) *bool { return &r.SvixHeaders }),
		listAs("secrets", "signing secrets, newest first: {value, hint, expires_at}; value is sealed, in base64; hint: its last four characters in clear", func(r *record.Endpoint) *[]record.Secret { return &r.Secrets }, secretOf, secret.value),
		list("header_names", "of its own headers, sorted: texts", func(r *record.Endpoint) *[]string { return &r.HeaderNames }),
		blob("headers", "its own headers, sealed", func(r *record.Endpoint) *[]uint8 { return &r.Headers }),
		text("disabled_reason", "why it is not active: manual, gone (it answered 410) or failing", func(r *record.Endpoint) *affiliate.DisabledReason { return &r.DisabledReason }),
		optAt("disabled_at", "since when it is not active", func(r *record.Endpoint) *affiliate.Instant { return &r.DisabledAt }),
		optAt("first_failure_at", "since when all attempts have failed", func(r *record.Endpoint) *affiliate.Instant { return &r.FirstFailureAt }),
		optAt("last_success_at", "the last attempt that succeeded", func(r *record.Endpoint) *affiliate.Instant { return &r.LastSuccessAt }),
		optAt("answered_at", "when the last attempt got any answer", func(r *record.Endpoint) *affiliate.Instant { return &r.AnsweredAt }),
		optAt("worked_at", "the last claim, settlement or replay", func(r *record.Endpoint) *affiliate.Instant { return &r.WorkedAt }),
		optAt("paused_until", "no attempt is made before, as its answers asked", func(r *record.Endpoint) *affiliate.Instant { return &r.PausedUntil }),
		flag("warned", "the host was told that it only fails", func(r *record.Endpoint) *bool { return &r.Warned }),
		flag("dead", "a delivery has failed for good since first_failure_at", func(r *record.Endpoint) *bool { return &r.Dead }),
		listAs("in_flight", "attempts under way, oldest first: {token, object_id, again, since, until}; since and until are the lease", func(r *record.Endpoint) *[]record.Flight { return &r.InFlight }, flightOf, flight.value),
		text("clearing", "what its pending deliveries become once it is disabled or deleted: skipped or canceled", func(r *record.Endpoint) *affiliate.DeliveryState { return &r.Clearing }),
		at("created_at", "when it was recorded", func(r *record.Endpoint) *affiliate.Instant { return &r.CreatedAt }),
		at("updated_at", "when it last changed", func(r *record.Endpoint) *affiliate.Instant { return &r.UpdatedAt }),
	}
}

// eventFields describe events.
func eventFields() []field[record.Event] {
	return []field[record.Event]{
		id("id", "the event; on the wire evt_ and its digits", func(r *record.Event) *uuid.UUID { return &r.ID }),
		text("event", "its type, such as sale.created", func(r *record.Event) *affiliate.EventType { return &r.Type }),
		id("object_id", "id of the record that changed (sales.id of a sale)", func(r *record.Event) *uuid.UUID { return &r.ObjectID }).key(record.OfObject),
		optInteger("sale_id", "the sale that changed; NULL: another object", func(r *record.Event) *int64 { return &r.Number }),
		integer("revision", "of the object, from 1", func(r *record.Event) *int64 { return &r.Revision }),
		at("occurred_at", "when it changed", func(r *record.Event) *affiliate.Instant { return &r.OccurredAt }),
		text("actor", "who changed it: a person, an API key", func(r *record.Event) *string { return &r.Actor }),
		text("reason", "why, in the words of who changed it", func(r *record.Event) *string { return &r.Reason }),
		payload("payload", "the JSON that receivers get, byte for byte", func(r *record.Event) *record.Payload { return &r.Payload }),
	}
}

// deliveryFields describe deliveries.
func deliveryFields() []field[record.Delivery] {
	return []field[record.Delivery]{
		id("id", "of the row", func(r *record.Delivery) *uuid.UUID { return &r.ID }),
		id("event_id", "the event", func(r *record.Delivery) *uuid.UUID { return &r.EventID }).key(record.OfEvent),
		id("webhook_id", "the webhook", func(r *record.Delivery) *uuid.UUID { return &r.EndpointID }).key(record.OfEndpoint),
		text("event", "the type of the event", func(r *record.Delivery) *affiliate.EventType { return &r.Type }),
		text("state", "pending, delivered, failed, skipped (the webhook was disabled) or canceled (it answered 410, or was deleted)", func(r *record.Delivery) *affiliate.DeliveryState { return &r.State }).key(record.OfState),
		listAs("attempts", "oldest first: {at, manual, url, status_code, duration_ns, error, response}; no status_code: no answer; error: a class such as timeout; response: the start of the answer's body", func(r *record.Delivery) *[]record.Attempt { return &r.Attempts }, attemptOf, attempt.value),
		optAt("next_attempt_at", "while pending", func(r *record.Delivery) *affiliate.Instant { return &r.NextAttemptAt }),
		at("created_at", "when it was recorded", func(r *record.Delivery) *affiliate.Instant { return &r.CreatedAt }),
		at("updated_at", "when it last changed", func(r *record.Delivery) *affiliate.Instant { return &r.UpdatedAt }),
	}
}

// queueFields describe queue.
func queueFields() []field[record.Queue] {
	return []field[record.Queue]{
		id("id", "begins with the time when it is due, 48 bits of milliseconds; first bit set: a first attempt, due at once", func(r *record.Queue) *uuid.UUID { return &r.ID }),
		id("delivery_id", "the delivery", func(r *record.Queue) *uuid.UUID { return &r.DeliveryID }).key(record.ByDelivery),
		id("webhook_id", "the webhook", func(r *record.Queue) *uuid.UUID { return &r.EndpointID }).key(record.OfEndpoint),
		id("object_id", "the record that changed", func(r *record.Queue) *uuid.UUID { return &r.ObjectID }),
		integer("revision", "of the event", func(r *record.Queue) *int64 { return &r.Revision }),
		optAt("since", "when it began to wait", func(r *record.Queue) *affiliate.Instant { return &r.Since }),
		ref("token", "of the claim that holds it", func(r *record.Queue) *uuid.UUID { return &r.Token }),
		flag("tried", "an attempt was made before", func(r *record.Queue) *bool { return &r.Tried }),
		flag("manual", "the next attempt is a replay", func(r *record.Queue) *bool { return &r.Manual }),
	}
}

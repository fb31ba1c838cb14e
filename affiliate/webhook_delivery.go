package affiliate

import (
	"encoding/json"

	"github.com/google/uuid"
)

// A Delivery is the delivery of one event to one endpoint.
//
// Source: docs/contract.md 2.13.
type Delivery struct {
	ID            uuid.UUID         `json:"id"`
	WebhookID     uuid.UUID         `json:"webhookId"` // the endpoint may be deleted
	EventID       string            `json:"eventId"`   // the webhook-id of the request
	Event         EventType         `json:"event"`
	State         DeliveryState     `json:"state"`
	AttemptCount  int64             `json:"attemptCount"`
	NextAttemptAt Opt[Time]         `json:"nextAttemptAt"` // while pending
	CreatedAt     Time              `json:"createdAt"`
	UpdatedAt     Time              `json:"updatedAt"`
	Attempts      []DeliveryAttempt `json:"attempts"` // oldest first

	// Payload is the payload; only Program.Delivery returns it. It is null
	// after a person in it was erased.
	Payload Opt[json.RawMessage] `json:"payload,omitzero"`
}

// A DeliveryAttempt is one request that was made for a delivery.
type DeliveryAttempt struct {
	At         Time           `json:"at"`
	Trigger    AttemptTrigger `json:"trigger"`
	URL        string         `json:"url"`
	StatusCode Opt[int64]     `json:"statusCode"` // null: no answer
	DurationMS int64          `json:"durationMs"` // milliseconds
	Error      Opt[string]    `json:"error"`      // a class, such as timeout or dns
	Response   Opt[string]    `json:"response"`   // start of the answer's body
}

// AttemptTrigger says what caused an attempt.
type AttemptTrigger string

// The triggers: the schedule, or a replay.
const (
	TriggerAutomatic AttemptTrigger = "automatic"
	TriggerManual    AttemptTrigger = "manual"
)

// DeliveryFilter selects the deliveries that match every field that is set;
// without a field it selects all. An id that is set to null or to the zero id
// selects nothing.
//
// Source: docs/contract.md 4.2.
type DeliveryFilter struct {
	WebhookID Opt[uuid.UUID] `json:"webhookId,omitzero"`            // of an endpoint, which may be gone
	EventID   Opt[uuid.UUID] `json:"eventId,omitzero" wire:"event"` // of an event: [Event.ID]
	State     DeliveryState  `json:"state,omitzero"`                // empty: any
	Event     EventType      `json:"event,omitzero"`                // empty: any
	Since     Opt[Date]      `json:"since,omitzero"`                // created then or later; a plain date: its first millisecond
	Until     Opt[Date]      `json:"until,omitzero"`                // created then or earlier, to the millisecond; a plain date: its last
}

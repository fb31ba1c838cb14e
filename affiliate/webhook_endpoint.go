package affiliate

import (
	"encoding/json"
	"fmt"
	"log/slog"

	"github.com/google/uuid"
)

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
	HeaderNames             []string            `json:"headerNames"` // of its own headers, sorted; their values are never shown
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

// An IssuedEndpoint is an endpoint with its new secret, which is shown only
// here. Its JSON is the answer on the wire, so it contains the secret in plain
// text. When it is printed or logged, the secret is masked.
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

// LogValue returns the endpoint without its secret.
func (e IssuedEndpoint) LogValue() slog.Value { return slog.AnyValue(e.Endpoint) }

// NewEndpoint is the input of Program.CreateEndpoint. URL and Events are
// required.
type NewEndpoint struct {
	Once        `json:"-"`
	URL         string          `json:"url" wire:"text"`      // https, ≤ 2,048 bytes; see [AddressPolicy]
	Events      []EventType     `json:"events"`               // 1–15 distinct types; "*" alone: all of them
	Description string          `json:"description,omitzero"` // 1–255 characters
	Active      Opt[bool]       `json:"active,omitzero"`      // not given: true
	SvixHeaders bool            `json:"svixHeaders,omitzero"`
	Headers     EndpointHeaders `json:"headers,omitzero"` // the receiver's own
}

// EndpointUpdate is the input of Program.UpdateEndpoint. A field that is not
// given stays as it is.
type EndpointUpdate struct {
	URL         Opt[string]      `json:"url,omitzero" wire:"text"` // pending deliveries go there from their next attempt on
	Events      Opt[[]EventType] `json:"events,omitzero"`
	Description Opt[string]      `json:"description,omitzero"`
	Active      Opt[bool]        `json:"active,omitzero"` // true: enables a disabled endpoint again
	SvixHeaders Opt[bool]        `json:"svixHeaders,omitzero"`

	// Headers replaces all headers of the receiver's own; null or an empty map
	// removes them. It is required when URL changes the host, scheme or port.
	Headers Opt[EndpointHeaders] `json:"headers,omitzero"`
}

// DeletedEndpoint is the answer for a deleted endpoint.
type DeletedEndpoint struct {
	ID  uuid.UUID `json:"id"`
	URL string    `json:"url"`
}

// A Rotation is the input of Program.RotateSecret. WebhookID is required.
type Rotation struct {
	Once               `json:"-"`
	WebhookID          uuid.UUID  `json:"webhookId,omitzero"`
	GracePeriodSeconds Opt[int64] `json:"gracePeriodSeconds,omitzero" wire:"ranged"` // 0–604,800; not given: a day
}

// An EndpointTest is the input of Program.TestEndpoint. Both fields are
// required.
type EndpointTest struct {
	Once      `json:"-"`
	WebhookID uuid.UUID `json:"webhookId,omitzero"`
	Event     EventType `json:"event"` // one of the fifteen types, subscribed to or not
}

// A TestResult is the result of a test.
type TestResult struct {
	Delivered  bool        `json:"delivered"`
	StatusCode Opt[int64]  `json:"statusCode"` // null: no answer
	DurationMS int64       `json:"durationMs"` // milliseconds
	Error      Opt[string] `json:"error"`      // a class, such as timeout or dns
	EventID    string      `json:"eventId"`    // the webhook-id of the request
}

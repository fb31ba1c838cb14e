package affiliate

import (
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/netip"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/internal/netrange"
	"github.com/tributary-go/tributary/internal/plaintext"
)

// An Endpoint is a URL of a receiver with the event types it wants.
//
// Source: docs/contract.md 2.12.
type Endpoint struct {
	ID uuid.UUID `json:"id"`
	// Where the requests go.
	URL string `json:"url"`
	// The event types that it gets.
	Events []EventType `json:"events"`
	// What the endpoint is for.
	Description Opt[string] `json:"description"`
	// False: it gets nothing.
	Active bool `json:"active"`
	// True: the signature headers are repeated under their svix-* names.
	SvixHeaders bool `json:"svixHeaders"`
	// The names of the receiver's own headers, sorted; their values are never answered.
	HeaderNames []string `json:"headerNames"`
	// In step with active.
	Status EndpointStatus `json:"status"`
	// By hand, after a 410, or after failing for days; null while enabled.
	DisabledReason Opt[DisabledReason] `json:"disabledReason"`
	// When it was disabled.
	DisabledAt Opt[Time] `json:"disabledAt"`
	// Since when every attempt has failed.
	FirstFailureAt Opt[Time] `json:"firstFailureAt"`
	// When an attempt last succeeded.
	LastSuccessAt Opt[Time] `json:"lastSuccessAt"`
	// The endpoint asked to be left alone until then.
	PausedUntil Opt[Time] `json:"pausedUntil"`
	// The last 4 characters of the newest secret.
	SecretHint string `json:"secretHint"`
	// Until then an older secret signs as well.
	PreviousSecretExpiresAt Opt[Time] `json:"previousSecretExpiresAt"`
	CreatedAt               Time      `json:"createdAt"`
	UpdatedAt               Time      `json:"updatedAt"`
}

// An IssuedEndpoint is an endpoint with its new secret, which is shown only here.
//
// Its JSON is the answer on the wire, so it contains the secret in plain text. When it is
// printed or logged, the secret is masked.
type IssuedEndpoint struct {
	Endpoint
	Secret Secret `json:"secret"` // whsec_ and 32 bytes in base64.
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

// EndpointParams is the input of Webhooks.CreateEndpoint. URL and Events are
// required.
type EndpointParams struct {
	Once `json:"-"`
	// https, at most 2,048 bytes; port 443, or 1024 and above; no user info, no fragment.
	//
	// See [AddressPolicy].
	URL string `json:"url" wire:"text"`
	// 1–15 distinct event types; ["*"] is all of them.
	Events []EventType `json:"events"`
	// What the endpoint is for, 1–255 characters.
	Description string `json:"description,omitzero"`
	// False: it gets nothing; not given: true.
	Active      Opt[bool] `json:"active,omitzero"`
	SvixHeaders bool      `json:"svixHeaders,omitzero"`
	// At most 10 headers of the receiver's own by their names, such as Authorization; sent with
	// every request to it, kept sealed, never answered. A name has 1–64 letters, digits and
	// hyphens, a value 1–4,096 printable ASCII characters without blanks at its ends. Not
	// Content-…, Webhook-…, Svix-…, Proxy-…, nor Accept-Encoding, Connection, Expect, Host,
	// Keep-Alive, TE, Trailer, Transfer-Encoding, Upgrade, User-Agent.
	Headers EndpointHeaders `json:"headers,omitzero"`
}

// EndpointUpdate is the input of Webhooks.UpdateEndpoint. A field that is not
// given stays as it is.
type EndpointUpdate struct {
	// https, at most 2,048 bytes; port 443, or 1024 and above; no user info, no fragment.
	// Pending deliveries go there from their next attempt on.
	URL         Opt[string]      `json:"url,omitzero" wire:"text"`
	Events      Opt[[]EventType] `json:"events,omitzero"`
	Description Opt[string]      `json:"description,omitzero"`
	// True on a disabled endpoint enables it again.
	Active      Opt[bool] `json:"active,omitzero"`
	SvixHeaders Opt[bool] `json:"svixHeaders,omitzero"`

	// Headers of the receiver's own, as a new endpoint has them. They replace all headers; null
	// or none removes them. Required when the URL changes in host, scheme or port.
	Headers Opt[EndpointHeaders] `json:"headers,omitzero"`
}

// DeletedEndpoint is the answer for a deleted endpoint.
type DeletedEndpoint struct {
	ID  uuid.UUID `json:"id"`
	URL string    `json:"url"` // Where its deliveries went.
}

// A Rotation is the input of Webhooks.RotateSecret. WebhookID is required.
type Rotation struct {
	Once `json:"-"`
	// The id of the endpoint.
	WebhookID uuid.UUID `json:"webhookId,omitzero"`
	// How long the old secret goes on signing beside the new one: 0–604,800 seconds; not given:
	// a day.
	GracePeriodSeconds Opt[int64] `json:"gracePeriodSeconds,omitzero" wire:"ranged"`
}

// An EndpointTest is the input of Webhooks.TestEndpoint. Both fields are
// required.
type EndpointTest struct {
	Once `json:"-"`
	// The id of the endpoint.
	WebhookID uuid.UUID `json:"webhookId,omitzero"`
	// The event type to send a sample of, subscribed to or not.
	Event EventType `json:"event"`
}

// A TestResult is the result of a test.
type TestResult struct {
	Delivered  bool       `json:"delivered"`  // True when the endpoint answered 2xx.
	StatusCode Opt[int64] `json:"statusCode"` // What the endpoint answered; null: nothing.
	DurationMS int64      `json:"durationMs"` // How long it took, in milliseconds.
	// timeout, dns, tls, connection, redirect, blocked_address or internal, of a test also busy;
	// null when an answer came.
	Error   Opt[string] `json:"error"`
	EventID string      `json:"eventId"` // The webhook-id of the request.
}

// An AddressPolicy says which endpoint URLs are accepted and which addresses
// may be called. The zero policy requires https and refuses every address that
// is not on the public internet. The engine checks URLs with it, and does not
// resolve names. The sender checks every address that it dials.
type AddressPolicy struct {
	AllowHTTP     bool           // accept http URLs and port 80; for tests and closed networks
	AllowNetworks []netip.Prefix // ranges that are open although they are not public; Allows lists what stays closed
}

// Allows reports whether an address may be called. An IPv4 address inside an IPv6
// one (mapped, or behind NAT64) counts as itself, a zone is ignored, and the
// zero Addr is refused.
//
// AllowNetworks opens ranges that are not public. The addresses at which cloud
// machines get their credentials are refused in every case: 169.254.0.0/16,
// 168.63.129.16, 100.100.100.200, 192.0.0.192, fe80::/10, fd20:ce::254 and
// fd00:ec2::/32, also in every form that a translator or a tunnel would send
// there: mapped, compatible and translated addresses, NAT64, 6to4, Teredo and
// ISATAP. The policy cannot know a NAT64 prefix of the host's own network; that
// network must refuse them itself.
//
// Source: docs/webhooks.md 6.
func (a AddressPolicy) Allows(addr netip.Addr) bool {
	return netrange.Allowed(addr, a.AllowNetworks)
}

// EndpointHeaders are a receiver's own headers by name, such as "Authorization":
// "Basic …" or the key of a gateway. They are sent with every delivery and test,
// next to those that the sender sets.
//
//   - At most 10. A name has 1–64 letters, digits and hyphens, in any letter case;
//     one that differs from another only in letter case is refused.
//   - A value has 1–4,096 printable ASCII characters, without blanks at its ends.
//   - What the sender or HTTP itself sets is refused: Content-…, Webhook-…, Svix-…,
//     Proxy-…, Accept-Encoding, Connection, Expect, Host, Keep-Alive, Te, Trailer,
//     Transfer-Encoding, Upgrade and User-Agent.
//
// The values are credentials. Their JSON has them in clear, because it is the body
// of a request. When printed or logged, only the names are shown. The store keeps
// what Config.Seal returns for them, and no answer contains them.
//
// Source: docs/contract.md 2.12.
type EndpointHeaders map[string]string

// Names returns the names in their canonical form, sorted.
func (h EndpointHeaders) Names() []string {
	names := make([]string, 0, len(h))
	for name := range h {
		names = append(names, plaintext.HeaderName(name))
	}
	slices.Sort(names)
	return names
}

// IsZero reports whether there are no headers.
func (h EndpointHeaders) IsZero() bool { return len(h) == 0 }

// String returns the names.
func (h EndpointHeaders) String() string { return fmt.Sprint(h.Names()) }

// GoString returns the names.
func (h EndpointHeaders) GoString() string { return h.String() }

// Format writes the names whatever the verb and its flags.
func (h EndpointHeaders) Format(f fmt.State, _ rune) { io.WriteString(f, h.String()) }

// LogValue returns the names.
func (h EndpointHeaders) LogValue() slog.Value { return slog.AnyValue(h.Names()) }

// A Secret signs the deliveries of an endpoint: "whsec_" and the standard
// base64 of 32 random bytes. It is written as whsec_*** by fmt, JSON, text
// encoding and slog. Only [Secret.Reveal] returns the value. Two cases cannot
// be masked: the verb %p, which go vet refuses here, and the keys of a map in
// JSON.
//
// Source: docs/contract.md 4.2.
type Secret string

// SecretPrefix begins every secret.
const SecretPrefix = "whsec_"

const secretMask = SecretPrefix + "***"

// Reveal returns the secret itself.
func (s Secret) Reveal() string { return string(s) }

// String returns whsec_***.
func (s Secret) String() string { return secretMask }

// GoString returns whsec_***.
func (s Secret) GoString() string { return secretMask }

// Format writes whsec_*** whatever the verb and its flags.
func (s Secret) Format(f fmt.State, _ rune) { io.WriteString(f, secretMask) }

// MarshalText writes whsec_***.
func (s Secret) MarshalText() ([]byte, error) { return []byte(secretMask), nil }

// MarshalJSON writes "whsec_***".
func (s Secret) MarshalJSON() ([]byte, error) { return []byte(`"` + secretMask + `"`), nil }

// LogValue returns whsec_***.
func (s Secret) LogValue() slog.Value { return slog.StringValue(secretMask) }

// NoticeKind is the kind of a [Notice].
type NoticeKind string

// The kinds of notices.
const (
	NoticeAttempt   NoticeKind = "attempt"   // an attempt was settled, successful or not
	NoticeDead      NoticeKind = "dead"      // a delivery has failed for good; it can be replayed
	NoticeFailing   NoticeKind = "failing"   // every attempt has failed for 24 hours; once, until it recovers
	NoticeDisabled  NoticeKind = "disabled"  // an endpoint was disabled because it is gone or only fails
	NoticeRecovered NoticeKind = "recovered" // the first success after NoticeFailing
)

// A Notice tells the host about deliveries, for monitoring. It contains ids and
// figures, and no payload, URL or text of a receiver.
type Notice struct {
	Kind     NoticeKind
	Endpoint uuid.UUID
	Delivery uuid.UUID // the attempt that brought it about
	EventID  string    // the webhook-id
	Event    EventType
	State    DeliveryState  // of the delivery, after the attempt
	Attempts int            // that were made for the delivery
	Status   int            // of the answer; 0: none
	Err      string         // class of the failure, see [Attempt]
	Reason   DisabledReason // of NoticeDisabled
	At       Time           // when the attempt was settled
}

// A Delivery is the delivery of one event to one endpoint.
//
// Source: docs/contract.md 2.13.
type Delivery struct {
	ID        uuid.UUID `json:"id"`
	WebhookID uuid.UUID `json:"webhookId"` // The endpoint; it may be gone.
	EventID   string    `json:"eventId"`   // The webhook-id of the requests.
	Event     EventType `json:"event"`     // The event type.
	// skipped: the endpoint was disabled; canceled: it was deleted or gone.
	State        DeliveryState `json:"state"`
	AttemptCount int64         `json:"attemptCount"` // How many requests were made.
	// When the next request is due, while pending.
	NextAttemptAt Opt[Time]         `json:"nextAttemptAt"`
	CreatedAt     Time              `json:"createdAt"`
	UpdatedAt     Time              `json:"updatedAt"`
	Attempts      []DeliveryAttempt `json:"attempts"` // The requests that were made, oldest first.

	// The body of the requests, as under webhooks; null once a person in it was erased. Not
	// there in lists.
	//
	// Only Webhooks.Delivery returns it.
	Payload Opt[json.RawMessage] `json:"payload,omitzero"`
}

// A DeliveryAttempt is one request that was made for a delivery.
type DeliveryAttempt struct {
	At         Time           `json:"at"`         // When it was made.
	Trigger    AttemptTrigger `json:"trigger"`    // The schedule, or a replay.
	URL        string         `json:"url"`        // Where it went.
	StatusCode Opt[int64]     `json:"statusCode"` // What the endpoint answered; null: nothing.
	DurationMS int64          `json:"durationMs"` // How long it took, in milliseconds.
	// timeout, dns, tls, connection, redirect, blocked_address or internal, of a test also busy;
	// null when an answer came.
	Error Opt[string] `json:"error"`
	// The start of the answer's body, with *** where it repeats the endpoint's own headers.
	Response Opt[string] `json:"response"`
}

// AttemptTrigger says what caused an attempt.
type AttemptTrigger string

// The triggers: the schedule, or a replay.
const (
	TriggerAutomatic AttemptTrigger = "automatic"
	TriggerManual    AttemptTrigger = "manual"
)

// DeliveryQuery selects the deliveries that match every field that is set;
// without a field it selects all. An id that is set to null or to the zero id
// selects nothing.
//
// Source: docs/contract.md 4.2.
type DeliveryQuery struct {
	// Deliveries to this endpoint, which may be gone.
	WebhookID Opt[uuid.UUID] `json:"webhookId,omitzero"`
	// Deliveries of this event.
	//
	// It is [Event.ID].
	EventID Opt[uuid.UUID] `json:"eventId,omitzero" wire:"event"`
	// Deliveries in this state; not given: any.
	State DeliveryState `json:"state,omitzero"`
	// Deliveries of this event type; not given: any.
	Event EventType `json:"event,omitzero"`
	// Made then or later; a plain date is its first millisecond.
	Since Opt[Date] `json:"since,omitzero"`
	// Made then or earlier, to the millisecond; a plain date is its last millisecond.
	Until Opt[Date] `json:"until,omitzero"`
}

// A ReplayRange is the input of Webhooks.Replay: DeliveryID, or else WebhookID
// with Since.
type ReplayRange struct {
	Once `json:"-"`
	// The delivery to send again, whatever its state.
	DeliveryID uuid.UUID `json:"deliveryId,omitzero"`
	// Every failed and skipped delivery of this endpoint is sent again.
	WebhookID uuid.UUID `json:"webhookId,omitzero"`
	// Deliveries that were made then or later, at most 14 days ago; a plain date is its first
	// millisecond.
	Since Opt[Date] `json:"since,omitzero"`
	// The end of the range; a plain date is its last millisecond. Not given: no end.
	Until Opt[Date] `json:"until,omitzero"`
}

// A Claim is a delivery that a dispatcher has claimed, with everything that one
// attempt needs. It is valid until its lease ends: an attempt that is settled
// later counts only if nobody has claimed the delivery in between.
type Claim struct {
	Delivery    uuid.UUID
	Token       uuid.UUID // of this claim; the attempt gives it back
	Endpoint    uuid.UUID // zero: a test, see Webhooks.TestEndpoint
	Event       EventType
	MessageID   string   // the webhook-id: the same on every attempt
	URL         string   // of the endpoint, read with the claim
	Payload     []byte   // the bytes to send, unchanged; the slice is shared, so do not change it
	Secrets     []Secret // the secrets that sign, newest first
	SvixHeaders bool
	Headers     EndpointHeaders // of the receiver's own
	Attempt     int             // 1, 2, …
	Manual      bool            // caused by a replay or a test, not by the schedule
}

// An Attempt is the result of a claim.
type Attempt struct {
	Delivery   uuid.UUID
	Token      uuid.UUID     // of the claim
	At         time.Time     // when the request was made; zero: Took before the settlement
	URL        string        // where it went
	Status     int           // of the answer; 0: none
	Err        string        // the class of the failure, such as [FailedTimeout]; never a text from outside
	RetryAfter time.Duration // the wait that the answer asked for; 0: none
	Took       time.Duration // from the request to the end of the answer
	Response   string        // start of the answer's body; empty where it must not be shown
}

// The classes of failed attempts, as [DeliveryAttempt] shows them. An answer
// with a status other than 2xx and 3xx has no class: its status says it.
const (
	FailedTimeout        = "timeout"         // no answer in time
	FailedDNS            = "dns"             // the host has no address
	FailedTLS            = "tls"             // no trusted connection
	FailedConnection     = "connection"      // refused, reset, or an answer that is no HTTP
	FailedRedirect       = "redirect"        // 3xx; never followed
	FailedBlockedAddress = "blocked_address" // the host's address may not be called
	FailedBlockedURL     = "blocked_url"     // the URL is not accepted any more; not retried
	FailedSecret         = "secret"          // Config.Open failed, or the secret cannot sign
	FailedNoSender       = "no_sender"       // a test without Config.Send
	FailedBusy           = "busy"            // a test that got no slot in time: nothing was sent
	FailedInternal       = "internal"        // a panic on this side
)

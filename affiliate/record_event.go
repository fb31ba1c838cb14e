package affiliate

import (
	"slices"
	"time"

	"github.com/google/uuid"
)

// The records for callers and receivers: receipts, endpoints, events,
// deliveries, and the queue.

// ReceiptRecord is the first answer to a request that carried a [Once] key.
type ReceiptRecord struct {
	ID        uuid.UUID
	Key       string
	Digest    [32]byte
	Answer    StoredAnswer // null for an empty answer; empty when it was a refusal
	Sealed    bool         // the answer holds a secret, which is masked in Answer and kept in Secret
	Secret    []byte       // as Config.Seal gave it, bound to ID
	Outcome   string       // of a sale
	Refusal   []byte       // JSON of the error; nil: the answer was not a refusal
	CreatedAt Instant
}

// RecordID is the receipt's id.
func (r ReceiptRecord) RecordID() uuid.UUID { return r.ID }

// Clone copies the record with its bytes. An answer never changes.
func (r ReceiptRecord) Clone() ReceiptRecord {
	r.Secret = slices.Clone(r.Secret)
	r.Refusal = slices.Clone(r.Refusal)
	return r
}

// AppendKeys appends ByRequest.
func (r ReceiptRecord) AppendKeys(dst []Key) []Key {
	return append(dst, Key{Index: ByRequest, Text: r.Key})
}

// EndpointRecord is a stored [Endpoint] with its secrets.
type EndpointRecord struct {
	ID             uuid.UUID
	URL            string
	Description    string
	Events         []EventType
	Active         bool
	SvixHeaders    bool
	Secrets        []SecretRecord // newest first
	HeaderNames    []string       // of its own headers, sorted
	Headers        []byte         // its own headers as Config.Seal gave them, bound to ID; nil: none
	DisabledReason DisabledReason
	DisabledAt     Instant
	FirstFailureAt Instant
	LastSuccessAt  Instant
	AnsweredAt     Instant // when the last attempt got any answer; zero: it got none
	WorkedAt       Instant // the time of the last claim, settlement or replay: no wait starts later
	PausedUntil    Instant
	Warned         bool           // OnNotice has reported that it only fails
	Dead           bool           // a delivery has failed for good since FirstFailureAt
	InFlight       []FlightRecord // attempts under way, oldest first
	Clearing       DeliveryState  // the new state of the deliveries that still wait after it was disabled; empty: none waits
	CreatedAt      Instant
	UpdatedAt      Instant
}

// FlightRecord is a running attempt. It occupies a slot of its endpoint, and
// its object, until it is settled or its lease ends.
type FlightRecord struct {
	Token        uuid.UUID // of the claim
	ObjectID     uuid.UUID
	Again        bool    // it is not the first of its delivery
	Since, Until Instant // the lease
}

// SecretRecord is one signing secret of an endpoint.
type SecretRecord struct {
	Value     []byte  // as Config.Seal gave it, bound to the endpoint's id
	Hint      string  // last four characters
	ExpiresAt Instant // zero: the newest one
}

// RecordID is the endpoint's id.
func (r EndpointRecord) RecordID() uuid.UUID { return r.ID }

// Clone copies the record with its lists.
func (r EndpointRecord) Clone() EndpointRecord {
	r.Events = slices.Clone(r.Events)
	r.InFlight = slices.Clone(r.InFlight)
	r.HeaderNames, r.Headers = slices.Clone(r.HeaderNames), slices.Clone(r.Headers)
	r.Secrets = slices.Clone(r.Secrets)
	for i := range r.Secrets {
		r.Secrets[i].Value = slices.Clone(r.Secrets[i].Value)
	}
	return r
}

// AppendKeys appends nothing: endpoints are found by id.
func (r EndpointRecord) AppendKeys(dst []Key) []Key { return dst }

// EventRecord is a stored [Event].
type EventRecord struct {
	ID         uuid.UUID
	Type       EventType
	ObjectID   uuid.UUID // identity of the object in the store
	Number     int64     // of a sale; otherwise 0
	Revision   int64
	OccurredAt Instant
	Payload    Payload // frozen; empty once a person in it was erased
}

// RecordID is the event's id.
func (r EventRecord) RecordID() uuid.UUID { return r.ID }

// Clone returns r: a payload never changes.
func (r EventRecord) Clone() EventRecord { return r }

// AppendKeys appends OfObject.
func (r EventRecord) AppendKeys(dst []Key) []Key {
	return append(dst, Key{Index: OfObject, ID: r.ObjectID})
}

// DeliveryRecord is a stored [Delivery].
type DeliveryRecord struct {
	ID            uuid.UUID
	EventID       uuid.UUID
	EndpointID    uuid.UUID
	Type          EventType
	State         DeliveryState
	Attempts      []AttemptRecord // oldest first
	NextAttemptAt Instant         // while pending
	CreatedAt     Instant
	UpdatedAt     Instant
}

// AttemptRecord is one attempt of a delivery.
type AttemptRecord struct {
	At       Instant
	Manual   bool
	URL      string
	Status   int           // 0: no answer
	Took     time.Duration // from the request to the end of the answer
	Err      string        // class
	Response string        // start of the answer's body
}

// RecordID is the delivery's id.
func (r DeliveryRecord) RecordID() uuid.UUID { return r.ID }

// Clone copies the record with its attempts.
func (r DeliveryRecord) Clone() DeliveryRecord {
	r.Attempts = slices.Clone(r.Attempts)
	return r
}

// AppendKeys appends OfEvent, OfEndpoint and OfState.
func (r DeliveryRecord) AppendKeys(dst []Key) []Key {
	return append(dst, Key{Index: OfEvent, ID: r.EventID}, Key{Index: OfEndpoint, ID: r.EndpointID},
		Key{Index: OfState, Text: string(r.State)})
}

// QueueRecord is a delivery that waits for an attempt. Its id begins with the
// time that it waits for, in 48 bits of milliseconds, so that due deliveries
// are at the head of the table. A first attempt does not wait for a time and
// sorts after all times: the highest bit of its id is set, and the rest begins
// like the id of its event.
type QueueRecord struct {
	ID                     uuid.UUID
	DeliveryID, EndpointID uuid.UUID
	ObjectID               uuid.UUID // of the event
	Revision               int64     // of the event
	Since                  Instant   // when it began to wait; zero: it waits for nothing
	Token                  uuid.UUID // of the claim that holds it; zero: none
	Tried                  bool      // an attempt was made before
	Manual                 bool      // the next attempt is a replay
}

// RecordID is the due time as an id.
func (r QueueRecord) RecordID() uuid.UUID { return r.ID }

// Clone returns r: it holds no changeable memory.
func (r QueueRecord) Clone() QueueRecord { return r }

// AppendKeys appends ByDelivery and OfEndpoint.
func (r QueueRecord) AppendKeys(dst []Key) []Key {
	return append(dst, Key{Index: ByDelivery, ID: r.DeliveryID}, Key{Index: OfEndpoint, ID: r.EndpointID})
}

package record

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
)

// A Payload is the JSON of an event, or of the answer to a request with a key. The
// engine copies the objects of the body when the change is committed, and the first
// reader encodes them: encoding is the most expensive part of a sale, and most events
// and answers are read late or never. The bytes depend only on the copied values, so
// every reader gets the same bytes. A store that writes to disk stores [Payload.Bytes].
//
// The zero Payload is empty. A Payload is immutable and safe for concurrent
// use.
type Payload struct {
	raw  []byte
	late Encoder // in place of raw
}

// An Encoder writes the JSON of an event or an answer that is not encoded yet. It
// never changes, so that every call writes the same bytes.
type Encoder interface{ Encode() []byte }

// PayloadOf returns a payload with stored bytes, which it copies.
func PayloadOf(raw []byte) Payload { return Payload{raw: bytes.Clone(raw)} }

// RawPayload returns a payload with bytes that nobody may change afterwards.
func RawPayload(raw []byte) Payload { return Payload{raw: raw} }

// LatePayload returns a payload that each reader encodes. late shares no memory with
// values that callers hold.
func LatePayload(late Encoder) Payload { return Payload{late: late} }

// Source returns what the payload is made of: bytes that nobody may change, or
// an Encoder.
func (p Payload) Source() (raw []byte, late Encoder) { return p.raw, p.late }

// Bytes returns the JSON; the caller may keep and change it. It is nil for an
// empty payload.
func (p Payload) Bytes() []byte {
	if p.late != nil {
		return p.late.Encode()
	}
	if len(p.raw) == 0 {
		return nil
	}
	return bytes.Clone(p.raw)
}

// IsZero reports whether the payload is empty.
func (p Payload) IsZero() bool { return p.late == nil && len(p.raw) == 0 }

// Equal compares the bytes.
func (p Payload) Equal(q Payload) bool { return bytes.Equal(p.Bytes(), q.Bytes()) }

// MarshalJSON writes the bytes in base64, as encoding/json does for a []byte:
// a payload inside a stored record must come back byte for byte, and JSON
// columns of databases reorder keys.
func (p Payload) MarshalJSON() ([]byte, error) {
	return inBase64(p.Bytes()), nil
}

// inBase64 returns the JSON of a []byte, as encoding/json writes it.
func inBase64(raw []byte) []byte {
	dst := make([]byte, 0, base64.StdEncoding.EncodedLen(len(raw))+2)
	dst = append(dst, '"')
	dst = base64.StdEncoding.AppendEncode(dst, raw)
	return append(dst, '"')
}

// UnmarshalJSON reads what MarshalJSON wrote.
func (p *Payload) UnmarshalJSON(data []byte) error {
	var raw []byte
	if err := json.Unmarshal(data, &raw); err != nil {
		return err
	}
	*p = Payload{raw: raw}
	return nil
}

// The records of the traffic with callers and receivers: receipts, endpoints,
// events, deliveries, and the queue.

// Receipt is the first answer to a request that carried a [affiliate.Once] key.
type Receipt struct {
	ID        uuid.UUID
	Key       string
	Digest    [32]byte
	Answer    Payload // null for an empty answer; empty for a refusal
	Sealed    bool    // the answer holds a secret, which is masked in Answer and kept in Secret
	Secret    []byte  // as Config.Seal gave it, bound to ID
	Outcome   string  // of a sale
	Refusal   []byte  // JSON of the error; nil: the answer was not a refusal
	CreatedAt affiliate.Instant
}

// RecordID returns the receipt's id.
func (r Receipt) RecordID() uuid.UUID { return r.ID }

// Clone copies the record with its bytes. An answer never changes.
func (r Receipt) Clone() Receipt {
	r.Secret = slices.Clone(r.Secret)
	r.Refusal = slices.Clone(r.Refusal)
	return r
}

// AppendKeys appends ByRequest.
func (r Receipt) AppendKeys(dst []Key) []Key {
	return append(dst, Key{Index: ByRequest, Text: r.Key})
}

// Endpoint is a stored [affiliate.Endpoint] with its secrets.
type Endpoint struct {
	ID             uuid.UUID
	URL            string
	Description    string
	Events         []affiliate.EventType
	Active         bool
	SvixHeaders    bool
	Secrets        []Secret // newest first
	HeaderNames    []string // of its own headers, sorted
	Headers        []byte   // its own headers as Config.Seal gave them, bound to ID; nil: none
	DisabledReason affiliate.DisabledReason
	DisabledAt     affiliate.Instant
	FirstFailureAt affiliate.Instant
	LastSuccessAt  affiliate.Instant
	AnsweredAt     affiliate.Instant // when the last attempt got any answer; zero: it got none
	WorkedAt       affiliate.Instant // the time of the last claim, settlement or replay: no wait starts later
	PausedUntil    affiliate.Instant
	Warned         bool                    // OnNotice has reported that it only fails
	Dead           bool                    // a delivery has failed for good since FirstFailureAt
	InFlight       []Flight                // attempts under way, oldest first
	Clearing       affiliate.DeliveryState // the state that its pending deliveries get after it was disabled; empty: none is pending
	CreatedAt      affiliate.Instant
	UpdatedAt      affiliate.Instant
}

// Flight is an attempt that is running. It occupies a slot of its endpoint, and
// blocks its object, until it is settled or its lease ends.
type Flight struct {
	Token        uuid.UUID // of the claim
	ObjectID     uuid.UUID
	Again        bool              // it is not the first of its delivery
	Since, Until affiliate.Instant // the lease
}

// Secret is one signing secret of an endpoint.
type Secret struct {
	Value     []byte            // as Config.Seal gave it, bound to the endpoint's id
	Hint      string            // last four characters
	ExpiresAt affiliate.Instant // zero: the newest one
}

// RecordID returns the endpoint's id.
func (r Endpoint) RecordID() uuid.UUID { return r.ID }

// Clone copies the record with its lists.
func (r Endpoint) Clone() Endpoint {
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
func (r Endpoint) AppendKeys(dst []Key) []Key { return dst }

// Event is a stored [affiliate.Event].
type Event struct {
	ID         uuid.UUID
	Type       affiliate.EventType
	ObjectID   uuid.UUID // identity of the object in the store
	Number     int64     // of a sale; otherwise 0
	Revision   int64
	OccurredAt affiliate.Instant
	Actor      string  `json:",omitzero"` // who changed the object, as [tributary.Program.By] says; empty: nobody says
	Reason     string  `json:",omitzero"` // why, as [tributary.Program.Because] says; empty: nobody says, or a person in it was erased
	Payload    Payload // frozen; empty after a person in it was erased
}

// RecordID returns the event's id.
func (r Event) RecordID() uuid.UUID { return r.ID }

// Clone returns r: a payload never changes.
func (r Event) Clone() Event { return r }

// AppendKeys appends OfObject.
func (r Event) AppendKeys(dst []Key) []Key {
	return append(dst, Key{Index: OfObject, ID: r.ObjectID})
}

// Delivery is a stored [affiliate.Delivery].
type Delivery struct {
	ID            uuid.UUID
	EventID       uuid.UUID
	EndpointID    uuid.UUID
	Type          affiliate.EventType
	State         affiliate.DeliveryState
	Attempts      []Attempt         // oldest first
	NextAttemptAt affiliate.Instant // while pending
	CreatedAt     affiliate.Instant
	UpdatedAt     affiliate.Instant
}

// Attempt is one attempt of a delivery.
type Attempt struct {
	At       affiliate.Instant
	Manual   bool
	URL      string
	Status   int           // 0: no answer
	Took     time.Duration // from the request to the end of the answer
	Err      string        // class
	Response string        // start of the answer's body
}

// RecordID returns the delivery's id.
func (r Delivery) RecordID() uuid.UUID { return r.ID }

// Clone copies the record with its attempts.
func (r Delivery) Clone() Delivery {
	r.Attempts = slices.Clone(r.Attempts)
	return r
}

// AppendKeys appends OfEvent, OfEndpoint and OfState.
func (r Delivery) AppendKeys(dst []Key) []Key {
	return append(dst, Key{Index: OfEvent, ID: r.EventID}, Key{Index: OfEndpoint, ID: r.EndpointID},
		Key{Index: OfState, Text: string(r.State)})
}

// Queue is a delivery that waits for an attempt. Its id begins with the time at
// which it is due, in 48 bits of milliseconds, so that due deliveries are at
// the head of the table. A first attempt is due at once and sorts after all
// times: the highest bit of its id is set, and the rest begins like the id of
// its event.
type Queue struct {
	ID                     uuid.UUID
	DeliveryID, EndpointID uuid.UUID
	ObjectID               uuid.UUID         // of the event
	Revision               int64             // of the event
	Since                  affiliate.Instant // when it began to wait; zero: it waits for no time
	Token                  uuid.UUID         // of the claim that holds it; zero: none
	Tried                  bool              // an attempt was made before
	Manual                 bool              // the next attempt is a replay
}

// RecordID returns the due time as an id.
func (r Queue) RecordID() uuid.UUID { return r.ID }

// Clone returns r: it holds no changeable memory.
func (r Queue) Clone() Queue { return r }

// AppendKeys appends ByDelivery and OfEndpoint.
func (r Queue) AppendKeys(dst []Key) []Key {
	return append(dst, Key{Index: ByDelivery, ID: r.DeliveryID}, Key{Index: OfEndpoint, ID: r.EndpointID})
}

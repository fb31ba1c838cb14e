package affiliate

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"strconv"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/internal/uuid7"
)

// An Event is one change of one object, in the form that receivers get.
type Event struct {
	ID         uuid.UUID // the source of [Event.MessageID]
	Type       EventType
	ObjectID   string // a UUID, or the integer of a sale
	Revision   int64  // rises by one with every event of the object, from 1
	OccurredAt Time
	Payload    []byte // the whole JSON, frozen; empty once a person in it was erased
}

// MessageID is the event's id on the wire, eventId and webhook-id: "evt_" and
// the 32 hex digits of its UUID.
func (e Event) MessageID() string {
	return string(uuid7.AppendHex(append(make([]byte, 0, 36), "evt_"...), e.ID))
}

// A Payload is the JSON of an event. The engine copies the objects of the body
// when the change is committed, and the first reader encodes them: encoding is
// the most expensive part of a sale, and most events are read late or never.
// The bytes depend only on the copied values, so every reader gets the same
// bytes. A store that writes to disk stores [Payload.Bytes].
//
// The zero Payload is empty. A Payload is immutable and safe for concurrent
// use.
type Payload struct {
	raw  []byte
	late encoder // in place of raw
}

// An encoder writes the JSON of an event that is not encoded yet. It never
// changes, so that every call writes the same bytes.
type encoder interface{ Encode() []byte }

// frozen is an event before it is encoded. It is never changed, and body shares
// no memory with values that callers hold.
type frozen struct {
	typ        EventType
	id         uuid.UUID
	program    uuid.UUID
	occurredAt Instant
	revision   int64
	test       bool
	body       any
}

// PayloadOf is the payload of stored bytes. It copies them.
func PayloadOf(raw []byte) Payload { return Payload{raw: bytes.Clone(raw)} }

// latePayload is the payload of an event that each reader encodes.
func latePayload(late encoder) Payload { return Payload{late: late} }

// source is what the payload is made of: bytes that nobody may change, or an encoder.
func (p Payload) source() (raw []byte, late encoder) { return p.raw, p.late }

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

// inBase64 is the JSON of a []byte, as encoding/json writes it.
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

// Encode writes the envelope: exactly these keys, in this order.
func (f *frozen) Encode() []byte {
	dst := make([]byte, 0, saleRoom)
	dst = append(dst, `{"event":"`...)
	dst = append(dst, f.typ...)
	dst = append(dst, `","eventId":"evt_`...)
	dst = uuid7.AppendHex(dst, f.id)
	dst = append(dst, `","occurredAt":`...)
	dst = TimeOf(f.occurredAt.Time()).AppendJSON(dst)
	dst = append(dst, `,"programId":`...)
	dst = uuid7.AppendJSON(dst, f.program)
	dst = append(dst, `,"revision":`...)
	dst = strconv.AppendInt(dst, f.revision, 10)
	if f.test {
		dst = append(dst, `,"test":true`...)
	}
	dst = append(dst, `,"body":`...)
	return append(f.appendBody(dst), '}')
}

// appendBody appends the body. Sales have an encoder of their own, because most
// events are theirs (BenchmarkSaleEvent).
func (f *frozen) appendBody(dst []byte) []byte {
	if sale, ok := f.body.(*saleBody); ok {
		return sale.appendJSON(dst)
	}
	body, err := json.Marshal(f.body)
	if err != nil { // cannot happen: bodies hold only texts, numbers and checked metadata
		panic("affiliate: event body does not encode: " + err.Error())
	}
	return append(dst, body...)
}

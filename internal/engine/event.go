package engine

import (
	"encoding/json"
	"strconv"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/internal/uuid7"
)

// Frozen is an event before it is encoded. It is never changed, and body shares
// no memory with values that callers hold.
type Frozen struct {
	Typ        affiliate.EventType
	ID         uuid.UUID
	Program    uuid.UUID
	OccurredAt affiliate.Instant
	Revision   int64
	Test       bool
	Body       any
}

// Encode writes the envelope: exactly these keys, in this order.
func (f *Frozen) Encode() []byte {
	dst := make([]byte, 0, saleRoom)
	dst = append(dst, `{"event":"`...)
	dst = append(dst, f.Typ...)
	dst = append(dst, `","eventId":"evt_`...)
	dst = uuid7.AppendHex(dst, f.ID)
	dst = append(dst, `","occurredAt":`...)
	dst = affiliate.TimeOf(f.OccurredAt.Time()).AppendJSON(dst)
	dst = append(dst, `,"programId":`...)
	dst = uuid7.AppendJSON(dst, f.Program)
	dst = append(dst, `,"revision":`...)
	dst = strconv.AppendInt(dst, f.Revision, 10)
	if f.Test {
		dst = append(dst, `,"test":true`...)
	}
	dst = append(dst, `,"body":`...)
	return append(f.appendBody(dst), '}')
}

// appendBody appends the body. Sales have an encoder of their own, because most
// events are theirs (BenchmarkSaleEvent).
func (f *Frozen) appendBody(dst []byte) []byte {
	if sale, ok := f.Body.(*SaleBody); ok {
		return sale.appendJSON(dst)
	}
	body, err := json.Marshal(f.Body)
	if err != nil { // cannot happen: bodies hold only texts, numbers and checked metadata
		panic("affiliate: event body does not encode: " + err.Error())
	}
	return append(dst, body...)
}

package engine

import (
	"sync"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate/record"
)

const (
	recentPayloads = 64       // how many payloads are cached
	recentBytes    = 16 << 10 // the largest cached payload
)

// Recent caches the small payloads that were encoded last, at most a mebibyte
// in all. The deliveries of an event to its endpoints are claimed one after the
// other, and encoding the event costs more than a claim. The bytes depend only
// on the event, so the cache never goes stale.
type Recent struct {
	mu    sync.Mutex
	ids   [recentPayloads]uuid.UUID
	bytes [recentPayloads][]byte
	next  int
}

// Encode returns the bytes of an event's payload, for readers that change
// nothing.
func (r *Recent) Encode(event uuid.UUID, p record.Payload) []byte {
	raw, late := p.Source()
	if late == nil {
		return raw
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for i := range r.ids {
		if r.ids[i] == event && r.bytes[i] != nil {
			return r.bytes[i]
		}
	}
	raw = late.Encode()
	if len(raw) <= recentBytes {
		r.ids[r.next], r.bytes[r.next] = event, raw
		r.next = (r.next + 1) % recentPayloads
	}
	return raw
}

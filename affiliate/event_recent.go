package affiliate

import (
	"sync"

	"github.com/google/uuid"
)

const (
	recentPayloads = 64       // that are remembered
	recentBytes    = 16 << 10 // of one of them, at most
)

// recent remembers the payloads that were encoded last, as long as they are
// small: at most a mebibyte in all. An event goes to its endpoints one claim
// after the other, and encoding it costs more than claiming. The bytes are a
// function of the event, so nothing here can grow stale.
type recent struct {
	mu    sync.Mutex
	ids   [recentPayloads]uuid.UUID
	bytes [recentPayloads][]byte
	next  int
}

// encode returns the bytes of an event's payload, for readers that change
// nothing.
func (r *recent) encode(event uuid.UUID, p Payload) []byte {
	if p.frozen == nil {
		return p.raw
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for i := range r.ids {
		if r.ids[i] == event && r.bytes[i] != nil {
			return r.bytes[i]
		}
	}
	raw := p.frozen.encode()
	if len(raw) <= recentBytes {
		r.ids[r.next], r.bytes[r.next] = event, raw
		r.next = (r.next + 1) % recentPayloads
	}
	return raw
}

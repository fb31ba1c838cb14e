// Package uuid7 makes version 7 UUIDs, and writes them.
package uuid7

import (
	"encoding/binary"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/google/uuid"
)

// Ahead is the longest time by which an id may be ahead of the clock that it was drawn by.
const Ahead = 24 * time.Hour

// A Source makes version 7 UUIDs that increase strictly within a process, also
// when the clock stands still or goes back. When it goes back by more than Ahead, it had
// been wrong, and the ids begin again: an id says when its record was made, and a search of
// a period begins and ends by it. Safe for concurrent use.
type Source struct {
	Rand io.Reader        // need not be safe for concurrent use; it is read under a lock
	New  func() uuid.UUID // makes the ids of Next in place of the source; nil: the source does

	mu   sync.Mutex
	last uuid.UUID
	pool [512]byte // random bytes; pool[used:] are not used yet
	used int
	full bool
}

// Next returns an id of the moment now.
func (s *Source) Next(now time.Time) uuid.UUID {
	if s.New != nil {
		return s.New()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	id := Stamp(s.fresh(), now)
	if back := millis(s.last) - millis(id); back >= 0 && back <= Ahead.Milliseconds() {
		id = successor(s.last, binary.BigEndian.Uint32(id[12:]))
	}
	s.last = id
	return id
}

// At returns an id of a moment in the past, for imported records. It does not
// touch the order of the others.
func (s *Source) At(moment time.Time) uuid.UUID {
	s.mu.Lock()
	defer s.mu.Unlock()
	return Stamp(s.fresh(), moment)
}

// Fresh is 16 random bytes with the version and variant of a UUID v7.
func (s *Source) Fresh() uuid.UUID {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.fresh()
}

// Bytes reads n random bytes.
func (s *Source) Bytes(n int) ([]byte, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	raw := make([]byte, n)
	_, err := io.ReadFull(s.Rand, raw)
	return raw, err
}

// fresh is Fresh under the lock.
func (s *Source) fresh() uuid.UUID {
	if !s.full || s.used == len(s.pool) {
		if _, err := io.ReadFull(s.Rand, s.pool[:]); err != nil {
			panic(fmt.Sprintf("affiliate: Config.Rand: %v", err)) // without random bytes ids could repeat
		}
		s.used, s.full = 0, true
	}
	id := uuid.UUID(s.pool[s.used : s.used+16])
	s.used += 16
	id[6] = id[6]&0x0f | 0x70
	id[8] = id[8]&0x3f | 0x80
	return id
}

// Stamp puts the milliseconds of t into the first 48 bits of id.
func Stamp(id uuid.UUID, t time.Time) uuid.UUID {
	ms := uint64(max(t.UnixMilli(), 0))
	for i := range 6 {
		id[i] = byte(ms >> (40 - 8*i))
	}
	return id
}

// millis returns the milliseconds of an id.
func millis(id uuid.UUID) int64 {
	return int64(binary.BigEndian.Uint64(id[:8]) >> 16)
}

// successor is id raised by 1 + step. The carry goes through the random bits
// into the milliseconds and leaves version and variant unchanged.
func successor(id uuid.UUID, step uint32) uuid.UUID {
	low := binary.BigEndian.Uint64(id[8:]) & (1<<62 - 1)
	high := uint64(binary.BigEndian.Uint16(id[6:])) & 0x0fff
	low += uint64(step) + 1
	high += low >> 62
	if high>>12 > 0 {
		carryMillisecond(&id)
	}
	binary.BigEndian.PutUint64(id[8:], low&(1<<62-1)|1<<63)
	binary.BigEndian.PutUint16(id[6:], uint16(high&0x0fff|0x7000))
	return id
}

func carryMillisecond(id *uuid.UUID) {
	for i := 5; i >= 0; i-- {
		id[i]++
		if id[i] != 0 {
			return
		}
	}
}

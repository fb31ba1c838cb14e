package pgstore

import (
	"bytes"
	"sync"

	"github.com/google/uuid"
)

// decoded caches decoded records, so that a record that is read often is
// decoded once. It is not a cache of the database: the bytes are read every
// time, and a cached record is used only when its bytes are equal.
type decoded struct {
	mu      sync.Mutex
	records map[decodedKey]decodedRecord
}

type decodedKey struct {
	table   *tableSQL
	program uuid.UUID
	id      uuid.UUID
}

type decodedRecord struct {
	raw []byte
	rec any
}

// maxDecoded limits the memory to some megabytes.
const maxDecoded = 4096

// of returns the record that the bytes decode to, if it is in the cache.
func (d *decoded) of(key decodedKey, raw []byte) (any, bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	known, ok := d.records[key]
	if !ok || !bytes.Equal(known.raw, raw) {
		return nil, false
	}
	return known.rec, true
}

// keep adds a record. The record and the bytes must not be changed afterwards.
func (d *decoded) keep(key decodedKey, raw []byte, rec any) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.records == nil || len(d.records) >= maxDecoded {
		d.records = make(map[decodedKey]decodedRecord)
	}
	d.records[key] = decodedRecord{raw, rec}
}

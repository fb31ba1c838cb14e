package pgstore

import (
	"bytes"
	"sync"

	"github.com/google/uuid"
)

// decoded remembers what stored records decode to, so that a record which is
// read again and again is decoded once. It knows nothing about what is stored:
// the bytes are read every time, and only equal bytes find their record.
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

// maxDecoded bounds the memory: some megabytes.
const maxDecoded = 4096

// of returns the record that the bytes decode to, if it is remembered.
func (d *decoded) of(key decodedKey, raw []byte) (any, bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	known, ok := d.records[key]
	if !ok || !bytes.Equal(known.raw, raw) {
		return nil, false
	}
	return known.rec, true
}

// keep remembers a record. Neither it nor the bytes may be changed any more.
func (d *decoded) keep(key decodedKey, raw []byte, rec any) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.records == nil || len(d.records) >= maxDecoded {
		d.records = make(map[decodedKey]decodedRecord)
	}
	d.records[key] = decodedRecord{raw, rec}
}

package pgstore

import (
	"encoding/binary"
	"slices"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate/record"
)

// A writer makes the bytes of one compact record.
type writer struct {
	buf     []byte
	payload []byte // of an event: stored beside the record
	last    int64  // the time that was written last
	ids     []uuid.UUID
}

func (w *writer) int(n int64) { w.buf = binary.AppendVarint(w.buf, n) }

func (w *writer) time(micros int64) {
	w.int(micros - w.last) // wraps around, and back when it is read
	w.last = micros
}

// id writes an id, or how often another one was written before it and one more.
func (w *writer) id(id uuid.UUID) {
	if at := slices.Index(w.ids, id); at >= 0 {
		w.buf = binary.AppendUvarint(w.buf, uint64(at+1))
		return
	}
	w.ids = append(w.ids, id)
	w.buf = append(append(w.buf, 0), id[:]...)
}

func (w *writer) bytes(raw []byte) {
	w.buf = append(binary.AppendUvarint(w.buf, uint64(len(raw))), raw...)
}

// text writes the place of a word, as an odd number, or the length of a text and
// its bytes.
func (w *writer) text(s string) {
	if at, ok := places[s]; ok {
		w.buf = binary.AppendUvarint(w.buf, uint64(at)<<1|1)
		return
	}
	w.buf = append(binary.AppendUvarint(w.buf, uint64(len(s))<<1), s...)
}

// A reader reads what a writer wrote. After an error it gives zeros.
type reader struct {
	raw     []byte // what is left
	payload *record.Payload
	last    int64
	ids     []uuid.UUID
	err     error
}

// fail notes the first error.
func (r *reader) fail(err error) {
	if r.err == nil {
		r.err = err
	}
}

// take returns the next bytes, in the memory of the record.
func (r *reader) take(n int) []byte {
	if r.err != nil || n > len(r.raw) {
		r.fail(errRecord)
		return make([]byte, min(n, 64))
	}
	taken := r.raw[:n]
	r.raw = r.raw[n:]
	return taken
}

func (r *reader) int() int64 {
	v, n := binary.Varint(r.raw)
	return v * int64(r.skip(n))
}

func (r *reader) uint() uint64 {
	v, n := binary.Uvarint(r.raw)
	return v * uint64(r.skip(n))
}

// skip steps over a number of n bytes. It returns 0 if there was none, else 1.
func (r *reader) skip(n int) int {
	if n <= 0 || r.err != nil {
		r.fail(errRecord)
		return 0
	}
	r.raw = r.raw[n:]
	return 1
}

// count returns how many of something follow. Each has at least one byte, so that no
// number makes more memory than the record has.
func (r *reader) count() int {
	n := r.uint()
	if n > uint64(len(r.raw)) {
		r.fail(errRecord)
		return 0
	}
	return int(n)
}

func (r *reader) time() int64 {
	r.last += r.int()
	return r.last
}

func (r *reader) id() (id uuid.UUID) {
	at := r.uint()
	switch {
	case at == 0:
		copy(id[:], r.take(len(id)))
		r.ids = append(r.ids, id)
	case at <= uint64(len(r.ids)):
		id = r.ids[at-1]
	default:
		r.fail(errRecord)
	}
	return id
}

func (r *reader) bytes() []byte { return r.take(r.count()) }

func (r *reader) text() string {
	n := r.uint()
	switch {
	case n&1 == 0 && n>>1 <= uint64(len(r.raw)):
		return string(r.take(int(n >> 1)))
	case n&1 == 1 && n>>1 < uint64(len(words)):
		return words[n>>1]
	case n&1 == 1:
		r.fail(errLater)
	default:
		r.fail(errRecord)
	}
	return ""
}

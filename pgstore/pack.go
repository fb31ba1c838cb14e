package pgstore

import (
	"bytes"
	"compress/flate"
	"encoding/binary"
	"io"
	"sync"

	"github.com/tributary-go/tributary/affiliate/record"
)

// The payload of an event and the answer of a receipt are JSON of some hundred
// bytes to many megabytes. They are stored as bytes: one that says how, and
// then the JSON itself, or its length and the JSON deflated.

const (
	plain    = 0
	deflated = 1 // with the dictionary of this number

	packFrom = 1024 // shorter JSON is stored as it is

	// mostInflated is the largest number of bytes that one byte of deflate gives.
	mostInflated = 1032
)

// deflaters are writers that are ready to be reset. A new one takes more than a
// megabyte of memory.
var deflaters = sync.Pool{New: func() any {
	w, err := flate.NewWriterDict(nil, 4, []byte(dictionary))
	if err != nil {
		panic("pgstore: " + err.Error()) // cannot happen: the level is one of flate's
	}
	return w
}}

// pack returns the stored form of a text. It depends only on the text.
func pack(text []byte) []byte {
	if len(text) < packFrom {
		return append([]byte{plain}, text...)
	}
	var out bytes.Buffer
	out.Grow(len(text)/4 + 64)
	out.Write(binary.AppendUvarint([]byte{deflated}, uint64(len(text))))
	w := deflaters.Get().(*flate.Writer)
	defer deflaters.Put(w)
	w.Reset(&out)
	_, _ = w.Write(text) // a Buffer takes everything
	_ = w.Close()
	return out.Bytes()
}

// unpack returns the text of a stored form, in memory of its own. A length that the
// bytes cannot have is refused before memory is made for it.
func (r *reader) unpack(stored []byte) []byte {
	if len(stored) == 0 {
		r.fail(errRecord)
		return nil
	}
	switch stored[0] {
	case plain:
		return bytes.Clone(stored[1:])
	case deflated:
		size, n := binary.Uvarint(stored[1:])
		if n <= 0 || size > uint64(len(stored))*mostInflated {
			r.fail(errRecord)
			return nil
		}
		return r.inflate(stored[1+n:], int(size))
	}
	r.fail(errLater)
	return nil
}

// inflate reads exactly as many bytes as the text has, and no more.
func (r *reader) inflate(raw []byte, size int) []byte {
	in := flate.NewReaderDict(bytes.NewReader(raw), []byte(dictionary))
	text := make([]byte, size)
	if _, err := io.ReadFull(in, text); err != nil {
		r.fail(errRecord)
		return nil
	}
	if n, err := in.Read(make([]byte, 1)); n > 0 || err != io.EOF {
		r.fail(errRecord)
		return nil
	}
	return text
}

// payloadOf returns the payload of stored bytes; there are none once a person in it
// was erased.
func (r *reader) payloadOf(stored []byte) record.Payload {
	return record.PayloadOf(r.unpack(stored))
}

package pgstore

import (
	"bytes"
	"encoding"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
)

// A compact record is a version byte, and then its fields: the number of a field
// and its value, for each field that is not zero, and a zero at the end. A field
// has the number of its place in layouts. So a new field is absent in older rows,
// and reads as zero there.
//
// Inside a record, a time is stored as the distance from the time before it, an id
// that occurred before as its place among the ids, and a text of words as its
// place there: most records repeat themselves.

// compactVersion is the first byte of a compact record. A record in JSON begins
// with a brace.
const compactVersion = 1

var (
	errRecord = errors.New("a stored record cannot be read")
	errLater  = errors.New("a stored record was written by a later version of pgstore")
)

// A codec reads and writes values of one type.
type codec struct {
	write func(w *writer, v reflect.Value)
	read  func(r *reader, v reflect.Value)
}

// codecOf makes the codec of a type. It panics on a type that it does not know,
// which is a mistake in layouts and found when the first Store is made.
func codecOf(t reflect.Type) codec {
	if c, ok := special(t); ok {
		return c
	}
	if reflect.PointerTo(t).Implements(reflect.TypeFor[enumeration]()) {
		return codec{writeWord, readWord}
	}
	switch t.Kind() {
	case reflect.Bool:
		return codec{writeNothing, readTrue}
	case reflect.Int, reflect.Int64:
		return codec{func(w *writer, v reflect.Value) { w.int(v.Int()) }, func(r *reader, v reflect.Value) { v.SetInt(r.int()) }}
	case reflect.String:
		return codec{func(w *writer, v reflect.Value) { w.text(v.String()) }, func(r *reader, v reflect.Value) { v.SetString(r.text()) }}
	case reflect.Array: // of bytes
		return codec{func(w *writer, v reflect.Value) { w.buf = append(w.buf, v.Bytes()...) }, func(r *reader, v reflect.Value) { copy(v.Bytes(), r.take(v.Len())) }}
	case reflect.Slice:
		return listOf(t.Elem())
	case reflect.Struct:
		return structOf(t)
	}
	panic("pgstore: no compact form of " + t.String())
}

// special returns the codec of a type that is not what its kind says.
func special(t reflect.Type) (codec, bool) {
	switch t {
	case reflect.TypeFor[uuid.UUID]():
		return as(func(w *writer, v *uuid.UUID) { w.id(*v) }, func(r *reader, v *uuid.UUID) { *v = r.id() }), true
	case reflect.TypeFor[affiliate.Instant]():
		return as(func(w *writer, v *affiliate.Instant) { w.time(v.Time().UnixMicro()) },
			func(r *reader, v *affiliate.Instant) { *v = affiliate.InstantOf(time.UnixMicro(r.time())) }), true
	case reflect.TypeFor[affiliate.Amount]():
		return as(func(w *writer, v *affiliate.Amount) { w.int(v.Scaled()) },
			func(r *reader, v *affiliate.Amount) { *v = affiliate.AmountFromScaled(r.int()) }), true
	case reflect.TypeFor[affiliate.Percent]():
		return as(func(w *writer, v *affiliate.Percent) { w.int(v.Scaled()) },
			func(r *reader, v *affiliate.Percent) { *v = affiliate.PercentFromScaled(r.int()) }), true
	case reflect.TypeFor[[]byte]():
		return as(func(w *writer, v *[]byte) { w.bytes(pack(*v)) }, func(r *reader, v *[]byte) { *v = r.unpack(r.bytes()) }), true
	case reflect.TypeFor[json.RawMessage]():
		return as(func(w *writer, v *json.RawMessage) { w.bytes(*v) }, func(r *reader, v *json.RawMessage) { *v = bytes.Clone(r.bytes()) }), true
	case reflect.TypeFor[record.Payload]():
		return as(func(w *writer, v *record.Payload) { w.payload = pack(v.Bytes()) }, func(r *reader, v *record.Payload) { r.payload = v }), true
	case reflect.TypeFor[record.StoredAnswer]():
		return as(func(w *writer, v *record.StoredAnswer) { w.bytes(pack(v.Bytes())) },
			func(r *reader, v *record.StoredAnswer) { *v = record.StoredAnswerOf(r.unpack(r.bytes())) }), true
	case reflect.TypeFor[affiliate.Opt[affiliate.Amount]]():
		return optOf[affiliate.Amount](), true
	case reflect.TypeFor[affiliate.Opt[affiliate.Percent]]():
		return optOf[affiliate.Percent](), true
	case reflect.TypeFor[affiliate.Opt[record.HandSet]]():
		return optOf[record.HandSet](), true
	}
	return codec{}, false
}

func as[T any](write func(*writer, *T), read func(*reader, *T)) codec {
	return codec{
		func(w *writer, v reflect.Value) { write(w, v.Addr().Interface().(*T)) },
		func(r *reader, v reflect.Value) { read(r, v.Addr().Interface().(*T)) },
	}
}

// An enumeration is stored as its text, so that the order of its values in the
// engine does not matter.
type enumeration interface {
	fmt.Stringer
	encoding.TextUnmarshaler
}

func writeWord(w *writer, v reflect.Value) { w.text(v.Addr().Interface().(enumeration).String()) }

func readWord(r *reader, v reflect.Value) {
	if err := v.Addr().Interface().(enumeration).UnmarshalText([]byte(r.text())); err != nil {
		r.fail(errLater)
	}
}

func writeNothing(*writer, reflect.Value) {}

// readTrue reads a bool, which is stored only when it is true.
func readTrue(_ *reader, v reflect.Value) { v.SetBool(true) }

// optOf returns the codec of an Opt that is given or null.
func optOf[T any]() codec {
	inner := codecOf(reflect.TypeFor[T]())
	return as(func(w *writer, v *affiliate.Opt[T]) {
		value, ok := v.Get()
		if !ok {
			w.buf = append(w.buf, 0)
			return
		}
		w.buf = append(w.buf, 1)
		inner.write(w, reflect.ValueOf(&value).Elem())
	}, func(r *reader, v *affiliate.Opt[T]) {
		var value T
		switch given := r.take(1); {
		case given[0] == 0:
			*v = affiliate.Null[T]()
		default:
			inner.read(r, reflect.ValueOf(&value).Elem())
			*v = affiliate.Set(value)
		}
	})
}

// listOf returns the codec of a list. A nil list is zero and not written; an empty
// one is.
func listOf(elem reflect.Type) codec {
	inner := codecOf(elem)
	return codec{
		func(w *writer, v reflect.Value) {
			w.buf = binary.AppendUvarint(w.buf, uint64(v.Len()))
			for i := range v.Len() {
				inner.write(w, v.Index(i))
			}
		},
		func(r *reader, v reflect.Value) {
			n := r.count()
			v.Set(reflect.MakeSlice(v.Type(), n, n))
			for i := range n {
				inner.read(r, v.Index(i))
			}
		},
	}
}

// structOf returns the codec of a struct that layouts knows.
func structOf(t reflect.Type) codec {
	names, ok := layouts[t]
	if !ok {
		panic("pgstore: no layout of " + t.String())
	}
	fields := make([]structField, len(names))
	for i, name := range names {
		f, ok := t.FieldByName(name)
		if !ok {
			panic(fmt.Sprintf("pgstore: %s has no field %s", t, name))
		}
		fields[i] = structField{f.Index[0], codecOf(f.Type)}
	}
	return codec{
		func(w *writer, v reflect.Value) {
			for i, f := range fields {
				if field := v.Field(f.at); !field.IsZero() {
					w.buf = append(w.buf, byte(i+1))
					f.write(w, field)
				}
			}
			w.buf = append(w.buf, 0)
		},
		func(r *reader, v reflect.Value) {
			for n := r.take(1)[0]; n > 0 && r.err == nil; n = r.take(1)[0] {
				if int(n) > len(fields) {
					r.fail(errLater)
					return
				}
				fields[n-1].read(r, v.Field(fields[n-1].at))
			}
		},
	}
}

type structField struct {
	at int
	codec
}

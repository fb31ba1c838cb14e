package pgstore

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"

	"github.com/jackc/pgx/v5/pgtype"
)

// A form is how a table stores its records. Most tables store JSON, which hosts
// read by SQL. Tables with many rows store a compact record, and beside it what
// reports ask for.
type form struct {
	codec   *codec // nil: JSON
	payload bool   // the record has a payload, in a column of its own
	columns []column
	report  func(rec any) []any // the values of the columns after the record and its payload

	convert func(json []byte) (encoded, error) // a record that an older version stored
}

// A column holds a record or a part of it.
type column struct{ name, typ string }

// asJSON is the form of a table that is not in forms.
var asJSON = &form{columns: []column{{"record", "json"}}}

// compact makes the form of a record type.
func compact[T any](report func(rec *T) []any, columns ...column) *form {
	c := codecOf(reflect.TypeFor[T]())
	f := &form{codec: &c, columns: []column{{"packed", "bytea"}}}
	if _, f.payload = reflect.TypeFor[T]().FieldByName("Payload"); f.payload {
		f.columns = append(f.columns, column{"payload", "bytea"})
	}
	f.columns = append(f.columns, columns...)
	f.report = func(rec any) []any { return report(rec.(*T)) }
	f.convert = func(raw []byte) (encoded, error) {
		var rec T
		if err := json.Unmarshal(raw, &rec); err != nil {
			return encoded{}, errRecord
		}
		return new(flushBatch).encode(f, &rec)
	}
	return f
}

// stored returns the SQL of a record as the database has it. t is the alias of the
// table in the statement, with its dot, or empty. A compact record is followed
// by its payload. A row that was written before there were compact records has
// JSON.
func (f *form) stored(t string) string {
	switch {
	case f.codec == nil:
		return t + "record"
	case f.payload:
		return "coalesce(" + t + "packed || " + t + "payload, convert_to(" + t + "record_json::text, 'UTF8'))"
	}
	return "coalesce(" + t + "packed, convert_to(" + t + "record_json::text, 'UTF8'))"
}

// param returns the SQL of a parameter for the column, one value or an array of them.
func (c column) param(n int, array string) string {
	if c.typ == "json" {
		return fmt.Sprintf("$%d::text%s", n, array)
	}
	return fmt.Sprintf("$%d::%s%s", n, c.typ, array)
}

// cast returns what the SQL of a value needs to go into the column.
func (c column) cast() string {
	if c.typ == "json" {
		return "::json"
	}
	return ""
}

// decode reads what stored gives.
func decode[T any](s *tableSQL, raw []byte) (rec T, err error) {
	if s.form.codec != nil && (len(raw) == 0 || raw[0] != '{') {
		err := s.form.decode(raw, reflect.ValueOf(&rec).Elem())
		return rec, err
	}
	if err := json.Unmarshal(raw, &rec); err != nil {
		return rec, errRecord
	}
	return rec, nil
}

// decode reads a compact record and the payload behind it.
func (f *form) decode(raw []byte, rec reflect.Value) error {
	switch {
	case len(raw) == 0:
		return errRecord
	case raw[0] != compactVersion:
		return errLater
	}
	r := &reader{raw: raw[1:]}
	f.codec.read(r, rec)
	switch {
	case r.err != nil:
	case r.payload != nil:
		*r.payload = r.payloadOf(r.raw)
	case len(r.raw) > 0:
		r.fail(errRecord)
	}
	return r.err
}

// An encoded record is the values of its columns, and its bytes as stored gives
// them.
type encoded struct {
	values []any
	raw    []byte
}

// encode makes the values of the columns of a record; rec is a pointer to it.
func (b *flushBatch) encode(f *form, rec any) (encoded, error) {
	if f.codec == nil {
		text, err := b.json(rec)
		return encoded{[]any{text}, []byte(text)}, err
	}
	w := &writer{buf: make([]byte, 1, 256)}
	w.buf[0] = compactVersion
	f.codec.write(w, reflect.ValueOf(rec).Elem())
	e := encoded{values: []any{w.buf}, raw: w.buf}
	if f.payload {
		if w.payload == nil {
			w.payload = []byte{}
		}
		e.values, e.raw = append(e.values, w.payload), slices.Concat(w.buf, w.payload)
	}
	e.values = append(e.values, f.report(rec)...)
	return e, nil
}

// json returns the stored JSON of a record. It does not escape characters for HTML,
// so metadata comes back byte for byte.
func (b *flushBatch) json(rec any) (string, error) {
	b.buf.Reset()
	enc := json.NewEncoder(&b.buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(rec); err != nil {
		return "", fmt.Errorf("pgstore: encode record: %w", err)
	}
	return string(bytes.TrimSuffix(b.buf.Bytes(), []byte("\n"))), nil
}

// array returns the values of one column in many rows.
func (c column) array(rows []encoded, i int) any {
	switch c.typ {
	case "json":
		return gather[string](rows, i)
	case "bytea":
		return gather[[]byte](rows, i)
	case "bigint":
		return gather[pgtype.Int8](rows, i)
	case "timestamptz":
		return gather[pgtype.Timestamptz](rows, i)
	case "boolean":
		return gather[bool](rows, i)
	}
	return gather[pgtype.Text](rows, i)
}

func gather[E any](rows []encoded, i int) []E {
	values := make([]E, len(rows))
	for j, row := range rows {
		values[j] = row.values[i].(E)
	}
	return values
}

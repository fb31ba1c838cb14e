package router

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate/record"
)

// ErrDiffer is the error of two stores that do not hold the same.
var ErrDiffer = errors.New("router: the stores differ")

// Compare compares the records of a program and its sequences, except the fence, in two
// stores. It reads pages of 256 records from each. It returns how many records are
// equal, up to the first that is not.
//
// Payloads are compared byte by byte, metadata as JSON values, an empty list equals one
// that is not there, and everything else must be identical.
//
// Errors: [ErrDiffer], with the table and the id of the first record that differs or
// that one store lacks, or with the sequence; those of the stores.
func Compare(ctx context.Context, one, two record.Store, program uuid.UUID) (int, error) {
	equal, err := compareRecords(ctx, one, two, program, func() error { return nil })
	if err != nil {
		return equal, err
	}
	return equal, compareSequences(ctx, one, two, program)
}

// compareRecords calls page for each page.
func compareRecords(ctx context.Context, one, two record.Store, program uuid.UUID, page func() error) (int, error) {
	a, b, equal := newWalk(one, program), newWalk(two, program), 0
	for {
		ones, err := a.next(ctx)
		if err != nil {
			return equal, err
		}
		twos, err := b.next(ctx)
		if err != nil {
			return equal, err
		}
		n, err := compareRows(a.schema, ones, twos)
		if equal += n; err == nil {
			err = page()
		}
		if err != nil {
			return equal, err
		}
		if len(ones) == 0 {
			return equal, nil
		}
	}
}

func compareRows(schema []record.TableSchema, ones, twos []row) (equal int, err error) {
	for equal < len(ones) && equal < len(twos) {
		a, b := ones[equal], twos[equal]
		switch c := compareIDs(a, b); {
		case c < 0:
			return equal, lacks(schema, a, "second")
		case c > 0:
			return equal, lacks(schema, b, "first")
		case !same(reflect.ValueOf(a.rec), reflect.ValueOf(b.rec)):
			return equal, fmt.Errorf("%w in %s %s", ErrDiffer, schema[a.place].Name, a.rec.RecordID())
		}
		equal++
	}
	switch {
	case equal < len(ones):
		return equal, lacks(schema, ones[equal], "second")
	case equal < len(twos):
		return equal, lacks(schema, twos[equal], "first")
	}
	return equal, nil
}

// compareIDs compares the places of two rows in a walk.
func compareIDs(a, b row) int {
	if a.place != b.place {
		return a.place - b.place
	}
	x, y := a.rec.RecordID(), b.rec.RecordID()
	return bytes.Compare(x[:], y[:])
}

func lacks(schema []record.TableSchema, r row, which string) error {
	return fmt.Errorf("%w: the %s lacks %s %s", ErrDiffer, which, schema[r.place].Name, r.rec.RecordID())
}

func compareSequences(ctx context.Context, one, two record.Store, program uuid.UUID) error {
	a, err := sequences(ctx, one, program)
	if err != nil {
		return err
	}
	b, err := sequences(ctx, two, program)
	if err != nil {
		return err
	}
	for i, seq := range counted {
		if a[i] != b[i] {
			return fmt.Errorf("%w: the sequence %s is at %d in the first and at %d in the second",
				ErrDiffer, seq, a[i], b[i])
		}
	}
	return nil
}

// same compares two records, or values in them. Stores may return an empty list for
// none, JSON in another form, and a payload that is encoded or not.
func same(a, b reflect.Value) bool {
	if a.Type() != b.Type() {
		return false
	}
	switch a.Type() {
	case reflect.TypeFor[record.Payload]():
		return a.Interface().(record.Payload).Equal(b.Interface().(record.Payload))
	case reflect.TypeFor[json.RawMessage]():
		return sameJSON(a.Bytes(), b.Bytes())
	}
	switch {
	case a.Kind() == reflect.Slice:
		if a.Len() != b.Len() {
			return false
		}
		for i := range a.Len() {
			if !same(a.Index(i), b.Index(i)) {
				return false
			}
		}
		return true
	case a.Kind() == reflect.Struct && !a.Type().Comparable():
		for i := range a.NumField() {
			if !same(a.Field(i), b.Field(i)) {
				return false
			}
		}
		return true
	}
	return a.Equal(b)
}

func sameJSON(a, b []byte) bool {
	if bytes.Equal(a, b) {
		return true
	}
	x, errX := decode(a)
	y, errY := decode(b)
	return errX == nil && errY == nil && reflect.DeepEqual(x, y)
}

// decode reads JSON and keeps numbers as they are written.
func decode(raw []byte) (v any, err error) {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	err = d.Decode(&v)
	return v, err
}

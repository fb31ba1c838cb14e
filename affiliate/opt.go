package affiliate

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"reflect"
)

// States of an Opt. The zero value is optNotGiven, so a field that nobody sets
// is not given.
const (
	optNotGiven uint8 = iota
	optNull
	optGiven
)

// Opt is a value that may be missing in two ways: not given at all, or given as
// null.
//
// The zero value is "not given". In an update, not given leaves a field as it
// is, null clears it and a value sets it. In a response, null is "no value". A
// struct field that must be absent from JSON when it is not given has the tag
// omitzero. Printed or logged, an Opt looks like the value that it holds.
//
// Source: docs/rules.md 2.4.
type Opt[T any] struct {
	v     T
	state uint8
}

// Set returns an Opt that holds v.
func Set[T any](v T) Opt[T] {
	return Opt[T]{v: v, state: optGiven}
}

// Null returns an Opt that was given as null.
func Null[T any]() Opt[T] {
	return Opt[T]{state: optNull}
}

// Get returns the value and true, or the zero T and false when the Opt is null
// or not given.
func (o Opt[T]) Get() (v T, ok bool) {
	return o.v, o.state == optGiven
}

// Or returns the value, or def when the Opt is null or not given.
func (o Opt[T]) Or(def T) T {
	if o.state != optGiven {
		return def
	}
	return o.v
}

// IsNull reports whether the Opt was given as null. It is false when the Opt
// was not given.
func (o Opt[T]) IsNull() bool {
	return o.state == optNull
}

// IsZero reports whether the Opt was not given. The JSON tag omitzero calls it.
// An Opt that is null, or holds a zero T, is not zero.
func (o Opt[T]) IsZero() bool {
	return o.state == optNotGiven
}

// Equal reports whether both are not given, both null, or both hold equal
// values. Values are compared by their own method Equal(T) bool when they have
// one, otherwise by reflect.DeepEqual.
func (o Opt[T]) Equal(p Opt[T]) bool {
	if o.state != p.state {
		return false
	}
	if o.state != optGiven {
		return true
	}
	if v, ok := any(o.v).(interface{ Equal(T) bool }); ok {
		return v.Equal(p.v)
	}
	// T may hold a slice or a map, where == panics; no constraint can say
	// "comparable, or else deeply".
	return reflect.DeepEqual(o.v, p.v)
}

// String returns what fmt prints of the value, "null", or "not given".
func (o Opt[T]) String() string { return fmt.Sprint(o) }

// Format writes the value with the verb and its flags. Without a value it
// writes null or not given for every verb. With %#v it writes Go syntax.
func (o Opt[T]) Format(f fmt.State, verb rune) {
	switch {
	case verb == 'v' && f.Flag('#'):
		io.WriteString(f, o.goSyntax())
	case o.state == optGiven:
		fmt.Fprintf(f, fmt.FormatString(f, verb), o.v)
	default:
		o.formatNothing(f)
	}
}

func (o Opt[T]) goSyntax() string {
	switch o.state {
	case optGiven:
		return fmt.Sprintf("affiliate.Set(%#v)", o.v)
	case optNull:
		return fmt.Sprintf("affiliate.Null[%v]()", reflect.TypeFor[T]())
	}
	return fmt.Sprintf("affiliate.Opt[%v]{}", reflect.TypeFor[T]())
}

// formatNothing writes an Opt without a value, as wide as the verb asks.
func (o Opt[T]) formatNothing(f fmt.State) {
	text := "not given"
	if o.state == optNull {
		text = "null"
	}
	width, _ := f.Width()
	if f.Flag('-') {
		width = -width
	}
	fmt.Fprintf(f, "%*s", width, text)
}

// LogValue returns the value, or nil for null. For "not given" it returns a
// group without attributes, which a [slog.Handler] leaves out.
func (o Opt[T]) LogValue() slog.Value {
	switch o.state {
	case optGiven:
		return slog.AnyValue(o.v)
	case optNull:
		return slog.AnyValue(nil)
	}
	return slog.GroupValue()
}

// MarshalJSON writes the value, or null without one. It does not escape
// characters for HTML: the calling encoder does that unless it is configured
// otherwise.
func (o Opt[T]) MarshalJSON() ([]byte, error) {
	if o.state != optGiven {
		return []byte("null"), nil
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(o.v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// UnmarshalJSON reads null as null and anything else as a value. When T refuses
// a value, the error is T's and the Opt does not change.
func (o *Opt[T]) UnmarshalJSON(data []byte) error {
	if string(data) == "null" {
		*o = Null[T]()
		return nil
	}
	var v T
	if err := json.Unmarshal(data, &v); err != nil {
		return err
	}
	*o = Set(v)
	return nil
}

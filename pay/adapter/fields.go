package adapter

import (
	"errors"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/internal/jsontext"
)

// ErrPayload means that a payload is not what its provider sends. Its text names
// fields and rules, and never values that were sent.
var ErrPayload = errors.New("pay: payload refused")

const (
	maxDepth   = 64  // levels of objects and arrays in a payload
	anyElement = "*" // of an array, in a path
)

// A Value is a field of a document. The zero Value is missing.
type Value struct {
	doc  *document
	path string
	raw  []byte // nil: missing or null
}

// A document remembers the first fault of its fields, and the paths that were
// asked for: the elements of an array have one, so a long array costs no more than
// a short one.
type document struct {
	err   error
	paths map[step]string
}

// A step leads from a field to one in it.
type step struct{ path, name string }

// join returns the path of a field.
func (d *document) join(path, name string) string {
	if path == "" || d == nil {
		return name
	}
	joined, known := d.paths[step{path, name}]
	if !known {
		joined = path + "." + name
		d.paths[step{path, name}] = joined
	}
	return joined
}

// Read reads a payload. It must be one JSON object in UTF-8, without duplicate
// names and with at most 64 levels.
//
// Errors: [ErrPayload].
func Read(payload []byte) (Value, error) {
	if !utf8.Valid(payload) {
		return Value{}, refuse("invalid UTF-8")
	}
	r := jsontext.Reader{MaxDepth: maxDepth, Strict: true}
	switch fault := r.Read(payload, nil); {
	case fault == jsontext.Depth:
		return Value{}, refuse("nested too deeply")
	case fault == jsontext.Twice:
		return Value{}, refuse("a name is given twice in one object")
	case fault != jsontext.OK:
		return Value{}, refuse("not JSON")
	case jsontext.First(payload) != '{':
		return Value{}, refuse("not an object")
	}
	return Value{doc: &document{paths: map[step]string{}}, raw: payload[start(payload):]}, nil
}

// start returns where the object begins.
func start(payload []byte) int {
	for i, c := range payload {
		if c == '{' {
			return i
		}
	}
	return 0
}

func refuse(reason string) error { return fmt.Errorf("%w: %s", ErrPayload, reason) }

// Err returns the first fault of the document.
func (v Value) Err() error {
	if v.doc == nil {
		return nil
	}
	return v.doc.err
}

// Fail makes the field a fault of the document, unless there is one already.
func (v Value) Fail(reason string) {
	if v.doc != nil && v.doc.err == nil {
		v.doc.err = refuse(v.path + " " + reason)
	}
}

// Apart returns the field as a document of its own: what is wrong in it is no fault of the
// whole document, and its own Err returns it.
func (v Value) Apart() Value {
	v.doc = &document{paths: map[step]string{}}
	return v
}

// Given reports whether the field is there and not null.
func (v Value) Given() bool { return v.raw != nil }

// IsObject reports whether the field is an object.
func (v Value) IsObject() bool { return v.Given() && v.raw[0] == '{' }

// Only makes it a fault of the document that the object has a field with another name.
func (v Value) Only(names ...string) {
	if !v.Given() || !v.is('{', "is not an object") {
		return
	}
	for known := range jsontext.Members(v.raw) {
		if !slices.Contains(names, string(known)) {
			v.Fail("has a field that is not known; the known ones are " + strings.Join(names, ", "))
		}
	}
}

// Get returns a field of an object, and of the objects in it.
func (v Value) Get(path ...string) Value {
	for _, name := range path {
		v = v.member(name)
	}
	return v
}

func (v Value) member(name string) Value {
	field := Value{doc: v.doc, path: v.doc.join(v.path, name)}
	if !v.Given() || !v.is('{', "is not an object") {
		return field
	}
	for known, raw := range jsontext.Members(v.raw) {
		if string(known) == name {
			return field.with(raw)
		}
	}
	return field
}

// with returns the field with its text.
func (v Value) with(raw []byte) Value {
	if raw[0] != 'n' {
		v.raw = raw
	}
	return v
}

// is reports whether a field begins as one of a type does.
func (v Value) is(first byte, otherwise string) bool {
	if v.raw[0] == first {
		return true
	}
	v.Fail(otherwise)
	return false
}

// Text returns a string; empty: missing.
func (v Value) Text() string {
	if !v.Given() || !v.is('"', "is not a string") {
		return ""
	}
	return jsontext.Unquote(v.raw)
}

// Required returns a string, whose lack is a fault of the document.
func (v Value) Required() string {
	text := v.Text()
	if text == "" {
		v.Fail("is missing")
	}
	return text
}

// Integer returns a whole number that is written without point and exponent; 0:
// missing.
func (v Value) Integer() int64 {
	if !v.Given() {
		return 0
	}
	n, err := strconv.ParseInt(string(v.raw), 10, 64)
	if err != nil {
		v.Fail("is not an integer")
	}
	return n
}

// TextInteger returns a whole number that is written as a string, without point
// and exponent; 0: missing.
func (v Value) TextInteger() int64 {
	text := v.Text()
	if text == "" {
		return 0
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		v.Fail("is not an integer")
	}
	return n
}

// Loose returns a string, or a number as it is written; empty: anything else. It is
// for data that is not the provider's, where no type is wrong.
func (v Value) Loose() string {
	switch {
	case !v.Given():
		return ""
	case v.raw[0] == '"':
		return jsontext.Unquote(v.raw)
	case v.raw[0] == '-' || v.raw[0] >= '0' && v.raw[0] <= '9':
		return string(v.raw)
	}
	return ""
}

// Decimal returns an amount that is written in units of its currency, as a text or as a
// number: "19.99" and 19.99 are the same; zero: missing.
func (v Value) Decimal() affiliate.Amount {
	text := v.Loose()
	if !v.Given() || text == "" {
		if v.Given() && v.raw[0] != '"' {
			v.Fail("is not an amount")
		}
		return affiliate.Amount{}
	}
	amount, err := affiliate.ParseAmount(text)
	switch {
	case errors.Is(err, affiliate.ErrAmountDecimals):
		v.Fail("has more than 4 decimals; send what a binary float holds as a text of its cents")
	case err != nil:
		v.Fail("is not an amount")
	}
	return amount
}

// Time returns a time that is written as RFC 3339; zero: missing.
func (v Value) Time() time.Time {
	text := v.Text()
	if text == "" {
		return time.Time{}
	}
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		v.Fail("is not a time")
	}
	return at.UTC()
}

// Seconds returns a time that is written as seconds since 1970; zero: missing, or 0.
func (v Value) Seconds() time.Time {
	if v.Integer() == 0 {
		return time.Time{}
	}
	return time.Unix(v.Integer(), 0).UTC()
}

// True reports whether a boolean is true; missing is false.
func (v Value) True() bool {
	if !v.Given() {
		return false
	}
	if v.raw[0] != 't' && v.raw[0] != 'f' {
		v.Fail("is not a boolean")
	}
	return v.raw[0] == 't'
}

// Ref returns the id of another object: the field is the id, or the object with
// its id. Empty: missing.
func (v Value) Ref() string {
	if v.IsObject() {
		return v.member("id").Text()
	}
	return v.Text()
}

// Each returns the elements of an array; none: missing.
func (v Value) Each() iter.Seq[Value] {
	return func(yield func(Value) bool) {
		if !v.Given() || !v.is('[', "is not an array") {
			return
		}
		element := Value{doc: v.doc, path: v.doc.join(v.path, anyElement)}
		for raw := range jsontext.Elements(v.raw) {
			if !yield(element.with(raw)) {
				return
			}
		}
	}
}

// First returns the first element of an array; missing: it has none.
func (v Value) First() Value {
	for element := range v.Each() {
		return element
	}
	return Value{doc: v.doc, path: v.doc.join(v.path, anyElement)}
}

package httpapi

import (
	"encoding/json"
	"unicode/utf8"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/internal/jsontext"
	"github.com/tributary-go/tributary/internal/refusal"
)

// The gate reads a body strictly and once, before anything is decoded. It
// refuses what encoding/json accepts silently.
//
// Source: docs/contract.md 1.3.

const maxDepth = 32

// A member is one name of an object with the text of its value. Both share the
// memory of the body.
type member struct {
	name  []byte          // without escapes
	value json.RawMessage // without white space around it
}

// scan checks a whole body with a reader, which may have been used before, and
// appends the members of its object to into, in their order. When it refuses the
// body, it has appended the members before the error.
func scan(r *jsontext.Reader, body []byte, into []member) ([]member, *affiliate.Error) {
	if !utf8.Valid(body) {
		return into, refusal.RefuseUTF8.Err()
	}
	r.MaxDepth, r.Strict = maxDepth, true
	fault := r.Read(body, func(name, value []byte) { into = append(into, member{name, value}) })
	if fault != jsontext.OK {
		return into, rejected(fault, r.Twice())
	}
	if jsontext.First(body) != '{' {
		return into, refusal.RefuseNotAnObject.Err()
	}
	return into, nil
}

// rejected returns the error of a fault in a body; twice is the name that it has
// twice.
func rejected(fault jsontext.Fault, twice string) *affiliate.Error {
	switch fault {
	case jsontext.Trailing:
		return refusal.RefuseTrailing.Err()
	case jsontext.Depth:
		return refusal.RefuseDepth.Err()
	case jsontext.Escape:
		return refusal.RefuseUTF8.Err()
	case jsontext.Twice:
		return refusal.RefuseDuplicateField.Of(twice)
	}
	return refusal.RefuseJSON.Err()
}

// split returns the members of an object that has passed the gate as part of a
// body.
func split(object json.RawMessage) (members []member) {
	for name, value := range jsontext.Members(object) {
		members = append(members, member{name, value})
	}
	return members
}

// textsOf returns the texts of an array that has passed the gate as part of a
// body; false: the value holds something else.
func textsOf[T ~string](array json.RawMessage) ([]T, bool) {
	if array[0] != '[' {
		return nil, false
	}
	list := []T{}
	for value := range jsontext.Elements(array) {
		if value[0] != '"' {
			return nil, false
		}
		list = append(list, T(jsontext.Unquote(value)))
	}
	return list, true
}

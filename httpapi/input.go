package httpapi

import (
	"encoding/json"
	"net/url"
	"slices"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
)

// An input is the body of a request while it is read into an input of the
// engine. The fields are asked for in the order of the contract's tables, and
// that order decides which of several errors is answered: see
// [input.refusal].
//
// A field of the wrong type is noted and read as if something were there, so
// that the engine does not miss it.
type input struct {
	members []member
	query   url.Values // where the members come from when there is no body
	update  bool       // null clears, where it otherwise is the same as absent
	strict  bool       // unknown fields are refused
	outer   string     // the object around a nested one, with its dot

	fields  []field
	targets int // how many of the fields name the target
	bad     *affiliate.Error
	badAt   int  // the place of bad among the fields
	isEmpty bool // bad is an empty text: the engine may miss a field there
}

// A field is one name that an operation reads, for the order of errors, for
// the check of unknown fields, and for the document.
type field struct {
	name string // dotted when nested
	kind kind
}

// kind is what a field holds.
type kind string

const (
	kindText    kind = "string"
	kindIdent   kind = "ident"  // text, or an integer that is taken as its digits
	kindUUID    kind = "uuid"   // an id as it was given out
	kindSaleID  kind = "saleId" // an integer, or text of digits
	kindNumber  kind = "number"
	kindInteger kind = "integer"
	kindBool    kind = "boolean"
	kindDate    kind = "date"
	kindTexts   kind = "strings"
	kindObject  kind = "object"
	kindLength  kind = "length" // a boolean, or the length of what it turns on
	kindAny     kind = "any"
)

// What stands for values that no record has.
const (
	notASlug     = "_" // for an empty slug
	notACode     = " " // for an empty code
	standIn      = "x" // for a text of the wrong type
	unknownSale  = affiliate.SaleID(-1)
	outsideRange = -1 // for an integer of the wrong type, where the engine's text covers both
)

// unknownID stands for a text that no id was given out as: the record is not
// found, and the text is no syntax error.
var unknownID = uuid.Max

// fromQuery is the input of a DELETE without a body.
func (in *input) fromQuery(values url.Values) {
	in.query = values
	for name, texts := range values {
		raw, _ := json.Marshal(texts[0]) // text always has JSON
		in.members = append(in.members, member{[]byte(name), raw})
	}
}

// queryError is what is wrong with a parameter that was read as a field.
func (in *input) queryError() error {
	for _, f := range in.fields {
		if err := checkParameter(in.query, f.name); err != nil {
			return err
		}
	}
	return nil
}

// find returns the value of a field that is there, and notes that the field is
// known. null is not there unless the input is an update.
func (in *input) find(name string, k kind) (value json.RawMessage, isNull bool) {
	in.fields = append(in.fields, field{in.outer + name, k})
	if value = in.value(name); value == nil {
		return nil, false
	}
	if value[0] != 'n' {
		return value, false
	}
	return nil, in.update
}

// has reports whether a field is there and not null.
func (in *input) has(name string) bool {
	value := in.value(name)
	return value != nil && value[0] != 'n'
}

// value is the text of a field's value; nil: it is not there.
func (in *input) value(name string) json.RawMessage {
	for i := range in.members {
		if string(in.members[i].name) == name {
			return in.members[i].value
		}
	}
	return nil
}

// aliased reads a field by its name or, when that is not there, by its old
// name.
func aliased[T any](in *input, name, old string, read func(name string) T) T {
	v := read(name)
	if in.has(name) {
		in.fields = append(in.fields, field{in.outer + old, in.fields[len(in.fields)-1].kind})
		return v
	}
	return read(old)
}

// fault notes what is wrong with the field that was asked for last.
func (in *input) fault(f affiliate.Fault) {
	if in.bad == nil {
		in.badAt = len(in.fields) - 1
		in.bad, in.isEmpty = f.Of(in.fields[in.badAt].name), f == affiliate.FaultEmpty
	}
}

// faulty reports whether the first fault is in the field that was asked for last.
func (in *input) faulty() bool { return in.bad != nil && in.badAt == len(in.fields)-1 }

// targeted ends the fields that name the target.
func (in *input) targeted() { in.targets = len(in.fields) }

// refusal is the first thing wrong with the input by itself, before the engine
// has seen it, with its place in the order of checks; nil when all is well.
// Unknown fields come between the target and the other fields.
func (in *input) refusal() (*affiliate.Error, int) {
	if in.bad != nil && in.badAt < in.targets {
		return in.bad, in.badAt
	}
	if in.strict {
		for _, m := range in.members {
			if !slices.ContainsFunc(in.fields, func(f field) bool { return f.name == string(m.name) }) {
				return affiliate.RejectUnknownField.Of(string(m.name)), in.targets
			}
		}
	}
	return in.bad, in.badAt
}

// outranks reports whether an error of the engine comes before the refusal at a
// place.
func (in *input) outranks(e *affiliate.Error, place int) bool {
	at := in.place(e.Field)
	return at < place || at == place && in.isEmpty && e.Reason == affiliate.MissingField
}

// place is where a field stands in the order of checks: what names no field
// first, a field that the operation does not have last.
func (in *input) place(name string) int {
	if name == "" {
		return -1
	}
	i := slices.IndexFunc(in.fields, func(f field) bool { return f.name == name })
	if i < 0 {
		return len(in.fields)
	}
	return i
}

// opt turns a value that was read into an Opt: not given, null, or set.
func opt[T any](value json.RawMessage, isNull bool, read func(json.RawMessage) T) affiliate.Opt[T] {
	switch {
	case isNull:
		return affiliate.Null[T]()
	case value == nil:
		return affiliate.Opt[T]{}
	}
	return affiliate.Set(read(value))
}

package httpapi

import (
	"encoding/json"
	"net/url"
	"slices"
	"strings"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/internal/refusal"
)

// An input is the body of a request while it is read into an input of the
// engine. Fields are read in the order of the contract's tables, and that order
// decides which of several errors is answered: see [input.refusal].
//
// A field of the wrong type is noted and read as some value, so that the engine
// does not report it as missing.
type input struct {
	members []member
	query   url.Values // the source of the members when the request has no body
	update  bool       // null clears a field; otherwise null means absent
	strict  bool       // all unknown fields are refused
	outer   string     // the object around a nested one, with its dot

	call    *call // finds affiliates by their external ids; nil: no request
	fields  []field
	targets int // how many of the fields name the target
	bad     *affiliate.Error
	badAt   int  // the index of the bad field in fields
	isEmpty bool // bad is an empty text: the engine may report the field as missing
}

// A field is one name that an operation reads. The order of errors, the check
// of unknown fields and the OpenAPI document use it.
type field struct {
	name string // dotted when nested
	kind kind
}

// kind is the type of a field's value.
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
	kindSaleIDs kind = "saleIds" // ids of sales
	kindAnswers kind = "answers" // signup answers
	kindLines   kind = "lines"   // of a sale
	kindParts   kind = "parts"   // of a refund: lines of its sale
	kindRules   kind = "rules"   // of terms
	kindHeaders kind = "headers" // an object of texts
	kindObject  kind = "object"
	kindLength  kind = "length" // a boolean, or the length of what it turns on
	kindAny     kind = "any"
)

// Values that no record has. They stand for input that must not match.
const (
	notASlug     = "_" // for an empty slug
	notACode     = " " // for an empty code
	standIn      = "x" // for a text of the wrong type
	unknownSale  = affiliate.SaleID(-1)
	outsideRange = -1 // for an integer of the wrong type, where the engine's text covers both
)

// unknownID stands for a text that is not an id. Such a text is not a syntax
// error: the record is not found.
var unknownID = uuid.Max

// fromQuery is the input of a DELETE without a body.
func (in *input) fromQuery(values url.Values) {
	in.query = values
	for name, texts := range values {
		raw, _ := json.Marshal(texts[0]) // text always has JSON
		in.members = append(in.members, member{[]byte(name), raw})
	}
}

// queryError returns the error of a parameter that was read as a field.
func (in *input) queryError() error {
	for _, f := range in.fields {
		if err := checkParameter(in.query, f.name); err != nil {
			return err
		}
	}
	return nil
}

// find returns the value of a field, and notes that the field is known. A nil
// value means absent, and so does null unless the input is an update.
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

// has reports whether a field is given and not null.
func (in *input) has(name string) bool {
	value := in.value(name)
	return value != nil && value[0] != 'n'
}

// value returns the JSON of a field; nil when it is absent.
func (in *input) value(name string) json.RawMessage {
	for i := range in.members {
		if string(in.members[i].name) == name {
			return in.members[i].value
		}
	}
	return nil
}

// aliased reads a field by its name or, when that is absent, by its old name.
func aliased[T any](in *input, name, old string, read func(name string) T) T {
	v := read(name)
	if in.has(name) {
		in.also(old)
		return v
	}
	return read(old)
}

// also notes that the field that was read last is known by an old name, too.
func (in *input) also(old string) {
	in.fields = append(in.fields, field{in.outer + old, in.fields[len(in.fields)-1].kind})
}

// fault notes an error of the field that was read last. The first error stays.
func (in *input) fault(f refusal.Refusal) {
	if in.bad == nil {
		in.badAt = len(in.fields) - 1
		in.bad, in.isEmpty = f.Of(in.fields[in.badAt].name), f == refusal.FieldEmpty
	}
}

// faultOf notes an error of a field that was read. An error of an earlier field stays.
func (in *input) faultOf(name string, f refusal.Refusal) {
	if at := in.place(name); in.bad == nil || in.badAt > at {
		in.bad, in.badAt, in.isEmpty = f.Of(name), at, f == refusal.FieldEmpty
	}
}

// faultyAt reports whether the first fault is in a field.
func (in *input) faultyAt(name string) bool { return in.bad != nil && in.fields[in.badAt].name == name }

// faulty reports whether the first fault is in the field that was read last.
func (in *input) faulty() bool { return in.bad != nil && in.badAt == len(in.fields)-1 }

// targeted marks the end of the fields that name the target.
func (in *input) targeted() { in.targets = len(in.fields) }

// refusal returns the first error of the input itself, which is found without the
// engine, and its place in the order of checks; nil when the input has none.
// Unknown fields come after the target and before the other fields.
func (in *input) refusal() (*affiliate.Error, int) {
	if in.bad != nil && in.badAt < in.targets {
		return in.bad, in.badAt
	}
	for _, m := range in.members {
		if in.refuses(string(m.name)) {
			return refusal.RefuseUnknownField.Of(string(m.name)), in.targets
		}
	}
	return in.bad, in.badAt
}

// refuses reports whether a member is refused because no field has its name. An input that is not
// strict refuses what is nearly the name of a field that is not there: without the externalId
// that was meant, a repeated sale would count twice.
func (in *input) refuses(name string) bool {
	misspelt := false
	for _, f := range in.fields {
		known, here := strings.CutPrefix(f.name, in.outer)
		if here && known == name {
			return false
		}
		misspelt = misspelt || here && resembles(name, known) && in.value(known) == nil
	}
	return in.strict || misspelt
}

// outranks reports whether an error of the engine comes before a refusal at the
// given place.
func (in *input) outranks(e *affiliate.Error, place int) bool {
	at := in.place(e.Field)
	return at < place || at == place && in.isEmpty && e.Reason == affiliate.MissingField
}

// place returns the position of a field in the order of checks. An error without a
// field comes first, a field that the operation does not have comes last.
func (in *input) place(name string) int {
	if name == "" {
		return -1
	}
	at := func(name string) int {
		return slices.IndexFunc(in.fields, func(f field) bool { return f.name == name })
	}
	if i := at(name); i >= 0 {
		return i
	}
	list, _, isEntry := strings.Cut(name, "[")
	entry, _, _ := strings.Cut(name, ".")
	if i := at(list); isEntry && i >= 0 && !(in.bad != nil && strings.HasPrefix(in.fields[in.badAt].name, entry)) {
		return i // of another entry than the refused one, so of an earlier one
	}
	return len(in.fields)
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

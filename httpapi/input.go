package httpapi

import (
	"encoding/json"
	"errors"
	"net/url"
	"slices"
	"strconv"
	"strings"

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
	query   url.Values     // where the members come from when there is no body
	once    affiliate.Once // of a POST
	update  bool           // null clears, where it otherwise is the same as absent
	strict  bool           // unknown fields are refused
	outer   string         // the object around a nested one, with its dot

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

// again is the input before it was read, with another idempotency.
func (in *input) again(once affiliate.Once) *input {
	in.once, in.fields, in.targets, in.bad = once, in.fields[:0], 0, nil
	return in
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

// has tells whether a field is there and not null.
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

// faulty tells whether the first fault is in the field that was asked for last.
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

// outranks tells whether an error of the engine comes before the refusal at a
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

// text reads a text. What an empty one means is the engine's to say.
func (in *input) text(name string) string { return in.optText(name).Or("") }

func (in *input) optText(name string) affiliate.Opt[string] {
	value, isNull := in.find(name, kindText)
	return opt(value, isNull, in.readText)
}

// optional reads a text that must not be empty when it is there.
func (in *input) optional(name string) string { return in.optOptional(name).Or("") }

func (in *input) optOptional(name string) affiliate.Opt[string] {
	o := in.optText(name)
	in.notBlank(o)
	return o
}

// notBlank refuses a text of white space.
func (in *input) notBlank(o affiliate.Opt[string]) {
	if s, ok := o.Get(); ok && blank(s) {
		in.fault(affiliate.FaultEmpty)
	}
}

// blank tells a text of white space only, which counts as empty.
func blank(s string) bool { return strings.TrimSpace(s) == "" }

// name reads a text that names a record. An empty one names none: the engine
// may miss it.
func (in *input) name(field string) string {
	s := in.optional(field)
	if blank(s) {
		return ""
	}
	return s
}

func (in *input) readText(value json.RawMessage) string {
	if value[0] != '"' {
		in.fault(affiliate.FaultNotAString)
		return standIn
	}
	return unquote(value)
}

// sent reads a text of which the engine takes an empty one for none. When an
// empty one was sent, it gets what it says the same of as of an empty one.
func (in *input) sent(name, empty string) string {
	o := in.optText(name)
	if s, there := o.Get(); there && s == "" {
		return empty
	}
	return o.Or("")
}

// enum reads a value of an enumeration.
func enum[T ~string](in *input, name string) affiliate.Opt[T] {
	o := in.optOptional(name)
	if s, ok := o.Get(); ok {
		return affiliate.Set(T(s))
	}
	if o.IsNull() {
		return affiliate.Null[T]()
	}
	return affiliate.Opt[T]{}
}

// ident reads a text that names a record in one of several ways. An integer is
// taken as its digits.
func (in *input) ident(name string) string {
	value, _ := in.find(name, kindIdent)
	if value == nil {
		return ""
	}
	if isInteger(value) && value[0] != '-' {
		return string(value)
	}
	s := in.readText(value)
	in.notBlank(affiliate.Set(s))
	return s
}

// id reads the id of a record; zero when none is there.
func (in *input) id(name string) uuid.UUID {
	in.fields = append(in.fields, field{in.outer + name, kindUUID})
	value := in.value(name)
	if value == nil || value[0] == 'n' {
		return uuid.Nil
	}
	if value[0] != '"' {
		in.fault(affiliate.FaultNotAString)
		return unknownID
	}
	s := unquote(value)
	if blank(s) {
		in.fault(affiliate.FaultEmpty)
		return uuid.Nil
	}
	return idOf(s)
}

// idOf is the id that a text is; zero when the text is empty.
func idOf(s string) uuid.UUID {
	if s == "" {
		return uuid.Nil
	}
	id, err := uuid.Parse(s)
	if err != nil || id.String() != s || id == uuid.Nil {
		return unknownID
	}
	return id
}

// saleID reads the id of a sale: an integer, or text of digits.
func (in *input) saleID(name string) affiliate.SaleID {
	in.fields = append(in.fields, field{in.outer + name, kindSaleID})
	value := in.value(name)
	switch {
	case value == nil || value[0] == 'n':
		return 0
	case value[0] == '"':
		s := unquote(value)
		if blank(s) {
			return 0
		}
		return saleIDOf(s)
	case isInteger(value):
		return saleIDOf(string(value))
	}
	in.fault(affiliate.FaultNotAnInteger)
	return unknownSale
}

// saleIDOf is the id that a text is; zero when the text is empty.
func saleIDOf(s string) affiliate.SaleID {
	if s == "" {
		return 0
	}
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil || n <= 0 || strconv.FormatInt(n, 10) != s {
		return unknownSale
	}
	return affiliate.SaleID(n)
}

// amount reads an amount of money.
func (in *input) amount(name string) affiliate.Opt[affiliate.Amount] {
	value, isNull := in.find(name, kindNumber)
	return opt(value, isNull, func(v json.RawMessage) affiliate.Amount {
		return number(in, v, affiliate.ParseAmount)
	})
}

// percent reads a rate.
func (in *input) percent(name string) affiliate.Opt[affiliate.Percent] {
	value, isNull := in.find(name, kindNumber)
	return opt(value, isNull, func(v json.RawMessage) affiliate.Percent {
		return number(in, v, affiliate.ParsePercent)
	})
}

// number reads a number from its text.
func number[T any](in *input, value json.RawMessage, parse func(string) (T, error)) T {
	if value[0] != '-' && !isDigit(value[0]) {
		in.fault(affiliate.FaultNotANumber)
		var none T
		return none
	}
	n, err := parse(string(value))
	switch {
	case errors.Is(err, affiliate.ErrAmountDecimals):
		in.fault(affiliate.FaultTooManyDecimals)
	case err != nil:
		in.fault(affiliate.FaultTooLarge)
	}
	return n
}

// integer reads an integer.
func (in *input) integer(name string) affiliate.Opt[int64] {
	value, isNull := in.find(name, kindInteger)
	return opt(value, isNull, func(v json.RawMessage) int64 {
		n, ok := int64Of(v)
		if !ok {
			in.fault(affiliate.FaultNotAnInteger)
		} else if v[0] != '-' && n < 0 {
			in.fault(affiliate.FaultTooLarge)
		}
		return n
	})
}

// ranged reads an integer whose one text, the engine's, covers a wrong type
// too.
func (in *input) ranged(name string) affiliate.Opt[int64] {
	value, isNull := in.find(name, kindInteger)
	return opt(value, isNull, func(v json.RawMessage) int64 {
		n, ok := int64Of(v)
		if !ok {
			return outsideRange
		}
		return n
	})
}

// int64Of reads an integer literal. One that is out of range becomes a
// negative number.
func int64Of(value json.RawMessage) (n int64, ok bool) {
	if !isInteger(value) {
		return 0, false
	}
	n, err := strconv.ParseInt(string(value), 10, 64)
	if err != nil {
		return outsideRange, true
	}
	return n, true
}

// isInteger tells an integer literal: no fraction, no exponent.
func isInteger(value json.RawMessage) bool {
	digits := value
	if digits[0] == '-' {
		digits = digits[1:]
	}
	return !slices.ContainsFunc(digits, func(c byte) bool { return !isDigit(c) })
}

// boolean reads true or false.
func (in *input) boolean(name string) affiliate.Opt[bool] {
	value, isNull := in.find(name, kindBool)
	return opt(value, isNull, func(v json.RawMessage) bool {
		if v[0] != 't' && v[0] != 'f' {
			in.fault(affiliate.FaultNotABoolean)
		}
		return v[0] == 't'
	})
}

// part is a flag of an object that needs one that is true: a wrong type must
// not look as if there were none.
func (in *input) part(name string) bool {
	return in.flag(name) || in.faulty()
}

// flag is a boolean that is false when it is not there.
func (in *input) flag(name string) bool { return in.boolean(name).Or(false) }

// date reads a date or an instant.
func (in *input) date(name string) affiliate.Opt[affiliate.Date] {
	value, isNull := in.find(name, kindDate)
	return opt(value, isNull, func(v json.RawMessage) affiliate.Date {
		s := in.readText(v)
		d, err := affiliate.ParseDate(s)
		switch {
		case blank(s):
			in.fault(affiliate.FaultEmpty)
		case err != nil:
			in.fault(affiliate.FaultNotADate)
		}
		return d
	})
}

// texts reads an array of texts.
func texts[T ~string](in *input, name string) affiliate.Opt[[]T] {
	value, isNull := in.find(name, kindTexts)
	return opt(value, isNull, func(v json.RawMessage) []T {
		list, ok := textsOf[T](v)
		if !ok {
			in.fault(affiliate.FaultNotStrings)
		}
		return list
	})
}

// document reads an object as it is.
func (in *input) document(name string) affiliate.Opt[json.RawMessage] {
	value, isNull := in.find(name, kindObject)
	return opt(value, isNull, func(v json.RawMessage) json.RawMessage {
		if v[0] != '{' {
			in.fault(affiliate.FaultNotAnObject)
			return json.RawMessage("{}")
		}
		return slices.Clone(v)
	})
}

// nested reads an object field by field.
func nested[T any](in *input, name string, read func(*input) T) affiliate.Opt[T] {
	value, isNull := in.find(name, kindObject)
	return opt(value, isNull, func(v json.RawMessage) T {
		inner := input{outer: in.outer + name + ".", fields: in.fields, bad: in.bad, badAt: in.badAt, isEmpty: in.isEmpty}
		if v[0] == '{' {
			inner.members = split(v)
		} else {
			inner.fault(affiliate.FaultNotAnObject)
		}
		out := read(&inner)
		in.fields, in.bad, in.badAt, in.isEmpty = inner.fields, inner.bad, inner.badAt, inner.isEmpty
		return out
	})
}

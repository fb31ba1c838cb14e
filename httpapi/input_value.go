package httpapi

import (
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/internal/jsontext"
	"github.com/tributary-go/tributary/internal/refusal"
	"github.com/tributary-go/tributary/internal/unseen"
)

// Numbers, truth values, dates, arrays and objects of an input.

// amount reads an amount of money.
func (in *input) amount(name string) affiliate.Opt[affiliate.Amount] {
	value, isNull := in.find(name, kindNumber)
	return opt(value, isNull, func(v json.RawMessage) affiliate.Amount {
		return number(in, v, affiliate.ParseAmount)
	})
}

// exchangeRate reads what one unit of the currency is worth; null is as good as none.
func (in *input) exchangeRate(name string) affiliate.ExchangeRate {
	value, isNull := in.find(name, kindNumber)
	return opt(value, isNull, func(v json.RawMessage) affiliate.ExchangeRate {
		return number(in, v, affiliate.ParseExchangeRate)
	}).Or(affiliate.ExchangeRate{})
}

// percent reads a rate.
func (in *input) percent(name string) affiliate.Opt[affiliate.Percent] {
	value, isNull := in.find(name, kindNumber)
	return opt(value, isNull, func(v json.RawMessage) affiliate.Percent {
		return number(in, v, affiliate.ParsePercent)
	})
}

// number reads a number from its text, which may be in quotes when the caller asked for that.
func number[T any](in *input, value json.RawMessage, parse func(string) (T, error)) T {
	if in.quoted && value[0] == '"' {
		value = json.RawMessage(jsontext.Unquote(value))
	}
	if n, ok := jsontext.ScanNumber(value); !ok || n.End < len(value) {
		in.fault(refusal.FieldNotANumber)
		var none T
		return none
	}
	n, err := parse(string(value))
	switch {
	case errors.Is(err, affiliate.ErrAmountDecimals):
		in.fault(refusal.FieldTooManyDecimals)
	case errors.Is(err, affiliate.ErrExchangeRateDecimals):
		in.fault(refusal.FieldNot12Decimals)
	case errors.Is(err, affiliate.ErrExchangeRate):
		in.fault(refusal.FieldNotPositive)
	case err != nil:
		in.fault(refusal.FieldTooLarge)
	}
	return n
}

// integer reads an integer.
func (in *input) integer(name string) affiliate.Opt[int64] {
	value, isNull := in.find(name, kindInteger)
	return opt(value, isNull, func(v json.RawMessage) int64 {
		n, ok := int64Of(v)
		if !ok {
			in.fault(refusal.FieldNotAnInteger)
		} else if v[0] != '-' && n < 0 {
			in.fault(refusal.FieldTooLarge)
		}
		return n
	})
}

// ranged reads an integer whose refusal by the engine also covers a wrong type.
// A wrong type is read as a value out of range.
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

// isInteger reports whether a value is an integer literal, without fraction and
// exponent.
func isInteger(value json.RawMessage) bool {
	digits := value
	if digits[0] == '-' {
		digits = digits[1:]
	}
	return !slices.ContainsFunc(digits, func(c byte) bool { return !isDigit(c) })
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// boolean reads true or false.
func (in *input) boolean(name string) affiliate.Opt[bool] {
	value, isNull := in.find(name, kindBool)
	return opt(value, isNull, func(v json.RawMessage) bool {
		if v[0] != 't' && v[0] != 'f' {
			in.fault(refusal.FieldNotABoolean)
		}
		return v[0] == 't'
	})
}

// part reads a flag of an object in which at least one flag must be true. A
// wrong type counts as true, so that only the wrong type is reported.
func (in *input) part(name string) bool {
	return in.flag(name) || in.faulty()
}

// flag reads a boolean that is false when it is absent.
func (in *input) flag(name string) bool { return in.boolean(name).Or(false) }

// date reads a date or an instant.
func (in *input) date(name string) affiliate.Opt[affiliate.Date] {
	value, isNull := in.find(name, kindDate)
	return opt(value, isNull, func(v json.RawMessage) affiliate.Date {
		s := in.readText(v)
		d, err := affiliate.ParseDate(s)
		switch {
		case blank(s):
			in.fault(refusal.FieldEmpty)
		case err != nil:
			in.fault(refusal.FieldNotADate)
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
			in.fault(refusal.FieldNotStrings)
		}
		return list
	})
}

// document reads an object as it is.
func (in *input) document(name string) affiliate.Opt[json.RawMessage] {
	value, isNull := in.find(name, kindObject)
	return opt(value, isNull, func(v json.RawMessage) json.RawMessage {
		if v[0] != '{' {
			in.fault(refusal.FieldNotAnObject)
			return json.RawMessage("{}")
		}
		return slices.Clone(v)
	})
}

// headers reads an object of texts.
func (in *input) headers(name string) affiliate.Opt[affiliate.EndpointHeaders] {
	value, isNull := in.find(name, kindHeaders)
	return opt(value, isNull, func(v json.RawMessage) affiliate.EndpointHeaders {
		if v[0] != '{' {
			in.fault(refusal.FieldNotTexts)
			return nil
		}
		headers := affiliate.EndpointHeaders{}
		for _, m := range split(v) {
			if m.value[0] != '"' {
				in.fault(refusal.FieldNotTexts)
				return nil
			}
			headers[string(m.name)] = jsontext.Unquote(m.value)
		}
		return headers
	})
}

// onlyKnown refuses members of a nested object that were not read, as refusal does for the body.
func (in *input) onlyKnown() {
	for _, m := range in.members {
		full := in.outer + string(m.name)
		if in.bad == nil && in.refuses(string(m.name)) {
			in.bad, in.badAt = refusal.RefuseUnknownField.Of(full), len(in.fields)-1
		}
	}
}

// nested reads an object field by field.
func nested[T any](in *input, name string, read func(*input) T) affiliate.Opt[T] {
	value, isNull := in.find(name, kindObject)
	return opt(value, isNull, func(v json.RawMessage) T {
		inner := in.within(name)
		if v[0] == '{' {
			inner.members = split(v)
		} else {
			inner.fault(refusal.FieldNotAnObject)
		}
		out := read(&inner)
		inner.onlyKnown()
		in.resume(inner)
		return out
	})
}

// within returns the input of an object inside this one.
func (in *input) within(name string) input {
	return input{outer: in.outer + name + ".", strict: in.strict, quoted: in.quoted, fields: in.fields,
		bad: in.bad, badAt: in.badAt, isEmpty: in.isEmpty}
}

// resume goes on after an object inside.
func (in *input) resume(inner input) {
	in.fields, in.bad, in.badAt, in.isEmpty = inner.fields, inner.bad, inner.badAt, inner.isEmpty
}

// Texts of an input, and the ids among them.

// text reads a text. The engine decides what an empty text means.
func (in *input) text(name string) string { return in.optText(name).Or("") }

func (in *input) optText(name string) affiliate.Opt[string] {
	value, isNull := in.find(name, kindText)
	return opt(value, isNull, in.readText)
}

// optional reads a text that must not be empty when it is given.
func (in *input) optional(name string) string { return in.optOptional(name).Or("") }

func (in *input) optOptional(name string) affiliate.Opt[string] {
	o := in.optText(name)
	in.notBlank(o)
	return o
}

// notBlank refuses a text of white space.
func (in *input) notBlank(o affiliate.Opt[string]) {
	if s, ok := o.Get(); ok && blank(s) {
		in.fault(refusal.FieldEmpty)
	}
}

// blank reports whether a text is empty or has only white space, which counts
// as empty.
func blank(s string) bool { return strings.TrimSpace(s) == "" }

// name reads a text that names a record. An empty text names no record, and the
// engine may report it as missing.
func (in *input) name(field string) string {
	s := in.optional(field)
	if blank(s) {
		return ""
	}
	return s
}

func (in *input) readText(value json.RawMessage) string {
	if value[0] != '"' {
		in.fault(refusal.FieldNotAString)
		return standIn
	}
	return jsontext.Unquote(value)
}

// sent reads a text that the engine takes as absent when it is empty. When a
// caller sends an empty text, sent returns the value empty instead: the engine
// refuses it with the same error as an empty text.
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

// id reads the id of a record; zero when it is absent.
func (in *input) id(name string) uuid.UUID { return in.optID(name).Or(uuid.Nil) }

// optID reads the id of a record; an update may clear it with null. An empty
// text is noted as an error and read as absent.
func (in *input) optID(name string) affiliate.Opt[uuid.UUID] {
	value, isNull := in.find(name, kindUUID)
	o := opt(value, isNull, in.readID)
	if id, ok := o.Get(); ok && id == uuid.Nil {
		in.fault(refusal.FieldEmpty)
		return affiliate.Opt[uuid.UUID]{}
	}
	return o
}

// readID returns the id that a value is; zero for an empty text.
func (in *input) readID(value json.RawMessage) uuid.UUID {
	if value[0] != '"' {
		in.fault(refusal.FieldNotAString)
		return unknownID
	}
	s := jsontext.Unquote(value)
	if blank(s) {
		return uuid.Nil
	}
	return in.call.idOf(s)
}

// idOf returns the id that a text is, or that of the affiliate whose external id it is.
func (c *call) idOf(s string) uuid.UUID {
	if _, external := affiliate.ExternalIn(s); !external || c == nil {
		return idOf(s)
	}
	found, err := c.p.Affiliate(unseen.Context(c.r.Context()), s)
	switch {
	case err == nil:
		return found.ID
	case !errors.Is(err, affiliate.ErrNotFound) && c.lost == nil:
		c.lost = err
	}
	return unknownID
}

// affiliateRef reads an id or an external id of an affiliate.
func (in *input) affiliateRef(name string) affiliate.AffiliateRef {
	if value := in.value(name); value != nil && value[0] == '"' {
		if external, ok := affiliate.ExternalIn(jsontext.Unquote(value)); ok && external != "" {
			in.find(name, kindUUID)
			return affiliate.AffiliateRef{ExternalID: external}
		}
	}
	return affiliate.AffiliateRef{ID: in.id(name)}
}

// idOf returns the id that a text is; zero when the text is empty.
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
	if value == nil || value[0] == 'n' {
		return 0
	}
	id, ok := readSaleID(value)
	if !ok {
		in.fault(refusal.FieldNotAnInteger)
	}
	return id
}

// saleIDs reads an array of ids of sales.
func (in *input) saleIDs(name string) (ids []affiliate.SaleID) {
	value, _ := in.find(name, kindSaleIDs)
	if value == nil {
		return nil
	}
	if value[0] != '[' {
		in.fault(refusal.FieldNotIntegers)
		return nil
	}
	for element := range jsontext.Elements(value) {
		id, ok := readSaleID(element)
		if !ok {
			in.fault(refusal.FieldNotIntegers)
		}
		ids = append(ids, id)
	}
	return ids
}

// readSaleID returns the id that a value is: zero for an empty text, and not ok for a
// value that is neither an integer nor a text.
func readSaleID(value json.RawMessage) (id affiliate.SaleID, ok bool) {
	switch {
	case value[0] == '"':
		s := jsontext.Unquote(value)
		if blank(s) {
			return 0, true
		}
		return saleIDOf(s), true
	case isInteger(value):
		return saleIDOf(string(value)), true
	}
	return unknownSale, false
}

// saleIDOf returns the id that a text is; zero when the text is empty.
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

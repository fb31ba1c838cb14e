package httpapi

import (
	"encoding/json"
	"errors"
	"slices"
	"strconv"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/internal/jsontext"
	"github.com/tributary-go/tributary/internal/refusal"
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

// number reads a number from its text.
func number[T any](in *input, value json.RawMessage, parse func(string) (T, error)) T {
	if value[0] != '-' && !isDigit(value[0]) {
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
	return input{outer: in.outer + name + ".", strict: in.strict, fields: in.fields, bad: in.bad, badAt: in.badAt, isEmpty: in.isEmpty}
}

// resume goes on after an object inside.
func (in *input) resume(inner input) {
	in.fields, in.bad, in.badAt, in.isEmpty = inner.fields, inner.bad, inner.badAt, inner.isEmpty
}

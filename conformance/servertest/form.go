package servertest

import (
	"encoding/json"
	"fmt"
	"regexp"
)

// A form checks a value. It returns what is wrong, or the empty text. Unknown
// keys are right: clients ignore them.
//
// Source: docs/contract.md 2.
type form func(v any) string

var (
	uuidText    = regexp.MustCompile(`^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$`)
	dateText    = regexp.MustCompile(`^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{3}Z$`)
	numberText  = regexp.MustCompile(`^-?(0|[1-9][0-9]*)(\.[0-9]{0,3}[1-9])?$`)
	integerText = regexp.MustCompile(`^-?(0|[1-9][0-9]*)$`)
)

func textLike(what string, pattern *regexp.Regexp) form {
	return func(v any) string {
		if s, ok := v.(string); !ok || !pattern.MatchString(s) {
			return fmt.Sprintf("is no %s: %v", what, v)
		}
		return ""
	}
}

func numberLike(what string, pattern *regexp.Regexp) form {
	return func(v any) string {
		if n, ok := v.(json.Number); !ok || !pattern.MatchString(n.String()) {
			return fmt.Sprintf("is no %s: %v", what, v)
		}
		return ""
	}
}

// The forms of values (contract 1.4).
var (
	anID      = textLike("UUID in lower case", uuidText)
	aDate     = textLike("UTC date with three fraction digits", dateText)
	aNumber   = numberLike("number without exponent and trailing zeros", numberText)
	anInteger = numberLike("integer", integerText)
	aText     = textLike("string", regexp.MustCompile(``))
	isNull    = orNull(func(any) string { return "is not null" })
)

func aBool(v any) string {
	if _, ok := v.(bool); !ok {
		return "is no boolean"
	}
	return ""
}

func anObject(v any) string {
	if _, ok := v.(map[string]any); !ok {
		return "is no object"
	}
	return ""
}

func orNull(f form) form {
	return func(v any) string {
		if v == nil {
			return ""
		}
		return f(v)
	}
}

func listOf(f form) form {
	return func(v any) string {
		list, ok := v.([]any)
		if !ok {
			return "is no array"
		}
		for i, item := range list {
			if wrong := f(item); wrong != "" {
				return fmt.Sprintf("[%d] %s", i, wrong)
			}
		}
		return ""
	}
}

// fields are the keys of an object. All of them are documented and must be
// present.
type fields map[string]form

func (f fields) form(v any) string {
	object, ok := v.(map[string]any)
	if !ok {
		return "is no object"
	}
	for name, inner := range f {
		value, there := object[name]
		if !there {
			return fmt.Sprintf("lacks the key %q", name)
		}
		if wrong := inner(value); wrong != "" {
			return name + " " + wrong
		}
	}
	return ""
}

// and returns the fields together with more.
func (f fields) and(more fields) fields {
	all := fields{}
	for _, part := range []fields{f, more} {
		for name, inner := range part {
			all[name] = inner
		}
	}
	return all
}

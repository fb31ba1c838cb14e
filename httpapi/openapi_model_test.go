package httpapi

import (
	"bytes"
	"encoding/json"
)

// The parts of OpenAPI 3.1 that the document uses. Zero values are left out.

type openapi struct {
	OpenAPI    string            `json:"openapi"`
	Info       info              `json:"info"`
	Tags       []tag             `json:"tags"`
	Security   []security        `json:"security"`
	Paths      named[named[any]] `json:"paths"`
	Webhooks   named[named[any]] `json:"webhooks"`
	Components components        `json:"components"`
}

type info struct {
	Title       string  `json:"title"`
	Version     string  `json:"version"`
	Description string  `json:"description"`
	License     license `json:"license"`
}

type license struct {
	Name       string `json:"name"`
	Identifier string `json:"identifier"`
}

type tag struct {
	Name        string `json:"name"`
	Description string `json:"description"`
}

// security names a scheme that a request needs.
type security map[string][]string

type components struct {
	SecuritySchemes named[scheme]    `json:"securitySchemes"`
	Parameters      named[parameter] `json:"parameters"`
	Headers         named[header]    `json:"headers"`
	Responses       named[response]  `json:"responses"`
	Schemas         named[schema]    `json:"schemas"`
}

type scheme struct {
	Type        string `json:"type"`
	Scheme      string `json:"scheme"`
	Description string `json:"description"`
}

type operation struct {
	Tags        []string        `json:"tags"`
	OperationID string          `json:"operationId"`
	Summary     string          `json:"summary"`
	Description string          `json:"description,omitzero"`
	Parameters  []parameter     `json:"parameters,omitzero"`
	RequestBody *body           `json:"requestBody,omitzero"`
	Responses   named[response] `json:"responses"`
	Security    *[]security     `json:"security,omitzero"` // empty: needs no key
	Scopes      []Scope         `json:"x-scopes,omitzero"` // of the keys that may call it
}

type parameter struct {
	Ref         string `json:"$ref,omitzero"`
	Name        string `json:"name,omitzero"`
	In          string `json:"in,omitzero"`
	Required    bool   `json:"required,omitzero"`
	Description string `json:"description,omitzero"`
	Schema      schema `json:"schema,omitzero"`
}

type body struct {
	Description string       `json:"description,omitzero"`
	Required    bool         `json:"required"`
	Content     named[media] `json:"content"`
}

type media struct {
	Schema   schema         `json:"schema"`
	Examples named[example] `json:"examples,omitzero"`
}

type example struct {
	Summary string          `json:"summary,omitzero"`
	Value   json.RawMessage `json:"value"`
}

type response struct {
	Ref         string        `json:"$ref,omitzero"`
	Description string        `json:"description,omitzero"`
	Headers     named[header] `json:"headers,omitzero"`
	Content     named[media]  `json:"content,omitzero"`
}

type header struct {
	Ref         string `json:"$ref,omitzero"`
	Description string `json:"description,omitzero"`
	Required    bool   `json:"required,omitzero"`
	Schema      schema `json:"schema,omitzero"`
}

// A schema is a JSON Schema.
type schema struct {
	Ref                  string        `json:"$ref,omitzero"`
	Type                 types         `json:"type,omitzero"`
	Format               string        `json:"format,omitzero"`
	Description          string        `json:"description,omitzero"`
	Const                any           `json:"const,omitzero"`
	Enum                 []any         `json:"enum,omitzero"`
	Default              any           `json:"default,omitzero"`
	Pattern              string        `json:"pattern,omitzero"`
	MinLength            json.Number   `json:"minLength,omitzero"`
	MaxLength            json.Number   `json:"maxLength,omitzero"`
	Minimum              json.Number   `json:"minimum,omitzero"`
	ExclusiveMinimum     json.Number   `json:"exclusiveMinimum,omitzero"`
	Maximum              json.Number   `json:"maximum,omitzero"`
	MinItems             json.Number   `json:"minItems,omitzero"`
	MaxItems             json.Number   `json:"maxItems,omitzero"`
	UniqueItems          bool          `json:"uniqueItems,omitzero"`
	Items                *schema       `json:"items,omitzero"`
	Properties           named[schema] `json:"properties,omitzero"`
	Required             []string      `json:"required,omitempty"`
	AdditionalProperties any           `json:"additionalProperties,omitzero"`
	MaxProperties        json.Number   `json:"maxProperties,omitzero"`
	AllOf                []schema      `json:"allOf,omitzero"`
	AnyOf                []schema      `json:"anyOf,omitzero"`
	OneOf                []schema      `json:"oneOf,omitzero"`
	Deprecated           bool          `json:"deprecated,omitzero"`

	enum string // the enumeration that Enum is filled from
}

// types are the JSON types of a schema. A single type is written as a string,
// not as an array.
type types []string

func (t types) MarshalJSON() ([]byte, error) {
	if len(t) == 1 {
		return plainJSON(t[0])
	}
	return plainJSON([]string(t))
}

// named is an object whose members keep their order.
type named[T any] []entry[T]

type entry[T any] struct {
	name  string
	value T
}

func (n named[T]) MarshalJSON() ([]byte, error) {
	out := []byte{'{'}
	for i, e := range n {
		if i > 0 {
			out = append(out, ',')
		}
		name, err := plainJSON(e.name)
		if err != nil {
			return nil, err
		}
		value, err := plainJSON(e.value)
		if err != nil {
			return nil, err
		}
		out = append(append(append(out, name...), ':'), value...)
	}
	return append(out, '}'), nil
}

// get is the value of a name, and whether the object has it.
func (n named[T]) get(name string) (value T, there bool) {
	for _, e := range n {
		if e.name == name {
			return e.value, true
		}
	}
	return value, false
}

// plainJSON is JSON without the escapes that only HTML needs.
func plainJSON(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}

// ref points to a schema of the document.
func ref(name string) schema { return schema{Ref: "#/components/schemas/" + name} }

// orNull is a schema whose value may also be null.
func orNull(s schema) schema {
	if s.Ref != "" || s.OneOf != nil {
		return schema{OneOf: []schema{s, {Type: types{"null"}}}}
	}
	s.Type = append(append(types{}, s.Type...), "null")
	if s.Enum != nil {
		s.Enum = append(append([]any{}, s.Enum...), nil)
	}
	return s
}

// arrayOf is a list of something.
func arrayOf(s schema) schema { return schema{Type: types{"array"}, Items: &s} }

// jsonContent is a body of JSON.
func jsonContent(s schema, examples named[example]) named[media] {
	return named[media]{{"application/json", media{Schema: s, Examples: examples}}}
}

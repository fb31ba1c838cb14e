package httpapi

import (
	"bytes"
	"encoding/json"
	"strings"
	"sync"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/internal/jsontext"
	"github.com/tributary-go/tributary/internal/refusal"
)

// Amounts as strings, for languages whose clients make binary floats of JSON numbers. The
// document says what is an amount: a member of the type number. No other list has them.
//
// Source: docs/contract.md 1.10.

// A form says what becomes of a member of an answer when amounts are strings.
type form uint8

const (
	asText form = iota + 1 // a number in the document: it gets quotes
	asIs                   // JSON with members of somebody else
)

// forms are the members of an operation's answer that have a form.
type forms map[string]form

// answerForms are the forms of every operation, by "METHOD /path".
var answerForms = sync.OnceValue(func() map[string]forms {
	var doc struct {
		Paths map[string]map[string]struct {
			Responses map[string]struct {
				Content map[string]struct{ Schema outline }
			}
		}
		Components struct{ Schemas map[string]*outline }
	}
	if err := json.Unmarshal(openAPI, &doc); err != nil {
		panic(err) // it is tested
	}
	all := map[string]forms{}
	for path, methods := range doc.Paths {
		for method, op := range methods {
			of := forms{}
			schema := op.Responses["200"].Content["application/json"].Schema
			schema.add(of, "", doc.Components.Schemas, map[string]bool{})
			all[strings.ToUpper(method)+" "+path] = of
		}
	}
	return all
})

// An outline is what the forms need of a schema.
type outline struct {
	Ref        string `json:"$ref"`
	Type       json.RawMessage
	Any        json.RawMessage `json:"additionalProperties"`
	Items      *outline
	OneOf      []*outline
	Properties map[string]*outline
}

// add adds the forms of a member with a schema, and of all that is in it.
func (o *outline) add(to forms, name string, named map[string]*outline, seen map[string]bool) {
	if o == nil || seen[o.Ref] {
		return
	}
	switch {
	case o.Ref != "":
		seen[o.Ref] = true
		named[strings.TrimPrefix(o.Ref, "#/components/schemas/")].add(to, name, named, seen)
	case isNumber(o.Type):
		to[name] = asText
	case o.Any != nil:
		to[name] = asIs
	}
	o.Items.add(to, name, named, seen)
	for _, one := range o.OneOf {
		one.add(to, name, named, seen)
	}
	for inner, member := range o.Properties {
		member.add(to, inner, named, seen)
	}
}

// isNumber reports whether a type in the document is number, with null or without.
func isNumber(typ json.RawMessage) bool {
	return len(typ) > 0 && typ[0] != '{' && bytes.Contains(typ, []byte(`"number"`))
}

// readAmounts reads the header that asks for amounts as strings.
func (c *call) readAmounts() *affiliate.Error {
	lines := c.r.Header["Amounts"]
	if len(lines) == 0 || c.h.auth == nil {
		return nil
	}
	if len(lines) > 1 || lines[0] != "number" && lines[0] != "string" {
		return refusal.RefuseAmounts.Err()
	}
	if lines[0] == "string" {
		c.in.quoted = true
		c.quotes = &quoter{forms: answerForms()[c.route.method+" "+prefix+c.route.path]}
	}
	return nil
}

// A quoter puts the amounts of an answer into quotes, part by part as it is sent. Answers have
// no white space, and names without escapes.
type quoter struct {
	forms  forms
	out    []byte
	last   []byte // the string that was read last: the name of a member, before its colon
	form   form   // of the member
	depth  int    // of brackets in a member that stays as it is
	text   bool   // inside a string
	escape bool   // behind a backslash
	number bool   // inside a number that has got its first quote
}

// part returns the next part of the answer. The next call overwrites it.
func (q *quoter) part(answer []byte) []byte {
	q.out = q.out[:0]
	for _, b := range answer {
		digit := isDigit(b) || b == '-'
		switch {
		case q.text:
			q.inText(b)
		case q.number && !digit && b != '.':
			q.out, q.number = append(q.out, '"'), false
		case digit && q.form == asText && !q.number:
			q.out, q.number = append(q.out, '"'), true
		case b == '"':
			q.text, q.last = true, q.last[:0]
		case b == ':' && q.depth == 0:
			q.form = q.forms[string(q.last)]
		case q.form == asIs:
			q.inside(b)
		}
		q.out = append(q.out, b)
	}
	return q.out
}

func (q *quoter) inText(b byte) {
	switch {
	case q.escape:
		q.escape = false
	case b == '\\':
		q.escape = true
	case b == '"':
		q.text = false
		return
	}
	q.last = append(q.last, b)
}

// inside follows the brackets of a member that stays as it is.
func (q *quoter) inside(b byte) {
	switch b {
	case '{', '[':
		q.depth++
	case '}', ']', ',':
		if b != ',' && q.depth > 0 {
			q.depth--
		}
		if q.depth == 0 {
			q.form = 0
		}
	}
}

// textDocument is the document for callers who get amounts as strings. It has no examples, and
// no webhooks, whose payloads have numbers.
var textDocument = sync.OnceValue(func() []byte {
	doc := []byte{'{'}
	for name, value := range jsontext.Members(openAPI) {
		if string(name) != "webhooks" {
			doc = retyped(append(jsontext.AppendString(doc, string(name)), ':'), value)
			doc = append(doc, ',')
		}
	}
	return append(doc[:len(doc)-1], '}', '\n')
})

// retyped appends a part of the document with its numbers as strings.
func retyped(doc, part []byte) []byte {
	switch part[0] {
	case '{':
	case '[':
		doc = append(doc, '[')
		for element := range jsontext.Elements(part) {
			doc = append(retyped(doc, element), ',')
		}
		return append(bytes.TrimSuffix(doc, []byte(",")), ']')
	default:
		return append(doc, part...)
	}
	number := false
	for name, value := range jsontext.Members(part) {
		number = number || string(name) == "type" && isNumber(value)
	}
	doc = append(doc, '{')
	for name, value := range jsontext.Members(part) {
		switch word := string(name); {
		case word == "examples", number && (word == "minimum" || word == "maximum" || word == "exclusiveMinimum"):
			continue
		case number && word == "type":
			doc = append(doc, `"format":"decimal",`...)
			value = bytes.Replace(value, []byte("number"), []byte("string"), 1)
		case number && word == "default":
			value = append(append([]byte{'"'}, value...), '"')
		}
		doc = append(retyped(append(jsontext.AppendString(doc, string(name)), ':'), value), ',')
	}
	return append(bytes.TrimSuffix(doc, []byte(",")), '}')
}

package servertest

import (
	_ "embed"
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// The forms of answers are those of the OpenAPI document.

// answersJSON is the part of the document about answers of 200; the test of httpapi that writes
// the document writes it.
//
//go:embed answers.json
var answersJSON []byte

// A schema is one of the document, with all words of JSON Schema that it uses for answers.
type schema struct {
	Ref        string            `json:"$ref"`
	Type       words             `json:"type"`
	Format     string            `json:"format"`
	Enum       []any             `json:"enum"`
	Pattern    *regexp.Regexp    `json:"pattern"`
	OneOf      []schema          `json:"oneOf"`
	Items      *schema           `json:"items"`
	Properties map[string]schema `json:"properties"`
	Required   []string          `json:"required"`
	Others     *schema           `json:"additionalProperties"`
}

// words are a word or a list of them.
type words []string

// UnmarshalJSON reads both.
func (w *words) UnmarshalJSON(raw []byte) error {
	if raw[0] == '[' {
		return json.Unmarshal(raw, (*[]string)(w))
	}
	*w = make(words, 1)
	return json.Unmarshal(raw, &(*w)[0])
}

// answerSchemas are the schemas of answers, by method and path, and the named ones.
type answerSchemas struct {
	Answers map[string]schema `json:"answers"`
	Schemas map[string]schema `json:"schemas"`
}

var document = sync.OnceValue(func() (d answerSchemas) {
	if err := json.Unmarshal(answersJSON, &d); err != nil {
		panic(err)
	}
	return d
})

func couponForm() fields    { return formOf("Coupon") }
func codeForm() fields      { return formOf("PromotionalCode") }
func saleForm() fields      { return formOf("Sale") }
func affiliateForm() fields { return formOf("Affiliate") }
func referralForm() fields  { return formOf("Referral") }
func summaryForm() fields   { return formOf("AffiliateSummary") }

// formOf returns the members that a named schema requires.
func formOf(name string) fields { return document().Schemas[name].required() }

// eventTypes returns the fifteen types, and integrations the services of which a coupon may be.
func eventTypes() []string   { return enumOf("WebhookEndpoint", "events") }
func integrations() []string { return enumOf("Coupon", "integrationType") }

func enumOf(name, member string) (values []string) {
	s := document().Schemas[name].Properties[member]
	if s.Items != nil {
		s = *s.Items
	}
	for _, v := range s.resolved().Enum {
		if text, is := v.(string); is {
			values = append(values, text)
		}
	}
	return values
}

func (s schema) resolved() schema {
	if s.Ref == "" {
		return s
	}
	return document().Schemas[s.Ref[strings.LastIndexByte(s.Ref, '/')+1:]].resolved()
}

// form says what is wrong with a value, or nothing: see the type form.
func (s schema) form(v any) string {
	s = s.resolved()
	if len(s.OneOf) > 0 {
		return s.oneOf(v)
	}
	wrong := ""
	for _, word := range s.Type {
		if wrong = s.of(word, v); wrong == "" {
			return s.listed(v)
		}
	}
	return wrong
}

// oneOf says what the last schema says of the value that is about its type of JSON.
func (s schema) oneOf(v any) (wrong string) {
	for _, one := range s.OneOf {
		said := one.form(v)
		if said == "" {
			return ""
		}
		if wrong == "" || !strings.HasPrefix(said, "is n") {
			wrong = said
		}
	}
	return wrong
}

func (s schema) listed(v any) string {
	if text, is := v.(string); is && len(s.Enum) > 0 && !slices.Contains(s.Enum, any(text)) {
		return "is none of the documented values: " + text
	}
	return ""
}

// of checks a value against one type of JSON.
func (s schema) of(word string, v any) string {
	switch word {
	case "null":
		return isNull(v)
	case "boolean":
		return aBool(v)
	case "integer":
		return anInteger(v)
	case "number":
		return aNumber(v)
	case "array":
		return listOf(s.Items.form)(v)
	case "object":
		return s.object(v)
	}
	switch {
	case s.Format == "uuid":
		return anID(v)
	case s.Format == "date-time":
		return aDate(v)
	case s.Pattern != nil:
		return textLike("text like "+s.Pattern.String(), s.Pattern)(v)
	}
	return aText(v)
}

func (s schema) required() fields {
	f := fields{}
	for _, name := range s.Required {
		f[name] = s.Properties[name].form
	}
	return f
}

func (s schema) object(v any) string {
	if wrong := s.required().form(v); wrong != "" {
		return wrong
	}
	for name, value := range v.(map[string]any) {
		of, known := s.Properties[name]
		if !known && s.Others != nil {
			of, known = *s.Others, true
		}
		if known {
			if wrong := of.form(value); wrong != "" {
				return name + " " + wrong
			}
		}
	}
	return ""
}

// misshapen returns what is wrong with the body of a 200, or the empty text.
func misshapen(method, target string, body any) string {
	path, _, _ := strings.Cut(target, "?")
	answer, known := document().Answers[method+" /api/v1"+path]
	if !known {
		return ""
	}
	return answer.form(body)
}

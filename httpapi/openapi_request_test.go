package httpapi

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
)

// Parameters and bodies: from the look-ups of a GET and the fields that an
// operation reads.

// recorded are the fields that an action reads, those of nested objects after
// their object, and how many of them name the target.
func recorded(a action) (fields []field, targets int) {
	bare := &input{}
	a.read(bare)
	full := &input{}
	for _, f := range bare.fields {
		if f.kind == kindObject {
			full.members = append(full.members, member{[]byte(f.name), json.RawMessage("{}")})
		}
	}
	a.read(full)
	return full.fields, full.targets
}

func (d *drafter) parameters(r place, res described, about about) []parameter {
	switch r.method {
	case http.MethodGet:
		return d.lookupParameters(r.route, about)
	case http.MethodDelete:
		return append([]parameter{onceParameter()}, d.targetParameters(r.route, res)...)
	}
	if r.keyed() {
		return []parameter{onceParameter()}
	}
	return nil
}

func onceParameter() parameter { return parameter{Ref: "#/components/parameters/Idempotency-Key"} }

// keyed reports whether an operation takes an Idempotency-Key.
func (p place) keyed() bool {
	return p.method != http.MethodGet && !p.public() && !p.action.keyless
}

// lookupParameters are the parameters of a GET, in the order in which they
// decide.
func (d *drafter) lookupParameters(r route, about about) []parameter {
	var out []parameter
	paged := false
	for _, l := range r.action.lookups {
		paged = paged || l.paged
		for _, name := range append([]string{l.name}, l.filters...) {
			if name == "" {
				continue
			}
			key := r.method + " " + r.path + " " + name
			text, ok := about.params[name]
			if !ok {
				d.missing("parameter " + key)
			}
			d.used["parameter "+key] = true
			s := schema{Type: types{"string"}, MinLength: "1"}
			if limit := about.limits[name]; limit != nil {
				d.used["limit "+key] = true
				s = schema{Type: types{"string"}}
				limit(&s)
				d.fill(&s)
			}
			required := slices.Contains(about.required, name)
			out = append(out, parameter{Name: name, In: "query", Required: required, Description: text, Schema: s})
		}
	}
	if paged {
		limit := "limit"
		if r.action.strict {
			limit = "pageLimit"
		}
		out = append(out, parameter{Ref: "#/components/parameters/" + limit}, parameter{Ref: "#/components/parameters/cursor"})
	}
	return out
}

// targetParameters are the parameters that a DELETE without a body has in its
// query.
func (d *drafter) targetParameters(r route, res described) []parameter {
	var out []parameter
	fields, _ := recorded(r.action)
	for _, f := range fields {
		out = append(out, parameter{
			Name: f.name, In: "query", Description: "Read when the body is empty. " + d.bodyText(res, f.name),
			Schema: schema{Type: types{"string"}, MinLength: "1"},
		})
	}
	return out
}

// requestBody is the object of the fields that an operation reads.
func (d *drafter) requestBody(r place, res described, about about) *body {
	if r.action.read == nil {
		return nil
	}
	s := schema{Type: types{"object"}, Required: about.required}
	if r.action.strict {
		s.AdditionalProperties = false
	}
	for _, name := range about.oneOf {
		s.AnyOf = append(s.AnyOf, schema{Required: []string{name}})
	}
	if about.forms != nil {
		s.AllOf, s.AnyOf = []schema{{AnyOf: s.AnyOf}, {AnyOf: about.forms}}, nil
	}
	fields, targets := recorded(r.action)
	for i, f := range fields {
		outer, name, nested := strings.Cut(f.name, ".")
		property := d.bodyField(r.route, res, about, f, i < targets)
		if !nested {
			s.Properties = append(s.Properties, entry[schema]{f.name, property})
			continue
		}
		i := slices.IndexFunc(s.Properties, func(e entry[schema]) bool { return e.name == outer })
		s.Properties[i].value.Properties = append(s.Properties[i].value.Properties, entry[schema]{name, property})
	}
	d.checkNames(r.route, about, s)
	return &body{
		Required: r.method != http.MethodDelete,
		Content:  jsonContent(s, d.examples(about.id, "request")),
	}
}

// bodyField is the schema of one field.
func (d *drafter) bodyField(r route, res described, about about, f field, target bool) schema {
	s := kindSchema(f.kind)
	s.Description = d.bodyText(res, f.name)
	for _, limit := range res.bodies[f.name].limits {
		limit(&s)
	}
	if limit := about.limits[f.name]; limit != nil {
		d.used["limit "+r.method+" "+r.path+" "+f.name] = true
		limit(&s)
	}
	if s.MinLength == "1" && s.Pattern == "" && slices.Contains([]kind{kindText, kindIdent, kindUUID, kindSaleID}, f.kind) {
		s.Pattern = `\S` // a text of white space counts as empty
	}
	d.fill(&s)
	if r.method != http.MethodPost {
		s.Default = nil // an absent field stays as it is
	}
	nested := strings.Contains(f.name, ".")
	switch {
	case slices.Contains(about.required, f.name) || len(s.Type) == 0 || slices.Contains(s.Type, "null"):
		return s
	case isUpdate(r.method) && !nested && !target && !slices.Contains(about.clears, f.name):
		return s
	}
	return orNull(s)
}

// bodyText is the text of a field of a body.
func (d *drafter) bodyText(res described, name string) string {
	d.used["body "+res.name+"."+name] = true
	note, ok := res.bodies[name]
	if ok && note.text != "" {
		return note.text
	}
	if text := res.answers[res.main][name]; ok && text != "" {
		return text
	}
	d.missing("body " + res.name + "." + name)
	return ""
}

// checkNames reports names in the notes that the operation does not read.
func (d *drafter) checkNames(r route, about about, s schema) {
	for _, name := range slices.Concat(about.required, about.oneOf, about.clears) {
		if _, ok := s.Properties.get(name); !ok {
			d.t.Errorf("%s %s does not read %s", r.method, r.path, name)
		}
	}
}

// kindSchema is what a kind of field accepts.
func kindSchema(k kind) schema {
	switch k {
	case kindText, kindUUID:
		return schema{Type: types{"string"}}
	case kindIdent:
		return schema{Type: types{"string", "integer"}, Minimum: "0"}
	case kindSaleID:
		return schema{Type: types{"integer", "string"}}
	case kindNumber:
		return schema{Type: types{"number"}, Maximum: "922337203685477.5807"}
	case kindInteger:
		return schema{Type: types{"integer"}, Format: "int64"}
	case kindBool:
		return schema{Type: types{"boolean"}}
	case kindDate:
		s := schema{Type: types{"string"}}
		dateText(&s)
		return s
	case kindSaleIDs:
		return arrayOf(schema{Type: types{"integer", "string"}})
	case kindAnswers:
		return arrayOf(schema{
			Type: types{"object"}, Required: []string{"questionId", "answer"}, AdditionalProperties: false,
			Properties: named[schema]{
				{"questionId", schema{Type: types{"string"}, Format: "uuid", Description: "The question."}},
				{"answer", schema{Type: types{"string"}, MinLength: "1", MaxLength: "10000", Description: "The answer."}},
			},
		})
	case kindLines:
		return lineInputs()
	case kindParts:
		return partInputs()
	case kindRules:
		return ruleInputs()
	case kindTexts:
		return arrayOf(schema{Type: types{"string"}})
	case kindHeaders:
		return schema{Type: types{"object"}, AdditionalProperties: schema{Type: types{"string"}, MinLength: "1", MaxLength: "4096"}}
	case kindObject:
		return schema{Type: types{"object"}}
	case kindLength:
		return schema{Type: types{"boolean", "integer"}}
	case kindAny:
		return schema{}
	}
	panic("no schema for the kind " + string(k))
}

// sharedParameters are the parameters that several operations have.
func sharedParameters() named[parameter] {
	return named[parameter]{
		{"limit", parameter{
			Name: "limit", In: "query", Description: "How long a page is. Without limit and cursor the whole list is answered. Ignored where the query names a single record.",
			Schema: schema{Type: types{"integer"}, Minimum: "1", Maximum: "1000"},
		}},
		{"pageLimit", parameter{
			Name: "limit", In: "query", Description: "How long a page is. Ignored where the query names a single record.",
			Schema: schema{Type: types{"integer"}, Minimum: "1", Maximum: "1000", Default: 100},
		}},
		{"cursor", parameter{
			Name: "cursor", In: "query", Description: "Where a page begins, from the Link of the one before. Without limit: pages of 100. Ignored where the query names a single record.",
			Schema: schema{Type: types{"string"}, MinLength: "1"},
		}},
		{"Idempotency-Key", parameter{
			Name: "Idempotency-Key", In: "header",
			Description: "The same key with the same request gets the first answer again, without a second effect, for 24 hours.",
			Schema:      schema{Type: types{"string"}, MinLength: "1", MaxLength: "255", Pattern: "^[!-~]+$"},
		}},
	}
}

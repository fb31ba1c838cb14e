package httpapi

import (
	"encoding/json"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/tributary-go/tributary/affiliate"
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
		return d.lookupParameters(r.route, res, about)
	case http.MethodDelete:
		return append([]parameter{onceParameter()}, d.targetParameters(r.route, res, about)...)
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
func (d *drafter) lookupParameters(r route, res described, about about) []parameter {
	var out []parameter
	paged := false
	for _, l := range r.action.lookups {
		paged = paged || l.paged
		for _, name := range append([]string{l.name}, l.filters...) {
			if name == "" {
				continue
			}
			required := has(about.required, name)
			out = append(out, parameter{
				Name: name, In: "query", Required: required, Description: d.parameterText(r, l, about, name),
				Schema: d.parameterSchema(r, l, about, name),
			})
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

func (d *drafter) parameterText(r route, l lookup, about about, name string) string {
	key := r.method + " " + r.path + " " + name
	if text := about.texts[name]; text != "" {
		d.used["text "+key] = true
		return text
	}
	if l.filter != nil {
		if text := d.src.memberText(keyOfType(reflect.TypeOf(l.filter)), name); text != "" {
			return text
		}
	}
	if !l.single {
		d.missing("parameter " + key)
	}
	_, noun, _ := strings.Cut(keyOfType(reflect.TypeOf(l.answer)), ".")
	return "Answers the " + strings.ToLower(noun) + " or null."
}

func (d *drafter) parameterSchema(r route, l lookup, about about, name string) schema {
	s := schema{Type: types{"string"}, MinLength: "1"}
	if l.filter != nil {
		f := fieldOf(reflect.TypeOf(l.filter), name)
		switch t := bare(f.Type); {
		case t == reflect.TypeFor[affiliate.Date]() || t == reflect.TypeFor[time.Time]():
			s.MinLength = ""
			dateParameter(&s)
		case t.Kind() == reflect.Bool:
			s = schema{Type: types{"boolean"}}
		case d.src.enums[t.Name()] != nil:
			s = schema{Type: types{"string"}, Enum: d.src.enums[t.Name()]}
		case t == reflect.TypeFor[affiliate.Currency]():
			s.MinLength = ""
			currencyText(&s)
		case name == "search":
			nameText(&s)
		}
	}
	if limit := about.limits[name]; limit != nil {
		d.used["limit "+r.method+" "+r.path+" "+name] = true
		s.MinLength = ""
		d.apply(limit, &s)
	}
	return s
}

// apply applies a limit, and fills the enumeration that it names.
func (d *drafter) apply(limit limit, s *schema) {
	limit(s)
	if s.enum != "" {
		if s.Enum = d.src.enums[s.enum]; s.Enum == nil {
			d.t.Errorf("no values of %s", s.enum)
		}
	}
}

// targetParameters are the parameters that a DELETE without a body has in its
// query.
func (d *drafter) targetParameters(r route, res described, about about) []parameter {
	var out []parameter
	fields, _ := recorded(r.action)
	for _, f := range fields {
		out = append(out, parameter{
			Name: f.name, In: "query", Description: "Read when the body is empty. " + d.bodyText(r, res, about, f),
			Schema: schema{Type: types{"string"}, MinLength: "1"},
		})
	}
	return out
}

// complete adds to what is noted of an operation what the fields say that it reads: a single
// one that names the target is required, of several any one is enough. A member without
// omitzero is required. Null clears in an update what answers may lack.
func (d *drafter) complete(r route, about *about) {
	fields, targets := recorded(r.action)
	for i, f := range fields {
		field, _ := inputField(r.action, f.name)
		declared := !strings.Contains(f.name, ".") && field.Tag != "" && !strings.Contains(field.Tag.Get("json"), "omit")
		switch {
		case has(about.optional, f.name):
		case i < targets && targets == 1, declared:
			about.required += " " + f.name
		case i < targets:
			about.oneOf += " " + f.name
		}
	}
}

// clears reports whether null clears a member of an update: what answers may lack.
func (d *drafter) clears(r route, res described, about about, name string) bool {
	field, ok := inputField(r.action, name)
	if !ok || res.main == nil || bare(field.Type) == field.Type || alwaysNull(name) || has(about.keeps, name) {
		return false
	}
	answered := fieldOf(reflect.TypeOf(res.main), name)
	if answered.Type == nil || answered.Type.Kind() == reflect.Bool || d.src.enums[answered.Type.Name()] != nil {
		return false // one that answers lack is false, or the first of the values
	}
	return bare(answered.Type) != answered.Type || strings.Contains(answered.Tag.Get("json"), "omit")
}

// inputField is the field of what an action reads that has a JSON name; dotted when it is in
// a member.
func inputField(a action, name string) (f reflect.StructField, ok bool) {
	f, _, ok = inputFieldOf(reflect.TypeOf(a.input), name)
	return f, ok
}

// inputFieldOf looks also into structs that are not on the wire themselves.
func inputFieldOf(t reflect.Type, name string) (f reflect.StructField, owner reflect.Type, ok bool) {
	if t == nil || bare(t).Kind() != reflect.Struct || t == reflect.TypeFor[affiliate.Once]() {
		return f, nil, false
	}
	t = bare(t)
	outer, inner, nested := strings.Cut(name, ".")
	if f = fieldOf(t, outer); f.Type != nil && nested {
		return inputFieldOf(f.Type, inner)
	} else if f.Type != nil {
		for _, i := range f.Index[:len(f.Index)-1] {
			t = t.Field(i).Type
		}
		return f, t, true
	}
	for field := range t.Fields() {
		if wireName(field) == "" && !field.Anonymous && strings.Contains(field.Type.PkgPath(), "tributary") {
			if f, owner, ok = inputFieldOf(field.Type, name); ok {
				return f, owner, true
			}
		}
	}
	return f, nil, false
}

// fieldOf is the field of a struct that has a JSON name; one without a type: there is none.
func fieldOf(t reflect.Type, name string) (none reflect.StructField) {
	for _, f := range reflect.VisibleFields(t) {
		if wireName(f) == name {
			return f
		}
	}
	return none
}

// bare is a type without the Opt around it.
func bare(t reflect.Type) reflect.Type {
	if inner, ok := optional(t); ok {
		return inner
	}
	return t
}

// requestBody is the object of the fields that an operation reads.
func (d *drafter) requestBody(r place, res described, about about) *body {
	if r.action.read == nil {
		return nil
	}
	s := schema{Type: types{"object"}, Required: strings.Fields(about.required)}
	if r.action.strict {
		s.AdditionalProperties = false
	}
	for _, name := range strings.Fields(about.oneOf) {
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
	s := d.kindSchema(f.kind)
	s.Description = d.bodyText(r, res, about, f) + alsoRead[f.kind]
	field, there := inputField(r.action, f.name)
	if there {
		d.typeLimits(field.Type, &s)
	}
	d.limit(r, about, f.name, &s)
	if s.MinLength == "1" && s.Pattern == "" && slices.Contains([]kind{kindText, kindIdent, kindUUID, kindSaleID}, f.kind) {
		s.Pattern = `\S` // a text of white space counts as empty
	}
	if r.method != http.MethodPost {
		s.Default = nil // an absent field stays as it is
	}
	nested := strings.Contains(f.name, ".")
	switch {
	case has(about.required, f.name) || len(s.Type) == 0 || slices.Contains(s.Type, "null"):
		return s
	case isUpdate(r.method) && !nested && !target && !has(about.clears, f.name) && !d.clears(r, res, about, f.name):
		return s
	}
	return orNull(s)
}

// alsoRead is what is said of every member of a kind.
var alsoRead = map[kind]string{
	kindIdent:  " An integer is taken as its digits.",
	kindSaleID: " A text of digits is the same.",
}

// typeLimits are those that the Go type of a member has: the values of an enumeration, and
// false when a boolean is not given.
func (d *drafter) typeLimits(t reflect.Type, s *schema) {
	if t.Kind() == reflect.Bool {
		s.Default = false
	}
	if t = bare(t); t.Kind() == reflect.Slice && s.Items != nil {
		s.Items.Enum = slices.Clone(d.src.enums[t.Elem().Name()])
	} else if t.Kind() == reflect.String {
		s.Enum = slices.Clone(d.src.enums[t.Name()])
	}
}

// limit applies the limits of a member: those of the operation, else those of its struct or
// of its name.
func (d *drafter) limit(r route, about about, name string, s *schema) {
	if limit := about.limits[name]; limit != nil {
		d.used["limit "+r.method+" "+r.path+" "+name] = true
		d.apply(limit, s)
		return
	}
	if _, owner, ok := inputFieldOf(reflect.TypeOf(r.action.input), name); ok {
		if d.limited(limitKey(owner, name), s) {
			return
		}
	}
	d.limited(name, s)
}

// limited applies the limits of a key.
func (d *drafter) limited(key string, s *schema) bool {
	limit := memberLimits()[key]
	if limit == nil {
		return false
	}
	d.used["limit "+key] = true
	d.apply(limit, s)
	return true
}

// bodyText is the text of a member of a body: of the operation, else the comment in Go, else
// that of its name.
func (d *drafter) bodyText(r route, res described, about about, f field) string {
	key := r.method + " " + r.path + " " + f.name
	if text := about.texts[f.name]; text != "" {
		d.used["text "+key] = true
		return text
	}
	last := f.name[strings.LastIndexByte(f.name, '.')+1:]
	if _, owner, ok := inputFieldOf(reflect.TypeOf(r.action.input), f.name); ok {
		if text := d.src.memberText(keyOfType(owner), last); text != "" {
			return text
		}
	}
	if text := memberTexts()[f.name]; text != "" {
		d.used["text "+f.name] = true
		return text
	}
	if res.main != nil {
		if text := d.src.memberText(keyOfType(reflect.TypeOf(res.main)), last); text != "" {
			return text
		}
	}
	d.missing("member " + key)
	return ""
}

// checkNames reports names in the notes that the operation does not read.
func (d *drafter) checkNames(r route, about about, s schema) {
	for _, name := range strings.Fields(about.required + " " + about.oneOf + " " + about.clears) {
		if _, ok := s.Properties.get(name); !ok {
			d.t.Errorf("%s %s does not read %s", r.method, r.path, name)
		}
	}
}

// kindSchema is what a kind of field accepts.
func (d *drafter) kindSchema(k kind) schema {
	switch k {
	case kindText:
		return schema{Type: types{"string"}}
	case kindUUID:
		return schema{Type: types{"string"}, MinLength: "1"}
	case kindIdent:
		return schema{Type: types{"string", "integer"}, Minimum: "0", MinLength: "1"}
	case kindSaleID:
		return schema{Type: types{"integer", "string"}, MinLength: "1"}
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
		return arrayOf(d.inputObject(reflect.TypeFor[affiliate.Answer](), "id"))
	case kindLines:
		return d.inputObjects(reflect.TypeFor[affiliate.Line](), "500")
	case kindParts:
		return d.inputObjects(reflect.TypeFor[affiliate.RefundLine](), "500")
	case kindRules:
		return d.inputObjects(reflect.TypeFor[affiliate.Rule](), "64")
	case kindBudgets:
		return d.inputObjects(reflect.TypeFor[affiliate.Budget](), "16")
	case kindBonuses:
		return d.inputObjects(reflect.TypeFor[affiliate.Bonus](), "16")
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

// inputObjects is an array of objects in a body.
func (d *drafter) inputObjects(t reflect.Type, most json.Number) schema {
	s := arrayOf(d.inputObject(t))
	s.MaxItems = most
	return s
}

// inputObject is an object in a body, except for some of its members. Null in an optional
// one is the same as leaving it out.
func (d *drafter) inputObject(t reflect.Type, except ...string) schema {
	s := schema{Type: types{"object"}}
	if t != reflect.TypeFor[affiliate.Line]() { // whose unknown members are ignored
		s.AdditionalProperties = false
	}
	for _, f := range jsonFields(t) {
		name, opts, _ := strings.Cut(f.Tag.Get("json"), ",")
		if slices.Contains(except, name) {
			continue
		}
		field := d.inputMember(f.Type)
		d.limited(limitKey(t, name), &field)
		field.Description = d.src.memberText(keyOfType(t), name)
		if field.Description == "" {
			d.missing(keyOfType(t) + "." + name)
		}
		if opts == "" && keyOfType(t)+"."+name != "affiliate.RulePay.commissionRate" {
			s.Required = append(s.Required, name)
		} else {
			field = orNull(field)
		}
		s.Properties = append(s.Properties, entry[schema]{name, field})
	}
	return s
}

// inputMember is the schema of a member of an object in a body.
func (d *drafter) inputMember(t reflect.Type) schema {
	if t = bare(t); t.Kind() == reflect.Struct && scalars()[t].Type == nil {
		return d.inputObject(t)
	}
	if t.Kind() == reflect.Slice {
		s := arrayOf(d.inputMember(t.Elem()))
		s.UniqueItems = true
		return s
	}
	return d.typeSchema(t)
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

// paidOrder is the form of a sale with an amount.
func paidOrder() schema {
	return schema{Required: []string{"totalEarned"}, Properties: named[schema]{
		{"totalEarned", schema{Type: types{"number"}, ExclusiveMinimum: "0"}}, {"free", schema{Enum: []any{false, nil}}},
	}}
}

// freeOrder is the form of a free order.
func freeOrder() schema {
	return schema{Required: []string{"free"}, Properties: named[schema]{
		{"free", schema{Enum: []any{true}}}, {"totalEarned", schema{Maximum: "0"}},
	}}
}

// limitKey is the key of the limits of a member of a struct.
func limitKey(of reflect.Type, name string) string {
	_, called, _ := strings.Cut(keyOfType(of), ".")
	return called + "." + name
}

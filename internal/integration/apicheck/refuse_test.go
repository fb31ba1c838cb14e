package apicheck_test

import (
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"

	"github.com/tributary-go/tributary/affiliate"
)

// refusals makes every operation of the document give the common errors.
func (s *story) refusals() {
	s.do(s.t, call{method: http.MethodGet, target: prefix + "nothing"})
	for _, op := range operations(s.check.doc) {
		send := func(c call) {
			c.method, c.target = orElse(c.method, op.method), op.path+c.target
			s.do(s.t, c)
		}
		send(call{method: "QUERY"})
		send(call{header: http.Header{"Test-Limit": {"reached"}}})
		send(call{header: http.Header{"Test-Limit": {"broken"}}})
		if op.op.Security == nil {
			for _, key := range []string{"-", "unknown", closedKey, narrowKey, goneKey} {
				send(call{key: key})
			}
		}
		if op.op.Security == nil {
			send(call{header: http.Header{"Amounts": {"decimal"}}})
		}
		if op.op.RequestBody != nil {
			s.refuseBodies(op, send)
		}
		if op.method == http.MethodGet || op.method == http.MethodDelete {
			send(call{target: "?a=%zz"})
		}
		if op.method != http.MethodGet {
			send(call{body: `{}`, header: http.Header{"Idempotency-Key": {"not one"}}})
			for _, body := range []string{`{}`, `{"other":1}`} {
				send(call{body: body, header: http.Header{"Idempotency-Key": {op.op.OperationID}}})
			}
		}
	}
	s.refuseTracking()
}

// refuseBodies sends bodies that no operation accepts.
func (s *story) refuseBodies(op operation, send func(call)) {
	schema := op.op.RequestBody.Value.Content.Get("application/json").Schema.Value
	for _, body := range []string{`{`, `{"a":1,"a":2}`, `{}`, `{"a":"` + strings.Repeat("a", 1<<20) + `"}`, wrongType(schema), unknownField(schema)} {
		send(call{body: body})
	}
	for _, body := range misspelt(schema) {
		send(call{body: body})
	}
	send(call{})
	send(call{body: `{}`, header: http.Header{"Content-Type": {"text/plain"}}})
}

// wrongType returns a body in which every field has the wrong type.
func wrongType(schema *openapi3.Schema) string {
	var fields []string
	for name, p := range schema.Properties {
		value := "[]"
		if p.Value.Type.Includes("array") {
			value = "1"
		}
		fields = append(fields, `"`+name+`":`+value)
	}
	slices.Sort(fields)
	return "{" + strings.Join(fields, ",") + "}"
}

// unknownField returns a body with a target and an unknown field.
func unknownField(schema *openapi3.Schema) string {
	for _, name := range schema.Required {
		return `{"` + name + `":"none","nobody":1}`
	}
	return `{"nobody":1}`
}

// misspelt returns bodies that have a field and another one misspelt; every field is once
// the one and once the other.
func misspelt(schema *openapi3.Schema) []string {
	names := slices.Sorted(maps.Keys(schema.Properties))
	bodies := make([]string, len(names))
	for i, name := range names {
		bodies[i] = `{"` + name + `":"none","` + names[(i+1)%len(names)] + `_":1}`
	}
	return bodies
}

// refuseTracking reads the configuration of an unknown program.
func (s *story) refuseTracking() {
	s.do(s.t, call{method: http.MethodGet, target: "/api/affiliates/affiliate-program-v2", key: "-"})
}

// ofPages asks a server without partner pages to open them.
func (s *story) ofPages() {
	none := http.Header{"Test-Pages": {"none"}}
	a := s.do(s.t, call{method: http.MethodPost, target: "/api/v1/partner/token", body: `{"affiliateId":"` + s.affiliate + `"}`, header: none})
	if a.header.Get("Error-Code") != string(affiliate.PortalNotConfigured) {
		s.t.Errorf("without partner pages: %d %s", a.status, a.body)
	}
}

package providers_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/memstore"
	"github.com/tributary-go/tributary/pay/adapter"
	"github.com/tributary-go/tributary/pay/generic"
	"github.com/tributary-go/tributary/webhooks"
)

// reports have every field that a report can have.
var reports = []string{
	`{"id":"r1","type":"payment","at":"2026-01-01T00:00:00Z","provider":"acmepay","ids":["p1","p2"],"currency":"USD",
	  "customer":{"id":"c1","email":"tomas@example.net","name":"Tomas","externalId":"17"},
	  "paid":{"amount":"58.00","tax":8,"shipping":"0","at":"2026-01-01T00:00:00Z","orderId":"o1","invoiceId":"i1","productId":"P","renewal":false,
	    "credit":[{"slug":"mara"},{"code":"MARA20"},{"click":"7"},{"hold":"h"},{"offer":true}],"carried":{"tributary_slug":"mara"},
	    "lines":[{"id":"1","productId":"P","planId":"L","name":"Beans","quantity":2,"amount":"60","discount":"10"}]},
	  "refunds":[{"id":"x","amount":"2.00","tax":"1","shipping":0,"state":"succeeded"}],"refunded":"2.00","disputes":[{"id":"d","amount":"2","state":"won"}]}`,
	`{"id":"r2","type":"customer","at":"2026-01-01T00:00:00+01:00","provider":"acmepay","customer":{"id":"c1","email":"tomas@example.net","name":"Tomas","externalId":"17"}}`,
	`{"id":"r3","type":"subscription","at":"2026-01-01T00:00:00Z","provider":"acmepay","customer":{"id":"c1","email":"tomas@example.net"},"subscription":{"id":"s1","status":"past_due"}}`,
}

// schemaOfReports compiles the schema.
func schemaOfReports(t *testing.T) *jsonschema.Schema {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(generic.Schema()))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	if err := c.AddResource("report.json", doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("report.json")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// sent sends a report to the endpoint of a new shop, and returns the status of the answer and its text.
func sent(t *testing.T, body []byte) (int, string) {
	t.Helper()
	const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
	now := time.Date(2026, 4, 1, 0, 0, 0, 0, time.UTC) // after all reports
	clock := func() time.Time { return now }
	p, err := tributary.New(memstore.New(), tributary.Config{ID: program, Name: "Northwind Beans", Now: clock})
	if err != nil {
		t.Fatal(err)
	}
	h, err := generic.Handler(p, generic.Config{Secrets: adapter.Secrets{secret}, CarryKeys: carryKeys, Now: clock, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	header, err := webhooks.Sign([]affiliate.Secret{secret}, "msg_1", now, body)
	if err != nil {
		t.Fatal(err)
	}
	r := httptest.NewRequest(http.MethodPost, "/", bytes.NewReader(body))
	maps.Copy(r.Header, header)
	r.Header.Set("Content-Type", "application/json")
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w.Code, strings.TrimSpace(w.Body.String())
}

// TestSchemaTakesTheExamples: the schema takes the reports of the documentation and those
// with every field, and so does the endpoint.
func TestSchemaTakesTheExamples(t *testing.T) {
	docs, err := os.ReadFile("../../../docs/payments-generic.md")
	if err != nil {
		t.Fatal(err)
	}
	all := slices.Clone(reports)
	for _, m := range regexp.MustCompile(`(?s)\{"id": "rep_.*?\}\]?\}{1,2}\n?('|\n`+"```"+`)`).FindAllString(string(docs), -1) {
		all = append(all, strings.TrimRight(m, "'`\n"))
	}
	if len(all) < len(reports)+2 {
		t.Fatalf("only %d reports", len(all))
	}
	s := schemaOfReports(t)
	for _, report := range all {
		doc, err := jsonschema.UnmarshalJSON(strings.NewReader(report))
		if err != nil {
			t.Fatalf("%v in %s", err, report)
		}
		if err := s.Validate(doc); err != nil {
			t.Errorf("%s\n%v", report, err)
		}
		if status, text := sent(t, []byte(report)); status != http.StatusOK {
			t.Errorf("%s\n%d %s", report, status, text)
		}
	}
}

// TestSchemaIsTheForm: of reports with one field changed, left out or added, the schema takes
// none that the endpoint cannot read, and the endpoint none that the schema refuses.
func TestSchemaIsTheForm(t *testing.T) {
	s := schemaOfReports(t)
	tried, refused := 0, 0
	for _, report := range reports {
		for what, change := range changes(parsed(t, report)) {
			changed, err := json.Marshal(change)
			if err != nil {
				t.Fatal(err)
			}
			doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(changed))
			if err != nil {
				t.Fatal(err)
			}
			tried++
			wrong := s.Validate(doc)
			status, text := sent(t, changed)
			if wrong != nil {
				refused++
			}
			switch {
			case wrong == nil && status == http.StatusBadRequest:
				t.Errorf("%s: the schema takes what the endpoint cannot read: %s", what, text)
			case wrong != nil && status == http.StatusOK && !missing(what):
				t.Errorf("%s: the endpoint takes what the schema refuses: %v", what, wrong)
			}
		}
	}
	t.Logf("%d reports, of which the schema refuses %d", tried, refused)
	if tried < 400 || refused < 200 {
		t.Errorf("only %d reports, of which %d are refused", tried, refused)
	}
}

// missing reports whether a change takes a field away in the way that the endpoint knows and
// the schema does not.
func missing(what string) bool {
	return strings.HasSuffix(what, "= null") || strings.HasSuffix(what, `= ""`)
}

func parsed(t *testing.T, text string) (v any) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatal(err)
	}
	return v
}

// changes are the values that differ in one place from a value, by what is different.
func changes(v any) map[string]any {
	all := map[string]any{}
	for _, other := range []any{nil, true, false, -1, 1, 1.5, 0, "", "x", "-3", "1e2", "01", "2026-01-01", []any{}, map[string]any{}, []any{1}, []any{"x"}} {
		raw, _ := json.Marshal(other)
		all[" = "+string(raw)] = other
	}
	switch v := v.(type) {
	case map[string]any:
		all[" + unknown"] = with(v, "unknown", 1)
		for name, inner := range v {
			all[" - "+name] = with(v, name, nil)
			for what, change := range changes(inner) {
				all["."+name+what] = with(v, name, change)
				if change == nil {
					null := maps.Clone(v)
					null[name] = nil
					all["."+name+what] = null
				}
			}
		}
	case []any:
		for i, inner := range v {
			for what, change := range changes(inner) {
				list := slices.Clone(v)
				list[i] = change
				all[fmt.Sprintf("[%d]%s", i, what)] = list
			}
		}
	}
	return all
}

// with returns an object with another value for a field; nil: without the field.
func with(v map[string]any, name string, value any) map[string]any {
	out := maps.Clone(v)
	if out[name] = value; value == nil {
		delete(out, name)
	}
	return out
}

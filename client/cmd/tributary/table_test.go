package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// notCommands are the operations that no command calls, and why.
var notCommands = map[string]string{
	"trackClick":               "the tracker of a page calls it",
	"addClick":                 "the tracker of a page calls it, without a key",
	"getTrackingConfiguration": "the tracker of a page calls it, without a key",
	"getDocument":              "tributary api GET /openapi.json prints it; it is no record",
}

// noFlags are fields of operations that have no flag, and why.
var noFlags = map[string]string{
	"id of updateAffiliate":               "another name of affiliateId",
	"id of deleteAffiliate":               "another name of affiliateId",
	"couponId of getCoupons":              "another name of id",
	"code of validatePromotionalCode":     "another name of promoCode",
	"code of holdRedemption":              "another name of promoCode",
	"affiliateGroupId of createAffiliate": "there are no groups",
	"affiliateGroupId of inviteAffiliate": "there are no groups",
	"affiliateGroupId of ensureAffiliate": "there are no groups",
	"limit of previewPayouts":             "a page",
	"cursor of previewPayouts":            "a page",
	"limit of runPayouts":                 "the command makes all steps",
	"limit of grantBonuses":               "the command makes all steps",
	"cursor of grantBonuses":              "the command makes all steps",
	"limit of assignTiers":                "the command makes all steps",
	"cursor of assignTiers":               "the command makes all steps",
	"limit of eraseAffiliate":             "the command makes all steps",
	"cursor of eraseAffiliate":            "the command makes all steps",
	"limit of eraseReferral":              "the command makes all steps",
	"cursor of eraseReferral":             "the command makes all steps",
	"limit of prune":                      "the command makes all steps",
	"cursor of prune":                     "the command makes all steps",
	"limit of recalculateSales":           "the command makes all steps",
	"cursor of recalculateSales":          "the command makes all steps",
}

// An operation of the document, with the types of its fields.
type operation struct {
	id, method, path string
	fields           map[string]string
}

// operations reads the document.
func operations(t *testing.T) []operation {
	t.Helper()
	type schema struct {
		Type       any
		Ref        string `json:"$ref"`
		Properties map[string]schema
	}
	var doc struct {
		Paths map[string]map[string]struct {
			OperationID string
			Parameters  []struct {
				Name, In string
				Ref      string `json:"$ref"`
				Schema   schema
			}
			RequestBody struct {
				Content map[string]struct{ Schema schema }
			}
		}
	}
	must(0, json.Unmarshal(must(os.ReadFile("../../../httpapi/openapi.json")), &doc))
	var out []operation
	for path, of := range doc.Paths {
		for method, op := range of {
			if method == "options" { // of browsers
				continue
			}
			o := operation{op.OperationID, strings.ToUpper(method), strings.TrimPrefix(path, "/api/v1"), map[string]string{}}
			for _, p := range op.Parameters {
				if p.Ref == "" && p.In == "query" {
					o.fields[p.Name] = "string" // a query has texts only
				}
			}
			for name, p := range op.RequestBody.Content["application/json"].Schema.Properties {
				kind, _ := p.Type.(string)
				if several, ok := p.Type.([]any); ok {
					kind = several[0].(string)
					if slices.Contains(several, any("string")) {
						kind = "string"
					}
				}
				o.fields[name] = kind
			}
			out = append(out, o)
		}
	}
	return out
}

// kindOf is the type of a field in the document, of the kind of a flag.
var kindOf = map[kind][]string{
	text: {"string", ""}, number: {"number", "integer"}, boolean: {"boolean"}, texts: {"array"}, object: {"object", "array"},
}

// lacks lists what the table lacks of the operations, and what it has beside
// them.
func lacks(all []operation, table []command) []string {
	var out []string
	for _, o := range all {
		calls, have := 0, map[string]bool{}
		for _, c := range table {
			if c.method != o.method || c.path != o.path {
				continue
			}
			calls++
			for _, f := range c.fields {
				have[f.name] = true
				if of, ok := o.fields[f.name]; !ok || o.method != "GET" && !slices.Contains(kindOf[f.kind], of) {
					out = append(out, c.name()+": "+f.name+" is "+of+" in the document")
				}
			}
			for name := range maps.Keys(c.fixed) {
				have[name] = true
			}
		}
		if _, not := notCommands[o.id]; not == (calls > 0) {
			out = append(out, o.id+" has commands, or stands in notCommands, and not both")
		}
		for name := range o.fields {
			if _, not := noFlags[name+" of "+o.id]; calls > 0 && not == have[name] {
				out = append(out, o.id+": "+name+" has a flag, or stands in noFlags, and not both")
			}
		}
	}
	return out
}

// TestCannotLag (check 64): every operation of the document has a command, and
// the flags of a command are the fields of its operation.
func TestCannotLag(t *testing.T) {
	all := operations(t)
	if len(all) < 70 {
		t.Fatalf("the document has %d operations", len(all))
	}
	for _, missing := range lacks(all, commands) {
		t.Error(missing)
	}
	for _, c := range commands {
		if c.path != "" && !slices.ContainsFunc(all, func(o operation) bool { return o.method == c.method && o.path == c.path }) {
			t.Errorf("%s: the document has no %s %s", c.name(), c.method, c.path)
		}
	}
	more := append(all, operation{"danceSales", "POST", "/sales/dance", nil})
	if got := lacks(more, commands); !slices.Contains(got, "danceSales has commands, or stands in notCommands, and not both") {
		t.Errorf("a route without a command is not found: %q", got)
	}
	for id := range notCommands {
		if !slices.ContainsFunc(all, func(o operation) bool { return o.id == id }) {
			t.Errorf("notCommands: the document has no %s", id)
		}
	}
}

// TestTableOfCommands: names are unique, groups are listed, arguments are
// fields, and tables fit 100 columns.
func TestTableOfCommands(t *testing.T) {
	seen := map[string]bool{}
	for _, c := range commands {
		if seen[c.name()] || !slices.Contains(groups, c.group) || c.what == "" || strings.HasSuffix(c.what, ".") {
			t.Errorf("%s: twice, in no group, or without a text", c.name())
		}
		seen[c.name()] = true
		if c.arg != "" && c.arg != fileArg {
			c.field(c.arg) // panics when there is none
		}
		wide := 0
		for _, col := range c.columns {
			if col.title != "" {
				wide += col.width + 2
			}
			if width(col.title) > col.width {
				t.Errorf("%s: the title %s is wider than its column", c.name(), col.title)
			}
		}
		if wide > 102 {
			t.Errorf("%s: a table of %d columns", c.name(), wide-2)
		}
	}
}

var update = flag.Bool("update", false, "write the golden files, and the transcript in docs/command-line.md")

// TestHelp: the help of every command, from the table.
func TestHelp(t *testing.T) {
	pages := map[string][]string{"tributary": nil, "api": {"api", "--help"}}
	for _, c := range commands {
		pages[c.group] = []string{c.group, "help"}
	}
	for _, c := range commands {
		pages[strings.ReplaceAll(c.name(), " ", "-")] = append(strings.Fields(c.name()), "--help")
	}
	for name, args := range pages {
		var out, stderr bytes.Buffer
		if code := run(t.Context(), args, environ(nil), nil, &out, &stderr); code != 0 || stderr.Len() > 0 {
			t.Errorf("%s: %d, %s", name, code, stderr.String())
		}
		path := filepath.Join("testdata", "help", name+".txt")
		if *update {
			must(0, os.WriteFile(path, out.Bytes(), 0o644))
		}
		want := must(os.ReadFile(path))
		if diff := cmp.Diff(string(want), out.String()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	if golden := must(filepath.Glob("testdata/help/*.txt")); len(golden) != len(pages) {
		t.Errorf("%d golden files for %d pages", len(golden), len(pages))
	}
}

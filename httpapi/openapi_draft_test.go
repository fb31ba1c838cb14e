package httpapi

import (
	"encoding/json"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/internal/refusal"
)

// A drafter makes the document from the handler's tables and the notes.
type drafter struct {
	t     *testing.T
	src   *goSource
	used  map[string]bool           // the notes and examples that were used
	codes map[affiliate.Reason]bool // the codes of all refusals

	schemas named[schema] // of the structs that were named so far
}

// draft is the whole document.
func draft(t *testing.T) openapi {
	d := &drafter{t: t, src: readSource(t), used: map[string]bool{}, codes: map[affiliate.Reason]bool{}}
	doc := openapi{
		OpenAPI: "3.1.0",
		Info: info{
			Title: "Tributary", Version: "v1", Description: introduction,
			License: license{Name: "Apache License 2.0", Identifier: "Apache-2.0"},
		},
		Security: []security{{"key": {}}},
		Paths:    d.paths(),
		Webhooks: d.webhooks(),
		Components: components{
			SecuritySchemes: named[scheme]{{"key", scheme{
				Type: "http", Scheme: "bearer", Description: "An API key, 1–256 visible ASCII characters. It selects the program.",
			}}},
			Parameters: sharedParameters(),
			Headers:    d.sharedHeaders(),
			Responses:  d.sharedResponses(),
			Schemas:    append(d.schemas, entry[schema]{"Error", errorSchema()}),
		},
	}
	for _, n := range resourceNotes() {
		doc.Tags = append(doc.Tags, tag{n.name, n.text})
	}
	doc.Tags = append(doc.Tags, d.errorTag())
	d.checkUsed()
	return doc
}

const introduction = `The HTTP API of an affiliate program.

- Success is 200. A single look-up that misses answers ` + "`null`" + `, a list that finds nothing answers ` + "`[]`" + `.
- HEAD is allowed wherever GET is: the same status and headers, no body.
- Amounts are JSON numbers in major units of the program's currency, with at most 4 decimals. With the header ` + "`Amounts: string`" + ` every member of the type number is a JSON string with the same digits, a request may have it as one too, and this document has it as string; number is the default.
- Dates are sent as RFC 3339 date-times or plain dates, which include the whole day, and answered in UTC with milliseconds.
- In the body of a POST null is the same as absent. In an update what is absent stays and null clears.
- Bodies are strict JSON: one object, UTF-8, no key twice, nesting of at most 32.
- DELETE takes its names from the JSON body, or from the query string when the body is empty.
- Lists are whole arrays, newest first; with limit or cursor they come in pages, and Link leads to the next one. Lists whose limit has a default always come in pages; their filters are combined, and a parameter that they do not have is refused.
- Clients must ignore keys and accept values of enumerations that they do not know.`

// paths are the operations of the document in the order of the routes.
func (d *drafter) paths() named[named[any]] {
	var out named[named[any]]
	for _, r := range documented() {
		path := r.under + r.path
		i := slices.IndexFunc(out, func(e entry[named[any]]) bool { return e.name == path })
		if i < 0 {
			i = len(out)
			out = append(out, entry[named[any]]{name: path})
		}
		out[i].value = append(out[i].value, entry[any]{strings.ToLower(r.method), d.operation(r)})
	}
	return out
}

// A place is a route with the prefix of its path.
type place struct {
	route
	under string
}

// public reports whether a route needs no key.
func (p place) public() bool { return p.under == trackingPrefix }

// documented are the routes of the document.
func documented() []place {
	var out []place
	for _, r := range routes() {
		out = append(out, place{r, prefix})
	}
	for _, r := range trackingRoutes(nil) {
		out = append(out, place{r, trackingPrefix})
	}
	return out
}

// operation is one route.
func (d *drafter) operation(r place) operation {
	res, about := d.about(r)
	op := operation{
		Tags: []string{res.name}, OperationID: about.id, Summary: about.summary, Description: about.text,
		Parameters: d.parameters(r, res, about), RequestBody: d.requestBody(r, res, about),
	}
	op.Responses = d.responses(r, about)
	if r.public() {
		op.Security = &[]security{}
	} else {
		op.Scopes = r.scopes.scopes()
	}
	return op
}

// about finds the notes of an operation, and of its resource.
func (d *drafter) about(r place) (of described, op about) {
	key, longest := r.method+" "+r.path, -1
	d.used["operation "+key] = true
	for _, res := range resourceNotes() {
		for _, path := range strings.Fields(res.paths) {
			if strings.HasPrefix(r.path, path) && len(path) > longest {
				of, longest = res, len(path)
			}
		}
	}
	op, ok := operationNotes()[key]
	if !ok || longest < 0 {
		d.t.Errorf("no notes on the operation %s", key)
	}
	if key == "POST /proposals" { // what the operation refuses
		for _, proposed := range affiliate.ProposalOperations() {
			of := operationNotes()[string(proposed)]
			op.invalid, op.notFound = op.invalid+" "+of.invalid, op.notFound+" "+of.notFound
		}
	}
	if r.action.read != nil {
		d.complete(r.route, &op)
	}
	return of, op
}

func (d *drafter) missing(what string) { d.t.Errorf("no text for %s", what) }

// examples are those in testdata, by the operation's id.
func (d *drafter) examples(id, what string) named[example] {
	path := "testdata/openapi/" + id + "." + what + ".json"
	raw, err := os.ReadFile(path)
	if err != nil {
		return nil
	}
	d.used["example "+path] = true
	if !json.Valid(raw) {
		d.t.Errorf("%s is not JSON", path)
	}
	return named[example]{{"contract", example{Value: raw}}}
}

// checkUsed reports notes and examples that belong to nothing.
func (d *drafter) checkUsed() {
	unused := func(what string) {
		if !d.used[what] {
			d.t.Errorf("of no use: %s", what)
		}
	}
	for key, about := range operationNotes() {
		unused("operation " + key)
		for name := range about.texts {
			unused("text " + key + " " + name)
		}
		for name := range about.limits {
			unused("limit " + key + " " + name)
		}
	}
	for name := range memberTexts() {
		unused("text " + name)
	}
	for name := range memberLimits() {
		unused("limit " + name)
	}
	files, err := os.ReadDir("testdata/openapi")
	if err != nil {
		d.t.Fatal(err)
	}
	for _, f := range files {
		unused("example testdata/openapi/" + f.Name())
	}
}

// isUpdate reports whether null clears a field in bodies of this method.
func isUpdate(method string) bool { return method == http.MethodPut || method == http.MethodPatch }

// known fails the test when the table of refusals lacks a refusal.
func (d *drafter) known(status int, reason affiliate.Reason) {
	for _, e := range refusal.Refusals() {
		if e.Kind.Status() == status && e.Reason == reason {
			d.codes[reason] = true
			return
		}
	}
	d.t.Errorf("no refusal %d %s", status, reason)
}

// first is the first refusal of a reason.
func (d *drafter) first(reason affiliate.Reason) affiliate.Error {
	for _, e := range refusal.Refusals() {
		if e.Reason == reason {
			return *e
		}
	}
	d.t.Errorf("no refusal %s", reason)
	return affiliate.Error{}
}

package mcp

import (
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strings"
)

// root is the path below which the operations are that keys call.
const root = "/api/v1"

// A document holds the parts of an OpenAPI document that tools need.
type document struct {
	Paths      map[string]map[string]documentedOperation
	Components struct {
		Parameters map[string]parameter
	}
}

// documentedOperation is an operation in the document.
type documentedOperation struct {
	OperationID, Summary, Description string

	Parameters  []parameter
	RequestBody struct {
		Content map[string]struct {
			Schema struct {
				Properties map[string]json.RawMessage
				Required   []string
			}
		}
	}
}

type parameter struct {
	Ref                   string `json:"$ref"`
	Name, In, Description string
	Required              bool
	Schema                json.RawMessage
}

// An operation is one of the API that may be a tool.
type operation struct {
	id, what     string
	method, path string // the path is what follows root
	reads        bool   // it changes nothing
	kept         bool   // it writes what a person writes
	proposable   bool   // it can be asked for
	args         []argument
}

// An argument is an input of a tool.
type argument struct {
	name     string
	schema   map[string]any
	required bool
	inBody   bool
}

// The arguments with a meaning of their own.
const (
	limitArg  = "limit"
	cursorArg = "cursor"
	onceArg   = "idempotencyKey"
	whyArg    = "why"
)

// looks are the operations that are no GET and change nothing.
var looks = []string{"POST /payouts/preview", "POST /promotional-codes/validate", "POST /promotional-codes/compare"}

// kept are the paths below which no tool writes, because a person does: what pays, or changes
// where money goes; what answers a secret, or sends data elsewhere; what cannot be
// taken back; and what reads all sales at once.
var kept = []string{"/payouts", "/affiliates/payout-details", "/partner/token", "/webhooks",
	"/proposals", "/affiliates/erase", "/referrals/erase", "/affiliates/merge", "/referrals/merge", "/prune", "/terms/simulate"}

// proposable lists the operations that can be proposed: their methods and paths.
func (d *document) proposable() (list []string, err error) {
	body := d.Paths[root+proposals]["post"].RequestBody.Content["application/json"].Schema
	if body.Properties == nil {
		return nil, nil // a program of before
	}
	var operation struct{ Enum []string }
	err = json.Unmarshal(body.Properties["operation"], &operation)
	return operation.Enum, err
}

// operations lists those that may be tools, by path and method.
func (d *document) operations() (all []*operation, err error) {
	proposable, err := d.proposable()
	if err != nil {
		return nil, err
	}
	for _, full := range slices.Sorted(maps.Keys(d.Paths)) {
		path, ours := strings.CutPrefix(full, root)
		if !ours || path == "/openapi.json" {
			continue
		}
		for _, lower := range slices.Sorted(maps.Keys(d.Paths[full])) {
			method, one := strings.ToUpper(lower), d.Paths[full][lower]
			o := &operation{id: one.OperationID, method: method, path: path}
			o.what = strings.TrimSpace(strings.TrimSuffix(one.Summary, ".") + ". " + one.Description)
			o.reads = method == http.MethodGet || slices.Contains(looks, method+" "+path)
			o.kept, o.proposable = !o.reads && isKept(path), slices.Contains(proposable, method+" "+path)
			if o.kept && !o.proposable {
				continue
			}
			if o.args, err = d.arguments(one, o.reads); err != nil {
				return nil, err
			}
			if !o.reads {
				o.args = append(o.args, argument{name: onceArg, schema: map[string]any{"type": "string", "minLength": 1, "maxLength": 255,
					"description": "A text of your own for this change: repeated with the same text and input it has no second effect."}})
			}
			all = append(all, o)
		}
	}
	return all, nil
}

func isKept(path string) bool {
	return slices.ContainsFunc(kept, func(k string) bool { return path == k || strings.HasPrefix(path, k+"/") })
}

// arguments lists the inputs of an operation: its query, then its body.
func (d *document) arguments(one documentedOperation, reads bool) (args []argument, err error) {
	for _, p := range one.Parameters {
		if name, is := strings.CutPrefix(p.Ref, "#/components/parameters/"); is {
			p = d.Components.Parameters[name]
		}
		if p.In != "query" {
			continue
		}
		a := argument{name: p.Name, required: p.Required}
		if err := json.Unmarshal(p.Schema, &a.schema); err != nil {
			return nil, err
		}
		a.schema["description"] = p.Description
		args = append(args, a.bounded(reads))
	}
	body := one.RequestBody.Content["application/json"].Schema
	for _, name := range slices.Sorted(maps.Keys(body.Properties)) {
		if slices.ContainsFunc(args, func(a argument) bool { return a.name == name }) {
			continue // a DELETE takes it in either place
		}
		a := argument{name: name, inBody: true, required: slices.Contains(body.Required, name)}
		if err := json.Unmarshal(body.Properties[name], &a.schema); err != nil {
			return nil, err
		}
		args = append(args, a.bounded(reads))
	}
	return args, nil
}

// bounded makes the limit of a page that of an assistant.
func (a argument) bounded(reads bool) argument {
	if a.name == limitArg && reads {
		a.schema = map[string]any{"type": "integer", "minimum": 1, "maximum": mostRows, "default": fewRows}
	}
	return a
}

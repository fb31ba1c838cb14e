package mcp

import (
	"context"
	"net/http"
	"slices"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

const proposals = "/proposals"

// proposing is the operation that all proposals are sent to.
var proposing = &operation{id: "propose", method: http.MethodPost, path: proposals,
	args: []argument{{name: "operation", inBody: true}, {name: "body", inBody: true}, {name: whyArg, inBody: true}}}

// proposal returns the tool that asks for the operation. It does not send the operation, so it changes
// nothing with any key.
func (o *operation) proposal(c *caller) tool {
	args := slices.DeleteFunc(slices.Clone(o.args), func(a argument) bool { return a.name == onceArg || a.name == "manuallyPaid" })
	args = append(args, argument{name: whyArg, required: true, schema: map[string]any{"type": "string", "minLength": 1, "maxLength": 400,
		"description": "Why, for the person who decides, in one line: what you have looked at, and what it says."}})
	closed, destroys := false, false
	t := tool{args: args, run: func(ctx context.Context, in input) (any, error) { return c.propose(ctx, o, in) }}
	t.Name = "propose" + strings.ToUpper(o.id[:1]) + o.id[1:]
	t.Description = "Ask a person to do this. It changes nothing, and waits in the console. What they would do: " + o.what
	t.Annotations = &sdk.ToolAnnotations{DestructiveHint: &destroys, IdempotentHint: true, OpenWorldHint: &closed}
	return t
}

// propose asks for an operation.
func (c *caller) propose(ctx context.Context, o *operation, in input) (any, error) {
	rq, err := o.request(in)
	if err != nil {
		return nil, err
	}
	why, err := in.text(whyArg)
	if err != nil {
		return nil, err
	}
	return c.do(ctx, proposing, input{"operation": encode(o.method + " " + o.path), "body": encode(rq.body), whyArg: encode(why)})
}

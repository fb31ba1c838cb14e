package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/client"
)

// A tool is an operation that an assistant may call.
type tool struct {
	sdk.Tool
	args []argument
	run  func(ctx context.Context, in input) (any, error) // what it returns is encoded
}

// add adds a tool to a server.
func add(s *sdk.Server, t tool) {
	properties, required := map[string]any{}, []string{}
	for _, a := range t.args {
		properties[a.name] = a.schema
		if a.required {
			required = append(required, a.name)
		}
	}
	t.InputSchema = map[string]any{"type": "object", "properties": properties, "required": required,
		"additionalProperties": false}
	s.AddTool(&t.Tool, func(ctx context.Context, rq *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		in, err := inputOf(rq.Params.Arguments, t.args)
		if err != nil {
			return said(explain(ctx, err), true), nil
		}
		out, err := t.run(ctx, in)
		if err != nil {
			return said(explain(ctx, err), true), nil
		}
		return said(out, false), nil
	})
}

// said returns a result with a value as JSON.
func said(value any, bad bool) *sdk.CallToolResult {
	return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: string(encode(value))}}, IsError: bad}
}

// encode writes JSON as a reader likes it: without HTML's escapes.
func encode(value any) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(value); err != nil {
		return []byte(`{"error":"the answer cannot be written"}`)
	}
	return bytes.TrimSpace(b.Bytes())
}

func sizeOf(value any) int { return len(encode(value)) }

// input holds the values of an assistant, by the names of the arguments.
type input map[string]json.RawMessage

// maxInput is the longest input, in bytes.
const maxInput = 64 << 10

// inputOf reads an input. What the values must be is the API's to say.
func inputOf(raw json.RawMessage, args []argument) (input, error) {
	if len(raw) > maxInput {
		return nil, misuse("the arguments are longer than %d bytes", maxInput)
	}
	var in input
	if len(raw) > 0 {
		if err := json.Unmarshal(raw, &in); err != nil {
			return nil, misuse("the arguments are no JSON object")
		}
	}
	for name, value := range in {
		if !slices.ContainsFunc(args, func(a argument) bool { return a.name == name }) {
			return nil, misuse("there is no argument %q", cut(clean(name), 40))
		}
		if string(value) == "null" && !nullable(args, name) {
			delete(in, name)
		}
	}
	return in, nil
}

// nullable reports whether null says something: it clears a field of a body.
func nullable(args []argument, name string) bool {
	i := slices.IndexFunc(args, func(a argument) bool { return a.name == name })
	return args[i].inBody
}

// text returns an argument that goes into a query; empty: not given.
func (in input) text(name string) (string, error) {
	raw, given := in[name]
	if !given {
		return "", nil
	}
	var v any
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	if err := d.Decode(&v); err != nil {
		return "", misuse("%s is no JSON", name)
	}
	switch v := v.(type) {
	case string:
		return v, nil
	case json.Number, bool:
		return fmt.Sprint(v), nil
	}
	return "", misuse("%s must be a text", name)
}

// query puts an argument into a query.
func (in input) query(q url.Values, name string) error {
	text, err := in.text(name)
	if err == nil && text != "" {
		q.Set(name, text)
	}
	return err
}

// limit returns how many rows were asked for.
func (in input) limit() (int, error) {
	raw, given := in[limitArg]
	if !given {
		return fewRows, nil
	}
	n, err := strconv.Atoi(strings.Trim(string(raw), `"`))
	if err != nil || n < 1 || n > mostRows {
		return 0, misuse("limit must be from 1 to %d", mostRows)
	}
	return n, nil
}

// A problem is an error as an assistant gets it.
type problem struct {
	Error string `json:"error"`
	Code  string `json:"code,omitempty"`
	Field string `json:"field,omitempty"`
	Note  string `json:"note,omitempty"`
}

// inputError is an input that was not sent.
type inputError string

func (m inputError) Error() string { return string(m) }

func misuse(format string, args ...any) error { return inputError(fmt.Sprintf(format, args...)) }

var errUnreadable = misuse("the answer of the program cannot be read")

// callError is a call of the API that failed.
type callError struct {
	err   error
	wrote bool // it may have changed something
}

func (f *callError) Error() string { return f.err.Error() }
func (f *callError) Unwrap() error { return f.err }

// statusOf returns the status of the answer in an error; zero: there was none.
func statusOf(err error) int {
	if e, is := errors.AsType[*client.Error](err); is {
		return e.Status
	}
	return 0
}

// explain returns what an assistant may know of an error: the text of the API for what it
// refuses, and of a failure that there was one.
func explain(ctx context.Context, err error) problem {
	if own, is := errors.AsType[inputError](err); is {
		return problem{Error: string(own)}
	}
	var p problem
	called, byAPI := errors.AsType[*client.Error](err)
	refused, known := errors.AsType[*affiliate.Error](err)
	switch {
	case byAPI && called.Status/100 == 4,
		byAPI && called.Attempts == 0 && refused.Kind != affiliate.KindInternal,
		!byAPI && known && refused.Kind != affiliate.KindInternal:
		return problem{Error: cut(clean(refused.Message), 500),
			Code: cut(clean(string(refused.Reason)), 80), Field: cut(clean(refused.Field), 80)}
	case !byAPI && errors.Is(err, affiliate.ErrNotFound):
		return problem{Error: "there is no such record", Code: "not_found"}
	case ctx.Err() != nil:
		p.Error = "the call was canceled"
	case byAPI && called.Status == 0:
		p.Error = "the program gave no answer"
	case byAPI && called.Status/100 == 5:
		p.Error = http.StatusText(http.StatusInternalServerError)
		if id := called.RequestID(); id != "" {
			p.Note = "its operator finds it in the log as request " + cut(clean(id), 80) + ". "
		}
	default:
		p.Error = "the program failed"
	}
	if f, is := errors.AsType[*callError](err); is && f.wrote {
		p.Note += "whether it was done is not known: look before you repeat it"
	}
	p.Note = strings.TrimSpace(p.Note)
	return p
}

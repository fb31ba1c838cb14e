package apicheck_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
)

// A checker compares every exchange with the document and remembers what it has
// seen.
type checker struct {
	t     testing.TB
	doc   *openapi3.T
	texts *openapi3.T // for who asks for amounts as strings

	mu        sync.Mutex
	exchanges int
	statuses  map[string]bool // "GET /api/v1/sales 200"
	codes     map[string]bool // "GET /api/v1/sales 400 invalid_query"
	answers   map[string]bool // answers that were compared with an example
}

func newChecker(t testing.TB, w *world) *checker {
	doc, texts := load(t, w), load(t, w, asStrings)
	closeObjects(doc)
	closeObjects(texts)
	return &checker{t: t, doc: doc, texts: texts, statuses: map[string]bool{}, codes: map[string]bool{}, answers: map[string]bool{}}
}

// closeObjects makes the document refuse unknown keys in answers. Clients
// ignore such keys, but the document must name all keys.
func closeObjects(doc *openapi3.T) {
	no := false
	schemas := slices.Collect(maps.Values(doc.Components.Schemas))
	for _, hook := range doc.Webhooks {
		schemas = append(schemas, hook.Post.RequestBody.Value.Content.Get("application/json").Schema)
	}
	for _, s := range schemas {
		if len(s.Value.Properties) > 0 && s.Value.AdditionalProperties.Has == nil {
			s.Value.AdditionalProperties.Has = &no
		}
	}
}

// exchange checks a request with its answer.
func (c *checker) exchange(r *http.Request, sent []byte, res *http.Response, body []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.exchanges++
	fail := func(err error) {
		c.t.Errorf("%s %s\n%.1000s\n%d %v\n%.2000s\n%v", r.Method, r.URL, sent, res.StatusCode, res.Header, body, err)
	}
	item := c.doc.Paths.Value(r.URL.Path)
	if item == nil || r.URL.RawPath != "" {
		if err := c.elsewhere(res, body); err != nil {
			fail(err)
		}
		return
	}
	method := r.Method
	if method == http.MethodHead {
		method = http.MethodGet
	}
	if op := item.GetOperation(method); op != nil {
		if err := c.exchanged(operation{method, r.URL.Path, item, op}, r, sent, res, body); err != nil {
			fail(err)
		}
		return
	}
	for method, op := range item.Operations() { // every operation of the path can be answered 405
		if err := c.exchanged(operation{method, r.URL.Path, item, op}, r, sent, res, body); err != nil {
			fail(err)
		}
	}
}

// elsewhere checks the answer to a path that the document does not have.
func (c *checker) elsewhere(res *http.Response, body []byte) error {
	if res.StatusCode != http.StatusNotFound || res.Header.Get("Error-Code") != "not_found" {
		return fmt.Errorf("the document does not have the path")
	}
	for _, op := range operations(c.doc) {
		c.codes[op.String()+" 404 not_found"] = true
	}
	return nil
}

// unseen drops the characters around texts that the server drops too: a schema cannot
// say that.
var unseen = strings.NewReplacer("\\u200e \"", "\"", `\ufeff`, "", `\u200b`, "", `\u2060`, "", `\u00a0`, "", `\u3000`, "")

// exchanged checks a request to an operation with its answer. A request that
// was not refused must be valid by the document.
func (c *checker) exchanged(op operation, r *http.Request, sent []byte, res *http.Response, body []byte) error {
	c.statuses[fmt.Sprintf("%s %d", op, res.StatusCode)] = true
	if code := res.Header.Get("Error-Code"); code != "" {
		c.codes[fmt.Sprintf("%s %d %s", op, res.StatusCode, code)] = true
	}
	doc := c.doc
	if r.Header.Get("Amounts") == "string" && res.StatusCode < 300 {
		doc = c.texts
		op.item = doc.Paths.Value(op.path)
		op.op = op.item.GetOperation(op.method)
	}
	again := r.Clone(context.Background())
	sent = []byte(unseen.Replace(string(sent)))
	again.Body = io.NopCloser(bytes.NewReader(sent))
	if len(sent) == 0 {
		again.Body = http.NoBody
	}
	again.ContentLength = int64(len(sent))
	if again.URL.RawQuery != "" {
		again.URL = withoutPage(op, again.URL, body)
	}
	request := &openapi3filter.RequestValidationInput{
		Request: again, QueryParams: again.URL.Query(),
		Route:   &routers.Route{Spec: doc, Path: op.path, PathItem: op.item, Method: op.method, Operation: op.op},
		Options: &openapi3filter.Options{AuthenticationFunc: openapi3filter.NoopAuthenticationFunc, SkipSettingDefaults: true, IncludeResponseStatus: true},
	}
	if res.StatusCode < 300 && res.Header.Get("Idempotent-Replayed") == "" { // a repeat is told by its bytes alone
		if err := openapi3filter.ValidateRequest(context.Background(), request); err != nil {
			return fmt.Errorf("the document does not allow the request: %w", err)
		}
	}
	return c.answered(request, r.Method == http.MethodHead, res, body)
}

// withoutPage removes limit and cursor when they are ignored, because the query
// names a single record.
func withoutPage(op operation, u *url.URL, body []byte) *url.URL {
	query := u.Query()
	ofOne := op.path == prefix+"links" && (query.Has("id") || query.Has("link"))
	if bytes.HasPrefix(body, []byte("[")) && !ofOne {
		return u
	}
	query.Del("limit")
	query.Del("cursor")
	plain := *u
	plain.RawQuery = query.Encode()
	return &plain
}

// answered checks an answer. One to HEAD has the headers of GET and no body.
func (c *checker) answered(request *openapi3filter.RequestValidationInput, head bool, res *http.Response, body []byte) error {
	options := *request.Options
	answer := fmt.Sprint(request.Route.Method, request.Route.Path, head, res.StatusCode, res.Header, string(body))
	if c.answers[answer] {
		return nil
	}
	c.answers[answer] = true
	if head {
		if len(body) > 0 {
			return fmt.Errorf("HEAD has a body")
		}
		options.ExcludeResponseBody = true
		request.Request.Method = http.MethodGet
	}
	response := &openapi3filter.ResponseValidationInput{
		RequestValidationInput: request, Status: res.StatusCode, Header: res.Header, Options: &options,
	}
	response.SetBodyBytes(body)
	if err := openapi3filter.ValidateResponse(context.Background(), response); err != nil {
		return fmt.Errorf("the document does not allow the answer: %w", err)
	}
	return c.onlyDocumented(request.Route.Operation, res)
}

// onlyDocumented finds headers that the document does not have.
func (c *checker) onlyDocumented(op *openapi3.Operation, res *http.Response) error {
	known := op.Responses.Status(res.StatusCode).Value.Headers
	for name := range res.Header {
		if slices.Contains([]string{"Content-Type", "Content-Length"}, name) {
			continue
		}
		if !hasHeader(known, name) && !slices.Contains(fromOutside(), name) {
			return fmt.Errorf("the document does not have the header %s on %d", name, res.StatusCode)
		}
	}
	return nil
}

// fromOutside returns the headers that tracking sets on every answer, also on
// the common errors.
func fromOutside() []string { return []string{"Access-Control-Allow-Origin"} }

func hasHeader(known openapi3.Headers, name string) bool {
	for k := range known {
		if strings.EqualFold(k, name) {
			return true
		}
	}
	return false
}

// event checks the payload of a delivery.
func (c *checker) event(claim affiliate.Claim) {
	c.mu.Lock()
	defer c.mu.Unlock()
	hook := c.doc.Webhooks[string(claim.Event)]
	if hook == nil {
		c.t.Errorf("the document does not have the event %s", claim.Event)
		return
	}
	var payload any
	if err := json.Unmarshal(claim.Payload, &payload); err != nil {
		c.t.Errorf("%s: %v", claim.Event, err)
		return
	}
	schema := hook.Post.RequestBody.Value.Content.Get("application/json").Schema.Value
	if err := schema.VisitJSON(payload, openapi3.EnableJSONSchema2020(), openapi3.VisitAsRequest()); err != nil {
		c.t.Errorf("%s\n%.2000s\nthe document does not allow the event: %v", claim.Event, claim.Payload, err)
	}
	kind := "delivery"
	if claim.Endpoint == uuid.Nil {
		kind = "test"
	}
	c.statuses[fmt.Sprintf("%s %s", claim.Event, kind)] = true
}

// unseen returns the statuses and codes of the document that no exchange had.
func (c *checker) unseen() (statuses, codes []string) {
	for _, op := range operations(c.doc) {
		for status, res := range op.op.Responses.Map() {
			key := op.String() + " " + status
			if !c.statuses[key] {
				statuses = append(statuses, key)
			}
			header := res.Value.Headers["Error-Code"]
			if header == nil {
				continue
			}
			for _, code := range header.Value.Schema.Value.Enum {
				if one := fmt.Sprintf("%s %v", key, code); !c.codes[one] {
					codes = append(codes, one)
				}
			}
		}
	}
	for _, typ := range affiliate.EventTypes() {
		for _, kind := range []string{"test", "delivery"} {
			if key := fmt.Sprintf("%s %s", typ, kind); !c.statuses[key] {
				statuses = append(statuses, key)
			}
		}
	}
	slices.Sort(statuses)
	slices.Sort(codes)
	return statuses, codes
}

package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/tributary-go/tributary/affiliate"
)

// An Error is a call that failed: the server refused it, gave no answer or one
// that cannot be read, or the call was never sent. For errors.Is and
// errors.AsType it is also the [*affiliate.Error] it wraps. Its text shows
// method, path and the server's own words, never the API key, a query or a
// body.
type Error struct {
	Op       string      // method and path: "POST /api/v1/sales"
	Status   int         // of the last answer; 0: none came
	Header   http.Header // of the last answer; nil: none came
	Body     []byte      // its first 64 KiB; an API key of 16 characters or more is blanked, here and in Header
	Attempts int         // that were made; 0: the call was refused before it was sent

	// Err says what happened. Kind comes from the status, except that a 404 is
	// KindNotFound only where it is about a record: one of a look-up, which has
	// null for that, or of an unknown path or program is KindInvalid. Reason,
	// Field and Failures are the server's Error-Code, Error-Field and
	// Error-Reasons, and without them what the text says; Reason is empty when
	// that is nothing. Err.Err is the cause of an answer that did not come or
	// could not be read.
	Err *affiliate.Error
}

// Error returns operation, status, reason, text and cause.
func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString(e.Op)
	if e.Status != 0 {
		fmt.Fprintf(&b, ": %d", e.Status)
		if e.Err.Reason != "" {
			b.WriteString(" " + string(e.Err.Reason))
		}
	}
	b.WriteString(": " + e.Err.Message)
	if e.Err.Err != nil && e.Attempts > 0 {
		b.WriteString(": " + e.Err.Err.Error())
	}
	if e.Attempts > 1 {
		fmt.Fprintf(&b, " (%d attempts)", e.Attempts)
	}
	return b.String()
}

// Unwrap returns Err.
func (e *Error) Unwrap() error { return e.Err }

// RequestID is the id by which the server knows the last attempt; empty when it
// sent none.
func (e *Error) RequestID() string {
	for _, name := range []string{"X-Request-Id", "Request-Id", "X-Correlation-Id"} {
		if id := e.Header.Get(name); id != "" {
			return id
		}
	}
	return ""
}

// Texts of failures that no server words.
const (
	noAnswer   = "no answer"
	unreadable = "the answer cannot be read"
	redirected = "the server redirects, which is not followed"
)

// outcome is nil when the last answer is one of success.
func (a *call) outcome(ctx context.Context) error {
	switch {
	case a.last.err != nil && a.last.status != 0:
		return a.unreadable(a.last.err)
	case ok(a.last.status):
		a.replay(a.last.body)
		return nil
	case a.last.status != 0 && a.fault() == final:
		a.replay([]byte("null")) // as the engine does for a refusal
	case ctx.Err() != nil:
		return a.failed(ended(ctx))
	case a.late:
		return a.failed(fmt.Errorf("%w before another attempt", context.DeadlineExceeded))
	case a.last.status == 0:
		return a.failed(a.last.err)
	}
	return a.refused(a.refusal())
}

// ended is why a context ended.
func ended(ctx context.Context) error {
	err, cause := ctx.Err(), context.Cause(ctx)
	if errors.Is(cause, err) {
		return cause
	}
	return fmt.Errorf("%w: %w", err, cause)
}

// failed is the error of a call without an answer of its own; the last one, if
// any came before, is in it.
func (a *call) failed(cause error) error {
	e := &affiliate.Error{Kind: affiliate.KindInternal, Message: noAnswer, Err: cause}
	if a.last.status != 0 {
		e = a.refusal()
		e.Err = cause
	}
	return a.refused(e)
}

// unreadable is the error of an answer that is not what was asked for.
func (a *call) unreadable(cause error) error {
	return a.refused(&affiliate.Error{Kind: affiliate.KindInternal, Message: unreadable, Err: cause})
}

// refused is an error with the last answer. Whatever of it comes from outside
// may hold the API key: a server may send it back, a transport name it.
func (a *call) refused(err *affiliate.Error) error {
	blank := a.client.blank
	err.Reason, err.Field, err.Message = affiliate.Reason(blank(string(err.Reason))), blank(err.Field), blank(err.Message)
	for i, f := range err.Failures {
		err.Failures[i].Reason, err.Failures[i].Message = affiliate.Reason(blank(string(f.Reason))), blank(f.Message)
	}
	if err.Err != nil && blank(err.Err.Error()) != err.Err.Error() {
		err.Err = errors.New(blank(err.Err.Error()))
	}
	e := &Error{
		Op: a.method + " " + root + a.path, Status: a.last.status, Header: a.last.header.Clone(),
		Attempts: a.attempts, Err: err,
	}
	if len(a.last.body) > 0 {
		e.Body = []byte(a.client.blankStart(string(a.last.body)))
	}
	for _, values := range e.Header {
		for i := range values {
			values[i] = blank(values[i])
		}
	}
	return e
}

// refusal reads the answer of an error.
func (a *call) refusal() *affiliate.Error {
	var body struct{ Error, Reason string }
	if json.Unmarshal(a.last.body, &body) != nil {
		body.Error, body.Reason = "", ""
	}
	e := &affiliate.Error{
		Reason:  affiliate.Reason(a.last.header.Get("Error-Code")),
		Field:   a.last.header.Get("Error-Field"),
		Message: body.Error,
	}
	// What is no list of reasons is left out: the first one is in Error-Code.
	if json.Unmarshal([]byte(a.last.header.Get("Error-Reasons")), &e.Failures) != nil {
		e.Failures = nil
	}
	if e.Reason == "" { // the hosted service says it for refunds, in the body
		e.Reason = affiliate.Reason(body.Reason)
	}
	row := rowOf(a.last.status, e.Reason, e.Message)
	if e.Reason == "" {
		e.Reason = row.Reason
	}
	e.Kind = a.kind(row.Kind, e)
	if e.Message == "" {
		e.Message = textOf(a.last.status)
	}
	return e
}

// kind is the class of an answer. Two kinds share 400; the table of texts tells
// them apart.
func (a *call) kind(ofRow affiliate.Kind, e *affiliate.Error) affiliate.Kind {
	kind := affiliate.KindOf(a.last.status)
	switch {
	case a.last.status == http.StatusBadRequest && ofRow == affiliate.KindConflict:
		return ofRow
	case kind == affiliate.KindNotFound && !a.aboutRecord(e):
		return affiliate.KindInvalid
	case kind == affiliate.KindInternal && a.last.status/100 == 4:
		return affiliate.KindInvalid
	}
	return kind
}

// aboutRecord reports whether a 404 says that a record is missing. A wrong base
// URL must not look like a record that is not there.
func (a *call) aboutRecord(e *affiliate.Error) bool {
	return a.method != http.MethodGet && e.Message != "" &&
		e.Reason != affiliate.NotFound && e.Reason != affiliate.ProgramNotFound
}

// textOf is the text of an error without words.
func textOf(status int) string {
	if status/100 == 3 {
		return redirected
	}
	if text := http.StatusText(status); text != "" {
		return text
	}
	return "unknown status"
}

// rowOf is the row of the engine's table of texts that an error is an instance
// of: by its reason, preferably with its text, else by the text alone. Of two
// reasons with one text it is the first. Without a row it is empty.
func rowOf(status int, reason affiliate.Reason, text string) affiliate.Error {
	var found affiliate.Error
	for _, row := range affiliate.Refusals() {
		if row.Kind.Status() != status || reason != "" && row.Reason != reason {
			continue
		}
		if fits(row.Message, text) {
			return *row
		}
		if reason != "" && found.Reason == "" {
			found = *row
		}
	}
	return found
}

// fits reports whether a text is an instance of a row's, whose one {…} stands for
// anything.
func fits(row, text string) bool {
	before, rest, open := strings.Cut(row, "{")
	_, after, closed := strings.Cut(rest, "}")
	if !open || !closed {
		return row == text
	}
	return len(text) > len(before)+len(after) && strings.HasPrefix(text, before) && strings.HasSuffix(text, after)
}

// shortKey is the length below which a key is taken for a word and not for a
// secret: blanking test or demo would garble answers.
const shortKey = 16

// blank hides the API key in a text.
func (c *Client) blank(s string) string {
	key := c.key()
	if len(key) < shortKey {
		return s
	}
	return strings.ReplaceAll(s, key, "***")
}

// blankStart is blank for what is kept of a body. A key that the cut goes
// through is left out.
func (c *Client) blankStart(body string) string {
	key, cut := c.key(), len(body) >= maxErrorBody
	s := c.blank(body[:min(len(body), maxErrorBody)])
	for n := len(key) - 1; cut && n > 0 && len(key) >= shortKey; n-- {
		if strings.HasSuffix(s, key[:n]) {
			return s[:len(s)-n]
		}
	}
	return s
}

// key is the API key.
func (c *Client) key() string { return strings.TrimPrefix(c.bearer()[0], "Bearer ") }

// replay tells the caller that the answer is one that the server had kept.
func (a *call) replay(answer []byte) {
	if a.once.Replayed != nil && a.last.header.Get("Idempotent-Replayed") == "true" {
		a.once.Replayed(answer)
	}
}

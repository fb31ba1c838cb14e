package client

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/internal/refusal"
)

// An Error is a call that failed: the server refused it, the server gave no
// answer or an unreadable one, or the call was never sent. For errors.Is and
// errors.AsType it is also the [*affiliate.Error] that it wraps. Its text shows
// method, path and the server's error text, never the API key, a query or a
// body.
type Error struct {
	Op       string      // method and path: "POST /api/v1/sales"
	Status   int         // of the last answer; 0: no answer
	Header   http.Header // of the last answer; nil: no answer
	Body     []byte      // its first 64 KiB; an API key of 16 characters or more is blanked, here and in Header
	Attempts int         // how many were made; 0: the call was refused before it was sent

	// Err says what happened. Kind comes from the status, with one exception: a
	// 404 is KindNotFound only when a record is missing. The 404 of an unknown
	// path or program is KindInvalid, and so is that of a look-up, because a
	// look-up that misses answers null, unless the 404 is a refusal of the engine.
	// Reason, Field and Failures are the
	// server's Error-Code, Error-Field and Error-Reasons. Without Error-Code,
	// Reason comes from the error text; it is empty when the text is unknown.
	// Err.Err is the cause when there was no answer or an unreadable one, or when
	// the body of a refusal ended before its text: Message is then that of the
	// status.
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

// RequestID returns the server's id of the last attempt; empty when it sent none.
func (e *Error) RequestID() string {
	for _, name := range []string{"X-Request-Id", "Request-Id", "X-Correlation-Id"} {
		if id := e.Header.Get(name); id != "" {
			return id
		}
	}
	return ""
}

// Texts of failures without an error text from the server.
const (
	noAnswer   = "no answer"
	unreadable = "the answer cannot be read"
	redirected = "the server redirects, which is not followed"
	cutShort   = "the body of the error is cut short"
)

// outcome returns the error of the call; nil when the last answer is a success.
func (a *call) outcome(ctx context.Context) error {
	switch {
	case a.last.err != nil && a.last.status != 0:
		return a.unreadable(a.last.err)
	case ok(a.last.status):
		a.replay(a.last.body)
		return nil
	case a.last.status != 0 && a.fault() == final:
		a.replay([]byte("null")) // the engine does the same for a refusal
	case ctx.Err() != nil:
		return a.failed(ended(ctx))
	case a.late:
		return a.failed(fmt.Errorf("%w before another attempt", context.DeadlineExceeded))
	case a.last.status == 0:
		return a.failed(a.last.err)
	}
	return a.refused(a.refusal())
}

// ended returns why a context ended.
func ended(ctx context.Context) error {
	err, cause := ctx.Err(), context.Cause(ctx)
	if errors.Is(cause, err) {
		return cause
	}
	return fmt.Errorf("%w: %w", err, cause)
}

// failed returns the error of a call whose last attempt has no usable answer. When
// there is an answer with an error status, its refusal is in it.
func (a *call) failed(cause error) error {
	e := &affiliate.Error{Kind: affiliate.KindInternal, Message: noAnswer, Err: cause}
	if a.last.status != 0 {
		e = a.refusal()
		e.Err = cause
	}
	return a.refused(e)
}

// unreadable returns the error of an answer that cannot be decoded.
func (a *call) unreadable(cause error) error {
	return a.refused(&affiliate.Error{Kind: affiliate.KindInternal, Message: unreadable, Err: cause})
}

// refused returns an Error with the last answer. All texts from outside are
// blanked, because a server may send the API key back, and a transport may name
// it.
func (a *call) refused(err *affiliate.Error) error {
	blank := a.client.blank
	err.Reason, err.Field, err.Message = affiliate.Reason(blank(string(err.Reason))),
		blank(err.Field), blank(err.Message)
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
	cause := json.Unmarshal(a.last.body, &body)
	if cause != nil {
		body.Error, body.Reason = "", ""
		cause = a.cutShort()
	}
	e := &affiliate.Error{
		Err:     cause,
		Reason:  affiliate.Reason(a.last.header.Get("Error-Code")),
		Field:   a.last.header.Get("Error-Field"),
		Message: body.Error,
	}
	// A malformed list of reasons is ignored: the first reason is in
	// Error-Code.
	if json.Unmarshal([]byte(a.last.header.Get("Error-Reasons")), &e.Failures) != nil {
		e.Failures = nil
	}
	if e.Reason == "" { // the hosted service sends the reason of a refund in the body
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

// kind returns the kind of an error answer. Two kinds share the status 400; the
// table of refusals distinguishes them.
func (a *call) kind(ofRow affiliate.Kind, e *affiliate.Error) affiliate.Kind {
	kind := affiliate.KindOf(a.last.status)
	switch {
	case a.last.status == http.StatusBadRequest && ofRow == affiliate.KindConflict:
		return ofRow
	case kind == affiliate.KindNotFound && !a.aboutRecord(ofRow, e):
		return affiliate.KindInvalid
	case kind == affiliate.KindInternal && a.last.status/100 == 4:
		return affiliate.KindInvalid
	}
	return kind
}

// aboutRecord reports whether a 404 says that a record is missing. A wrong base URL
// must not look like a missing record. A GET mostly answers null for a missing
// record, so for a GET only a refusal of the engine's table counts. For a write any
// text counts, also the beginning of one.
func (a *call) aboutRecord(ofRow affiliate.Kind, e *affiliate.Error) bool {
	if e.Reason == affiliate.NotFound || e.Reason == affiliate.ProgramNotFound {
		return false
	}
	return ofRow == affiliate.KindNotFound || a.method != http.MethodGet && (e.Message != "" || e.Err != nil)
}

// cutShort returns the error of a JSON body that ends in the middle; nil when the body
// is something else.
func (a *call) cutShort() error {
	cause := a.last.torn
	if cause == nil {
		var value json.RawMessage
		cause = json.NewDecoder(bytes.NewReader(a.last.body)).Decode(&value)
	}
	if a.last.torn == nil && cause != io.ErrUnexpectedEOF || a.checkJSON() != nil {
		return nil
	}
	return fmt.Errorf("%s: %w", cutShort, bare(cause))
}

// textOf returns the text of an error for which the server sent none.
func textOf(status int) string {
	if status/100 == 3 {
		return redirected
	}
	if text := http.StatusText(status); text != "" {
		return text
	}
	return "unknown status"
}

// rowOf finds the row of the engine's table of refusals for an error: by its
// reason, preferably with the same text, or without a reason by the text alone.
// When two reasons share a text, it is the first one. It is empty when no row
// fits.
func rowOf(status int, reason affiliate.Reason, text string) affiliate.Error {
	var found affiliate.Error
	for _, row := range refusal.Refusals() {
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

// fits reports whether a text is an instance of a row's text, in which one {…}
// stands for any text.
func fits(row, text string) bool {
	before, rest, open := strings.Cut(row, "{")
	_, after, closed := strings.Cut(rest, "}")
	if !open || !closed {
		return row == text
	}
	return len(text) > len(before)+len(after) && strings.HasPrefix(text, before) && strings.HasSuffix(text, after)
}

// shortKey is the length below which a key is not blanked: such a key may be a
// word like test or demo, and blanking a word would garble answers.
const shortKey = 16

// blank hides the API key in a text.
func (c *Client) blank(s string) string {
	key := c.key()
	if len(key) < shortKey {
		return s
	}
	return strings.ReplaceAll(s, key, "***")
}

// blankStart blanks the part of a body that is kept. It also removes the
// beginning of a key at the cut.
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

// key returns the API key.
func (c *Client) key() string { return strings.TrimPrefix(c.bearer()[0], "Bearer ") }

// replay calls Once.Replayed when the server repeated a stored answer.
func (a *call) replay(answer []byte) {
	if a.once.Replayed != nil && a.last.header.Get("Idempotent-Replayed") == "true" {
		a.once.Replayed(answer)
	}
}

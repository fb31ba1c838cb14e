package httpapi

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/tributary-go/tributary/affiliate"
)

// chunk is the part of a long answer that is written at a time, in bytes.
const chunk = 32 << 10

var null = []byte("null")

// begin sends the status and the fixed headers of every answer (contract 1.6).
// A negative length is unknown.
func (c *call) begin(status, length int) {
	h := c.w.Header()
	values := [...]string{"application/json; charset=utf-8", c.caching(), "nosniff", ""} // one block for all
	h["Content-Type"], h["Cache-Control"], h["X-Content-Type-Options"] = values[0:1:1], values[1:2:2], values[2:3:3]
	if length >= 0 {
		values[3] = strconv.Itoa(length)
		h["Content-Length"] = values[3:]
	}
	if c.replayed != nil {
		h["Idempotent-Replayed"] = []string{"true"}
	}
	c.started, c.status = true, status
	c.w.WriteHeader(status)
}

// caching returns the Cache-Control of the answer: no-store, unless the operation
// set another.
func (c *call) caching() string {
	if c.cache == "" {
		return "no-store"
	}
	return c.cache
}

// write answers with a whole body.
func (c *call) write(status int, body []byte) {
	body = c.formed(body)
	c.begin(status, len(body))
	c.put(body)
}

// send writes a part of the body.
func (c *call) send(part []byte) error { return c.put(c.formed(part)) }

// formed returns a part of the body in the form that the caller asked for.
func (c *call) formed(part []byte) []byte {
	if c.quotes == nil {
		return part
	}
	return c.quotes.part(part)
}

// put writes a part of the body as it is. An error means that the caller takes no more:
// HEAD has no body, the caller disconnected or does not read.
func (c *call) put(part []byte) error {
	if c.r.Method == http.MethodHead {
		return errNoBody
	}
	n, err := c.w.Write(part)
	c.sent += int64(n)
	if err != nil {
		return errLeft
	}
	return c.r.Context().Err()
}

var (
	// errLeft ends an answer that its caller no longer takes.
	errLeft = errors.New("httpapi: the caller takes no more of the answer")

	// errNoBody ends the answer of a HEAD once its headers are sent.
	errNoBody = errors.New("httpapi: HEAD has no body")
)

// answer writes a value that the program returned.
func (c *call) answer(v any) error {
	if c.replayed != nil {
		c.write(http.StatusOK, c.replayed)
		return nil
	}
	return c.encode(v)
}

// answerText is answer for a value that appends its JSON. A large one need not
// be on the heap.
func (c *call) answerText(appendJSON func([]byte) []byte) error {
	if c.replayed != nil {
		c.write(http.StatusOK, c.replayed)
		return nil
	}
	c.out = appendJSON(c.out[:0])
	c.write(http.StatusOK, c.out)
	return nil
}

// encode answers with the JSON of a value.
func (c *call) encode(v any) error {
	out, err := appendJSON(c.out[:0], v)
	if err != nil {
		return err
	}
	c.out = out
	c.write(http.StatusOK, out)
	return nil
}

// nothing answers a look-up that missed.
func (c *call) nothing() { c.write(http.StatusOK, null) }

// A stream is an answer that is written while it is made. The first piece is
// held back, so that an answer of one piece is sent with its length.
type stream struct {
	call *call
	held bool
}

// Write sends a piece, after the one that was held back.
func (s *stream) Write(piece []byte) (int, error) {
	c := s.call
	if !s.held {
		c.out, s.held = append(c.out[:0], piece...), true
		return len(piece), nil
	}
	if !c.started {
		c.begin(http.StatusOK, -1)
		if err := c.send(c.out); err != nil {
			return 0, err
		}
	}
	return len(piece), c.send(piece)
}

// stream answers what write writes; null when it finds nothing.
func (c *call) stream(write func(io.Writer) error) error {
	err := write(&stream{call: c})
	switch {
	case errors.Is(err, affiliate.ErrNotFound) && !c.started:
		c.nothing()
	case err != nil:
		return err
	case !c.started:
		c.write(http.StatusOK, c.out)
	}
	return nil
}

// appendJSON appends the JSON of v, exactly as json.Marshal makes it, so that a
// first answer and its repeat have the same bytes.
func appendJSON(dst []byte, v any) ([]byte, error) {
	switch v := v.(type) {
	case interface{ AppendJSON([]byte) []byte }:
		return v.AppendJSON(dst), nil
	default:
		raw, err := json.Marshal(v)
		return append(dst, raw...), err
	}
}

// refuse answers a refusal.
func (c *call) refuse(e *affiliate.Error) {
	h := c.w.Header()
	c.code = e.Reason
	h["Error-Code"] = []string{string(e.Reason)}
	if e.Field != "" {
		h["Error-Field"] = []string{headerText(e.Field)}
	}
	if len(e.Failures) > 0 {
		h["Error-Reasons"] = []string{reasonsOf(e.Failures)}
	}
	status := e.Kind.Status()
	if status == http.StatusUnauthorized {
		h["Www-Authenticate"] = []string{"Bearer"}
	}
	body, _ := json.Marshal(struct {
		Error string `json:"error"`
	}{e.Message})
	c.write(status, body)
}

// reasonsOf lists every rule that a code fails, in the same JSON as the reasons
// of a preview. All of it is ASCII, as a header needs.
//
// Source: docs/contract.md 1.9.
func reasonsOf(failures []affiliate.Failure) string {
	raw, _ := json.Marshal(failures) // failures always have JSON
	return string(raw)
}

// headerText returns a text for clients in the form that a header may hold:
// characters that are not ASCII are escaped. The texts come with their control
// characters escaped.
func headerText(s string) string {
	quoted := strconv.QuoteToASCII(s)
	return strings.NewReplacer(`\\`, `\`, `\"`, `"`).Replace(quoted[1 : len(quoted)-1])
}

// seconds returns a wait in whole seconds, rounded up.
func seconds(d time.Duration) string {
	whole := d / time.Second
	if d > whole*time.Second {
		whole++
	}
	return strconv.FormatInt(int64(whole), 10)
}

package httpapi

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"hash"
	"io"
	"log/slog"
	"mime"
	"net/http"
	"runtime/debug"
	"strings"
	"time"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/httpapi/internal/reqid"
	"github.com/tributary-go/tributary/internal/jsontext"
	"github.com/tributary-go/tributary/internal/refusal"
)

// A call is one request on its way through the handler. Calls are reused, so
// nothing may keep a part of a call after its answer.
type call struct {
	h *Handler
	w http.ResponseWriter
	r *http.Request
	p *tributary.Program

	keyName string // of the key that was sent, never the key
	scope   Scope  // of the key
	open    Access // what the key opens

	route   *route
	started bool // the status line is out
	status  int
	sent    int64 // bytes of the body
	code    affiliate.Reason
	cache   string // Cache-Control, when the answer may be kept

	quotes *quoter // of the answer's amounts; nil: they are numbers

	in   input
	lost error // of the store, while the input named an affiliate by its external id
	body bytes.Buffer
	out  []byte

	key          string // Idempotency-Key
	replayed     []byte // the stored answer, when the key had one
	keepReplayed func(answer []byte)
	hash         hash.Hash // SHA-256

	reader     jsontext.Reader
	memberRoom []member
	fieldRoom  [32]field
}

// maxKept is the size of the largest buffer that is reused, in bytes.
// maxMembers and maxSlots limit the slices that a body of many names fills.
const (
	maxKept    = 64 << 10
	maxMembers = maxKept / 48
	maxSlots   = maxKept / 8
)

func newCall(h *Handler, w http.ResponseWriter, r *http.Request) *call {
	c, ok := h.calls.Get().(*call)
	if !ok {
		c = &call{memberRoom: make([]member, 0, 16), hash: sha256.New()}
		c.keepReplayed = func(answer []byte) { c.replayed = bytes.Clone(answer) }
	}
	c.h, c.w, c.r = h, w, r
	return c
}

func (c *call) free() {
	if c.body.Cap() > maxKept || cap(c.out) > maxKept {
		return
	}
	h, body, out, members, reader := c.h, c.body, c.out[:0], c.memberRoom, c.reader
	if cap(members) > maxMembers || reader.Room() > maxSlots {
		return
	}
	body.Reset()
	reader.Forget()
	clear(members)
	*c = call{body: body, out: out, reader: reader, memberRoom: members[:0], keepReplayed: c.keepReplayed, hash: c.hash}
	h.calls.Put(c)
}

// serve runs the checks in the contract's order and then the operation.
func (c *call) serve() {
	found, res, refused := c.h.find(c.r)
	if refused != nil {
		if res != nil {
			c.w.Header().Set("Allow", res.allow)
		}
		c.refuse(refused)
		return
	}
	c.route = found
	open, wait, err := c.h.admit(c.r.Context(), c.r)
	if wait > 0 {
		c.w.Header().Set("Retry-After", seconds(wait))
	}
	if err != nil {
		c.fail(err)
		return
	}
	c.p, c.keyName, c.scope, c.open = open.Program, open.KeyName, open.Scope, open
	if c.r.Method != http.MethodGet && c.r.Method != http.MethodHead && c.keyName != "" && !isPlace(c.keyName) {
		c.p = c.p.By(c.keyName)
	}
	if open.Scope.grant()&found.scopes == 0 {
		c.refuse(refusal.RefuseScope.Err())
		return
	}
	if refused := c.readAmounts(); refused != nil {
		c.refuse(refused)
		return
	}
	if err := found.action.run(c); err != nil {
		c.fail(err)
	}
}

// readBody reads and checks the body of an operation. A DELETE without a body
// has its names in the query.
func (c *call) readBody() error {
	empty, err := c.readBytes()
	if err != nil {
		return err
	}
	if empty && c.r.Method != http.MethodDelete {
		return refusal.RefuseNoBody.Err()
	}
	if empty {
		return c.readQuery()
	}
	members, refused := scan(&c.reader, c.body.Bytes(), c.memberRoom)
	c.memberRoom = members
	if refused != nil {
		return refused
	}
	c.in.members, c.in.fields = members, c.fieldRoom[:0]
	return nil
}

// readBytes reads the body: content type, then size.
func (c *call) readBytes() (empty bool, err error) {
	body := c.r.Body
	if body == nil || body == http.NoBody || c.r.ContentLength == 0 {
		return true, nil
	}
	if !isJSON(c.r.Header) {
		if _, err := io.CopyN(io.Discard, body, 1); err == io.EOF {
			return true, nil // the length was not declared, and the body is empty
		}
		return false, refusal.RefuseMediaType.Err()
	}
	limit := c.h.cfg.MaxBody
	if c.r.ContentLength > limit {
		return false, refusal.RefuseSize.Err()
	}
	if _, err := c.body.ReadFrom(http.MaxBytesReader(c.w, body, limit)); err != nil {
		if _, ok := errors.AsType[*http.MaxBytesError](err); ok {
			return false, refusal.RefuseSize.Err()
		}
		return false, refusal.RefuseJSON.Err() // the body ended too early
	}
	return c.body.Len() == 0, nil
}

// isJSON reports whether the headers declare a plain JSON body.
func isJSON(h http.Header) bool {
	for _, encoding := range h["Content-Encoding"] {
		if encoding != "" && !strings.EqualFold(encoding, "identity") {
			return false
		}
	}
	declared := h["Content-Type"]
	if len(declared) != 1 {
		return false
	}
	if declared[0] == "application/json" {
		return true
	}
	typ, params, err := mime.ParseMediaType(declared[0])
	charset, given := params["charset"]
	return err == nil && typ == "application/json" && (!given || strings.EqualFold(charset, "utf-8"))
}

// readQuery takes the names that a DELETE without a body has in its query.
func (c *call) readQuery() error {
	values, err := parseQuery(c.r.URL.RawQuery)
	if err != nil {
		return err
	}
	c.in.fields = c.fieldRoom[:0]
	c.in.fromQuery(values)
	return nil
}

// once returns the idempotency of a write. The digest covers method, path and
// body, or the query when the body is empty.
func (c *call) once() (affiliate.Once, error) {
	lines := c.r.Header["Idempotency-Key"]
	if len(lines) == 0 {
		return affiliate.Once{}, nil
	}
	if len(lines) > 1 || !visible(lines[0], 255) {
		return affiliate.Once{}, refusal.RefuseKey.Err()
	}
	c.key = lines[0]
	return affiliate.Once{Key: c.key, Owner: c.owner(), Digest: c.digest(), Replayed: c.keepReplayed}, nil
}

// fullOnly refuses a field that only a key of the scope full may send, if it was sent.
func (c *call) fullOnly(sent bool) error {
	if sent && c.scope.grant() != full {
		return refusal.RefuseScope.Err()
	}
	return nil
}

// owner returns whose idempotency keys the request uses.
func (c *call) owner() string {
	secret, sent := bearer(c.r.Header)
	if !sent {
		return "" // these routes take no key
	}
	return c.open.owner(secret)
}

// digest returns the SHA-256 of what the caller asks for.
func (c *call) digest() [sha256.Size]byte {
	head := append(c.out[:0], c.route.method...)
	head = append(append(append(head, ' '), c.route.path...), '\n')
	if c.body.Len() == 0 {
		head = append(append(head, '?'), c.r.URL.RawQuery...)
	}
	c.out = head
	c.hash.Reset()
	c.hash.Write(head)
	c.hash.Write(c.body.Bytes())
	return [sha256.Size]byte(c.hash.Sum(c.out[:0]))
}

// fail answers an error. A refusal is answered as it is, any other error with a
// fixed text.
func (c *call) fail(err error) {
	if errors.Is(err, errNoBody) {
		return
	}
	if c.started {
		if !c.left(err) {
			c.logError("answer broke off", err, nil)
		}
		panic(http.ErrAbortHandler) // half an answer must not look like a whole one
	}
	refused, ok := errors.AsType[*affiliate.Error](err)
	if !ok || refused.Kind == affiliate.KindInternal {
		if !c.left(err) {
			c.logError("request failed", err, nil)
		}
		refused = refusal.RefuseInternal.Err()
	}
	c.refuse(refused)
}

// left reports whether an operation ended because its caller disconnected. That
// is not an error of the server.
func (c *call) left(err error) bool {
	return errors.Is(err, errLeft) || errors.Is(err, context.Canceled) && c.r.Context().Err() != nil
}

// recover answers a panic like an internal error. The host's server goes on.
func (c *call) recover() {
	v := recover()
	if v == nil {
		return
	}
	if v == http.ErrAbortHandler {
		panic(v)
	}
	c.logError("request panicked", v, debug.Stack())
	if c.started {
		panic(http.ErrAbortHandler) // half an answer must not look like a whole one
	}
	c.refuse(refusal.RefuseInternal.Err())
}

func (c *call) logError(text string, cause any, stack []byte) {
	attrs := []any{slog.String("operation", c.operation()), slog.Any("cause", cause)}
	if stack != nil {
		attrs = append(attrs, slog.String("stack", string(stack)))
	}
	c.h.cfg.Logger.ErrorContext(context.WithoutCancel(c.r.Context()), text,
		append(attrs, slog.String("request_id", RequestID(c.r.Context())), c.keyAttr())...)
}

func (c *call) log(start time.Time) {
	attrs := []slog.Attr{
		slog.String("operation", c.operation()), slog.Int("status", c.status), slog.String("code", string(c.code)),
		slog.Duration("took", time.Since(start)), slog.String("request_id", RequestID(c.r.Context())), c.keyAttr(),
		c.scopeAttr(), slog.Int64("bytes", c.sent), slog.Bool("replayed", c.replayed != nil),
	}
	if trace := traceID(c.r.Header); trace != "" {
		attrs = append(attrs, slog.String("trace_id", trace))
	}
	c.h.cfg.Logger.LogAttrs(c.r.Context(), slog.LevelDebug, "request", attrs...)
}

// keyAttr returns the name of the key in logs, and nothing when no key was accepted.
func (c *call) keyAttr() slog.Attr {
	if c.keyName == "" {
		return slog.Attr{}
	}
	return slog.String("key", c.keyName)
}

// scopeAttr returns what the key may do, and nothing when no key was accepted.
func (c *call) scopeAttr() slog.Attr {
	if c.keyName == "" {
		return slog.Attr{}
	}
	return slog.String("scope", string(cmp.Or(c.scope, ScopeFull)))
}

// operation returns the name of the route in logs. An unknown path is text of the
// caller and is not logged.
func (c *call) operation() string {
	if c.route == nil {
		return "none"
	}
	return c.route.method + " " + c.r.URL.Path // a path of the table
}

// RequestID returns the id of the request that ctx belongs to; empty when it is none
// of a Handler. Every answer has it in X-Request-Id, and so has every line of
// [Config.Logger]. A request may bring its own id in that header: 1 to 64 of
// A–Z, a–z, 0–9, dot, underscore and hyphen. Any other one is replaced by a new
// id.
//
// The engine passes the context on, so an [affiliate.Observer] and a hook find
// the id too.
func RequestID(ctx context.Context) string { return reqid.Of(ctx) }

// traceID returns the trace of a valid traceparent (W3C Trace Context), for logs;
// empty: there is none.
func traceID(h http.Header) string {
	lines := h["Traceparent"]
	if len(lines) != 1 {
		return ""
	}
	parts := strings.Split(lines[0], "-")
	if len(parts) < 4 || !lowerHex(parts[0], 2) || parts[0] == "ff" || parts[0] == "00" && len(parts) > 4 ||
		!lowerHex(parts[1], 32) || !lowerHex(parts[2], 16) || !lowerHex(parts[3], 2) ||
		strings.Trim(parts[1], "0") == "" || strings.Trim(parts[2], "0") == "" {
		return ""
	}
	return parts[1]
}

// lowerHex reports whether s has n digits of lower-case hex.
func lowerHex(s string, n int) bool {
	return len(s) == n && strings.Trim(s, "0123456789abcdef") == ""
}

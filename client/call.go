package client

import (
	"bytes"
	"cmp"
	"context"
	"crypto/tls"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"math/bits"
	"net"
	"net/http"
	"net/url"
	"reflect"
	"strconv"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"
	"github.com/hashicorp/go-retryablehttp"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/internal/refusal"
)

// A call is a request with its attempts and its last answer. It is the
// http.RoundTripper of its own attempts, and its methods are the retry rules of
// go-retryablehttp, so that the rules know the request even when there is no
// answer.
type call struct {
	client *Client
	request
	http  http.Client
	retry retryablehttp.Client

	attempts int
	wait     time.Duration // before the next attempt
	late     bool          // the context would end before the next attempt
	last     answer
}

// An answer is the result of an attempt.
type answer struct {
	status int // 0: no answer
	header http.Header
	body   []byte
	torn   error // why the body of an error ended too early
	err    error // the reason why there is no answer, or why it cannot be used
}

// run makes a call. The error is nil when the last answer is a success.
func (c *Client) run(ctx context.Context, rq request) (*call, error) {
	a := &call{client: c, request: rq}
	if err := a.check(); err != nil {
		return nil, a.refused(err)
	}
	if err := ctx.Err(); err != nil {
		return nil, a.failed(ended(ctx))
	}
	req, err := a.prepare(ctx)
	if err != nil {
		return nil, err
	}
	a.http = http.Client{Transport: a, CheckRedirect: stay, Jar: c.jar}
	a.retry = retryablehttp.Client{
		HTTPClient: &a.http, RetryMax: c.cfg.MaxRetries,
		CheckRetry: a.mayRepeat, Backoff: a.pause, ErrorHandler: retryablehttp.PassthroughErrorHandler,
	}
	// Each attempt keeps its answer in a.last. The result of Do is not used: it
	// is less, and its error shows the query.
	_, _ = a.retry.Do(req)
	return a, a.outcome(ctx)
}

// stay returns a redirect as the answer instead of following it. A 302 would
// turn a DELETE into a GET, and a 307 would send key and body to another host.
func stay(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }

// prepare encodes the request. Each attempt adds the rest, such as the API key.
func (a *call) prepare(ctx context.Context) (*retryablehttp.Request, error) {
	header := http.Header{"Accept": {"application/json"}, "User-Agent": {a.client.cfg.UserAgent}}
	if a.writes() {
		key, err := a.onceKey()
		if err != nil {
			return nil, a.failed(err)
		}
		header["Idempotency-Key"] = []string{key}
	}
	u := at(a.client.base, a.path, a.query)
	plain := http.Request{
		Method: a.method, URL: u, Host: u.Host, Header: header,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
	}
	req := &retryablehttp.Request{Request: plain.WithContext(ctx)}
	if a.body == nil {
		return req, nil
	}
	body, err := json.Marshal(a.body)
	if err == nil && !carries(body, a.body) {
		return nil, a.refused(refusal.RefuseUTF8.Err())
	}
	if err != nil {
		return nil, a.refused(&affiliate.Error{
			Kind: affiliate.KindInvalid, Reason: affiliate.InvalidField,
			Message: "the input has no JSON: " + err.Error(), Err: err,
		})
	}
	header["Content-Type"] = []string{"application/json"}
	return req, req.SetBody(body)
}

// onceKey returns the caller's idempotency key, or a random one for this call.
func (a *call) onceKey() (string, error) {
	if a.once.Key != "" {
		return a.once.Key, nil
	}
	var raw [16]byte
	if err := a.client.rand.read(raw[:]); err != nil {
		return "", fmt.Errorf("draw idempotency key: %w", err)
	}
	return hex.EncodeToString(raw[:]), nil
}

// RoundTrip is one attempt, from the hook to the end of the body. An answer
// that ends in the middle of its body is a failed attempt.
func (a *call) RoundTrip(req *http.Request) (*http.Response, error) {
	a.attempts++
	a.last = answer{}
	resp, err := a.attempt(req)
	if err != nil {
		a.last = answer{err: err}
		a.log(req)
		return nil, err
	}
	a.log(req)
	resp.Body, resp.Request = http.NoBody, req // req has no key
	if show := a.client.cfg.OnResponse; show != nil {
		shown := *resp
		shown.Header, shown.Body = resp.Header.Clone(), io.NopCloser(bytes.NewReader(a.last.body))
		show(&shown)
	}
	return resp, nil
}

func (a *call) attempt(req *http.Request) (*http.Response, error) {
	sent := req.WithContext(req.Context())
	sent.Header = req.Header.Clone()
	delete(req.Header, "Cookie") // http.Client adds the cookies of the jar for each attempt
	if hook := a.client.cfg.OnRequest; hook != nil {
		sent.URL = new(*req.URL)
		hook(sent)
	}
	if sent.URL.Scheme != a.client.base.Scheme || sent.URL.Host != a.client.base.Host {
		return nil, errOtherHost
	}
	sent.Header["Authorization"] = a.client.bearer()
	if key, ok := req.Header["Idempotency-Key"]; ok {
		sent.Header["Idempotency-Key"] = key // a hook must not change it: with another key a repeat would have a second effect
	}
	if a.worst < lost {
		// net/http itself sends a request again when a connection that it used
		// before breaks, if the request has an Idempotency-Key and a body that it
		// can read twice.
		sent.GetBody = nil
	}
	timeout := max(a.client.cfg.Timeout, a.patience)
	ctx := sent.Context()
	if timeout < endless {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, timeout)
		defer cancel()
	}
	resp, err := a.client.transport.RoundTrip(sent.WithContext(ctx))
	if err == nil && resp == nil {
		err = errNothing
	}
	if err == nil {
		err = a.read(resp)
	}
	err = bare(err)
	if err != nil && sent.Context().Err() == nil && ctx.Err() != nil {
		err = fmt.Errorf("timeout after %v: %w", timeout, context.DeadlineExceeded)
	}
	return resp, err
}

var (
	// errOtherHost prevents that the key is sent to another host.
	errOtherHost = errors.New("Config.OnRequest sends the request to another host")

	errNothing = errors.New("the transport gave neither answer nor error")
)

// bare removes the *url.Error of another http.Client around an error, because
// its text has the query.
func bare(err error) error {
	for {
		outer, ok := errors.AsType[*url.Error](err)
		if !ok || outer.Err == nil {
			return err
		}
		err = outer.Err
	}
}

func (a *call) log(req *http.Request) {
	a.client.cfg.Logger.DebugContext(req.Context(), "request to the affiliate program",
		"method", a.method, "path", root+a.path, "attempt", a.attempts, "status", a.last.status)
}

// A source is a reader of random bytes that calls share.
type source struct {
	mu sync.Mutex
	r  io.Reader
}

func (s *source) read(b []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, err := io.ReadFull(s.r, b)
	return err
}

// below returns a random duration of at least 0 and less than d. It is 0 when the
// source fails.
func (s *source) below(d time.Duration) time.Duration {
	var raw [8]byte
	if d <= 0 || s.read(raw[:]) != nil {
		return 0
	}
	var n uint64
	for _, b := range raw {
		n = n<<8 | uint64(b)
	}
	hi, _ := bits.Mul64(n, uint64(d))
	return time.Duration(hi)
}

// An Answer is an answer of the server to [Client.Do].
type Answer struct {
	Status int // 200 to 299
	Header http.Header
	Body   []byte // as it was sent; the API key is not blanked in it
	Next   string // the cursor of the next page, from the Link header; empty: none
}

// Do calls any operation, with the key, the repeats and the errors of the other
// methods. The path is what follows /api/v1, such as /sales; body is JSON, or
// nil for none. Every method except GET gets an Idempotency-Key: that of
// [Client.Keyed], or a random one. The method and the path must be those of the
// contract: nothing else is checked before the request is sent.
//
// Errors: an [*Error] when there is no answer, when it is an error, or when it
// is not JSON.
func (c *Client) Do(ctx context.Context, method, path string, query url.Values, body json.RawMessage) (Answer, error) {
	rq := fetch(path, query)
	if method != http.MethodGet {
		rq = c.post(path, nil, affiliate.Once{})
		rq.method, rq.query = method, query
	}
	if body != nil {
		rq.body = body
	}
	a, err := c.run(ctx, rq)
	if err != nil {
		return Answer{}, err
	}
	if err := a.checkJSON(); err != nil {
		return Answer{}, a.unreadable(err)
	}
	return Answer{a.last.status, a.last.header, a.last.body, nextCursor(a.last.header.Values("Link"))}, nil
}

// A request is one operation with its input.
type request struct {
	method   string
	path     string // below root
	query    url.Values
	body     any              // nil: none
	once     affiliate.Once   // of a write
	worst    fault            // the worst fault after which the request is sent again
	barred   *affiliate.Error // the reason why the request cannot be sent
	patience time.Duration    // the shortest timeout of an attempt; endless: none
}

// endless is the patience of a request that only its context ends.
const endless = math.MaxInt64

// fetch returns a request that reads.
func fetch(path string, query url.Values) request {
	return request{method: http.MethodGet, path: path, query: query, worst: broken}
}

// post returns a POST request. The key in its input is used before the key of the
// client.
func (c *Client) post(path string, in any, once affiliate.Once) request {
	rq := c.write(http.MethodPost, path, in)
	rq.once.Key = cmp.Or(once.Key, c.once.Key)
	rq.once.Digest = cmp.Or(once.Digest, c.once.Digest)
	rq.once.Refused = cmp.Or(once.Refused, c.once.Refused)
	rq.once.Owner = cmp.Or(once.Owner, c.once.Owner)
	if once.Replayed != nil {
		rq.once.Replayed = once.Replayed
	}
	return rq
}

// put returns a PUT request.
func (c *Client) put(path string, in any) request { return c.write(http.MethodPut, path, in) }

// remove returns a DELETE request. It names its target in the body.
func (c *Client) remove(path string, in any) request { return c.write(http.MethodDelete, path, in) }

// write is any request that is not a read. Its key makes a repeat a replay, so
// it may be repeated after every fault, unless the server does not know keys.
func (c *Client) write(method, path string, in any) request {
	rq := request{method: method, path: path, body: in, once: c.once, worst: broken}
	if c.cfg.NoRepeat {
		rq.worst = unsent
	}
	return rq
}

// writes reports whether the request is not a read.
func (rq *request) writes() bool { return rq.method != http.MethodGet }

// goOnly bars the request when a field is set that cannot be sent.
func (rq *request) goOnly(field string, set bool) {
	if set {
		rq.barred = &affiliate.Error{
			Kind: affiliate.KindInvalid, Reason: affiliate.InvalidField, Field: field,
			Message: field + " is for Go calls only and cannot be sent",
		}
	}
}

// object bars the request when a field is set to an empty text or null. Both
// would be sent as null, which clears the field.
func (rq *request) object(field string, o affiliate.Opt[json.RawMessage]) {
	raw, ok := o.Get()
	if text := string(bytes.TrimSpace(raw)); ok && (text == "" || text == "null") {
		rq.barred = refusal.FieldNotAnObject.Of(field)
	}
}

// check refuses input that cannot be sent.
func (rq *request) check() *affiliate.Error {
	rq.goOnly("Once.Digest", rq.once.Digest != [32]byte{})
	rq.goOnly("Once.Refused", rq.once.Refused != nil)
	rq.goOnly("Once.Owner", rq.once.Owner != "")
	if rq.barred == nil && (!visible(rq.once.Key) || len(rq.once.Key) > maxOnce) {
		return refusal.RefuseKey.Err()
	}
	return rq.barred
}

// carries reports whether a body holds the texts of the input unchanged.
// encoding/json replaces bytes that are not UTF-8 by U+FFFD, and two different
// ids could become one. Go 1.26 writes U+FFFD as an escape, Go 1.27 as the
// character.
func carries(body []byte, in any) bool {
	if !utf8.Valid(body) {
		return false
	}
	replaced := bytes.Contains(body, []byte("\ufffd")) || bytes.Contains(body, []byte(`\ufffd`))
	return !replaced || validTexts(reflect.ValueOf(in))
}

// validTexts reports whether every text of an input is UTF-8.
func validTexts(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.String:
		return utf8.ValidString(v.String())
	case reflect.Struct:
		for _, field := range v.Fields() {
			if !validTexts(field) {
				return false
			}
		}
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.Uint8 { // a raw message
			return utf8.Valid(v.Bytes())
		}
		for i := range v.Len() {
			if !validTexts(v.Index(i)) {
				return false
			}
		}
	}
	return true
}

// firstOf returns a query with the first parameter that has a value. With several
// parameters the server's order would decide, not the order of pairs.
func firstOf(pairs ...string) url.Values {
	q := url.Values{}
	for i := 0; i < len(pairs); i += 2 {
		if pairs[i+1] != "" {
			q.Set(pairs[i], pairs[i+1])
			break
		}
	}
	return q
}

// textOfID returns an id in a query; the zero id is the empty text, which is not
// sent.
func textOfID(id uuid.UUID) string {
	if id == uuid.Nil {
		return ""
	}
	return id.String()
}

// addPage adds the parameters of a page. A limit out of range is sent as it is,
// and the server refuses it.
func addPage(q url.Values, pg affiliate.Page) {
	if pg.Limit != 0 {
		q.Set("limit", strconv.Itoa(pg.Limit))
	}
	if pg.Cursor != "" {
		q.Set("cursor", pg.Cursor)
	}
}

// A fault is a class of failed attempts, ordered by how likely the attempt had
// an effect. A request is sent again after faults up to the worst that its
// method allows.
type fault uint8

const (
	final  fault = iota // an answer to keep, or a failure that another attempt cannot repair
	unsent              // no effect: nothing was sent, or the server asks to try later
	lost                // unknown effect: no answer, or an answer of a proxy
	broken              // the server failed while it worked on the request
)

// mayRepeat returns the retry policy of go-retryablehttp: it reports whether to send
// again. It also chooses the wait, to check whether the context allows it.
func (a *call) mayRepeat(ctx context.Context, _ *http.Response, _ error) (bool, error) {
	f := a.fault()
	if f == final || f > a.worst || a.attempts > a.client.cfg.MaxRetries || ctx.Err() != nil {
		return false, nil
	}
	a.wait = a.ownWait()
	if after, ok := a.retryAfter(); ok {
		if after > a.client.cfg.MaxWait {
			return false, nil
		}
		a.wait = max(a.wait, after)
	}
	if deadline, ok := ctx.Deadline(); ok && time.Until(deadline) <= a.wait {
		a.late = true
		return false, nil
	}
	return true, nil
}

// pause returns the backoff of go-retryablehttp.
func (a *call) pause(time.Duration, time.Duration, int, *http.Response) time.Duration { return a.wait }

// fault returns the class of the last attempt.
func (a *call) fault() fault {
	switch {
	case a.last.status == 0:
		return faultOf(a.last.err)
	case a.last.status == http.StatusTooManyRequests:
		return unsent
	case a.last.status == http.StatusServiceUnavailable:
		if _, ok := a.retryAfter(); ok {
			return unsent
		}
		return lost
	case a.last.status == http.StatusBadGateway, a.last.status == http.StatusGatewayTimeout:
		return lost
	case a.last.status >= 500:
		return broken
	}
	return final
}

// faultOf returns the class of an attempt without an answer. Only a failed dial
// proves that nothing was sent.
func faultOf(err error) fault {
	if err == nil || errors.Is(err, errOtherHost) || isTLS(err) {
		return final
	}
	if op, ok := errors.AsType[*net.OpError](err); ok && op.Op == "dial" {
		return unsent
	}
	return lost
}

// isTLS reports whether a connection failed for a permanent reason:
// certificate, protocol, or no TLS on the other side.
func isTLS(err error) bool {
	_, certificate := errors.AsType[*tls.CertificateVerificationError](err)
	_, alert := errors.AsType[tls.AlertError](err)
	_, record := errors.AsType[tls.RecordHeaderError](err)
	return certificate || alert || record || errors.Is(err, http.ErrSchemeMismatch)
}

// ownWait returns a random wait whose upper end doubles with each attempt.
func (a *call) ownWait() time.Duration {
	low, high := a.client.cfg.MinWait, a.client.cfg.MinWait
	for range a.attempts {
		if high > a.client.cfg.MaxWait/2 {
			high = a.client.cfg.MaxWait
			break
		}
		high *= 2
	}
	return low + a.client.rand.below(high-low+1)
}

// retryAfter returns the wait that a 429 or 503 asks for, in seconds or as a date. A
// value that is malformed, negative or in the past asks for no wait.
func (a *call) retryAfter() (time.Duration, bool) {
	if a.last.status != http.StatusTooManyRequests && a.last.status != http.StatusServiceUnavailable {
		return 0, false
	}
	value := a.last.header.Get("Retry-After")
	seconds, err := strconv.ParseUint(value, 10, 64)
	switch {
	case err == nil && seconds <= math.MaxInt64/uint64(time.Second):
		return time.Duration(seconds) * time.Second, true
	case err == nil || errors.Is(err, strconv.ErrRange):
		return math.MaxInt64, true
	}
	date, err := http.ParseTime(value)
	if err != nil {
		return 0, false
	}
	wait := time.Until(date)
	return wait, wait > 0
}

package client

import (
	"bytes"
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/bits"
	"net/http"
	"net/url"
	"sync"
	"time"

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

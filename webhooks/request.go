package webhooks

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/netip"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/internal/refusal"
)

const (
	maxAnswer   = 64 << 10 // bytes of an answer that are read
	maxExcerpt  = 1 << 10  // bytes of an answer that are kept
	contentType = "application/json"
)

// Send makes the one signed request of a claim and returns its result. It
// follows no redirect and does not retry; a failure of the receiver or of the
// network is in the attempt. The payload is sent directly from the memory of
// the claim, without a copy.
//
// Set Config.Send of a program to this method: it is used for tests of
// endpoints. A test is a claim without an Endpoint. It waits for a slot first;
// the timeout includes this wait. When no slot becomes free in time, nothing is
// sent, and the attempt has the class [affiliate.FailedBusy].
func (s *Sender) Send(ctx context.Context, c affiliate.Claim) affiliate.Attempt {
	s.setup.Do(s.prepare)
	if c.Endpoint != uuid.Nil {
		return s.exchange(ctx, c)
	}
	ctx, cancel := context.WithTimeout(ctx, s.timeout())
	defer cancel()
	at := s.now()
	give := s.slots.takeForTest(ctx, c.URL)
	if give == nil {
		return affiliate.Attempt{
			Delivery: c.Delivery, Token: c.Token, At: at, URL: c.URL, Err: affiliate.FailedBusy,
			Took: max(s.now().Sub(at), 0),
		}
	}
	defer give()
	return s.exchange(ctx, c)
}

// exchange makes the request of a claim. The caller has taken a slot for it.
func (s *Sender) exchange(ctx context.Context, c affiliate.Claim) (a affiliate.Attempt) {
	ctx, cancel := context.WithTimeout(ctx, s.timeout())
	defer cancel()
	at := s.now()
	a = affiliate.Attempt{Delivery: c.Delivery, Token: c.Token, At: at, URL: c.URL}
	defer func() {
		if v := recover(); v != nil {
			s.logPanic(ctx, c, v)
			a.Status, a.Err, a.Response, a.Took = 0, affiliate.FailedInternal, "", max(s.now().Sub(at), 0)
		}
	}()
	w := &watch{}
	req, class := s.request(httptrace.WithClientTrace(ctx, w.trace()), c, at)
	if class != "" {
		a.Err = class
		return a
	}
	res, err := s.transport.RoundTrip(req)
	if err != nil {
		a.Err = w.class(err)
	} else {
		read(&a, res, w.remote(), at)
		a.Response = masked(a.Response, c.Headers)
	}
	a.Took = max(s.now().Sub(at), 0)
	return a
}

// logPanic logs a panic in the transport. The value of the panic may hold a URL
// or a secret, so it is logged only when it is an error of the Go runtime. For
// any other value only its type is logged.
func (s *Sender) logPanic(ctx context.Context, c affiliate.Claim, v any) {
	if s.Logger == nil {
		return
	}
	cause := fmt.Sprintf("%T", v)
	if err, ok := v.(runtime.Error); ok {
		cause = err.Error()
	}
	s.Logger.ErrorContext(ctx, "webhooks: request panicked",
		"endpoint", c.Endpoint, "event", c.MessageID, "cause", cause, "stack", string(debug.Stack()))
}

// request builds the request of a claim, or returns the class of failure that
// prevents it.
func (s *Sender) request(ctx context.Context, c affiliate.Claim, at time.Time) (*http.Request, string) {
	if refusal.CheckURL(s.Addresses, c.URL) != nil {
		return nil, affiliate.FailedBlockedURL
	}
	signed, err := Sign(c.Secrets, c.MessageID, at, c.Payload)
	if err != nil {
		return nil, affiliate.FailedSecret
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.URL, bytes.NewReader(c.Payload))
	if err != nil {
		return nil, affiliate.FailedBlockedURL
	}
	header := make(http.Header, len(signed)+len(c.Headers))
	for name, value := range c.Headers {
		header.Set(name, value)
	}
	maps.Copy(header, signed)
	if c.SvixHeaders {
		header[svixID], header[svixTimestamp], header[svixSignature] = header[webhookID],
			header[webhookTimestamp], header[webhookSignature]
	}
	header["Content-Type"] = []string{contentType}
	header["User-Agent"] = []string{s.agent}
	req.Header = header
	return req, ""
}

// userAgent is tributary/ and the version of the module in this binary.
func userAgent() string {
	const module = "github.com/tributary-go/tributary"
	version := "devel"
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, m := range append(info.Deps, &info.Main) {
			if m.Path == module && strings.HasPrefix(m.Version, "v") {
				version = m.Version
			}
		}
	}
	return "tributary/" + version
}

// read copies the relevant parts of an answer into the attempt. Only the status
// decides: an incomplete or endless body changes nothing.
func read(a *affiliate.Attempt, res *http.Response, remote netip.Addr, at time.Time) {
	defer res.Body.Close()
	a.Status = res.StatusCode
	excerpt, _ := io.ReadAll(io.LimitReader(res.Body, maxExcerpt))
	io.Copy(io.Discard, io.LimitReader(res.Body, maxAnswer-maxExcerpt))
	if mayShow(remote) {
		a.Response = string(excerpt)
	}
	if res.StatusCode/100 == 2 {
		return
	}
	if res.StatusCode/100 == 3 {
		a.Err = affiliate.FailedRedirect
	}
	a.RetryAfter = waitAsked(res.Header, at)
}

// masked returns the start of an answer without the values of the receiver's own headers,
// which a receiver may echo: answers are stored and shown. A value that the end of the
// text cuts off is dropped from its fourth character on.
func masked(answer string, headers affiliate.EndpointHeaders) string {
	const least = 4
	for _, value := range headers {
		parts := []string{value}
		if _, credential, ok := strings.Cut(value, " "); ok { // behind Basic or Bearer
			parts = append(parts, strings.TrimSpace(credential))
		}
		for _, part := range parts {
			answer = strings.ReplaceAll(answer, part, "***")
			for n := min(len(part), len(answer)); n >= least; n-- {
				if strings.HasSuffix(answer, part[:n]) {
					answer = answer[:len(answer)-n]
					break
				}
			}
		}
	}
	return answer
}

// mayShow reports whether an answer from an address may be kept: the address
// must be public. An answer from an internal network that the host allowed is
// not kept.
func mayShow(remote netip.Addr) bool {
	return affiliate.AddressPolicy{}.Allows(remote)
}

// waitAsked returns the wait that an answer asks for with Retry-After, in seconds or
// as a date; 0 when the header is missing or malformed.
func waitAsked(h http.Header, now time.Time) time.Duration {
	values := h["Retry-After"]
	if len(values) != 1 || values[0] == "" {
		return 0
	}
	text := values[0]
	if strings.Trim(text, "0123456789") == "" {
		seconds, err := strconv.ParseInt(text, 10, 64)
		if err != nil || seconds > math.MaxInt64/int64(time.Second) {
			return math.MaxInt64
		}
		return time.Duration(seconds) * time.Second
	}
	date, err := http.ParseTime(text)
	if err != nil {
		return 0
	}
	return max(date.Sub(now), 0)
}

// A watch observes what a transport does for one request. Its functions may be
// called from other goroutines, also after the request has ended.
type watch struct {
	addr atomic.Pointer[netip.Addr] // of the receiver
	tls  atomic.Bool                // the handshake failed
}

func (w *watch) trace() *httptrace.ClientTrace {
	return &httptrace.ClientTrace{
		GotConn: func(info httptrace.GotConnInfo) {
			if tcp, ok := info.Conn.RemoteAddr().(*net.TCPAddr); ok {
				addr := tcp.AddrPort().Addr()
				w.addr.Store(&addr)
			}
		},
		TLSHandshakeDone: func(_ tls.ConnectionState, err error) {
			if err != nil {
				w.tls.Store(true)
			}
		},
	}
}

// remote returns the address of the receiver; the zero Addr when it is unknown.
func (w *watch) remote() netip.Addr {
	if addr := w.addr.Load(); addr != nil {
		return *addr
	}
	return netip.Addr{}
}

// class returns the class of failure of a request without an answer.
func (w *watch) class(err error) string {
	var (
		dns     *net.DNSError
		network net.Error
	)
	switch {
	case errors.Is(err, ErrBlockedAddress):
		return affiliate.FailedBlockedAddress
	case errors.Is(err, context.DeadlineExceeded):
		return affiliate.FailedTimeout
	case errors.As(err, &dns):
		return affiliate.FailedDNS
	case errors.As(err, &network) && network.Timeout():
		return affiliate.FailedTimeout
	case w.tls.Load() || isTLS(err):
		return affiliate.FailedTLS
	}
	return affiliate.FailedConnection
}

// isTLS reports whether an error comes from a TLS handshake. It is for
// transports that do not call the trace.
func isTLS(err error) bool {
	var (
		certificate *tls.CertificateVerificationError
		record      tls.RecordHeaderError
		alert       tls.AlertError
		authority   x509.UnknownAuthorityError
		host        x509.HostnameError
		invalid     x509.CertificateInvalidError
	)
	return errors.As(err, &certificate) || errors.As(err, &record) || errors.As(err, &alert) ||
		errors.As(err, &authority) || errors.As(err, &host) || errors.As(err, &invalid)
}

// slots limits how many requests of a sender run at once: those of Drain, of
// Run and of tests of endpoints together.
type slots struct {
	all   chan struct{} // has one element for each request
	tests chan struct{} // has one element for each test: tests may take half of the slots

	mu   sync.Mutex
	urls map[string]*turn // the URLs that are tested
}

// A turn lets one test of a URL run at a time; the others wait.
type turn struct {
	now  chan struct{} // has one element while a test runs
	used int           // how many tests run or wait
}

func newSlots(n int) *slots {
	return &slots{
		all: make(chan struct{}, n), tests: make(chan struct{}, max(n/2, 1)), urls: make(map[string]*turn),
	}
}

// take takes all free slots. When none is free and wait is true, it waits for
// one until ctx ends.
func (s *slots) take(ctx context.Context, wait bool) (n int) {
	for {
		select {
		case s.all <- struct{}{}:
			n++
			continue
		default:
		}
		if n > 0 || !wait {
			return n
		}
		select {
		case s.all <- struct{}{}:
			n++
		case <-ctx.Done():
			return 0
		}
	}
}

// give gives slots back to those who wait for one.
func (s *slots) give(n int) {
	for range n {
		<-s.all
	}
}

// takeForTest waits for the slot of a test until ctx ends. It returns a
// function that gives the slot back, or nil when no slot became free. Only one
// test of a URL runs at a time, so many tests of a hanging URL take one slot;
// and all tests together take at most half of the slots.
func (s *slots) takeForTest(ctx context.Context, url string) (give func()) {
	t := s.enter(url)
	taken := []chan struct{}{}
	give = func() {
		for i := len(taken) - 1; i >= 0; i-- {
			<-taken[i]
		}
		s.leave(url, t)
	}
	for _, c := range []chan struct{}{t.now, s.tests, s.all} {
		select {
		case c <- struct{}{}:
			taken = append(taken, c)
		case <-ctx.Done():
		}
		if ctx.Err() != nil { // ctx may have ended when the slot became free
			give()
			return nil
		}
	}
	return give
}

func (s *slots) enter(url string) *turn {
	s.mu.Lock()
	defer s.mu.Unlock()
	t := s.urls[url]
	if t == nil {
		t = &turn{now: make(chan struct{}, 1)}
		s.urls[url] = t
	}
	t.used++
	return t
}

func (s *slots) leave(url string, t *turn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if t.used--; t.used == 0 {
		delete(s.urls, url)
	}
}

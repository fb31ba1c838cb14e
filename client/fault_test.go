package client_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/client"
)

// The columns of the fault table: a read, a write, and a write to a server that
// does not know keys.
var columns = []struct {
	name     string
	noRepeat bool
	calls    []invocation
}{
	{"GET", false, []invocation{
		{"Affiliate", func(x context.Context, c *client.Client) error { return errOf(c.Affiliate(x, "ada")) }},
		{"Sales", func(x context.Context, c *client.Client) error {
			return errOf(c.Sales(x, affiliate.SaleQuery{}, affiliate.Page{}))
		}},
	}},
	{"write", false, writeCalls},
	{"NoRepeat", true, writeCalls},
}

var writeCalls = []invocation{
	{"RecordSale", func(x context.Context, c *client.Client) error { return errOf(c.RecordSale(x, affiliate.SaleParams{})) }},
	{"external id", func(x context.Context, c *client.Client) error {
		return errOf(c.RecordSale(x, affiliate.SaleParams{ExternalID: "order-1"}))
	}},
	{"given key", func(x context.Context, c *client.Client) error {
		return errOf(c.CreateLink(x, affiliate.LinkParams{Once: affiliate.Once{Key: "given"}}))
	}},
	{"UpdateCoupon", func(x context.Context, c *client.Client) error {
		return errOf(c.UpdateCoupon(x, anID, affiliate.CouponUpdate{}))
	}},
	{"DeleteSale", func(x context.Context, c *client.Client) error { return c.DeleteSale(x, 7) }},
	{"keyed", func(x context.Context, c *client.Client) error {
		return c.Keyed(affiliate.Once{Key: "given"}).DeleteReferral(x, "kim@example.net")
	}},
	{"refund in full", func(x context.Context, c *client.Client) error {
		return errOf(c.RefundSale(x, affiliate.Refund{SaleID: 7}))
	}},
	{"refund in part", func(x context.Context, c *client.Client) error {
		return errOf(c.RefundSale(x, affiliate.Refund{SaleID: 7, Amount: affiliate.Set(affiliate.MustAmount("1"))}))
	}},
}

// brokenBody is a body that ends with an error.
type brokenBody struct {
	io.Reader
	err error
}

func (b *brokenBody) Read(p []byte) (int, error) {
	if n, err := b.Reader.Read(p); err == nil {
		return n, nil
	}
	return 0, b.err
}

func (b *brokenBody) Close() error { return nil }

// lostInside is an answer that fails inside its body.
func lostInside(err error) func(int, *http.Request) (*http.Response, error) {
	return func(int, *http.Request) (*http.Response, error) {
		resp := reply(200, "")
		resp.Body, resp.ContentLength = &brokenBody{strings.NewReader(`{"id": "0197`), err}, 400
		return resp, nil
	}
}

func failing(err error) func(int, *http.Request) (*http.Response, error) {
	return func(int, *http.Request) (*http.Response, error) { return nil, err }
}

func answering(status int, body string, header ...string) func(int, *http.Request) (*http.Response, error) {
	return func(int, *http.Request) (*http.Response, error) { return reply(status, body, header...), nil }
}

func silent(_ int, r *http.Request) (*http.Response, error) {
	<-r.Context().Done()
	return nil, r.Context().Err()
}

// TestFaults is the fault table. When every attempt has the same fault, it says
// how often the request is sent and what the caller gets.
func TestFaults(t *testing.T) {
	refused := &net.OpError{Op: "dial", Net: "tcp", Err: syscall.ECONNREFUSED}
	unknownHost := &net.OpError{Op: "dial", Net: "tcp", Err: &net.DNSError{Err: "no such host", Name: "partners.example", IsNotFound: true}}
	unknownCA := &tls.CertificateVerificationError{Err: x509.UnknownAuthorityError{}}
	const busy, text = `{"error":"Too many requests. Please slow down."}`, "Too many requests. Please slow down."

	for _, row := range []struct {
		name     string
		answer   func(int, *http.Request) (*http.Response, error)
		attempts [3]int // for each column
		status   int
		message  string
		reason   affiliate.Reason
		cause    error         // for errors.Is
		apart    time.Duration // the shortest time between two attempts
	}{
		{"refused", failing(refused), [3]int{3, 3, 3}, 0, "no answer", "", syscall.ECONNREFUSED, 200 * time.Millisecond},
		{"unknown host", failing(unknownHost), [3]int{3, 3, 3}, 0, "no answer", "", unknownHost, 200 * time.Millisecond},
		{"reset before headers", failing(syscall.ECONNRESET), [3]int{3, 3, 1}, 0, "no answer", "", syscall.ECONNRESET, 200 * time.Millisecond},
		{"end before headers", failing(io.EOF), [3]int{3, 3, 1}, 0, "no answer", "", io.EOF, 0},
		{"reset inside body", lostInside(syscall.ECONNRESET), [3]int{3, 3, 1}, 0, "no answer", "", syscall.ECONNRESET, 0},
		{"end inside body", lostInside(io.ErrUnexpectedEOF), [3]int{3, 3, 1}, 0, "no answer", "", io.ErrUnexpectedEOF, 0},
		{"timeout", silent, [3]int{3, 3, 1}, 0, "no answer", "", context.DeadlineExceeded, 10*time.Second + 200*time.Millisecond},
		{"unknown authority", failing(unknownCA), [3]int{1, 1, 1}, 0, "no answer", "", unknownCA, 0},
		{"TLS alert", failing(&net.OpError{Op: "remote error", Err: tls.AlertError(40)}), [3]int{1, 1, 1}, 0, "no answer", "", tls.AlertError(40), 0},
		{"no TLS", failing(http.ErrSchemeMismatch), [3]int{1, 1, 1}, 0, "no answer", "", http.ErrSchemeMismatch, 0},
		{"429, back in 1 s", answering(429, busy, "Retry-After", "1", "Error-Code", "rate_limited"), [3]int{3, 3, 3}, 429, text, "rate_limited", nil, time.Second},
		{"503, back in 1 s", answering(503, "", "Retry-After", "1"), [3]int{3, 3, 3}, 503, "Service Unavailable", "", nil, time.Second},
		{"429, back in an hour", answering(429, busy, "Retry-After", "3600"), [3]int{1, 1, 1}, 429, text, "rate_limited", nil, 0},
		{"503, back in an hour", answering(503, "", "Retry-After", "3600"), [3]int{1, 1, 1}, 503, "Service Unavailable", "", nil, 0},
		{"429, back in 300 years", answering(429, busy, "Retry-After", "9999999999"), [3]int{1, 1, 1}, 429, text, "rate_limited", nil, 0},
		{"429, back after the end", answering(429, busy, "Retry-After", "99999999999999999999999"), [3]int{1, 1, 1}, 429, text, "rate_limited", nil, 0},
		{"429, back before now", answering(429, busy, "Retry-After", "-1"), [3]int{3, 3, 3}, 429, text, "rate_limited", nil, 200 * time.Millisecond},
		{"429, back in the past", answering(429, busy, "Retry-After", "Fri, 31 Dec 1999 23:59:59 GMT"), [3]int{3, 3, 3}, 429, text, "rate_limited", nil, 200 * time.Millisecond},
		{"429, back at once", answering(429, busy, "Retry-After", "0"), [3]int{3, 3, 3}, 429, text, "rate_limited", nil, 200 * time.Millisecond},
		{"429, back when?", answering(429, busy, "Retry-After", "soon"), [3]int{3, 3, 3}, 429, text, "rate_limited", nil, 200 * time.Millisecond},
		{"429", answering(429, busy), [3]int{3, 3, 3}, 429, text, "rate_limited", nil, 200 * time.Millisecond},
		{"502", answering(502, "<h1>Bad gateway</h1>", "Content-Type", "text/html"), [3]int{3, 3, 1}, 502, "Bad Gateway", "", nil, 200 * time.Millisecond},
		{"503", answering(503, ""), [3]int{3, 3, 1}, 503, "Service Unavailable", "", nil, 0},
		{"503, back when?", answering(503, "", "Retry-After", "soon"), [3]int{3, 3, 1}, 503, "Service Unavailable", "", nil, 0},
		{"503, back in the past", answering(503, "", "Retry-After", "Fri, 31 Dec 1999 23:59:59 GMT"), [3]int{3, 3, 1}, 503, "Service Unavailable", "", nil, 200 * time.Millisecond},
		{"504", answering(504, ""), [3]int{3, 3, 1}, 504, "Gateway Timeout", "", nil, 0},
		{"500", answering(500, `{"error":"Internal server error"}`), [3]int{3, 3, 1}, 500, "Internal server error", "internal_error", nil, 0},
		{"501", answering(501, ""), [3]int{3, 3, 1}, 501, "Not Implemented", "", nil, 0},
		{"599", answering(599, ""), [3]int{3, 3, 1}, 599, "unknown status", "", nil, 0},
		{"400", answering(400, `{"error":"Nope"}`, "Error-Code", "brand_new"), [3]int{1, 1, 1}, 400, "Nope", "brand_new", nil, 0},
		{"401", answering(401, `{"error":"Invalid auth token"}`), [3]int{1, 1, 1}, 401, "Invalid auth token", "invalid_token", nil, 0},
		{"403", answering(403, `{"error":"User does not have API access"}`), [3]int{1, 1, 1}, 403, "User does not have API access", "no_api_access", nil, 0},
		{"404", answering(404, `{"error":"Not found"}`), [3]int{1, 1, 1}, 404, "Not found", "not_found", nil, 0},
		{"405", answering(405, `{"error":"Method not allowed"}`), [3]int{1, 1, 1}, 405, "Method not allowed", "method_not_allowed", nil, 0},
		{"408", answering(408, ""), [3]int{1, 1, 1}, 408, "Request Timeout", "", nil, 0},
		{"413", answering(413, `{"error":"Request body too large"}`), [3]int{1, 1, 1}, 413, "Request body too large", "body_too_large", nil, 0},
		{"415", answering(415, `{"error":"Content-Type must be application/json"}`), [3]int{1, 1, 1}, 415, "Content-Type must be application/json", "unsupported_media_type", nil, 0},
		{"301", answering(301, "", "Location", "https://elsewhere.example/"), [3]int{1, 1, 1}, 301, "the server redirects, which is not followed", "", nil, 0},
		{"302", answering(302, "", "Location", "/api/v1/sales"), [3]int{1, 1, 1}, 302, "the server redirects, which is not followed", "", nil, 0},
		{"307", answering(307, "", "Location", "http://partners.example/"), [3]int{1, 1, 1}, 307, "the server redirects, which is not followed", "", nil, 0},
		{"308", answering(308, "", "Location", "://"), [3]int{1, 1, 1}, 308, "the server redirects, which is not followed", "", nil, 0},
		{"200 with HTML", answering(200, "<p>Log in</p>", "Content-Type", "text/html"), [3]int{1, 1, 1}, 200, "the answer cannot be read", "", nil, 0},
		{"200 as text", answering(200, "{}", "Content-Type", "text/plain"), [3]int{1, 1, 1}, 200, "the answer cannot be read", "", nil, 0},
		{"200 cut off", answering(200, `{"id": "0197`), [3]int{1, 1, 1}, 200, "the answer cannot be read", "", nil, 0},
		{"200 without body", answering(200, ""), [3]int{1, 1, 1}, 200, "the answer cannot be read", "", nil, 0},
		{"400 not JSON", answering(400, "<p>no</p>", "Content-Type", "text/html"), [3]int{1, 1, 1}, 400, "Bad Request", "", nil, 0},
		{"400 with a number", answering(400, `{"error":5}`), [3]int{1, 1, 1}, 400, "Bad Request", "", nil, 0},
		{"400 with more", answering(400, `{"error":"x","extra":1}`), [3]int{1, 1, 1}, 400, "x", "", nil, 0},
	} {
		for i, col := range columns {
			for _, inv := range col.calls {
				t.Run(row.name+"/"+col.name+"/"+inv.name, func(t *testing.T) {
					synctest.Test(t, func(t *testing.T) {
						w := &wire{answer: row.answer}
						err := inv.call(t.Context(), w.client(t, func(cfg *client.Config) { cfg.NoRepeat = col.noRepeat }))
						e := failure(t, err)
						if len(w.seen) != row.attempts[i] || e.Attempts != row.attempts[i] {
							t.Errorf("%d attempts on the wire, %d in the error, want %d", len(w.seen), e.Attempts, row.attempts[i])
						}
						if e.Status != row.status || e.Err.Message != row.message || e.Err.Reason != row.reason {
							t.Errorf("got %d %q (%s), want %d %q (%s)", e.Status, e.Err.Message, e.Err.Reason, row.status, row.message, row.reason)
						}
						if row.cause != nil && !errors.Is(err, row.cause) {
							t.Errorf("error %v does not wrap %v", err, row.cause)
						}
						sameRequest(t, w, row.apart)
					})
				})
			}
		}
	}
}

// sameRequest fails the test unless all attempts are the same request and the
// time between two attempts is at least apart, and at most the longest wait
// plus a timeout.
func sameRequest(t *testing.T, w *wire, apart time.Duration) {
	t.Helper()
	for i, s := range w.seen {
		first := w.seen[0]
		key := s.Header.Get("Idempotency-Key")
		if (key != "") != (s.Method != "GET") || key != first.Header.Get("Idempotency-Key") {
			t.Errorf("attempt %d: %s with key %q, the first had %q", i+1, s.Method, key, first.Header.Get("Idempotency-Key"))
		}
		if s.body != first.body || s.URL.String() != first.URL.String() {
			t.Errorf("attempt %d is %s %s, the first was %s %s", i+1, s.URL, s.body, first.URL, first.body)
		}
		if i == 0 {
			continue
		}
		if gap := s.at.Sub(w.seen[i-1].at); gap < apart || gap > 12*time.Second {
			t.Errorf("attempts %d and %d are %v apart", i, i+1, gap)
		}
	}
}

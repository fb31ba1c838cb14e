package client_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/client"
)

// TestRedirects (B470): redirects to another host, to plain http and to the
// same URL are not followed. Only the first server gets the key.
func TestRedirects(t *testing.T) {
	var stolen []string
	thief := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		stolen = append(stolen, r.Method+" "+r.Header.Get("Authorization"))
	}))
	defer thief.Close()
	hits := 0
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		hits++
		to := r.URL.Query().Get("id")
		if to == "itself" {
			to = r.URL.String()
		}
		http.Redirect(w, r, to, http.StatusTemporaryRedirect)
	}))
	defer srv.Close()
	c := must(client.New(srv.URL, testKey, client.Config{}))
	defer c.CloseIdleConnections()
	for _, to := range []string{thief.URL, "//" + strings.TrimPrefix(thief.URL, "http://") + "/x", "http://localhost/", "itself", ":"} {
		hits = 0
		e := failure(t, errOf(c.Affiliate(t.Context(), to)))
		if e.Status != http.StatusTemporaryRedirect || e.Attempts != 1 || hits != 1 || e.Header.Get("Location") == "" {
			t.Errorf("to %s: status %d after %d attempts, %d arrived", to, e.Status, e.Attempts, hits)
		}
	}
	if stolen != nil {
		t.Errorf("somebody else was asked: %q", stolen)
	}
}

// zeros is an endless body.
type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = ' '
	}
	return len(p), nil
}

func (zeros) Close() error { return nil }

// allocated is how many bytes fn allocates.
func allocated(fn func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	fn()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// TestEndlessBody (B472) ends at the limit, in bounded memory.
func TestEndlessBody(t *testing.T) {
	for _, size := range []int64{-1, 1 << 40} {
		w := &wire{answer: func(int, *http.Request) (*http.Response, error) {
			resp := reply(200, "")
			resp.Body, resp.ContentLength = zeros{}, size
			return resp, nil
		}}
		c := w.client(t, func(cfg *client.Config) { cfg.MaxBody = 1 << 20 })
		var err error
		used := allocated(func() { err = errOf(c.Affiliates(t.Context(), affiliate.AffiliateQuery{}, affiliate.Page{})) })
		e := failure(t, err)
		if e.Status != 200 || e.Attempts != 1 || len(e.Body) != 64<<10 || !strings.Contains(err.Error(), "longer than 1048576 bytes") {
			t.Errorf("got %.200v with %d bytes", err, len(e.Body))
		}
		if used > 16<<20 {
			t.Errorf("%d bytes allocated for a limit of 1 MiB", used)
		}
	}
}

// TestLongError (B468): the body of an error is cut at 64 KiB.
func TestLongError(t *testing.T) {
	w := always(400, `{"error":"`+strings.Repeat("x", 10<<20)+`"}`, "Error-Code", "invalid_field")
	e := failure(t, errOf(w.client(t).Sale(t.Context(), 1)))
	if len(e.Body) != 64<<10 || e.Status != 400 || !errors.Is(e, affiliate.InvalidField) || e.Err.Message != "Bad Request" {
		t.Errorf("%d bytes, %d %s %q", len(e.Body), e.Status, e.Err.Reason, e.Err.Message)
	}
}

// TestErrorBodyBreaksOff: the status of an error is enough, when its body
// fails.
func TestErrorBodyBreaksOff(t *testing.T) {
	w := &wire{answer: func(int, *http.Request) (*http.Response, error) {
		resp := reply(400, "", "Error-Code", "slug_taken", "Error-Field", "link")
		resp.Body = &brokenBody{strings.NewReader(`{"error":"This`), io.ErrUnexpectedEOF}
		return resp, nil
	}}
	e := failure(t, errOf(w.client(t).CreateLink(t.Context(), affiliate.LinkParams{})))
	if e.Attempts != 1 || e.Err.Kind != affiliate.KindConflict || e.Err.Field != "link" || string(e.Body) != `{"error":"This` {
		t.Errorf("got %v with %q", e, e.Body)
	}
}

// TestTrickle (B472): a body that arrives byte by byte is given up at the
// timeout.
func TestTrickle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &wire{answer: func(_ int, r *http.Request) (*http.Response, error) {
			resp := reply(200, "")
			resp.Body, resp.ContentLength = trickle{r.Context()}, -1
			return resp, nil
		}}
		begin := time.Now()
		e := failure(t, errOf(w.client(t, func(cfg *client.Config) { cfg.MaxRetries = -1 }).Sale(t.Context(), 1)))
		if took := time.Since(begin); took != 10*time.Second || !errors.Is(e, context.DeadlineExceeded) {
			t.Errorf("%v after %v", e, took)
		}
	})
}

type trickle struct{ ctx context.Context }

func (s trickle) Read(p []byte) (int, error) {
	select {
	case <-time.After(time.Second):
		p[0] = ' '
		return 1, nil
	case <-s.ctx.Done():
		return 0, s.ctx.Err()
	}
}

func (s trickle) Close() error { return nil }

// TestCompressedBody: a small compressed answer that is large when unpacked is
// cut too.
func TestCompressedBody(t *testing.T) {
	var packed bytes.Buffer
	zip := gzip.NewWriter(&packed)
	zip.Write(bytes.Repeat([]byte(" "), 4<<20))
	zip.Close()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Content-Encoding", "gzip")
		w.Write(packed.Bytes())
	}))
	defer srv.Close()
	c := must(client.New(srv.URL, testKey, client.Config{MaxBody: 1 << 20}))
	defer c.CloseIdleConnections()
	if e := failure(t, errOf(c.Sale(t.Context(), 1))); !strings.Contains(e.Error(), "longer than") {
		t.Errorf("got %v", e)
	}
}

// TestNewerServer (B471): the client accepts fields and values that it does not
// know.
func TestNewerServer(t *testing.T) {
	w := always(200, `{"id":5107,"status":"ON_THE_MOON","source":null,"brandNew":{"a":[1]},"totalEarned":12.50000,
		"affiliate":{"status":"ASLEEP","new":1},"commissions":[{"id":1,"approvalStatus":"MAYBE","x":null}]}`,
		"Content-Type", "application/vnd.hosted+json")
	got := must(w.client(t).Sale(t.Context(), 5107))
	want := affiliate.Sale{
		ID: 5107, Status: "ON_THE_MOON", TotalEarned: affiliate.MustAmount("12.5"),
		Affiliate:   affiliate.AffiliateSummary{Status: "ASLEEP"},
		Commissions: []affiliate.Commission{{ID: 1, ApprovalStatus: "MAYBE"}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if !got.UpdatedAt.IsZero() || !got.ReferralID.IsZero() {
		t.Error("missing fields are not zero")
	}
}

// TestWrongShape (B466): every method survives an answer of another shape, with
// one attempt and the status.
func TestWrongShape(t *testing.T) {
	for _, body := range []string{``, `{`, `"text"`, `5`, `true`, `{"id":{}} {}`, `[{"id":[],"affiliateId":[],"start":[],"from":[],"value":[]}]`, `{"id":"x","count":"x"}`, "\xff", `<html>`, "\xef\xbb\xbf{}"} {
		for _, inv := range invocations() {
			w := always(200, body)
			err := inv.call(t.Context(), w.client(t))
			if err == nil {
				if body != `{"id":"x","count":"x"}` { // no method of these reads an answer
					t.Errorf("%s took %q for an answer", inv.name, body)
				}
				continue
			}
			if e := failure(t, err); e.Status != 200 || len(w.seen) != 1 || string(e.Body) != body || e.Err.Kind != affiliate.KindInternal {
				t.Errorf("%s on %q: %v", inv.name, body, e)
			}
		}
	}
}

// TestErrorAsSuccess: no method takes the body of an error for an answer, whatever
// its status.
func TestErrorAsSuccess(t *testing.T) {
	for _, body := range []string{`{"error":"Not today"}`, " {\n \"error\" : \"\" } "} {
		for _, inv := range invocations() {
			w := always(200, body)
			err := inv.call(t.Context(), w.client(t))
			if err == nil {
				t.Errorf("%s took %q for an answer", inv.name, body)
				continue
			}
			if e := failure(t, err); e.Status != 200 || len(w.seen) != 1 || e.Err.Kind != affiliate.KindInternal {
				t.Errorf("%s on %q: %v", inv.name, body, e)
			}
		}
	}
}

// TestNull: null means not found for methods that look something up, and is an
// unreadable answer for all others.
func TestNull(t *testing.T) {
	misses := map[string]bool{
		"Affiliate": true, "Coupon": true, "Code": true, "Referral": true, "CreateReferral": true,
		"Sale": true, "Endpoint": true, "Delivery": true, "Payout": true, "Adjustment": true, "Case": true, "Balance": true, "Bonuses": true, "PayoutRun": true, "ExplainSale": true, "Hold": true,
		"Plan": true, "Tier": true, "TrackClick": true,
	}
	fine := map[string]bool{
		"RecordSale": true, "RecordConversion": true, "Affiliates": true, "Links": true, "Coupons": true, "Codes": true, "Referrals": true, "Sales": true,
		"Endpoints": true, "Deliveries": true, "Events": true, "EventsAfter": true, "Follow": true, "Payouts": true, "Transfers": true, "PayoutRuns": true, "PayoutLines": true, "Balances": true, "RankedBalances": true, "Movements": true, "Report": true, "Breakdown": true, "Adjustments": true, "Cases": true,
		"Plans": true, "Tiers": true, "Budgets": true,
	}
	for _, inv := range invocations() {
		err := inv.call(t.Context(), always(200, " null\n").client(t))
		switch {
		case misses[inv.name] && err != affiliate.ErrNotFound, fine[inv.name] && err != nil:
			t.Errorf("%s: %v", inv.name, err)
		case !misses[inv.name] && !fine[inv.name]:
			if e := failure(t, err); e.Status != 200 || errors.Is(err, affiliate.ErrNotFound) {
				t.Errorf("%s: %v", inv.name, err)
			}
		}
	}
}

// TestEscapes (B474): an identifier with any characters is sent as one value.
func TestEscapes(t *testing.T) {
	for _, ident := range []string{"a/../b?x=1#y", "a&id=b", "%2e%2e%2f", "a+b c", "..", "é\x00\n", "a;b", "[]{}"} {
		w := &wire{}
		if _, err := w.client(t).Affiliate(t.Context(), ident); err != affiliate.ErrNotFound {
			t.Fatal(err)
		}
		u := w.seen[0].URL
		if u.Path != "/api/v1/affiliates" || u.Fragment != "" || len(u.Query()) != 1 || u.Query().Get("id") != ident {
			t.Errorf("%q became %s", ident, u)
		}
	}
}

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

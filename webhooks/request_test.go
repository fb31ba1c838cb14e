package webhooks_test

import (
	"bytes"
	"compress/gzip"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"fmt"
	"io"
	"math"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httptrace"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/webhooks"
)

// sendTo makes one request of a claim to a URL.
func sendTo(t testing.TB, s *webhooks.Sender, url string, change ...func(*affiliate.Claim)) affiliate.Attempt {
	t.Helper()
	c := affiliate.Claim{
		Event: affiliate.SaleDeleted, MessageID: "evt_test_0001", URL: url, Payload: []byte(vectorBody),
		Secrets: []affiliate.Secret{vectorSecret}, Attempt: 1,
	}
	for _, f := range change {
		f(&c)
	}
	return s.Send(t.Context(), c)
}

func newSender() *webhooks.Sender {
	return &webhooks.Sender{Addresses: loopback(), Now: vectorClock, Timeout: 5 * time.Second}
}

// The request is as the contract says. It has nothing outside of the signature
// that a receiver could use (W051, W053).
func TestSendRequest(t *testing.T) {
	tests := []struct {
		name   string
		change func(*affiliate.Claim)
		want   map[string][]string
	}{
		{"Plain", func(*affiliate.Claim) {}, nil},
		{"Svix", func(c *affiliate.Claim) { c.SvixHeaders = true }, map[string][]string{
			"Svix-Id": {"evt_test_0001"}, "Svix-Timestamp": {"1773487458"}, "Svix-Signature": {vectorV1},
		}},
		{"OfTheReceiver", func(c *affiliate.Claim) {
			c.Headers = affiliate.EndpointHeaders{"Authorization": "Basic dTpw", "Webhook-Signature": "v1,forged"}
		}, map[string][]string{"Authorization": {"Basic dTpw"}}},
		{"Rotation", func(c *affiliate.Claim) { c.Secrets = []affiliate.Secret{newerSecret, vectorSecret} }, map[string][]string{
			"Webhook-Signature": {newerV1 + " " + vectorV1},
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := newSink(t, nil)
			a := sendTo(t, newSender(), s.URL+"/path?q=1", tt.change)
			if a.Status != 204 || a.Err != "" || !a.At.Equal(vectorClock()) || a.URL != s.URL+"/path?q=1" {
				t.Errorf("attempt %+v", a)
			}
			want := map[string][]string{
				"Content-Type": {"application/json"}, "Content-Length": {"173"}, "User-Agent": {"tributary/devel"},
				"Webhook-Id": {"evt_test_0001"}, "Webhook-Timestamp": {"1773487458"}, "Webhook-Signature": {vectorV1},
			}
			for name, values := range tt.want {
				want[name] = values
			}
			got := s.got[0]
			if diff := cmp.Diff(want, map[string][]string(got.Header)); diff != "" {
				t.Errorf("headers (-want +got):\n%s", diff)
			}
			if got.Method != http.MethodPost || got.RequestURI != "/path?q=1" || string(s.body[0]) != vectorBody {
				t.Errorf("%s %s, body %s", got.Method, got.RequestURI, s.body[0])
			}
			if _, err := verifier(vectorSecret).Verify(got.Header, s.body[0]); err != nil {
				t.Errorf("Verify: %v", err)
			}
		})
	}
}

// A redirect is one request and a failed attempt (W042).
func TestSendRedirect(t *testing.T) {
	trap := newSink(t, nil)
	for _, status := range []int{301, 302, 303, 307, 308} {
		for name, target := range map[string]string{"itself": "/", "another host": trap.URL, "metadata": "http://169.254.169.254/latest/meta-data/"} {
			s := newSink(t, func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, target, status) })
			a := sendTo(t, newSender(), s.URL)
			if a.Status != status || a.Err != affiliate.FailedRedirect || s.count() != 1 || trap.count() != 0 {
				t.Errorf("%d to %s: %+v after %d requests", status, name, a, s.count())
			}
		}
	}
}

// Whatever a receiver does, an attempt ends before the timeout, with limited
// memory and the right outcome (W048).
func TestSendHostile(t *testing.T) {
	release := make(chan struct{})
	var written atomic.Int64
	endless := func(w io.Writer, chunk []byte) {
		for {
			n, err := w.Write(chunk)
			written.Add(int64(n))
			if err != nil {
				return
			}
		}
	}
	bomb := gzipped(t, 64<<20)
	tests := []struct {
		name   string
		answer http.HandlerFunc
		status int
		err    string
	}{
		{"NeverAnswers", func(http.ResponseWriter, *http.Request) { <-release }, 0, affiliate.FailedTimeout},
		{"Trickle", func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(200)
			for r.Context().Err() == nil {
				io.WriteString(w, "a")
				w.(http.Flusher).Flush()
				select {
				case <-r.Context().Done():
				case <-time.After(time.Millisecond):
				}
			}
		}, 200, ""},
		{"TrickleOf500", func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(500)
			w.(http.Flusher).Flush()
			<-r.Context().Done()
		}, 500, ""},
		{"GzipBomb", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Encoding", "gzip")
			w.Write(bomb)
		}, 200, ""},
		{"EndlessBody", func(w http.ResponseWriter, _ *http.Request) { endless(w, make([]byte, 32<<10)) }, 200, ""},
		{"LargeHeaders", func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("X-Large", strings.Repeat("a", 200<<10)) }, 0, affiliate.FailedConnection},
		{"ClosesMidBody", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "1000")
			io.WriteString(w, "half")
			w.(http.Flusher).Flush()
			panic(http.ErrAbortHandler)
		}, 200, ""},
		{"ClosesAtOnce", func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, 0, affiliate.FailedConnection},
		{"NoHTTP", hijack("220 mail.example ESMTP\r\n"), 0, affiliate.FailedConnection},
		{"FloodOf1xx", hijack(strings.Repeat("HTTP/1.1 103 Early Hints\r\n\r\n", 2000)), 0, affiliate.FailedConnection},
		{"CreatedWithBody", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(201); io.WriteString(w, "thanks") }, 201, ""},
		{"Gone", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(410) }, 410, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			written.Store(0)
			srv := httptest.NewServer(quiet(tt.answer))
			defer srv.Close()
			s := newSender()
			s.Now, s.Timeout = time.Now, 400*time.Millisecond
			started := time.Now()
			a := sendTo(t, s, srv.URL)
			if tt.err == affiliate.FailedTimeout {
				close(release)
			}
			if a.Status != tt.status || a.Err != tt.err {
				t.Errorf("status %d, class %q; want %d, %q", a.Status, a.Err, tt.status, tt.err)
			}
			if took := time.Since(started); took > 5*time.Second || a.Took > took {
				t.Errorf("took %v, says %v", took, a.Took)
			}
			srv.CloseClientConnections()
			if n := written.Load(); n > 16<<20 {
				t.Errorf("read %d bytes of an answer", n)
			}
		})
	}
}

// A receiver may answer before it has read a large body.
func TestSendEarlyAnswer(t *testing.T) {
	srv := newPlainServer(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(204) }))
	s := newSender()
	s.Now = time.Now
	large := bytes.Repeat([]byte("a"), 8<<20)
	a := sendTo(t, s, srv, func(c *affiliate.Claim) { c.Payload = large })
	if a.Status != 204 && a.Err != affiliate.FailedConnection {
		t.Errorf("%+v", a)
	}
}

// quiet is a handler whose panics the server does not print.
func quiet(h http.HandlerFunc) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		h(w, r)
	})
}

func hijack(raw string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		conn, _, err := w.(http.Hijacker).Hijack()
		if err != nil {
			return
		}
		defer conn.Close()
		io.WriteString(conn, raw)
	}
}

func gzipped(t *testing.T, size int) []byte {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	must(z.Write(make([]byte, size)))
	must(0, z.Close())
	return b.Bytes()
}

// Retry-After is honoured in seconds or as a date. It is ignored when it is
// repeated, and on success (W049).
func TestSendRetryAfter(t *testing.T) {
	date := func(d time.Duration) string { return vectorClock().Add(d).UTC().Format(http.TimeFormat) }
	tests := []struct {
		name   string
		status int
		values []string
		want   time.Duration
	}{
		{"None", 503, nil, 0},
		{"Zero", 503, []string{"0"}, 0},
		{"Seconds", 503, []string{"5"}, 5 * time.Second},
		{"SecondsOn500", 500, []string{"5"}, 5 * time.Second},
		{"SecondsOn302", 302, []string{"5"}, 5 * time.Second},
		{"SecondsOn200", 200, []string{"5"}, 0},
		{"Negative", 503, []string{"-1"}, 0},
		{"Billion", 503, []string{"1000000000"}, 1e9 * time.Second},
		{"Overflow", 503, []string{"99999999999999999999"}, math.MaxInt64},
		{"OverflowOfDuration", 503, []string{"9223372036854775807"}, math.MaxInt64},
		{"Exponent", 503, []string{"1e9"}, 0},
		{"Fraction", 503, []string{"120.5"}, 0},
		{"DatePast", 503, []string{date(-time.Hour)}, 0},
		{"DateFuture", 503, []string{date(time.Hour)}, time.Hour},
		{"Twice", 503, []string{"5", "6"}, 0},
		{"TwiceTheSame", 503, []string{"5", "5"}, 0},
		{"Garbage", 503, []string{"soon"}, 0},
		{"Empty", 503, []string{""}, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := newSink(t, func(w http.ResponseWriter, _ *http.Request) {
				w.Header()["Retry-After"] = tt.values
				w.WriteHeader(tt.status)
			})
			if a := sendTo(t, newSender(), s.URL); a.RetryAfter != tt.want || a.Status != tt.status {
				t.Errorf("got %v with %d, want %v", a.RetryAfter, a.Status, tt.want)
			}
		})
	}
}

// An answer is kept only when it comes from a public address, and not from an
// internal network that the host allowed (SEC48).
func TestSendResponsePrivate(t *testing.T) {
	s := newSink(t, func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(500)
		io.WriteString(w, "internal: dba@10.0.0.7")
	})
	if a := sendTo(t, newSender(), s.URL); a.Response != "" || a.Status != 500 {
		t.Errorf("kept %q of an answer from an opened network", a.Response)
	}
}

// The beginning of a public receiver's answer is kept.
func TestSendResponsePublic(t *testing.T) {
	tr := webhooks.NewTransport(loopback())
	tr.DialContext = dialFake(t, "HTTP/1.1 500 Oops\r\nContent-Length: 5000\r\n\r\n"+strings.Repeat("no\x00\r\n", 1000))
	s := &webhooks.Sender{Addresses: affiliate.AddressPolicy{AllowHTTP: true}, Transport: tr}
	a := sendTo(t, s, "http://hooks.example/")
	if a.Status != 500 || len(a.Response) != 1024 || !strings.HasPrefix(a.Response, "no\x00\r\n") {
		t.Errorf("%d %q", a.Status, a.Response)
	}
}

// A request that cannot be made is a failed attempt with a class, and nothing
// is sent.
func TestSendRefused(t *testing.T) {
	s := newSink(t, nil)
	tests := []struct {
		name   string
		url    string
		change func(*affiliate.Claim)
		want   string
	}{
		{"ErrNoSecret", s.URL, func(c *affiliate.Claim) { c.Secrets = nil }, affiliate.FailedSecret},
		{"ErrSecret", s.URL, func(c *affiliate.Claim) { c.Secrets = []affiliate.Secret{"whsec_"} }, affiliate.FailedSecret},
		{"ErrID", s.URL, func(c *affiliate.Claim) { c.MessageID = "a\r\nX-Evil: 1" }, affiliate.FailedSecret},
		{"ErrScheme", "file:///etc/passwd", nil, affiliate.FailedBlockedURL},
		{"ErrUser", strings.Replace(s.URL, "://", "://user:pass@", 1), nil, affiliate.FailedBlockedURL},
		{"ErrPrivate", "http://10.0.0.1:8080/", nil, affiliate.FailedBlockedURL},
		{"ErrPort", "http://127.0.0.1:22/", nil, affiliate.FailedBlockedURL},
		{"ErrRefused", "http://127.0.0.1:" + closedPort(t) + "/", nil, affiliate.FailedConnection},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if tt.change == nil {
				tt.change = func(*affiliate.Claim) {}
			}
			if a := sendTo(t, newSender(), tt.url, tt.change); a.Err != tt.want || a.Status != 0 || s.count() > 0 {
				t.Errorf("%+v, %d requests", a, s.count())
			}
		})
	}
}

// Only a connection to the right host with a trusted certificate is used
// (W052).
func TestSendTLS(t *testing.T) {
	ca := newAuthority(t)
	good := ca.issue(t, time.Now().Add(time.Hour), net.IPv4(127, 0, 0, 1))
	tests := []struct {
		name   string
		server *tls.Config
		roots  *x509.CertPool
		want   string
	}{
		{"OK", &tls.Config{Certificates: []tls.Certificate{good}}, ca.pool, ""},
		{"ErrSelfSigned", &tls.Config{Certificates: []tls.Certificate{good}}, nil, affiliate.FailedTLS},
		{"ErrExpired", &tls.Config{Certificates: []tls.Certificate{ca.issue(t, time.Now().Add(-time.Hour), net.IPv4(127, 0, 0, 1))}}, ca.pool, affiliate.FailedTLS},
		{"ErrWrongHost", &tls.Config{Certificates: []tls.Certificate{ca.issue(t, time.Now().Add(time.Hour), net.IPv4(127, 0, 0, 9))}}, ca.pool, affiliate.FailedTLS},
		{"ErrTLS11", &tls.Config{Certificates: []tls.Certificate{good}, MinVersion: tls.VersionTLS10, MaxVersion: tls.VersionTLS11}, ca.pool, affiliate.FailedTLS},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			srv := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(204) }))
			srv.TLS = tt.server
			srv.Config.ErrorLog = discardLog()
			srv.StartTLS()
			defer srv.Close()
			tr := webhooks.NewTransport(loopback())
			tr.TLSClientConfig.RootCAs = tt.roots
			s := newSender()
			s.Transport = tr
			if a := sendTo(t, s, srv.URL); a.Err != tt.want || (a.Status == 204) != (tt.want == "") {
				t.Errorf("%+v", a)
			}
		})
	}
	t.Run("ErrPlainHTTP", func(t *testing.T) {
		srv := newPlainServer(t, http.NotFoundHandler())
		if a := sendTo(t, newSender(), strings.Replace(srv, "http:", "https:", 1)); a.Err != affiliate.FailedTLS {
			t.Errorf("%+v", a)
		}
	})
}

// A printed sender, claim or attempt never shows a key (W023).
func TestSendPrints(t *testing.T) {
	p := newPost(t)
	ep := p.hook(newSink(t, nil).URL)
	p.join(1)
	claims := must(p.Webhooks().ClaimDeliveries(t.Context(), 1, time.Minute))
	raw := must(base64.StdEncoding.DecodeString(ep.Secret.Reveal()[len("whsec_"):]))
	for _, verb := range []string{"%v", "%+v", "%#v", "%s"} {
		out := fmt.Sprintf(verb, claims) + fmt.Sprintf(verb, p.sender.Send(t.Context(), claims[0]))
		if strings.Contains(out, ep.Secret.Reveal()[6:]) || strings.Contains(out, string(raw)) {
			t.Errorf("%s shows the secret: %s", verb, out)
		}
	}
}

// What a receiver echoes of its own headers is not kept: answers are stored and shown.
func TestEchoedHeadersAreMasked(t *testing.T) {
	const basic, key = "Basic dXNlcjpwYXNzd29yZA==", "k-0123456789"
	for name, c := range map[string]struct{ answer, want string }{
		"nothing":     {"ok", "ok"},
		"whole":       {`{"authorization":"` + basic + `","x":"` + key + `"}`, `{"authorization":"***","x":"***"}`},
		"credential":  {"bad password dXNlcjpwYXNzd29yZA==.", "bad password ***."},
		"cut off":     {strings.Repeat(".", 1014) + key, strings.Repeat(".", 1014)},
		"short piece": {"see k-0", "see k-0"},
	} {
		t.Run(name, func(t *testing.T) {
			s := &webhooks.Sender{Transport: roundTrip(func(r *http.Request) (*http.Response, error) {
				httptrace.ContextClientTrace(r.Context()).GotConn(httptrace.GotConnInfo{Conn: publicConn{}})
				return &http.Response{StatusCode: 400, Body: io.NopCloser(strings.NewReader(c.answer))}, nil
			})}
			a := sendTo(t, s, "https://hooks.example/", func(c *affiliate.Claim) {
				c.Headers = affiliate.EndpointHeaders{"Authorization": basic, "X-Key": key}
			})
			if a.Response != c.want || a.Status != 400 {
				t.Errorf("status %d, kept %q, want %q", a.Status, a.Response, c.want)
			}
		})
	}
}

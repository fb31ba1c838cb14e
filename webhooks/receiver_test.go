package webhooks_test

import (
	"bufio"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/iotest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/webhooks"
)

// incoming is a delivery of a payload, signed now.
func incoming(t testing.TB, payload string) *http.Request {
	t.Helper()
	req := httptest.NewRequest("POST", "/hooks", strings.NewReader(payload))
	req.Header = signed(t, payload)
	req.Header.Set("Content-Type", "application/json")
	return req
}

// reached records the calls of its functions and of OnError.
type reached struct {
	*webhooks.Receiver
	calls []string
	errs  []error
}

// noting is a function of the Receiver that records its field, the id of the
// delivery and the id of the object.
func noting[T any](r *reached, field affiliate.EventType, id func(T) any) func(context.Context, webhooks.Event, T) error {
	return func(_ context.Context, e webhooks.Event, object T) error {
		r.calls = append(r.calls, fmt.Sprint(field, " ", e.ID, " ", id(object)))
		return nil
	}
}

func newReached() *reached {
	r := &reached{}
	person := func(a affiliate.AffiliateBody) any { return a.ID }
	customer := func(c affiliate.ReferralBody) any { return c.ID }
	sale := func(s affiliate.Sale) any { return s.ID }
	coupon := func(c affiliate.Coupon) any { return c.ID }
	code := func(c affiliate.Code) any { return c.ID }
	gone := func(id uuid.UUID) any { return id }
	r.Receiver = &webhooks.Receiver{
		Verifier:         verifier(vectorSecret),
		OnError:          func(_ *http.Request, err error) { r.errs = append(r.errs, err) },
		AffiliateCreated: noting(r, affiliate.AffiliateCreated, person),
		AffiliateUpdated: noting(r, affiliate.AffiliateUpdated, person),
		AffiliateDeleted: noting(r, affiliate.AffiliateDeleted, gone),
		ReferralCreated:  noting(r, affiliate.ReferralCreated, customer),
		ReferralUpdated:  noting(r, affiliate.ReferralUpdated, customer),
		ReferralDeleted:  noting(r, affiliate.ReferralDeleted, gone),
		SaleCreated:      noting(r, affiliate.SaleCreated, sale),
		SaleUpdated:      noting(r, affiliate.SaleUpdated, sale),
		SaleDeleted:      noting(r, affiliate.SaleDeleted, func(id affiliate.SaleID) any { return id }),
		CouponCreated:    noting(r, affiliate.CouponCreated, coupon),
		CouponUpdated:    noting(r, affiliate.CouponUpdated, coupon),
		CouponDeleted:    noting(r, affiliate.CouponDeleted, gone),
		PromocodeCreated: noting(r, affiliate.PromocodeCreated, code),
		PromocodeUpdated: noting(r, affiliate.PromocodeUpdated, code),
		PromocodeDeleted: noting(r, affiliate.PromocodeDeleted, gone),
		Other: func(_ context.Context, e webhooks.Event) error {
			r.calls = append(r.calls, fmt.Sprint(e.Type, " ", e.ID, " ", string(e.Body)))
			return nil
		},
	}
	return r
}

// answer is the answer to a request.
func (r *reached) answer(req *http.Request) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	r.ServeHTTP(w, req)
	return w
}

// want fails the test unless the request gets the status, OnError gets err, and
// exactly these functions are called.
func (r *reached) want(t *testing.T, req *http.Request, status int, err error, calls ...string) {
	t.Helper()
	r.calls, r.errs = nil, nil
	w := r.answer(req)
	if w.Code != status {
		t.Errorf("answered %d, want %d", w.Code, status)
	}
	if diff := cmp.Diff(calls, r.calls); diff != "" {
		t.Errorf("calls (-want +got):\n%s", diff)
	}
	if err == nil && len(r.errs) != 0 || err != nil && (len(r.errs) != 1 || !errors.Is(r.errs[0], err)) {
		t.Errorf("OnError was told %v, want %v", r.errs, err)
	}
	if text := http.StatusText(status) + "\n"; status != 204 && w.Body.String() != text || status == 204 && w.Body.Len() != 0 {
		t.Errorf("body %q", w.Body)
	}
}

// Every type calls the function of its own field, with the body in its type.
func TestReceiverTypes(t *testing.T) { // W025
	events := engineEvents(t)
	r := newReached()
	for _, typ := range affiliate.EventTypes() {
		t.Run(string(typ), func(t *testing.T) {
			e := events[typ]
			payload := strings.Replace(string(e.Payload), e.MessageID(), "evt_test_0001", 1)
			r.want(t, incoming(t, payload), 204, nil, fmt.Sprint(typ, " evt_test_0001 ", e.ObjectID))
			none := &reached{Receiver: &webhooks.Receiver{Verifier: r.Verifier}}
			none.want(t, incoming(t, payload), 204, nil) // no function is set
		})
	}
	for _, typ := range []string{"payout.created", "click.created", "link.updated", "promotional_code.created", "commission.updated", "Sale.created"} {
		t.Run("W026 "+typ, func(t *testing.T) {
			payload := `{"event":"` + typ + `","body":{"id":7}}`
			r.want(t, incoming(t, payload), 204, nil, typ+` evt_test_0001 {"id":7}`)
			none := &reached{Receiver: &webhooks.Receiver{Verifier: r.Verifier}}
			none.want(t, incoming(t, payload), 204, nil)
		})
	}
}

func TestReceiverAnswers(t *testing.T) {
	const call = "sale.deleted evt_test_0001 5107"
	bare := `{"event":"sale.deleted","body":{"id":5107}}`
	r := newReached()
	change := func(payload string, f func(*http.Request)) *http.Request {
		req := incoming(t, payload)
		f(req)
		return req
	}
	header := func(pairs ...string) *http.Request {
		return change(vectorBody, func(req *http.Request) {
			for i := 0; i < len(pairs); i += 2 {
				req.Header[pairs[i]] = strings.Split(pairs[i+1], "|")
			}
		})
	}
	method := func(m string) *http.Request { return change(vectorBody, func(req *http.Request) { req.Method = m }) }
	for _, tt := range []struct {
		name   string
		req    *http.Request
		status int
		err    error
		calls  []string
	}{
		{"W028 the same id", incoming(t, vectorBody), 204, nil, []string{call}},
		{"W028 another id", incoming(t, strings.Replace(vectorBody, "evt_test_0001", "evt_test_0002", 1)), 400, webhooks.ErrPayload, nil},
		{"W028 no id", incoming(t, bare), 204, nil, []string{call}},
		{"W029 svix", change(bare, func(req *http.Request) {
			req.Header = asSvix(req.Header)
		}), 204, nil, []string{call}},
		{"W033 GET", method("GET"), 405, webhooks.ErrMethod, nil},
		{"W033 HEAD", method("HEAD"), 405, webhooks.ErrMethod, nil},
		{"W033 PUT", method("PUT"), 405, webhooks.ErrMethod, nil},
		{"W033 post", method("post"), 405, webhooks.ErrMethod, nil},
		{"W033 charset", header("Content-Type", `application/json; charset="UTF-8"`), 204, nil, []string{call}},
		{"W033 other charset", header("Content-Type", "application/json; charset=utf-16"), 415, webhooks.ErrMediaType, nil},
		{"W033 letter case", header("Content-Type", "Application/JSON"), 204, nil, []string{call}},
		{"W033 no content type", change(vectorBody, func(req *http.Request) { req.Header.Del("Content-Type") }), 415, webhooks.ErrMediaType, nil},
		{"W033 content type empty", header("Content-Type", ""), 415, webhooks.ErrMediaType, nil},
		{"W033 form", header("Content-Type", "application/x-www-form-urlencoded"), 415, webhooks.ErrMediaType, nil},
		{"W033 text", header("Content-Type", "text/plain;application/json"), 415, webhooks.ErrMediaType, nil},
		{"W033 two content types", header("Content-Type", "application/json|text/plain"), 415, webhooks.ErrMediaType, nil},
		{"W033 list of content types", header("Content-Type", "application/json, text/plain"), 415, webhooks.ErrMediaType, nil},
		{"W033 broken content type", header("Content-Type", "application/json; ="), 415, webhooks.ErrMediaType, nil},
		{"W033 gzip", header("Content-Encoding", "gzip"), 415, webhooks.ErrMediaType, nil},
		{"W033 gzip on a second line", header("Content-Encoding", "|gzip"), 415, webhooks.ErrMediaType, nil},
		{"W033 identity", header("Content-Encoding", "identity"), 415, webhooks.ErrMediaType, nil},
		{"W010 no headers", change(vectorBody, func(req *http.Request) {
			req.Header = http.Header{"Content-Type": {"application/json"}}
		}), 400, webhooks.ErrIDMissing, nil},
		{"W011 two ids", header("Webhook-Id", "evt_test_0001|evt_test_0002"), 400, webhooks.ErrIDRepeated, nil},
		{"W036 too old", header("Webhook-Timestamp", "1773480000"), 401, webhooks.ErrTooOld, nil},
		{"W036 too new", header("Webhook-Timestamp", "1773490000"), 401, webhooks.ErrTooNew, nil},
		{"W024 signature", header("Webhook-Signature", newerV1), 401, webhooks.ErrSignature, nil},
		{"W024 timestamp", header("Webhook-Timestamp", "1773487459"), 401, webhooks.ErrSignature, nil},
		{"W024 id", header("Webhook-Id", "evt_test_0002"), 401, webhooks.ErrSignature, nil},
		{"W030 no id of a sale", incoming(t, `{"event":"sale.deleted","body":{}}`), 400, webhooks.ErrPayload, nil},
		{"W030 coupon by no UUID", incoming(t, `{"event":"coupon.deleted","body":{"id":"x"}}`), 400, webhooks.ErrPayload, nil},
		{"W031 not JSON", incoming(t, "x"), 400, webhooks.ErrPayload, nil},
		{"body of another type", incoming(t, `{"event":"sale.created","body":{"id":"x"}}`), 400, webhooks.ErrPayload, nil},
		{"nothing", incoming(t, ""), 400, webhooks.ErrPayload, nil},
		{"body breaks off", change(vectorBody, func(req *http.Request) {
			req.Body = io.NopCloser(io.MultiReader(strings.NewReader(vectorBody), iotest.ErrReader(io.ErrUnexpectedEOF)))
		}), 400, webhooks.ErrBody, nil},
	} {
		t.Run(tt.name, func(t *testing.T) { r.want(t, tt.req, tt.status, tt.err, tt.calls...) })
	}
}

// W024: the answer has the same bytes, whatever was changed.
func TestReceiverOneRefusal(t *testing.T) {
	r := newReached()
	var first *httptest.ResponseRecorder
	for _, h := range []http.Header{
		headers("webhook-signature", newerV1), headers("webhook-signature", "v2,x"), headers("webhook-id", "evt_other"),
		headers("webhook-timestamp", "1773487459"), headers("webhook-timestamp", "1"), headers("webhook-timestamp", "99999999999"),
	} {
		req := incoming(t, vectorBody)
		h.Set("Content-Type", "application/json")
		req.Header = h
		w := r.answer(req)
		if first == nil {
			first = w
		}
		if diff := cmp.Diff(first.Result().Header, w.Result().Header); diff != "" || w.Code != 401 || w.Body.String() != first.Body.String() {
			t.Errorf("%q: %d %q %s", h, w.Code, w.Body, diff)
		}
	}
}

func TestReceiverHeaders(t *testing.T) {
	r := newReached()
	req := incoming(t, vectorBody)
	req.Method = "GET"
	if got := r.answer(req).Header().Get("Allow"); got != "POST" {
		t.Errorf("Allow is %q", got)
	}
	r.Dedup = busyDedup{}
	w := r.answer(incoming(t, vectorBody))
	if got := w.Header().Get("Retry-After"); got != "5" || w.Code != 503 {
		t.Errorf("%d, Retry-After %q", w.Code, got)
	}
	r.want(t, incoming(t, vectorBody), 503, webhooks.ErrInProgress)
}

// busyDedup is a Dedup in which another process is handling every id.
type busyDedup struct{}

func (busyDedup) Do(context.Context, string, func(context.Context) error) (bool, error) {
	return false, fmt.Errorf("lease: %w", webhooks.ErrInProgress)
}

// A Receiver with a wrong configuration handles nothing, and OnError gets the
// error.
func TestReceiverMisconfigured(t *testing.T) {
	for _, tt := range []struct {
		name string
		v    *webhooks.Verifier
		want error
	}{
		{"ErrSecretCount", verifier(), webhooks.ErrSecretCount},
		{"ErrNoVerifier", nil, webhooks.ErrSecretCount},
		{"ErrSecret", verifier("whsec_"), webhooks.ErrSecret},
		{"ErrTolerance", &webhooks.Verifier{Secrets: []affiliate.Secret{vectorSecret}, Tolerance: -1}, webhooks.ErrTolerance},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := newReached()
			r.Verifier = tt.v
			r.want(t, incoming(t, vectorBody), 500, tt.want)
		})
	}
	r := &webhooks.Receiver{} // without OnError nothing breaks
	w := httptest.NewRecorder()
	if r.ServeHTTP(w, incoming(t, vectorBody)); w.Code != 500 {
		t.Errorf("answered %d", w.Code)
	}
}

// TestReceiverFailures: every failure of a function is 500, even when its error
// is one of this package.
func TestReceiverFailures(t *testing.T) { // W035
	broken := errors.New("no connection")
	for _, tt := range []struct {
		name string
		do   func(context.Context) error
		want error
	}{
		{"error", func(context.Context) error { return broken }, broken},
		{"error like a refusal", func(context.Context) error { return fmt.Errorf("%w: mine", webhooks.ErrPayload) }, webhooks.ErrPayload},
		{"error like a claim", func(context.Context) error { return webhooks.ErrInProgress }, webhooks.ErrInProgress},
		{"panic", func(context.Context) error { panic("no room") }, nil},
		{"panic with an error", func(context.Context) error { panic(broken) }, broken},
		{"canceled", func(ctx context.Context) error { return ctx.Err() }, context.Canceled},
	} {
		for _, dedup := range []webhooks.Dedup{nil, webhooks.NewMemoryDedup(0, 0)} {
			t.Run(fmt.Sprintf("%s %T", tt.name, dedup), func(t *testing.T) {
				r := newReached()
				r.Dedup = dedup
				ok := r.SaleDeleted
				r.SaleDeleted = func(ctx context.Context, _ webhooks.Event, _ affiliate.SaleID) error { return tt.do(ctx) }
				ctx, cancel := context.WithCancel(t.Context())
				cancel()
				w := r.answer(incoming(t, vectorBody).WithContext(ctx))
				if w.Code != 500 || w.Body.String() != "Internal Server Error\n" || len(r.errs) != 1 {
					t.Fatalf("%d %q, told %v", w.Code, w.Body, r.errs)
				}
				if tt.want == nil {
					p, isPanic := errors.AsType[*webhooks.PanicError](r.errs[0])
					if !isPanic || p.Value != "no room" || !strings.Contains(string(p.Stack), "receiver_test.go") {
						t.Errorf("told %v", r.errs[0])
					}
				} else if !errors.Is(r.errs[0], tt.want) {
					t.Errorf("told %v, want %v", r.errs[0], tt.want)
				}
				r.SaleDeleted = ok // the id is open
				r.want(t, incoming(t, vectorBody), 204, nil, "sale.deleted evt_test_0001 5107")
			})
		}
	}
}

// When a Dedup fails after the function has succeeded, the sender tries again.
func TestReceiverDedupFails(t *testing.T) {
	r := newReached()
	broken := errors.New("commit failed")
	r.Dedup = dedupFunc(func(ctx context.Context, id string, f func(context.Context) error) (bool, error) {
		return true, errors.Join(f(ctx), broken)
	})
	r.want(t, incoming(t, vectorBody), 500, broken, "sale.deleted evt_test_0001 5107")
}

type dedupFunc func(ctx context.Context, id string, f func(context.Context) error) (bool, error)

func (d dedupFunc) Do(ctx context.Context, id string, f func(context.Context) error) (bool, error) {
	return d(ctx, id, f)
}

// A request that its headers show to be wrong is refused before a byte of the
// body is read.
func TestReceiverRefusesUnread(t *testing.T) {
	old, young := "1773487157", "1773487759"
	junk := strings.Repeat("A", 43) + "="
	for _, tt := range []struct {
		name   string
		change func(*http.Request)
		status int
		err    error
	}{
		{"method", func(r *http.Request) { r.Method = "PUT" }, 405, webhooks.ErrMethod},
		{"content type", func(r *http.Request) { r.Header.Set("Content-Type", "text/plain") }, 415, webhooks.ErrMediaType},
		{"encoding", func(r *http.Request) { r.Header.Set("Content-Encoding", "gzip") }, 415, webhooks.ErrMediaType},
		{"no id", func(r *http.Request) { r.Header.Del("Webhook-Id") }, 400, webhooks.ErrIDMissing},
		{"bad id", func(r *http.Request) { r.Header.Set("Webhook-Id", "a.b") }, 400, webhooks.ErrIDSyntax},
		{"no timestamp", func(r *http.Request) { r.Header.Del("Webhook-Timestamp") }, 400, webhooks.ErrTimestampMissing},
		{"bad timestamp", func(r *http.Request) { r.Header.Set("Webhook-Timestamp", "now") }, 400, webhooks.ErrTimestampSyntax},
		{"too old", func(r *http.Request) { r.Header.Set("Webhook-Timestamp", old) }, 401, webhooks.ErrTooOld},
		{"too new", func(r *http.Request) { r.Header.Set("Webhook-Timestamp", young) }, 401, webhooks.ErrTooNew},
		{"no signature", func(r *http.Request) { r.Header.Del("Webhook-Signature") }, 400, webhooks.ErrSignatureMissing},
		{"long signatures", func(r *http.Request) { r.Header.Set("Webhook-Signature", strings.Repeat("v", 1025)) }, 400, webhooks.ErrSignatureLong},
		{"another version", func(r *http.Request) { r.Header.Set("Webhook-Signature", "v1a,"+junk) }, 401, webhooks.ErrSignature},
		{"short signature", func(r *http.Request) { r.Header.Set("Webhook-Signature", "v1,"+junk[1:]) }, 401, webhooks.ErrSignature},
		{"signature not base64", func(r *http.Request) { r.Header.Set("Webhook-Signature", "v1,"+strings.Repeat("!", 43)+"=") }, 401, webhooks.ErrSignature},
		{"signature of 33 bytes", func(r *http.Request) { r.Header.Set("Webhook-Signature", "v1,"+strings.Repeat("A", 44)) }, 401, webhooks.ErrSignature},
		{"nothing of the kind", func(r *http.Request) { r.Header = http.Header{"Content-Type": {"application/json"}} }, 400, webhooks.ErrIDMissing},
	} {
		t.Run(tt.name, func(t *testing.T) {
			req := incoming(t, vectorBody)
			tt.change(req)
			req.Body = io.NopCloser(readerFunc(func([]byte) (int, error) {
				t.Error("the body was read")
				return 0, io.EOF
			}))
			newReached().want(t, req, tt.status, tt.err)
		})
	}
	t.Run("no Verifier", func(t *testing.T) {
		r := newReached()
		r.Verifier = nil
		req := incoming(t, vectorBody)
		req.Body = io.NopCloser(readerFunc(func([]byte) (int, error) { t.Error("the body was read"); return 0, io.EOF }))
		r.want(t, req, 500, webhooks.ErrSecretCount)
	})
}

// A sender that uses Expect: 100-continue is refused before it sends the body.
func TestReceiverExpectContinue(t *testing.T) {
	server := httptest.NewServer(newReached())
	defer server.Close()
	conn := must(net.Dial("tcp", server.Listener.Addr().String()))
	defer conn.Close()
	must(0, conn.SetDeadline(time.Now().Add(10*time.Second)))
	fmt.Fprint(conn, "POST / HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nExpect: 100-continue\r\nContent-Length: 1000\r\n\r\n")
	resp := must(http.ReadResponse(bufio.NewReader(conn), nil))
	defer resp.Body.Close()
	if resp.StatusCode != 400 {
		t.Errorf("answered %d first", resp.StatusCode)
	}
}

// Large bodies without the signature headers use no memory (P23).
func TestReceiverIdleMemory(t *testing.T) {
	const connections, size = 40, 8 << 20
	server := httptest.NewServer(&webhooks.Receiver{Verifier: verifier(vectorSecret)})
	defer server.Close()
	body := make([]byte, size-1) // one byte is missing, so nobody can read the whole body
	before := heap()
	conns := make([]net.Conn, connections)
	var wg sync.WaitGroup
	for i := range conns {
		conns[i] = must(net.Dial("tcp", server.Listener.Addr().String()))
		defer conns[i].Close()
		must(0, conns[i].SetDeadline(time.Now().Add(20*time.Second)))
		wg.Go(func() {
			fmt.Fprintf(conns[i], "POST / HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n", size)
			conns[i].Write(body) // fails when the server refuses the body
		})
	}
	wg.Wait()
	if added := heap() - before; added > 4<<20 {
		t.Errorf("%d connections hold %d KiB", connections, added>>10)
	}
	runtime.KeepAlive(body)
}

// heap is the size of the heap in use, in bytes.
func heap() int {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc)
}

// A large body is read once, in pieces. When it is refused, the pieces are not
// joined.
func TestReceiverReadsOnce(t *testing.T) {
	payload := `{"event":"payout.created","body":{"text":"` + strings.Repeat("x", 5<<20) + `"}}`
	for name, secrets := range map[string][]affiliate.Secret{"right": {newerSecret, vectorSecret}, "forged": {newerSecret}} {
		t.Run(name, func(t *testing.T) {
			r := newReached()
			r.Verifier = verifier(secrets...)
			got := 0
			r.Other = func(_ context.Context, e webhooks.Event) error { got = len(e.Raw); return nil }
			req := incoming(t, payload)
			read := 0
			text := strings.NewReader(payload)
			req.Body = io.NopCloser(readerFunc(func(p []byte) (int, error) {
				n, err := text.Read(p)
				read += n
				return n, err
			}))
			req.ContentLength = -1
			w := r.answer(req)
			if read != len(payload) {
				t.Errorf("%d bytes read of %d", read, len(payload))
			}
			if want := map[string]int{"right": 204, "forged": 401}[name]; w.Code != want || (got == len(payload)) != (want == 204) {
				t.Errorf("answered %d, a payload of %d bytes", w.Code, got)
			}
		})
	}
}

// BenchmarkReceiverForged refuses a body of 8 MiB under ten secrets, and hashes
// the same body ten times. ratio is the time of the refusal divided by that of
// the hashes (P23: 1.1).
func BenchmarkReceiverForged(b *testing.B) {
	body := strings.Repeat("x", 8<<20)
	raw := []byte(body)
	secrets := make([]affiliate.Secret, 10)
	for i := range secrets {
		secrets[i] = must(webhooks.NewSecret(strings.NewReader(strings.Repeat(string(rune('a'+i)), 32))))
	}
	r := &webhooks.Receiver{Verifier: verifier(secrets...)}
	h := headers()
	h.Set("Content-Type", "application/json")
	var floor, refused time.Duration
	for b.Loop() {
		start := time.Now()
		for range secrets {
			sha256.Sum256(raw)
		}
		floor += time.Since(start)
		req := httptest.NewRequest("POST", "/hooks", strings.NewReader(body))
		req.Header = h
		w := httptest.NewRecorder()
		start = time.Now()
		r.ServeHTTP(w, req)
		refused += time.Since(start)
		if w.Code != 401 {
			b.Fatalf("answered %d", w.Code)
		}
	}
	b.ReportMetric(float64(refused)/float64(floor), "ratio")
}

// Any gets every event before the function of its type.
func TestReceiverAny(t *testing.T) { // every type, an unknown type, and failures
	events := engineEvents(t)
	r := newReached()
	var seen []string
	r.Any = func(_ context.Context, e webhooks.Event) error {
		r.calls = append(r.calls, "any "+string(e.Type)+" "+e.ID)
		seen = append(seen, string(e.Type))
		return nil
	}
	for _, typ := range affiliate.EventTypes() {
		e := events[typ]
		payload := strings.Replace(string(e.Payload), e.MessageID(), "evt_test_0001", 1)
		r.want(t, incoming(t, payload), 204, nil, fmt.Sprint("any ", typ, " evt_test_0001"), fmt.Sprint(typ, " evt_test_0001 ", e.ObjectID))
		alone := &reached{Receiver: &webhooks.Receiver{Verifier: r.Verifier}}
		alone.Any = func(_ context.Context, e webhooks.Event) error {
			alone.calls = append(alone.calls, string(e.Type))
			return nil
		}
		alone.want(t, incoming(t, payload), 204, nil, string(typ))
	}
	unknown := `{"event":"payout.created","body":{"id":7}}`
	r.want(t, incoming(t, unknown), 204, nil, "any payout.created evt_test_0001", `payout.created evt_test_0001 {"id":7}`)
	if len(seen) != 16 {
		t.Errorf("%d events seen", len(seen))
	}

	r.Dedup = webhooks.NewMemoryDedup(0, 0)
	broken := errors.New("no connection")
	whole := r.Any
	r.Any = func(context.Context, webhooks.Event) error { return broken }
	r.want(t, incoming(t, vectorBody), 500, broken) // the function of its type is not called
	r.Any = whole
	both := []string{"any sale.deleted evt_test_0001", "sale.deleted evt_test_0001 5107"}
	r.want(t, incoming(t, vectorBody), 204, nil, both...)
	r.want(t, incoming(t, vectorBody), 204, nil) // both have succeeded
	r.Any = func(context.Context, webhooks.Event) error { panic(broken) }
	r.Dedup = nil
	r.want(t, incoming(t, vectorBody), 500, broken)
}

// W032, with a real server.
func TestReceiverBodies(t *testing.T) {
	r := newReached()
	r.MaxBody = int64(len(vectorBody))
	server := httptest.NewServer(r)
	defer server.Close()
	send := func(body io.Reader, length int64, payload string) int {
		req := must(http.NewRequestWithContext(t.Context(), "POST", server.URL, body))
		req.Header = signed(t, payload)
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("Expect", "100-continue")
		req.ContentLength = length
		resp := must(server.Client().Do(req))
		defer resp.Body.Close()
		return resp.StatusCode
	}
	over := vectorBody + " "
	for _, tt := range []struct {
		name, payload string
		length        int64
		want          int
	}{
		{"at the limit", vectorBody, int64(len(vectorBody)), 204},
		{"at the limit, chunked", vectorBody, -1, 204},
		{"one byte over", over, int64(len(over)), 413},
		{"one byte over, chunked", over, -1, 413},
		{"far over, chunked", strings.Repeat(" ", 1<<20), -1, 413},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := send(struct{ io.Reader }{strings.NewReader(tt.payload)}, tt.length, tt.payload); got != tt.want {
				t.Errorf("answered %d, want %d", got, tt.want)
			}
		})
	}
	for name, length := range map[string]int{"Content-Length too short": len(vectorBody) - 1, "too long": len(vectorBody) + 1} {
		t.Run(name, func(t *testing.T) {
			r.MaxBody = 0
			want := map[int]int{len(vectorBody) - 1: 401, len(vectorBody) + 1: 400}[length]
			if got := raw(t, server.Listener.Addr().String(), length); got != want {
				t.Errorf("answered %d, want %d", got, want)
			}
		})
	}
}

// When a sender stops in the middle, the server's own timeout ends the request.
func TestReceiverSlowBody(t *testing.T) {
	r := newReached()
	server := httptest.NewUnstartedServer(r)
	server.Config.ReadTimeout = 50 * time.Millisecond
	server.Start()
	defer server.Close()
	conn := must(net.Dial("tcp", server.Listener.Addr().String()))
	defer conn.Close()
	must(0, conn.SetDeadline(time.Now().Add(10*time.Second)))
	fmt.Fprint(conn, "POST / HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 100\r\n")
	must(0, signed(t, vectorBody).Write(conn))
	fmt.Fprint(conn, "\r\n{")
	resp := must(http.ReadResponse(bufio.NewReader(conn), nil))
	defer resp.Body.Close()
	if resp.StatusCode != 400 || len(r.errs) != 1 || !errors.Is(r.errs[0], webhooks.ErrBody) {
		t.Errorf("answered %d, told %v", resp.StatusCode, r.errs)
	}
}

// A body that is declared too large is not read at all.
func TestReceiverBodyUnread(t *testing.T) {
	r := newReached()
	r.MaxBody = 10
	req := incoming(t, vectorBody)
	req.Body = io.NopCloser(readerFunc(func([]byte) (int, error) {
		t.Error("the body was read")
		return 0, io.EOF
	}))
	r.want(t, req, 413, webhooks.ErrTooLarge)
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

// raw sends the vector with a declared length that may be wrong, and then
// nothing more.
func raw(t *testing.T, addr string, length int) int {
	t.Helper()
	conn := must(net.Dial("tcp", addr))
	defer conn.Close()
	must(0, conn.SetDeadline(time.Now().Add(10*time.Second)))
	fmt.Fprintf(conn, "POST / HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: %d\r\n", length)
	must(0, signed(t, vectorBody).Write(conn))
	fmt.Fprintf(conn, "\r\n%s", vectorBody)
	must(0, conn.(*net.TCPConn).CloseWrite())
	resp := must(http.ReadResponse(bufio.NewReader(conn), nil))
	defer resp.Body.Close()
	return resp.StatusCode
}

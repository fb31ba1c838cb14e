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
	"time"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/webhooks"
)

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

package adapter_test

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/pay"
	"github.com/tributary-go/tributary/pay/adapter"
)

// endpoint is one whose events are ignored.
func endpoint(t *testing.T, maxBody int64) http.Handler {
	t.Helper()
	h, err := adapter.Endpoint{
		Config: adapter.Config{MaxBody: maxBody, Logger: slog.New(slog.DiscardHandler)}, Scheme: form.Scheme(adapter.Secrets{"s_1"}, 0),
		Map:      func([]byte) (pay.Action, error) { return pay.Action{Kind: pay.KindIgnored, Reason: pay.TestMode}, nil },
		Accounts: func(context.Context, string) (*tributary.Program, error) { return nil, nil },
	}.Handler(nil)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func request(body io.Reader, header string) *http.Request {
	r := httptest.NewRequest(http.MethodPost, "/", body)
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Some-Signature", header)
	return r
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

// A request that its headers show to be wrong is refused before a byte of the
// body is read.
func TestRefusesUnread(t *testing.T) {
	h := endpoint(t, 0)
	now, junk := time.Now().Unix(), strings.Repeat("0", 64)
	for _, row := range []struct {
		name   string
		change func(*http.Request)
		want   int
	}{
		{"method", func(r *http.Request) { r.Method = "PUT" }, 405},
		{"content type", func(r *http.Request) { r.Header.Set("Content-Type", "text/plain") }, 415},
		{"no header", func(r *http.Request) { r.Header.Del("Some-Signature") }, 400},
		{"two headers", func(r *http.Request) { r.Header.Add("Some-Signature", "t=1") }, 400},
		{"nonsense", func(r *http.Request) { r.Header.Set("Some-Signature", "nonsense") }, 400},
		{"long", func(r *http.Request) { r.Header.Set("Some-Signature", strings.Repeat("x=y,", 2000)) }, 400},
		{"no time", func(r *http.Request) { r.Header.Set("Some-Signature", "v1="+junk) }, 400},
		{"no signature", func(r *http.Request) { r.Header.Set("Some-Signature", fmt.Sprintf("t=%d", now)) }, 400},
		{"too old", func(r *http.Request) { r.Header.Set("Some-Signature", fmt.Sprintf("t=%d,v1=%s", now-1000, junk)) }, 401},
		{"too new", func(r *http.Request) { r.Header.Set("Some-Signature", fmt.Sprintf("t=%d,v1=%s", now+1000, junk)) }, 401},
		{"short signature", func(r *http.Request) { r.Header.Set("Some-Signature", fmt.Sprintf("t=%d,v1=%s", now, junk[1:])) }, 401},
		{"upper case", func(r *http.Request) {
			r.Header.Set("Some-Signature", fmt.Sprintf("t=%d,v1=%s", now, strings.Repeat("A", 64)))
		}, 401},
		{"declared too large", func(r *http.Request) { r.ContentLength = 2 << 20 }, 413},
	} {
		t.Run(row.name, func(t *testing.T) {
			r := request(readerFunc(func([]byte) (int, error) {
				t.Error("the body was read")
				return 0, io.EOF
			}), fmt.Sprintf("t=%d,v1=%s", now, junk))
			row.change(r)
			w := httptest.NewRecorder()
			h.ServeHTTP(w, r)
			if w.Code != row.want {
				t.Errorf("answered %d, want %d", w.Code, row.want)
			}
		})
	}
}

// Large bodies without a signature use no memory, however many come at once.
func TestIdleMemory(t *testing.T) {
	const connections, size = 200, 1 << 20
	server := httptest.NewServer(endpoint(t, 0))
	defer server.Close()
	body := make([]byte, size-1) // one byte is missing, so nobody can read the whole body
	before := heap()
	conns := make([]net.Conn, connections)
	var wg sync.WaitGroup
	for i := range conns {
		var err error
		if conns[i], err = net.Dial("tcp", server.Listener.Addr().String()); err != nil {
			t.Fatal(err)
		}
		defer conns[i].Close()
		conns[i].SetDeadline(time.Now().Add(20 * time.Second))
		wg.Go(func() {
			fmt.Fprintf(conns[i], "POST / HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n", size)
			conns[i].Write(body) // fails when the server refuses the body
		})
	}
	wg.Wait()
	if added := heap() - before; added > 8<<20 {
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

// A deadline is what the handler set for a body.
type deadline struct {
	*httptest.ResponseRecorder
	set []time.Time
}

func (d *deadline) SetReadDeadline(at time.Time) error {
	d.set = append(d.set, at)
	return nil
}

// A body must arrive in time. What comes after it is not limited: the context of
// the request would end.
func TestBodyHasDeadline(t *testing.T) {
	h := endpoint(t, 0)
	w := &deadline{ResponseRecorder: httptest.NewRecorder()}
	h.ServeHTTP(w, request(strings.NewReader("{}"), form.Sign("s_1", time.Now(), []byte("{}"))))
	if w.Code != http.StatusNoContent || len(w.set) != 2 || time.Until(w.set[0]) > time.Minute || !w.set[1].IsZero() {
		t.Errorf("answered %d, deadlines %v", w.Code, w.set)
	}
}

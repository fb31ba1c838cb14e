package webhooks_test

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/tributary-go/tributary/webhooks"
)

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

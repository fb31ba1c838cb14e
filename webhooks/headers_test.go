package webhooks_test

import (
	"io"
	"net/http"
	"net/http/httptrace"
	"strings"
	"testing"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/webhooks"
)

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

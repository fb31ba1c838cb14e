package serve_test

import (
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/httpapi/serve"
	"github.com/tributary-go/tributary/memstore"
)

// TestLimits: the server has its limits for slow clients.
func TestLimits(t *testing.T) {
	got := serve.New(http.NotFoundHandler(), slog.New(slog.DiscardHandler))
	type limits struct {
		header, read, write, idle time.Duration
		bytes                     int
	}
	want := limits{5 * time.Second, 15 * time.Second, 30 * time.Second, 60 * time.Second, 16 << 10}
	have := limits{got.ReadHeaderTimeout, got.ReadTimeout, got.WriteTimeout, got.IdleTimeout, got.MaxHeaderBytes}
	if diff := cmp.Diff(want, have, cmp.AllowUnexported(limits{})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestListenerFails: Until returns the error of a listener.
func TestListenerFails(t *testing.T) {
	listener := must(net.Listen("tcp", "127.0.0.1:0"))
	listener.Close()
	if err := serve.Until(t.Context(), serve.New(http.NotFoundHandler(), slog.New(slog.DiscardHandler)), listener); !errors.Is(err, net.ErrClosed) {
		t.Errorf("ended with %v", err)
	}
}

// TestSite: which handler answers which path.
func TestSite(t *testing.T) {
	says := func(text string) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, text) })
	}
	site := serve.Site{Page: says("page"), Tracking: says("tracking"), Health: says("health"), Console: says("console"), Partner: says("partner"), API: says("api")}
	for target, want := range map[string]string{
		"GET /": "page", "HEAD /": "page", "POST /": "api", "GET /api/affiliates/x": "tracking", "POST /api/affiliates/add-click": "tracking",
		"GET /healthz": "health", "GET /readyz": "health", "GET /readyz/": "api", "GET /api/v1/sales": "api", "GET //": "api", "GET /x/../api/affiliates/x": "api", "GET /api/affiliates": "api",
		"GET /console": "console", "GET /console/": "console", "POST /console/sales/1": "console", "GET /consoles": "api", "GET /partner": "partner", "GET /partner/enter": "partner", "GET /partners": "api", "GET /x/../console/": "api",
	} {
		method, path, _ := strings.Cut(target, " ")
		r, w := httptest.NewRequest(method, "/", nil), httptest.NewRecorder()
		r.URL.Path = path
		if site.ServeHTTP(w, r); w.Code != http.StatusOK || w.Body.String() != want {
			t.Errorf("%s is answered by %q, want %q", target, w.Body, want)
		}
	}
}

// TestPrivateAddresses: this machine and private networks are open over http,
// other closed addresses stay closed.
func TestPrivateAddresses(t *testing.T) {
	policy := serve.PrivateAddresses()
	for url, want := range map[string]bool{
		"http://127.0.0.1:9090/": true, "http://[::1]/": true, "http://10.0.0.1/": true, "https://192.168.1.1/": true,
		"http://169.254.169.254/": false, "http://[fd00:ec2::254]/": false, "http://100.64.0.1/": false,
	} {
		p, err := tributary.New(memstore.New(), tributary.Config{Addresses: policy})
		if err != nil {
			t.Fatal(err)
		}
		_, err = p.Webhooks().CreateEndpoint(t.Context(), affiliate.EndpointParams{URL: url, Events: []affiliate.EventType{affiliate.SaleCreated}})
		if got := err == nil; got != want {
			t.Errorf("%s: open %t, want %t: %v", url, got, want, err)
		}
	}
}

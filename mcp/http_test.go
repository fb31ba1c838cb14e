package mcp_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/tributary-go/tributary/client"
	"github.com/tributary-go/tributary/httpapi"
	"github.com/tributary-go/tributary/mcp"
)

// overHTTP connects an assistant over HTTP, with an Authorization header.
func overHTTP(t *testing.T, url, authorization string) *assistant {
	t.Helper()
	return connect(t, &sdk.StreamableClientTransport{
		Endpoint: url, HTTPClient: &http.Client{Transport: bearerTransport(authorization)}, MaxRetries: -1, DisableStandaloneSSE: true,
	})
}

// bearerTransport is a transport that adds an Authorization header.
type bearerTransport string

func (b bearerTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", string(b))
	return http.DefaultTransport.RoundTrip(r)
}

// handler serves a world's keys.
func (w *world) handler(cfg mcp.Config) http.Handler {
	return mcp.Handler(func(key string) (*client.Client, error) {
		return client.New("https://partners.example", key, client.Config{Handler: w, MaxRetries: -1})
	}, cfg)
}

// TestHandler: over HTTP each request has its own key, and does what that key may.
func TestHandler(t *testing.T) {
	w := newQuarter(t)
	server := httptest.NewServer(w.handler(mcp.Config{Write: true}))
	t.Cleanup(server.Close)
	reader, owner := overHTTP(t, server.URL, "Bearer "+readerKey), overHTTP(t, server.URL, "bearer "+ownerKey)
	if text := reader.told("getTotalBalance", `{}`); !strings.Contains(text, `"payable":"53.26 USD"`) {
		t.Error(text)
	}
	const sale = `{"email":"kim@example.com","totalEarned":12}`
	if got := reader.refused("recordSale", sale); got.Code != "insufficient_scope" {
		t.Errorf("a key that reads: %+v", got)
	}
	owner.told("recordSale", sale)
	if text := reader.told("getTotalBalance", `{}`); !strings.Contains(text, `"payable":"55.66 USD"`) {
		t.Error(text)
	}
	revoked := overHTTP(t, server.URL, "Bearer "+readerKey[:20])
	if got := revoked.refused("getSales", `{}`); got.Code != "invalid_token" {
		t.Errorf("a key that does not exist: %+v", got)
	}
}

// TestHandlerRefuses: no key, a key that opens nothing before one that does, a page of
// another origin, and a request that is too long.
func TestHandlerRefuses(t *testing.T) {
	const list = `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`
	w := newWorld(t)
	h := w.handler(mcp.Config{})
	for _, tt := range []struct {
		name   string
		header map[string]string
		body   string
		want   int
	}{
		{"NoKey", nil, list, 401},
		{"Basic", map[string]string{"Authorization": "Basic " + readerKey}, list, 401},
		{"NoSuchKey", map[string]string{"Authorization": "Bearer " + readerKey[:20]}, list, 401},
		{"Origin", map[string]string{"Authorization": "Bearer " + readerKey, "Sec-Fetch-Site": "cross-site"}, list, 403},
		{"Long", map[string]string{"Authorization": "Bearer " + readerKey}, `{"a":"` + strings.Repeat("a", 300<<10) + `"}`, 413},
		{"OK", map[string]string{"Authorization": "Bearer " + readerKey}, list, 200},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := httptest.NewRequest("POST", "http://assistants.example/", strings.NewReader(tt.body))
			r.Header.Set("Content-Type", "application/json")
			r.Header.Set("Accept", "application/json, text/event-stream")
			for name, value := range tt.header {
				r.Header.Set(name, value)
			}
			rec := httptest.NewRecorder()
			h.ServeHTTP(rec, r)
			body := must(io.ReadAll(rec.Result().Body))
			if rec.Code != tt.want {
				t.Errorf("%d %.300s, want %d", rec.Code, body, tt.want)
			}
			if strings.Contains(string(body), readerKey[:20]) {
				t.Errorf("the key is shown: %.300s", body)
			}
		})
	}
}

// TestInProcess: a program in this process is called without a network.
func TestInProcess(t *testing.T) {
	w := newQuarter(t)
	a := meet(t, must(newServer(t.Context(), w.api.(*httpapi.Handler), readerKey)))
	if text := a.told("getRankedBalances", `{"limit":1}`); !strings.HasPrefix(text, `{"totals":{"currency":"USD",`) || !strings.Contains(text, `"cursor":`) {
		t.Errorf("ranked: %s", text)
	}
}

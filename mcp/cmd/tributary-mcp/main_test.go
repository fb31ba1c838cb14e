package main

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/httpapi"
	"github.com/tributary-go/tributary/memstore"
)

const key = "tk_4f9c1d7e8a01b2c3d4e5f60718293a4b"

// TestMain is the command itself when a test starts it.
func TestMain(m *testing.M) {
	if os.Getenv("TRIBUTARY_MCP_COMMAND") != "" {
		main()
		return
	}
	os.Exit(m.Run())
}

// newAPI serves a program with a sale.
func newAPI(t *testing.T) string {
	t.Helper()
	p, err := tributary.New(memstore.New(), tributary.Config{Name: "Beans", Destinations: []affiliate.Destination{{URL: "https://beans.example"}}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.CreateAffiliate(t.Context(), affiliate.AffiliateParams{FirstName: "Ada", LastName: "Okafor", Email: "ada@example.com"}); err != nil {
		t.Fatal(err)
	}
	h, err := httpapi.New(p, httpapi.Config{Keys: []httpapi.Key{{Secret: key, Scope: httpapi.ScopeRead}}})
	if err != nil {
		t.Fatal(err)
	}
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return s.URL
}

// asks connects to a server, and asks it for the affiliates.
func asks(t *testing.T, by sdk.Transport) {
	t.Helper()
	s, err := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(), by, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	r, err := s.CallTool(t.Context(), &sdk.CallToolParams{Name: "searchAffiliates", Arguments: json.RawMessage(`{"search":"okafor"}`)})
	if err != nil {
		t.Fatal(err)
	}
	if text := r.Content[0].(*sdk.TextContent).Text; r.IsError || !strings.Contains(text, `{"untrusted":"Ada Okafor"}`) || strings.Contains(text, key) {
		t.Errorf("answer: %s", text)
	}
	if _, err := s.CallTool(t.Context(), &sdk.CallToolParams{Name: "deleteAffiliate", Arguments: json.RawMessage(`{}`)}); err == nil {
		t.Error("there is a tool that writes")
	}
}

// TestStdio: an assistant starts the command and talks to it over its standard input and output.
func TestStdio(t *testing.T) {
	file := filepath.Join(t.TempDir(), "key")
	if err := os.WriteFile(file, []byte(key+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	var stderr bytes.Buffer
	c := exec.Command(os.Args[0])
	c.Env = append(os.Environ(), "TRIBUTARY_MCP_COMMAND=1", "TRIBUTARY_URL="+newAPI(t), "TRIBUTARY_KEY=", "TRIBUTARY_KEY_FILE="+file)
	c.Stderr = &stderr
	asks(t, &sdk.CommandTransport{Command: c})
	if stderr.Len() > 0 {
		t.Errorf("standard error: %s", stderr.String())
	}
}

// TestHTTP: the command serves callers who bring their keys, until it is told to end.
func TestHTTP(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	var stderr errorOutput
	done := make(chan int)
	env := map[string]string{"TRIBUTARY_URL": newAPI(t)}
	go func() {
		done <- run(ctx, []string{"-http", "127.0.0.1:0"}, func(n string) string { return env[n] }, nil, &stderr)
	}()
	asks(t, &sdk.StreamableClientTransport{Endpoint: stderr.address(), HTTPClient: &http.Client{Transport: keyTransport{}}, MaxRetries: -1, DisableStandaloneSSE: true})
	cancel()
	if code := <-done; code != 0 {
		t.Errorf("exit code %d: %s", code, stderr.String())
	}
	if strings.Contains(stderr.String(), key) {
		t.Error("the key is in the log")
	}
}

// keyTransport is a transport that adds the key.
type keyTransport struct{}

func (keyTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+key)
	return http.DefaultTransport.RoundTrip(r)
}

// errorOutput is standard error, and what waits for the address in it.
type errorOutput struct {
	mu   sync.Mutex
	text strings.Builder
	once sync.Once
	line chan struct{}
}

func (s *errorOutput) ready() chan struct{} {
	s.once.Do(func() { s.line = make(chan struct{}, 16) })
	return s.line
}

func (s *errorOutput) Write(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.text.Write(b)
	select {
	case s.ready() <- struct{}{}:
	default:
	}
	return len(b), nil
}

func (s *errorOutput) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.String()
}

// address waits for the address that the command listens on.
func (s *errorOutput) address() string {
	for {
		<-s.ready()
		if found := regexp.MustCompile(`http://\S+`).FindString(s.String()); found != "" {
			return found
		}
	}
}

// TestUsage: what is missing or wrong is said, with exit code 2, or 1 when the program cannot be
// reached, and no key is shown.
func TestUsage(t *testing.T) {
	for _, tt := range []struct {
		name string
		args []string
		env  map[string]string
		code int
		says string
	}{
		{"NoURL", nil, nil, 2, "set TRIBUTARY_URL"},
		{"NoKey", nil, map[string]string{"TRIBUTARY_URL": "https://partners.example"}, 2, "set TRIBUTARY_KEY or TRIBUTARY_KEY_FILE"},
		{"NoFile", nil, map[string]string{"TRIBUTARY_URL": "https://partners.example", "TRIBUTARY_KEY_FILE": "/nonexistent"}, 2, "TRIBUTARY_KEY_FILE"},
		{"Argument", []string{"write"}, nil, 2, "no arguments beside flags"},
		{"Flag", []string{"-pay"}, nil, 2, "-pay"},
		{"Help", []string{"-help"}, nil, 0, "-write"},
		{"BadURL", nil, map[string]string{"TRIBUTARY_URL": "http://partners.example", "TRIBUTARY_KEY": key}, 1, "https"},
		{"Unreached", nil, map[string]string{"TRIBUTARY_URL": "http://127.0.0.1:1", "TRIBUTARY_KEY": key}, 1, "no answer"},
		{"NotAKey", nil, map[string]string{"TRIBUTARY_URL": "API", "TRIBUTARY_KEY": key[:25]}, 1, "Invalid"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if tt.env["TRIBUTARY_URL"] == "API" {
				tt.env["TRIBUTARY_URL"] = newAPI(t)
			}
			var stderr bytes.Buffer
			code := run(t.Context(), tt.args, func(n string) string { return tt.env[n] }, nil, &stderr)
			if code != tt.code || !strings.Contains(stderr.String(), tt.says) || strings.Contains(stderr.String(), key[:25]) {
				t.Errorf("exit code %d, %s; want %d and %q", code, stderr.String(), tt.code, tt.says)
			}
		})
	}
}

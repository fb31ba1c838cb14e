package mcp

import (
	"context"
	"net/http"
	"strings"
	"sync"

	"github.com/google/uuid"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/client"
)

// Handler serves assistants by the streamable HTTP of the protocol. Each request has an
// API key, as requests of the API have it: Authorization: Bearer KEY. dial makes the client of
// a key, for each request; with clients that share the HTTP or the Handler of their Config
// connections are shared too. Nothing is kept between requests but the OpenAPI document.
// Requests of pages of other origins are refused.
//
// It is safe for concurrent use.
func Handler(dial func(key string) (*client.Client, error), cfg Config) http.Handler {
	h := &keyed{dial: dial, cfg: cfg}
	h.inner = streamable(h.server)
	return http.NewCrossOriginProtection().Handler(h)
}

// PartnerHandler is [Partner] by the streamable HTTP of the protocol. who is the login of the host: it says
// whose request it is, for each request. Requests without an affiliate are answered 401, and those
// of pages of other origins are refused.
//
// It is safe for concurrent use.
func PartnerHandler(p *tributary.Program, who func(*http.Request) (uuid.UUID, bool), cfg PartnerConfig) http.Handler {
	return http.NewCrossOriginProtection().Handler(&visited{p, who, cfg})
}

// maxRequest is the longest request, in bytes.
const maxRequest = 256 << 10

func streamable(server func(*http.Request) *sdk.Server) http.Handler {
	return sdk.NewStreamableHTTPHandler(server, &sdk.StreamableHTTPOptions{
		Stateless: true, JSONResponse: true, MaxRequestBodyBytes: maxRequest, PropagateRequestCancellation: true,
	})
}

// keyed serves the keys of an API.
type keyed struct {
	dial  func(key string) (*client.Client, error)
	cfg   Config
	inner http.Handler

	mu  sync.Mutex
	all []*operation // nil: not read yet
}

// ServeHTTP refuses requests without a key, and reads the document with the first that has one.
func (h *keyed) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c, ok := h.clientOf(r)
	if !ok {
		unauthorized(w)
		return
	}
	if _, err := h.operations(r.Context(), c); err != nil {
		status := statusOf(err)
		if status/100 != 4 {
			status = http.StatusBadGateway
		}
		http.Error(w, explain(r.Context(), err).Error, status)
		return
	}
	h.inner.ServeHTTP(w, r)
}

// server returns the server of a request that ServeHTTP let through.
func (h *keyed) server(r *http.Request) *sdk.Server {
	c, ok := h.clientOf(r)
	if !ok {
		return nil
	}
	all, err := h.operations(r.Context(), c)
	if err != nil {
		return nil
	}
	return serverOf(c, all, h.cfg)
}

func (h *keyed) clientOf(r *http.Request) (*client.Client, bool) {
	scheme, key, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	if !strings.EqualFold(scheme, "Bearer") || key == "" {
		return nil, false
	}
	c, err := h.dial(key)
	return c, err == nil
}

func (h *keyed) operations(ctx context.Context, c *client.Client) ([]*operation, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.all != nil {
		return h.all, nil
	}
	all, err := load(ctx, c)
	h.all = all
	return all, err
}

// visited serves the affiliates of a program.
type visited struct {
	program *tributary.Program
	who     func(*http.Request) (uuid.UUID, bool)
	cfg     PartnerConfig
}

// ServeHTTP asks once whose request it is.
func (v *visited) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	of, ok := v.who(r)
	if !ok {
		unauthorized(w)
		return
	}
	streamable(func(*http.Request) *sdk.Server { return Partner(v.program, of, v.cfg) }).ServeHTTP(w, r)
}

func unauthorized(w http.ResponseWriter) {
	w.Header().Set("WWW-Authenticate", "Bearer")
	http.Error(w, "a key is needed: Authorization: Bearer KEY", http.StatusUnauthorized)
}

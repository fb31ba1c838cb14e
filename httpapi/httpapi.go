package httpapi

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/httpapi/internal/reqid"
	"github.com/tributary-go/tributary/internal/refusal"
)

// maxBody is the default of [Config.MaxBody]. trackedBody is the default for
// clicks; it is smaller because anybody may send a click.
const (
	maxBody     = 1 << 20
	trackedBody = 8 << 10
)

// Config holds what a host decides about a handler. Every zero field has a
// default.
type Config struct {
	APIKeys []string // for [New] only: keys that may do everything; each has 20–256 visible ASCII characters, such as [NewKey] makes
	Keys    []Key    // for [New] only: keys with a name, a scope and an end; New needs one key in APIKeys or here
	MaxBody int64    // bytes of a request body, less than 4 GiB; zero: 1 MiB, for [Tracking] 8 KiB

	// Limit is called before the key is checked. A positive duration refuses
	// the request with 429 and is sent as Retry-After. Nil: no limit.
	Limit func(*http.Request) (retryAfter time.Duration)

	// NewRequestID makes the id of a request that brings none. Nil: 16 random
	// bytes in hex. See [RequestID].
	NewRequestID func() string

	// Portal lets POST /partner/token open the partner pages, for hosts that are
	// not written in Go. Nil: it is refused. With several programs the pages of
	// all of them are there.
	Portal *PortalLink

	// Logger gets one line for each request at level Debug, one at level Warn for a sale that
	// is reported again under its id with other contents, and one for each
	// answer 500 at level Error, unless the caller went away. A line of a
	// request has operation, status, code, took, request_id, key (its name),
	// scope, bytes (of the body), replayed, and trace_id when the request has a
	// traceparent. It never has a key, an email, a body or a path that the API
	// does not know. Nil: nothing is logged.
	Logger *slog.Logger
}

// A Handler answers the HTTP API of one program or of many. It is safe for
// concurrent use, keeps nothing of a request and starts no goroutine.
type Handler struct {
	auth   Authority
	cfg    Config
	routes map[string]*resource
	tokens *tokens   // nil: there are no partner pages
	calls  sync.Pool // reused *call values
}

// New makes the handler of one program. Each key in cfg gives access to it.
//
// Errors: cfg has no key, or one that [KeyRing] rejects; MaxBody is out of range;
// Portal has a short key or an invalid URL.
func New(p *tributary.Program, cfg Config) (*Handler, error) {
	if len(cfg.APIKeys) == 0 && len(cfg.Keys) == 0 {
		return nil, errors.New("httpapi: Config.APIKeys is empty")
	}
	all := make([]Key, 0, len(cfg.APIKeys)+len(cfg.Keys))
	for i, secret := range cfg.APIKeys {
		if err := checkKey(fmt.Sprintf("Config.APIKeys[%d]", i), secret); err != nil {
			return nil, err
		}
		if !slices.Contains(cfg.APIKeys[:i], secret) {
			all = append(all, Key{Secret: secret})
		}
	}
	auth, err := KeyRing(p, append(all, cfg.Keys...)...)
	if err != nil {
		return nil, err
	}
	cfg.APIKeys, cfg.Keys = nil, nil
	return NewMulti(auth, cfg)
}

// NewMulti makes the handler of any number of programs: auth returns the
// program of a key and what the key may do. Config.APIKeys and Config.Keys must
// be empty.
//
// Errors: auth is nil, cfg has keys, MaxBody is out of range, Portal has a short
// key or an invalid URL.
func NewMulti(auth Authority, cfg Config) (*Handler, error) {
	if auth == nil {
		return nil, errors.New("httpapi: no authority")
	}
	return newHandler(auth, cfg, resources(prefix, routes()))
}

// newHandler fills in the defaults. Without auth the routes take no key.
func newHandler(auth Authority, cfg Config, table map[string]*resource) (*Handler, error) {
	if len(cfg.APIKeys) > 0 {
		return nil, errors.New("httpapi: Config.APIKeys belongs to New")
	}
	if len(cfg.Keys) > 0 {
		return nil, errors.New("httpapi: Config.Keys belongs to New")
	}
	if cfg.MaxBody < 0 || cfg.MaxBody > math.MaxUint32 {
		return nil, fmt.Errorf("httpapi: Config.MaxBody is %d", cfg.MaxBody)
	}
	if cfg.MaxBody == 0 {
		cfg.MaxBody = maxBody
	}
	if cfg.Logger == nil {
		cfg.Logger = slog.New(slog.DiscardHandler)
	}
	tokens, err := cfg.Portal.seal()
	if err != nil {
		return nil, err
	}
	return &Handler{auth: auth, cfg: cfg, routes: table, tokens: tokens}, nil
}

// ServeHTTP answers every path at or below /api/v1. An unknown path gets 404
// and an unknown method 405, both in JSON. ServeHTTP never redirects, but a mux
// before it may: see Mounting in the documentation of the package.
//
// Concurrency: safe for concurrent use.
//
// Source: docs/contract.md 1.1; docs/rules.md 7.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c := newCall(h, w, reqid.Assign(w, r, h.cfg.NewRequestID))
	defer c.free()
	if h.cfg.Logger.Enabled(r.Context(), slog.LevelDebug) {
		defer c.log(time.Now())
	}
	defer c.recover()
	c.serve()
}

// Register puts the exact paths of the API on mux: one pattern for each path
// and method, so that they do not conflict with the host's patterns. The host
// then answers an unknown path below /api/v1. Register panics, as mux does,
// when one of these patterns is registered already.
//
// Source: docs/rules.md 7.
func (h *Handler) Register(mux *http.ServeMux) {
	methods := []string{
		http.MethodGet, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete,
		http.MethodOptions, http.MethodTrace, http.MethodConnect,
	}
	for path := range h.routes {
		for _, method := range methods {
			mux.Handle(method+" "+path, h)
		}
	}
}

// find returns the route of a request, and the resource for the Allow header.
func (h *Handler) find(r *http.Request) (*route, *resource, *affiliate.Error) {
	// A path with encoded letters or slashes has a RawPath and is a different
	// path.
	res := h.routes[r.URL.Path]
	if res == nil || r.URL.RawPath != "" {
		return nil, nil, refusal.RefusePath.Err()
	}
	method := r.Method
	if method == http.MethodHead {
		method = http.MethodGet
	}
	found := res.methods[method]
	if found == nil {
		return nil, res, refusal.RefuseMethod.Err()
	}
	return found, res, nil
}

// admit asks the limiter, then looks up what the key opens. A handler without an
// authority takes no key and returns no program here.
func (h *Handler) admit(ctx context.Context, r *http.Request) (open Access, retryAfter time.Duration, err error) {
	if h.cfg.Limit != nil {
		if wait := h.cfg.Limit(r); wait > 0 {
			return Access{}, wait, refusal.RefuseRate.Err()
		}
	}
	if h.auth == nil {
		return Access{}, 0, nil
	}
	key, ok := bearer(r.Header)
	if !ok {
		return Access{}, 0, refusal.RefuseUnauthorized.Err()
	}
	open, err = h.auth(ctx, key)
	if err == nil && open.Program == nil {
		err = errors.New("the authority gave no program")
	}
	return open, 0, err
}

package httpapi

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"net/http"
	"sync"
	"time"

	"github.com/tributary-go/tributary/affiliate"
)

// maxBody is the default of [Config.MaxBody], and trackedBody that of a click:
// anybody may send one.
const (
	maxBody     = 1 << 20
	trackedBody = 8 << 10
)

// Config is what a host decides about a handler. Every zero field has a
// default.
type Config struct {
	APIKeys []string // of [New]: at least one; each 20–256 visible ASCII characters, better 32 random bytes
	MaxBody int64    // bytes of a request body, up to 4 GiB; zero: 1 MiB, of [Tracking] 8 KiB

	// Limit is asked before the key is looked at. A positive duration refuses
	// the request with 429 and is told as Retry-After. Nil: no limit.
	Limit func(*http.Request) (retryAfter time.Duration)

	// Logger gets one line for each request at level Debug and one for each
	// answer 500 at level Error, unless the caller went away. It is never given
	// a key, an email, a body or a path that is not one of the API's own. Nil:
	// silent.
	Logger *slog.Logger
}

// A Handler answers the HTTP API of one program or of many. It is safe for
// concurrent use, remembers nothing of a request and starts no goroutine.
type Handler struct {
	auth   Authenticator
	cfg    Config
	routes map[string]*resource
	calls  sync.Pool // of *call, to be used again
}

// New makes the handler of one program, which the keys of cfg open.
//
// Errors: no key, a key that is not 20–256 visible ASCII characters, a MaxBody
// out of range.
func New(p *affiliate.Program, cfg Config) (*Handler, error) {
	if len(cfg.APIKeys) == 0 {
		return nil, errors.New("httpapi: Config.APIKeys is empty")
	}
	programs := map[string]*affiliate.Program{}
	for i, key := range cfg.APIKeys {
		if err := checkKey(fmt.Sprintf("Config.APIKeys[%d]", i), key); err != nil {
			return nil, err
		}
		programs[key] = p
	}
	auth, err := Keys(programs)
	if err != nil {
		return nil, err
	}
	cfg.APIKeys = nil
	return NewMulti(auth, cfg)
}

// NewMulti makes the handler of any number of programs: auth says which one a
// key opens. Config.APIKeys is not used and must be empty.
//
// Errors: no auth, keys in cfg, a MaxBody out of range.
func NewMulti(auth Authenticator, cfg Config) (*Handler, error) {
	if auth == nil {
		return nil, errors.New("httpapi: no authenticator")
	}
	return newHandler(auth, cfg, resources(prefix, routes()))
}

// newHandler fills in the defaults. Without auth the routes take no key.
func newHandler(auth Authenticator, cfg Config, table map[string]*resource) (*Handler, error) {
	if len(cfg.APIKeys) > 0 {
		return nil, errors.New("httpapi: Config.APIKeys belongs to New")
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
	return &Handler{auth: auth, cfg: cfg, routes: table}, nil
}

// ServeHTTP answers every path at or below /api/v1: what the API does not know
// with JSON 404 and 405. It never redirects; a mux before it may, see Mounting in
// the documentation of the package.
//
// Concurrency: safe for concurrent use.
//
// Source: docs/contract.md 1.1; docs/rules.md 7.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c := newCall(h, w, r)
	defer c.free()
	if h.cfg.Logger.Enabled(r.Context(), slog.LevelDebug) {
		defer c.log(time.Now())
	}
	defer c.recover()
	c.serve()
}

// Register puts the exact paths of the API on mux: one pattern for each path
// and method, so that they stand beside whatever patterns the host has. An
// unknown path below /api/v1 stays the host's there. It panics, as mux does,
// when one of the very patterns is there already.
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

// find is the action of a request, and its resource for the Allow header.
func (h *Handler) find(r *http.Request) (*route, *resource, *affiliate.Error) {
	// A path with encoded letters or slashes has a RawPath: it is another path.
	res := h.routes[r.URL.Path]
	if res == nil || r.URL.RawPath != "" {
		return nil, nil, affiliate.RejectPath.Err()
	}
	method := r.Method
	if method == http.MethodHead {
		method = http.MethodGet
	}
	found := res.methods[method]
	if found == nil {
		return nil, res, affiliate.RejectMethod.Err()
	}
	return found, res, nil
}

// admit passes a request on to its program: limiter, then key. Without an
// authenticator there is no key, and no program yet.
func (h *Handler) admit(ctx context.Context, r *http.Request) (p *affiliate.Program, retryAfter time.Duration, err error) {
	if h.cfg.Limit != nil {
		if wait := h.cfg.Limit(r); wait > 0 {
			return nil, wait, affiliate.Refuse(affiliate.RateLimited)
		}
	}
	if h.auth == nil {
		return nil, 0, nil
	}
	key, ok := bearer(r.Header)
	if !ok {
		return nil, 0, affiliate.Refuse(affiliate.Unauthorized)
	}
	p, err = h.auth(ctx, key)
	if err == nil && p == nil {
		err = errors.New("the authenticator gave no program")
	}
	return p, 0, err
}

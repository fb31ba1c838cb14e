// Package serve starts and ends an HTTP server that runs the engine: limits for
// slow clients, what is answered where, an end in good order, and the work that
// goes on beside the requests.
//
// The servers of the examples share it. It is meant to be copied, or read: it is
// short, and a program of yours will want limits of its own. Its names may change
// with the examples.
//
//	stop := serve.Background(ctx, deliver, prune)
//	defer stop()
//	return serve.Until(ctx, serve.New(handler, logger), listener)
package serve

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"sync/atomic"
	"time"

	"github.com/tributary-go/tributary/affiliate"
)

// Limits for clients: how long a request may take, and how much may be sent
// before the server looks at it.
const (
	ReadHeaderTimeout = 5 * time.Second
	ReadTimeout       = 15 * time.Second // with the body
	WriteTimeout      = 30 * time.Second
	IdleTimeout       = 60 * time.Second
	MaxHeaderBytes    = 16 << 10
)

// DrainTime is the time for which a server that is ending still answers new
// requests while others are under way.
const DrainTime = 5 * time.Second

// New returns a server that slow and greedy clients do not hold up. Its errors
// go to the logger.
func New(handler http.Handler, logger *slog.Logger) *http.Server {
	return &http.Server{
		Handler:           handler,
		ReadHeaderTimeout: ReadHeaderTimeout,
		ReadTimeout:       ReadTimeout,
		WriteTimeout:      WriteTimeout,
		IdleTimeout:       IdleTimeout,
		MaxHeaderBytes:    MaxHeaderBytes,
		ErrorLog:          slog.NewLogLogger(logger.Handler(), slog.LevelWarn),
	}
}

// Until answers requests until ctx ends, and then waits for those under way, a
// little longer than one may take. As long as some are under way, but no longer
// than DrainTime, it answers new ones too: whoever asks [Health] learns that this
// server is ending. It closes the listener.
func Until(ctx context.Context, server *http.Server, listener net.Listener) error {
	busy := &counted{Handler: server.Handler}
	server.Handler = busy
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(listener) }()
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
	}
	server.SetKeepAlivesEnabled(false) // whoever still comes should go elsewhere next
	busy.wait(DrainTime)
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), server.WriteTimeout+5*time.Second)
	defer cancel()
	return errors.Join(server.Shutdown(ctx), server.Close())
}

// A counted handler knows how many requests are under way.
type counted struct {
	http.Handler
	n atomic.Int64
}

func (c *counted) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c.n.Add(1)
	defer c.n.Add(-1)
	c.Handler.ServeHTTP(w, r)
}

// wait returns when no request is under way, or after a time.
func (c *counted) wait(longest time.Duration) {
	over := time.After(longest)
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for c.n.Load() > 0 {
		select {
		case <-tick.C:
		case <-over:
			return
		}
	}
}

// A Site says which handler answers which path. It is not a ServeMux, because
// that one redirects a path with //, . or .. to another path. Here the API
// answers every path that nobody serves with 404, in JSON.
type Site struct {
	Page     http.Handler // GET and HEAD of /
	Tracking http.Handler // below /api/affiliates/
	Health   http.Handler // /healthz and /readyz
	Console  http.Handler // /console and below it; nil: the API answers there too
	Partner  http.Handler // /partner and below it; nil: the API answers there too
	API      http.Handler // everything else
}

// ServeHTTP answers a request.
func (s Site) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch {
	case r.URL.Path == "/" && (r.Method == http.MethodGet || r.Method == http.MethodHead):
		s.Page.ServeHTTP(w, r)
	case r.URL.Path == "/healthz" || r.URL.Path == "/readyz":
		s.Health.ServeHTTP(w, r)
	case strings.HasPrefix(r.URL.Path, "/api/affiliates/"):
		s.Tracking.ServeHTTP(w, r)
	case s.Console != nil && strings.HasPrefix(r.URL.Path+"/", "/console/"):
		s.Console.ServeHTTP(w, r)
	case s.Partner != nil && strings.HasPrefix(r.URL.Path+"/", "/partner/"):
		s.Partner.ServeHTTP(w, r)
	default:
		s.API.ServeHTTP(w, r)
	}
}

// PrivateAddresses lets webhooks go over http, to this machine and to the
// networks around it. It is for trying things out. The services that hand out a
// cloud machine's credentials stay closed under every policy.
func PrivateAddresses() affiliate.AddressPolicy {
	policy := affiliate.AddressPolicy{AllowHTTP: true}
	for _, text := range []string{"127.0.0.0/8", "::1/128", "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "fc00::/7"} {
		policy.AllowNetworks = append(policy.AllowNetworks, netip.MustParsePrefix(text))
	}
	return policy
}

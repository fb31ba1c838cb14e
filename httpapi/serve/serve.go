// Package serve runs a program's handlers in an HTTP server: limits for slow and greedy
// clients, a handler for each path, probes of health, the work beside the requests, and an
// end that loses no request. Package httpapi/app is a whole server of it.
//
//	stop := serve.Background(ctx, deliver, prune)
//	defer stop()
//	return serve.Until(ctx, serve.New(handler, logger), listener)
package serve

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
)

// Limits of a request. The server reads a header as a whole before it looks at it.
const (
	readHeaderTimeout = 5 * time.Second
	readTimeout       = 15 * time.Second // with the body
	writeTimeout      = 30 * time.Second
	idleTimeout       = 60 * time.Second
	maxHeaderBytes    = 16 << 10
)

// drainTime is the time for which a server that is ending still answers new
// requests while others are under way.
const drainTime = 5 * time.Second

// New returns a server that slow and greedy clients do not hold up. Its errors
// go to the logger.
func New(handler http.Handler, logger *slog.Logger) *http.Server {
	return &http.Server{
		Handler:           handler,
		ReadHeaderTimeout: readHeaderTimeout,
		ReadTimeout:       readTimeout,
		WriteTimeout:      writeTimeout,
		IdleTimeout:       idleTimeout,
		MaxHeaderBytes:    maxHeaderBytes,
		ErrorLog:          slog.NewLogLogger(logger.Handler(), slog.LevelWarn),
	}
}

// Until answers requests until ctx ends, and then waits for those under way, five seconds
// longer than one may take. As long as some are under way, but for at most five seconds, it
// answers new ones too: whoever asks [Health] learns that this server is ending. It closes
// the listener.
func Until(ctx context.Context, server *http.Server, listener net.Listener) error {
	busy := &requestCounter{Handler: server.Handler}
	server.Handler = busy
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(listener) }()
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
	}
	server.SetKeepAlivesEnabled(false) // whoever still comes should go elsewhere next
	busy.wait(drainTime)
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), server.WriteTimeout+5*time.Second)
	defer cancel()
	return errors.Join(server.Shutdown(ctx), server.Close())
}

// A requestCounter is a handler that knows how many requests are under way.
type requestCounter struct {
	http.Handler
	n atomic.Int64
}

func (c *requestCounter) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c.n.Add(1)
	defer c.n.Add(-1)
	c.Handler.ServeHTTP(w, r)
}

// wait returns when no request is under way, or after a time.
func (c *requestCounter) wait(longest time.Duration) {
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

// A Site sends each request to the handler of its path. It is not a ServeMux, because
// that one redirects a path with //, . or .. to another path. Here the API
// answers every path that nobody serves with 404, in JSON.
type Site struct {
	Page     http.Handler // GET and HEAD of /
	Tracking http.Handler // below /api/affiliates/, and /t.js
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
	case strings.HasPrefix(r.URL.Path, "/api/affiliates/"), r.URL.Path == "/t.js":
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
	for _, text := range []string{"127.0.0.0/8", "::1/128", "10.0.0.0/8", "172.16.0.0/12",
		"192.168.0.0/16", "fc00::/7"} {
		policy.AllowNetworks = append(policy.AllowNetworks, netip.MustParsePrefix(text))
	}
	return policy
}

// Background runs tasks beside the requests until stop is called. The end of ctx
// does not end them: requests that are under way then may still need them, so
// stop is called after [Until]. It waits for the tasks.
func Background(ctx context.Context, tasks ...func(ctx context.Context)) (stop func()) {
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	var running sync.WaitGroup
	for _, task := range tasks {
		running.Go(func() { task(ctx) })
	}
	return func() {
		cancel()
		running.Wait()
	}
}

// Daily calls do once a day, for the first time after a day, until ctx ends.
func Daily(ctx context.Context, do func(ctx context.Context)) {
	tick := time.NewTicker(24 * time.Hour)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			do(ctx)
		case <-ctx.Done():
			return
		}
	}
}

// keep is the time for which Retain keeps events and settled deliveries: longer than a
// receiver may be down and then asks for a replay.
const keep = 30 * 24 * time.Hour

// policy returns the periods of Retain for a program, where its settings say none. Receipts stay
// twice as long as they answer, and clicks a month longer than they attribute. docs/retention.md
// has what a program keeps under it.
func policy(p *tributary.Program) affiliate.Retention {
	is := p.Config()
	r, attributes := is.Retention, time.Duration(is.CookieDays)*24*time.Hour
	return affiliate.Retention{Events: cmp.Or(r.Events, keep), Deliveries: cmp.Or(r.Deliveries, keep),
		Receipts: cmp.Or(r.Receipts, 48*time.Hour), Clicks: cmp.Or(r.Clicks, attributes+keep),
		Holds: cmp.Or(r.Holds, keep)}
}

// Retain deletes the old records of programs, as docs/retention.md says. Several
// processes may do it at once: each record is deleted once. What fails is logged
// and left for the next call.
func Retain(ctx context.Context, logger *slog.Logger, programs ...*tributary.Program) {
	each(ctx, logger, "delete old records", programs, func(p *tributary.Program) error {
		if _, err := p.Settings(ctx); err != nil { // Config has what another process set since
			return err
		}
		done, err := p.Run(ctx, affiliate.RetainJob{Retention: policy(p)})
		if gone := done.Removed; gone != (affiliate.Retained{}) {
			logger.Info("old records deleted", "program", p.Config().ID,
				"events", gone.Events, "receipts", gone.Receipts, "deliveries", gone.Deliveries, "clicks", gone.Clicks, "holds", gone.Holds)
		}
		return err
	})
}

// Reward puts the affiliates of programs into the tiers that they reach, and gives the bonuses that
// are due; see [affiliate.AssignTiersJob] and [affiliate.GrantBonusesJob]. The affiliates of a program
// without tiers stay where they are. What fails is logged and left for the next call.
func Reward(ctx context.Context, logger *slog.Logger, programs ...*tributary.Program) {
	each(ctx, logger, "assign tiers", programs, func(p *tributary.Program) error {
		tiers, err := p.Tiers(ctx, affiliate.Page{Limit: 1})
		if err != nil || len(tiers.Items) == 0 {
			return err
		}
		return told(ctx, logger, p, "tiers assigned", affiliate.AssignTiersJob{})
	})
	each(ctx, logger, "grant bonuses", programs, func(p *tributary.Program) error {
		return told(ctx, logger, p, "bonuses granted", affiliate.GrantBonusesJob{})
	})
}

// told runs a job over affiliates, and logs of how many something changed.
func told(ctx context.Context, logger *slog.Logger, p *tributary.Program, what string, job affiliate.Job) error {
	done, err := p.Run(ctx, job)
	if done.Changed > 0 {
		logger.Info(what, "program", p.Config().ID, "affiliates", done.Changed)
	}
	return err
}

// each calls do for each program until ctx ends, and logs what fails.
func each(ctx context.Context, logger *slog.Logger, what string, programs []*tributary.Program, do func(*tributary.Program) error) {
	for _, p := range programs {
		err := do(p)
		switch {
		case ctx.Err() != nil:
			return
		case err != nil:
			logger.Error(what, "program", p.Config().ID, "error", err)
		}
	}
}

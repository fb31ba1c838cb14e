package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/httpapi"
)

// What a client may take its time for, and how much it may send before its
// request is looked at.
const (
	readHeaderTimeout = 5 * time.Second
	readTimeout       = 15 * time.Second // with the body
	writeTimeout      = 30 * time.Second
	idleTimeout       = 60 * time.Second
	maxHeaderBytes    = 16 << 10
	grace             = writeTimeout + 5*time.Second // for what is under way at the end
)

// serve runs the server until ctx ends and what is under way is answered.
func serve(ctx context.Context, set settings, stdout, stderr io.Writer) error {
	logger := slog.New(slog.NewTextHandler(stderr, nil))
	if set.made = len(set.keys) == 0; set.made {
		key, err := newKey(set.rand)
		if err != nil {
			return err
		}
		set.keys = []string{key}
	}
	listener, err := net.Listen("tcp", set.addr)
	if err != nil {
		return err
	}
	defer listener.Close()
	all, err := tenants(ctx, set, local(listener.Addr())+"/", logger)
	if err != nil {
		return err
	}
	handler, err := handlerOf(all, set, listener.Addr(), logger)
	if err != nil {
		return err
	}
	greet(stdout, all, set, local(listener.Addr()))
	fmt.Fprintf(stdout, "listening on http://%s\n", listener.Addr())

	stop := work(ctx, all, set.now, logger)
	defer stop() // after the requests: what they fired has been claimed or waits in the store
	return answer(ctx, newServer(handler, logger), listener)
}

// work delivers the webhooks of all programs, and drops what was kept for long
// enough, until stop is called, which waits for the attempts under way.
func work(ctx context.Context, all []tenant, now func() time.Time, logger *slog.Logger) (stop func()) {
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	var background sync.WaitGroup
	background.Go(func() { prune(ctx, all, now, logger) })
	for _, t := range all {
		background.Go(func() {
			if err := t.sender.Run(ctx); err != nil {
				logger.Error("deliver webhooks", "error", err)
			}
		})
	}
	return func() {
		cancel()
		background.Wait()
	}
}

// handlerOf is what is served where. It uses no ServeMux, which answers a path
// with //, . or .. by a redirect to another one: what is no path of the server is
// 404, in JSON.
func handlerOf(all []tenant, set settings, addr net.Addr, logger *slog.Logger) (http.Handler, error) {
	opens := map[string]*affiliate.Program{}
	for _, t := range all {
		opens[t.key] = t.Program
	}
	auth, err := httpapi.Keys(opens)
	if err != nil {
		return nil, err
	}
	cfg := httpapi.Config{Logger: logger}
	api, err := httpapi.NewMulti(auth, cfg)
	if err != nil {
		return nil, err
	}
	tracking := httpapi.Tracking(byID(all), cfg)
	page := httpapi.Attribution(all[0].Program, newPage(all, set, addr))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Path == "/" && (r.Method == http.MethodGet || r.Method == http.MethodHead):
			page.ServeHTTP(w, r)
		case strings.HasPrefix(r.URL.Path, "/api/affiliates/"):
			tracking.ServeHTTP(w, r)
		default:
			api.ServeHTTP(w, r)
		}
	}), nil
}

// newServer is a server that slow and greedy clients do not hold up.
func newServer(handler http.Handler, logger *slog.Logger) *http.Server {
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

// answer answers requests until ctx ends, and then those under way.
func answer(ctx context.Context, server *http.Server, listener net.Listener) error {
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(listener) }()
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), grace)
	defer cancel()
	return errors.Join(server.Shutdown(ctx), server.Close())
}

// local is how this machine reaches the address.
func local(addr net.Addr) string {
	tcp, ok := addr.(*net.TCPAddr)
	if ok && tcp.IP.IsUnspecified() {
		return "http://" + net.JoinHostPort("localhost", strconv.Itoa(tcp.Port))
	}
	return "http://" + addr.String()
}

// greet says what there is, and shows a first line to try. A key that was given
// is not repeated: the output of a program is kept longer than it is looked at.
// The line then takes it from a variable; where that is not set, we say how.
func greet(w io.Writer, all []tenant, set settings, base string) {
	fmt.Fprintln(w, "everything is in memory and gone when the server stops")
	for _, t := range all {
		fmt.Fprintf(w, "program %s %q\n", t.Config().ID, t.Config().Name)
	}
	c := caller{base: base}
	switch {
	case set.made:
		c.key = all[0].key
		fmt.Fprintln(w, "key", c.key)
	case set.env != all[0].key:
		fmt.Fprintln(w, "in the shell that calls it, with the key that you gave in the place of …:")
		fmt.Fprintf(w, "export %s=…\n", keyVariable)
	}
	fmt.Fprintln(w, c.curl(call{method: "GET", path: "/api/v1/affiliates"}))
}

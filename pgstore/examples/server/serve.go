package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/httpapi"
	"github.com/tributary-go/tributary/webhooks"
)

// programID is the program that is served, the same in every run.
const programID = "0197c2f0-1a2b-7c3d-8e4f-5a6b7c8d9e01"

// serve runs the program on a store until ctx ends, the requests under way are
// answered, and the attempts under way are settled.
func serve(ctx context.Context, store affiliate.Store, set settings, listener net.Listener, stdout, stderr io.Writer) error {
	logger := slog.New(slog.NewTextHandler(stderr, nil))
	cfg := affiliate.Config{
		ID: uuid.MustParse(programID), Name: "Shop", Terms: affiliate.Terms{Rate: affiliate.MustPercent("20")},
		Destinations: []affiliate.Destination{{URL: "http://" + listener.Addr().String() + "/"}}, Logger: logger,
	}
	if set.private {
		cfg.Addresses = affiliate.AddressPolicy{AllowHTTP: true, AllowNetworks: privateNetworks()}
	}
	sender := &webhooks.Sender{Addresses: cfg.Addresses, Logger: logger}
	cfg.OnEvents, cfg.Send = sender.Wake, sender.Send
	program, err := affiliate.New(store, cfg)
	if err != nil {
		return err
	}
	if err := program.Ping(ctx); err != nil {
		return err
	}
	sender.Outbox = program
	handler, err := handlerOf(program, set.key, logger)
	if err != nil {
		return err
	}
	fmt.Fprintf(stdout, "listening on http://%s\n", listener.Addr())

	delivering, stop := context.WithCancel(context.WithoutCancel(ctx))
	var background sync.WaitGroup
	background.Go(func() {
		if err := sender.Run(delivering); err != nil {
			logger.Error("deliver webhooks", "error", err)
		}
	})
	background.Go(func() { prune(delivering, program, logger) })
	defer background.Wait()
	defer stop() // after the requests
	return answer(ctx, newServer(handler, logger), listener)
}

// handlerOf is what is served where. Links lead to the one page. It uses no
// ServeMux, which answers a path with //, . or .. by a redirect to another one:
// what is no path of the server is 404, in JSON.
func handlerOf(program *affiliate.Program, key string, logger *slog.Logger) (http.Handler, error) {
	api, err := httpapi.New(program, httpapi.Config{APIKeys: []string{key}, Logger: logger})
	if err != nil {
		return nil, err
	}
	find := func(_ context.Context, id string) (*affiliate.Program, error) {
		if id != programID {
			return nil, affiliate.ErrNotFound
		}
		return program, nil
	}
	tracking := httpapi.Tracking(find, httpapi.Config{Logger: logger})
	page := httpapi.Attribution(program, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, "the shop; you came through click %q\n", httpapi.ClickFrom(program, r))
	}))
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
		ReadHeaderTimeout: 5 * time.Second,
		ReadTimeout:       15 * time.Second, // with the body
		WriteTimeout:      30 * time.Second,
		IdleTimeout:       60 * time.Second,
		MaxHeaderBytes:    16 << 10,
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
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), server.WriteTimeout+5*time.Second)
	defer cancel()
	return errors.Join(server.Shutdown(ctx), server.Close())
}

// privateNetworks are this machine and the networks around it. The services
// that hand out a cloud machine's credentials stay closed whatever is opened.
func privateNetworks() (all []netip.Prefix) {
	for _, text := range []string{"127.0.0.0/8", "::1/128", "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "fc00::/7"} {
		all = append(all, netip.MustParsePrefix(text))
	}
	return all
}

package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/examples/serve"
	"github.com/tributary-go/tributary/httpapi"
	"github.com/tributary-go/tributary/webhooks"
)

// programID is the id of the program. It is the same in every run.
const programID = "0197c2f0-1a2b-7c3d-8e4f-5a6b7c8d9e01"

// runServer serves the program on a store until ctx ends. It returns when the
// requests under way are answered and the attempts under way are settled.
func runServer(ctx context.Context, store record.Store, set settings, listener net.Listener, stdout, stderr io.Writer) error {
	logger := slog.New(slog.NewTextHandler(stderr, nil))
	if set.destination == "" {
		set.destination = "http://" + listener.Addr().String() + "/"
	}
	cfg := tributary.Config{
		ID: uuid.MustParse(programID), Name: "Shop", Terms: affiliate.Terms{Rate: affiliate.MustPercent("20")},
		Destinations: []affiliate.Destination{{URL: set.destination}}, Logger: logger,
		Review: []affiliate.ReviewRule{affiliate.SelfReferral()}, // held until somebody decides
	}
	if err := serve.Secure(&cfg, os.Getenv, logger); err != nil {
		return err
	}
	if set.private {
		cfg.Addresses = serve.PrivateAddresses()
	}
	sender := &webhooks.Sender{Addresses: cfg.Addresses, Logger: logger}
	cfg.OnEvents, cfg.Send = sender.Wake, sender.Send
	program, err := tributary.New(store, cfg)
	if err != nil {
		return err
	}
	if err := program.Ping(ctx); err != nil {
		return err
	}
	sender.Outbox = program
	handler, err := handlerOf(ctx, program, set, logger)
	if err != nil {
		return err
	}
	fmt.Fprintf(stdout, "listening on http://%s\n", listener.Addr())

	deliver := func(ctx context.Context) {
		if err := sender.Run(ctx); err != nil {
			logger.Error("deliver webhooks", "error", err)
		}
	}
	retain := func(ctx context.Context) { serve.Retain(ctx, logger, program) }
	stop := serve.Background(ctx, deliver, func(ctx context.Context) {
		retain(ctx) // at once, because a process may run for less than a day
		serve.Daily(ctx, retain)
	})
	defer stop() // after the requests
	return serve.Until(ctx, serve.New(handler, logger), listener)
}

// handlerOf returns the handler of all paths. Links lead to one page. It is not
// ready from the end of ctx on.
func handlerOf(ctx context.Context, program *tributary.Program, set settings, logger *slog.Logger) (http.Handler, error) {
	limit := set.limit.Limit // of the API and of clicks together
	api, err := httpapi.New(program, httpapi.Config{APIKeys: []string{set.key}, Limit: limit, Logger: logger})
	if err != nil {
		return nil, err
	}
	find := func(_ context.Context, id string) (*tributary.Program, error) {
		if id != programID {
			return nil, affiliate.ErrNotFound
		}
		return program, nil
	}
	tracking := httpapi.Tracking(find, httpapi.Config{Limit: limit, Logger: logger})
	page := httpapi.Attribution(program, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, "the shop; you came through click %q\n", httpapi.ClickFrom(program, r))
	}))
	health := serve.Health{Programs: []*tributary.Program{program}, Stopping: ctx.Done()}
	return serve.Site{Page: page, Tracking: tracking, Health: health, API: api}, nil
}

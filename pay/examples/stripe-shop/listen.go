package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/tributary-go/tributary/httpapi/serve"
	"github.com/tributary-go/tributary/memstore"
	"github.com/tributary-go/tributary/pay"
)

// listen serves the shop until ctx ends.
func listen(ctx context.Context, addr, secret string, stdout, stderr io.Writer) error {
	out := &lines{w: stdout}
	if secret == "" {
		return errors.New(secretVariable + " is not set: it has the secret that stripe listen prints")
	}
	var s *shop
	s, err := open(ctx, memstore.New(), settings{
		secret: secret, now: time.Now, logs: stderr,
		onResult: func(ctx context.Context, r pay.Result) { out.print(r.Action.Event.Type + ": " + s.said(r)) },
	})
	if err != nil {
		return fmt.Errorf("%s: %w", secretVariable, err)
	}
	listener, err := net.Listen("tcp", addr)
	if err != nil {
		return err
	}
	out.print("everything is in memory and gone when the shop closes")
	out.print("stripe listen --forward-to " + listener.Addr().String() + "/webhooks/stripe")
	out.print("listening on http://" + listener.Addr().String())
	server := serve.New(hinted(s.mux, out), slog.New(slog.NewTextHandler(stderr, nil)))
	return serve.Until(ctx, server, listener)
}

// lines prints lines of many goroutines.
type lines struct {
	mu sync.Mutex
	w  io.Writer
}

func (l *lines) print(line string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	fmt.Fprintln(l.w, line)
}

// hinted says what is likely to be wrong when an event is refused.
func hinted(next http.Handler, out *lines) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		answer := &answer{ResponseWriter: w}
		next.ServeHTTP(answer, r)
		if answer.code == http.StatusUnauthorized {
			out.print("an event was refused: is " + secretVariable +
				" the secret that this stripe listen printed, and the clock right?")
		}
	})
}

// An answer remembers its status.
type answer struct {
	http.ResponseWriter
	code int
}

// WriteHeader passes the status on.
func (a *answer) WriteHeader(code int) {
	a.code = code
	a.ResponseWriter.WriteHeader(code)
}

// Receiver prints a line for every event that is delivered to it:
//
//	go run ./examples/receiver -addr 127.0.0.1:9090 -secret whsec_…
//
// Without -secret it reads TRIBUTARY_WEBHOOK_SECRET, which other people on the
// machine do not see in the list of processes. It accepts two secrets, separated by
// a comma, while an endpoint changes its secret. With port 0 the system picks a
// port; the first line of the output has the address. Refused requests are printed
// on standard error with the reason. At an interrupt it answers the deliveries
// under way and ends.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/webhooks"
)

const secretVariable = "TRIBUTARY_WEBHOOK_SECRET"

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Getenv, os.Stdout, os.Stderr); err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "receiver:", err)
		os.Exit(1)
	}
}

// run runs the program until ctx ends.
func run(ctx context.Context, args []string, getenv func(string) string, stdout, stderr io.Writer) error {
	flags := flag.NewFlagSet("receiver", flag.ContinueOnError)
	flags.SetOutput(stderr)
	addr := flags.String("addr", "127.0.0.1:9090", "`address` to listen on")
	text := flags.String("secret", "",
		"`secret` of the endpoint, or two with a comma between (default: $"+secretVariable+")")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *text == "" {
		*text = getenv(secretVariable)
	}
	if flags.NArg() > 0 || *text == "" {
		return errors.New("want -secret or " + secretVariable + ", and no other argument")
	}
	var secrets []affiliate.Secret
	for one := range strings.SplitSeq(*text, ",") {
		secret, err := webhooks.ParseSecret(one)
		if err != nil {
			return err
		}
		secrets = append(secrets, secret)
	}
	listener, err := net.Listen("tcp", *addr)
	if err != nil {
		return err
	}
	fmt.Fprintf(stdout, "listening on http://%s\n", listener.Addr())
	receiver := newReceiver(log.New(stdout, "", 0))
	receiver.Verifier = &webhooks.Verifier{Secrets: secrets}
	receiver.Dedup = webhooks.NewMemoryDedup(0, 0)
	refused := log.New(stderr, "refused: ", 0)
	receiver.OnError = func(r *http.Request, err error) { refused.Printf("%s: %v", r.RemoteAddr, err) }
	return serve(ctx, listener, receiver)
}

// serve answers requests until ctx ends, and then those under way.
func serve(ctx context.Context, listener net.Listener, handler http.Handler) error {
	server := &http.Server{
		Handler: handler, ReadHeaderTimeout: 5 * time.Second, ReadTimeout: 30 * time.Second,
		WriteTimeout: 60 * time.Second, IdleTimeout: 2 * time.Minute,
	}
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(listener) }()
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
	defer cancel()
	return server.Shutdown(ctx)
}

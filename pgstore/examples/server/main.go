// Server is the engine on PostgreSQL behind HTTP: the API, the tracking
// endpoints and the delivery of webhooks. The data stays in the database, which
// any number of processes may share.
//
//	go run ./examples/server -store postgres://…/shop   # uses a database of yours
//	go run ./examples/server                            # starts a PostgreSQL server and removes it afterwards
//	go run ./examples/server -h                         # prints the flags
//
// It makes the tables in the schema that -schema names, by default tributary, and
// does not remove them. It prints "listening on http://ADDR" when it is ready. At
// an interrupt it answers the requests under way and ends. A second interrupt
// ends it at once.
//
// Package examples/serve of the root module starts and stops the HTTP server and
// sets its limits for slow clients; package examples/cluster of this module starts
// the PostgreSQL server of a run without -store. If you copy this program, copy
// these packages too, or leave out the second with its use.
package main

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"os"
	"os/signal"
	"syscall"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/tributary-go/tributary/examples/serve"
	"github.com/tributary-go/tributary/pgstore"
	"github.com/tributary-go/tributary/pgstore/examples/cluster"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second interrupt ends the process
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

// settings are the values of the flags.
type settings struct {
	store, schema string
	addr, key     string
	check         string
	destination   string
	private       bool
	limit         *serve.Limiter
}

// run runs the program until ctx ends and returns the exit code.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	set := settings{limit: new(serve.Limiter)}
	flags := flag.NewFlagSet("server", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.StringVar(&set.store, "store", "", "`connection` string of a database (default: the variable TRIBUTARY_STORE; without it a server is started,\n"+
		"and removed at the end)")
	flags.StringVar(&set.schema, "schema", "tributary", "SQL `schema` of the tables")
	flags.StringVar(&set.addr, "addr", "127.0.0.1:8080", "`address` to listen on; with port 0 the system picks one")
	flags.StringVar(&set.key, "key", "", "`key` of the API, 20 characters or more. The list of processes shows it to whoever is on\n"+
		"this machine; the variable TRIBUTARY_KEY does not (default: the variable; without it one is made and printed)")
	flags.StringVar(&set.destination, "destination", "", "`URL` of your page that links lead to (default: the variable TRIBUTARY_DESTINATION; without it the page of this server)")
	flags.BoolVar(&set.private, "allow-private-webhooks", false, "deliver webhooks over http and to private addresses too: to receivers on this machine")
	proxies := flags.String("proxy", os.Getenv("TRIBUTARY_PROXY"), "`networks` of your proxies, such as 10.0.0.0/8, whose X-Forwarded-For says where a request comes from\n"+
		"(default: the variable TRIBUTARY_PROXY; without it none is believed)")
	flags.IntVar(&set.limit.Most, "limit", 0, fmt.Sprintf("how many `requests` an address may make in a minute; -1: any number (default %d)", serve.PerMinute))
	flags.StringVar(&set.check, "check", "", "ask the server at this `URL` whether it is ready, and end: exit code 0 if it is")
	err := flags.Parse(args)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return 0
	case err != nil:
		return 2
	case flags.NArg() > 0:
		fmt.Fprintf(stderr, "server: unexpected argument %q\n", flags.Arg(0))
		return 2
	}
	set.limit.Most = cmp.Or(set.limit.Most, serve.PerMinute)
	if set.limit.Proxies, err = serve.ParseProxies(*proxies); err != nil {
		fmt.Fprintln(stderr, "server: -proxy:", err)
		return 2
	}
	if set.key == "" {
		set.key = os.Getenv("TRIBUTARY_KEY")
	}
	if set.store == "" {
		set.store = os.Getenv("TRIBUTARY_STORE")
	}
	if set.destination == "" {
		set.destination = os.Getenv("TRIBUTARY_DESTINATION")
	}
	work := func() error { return start(ctx, set, stdout, stderr) }
	if set.check != "" {
		work = func() error { return serve.Probe(ctx, set.check) }
	}
	if err := work(); err != nil {
		fmt.Fprintln(stderr, "server:", err)
		return 1
	}
	return 0
}

// start opens the listener, the database and the store. It serves until ctx
// ends, and then closes them.
func start(ctx context.Context, set settings, stdout, stderr io.Writer) error {
	listener, err := net.Listen("tcp", set.addr) // fails before the database is used
	if err != nil {
		return err
	}
	defer listener.Close()
	if set.store == "" {
		server, err := cluster.Start(ctx, true)
		if errors.Is(err, cluster.ErrNoServer) {
			return errors.New("no database: name one with -store postgres://…, or install PostgreSQL 14 or later so that initdb and postgres are in PATH")
		}
		if err != nil {
			return err
		}
		defer func() { _ = server.Stop() }()
		set.store = server.URL()
		fmt.Fprintln(stdout, "on a PostgreSQL server of its own: what it knows is gone when it stops")
	}
	pool, err := pgxpool.New(ctx, set.store)
	if err != nil {
		return err
	}
	defer pool.Close()
	store, err := pgstore.New(pool, pgstore.Config{Schema: set.schema, Group: 64})
	if err != nil {
		return err
	}
	if err := store.Migrate(ctx); err != nil {
		return err
	}
	if set.key == "" {
		set.key = "tributary_" + rand.Text()
		fmt.Fprintln(stdout, "key", set.key)
	}
	return runServer(ctx, store, set, listener, stdout, stderr)
}

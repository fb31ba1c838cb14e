// Server runs everything in one command: the HTTP API, the tracking endpoints, the
// delivery of webhooks, the console, and a page that shows how to call them:
//
//	go run ./examples/server                                 # on 127.0.0.1:8080, with a key of its own
//	TRIBUTARY_KEY=… go run ./examples/server                 # with your key, of 20 characters or more
//	go run ./examples/server -key-file keys          # with keys of different rights, from a file
//	go run ./examples/server -addr 127.0.0.1:0               # on any free port
//	go run ./examples/server -demo                           # with a coffee shop's orders of the last year
//	go run ./examples/server -h                              # every flag
//
// It never shows a key that it was given.
//
// It keeps everything in memory, so it is for trying things out and for tests: all
// data is gone when it stops. It prints "listening on http://ADDR" when it is
// ready. At an interrupt it answers the requests under way and ends. A second
// interrupt ends it at once.
//
// Each line of the file of keys has the name of a key, its scope (full,
// integration or read), and its secret or "sha256:" and the hash of it:
//
//	shop     integration  a-secret-of-20-characters-or-more
//	reports  read         sha256:…
//
// The console is at /console/. It asks for a key: one of the scope full opens all
// of it, one of the scope read the pages without the forms, and one of the scope
// integration nothing.
//
// The pages for affiliates are at /partner/. POST /api/v1/partner/token answers a
// URL that opens those of one affiliate for a minute.
//
// # Reading the program
//
// main.go reads the flags, keyfile.go the file of keys, tenant.go makes the programs and their keys, run.go
// puts the handlers together and runs the server, page.go shows the page, and
// curl.go writes the lines that the page and the terminal show. login.go stands
// before the console, with session.go and tries.go, which limits guesses, and
// partner.go opens the pages for affiliates. Package
// examples/serve starts and ends the server and has its limits for slow clients:
// copy that one too.
package main

import (
	"context"
	"crypto/rand"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/netip"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/tributary-go/tributary/examples/serve"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second one is not caught
	os.Exit(run(ctx, os.Args[1:], os.Getenv, os.Stdout, os.Stderr))
}

// settings are the values of the flags, the clock and the source of randomness.
type settings struct {
	addr          string
	keys          []string // each opens a program; none, and no file: one is made
	keyFile       string   // of keys of the first program
	made          bool     // the program made the key, so it may show it
	env           string   // the key in the environment
	destinations  []string // none: the page
	demo, private bool
	limit         int            // requests of an address in a minute; zero: serve.PerMinute
	proxies       []netip.Prefix // whose X-Forwarded-For is believed

	now  func() time.Time
	rand io.Reader
}

// run runs the program until ctx ends and returns the exit code.
func run(ctx context.Context, args []string, getenv func(string) string, stdout, stderr io.Writer) int {
	set, err := parse(args, getenv, stderr)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return 0
	case err != nil:
		return 2
	}
	if err := runServer(ctx, set, stdout, stderr); err != nil {
		fmt.Fprintln(stderr, "server:", err)
		return 1
	}
	return 0
}

// keyVariable is the variable of the environment that holds the key. The lines of
// curl read it too.
const keyVariable = "TRIBUTARY_KEY"

func parse(args []string, getenv func(string) string, stderr io.Writer) (settings, error) {
	set := settings{env: getenv(keyVariable), now: time.Now, rand: rand.Reader}
	flags := flag.NewFlagSet("server", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.StringVar(&set.addr, "addr", "127.0.0.1:8080", "`address` to listen on; with port 0 the system picks one")
	flags.Func("key", "`key` of the API, 20 characters or more; given again, each opens a program of its own. The list of processes\n"+
		"shows it to whoever is on this machine; the variable "+keyVariable+" does not (default: the variable; without it one is made and printed)", add(&set.keys))
	flags.StringVar(&set.keyFile, "key-file", "", "`file` of keys of the first program, one in a line: NAME SCOPE SECRET, the scope full, integration or read")
	flags.Func("destination", "`URL` that links lead to; may be given again (default: the page of this server)", add(&set.destinations))
	flags.IntVar(&set.limit, "limit", 0, fmt.Sprintf("how many `requests` an address may make in a minute; -1: any number (default %d)", serve.PerMinute))
	flags.Func("proxy", "`network` of your proxies, such as 10.0.0.0/8, whose X-Forwarded-For says where a request comes from (default: none is believed)", func(text string) (err error) {
		set.proxies, err = serve.ParseProxies(text)
		return err
	})
	flags.BoolVar(&set.demo, "demo", false, "fill the first program with a year of orders")
	flags.BoolVar(&set.private, "allow-private-webhooks", false, "deliver webhooks over http and to private addresses too: to receivers on this machine")
	if err := flags.Parse(args); err != nil {
		return set, err
	}
	var err error
	switch {
	case flags.NArg() > 0:
		err = fmt.Errorf("unexpected argument %q", flags.Arg(0))
	case set.addr == "":
		err = errors.New("-addr is empty") // it would mean all networks of this machine
	}
	if err != nil {
		fmt.Fprintln(stderr, "server:", err)
	}
	if len(set.keys) == 0 && set.keyFile == "" && set.env != "" {
		set.keys = []string{set.env}
	}
	return set, err
}

// add collects the values of a flag that may be given again.
func add(list *[]string) func(string) error {
	return func(value string) error {
		*list = append(*list, value)
		return nil
	}
}

// Tributary-mcp lets an assistant read an affiliate program, by the Model Context Protocol:
// its tools call the HTTP API.
//
//	export TRIBUTARY_URL=https://partners.example TRIBUTARY_KEY_FILE=~/.tributary-key
//	tributary-mcp                        # on standard input and output, for a program that starts it
//	tributary-mcp -http 127.0.0.1:8090   # over HTTP, for callers who bring their own keys
//
// TRIBUTARY_URL is what stands before /api/v1. The key is in TRIBUTARY_KEY, or in the file
// that TRIBUTARY_KEY_FILE names; with -http each request has its own. Give it a key of the scope
// read. With -propose there are tools that ask for a change, which a person accepts in the console,
// for a key of the scope propose; with -write tools that change the program, for a key that may.
//
// Exit codes: 0 done, 1 failed, 2 wrong usage.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/tributary-go/tributary/client"
	"github.com/tributary-go/tributary/mcp"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second interrupt ends the process at once
	os.Exit(run(ctx, os.Args[1:], os.Getenv, &sdk.StdioTransport{}, os.Stderr))
}

// settings are the values of the flags and the environment.
type settings struct {
	url, key, addr string
	mcp.Config
}

// run runs the command and returns its exit code. It writes to stdio by the transport only.
func run(ctx context.Context, args []string, env func(string) string, stdio sdk.Transport, stderr io.Writer) int {
	set, err := parse(args, env, stderr)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return 0
	case err != nil:
		fmt.Fprintln(stderr, "tributary-mcp:", err)
		return 2
	}
	if set.addr != "" {
		err = serve(ctx, set, stderr)
	} else {
		err = talk(ctx, set, stdio)
	}
	if err != nil && ctx.Err() == nil {
		fmt.Fprintln(stderr, "tributary-mcp:", err)
		return 1
	}
	return 0
}

func parse(args []string, env func(string) string, stderr io.Writer) (set settings, err error) {
	flags := flag.NewFlagSet("tributary-mcp", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.BoolVar(&set.Write, "write", false, "add the tools that change the program; the key must have the scope")
	flags.BoolVar(&set.Propose, "propose", false, "add the tools that ask a person for a change; the key must have the scope propose")
	flags.StringVar(&set.addr, "http", "", "`address` to listen on, such as 127.0.0.1:8090; each request has its own key (default: standard input and output)")
	if err := flags.Parse(args); err != nil {
		return set, err
	}
	if flags.NArg() > 0 {
		return set, errors.New("there are no arguments beside flags")
	}
	set.url, set.key = env("TRIBUTARY_URL"), env("TRIBUTARY_KEY")
	if path := env("TRIBUTARY_KEY_FILE"); set.key == "" && path != "" {
		raw, err := os.ReadFile(path)
		if err != nil {
			return set, fmt.Errorf("TRIBUTARY_KEY_FILE: %w", err)
		}
		set.key = strings.TrimSpace(string(raw))
	}
	switch {
	case set.url == "":
		return set, errors.New("set TRIBUTARY_URL")
	case set.addr == "" && set.key == "":
		return set, errors.New("set TRIBUTARY_KEY or TRIBUTARY_KEY_FILE")
	}
	return set, nil
}

const (
	agent   = "tributary-mcp"
	timeout = 30 * time.Second // of a request to the API
)

// talk serves one assistant by a transport, until that ends.
func talk(ctx context.Context, set settings, stdio sdk.Transport) error {
	c, err := client.New(set.url, set.key, client.Config{UserAgent: agent, Timeout: timeout})
	if err != nil {
		return err
	}
	s, err := mcp.New(ctx, c, set.Config)
	if err != nil {
		return err
	}
	return s.Run(ctx, stdio)
}

// serve serves keys over HTTP until ctx ends.
func serve(ctx context.Context, set settings, stderr io.Writer) error {
	shared := client.Config{UserAgent: agent, Timeout: timeout, HTTP: &http.Client{Transport: &http.Transport{
		MaxIdleConnsPerHost: 64, IdleConnTimeout: 90 * time.Second, ForceAttemptHTTP2: true,
	}}}
	if _, err := client.New(set.url, "any", shared); err != nil {
		return err
	}
	listener, err := net.Listen("tcp", set.addr)
	if err != nil {
		return err
	}
	dial := func(key string) (*client.Client, error) { return client.New(set.url, key, shared) }
	s := &http.Server{
		Handler: mcp.Handler(dial, set.Config), ReadHeaderTimeout: 10 * time.Second,
		ReadTimeout: time.Minute, IdleTimeout: 2 * time.Minute,
	}
	context.AfterFunc(ctx, func() {
		end, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
		defer cancel()
		s.Shutdown(end)
	})
	fmt.Fprintf(stderr, "tributary-mcp: listening on http://%s\n", listener.Addr())
	if err := s.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

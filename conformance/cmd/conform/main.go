// Command conform tests a server of the HTTP API against the wire contract:
//
//	conform -base https://partners.example.com -key KEY
//
// It makes records under names of its own and leaves most of them behind, so give
// it the key of a program for tests. The key may also be in CONFORM_KEY.
//
//	-private-addresses  the server delivers webhooks to addresses that are not
//	                    public too, as examples/server -allow-private-webhooks
//	-house-codes        codes without an affiliate discount and count: Config.HouseCodes
//	-json               the report for machines
//	-skip GROUPS        groups of cases that are not run, with commas: admin, the
//	                    administration of a program
//	-known FILE         cases that the server is known to fail, one name on a
//	                    line; a listed case that passes is an error
//
// It exits with 0 when all cases pass, with 1 when a case fails, and with 2 when
// it could not run: the flags are wrong, or the server does not answer or does not
// accept the key.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"

	"github.com/tributary-go/tributary/conformance/servertest"
)

// The exit codes.
const (
	exitOK     = 0
	exitFailed = 1
	exitUsage  = 2
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	code := run(ctx, os.Args[1:], os.Getenv, os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// run returns the command.
func run(ctx context.Context, args []string, getenv func(string) string, stdout, stderr io.Writer) int {
	server, asJSON, err := parse(args, getenv, stderr)
	if errors.Is(err, flag.ErrHelp) {
		return exitOK
	}
	if err != nil {
		fmt.Fprintln(stderr, "conform:", err)
		return exitUsage
	}
	report, err := servertest.CheckServer(ctx, server)
	if err != nil {
		fmt.Fprintln(stderr, "conform:", err)
		return exitUsage
	}
	if err := write(stdout, report, asJSON); err != nil {
		fmt.Fprintln(stderr, "conform:", err)
		return exitUsage
	}
	if !report.OK() {
		return exitFailed
	}
	return exitOK
}

// parse reads the command line.
func parse(args []string, getenv func(string) string, stderr io.Writer) (s servertest.Server, asJSON bool, err error) {
	flags := flag.NewFlagSet("conform", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.StringVar(&s.URL, "base", "", "`URL` before /api/v1")
	flags.StringVar(&s.Key, "key", "", "API `key` of the program (default: CONFORM_KEY)")
	flags.BoolVar(&s.PrivateAddresses, "private-addresses", false,
		"the server delivers webhooks to addresses that are not public too")
	flags.BoolVar(&s.HouseCodes, "house-codes", false, "codes without an affiliate discount and count")
	flags.BoolVar(&asJSON, "json", false, "report as JSON")
	skip := flags.String("skip", "", "`groups` of cases that are not run, with commas: admin")
	known := flags.String("known", "", "`file` of cases that are known to fail")
	if err := flags.Parse(args); err != nil {
		return s, false, err
	}
	if s.Key == "" {
		s.Key = getenv("CONFORM_KEY")
	}
	if s.URL == "" || s.Key == "" || flags.NArg() > 0 {
		return s, false, errors.New("usage: conform -base URL -key KEY [-private-addresses] [-house-codes] [-json] [-skip GROUPS] [-known FILE]")
	}
	if *skip != "" {
		s.Skip = strings.Split(*skip, ",")
	}
	if *known != "" {
		s.Known, err = names(*known)
	}
	return s, asJSON, err
}

// names reads a list of cases, one on each line. Empty lines and lines that begin
// with # are ignored.
func names(file string) ([]string, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var list []string
	for line := range strings.Lines(string(text)) {
		if line = strings.TrimRight(line, "\r\n"); line != "" && !strings.HasPrefix(line, "#") {
			list = append(list, line)
		}
	}
	return list, nil
}

// write writes the report.
func write(w io.Writer, report servertest.Report, asJSON bool) error {
	if !asJSON {
		_, err := fmt.Fprint(w, report)
		return err
	}
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(struct {
		OK bool `json:"ok"`
		servertest.Report
	}{report.OK(), report})
}

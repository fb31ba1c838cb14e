package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/tributary-go/tributary/client"
)

// Exit codes.
const (
	exitDone        = 0
	exitRefused     = 1   // the server refused: 4xx
	exitUsage       = 2   // nothing was sent
	exitUnknown     = 3   // not reached, 5xx, or an answer that cannot be read
	exitFound       = 4   // what was looked for is bad news
	exitInterrupted = 130 // as a shell reports it
)

// An app is one run of the program.
type app struct {
	ctx    context.Context
	env    func(string) string
	stdin  io.Reader
	stdout *bufio.Writer
	stderr io.Writer

	client   *client.Client
	secret   string // the API key, which is shown nowhere
	zone     *time.Location
	currency *string // of the program; nil: not asked yet
}

// run runs a command line and returns its exit code. Standard output gets the
// answer and nothing else; everything else is on standard error.
func run(ctx context.Context, args []string, env func(string) string, stdin io.Reader, stdout, stderr io.Writer) int {
	a := &app{ctx: ctx, env: env, stdin: stdin, stdout: bufio.NewWriter(stdout), stderr: stderr}
	j, err := a.command(args)
	if err == nil && j != nil {
		err = j.do()
	}
	if flush := a.stdout.Flush(); err == nil {
		err = flush
	}
	return a.exit(j, err)
}

// command finds out what is to be done. It is nil when that was to print help.
func (a *app) command(args []string) (*job, error) {
	if len(args) == 0 || wantsHelp(args[:1]) {
		return nil, a.help(args)
	}
	if args[0] == "api" {
		return a.raw(args[1:])
	}
	of, one := find(args[0], "")
	rest := args[1:]
	if len(of) == 0 {
		return nil, usage("there is no group %s; see tributary help", args[0])
	}
	if one == nil {
		if len(rest) == 0 || wantsHelp(rest[:1]) {
			return nil, a.groupHelp(of)
		}
		if _, one = find(args[0], rest[0]); one == nil {
			return nil, usage("%s has no verb %s; see tributary %s help", args[0], rest[0], args[0])
		}
		rest = rest[1:]
	}
	if slices.ContainsFunc(rest, func(s string) bool { return s == "-h" || s == "-help" || s == "--help" }) {
		return nil, a.commandHelp(one)
	}
	return a.parse(one, rest)
}

func wantsHelp(args []string) bool {
	return slices.Contains([]string{"help", "-h", "-help", "--help"}, args[0])
}

// connect reads the environment.
func (a *app) connect(patient bool) error {
	url, key := a.env("TRIBUTARY_URL"), a.env("TRIBUTARY_KEY")
	if path := a.env("TRIBUTARY_KEY_FILE"); key == "" && path != "" {
		raw, err := os.ReadFile(path)
		if err != nil {
			return usage("TRIBUTARY_KEY_FILE: %v", err)
		}
		key = strings.TrimSpace(string(raw))
	}
	if url == "" || key == "" {
		return usage("set TRIBUTARY_URL, and TRIBUTARY_KEY or TRIBUTARY_KEY_FILE")
	}
	cfg := client.Config{UserAgent: "tributary", Timeout: 30 * time.Second}
	if patient {
		cfg.Timeout, cfg.MaxRetries = 24*time.Hour, -1
	}
	c, err := client.New(url, key, cfg)
	if err != nil {
		return usage("%s", strings.TrimPrefix(err.Error(), "client: "))
	}
	a.client, a.secret, a.zone = c, key, time.Local
	if name := a.env("TZ"); name != "" {
		if a.zone, err = time.LoadLocation(name); err != nil {
			return usage("TZ: %v", err)
		}
	}
	return nil
}

// A misuse is an error for which nothing was sent.
type misuse struct{ text string }

func (m *misuse) Error() string { return m.text }

func usage(format string, args ...any) error { return &misuse{fmt.Sprintf(format, args...)} }

// A problemFound is an answer that reports a problem. It has been shown.
type problemFound struct{}

func (problemFound) Error() string { return "see above" }

// exit says what went wrong and returns the exit code.
func (a *app) exit(j *job, err error) int {
	code := codeOf(a.ctx, err)
	switch refused, ok := errors.AsType[*client.Error](err); {
	case code == exitDone || code == exitFound:
		return code
	case code == exitInterrupted:
		a.say("interrupted")
	case ok:
		a.say("error: %s", explain(refused))
	default:
		a.say("error: %v", err)
	}
	if j != nil && j.sent && j.unsure() && code >= exitUnknown {
		a.say("the outcome is unknown: repeat the same command with --idempotency-key %s", j.key)
	}
	return code
}

func codeOf(ctx context.Context, err error) int {
	refused, answered := errors.AsType[*client.Error](err)
	_, misused := errors.AsType[*misuse](err)
	_, found := errors.AsType[problemFound](err)
	_, missed := errors.AsType[notFound](err)
	switch {
	case err == nil:
		return exitDone
	case found:
		return exitFound
	case misused:
		return exitUsage
	case missed || answered && refused.Status/100 == 4:
		return exitRefused
	case ctx.Err() != nil:
		return exitInterrupted
	case answered && refused.Attempts == 0:
		return exitUsage
	}
	return exitUnknown
}

// explain returns the text of an error, with its code and field.
func explain(e *client.Error) string {
	var with []string
	for _, s := range []string{string(e.Err.Reason), e.Err.Field} {
		if s != "" {
			with = append(with, s)
		}
	}
	text := e.Err.Message
	if e.Err.Err != nil && e.Attempts > 0 {
		text += ": " + e.Err.Err.Error()
	}
	if e.Status/100 != 4 && e.Status != 0 {
		text += fmt.Sprintf(" [status %d, request %s]", e.Status, e.RequestID())
	}
	if len(with) > 0 {
		text = cut(text, maxError) + " (" + strings.Join(with, ", ") + ")"
	}
	return text
}

// maxError is the largest part of an error that is shown, in characters.
const maxError = 500

// say writes a line to standard error.
func (a *app) say(format string, args ...any) {
	line := a.blank(fmt.Sprintf(format, args...))
	fmt.Fprintln(a.stderr, cut(inert(line), 2*maxError))
}

// blank hides the API key, unless it is so short that it may be a word.
func (a *app) blank(s string) string {
	if len(a.secret) < 16 {
		return s
	}
	return strings.ReplaceAll(s, a.secret, "***")
}

package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/httpapi/app"
	"github.com/tributary-go/tributary/pay/adapter"
)

const (
	caughtUpKind = "server-caught-up"
	overlap      = 3 * 24 * time.Hour // that is read again: what was told late, and what changed since
)

// catchUp applies again what a provider has told since a moment; zero: since three days before the
// newest event that the last time had. It does nothing without the key of an API.
func (c *connection) catchUp(ctx context.Context, from time.Time) (done adapter.CaughtUp, since time.Time, reads bool, err error) {
	env := c.variables
	if _, reads = env[c.variable(apiKeyName)]; !reads {
		return done, from, false, nil
	}
	if _, fixed := env[c.variable(secretName)]; !fixed { // the options of who connected it in the console count
		if env, err = c.withKept(ctx); err != nil {
			return done, from, true, err
		}
	}
	src, err := c.source(env)
	if err != nil {
		return done, from, true, err
	}
	values, now := c.host.Program.Values(caughtUpKind), c.host.Program.Config().Now()
	if since = from; since.IsZero() {
		since = now.Add(-overlap)
		v, err := values.Get(ctx, c.name)
		if err != nil && !errors.Is(err, affiliate.ErrNotFound) {
			return done, since, true, err
		}
		var last time.Time
		if err == nil && json.Unmarshal(v.Value, &last) == nil {
			since = last.Add(-overlap)
		}
	}
	if done, err = src.CatchUp(ctx, c.host.Program, since); err != nil {
		return done, since, true, err
	}
	return done, since, true, values.Change(ctx, c.name, func(json.RawMessage) (json.RawMessage, error) { return json.Marshal(now) })
}

// source reads the provider's API as variables say.
func (c *connection) source(env environment) (adapter.Source, error) {
	o := &options{provider: c.provider, env: env}
	return c.adapter(adapter.Config{CarryKeys: c.keys, Logger: c.host.Logger, OnResult: c.note}, o).source()
}

// readable refuses variables with which an API cannot be read. The error has no key.
func (c *connection) readable(env environment) error {
	src, err := c.source(env)
	if err == nil {
		err = src.Check()
	}
	if err != nil {
		return fmt.Errorf("%s: %w", c.variable(apiKeyName), err)
	}
	return nil
}

// withKept returns the variables with the options that the store keeps.
func (c *connection) withKept(ctx context.Context) (environment, error) {
	v, err := c.values().Get(ctx, c.name)
	if errors.Is(err, affiliate.ErrNotFound) {
		return c.variables, nil
	}
	var k keptConnection
	if err == nil {
		err = json.Unmarshal(v.Value, &k)
	}
	env := k.env(c.provider)
	maps.Copy(env, c.variables)
	return env, err
}

// daily reads what was lost, and says what it found.
func (c *connection) daily(ctx context.Context) {
	done, since, reads, err := c.catchUp(ctx, time.Time{})
	switch log := c.host.Logger.With("provider", c.name, "since", since.Format(time.RFC3339)); {
	case err != nil && ctx.Err() == nil:
		log.LogAttrs(ctx, slog.LevelError, "read lost payment events", slog.Any("error", err))
	case reads && done.Sales > 0:
		log.LogAttrs(ctx, slog.LevelWarn, "payment events were lost: these are the sales that were missing", slog.Int("sales", done.Sales))
	}
}

// reconcileUsage is the text of "reconcile -h" before the flags.
const reconcileUsage = `Reads again from payment providers what they told, and books what is missing: server reconcile [flags]
Call it with the variables and the flags of the server, which may run. The key of a provider's API is in
a variable such as TRIBUTARY_STRIPE_API_KEY: docs/reconcile.md. What is known stays as it is.

`

func runReconcile(ctx context.Context, args []string, env environment, stdout, stderr io.Writer) int {
	flags := newFlags("reconcile", reconcileUsage, stderr)
	where, from := choice{env: env}, affiliate.Date{}
	where.Flags(flags)
	flags.Func("from", "`day`, such as 2026-10-01, or a time, from which on to read (default: three days before the last time)", func(s string) (err error) {
		from, err = affiliate.ParseDate(s)
		return err
	})
	name := flags.String("provider", "", "`name` of the only one to read, such as stripe")
	if code, goes := parsed(flags, args, 0, "it takes flags only"); !goes {
		return code
	}
	at, err := where.place()
	if err == nil {
		err = env.reconcile(ctx, at, from, *name, stdout, stderr)
	}
	return ended(flags, err)
}

func (e environment) reconcile(ctx context.Context, at place, from affiliate.Date, name string, stdout, stderr io.Writer) (err error) {
	if err := e.unknown(); err != nil {
		return err
	}
	p, done, err := e.program(ctx, at)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, done()) }()
	cs, err := e.connections(app.Host{Program: p, Logger: slog.New(slog.NewTextHandler(stderr, nil))})
	if err != nil {
		return err
	}
	read := 0
	for _, c := range cs.all {
		if name != "" && c.name != name {
			continue
		}
		var begin time.Time
		if from != (affiliate.Date{}) {
			begin = from.FirstInstant(p.Config().Location)
		}
		caught, since, reads, err := c.catchUp(ctx, begin)
		if err != nil {
			return fmt.Errorf("%s: %w", c.name, err)
		}
		if reads {
			read++
			fmt.Fprintln(stdout, caughtUpSaid(c.name, since, &caught))
		}
	}
	if read == 0 {
		return errors.New("no provider is read: set the key of its API, such as TRIBUTARY_STRIPE_API_KEY")
	}
	return nil
}

// caughtUpSaid says in a line what was read.
func caughtUpSaid(name string, since time.Time, c *adapter.CaughtUp) string {
	said := []string{fmt.Sprintf("%s: %d events since %s, %d sales were missing", name, c.Read, since.UTC().Format(time.RFC3339), c.Sales)}
	for _, reason := range slices.Sorted(maps.Keys(c.Refused)) {
		said = append(said, fmt.Sprintf("%d refused (%s)", c.Refused[reason], reason))
	}
	for _, reason := range slices.Sorted(maps.Keys(c.Ignored)) {
		said = append(said, fmt.Sprintf("%d ignored (%s)", c.Ignored[reason], reason))
	}
	if c.Unreadable > 0 {
		said = append(said, fmt.Sprintf("%d unreadable", c.Unreadable))
	}
	return strings.Join(said, ", ")
}

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

// reading is how a provider's API is read; reads is false without a key of it.
func (c *connection) reading(ctx context.Context) (src adapter.Source, reads bool, err error) {
	env := c.variables
	if _, reads = env[c.variable(apiKeyName)]; !reads {
		return src, false, nil
	}
	if _, fixed := env[c.variable(secretName)]; !fixed { // the options of who connected it in the console count
		if env, err = c.withKept(ctx); err != nil {
			return src, true, err
		}
	}
	src, err = c.source(env)
	return src, true, err
}

// since returns from which moment on to read: three days before the last time.
func (c *connection) since(ctx context.Context) (time.Time, error) {
	last := c.host.Program.Config().Now()
	v, err := c.host.Program.Values(caughtUpKind).Get(ctx, c.name)
	if err == nil {
		err = json.Unmarshal(v.Value, &last)
	}
	if errors.Is(err, affiliate.ErrNotFound) {
		err = nil
	}
	return last.Add(-overlap), err
}

// catchUp applies again what a provider has told since a moment.
func (c *connection) catchUp(ctx context.Context, src adapter.Source, since time.Time) (adapter.CaughtUp, error) {
	now, err := json.Marshal(c.host.Program.Config().Now())
	if err != nil {
		return adapter.CaughtUp{}, err
	}
	done, err := src.CatchUp(ctx, c.host.Program, since)
	if err != nil {
		return done, err
	}
	return done, c.host.Program.Values(caughtUpKind).Change(ctx, c.name, func(json.RawMessage) (json.RawMessage, error) { return now, nil })
}

// source reads the provider's API as variables say.
func (c *connection) source(env environment) (adapter.Source, error) {
	o := &options{provider: c.provider, env: env}
	return c.adapter(adapter.Config{CarryKeys: c.keys, Logger: c.host.Logger}, o).source()
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
	src, reads, err := c.reading(ctx)
	if err == nil && !reads {
		return
	}
	var since time.Time
	if err == nil {
		since, err = c.since(ctx)
	}
	var done adapter.CaughtUp
	if err == nil {
		done, err = c.catchUp(ctx, src, since)
	}
	switch log := c.host.Logger.With("provider", c.name, "since", since.Format(time.RFC3339)); {
	case err != nil && ctx.Err() == nil:
		log.LogAttrs(ctx, slog.LevelError, "read lost payment events", slog.Any("error", err))
	case done.Sales > 0:
		log.LogAttrs(ctx, slog.LevelWarn, "payment events were lost: these are the sales that were missing", slog.Int("sales", done.Sales))
	}
}

// reconcileUsage is the text of "reconcile -h" before the flags.
const reconcileUsage = `Reads again from payment providers what they told, and books what is missing: server reconcile [flags]
Call it with the variables and the flags of the server, which may run. The key of a provider's API is in
a variable such as TRIBUTARY_STRIPE_API_KEY: docs/reconcile.md. What is known stays as it is. With
-compare it books nothing, and the exit code is 1 when something differs.

`

func runReconcile(ctx context.Context, args []string, env environment, stdout, stderr io.Writer) int {
	flags := newFlags("reconcile", reconcileUsage, stderr)
	where, from := choice{env: env}, affiliate.Date{}
	where.Flags(flags)
	flags.Func("from", "`day`, such as 2026-10-01, or a time, from which on to read (default: three days before the last time)", func(s string) (err error) {
		from, err = affiliate.ParseDate(s)
		return err
	})
	compare := flags.Bool("compare", false, "say in what the two differ, and book nothing")
	name := flags.String("provider", "", "`name` of the only one to read, such as stripe")
	if code, goes := parsed(flags, args, 0, "it takes flags only"); !goes {
		return code
	}
	at, err := where.place()
	if err == nil {
		err = env.reconcile(ctx, at, from, *name, *compare, stdout, stderr)
	}
	return ended(flags, err)
}

func (e environment) reconcile(ctx context.Context, at place, from affiliate.Date, name string, compare bool, stdout, stderr io.Writer) (err error) {
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
	read, differ := 0, 0
	for _, c := range cs.all {
		src, reads, err := c.reading(ctx)
		if name != "" && c.name != name || err == nil && !reads {
			continue
		}
		since := from.FirstInstant(p.Config().Location)
		if err == nil && from == (affiliate.Date{}) {
			since, err = c.since(ctx)
		}
		var caught adapter.CaughtUp
		var found adapter.Comparison
		switch {
		case err != nil:
		case compare:
			found, err = src.Compare(ctx, p, since)
		default:
			caught, err = c.catchUp(ctx, src, since)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", c.name, err)
		}
		if read++; compare {
			differ += len(found.Differences)
			sayCompared(stdout, c.name, since, &found)
		} else {
			fmt.Fprintln(stdout, caughtUpSaid(c.name, since, &caught))
		}
	}
	switch {
	case read == 0:
		return errors.New("no provider is read: set the key of its API, such as TRIBUTARY_STRIPE_API_KEY")
	case differ > 0:
		return fmt.Errorf("%d payments differ", differ)
	}
	return nil
}

// sayCompared says in what a provider and the program differ, a payment in a line.
func sayCompared(w io.Writer, name string, since time.Time, c *adapter.Comparison) {
	fmt.Fprintf(w, "%s: %d payments since %s, and %d of customers whom nobody brought\n", name, c.Payments, since.UTC().Format(time.RFC3339), c.Nobodys+c.Foreign)
	for _, in := range slices.Sorted(maps.Keys(c.Sums)) {
		sums := c.Sums[in]
		fmt.Fprintf(w, "  all: there %s, here %s\n", paidSaid(sums.TheirPaid, sums.TheirLost, in), paidSaid(sums.OurPaid, sums.OurLost, in))
	}
	for _, d := range c.Differences {
		fmt.Fprintf(w, "  %s %s %s: there %s, here %s", d.Kind, d.At.Time().Format(time.DateOnly), strings.Join(d.Keys, " "),
			paidSaid(d.Sums.TheirPaid, d.Sums.TheirLost, d.Currency), paidSaid(d.Sums.OurPaid, d.Sums.OurLost, d.Currency))
		if id, ok := d.SaleID.Get(); ok {
			fmt.Fprintf(w, ", sale %d", id)
		}
		if d.Waits != "" {
			fmt.Fprintf(w, ", waits: %s", d.Waits)
		}
		fmt.Fprintln(w)
	}
}

func paidSaid(paid, lost affiliate.Amount, in affiliate.Currency) string {
	said := paid.Format(in) + " " + string(in)
	if lost.Sign() > 0 {
		said += " less " + lost.Format(in)
	}
	return said
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

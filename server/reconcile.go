package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/httpapi/app"
	"github.com/tributary-go/tributary/pay/adapter"
	"github.com/tributary-go/tributary/webhooks"
)

const (
	caughtUpKind = "server-caught-up"
	apiTime      = 30 * time.Second    // for a request
	overlap      = 3 * 24 * time.Hour  // that is read again: what was told late, and what changed since
	compared     = 28 * 24 * time.Hour // that is compared daily
)

// source is how a provider's API is read; reads is false without a key of it.
func (c *connection) source(ctx context.Context) (src adapter.Source, reads bool, err error) {
	kept, err := valueOf[keptConnection](ctx, c.values(), c.name)
	if err != nil {
		return src, false, err
	}
	env, reads := c.readsBy(kept)
	if reads {
		src, err = c.sourceOf(env)
	}
	return src, reads, err
}

// readsBy returns the variables with which the API is read, when something is kept, and whether it is. Those
// of the server come first; what somebody connected in the console counts when they do not connect it. A key of
// the server goes to no address that the console has.
func (c *connection) readsBy(k keptConnection) (environment, bool) {
	env := c.variables
	if c.fixed == nil {
		env = k.env(c.provider)
		_, own := c.variables[c.variable(apiKeyName)]
		for _, o := range c.options {
			if own && o.address {
				delete(env, c.variable(o.name))
			}
		}
		maps.Copy(env, c.variables)
	}
	_, reads := env[c.variable(apiKeyName)]
	return env, reads
}

// since returns from which moment on to read: three days before the last time.
func (c *connection) since(ctx context.Context) (time.Time, error) {
	last, err := valueOf[time.Time](ctx, c.host.Program.Values(caughtUpKind), c.name)
	if now := c.host.Program.Config().Now(); last.IsZero() || last.After(now) { // never, or a clock was wrong
		last = now
	}
	return last.Add(-overlap), err
}

// catchUp applies again what a provider has told since a moment. One that leaves out what was not read before is not the
// last time.
func (c *connection) catchUp(ctx context.Context, src adapter.Source, since time.Time) (adapter.CaughtUp, error) {
	now, err := json.Marshal(c.host.Program.Config().Now())
	if err != nil {
		return adapter.CaughtUp{}, err
	}
	done, err := src.CatchUp(ctx, c.host.Program, since)
	if err != nil {
		return done, err
	}
	return done, c.host.Program.Values(caughtUpKind).Change(ctx, c.name, func(raw json.RawMessage) (json.RawMessage, error) {
		var last time.Time
		if raw != nil && json.Unmarshal(raw, &last) == nil && since.After(last) {
			return raw, nil
		}
		return now, nil
	})
}

// sourceOf reads the provider's API as variables say.
func (c *connection) sourceOf(env environment) (adapter.Source, error) {
	o := &options{provider: c.provider, env: env}
	src, err := c.adapter(adapter.Config{CarryKeys: c.keys, Logger: c.host.Logger}, o).source()
	src.Progress = func(read int, newest time.Time) {
		c.says(fmt.Sprintf("%d events were read, until %s", read, newest.UTC().Format(time.DateOnly)))
	}
	if c.typed(env) {
		src.API.Client = &http.Client{Timeout: apiTime, Transport: webhooks.NewTransport(c.host.Program.Config().Addresses)}
	}
	return src, err
}

// typed reports whether somebody typed the address of the API in the console: then it leads to none that
// a webhook may not have.
func (c *connection) typed(env environment) bool {
	return slices.ContainsFunc(c.options, func(o option) bool {
		name := c.variable(o.name)
		return o.address && env[name] != c.variables[name]
	})
}

// address returns where the key of the API goes; empty: it cannot be used.
func (c *connection) address(env environment) string {
	src, err := c.sourceOf(env)
	if err != nil {
		return ""
	}
	return src.API.Base
}

// says keeps what is being read.
func (c *connection) says(reading string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.reading = reading
}

// readable refuses variables with which an API cannot be read. The error has no key.
func (c *connection) readable(env environment) error {
	src, err := c.sourceOf(env)
	if err == nil {
		err = src.Check()
	}
	if err != nil {
		return fmt.Errorf("%s: %w", c.variable(apiKeyName), err)
	}
	return nil
}

// background reads what was lost when the server starts, once a day, and when somebody asks for it.
func (c *connection) background(ctx context.Context) {
	for from := (time.Time{}); ctx.Err() == nil; {
		c.daily(ctx, from)
		select {
		case <-ctx.Done():
		case <-time.After(24 * time.Hour):
			from = time.Time{}
		case from = <-c.asked:
		}
	}
}

// ask has the API read now since a moment, zero: as daily, and reports whether nobody else has asked.
func (c *connection) ask(since time.Time) bool {
	select {
	case c.asked <- since:
		return true
	default:
		return false
	}
}

// daily reads what was lost since a moment, zero: since the last time, says what it found, and compares
// the books of the last weeks at least.
func (c *connection) daily(ctx context.Context, since time.Time) {
	src, reads, err := c.source(ctx)
	if err == nil && !reads {
		c.fails("")
		return
	}
	if err == nil && since.IsZero() {
		since, err = c.since(ctx)
	}
	c.says("It is being read.")
	defer c.says("")
	var done adapter.CaughtUp
	if err == nil {
		done, err = c.catchUp(ctx, src, since)
	}
	open := 0
	if err == nil || done.Failed > 0 { // single events do not keep the others from being compared
		if weeks := c.host.Program.Config().Now().Add(-compared); weeks.Before(since) {
			since = weeks
		}
		_, n, err2 := c.compare(ctx, src, since)
		open, err = n, cmp.Or(err, err2)
	}
	log := c.host.Logger.With("provider", c.name, "since", since.Format(time.RFC3339))
	if done.Sales > 0 {
		log.LogAttrs(ctx, slog.LevelWarn, "payment events were lost: these are the sales that were missing", slog.Int("sales", done.Sales))
	}
	if open > 0 {
		log.LogAttrs(ctx, slog.LevelWarn, "the books of the provider differ: look at them in the console", slog.Int("payments", open))
	}
	why := ""
	if err != nil && ctx.Err() == nil {
		log.LogAttrs(ctx, slog.LevelError, "read lost payment events", slog.Any("error", err))
		why = err.Error()
	}
	c.fails(why)
}

// fails keeps why the last reading failed; empty: it did not.
func (c *connection) fails(why string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.failed = why
}

// reconcileUsage is the text of "reconcile -h" before the flags.
const reconcileUsage = `Reads again from payment providers what they told, and books what is missing: server reconcile [flags]
Call it with the variables and the flags of the server, which may run. The key of a provider's API is in
a variable such as TRIBUTARY_STRIPE_API_KEY: docs/reconcile.md. What is known stays as it is. With
-compare it books nothing, and the exit code is 1 when something differs; the console shows it too.

`

func runReconcile(ctx context.Context, args []string, env environment, stdout, stderr io.Writer) int {
	flags := newFlags("reconcile", reconcileUsage, stderr)
	where, from := choice{env: env}, affiliate.Date{}
	where.Flags(flags)
	flags.Func("from", "`day`, such as 2026-10-01, or a time, from which on to read (default: three days before the last time)", func(s string) (err error) {
		from, err = affiliate.ParseDate(s)
		return err
	})
	var rq reconciling
	flags.BoolVar(&rq.compare, "compare", false, "say in what the two differ, and book nothing")
	flags.StringVar(&rq.name, "provider", "", "`name` of the only one to read, such as stripe")
	flags.StringVar(&rq.format, "format", "text", "with -compare: text, json, or csv, which has one provider")
	if code, goes := parsed(flags, args, 0, "it takes flags only"); !goes {
		return code
	}
	at, err := where.place()
	if err == nil {
		rq.from = from
		err = env.reconcile(ctx, at, rq, stdout, stderr)
	}
	return ended(flags, err)
}

// A reconciling is what the command is asked for.
type reconciling struct {
	from         affiliate.Date // zero: three days before the last time
	name, format string
	compare      bool
}

func (e environment) reconcile(ctx context.Context, at place, rq reconciling, stdout, stderr io.Writer) (err error) {
	if err := e.unknown(); err != nil {
		return err
	}
	if !slices.Contains([]string{"text", "json", "csv"}, rq.format) || rq.format != "text" && !rq.compare {
		return errors.New("-format is text, json or csv, and goes with -compare")
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
	var readers []*connection
	for _, c := range cs.all {
		if _, reads, err := c.source(ctx); (rq.name == "" || c.name == rq.name) && (err != nil || reads) {
			readers = append(readers, c)
		}
	}
	switch now := p.Config().Now(); {
	case len(readers) == 0:
		return errors.New("no provider is read: set the key of its API, such as TRIBUTARY_STRIPE_API_KEY")
	case rq.format == "csv" && len(readers) > 1:
		return errors.New("a file is of one provider: say which with -provider")
	case rq.from.FirstInstant(p.Config().Location).After(now):
		return errors.New("-from has not come yet")
	}
	differ, all := 0, map[string]adapter.Comparison{}
	var failed error // one provider does not keep the others from being read
	for _, c := range readers {
		src, _, err := c.source(ctx)
		since := rq.from.FirstInstant(p.Config().Location)
		if err == nil && rq.from == (affiliate.Date{}) {
			since, err = c.since(ctx)
		}
		src.Progress = saysProgress(stderr, c.name, since, p.Config().Now)
		var caught adapter.CaughtUp
		var found adapter.Comparison
		switch {
		case err != nil:
		case rq.compare:
			found, _, err = c.compare(ctx, src, since)
		default:
			caught, err = c.catchUp(ctx, src, since)
		}
		if err != nil {
			failed = errors.Join(failed, fmt.Errorf("%s: %w", c.name, err))
		}
		switch {
		case err != nil && caught.Failed == 0:
		case rq.compare:
			differ += len(found.Differences)
			if all[c.name] = found; rq.format == "text" {
				sayCompared(stdout, c.name, since, &found)
			}
		default:
			fmt.Fprintln(stdout, caughtUpSaid(c.name, since, &caught))
		}
	}
	switch {
	case rq.format == "json":
		out := json.NewEncoder(stdout)
		out.SetIndent("", "  ")
		err = out.Encode(all)
	case rq.format == "csv":
		for _, found := range all {
			err = found.WriteCSV(stdout)
		}
	}
	if differ > 0 {
		failed = errors.Join(failed, fmt.Errorf("%d payments differ", differ))
	}
	return errors.Join(failed, err)
}

// saysProgress says each 10,000 events how far a reading is, and about how long it takes until now.
func saysProgress(w io.Writer, name string, since time.Time, now func() time.Time) func(int, time.Time) {
	began := now()
	return func(read int, newest time.Time) {
		if read%10_000 != 0 {
			return
		}
		said := fmt.Sprintf("%s: %d events, until %s", name, read, newest.UTC().Format(time.DateOnly))
		if done := newest.Sub(since); done > 0 {
			rest := float64(began.Sub(newest)) / float64(done) * float64(now().Sub(began))
			said += fmt.Sprintf(", about %s more", time.Duration(max(0, rest)).Round(time.Second))
		}
		fmt.Fprintln(w, said)
	}
}

// sayCompared says in what a provider and the program differ, a payment in a line.
func sayCompared(w io.Writer, name string, since time.Time, c *adapter.Comparison) {
	unreadable := ""
	if c.Unreadable > 0 {
		unreadable = fmt.Sprintf("; %d events are unreadable", c.Unreadable)
	}
	fmt.Fprintf(w, "%s: %d payments since %s, and %d of customers whom nobody brought%s\n", name, c.Payments, since.UTC().Format(time.RFC3339), c.Nobodys+c.Foreign, unreadable)
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
	if c.Nobodys > 0 {
		said = append(said, fmt.Sprintf("%d of customers whom nobody brought", c.Nobodys))
	}
	for _, reason := range slices.Sorted(maps.Keys(c.Refused)) {
		said = append(said, fmt.Sprintf("%d refused (%s)", c.Refused[reason], reason))
	}
	for _, reason := range slices.Sorted(maps.Keys(c.Ignored)) {
		said = append(said, fmt.Sprintf("%d ignored (%s)", c.Ignored[reason], reason))
	}
	if c.Unreadable > 0 {
		said = append(said, fmt.Sprintf("%d unreadable", c.Unreadable))
	}
	if c.Failed > 0 {
		said = append(said, fmt.Sprintf("%d could not be applied", c.Failed))
	}
	return strings.Join(said, ", ")
}

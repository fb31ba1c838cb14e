package app

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/httpapi"
	"github.com/tributary-go/tributary/httpapi/console"
	"github.com/tributary-go/tributary/httpapi/serve"
)

// runServer runs the server until ctx ends and the requests under way are
// answered.
func runServer(ctx context.Context, set settings, stdout, stderr io.Writer) error {
	logger := slog.New(slog.NewTextHandler(stderr, nil))
	shared, err := set.complete(stderr)
	if err != nil {
		return err // before the store is opened, which may make a file
	}
	listener, err := net.Listen("tcp", set.addr)
	if err != nil {
		return err
	}
	defer listener.Close()
	base := cmp.Or(set.url, local(listener.Addr()))
	set.base = base
	store, said, err := set.storage.Open(ctx)
	if err != nil {
		return err
	}
	defer func() {
		if err := set.storage.Close(); err != nil {
			logger.Error("close the store", "error", err)
		}
	}()
	all, err := tenants(ctx, store, set, shared, base+"/", logger)
	if err != nil {
		return err
	}
	var mailed string
	if set.mailer, mailed, err = set.storage.Mailer(); err != nil {
		return err
	}
	if set.provider, err = set.storage.IdentityProvider(); err != nil {
		return err
	}
	switch {
	case set.provider != nil && set.url == "":
		return errors.New("an identity provider needs -url: browsers come back to it")
	case set.noKeys && (set.mailer == nil && set.provider == nil || set.url == ""):
		return errors.New("-no-key-sign-in needs -url and a mail server or an identity provider: nobody could sign in")
	}
	partner, err := newPartner(ctx, programsOf(all), set, base, logger)
	if err != nil {
		return err
	}
	var own []Endpoint
	if own, set.providers, err = set.storage.Endpoints(Host{Program: all[0].Program, URL: base, Logger: logger}); err != nil {
		return err
	}
	handler, first, err := handlerOf(ctx, all, store, set, listener.Addr(), partner, logger)
	if err != nil {
		return err
	}
	for _, line := range []string{said, mailed, partner.said} {
		if line != "" {
			fmt.Fprintln(stdout, line)
		}
	}
	if first != nil {
		fmt.Fprintln(stdout, "nobody can sign in yet. Begin, with a link that works once:\n"+first.at(base))
	} else {
		greet(stdout, all, set, base)
	}
	for _, e := range own {
		if e.Said != "" {
			fmt.Fprintln(stdout, e.Said)
		}
	}
	own = append(own, partner.own...)
	fmt.Fprintf(stdout, "listening on http://%s\n", listener.Addr())

	tasks := partner.tasks()
	if set.provider != nil {
		tasks = append(tasks, func(ctx context.Context) { tryProvider(ctx, set.provider, logger) })
	}
	stop := work(ctx, all, own, set, logger, tasks...)
	defer stop() // after the requests: their deliveries are under way or wait in the store
	return serve.Until(ctx, serve.New(telling(extended(handler, own, set), set.storage.Gone), logger), listener)
}

// complete reads the files that flags name, and makes a key when there is none.
func (set *settings) complete(stderr io.Writer) (shared []httpapi.Key, err error) {
	if set.keyFile != "" {
		if shared, err = readKeys(set.keyFile, stderr); err != nil {
			return nil, err
		}
	}
	if err := checkKeys(*set); err != nil {
		return nil, err
	}
	if err := set.readPages(); err != nil {
		return nil, err
	}
	if set.made = (!set.lasts || set.demo) && len(set.keys) == 0 && shared == nil; set.made {
		key, err := httpapi.NewKey(set.rand)
		if err != nil {
			return nil, err
		}
		set.keys = []string{key}
	}
	return shared, nil
}

// work delivers the webhooks of all programs, and once a day deletes old records,
// which are most of what a program keeps in memory. It runs what endpoints do in the background. It ends when stop is called.
// stop waits for the attempts under way, and for the other tasks.
func work(ctx context.Context, all []tenant, own []Endpoint, set settings, logger *slog.Logger,
	tasks ...func(context.Context)) (stop func()) {
	for _, t := range all {
		tasks = append(tasks, func(ctx context.Context) {
			if err := t.sender.Run(ctx); err != nil {
				logger.Error("deliver webhooks", "error", err)
			}
		})
	}
	for _, e := range own {
		if e.Background != nil {
			tasks = append(tasks, e.Background)
		}
	}
	daily := func(ctx context.Context) {
		serve.Retain(ctx, logger, programsOf(all)...)
		serve.Reward(ctx, logger, programsOf(all)...)
	}
	return serve.Background(ctx, append(tasks, func(ctx context.Context) {
		if set.lasts {
			daily(ctx) // at once, because a process may run for less than a day
		}
		serve.Daily(ctx, daily)
	})...)
}

func programsOf(all []tenant) (programs []*tributary.Program) {
	for _, t := range all {
		programs = append(programs, t.Program)
	}
	return programs
}

// How many requests of an address are answered in a minute, unless a flag says otherwise, and
// how many of its clicks are recorded, by pages and scripts together: an office or a mobile
// network has several visitors.
const perMinute, clicksPerMinute = 6000, 60

// handlerOf returns the handler of all paths, and the beginning when nobody can sign in. It is not
// ready from the end of ctx on.
func handlerOf(ctx context.Context, all []tenant, store record.Store, set settings, addr net.Addr,
	partner partnerPages, logger *slog.Logger) (http.Handler, *beginning, error) {
	auth, err := authorityOf(all)
	if err != nil {
		return nil, nil, err
	}
	limiter := &serve.Limiter{Most: cmp.Or(set.limit, perMinute), Proxies: set.proxies, Now: set.now}
	clicks := &serve.Limiter{Most: min(limiter.Most, clicksPerMinute), Proxies: set.proxies, Now: set.now}
	cfg := httpapi.Config{Logger: logger, Portal: partner.link, Limit: limiter.Limit}
	api, err := httpapi.NewMulti(auth, cfg)
	if err != nil {
		return nil, nil, err
	}
	counted := func(r *http.Request) time.Duration {
		wait := limiter.Limit(r)
		if wait == 0 && (r.Method == http.MethodPost || r.URL.Path == "/") { // it is a click, and no preflight
			wait = clicks.Limit(r)
		}
		return wait
	}
	tracking := httpapi.Tracking(byID(all), httpapi.Config{Logger: logger, Limit: counted})
	page := httpapi.Visits{Limit: counted}.Attribution(all[0].Program, newPage(all, set, addr))
	health := serve.Health{Programs: programsOf(all), Stopping: ctx.Done(), Store: store}
	staff := staffOf(all[0])
	if err := staff.apart(ctx); err != nil {
		return nil, nil, err
	}
	set.proposals = func(p *tributary.Program) console.Proposals { return api.Proposals(p) }
	if partner.post != nil {
		partner.post.Proposed = api.Proposals(all[0].Program).Waiting
	}
	login, err := newLogin(auth, programsOf(all), staff, partner.first, set, logger)
	if err != nil {
		return nil, nil, err
	}
	site := serve.Site{Page: page, Tracking: tracking, Health: health, Console: login, Partner: partner.handler, API: api}
	begin, err := newBeginning(ctx, all[0], login)
	if begin != nil {
		site.Console = begin
	} else if all, unread := login.staff.People(ctx); err == nil && set.noKeys && len(all) == 0 {
		err = errors.Join(errors.New("-no-key-sign-in: nobody could sign in; add an owner first"), unread)
	}
	return site, begin, err
}

// extended returns a handler that answers the paths of endpoints too. An address may ask for them as
// often as for all others.
func extended(next http.Handler, own []Endpoint, set settings) http.Handler {
	limiter := &serve.Limiter{Most: cmp.Or(set.limit, perMinute), Proxies: set.proxies, Now: set.now}
	paths := map[string]http.Handler{}
	for _, e := range own {
		paths[e.Path] = e.Handler
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		handler := paths[r.URL.Path]
		if handler == nil {
			next.ServeHTTP(w, r)
			return
		}
		if wait := limiter.Limit(r); wait > 0 {
			w.Header().Set("Retry-After", strconv.Itoa(int((wait+time.Second-1)/time.Second)))
			http.Error(w, "too many requests", http.StatusTooManyRequests)
			return
		}
		handler.ServeHTTP(w, r)
	})
}

// errTaken refuses to start: whoever has a name could be somebody else in logs, and two keys of a name
// would answer each other's idempotency keys.
var errTaken = errors.New("the name of a configured key is that of a person or a key of the console: give it another one")

// apart returns an error when a configured key has the name of a person, or of a stored key.
func (p people) apart(ctx context.Context) error {
	all, err1 := p.People(ctx)
	keys, err2 := p.Keys(ctx)
	for _, name := range p.taken {
		if named(all, keys, name) {
			return fmt.Errorf("%s: %w", name, errTaken)
		}
	}
	return errors.Join(err1, err2)
}

// steps are what a young program needs of the server.
func (set settings) steps(ctx context.Context, p *tributary.Program) ([]console.Step, error) {
	is, err := p.Settings(ctx)
	page := func(d affiliate.LinkDestination) bool { return d.URL == set.base+"/" }
	ours := len(set.destinations) == 0 && (is.Revision == 1 || slices.ContainsFunc(is.Destinations, page)) // the first is the server's
	all := []console.Step{
		{Text: "Say where links lead to", Path: "settings/edit", Done: !ours},
		{Text: "Let mails go out: set " + urlVariable + " and the variables of a mail server", Done: set.mailer != nil && set.url != ""},
	}
	if err != nil || !set.lasts {
		return all, err
	}
	_, err = p.Values(copyKind).Get(ctx, copyMade)
	if errors.Is(err, affiliate.ErrNotFound) {
		return append(all, console.Step{Text: "Make a copy: the command backup, or pg_dump and then the command doctor"}), nil
	}
	return append(all, console.Step{Text: "Make a copy", Done: true}), err
}

// The value that says that there is a copy of the program.
const copyKind, copyMade = "server-copies", "made"

// NoteCopy notes that there is a copy of a program, which is one of the first steps.
func NoteCopy(ctx context.Context, p *tributary.Program) error {
	return p.Values(copyKind).Change(ctx, copyMade, func(json.RawMessage) (json.RawMessage, error) {
		return json.RawMessage("true"), nil
	})
}

// AccessOf returns who may use the program of a server in a store that lasts, besides the keys of its
// configuration, whose names nobody gets: those in a file too, unless its path is empty.
func AccessOf(p *tributary.Program, keyFile string) (console.Access, error) {
	t := tenant{Program: p}
	if keyFile != "" {
		var err error
		if t.shared, err = readKeys(keyFile, io.Discard); err != nil {
			return nil, err
		}
	}
	return staffOf(t), nil
}

// staffOf returns the people of a program.
func staffOf(t tenant) people {
	p := people{program: t.Program, taken: []string{"owner"}} // that of the key of a flag or variable
	for _, key := range t.keys() {
		p.taken = append(p.taken, key.Name)
	}
	return p
}

// authorityOf returns the authority of the keys of all programs.
func authorityOf(all []tenant) (httpapi.Authority, error) {
	var rings []httpapi.Authority
	for _, t := range all {
		if keys := t.keys(); len(keys) > 0 {
			ring, err := httpapi.KeyRing(t.Program, keys...)
			if err != nil {
				return nil, err
			}
			rings = append(rings, ring)
		}
	}
	for _, t := range all { // a key that no ring has is looked for in the store
		stored, taken := httpapi.KeysOf(t.Program).Authority, staffOf(t).taken
		rings = append(rings, func(ctx context.Context, key string) (httpapi.Access, error) {
			open, err := stored(ctx, key)
			if err == nil && slices.Contains(taken, open.KeyName) { // made by a server with another configuration
				err = httpapi.RefuseToken()
			}
			return open, err
		})
	}
	return func(ctx context.Context, key string) (open httpapi.Access, err error) {
		for _, ring := range rings {
			if open, err = ring(ctx, key); err == nil || !refused(err) {
				break
			}
		}
		return open, err
	}, nil
}

// local returns the URL by which this machine reaches the address.
func local(addr net.Addr) string {
	tcp, ok := addr.(*net.TCPAddr)
	if ok && tcp.IP.IsUnspecified() {
		return "http://" + net.JoinHostPort("localhost", strconv.Itoa(tcp.Port))
	}
	return "http://" + addr.String()
}

// greet prints the programs and a first line to try. It does not print a key
// that was given, because output is often stored; the line then reads the key
// from a variable. If that variable is not set, greet prints how to set it.
func greet(w io.Writer, all []tenant, set settings, base string) {
	for _, t := range all {
		fmt.Fprintf(w, "program %s %q\n", t.Config().ID, t.Config().Name)
	}
	c := caller{base: base}
	switch {
	case set.made:
		c.key = all[0].key
		fmt.Fprintln(w, "key", c.key)
	case set.env == "" || all[0].key != "" && set.env != all[0].key:
		fmt.Fprintln(w, "in the shell that calls it, with the key that you gave in the place of …:")
		fmt.Fprintf(w, "export %s=…\n", keyVariable)
	}
	fmt.Fprintln(w, c.curl(call{method: "GET", path: "/api/v1/affiliates"}))
	fmt.Fprintln(w, "console "+base+consolePath)
}

// telling returns a handler whose answers of 500 are 503 with the reason when the store does
// not have the programs any more: clients try again elsewhere, and people know where to look.
func telling(next http.Handler, gone func(context.Context) error) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		next.ServeHTTP(&teller{ResponseWriter: w, gone: func() error { return gone(r.Context()) }}, r)
	})
}

type teller struct {
	http.ResponseWriter
	gone func() error
	told bool // in place of what the handler writes
}

// WriteHeader writes another status when that is the reason.
func (t *teller) WriteHeader(status int) {
	if status != http.StatusInternalServerError {
		t.ResponseWriter.WriteHeader(status)
		return
	}
	why := t.gone()
	if why == nil {
		t.ResponseWriter.WriteHeader(status)
		return
	}
	t.told = true
	h := t.Header()
	h.Del("Content-Length")
	h.Set("Content-Type", "application/json; charset=utf-8")
	t.ResponseWriter.WriteHeader(http.StatusServiceUnavailable)
	_ = json.NewEncoder(t.ResponseWriter).Encode(map[string]string{"error": why.Error()}) // fails only when the client has gone
}

// Write writes, unless the reason was told.
func (t *teller) Write(b []byte) (int, error) {
	if t.told {
		return len(b), nil
	}
	return t.ResponseWriter.Write(b)
}

// Unwrap is for an http.ResponseController.
func (t *teller) Unwrap() http.ResponseWriter { return t.ResponseWriter }

// probe asks a server at its URL of serve.Health whether it is ready: the health check of a
// container that has nothing but this program. It waits for at most four seconds.
func probe(ctx context.Context, url string) error {
	ctx, cancel := context.WithTimeout(ctx, 4*time.Second)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	res, err := new(http.Transport).RoundTrip(r)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		return fmt.Errorf("%s answers %s", url, res.Status)
	}
	return nil
}

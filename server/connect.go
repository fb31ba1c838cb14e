package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/httpapi/app"
	"github.com/tributary-go/tributary/httpapi/console"
	"github.com/tributary-go/tributary/pay"
	"github.com/tributary-go/tributary/pay/adapter"
)

// A connection takes the events of one provider: by variables of the server, or as somebody connected
// it in the console, also in another process of the server. It is safe for concurrent use.
type connection struct {
	provider
	host  app.Host
	keys  pay.Keys
	fixed http.Handler // of the variables; nil: there are none
	env   environment  // of fixed

	variables environment // of the server

	mu   sync.Mutex
	kept json.RawMessage // what made is made of
	made http.Handler
	last []console.ProviderEvent // the oldest first, at most lastEvents

	refused   int
	refusedAt time.Time

	asked   chan time.Time // since when the API is to be read now
	reading string         // what is being read, for people
	failed  string         // why the last reading failed
}

const (
	connectionKind = "server-payments"
	lastEvents     = 20
)

// A keptConnection is what the store keeps of a connection, sealed.
type keptConnection struct {
	Secret  string            `json:"secret"`
	Options map[string]string `json:"options,omitzero"`
	By      string            `json:"by,omitzero"`
}

// env are the variables that would make the connection.
func (k keptConnection) env(p provider) environment {
	env := environment{p.variable(secretName): k.Secret}
	for name, value := range k.Options {
		env[p.variable(name)] = value
	}
	return env
}

// handlerOf makes the handler that variables switch on. The error names a variable, and has no secret.
func (c *connection) handlerOf(env environment) (http.Handler, error) {
	o := &options{provider: c.provider, env: env}
	shared := adapter.Config{Secrets: o.secrets(), CarryKeys: c.keys, Logger: c.host.Logger, OnResult: c.note}
	handler, err := c.adapter(shared, o).handler(c.host.Program)
	if o.err != nil {
		return nil, o.err
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", strings.Join(o.read, ", "), err)
	}
	return handler, nil
}

// note keeps what became of an event.
func (c *connection) note(_ context.Context, r pay.Result) {
	a := r.Action
	c.mu.Lock()
	defer c.mu.Unlock()
	c.last = append(c.last, console.ProviderEvent{At: c.host.Program.Config().Now(), ID: a.Event.ID, Type: a.Event.Type, Became: becameOf(r)})
	c.last = c.last[max(0, len(c.last)-lastEvents):]
}

// becameOf says what became of an event.
func becameOf(r pay.Result) string {
	if r.Refusal != nil {
		return r.Refusal.Message
	}
	return strings.ToLower(strings.ReplaceAll(cmp.Or(string(r.Outcome), string(r.Action.Reason), string(r.Action.Kind)), "_", " "))
}

// ServeHTTP answers a request of the provider, which is not there while it is not connected.
func (c *connection) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	handler := c.fixed
	var err error
	if handler == nil {
		handler, err = c.connected(r.Context())
	}
	switch {
	case err != nil:
		c.host.Logger.ErrorContext(r.Context(), "payment event: connection", "provider", c.name, "error", err)
		http.Error(w, http.StatusText(http.StatusServiceUnavailable), http.StatusServiceUnavailable)
	case handler == nil:
		c.host.Logger.WarnContext(r.Context(), "payment event of a provider that is not connected", "provider", c.name)
		c.refuse()
		http.NotFound(w, r)
	default:
		answer := &statusKeeper{ResponseWriter: w}
		if handler.ServeHTTP(answer, r); answer.status == http.StatusBadRequest || answer.status == http.StatusUnauthorized {
			c.refuse()
		}
	}
}

// refuse counts a request that was refused.
func (c *connection) refuse() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.refused, c.refusedAt = c.refused+1, c.host.Program.Config().Now()
}

// A statusKeeper remembers the status of an answer.
type statusKeeper struct {
	http.ResponseWriter
	status int
}

// WriteHeader remembers the status.
func (a *statusKeeper) WriteHeader(status int) {
	a.status = status
	a.ResponseWriter.WriteHeader(status)
}

// Unwrap is for [http.ResponseController].
func (a *statusKeeper) Unwrap() http.ResponseWriter { return a.ResponseWriter }

// connected returns the handler of what the store keeps; nil: nothing.
func (c *connection) connected(ctx context.Context) (http.Handler, error) {
	v, err := c.values().Get(ctx, c.name)
	if errors.Is(err, affiliate.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	same, handler := bytes.Equal(c.kept, v.Value), c.made
	c.mu.Unlock()
	if same {
		return handler, nil
	}
	var k keptConnection
	if err := json.Unmarshal(v.Value, &k); err != nil {
		return nil, err
	}
	if handler, err = c.handlerOf(k.env(c.provider)); err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.kept, c.made = v.Value, handler
	return handler, nil
}

func (c *connection) values() tributary.Values { return c.host.Program.Values(connectionKind) }

// connections are those of all providers.
type connections struct {
	all []*connection
	url string // under which others reach the server
}

// connections returns the connections to all providers, of which variables fix some.
func (e environment) connections(host app.Host) (cs connections, err error) {
	keys, err := e.carryKeys()
	if err != nil {
		return cs, err
	}
	cs.url = host.URL
	for _, p := range providers() {
		c := &connection{provider: p, host: host, keys: keys, variables: e, asked: make(chan time.Time, 1)}
		if _, on := e[p.variable(secretName)]; on {
			if c.fixed, err = c.handlerOf(e); err != nil {
				return cs, err
			}
			c.env = e
		}
		if _, reads := e[p.variable(apiKeyName)]; reads {
			if err := c.readable(e); err != nil {
				return cs, err
			}
		}
		cs.all = append(cs.all, c)
	}
	return cs, nil
}

// endpoints are those of all providers. The operator hears of those that variables fix.
func (cs connections) endpoints() (all []app.Endpoint) {
	for _, c := range cs.all {
		e := app.Endpoint{Path: c.path(), Handler: c, Background: c.background}
		if c.fixed != nil {
			e.Said = c.said(cs.url + c.path())
		}
		all = append(all, e)
	}
	return all
}

// Providers returns the providers, with what became of their last events.
func (cs connections) Providers(ctx context.Context) (all []console.Provider, err error) {
	kept, err := cs.kept(ctx)
	if err != nil {
		return nil, err
	}
	books, err := cs.books(ctx)
	if err != nil {
		return nil, err
	}
	for _, c := range cs.all {
		k := kept[c.name]
		p := console.Provider{Name: c.name, URL: cs.url + c.path(), Events: c.events, Checkout: c.checkout,
			Fixed: c.fixed != nil, Connected: k.By}
		if p.Fixed {
			k, p.Connected = keptConnection{}, "a variable of the server"
		}
		for _, o := range c.options {
			shown := console.ProviderOption{Name: o.name, Label: o.label, Choices: o.choices, Value: k.Options[o.name], Secret: o.secret}
			if o.secret {
				shown.Kept, shown.Value = shown.Value != "", ""
			}
			p.Options = append(p.Options, shown)
		}
		if _, reads := c.readsBy(k); reads {
			p.Books = c.shownBooks(books[c.name])
		}
		c.mu.Lock()
		p.Last, p.Refused, p.RefusedAt = slices.Clone(c.last), c.refused, c.refusedAt
		c.mu.Unlock()
		slices.Reverse(p.Last)
		all = append(all, p)
	}
	return all, nil
}

// kept returns what the store keeps, by the names of providers.
func (cs connections) kept(ctx context.Context) (map[string]keptConnection, error) {
	all := map[string]keptConnection{}
	for v, err := range cs.all[0].values().All(ctx) {
		var k keptConnection
		if err == nil {
			err = json.Unmarshal(v.Value, &k)
		}
		if err != nil {
			return nil, err
		}
		all[v.Name] = k
	}
	return all, nil
}

// valueOf returns what the store keeps under a name; the zero value: nothing.
func valueOf[T any](ctx context.Context, of tributary.Values, name string) (is T, err error) {
	v, err := of.Get(ctx, name)
	if errors.Is(err, affiliate.ErrNotFound) {
		return is, nil
	}
	if err == nil {
		err = json.Unmarshal(v.Value, &is)
	}
	return is, err
}

func (cs connections) named(name string) (*connection, error) {
	for _, c := range cs.all {
		if c.name == name {
			return c, nil
		}
	}
	return nil, affiliate.ErrNotFound
}

// Connect keeps the secret of a provider, if its adapter takes it.
func (cs connections) Connect(ctx context.Context, name, secret string, options map[string]string, by string) error {
	c, err := cs.named(name)
	if err != nil {
		return err
	}
	before, err := valueOf[keptConnection](ctx, c.values(), name)
	if err != nil {
		return err
	}
	k := keptConnection{Secret: secret, Options: options, By: by}
	for _, o := range c.options {
		if was := before.Options[o.name]; o.secret && options[o.name] == "" && was != "" {
			k.Options[o.name] = was
			if c.address(k.env(c.provider)) != c.address(before.env(c.provider)) {
				return refusedField(apiKeyName, "Give the key again: it would go to another address")
			}
		}
	}
	if c.host.Program.Config().Seal == nil {
		return refusedSecret("The server has no TRIBUTARY_SEAL_KEY, with which it would keep the secret: set it, or give the secret by " + c.variable(secretName))
	}
	if _, err := c.handlerOf(k.env(c.provider)); err != nil {
		return refusedSecret("This cannot be used: " + err.Error())
	}
	env, reads := c.readsBy(k)
	if reads {
		if err := c.readable(env); err != nil {
			return refusedField(apiKeyName, "This cannot be used: "+err.Error())
		}
		defer c.ask(time.Time{})
	}
	return c.values().Change(ctx, name, func(json.RawMessage) (json.RawMessage, error) { return json.Marshal(k) })
}

func refusedSecret(text string) error { return refusedField("secret", text) }

func refusedField(name, text string) error {
	return &affiliate.Error{Kind: affiliate.KindInvalid, Reason: affiliate.InvalidField, Field: name, Message: text}
}

// Disconnect ends taking the events of a provider.
func (cs connections) Disconnect(ctx context.Context, name string) error {
	c, err := cs.named(name)
	if err != nil {
		return err
	}
	return c.values().Change(ctx, name, func(json.RawMessage) (json.RawMessage, error) { return nil, nil })
}

package mcp_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/client"
	"github.com/tributary-go/tributary/httpapi"
	"github.com/tributary-go/tributary/mcp"
	"github.com/tributary-go/tributary/memstore"
)

// The keys of a world.
const (
	ownerKey  = "tk_4f9c1d7e8a01b2c3d4e5f60718293a4b"
	readerKey = "tk_0a1b2c3d4e5f60718293a4b5c6d7e8f9"
	shopKey   = "tk_99887766554433221100ffeeddccbbaa"

	proposerKey = "tk_1f2e3d4c5b6a79881f2e3d4c5b6a7988"
)

// must returns the value of a call that must succeed.
func must[T any](v T, err error) T {
	if err != nil {
		panic(fmt.Sprintf("unexpected error: %v", err))
	}
	return v
}

// A world is a program with a fixed clock and fixed ids, and its API.
type world struct {
	*tributary.Program
	t     testing.TB
	store record.Store
	now   time.Time
	api   http.Handler
	wrap  atomic.Pointer[http.HandlerFunc] // answers in place of the API; nil: it answers itself
}

func newWorld(t testing.TB) *world {
	t.Helper()
	w := &world{t: t, now: time.Date(2026, 10, 5, 9, 0, 0, 0, time.UTC), store: memstore.New()}
	w.Program = must(tributary.New(w.store, tributary.Config{
		ID: uuid.MustParse("0197c2f0-1a2b-7c3d-8e4f-5a6b7c8d9e01"), Name: "Northwind Beans",
		Destinations: []affiliate.Destination{{URL: "https://beans.example/shop"}},
		Terms:        affiliate.Terms{Rate: affiliate.MustPercent("20")},
		Now:          func() time.Time { return w.now }, Rand: rand.NewChaCha8([32]byte{1}),
	}))
	w.api = must(httpapi.New(w.Program, httpapi.Config{Keys: []httpapi.Key{
		{Secret: ownerKey, Name: "owner"}, {Secret: readerKey, Name: "reader", Scope: httpapi.ScopeRead}, {Secret: shopKey, Name: "shop", Scope: httpapi.ScopeIntegration},
		{Secret: proposerKey, Name: "assistant", Scope: httpapi.ScopePropose},
	}}))
	return w
}

// ServeHTTP answers as the API, or as a test wants.
func (w *world) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	if wrap := w.wrap.Load(); wrap != nil && r.URL.Path != "/api/v1/openapi.json" && r.URL.Path != "/api/v1/program" {
		(*wrap)(rw, r)
		return
	}
	w.api.ServeHTTP(rw, r)
}

// client returns a client of a key.
func (w *world) client(key string) *client.Client {
	return must(client.New("https://partners.example", key, client.Config{Handler: w, MaxRetries: -1}))
}

// assistant connects an assistant to the tools of a key.
func (w *world) assistant(key string, cfg mcp.Config) *assistant {
	w.t.Helper()
	return meet(w.t, must(mcp.New(w.t.Context(), w.client(key), cfg)))
}

// ada is an affiliate with a customer.
func (w *world) ada() affiliate.Affiliate {
	w.t.Helper()
	return w.join("Ada", "Okafor", "kim@example.com")
}

// join makes an affiliate with a link and a customer.
func (w *world) join(first, last, customer string) affiliate.Affiliate {
	w.t.Helper()
	ctx := w.t.Context()
	email := strings.ToLower(first) + "@example.com"
	a := must(w.CreateAffiliate(ctx, affiliate.AffiliateParams{FirstName: first, LastName: last, Email: email, AffiliateLink: strings.ToLower(first)}))
	must(w.CreateReferral(ctx, affiliate.ReferralParams{AffiliateEmail: email, Email: customer, Name: "Kim", ReferredUserExternalID: "cus-" + strings.ToLower(first)}))
	return a
}

// sell records a sale to a customer.
func (w *world) sell(customer, total, tax, order string) affiliate.Sale {
	w.t.Helper()
	w.now = w.now.Add(time.Minute)
	r := must(w.RecordSale(w.t.Context(), affiliate.SaleParams{Email: customer, TotalEarned: affiliate.MustAmount(total), Tax: affiliate.MustAmount(tax), ExternalID: order}))
	sale, ok := r.Sale.Get()
	if !ok {
		w.t.Fatalf("no sale: %s", r.Outcome)
	}
	return sale
}

// An assistant is a client of the protocol.
type assistant struct {
	*sdk.ClientSession
	t testing.TB
}

// meet connects an assistant with a server in this process.
func meet(t testing.TB, s *sdk.Server) *assistant {
	t.Helper()
	here, there := sdk.NewInMemoryTransports()
	must(s.Connect(t.Context(), here, nil))
	return connect(t, there)
}

func connect(t testing.TB, by sdk.Transport) *assistant {
	t.Helper()
	c := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil)
	s := must(c.Connect(t.Context(), by, nil))
	t.Cleanup(func() { s.Close() })
	return &assistant{s, t}
}

// ask calls a tool with arguments in JSON, and returns its text and whether it is an error.
func (a *assistant) ask(tool, args string) (string, bool) {
	a.t.Helper()
	r, err := a.CallTool(a.t.Context(), &sdk.CallToolParams{Name: tool, Arguments: json.RawMessage(args)})
	if err != nil {
		a.t.Fatalf("%s: %v", tool, err)
	}
	text := r.Content[0].(*sdk.TextContent).Text
	for _, key := range []string{ownerKey, readerKey, shopKey, proposerKey} {
		if strings.Contains(text, key) {
			a.t.Errorf("%s shows the key", tool)
		}
	}
	return text, r.IsError
}

// told calls a tool that must succeed.
func (a *assistant) told(tool, args string) string {
	a.t.Helper()
	text, bad := a.ask(tool, args)
	if bad {
		a.t.Fatalf("%s %s: %s", tool, args, text)
	}
	return text
}

// refused calls a tool that must not, and returns its error.
func (a *assistant) refused(tool, args string) problem {
	a.t.Helper()
	text, bad := a.ask(tool, args)
	if !bad {
		a.t.Fatalf("%s %s: %s, want an error", tool, args, text)
	}
	var p problem
	if err := json.Unmarshal([]byte(text), &p); err != nil {
		a.t.Fatalf("%s: no JSON: %s", tool, text)
	}
	return p
}

type problem struct{ Error, Code, Field, Note string }

// tools lists the tools.
func (a *assistant) tools() (all []*sdk.Tool) {
	for t, err := range a.Tools(a.t.Context(), nil) {
		if err != nil {
			a.t.Fatal(err)
		}
		all = append(all, t)
	}
	return all
}

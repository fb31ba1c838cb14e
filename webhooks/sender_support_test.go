package webhooks_test

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"sync"
	"testing"
	"time"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/memstore"
	"github.com/tributary-go/tributary/webhooks"
)

// loopback lets senders call the servers of a test.
func loopback() affiliate.AddressPolicy {
	return affiliate.AddressPolicy{
		AllowHTTP:     true,
		AllowNetworks: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("::1/128")},
	}
}

// A post is a program with its sender. Only the test moves its clock.
type post struct {
	*tributary.Program
	sender *webhooks.Sender
	store  record.Store
	t      testing.TB

	mu      sync.Mutex
	at      time.Time
	notices []affiliate.Notice
	people  int
}

func newPost(t testing.TB, change ...func(*tributary.Config)) *post {
	return newPostOn(t, memstore.New(), change...)
}

func newPostOn(t testing.TB, store record.Store, change ...func(*tributary.Config)) *post {
	t.Helper()
	p := &post{t: t, store: store, at: time.Date(2026, 3, 14, 11, 24, 18, 0, time.UTC)}
	p.sender = &webhooks.Sender{Addresses: loopback(), Now: p.now, Timeout: 2 * time.Second}
	cfg := tributary.Config{
		Name: "Northwind Beans", Now: p.now, Rand: rand.NewChaCha8([32]byte{7}), Addresses: loopback(),
		OnEvents: p.sender.Wake, Send: p.sender.Send, OnNotice: p.note,
	}
	for _, c := range change {
		c(&cfg)
	}
	program := must(tributary.New(store, cfg))
	p.Program, p.sender.Outbox = program, program.Webhooks()
	return p
}

func (p *post) now() time.Time {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.at
}

// pass moves the clock.
func (p *post) pass(d time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.at = p.at.Add(d)
}

func (p *post) note(n affiliate.Notice) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.notices = append(p.notices, n)
}

// hook adds an endpoint for every type.
func (p *post) hook(url string) affiliate.IssuedEndpoint {
	p.t.Helper()
	ep := must(p.Webhooks().CreateEndpoint(p.t.Context(), affiliate.EndpointParams{URL: url, Events: []affiliate.EventType{"*"}}))
	return ep
}

// join creates n affiliates, with one event each.
func (p *post) join(n int) {
	p.t.Helper()
	for range n {
		p.people++
		must(p.CreateAffiliate(context.Background(), affiliate.AffiliateParams{
			FirstName: "Mara", LastName: "Lindqvist", Email: fmt.Sprintf("mara%d@example.org", p.people),
		}))
	}
}

// drain delivers everything that is due.
func (p *post) drain() int {
	p.t.Helper()
	n := must(p.sender.Drain(p.t.Context()))
	return n
}

// deliveries lists all deliveries, oldest first.
func (p *post) deliveries() []affiliate.Delivery {
	p.t.Helper()
	l := must(p.Webhooks().Deliveries(context.Background(), affiliate.DeliveryQuery{}, affiliate.Page{}))
	return l.Items
}

// only is the only delivery.
func (p *post) only() affiliate.Delivery {
	p.t.Helper()
	all := p.deliveries()
	if len(all) != 1 {
		p.t.Fatalf("%d deliveries, want 1", len(all))
	}
	return all[0]
}

// verify fails the test when the books do not hold.
func (p *post) verify() {
	p.t.Helper()
	if err := p.Verify(context.Background()); err != nil {
		p.t.Errorf("Verify: %v", err)
	}
}

// A sink is a receiver that keeps its requests.
type sink struct {
	*httptest.Server
	mu   sync.Mutex
	got  []*http.Request
	body [][]byte
}

// newSink starts a receiver. When answer is nil, it answers 204.
func newSink(t testing.TB, answer http.HandlerFunc) *sink {
	t.Helper()
	s := &sink{}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		s.mu.Lock()
		s.got, s.body = append(s.got, r), append(s.body, body)
		s.mu.Unlock()
		if answer == nil {
			w.WriteHeader(http.StatusNoContent)
			return
		}
		answer(w, r)
	}))
	t.Cleanup(s.Close)
	return s
}

// count is how many requests arrived.
func (s *sink) count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.got)
}

// newPlainServer is a receiver that keeps nothing.
func newPlainServer(t testing.TB, h http.Handler) string {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return s.URL
}

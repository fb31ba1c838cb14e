package webhooks_test

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/atlength"
	"github.com/tributary-go/tributary/memstore"
	"github.com/tributary-go/tributary/webhooks"
)

// vectorClock always returns the time of the test vector.
func vectorClock() time.Time { return time.Unix(vectorTime, 0) }

// verifier has the secrets, and its clock is at the time of the test vector.
func verifier(secrets ...affiliate.Secret) *webhooks.Verifier {
	return &webhooks.Verifier{Secrets: secrets, Now: vectorClock}
}

// signed are the headers of a body that is signed at the time of the vector.
func signed(t testing.TB, body string, secrets ...affiliate.Secret) http.Header {
	t.Helper()
	return signedAt(t, vectorTime, body, secrets...)
}

func signedAt(t testing.TB, seconds int64, body string, secrets ...affiliate.Secret) http.Header {
	t.Helper()
	if len(secrets) == 0 {
		secrets = []affiliate.Secret{vectorSecret}
	}
	h := must(webhooks.Sign(secrets, "evt_test_0001", time.Unix(seconds, 0), []byte(body)))
	return h
}

// headers are those of the vector, changed by pairs of name and value. The
// value "-" removes a header.
func headers(pairs ...string) http.Header {
	h := http.Header{}
	h.Set("webhook-id", "evt_test_0001")
	h.Set("webhook-timestamp", strconv.Itoa(vectorTime))
	h.Set("webhook-signature", vectorV1)
	for i := 0; i < len(pairs); i += 2 {
		h.Set(pairs[i], pairs[i+1])
		if pairs[i+1] == "-" {
			h.Del(pairs[i])
		}
	}
	return h
}

// lines are the headers of the vector with several lines of one header.
func lines(name string, values ...string) http.Header {
	h := headers()
	h[http.CanonicalHeaderKey(name)] = values
	return h
}

// asSvix renames the webhook-* headers to svix-*.
func asSvix(h http.Header) http.Header {
	out := http.Header{}
	for name, values := range h {
		out[strings.Replace(name, "Webhook-", "Svix-", 1)] = values
	}
	return out
}

// both is the union of two sets of headers.
func both(a, b http.Header) http.Header {
	out := a.Clone()
	for name, values := range b {
		out[name] = values
	}
	return out
}

func TestMain(m *testing.M) { atlength.Main(m) }

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

// must returns the value of a call that must succeed.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// engineEvents are events of a program, one for each type. When a type occurs
// more than once, it is the last one.
func engineEvents(t testing.TB) map[affiliate.EventType]affiliate.Event {
	t.Helper()
	ctx := context.Background()
	p := must(tributary.New(memstore.New(), tributary.Config{
		Name:         "Northwind Beans",
		Destinations: []affiliate.Destination{{URL: "https://beans.example/shop"}},
		Terms:        affiliate.Terms{Rate: affiliate.MustPercent("12.5")},
		Now:          func() time.Time { return vectorClock() },
	}))
	mara := must(p.CreateAffiliate(ctx, affiliate.AffiliateParams{FirstName: "Mara", LastName: "<Lindqvist>", Email: "mara@example.com", AffiliateLink: "mara"}))
	must(p.UpdateAffiliate(ctx, affiliate.AffiliateRef{ID: mara.ID}, affiliate.AffiliateUpdate{FirstName: affiliate.Set("Mära\u2028")}))
	coupon := must(p.CreateCoupon(ctx, affiliate.CouponParams{Name: "Spring", PercentOff: affiliate.Set(affiliate.MustPercent("20"))}))
	code := must(p.CreateCode(ctx, affiliate.CodeParams{CouponID: coupon.ID, Code: "MARA20", AffiliateID: mara.ID}))
	must(p.UpdateCode(ctx, code.ID, affiliate.CodeUpdate{MaxRedemptions: affiliate.Set(int64(1 << 53))}))
	must(p.UpdateCoupon(ctx, coupon.ID, affiliate.CouponUpdate{Name: affiliate.Set("Summer")}))
	must(p.CreateReferral(ctx, affiliate.ReferralParams{AffiliateID: "mara", Name: "Kim", Email: "kim@example.net", ReferredUserExternalID: "u-1"}))
	must(p.UpdateReferral(ctx, "kim@example.net", affiliate.ReferralUpdate{Notes: affiliate.Set("regular")}))
	sale, _ := must(p.RecordSale(ctx, affiliate.SaleParams{PromoCode: "mara20", Email: "kim@example.net", TotalEarned: affiliate.MustAmount("199.99")})).Sale.Get()
	must(p.UpdateSale(ctx, sale.ID, affiliate.SaleUpdate{Name: affiliate.Set("Kim B.")}))
	for _, err := range []error{p.DeleteSale(ctx, sale.ID), p.Forfeiting().DeleteReferral(ctx, "kim@example.net")} {
		if err != nil {
			t.Fatal(err)
		}
	}
	must(p.DeleteCode(ctx, code.ID))
	must(p.DeleteCoupon(ctx, coupon.ID))
	must(0, p.Forfeiting().DeleteAffiliate(ctx, affiliate.AffiliateRef{ID: mara.ID}))
	events := map[affiliate.EventType]affiliate.Event{}
	for _, e := range must(p.Events(ctx, affiliate.EventQuery{}, affiliate.Page{})).Items {
		if _, later := events[e.Type]; !later {
			events[e.Type] = e
		}
	}
	if len(events) != len(affiliate.EventTypes()) {
		t.Fatalf("%d types of events happened", len(events))
	}
	return events
}

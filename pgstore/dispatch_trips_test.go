package pgstore_test

import (
	"fmt"
	"net/netip"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/pgstore"
)

// A post is a program with endpoints, and the count of what it sends to the
// database.
type post struct {
	*tributary.Program
	wire      *wireCount
	endpoints []affiliate.Endpoint
}

// newPost makes a program with endpoints and so many deliveries to each.
func newPost(t *testing.T, endpoints, deliveries int) *post {
	t.Helper()
	p := &post{wire: &wireCount{}}
	pool := newPool(t, databaseURL(t), func(c *pgxpool.Config) { c.ConnConfig.Tracer = p.wire })
	store := newStore(t, pool, pgstore.Config{Schema: newSchema(t, pool)})
	p.Program = must(tributary.New(store, tributary.Config{
		ID: uuid.Must(uuid.NewV7()), Name: "Northwind Beans",
		Addresses: affiliate.AddressPolicy{AllowHTTP: true, AllowNetworks: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}},
	}))
	for i := range endpoints {
		p.endpoints = append(p.endpoints, must(p.Webhooks().CreateEndpoint(t.Context(), affiliate.EndpointParams{
			URL: fmt.Sprintf("http://127.0.0.1:%d", 4000+i), Events: []affiliate.EventType{"*"},
		})).Endpoint)
	}
	p.join(t, deliveries)
	return p
}

// join makes an event for every endpoint with each new affiliate.
func (p *post) join(t *testing.T, n int) {
	t.Helper()
	for range n {
		must(p.CreateAffiliate(t.Context(), affiliate.AffiliateParams{FirstName: "Mara", LastName: "L", Email: uuid.NewString() + "@example.org"}))
	}
}

// answered settles claims with a status.
func (p *post) answered(t *testing.T, claims []affiliate.Claim, status int) {
	t.Helper()
	attempts := make([]affiliate.Attempt, len(claims))
	for i, c := range claims {
		attempts[i] = affiliate.Attempt{Delivery: c.Delivery, Token: c.Token, Status: status, URL: c.URL}
	}
	must(0, p.Webhooks().SettleDeliveries(t.Context(), attempts))
}

// trips is how many round trips work takes.
func (p *post) trips(work func()) int64 {
	before := p.wire.trips.Load()
	work()
	return p.wire.trips.Load() - before
}

// TestDispatchTrips: a claim of many deliveries and their settlement take a few
// round trips, as many as for one.
func TestDispatchTrips(t *testing.T) {
	const endpoints = 10
	p := newPost(t, endpoints, 8)
	claim := func() []affiliate.Claim {
		return must(p.Webhooks().ClaimDeliveries(t.Context(), 4*endpoints, time.Minute))
	}
	p.answered(t, claim(), 200) // the first ones show that they answer
	for _, status := range []int{200, 500} {
		var claims []affiliate.Claim
		claimed := p.trips(func() { claims = claim() })
		settled := p.trips(func() { p.answered(t, claims, status) })
		t.Logf("%d claims take %d round trips, their settlement with %d takes %d", len(claims), claimed, status, settled)
		if len(claims) < 30 || claimed > 8 || settled > 3 {
			t.Errorf("%d claims in %d round trips, settled with %d in %d, want at most 8 and 3", len(claims), claimed, status, settled)
		}
	}
}

// TestReplayTrips: a replay of a range and a 410 take a few round trips for each
// of their transactions, and each transaction has few deliveries, so a sale
// waits for few of them.
func TestReplayTrips(t *testing.T) {
	const deliveries, batch, most = 60, 20, 4
	p := newPost(t, 1, deliveries)
	ep := p.endpoints[0].ID
	wait := must(p.Webhooks().Deliveries(t.Context(), affiliate.DeliveryQuery{State: affiliate.DeliveryPending}, affiliate.Page{})).Items
	gone := must(p.Webhooks().ClaimDeliveries(t.Context(), 4, time.Hour))
	settled := p.trips(func() { p.answered(t, gone, 410) })
	left := must(p.Webhooks().Deliveries(t.Context(), affiliate.DeliveryQuery{State: affiliate.DeliveryCanceled}, affiliate.Page{})).Items
	if want := int64(deliveries/batch+2) * most; len(wait) != deliveries || len(left) != deliveries || settled > want {
		t.Errorf("a 410 settles %d of %d deliveries in %d round trips, want at most %d", len(left), len(wait), settled, want)
	}
	must(p.Webhooks().UpdateEndpoint(t.Context(), ep, affiliate.EndpointUpdate{Active: affiliate.Set(false)}))
	p.join(t, deliveries)
	must(p.Webhooks().UpdateEndpoint(t.Context(), ep, affiliate.EndpointUpdate{Active: affiliate.Set(true)}))
	var again int
	since := affiliate.Set(affiliate.At(time.Now().Add(-time.Hour)))
	replayed := p.trips(func() {
		again = must(p.Webhooks().Replay(t.Context(), affiliate.ReplayRange{WebhookID: ep, Since: since}))
	})
	t.Logf("410: %d round trips, replay: %d", settled, replayed)
	if want := int64(deliveries/batch*(most+1) + 8); again != deliveries || replayed > want {
		t.Errorf("%d of %d are replayed in %d round trips, want at most %d", again, deliveries, replayed, want)
	}
	if due := must(p.Webhooks().ClaimDeliveries(t.Context(), 4, time.Hour)); len(due) == 0 || !due[0].Manual {
		t.Errorf("claims after the replay: %v", due)
	}
}

package pgstore_test

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/pgstore"
	"github.com/tributary-go/tributary/webhooks"
)

// heldDeliveries are the deliveries that dispatchers hold now.
type heldDeliveries struct {
	mu    sync.Mutex
	by    map[uuid.UUID]int
	total map[uuid.UUID]int
}

// take notes the claims of a dispatcher. It returns an error if another one
// holds one of them.
func (h *heldDeliveries) take(who int, claims []affiliate.Claim) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, c := range claims {
		if other, taken := h.by[c.Delivery]; taken {
			return fmt.Errorf("delivery %s is held by %d and claimed by %d", c.Delivery, other, who)
		}
		h.by[c.Delivery] = who
		h.total[c.Delivery]++
	}
	return nil
}

func (h *heldDeliveries) give(claims []affiliate.Claim) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, c := range claims {
		delete(h.by, c.Delivery)
	}
}

// TestDispatchers: dispatchers of several processes never hold the same
// delivery, and together they deliver each one once.
func TestDispatchers(t *testing.T) {
	pool := newPool(t, databaseURL(t))
	for _, cfg := range []pgstore.Config{{}, {Mode: pgstore.Serializable, Retries: 100}} {
		t.Run(fmt.Sprintf("mode %d", cfg.Mode), func(t *testing.T) {
			const dispatchers, sales = 4, 40
			s := newShop(t, pool, cfg)
			cfg.Schema = "test_" + schemaID()
			h := &heldDeliveries{by: map[uuid.UUID]int{}, total: map[uuid.UUID]int{}}
			var selling, wg sync.WaitGroup
			selling.Go(func() {
				for i := range sales {
					if _, err := s.plain.RecordSale(t.Context(), sale(i)); err != nil {
						t.Error(err)
					}
				}
			})
			sold := make(chan struct{})
			go func() { selling.Wait(); close(sold) }()
			for who := range dispatchers {
				program := s.plain.With(newStore(t, pool, cfg))
				wg.Go(func() {
					for {
						over := false
						select {
						case <-sold:
							over = true
						default:
						}
						n, err := dispatch(t, program, h, who)
						if err != nil {
							t.Error(err)
							return
						}
						if over && n == 0 {
							return
						}
					}
				})
			}
			wg.Wait()
			// A dispatcher may find nothing while others hold the due
			// deliveries of the endpoint. One dispatcher delivers what is left.
			for {
				if n, err := dispatch(t, s.plain, h, 0); n == 0 || err != nil {
					break
				}
			}
			events := must(s.plain.Events(t.Context(), affiliate.EventQuery{}, affiliate.Page{})).Items
			created := len(must(s.plain.Webhooks().Endpoints(t.Context(), affiliate.Page{})).Items)
			if created != 1 || len(h.total) < 2*sales {
				t.Errorf("%d deliveries for %d events", len(h.total), len(events))
			}
			for id, n := range h.total {
				if n != 1 {
					t.Errorf("delivery %s was claimed %d times", id, n)
				}
			}
			for _, d := range must(s.plain.Webhooks().Deliveries(t.Context(), affiliate.DeliveryQuery{}, affiliate.Page{})).Items {
				if d.State != affiliate.DeliveryDelivered {
					t.Errorf("delivery %s is %s", d.ID, d.State)
				}
			}
			s.books("after all", sales)
		})
	}
}

// dispatch claims, holds and settles once.
func dispatch(t *testing.T, p *tributary.Program, h *heldDeliveries, who int) (int, error) {
	claims, err := p.Webhooks().ClaimDeliveries(t.Context(), 8, time.Minute)
	if err != nil {
		return 0, err
	}
	if err := h.take(who, claims); err != nil {
		return 0, err
	}
	attempts := make([]affiliate.Attempt, len(claims))
	for i, c := range claims {
		attempts[i] = affiliate.Attempt{Delivery: c.Delivery, Token: c.Token, Status: 200}
	}
	h.give(claims)
	return len(claims), p.Webhooks().SettleDeliveries(t.Context(), attempts)
}

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

// TestSalesTrips: what changes many sales takes a few round trips: an approval, a payout, its cancellation, a merge.
func TestSalesTrips(t *testing.T) {
	p := newPost(t, 1, 0)
	join := func(name string) affiliate.Affiliate {
		return must(p.CreateAffiliate(t.Context(), affiliate.AffiliateParams{FirstName: name, LastName: "L",
			Email: name + "@example.org", AffiliateLink: name, AffiliateStatus: "inactive"}))
	}
	ada, bob := join("ada"), join("bob")
	for i := range 60 {
		must(p.RecordSale(t.Context(), affiliate.SaleParams{ReferralID: "ada", Email: fmt.Sprintf("c%d@example.net", i), Name: "C",
			TotalEarned: affiliate.MustAmount("10"), CommissionRate: affiliate.Set(affiliate.MustPercent("20"))}))
	}
	var paid affiliate.Payout
	for _, work := range []struct {
		name string
		do   func()
	}{
		{"approval", func() { must(p.SetAffiliateStatus(t.Context(), affiliate.AffiliateActive, ada.ID, bob.ID)) }},
		{"payout", func() { paid = must(p.CreatePayout(t.Context(), affiliate.PayoutParams{AffiliateID: ada.ID})) }},
		{"payment", func() { must(p.SetPayoutStatus(t.Context(), paid.ID, affiliate.PayoutPaid)) }},
		{"return", func() { must(p.ReturnPayout(t.Context(), paid.ID, "no such account")) }},
		{"merge", func() {
			must(p.MergeAffiliates(t.Context(), affiliate.Merge{From: ada.ID.String(), Into: bob.ID.String()}))
		}},
	} {
		trips := p.trips(work.do)
		t.Logf("%s: %d round trips", work.name, trips)
		if trips > 25 {
			t.Errorf("%s: %d round trips, want at most 25", work.name, trips)
		}
	}
	if paid.Amount != affiliate.MustAmount("120") {
		t.Errorf("paid %s", paid.Amount)
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

// A memory is a Dedup and a table of the host in the same database.
type memory struct {
	t *testing.T
	*pgstore.Dedup
	shop  *shop
	table string
}

func newMemory(t *testing.T) *memory {
	pool := newPool(t, databaseURL(t))
	s := newShop(t, pool, pgstore.Config{})
	m := &memory{t, s.store.Dedup(), s, "test_" + schemaID() + ".mirror"}
	exec(t, pool, "CREATE TABLE "+m.table+" (id text)")
	return m
}

// write returns a function that stores an event in the Dedup's transaction.
func (m *memory) write(id string) func(context.Context) error {
	return func(ctx context.Context) error {
		tx, ok := pgstore.Tx(ctx)
		if !ok {
			return errors.New("no transaction in the context")
		}
		_, err := tx.Exec(ctx, "INSERT INTO "+m.table+" VALUES ($1)", id)
		return err
	}
}

// mirrored fails the test unless the event is stored want times and its id is
// done or open as expected.
func (m *memory) mirrored(id string, want int, done bool) {
	m.t.Helper()
	var n int
	if err := m.shop.pool.QueryRow(m.t.Context(), "SELECT count(*) FROM "+m.table+" WHERE id = $1", id).Scan(&n); err != nil || n != want {
		m.t.Errorf("%s was mirrored %d times, error %v, want %d", id, n, err, want)
	}
	tx := must(m.shop.pool.Begin(m.t.Context()))
	defer func() { _ = tx.Rollback(context.Background()) }()
	ran, err := m.In(tx).Do(m.t.Context(), id, func(context.Context) error { return nil })
	if ran == done || err != nil {
		m.t.Errorf("%s: ran %v, error %v, want done %v", id, ran, err, done)
	}
}

// TestDedup: the id and the writes of the function are committed together or
// not at all.
func TestDedup(t *testing.T) {
	m := newMemory(t)
	for _, want := range []bool{true, false} {
		if ran, err := m.Do(t.Context(), "a", m.write("a")); ran != want || err != nil {
			t.Errorf("ran %v, error %v, want %v", ran, err, want)
		}
	}
	m.mirrored("a", 1, true)

	ran, err := m.Do(t.Context(), "b", func(ctx context.Context) error { return errors.Join(m.write("b")(ctx), errRefused) })
	if !ran || !errors.Is(err, errRefused) {
		t.Errorf("a failure: ran %v, error %v", ran, err)
	}
	m.mirrored("b", 0, false)
	func() {
		defer func() {
			if recover() != "no" {
				t.Error("the panic was lost")
			}
		}()
		_, _ = m.Do(t.Context(), "b", func(ctx context.Context) error { _ = m.write("b")(ctx); panic("no") })
	}()
	m.mirrored("b", 0, false)
	ctx, cancel := context.WithCancel(t.Context())
	_, err = m.Do(ctx, "b", func(ctx context.Context) error { defer cancel(); return m.write("b")(ctx) })
	if err == nil {
		t.Error("a context that ended before the commit: no error")
	}
	m.mirrored("b", 0, false)

	ran, err = m.Do(t.Context(), "c", func(ctx context.Context) error {
		ran, err := m.Do(ctx, "c", m.write("c"))
		if ran || err != webhooks.ErrInProgress {
			t.Errorf("while it runs: ran %v, error %v", ran, err)
		}
		return m.write("c")(ctx)
	})
	if !ran || err != nil {
		t.Errorf("ran %v, error %v", ran, err)
	}
	m.mirrored("c", 1, true)
}

// TestDedupIn: in the host's transaction, the id is done when the host commits.
func TestDedupIn(t *testing.T) {
	m := newMemory(t)
	for _, refused := range []error{errRefused, nil} {
		err := pgx.BeginFunc(t.Context(), m.shop.pool, func(tx pgx.Tx) error {
			in := m.In(tx)
			if ran, err := in.Do(t.Context(), "x", func(context.Context) error { return errRefused }); !ran || err != errRefused {
				t.Errorf("a failure: ran %v, error %v", ran, err)
			}
			for _, want := range []bool{true, false} {
				if ran, err := in.Do(t.Context(), "a", m.write("a")); ran != want || err != nil {
					t.Errorf("ran %v, error %v, want %v", ran, err, want)
				}
			}
			if _, err := m.Do(t.Context(), "a", m.write("a")); err != webhooks.ErrInProgress {
				t.Errorf("elsewhere: error %v", err)
			}
			return refused
		})
		if !errors.Is(err, refused) {
			t.Errorf("error %v, want %v", err, refused)
		}
		done := refused == nil
		n := 0
		if done {
			n = 1
		}
		m.mirrored("a", n, done)
		m.mirrored("x", 0, false)
	}
}

// TestDedupEngine: the engine can write in the function's transaction.
func TestDedupEngine(t *testing.T) {
	m := newMemory(t)
	sell := func(i int, after error) func(context.Context) error {
		return func(ctx context.Context) error {
			tx, _ := pgstore.Tx(ctx)
			_, err := m.shop.plain.With(m.shop.store.In(tx)).RecordSale(ctx, sale(i))
			return errors.Join(err, after)
		}
	}
	if _, err := m.Do(t.Context(), "order", sell(1, errRefused)); !errors.Is(err, errRefused) {
		t.Errorf("error %v", err)
	}
	m.shop.books("rolled back", 0)
	if ran, err := m.Do(t.Context(), "order", sell(1, nil)); !ran || err != nil {
		t.Errorf("ran %v, error %v", ran, err)
	}
	m.shop.books("committed", 1)
}

// TestDedupTogether: of many calls with one id, on several pools, one runs its
// function (W034).
func TestDedupTogether(t *testing.T) {
	m := newMemory(t)
	schema := "test_" + schemaID()
	other := newStore(t, newPool(t, databaseURL(t)), pgstore.Config{Schema: schema}).Dedup()
	var ran, busy, within atomic.Int64
	var wg sync.WaitGroup
	for i := range 60 {
		d := []*pgstore.Dedup{m.Dedup, other}[i%2]
		wg.Go(func() {
			_, err := d.Do(t.Context(), "a", func(ctx context.Context) error {
				if within.Add(1) > 1 {
					t.Error("two at once")
				}
				defer within.Add(-1)
				ran.Add(1)
				return m.write("a")(ctx)
			})
			if errors.Is(err, webhooks.ErrInProgress) {
				busy.Add(1)
			} else if err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	t.Logf("%d were told that it is in progress", busy.Load())
	if ran.Load() != 1 {
		t.Errorf("%d ran, want one", ran.Load())
	}
	m.mirrored("a", 1, true)
}

// TestDedupPrune: Prune deletes the ids that were done before the time, and no
// others.
func TestDedupPrune(t *testing.T) {
	m := newMemory(t)
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	m.Now = func() time.Time { return now }
	for i := range 3 {
		must(m.Do(t.Context(), fmt.Sprint(i), m.write("a")))
		now = now.Add(time.Hour)
	}
	if n, err := m.Prune(t.Context(), now.Add(-2*time.Hour)); n != 1 || err != nil {
		t.Errorf("%d dropped, error %v, want one", n, err)
	}
	m.mirrored("0", 0, false)
	m.mirrored("1", 0, true)
}

// TestDedupErrors: errors do not contain the server's text.
func TestDedupErrors(t *testing.T) {
	d := newStore(t, newPool(t, databaseURL(t)), pgstore.Config{Schema: "not_there"}).Dedup()
	const want = "pgstore: dedup: the tables are missing or of another version, run Migrate (SQLSTATE 42P01)"
	if _, err := d.Do(t.Context(), "secret", nil); err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
	if _, err := d.Prune(t.Context(), time.Now()); err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
}

var (
	_ webhooks.Dedup = (*pgstore.Dedup)(nil)
)

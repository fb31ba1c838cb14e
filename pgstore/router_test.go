package pgstore_test

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/affiliate/record/router"
	"github.com/tributary-go/tributary/internal/benchkit"
	"github.com/tributary-go/tributary/internal/twins"
	"github.com/tributary-go/tributary/memstore"
	"github.com/tributary-go/tributary/pgstore"
)

// TestRouter: programs that every call was made on move from memory to PostgreSQL, to
// another schema, and back to memory, in both modes, and are the same.
func TestRouter(t *testing.T) {
	for _, mode := range []pgstore.Mode{pgstore.Queue, pgstore.Serializable} {
		pool := newPool(t, databaseURL(t))
		one, two := memstore.New(), memstore.New()
		cfg := router.Config{Stores: []router.NamedStore{
			{Name: "one", Store: one}, {Name: "two", Store: two},
			{Name: "pg", Store: newStore(t, pool, pgstore.Config{Schema: newSchema(t, pool), Mode: mode})},
			{Name: "other", Store: newStore(t, pool, pgstore.Config{Schema: newSchema(t, pool), Mode: mode, Group: 8})},
		}}
		r := must(router.New(cfg))
		now := time.Date(2026, 3, 11, 9, 24, 18, 442_000_000, time.UTC)
		for _, p := range twins.All(t, r, &now)[:1] {
			id, copied := p.Config().ID, memstore.New()
			n := must(router.Copy(t.Context(), one, copied, id))
			for _, to := range []string{"pg", "other", "pg", "two"} {
				if err := r.Move(t.Context(), id, to); err != nil {
					t.Fatalf("Move to %s: %v", to, err)
				}
				if same, err := router.Compare(t.Context(), copied, r, id); same != n || n < 50 || err != nil {
					t.Errorf("%s: %d records, %d are the same, error %v", to, n, same, err)
				}
			}
			if err := p.Verify(t.Context()); err != nil {
				t.Errorf("Verify: %v", err)
			}
		}
	}
}

// TestRouterTrips: a router adds no round trip to a sale, and at most one to a read.
func TestRouterTrips(t *testing.T) {
	for _, mode := range []pgstore.Mode{pgstore.Queue, pgstore.Serializable} {
		wire := &wireCount{}
		pool := newPool(t, databaseURL(t), func(c *pgxpool.Config) { c.ConnConfig.Tracer = wire })
		store := newStore(t, pool, pgstore.Config{Schema: newSchema(t, pool), Mode: mode})
		routed := must(router.New(router.Config{Stores: []router.NamedStore{{Name: "a", Store: store}, {Name: "b", Store: memstore.New()}}}))
		trips := func(s record.Store, id uuid.UUID) (counts [3]int64) {
			p := must(tributary.New(s, tributary.Config{ID: id, Name: "Northwind Beans", Terms: affiliate.Terms{Rate: affiliate.MustPercent("20")}, Destinations: []affiliate.Destination{{URL: "https://beans.example/shop"}}}))
			ada := must(p.CreateAffiliate(t.Context(), affiliate.AffiliateParams{FirstName: "A", LastName: "L", Email: "ada@example.com", AffiliateLink: "ada"}))
			coupon := must(p.CreateCoupon(t.Context(), affiliate.CouponParams{Name: "Spring", PercentOff: affiliate.Set(affiliate.MustPercent("20"))}))
			must(p.CreateCode(t.Context(), affiliate.CodeParams{CouponID: coupon.ID, Code: "SAVE20", AffiliateID: ada.ID}))
			for n := range 4 {
				for i, call := range []func(){
					func() {
						must(p.RecordSale(t.Context(), affiliate.SaleParams{PromoCode: "SAVE20", Email: "b@example.net", Name: "B", TotalEarned: affiliate.MustAmount("10"), ExternalID: fmt.Sprint(n)}))
					},
					func() { must(p.Affiliate(t.Context(), ada.ID.String())) },
					func() { must(p.Sales(t.Context(), affiliate.SaleQuery{}, affiliate.Page{Limit: 5})) },
				} {
					before := wire.trips.Load()
					call()
					counts[i] = wire.trips.Load() - before
				}
			}
			return counts
		}
		bare, through := trips(store, uuid.Must(uuid.NewV7())), trips(routed, uuid.Must(uuid.NewV7()))
		t.Logf("a sale, a read, a list: %v round trips, with a router %v", bare, through)
		if through[0] > bare[0] || through[1] > bare[1]+1 || through[2] > bare[2]+1 {
			t.Errorf("%v round trips, with a router %v", bare, through)
		}
	}
}

// TestRouterTogether: a program is moved between two schemas all the time, while callers
// with two routers use the last of a code. Exactly as many sales are made as it allows.
func TestRouterTogether(t *testing.T) {
	for _, cfg := range []pgstore.Config{{}, {Group: 8}, {Mode: pgstore.Serializable}} {
		const limit, callers = 30, 6
		pool := newPool(t, databaseURL(t))
		one, two := cfg, cfg
		one.Schema, two.Schema = newSchema(t, pool), newSchema(t, pool)
		id := uuid.Must(uuid.NewV7())
		var programs []*tributary.Program
		var routers []*router.Store
		for range 2 {
			routers = append(routers, must(router.New(router.Config{Stores: []router.NamedStore{
				{Name: "one", Store: newStore(t, pool, one)}, {Name: "two", Store: newStore(t, pool, two)},
			}})))
			programs = append(programs, must(tributary.New(routers[len(routers)-1], tributary.Config{ID: id, Terms: affiliate.Terms{Rate: affiliate.MustPercent("20")}})))
		}
		ada := must(programs[0].CreateAffiliate(t.Context(), affiliate.AffiliateParams{FirstName: "A", LastName: "L", Email: "ada@example.com"}))
		coupon := must(programs[0].CreateCoupon(t.Context(), affiliate.CouponParams{Name: "Spring", PercentOff: affiliate.Set(affiliate.MustPercent("20"))}))
		must(programs[0].CreateCode(t.Context(), affiliate.CodeParams{CouponID: coupon.ID, Code: "SAVE20", AffiliateID: ada.ID, MaxRedemptions: affiliate.Set[int64](limit)}))
		var made, moves atomic.Int64
		var selling, moving sync.WaitGroup
		for c := range callers {
			selling.Go(func() {
				for n := range 10 {
					_, err := programs[n%2].RecordSale(t.Context(), affiliate.SaleParams{
						PromoCode: "SAVE20", TotalEarned: affiliate.MustAmount("10"), ExternalID: fmt.Sprint(c, "-", n),
						Email: fmt.Sprintf("b%d-%d@example.net", c, n), Name: "B",
					})
					if err == nil {
						made.Add(1)
					} else if !errors.Is(err, affiliate.CodeExhausted) {
						t.Errorf("sale: %v", err)
					}
				}
			})
		}
		done := make(chan struct{})
		moving.Go(func() {
			for n := 1; ; n++ {
				if err := routers[n%2].Move(t.Context(), id, []string{"one", "two"}[n%2]); err != nil {
					t.Errorf("Move: %v", err)
				}
				moves.Add(1)
				select {
				case <-done:
					return
				default:
				}
			}
		})
		selling.Wait()
		close(done)
		moving.Wait()
		if err := programs[0].Verify(t.Context()); err != nil {
			t.Errorf("Verify: %v", err)
		}
		stored := len(must(programs[1].Sales(t.Context(), affiliate.SaleQuery{}, affiliate.Page{})).Items)
		if made.Load() != limit || stored != limit {
			t.Errorf("%+v: %d sales were answered and %d are stored, of %d", cfg, made.Load(), stored, limit)
		}
		t.Logf("%+v: %d moves", cfg, moves.Load())
	}
}

// TestFenceIn: a transaction of the host writes to the program while it is in that
// database, and nothing at all when it is not.
func TestFenceIn(t *testing.T) {
	pool := newPool(t, databaseURL(t))
	store := newStore(t, pool, pgstore.Config{Schema: newSchema(t, pool)})
	r := must(router.New(router.Config{Stores: []router.NamedStore{{Name: "pg", Store: store}, {Name: "mem", Store: memstore.New()}}}))
	id := uuid.Must(uuid.NewV7())
	p := must(tributary.New(r, tributary.Config{ID: id}))
	join := func(email string) error {
		tx := must(pool.Begin(t.Context()))
		_, err := p.With(router.Fence(store.In(tx))).CreateAffiliate(t.Context(), affiliate.AffiliateParams{FirstName: "A", LastName: "L", Email: email})
		return errors.Join(err, tx.Commit(t.Context()))
	}
	if err := join("new@example.com"); !errors.Is(err, router.ErrElsewhere) {
		t.Errorf("a program that has not begun: %v", err)
	}
	for n, to := range []string{"pg", "mem", "pg"} {
		must(0, r.Move(t.Context(), id, to))
		if err := join(fmt.Sprintf("a%d@example.com", n)); errors.Is(err, router.ErrElsewhere) != (to == "mem") || to == "pg" && err != nil {
			t.Errorf("a program in %s: %v", to, err)
		}
	}
	if list := must(p.Affiliates(t.Context(), affiliate.AffiliateQuery{}, affiliate.Page{})); len(list.Items) != 2 {
		t.Errorf("%d affiliates", len(list.Items))
	}
}

// BenchmarkMove moves a program with 2,000 sales from memory to PostgreSQL, to another
// schema, and back.
func BenchmarkMove(b *testing.B) {
	pool := newPool(b, databaseURL(b))
	mem := memstore.New()
	r := must(router.New(router.Config{Stores: []router.NamedStore{
		{Name: "mem", Store: mem},
		{Name: "pg", Store: newStore(b, pool, pgstore.Config{Schema: newSchema(b, pool)})},
		{Name: "other", Store: newStore(b, pool, pgstore.Config{Schema: newSchema(b, pool)})},
	}}))
	p, _ := benchkit.Shop(b, r, 100)
	sale := benchkit.RealSale(100)
	for n := range 2000 {
		must(p.RecordSale(b.Context(), sale(n)))
	}
	id := p.Config().ID
	records := must(router.Copy(b.Context(), mem, memstore.New(), id))
	for b.Loop() {
		for _, to := range []string{"pg", "other", "mem"} {
			start := time.Now()
			must(0, r.Move(b.Context(), id, to))
			b.ReportMetric(float64(records)/time.Since(start).Seconds(), "records/s-to-"+to)
		}
	}
	b.ReportMetric(float64(records), "records")
}

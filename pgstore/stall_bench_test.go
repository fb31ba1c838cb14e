package pgstore_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/internal/benchkit"
	"github.com/tributary-go/tributary/pgstore"
)

// A crowdedProgram is a program with many events, on a server that waits for its disk.
type crowdedProgram struct {
	*yard
	*tributary.Program
	schema string
}

// newCrowded makes a program with so many events, dated an hour ago: copies of
// a sale's event, each about another object.
func newCrowded(b *testing.B, events int) *crowdedProgram {
	b.Helper()
	c := &crowdedProgram{yard: newYard(b, 1, pgstore.Config{Group: 64})}
	c.schema = "test_" + schemaID()
	c.Program = c.programs[0]
	c.copyEvent(b, events, time.Now().Add(-time.Hour))
	exec(b, c.pool, "VACUUM ANALYZE")
	return c
}

// copyEvent stores n copies of the last event.
func (c *crowdedProgram) copyEvent(b *testing.B, n int, at time.Time) {
	b.Helper()
	events := pgx.Identifier{c.schema, "events"}.Sanitize()
	// Whatever columns there are: the row with three of them changed.
	exec(b, c.pool, `WITH last AS (SELECT e FROM `+events+` e WHERE program = $1 ORDER BY id DESC LIMIT 1)
		INSERT INTO `+events+` SELECT (jsonb_populate_record(e, jsonb_build_object('occurred_at', $4::timestamptz,
			'id', lpad(to_hex($2::bigint), 12, '0') || '70008000' || lpad(to_hex(i), 12, '0'),
			'object_id', lpad(to_hex($2::bigint), 12, '0') || '70009000' || lpad(to_hex(i), 12, '0')))).*
		FROM last, generate_series(1, $3::int) i`, c.Config().ID, at.UnixMilli(), n, at)
	before := uuid.MustParse(fmt.Sprintf("%012x70008000%012x", at.UnixMilli(), 0))
	copied := must(c.EventsAfter(b.Context(), before, 1))[0]
	if copied.ID.String()[14:23] != "7000-8000" || !copied.OccurredAt.Time().Equal(at.Truncate(time.Millisecond)) {
		b.Fatalf("the copy is %s of %s at %s", copied.ID, copied.ObjectID, copied.OccurredAt)
	}
}

// A stall says how long a job took, and the slowest sale meanwhile.
type stall struct{ took, slowest time.Duration }

// beside runs work, and sells one sale after another until it is done.
func (c *crowdedProgram) beside(b *testing.B, work func(ctx context.Context) error) (s stall) {
	b.Helper()
	done := make(chan error, 1)
	start := time.Now()
	go func() {
		err := work(b.Context())
		s.took = time.Since(start)
		done <- err
	}()
	for {
		at := time.Now()
		must(0, c.sell(b.Context(), 0))
		s.slowest = max(s.slowest, time.Since(at))
		select {
		case err := <-done:
			if err != nil {
				b.Fatal(err)
			}
			return s
		default:
		}
	}
}

// idle sells for a second without a job.
func (c *crowdedProgram) idle(b *testing.B) stall {
	b.Helper()
	return c.beside(b, func(ctx context.Context) error {
		timer := time.NewTimer(time.Second)
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-ctx.Done():
		}
		return nil
	})
}

// stalls runs a job several times. It reports the slowest sale of all rounds,
// the median of the rounds' slowest sales, and the job's time per record, which
// it returns in microseconds.
func (c *crowdedProgram) stalls(b *testing.B, records int, job func(ctx context.Context, round int) error) float64 {
	b.Helper()
	// The tables have grown since the plans were made, as autovacuum would notice.
	exec(b, c.pool, "VACUUM ANALYZE")
	var alone, slowest, each []float64
	c.idle(b) // warms up
	for round := range stallRounds {
		alone = append(alone, milliseconds(c.idle(b).slowest))
		s := c.beside(b, func(ctx context.Context) error { return job(ctx, round) })
		slowest = append(slowest, milliseconds(s.slowest))
		each = append(each, 1000*milliseconds(s.took)/float64(records))
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(benchkit.Median(each), "µs/record")
	b.ReportMetric(benchkit.Median(alone), "ms-alone")
	b.ReportMetric(benchkit.Median(slowest), "ms-slowest")
	b.ReportMetric(slices.Max(slowest), "ms-worst")
	return benchkit.Median(each)
}

const (
	stallRounds  = 5
	stallRecords = 2000 // records in one job
)

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// BenchmarkPrune is P20: it prunes 2,000 of many events while sales go on. The
// program has an endpoint, so Prune looks for the deliveries of each event.
// x-small is the time of a record, divided by that among 20,000 events.
func BenchmarkPrune(b *testing.B) {
	var small float64
	for _, events := range []int{20_000, 200_000} {
		b.Run(strconv.Itoa(events), func(b *testing.B) {
			for range b.N {
				c := newCrowded(b, events-stallRounds*stallRecords)
				now := time.Now()
				day := func(round int) time.Time { return now.Add(time.Duration(round-90) * 24 * time.Hour) }
				for round := range stallRounds {
					c.copyEvent(b, stallRecords, day(round))
				}
				c.waiting(b, true, 1)
				each := c.stalls(b, stallRecords, func(ctx context.Context, round int) error {
					done, err := c.Run(ctx, affiliate.PruneJob{Before: day(round).Add(time.Hour)})
					if err == nil && done.Changed != stallRecords {
						err = fmt.Errorf("%d dropped", done.Changed)
					}
					return err
				})
				if small == 0 {
					small = each
				}
				b.ReportMetric(each/small, "x-small")
			}
		})
	}
}

// waiting makes an endpoint with n deliveries that wait.
func (c *crowdedProgram) waiting(b *testing.B, active bool, n int) affiliate.Endpoint {
	b.Helper()
	ctx := b.Context()
	ep := must(c.Webhooks().CreateEndpoint(ctx, affiliate.EndpointParams{
		URL: "https://hooks.example/a", Events: []affiliate.EventType{affiliate.PromocodeCreated}, Active: affiliate.Set(active),
	}))
	coupon := must(c.CreateCoupon(ctx, affiliate.CouponParams{Name: "Generated", PercentOff: affiliate.Set(affiliate.MustPercent("20"))}))
	ada := must(c.Affiliate(ctx, "ada@example.com"))
	must(c.GenerateCodes(ctx, affiliate.CodesParams{Count: n, CodeParams: affiliate.CodeParams{
		CouponID: coupon.ID, AffiliateID: ada.ID, IsAutoGenerated: true,
		CodeStructure: affiliate.Set(affiliate.CodeStructure{RandomChars: true}), RandomCharsLength: affiliate.Set(int64(10)),
	}}))
	return ep.Endpoint
}

// BenchmarkGone is P20: an endpoint with 2,000 waiting deliveries answers 410.
func BenchmarkGone(b *testing.B) {
	for range b.N {
		c := newCrowded(b, 200_000)
		var claims []affiliate.Claim
		for range stallRounds {
			c.waiting(b, true, stallRecords)
			got := must(c.Webhooks().ClaimDeliveries(b.Context(), 64, time.Hour)) // of the new endpoint: the others have four in flight already
			claims = append(claims, got[0])
			must(c.Webhooks().UpdateEndpoint(b.Context(), got[0].Endpoint, affiliate.EndpointUpdate{Events: affiliate.Set([]affiliate.EventType{affiliate.SaleDeleted})}))
		}
		c.stalls(b, stallRecords, func(ctx context.Context, round int) error {
			claim := claims[round]
			return c.Webhooks().SettleDeliveries(ctx, []affiliate.Attempt{{Delivery: claim.Delivery, Token: claim.Token, At: time.Now(), URL: claim.URL, Status: 410}})
		})
		left := must(c.Webhooks().Deliveries(b.Context(), affiliate.DeliveryQuery{State: affiliate.DeliveryPending}, affiliate.Page{})).Items
		if len(left) > 0 {
			b.Errorf("%d still wait", len(left))
		}
	}
}

// BenchmarkReplay is P20: 2,000 skipped deliveries become due.
func BenchmarkReplay(b *testing.B) {
	for range b.N {
		c := newCrowded(b, 200_000)
		var endpoints []affiliate.Endpoint
		for range stallRounds {
			ep := c.waiting(b, false, stallRecords)
			endpoints = append(endpoints, ep)
			must(c.Webhooks().UpdateEndpoint(b.Context(), ep.ID, affiliate.EndpointUpdate{
				Active: affiliate.Set(true), Events: affiliate.Set([]affiliate.EventType{affiliate.SaleDeleted}),
			}))
		}
		since := affiliate.Set(affiliate.At(time.Now().Add(-24 * time.Hour)))
		c.stalls(b, stallRecords, func(ctx context.Context, round int) error {
			n, err := c.Webhooks().Replay(ctx, affiliate.ReplayRange{WebhookID: endpoints[round].ID, Since: since})
			if err == nil && n != stallRecords {
				err = fmt.Errorf("%d replayed", n)
			}
			return err
		})
	}
}

// A real sale is what a shop sends: a code, an order number, a customer who
// comes back now and then, and an idempotency key. The statement by hand does
// the same.

// realByHand is byHand for a real sale. The customer is inserted or counted,
// and the answer is kept under the request's key. An order number or a key that
// is there already fails the whole statement.
const realByHand = `
WITH c AS (
  SELECT k.id AS code, k.coupon, k.affiliate, k.rate, k.used, k.maximum, p.used AS coupon_used, p.maximum AS coupon_maximum
  FROM hand.codes k JOIN hand.coupons p ON p.program = k.program AND p.id = k.coupon
  WHERE k.program = $1 AND k.code = $2 AND k.active AND p.valid
  FOR UPDATE OF p, k
), ok AS (
  SELECT * FROM c WHERE (maximum = 0 OR used < maximum) AND (coupon_maximum = 0 OR coupon_used < coupon_maximum)
), counted AS (
  UPDATE hand.codes k SET used = k.used + 1 FROM ok WHERE k.program = $1 AND k.id = ok.code AND (k.maximum = 0 OR k.used < k.maximum) RETURNING k.id
), coupon_counted AS (
  UPDATE hand.coupons p SET used = p.used + 1 FROM ok WHERE p.program = $1 AND p.id = ok.coupon AND (p.maximum = 0 OR p.used < p.maximum) RETURNING p.id
), customer AS (
  INSERT INTO hand.customers (program, id, email, name, affiliate, sales, created_at) SELECT $1, $8, $9, $10, ok.affiliate, 1, $5 FROM ok
  ON CONFLICT (program, email) DO UPDATE SET sales = customers.sales + 1 RETURNING id
), sold AS (
  INSERT INTO hand.sales (program, id, number, external_id, email, code, affiliate, referral, total, commission, created_at)
  SELECT $1, $3, nextval('hand.numbers'), $11, $9, ok.code, ok.affiliate, customer.id, $4::bigint, $4::bigint * ok.rate / 100, $5
  FROM ok, counted, coupon_counted, customer RETURNING id
), ledger AS (
  INSERT INTO hand.redemptions (program, sale, code, coupon, created_at) SELECT $1, $3, ok.code, ok.coupon, $5 FROM ok, sold RETURNING sale
), event AS (
  INSERT INTO hand.events (program, id, type, object, payload, created_at) SELECT $1, $6, 'sale.created', $3, $7, $5 FROM ledger RETURNING object
)
INSERT INTO hand.receipts (program, key, digest, answer, created_at) SELECT $1, $12, $13, $14, $5 FROM event`

const realByHandTables = `
CREATE TABLE hand.customers (program uuid, id uuid, email text COLLATE "C" NOT NULL, name text, affiliate uuid, sales bigint NOT NULL,
  created_at timestamptz, PRIMARY KEY (program, id), UNIQUE (program, email));
CREATE TABLE hand.receipts (program uuid, key text COLLATE "C", digest bytea, answer bytea, created_at timestamptz, PRIMARY KEY (program, key))`

// customers is how many different customers buy, in turn.
const customers = 1000

// realSale is the n-th sale.
func realSale(n int64) affiliate.SaleParams {
	return affiliate.SaleParams{
		PromoCode: "HOT20", TotalEarned: affiliate.MustAmount("100"), ExternalID: fmt.Sprint("order-", n),
		Email: fmt.Sprintf("customer-%d@example.net", n%customers), Name: "Grace Hopper", Once: affiliate.Once{Key: fmt.Sprint("key-", n)},
	}
}

// A market is a yard for real sales, which counts what it sends.
type market struct {
	*yard
	turn   atomic.Int64
	answer []byte // of a sale, as its receipt keeps it
	wire   wireCount
}

func newMarket(tb testing.TB, programs int, cfg pgstore.Config) *market {
	tb.Helper()
	m := &market{}
	m.yard = newYard(tb, programs, cfg, func(c *pgxpool.Config) { c.ConnConfig.Tracer = &m.wire })
	exec(tb, m.pool, realByHandTables)
	got := must(m.programs[0].RecordSale(tb.Context(), realSale(0)))
	m.sold.Add(1)
	sale, _ := got.Sale.Get()
	m.answer = sale.AppendJSON(nil)
	m.payload = must(m.programs[0].Events(tb.Context(), affiliate.EventQuery{}, affiliate.Page{Limit: 1})).Items[0].Payload
	m.history(tb)
	return m
}

// history makes earlier sales on both sides, and tells the server's planner of
// them: for tables that it believes to be empty it takes any index.
func (m *market) history(tb testing.TB) {
	tb.Helper()
	const sales, clients = 1000, 16
	var wg sync.WaitGroup
	for client := range clients {
		wg.Go(func() {
			for i := client; i < sales; i += clients {
				program := i % len(m.programs)
				if err := errors.Join(m.sell(tb.Context(), program), m.redeem(tb.Context(), program)); err != nil {
					tb.Error(err)
					return
				}
			}
		})
	}
	wg.Wait()
	exec(tb, m.pool, "VACUUM ANALYZE")
}

// sell records a real sale by the engine.
func (m *market) sell(ctx context.Context, program int) error {
	return m.sellOne(ctx, program, realSale(m.turn.Add(1)))
}

// redeem records one by hand.
func (m *market) redeem(ctx context.Context, program int) error {
	sale := realSale(m.turn.Add(1))
	digest := uuid.New()
	tag, err := m.pool.Exec(ctx, realByHand, m.programs[program].Config().ID, sale.PromoCode, uuid.Must(uuid.NewV7()), int64(1_000_000),
		time.Now().UTC(), uuid.Must(uuid.NewV7()), m.payload, uuid.Must(uuid.NewV7()), sale.Email, sale.Name, sale.ExternalID,
		sale.Once.Key, digest[:], m.answer)
	if err == nil && tag.RowsAffected() != 1 {
		err = fmt.Errorf("%d rows", tag.RowsAffected())
	}
	return err
}

// A wireCount counts statements and round trips.
type wireCount struct{ statements, trips atomic.Int64 }

func (w *wireCount) TraceQueryStart(ctx context.Context, _ *pgx.Conn, _ pgx.TraceQueryStartData) context.Context {
	w.statements.Add(1)
	w.trips.Add(1)
	return ctx
}

func (w *wireCount) TraceQueryEnd(context.Context, *pgx.Conn, pgx.TraceQueryEndData) {}

func (w *wireCount) TraceBatchStart(ctx context.Context, _ *pgx.Conn, data pgx.TraceBatchStartData) context.Context {
	w.statements.Add(int64(data.Batch.Len()))
	w.trips.Add(1)
	return ctx
}

func (w *wireCount) TraceBatchQuery(context.Context, *pgx.Conn, pgx.TraceBatchQueryData) {}

func (w *wireCount) TraceBatchEnd(context.Context, *pgx.Conn, pgx.TraceBatchEndData) {}

// costs reports what one sale of the engine sends.
func (m *market) costs(b *testing.B, clients int, sell func(ctx context.Context, client int) error) {
	b.Helper()
	m.wire.statements.Store(0)
	m.wire.trips.Store(0)
	before := m.sold.Load()
	rate(b, clients, 300*time.Millisecond, sell)
	sales := float64(m.sold.Load() - before)
	b.ReportMetric(float64(m.wire.statements.Load())/sales, "statements/sale")
	b.ReportMetric(float64(m.wire.trips.Load())/sales, "trips/sale")
}

// deadlocks is how many the server has found.
func (y *yard) deadlocks(tb testing.TB) (n int64) {
	tb.Helper()
	must(0, y.pool.QueryRow(context.Background(), "SELECT sum(deadlocks) FROM pg_stat_database").Scan(&n))
	return n
}

// BenchmarkRealSale is P14 and P15: real sales on one hot code, and spread over
// the codes of 16 programs, and those of one client, beside the statement by hand at as
// many clients.
func BenchmarkRealSale(b *testing.B) {
	for _, c := range []struct {
		name              string
		clients, programs int
		cfg               pgstore.Config
	}{
		{"hot/clients=16", 16, 1, pgstore.Config{Group: 64}},
		{"hot/clients=64", 64, 1, pgstore.Config{Group: 64}},
		{"spread/clients=16/programs=16", 16, 16, pgstore.Config{Group: 64}},
		{"alone/clients=1", 1, 1, pgstore.Config{Group: 64}},
	} {
		b.Run(c.name, func(b *testing.B) {
			m := newMarket(b, c.programs, c.cfg)
			deadlocks := m.deadlocks(b)
			program := func() int { return int(m.turn.Load()) % c.programs }
			sell := func(ctx context.Context, _ int) error { return m.sell(ctx, program()) }
			for range b.N {
				compare(b, c.clients, sell, func(ctx context.Context, _ int) error { return m.redeem(ctx, program()) })
				m.bare(b, c.clients, c.programs)
				m.costs(b, c.clients, sell)
			}
			m.audit(b)
			if n := m.deadlocks(b) - deadlocks; n != 0 {
				b.Errorf("%d deadlocks", n)
			}
		})
	}
}

// bare reports the rate of sales by code alone.
func (m *market) bare(b *testing.B, clients, programs int) {
	b.Helper()
	var rates []float64
	for range 3 {
		var turn atomic.Int64
		rates = append(rates, rate(b, clients, 300*time.Millisecond, func(ctx context.Context, _ int) error {
			return m.yard.sell(ctx, int(turn.Add(1))%programs)
		}))
	}
	b.ReportMetric(benchkit.Median(rates), "bare/s")
}

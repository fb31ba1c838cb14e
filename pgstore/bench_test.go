package pgstore_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/benchkit"
	"github.com/tributary-go/tributary/internal/twins"
	"github.com/tributary-go/tributary/pgstore"
	"github.com/tributary-go/tributary/webhooks"
)

// The benchmarks compare two sides in turns, on one server that waits for its
// disk: the engine, and the shortest SQL by hand that does the same work.

// byHand redeems a code in one statement: it counts on the code and on the
// coupon, and writes the sale with its commission, the redemption and the
// event. When a limit is reached it does nothing. The row of the coupon is
// locked first, and the limits are tested on the locked rows, so a limit that
// another session has just reached counts. The tables have only the keys by
// which a shop looks up sales, redemptions and events.
const byHand = `
WITH c AS (
  SELECT k.id AS code, k.coupon, k.affiliate, k.rate, k.used, k.maximum, p.used AS coupon_used, p.maximum AS coupon_maximum
  FROM hand.codes k JOIN hand.coupons p ON p.program = k.program AND p.id = k.coupon
  WHERE k.program = $1 AND k.code = $2 AND k.active AND p.valid
  FOR UPDATE OF p, k
), ok AS (
  SELECT * FROM c WHERE (maximum = 0 OR used < maximum) AND (coupon_maximum = 0 OR coupon_used < coupon_maximum)
), counted AS (
  UPDATE hand.codes k SET used = k.used + 1 FROM ok WHERE k.program = $1 AND k.id = ok.code RETURNING k.id
), coupon_counted AS (
  UPDATE hand.coupons p SET used = p.used + 1 FROM ok WHERE p.program = $1 AND p.id = ok.coupon RETURNING p.id
), sold AS (
  INSERT INTO hand.sales (program, id, number, code, affiliate, total, commission, created_at)
  SELECT $1, $3, nextval('hand.numbers'), ok.code, ok.affiliate, $4::bigint, $4::bigint * ok.rate / 100, $5 FROM ok, counted, coupon_counted RETURNING id
), ledger AS (
  INSERT INTO hand.redemptions (program, sale, code, coupon, created_at) SELECT $1, $3, ok.code, ok.coupon, $5 FROM ok, sold RETURNING sale
)
INSERT INTO hand.events (program, id, type, object, payload, created_at) SELECT $1, $6, 'sale.created', $3, $7, $5 FROM ledger`

const byHandTables = `
DROP SCHEMA IF EXISTS hand CASCADE;
CREATE SCHEMA hand;
CREATE TABLE hand.coupons (program uuid, id uuid, valid boolean NOT NULL, used bigint NOT NULL, maximum bigint NOT NULL, PRIMARY KEY (program, id));
CREATE TABLE hand.codes (program uuid, id uuid, code text COLLATE "C" NOT NULL, coupon uuid NOT NULL, affiliate uuid NOT NULL, rate bigint NOT NULL,
  active boolean NOT NULL, used bigint NOT NULL, maximum bigint NOT NULL, PRIMARY KEY (program, id), UNIQUE (program, code));
CREATE SEQUENCE hand.numbers;
CREATE TABLE hand.sales (program uuid, id uuid, number bigint, external_id text, invoice_id text, email text, code uuid, affiliate uuid, referral uuid,
  payout uuid, total bigint, commission bigint, created_at timestamptz, PRIMARY KEY (program, id), UNIQUE (program, number),
  UNIQUE (program, external_id), UNIQUE (program, invoice_id));
CREATE INDEX ON hand.sales (program, affiliate, id);
CREATE INDEX ON hand.sales (program, referral, id);
CREATE INDEX ON hand.sales (program, email, id);
CREATE INDEX ON hand.sales (program, payout, id);
CREATE TABLE hand.redemptions (program uuid, sale uuid, code uuid, coupon uuid, created_at timestamptz, PRIMARY KEY (program, sale));
CREATE INDEX ON hand.redemptions (program, code);
CREATE TABLE hand.events (program uuid, id uuid, type text, object uuid, payload bytea, created_at timestamptz, PRIMARY KEY (program, id));
CREATE INDEX ON hand.events (program, object)`

// A yard has both sides of a comparison on one server.
type yard struct {
	pool     *pgxpool.Pool
	store    *pgstore.Store
	programs []*tributary.Program
	payload  []byte
	sold     atomic.Int64 // by the engine, in all programs
}

// newYard makes programs with the code HOT20 on both sides.
func newYard(tb testing.TB, programs int, cfg pgstore.Config, change ...func(*pgxpool.Config)) *yard {
	tb.Helper()
	url := os.Getenv("TRIBUTARY_TEST_DATABASE_URL")
	if url == "" {
		url = server(tb, true).URL()
	}
	y := &yard{pool: newPool(tb, url, append(change, func(c *pgxpool.Config) {
		c.MaxConns = 64
		c.ConnConfig.RuntimeParams["enable_seqscan"] = "off" // as the README recommends
	})...)}
	cfg.Schema = newSchema(tb, y.pool)
	y.store = newStore(tb, y.pool, cfg)
	exec(tb, y.pool, byHandTables)
	for range programs {
		p := newProgram(tb, y.store, uuid.Must(uuid.NewV7()))
		y.programs = append(y.programs, p)
		hotCode(tb, p)
		id, coupon := uuid.Must(uuid.NewV7()), uuid.Must(uuid.NewV7())
		exec(tb, y.pool, "INSERT INTO hand.coupons VALUES ($1, $2, true, 0, 0)", p.Config().ID, coupon)
		exec(tb, y.pool, "INSERT INTO hand.codes VALUES ($1, $2, 'HOT20', $3, $4, 20, true, 0, 0)", p.Config().ID, id, coupon, uuid.Must(uuid.NewV7()))
	}
	y.payload = y.event(tb)
	exec(tb, y.pool, "VACUUM ANALYZE")
	return y
}

func exec(tb testing.TB, pool *pgxpool.Pool, sql string, args ...any) {
	tb.Helper()
	if _, err := pool.Exec(context.Background(), sql, args...); err != nil {
		tb.Fatalf("%.60s: %v", sql, err)
	}
}

func newProgram(tb testing.TB, store record.Store, id uuid.UUID) *tributary.Program {
	tb.Helper()
	p := must(tributary.New(store, tributary.Config{
		ID: id, Name: "Northwind Beans", Destinations: []affiliate.Destination{{URL: "https://beans.example/shop"}},
		Terms: affiliate.Terms{Rate: affiliate.MustPercent("20")},
	}))
	return p
}

// hotCode makes an affiliate with the code HOT20.
func hotCode(tb testing.TB, p *tributary.Program) affiliate.Code {
	tb.Helper()
	ctx := context.Background()
	a := must(p.CreateAffiliate(ctx, affiliate.AffiliateParams{FirstName: "Ada", LastName: "Lovelace", Email: "ada@example.com", AffiliateLink: "ada"}))
	c := must(p.CreateCoupon(ctx, affiliate.CouponParams{Name: "Autumn 20", PercentOff: affiliate.Set(affiliate.MustPercent("20"))}))
	return must(p.CreateCode(ctx, affiliate.CodeParams{CouponID: c.ID, Code: "HOT20", AffiliateID: a.ID}))
}

// event returns the payload of a sale's event. The side by hand stores the same
// number of bytes.
func (y *yard) event(tb testing.TB) []byte {
	tb.Helper()
	must(0, y.sell(context.Background(), 0))
	all := must(y.programs[0].Events(context.Background(), affiliate.EventQuery{}, affiliate.Page{Limit: 1}))
	return all.Items[0].Payload
}

// sell records a sale with the engine.
func (y *yard) sell(ctx context.Context, program int) error {
	return y.sellOne(ctx, program, affiliate.SaleParams{PromoCode: "HOT20", TotalEarned: affiliate.MustAmount("100")})
}

func (y *yard) sellOne(ctx context.Context, program int, sale affiliate.SaleParams) error {
	got, err := y.programs[program].RecordSale(ctx, sale)
	if err == nil && got.Outcome != affiliate.SaleRecorded {
		err = errors.New(string(got.Outcome))
	}
	if err == nil {
		y.sold.Add(1)
	}
	return err
}

// redeem records a sale by hand.
func (y *yard) redeem(ctx context.Context, program int) error {
	tag, err := y.pool.Exec(ctx, byHand, y.programs[program].Config().ID, "HOT20", uuid.Must(uuid.NewV7()), int64(1_000_000),
		time.Now().UTC(), uuid.Must(uuid.NewV7()), y.payload)
	if err == nil && tag.RowsAffected() != 1 {
		err = errors.New("not redeemed")
	}
	return err
}

// rate returns how often per second the clients do something, measured for a
// duration.
func rate(tb testing.TB, clients int, for_ time.Duration, do func(ctx context.Context, client int) error) float64 {
	tb.Helper()
	var n atomic.Int64
	var wg sync.WaitGroup
	start := time.Now()
	for client := range clients {
		wg.Go(func() {
			for time.Since(start) < for_ {
				if err := do(context.Background(), client); err != nil {
					tb.Error(err)
					return
				}
				n.Add(1)
			}
		})
	}
	wg.Wait()
	return float64(n.Load()) / time.Since(start).Seconds()
}

// compare measures both sides in turns and reports the medians and their ratio.
func compare(b *testing.B, clients int, ours, hand func(ctx context.Context, client int) error) {
	b.Helper()
	const rounds, turn = 7, 400 * time.Millisecond
	rate(b, clients, turn, hand) // warms up
	rate(b, clients, turn, ours)
	var a, h, ratios []float64
	for range rounds {
		x, y := rate(b, clients, turn, ours), rate(b, clients, turn, hand)
		a, h, ratios = append(a, x), append(h, y), append(ratios, x/y)
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(benchkit.Median(a), "ours/s")
	b.ReportMetric(benchkit.Median(h), "by-hand/s")
	b.ReportMetric(benchkit.Median(ratios), "x-by-hand")
}

// BenchmarkSale records sales by code: with one hot code, with grouping, and
// with a code in each of many programs.
func BenchmarkSale(b *testing.B) {
	for _, c := range []struct {
		name              string
		clients, programs int
		cfg               pgstore.Config
	}{
		{"hot/clients=16/group=64", 16, 1, pgstore.Config{Group: 64}},
		{"hot/clients=64/group=64", 64, 1, pgstore.Config{Group: 64}},
		{"hot/clients=16/group=1", 16, 1, pgstore.Config{}},
		{"spread/clients=16/programs=32", 16, 32, pgstore.Config{}},
		{"spread/clients=16/programs=32/serializable", 16, 32, pgstore.Config{Mode: pgstore.Serializable}},
	} {
		b.Run(c.name, func(b *testing.B) {
			y := newYard(b, c.programs, c.cfg)
			var turn atomic.Int64
			pick := func() int { return int(turn.Add(1)) % c.programs }
			for range b.N {
				compare(b, c.clients, func(ctx context.Context, _ int) error { return y.sell(ctx, pick()) },
					func(ctx context.Context, _ int) error { return y.redeem(ctx, pick()) })
			}
			y.audit(b)
		})
	}
}

// audit fails unless counters, redemptions, sales and events agree on each
// side.
func (y *yard) audit(tb testing.TB) {
	tb.Helper()
	var total int64
	for _, p := range y.programs {
		if err := p.Verify(context.Background()); err != nil {
			tb.Errorf("Verify: %v", err)
		}
		code := must(p.Code(context.Background(), affiliate.CodeRef{Code: "HOT20"}))
		total += code.TimesRedeemed
	}
	if total != y.sold.Load() {
		tb.Errorf("the codes count %d redemptions, and %d sales were recorded", total, y.sold.Load())
	}
	var codes, coupons, sales, ledger, events int64
	err := y.pool.QueryRow(context.Background(), `SELECT (SELECT sum(used) FROM hand.codes), (SELECT sum(used) FROM hand.coupons),
		(SELECT count(*) FROM hand.sales), (SELECT count(*) FROM hand.redemptions), (SELECT count(*) FROM hand.events)`).
		Scan(&codes, &coupons, &sales, &ledger, &events)
	if err != nil || codes != sales || coupons != sales || ledger != sales || events != sales {
		tb.Errorf("by hand: %d on codes, %d on coupons, %d sales, %d in the ledger, %d events, error %v", codes, coupons, sales, ledger, events, err)
	}
}

// BenchmarkLookup finds one code of a thousand by its text: in a View, and with
// the same SELECT by hand of the columns that a shop shows.
func BenchmarkLookup(b *testing.B) {
	y := newYard(b, 1, pgstore.Config{})
	p := y.programs[0]
	coupon := must(p.Coupons(b.Context(), affiliate.CouponQuery{WithCodes: true}, affiliate.Page{Limit: 1})).Items[0]
	must(p.GenerateCodes(b.Context(), affiliate.CodesParams{Count: 1000, CodeParams: affiliate.CodeParams{CouponID: coupon.ID, AffiliateID: must(p.Affiliate(b.Context(), "ada@example.com")).ID, IsAutoGenerated: true, CodeStructure: affiliate.Set(affiliate.CodeStructure{RandomChars: true})}}))
	exec(b, y.pool, "VACUUM ANALYZE")
	schema := "test_" + schemaID()
	sql := "SELECT id, coupon_id, affiliate_id, code, active, expires_at, max_redemptions, times_redeemed, minimum_amount FROM " +
		pgx.Identifier{schema, "codes"}.Sanitize() + " WHERE program = $1 AND by_code = $2"
	var turn atomic.Int64
	var texts []string
	err := y.store.View(b.Context(), p.Config().ID, func(tx *record.Tx) error {
		for rec, err := range tx.Codes.List(record.Query{}) {
			if err != nil {
				return err
			}
			texts = append(texts, rec.AppendKeys(nil)[0].Text)
		}
		return nil
	})
	if err != nil {
		b.Fatal(err)
	}
	key := func() string { return texts[int(turn.Add(1))%len(texts)] }
	hand := func(ctx context.Context, _ int) error {
		var ids [3]pgtype.UUID
		var text string
		var active bool
		var expires pgtype.Timestamptz
		var most, redeemed int64
		var minimum pgtype.Int8
		return y.pool.QueryRow(ctx, sql, [16]byte(p.Config().ID), key()).
			Scan(&ids[0], &ids[1], &ids[2], &text, &active, &expires, &most, &redeemed, &minimum)
	}
	for _, clients := range []int{1, 16} {
		b.Run(fmt.Sprintf("Find/clients=%d", clients), func(b *testing.B) {
			for range b.N {
				compare(b, clients, func(ctx context.Context, _ int) error {
					return y.store.View(ctx, p.Config().ID, func(tx *record.Tx) error {
						_, err := tx.Codes.Find(record.Key{Index: record.ByCode, Text: key()})
						return err
					})
				}, hand)
			}
		})
		b.Run(fmt.Sprintf("Code/clients=%d", clients), func(b *testing.B) {
			for range b.N {
				compare(b, clients, func(ctx context.Context, _ int) error {
					_, err := p.Code(ctx, affiliate.CodeRef{Code: strings.ToUpper(key())})
					return err
				}, hand)
			}
		})
	}
}

// BenchmarkSaleBytes states the bytes on disk that a real sale takes, with its
// row of the ledger, its receipt and all indexes, after ordinary inserts. A real
// sale has a code, an external id, a customer who was there before and an
// idempotency key. The event is beside it, and each table by itself.
func BenchmarkSaleBytes(b *testing.B) {
	const warm, sales = 1000, 4000
	for range b.N {
		pool := newPool(b, databaseURL(b))
		schema := newSchema(b, pool)
		p := newProgram(b, newStore(b, pool, pgstore.Config{Schema: schema, Group: 64}), uuid.Must(uuid.NewV7()))
		hotCode(b, p)
		sellReal(b, p, 0, warm)
		before := tableBytes(b, pool, schema)
		sellReal(b, p, warm, sales)
		after := tableBytes(b, pool, schema)
		var sum, event float64
		for _, table := range slices.Sorted(maps.Keys(after)) {
			each := float64(after[table]-before[table]) / sales
			switch table {
			case "events":
				event = each
			case "deliveries", "queue":
			default:
				sum += each
			}
			if each >= 1 {
				b.ReportMetric(each, "B-"+table)
			}
		}
		b.ReportMetric(0, "ns/op")
		b.ReportMetric(sum, "B/sale")
		b.ReportMetric(event, "B/event")
		if err := p.Verify(b.Context()); err != nil {
			b.Error(err)
		}
	}
}

// sellReal records so many real sales, of a thousand customers in turn.
func sellReal(tb testing.TB, p *tributary.Program, from, n int) {
	tb.Helper()
	const clients = 8
	var wg sync.WaitGroup
	for client := range clients {
		wg.Go(func() {
			for i := from + client; i < from+n; i += clients {
				sale := realSale(int64(i))
				sale.Once.Key = uuid.NewSHA1(uuid.NameSpaceURL, []byte(sale.ExternalID)).String() // as long as most keys are
				got, err := p.RecordSale(context.Background(), sale)
				if err != nil || got.Outcome != affiliate.SaleRecorded {
					tb.Errorf("sale %d: %s, error %v", i, got.Outcome, err)
					return
				}
			}
		})
	}
	wg.Wait()
}

const (
	postEndpoints = 10
	postWorkers   = 4 * postEndpoints // how many requests the engine allows at once
	postEvents    = 100               // to each endpoint in a round
)

// BenchmarkDispatch delivers events to ten endpoints on loopback, and posts as
// many bodies to them by hand with the same concurrency, in turns. ratio is the
// throughput with claiming, signing and settling, divided by that of the bare
// posts.
func BenchmarkDispatch(b *testing.B) {
	y := newYard(b, 1, pgstore.Config{Group: 64})
	open := affiliate.AddressPolicy{AllowHTTP: true, AllowNetworks: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}}
	sender := &webhooks.Sender{Addresses: open}
	p := must(tributary.New(y.store, tributary.Config{ID: uuid.Must(uuid.NewV7()), Name: "Northwind Beans", Addresses: open}))
	sender.Outbox = p.Webhooks()
	var urls []string
	for range postEndpoints {
		srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body)
			w.WriteHeader(http.StatusNoContent)
		}))
		b.Cleanup(srv.Close)
		urls = append(urls, srv.URL)
		must(p.Webhooks().CreateEndpoint(b.Context(), affiliate.EndpointParams{URL: srv.URL, Events: []affiliate.EventType{"*"}}))
	}
	people := 0
	join := func(n int) {
		for range n {
			people++
			must(p.CreateAffiliate(context.Background(), affiliate.AffiliateParams{FirstName: "Mara", LastName: "L", Email: fmt.Sprintf("mara%d@example.org", people)}))
		}
	}
	join(1)
	first := must(p.Webhooks().Deliveries(b.Context(), affiliate.DeliveryQuery{}, affiliate.Page{})).Items[0]
	payload, _ := must(p.Webhooks().Delivery(b.Context(), first.ID)).Payload.Get()
	must(sender.Drain(b.Context()))
	var bare, sent time.Duration
	for b.Loop() {
		bare += postByHand(b, urls, payload)
		join(postEvents)
		began := time.Now()
		if n := must(sender.Drain(b.Context())); n != postEvents*postEndpoints {
			b.Fatalf("%d settled", n)
		}
		sent += time.Since(began)
	}
	total := float64(b.N * postEvents * postEndpoints)
	b.ReportMetric(total/sent.Seconds(), "sent/s")
	b.ReportMetric(total/bare.Seconds(), "bare/s")
	b.ReportMetric(float64(bare)/float64(sent), "ratio")
}

// postByHand posts a body to each URL, postEvents times, from postWorkers
// goroutines.
func postByHand(b *testing.B, urls []string, body []byte) time.Duration {
	b.Helper()
	transport := &http.Transport{MaxIdleConnsPerHost: postWorkers, DisableCompression: true}
	defer transport.CloseIdleConnections()
	client := &http.Client{Transport: transport}
	jobs := make(chan string)
	began := time.Now()
	var wg sync.WaitGroup
	for range postWorkers {
		wg.Go(func() {
			for url := range jobs {
				res, err := client.Post(url, "application/json", bytes.NewReader(body))
				if err != nil {
					b.Error(err)
					continue
				}
				_, _ = io.Copy(io.Discard, res.Body)
				res.Body.Close()
			}
		})
	}
	for range postEvents {
		for _, url := range urls {
			jobs <- url
		}
	}
	close(jobs)
	wg.Wait()
	return time.Since(began)
}

// BenchmarkSums compares reports that the database adds up with those that the engine does.
func BenchmarkSums(b *testing.B) {
	pool := newPool(b, databaseURL(b))
	twins.BenchSums(b, newStore(b, pool, pgstore.Config{Schema: newSchema(b, pool)}), 100_000)
}

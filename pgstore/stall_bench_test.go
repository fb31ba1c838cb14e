package pgstore_test

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

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

package proofs_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"iter"
	"runtime"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/atlength"
	"github.com/tributary-go/tributary/internal/benchkit"
	"github.com/tributary-go/tributary/internal/scene"
	"github.com/tributary-go/tributary/memstore"
)

// A readMeter is a store that counts the movements, clicks and referrals that are
// read, and the Views.
type readMeter struct {
	record.Store
	read, views atomic.Int64
	most        atomic.Int64 // in one View
}

func (m *readMeter) View(ctx context.Context, id uuid.UUID, fn func(*record.Tx) error) error {
	before := m.read.Load()
	m.views.Add(1)
	err := m.Store.View(ctx, id, func(tx *record.Tx) error {
		metered := *tx
		metered.Movements = meteredTable[record.Movement]{tx.Movements, &m.read}
		metered.Clicks = meteredTable[record.Click]{tx.Clicks, &m.read}
		metered.Referrals = meteredTable[record.Referral]{tx.Referrals, &m.read}
		return fn(&metered)
	})
	m.most.Store(max(m.most.Load(), m.read.Load()-before))
	return err
}

// since is what was read by fn.
func (m *readMeter) since(fn func()) (records int64) {
	before := m.read.Load()
	fn()
	return m.read.Load() - before
}

type meteredTable[R record.Record[R]] struct {
	record.Table[R]
	n *atomic.Int64
}

func (t meteredTable[R]) List(q record.Query) iter.Seq2[R, error] {
	return func(yield func(R, error) bool) {
		for rec, err := range t.Table.List(q) {
			t.n.Add(1)
			if !yield(rec, err) {
				return
			}
		}
	}
}

// A ledgerBook is an affiliate with movements in a month, and others before and
// after it. Program-wide there are clicks beside each tenth movement.
type ledgerBook struct {
	*tributary.Program
	meter    *readMeter
	owner    uuid.UUID
	from, to time.Time // the month
	lines    time.Time // the end of its first 100 movements
	month    []record.Movement
}

// ledgerMonth is how many sales the month has.
const ledgerMonth = 1000

// newLedgerBook stores the month and n movements outside, half of them before it.
func newLedgerBook(tb testing.TB, n int) *ledgerBook {
	tb.Helper()
	store := memstore.New()
	b := &ledgerBook{meter: &readMeter{Store: store}, from: time.Date(2026, 4, 1, 0, 0, 0, 0, time.UTC), to: time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC)}
	p, owners := benchkit.Shop(tb, b.meter, 1)
	b.Program, b.owner = p, owners[0].ID
	step := 30 * 24 * time.Hour / ledgerMonth
	at := b.from.Add(-time.Duration(n/2) * time.Minute)
	const together = 1000
	for first := 0; first < n+ledgerMonth; first += together {
		err := store.Update(context.Background(), p.Config().ID, func(tx *record.Tx) error {
			for i := first; i < min(first+together, n+ledgerMonth); i++ {
				rec := b.movement(i, at)
				switch {
				case at.Before(b.from) || !at.Before(b.to):
					at = at.Add(time.Minute)
				default:
					b.month = append(b.month, rec)
					at = at.Add(step)
				}
				if len(b.month) == 100 && b.lines.IsZero() {
					b.lines = at
				}
				if err := tx.Movements.Insert(rec); err != nil {
					return err
				}
				if i%10 > 0 {
					continue
				}
				click := record.Click{ID: rec.ID, Number: int64(i + 1), AffiliateID: b.owner, CreatedAt: rec.At}
				if err := tx.Clicks.Insert(click); err != nil {
					return err
				}
			}
			return nil
		})
		check(err)
	}
	check(store.Update(context.Background(), p.Config().ID, func(tx *record.Tx) error {
		totals := record.Totals{ID: b.owner, Books: record.Books{
			Payable: affiliate.AmountFromScaled(int64(n+ledgerMonth) * 200_000), Number: int64(n + ledgerMonth), Opened: affiliate.InstantOf(time.Time{}).Add(time.Microsecond),
		}}
		return tx.Totals.Insert(totals)
	}))
	if len(b.month) != ledgerMonth {
		tb.Fatalf("%d movements are in the month", len(b.month))
	}
	return b
}

// movement is the i-th: a sale of 100.
func (b *ledgerBook) movement(i int, at time.Time) record.Movement {
	var id uuid.UUID
	binary.BigEndian.PutUint64(id[:8], uint64(at.UnixMilli())<<16|0x7000)
	binary.BigEndian.PutUint64(id[8:], 1<<63|uint64(i))
	return record.Movement{
		ID: id, AffiliateID: b.owner, Number: int64(i + 1), At: affiliate.InstantOf(at), From: affiliate.EnumOf(affiliate.AccountAccrual),
		To: affiliate.EnumOf(affiliate.AccountPayable), Cause: affiliate.EnumOf(affiliate.CauseSale), Amount: affiliate.MustAmount("20"),
		Sale: int64(i + 1), Sales: 1, Revenue: affiliate.MustAmount("100"), Payable: affiliate.AmountFromScaled(int64(i+1) * 200_000),
	}
}

func (b *ledgerBook) query() affiliate.ReportQuery {
	return affiliate.ReportQuery{From: b.from, To: b.to, By: affiliate.IntervalDay, AffiliateID: affiliate.Set(b.owner)}
}

// The questions of docs/money.md Q2.
func (b *ledgerBook) balance() {
	scene.Must(b.Balance(context.Background(), affiliate.AffiliateRef{ID: b.owner}))
}

func (b *ledgerBook) report() {
	scene.Must(b.Report(context.Background(), b.query(), affiliate.Page{}))
}

func (b *ledgerBook) statement() {
	n := 0
	for _, err := range scene.Must(b.Statement(context.Background(), affiliate.AffiliateRef{ID: b.owner}, b.from, b.lines)).Lines() {
		check(err)
		n++
	}
	if n != 100 {
		panic("not a statement of 100 lines")
	}
}

// docs/money.md 16: a report costs what its period costs, and no View of it reads
// more than a thousand records.
func TestReportReads(t *testing.T) {
	n := 5000
	if atlength.On() {
		n = 1_000_000
	}
	b := newLedgerBook(t, n)
	const day = 24 * 60 // clicks of the day after the month, which clocks may have mixed up: one in ten minutes
	for name, q := range map[string]affiliate.ReportQuery{"affiliate": b.query(), "program": {From: b.from, To: b.to, By: affiliate.IntervalMonth}} {
		got := b.meter.since(func() {
			sales, clicks := int64(0), int64(0)
			for _, bucket := range scene.Must(b.Report(t.Context(), q, affiliate.Page{})).Items {
				sales += bucket.Sales
				clicks += bucket.Clicks.Or(0)
			}
			if sales != ledgerMonth || clicks != ledgerMonth/10 {
				t.Errorf("%s: %d sales, %d clicks", name, sales, clicks)
			}
		})
		t.Logf("%s: %d records were read for %d movements and %d clicks in the month, beside %d movements outside", name, got, ledgerMonth, ledgerMonth/10, n)
		if got > ledgerMonth+ledgerMonth/10+day/10+5 { // and the settings, with one sale, once
			t.Errorf("%s: %d records were read", name, got)
		}
	}
	if most := b.meter.most.Load(); most > 1000 {
		t.Errorf("a View read %d records", most)
	}
	one := b.meter.since(func() {
		scene.Must(b.Report(t.Context(), b.query(), affiliate.Page{Limit: 1}))
	})
	if one > ledgerMonth/20+day/10 {
		t.Errorf("%d records were read for a page of one day", one)
	}
}

// BenchmarkLedgerOnFullStore is docs/money.md Q2: x-small is a balance, a
// statement of 100 lines and a report of 30 days with 1,000 sales, with 10^6
// movements outside over the same with 10^3; x-floor is it over a loop by hand
// over what it counts.
func BenchmarkLedgerOnFullStore(b *testing.B) {
	few, many := newLedgerBook(b, 1000), newLedgerBook(b, 1_000_000)
	for _, q := range []struct {
		name  string
		n     int
		run   func(*ledgerBook)
		floor func()
	}{
		{"balance", 2000, (*ledgerBook).balance, func() { count(many.month[:1]) }},
		{"statement", 100, (*ledgerBook).statement, func() { count(many.month[:100]) }},
		{"report", 20, (*ledgerBook).report, func() { count(many.month) }},
	} {
		b.Run(q.name, func(b *testing.B) {
			times := func(run func()) func(int) {
				return func(n int) {
					for range n {
						run()
					}
				}
			}
			benchkit.Compare(b, q.n, times(func() { q.run(many) }),
				benchkit.Side{Name: "small", Run: times(func() { q.run(few) })}, benchkit.Side{Name: "floor", Run: times(q.floor)})
		})
	}
}

// daysSink keeps the floor's loop from being optimised away.
var daysSink map[int]int64

// count is a report by hand: revenue by day.
func count(movements []record.Movement) {
	days := map[int]int64{}
	for i := range movements {
		days[movements[i].At.Time().YearDay()] += movements[i].Revenue.Scaled()
	}
	daysSink = days
}

// The benchmarks of the real sale: a code, an external id of its own, and a
// customer, who is one of a thousand in turn.

const customers = 1000

// A desk records real sales, with the engine or by the floor. The texts are made
// beforehand, because the sides must not pay for them.
type desk struct {
	p                    *tributary.Program
	floor                *benchkit.Floor
	codes                []string
	names, emails        [customers]string
	orders               []string
	sold, floored, bared int
}

// newDesk makes a shop with as many codes, and texts for as many sales.
func newDesk(b *testing.B, store record.Store, codes, sales int) *desk {
	b.Helper()
	p, _ := benchkit.Shop(b, store, codes)
	t := &desk{p: p, floor: benchkit.FillFloor(codes), codes: make([]string, codes), orders: make([]string, sales)}
	for i := range t.codes {
		t.codes[i] = "CODE" + strconv.Itoa(i)
	}
	for i := range t.names {
		t.names[i], t.emails[i] = "Customer "+strconv.Itoa(i), "customer-"+strconv.Itoa(i)+"@example.com"
	}
	for i := range t.orders {
		t.orders[i] = "order-" + strconv.Itoa(i)
	}
	return t
}

// sale is the i-th sale.
func (t *desk) sale(i int) affiliate.SaleParams {
	return affiliate.SaleParams{
		PromoCode: t.codes[i%len(t.codes)], ExternalID: t.orders[i], TotalEarned: scene.SaleTotal,
		Name: t.names[i%customers], Email: t.emails[i%customers],
	}
}

// sell, sellFloor and sellBare record n sales on some goroutines.
func (t *desk) sell(workers int) func(n int) {
	return func(n int) {
		first := t.sold
		t.sold += n
		spread(workers, n, func(i int) { scene.Must(t.p.RecordSale(context.Background(), t.sale(first+i))) })
	}
}

func (t *desk) sellFloor(workers int) func(n int) {
	return func(n int) {
		first := t.floored
		t.floored += n
		spread(workers, n, func(i int) {
			s := t.sale(first + i)
			check(t.floor.Sell(s.PromoCode, s.ExternalID, s.Name, s.Email, s.TotalEarned.Scaled()))
		})
	}
}

func (t *desk) sellBare(workers int) func(n int) {
	return func(n int) {
		first := t.bared
		t.bared += n
		spread(workers, n, func(i int) {
			scene.Must(t.p.RecordSale(context.Background(), affiliate.SaleParams{PromoCode: t.codes[(first+i)%len(t.codes)], TotalEarned: scene.SaleTotal}))
		})
	}
}

// room is how many sales a comparison with turns of n makes.
func room(n int) int { return (benchkit.Rounds + 1) * (n + 1) }

// BenchmarkRealSale is P1 and P2: x-floor is the real sale over the floor that
// does the same, x-bare the real sale over the bare one, which has only a code.
func BenchmarkRealSale(b *testing.B) {
	const n = 4000
	for _, shape := range []struct {
		name  string
		codes int
	}{{"hot", 1}, {"spread", 1000}, {"coupon", 10_000}} {
		for _, workers := range []int{1, 16, 256} {
			b.Run(fmt.Sprintf("%s/workers=%d", shape.name, workers), func(b *testing.B) {
				t := newDesk(b, memstore.New(), shape.codes, room(n))
				bare := newDesk(b, memstore.New(), shape.codes, 0)
				benchkit.Compare(b, n, t.sell(workers),
					benchkit.Side{Name: "floor", Run: t.sellFloor(workers)},
					benchkit.Side{Name: "bare", Run: bare.sellBare(workers)})
				b.StopTimer()
				benchkit.Audit(b, t.p, int64(t.sold))
				benchkit.Audit(b, bare.p, int64(bare.bared))
			})
		}
	}
}

// BenchmarkRealSaleWithin compares the real sale within budgets with one without, both by terms that were
// set: one of each affiliate for a month, and the same with one that everybody shares for ever.
func BenchmarkRealSaleWithin(b *testing.B) {
	const n = 4000
	month := affiliate.Budget{Of: affiliate.BudgetOfAffiliate, Per: affiliate.IntervalMonth, MaxCommission: affiliate.MustAmount("1000000000")}
	shared := affiliate.Budget{Of: affiliate.BudgetOfAll, MaxRewards: 1e9}
	for name, budgets := range map[string][]affiliate.Budget{"month": {month}, "month and shared": {month, shared}} {
		b.Run(name, func(b *testing.B) {
			t, plain := newDesk(b, memstore.New(), 1000, room(n)), newDesk(b, memstore.New(), 1000, room(n))
			days := affiliate.Set(int64(1))
			scene.Must(t.p.SetTerms(b.Context(), affiliate.TermsUpdate{HoldDays: days, Budgets: affiliate.Set(budgets)}))
			scene.Must(plain.p.SetTerms(b.Context(), affiliate.TermsUpdate{HoldDays: days}))
			benchkit.Compare(b, n, t.sell(1), benchkit.Side{Name: "plain", Run: plain.sell(1)})
			b.StopTimer()
			benchkit.Audit(b, t.p, int64(t.sold))
			benchkit.Audit(b, plain.p, int64(plain.sold))
		})
	}
}

// BenchmarkRealSaleOnFullStore is P4: x-small is the real sale among 10^6 earlier
// ones over the same among 10^3.
func BenchmarkRealSaleOnFullStore(b *testing.B) {
	const n, small, big = 200, 1000, 1_000_000
	few, many := newDesk(b, memstore.New(), 1000, small+2*room(n)), newDesk(b, memstore.New(), 1000, big+2*room(n))
	few.sell(1)(small)
	many.sell(1)(big)
	b.ResetTimer()
	benchkit.Compare(b, n, many.sell(1), benchkit.Side{Name: "small", Run: few.sell(1)})
	b.StopTimer()
	benchkit.Audit(b, few.p, int64(few.sold))
	benchkit.Audit(b, many.p, int64(many.sold))
}

// BenchmarkRealSaleBytes is P13: what a real sale keeps in memory with its
// commission, ledger row, event record, indexes, totals and its texts, which
// every request brings anew; once without the frozen body of its event, and once
// with it.
func BenchmarkRealSaleBytes(b *testing.B) {
	const sales = 100_000
	for _, whole := range []bool{false, true} {
		name, store := "without-payload", record.Store(payloadlessStore{memstore.New()})
		if whole {
			name, store = "whole", memstore.New()
		}
		b.Run(name, func(b *testing.B) {
			t := newDesk(b, store, 1000, sales)
			before := scene.Heap()
			for i := range sales {
				s := t.sale(i)
				s.Name, s.Email, s.ExternalID = strings.Clone(s.Name), strings.Clone(s.Email), strings.Clone(s.ExternalID)
				scene.Must(t.p.RecordSale(context.Background(), s))
			}
			b.ReportMetric(float64(scene.Heap()-before)/sales, "B/sale")
			if whole {
				benchkit.Audit(b, t.p, sales)
			}
			runtime.KeepAlive(t)
		})
	}
}

// BenchmarkRealSaleProcs is P26: gain-2 and gain-4 are the throughput of 16
// goroutines on 2 and on 4 processors over that on one.
func BenchmarkRealSaleProcs(b *testing.B) {
	const n = 2000
	t := newDesk(b, memstore.New(), 1000, 4*room(n))
	var next atomic.Int64
	on := func(procs int) func(n int) {
		return func(n int) {
			defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(procs))
			spread(16, n, func(int) {
				scene.Must(t.p.RecordSale(context.Background(), t.sale(int(next.Add(1)-1))))
			})
		}
	}
	benchkit.Warm()
	for _, procs := range []int{2, 4} {
		b.ReportMetric(1/benchkit.Stopwatch(benchkit.Wall).Ratio(n, on(1), on(procs)), "gain-"+strconv.Itoa(procs))
	}
	b.StopTimer()
	benchkit.Audit(b, t.p, next.Load())
}

package sqlitestore_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/ncruces/go-sqlite3"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/internal/benchkit"
	"github.com/tributary-go/tributary/internal/twins"
	"github.com/tributary-go/tributary/sqlitestore"
)

// byHand are the statements that somebody would write to record a sale with a code in
// one SQLite file: the code and the coupon are read and counted, the customer is
// inserted or counted, and the sale with its commission, the redemption, the event and
// the answer under the request's key are written.
var byHand = struct{ tables, code, countCode, countCoupon, customer, sale, redemption, event, receipt string }{
	tables: `
CREATE TABLE coupons (id TEXT PRIMARY KEY, valid INTEGER NOT NULL, used INTEGER NOT NULL, maximum INTEGER NOT NULL);
CREATE TABLE codes (id TEXT PRIMARY KEY, code TEXT NOT NULL UNIQUE, coupon TEXT NOT NULL, affiliate TEXT NOT NULL, rate INTEGER NOT NULL,
  active INTEGER NOT NULL, used INTEGER NOT NULL, maximum INTEGER NOT NULL);
CREATE TABLE customers (id TEXT PRIMARY KEY, email TEXT NOT NULL UNIQUE, name TEXT, affiliate TEXT, sales INTEGER NOT NULL, created_at INTEGER);
CREATE TABLE sales (number INTEGER PRIMARY KEY, id TEXT UNIQUE, external_id TEXT UNIQUE, invoice_id TEXT UNIQUE, email TEXT, code TEXT, affiliate TEXT,
  referral TEXT, payout TEXT, total INTEGER, commission INTEGER, created_at INTEGER);
CREATE INDEX sales_affiliate ON sales (affiliate, id);
CREATE INDEX sales_referral ON sales (referral, id);
CREATE INDEX sales_email ON sales (email, id);
CREATE INDEX sales_payout ON sales (payout, id);
CREATE TABLE redemptions (sale TEXT PRIMARY KEY, code TEXT, coupon TEXT, created_at INTEGER);
CREATE INDEX redemptions_code ON redemptions (code);
CREATE TABLE events (id TEXT PRIMARY KEY, type TEXT, object TEXT, payload TEXT, created_at INTEGER);
CREATE INDEX events_object ON events (object);
CREATE TABLE receipts (key TEXT PRIMARY KEY, digest BLOB, answer TEXT, created_at INTEGER);
INSERT INTO coupons VALUES ('c', 1, 0, 0);
INSERT INTO codes VALUES ('k', 'CODE0', 'c', 'a', 20, 1, 0, 0)`,
	code: `SELECT k.id, k.coupon, k.affiliate, k.rate FROM codes k JOIN coupons p ON p.id = k.coupon
WHERE k.code = ? AND k.active AND p.valid AND (k.maximum = 0 OR k.used < k.maximum) AND (p.maximum = 0 OR p.used < p.maximum)`,
	countCode:   `UPDATE codes SET used = used + 1 WHERE id = ?`,
	countCoupon: `UPDATE coupons SET used = used + 1 WHERE id = ?`,
	customer: `INSERT INTO customers VALUES (?, ?, ?, ?, 1, ?)
ON CONFLICT (email) DO UPDATE SET sales = sales + 1 RETURNING id`,
	sale:       `INSERT INTO sales (id, external_id, email, code, affiliate, referral, total, commission, created_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
	redemption: `INSERT INTO redemptions VALUES (?, ?, ?, ?)`,
	event:      `INSERT INTO events VALUES (?, 'sale.created', ?, ?, ?)`,
	receipt:    `INSERT INTO receipts VALUES (?, ?, ?, ?)`,
}

// A hand writes sales by these statements.
type hand struct {
	mu      sync.Mutex
	c       *sqlite3.Conn
	stmts   map[string]*sqlite3.Stmt
	payload []byte
	answer  []byte
}

func newHand(tb testing.TB, path, sync string, payload, answer []byte) *hand {
	tb.Helper()
	c := must(sqlite3.Open("file:" + path))
	must(0, c.Exec("PRAGMA journal_mode=WAL; PRAGMA synchronous="+sync+"; "+byHand.tables))
	tb.Cleanup(func() { _ = c.Close() })
	return &hand{c: c, stmts: map[string]*sqlite3.Stmt{}, payload: payload, answer: answer}
}

// run runs a statement and returns the first row of its answer.
func (h *hand) run(sql string, args ...any) (row []string, err error) {
	stmt := h.stmts[sql]
	if stmt == nil {
		if stmt, _, err = h.c.Prepare(sql); err != nil {
			return nil, err
		}
		h.stmts[sql] = stmt
	}
	for i, arg := range args {
		switch arg := arg.(type) {
		case int64:
			err = errors.Join(err, stmt.BindInt64(i+1, arg))
		case []byte:
			err = errors.Join(err, stmt.BindBlob(i+1, arg))
		case string:
			err = errors.Join(err, stmt.BindText(i+1, arg))
		}
	}
	if stmt.Step() {
		for i := range stmt.ColumnCount() {
			row = append(row, stmt.ColumnText(i))
		}
		for stmt.Step() {
		}
	}
	return row, errors.Join(err, stmt.Err(), stmt.Reset())
}

func (h *hand) sell(in affiliate.SaleParams) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if _, err := h.run("BEGIN IMMEDIATE"); err != nil {
		return err
	}
	now, id := time.Now().UnixMicro(), uuid.Must(uuid.NewV7()).String()
	code, err := h.run(byHand.code, in.PromoCode)
	if err != nil || len(code) == 0 {
		return fmt.Errorf("%d columns, %w", len(code), err)
	}
	customer, err := h.run(byHand.customer, uuid.Must(uuid.NewV7()).String(), in.Email, in.Name, code[2], now)
	if err != nil {
		return err
	}
	digest := uuid.New()
	for _, s := range []struct {
		sql  string
		args []any
	}{
		{byHand.countCode, []any{code[0]}},
		{byHand.countCoupon, []any{code[1]}},
		{byHand.sale, []any{id, in.ExternalID, in.Email, code[0], code[2], customer[0], in.TotalEarned.Scaled(), in.TotalEarned.Scaled() / 5, now}},
		{byHand.redemption, []any{id, code[0], code[1], now}},
		{byHand.event, []any{uuid.Must(uuid.NewV7()).String(), id, string(h.payload), now}},
		{byHand.receipt, []any{in.Once.Key, digest[:], string(h.answer), now}},
		{"COMMIT", nil},
	} {
		if _, err := h.run(s.sql, s.args...); err != nil {
			return err
		}
	}
	return nil
}

// BenchmarkRealSale compares the engine with the statements by hand, at as many
// clients: sales with a code, an external id, a customer and a key.
func BenchmarkRealSale(b *testing.B) {
	for _, sync := range []sqlitestore.Sync{sqlitestore.Full, sqlitestore.Normal} {
		for _, clients := range []int{1, 16, 64} {
			b.Run(fmt.Sprintf("sync=%d/clients=%d", sync, clients), func(b *testing.B) {
				dir := b.TempDir()
				store := open(b, filepath.Join(dir, "program.db"), sqlitestore.Config{Sync: sync})
				p, _ := benchkit.Shop(b, store, 1)
				next := realSale()
				first := must(p.RecordSale(b.Context(), next()))
				sale, _ := first.Sale.Get()
				events, err := p.Events(b.Context(), affiliate.EventQuery{}, affiliate.Page{Limit: 1})
				if err != nil {
					b.Fatal(err)
				}
				h := newHand(b, filepath.Join(dir, "hand.db"), []string{"FULL", "NORMAL"}[sync], events.Items[0].Payload, sale.AppendJSON(nil))
				var sold atomic.Int64
				sold.Add(1)
				ours := func() error {
					_, err := p.RecordSale(context.Background(), next())
					sold.Add(1)
					return err
				}
				for range b.N {
					var ratios, rates, hands []float64
					for range 5 {
						us, hand := rate(b, clients, ours), rate(b, clients, func() error { return h.sell(next()) })
						ratios, rates, hands = append(ratios, us/hand), append(rates, us), append(hands, hand)
					}
					b.ReportMetric(benchkit.Median(ratios), "ratio")
					b.ReportMetric(benchkit.Median(rates), "sales/s")
					b.ReportMetric(benchkit.Median(hands), "byhand/s")
				}
				b.ReportMetric(0, "ns/op")
				benchkit.Audit(b, p, sold.Load())
			})
		}
	}
}

// realSale returns a function that makes sales with every field that users send, each
// with a key of its own. It is safe for concurrent use.
func realSale() func() affiliate.SaleParams {
	var turn atomic.Int64
	real := benchkit.RealSale(1)
	return func() affiliate.SaleParams {
		n := turn.Add(1)
		in := real(int(n))
		in.Once = affiliate.Once{Key: fmt.Sprint("key-", n)}
		return in
	}
}

// rate returns how many calls a second some clients make.
func rate(b *testing.B, clients int, call func() error) float64 {
	b.Helper()
	const span = 400 * time.Millisecond
	var calls atomic.Int64
	var wg sync.WaitGroup
	begun := time.Now()
	for range clients {
		wg.Go(func() {
			for time.Since(begun) < span {
				if err := call(); err != nil {
					b.Error(err)
					return
				}
				calls.Add(1)
			}
		})
	}
	wg.Wait()
	return float64(calls.Load()) / time.Since(begun).Seconds()
}

// BenchmarkSums compares reports that the file adds up with those that the engine does.
func BenchmarkSums(b *testing.B) {
	twins.BenchSums(b, open(b, filepath.Join(b.TempDir(), "program.db"), sqlitestore.Config{Sync: sqlitestore.Normal}), 100_000)
}

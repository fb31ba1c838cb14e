package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/affiliate/record/router"
	"github.com/tributary-go/tributary/httpapi/console"
	"github.com/tributary-go/tributary/internal/benchkit"
	"github.com/tributary-go/tributary/memstore"
	"github.com/tributary-go/tributary/sqlitestore"
)

// BenchmarkLook is what people look at and wait for, on a program with a year of sales by a
// thousand affiliates who are paid each month what is older than 30 days, on each store: pages of the console, what is owed, rankings of
// the last month and of all, what lists add up to, a file of all sales, the preview of a payout
// run, and Verify. It reports the processor time of this process and of the
// database (cpu-ms/op). 10^6 sales take 12 GB of the disk.
func BenchmarkLook(b *testing.B) {
	for _, size := range []int{100_000, 1_000_000} {
		b.Run(strconv.Itoa(size), func(b *testing.B) {
			memory := memstore.New()
			p := yearOfSales(b, memory, size)
			b.Run("memory", func(b *testing.B) { looks(b, p, spent) })
			file := inFile(b, filepath.Join(b.TempDir(), "program.db"), sqlitestore.Normal)
			database, pool := inDatabase(b)
			for _, store := range []record.Store{file, database} {
				if _, err := router.Copy(b.Context(), memory, store, p.Config().ID); err != nil {
					b.Fatal(err)
				}
			}
			memory, p = nil, p.With(file)
			b.Run("file", func(b *testing.B) { looks(b, p, spent) })
			if _, err := pool.Exec(b.Context(), "VACUUM ANALYZE"); err != nil {
				b.Fatal(err)
			}
			server := postmaster(b, pool)
			b.Run("PostgreSQL", func(b *testing.B) {
				looks(b, p.With(database), func() time.Duration { return spent() + spentBy(b, server) })
			})
		})
	}
}

// yearOfSales makes a program in memory whose sales are spread over the year until now, with
// eleven payout runs.
func yearOfSales(b *testing.B, store record.Store, size int) *tributary.Program {
	b.Helper()
	const year = 365 * 24 * time.Hour
	start := time.Now().Add(-year)
	now := start
	p, _ := benchkit.ShopOf(b, store, codes, func(c *tributary.Config) {
		c.Terms.HoldDays = 30
		c.Now = func() time.Time { return now }
	})
	saleOf := benchkit.RealSale(codes)
	for i := range size {
		now = start.Add(year / time.Duration(size) * time.Duration(i+1))
		if _, err := p.RecordSale(b.Context(), saleOf(i)); err != nil {
			b.Fatal(err)
		}
		if month := i * 12 / size; month < (i+1)*12/size && month < 11 {
			payAll(b, p, strconv.Itoa(month))
		}
	}
	return p
}

// payAll pays what is due to everybody.
func payAll(b *testing.B, p *tributary.Program, run string) {
	b.Helper()
	_, err := p.RunPayouts(b.Context(), affiliate.PayoutRun{ExternalID: run, NoDetails: true})
	pending := affiliate.PayoutQuery{Status: affiliate.PayoutPending}
	for payout, each := range affiliate.All(b.Context(), p.Payouts, pending) {
		if err = cmp.Or(err, each); err == nil {
			_, err = p.SetPayoutStatus(b.Context(), payout.ID, affiliate.PayoutPaid)
		}
	}
	if err != nil {
		b.Fatal(err)
	}
}

// looks measures what people look at on one store.
func looks(b *testing.B, p *tributary.Program, spent func() time.Duration) {
	b.Helper()
	ctx, now := b.Context(), time.Now()
	look := func(name string, read func(ctx context.Context) error) {
		b.Run(name, func(b *testing.B) {
			before := spent()
			for b.Loop() {
				if err := read(ctx); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64((spent()-before).Microseconds())/1000/float64(b.N), "cpu-ms/op")
		})
	}
	pages(b, p, look)
	for name, at := range map[string]time.Time{"now": {}, "then": now.AddDate(0, 0, -10)} {
		look("owed/"+name, func(ctx context.Context) error {
			_, err := p.TotalBalance(ctx, at)
			return err
		})
	}
	for span, from := range map[string]time.Time{"month": now.AddDate(0, -1, 0), "year": now.AddDate(-1, 0, -1)} {
		for _, by := range []affiliate.Dimension{
			affiliate.DimensionAffiliate, affiliate.DimensionCode, affiliate.DimensionCoupon,
			affiliate.DimensionProduct, affiliate.DimensionLandingPage,
		} {
			q := affiliate.BreakdownQuery{From: from, To: now.AddDate(0, 0, 1), By: by}
			look("ranking/"+span+"/"+string(by), func(ctx context.Context) error {
				_, err := p.Breakdown(ctx, q, affiliate.Page{Limit: 100})
				return err
			})
		}
	}
	for name, q := range map[string]affiliate.SaleQuery{
		"all": {}, "held": {ApprovalStatus: affiliate.ApprovalOnHold},
		"month": {Since: affiliate.Set(affiliate.At(now.AddDate(0, -1, 0)))},
	} {
		look("sums/"+name, func(ctx context.Context) error {
			_, err := p.SaleSums(ctx, q)
			return err
		})
	}
	look("preview", func(ctx context.Context) error {
		for _, err := range affiliate.All(ctx, p.PreviewPayouts, affiliate.PayoutRun{}) {
			if err != nil {
				return err
			}
		}
		return nil
	})
	b.Run("verify", func(b *testing.B) {
		for b.Loop() {
			before := spent()
			b.ReportMetric(peak(b, func() error { return p.Verify(ctx) }), "MiB")
			b.ReportMetric(float64((spent()-before).Microseconds())/1000, "cpu-ms/op")
		}
	})
}

// pages measures the pages of the console, and its file of all sales.
func pages(b *testing.B, p *tributary.Program, look func(name string, read func(ctx context.Context) error)) {
	b.Helper()
	desk := func() http.Handler {
		h, err := console.New(p, console.Config{
			Authorize: func(*http.Request) (string, bool) { return "ops", true }, Logger: slog.New(slog.DiscardHandler),
		})
		if err != nil {
			b.Fatal(err)
		}
		return h
	}
	open := desk()
	page := func(name string, path string, desk func() http.Handler) {
		look("page/"+name, func(ctx context.Context) error {
			w := httptest.NewRecorder()
			desk().ServeHTTP(w, httptest.NewRequestWithContext(ctx, http.MethodGet, path, http.NoBody))
			if w.Code != http.StatusOK {
				return fmt.Errorf("%s: %d %s", path, w.Code, w.Body)
			}
			return nil
		})
	}
	page("overview-first", "/", desk)
	ada, err := p.Affiliates(b.Context(), affiliate.AffiliateQuery{}, affiliate.Page{Limit: 1})
	if err != nil {
		b.Fatal(err)
	}
	for name, path := range map[string]string{
		"overview": "/", "sales": "/sales", "sale": "/sales/7", "affiliates": "/affiliates",
		"affiliate": "/affiliates/" + ada.Items[0].ID.String(), "codes": "/codes", "customers": "/customers",
		"owed": "/owed", "payouts": "/payouts", "reports": "/reports", "search": "/search?q=order-77", "none": "/search?q=zebra",
	} {
		page(name, path, func() http.Handler { return open })
	}
	b.Run("csv", func(b *testing.B) {
		server := httptest.NewServer(open)
		b.Cleanup(server.Close)
		for b.Loop() {
			began, lines := time.Now(), &lineCount{}
			b.ReportMetric(peak(b, func() error {
				res, err := http.Get(server.URL + "/sales/csv")
				if err != nil {
					return err
				}
				defer res.Body.Close()
				if _, err := io.CopyN(lines, res.Body, 1); err != nil {
					return err
				}
				b.ReportMetric(float64(time.Since(began).Microseconds())/1000, "ms-first")
				_, err = io.Copy(lines, res.Body)
				return err
			}), "MiB")
			b.ReportMetric(float64(lines.n)/time.Since(began).Seconds(), "rows/s")
		}
	})
}

// A lineCount counts the lines that are written to it.
type lineCount struct{ n int }

// Write counts.
func (c *lineCount) Write(p []byte) (int, error) {
	c.n += strings.Count(string(p), "\n")
	return len(p), nil
}

// spent is the processor time of this process.
func spent() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// postmaster returns the process that started the server of a pool.
func postmaster(b *testing.B, pool *pgxpool.Pool) int {
	b.Helper()
	var backend int
	if err := pool.QueryRow(b.Context(), "SELECT pg_backend_pid()").Scan(&backend); err != nil {
		b.Fatal(err)
	}
	parent, _, ok := processTime(strconv.Itoa(backend))
	if !ok {
		b.Skip("this system has no /proc")
	}
	return parent
}

// spentBy is the processor time of a process and of its children, those included that ended.
func spentBy(b *testing.B, pid int) (sum time.Duration) {
	b.Helper()
	all, err := os.ReadDir("/proc")
	if err != nil {
		b.Skip(err)
	}
	for _, process := range all {
		parent, time, ok := processTime(process.Name())
		if ok && (parent == pid || process.Name() == strconv.Itoa(pid)) {
			sum += time
		}
	}
	return sum
}

// processTime reads who started a process and what it and its ended children have spent, in
// hundredths of a second.
func processTime(pid string) (parent int, spent time.Duration, ok bool) {
	raw, err := os.ReadFile(filepath.Join("/proc", pid, "stat"))
	_, of, found := strings.Cut(string(raw), ") ") // after the name
	values := strings.Fields(of)
	if err != nil || !found || len(values) < 15 {
		return 0, 0, false
	}
	parent, err = strconv.Atoi(values[1])
	for _, v := range values[11:15] {
		n, _ := strconv.Atoi(v)
		spent += time.Duration(n) * 10 * time.Millisecond
	}
	return parent, spent, err == nil
}

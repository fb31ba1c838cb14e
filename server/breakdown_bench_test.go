package main

import (
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/affiliate/record/router"
	"github.com/tributary-go/tributary/internal/benchkit"
	"github.com/tributary-go/tributary/memstore"
	"github.com/tributary-go/tributary/sqlitestore"
)

// BenchmarkBreakdown ranks a month of 83,000 sales, and adds up what is owed for them, a twelfth of a million, in memory, in
// one file and on PostgreSQL, and reports the processor time of this process, without that
// of the server.
func BenchmarkBreakdown(b *testing.B) {
	const month = 83_000
	memory := memstore.New()
	p, _ := benchkit.Shop(b, memory, codes)
	saleOf := benchkit.RealSale(codes)
	for i := range month {
		if _, err := p.RecordSale(b.Context(), saleOf(i)); err != nil {
			b.Fatal(err)
		}
	}
	file := inFile(b, filepath.Join(b.TempDir(), "program.db"), sqlitestore.Normal)
	database, pool := inDatabase(b)
	programs := map[string]*tributary.Program{"memory": p, "file": p.With(file), "PostgreSQL": p.With(database)}
	for _, store := range []record.Store{file, database} {
		if _, err := router.Copy(b.Context(), memory, store, p.Config().ID); err != nil {
			b.Fatal(err)
		}
	}
	if _, err := pool.Exec(b.Context(), "VACUUM ANALYZE"); err != nil {
		b.Fatal(err)
	}
	now := time.Now()
	for _, name := range []string{"memory", "file", "PostgreSQL"} {
		for of, at := range map[string]time.Time{"now": {}, "moment": now.Add(time.Minute)} {
			b.Run(name+"/owed-"+of, func(b *testing.B) {
				before := spent()
				for b.Loop() {
					if _, err := programs[name].TotalBalance(b.Context(), at); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64((spent()-before).Microseconds())/1000/float64(b.N), "cpu-ms/op")
			})
		}
		for _, by := range []affiliate.Dimension{affiliate.DimensionAffiliate, affiliate.DimensionCode, affiliate.DimensionCoupon, affiliate.DimensionProduct, affiliate.DimensionPlan, affiliate.DimensionSub} {
			b.Run(name+"/"+string(by), func(b *testing.B) {
				before := spent()
				for b.Loop() {
					q := affiliate.BreakdownQuery{From: now.AddDate(0, 0, -15), To: now.AddDate(0, 0, 15), By: by}
					if _, err := programs[name].Breakdown(b.Context(), q, affiliate.Page{Limit: 100}); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64((spent()-before).Microseconds())/1000/float64(b.N), "cpu-ms/op")
			})
		}
	}
}

// spent is the processor time of this process.
func spent() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

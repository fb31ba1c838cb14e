package sqlitestore_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/tributary-go/tributary/internal/benchkit"
	"github.com/tributary-go/tributary/sqlitestore"
)

// BenchmarkOpen opens a file with many sales, and reports the bytes of each.
func BenchmarkOpen(b *testing.B) {
	for _, sales := range []int{0, 20_000} {
		b.Run(fmt.Sprint(sales, " sales"), func(b *testing.B) {
			path := filepath.Join(b.TempDir(), "program.db")
			store := open(b, path, sqlitestore.Config{Sync: sqlitestore.Normal})
			p, _ := benchkit.Shop(b, store, 1)
			next := realSale()
			for range sales {
				must(p.RecordSale(b.Context(), next()))
			}
			copied := filepath.Join(b.TempDir(), "copy.db")
			must(0, store.Backup(b.Context(), copied))
			for b.Loop() {
				again := must(sqlitestore.Open(b.Context(), path, sqlitestore.Config{}))
				must(0, again.Close())
			}
			b.ReportMetric(float64(must(os.Stat(copied)).Size())/float64(max(sales, 1)), "B/sale")
		})
	}
}

package sqlitestore_test

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/tributary-go/tributary/internal/benchkit"
	"github.com/tributary-go/tributary/sqlitestore"
)

// BenchmarkOpen opens a file with many sales.
func BenchmarkOpen(b *testing.B) {
	for _, sales := range []int{0, 20_000} {
		b.Run(fmt.Sprint(sales, " sales"), func(b *testing.B) {
			path := filepath.Join(b.TempDir(), "program.db")
			store := open(b, path, sqlitestore.Config{Sync: sqlitestore.Normal})
			p, _ := benchkit.Shop(b, store, 1)
			real := benchkit.RealSale(1)
			for i := range sales {
				if _, err := p.RecordSale(b.Context(), real(i)); err != nil {
					b.Fatal(err)
				}
			}
			for b.Loop() {
				again, err := sqlitestore.Open(b.Context(), path, sqlitestore.Config{})
				if err != nil {
					b.Fatal(err)
				}
				if err := again.Close(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

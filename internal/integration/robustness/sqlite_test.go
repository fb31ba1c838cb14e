package robustness

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/sqlitestore"
)

// inFile is a target on a SQLite file that has been opened so many times, as by
// processes beside each other, whose clocks are apart.
func inFile(name string, opened int, apart time.Duration) target {
	return onStores(name, apart, func(t *testing.T) (record.Store, []record.Store) {
		path := filepath.Join(t.TempDir(), "program.db")
		var used []record.Store
		for range opened + 1 {
			s, err := sqlitestore.Open(t.Context(), path, sqlitestore.Config{Sync: sqlitestore.Normal})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() {
				if err := s.Close(); err != nil {
					t.Error(err)
				}
			})
			used = append(used, s)
		}
		return used[0], used[1:]
	})
}

// TestHistoriesInFile takes histories on one SQLite file.
func TestHistoriesInFile(t *testing.T) {
	histories(t,
		goal{target: inFile("SQLite", 1, 0), short: 5, long: 100, clients: 8, calls: 50},
		goal{target: inFile("SQLite, opened twice, clocks 4 s apart", 2, 4*time.Second), short: 3, long: 60, clients: 8, calls: 50},
	)
}

// TestExactlyInFile is TestExactly on SQLite.
func TestExactlyInFile(t *testing.T) {
	exactlyOn(t, inFile("SQLite", 1, 0), inFile("SQLite, opened twice, clocks 4 s apart", 2, 4*time.Second))
}

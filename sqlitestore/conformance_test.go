package sqlitestore_test

import (
	"path/filepath"
	"testing"

	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/conformance"
	"github.com/tributary-go/tributary/sqlitestore"
)

func open(tb testing.TB, path string, cfg sqlitestore.Config) *sqlitestore.Store {
	tb.Helper()
	s := must(sqlitestore.Open(tb.Context(), path, cfg))
	tb.Cleanup(func() {
		if err := s.Close(); err != nil {
			tb.Error(err)
		}
	})
	return s
}

func TestStore(t *testing.T) {
	conformance.TestStore(t, func(tb testing.TB) record.Store {
		return open(tb, filepath.Join(tb.TempDir(), "program.db"), sqlitestore.Config{Sync: sqlitestore.Normal})
	})
}

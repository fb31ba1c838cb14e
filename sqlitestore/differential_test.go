package sqlitestore_test

import (
	"fmt"
	"path/filepath"
	"testing"

	"pgregory.net/rapid"

	"github.com/tributary-go/tributary/conformance"
	"github.com/tributary-go/tributary/internal/twins"
	"github.com/tributary-go/tributary/memstore"
	"github.com/tributary-go/tributary/sqlitestore"
)

// TestDifferential makes the same random calls on memstore and on a file. With Rerun
// every closure runs twice.
func TestDifferential(t *testing.T) {
	dir, made := t.TempDir(), 0
	rapid.Check(t, func(rt *rapid.T) {
		made++
		store := open(t, filepath.Join(dir, fmt.Sprint(made, ".db")), sqlitestore.Config{Sync: sqlitestore.Normal})
		if made%2 == 0 {
			twins.Play(rt, t, memstore.New(), conformance.Rerun(store))
			return
		}
		twins.Play(rt, t, memstore.New(), store)
	})
}

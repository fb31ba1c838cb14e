// Package memstore stands in for the package of that name when the engine's own
// tests run on SQLite: every store they make is a file of its own.
package memstore

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync/atomic"

	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/sqlitestore"
)

// Store is a store in a file.
type Store struct{ record.Store }

var made atomic.Int64

// New returns an empty store.
func New() *Store {
	path := filepath.Join(os.Getenv("TRIBUTARY_ENGINE_FOLDER"), fmt.Sprintf("%d-%d.db", os.Getpid(), made.Add(1)))
	s, err := sqlitestore.Open(context.Background(), path, sqlitestore.Config{Sync: sqlitestore.Normal})
	if err != nil {
		panic(err)
	}
	return &Store{s}
}

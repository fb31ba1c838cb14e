// Package memstore stands in for the package of that name when the engine's own
// tests run on PostgreSQL: every store they make is a schema of its own.
package memstore

import (
	"context"
	"fmt"
	"os"
	"sync"
	"sync/atomic"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/pgstore"
)

// Store is a store on PostgreSQL.
type Store struct{ record.Store }

var (
	open = sync.OnceValue(func() *pgxpool.Pool {
		return must(pgxpool.New(context.Background(), os.Getenv("TRIBUTARY_ENGINE_DATABASE_URL")))
	})
	made atomic.Int64
)

// New returns an empty store.
func New() *Store {
	schema := fmt.Sprintf("engine_%d_%d", os.Getpid(), made.Add(1))
	s := must(pgstore.New(open(), pgstore.Config{Schema: schema}))
	if err := s.Migrate(context.Background()); err != nil {
		panic(err)
	}
	return &Store{s}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

package pgstore_test

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/conformance"
	"github.com/tributary-go/tributary/pgstore"
)

// A way is a way to run the store.
type way struct {
	name string
	open func(tb testing.TB, pool *pgxpool.Pool, schema string) record.Store
}

// ways are: the store by itself, two processes that share a schema,
// transactions of the host, and every closure run twice.
func ways() []way {
	one := func(cfg pgstore.Config) func(testing.TB, *pgxpool.Pool, string) record.Store {
		return func(tb testing.TB, pool *pgxpool.Pool, schema string) record.Store {
			cfg.Schema = schema
			return newStore(tb, pool, cfg)
		}
	}
	by := func(mode pgx.QueryExecMode) func(testing.TB, *pgxpool.Pool, string) record.Store {
		return func(tb testing.TB, pool *pgxpool.Pool, schema string) record.Store {
			other := newPool(tb, pool.Config().ConnString(), func(c *pgxpool.Config) { c.ConnConfig.DefaultQueryExecMode = mode })
			return newStore(tb, other, pgstore.Config{Schema: schema})
		}
	}
	return []way{
		{"Queue", one(pgstore.Config{})},
		{"Queue, grouped", one(pgstore.Config{Group: 32})},
		{"Serializable", one(pgstore.Config{Mode: pgstore.Serializable})},
		{"Serializable, grouped", one(pgstore.Config{Mode: pgstore.Serializable, Group: 32})},
		{"two processes", func(tb testing.TB, pool *pgxpool.Pool, schema string) record.Store {
			grouped := newStore(tb, pool, pgstore.Config{Schema: schema, Group: 8})
			return &turnabout{stores: [2]record.Store{newStore(tb, pool, pgstore.Config{Schema: schema}), grouped}}
		}},
		{"inside the host's transaction", func(tb testing.TB, pool *pgxpool.Pool, schema string) record.Store {
			return hostTx{newStore(tb, pool, pgstore.Config{Schema: schema}), pool, pgx.ReadCommitted}
		}},
		{"rerun", func(tb testing.TB, pool *pgxpool.Pool, schema string) record.Store {
			return conformance.Rerun(newStore(tb, pool, pgstore.Config{Schema: schema}))
		}},
		{"without prepared statements", by(pgx.QueryExecModeExec)},
		{"simple protocol", by(pgx.QueryExecModeSimpleProtocol)},
	}
}

// short are the ways that a short run covers.
const short = 3

func TestStore(t *testing.T) {
	pool := newPool(t, databaseURL(t))
	for i, way := range ways() {
		if testing.Short() && i >= short {
			break
		}
		t.Run(way.name, func(t *testing.T) {
			schema := newSchema(t, pool)
			conformance.TestStore(t, func(tb testing.TB) record.Store {
				empty(tb, pool, schema)
				return way.open(tb, pool, schema)
			})
		})
	}
}

// A turnabout passes calls to two stores in turn, as two processes do.
type turnabout struct {
	stores [2]record.Store
	turn   atomic.Int64
}

func (s *turnabout) next() record.Store { return s.stores[s.turn.Add(1)%2] }

func (s *turnabout) View(ctx context.Context, program uuid.UUID, fn func(tx *record.Tx) error) error {
	return s.next().View(ctx, program, fn)
}

func (s *turnabout) Update(ctx context.Context, program uuid.UUID, fn func(tx *record.Tx) error) error {
	return s.next().Update(ctx, program, fn)
}

// A hostTx gives every call a transaction of the host.
type hostTx struct {
	store *pgstore.Store
	pool  *pgxpool.Pool
	level pgx.TxIsoLevel
}

func (s hostTx) View(ctx context.Context, program uuid.UUID, fn func(tx *record.Tx) error) error {
	return s.begin(ctx, func(in record.Store) error { return in.View(ctx, program, fn) })
}

func (s hostTx) Update(ctx context.Context, program uuid.UUID, fn func(tx *record.Tx) error) error {
	return s.begin(ctx, func(in record.Store) error { return in.Update(ctx, program, fn) })
}

func (s hostTx) begin(ctx context.Context, fn func(in record.Store) error) error {
	if ctx.Err() != nil {
		return fmt.Errorf("host: %w", ctx.Err())
	}
	return pgx.BeginTxFunc(ctx, s.pool, pgx.TxOptions{IsoLevel: s.level}, func(tx pgx.Tx) error { return fn(s.store.In(tx)) })
}

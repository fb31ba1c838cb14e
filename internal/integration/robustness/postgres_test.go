package robustness

import (
	"context"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/pgstore"
)

// onPostgres is a target on PostgreSQL.
func onPostgres(t *testing.T, name string, cfg pgstore.Config, hasty bool) target {
	pool := newPool(t, databaseURL(t), hasty)
	return onStores(name, 0, func(t *testing.T) (record.Store, []record.Store) {
		s := newStore(t, pool, cfg)
		return s, []record.Store{s}
	})
}

// inHosts is a target whose every call is in a transaction of the host.
func inHosts(t *testing.T) target {
	pool := newPool(t, databaseURL(t), true)
	return onStores("PostgreSQL, the host's transactions", 0, func(t *testing.T) (record.Store, []record.Store) {
		s := newStore(t, pool, pgstore.Config{})
		return s, []record.Store{hostStore{pool, s}}
	})
}

type hostStore struct {
	pool  *pgxpool.Pool
	store *pgstore.Store
}

// View runs fn in a transaction of the host.
func (h hostStore) View(ctx context.Context, program uuid.UUID, fn func(tx *record.Tx) error) error {
	return pgx.BeginFunc(ctx, h.pool, func(tx pgx.Tx) error { return h.store.In(tx).View(ctx, program, fn) })
}

// Update runs fn in a transaction of the host.
func (h hostStore) Update(ctx context.Context, program uuid.UUID, fn func(tx *record.Tx) error) error {
	return pgx.BeginFunc(ctx, h.pool, func(tx pgx.Tx) error { return h.store.In(tx).Update(ctx, program, fn) })
}

// behindProxy is a target whose connections break all the time.
func behindProxy(t *testing.T, cfg pgstore.Config) (target, *proxy) {
	pr := newProxy(t, databaseURL(t))
	clean, shaky := newPool(t, databaseURL(t), true), newPool(t, pr.url(), true)
	tg := onStores("PostgreSQL, connections break", 0, func(t *testing.T) (record.Store, []record.Store) {
		return newStore(t, clean, cfg), []record.Store{newStore(t, shaky, cfg)}
	})
	tg.loses = true
	return tg, pr
}

// ways are the ways to run pgstore that histories are taken on.
func ways(t *testing.T) []target {
	return []target{
		onPostgres(t, "PostgreSQL, queue", pgstore.Config{}, true),
		onPostgres(t, "PostgreSQL, queue, groups", pgstore.Config{Group: 16}, true),
		onPostgres(t, "PostgreSQL, serializable", pgstore.Config{Mode: pgstore.Serializable, Retries: 100}, true),
		onPostgres(t, "PostgreSQL, serializable, groups", pgstore.Config{Mode: pgstore.Serializable, Group: 16, Retries: 100}, true),
	}
}

// TestHistoriesOnPostgres is G03.
func TestHistoriesOnPostgres(t *testing.T) {
	for _, tg := range ways(t) {
		histories(t, goal{target: tg, short: 3, long: 42, clients: 8, calls: 50})
	}
	histories(t,
		goal{target: onPostgres(t, "PostgreSQL, commits wait for the disk", pgstore.Config{Group: 16}, false), short: 2, long: 21, clients: 8, calls: 50},
		goal{target: inHosts(t), short: 2, long: 21, clients: 8, calls: 50},
	)
	shaky, pr := behindProxy(t, pgstore.Config{Group: 4})
	// Half as long and twice as many: each call without an answer may double what the check has to try.
	histories(t, goal{target: shaky, short: 6, long: 84, clients: 8, calls: 25})
	t.Logf("%d connections were broken", pr.broken.Load())
	if pr.broken.Load() == 0 {
		t.Error("no connection was broken")
	}
}

// TestHistoriesOfProcesses: two processes with their clocks 4 s apart, each a
// server of the HTTP API.
func TestHistoriesOfProcesses(t *testing.T) {
	for _, way := range []wayOf{{}, {serializable: true, group: 16}} {
		histories(t, goal{target: twoProcesses(t, way, 4*time.Second), short: 3, long: 42, clients: 8, calls: 50})
	}
}

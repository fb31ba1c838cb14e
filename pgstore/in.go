package pgstore

import (
	"context"
	"sync"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/tributary-go/tributary/affiliate/record"
)

// In returns a [Store] with the default Config that works inside the host's own
// transaction: the writes of the engine are committed or rolled back together
// with those of the host. A Store with a Schema or a Mode of its own has
// [Store.In] instead.
//
//	err := pgx.BeginFunc(ctx, pool, func(tx pgx.Tx) error {
//		if _, err := tx.Exec(ctx, "UPDATE orders SET paid = true WHERE id = $1", id); err != nil {
//			return err
//		}
//		_, err := program.With(pgstore.In(tx)).RecordSale(ctx, sale)
//		return err
//	})
//
// Each closure runs after a savepoint, so a refusal, and affiliate.ErrNotFound, leave the host's
// transaction unchanged and usable. Until it ends, call the engine with this Store only: without it a
// call takes another connection, and waits for the lock that the transaction holds. The program's lock is held until the host
// commits, so record the sale last. Nothing is run again: when errors.As finds
// a *pgconn.PgError with 40001, 40P01 or 53200, the host must repeat its whole
// transaction.
//
// The transaction must be READ COMMITTED, the default of PostgreSQL. Any other
// level is refused, because its snapshot may be older than the lock. Only one
// goroutine may use the transaction and the returned Store.
func In(tx pgx.Tx) record.Store {
	return host{defaultStore(), tx}
}

// defaultStore makes the statements of the default Config once.
var defaultStore = sync.OnceValue(func() *Store {
	cfg := Config{}
	if err := cfg.complete(); err != nil {
		panic(err) // cannot happen: the zero Config is valid
	}
	return &Store{cfg: cfg, sql: newStatements(cfg.Schema)}
})

// In returns this Store inside the host's own transaction, as [In] describes. A
// Serializable Store needs a SERIALIZABLE transaction.
func (s *Store) In(tx pgx.Tx) record.Store { return host{s, tx} }

// host is a Store in a transaction of the host.
type host struct {
	s  *Store
	tx pgx.Tx
}

// View runs fn on the records that the transaction sees. In Queue mode it takes
// the program's lock too, because at READ COMMITTED two statements may see
// different states.
func (h host) View(ctx context.Context, program uuid.UUID, fn func(tx *record.Tx) error) error {
	return h.within(ctx, program, fn, true)
}

// Update runs fn. The writes of fn stay in the host's transaction if and only
// if fn returns nil.
func (h host) Update(ctx context.Context, program uuid.UUID, fn func(tx *record.Tx) error) error {
	return h.within(ctx, program, fn, false)
}

func (h host) within(ctx context.Context, program uuid.UUID, fn func(tx *record.Tx) error, reading bool) error {
	err := h.once(ctx, program, fn, reading, false)
	if clashed(err) {
		err = h.once(ctx, program, fn, reading, true)
	}
	return err
}

func (h host) once(ctx context.Context, program uuid.UUID, fn func(tx *record.Tx) error, reading, careful bool) error {
	if ctx.Err() != nil {
		return ended(ctx, "host's transaction")
	}
	t := h.s.newTxn(program, hosted)
	t.ctx, t.db, t.readOnly, t.careful = ctx, h.tx, reading, careful
	defer t.rollbackHost() // does nothing after a release
	err := t.run(fn, nil)
	if err == nil && t.err == nil && ctx.Err() != nil {
		return ended(ctx, "host's transaction")
	}
	if err != nil || t.err != nil {
		return t.verdict(err)
	}
	return t.releaseHost()
}

// releaseHost sends the writes and releases the savepoint in one round trip.
func (t *txn) releaseHost() error {
	if !t.opened {
		return nil
	}
	b, err := t.flush()
	if err != nil {
		return err
	}
	b.Queue("RELEASE SAVEPOINT tributary")
	if err := t.db.SendBatch(t.ctx, b).Close(); err != nil {
		return t.fail("write", err)
	}
	t.opened = false
	return nil
}

// rollbackHost rolls the host's transaction back to the savepoint.
func (t *txn) rollbackHost() {
	if !t.opened {
		return
	}
	t.opened = false
	ctx, cancel := t.outlast(rollbackPatience)
	defer cancel()
	// This uses the simple protocol, because no statement can be prepared in a
	// transaction that has failed.
	const sql = "ROLLBACK TO SAVEPOINT tributary; RELEASE SAVEPOINT tributary"
	rows, err := t.db.Query(ctx, sql, pgx.QueryExecModeSimpleProtocol)
	if err == nil { // an error here must not replace the error of fn
		rows.Close()
	}
}

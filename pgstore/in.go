package pgstore

import (
	"context"
	"sync"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/tributary-go/tributary/affiliate"
)

// In is the default [Store] inside the host's own transaction: what the engine
// writes commits and rolls back with what the host writes.
//
//	err := pgx.BeginFunc(ctx, pool, func(tx pgx.Tx) error {
//		if _, err := tx.Exec(ctx, "UPDATE orders SET paid = true WHERE id = $1", id); err != nil {
//			return err
//		}
//		_, err := program.With(pgstore.In(tx)).RecordSale(ctx, sale)
//		return err
//	})
//
// Each closure runs between a savepoint and its release, so that a refusal
// leaves the host's transaction as it was and usable. The program's lock is
// held until the host commits: the sale comes last. Nothing is run again; a host
// that meets 40001 or 40P01, which errors.As finds, repeats its whole
// transaction.
//
// The transaction must be READ COMMITTED, the default of PostgreSQL. The
// snapshot of any other level may be older than the lock, and is refused. A
// transaction is for one goroutine, and so is the Store.
func In(tx pgx.Tx) affiliate.Store {
	return host{defaultStore(), tx}
}

// defaultStore makes the statements of the default Config once.
var defaultStore = sync.OnceValue(func() *Store {
	cfg := Config{}
	if err := cfg.complete(); err != nil {
		panic(err) // the zero Config is complete
	}
	return &Store{cfg: cfg, sql: newStatements(cfg.Schema)}
})

// In is this Store inside the host's own transaction, as [In] describes. A
// Serializable Store wants a SERIALIZABLE transaction.
func (s *Store) In(tx pgx.Tx) affiliate.Store { return host{s, tx} }

// host is a Store in a transaction of the host's.
type host struct {
	s  *Store
	tx pgx.Tx
}

// View runs fn on the records as the transaction sees them. In Queue mode it
// takes the program's lock too: at READ COMMITTED nothing else stands still.
func (h host) View(ctx context.Context, program uuid.UUID, fn func(tx *affiliate.Tx) error) error {
	return h.within(ctx, program, fn, true)
}

// Update runs fn and leaves what it wrote in the host's transaction if and only
// if fn returns nil.
func (h host) Update(ctx context.Context, program uuid.UUID, fn func(tx *affiliate.Tx) error) error {
	return h.within(ctx, program, fn, false)
}

func (h host) within(ctx context.Context, program uuid.UUID, fn func(tx *affiliate.Tx) error, reading bool) error {
	err := h.once(ctx, program, fn, reading, false)
	if clashed(err) {
		err = h.once(ctx, program, fn, reading, true)
	}
	return err
}

func (h host) once(ctx context.Context, program uuid.UUID, fn func(tx *affiliate.Tx) error, reading, careful bool) error {
	if ctx.Err() != nil {
		return ended(ctx, "host's transaction")
	}
	t := h.s.newTxn(program, hosted)
	t.ctx, t.db, t.readOnly, t.careful = ctx, h.tx, reading, careful
	defer t.rollbackHost() // unless it was released
	err := t.run(fn)
	if err == nil && t.err == nil && ctx.Err() != nil {
		return ended(ctx, "host's transaction")
	}
	if err != nil || t.err != nil {
		return t.verdict(err)
	}
	return t.releaseHost()
}

// releaseHost sends what was written and releases the savepoint, in one round
// trip.
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

// rollbackHost takes the host's transaction back to the savepoint.
func (t *txn) rollbackHost() {
	if !t.opened {
		return
	}
	t.opened = false
	ctx, cancel := t.outlast(rollbackPatience)
	defer cancel()
	// The simple protocol: in a transaction that the server has given up, no
	// statement can be prepared but the first.
	const sql = "ROLLBACK TO SAVEPOINT tributary; RELEASE SAVEPOINT tributary"
	rows, err := t.db.Query(ctx, sql, pgx.QueryExecModeSimpleProtocol)
	if err == nil { // never in the place of fn's error
		rows.Close()
	}
}

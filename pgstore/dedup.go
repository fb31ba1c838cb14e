package pgstore

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/tributary-go/tributary/webhooks"
)

// A Dedup is a [webhooks.Dedup] on the table dedup of a Store's schema: all
// processes that share the table together handle an event once. The id and the
// writes of the function are in one transaction. The function gets it with [Tx]
// from its context.
//
// Other effects of the function, such as sending a mail, happen again when the
// transaction does not commit. Do holds a connection of the pool while the
// function runs.
//
// Ids are kept until [Dedup.Prune] deletes them. A Dedup is safe for concurrent
// use and need not be closed.
type Dedup struct {
	Now func() time.Time // nil: time.Now

	s *Store
}

// Dedup returns a Dedup for receivers of webhooks. [Store.Migrate] creates its
// table.
func (s *Store) Dedup() *Dedup { return &Dedup{s: s} }

// Do runs f unless the id is done, in a READ COMMITTED transaction that also
// writes the id. It reports whether f was run.
//
// Errors: the error of f, after which the transaction is rolled back;
// [webhooks.ErrInProgress] while another call has the id; the context's error
// when it has ended before the commit; an error of the database. After such an
// error the id is open; but when the commit was not answered, it may be done.
func (d *Dedup) Do(ctx context.Context, id string, f func(context.Context) error) (ran bool, err error) {
	tx, err := d.s.pool.BeginTx(ctx, pgx.TxOptions{IsoLevel: pgx.ReadCommitted})
	if err != nil {
		return false, &failure{op: "dedup", err: err}
	}
	return d.within(ctx, tx, id, f)
}

// In returns a Dedup that works inside the host's own transaction: the id is
// done when the host commits, and open when it rolls back. f runs after a
// savepoint, so the transaction can be used after an error of f. The
// transaction must be READ COMMITTED. Only one goroutine may use it and the
// returned Dedup.
func (d *Dedup) In(tx pgx.Tx) webhooks.Dedup { return hostDedup{d, tx} }

// A hostDedup is a Dedup in a transaction of the host.
type hostDedup struct {
	d  *Dedup
	tx pgx.Tx
}

// Do is Dedup.Do without the commit.
func (h hostDedup) Do(ctx context.Context, id string, f func(context.Context) error) (ran bool, err error) {
	tx, err := h.tx.Begin(ctx)
	if err != nil {
		return false, &failure{op: "dedup", err: err}
	}
	return h.d.within(ctx, tx, id, f)
}

// within claims the id, runs f, and ends the transaction or its savepoint.
func (d *Dedup) within(ctx context.Context, tx pgx.Tx, id string, f func(context.Context) error) (ran bool, err error) {
	defer func() {
		end, cancel := context.WithTimeout(context.WithoutCancel(ctx), d.s.cfg.CommitWait)
		defer cancel()
		_ = tx.Rollback(end) // also when f panics; does nothing after a commit
	}()
	open, err := d.claim(ctx, tx, id)
	if err != nil || !open {
		return false, err
	}
	if err := f(context.WithValue(ctx, txKey{}, tx)); err != nil {
		return true, err
	}
	if err := ctx.Err(); err != nil { // a commit would drop the connection, and its lock would end later
		return true, err
	}
	if err := tx.Commit(ctx); err != nil {
		return true, &failure{op: "dedup", err: err}
	}
	return true, nil
}

// claim writes the id, and reports whether it was open. Because of the advisory
// lock, a second call returns at once instead of waiting on its connection for
// the first.
func (d *Dedup) claim(ctx context.Context, tx pgx.Tx, id string) (bool, error) {
	var free bool
	if err := tx.QueryRow(ctx, "SELECT pg_try_advisory_xact_lock($1::bigint)", d.lockKey(id)).Scan(&free); err != nil {
		return false, &failure{op: "dedup", err: err}
	}
	if !free {
		return false, webhooks.ErrInProgress
	}
	now := time.Now
	if d.Now != nil {
		now = d.Now
	}
	tag, err := tx.Exec(ctx,
		"INSERT INTO "+d.table()+" (id, done_at) VALUES ($1, $2) ON CONFLICT DO NOTHING", id,
		now().UTC())
	if err != nil {
		return false, &failure{op: "dedup", err: err}
	}
	return tag.RowsAffected() == 1, nil
}

// Prune deletes the ids that were done before a time, and returns how many.
// Keep ids for 7 days, or for 15 where deliveries are replayed by hand: an event
// that arrives again later is handled again.
//
// Errors: an error of the database.
func (d *Dedup) Prune(ctx context.Context, before time.Time) (int, error) {
	tag, err := d.s.pool.Exec(ctx, "DELETE FROM "+d.table()+" WHERE done_at < $1", before.UTC())
	if err != nil {
		return 0, &failure{op: "dedup", err: err}
	}
	return int(tag.RowsAffected()), nil
}

func (d *Dedup) table() string { return pgx.Identifier{d.s.cfg.Schema, "dedup"}.Sanitize() }

// lockKey returns the advisory lock of an id. When two ids have the same lock by
// accident, one call gets ErrInProgress and is sent again.
func (d *Dedup) lockKey(id string) int64 {
	sum := sha256.Sum256([]byte("dedup\x00" + d.s.cfg.Schema + "\x00" + id))
	return int64(binary.BigEndian.Uint64(sum[:8]))
}

// txKey is the key of the transaction in the context of a Dedup's function.
type txKey struct{}

// Tx returns the transaction in which a [Dedup] runs a function, and whether
// ctx has one. ctx is the context of the function. The Dedup commits or rolls
// back the transaction after the function. Pass it to [In] to let the engine
// write in it too.
func Tx(ctx context.Context) (pgx.Tx, bool) {
	tx, ok := ctx.Value(txKey{}).(pgx.Tx)
	return tx, ok
}

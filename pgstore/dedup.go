package pgstore

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/tributary-go/tributary/webhooks"
)

// A Dedup is a [webhooks.Dedup] on the table dedup of a Store's schema: every
// process that shares the table handles an event once. The id and what the
// function writes are one transaction, which [Tx] takes from the context of the
// function.
//
// What the function does elsewhere, such as sending a mail, is done again when
// the transaction does not commit. Do holds a connection of the pool while the
// function runs.
//
// Ids are kept until [Dedup.Prune] drops them. A Dedup is safe for concurrent use
// and needs no closing.
type Dedup struct {
	Now func() time.Time // nil: time.Now

	s *Store
}

// Dedup is the memory of a receiver of webhooks. The tables are made by
// [Store.Migrate].
func (s *Store) Dedup() *Dedup { return &Dedup{s: s} }

// Do runs f in a transaction at READ COMMITTED that also writes the id, unless
// the id is done. It reports whether f was run.
//
// Errors: that of f, which rolls back; [webhooks.ErrInProgress] while another
// call has the id; an error of the database, behind which the id is open, or done
// when the commit was not answered.
func (d *Dedup) Do(ctx context.Context, id string, f func(context.Context) error) (ran bool, err error) {
	tx, err := d.s.pool.BeginTx(ctx, pgx.TxOptions{IsoLevel: pgx.ReadCommitted})
	if err != nil {
		return false, &failure{op: "dedup", err: err}
	}
	return d.within(ctx, tx, id, f)
}

// In is the Dedup inside the host's own transaction: the id is done when the host
// commits, and open when it rolls back. f runs between a savepoint and its
// release, so that its error leaves the transaction usable. The transaction is
// READ COMMITTED; it is for one goroutine, and so is the Dedup.
func (d *Dedup) In(tx pgx.Tx) webhooks.Dedup { return hostDedup{d, tx} }

// A hostDedup is a Dedup in a transaction of the host's.
type hostDedup struct {
	d  *Dedup
	tx pgx.Tx
}

// Do is Dedup.Do up to the commit.
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
		_ = tx.Rollback(end) // also when f panics; nothing behind a commit
	}()
	open, err := d.claim(ctx, tx, id)
	if err != nil || !open {
		return false, err
	}
	if err := f(context.WithValue(ctx, txKey{}, tx)); err != nil {
		return true, err
	}
	if err := tx.Commit(ctx); err != nil {
		return true, &failure{op: "dedup", err: err}
	}
	return true, nil
}

// claim writes the id, and reports whether it was open. The lock spares those who
// come second to wait for the first on a connection each.
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
	tag, err := tx.Exec(ctx, "INSERT INTO "+d.table()+" (id, done_at) VALUES ($1, $2) ON CONFLICT DO NOTHING", id, now().UTC())
	if err != nil {
		return false, &failure{op: "dedup", err: err}
	}
	return tag.RowsAffected() == 1, nil
}

// Prune drops the ids that were done before a moment, and returns how many. Keep
// them for 7 days: what comes again after that is handled again.
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

// lockKey is the advisory lock of an id. Two that have the same one by accident
// take turns.
func (d *Dedup) lockKey(id string) int64 {
	sum := sha256.Sum256([]byte("dedup\x00" + d.s.cfg.Schema + "\x00" + id))
	return int64(binary.BigEndian.Uint64(sum[:8]))
}

// txKey is where the transaction stands in the context of a Dedup's function.
type txKey struct{}

// Tx is the transaction in which a [Dedup] runs a function, by the function's
// context, and whether there is one. It ends with the function: the Dedup commits
// it, or rolls it back. [In] takes it, so that the engine writes there too.
func Tx(ctx context.Context) (pgx.Tx, bool) {
	tx, ok := ctx.Value(txKey{}).(pgx.Tx)
	return tx, ok
}

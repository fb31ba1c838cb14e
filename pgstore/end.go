package pgstore

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/tributary-go/tributary/affiliate/record"
)

// The longest time that the end of a transaction may take.
const (
	commitPatience   = 15 * time.Second
	rollbackPatience = 5 * time.Second
)

var errNotCommitted = errors.New("the server rolled back")

// run calls a closure with a Tx of the transaction's tables. The closure is
// held at its first call of a table by wait, unless that is nil.
func (t *txn) run(fn func(tx *record.Tx) error, wait func() error) error {
	u := &unit{t: t, wait: wait}
	defer func() { u.done = true }()
	return fn(u.tx())
}

// verdict returns the error for a closure's caller: the closure's own error, unless
// the database failed.
func (t *txn) verdict(err error) error {
	if t.err == nil || err != nil && errors.Is(err, t.err) && t.err != errMoved {
		return err
	}
	return t.err
}

// outlast returns the context for the end of a transaction. It lasts longer than the
// caller's: when a commit is interrupted, its outcome is unknown, and when a
// rollback is interrupted, the connection is lost.
func (t *txn) outlast(most time.Duration) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(t.ctx), most)
	stop := context.AfterFunc(t.ctx, func() { time.AfterFunc(t.s.cfg.CommitWait, cancel) })
	return ctx, func() { stop(); cancel() }
}

// commit sends the writes and the commit in one round trip. The caller has just
// checked its context.
func (t *txn) commit() error {
	if t.free {
		return t.commitFree()
	}
	if !t.opened {
		t.release()
		return nil
	}
	b, err := t.flush()
	if err != nil {
		t.rollback()
		return err
	}
	wrote := b.Len() > 0
	if !wrote && t.current && t.s.cfg.Mode == Queue {
		t.rollback() // what was read under the lock is true, even when the rollback fails
		return nil
	}
	b.Queue("COMMIT") // also without writes: a session that has ended held no lock when others joined
	if failed := t.send(b); failed != nil {
		failed.unknown = failed.unknown && wrote
		t.rollback()
		return failed
	}
	t.opened = false
	t.release()
	return nil
}

// flush makes the batch of all writes.
func (t *txn) flush() (*pgx.Batch, error) {
	w, err := t.writes()
	if err != nil {
		return nil, err
	}
	b := &pgx.Batch{}
	w.queue(b, t)
	t.queueClosing(b)
	return b, nil
}

// send sends a batch whose last statement is the commit.
func (t *txn) send(b *pgx.Batch) *failure {
	ctx, cancel := t.outlast(commitPatience)
	defer cancel()
	n := b.Len()
	results := t.db.SendBatch(ctx, b)
	for i := range n {
		answer, err := results.Exec()
		if err == nil && i == n-1 && answer.String() == "ROLLBACK" {
			err = errNotCommitted
		}
		if err != nil {
			_ = results.Close() // returns the same error
			if err == errNotCommitted {
				return &failure{op: "commit", err: err}
			}
			return commitFailure(err, i == n-1, t.conn.Conn().IsClosed())
		}
	}
	if err := results.Close(); err != nil {
		return commitFailure(err, true, t.conn.Conn().IsClosed())
	}
	return nil
}

// rollback rolls the transaction back, unless it has ended.
func (t *txn) rollback() {
	if t.opened && t.conn != nil {
		t.end("ROLLBACK")
	}
	t.release()
}

// end sends a statement that ends the transaction. When it fails, end closes
// the connection, so that the pool does not reuse it.
func (t *txn) end(sql string) {
	if !t.opened {
		return
	}
	t.opened = false
	if t.conn.Conn().IsClosed() {
		return
	}
	ctx, cancel := t.outlast(rollbackPatience)
	defer cancel()
	if _, err := t.conn.Exec(ctx, sql); err != nil {
		if t.err == nil && sql == "COMMIT" {
			t.err = &failure{op: "commit", err: err}
		}
		_ = t.conn.Conn().Close(ctx) // the server rolls back
	}
}

// release gives the connection back.
func (t *txn) release() {
	if t.conn != nil {
		t.conn.Release()
		t.conn = nil
	}
}

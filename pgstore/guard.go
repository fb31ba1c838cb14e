package pgstore

import (
	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// An Update in Queue mode that has a picture does not lock its program. Each read
// ends with the version of the program, which must be that of the picture, so a closure
// never sees two states. The writes are one statement. Its guard gives the program a new
// version if it still has the one of the picture and nobody holds its lock. The other
// parts select from the guard, so all is written or nothing, in one round trip. Who lost
// runs again.

// askVersion fails when the program has another version than the picture.
func (t *txn) askVersion() query {
	return query{sql: t.s.sql.version, args: []any{t.programID}, each: func(rows pgx.Rows) error {
		var version uuid.UUID
		if err := rows.Scan((*[16]byte)(&version)); err != nil {
			return err
		}
		if version != t.version {
			return errMoved
		}
		return nil
	}}
}

// readFree sends queries in one round trip, without a transaction.
func (t *txn) readFree(qs []query) error {
	if err := t.batch(nil, append(qs, t.askVersion())); err != nil {
		return t.fail("read", err)
	}
	t.current = true
	return nil
}

// commitFree writes what the closures wrote.
func (t *txn) commitFree() error {
	defer t.rollback() // there is something to roll back when writeApart failed
	w, err := t.writes()
	if err != nil {
		return err
	}
	if len(w.list) == 0 && t.numbers.at == t.numbers.stored {
		return t.confirm()
	}
	if err := t.ready("commit"); err != nil {
		return err
	}
	version, n := uuid.New(), t.numbers.at
	args := append(make([]any, 0, 256), // a sale has fewer
		t.programID, idArg(t.version), idArg(version), n[0], n[1], n[2], n[3], t.marks.raw, t.s.lockKey(t.program))
	write := t.writeJoined
	if w.apart {
		write = t.writeApart
	}
	held, failed := write(w, args)
	switch {
	case failed != nil && rolledBack(failed, "22012", "25006"): // division by zero: see writeApart; sessions that only read
		return errMoved
	case failed != nil:
		return failed
	case !held:
		return errMoved
	}
	t.version = version
	return nil
}

// confirm makes sure that what was only read was true at a time after every closure's
// Update had begun.
func (t *txn) confirm() error {
	if t.current || !t.used {
		return nil
	}
	if err := t.ready("read"); err != nil {
		return err
	}
	return t.readFree(nil)
}

// writeJoined writes with one statement.
func (t *txn) writeJoined(w *writes, args []any) (held bool, failed *failure) {
	for _, one := range w.list {
		args = append(args, one.args...)
	}
	ctx, cancel := t.outlast(commitPatience)
	defer cancel()
	tag, err := t.conn.Exec(ctx, t.s.sql.joined(w), args...)
	if err != nil {
		return false, commitFailure(err, true, t.conn.Conn().IsClosed())
	}
	return tag.RowsAffected() == 1, nil
}

// writeApart writes with a statement for each table, because their order matters. They
// follow the guard in the same round trip, so it fails when it does not hold.
func (t *txn) writeApart(w *writes, args []any) (held bool, failed *failure) {
	b := &pgx.Batch{}
	b.Queue("BEGIN ISOLATION LEVEL READ COMMITTED, READ WRITE")
	b.Queue(t.s.sql.guard+" SELECT 1 / count(*) FROM guard", args...)
	w.queue(b, t)
	b.Queue("COMMIT")
	t.opened = true
	if failed := t.send(b); failed != nil {
		return false, failed
	}
	t.opened = false
	return true, nil
}

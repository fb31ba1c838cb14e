package pgstore

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/tributary-go/tributary/affiliate/record"
)

// ErrOutcomeUnknown is the error of an Update whose commit was sent but not
// answered, because the connection broke or [Config.CommitWait] had passed. The
// Update was committed or it was not. To find out, repeat it with the same Once
// key or external id, and never without one.
var ErrOutcomeUnknown = errors.New("pgstore: the commit was not answered: its outcome is unknown")

// A failure is an error of the database. Its text names only the SQLSTATE,
// because messages of PostgreSQL quote values. errors.As finds the
// *pgconn.PgError, errors.Is finds a context's error.
type failure struct {
	op      string
	err     error
	unknown bool // the commit was sent
}

// Error names the operation and the class of the error.
func (f *failure) Error() string {
	text := "pgstore: " + f.op + ": " + class(f.err)
	if f.unknown {
		text += ": the outcome of the commit is unknown"
	}
	return text
}

// Unwrap returns the cause, and ErrOutcomeUnknown when the outcome is unknown.
func (f *failure) Unwrap() []error {
	if f.unknown {
		return []error{ErrOutcomeUnknown, f.err}
	}
	return []error{f.err}
}

// class returns a text for the kind of an error, without the text of the error.
func class(err error) string {
	if pg, ok := errors.AsType[*pgconn.PgError](err); ok {
		switch pg.Code {
		case "42P01", "42703", "3F000":
			return "the tables are missing or of another version, run Migrate (SQLSTATE " + pg.Code + ")"
		case "0A000":
			return "the server does not support a statement, as Citus that of Queue, or planned it before a migration (SQLSTATE 0A000)"
		}
		return "SQLSTATE " + pg.Code
	}
	switch {
	case errors.Is(err, context.Canceled):
		return context.Canceled.Error()
	case errors.Is(err, context.DeadlineExceeded):
		return context.DeadlineExceeded.Error()
	case errors.Is(err, errIsolation):
		return errIsolation.Error()
	case errors.Is(err, errRecord):
		return errRecord.Error()
	case errors.Is(err, pgx.ErrTxClosed):
		return "the host's transaction is over: it was committed or rolled back"
	}
	return "the connection failed"
}

// ended returns the error of a context that ended before anything was sent.
func ended(ctx context.Context, op string) error {
	return fmt.Errorf("pgstore: %s: %w", op, ctx.Err())
}

// retryable reports whether running the transaction again may help: it lost
// against another one, or the server had no room for its locks, and it was
// rolled back.
func retryable(err error) bool { return overtaken(err) || rolledBack(err, "53200") }

// overtaken reports whether the transaction lost against another one and was rolled
// back.
func overtaken(err error) bool { return rolledBack(err, "40001", "40P01") }

// relayed reports whether a server that passes statements on to others, as Citus does, says that
// one of them rolled the transaction back because of another one: the code is lost on the way.
func relayed(pg *pgconn.PgError) bool {
	return pg.Code == "XX000" && strings.Contains(pg.Message, "could not serialize access")
}

// definite are the classes of the errors by which PostgreSQL refuses a statement or a commit, and
// rolls it back. Any other one may come from something between: an internal error (XX) of Citus
// means that it lost a server that may have committed.
var definite = []string{"0A", "21", "22", "23", "25", "26", "2D", "34", "3D", "3F", "40", "42",
	"44", "53", "54", "55", "57", "P0"}

// refused reports whether the transaction was rolled back.
func refused(pg *pgconn.PgError) bool {
	return relayed(pg) || !fatal(pg) && pg.Code != "40003" && len(pg.Code) == 5 && slices.Contains(definite, pg.Code[:2])
}

// rolledBack reports whether the transaction was rolled back with one of the
// codes. A relayed conflict has the code of one, 40001.
func rolledBack(err error, codes ...string) bool {
	if f, ok := errors.AsType[*failure](err); !ok || f.unknown {
		return false
	}
	pg, ok := errors.AsType[*pgconn.PgError](err)
	return ok && (slices.Contains(codes, pg.Code) || relayed(pg) && slices.Contains(codes, "40001"))
}

// clashed reports whether a row that was assumed to be new exists already.
func clashed(err error) bool {
	pg, ok := errors.AsType[*pgconn.PgError](err)
	return ok && pg.Code == "23505"
}

// fatal reports whether the server ended the session with the error.
func fatal(pg *pgconn.PgError) bool {
	s := pg.SeverityUnlocalized
	if s == "" {
		s = pg.Severity
	}
	return s == "FATAL" || s == "PANIC"
}

// commitFailure returns the error of the last batch of a transaction, which failed
// at a statement or at the commit after them. The commit may have happened only
// when the batch failed at the commit, or when the connection broke without an
// error message. A proxy that lost the server reports it at any statement, and
// the server may have continued.
func commitFailure(err error, atCommit, broken bool) *failure {
	f := &failure{op: "commit", err: err}
	if pg, ok := errors.AsType[*pgconn.PgError](err); ok {
		lost := pg.Code == "40003" || fatal(pg) && strings.HasPrefix(pg.Code, "08")
		f.unknown = lost || atCommit && !refused(pg)
		return f
	}
	f.unknown = broken && !pgconn.SafeToRetry(err)
	return f
}

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
	case failed != nil &&
		rolledBack(failed, "22012",
			"25006"): // division by zero: see writeApart; sessions that only read
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
func (t *txn) writeJoined(w *writeBatch, args []any) (held bool, failed *failure) {
	for _, one := range w.list {
		args = append(args, one.args...)
	}
	ctx, cancel := t.outlast(t.patience)
	defer cancel()
	tag, err := t.conn.Exec(ctx, t.s.sql.joined(w), args...)
	if err != nil {
		return false, commitFailure(err, true, t.conn.Conn().IsClosed())
	}
	return tag.RowsAffected() == 1, nil
}

// writeApart writes with a statement for each table, because their order matters. They
// follow the guard in the same round trip, so it fails when it does not hold.
func (t *txn) writeApart(w *writeBatch, args []any) (held bool, failed *failure) {
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

// resolve finds out whether an id and unique keys are in use, unless that is known
// already. It takes one round trip at most. It ignores a zero id.
func (tab *table[T]) resolve(id uuid.UUID, keys []record.Key) error {
	if err := tab.t.needOpening(); err != nil {
		return err
	}
	open := false
	if id != uuid.Nil && !tab.above("", id) {
		open = tab.open(record.Key{ID: id})
	}
	for _, key := range keys {
		if key.Index.Unique() && !(key.Index.IsID() && tab.above(key.Index, key.ID)) {
			open = tab.open(key) || open
		}
	}
	if !open {
		return nil
	}
	return tab.t.read()
}

// open notes a key for the next round trip, and reports whether its answer is open.
func (tab *table[T]) open(key record.Key) bool {
	tab.want(key)
	return !tab.knows(key)
}

package pgstore

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
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

// rolledBack reports whether the transaction was rolled back with one of the
// codes.
func rolledBack(err error, codes ...string) bool {
	if f, ok := errors.AsType[*failure](err); !ok || f.unknown {
		return false
	}
	pg, ok := errors.AsType[*pgconn.PgError](err)
	return ok && slices.Contains(codes, pg.Code)
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
		f.unknown = pg.Code == "40003" || fatal(pg) && (atCommit || strings.HasPrefix(pg.Code, "08"))
		return f
	}
	f.unknown = broken && !pgconn.SafeToRetry(err)
	return f
}

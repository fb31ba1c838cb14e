package pgstore

import (
	"fmt"
	"slices"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/tributary-go/tributary/affiliate/record"
)

// numbers are the counters of a program, in one row. A transaction reads them
// when it begins and writes them when it ends. No other transaction changes
// them in between: in Queue mode because of the advisory lock or the guard, in
// Serializable mode because of the lock of the row.
type numbers struct {
	at     [4]int64 // the last number
	stored [4]int64
}

// raise moves a sequence on, or reads it.
func (u *unit) raise(seq record.Sequence, by, to int64) (int64, error) {
	usable, need := u.writable, u.t.needOpening
	if by == 0 && to == 0 {
		usable = u.readable
	}
	if u.t.kind == viewing {
		need = u.t.needNumbers
	}
	if err := usable(); err != nil {
		return 0, err
	}
	i := slices.Index(sequences, seq)
	if i < 0 {
		return 0, fmt.Errorf("pgstore: no sequence %q", seq)
	}
	if err := need(); err != nil {
		return 0, err
	}
	last := u.t.numbers.at[i]
	u.t.numbers.at[i] = max(last, last+by, to)
	return u.t.numbers.at[i], nil
}

// needNumbers reads the counters of the program in a View, unless they were read.
// Before the View has begun a transaction it does not begin one: the counters may be
// newer than what else it sees.
func (t *txn) needNumbers() error {
	if t.known {
		return nil
	}
	q := query{sql: t.s.sql.numbers, args: []any{t.programID}, each: func(rows pgx.Rows) error {
		dst := make([]any, len(t.numbers.at))
		for i := range dst {
			dst[i] = &t.numbers.at[i]
		}
		return rows.Scan(dst...)
	}, done: func() { t.known = true }}
	if t.opened {
		return t.read(q)
	}
	if err := t.ready("read"); err != nil {
		return err
	}
	rows, err := t.db.Query(t.ctx, q.sql, q.args...)
	if err == nil {
		err = q.answer(rows)
	}
	if err != nil {
		return t.fail("read", err)
	}
	return nil
}

// queueClosing queues the row of the program with a new version, if the transaction
// writes. So a picture of it is out of date, and in Serializable mode one that waited
// for the row finds out at once that its snapshot is.
func (t *txn) queueClosing(b *pgx.Batch) {
	n := t.numbers.at
	if b.Len() == 0 && n == t.numbers.stored {
		return
	}
	t.version = uuid.New()
	b.Queue(t.s.sql.closing, t.programID, idArg(t.version), n[0], n[1], n[2], n[3], t.marks.raw)
}

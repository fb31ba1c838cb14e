package pgstore

import (
	"fmt"
	"slices"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/tributary-go/tributary/affiliate/record"
)

// numbers are the counters of a program, in one row. A transaction reads them
// when it begins and writes them when it ends. No other transaction can change
// them in between: in Queue mode because of the advisory lock, in Serializable
// mode because of the lock of the row.
type numbers struct {
	at     [3]int64 // the last number that was given out
	stored [3]int64
}

// next returns the next number of a sequence.
func (u *unit) next(seq record.Sequence) (int64, error) {
	if err := u.writable(); err != nil {
		return 0, err
	}
	i := slices.Index(sequences, seq)
	if i < 0 {
		return 0, fmt.Errorf("pgstore: no sequence %q", seq)
	}
	if err := u.t.needOpening(); err != nil {
		return 0, err
	}
	u.t.numbers.at[i]++
	return u.t.numbers.at[i], nil
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
	b.Queue(t.s.sql.closing, t.programID, idArg(t.version), n[0], n[1], n[2], t.marks.raw)
}

package pgstore

import (
	"fmt"
	"slices"

	"github.com/tributary-go/tributary/affiliate"
)

// numbers are the counters of a program, in one row. A transaction reads them
// when it begins and writes them when it ends. No other transaction can change
// them in between: in Queue mode because of the lock, in Serializable mode
// because two transactions that write one row cannot both commit.
type numbers struct {
	at     [3]int64 // the last number that was given out
	stored [3]int64
}

// next returns the next number of a sequence.
func (u *unit) next(seq affiliate.Sequence) (int64, error) {
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

// queueClosing queues the row of the program if it has changed.
func (t *txn) queueClosing(b *flushBatch) {
	n := &t.numbers
	if t.known && (n.at != n.stored || t.marks.raised) {
		b.queue(t.s.sql.closing, t.programID, n.at[0], n.at[1], n.at[2], t.marks.raw)
	}
}

package pgstore

import (
	"fmt"
	"slices"

	"github.com/tributary-go/tributary/affiliate"
)

// numbers are the counters of a program. The transaction reads them with its
// opening and writes them with its end, in one row: with the lock, or because
// two transactions that write a row cannot both commit, it is nobody else's in
// between.
type numbers struct {
	at     [3]int64 // last number that was given out
	stored [3]int64
}

// next gives the next number of a sequence.
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

// queueClosing queues the row of the program, when it changed.
func (t *txn) queueClosing(b *flushBatch) {
	n := &t.numbers
	if t.known && (n.at != n.stored || t.marks.raised) {
		b.queue(t.s.sql.closing, t.programID, n.at[0], n.at[1], n.at[2], t.marks.raw)
	}
}

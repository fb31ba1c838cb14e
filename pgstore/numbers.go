package pgstore

import (
	"fmt"
	"slices"
	"sync"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/tributary-go/tributary/affiliate"
)

// numbers are the counters of a transaction. In Queue mode, and in the host's
// transaction, they are rows of the program that the transaction reads with its
// opening and writes with its end. In Serializable mode every two writers would
// meet at such a row, so a transaction moves it by a block, and those after it
// in the process use the block up.
type numbers struct {
	at  [3]int64 // last number that was given out
	end [3]int64 // in the row: read with the opening, or the end of the block
}

// blockSize is how many numbers a block holds.
const blockSize = 64

// next gives the next number of a sequence.
func (u *unit) next(seq affiliate.Sequence) (int64, error) {
	if err := u.writable(); err != nil {
		return 0, err
	}
	i := slices.Index(sequences, seq)
	if i < 0 {
		return 0, fmt.Errorf("pgstore: no sequence %q", seq)
	}
	if err := u.t.countable(i); err != nil {
		return 0, err
	}
	u.t.numbers.at[i]++
	return u.t.numbers.at[i], nil
}

// countable makes sure that there is a next number.
func (t *txn) countable(i int) error {
	if !t.inBlocks() {
		if t.known {
			return nil
		}
		return t.open()
	}
	n := &t.numbers
	if n.at[i] < n.end[i] {
		return nil
	}
	var more [3]int64
	more[i] = blockSize
	return t.read(query{t.s.sql.block, []any{t.programID, more[0], more[1], more[2], []byte{}}, func(rows pgx.Rows) error {
		var ends [3]int64
		if err := rows.Scan(&ends[0], &ends[1], &ends[2]); err != nil {
			return err
		}
		n.at[i], n.end[i] = ends[i]-blockSize, ends[i]
		return nil
	}})
}

// inBlocks tells whether the numbers come in blocks.
func (t *txn) inBlocks() bool { return t.kind == updating && t.s.cfg.Mode == Serializable }

// queueClosing queues the row of the program, when it changed.
func (t *txn) queueClosing(b *flushBatch) {
	n := &t.numbers
	if t.inBlocks() || !t.known || n.at == n.end && !t.marks.raised {
		return
	}
	b.queue(t.s.sql.closing, t.programID, n.at[0], n.at[1], n.at[2], t.marks.raw)
}

// blocks are the numbers that the committed transactions of a Store left over.
// They are lent to the one transaction of the program that runs in the process.
type blocks struct {
	mu   sync.Mutex
	left map[uuid.UUID]numbers
}

// lend gives a transaction what is left for its program. It is gone until the
// transaction gives it back.
func (bs *blocks) lend(t *txn) (lent numbers) {
	if !t.inBlocks() {
		return lent
	}
	bs.mu.Lock()
	defer bs.mu.Unlock()
	lent = bs.left[t.program]
	delete(bs.left, t.program)
	t.numbers = lent
	return lent
}

// keep notes what a transaction leaves over: what it was lent when it came to
// nothing, what it had at its end when it was committed, and nothing when nobody
// knows.
func (bs *blocks) keep(t *txn, left numbers) {
	if !t.inBlocks() || left == (numbers{}) {
		return
	}
	bs.mu.Lock()
	defer bs.mu.Unlock()
	if bs.left == nil {
		bs.left = make(map[uuid.UUID]numbers)
	}
	bs.left[t.program] = left
}

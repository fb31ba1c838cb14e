package pgstore

import (
	"context"
	"slices"
	"sync"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/tributary-go/tributary/affiliate"
)

// numbers are the counters of a transaction. In Queue mode, and in the host's
// transaction, they are rows of the program that the transaction reads and
// writes. In Serializable mode a row would be what every two writers meet at,
// so blocks of numbers are reserved outside of the transaction.
type numbers struct {
	at     [3]int64 // last number that was given out
	stored [3]int64 // the row; of a block, its end
	drawn  [3]int64 // how many this transaction gave out
	short  int      // the sequence whose block is used up
}

// blockSize is how many numbers are reserved at once.
const blockSize = 64

// next gives the next number of a sequence.
func (u *unit) next(seq affiliate.Sequence) (int64, error) {
	if err := u.writable(); err != nil {
		return 0, err
	}
	t := u.t
	i := slices.Index(sequences, seq)
	if i < 0 {
		return 0, &unknownSequence{seq}
	}
	if !t.inBlocks() && !t.known {
		if err := t.open(nil, nil); err != nil {
			return 0, err
		}
	}
	n := &t.numbers
	if t.inBlocks() && n.at[i] == n.stored[i] {
		n.short = i
		return 0, t.fail("number", errNumbers)
	}
	n.at[i]++
	n.drawn[i]++
	return n.at[i], nil
}

type unknownSequence struct{ seq affiliate.Sequence }

// Error names the sequence.
func (e *unknownSequence) Error() string { return "pgstore: no sequence " + string(e.seq) }

// inBlocks tells whether the numbers come from a reserved block.
func (t *txn) inBlocks() bool { return t.kind == updating && t.s.cfg.Mode == Serializable }

// blocks are the reserved numbers of a Store. A block is lent to the one
// transaction of its program that runs in this process.
type blocks struct {
	mu   sync.Mutex
	free map[uuid.UUID]*numbers
}

// lend gives a transaction what is left of the blocks of its program.
func (bs *blocks) lend(t *txn) {
	if !t.inBlocks() {
		return
	}
	bs.mu.Lock()
	defer bs.mu.Unlock()
	if left := bs.free[t.program]; left != nil {
		t.numbers.at, t.numbers.stored = left.at, left.stored
	}
}

// settle keeps what is left. Numbers of a transaction that certainly came to
// nothing are given out again.
func (bs *blocks) settle(t *txn, undone bool) {
	if !t.inBlocks() {
		return
	}
	left := &numbers{at: t.numbers.at, stored: t.numbers.stored}
	if undone {
		for i, n := range t.numbers.drawn {
			left.at[i] -= n
		}
	}
	bs.mu.Lock()
	defer bs.mu.Unlock()
	if bs.free == nil {
		bs.free = make(map[uuid.UUID]*numbers)
	}
	bs.free[t.program] = left
}

// reserve takes a new block for the sequence that a transaction ran out of,
// twice as large as what it has drawn.
func (s *Store) reserve(ctx context.Context, t *txn) error {
	i := t.numbers.short
	size := max(blockSize, 2*t.numbers.drawn[i])
	var end int64
	for attempt := 0; ; attempt++ {
		err := s.pool.QueryRow(ctx, s.sql.block, t.programArg(), string(sequences[i]), size).Scan(&end)
		if err == nil {
			break
		}
		failed := &failure{op: "reserve numbers", err: err}
		if !retryable(failed) || attempt >= s.cfg.Retries {
			return failed
		}
		if err := pause(ctx, attempt); err != nil {
			return err
		}
	}
	s.blocks.mu.Lock()
	defer s.blocks.mu.Unlock()
	left := s.blocks.free[t.program]
	left.at[i], left.stored[i] = end-size, end
	return nil
}

// flushNumbers queues the rows of the counters that moved.
func (t *txn) flushNumbers(b *pgx.Batch) {
	if t.inBlocks() {
		return
	}
	for i, seq := range sequences {
		if t.numbers.at[i] != t.numbers.stored[i] {
			b.Queue(t.s.sql.number, t.programArg(), string(seq), t.numbers.at[i])
		}
	}
}

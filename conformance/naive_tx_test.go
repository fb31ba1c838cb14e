package conformance

import (
	"errors"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate/record"
)

type naiveID struct {
	table string
	id    uuid.UUID
}

// naiveTx is one transaction. base is the state at its start, data is what it
// sees.
type naiveTx struct {
	store      *naiveStore
	program    uuid.UUID
	base, data *naiveProgram
	wrote      map[naiveID]bool
	readOnly   bool
	done       bool
	reads      int  // how often it was read
	dead       bool // of a flaw
}

// long reports whether the transaction is a View that has read much.
func (tx *naiveTx) long() bool { return tx.readOnly && tx.reads > 500 }

func (tx *naiveTx) flaw() flaw { return tx.store.flaw }

func (tx *naiveTx) end() { tx.done = true }

// live reports whether the transaction may be read.
func (tx *naiveTx) live() error {
	if tx.done && tx.flaw() != worksAfterEnd {
		return record.ErrTxDone
	}
	if tx.dead && tx.flaw() == deadAfterClash {
		return errors.New("naive: transaction is dead")
	}
	tx.reads++
	if tx.readOnly && tx.flaw() == liveView || tx.long() && tx.flaw() == liveLongView {
		tx.data = tx.store.latest(tx.program)
	}
	return nil
}

// writable reports whether the transaction may be written.
func (tx *naiveTx) writable() error {
	if err := tx.live(); err != nil {
		return err
	}
	if tx.readOnly && tx.flaw() != viewWrites {
		return record.ErrReadOnly
	}
	return nil
}

func (tx *naiveTx) raise(seq record.Sequence, by, to int64) (int64, error) {
	err := tx.writable()
	if by == 0 && to == 0 && (err == nil || errors.Is(err, record.ErrReadOnly)) {
		if tx.flaw() == readsOldNumbers {
			return 0, nil
		}
		return tx.data.next[seq], nil
	}
	if errors.Is(err, record.ErrReadOnly) && tx.flaw() == viewTakesNumbers {
		err = nil
	}
	if err != nil {
		return 0, err
	}
	switch tx.flaw() {
	case oneCounter:
		seq = "all"
	case oneSequence:
		tx.store.mu.Lock()
		defer tx.store.mu.Unlock()
		shared := tx.store.programs[uuid.Max]
		if shared == nil {
			shared = &naiveProgram{next: map[record.Sequence]int64{}}
			tx.store.programs[uuid.Max] = shared
		}
		shared.next[seq] = max(shared.next[seq]+by, to)
		return shared.next[seq], nil
	case repeatsNumbers:
		tx.data.next[seq]++
		return tx.base.next[seq] + 1, nil
	case setsNumbers:
		tx.data.next[seq] = max(tx.data.next[seq]+by, to)
		if to > 0 {
			tx.data.next[seq] = to
		}
		return tx.data.next[seq], nil
	}
	tx.data.next[seq] = max(tx.data.next[seq], tx.data.next[seq]+by, to)
	return tx.data.next[seq], nil
}

func (tx *naiveTx) tables() *record.Tx {
	all := &record.Tx{Raise: tx.raise}
	for _, t := range tables() {
		t.Set(all, naiveTable{tx, t})
	}
	switch tx.flaw() {
	case lacksTable:
		all.Tiers = nil
	case lacksRaise:
		all.Raise = nil
	}
	return all
}

package memstore

import (
	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate/record"
)

// A program holds the tables of one program and one lock for all of them.
//
// Two locks guard what it holds, and every field has exactly one of them:
//
//   - mu, shared by readers: the tables with their rows, indexes, logs and
//     buffers, sequences, writer and changed. Who has it shared writes to none of
//     these, and so uses no buffer.
//   - history.mu: the moments, and the pasts of all tables with what is in them.
//     The end of a View has this one alone, beside a writer.
//
// A goroutine that needs both takes mu first. A View that has become a snapshot
// takes both shared for each read. id does not change after newProgram. The
// fields of a txn belong to the goroutine of its closure.
type program struct {
	id uuid.UUID
	mu lock
	tables
	history   history
	sequences []sequence
	writer    *txn      // the running Update
	changed   []journal // the tables that it has written to
}

// A sequence is the last number that was given out under a name.
type sequence struct {
	name record.Sequence
	last int64
}

// A journal is a table with the log of a transaction.
type journal interface {
	remember(now *moment)
	commit()
	rollback()
}

func newProgram(id uuid.UUID) *program {
	p := &program{id: id}
	p.tables = newTables(p)
	return p
}

// last returns the last number of a sequence.
func (p *program) last(name record.Sequence) int64 {
	for i := range p.sequences {
		if s := &p.sequences[i]; s.name == name {
			return s.last
		}
	}
	return 0
}

// raise moves a sequence on. A rollback does not take numbers back.
func (p *program) raise(name record.Sequence, by, to int64) int64 {
	for i := range p.sequences {
		if s := &p.sequences[i]; s.name == name {
			s.last = max(s.last, s.last+by, to)
			return s.last
		}
	}
	p.sequences = append(p.sequences, sequence{name, max(0, by, to)})
	return max(0, by, to)
}

// commit makes the writes of the Update permanent.
func (p *program) commit() {
	if p.history.held.Load() > 0 {
		p.remember()
	}
	for _, tab := range p.changed {
		tab.commit()
	}
	p.changed = p.changed[:0]
}

// rollback undoes the writes of the Update. It does nothing after a commit.
func (p *program) rollback() {
	for _, tab := range p.changed {
		tab.rollback()
	}
	p.changed = p.changed[:0]
}

package conformance

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"sync"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate/record"
)

// naiveStore is the simplest correct store. An Update works on a copy of the
// program and replaces the program with it at the end. A View reads the program
// that it found at its start. With a flaw the store is wrong in one way;
// broken_test.go lists the flaws.
type naiveStore struct {
	flaw flaw
	turn chan struct{} // held by the Update that runs

	mu       sync.Mutex // guards what follows
	programs map[uuid.UUID]*naiveProgram
	tidied   bool          // of a flaw: a long View ended during the running Update
	inside   int           // Updates of a racing flaw that run
	met      chan struct{} // closed when two of them met
}

// naiveProgram is one state of a program. A committed state is never changed.
type naiveProgram struct {
	rows map[string]map[uuid.UUID]*naiveRow
	next map[record.Sequence]int64
}

// A naiveRow is a record and when it was inserted.
type naiveRow struct {
	rec   record.AnyRecord
	clock int
}

func newNaive(f flaw) *naiveStore {
	return &naiveStore{flaw: f, turn: make(chan struct{}, 1), programs: map[uuid.UUID]*naiveProgram{}, met: make(chan struct{})}
}

func (p *naiveProgram) clone() *naiveProgram {
	c := &naiveProgram{rows: map[string]map[uuid.UUID]*naiveRow{}, next: maps.Clone(p.next)}
	for name, rows := range p.rows {
		c.rows[name] = maps.Clone(rows)
	}
	return c
}

func (p *naiveProgram) table(name string) map[uuid.UUID]*naiveRow {
	if p.rows[name] == nil {
		p.rows[name] = map[uuid.UUID]*naiveRow{}
	}
	return p.rows[name]
}

// latest returns a copy of the last committed state.
func (s *naiveStore) latest(program uuid.UUID) *naiveProgram {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.flaw == oneNamespace {
		program = uuid.Nil
	}
	if p := s.programs[program]; p != nil {
		return p.clone()
	}
	return &naiveProgram{rows: map[string]map[uuid.UUID]*naiveRow{}, next: map[record.Sequence]int64{}}
}

func (s *naiveStore) put(program uuid.UUID, p *naiveProgram) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.flaw == oneNamespace {
		program = uuid.Nil
	}
	s.programs[program] = p
}

func (s *naiveStore) View(ctx context.Context, program uuid.UUID, fn func(tx *record.Tx) error) error {
	if err := ctx.Err(); err != nil && s.flaw != viewIgnoresContext {
		return fmt.Errorf("view: %w", err)
	}
	tx := &naiveTx{store: s, program: program, base: s.latest(program), readOnly: true}
	tx.data = tx.base
	returned := false
	defer func() {
		tx.end()
		if !returned && tx.long() && s.flaw == leavesLongView {
			select {
			case s.turn <- struct{}{}:
			default:
			}
		}
		if tx.long() && s.flaw == tidiesOthers {
			s.tidy()
		}
	}()
	err := fn(tx.tables())
	returned = true
	return err
}

// tidy is what a flaw does at the end of a View that has read much.
func (s *naiveStore) tidy() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tidied = len(s.turn) > 0
}

// mixUp drops a record of an Update during which a View tidied up.
func (s *naiveStore) mixUp(data *naiveProgram) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for id := range data.rows["codes"] {
		if s.tidied {
			delete(data.rows["codes"], id)
			s.tidied = false
		}
	}
}

func (s *naiveStore) Update(ctx context.Context, program uuid.UUID, fn func(tx *record.Tx) error) (err error) {
	if s.flaw.races() {
		return s.race(ctx, program, fn)
	}
	if err := s.begin(ctx); err != nil {
		return err
	}
	tx := &naiveTx{store: s, program: program, base: s.latest(program), data: s.latest(program)}
	returned := false
	defer func() {
		tx.end()
		var r any
		if !returned && s.flaw.recovers() {
			r = recover()
		}
		if !returned && s.flaw == keepsAfterPanic {
			s.put(program, tx.data)
		}
		if returned || s.flaw != leavesLock && (s.flaw != leavesLockOnGoexit || r != nil) {
			<-s.turn
		}
		if r != nil && s.flaw != swallowsPanic {
			panic(r)
		}
	}()
	err = fn(tx.tables())
	returned = true
	return s.commit(ctx, tx, err)
}

// begin waits until no other Update runs.
func (s *naiveStore) begin(ctx context.Context) error {
	if s.flaw == ignoresContext {
		ctx = context.WithoutCancel(ctx)
	}
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("update: %w", err)
	}
	select {
	case s.turn <- struct{}{}:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("update: %w", ctx.Err())
	}
}

// commit stores what the transaction wrote, unless it failed.
func (s *naiveStore) commit(ctx context.Context, tx *naiveTx, err error) error {
	switch {
	case err != nil && s.flaw == resetsNumbers:
		tx.base.next = map[record.Sequence]int64{}
		s.put(tx.program, tx.base)
		return err
	case err != nil && s.flaw == replacesError:
		return errors.New("naive: rolled back")
	case err != nil && s.flaw != keepsAfterError:
		return err
	case tx.dead && s.flaw == deadAfterNotFound:
		return errors.New("naive: transaction is dead")
	}
	if ctxErr := ctx.Err(); ctxErr != nil && s.flaw != ignoresContext && s.flaw != looksAtContextOnce {
		if s.flaw == hidesContext {
			return errors.New("naive: too late")
		}
		return fmt.Errorf("commit: %w", ctxErr)
	}
	if s.flaw == tidiesOthers {
		s.mixUp(tx.data)
	}
	s.put(tx.program, tx.data)
	return err
}

// race runs an Update of a store that is not serializable. When two Updates run
// at the same time, both read before either commits.
func (s *naiveStore) race(ctx context.Context, program uuid.UUID, fn func(tx *record.Tx) error) error {
	for {
		tx := &naiveTx{store: s, program: program, base: s.latest(program), data: s.latest(program), wrote: map[naiveID]bool{}}
		err := fn(tx.tables())
		tx.end()
		if err != nil {
			return err
		}
		s.meet()
		if err := ctx.Err(); err != nil {
			return err
		}
		if s.merge(tx) {
			return nil
		}
	}
}

// meet waits for another Update, but not for long.
func (s *naiveStore) meet() {
	s.mu.Lock()
	met := s.met
	if s.inside++; s.inside == 2 {
		s.inside = 0
		close(s.met)
		s.met = make(chan struct{})
	}
	s.mu.Unlock()
	select {
	case <-met:
	case <-time.After(time.Millisecond):
		s.mu.Lock()
		if met == s.met {
			s.inside = 0
		}
		s.mu.Unlock()
	}
}

// merge commits the rows that tx wrote over the latest state. It returns false
// when tx must run again.
func (s *naiveStore) merge(tx *naiveTx) bool {
	s.turn <- struct{}{}
	defer func() { <-s.turn }()
	latest := s.latest(tx.program)
	for id := range tx.wrote {
		if s.flaw != losesUpdates && latest.rows[id.table][id.id] != tx.base.rows[id.table][id.id] {
			return false
		}
		row := tx.data.rows[id.table][id.id]
		if row == nil {
			delete(latest.table(id.table), id.id)
			continue
		}
		if s.flaw != skewsKeys && clash(latest.table(id.table), row.rec, id.id, func(k record.Key) record.Key { return k }) != "" {
			return false
		}
		latest.table(id.table)[id.id] = row
	}
	for seq, n := range tx.data.next {
		latest.next[seq] = max(latest.next[seq], n)
	}
	s.put(tx.program, latest)
	return true
}

// clash returns the first unique index in which another row has the record's
// key.
func clash(rows map[uuid.UUID]*naiveRow, rec record.AnyRecord, but uuid.UUID, canon func(record.Key) record.Key) record.Index {
	for _, key := range keysOf(rec) {
		if !key.Index.Unique() {
			continue
		}
		for id, row := range rows {
			if other := keyOf(row.rec, key.Index); id != but && other.Index != "" && canon(other) == canon(key) {
				return key.Index
			}
		}
	}
	return ""
}

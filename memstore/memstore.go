package memstore

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate/record"
)

// recentPrograms is the number of programs that can be found without the lock of
// the map.
const recentPrograms = 64

// A Store keeps any number of programs in memory. The zero Store is empty and
// ready for use. It must not be copied after first use.
//
// It is an [record.Store]; all its methods are safe for concurrent use.
type Store struct {
	mu       sync.RWMutex
	programs map[uuid.UUID]*program
	nothing  *program // an empty program, for Views of programs that were never written to

	// recent is a cache of the map, for stores in which a few programs have
	// most of the traffic. A program is never removed, so an entry is never
	// wrong.
	recent [recentPrograms]atomic.Pointer[program]
}

var _ record.Store = (*Store)(nil)

// New returns an empty Store.
func New() *Store { return new(Store) }

// View runs fn on the current records of the program. Other Views of it may run
// at the same time. A program that was never written to is empty. If fn reads
// more than 512 records, Updates may commit before it ends, and fn does not see
// what they write; the documentation of the package says what that costs.
//
// Errors: the error of fn, unchanged. When ctx ends before fn starts, also
// while the View waits for an Update, an error that wraps ctx.Err(). When ctx
// ends later, only the reads of fn after the first 512 fail, with such an error.
//
// fn must not call the Store.
func (s *Store) View(ctx context.Context, program uuid.UUID, fn func(tx *record.Tx) error) error {
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("memstore: view: %w", err)
	}

	p := s.lookup(program)
	if err := p.mu.rlock(ctx); err != nil {
		return fmt.Errorf("memstore: view: %w", err)
	}
	t := begin(p)
	t.ctx, t.reads = ctx, viewReads
	defer t.endView()
	return fn(&t.tx)
}

// Update runs fn once, without any other transaction of the program at the same
// time. It commits the writes of fn if fn returns nil and ctx has not ended by
// then.
//
// Errors: the error of fn, unchanged. When ctx has ended, also while the Update
// waits for others, an error that wraps ctx.Err(). After an error, and when fn
// panics or calls [runtime.Goexit], the writes of fn are undone and the lock is
// released.
//
// fn must not call the Store.
func (s *Store) Update(ctx context.Context, program uuid.UUID, fn func(tx *record.Tx) error) error {
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("memstore: update: %w", err)
	}

	p := s.open(program)
	if err := p.mu.lock(ctx); err != nil {
		return fmt.Errorf("memstore: update: %w", err)
	}
	t := begin(p)
	t.reads = anyReads
	p.writer = t
	defer t.endUpdate()

	if err := fn(&t.tx); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("memstore: update: %w", err)
	}
	p.commit()
	return nil
}

// lookup returns the program for reading.
func (s *Store) lookup(id uuid.UUID) *program {
	cached := &s.recent[id[len(id)-1]%recentPrograms]
	if p := cached.Load(); p != nil && p.id == id {
		return p
	}

	s.mu.RLock()
	p, nothing := s.programs[id], s.nothing
	s.mu.RUnlock()
	if p != nil {
		cached.Store(p)
		return p
	}
	if nothing != nil {
		return nothing
	}

	s.mu.Lock()
	defer s.mu.Unlock()
	if s.nothing == nil {
		s.nothing = newProgram(uuid.Nil)
	}
	return s.nothing
}

// open returns the program for writing, and creates it if it is new.
func (s *Store) open(id uuid.UUID) *program {
	cached := &s.recent[id[len(id)-1]%recentPrograms]
	if p := cached.Load(); p != nil && p.id == id {
		return p
	}

	s.mu.Lock()
	defer s.mu.Unlock()
	p := s.programs[id]
	if p == nil {
		p = newProgram(id)
		if s.programs == nil {
			s.programs = make(map[uuid.UUID]*program)
		}
		s.programs[id] = p
	}
	cached.Store(p)
	return p
}

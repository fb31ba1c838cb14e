package router

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
)

// A Named is a store with the name that a host gives it.
type Named struct {
	Name  string // of the host's choice, not empty; only the host uses it
	Store record.Store
}

// Config says how a [Store] works. Only Stores is needed.
type Config struct {
	// Stores are the stores of all programs, at least one. The first has a part of its
	// own: it decides where a new program begins. So it is the same one in every
	// process and for ever, which the stores remember. Others may be added at the end.
	Stores []Named

	// Place returns the name of the store in which a new program begins. It is asked
	// when nothing is known of the program anywhere. Nil: the first store.
	Place func(program uuid.UUID) string

	// Patience is how long a move may stand still before others give it up: its
	// process has ended, or cannot reach its stores. Writers wait so long at most.
	// Zero: 30 seconds. A page of 256 records must be copied within it.
	Patience time.Duration
}

// A Store is a record.Store that sends each program to the store that has it, and moves
// programs between them. It is safe for concurrent use, also with others in other
// processes, and starts no goroutine.
type Store struct {
	cfg    Config
	joined atomic.Bool // every store knows which is the first

	mu    sync.RWMutex
	homes map[uuid.UUID]int // where a program was last; the fence there has the last word
	waits map[uuid.UUID]*wait
}

// Errors of a [Store] besides those of its stores.
var (
	// ErrFirst: the stores remember another one as the first, or one of them belongs to
	// another [Config.Stores], or stands in it twice.
	ErrFirst = errors.New("router: the stores know another one as the first")

	// ErrNowhere: the program is in a store that is not among Config.Stores.
	ErrNowhere = errors.New("router: no store has the program")

	// ErrOccupied: two stores have records of one program, and nothing says which of
	// them is right.
	ErrOccupied = errors.New("router: the store has other records of the program")

	// ErrRemains: the program is where Move was to bring it, and records of it are left
	// in another store, or that could not be reached. The same Move tries again.
	ErrRemains = errors.New("router: records may remain in another store")
)

// New makes a Store. It uses no store yet.
//
// Errors: no stores, a name that is empty or there twice, a nil store, a negative
// Patience.
func New(cfg Config) (*Store, error) {
	if len(cfg.Stores) == 0 {
		return nil, errors.New("router: Config.Stores is empty")
	}
	for i, named := range cfg.Stores {
		if named.Name == "" || named.Store == nil {
			return nil, fmt.Errorf("router: Config.Stores[%d] has no name or no store", i)
		}
		for _, other := range cfg.Stores[:i] {
			if other.Name == named.Name {
				return nil, fmt.Errorf("router: Config.Stores has the name %q twice", named.Name)
			}
		}
	}
	switch {
	case cfg.Patience < 0:
		return nil, errors.New("router: Config.Patience must not be negative")
	case cfg.Patience == 0:
		cfg.Patience = 30 * time.Second
	}
	cfg.Stores = append([]Named(nil), cfg.Stores...)
	return &Store{cfg: cfg, homes: map[uuid.UUID]int{}, waits: map[uuid.UUID]*wait{}}, nil
}

// View runs fn on a snapshot of the program, in the store that has it. While the program
// moves, it is read where it was.
//
// Errors: those of fn and of the store; [ErrNowhere], [ErrOccupied]; when no store that
// answers has the program, the errors of those that do not.
func (s *Store) View(ctx context.Context, program uuid.UUID, fn func(tx *record.Tx) error) error {
	return s.run(ctx, program, &visit{fn: fn})
}

// Update runs fn in the store that has the program. While the program moves it waits.
// The first Update of a new program decides where it is; for that every store must
// answer.
//
// Errors: those of View; [ErrFirst] for a new program.
func (s *Store) Update(ctx context.Context, program uuid.UUID, fn func(tx *record.Tx) error) error {
	return s.run(ctx, program, &visit{fn: fn, writes: true})
}

// Home returns the name of the store that has the program.
//
// Errors: those of View; [affiliate.ErrNotFound] for a program that has not begun.
func (s *Store) Home(ctx context.Context, program uuid.UUID) (string, error) {
	found, err := s.find(ctx, program)
	switch {
	case err != nil:
		return "", err
	case found.unborn:
		return "", affiliate.ErrNotFound
	}
	return s.cfg.Stores[found.at].Name, nil
}

// run makes a visit where the program is, until one counts.
func (s *Store) run(ctx context.Context, program uuid.UUID, v *visit) error {
	for attempt := 0; ; attempt++ {
		at, known := s.known(program)
		if !known {
			found, err := s.find(ctx, program)
			if err == nil && found.unborn && v.writes {
				found, err = s.begin(ctx, program, found)
			}
			if err != nil {
				return err
			}
			at, v.unborn = found.at, found.unborn
		}
		store := s.cfg.Stores[at].Store
		method := store.View
		if v.writes {
			method = store.Update
		}
		err := method(ctx, program, v.run)
		if !v.elsewhere {
			return err
		}
		if v.unborn = false; v.writes && v.saw.isLeaving() {
			if _, err := s.wait(ctx, program, at, v.saw); err != nil {
				return err
			}
			continue
		}
		s.forget(program)
		if err := pause(ctx, attempt); err != nil {
			return err
		}
	}
}

// known returns where the program was last.
func (s *Store) known(program uuid.UUID) (at int, known bool) {
	s.mu.RLock()
	at, known = s.homes[program]
	s.mu.RUnlock()
	return at, known
}

func (s *Store) remember(program uuid.UUID, at int) {
	s.mu.Lock()
	s.homes[program] = at
	s.mu.Unlock()
}

func (s *Store) forget(program uuid.UUID) {
	s.mu.Lock()
	delete(s.homes, program)
	s.mu.Unlock()
}

// failed returns an error of a store with its name.
func (s *Store) failed(at int, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("router: store %s: %w", s.cfg.Stores[at].Name, err)
}

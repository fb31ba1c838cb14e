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

// A NamedStore is a store with the name that a host gives it.
type NamedStore struct {
	Name  string // of the host's choice, not empty; only the host uses it
	Store record.Store
}

// Config says how a [Store] works. Only Stores is needed.
type Config struct {
	// Stores are the stores of all programs, at least one. The first has a part of its
	// own: it decides where a new program begins. So it is the same one in every
	// process and for ever, which the stores remember. Others may be added at the end.
	Stores []NamedStore

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
	waits map[uuid.UUID]*moveWait
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
	cfg.Stores = append([]NamedStore(nil), cfg.Stores...)
	return &Store{cfg: cfg, homes: map[uuid.UUID]int{}, waits: map[uuid.UUID]*moveWait{}}, nil
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

// A fence is what a store says of a program, in its [record.FenceSequence]: 31 bits of
// an epoch, 2 of a state and 30 of a beat. It only rises. A move from one store to
// another takes them through these, from the top:
//
//	source          target
//	here(1)         any lower one       the program is at the source
//	leaving(1)                          nobody writes
//	                arriving(1)         records are copied and compared
//	gone(1)                             the move is made: it can only go on
//	                here(2)             the program is at the target
//
// A move that is given up takes the source from leaving(1) to here(2). The beat rises
// while the records are copied, so that others see that somebody does it.
//
// A new program begins at here(1) in the first store. If its place is another one, the
// first store goes from leaving(0) to gone(0) in the same way; the beat is the number of
// the attempt, which the target has too. 0, or another number with nothing but a beat,
// says that the store knows nothing of the program.
type fence int64

type state int64

const (
	here state = iota
	leaving
	arriving
	gone
)

const beatBits, stateBits = 30, 2

func fenceOf(epoch int64, st state, beat int64) fence {
	return fence(epoch<<(beatBits+stateBits) | int64(st)<<beatBits | beat)
}

func (f fence) epoch() int64 { return int64(f) >> (beatBits + stateBits) }

func (f fence) state() state { return state(f>>beatBits) & (1<<stateBits - 1) }

func (f fence) beat() int64 { return int64(f) & (1<<beatBits - 1) }

// isHere reports whether the program is in the store, for readers and writers.
func (f fence) isHere() bool { return f.epoch() > 0 && f.state() == here }

// isLeaving reports whether the program is in the store, for readers alone.
func (f fence) isLeaving() bool { return f.epoch() > 0 && f.state() == leaving }

// isUnborn reports whether the store may be one in which a program begins.
func (f fence) isUnborn() bool {
	return f.epoch() == 0 && (f.state() == here || f.state() == leaving)
}

// isUnknown reports whether the store knows nothing of the program.
func (f fence) isUnknown() bool { return f.epoch() == 0 && f.state() == here }

// fenceIn reads the fence in a transaction.
func fenceIn(tx *record.Tx) (fence, error) {
	last, err := tx.Raise(record.FenceSequence, 0, 0)
	return fence(last), err
}

// raise moves the fence on.
func raise(tx *record.Tx, to fence) error {
	_, err := tx.Raise(record.FenceSequence, 0, int64(to))
	return err
}

// errOvertaken is the error of a step that found another fence: somebody else was there.
var errOvertaken = errors.New("router: another move overtook this one")

// only returns a guard for transactions while the fence is f.
func only(f fence) func(tx *record.Tx) error {
	return func(tx *record.Tx) error {
		last, err := fenceIn(tx)
		if err == nil && last != f {
			err = errOvertaken
		}
		return err
	}
}

// step takes a fence from one number to the next. Errors: errOvertaken when it is at
// another one; those of the store, after which it may have been taken or not.
func step(ctx context.Context, store record.Store, program uuid.UUID, from, to fence) error {
	return store.Update(ctx, program, func(tx *record.Tx) error {
		if err := only(from)(tx); err != nil {
			return err
		}
		return raise(tx, to)
	})
}

// ErrElsewhere is the error of a transaction on [Fence] whose program is not in that
// store. It has changed nothing.
var ErrElsewhere = errors.New("router: the program is not in this store")

// Fence returns a store over one of the stores of a [Store], or over a transaction of
// the host in its database, such as pgstore.Store.In gives: for hosts that must write to
// one certain database. Its transactions end with [ErrElsewhere] when the program is
// not there, or is moving away; they are not sent elsewhere, and begin no program.
func Fence(store record.Store) record.Store { return fencedStore{store} }

type fencedStore struct{ store record.Store }

func (f fencedStore) View(ctx context.Context, program uuid.UUID, fn func(tx *record.Tx) error) error {
	v := visit{fn: fn}
	return f.store.View(ctx, program, v.run)
}

func (f fencedStore) Update(ctx context.Context, program uuid.UUID, fn func(tx *record.Tx) error) error {
	v := visit{fn: fn, writes: true}
	return f.store.Update(ctx, program, v.run)
}

// A visit is a closure that runs in a store, and what the fence there says of it.
type visit struct {
	fn        func(tx *record.Tx) error
	writes    bool
	unborn    bool  // no store has the program, and it begins here
	saw       fence // in the last run
	elsewhere bool  // so the last run does not count
}

// run looks at the fence and runs the closure.
//
// A store behind a network, which has a use for Soon, reads the fence together with the
// first records of the closure. So there the closure runs first. If the program turns
// out not to be here, what the closure did is taken back, whatever it returned: it may
// have seen half a program.
func (v *visit) run(tx *record.Tx) error {
	v.elsewhere = false
	if tx.Soon != nil {
		return v.runFirst(tx)
	}
	if err := v.check(tx); err != nil {
		return err
	}
	return v.done(tx, v.fn(tx))
}

func (v *visit) runFirst(tx *record.Tx) (err error) {
	returned := false
	defer func() {
		if !returned && v.check(tx) == ErrElsewhere && recover() != nil {
			err = ErrElsewhere
		}
	}()
	err = v.fn(tx)
	returned = true
	if unserved := v.check(tx); unserved != nil && (err == nil || v.elsewhere) {
		return unserved
	}
	return v.done(tx, err)
}

// done makes the first Update of a new program its beginning.
func (v *visit) done(tx *record.Tx, err error) error {
	if err == nil && v.writes && v.saw.isUnknown() {
		return raise(tx, fenceOf(1, here, 0))
	}
	return err
}

// check returns nil when the program is here for the closure, else why it is not known
// to be.
func (v *visit) check(tx *record.Tx) (err error) {
	if v.saw, err = fenceIn(tx); err != nil {
		return err
	}
	switch {
	case v.saw.isHere(), v.saw.isLeaving() && !v.writes:
		return nil
	case v.unborn && v.saw.isUnborn() && (!v.writes || v.saw.isUnknown()):
		return nil
	}
	v.elsewhere = true
	return ErrElsewhere
}

package router

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate/record"
)

// Move brings a program into the store with a name. Writers of the program wait
// meanwhile, in every process; readers read on. The records are copied and compared,
// the program is switched over in two small transactions, and then its records are
// deleted where it was, and wherever an earlier move left some. A program that has not
// begun begins there.
//
// Move may end in any way at any time: the program is in the one store or in the other,
// whole. A move that ended before the switch is given up after [Config.Patience]; one
// that ended after it is finished by whoever needs the program next. The same Move again
// deletes what remained. After its context has ended, a Move takes up to that time to
// give itself up. Several Moves of one program, in any processes and to any
// stores, come one after another.
//
// Errors: no store with the name; those of the stores; [ErrDiffer] when the copy is not
// the same, [ErrOccupied] when the target has records that no move brought there: then
// the program is where it was. [ErrRemains]: it is where it should be.
func (s *Store) Move(ctx context.Context, program uuid.UUID, to string) error {
	target := s.index(to)
	if target < 0 {
		return fmt.Errorf("router: no store has the name %q", to)
	}
	for {
		f, err := s.find(ctx, program)
		if err == nil && f.unborn {
			f, err = s.settle(ctx, program, f, target)
		}
		if err != nil {
			return err
		}
		switch {
		case f.unborn:
			continue
		case f.fence.isLeaving(): // another Move
			_, err = s.wait(ctx, program, f.at, f.fence)
		case f.at == target:
			return s.sweep(ctx, program, f)
		default:
			err = s.carry(ctx, program, f, target)
		}
		if err != nil {
			return err
		}
	}
}

// settle makes a program begin: in the target, or where its records are.
func (s *Store) settle(ctx context.Context, program uuid.UUID, f location, target int) (location, error) {
	if f.filled {
		target = 0
	}
	f, err := s.beginAt(ctx, program, f, target)
	if err == nil && f.unborn {
		err = step(ctx, s.cfg.Stores[0].Store, program, f.fence, fenceOf(1, here, 0))
		if errors.Is(err, errOvertaken) {
			err = nil
		}
		err = s.failed(0, err)
	}
	return f, err
}

// A mover moves a program.
type mover struct {
	*Store
	program  uuid.UUID
	from, to int
	epoch    int64
	beaten   time.Time
}

// carry moves a program, or leaves it where it is.
func (s *Store) carry(ctx context.Context, program uuid.UUID, f location, to int) error {
	m := &mover{Store: s, program: program, from: f.at, to: to,
		epoch: max(f.fence.epoch(), f.beyond+1), beaten: time.Now()}
	switch err := step(ctx, m.source(), program, f.fence, fenceOf(m.epoch, leaving, 0)); {
	case errors.Is(err, errOvertaken):
		return pause(ctx, 1)
	case err != nil:
		return s.failed(f.at, err)
	}
	if err := m.copy(ctx); err != nil {
		return errors.Join(err, m.giveUp(ctx))
	}
	arrived := fenceOf(m.epoch, arriving, 0)
	err := step(ctx, m.target(), program, arrived, fenceOf(m.epoch+1, here, 0))
	if err != nil && !errors.Is(err, errOvertaken) { // somebody else finished it
		return s.failed(to, err)
	}
	s.remember(program, to)
	return nil
}

func (m *mover) source() record.Store { return m.cfg.Stores[m.from].Store }

func (m *mover) target() record.Store { return m.cfg.Stores[m.to].Store }

// copy copies the program, compares the copy, and makes the move.
func (m *mover) copy(ctx context.Context) error {
	arrived := fenceOf(m.epoch, arriving, 0)
	if err := receive(ctx, m.target(), m.program, arrived, false); err != nil {
		return m.failed(m.to, err)
	}
	page := func() error { return m.beat(ctx) }
	c := copyTarget{to: m.target(), program: m.program, guard: only(arrived), page: page}
	if err := c.clear(ctx); err != nil {
		return m.failed(m.to, err)
	}
	numbers, err := sequences(ctx, m.source(), m.program)
	if err == nil {
		_, err = c.run(ctx, m.source())
	}
	if err != nil {
		return fmt.Errorf("router: copy to %s: %w", m.cfg.Stores[m.to].Name, err)
	}
	_, err = compareRecords(ctx, m.source(), m.target(), m.program, page)
	if err == nil {
		err = m.reached(ctx, numbers)
	}
	if err != nil {
		return fmt.Errorf("router: compare with %s: %w", m.cfg.Stores[m.to].Name, err)
	}
	return m.leave(ctx)
}

// reached checks that the target has no sequence below the number that the source had. A
// writer that is sent away may still move one of the source, so they need not be equal.
func (m *mover) reached(ctx context.Context, numbers [len(counted)]int64) error {
	got, err := sequences(ctx, m.target(), m.program)
	for i, seq := range counted {
		if err == nil && got[i] < numbers[i] {
			err = fmt.Errorf("%w: the sequence %s is at %d, and was at %d", ErrDiffer, seq, got[i], numbers[i])
		}
	}
	return err
}

// leave takes the source from leaving to gone. When the store does not say whether it
// did, it is asked.
func (m *mover) leave(ctx context.Context) error {
	err := m.atSource(ctx, func(tx *record.Tx) error { return raise(tx, fenceOf(m.epoch, gone, 0)) })
	if err == nil {
		return nil
	}
	ctx, cancel := m.outlast(ctx)
	defer cancel()
	if saw := sightOf(ctx, m.source(), m.program); saw.err == nil && saw.fence == fenceOf(m.epoch, gone, 0) {
		return nil
	}
	return m.failed(m.from, err)
}

// beat shows others that the move goes on, several times in their patience.
func (m *mover) beat(ctx context.Context) error {
	if time.Since(m.beaten) < m.cfg.Patience/8 {
		return nil
	}
	m.beaten = time.Now()
	return m.failed(m.from, m.atSource(ctx, func(tx *record.Tx) error {
		_, err := tx.Raise(record.FenceSequence, 1, 0)
		return err
	}))
}

// giveUp takes the source back from leaving, if it is still this move's.
func (m *mover) giveUp(ctx context.Context) error {
	ctx, cancel := m.outlast(ctx)
	defer cancel()
	err := m.atSource(ctx, func(tx *record.Tx) error { return raise(tx, fenceOf(m.epoch+1, here, 0)) })
	if errors.Is(err, errOvertaken) {
		return nil
	}
	return m.failed(m.from, err)
}

// atSource runs fn while the program is leaving by this move.
func (m *mover) atSource(ctx context.Context, fn func(tx *record.Tx) error) error {
	return m.source().Update(ctx, m.program, func(tx *record.Tx) error {
		was, err := fenceIn(tx)
		if err == nil && (was.epoch() != m.epoch || was.state() != leaving) {
			err = errOvertaken
		}
		if err != nil {
			return err
		}
		return fn(tx)
	})
}

// outlast returns a context for the end of a move, whose own may have ended.
func (m *mover) outlast(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.WithoutCancel(ctx), m.cfg.Patience)
}

// sweep deletes what is left of the program in other stores.
func (s *Store) sweep(ctx context.Context, program uuid.UUID, f location) (err error) {
	for at, named := range s.cfg.Stores {
		if at != f.at {
			err = errors.Join(err, s.failed(at, remove(ctx, named.Store, program, f.fence)))
		}
	}
	if err != nil {
		return fmt.Errorf("%w: %w", ErrRemains, err)
	}
	return nil
}

// remove deletes the records of a program that an earlier move left in a store.
func remove(ctx context.Context, store record.Store, program uuid.UUID, home fence) error {
	var was fence
	more := false
	err := store.View(ctx, program, func(tx *record.Tx) (err error) {
		if was, err = fenceIn(tx); err == nil {
			more, err = hasRecords(tx)
		}
		return err
	})
	switch {
	case err != nil || !more:
		return err
	case was.epoch() >= home.epoch(): // it has moved on since
		return nil
	case was.isUnknown() || was.isHere() || was.isLeaving():
		return ErrOccupied
	}
	err = copyTarget{to: store, program: program, guard: only(was)}.clear(ctx)
	if errors.Is(err, errOvertaken) {
		err = nil
	}
	return err
}

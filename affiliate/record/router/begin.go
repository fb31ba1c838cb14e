package router

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate/record"
)

// group is the program in whose fence each store remembers whether it is the first.
var group = uuid.UUID([]byte("tributary router"))

// join tells every store whether it is the first, in the order of their names, so that of
// two hosts that disagree at the beginning one is refused at its first step.
func (s *Store) join(ctx context.Context) error {
	if s.joined.Load() {
		return nil
	}
	order := make([]int, len(s.cfg.Stores))
	for at := range order {
		order[at] = at
	}
	slices.SortFunc(order, func(a, b int) int { return strings.Compare(s.cfg.Stores[a].Name, s.cfg.Stores[b].Name) })
	for _, at := range order {
		want := fenceOf(1, gone, 0)
		if at == 0 {
			want = fenceOf(1, here, 0)
		}
		err := s.cfg.Stores[at].Store.Update(ctx, group, func(tx *record.Tx) error {
			switch was, err := fenceIn(tx); {
			case err != nil:
				return err
			case was == 0:
				return raise(tx, want)
			case was != want:
				return ErrFirst
			}
			return nil
		})
		if err != nil {
			return s.failed(at, err)
		}
	}
	s.joined.Store(true)
	return nil
}

// begin gives a new program its place. It returns where the program is, or that it
// begins in the transaction that follows, in the first store.
func (s *Store) begin(ctx context.Context, program uuid.UUID, f location) (location, error) {
	at := 0
	if s.cfg.Place != nil && !f.filled {
		name := s.cfg.Place(program)
		if at = s.index(name); at < 0 {
			return location{}, fmt.Errorf("router: Config.Place: no store has the name %q", name)
		}
	}
	return s.beginAt(ctx, program, f, at)
}

func (s *Store) beginAt(ctx context.Context, program uuid.UUID, f location, at int) (location, error) {
	if err := s.join(ctx); err != nil {
		return location{}, err
	}
	if f.fence.state() == leaving { // somebody else is at it
		stands, err := s.wait(ctx, program, 0, f.fence)
		if err != nil {
			return location{}, err
		}
		if !stands {
			return s.find(ctx, program)
		}
	}
	switch {
	case at > 0:
		if err := s.place(ctx, program, f.fence, at, false); err != nil {
			return location{}, err
		}
	case f.fence.isUnknown():
		return f, nil
	default:
		err := step(ctx, s.cfg.Stores[0].Store, program, f.fence, fenceOf(1, here, 0))
		if err != nil && !errors.Is(err, errOvertaken) {
			return location{}, s.failed(0, err)
		}
	}
	return s.find(ctx, program)
}

// index returns the place of a store, or -1.
func (s *Store) index(name string) int {
	return slices.IndexFunc(s.cfg.Stores, func(n NamedStore) bool { return n.Name == name })
}

// place takes a program that has not begun from the first store to another one, which
// has all of it already or nothing. When somebody else overtakes, it does nothing more.
func (s *Store) place(ctx context.Context, program uuid.UUID, from fence, to int, full bool) error {
	first, target := s.cfg.Stores[0].Store, s.cfg.Stores[to].Store
	n := int64(1)
	if from.state() == leaving {
		n = from.beat() + 1
	}
	if err := s.join(ctx); err != nil {
		return err
	}
	steps := []struct {
		at   int
		take func() error
	}{
		{0, func() error { return step(ctx, first, program, from, fenceOf(0, leaving, n)) }},
		{to, func() error { return receive(ctx, target, program, fenceOf(0, arriving, n), full) }},
		{0, func() error { return step(ctx, first, program, fenceOf(0, leaving, n), fenceOf(0, gone, n)) }},
		{to, func() error { return step(ctx, target, program, fenceOf(0, arriving, n), fenceOf(1, here, 0)) }},
	}
	for _, next := range steps {
		if err := next.take(); errors.Is(err, errOvertaken) {
			return pause(ctx, 1)
		} else if err != nil {
			return s.failed(next.at, err)
		}
	}
	return nil
}

// receive makes a store the target of a program. A store that has been a target before
// may have records of then; any other must be empty, unless the program is to be taken
// in as it is there.
func receive(ctx context.Context, store record.Store, program uuid.UUID, to fence, full bool) error {
	return store.Update(ctx, program, func(tx *record.Tx) error {
		was, err := fenceIn(tx)
		switch {
		case err != nil:
			return err
		case was.isHere(), was.isLeaving():
			return ErrOccupied
		case was > to:
			return errOvertaken
		case was.epoch() == 0 && was.state() != gone && !full:
			if has, err := filled(tx); has || err != nil {
				return errors.Join(err, ErrOccupied)
			}
		}
		return raise(tx, to)
	})
}

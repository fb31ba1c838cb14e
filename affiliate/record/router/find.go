package router

import (
	"context"
	"errors"
	"slices"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate/record"
)

// A sight is what a store says of a program.
type sight struct {
	fence  fence
	filled bool // it has records of a program that it knows nothing of
	err    error
}

// A location says where a program is.
type location struct {
	at     int
	fence  fence
	beyond int64 // the highest epoch in other stores; it is lower, unless the store was restored from a backup
	unborn bool  // nowhere yet: at is the first store
	filled bool  // unborn, with records of the time before there was a router
}

// look asks every store. Stores are not asked at one moment, but a fence only rises: when
// two looks in turn are equal, all were so in between.
func (s *Store) look(ctx context.Context, program uuid.UUID) ([]sight, error) {
	sights := make([]sight, len(s.cfg.Stores))
	for at, named := range s.cfg.Stores {
		sights[at] = sightOf(ctx, named.Store, program)
		if err := ctx.Err(); err != nil {
			return nil, s.failed(at, errors.Join(sights[at].err, err))
		}
	}
	return sights, nil
}

func sightOf(ctx context.Context, store record.Store, program uuid.UUID) (saw sight) {
	saw.err = store.View(ctx, program, func(tx *record.Tx) (err error) {
		saw = sight{} // it may run again
		if saw.fence, err = fenceIn(tx); err == nil && saw.fence.epoch() == 0 && saw.fence.state() != gone {
			saw.filled, err = filled(tx)
		}
		return err
	})
	return saw
}

// filled reports whether there is a record or a number of the program.
func filled(tx *record.Tx) (bool, error) {
	for _, seq := range counted {
		if n, err := tx.Raise(seq, 0, 0); n > 0 || err != nil {
			return n > 0, err
		}
	}
	return hasRecords(tx)
}

func hasRecords(tx *record.Tx) (bool, error) {
	schema := record.Schema()
	soonNewest(tx, schema)
	for _, table := range schema {
		if recs, err := take(table.In(tx), record.Query{Limit: 1, Desc: true}); len(recs) > 0 || err != nil {
			return len(recs) > 0, err
		}
	}
	return false, nil
}

// find finds the store that has the program. It finishes a move that is made, and takes
// in a program of the time before there was a router.
func (s *Store) find(ctx context.Context, program uuid.UUID) (location, error) {
	var before []sight
	for attempt := 0; ; attempt++ {
		sights, err := s.look(ctx, program)
		if err != nil {
			return location{}, err
		}
		if at := pending(sights); at >= 0 {
			from := sights[at].fence
			err = step(ctx, s.cfg.Stores[at].Store, program, from, fenceOf(from.epoch()+1, here, 0))
			if err != nil && !errors.Is(err, errOvertaken) {
				return location{}, s.failed(at, err)
			}
			continue
		}
		if at := newest(sights); at >= 0 {
			s.remember(program, at)
			f := location{at: at, fence: sights[at].fence}
			for other, saw := range sights {
				if other != at {
					f.beyond = max(f.beyond, saw.fence.epoch())
				}
			}
			return f, nil
		}
		if err := s.unreached(sights); err != nil {
			return location{}, err
		}
		switch full := filledIn(sights); {
		case !sights[0].fence.isUnborn():
		case len(full) > 1:
			return location{}, s.failed(full[1], ErrOccupied)
		case len(full) == 1 && full[0] > 0:
			if err := s.place(ctx, program, sights[0].fence, full[0], true); err != nil {
				return location{}, err
			}
			continue
		default:
			return location{fence: sights[0].fence, unborn: true, filled: len(full) == 1}, nil
		}
		if slices.EqualFunc(before, sights, func(a, b sight) bool { return a.fence == b.fence }) {
			return location{}, ErrNowhere
		}
		before = sights
		if err := pause(ctx, attempt); err != nil {
			return location{}, err
		}
	}
}

// newest returns the store in which the program is, or -1. When stores were asked during
// a move, two may say so, and the higher epoch is right.
func newest(sights []sight) int {
	at := -1
	for i, saw := range sights {
		if saw.err == nil && (saw.fence.isHere() || saw.fence.isLeaving()) &&
			(at < 0 || saw.fence.epoch() > sights[at].fence.epoch()) {
			at = i
		}
	}
	return at
}

// pending returns the target of a move that is made and not finished, or -1.
func pending(sights []sight) int {
	for i, target := range sights {
		if target.err != nil || target.fence.state() != arriving {
			continue
		}
		made := fenceOf(target.fence.epoch(), gone, target.fence.beat())
		at := newest(sights)
		if slices.ContainsFunc(sights, func(saw sight) bool { return saw.err == nil && saw.fence == made }) &&
			(at < 0 || sights[at].fence.epoch() <= made.epoch()) {
			return i
		}
	}
	return -1
}

func filledIn(sights []sight) (at []int) {
	for i, saw := range sights {
		if saw.filled {
			at = append(at, i)
		}
	}
	return at
}

// unreached returns the errors of the stores that did not answer.
func (s *Store) unreached(sights []sight) (err error) {
	for at, saw := range sights {
		err = errors.Join(err, s.failed(at, saw.err))
	}
	return err
}

package router

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
)

// pollEvery is the time between two looks at a move that others make.
const pollEvery = 10 * time.Millisecond

// A moveWait is for the end of a move. One of those who wait looks at it.
type moveWait struct {
	fence fence
	since time.Time     // when the fence was first seen so
	done  chan struct{} // closed when the one who looks goes away; nil: nobody looks
}

// wait waits while a fence says that a program is leaving, and gives the move up when it
// stands still. It reports whether the fence still stands where it was: the beginning of
// a program is not given up but taken over.
//
// Errors: those of the store and of ctx.
func (s *Store) wait(ctx context.Context, program uuid.UUID, at int, f fence) (stands bool, err error) {
	s.mu.Lock()
	w := s.waits[program]
	if w == nil {
		w = &moveWait{}
		s.waits[program] = w
	}
	if done := w.done; done != nil {
		s.mu.Unlock()
		select {
		case <-done:
			return false, nil
		case <-ctx.Done():
			return false, fmt.Errorf("router: wait for a move: %w", ctx.Err())
		}
	}
	if w.fence != f {
		w.fence, w.since = f, time.Now()
	}
	w.done = make(chan struct{})
	s.mu.Unlock()
	ended := false
	defer func() {
		s.mu.Lock()
		if ended {
			delete(s.waits, program)
		}
		close(w.done)
		w.done = nil
		s.mu.Unlock()
	}()
	for {
		saw := sightOf(ctx, s.cfg.Stores[at].Store, program)
		switch f := saw.fence; {
		case saw.err != nil:
			return false, s.failed(at, saw.err)
		case f.state() != leaving || f.epoch() != w.fence.epoch():
			ended = true
			return false, nil
		case f != w.fence:
			w.fence, w.since = f, time.Now()
		case time.Since(w.since) >= s.cfg.Patience:
			ended = true
			if f.epoch() == 0 {
				return true, nil
			}
			err := step(ctx, s.cfg.Stores[at].Store, program, f, fenceOf(f.epoch()+1, here, 0))
			if errors.Is(err, errOvertaken) {
				err = nil
			}
			return false, s.failed(at, err)
		}
		if err := pause(ctx, 1); err != nil {
			return false, err
		}
	}
}

// pause waits before the next attempt, unless it is the first repetition.
func pause(ctx context.Context, attempt int) error {
	if attempt == 0 {
		return nil
	}
	timer := time.NewTimer(pollEvery)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("router: wait for a move: %w", ctx.Err())
	}
}

package pgstore

import (
	"errors"
	"time"

	"github.com/google/uuid"
)

// A guest is a run of a member's closure in the transaction of a leader. It is
// in the member's goroutine. At its first call of a table the closure is held,
// until the leader lets it go on.
type guest struct {
	m    *member
	back chan progress // to the leader; it has room, so that nobody waits who has left
	on   chan error    // to the closure: an error ends its use of the transaction
	err  error         // of the closure
	held bool          // only the leader uses it
}

// progress is a guest's message to its leader.
type progress uint8

const (
	held     progress = iota // its closure waits at its first call
	returned                 // its closure has returned
	vanished                 // its closure panicked or ended its goroutine
)

// errReleased ends a held closure that is run again later.
var errReleased = errors.New("pgstore: the transaction of the group has ended")

// follow does what the leader's messages say, until the member has its result
// or its context ends.
func (s *Store) follow(program uuid.UUID, m *member) error {
	var late <-chan time.Time
	gone, written := m.ctx.Done(), false
	for {
		select {
		case msg := <-m.inbox:
			switch {
			case msg.lead:
				return s.lead(program, m)
			case msg.guest == nil:
				return msg.err
			}
			if !s.visit(program, m, msg) {
				return ended(m.ctx, "update")
			}
			gone, written = m.ctx.Done(), msg.guest.err == nil
		case <-gone:
			left, was := s.turns.leave(program, m, true)
			if left {
				return ended(m.ctx, "update")
			}
			if gone = nil; was == committing {
				late = time.After(s.cfg.CommitWait)
			}
		case <-late:
			if left, was := s.turns.leave(program, m, false); left {
				return &failure{op: "commit", err: m.ctx.Err(), unknown: was == committing && written}
			}
			gone, late = m.ctx.Done(), nil
		}
	}
}

// visit runs the closure in a leader's transaction. It reports whether the
// member is still in the group. When the closure panics or ends its goroutine,
// the leader is told.
func (s *Store) visit(program uuid.UUID, m *member, msg message) (stays bool) {
	g, told := msg.guest, vanished
	defer func() {
		stays = s.turns.turn(m, taken)
		g.back <- told
	}()
	g.err = msg.run.run(m.fn, func() error { return s.hold(program, g) })
	told = returned
	return stays
}

// hold waits until the leader lets the closure go on. When the context ends
// before, the member leaves.
func (s *Store) hold(program uuid.UUID, g *guest) error {
	s.turns.turn(g.m, taken)
	g.back <- held
	select {
	case err := <-g.on:
		return err
	case <-g.m.ctx.Done():
	}
	if left, _ := s.turns.leave(program, g.m, true); left {
		return ended(g.m.ctx, "update")
	}
	return <-g.on
}

// goOn lets a held closure go on, and waits for its end.
func (g *guest) goOn(err error) progress {
	g.held = false
	g.on <- err
	return <-g.back
}

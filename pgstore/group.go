package pgstore

import (
	"errors"
	"slices"
	"time"

	"github.com/google/uuid"
)

// Writers of one program queue in the process before they take a connection.
// Otherwise a busy program would use up the pool, and the server gets slower
// with every connection that waits for a lock. The head of the queue is the
// leader. It runs up to Config.Group of the waiting closures in one
// transaction, one after another, each in its own goroutine, and sends
// everybody the result after the commit. Then the next one leads. The same code
// serves groups of one.

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
			case msg.run == nil:
				return msg.err
			}
			written = s.runFor(m, msg) == nil
			gone = m.ctx.Done()
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

// runFor runs the closure in a leader's transaction. When the closure panics or
// ends its goroutine, the leader is told that it did not return.
func (s *Store) runFor(m *member, msg message) error {
	returned := false
	defer func() {
		s.turns.turn(m, taken)
		msg.back <- returned
	}()
	err := msg.run.run(m.fn)
	m.err, returned = err, true
	return err
}

// A group is the members that one leader serves.
type group struct {
	s       *Store
	program uuid.UUID
	leader  *member
	open    []*member // members without a result
	alone   bool      // run them one by one, because together they failed
}

// lead serves the queue once, beginning with its own closure, and then passes
// the lead on, even when its own closure panics.
func (s *Store) lead(program uuid.UUID, m *member) error {
	g := &group{s: s, program: program, leader: m}
	g.open = append([]*member{m}, s.turns.take(program, s.cfg.Group-1)...)
	defer func() {
		back := slices.DeleteFunc(g.open, func(o *member) bool { return o == m })
		s.turns.pass(program, back)
	}()
	for len(g.open) > 0 {
		batch := g.open
		if g.alone {
			batch = batch[:1]
		}
		g.attempt(slices.Clone(batch))
	}
	return m.err
}

// answer gives a member its result.
func (g *group) answer(m *member, err error) {
	g.drop(m)
	m.err = err
	if m != g.leader {
		m.inbox <- message{err: err}
	}
}

// drop removes a member from the group.
func (g *group) drop(m *member) {
	if i := slices.Index(g.open, m); i >= 0 {
		g.open = slices.Delete(g.open, i, i+1)
	}
}

// attempt runs the closures in one transaction, commits and gives the results.
// The members that have no result afterwards are run again.
func (g *group) attempt(batch []*member) {
	t := g.s.newTxn(g.program, updating)
	t.careful = len(batch) == 1 && batch[0].careful
	defer t.rollback() // also when the leader's own closure panics

	ran, broke := g.runAll(t, batch)
	t.ctx = g.leader.ctx
	if broke != nil {
		t.rollback() // before broken may wait
		g.broken(t, broke, len(batch) > 1)
		return
	}
	if t.err != nil || g.dropLate(ran) || len(ran) == 0 {
		return // run the others again, without the writes of the dropped ones
	}
	if err := t.commit(); err != nil {
		g.notCommitted(err, ran)
		return
	}
	for _, m := range ran {
		g.answer(m, m.err)
	}
}

// runAll runs one closure after another. It stops when the database fails, and
// returns the member whose closure was running as broke. A closure that did not
// return is not run again.
func (g *group) runAll(t *txn, batch []*member) (ran []*member, broke *member) {
	for _, m := range batch {
		if m.ctx.Err() != nil || !g.s.turns.turn(m, running) {
			g.answer(m, ended(m.ctx, "update"))
			continue
		}
		t.ctx = m.ctx
		before := t.savepoint()
		if !g.run(t, m) {
			g.drop(m)
			if t.err != nil {
				return ran, nil
			}
			t.rollbackTo(before)
			continue
		}
		if t.err != nil {
			return ran, m
		}
		if m.err != nil {
			t.rollbackTo(before)
		}
		ran = append(ran, m)
	}
	return ran, nil
}

// run runs a member's closure in the member's goroutine, and reports whether it
// returned.
func (g *group) run(t *txn, m *member) bool {
	if m == g.leader {
		m.err = t.run(m.fn)
		return true
	}
	back := make(chan bool, 1)
	m.inbox <- message{run: t, back: back}
	return <-back
}

// dropLate gives an error to the members whose context ended after their
// closure had run. The others wait until the commit is answered.
func (g *group) dropLate(ran []*member) (any bool) {
	for _, m := range ran {
		if m.err == nil && m.ctx.Err() != nil || !g.s.turns.turn(m, committing) {
			g.answer(m, ended(m.ctx, "update"))
			any = true
		}
	}
	if any {
		g.takeBack(ran)
	}
	return any
}

// takeBack lets members leave again, because no commit is running.
func (g *group) takeBack(ran []*member) {
	for _, m := range ran {
		g.s.turns.turn(m, taken)
	}
}

// broken handles a database failure during a member's closure.
func (g *group) broken(t *txn, m *member, together bool) {
	switch {
	case m.ctx.Err() != nil:
		g.answer(m, t.verdict(m.err))
	case together:
		g.alone = true
	default:
		g.runAgain(m, t.err, t.verdict(m.err))
	}
}

// notCommitted handles a failed commit.
func (g *group) notCommitted(err error, ran []*member) {
	if errors.Is(err, ErrOutcomeUnknown) {
		for _, m := range ran {
			g.answer(m, err)
		}
		return
	}
	g.takeBack(ran)
	switch {
	case len(ran) > 1:
		g.alone = true
	case clashed(err) && !ran[0].careful:
		ran[0].careful = true
	default:
		g.runAgain(ran[0], err, err)
	}
}

// runAgain leaves a member without a result when another run may help.
// Otherwise the member gets answer.
func (g *group) runAgain(m *member, cause, answer error) {
	if !retryable(cause) || m.attempts >= g.s.cfg.Retries {
		g.answer(m, answer)
		return
	}
	if err := pause(m.ctx, m.attempts); err != nil {
		g.answer(m, err)
		return
	}
	m.attempts++
}

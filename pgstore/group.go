package pgstore

import (
	"context"
	"errors"
	"slices"
	"sync"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
)

// Writers of one program queue in the process before they take a connection:
// the server gets slower with every connection that waits for one lock, and a
// program in demand would empty the pool. The head of the queue leads. It takes
// up to Config.Group of the waiting closures into one transaction, one after
// another, each in its own goroutine, and tells everybody the result after the
// commit. Then the next one leads. With a group of one the same code serves.

// turns are the queues of the programs that are being written to.
type turns struct {
	mu    sync.Mutex
	lines map[uuid.UUID][]*member
}

// A member is one Update that waits for its turn.
type member struct {
	ctx      context.Context
	fn       func(tx *affiliate.Tx) error
	inbox    chan message // from the leader; one at a time
	attempts int          // lost against other transactions
	careful  bool         // the marks were too low
	err      error        // of the last run of fn, later of the Update
}

// A message tells a member what to do: lead, run its closure, or return.
type message struct {
	lead bool
	run  *txn
	back chan<- bool // whether the closure returned
	err  error
}

// join queues a member. It is true when there was nobody: the member leads.
func (ts *turns) join(program uuid.UUID, m *member) bool {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	line, busy := ts.lines[program]
	if !busy {
		if ts.lines == nil {
			ts.lines = make(map[uuid.UUID][]*member)
		}
		ts.lines[program] = nil
		return true
	}
	ts.lines[program] = append(line, m)
	return false
}

// leave takes a member out of the queue, unless a leader has taken it.
func (ts *turns) leave(program uuid.UUID, m *member) bool {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	line := ts.lines[program]
	i := slices.Index(line, m)
	if i < 0 {
		return false
	}
	ts.lines[program] = slices.Delete(line, i, i+1)
	return true
}

// take gives the leader the first n that wait.
func (ts *turns) take(program uuid.UUID, n int) []*member {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	line := ts.lines[program]
	n = min(n, len(line))
	taken := slices.Clone(line[:n])
	ts.lines[program] = slices.Delete(line, 0, n)
	return taken
}

// pass puts those back that a leader could not serve, and makes the first in
// line the leader.
func (ts *turns) pass(program uuid.UUID, back []*member) {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	line := append(back, ts.lines[program]...)
	if len(line) == 0 {
		delete(ts.lines, program)
		return
	}
	next := line[0]
	ts.lines[program] = line[1:]
	next.inbox <- message{lead: true}
}

// follow waits for what a leader says.
func (s *Store) follow(program uuid.UUID, m *member) error {
	gone := m.ctx.Done()
	for {
		select {
		case msg := <-m.inbox:
			switch {
			case msg.lead:
				return s.lead(program, m)
			case msg.run == nil:
				return msg.err
			}
			m.runFor(msg)
		case <-gone:
			if s.turns.leave(program, m) {
				return ended(m.ctx, "update")
			}
			gone = nil // a leader has it, and answers
		}
	}
}

// runFor runs the closure in a leader's transaction. A closure that panics or
// ends its goroutine never comes back to the leader.
func (m *member) runFor(msg message) {
	returned := false
	defer func() { msg.back <- returned }()
	m.err = msg.run.run(m.fn)
	returned = true
}

// A group is the members that one leader serves.
type group struct {
	s       *Store
	program uuid.UUID
	leader  *member
	open    []*member // without an answer
	alone   bool      // one by one: together they failed
}

// lead serves the queue once, itself first, and passes the lead on whatever
// becomes of its own closure.
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

// answer ends a member.
func (g *group) answer(m *member, err error) {
	g.drop(m)
	m.err = err
	if m != g.leader {
		m.inbox <- message{err: err}
	}
}

// drop forgets a member.
func (g *group) drop(m *member) {
	if i := slices.Index(g.open, m); i >= 0 {
		g.open = slices.Delete(g.open, i, i+1)
	}
}

// attempt runs the closures in one transaction, commits, and answers. What has
// no answer afterwards is run again.
func (g *group) attempt(batch []*member) {
	t := g.s.newTxn(g.program, updating)
	t.careful = len(batch) == 1 && batch[0].careful
	defer t.rollback() // also when the leader's own closure panics

	ran, broke := g.runAll(t, batch)
	if broke != nil {
		t.rollback() // before anybody waits
		g.broken(t, broke, len(batch) > 1)
		return
	}
	if t.err != nil || g.dropLate(ran) || len(ran) == 0 {
		return // run the others again, without what the dropped ones did
	}
	if err := t.commit(); err != nil {
		g.notCommitted(err, ran)
		return
	}
	for _, m := range ran {
		g.answer(m, m.err)
	}
}

// runAll runs one closure after another. It stops at the one during which the
// database failed; one that did not return from there is nobody's to run again.
func (g *group) runAll(t *txn, batch []*member) (ran []*member, broke *member) {
	for _, m := range batch {
		if m.ctx.Err() != nil {
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

// run runs a member's closure in its goroutine, and reports whether it returned.
func (g *group) run(t *txn, m *member) bool {
	if m == g.leader {
		m.err = t.run(m.fn)
		return true
	}
	back := make(chan bool, 1)
	m.inbox <- message{run: t, back: back}
	return <-back
}

// dropLate answers those whose context ended after their closure had run.
func (g *group) dropLate(ran []*member) (any bool) {
	for _, m := range ran {
		if m.err == nil && m.ctx.Err() != nil {
			g.answer(m, ended(m.ctx, "update"))
			any = true
		}
	}
	return any
}

// broken deals with a database that failed during a member's closure.
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

// notCommitted deals with a commit that failed.
func (g *group) notCommitted(err error, ran []*member) {
	switch {
	case errors.Is(err, ErrOutcomeUnknown):
		for _, m := range ran {
			g.answer(m, err)
		}
	case len(ran) > 1:
		g.alone = true
	case clashed(err) && !ran[0].careful:
		ran[0].careful = true
	default:
		g.runAgain(ran[0], err, err)
	}
}

// runAgain leaves a member without an answer when another run may help.
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

package pgstore

import (
	"context"
	"slices"
	"sync"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate/record"
)

// turns are the queues of the programs that are written to.
type turns struct {
	mu    sync.Mutex
	lines map[uuid.UUID][]*member
}

// A member is one Update that waits for its turn.
type member struct {
	ctx      context.Context
	fn       func(tx *record.Tx) error
	inbox    chan message // gets messages from the leader, one at a time
	role     role         // guarded by turns.mu
	attempts int          // how often it lost against other transactions
	early    int          // how often it did before it had read anything
	alone    bool         // its group failed, so it runs in a group of one
	careful  bool         // the marks were too low, so do not use them
	err      error        // the error of the last run of fn, in the end of the Update
}

// A role is what a member does at the moment. The comments say when it may
// leave.
type role uint8

const (
	waiting    role = iota // in line; may leave at once
	taken                  // in a leader's group, its closure does not run or is held; may leave at once
	running                // its closure runs; may not leave
	committing             // its group commits; may leave after CommitWait, without knowing the outcome
	leading                // leads its group; may not leave
	left
)

// A message tells a member what to do: lead, run its closure in a transaction
// as a guest, or return err.
type message struct {
	lead  bool
	run   *txn
	guest *guest
	err   error
}

// join queues a member. It returns true when the queue was empty: then the
// member leads.
func (ts *turns) join(program uuid.UUID, m *member) bool {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	line, busy := ts.lines[program]
	if !busy {
		if ts.lines == nil {
			ts.lines = make(map[uuid.UUID][]*member)
		}
		ts.lines[program], m.role = nil, leading
		return true
	}
	ts.lines[program] = append(line, m)
	return false
}

// leave removes a member, unless it leads or its closure runs. While its group
// commits, a patient member is not removed.
func (ts *turns) leave(program uuid.UUID, m *member, patient bool) (gone bool, was role) {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	was = m.role
	switch {
	case was == waiting:
		line := ts.lines[program]
		i := slices.Index(line, m)
		ts.lines[program] = slices.Delete(line, i, i+1)
	case was == taken, was == committing && !patient:
	default:
		return false, was
	}
	m.role = left
	return true, was
}

// turn gives a member another role, and reports whether the member has not
// left. A leader keeps its role.
func (ts *turns) turn(m *member, to role) bool {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	if m.role == left {
		return false
	}
	if m.role != leading {
		m.role = to
	}
	return true
}

// take gives the leader the first members of the queue, at most n. A member
// that must be alone ends the group.
func (ts *turns) take(program uuid.UUID, n int) []*member {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	line := ts.lines[program]
	if i := slices.IndexFunc(line, func(m *member) bool { return m.alone }); i >= 0 {
		line = line[:i]
	}
	n = min(n, len(line))
	group := slices.Clone(line[:n])
	for _, m := range group {
		m.role = taken
	}
	ts.lines[program] = slices.Delete(ts.lines[program], 0, n)
	return group
}

// pass puts the members that a leader could not serve back into the queue, and
// makes the first one the leader.
func (ts *turns) pass(program uuid.UUID, back []*member) {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	back = slices.DeleteFunc(back, func(m *member) bool { return m.role == left })
	for _, m := range back {
		m.role = waiting
	}
	line := append(back, ts.lines[program]...)
	if len(line) == 0 {
		delete(ts.lines, program)
		return
	}
	next := line[0]
	next.role = leading
	ts.lines[program] = line[1:]
	next.inbox <- message{lead: true}
}
